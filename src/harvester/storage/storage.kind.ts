import { NamedSecret } from '../../core/kind/description/access';
import { ImmutableField } from '../../core/kind/description/immutable-fields';
import { sharedValues, uniqueText, deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_HARVESTER, EVERYWHERE } from '../../core/kind/kind';
import { EXISTS } from '../../core/kind/ready/health';
import { VOLUME_CLAIM_IMMUTABLE } from '../../core/kubernetes/kubernetes-immutable.data';
import { phase } from '../../core/kubernetes/kubernetes-readiness';
import { isLate } from '../../core/late/late-token';
import { Manifest, valueAt } from '../../core/manifest/manifest';
import { filledText } from '../../core/text/plain-text';

/** The API of StorageClasses. */
export const GROUP_STORAGE = 'storage.k8s.io';
export const API_STORAGE = `${GROUP_STORAGE}/v1`;

/**
 * The API of VolumeSnapshots and their classes.
 * @see kubernetes-csi/external-snapshotter:client/apis/volumesnapshot/v1
 */
export const GROUP_SNAPSHOT = 'snapshot.storage.k8s.io';

/**
 * The CSI driver of Longhorn.
 * @see harvester/harvester:pkg/util/constants.go CSIProvisionerLonghorn
 */
export const LONGHORN_PROVISIONER = 'driver.longhorn.io';

/**
 * The CSI driver of Harvester's local volumes.
 * @see harvester/harvester:pkg/util/constants.go CSIProvisionerLVM
 */
export const LVM_PROVISIONER = 'lvm.driver.harvesterhci.io';

/**
 * The topology key of the nodes of LVM.
 * @see harvester/harvester-ui-extension:pkg/harvester/edit/harvesterhci.io.storage/index.vue
 * LVM_TOPOLOGY_LABEL
 */
export const LVM_TOPOLOGY_KEY = 'topology.lvm.csi/node';

/**
 * The StorageClass that Harvester installs, which cannot be deleted.
 * @see harvester/harvester:pkg/util/constants.go StorageClassHarvesterLonghorn
 */
export const HARVESTER_LONGHORN = 'harvester-longhorn';

/**
 * The StorageClasses that Harvester uses itself: for existing volumes of Longhorn, and for the state
 * of TPM and UEFI.
 * @see harvester/harvester:pkg/util/constants.go StorageClassLonghornStatic, StorageClassVmstatePersistence
 */
export const LONGHORN_STATIC = 'longhorn-static';
export const VMSTATE_PERSISTENCE = 'vmstate-persistence';

/**
 * The StorageClasses that every Harvester has.
 * @see harvester/harvester-ui-extension:pkg/harvester/config/types.js INTERNAL_STORAGE_CLASS
 */
export const BUILT_IN_STORAGE_CLASSES: readonly string[] = [
  HARVESTER_LONGHORN,
  'longhorn',
  LONGHORN_STATIC,
  VMSTATE_PERSISTENCE,
];

/**
 * Annotation of the StorageClass of claims that name none.
 * @see https://kubernetes.io/docs/reference/labels-annotations-taints/
 */
export const ANNOTATION_DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

/**
 * Annotation of a StorageClass that cannot be deleted.
 * @see harvester/harvester:pkg/util/constants.go AnnotationIsReservedStorageClass
 */
export const ANNOTATION_RESERVED_CLASS = 'harvesterhci.io/is-reserved-storageclass';

/**
 * Annotations of a StorageClass that configure CDI.
 * @see harvester/harvester:pkg/util/constants.go AnnotationStorageProfile…
 */
export const ANNOTATION_CDI = {
  MODES: 'cdi.harvesterhci.io/storageProfileVolumeModeAccessModes',
  CLONE: 'cdi.harvesterhci.io/storageProfileCloneStrategy',
  SNAPSHOT_CLASS: 'cdi.harvesterhci.io/storageProfileVolumeSnapshotClass',
  OVERHEAD: 'cdi.harvesterhci.io/filesystemOverhead',
} as const;

/**
 * Parameters of Longhorn's StorageClasses.
 * @see https://longhorn.io/docs/latest/references/storage-class-parameters/
 */
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
 * The pairs of parameters that name the Secret of encrypted volumes: Harvester requires the first
 * three, expanding a volume needs the last.
 * @see harvester/harvester:pkg/util/constants.go CSIProvisionerSecretNameKey
 */
export const CSI_SECRET_PAIRS = ['provisioner', 'node-stage', 'node-publish', 'node-expand'].map(
  (step) => ({
    name: `csi.storage.k8s.io/${step}-secret-name`,
    namespace: `csi.storage.k8s.io/${step}-secret-namespace`,
    required: step !== 'node-expand',
  }),
);

/**
 * The keys of the Secret of encrypted volumes.
 * @see longhorn/longhorn-manager:types/types.go CryptoKeyCipher
 */
export const CRYPTO_KEY = {
  CIPHER: 'CRYPTO_KEY_CIPHER',
  HASH: 'CRYPTO_KEY_HASH',
  PROVIDER: 'CRYPTO_KEY_PROVIDER',
  SIZE: 'CRYPTO_KEY_SIZE',
  PBKDF: 'CRYPTO_PBKDF',
  VALUE: 'CRYPTO_KEY_VALUE',
} as const;

/** Reserved by name: other classes of Harvester are also names of classes on guest clusters. */
const RESERVED_CLASSES: readonly string[] = [HARVESTER_LONGHORN, 'vmstate-persistence'];

/** StorageClass, with what Harvester does to it. */
export const STORAGE_CLASS_DESCRIPTION: KindDescription = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  part: { noun: 'storage class', order: 170 },
  scope: 'Cluster',
  texts: [{ path: `metadata.annotations[${ANNOTATION_CDI.MODES}]` }],
  rank: 20,
  stage: 'storage',
  alwaysThere: HARVESTER_LONGHORN,
  writtenByOthers: ['metadata.annotations'],
  rewritten: Object.values(ANNOTATION_CDI).map((key) => `metadata.annotations[${key}]`),
  deletion: deletes('volumes are kept; Harvester refuses it while images use it'),
  deletions: { guest: deletes('existing volumes are kept, new ones cannot be created') },
  immutable: [
    {
      id: 'storage-class/update',
      what: 'provisioner, parameters, reclaim policy and binding mode of a StorageClass are immutable',
      source:
        'https://github.com/kubernetes/kubernetes/blob/v1.34.4/pkg/apis/storage/validation/validation.go ValidateStorageClassUpdate',
      fields: [
        { path: 'provisioner', says: 'Forbidden: updates to provisioner are forbidden.' },
        {
          path: 'parameters',
          hidden: true,
          says: 'Forbidden: updates to parameters are forbidden.',
        },
        {
          path: 'reclaimPolicy',
          default: 'Delete',
          says: 'Forbidden: updates to reclaimPolicy are forbidden.',
        },
        { path: 'volumeBindingMode', default: 'Immediate', says: 'field is immutable' },
      ],
      fix: 'create a StorageClass with a different name',
    },
  ],
  namedBy: { fields: { 'storageClassName': 'name', 'harvesterhci.io/storageClassName': 'name' } },
  namesSecrets: secretsOfClass,
  // @see harvester/harvester:pkg/webhook/resources/storageclass/validator.go: default storage class
  // already exists
  unique: {
    what: 'default of the cluster',
    shared: sharedValues((storageClass) =>
      uniqueText(isDefaultClass(storageClass) ? 'default' : undefined),
    ),
    stays: () => 'the default storage class is never deleted',
    fix: 'declare the previous StorageClass again, without being the default, and apply; then remove it from the program',
  },
  kept: [
    {
      never: true,
      onlyLive: true,
      passes: true,
      says: 'is the default StorageClass of the cluster',
      when: isDefaultClass,
    },
    { never: true, passes: true, says: 'is built into Harvester', when: isReservedClass },
  ],
};

/**
 * The Secrets of encrypted volumes; a parameter with a variable, such as `${pvc.namespace}`, names
 * no Secret yet.
 */
function secretsOfClass(storageClass: Manifest): readonly NamedSecret[] {
  const parameter = (key: string): string | undefined => {
    const text = filledText(valueAt(storageClass, 'parameters', key));
    return text === undefined || text.includes('$') || isLate(text) ? undefined : text;
  };
  return CSI_SECRET_PAIRS.flatMap((pair) => {
    const [name, namespace] = [parameter(pair.name), parameter(pair.namespace)];
    if (name === undefined || namespace === undefined) {
      return [];
    }
    return [
      {
        path: `parameters[${pair.name}]`,
        namespace,
        name,
        decides: 'with which passphrase the volumes are encrypted',
      },
    ];
  });
}

function isReservedClass({ metadata }: Manifest): boolean {
  const { name, annotations = {} } = metadata;
  return RESERVED_CLASSES.includes(name) || annotations[ANNOTATION_RESERVED_CLASS] === 'true';
}

/** Whether claims without a class get this one. */
export function isDefaultClass({ metadata }: Manifest): boolean {
  const { annotations = {} } = metadata;
  return annotations[ANNOTATION_DEFAULT_CLASS] === 'true';
}

// the server fills in fields that no manifest sets
const fixed = (path: string): ImmutableField => ({ path, addable: true });

/** PersistentVolumeClaim, with what Harvester does to it. */
export const VOLUME_DESCRIPTION: KindDescription = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  part: { noun: 'volume', order: 180 },
  scope: 'Namespaced',
  rank: 42,
  stage: 'volumes',
  namedBy: { fields: { claimName: 'name' } },
  writtenByOthers: [
    'metadata.annotations',
    'spec.volumeName',
    'spec.storageClassName',
    'spec.dataSource',
    'spec.dataSourceRef',
  ],
  rewritten: ['spec.storageClassName', 'spec.dataSource', 'spec.dataSourceRef'],
  deletion: deletes('its data is lost; Harvester refuses it while a virtual machine uses it'),
  immutable: [
    {
      id: 'volume/update',
      what: 'a volume cannot shrink, and its StorageClass, mode and access modes are immutable',
      says: 'spec is immutable after creation',
      source:
        'https://kubernetes.io/docs/concepts/storage/persistent-volumes/; harvester/harvester:pkg/webhook/resources/persistentvolumeclaim/validator.go',
      on: ON_HARVESTER,
      fields: ['spec.storageClassName', 'spec.volumeMode', 'spec.accessModes'].map(fixed),
      fix: 'create a volume with a different name',
    },
    ...VOLUME_CLAIM_IMMUTABLE,
  ],
  ready: {
    judge: phase('Bound'),
    hint: () =>
      'Usual causes: its StorageClass waits for the first pod that uses it, or its provisioner does not run. Fix: read its events, and the pods of the provisioner',
  },
  // one that waits for its first consumer is pending
  health: { healthy: EXISTS, misread: true },
  holds: [{ holds: 'data', what: 'the data on it', asks: true, searchedOn: EVERYWHERE }],
};
