import { NETWORK_SETTINGS, SETTING } from '../../harvester/settings/harvester-setting.kind';
import { PASSWORD_NAMESPACE } from '../../rancher/user/user.kind';
import { TargetKind } from '../app/target';
import { Manifest, groupOf, kindKey } from '../manifest/manifest';
import { GROUPS } from '../manifest/names';

/**
 * What we know of a kind: its scope, the clusters that it means something on, and its place in the order of a plain `kubectl apply -f folder`.
 */
export interface KindInfo {
  readonly group: string;
  readonly kind: string;
  readonly clusterScoped: boolean;
  /** The targets it belongs to; undefined is every Kubernetes cluster. */
  readonly targets?: readonly TargetKind[];
  /** 0 to 99, the prefix of its files: what others need comes first. */
  readonly rank: number;
}

const R = [TargetKind.RANCHER];
const H = [TargetKind.HARVESTER];
const RANCHER_AND_HARVESTER = [TargetKind.RANCHER, TargetKind.HARVESTER];

/** Kinds that the table does not know: namespaced or not is for the server to say. */
const UNKNOWN_RANK = 45;

type Row = readonly [kind: string, scope: 'c' | 'n', rank: number, targets?: readonly TargetKind[]];

/**
 * The kinds by group. Scopes are those of the definitions in the systems themselves; targets are from which product's charts and code serve
 * the definition (rancher/rancher:pkg/crds/names.go BasicCRDs, AuthCRDs, MCMCRDs; harvester/harvester:deploy/charts/harvester-crd).
 */
const TABLE: Record<string, readonly Row[]> = {
  '': [
    ['Namespace', 'c', 10], ['Secret', 'n', 15], ['ConfigMap', 'n', 15], ['ServiceAccount', 'n', 14], ['Service', 'n', 60],
    ['PersistentVolumeClaim', 'n', 42], ['PersistentVolume', 'c', 41], ['Pod', 'n', 50], ['Node', 'c', 45], ['LimitRange', 'n', 20],
    ['ResourceQuota', 'n', 20], ['ReplicationController', 'n', 50], ['Endpoints', 'n', 60],
  ],
  'apiextensions.k8s.io': [['CustomResourceDefinition', 'c', 0]],
  'apiregistration.k8s.io': [['APIService', 'c', 70]],
  'admissionregistration.k8s.io': [
    ['MutatingWebhookConfiguration', 'c', 90], ['ValidatingWebhookConfiguration', 'c', 90],
    ['ValidatingAdmissionPolicy', 'c', 90], ['ValidatingAdmissionPolicyBinding', 'c', 90],
  ],
  'rbac.authorization.k8s.io': [['ClusterRole', 'c', 16], ['ClusterRoleBinding', 'c', 18], ['Role', 'n', 17], ['RoleBinding', 'n', 19]],
  'storage.k8s.io': [['StorageClass', 'c', 20], ['CSIDriver', 'c', 20], ['VolumeAttachment', 'c', 45]],
  'snapshot.storage.k8s.io': [['VolumeSnapshotClass', 'c', 20], ['VolumeSnapshotContent', 'c', 44], ['VolumeSnapshot', 'n', 44]],
  'scheduling.k8s.io': [['PriorityClass', 'c', 13]],
  'node.k8s.io': [['RuntimeClass', 'c', 13]],
  'networking.k8s.io': [['IngressClass', 'c', 20], ['Ingress', 'n', 62], ['NetworkPolicy', 'n', 40]],
  'apps': [['Deployment', 'n', 50], ['StatefulSet', 'n', 50], ['DaemonSet', 'n', 50], ['ReplicaSet', 'n', 50]],
  'batch': [['Job', 'n', 50], ['CronJob', 'n', 50]],
  'provisioning.cattle.io': [['Cluster', 'n', 40, RANCHER_AND_HARVESTER]],
  'management.cattle.io': [
    // these exist on a Harvester too, for the Rancher that it embeds, and some on guests, for Rancher's agents there
    ['Setting', 'c', 12], ['Feature', 'c', 12], ['User', 'c', 30], ['Token', 'c', 35], ['Cluster', 'c', 40], ['ClusterRegistrationToken', 'n', 42],
    ['Preference', 'n', 35], ['UserAttribute', 'c', 35],
    // and these on a Rancher management server only
    ['RoleTemplate', 'c', 28, R], ['GlobalRole', 'c', 29, R], ['GlobalRoleBinding', 'c', 60, R], ['Project', 'n', 50, R],
    ['ClusterRoleTemplateBinding', 'n', 60, R], ['ProjectRoleTemplateBinding', 'n', 62, R], ['NodeDriver', 'c', 20, R],
    ['NodeTemplate', 'n', 36, R], ['NodePool', 'n', 44, R], ['FleetWorkspace', 'c', 12, RANCHER_AND_HARVESTER],
    ['AuthConfig', 'c', 12, RANCHER_AND_HARVESTER], ['PodSecurityAdmissionConfigurationTemplate', 'c', 20, RANCHER_AND_HARVESTER],
    ['OIDCClient', 'c', 35, R], ['ManagedChart', 'n', 50, RANCHER_AND_HARVESTER],
  ],
  'rke-machine-config.cattle.io': [['HarvesterConfig', 'n', 38, R]],
  // the Rancher in a Harvester provisions the Harvester itself, by RKE2 and Fleet
  'rke.cattle.io': [['CustomMachine', 'n', 45], ['ETCDSnapshot', 'n', 45], ['RKEControlPlane', 'n', 45], ['RKECluster', 'n', 45]],
  'fleet.cattle.io': [['GitRepo', 'n', 50], ['Bundle', 'n', 50], ['ClusterGroup', 'n', 40], ['HelmOp', 'n', 50]],
  'catalog.cattle.io': [['ClusterRepo', 'c', 20], ['UIPlugin', 'n', 45], ['App', 'n', 45]],
  'harvesterhci.io': [
    ['Setting', 'c', 12, H], ['Addon', 'n', 40, H], ['KeyPair', 'n', 25, H], ['VirtualMachineImage', 'n', 30, H],
    ['VirtualMachineTemplate', 'n', 32, H], ['VirtualMachineTemplateVersion', 'n', 33, H], ['VirtualMachineBackup', 'n', 60, H],
    ['VirtualMachineRestore', 'n', 62, H], ['ScheduleVMBackup', 'n', 60, H], ['ResourceQuota', 'n', 20, H], ['Upgrade', 'n', 70, H],
    ['Version', 'n', 65, H], ['SupportBundle', 'n', 70, H],
  ],
  // anybody may install KubeVirt and Multus
  'kubevirt.io': [['VirtualMachine', 'n', 50], ['VirtualMachineInstance', 'n', 50], ['VirtualMachineInstanceMigration', 'n', 70]],
  'network.harvesterhci.io': [['ClusterNetwork', 'c', 20, H], ['VlanConfig', 'c', 21, H], ['HostNetworkConfig', 'c', 23, H]],
  'k8s.cni.cncf.io': [['NetworkAttachmentDefinition', 'n', 22]],
  'loadbalancer.harvesterhci.io': [['IPPool', 'c', 26, H], ['LoadBalancer', 'n', 60, H]],
  'node.harvesterhci.io': [['CloudInit', 'c', 35, H], ['NodeConfig', 'n', 35, H]],
  'devices.harvesterhci.io': [['PCIDeviceClaim', 'c', 35, H], ['VGPUDevice', 'c', 35, H], ['SRIOVNetworkDevice', 'c', 35, H]],
  'helm.cattle.io': [['HelmChart', 'n', 50], ['HelmChartConfig', 'n', 49]],
};

const BY_KEY: ReadonlyMap<string, KindInfo> = new Map(Object.entries(TABLE).flatMap(([group, rows]) => rows.map(([kind, scope, rank, targets]) => {
  const info: KindInfo = { group, kind, clusterScoped: scope === 'c', rank, ...(targets ? { targets } : {}) };
  return [kindKey(group, kind), info] as const;
})));

/** What we know of a manifest's kind; undefined for kinds that are not ours to judge. */
export function kindOf(manifest: Manifest): KindInfo | undefined {
  return BY_KEY.get(kindKey(groupOf(manifest.apiVersion), manifest.kind));
}

// after Users: Rancher refuses the password of a user that is not there
const PASSWORD_RANK = 31;

// after ClusterNetworks and VlanConfigs: Harvester refuses a network setting whose cluster network is not there
const NETWORK_SETTING_RANK = 24;

// after Secrets: Harvester refuses it without the one that leads to Rancher
const RANCHER_CLUSTER_RANK = 16;

/** The place of a manifest's kind in a plain apply, 0 to 99. */
export function rankOf(manifest: Manifest): number {
  if (manifest.kind === 'Secret' && manifest.metadata.namespace === PASSWORD_NAMESPACE) { return PASSWORD_RANK; }
  const info = kindOf(manifest);
  if (info?.group === GROUPS.HARVESTER && info.kind === 'Setting') { return settingRank(manifest.metadata.name) ?? info.rank; }
  return info?.rank ?? UNKNOWN_RANK;
}

function settingRank(name: string): number | undefined {
  if (NETWORK_SETTINGS.includes(name)) { return NETWORK_SETTING_RANK; }
  return name === SETTING.RANCHER_CLUSTER ? RANCHER_CLUSTER_RANK : undefined;
}
