import { TargetKind } from '../../core/app/target';
import { kindKey } from '../../core/manifest/manifest';
import { GROUP_HARVESTER_NETWORK, GROUPS } from '../../core/manifest/names';
import { remembered } from '../../core/text/values';
import { GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND } from '../../guest/cluster/cluster.kind';
import { DEVICE_KIND, GROUP_DEVICES } from '../../harvester/device/device.kind';
import { GROUP_LOAD_BALANCER } from '../../harvester/load-balancer/load-balancer.kind';
import { GROUP_ATTACHMENT } from '../../harvester/network/vm-network.kind';
import { GROUP_KUBE_OVN, OVN_KIND } from '../../harvester/overlay/overlay.kind';
import { GROUP_SNAPSHOT, GROUP_STORAGE } from '../../harvester/storage/storage.kind';
import { GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE } from '../../harvester/virtual-machine/machine-manifest.facts';

/** Constructs by the kinds that they write, by API group. The first construct of a kind is the one for it. */
type Writers = { readonly [group: string]: { readonly [kind: string]: readonly string[] } };

const ACCOUNTS = ['ServiceAccountKubeconfig', 'CloudConfigSecret', 'CloudCredential', 'CustomCluster', 'GuestCluster', 'Rke1Cluster', 'TenantTeam'];

/** The kinds that constructs write on each target, with any of their props and on any version. The test of the props finds what is missing here. */
export const WRITERS: { readonly [target in TargetKind]: Writers } = {
  [TargetKind.RANCHER]: {
    '': {
      ConfigMap: ['CustomCluster', 'GuestCluster'],
      Namespace: ['RancherNamespace', 'CustomCluster', 'HarvesterImport', 'ImportedCluster', 'RegistrationToken', 'Rke1Cluster'],
      Secret: [
        'ProjectSecret', 'CloudConfigSecret', 'CloudCredential', 'CustomCluster', 'GuestCluster', 'HarvesterImport', 'ImportedCluster', 'KubeconfigSecret', 'ProjectCertificate',
        'ProjectRegistrySecret', 'RegistrationToken', 'Rke1Cluster', 'S3Credential', 'User',
        'AzureAdAuthConfig', 'GithubAuthConfig', 'GoogleAuthConfig', 'LdapAuthConfig', 'OidcAuthConfig', 'SamlAuthConfig',
      ],
    },
    'catalog.cattle.io': { ClusterRepo: ['ClusterRepo', 'HarvesterUiExtension'], UIPlugin: ['HarvesterUiExtension'] },
    'helm.cattle.io': { HelmChart: ['HelmChartAddon'], HelmChartConfig: ['HelmChartConfig'] },
    [GROUPS.MANAGEMENT]: {
      AuthConfig: ['AzureAdAuthConfig', 'GithubAuthConfig', 'GoogleAuthConfig', 'LdapAuthConfig', 'OidcAuthConfig', 'SamlAuthConfig'],
      Cluster: ['ImportedCluster', 'Rke1Cluster'],
      ClusterRegistrationToken: ['RegistrationToken', 'CustomCluster', 'HarvesterImport', 'ImportedCluster'],
      ClusterRoleTemplateBinding: ['ClusterMembers'],
      Feature: ['RancherFeature'],
      GlobalRole: ['GlobalRole'],
      GlobalRoleBinding: ['GlobalRoleBinding', 'User'],
      NodePool: ['Rke1Cluster'],
      NodeTemplate: ['Rke1Cluster'],
      Project: ['TenantProject', 'SharedImages', 'TenantTeam'],
      ProjectRoleTemplateBinding: ['TenantProject', 'SharedImages', 'TenantTeam'],
      RoleTemplate: ['RoleTemplate', 'SharedImages', 'TenantTeam'],
      Setting: ['RancherSetting', 'TokenLifetime'],
      User: ['User'],
    },
    [GROUPS.PROVISIONING]: { Cluster: ['GuestCluster', 'CustomCluster', 'HarvesterImport'] },
    [GROUP_MACHINE_CONFIG]: { [HARVESTER_CONFIG_KIND]: ['GuestCluster'] },
  },
  [TargetKind.HARVESTER]: {
    '': {
      ConfigMap: ['CloudInitTemplate'],
      Namespace: ['HarvesterNamespace', 'SharedImages', 'TenantProject', 'TenantTeam'],
      Node: ['HarvesterNode'],
      PersistentVolumeClaim: ['Volume'],
      Secret: [...ACCOUNTS, 'CloudInitSecret', 'KubeconfigSecret', 'VirtualMachine', 'VirtualMachineTemplateVersion', 'VolumeEncryption'],
      ServiceAccount: ACCOUNTS,
    },
    [GROUPS.HARVESTER]: {
      Addon: ['Addon', 'BundledAddon'],
      KeyPair: ['KeyPair'],
      ResourceQuota: ['SnapshotQuota'],
      ScheduleVMBackup: ['ScheduleVmBackup'],
      Setting: ['HarvesterSetting', 'AdditionalCa', 'HarvesterImport'],
      VirtualMachineImage: ['VmImage'],
      VirtualMachineTemplate: ['VirtualMachineTemplate'],
      VirtualMachineTemplateVersion: ['VirtualMachineTemplateVersion'],
    },
    [GROUP_DEVICES]: { [DEVICE_KIND.PCI_CLAIM]: ['PciDeviceClaim'], [DEVICE_KIND.USB_CLAIM]: ['UsbDeviceClaim'] },
    [GROUP_ATTACHMENT]: { NetworkAttachmentDefinition: ['VmNetwork', 'OverlayNetwork', 'TenantTeam'] },
    [GROUP_KUBEVIRT]: { [KIND_VIRTUAL_MACHINE]: ['VirtualMachine'] },
    [GROUP_LOAD_BALANCER]: { IPPool: ['IpPool', 'GuestCluster'], LoadBalancer: ['VmLoadBalancer', 'GuestCluster'] },
    [GROUP_HARVESTER_NETWORK]: { ClusterNetwork: ['ClusterNetwork'], HostNetworkConfig: ['HostNetworkConfig'], VlanConfig: ['VlanConfig'] },
    [GROUP_KUBE_OVN]: { [OVN_KIND.VPC]: ['OverlayVpc'], [OVN_KIND.SUBNET]: ['OverlaySubnet'] },
    'catalog.cattle.io': { ClusterRepo: ['ClusterRepo'] },
    'helm.cattle.io': { HelmChart: ['HelmChartAddon'], HelmChartConfig: ['HelmChartConfig'] },
    'networking.k8s.io': { NetworkPolicy: ['TenantTeam'] },
    [GROUPS.HARVESTER_NODE]: { CloudInit: ['NodeCloudInit', 'NodeImages'] },
    [GROUPS.RBAC]: {
      ClusterRole: ['ServiceAccountKubeconfig', 'CloudCredential', 'GuestCluster', 'Rke1Cluster', 'TenantTeam'],
      ClusterRoleBinding: ACCOUNTS,
      Role: ['ServiceAccountKubeconfig', 'CloudConfigSecret', 'CustomCluster', 'GuestCluster', 'TenantTeam'],
      RoleBinding: ACCOUNTS,
    },
    [GROUP_SNAPSHOT]: { VolumeSnapshotClass: ['HostVolumeSnapshotClass'] },
    [GROUP_STORAGE]: { StorageClass: ['HostStorageClass'] },
  },
  [TargetKind.GUEST]: {
    'catalog.cattle.io': { ClusterRepo: ['ClusterRepo'] },
    '': { Namespace: ['GuestNamespace'], Secret: ['KubeconfigSecret'], Service: ['HarvesterLoadBalancer'] },
    'helm.cattle.io': { HelmChart: ['HelmChartAddon'], HelmChartConfig: ['HelmChartConfig', 'IngressLoadBalancer'] },
    [GROUP_SNAPSHOT]: { VolumeSnapshotClass: ['GuestVolumeSnapshotClass'] },
    [GROUP_STORAGE]: { StorageClass: ['GuestStorageClass'] },
  },
};

/** The kinds that a construct writes, as `group/Kind`, with the targets that it writes them on. */
export function writesOf(construct: string): ReadonlyMap<string, readonly TargetKind[]> {
  const kinds = new Map<string, TargetKind[]>();
  for (const target of Object.values(TargetKind)) {
    for (const [group, writers] of Object.entries(WRITERS[target])) {
      for (const [kind, names] of Object.entries(writers)) {
        if (names.includes(construct)) { remembered(kinds, kindKey(group, kind), () => []).push(target); }
      }
    }
  }
  return kinds;
}

/** The constructs that write a kind, the one for it first. */
export function writersOf(group: string, kind: string): readonly string[] {
  return [...new Set(Object.values(TargetKind).flatMap((target) => WRITERS[target][group]?.[kind] ?? []))];
}
