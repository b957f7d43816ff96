/**
 * What Harvester calls its images, keys, networks, storage and add-ons, each name with its source.
 */

/** The apiVersions of what this family of objects is made of. */
export const INFRASTRUCTURE_API = {
  NETWORK: 'network.harvesterhci.io/v1beta1',
  ATTACHMENT: 'k8s.cni.cncf.io/v1',
  STORAGE: 'storage.k8s.io/v1',
} as const;

/** Their API groups. */
export const INFRASTRUCTURE_GROUP = {
  ATTACHMENT: 'k8s.cni.cncf.io',
  STORAGE: 'storage.k8s.io',
} as const;

/** The namespace that every user of a Harvester can read, for images, networks and keys of all. @see harvester/harvester:deploy/charts/harvester */
export const HARVESTER_PUBLIC = 'harvester-public';

/** The namespace of objects that name none. */
export const DEFAULT_NAMESPACE = 'default';

// ---- images

/** Annotation of an image: the StorageClass that its own is made after. @see harvester/harvester:pkg/util/constants.go AnnotationStorageClassName */
export const ANNOTATION_IMAGE_STORAGE_CLASS = 'harvesterhci.io/storageClassName';

/** Label of an image: what is in the file, `raw_qcow2` or `iso`. @see harvester/harvester-ui-extension:pkg/harvester/config/labels-annotations.js */
export const LABEL_IMAGE_TYPE = 'harvesterhci.io/image-type';

/** Label of an image: its operating system, for the UI. @see harvester/harvester-ui-extension:pkg/harvester/config/labels-annotations.js */
export const LABEL_OS_TYPE = 'harvesterhci.io/os-type';

/** Label of an image that the server writes: its displayName. @see harvester/harvester:pkg/util/constants.go LabelImageDisplayName */
export const LABEL_IMAGE_DISPLAY_NAME = 'harvesterhci.io/imageDisplayName';

/** The name of the StorageClass of an image before Harvester 1.8. @see harvester/harvester:pkg/util/storageclass.go GetImageStorageClassName */
export const imageClassByName = (image: string): string => `longhorn-${image}`;

// ---- networks

/** The cluster network that every Harvester has. @see harvester/network-controller-harvester:pkg/utils/consts.go ManagementClusterNetworkName */
export const MGMT_CLUSTER_NETWORK = 'mgmt';

/** What ends the name of the bridge of a cluster network. @see harvester/network-controller-harvester:pkg/utils/consts.go BridgeSuffix */
export const BRIDGE_SUFFIX = '-br';

/** How long a name of a network interface of Linux may be. @see harvester/network-controller-harvester:pkg/utils/consts.go MaxDeviceNameLen */
export const MAX_DEVICE_NAME = 15;

/** Label: the cluster network of a VlanConfig or a network. @see harvester/network-controller-harvester:pkg/utils/consts.go KeyClusterNetworkLabel */
export const LABEL_CLUSTER_NETWORK = 'network.harvesterhci.io/clusternetwork';

/** Label of a network: what it is, see NETWORK_TYPE. @see harvester/network-controller-harvester:pkg/utils/consts.go KeyNetworkType */
export const LABEL_NETWORK_TYPE = 'network.harvesterhci.io/type';

/** Label of a network: its VLAN. @see harvester/network-controller-harvester:pkg/utils/consts.go KeyVlanLabel */
export const LABEL_VLAN_ID = 'network.harvesterhci.io/vlan-id';

/** Annotation of a network: its gateway and range, as JSON. @see harvester/network-controller-harvester:pkg/utils/consts.go KeyNetworkRoute */
export const ANNOTATION_ROUTE = 'network.harvesterhci.io/route';

/** Annotation of a cluster network: the MTU of its uplinks. @see harvester/network-controller-harvester:pkg/utils/consts.go KeyUplinkMTU */
export const ANNOTATION_UPLINK_MTU = 'network.harvesterhci.io/uplink-mtu';

/** Annotation of a VlanConfig that the server writes: the nodes that it is on, as JSON. @see harvester/network-controller-harvester:pkg/utils/consts.go KeyMatchedNodes */
export const ANNOTATION_MATCHED_NODES = 'network.harvesterhci.io/matched-nodes';

/** What a network of virtual machines is. @see harvester/network-controller-harvester:pkg/utils/consts.go NetworkType */
export const NETWORK_TYPE = {
  VLAN: 'L2VlanNetwork',
  UNTAGGED: 'UntaggedNetwork',
  TRUNK: 'L2VlanTrunkNetwork',
  OVERLAY: 'OverlayNetwork',
} as const;

/** The CNI plug-ins that networks of virtual machines use. */
export const CNI = { VERSION: '0.3.1', BRIDGE: 'bridge', KUBE_OVN: 'kube-ovn' } as const;

/** Where the daemon of Kube-OVN listens. @see harvester/harvester-ui-extension:pkg/harvester/edit/network.harvesterhci.io.vpc */
export const KUBE_OVN_SOCKET = '/run/openvswitch/kube-ovn-daemon.sock';

/** The label of nodes that only vote in etcd: they carry no cluster network. @see harvester/network-controller-harvester:pkg/utils/node.go */
export const LABEL_WITNESS = 'node-role.harvesterhci.io/witness';

/**
 * The networks that Harvester makes for its storage: their namespace, and the beginning of their names.
 * @see harvester/network-controller-harvester:pkg/utils/nad.go IsStorageNetworkNad
 */
export const STORAGE_NETWORK = { NAMESPACE: 'harvester-system', PREFIX: 'storagenetwork-' } as const;

// ---- storage

/** The CSI driver of Longhorn. @see harvester/harvester:pkg/util/constants.go CSIProvisionerLonghorn */
export const LONGHORN_PROVISIONER = 'driver.longhorn.io';

/** The CSI driver of Harvester's local volumes. @see harvester/harvester:pkg/util/constants.go CSIProvisionerLVM */
export const LVM_PROVISIONER = 'lvm.driver.harvesterhci.io';

/** The topology key of the nodes of LVM. @see harvester/harvester-ui-extension:pkg/harvester/edit/harvesterhci.io.storage/index.vue LVM_TOPOLOGY_LABEL */
export const LVM_TOPOLOGY_KEY = 'topology.lvm.csi/node';

/** The StorageClass that Harvester brings along; undeletable. @see harvester/harvester:pkg/util/constants.go StorageClassHarvesterLonghorn */
export const HARVESTER_LONGHORN = 'harvester-longhorn';

/** The StorageClasses that a Harvester has from the start. @see harvester/harvester-ui-extension:pkg/harvester/config/types.js INTERNAL_STORAGE_CLASS */
export const BUILT_IN_STORAGE_CLASSES: readonly string[] = [HARVESTER_LONGHORN, 'longhorn', 'longhorn-static', 'vmstate-persistence'];

/** Annotation of the StorageClass of claims that name none. @see https://kubernetes.io/docs/reference/labels-annotations-taints/ */
export const ANNOTATION_DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

/** Annotation of a StorageClass that can not be deleted. @see harvester/harvester:pkg/util/constants.go AnnotationIsReservedStorageClass */
export const ANNOTATION_RESERVED_CLASS = 'harvesterhci.io/is-reserved-storageclass';

/** Annotations of a StorageClass that tell CDI of it. @see harvester/harvester:pkg/util/constants.go AnnotationStorageProfile… */
export const ANNOTATION_CDI = {
  MODES: 'cdi.harvesterhci.io/storageProfileVolumeModeAccessModes',
  CLONE: 'cdi.harvesterhci.io/storageProfileCloneStrategy',
  SNAPSHOT_CLASS: 'cdi.harvesterhci.io/storageProfileVolumeSnapshotClass',
  OVERHEAD: 'cdi.harvesterhci.io/filesystemOverhead',
} as const;

/** Parameters of Longhorn's StorageClasses. @see https://longhorn.io/docs/latest/references/storage-class-parameters/ */
export const LONGHORN = {
  REPLICAS: 'numberOfReplicas',
  STALE_TIMEOUT: 'staleReplicaTimeout',
  MIGRATABLE: 'migratable',
  DATA_LOCALITY: 'dataLocality',
  DATA_ENGINE: 'dataEngine',
  DISK_SELECTOR: 'diskSelector',
  NODE_SELECTOR: 'nodeSelector',
  FS_TYPE: 'fsType',
  NFS_OPTIONS: 'nfsOptions',
  ENCRYPTED: 'encrypted',
  BACKING_IMAGE: 'backingImage',
} as const;

/**
 * The pairs of parameters that name the Secret of encrypted volumes: Harvester asks for the first three, growing a volume needs the last.
 * @see harvester/harvester:pkg/util/constants.go CSIProvisionerSecretNameKey
 */
export const CSI_SECRET_PAIRS = ['provisioner', 'node-stage', 'node-publish', 'node-expand'].map((step) => ({
  name: `csi.storage.k8s.io/${step}-secret-name`, namespace: `csi.storage.k8s.io/${step}-secret-namespace`, required: step !== 'node-expand',
}));

/** The keys of the Secret of encrypted volumes. @see longhorn/longhorn-manager:types/types.go CryptoKeyCipher */
export const CRYPTO_KEY = {
  CIPHER: 'CRYPTO_KEY_CIPHER',
  HASH: 'CRYPTO_KEY_HASH',
  PROVIDER: 'CRYPTO_KEY_PROVIDER',
  SIZE: 'CRYPTO_KEY_SIZE',
  PBKDF: 'CRYPTO_PBKDF',
  VALUE: 'CRYPTO_KEY_VALUE',
} as const;

// ---- quotas, templates, add-ons

/** The name of the one ResourceQuota of Harvester that a namespace may have. @see harvester/harvester:pkg/util/constants.go DefaultResourceQuotaName */
export const DEFAULT_RESOURCE_QUOTA = 'default-resource-quota';

/** Label of a ConfigMap that the UI offers as cloud-init, `user` or `network`. @see harvester/harvester-ui-extension:pkg/harvester/edit/harvesterhci.io.cloudtemplate.vue */
export const LABEL_CLOUD_INIT_TEMPLATE = 'harvesterhci.io/cloud-init-template';

/** The key of the text in such a ConfigMap. */
export const CLOUD_INIT_KEY = 'cloudInit';

/** Label of an add-on that the UI marks as experimental. @see harvester/docs:docs/developer/addon-development.md */
export const LABEL_EXPERIMENTAL = 'addon.harvesterhci.io/experimental';

/** The label of nodes that Harvester manages: all of them. */
export const LABEL_MANAGED_NODE = 'harvesterhci.io/managed';

/** Files of /oem that belong to Harvester. @see harvester/node-manager:pkg/admitter/cloudinit.go builtinFilenameDenyList */
export const PROTECTED_OEM_FILES: readonly string[] = [
  '90_custom.yaml', '99_settings.yaml', 'elemental.config', 'grubenv', 'harvester.config', 'install',
];

/** Annotation of a VirtualMachine: the claims of its volumes, as JSON. @see harvester/harvester:pkg/util/constants.go AnnotationVolumeClaimTemplates */
export const ANNOTATION_VOLUME_CLAIMS = 'harvesterhci.io/volumeClaimTemplates';
