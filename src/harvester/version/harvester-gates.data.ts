import { GateId, GateRow } from '../../core/version/gate-id';
import { Product } from '../../core/version/product-version';
import { settingGateId } from '../../core/version/setting-gate-id';

// Inferred, not read at a release tag: upgrade-config stands in a snapshot of the v1.4 branch and in none of 1.2.
const INFERRED = new Set(['upgrade-config']);

const SOURCE = 'harvester/harvester pkg/settings/settings.go at the release tags v1.1.3 to v1.8.2';

// One line for each first version; those of the first line were there in 1.1.3, the earliest release that was read.
const FIRST_VERSIONS: readonly (readonly [string, string])[] = [
  ['', `additional-ca api-ui-version auto-disk-provision-paths backup-target cluster-registration-url containerd-registry
    default-storage-class harvester-csi-ccm-versions http-proxy log-level overcommit-config release-download-url server-version
    ssl-certificates ssl-parameters storage-network support-bundle-image ui-index ui-path ui-plugin-index
    ui-source upgradable-versions upgrade-checker-enabled upgrade-checker-url vip-pools vm-force-reset-policy
    volume-snapshot-class`],
  ['1.2.0', 'csi-driver-config default-vm-termination-grace-period-seconds ntp-servers support-bundle-namespaces support-bundle-timeout'],
  ['1.3.0', 'auto-rotate-rke2-certs support-bundle-expiration'],
  ['1.3.1', 'kubeconfig-default-token-ttl-minutes support-bundle-node-collection-timeout'],
  ['1.4.0', 'additional-guest-memory-overhead-ratio longhorn-v2-data-engine-enabled upgrade-config'],
  ['1.6.0', 'csi-online-expand-validation max-hotplug-ratio rancher-cluster vm-migration-network'],
  ['1.7.0', 'kubevirt-migration'],
  ['1.8.0', 'cluster-pod-security-standard instance-manager-resources rwx-network support-bundle-file-name'],
  ['1.9.0', 'longhorn-v2-data-engine-hugepage-enabled longhorn-v2-data-engine-memory-size traefik-default-tls-options'],
];

/** The settings of Harvester, one gate each, with the id `setting-<name>`. Not exported by the folder. */
export const SETTING_GATES: readonly GateRow[] = FIRST_VERSIONS.flatMap(([since, names]) => names.split(/\s+/).map((name) => ({
  id: settingGateId(name),
  product: Product.HARVESTER,
  since: since ? [since] : [],
  what: `the setting ${name}`,
  source: since === '1.9.0' ? 'harvester/harvester master (3d63c2af1), before the release of 1.9.0' : SOURCE,
  ...(since === '1.9.0' || INFERRED.has(name) ? { confirmed: false as const } : {}),
  hint: 'Harvester accepts unknown settings in silence and does nothing with them',
})));

const ADDON_VALIDATOR = 'harvester/harvester pkg/webhook/resources/addon/validator.go';
const product = Product.HARVESTER;

/** What Harvester's version decides, its settings aside. Not exported by the folder. */
export const HARVESTER_GATES: readonly GateRow[] = [
  {
    // Two lines although 1.8.0 comes after 1.7.2: pre-releases of 1.8.0 were not read, and the plain form works everywhere.
    id: GateId.REGISTRATION_URL_JSON,
    product,
    since: ['1.7.2', '1.8.0'],
    what: 'the JSON form of the setting cluster-registration-url',
    source: 'harvester/harvester pkg/settings/settings_helper.go (CVE-2025-71261); seen on Harvester 1.7.2',
    hint: 'write the plain URL, whose certificate is not verified',
  },
  {
    id: GateId.REGISTRATION_RESPONSE_CAP,
    product,
    since: ['1.8.0'],
    what: 'the limit of 1 MB on the fetched import manifest',
    source: 'harvester/harvester#10066',
  },
  {
    id: GateId.CLOUD_INIT_RESOURCE,
    product,
    since: ['1.3.0'],
    what: 'the resource CloudInit of node.harvesterhci.io',
    source: 'harvester/docs advanced/cloudinitcrd.md',
    hint: 'write the file to /oem on every node',
  },
  {
    id: GateId.IMAGE_CLASS_BY_UID,
    product,
    since: ['1.8.0'],
    what: 'a storage class of an image named lh-<uid> in place of longhorn-<image>',
    source: 'harvester/harvester v1.8.0',
  },
  {
    id: GateId.IMAGE_NAME_IS_LABEL,
    product,
    since: ['1.9.0'],
    what: 'the rule that displayName of an image is a label value',
    source: 'harvester/harvester branch v1.9',
    confirmed: false,
  },
  {
    id: GateId.OVERCOMMIT_LOWER_DEFAULTS,
    product,
    since: ['1.8.0'],
    what: 'the default overcommit of 1000/150/100 in place of 1600/150/200',
    source: 'harvester/harvester pkg/settings/settings.go at the release tags',
  },
  {
    id: GateId.FORCE_RESET_FAST_DEFAULT,
    product,
    since: ['1.7.0'],
    what: 'the default force reset after 15 s in place of 300 s',
    source: 'harvester/harvester pkg/settings/settings.go at the release tags',
  },
  {
    id: GateId.NO_PROXY_MUST_COVER_NODES,
    product,
    since: ['1.3.1'],
    what: 'the rule that noProxy of the setting http-proxy covers every node',
    source: 'harvester/harvester pkg/webhook/resources/setting/validator.go',
  },
  {
    id: GateId.CPU_MANAGER,
    product,
    since: ['1.4.0'],
    what: 'the CPU manager, which pinned CPUs need',
    source: 'harvester/harvester v1.4.0',
  },
  {
    id: GateId.NODE_AFFINITY,
    product,
    since: ['1.0.3'],
    what: 'an affinity of guest machines to Harvester nodes',
    source: 'harvester/docs rancher/node/node-driver.md',
  },
  {
    id: GateId.WORKLOAD_AFFINITY,
    product,
    since: ['1.2.0'],
    what: 'an affinity of guest machines to other virtual machines',
    source: 'harvester/docs rancher/node/node-driver.md',
  },
  {
    id: GateId.RKE1_GUESTS,
    product,
    since: [],
    until: ['1.6.0'],
    what: 'an RKE1 guest cluster',
    source: 'harvester/docs v1.6',
    hint: 'use RKE2 or K3s',
  },
  {
    id: GateId.CLOUD_PROVIDER_V0_2,
    product,
    since: ['1.2.0'],
    what: 'the cloud provider chart 0.2.2 and later',
    source: 'harvester/docs rancher/cloud-provider.md, backward compatibility notice',
    hint: 'upgrade Harvester first, or use an earlier release of RKE2',
  },
  {
    id: GateId.CSI_CLUSTER_ROLE,
    product,
    since: ['1.2.0'],
    what: 'the ClusterRole harvesterhci.io:csi-driver',
    source: 'harvester/harvester deploy/charts/harvester/templates/rbac.yaml at the release tags',
  },
  {
    id: GateId.CSI_VOLUMES_RWX,
    product,
    since: ['1.4.0'],
    what: 'ReadWriteMany volumes in guest clusters (CSI chart 0.1.20)',
    source: 'harvester/docs rancher/csi-driver.md',
  },
  {
    id: GateId.CSI_ONLINE_RESIZE,
    product,
    since: ['1.6.0'],
    what: 'online resizing of volumes in guest clusters (CSI chart 0.1.24)',
    source: 'harvester/docs rancher/csi-driver.md',
  },
  {
    id: GateId.CSI_SNAPSHOTS,
    product,
    since: ['1.7.0'],
    what: 'volume snapshots in guest clusters (CSI chart 0.1.25)',
    source: 'harvester/docs rancher/csi-driver.md',
  },
  {
    id: GateId.CSI_BACKUPS,
    product,
    since: ['1.8.0'],
    what: 'volume backups in guest clusters (CSI chart 0.1.28)',
    source: 'harvester/docs rancher/csi-driver.md',
  },
  {
    id: GateId.CSI_MACHINE_PATCH,
    product,
    since: ['1.8.0'],
    what: 'the permission to patch virtual machines in ClusterRole harvesterhci.io:csi-driver',
    source: 'harvester/harvester deploy/charts/harvester/templates/rbac.yaml at the release tags; harvester#10548',
  },
  {
    id: GateId.IMAGE_BACKEND_CDI,
    product,
    since: ['1.5.0'],
    what: 'the backend of an image, and so images outside of Longhorn v1',
    source: 'harvester/harvester v1.5.0 pkg/apis/harvesterhci.io/v1beta1/image.go',
    hint: 'leave the backend out',
  },
  {
    id: GateId.IMAGE_CRYPTO,
    product,
    since: ['1.4.0'],
    what: 'an image that is encrypted or decrypted from another',
    source: 'harvester/docs v1.4 image/image-security.md',
  },
  {
    id: GateId.IMAGE_DISPLAY_NAME_LABEL,
    product,
    since: ['1.7.3', '1.8.2', '1.9.0'],
    what: 'the displayName of an image as a label that its webhook writes, so that a second one of that name is refused',
    source: 'harvester/harvester pkg/webhook/resources/virtualmachineimage/mutator.go at the release tags',
  },
  {
    id: GateId.VOLUME_SHARED,
    product,
    since: ['1.7.0'],
    what: 'a volume that several virtual machines have as a shareable disk',
    source: 'harvester/harvester pkg/webhook/resources/virtualmachine/validator.go checkOccupiedPVCs, at the release tags',
  },
  {
    id: GateId.VOLUME_CLASS_FIXED,
    product,
    since: ['1.7.0'],
    what: 'the rule that the volumes of a virtual machine keep their storage classes',
    source: 'harvester/harvester pkg/webhook/resources/virtualmachine/validator.go checkPVCsStorageRequestsAndClass, at the release tags',
  },
  {
    id: GateId.ADDON_DELETION_REFUSED,
    product,
    since: ['1.7.0'],
    what: 'the rule that an add-on without the label addon.harvesterhci.io/experimental is not deleted',
    source: `${ADDON_VALIDATOR} Delete, at the release tags`,
  },
  {
    id: GateId.VCLUSTER_GLOBAL_HOSTNAME,
    product,
    since: ['1.7.0'],
    what: 'an add-on rancher-vcluster with its host name below global',
    source: `${ADDON_VALIDATOR} validateVClusterAddon, at the release tags`,
  },
  {
    id: GateId.STORAGE_ACCESS_MODES_ASKED,
    product,
    since: ['1.6.0'],
    what: 'the rule that a StorageClass of a driver that CDI does not know gives its access modes',
    source: 'harvester/harvester pkg/webhook/resources/storageclass/validator.go validateCDIAnnotations, at the release tags',
  },
  {
    id: GateId.VLAN_CONFIG_LABEL_CHECKED,
    product,
    since: ['1.9.0'],
    what: 'the rule that the label of a VlanConfig names its cluster network',
    source: 'harvester/network-controller-harvester pkg/webhook/vlanconfig/validator.go at the release tags',
  },
  {
    id: GateId.CLUSTER_NETWORK_MUST_EXIST,
    product,
    since: ['1.6.1'],
    what: 'the rule that the cluster network of a VlanConfig or network exists before it',
    source: 'harvester/network-controller-harvester pkg/webhook/vlanconfig/validator.go at the release tags',
  },
  {
    id: GateId.NETWORK_TRUNK,
    product,
    since: ['1.7.0'],
    what: 'a network of several VLANs (L2VlanTrunkNetwork)',
    source: 'harvester/network-controller-harvester pkg/utils/nad.go at the release tags',
    hint: 'write a network for each VLAN',
  },
  {
    id: GateId.NETWORK_OVERLAY,
    product,
    since: ['1.6.0'],
    what: 'an overlay network (add-on kubeovn-operator)',
    source: 'harvester/docs v1.6 networking/harvester-network.md',
  },
  {
    id: GateId.OVERLAY_BINDING_BY_SUBNET,
    product,
    since: ['1.8.0'],
    what: 'binding network cards on overlay networks by what their Subnet says (managedtap with DHCP, else a bridge)',
    source: 'harvester/harvester pkg/webhook/resources/virtualmachine/mutator.go patchManagedTapBinding at the release tags',
  },
  {
    id: GateId.HOST_NETWORK_CONFIG,
    product,
    since: ['1.8.0'],
    what: 'HostNetworkConfig',
    source: 'harvester/network-controller-harvester pkg/webhook/hostnetworkconfig at the release tags',
  },
  {
    id: GateId.STORAGE_VLAN_EXCLUSIVE,
    product,
    since: ['1.9.0'],
    what: 'the rule that the exclusive VLAN of the storage network carries no other network',
    source: 'harvester/network-controller-harvester master, network-controller of Harvester 1.9',
    confirmed: false,
  },
  {
    id: GateId.LOAD_BALANCER_NETWORK,
    product,
    since: ['1.9.0'],
    what: 'a network of its own for a load balancer of a guest cluster',
    source: 'harvester/load-balancer-harvester of Harvester 1.9',
    confirmed: false,
  },
  {
    id: GateId.LOAD_BALANCER_CLEANUP,
    product,
    since: ['1.8.0'],
    what: 'the removal of load balancers with their guest cluster',
    source: 'harvester/docs v1.8',
  },
  {
    id: GateId.LOAD_BALANCER_LOOSE_POOLS,
    product,
    since: ['1.7.0'],
    what: 'an IP pool that names a namespace only, for load balancers of guest clusters',
    source: 'harvester/load-balancer-harvester pkg/ipam/selector.go of Harvester 1.7.0, absent from 1.6.1',
  },
  {
    id: GateId.LOAD_BALANCER_IPAM_FIXED,
    product,
    since: ['1.4.0'],
    what: 'the rule that a load balancer keeps its ipam and workloadType',
    source: 'harvester/load-balancer-harvester pkg/webhook/loadbalancer/validator.go v0.4.3',
  },
];
