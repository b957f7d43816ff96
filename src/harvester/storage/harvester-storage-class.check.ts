import {
  CdiCloneStrategy,
  EncryptionCipher,
  EncryptionHash,
  EncryptionKeyDerivation,
  VolumeAccessMode,
  VolumeMode,
} from './storage.data';
import {
  ANNOTATION_CDI,
  CRYPTO_KEY,
  CSI_SECRET_PAIRS,
  LONGHORN,
  LONGHORN_PROVISIONER,
  LVM_PROVISIONER,
} from './storage.kind';
import { map, slice, STRING, unmarshal } from '../../core/go/go-json';
import { isLate } from '../../core/late/late-token';
import { isRecord, itemsAt, Manifest, valueAt } from '../../core/manifest/manifest';
import { LABEL_NAME_FIX, labelNameFault } from '../../core/problem/label';
import { Problem } from '../../core/problem/problem';
import { ValueCheck, fields, must } from '../../core/rule/kit/values';
import { secretEntry } from '../../core/secret/definition';
import { givenValue, plainText } from '../../core/text/plain-text';
import { tableByName } from '../../core/text/values';

/**
 * The accepted values of the keys in a Secret of encrypted volumes.
 * @see harvester/harvester:pkg/webhook/resources/storageclass/validator.go
 */
export const CRYPTO_CHOICES: { readonly [key: string]: readonly string[] } = tableByName({
  [CRYPTO_KEY.CIPHER]: Object.values(EncryptionCipher),
  [CRYPTO_KEY.HASH]: Object.values(EncryptionHash),
  [CRYPTO_KEY.SIZE]: ['256', '384', '512'],
  [CRYPTO_KEY.PBKDF]: Object.values(EncryptionKeyDerivation),
  [CRYPTO_KEY.PROVIDER]: ['secret'],
});

/**
 * Checks the Secret of a StorageClass of encrypted volumes. Never shows its values.
 * @param path the path of the parameter that refers to it
 */
export function* checkEncryptionSecret(path: string, secret: Manifest): Iterable<Problem> {
  const label = `${secret.metadata.namespace ?? ''}/${secret.metadata.name}`;
  for (const key of Object.values(CRYPTO_KEY)) {
    const entry = secretEntry(secret, key, isLate);
    const choices = CRYPTO_CHOICES[key];
    const fix = choices ? `set ${choices.join(', ')}` : 'set the passphrase';
    if (!entry) {
      const says = `secret ${label} is not a valid encryption secret, missing field: ${key}`;
      yield { path, value: label, message: `must be a Secret with the key ${key}`, fix, says };
    } else if (
      entry.text !== undefined &&
      !isLate(entry.text) &&
      (choices ? !choices.includes(entry.text) : entry.text === '')
    ) {
      yield {
        path,
        value: label,
        message: `must be a Secret whose key ${key} ${choices ? 'has a valid value' : 'is not empty'}`,
        fix,
        says: `secret ${label} is not a valid encryption secret, invalid field: ${key}`,
      };
    }
  }
}

/**
 * The drivers that CDI knows: a StorageClass of one of these needs no access modes. The list
 * contains those of all versions of Harvester from 1.6.0 on, so that no version knows a driver that
 * is missing here.
 * @see kubevirt/containerized-data-importer:pkg/storagecapabilities/storagecapabilities.go CapabilitiesByProvisionerKey, as Harvester 1.6.0 to 1.9.0 vendor it
 */
const CDI_PROVISIONERS: ReadonlySet<string> = new Set([
  'block.csi.ibm.com',
  'blockvolume.csi.oraclecloud.com',
  'cephfs.csi.ceph.com',
  'cinder.csi.openstack.org',
  'csi-isilon.dellemc.com',
  'csi-powermax.dellemc.com',
  'csi-powerstore.dellemc.com',
  'csi-unity.dellemc.com',
  'csi-vxflexos.dellemc.com',
  'csi.hpe.com',
  'csi.huawei.com',
  'csi.ovirt.org',
  'csi.vsphere.vmware.com',
  'disk.csi.azure.com',
  'driver.longhorn.io',
  'ebs.csi.aws.com',
  'efs.csi.aws.com',
  'file.csi.azure.com',
  'hspc.csi.hitachi.com',
  'k8s-sigs.io/nfs-subdir-external-provisioner',
  'k8s.io/minikube-hostpath',
  'kubernetes.io/aws-ebs',
  'kubernetes.io/azure-disk',
  'kubernetes.io/azure-file',
  'kubernetes.io/gce-pd',
  'kubernetes.io/portworx-volume',
  'kubernetes.io/rbd',
  'kubernetes.io/storageos',
  'kubesan.gitlab.io',
  'kubevirt.io.hostpath-provisioner',
  'kubevirt.io/hostpath-provisioner',
  'linstor.csi.linbit.com',
  'manila.csi.openstack.org',
  'nfs.csi.k8s.io',
  'openshift-storage.cephfs.csi.ceph.com',
  'openshift-storage.rbd.csi.ceph.com',
  'pd.csi.storage.gke.io',
  'pxd.openstorage.org',
  'pxd.portworx.com',
  'rbd.csi.ceph.com',
  'rook-ceph.cephfs.csi.ceph.com',
  'rook-ceph.rbd.csi.ceph.com',
  'spectrumscale.csi.ibm.com',
  'storageos',
  'topolvm.cybozu.com',
  'topolvm.io',
  'vpc.block.csi.ibm.io',
]);

/**
 * The drivers that CDI knows only with some parameters. It knows volumes without a driver by their
 * PersistentVolumes.
 */
const CDI_PROVISIONERS_BY_PARAMETERS: readonly string[] = [
  'csi.san.synology.com',
  'csi.trident.netapp.io',
  'infinibox-csi-driver',
  'kubernetes.io/no-provisioner',
];

const OVERHEAD = /^(0(?:\.\d{1,3})?|1)$/;
const CLONE_STRATEGIES: readonly string[] = Object.values(CdiCloneStrategy);
const VOLUME_MODES: readonly string[] = Object.values(VolumeMode);
const ACCESS_MODES: readonly string[] = Object.values(VolumeAccessMode);

/**
 * Checks the annotations of a StorageClass that configure CDI.
 * @see harvester/harvester:pkg/webhook/resources/storageclass/validator.go validateCDIAnnotations
 */
function* checkCdiAnnotations(
  storageClass: { readonly [field: string]: unknown },
  annotations: { readonly [key: string]: unknown },
  asksForModes?: boolean,
): Iterable<Problem> {
  const { provisioner } = storageClass;
  const textOf = (key: string): string | undefined => {
    const value = annotations[key];
    return typeof value === 'string' && !isLate(value) ? value : undefined;
  };
  const annotated = Object.values(ANNOTATION_CDI).filter((key) => annotations[key] !== undefined);
  if (annotated.length === 0) {
    if (asksForModes !== false) {
      yield* checkMissing(provisioner, asksForModes);
    }
    return;
  }
  if (
    provisioner === LONGHORN_PROVISIONER &&
    valueAt(storageClass, 'parameters', LONGHORN.DATA_ENGINE) === 'v1'
  ) {
    yield {
      path: `metadata.annotations[${annotated[0]!}]`,
      message: 'cannot be set for the data engine v1 of Longhorn',
      fix: 'remove the annotation',
      says: 'longhorn v1 does not support CDI annotations',
    };
  }
  const overhead = textOf(ANNOTATION_CDI.OVERHEAD);
  if (overhead !== undefined && !OVERHEAD.test(overhead)) {
    yield {
      path: `metadata.annotations[${ANNOTATION_CDI.OVERHEAD}]`,
      value: overhead,
      message: 'must be 0 to 1 with at most three decimals',
      fix: 'set a share such as "0.055"',
      says: `invalid filesystem overhead ${overhead} in annotation ${ANNOTATION_CDI.OVERHEAD}, must be in the range [0.00, 1.00] (up to 3 decimal places)`,
    };
  }
  yield* checkClone(textOf(ANNOTATION_CDI.CLONE), annotations[ANNOTATION_CDI.SNAPSHOT_CLASS]);
  yield* checkModes(textOf(ANNOTATION_CDI.MODES));
}

function* checkMissing(provisioner: unknown, asksForModes: boolean | undefined): Iterable<Problem> {
  if (
    typeof provisioner !== 'string' ||
    isLate(provisioner) ||
    ['', LONGHORN_PROVISIONER, LVM_PROVISIONER].includes(provisioner)
  ) {
    return;
  }
  if (CDI_PROVISIONERS.has(provisioner)) {
    return;
  }
  const certain = asksForModes === true && !CDI_PROVISIONERS_BY_PARAMETERS.includes(provisioner);
  yield {
    path: `metadata.annotations[${ANNOTATION_CDI.MODES}]`,
    ...(certain ? {} : { level: 'warning' as const }),
    message: certain
      ? `must be set, since CDI does not know ${provisioner}`
      : `must be set, unless CDI knows ${provisioner} with these parameters`,
    fix: 'set access modes by volume mode, e.g. {"Block":["ReadWriteOnce"]}',
    says: `missing annotation ${ANNOTATION_CDI.MODES}. volume access modes are required for CDI integration to work with storage class provisioner ${provisioner}.`,
  };
}

function* checkClone(strategy: string | undefined, snapshotClass: unknown): Iterable<Problem> {
  if (strategy !== undefined && !CLONE_STRATEGIES.includes(strategy)) {
    yield {
      path: `metadata.annotations[${ANNOTATION_CDI.CLONE}]`,
      value: strategy,
      message: `must be one of ${CLONE_STRATEGIES.join(', ')}`,
      fix: 'choose a clone strategy',
      says: `invalid clone strategy ${strategy} in annotation ${ANNOTATION_CDI.CLONE}, valid values: ${CLONE_STRATEGIES.join(', ')}`,
    };
  }
  const path = `metadata.annotations[${ANNOTATION_CDI.SNAPSHOT_CLASS}]`;
  if (snapshotClass === '') {
    const says = `snapshot class cannot be empty in annotation ${ANNOTATION_CDI.SNAPSHOT_CLASS}`;
    yield {
      path,
      message: 'cannot be empty',
      fix: 'set a VolumeSnapshotClass, or remove it',
      says,
    };
  } else if (strategy === 'snapshot' && snapshotClass === undefined) {
    const says = `snapshot class must be set in annotation ${ANNOTATION_CDI.SNAPSHOT_CLASS} when clone strategy is snapshot`;
    yield {
      path,
      message: 'must be set for the clone strategy snapshot',
      fix: 'set a VolumeSnapshotClass of the driver',
      says,
    };
  }
}

function* checkModes(text: string | undefined): Iterable<Problem> {
  if (text === undefined) {
    return;
  }
  const at = {
    path: `metadata.annotations[${ANNOTATION_CDI.MODES}]`,
    value: text,
    fix: 'set access modes by volume mode, e.g. {"Block":["ReadWriteOnce"]}',
  };
  const says = (error: string) =>
    `invalid volume mode access modes ${text} in annotation ${ANNOTATION_CDI.MODES}, error: ${error}`;
  const result = unmarshal<ReadonlyMap<string, readonly string[] | undefined> | undefined>(
    text,
    map(slice(STRING)),
  );
  if ('error' in result) {
    yield { ...at, message: `must be the JSON of access modes: ${result.error}` };
    return;
  }
  for (const [mode, access = []] of result.config ?? []) {
    if (!VOLUME_MODES.includes(mode)) {
      yield {
        ...at,
        message: `has the unknown volume mode ${plainText(mode)}`,
        says: says(`invalid volume mode ${mode}`),
      };
    }
    for (const name of access.filter((word) => !ACCESS_MODES.includes(word))) {
      yield {
        ...at,
        message: `has the unknown access mode ${plainText(name)}`,
        says: says(`invalid access mode ${name}`),
      };
    }
  }
}

const FIELDS = [
  'apiVersion',
  'kind',
  'metadata',
  'provisioner',
  'parameters',
  'reclaimPolicy',
  'mountOptions',
  'allowVolumeExpansion',
  'volumeBindingMode',
  'allowedTopologies',
];
const CHOICES: { readonly [field: string]: readonly string[] } = {
  reclaimPolicy: ['Delete', 'Retain'],
  volumeBindingMode: ['Immediate', 'WaitForFirstConsumer'],
};
/** The booleans of Go's strconv.ParseBool. */
const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

/** A StorageClass with fields of any type. */
interface StorageClassObject {
  readonly [field: string]: unknown;
}

/** The parameters of a StorageClass. */
export function parametersOf({ parameters }: StorageClassObject): {
  readonly [key: string]: unknown;
} {
  return isRecord(parameters) ? parameters : {};
}

/** Whether the volumes of a StorageClass are encrypted, as Harvester reads it. */
export function hasEncryption(storageClass: StorageClassObject): boolean {
  return TRUE.some((text) => text === parametersOf(storageClass)[LONGHORN.ENCRYPTED]);
}

/**
 * Checks a StorageClass on its own.
 *
 * @param annotations the annotations of the object
 * @param asksForModes whether Harvester refuses a driver that CDI does not know without access modes; undefined if its version is not known
 * @see harvester/harvester:pkg/webhook/resources/storageclass/validator.go; https://kubernetes.io/docs/concepts/storage/storage-classes/
 */
export function* checkStorageClass(
  storageClass: StorageClassObject,
  annotations: { readonly [key: string]: unknown },
  asksForModes?: boolean,
): Iterable<Problem> {
  yield* checkFields(storageClass);
  const parameters = parametersOf(storageClass);
  for (const [key, value] of Object.entries(parameters)) {
    if (typeof value !== 'string') {
      const says = 'cannot unmarshal into Go struct field StorageClass.parameters of type string';
      yield {
        path: `parameters.${key}`,
        value,
        message: 'must be a string',
        fix: `write "${plainText(value)}" in quotes`,
        says,
      };
    }
  }
  if (storageClass.provisioner === LONGHORN_PROVISIONER) {
    yield* checkLonghorn(parameters);
  }
  yield* checkEncryption(parameters);
  yield* checkCdiAnnotations(storageClass, annotations, asksForModes);
  yield* checkTopologies(storageClass);
}

/**
 * @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go validateTopologySelectorLabelRequirement
 */
function* checkTopologies({ allowedTopologies }: StorageClassObject): Iterable<Problem> {
  for (const [index, term] of itemsAt(allowedTopologies).entries()) {
    for (const [place, expression] of itemsAt(term, 'matchLabelExpressions').entries()) {
      const key = valueAt(expression, 'key');
      const says = typeof key === 'string' ? labelNameFault(key) : undefined;
      const path = `allowedTopologies[${index}].matchLabelExpressions[${place}].key`;
      if (says) {
        yield {
          path,
          value: key,
          message: 'must be the name of a label',
          fix: LABEL_NAME_FIX,
          says,
        };
      }
    }
  }
}

function* checkFields(storageClass: StorageClassObject): Iterable<Problem> {
  for (const field of Object.keys(storageClass).filter((key) => !FIELDS.includes(key))) {
    const fix = `move a parameter of the provisioner to parameters.${field}`;
    yield {
      path: field,
      message: 'is not a field of a StorageClass',
      fix,
      says: `strict decoding error: unknown field "${field}"`,
    };
  }
  if (typeof storageClass.provisioner !== 'string' || storageClass.provisioner === '') {
    const fix = `set the CSI driver, e.g. ${LONGHORN_PROVISIONER}`;
    yield {
      path: 'provisioner',
      ...givenValue(storageClass.provisioner),
      message: 'must be set',
      fix,
      says: 'provisioner: Required value',
    };
  }
  for (const [field, allowed] of Object.entries(CHOICES)) {
    const value = storageClass[field];
    if (
      value === undefined ||
      value === null ||
      // Kubernetes uses Delete in its place
      (value === '' && field === 'reclaimPolicy') ||
      isLate(value) ||
      allowed.some((text) => text === value)
    ) {
      continue;
    }
    yield {
      path: field,
      value,
      message: `must be ${allowed.join(' or ')}`,
      fix: 'choose a value',
      says: `${field}: Unsupported value: "${plainText(value)}"`,
    };
  }
}

/** The check of a parameter that the server accepts as any text, but no volume is ever created. */
function creates(
  allowed: string,
  test: (text: string) => boolean,
  fix = 'set a value in quotes',
): ValueCheck {
  return must((value) => typeof value !== 'string' || test(value), {
    level: 'warning',
    message: `must be ${allowed}: otherwise no volume is created`,
    fix,
  });
}

function count(least: number, most: number): ValueCheck {
  const test = (text: string): boolean =>
    /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;
  return creates(`a whole number of ${least} or more`, test, 'set a number in quotes');
}

const checkParameters = fields({
  [LONGHORN.REPLICAS]: count(1, 20),
  [LONGHORN.STALE_TIMEOUT]: count(0, Number.MAX_SAFE_INTEGER),
  [LONGHORN.DATA_ENGINE]: creates('v1 or v2', (text) => text === 'v1' || text === 'v2'),
  [LONGHORN.MIGRATABLE]: creates('true or false', (text) => [...TRUE, ...FALSE].includes(text)),
});

function* checkLonghorn(parameters: { readonly [key: string]: unknown }): Iterable<Problem> {
  yield* checkLocality(parameters[LONGHORN.DATA_LOCALITY]);
  yield* checkParameters('parameters', parameters);
  if (
    TRUE.some((text) => text === parameters[LONGHORN.MIGRATABLE]) &&
    parameters[LONGHORN.NFS_OPTIONS] !== undefined
  ) {
    yield {
      path: `parameters.${LONGHORN.NFS_OPTIONS}`,
      level: 'warning',
      message:
        'cannot be combined with migratable: "true": such a volume migrates with a VM and is not shared by NFS',
      fix: 'use a StorageClass with migratable: "false" for volumes that pods share',
    };
  }
}

function* checkLocality(locality: unknown): Iterable<Problem> {
  const path = `parameters.${LONGHORN.DATA_LOCALITY}`;
  if (
    typeof locality !== 'string' ||
    isLate(locality) ||
    locality === 'disabled' ||
    locality === 'best-effort'
  ) {
    return;
  }
  const isLocal = locality === 'strict-local';
  yield {
    path,
    value: locality,
    message: isLocal
      ? 'cannot be strict-local: volumes could not move, and nodes not be drained'
      : 'must be disabled or best-effort',
    fix: 'use disabled or best-effort',
    says: isLocal
      ? 'storage class with strict-local data locality is not allowed'
      : `storage class with invalid data locality ${locality}, valid values: "disabled", "best-effort"`,
  };
}

function* checkEncryption(parameters: { readonly [key: string]: unknown }): Iterable<Problem> {
  const value = parameters[LONGHORN.ENCRYPTED];
  const path = `parameters.${LONGHORN.ENCRYPTED}`;
  if (typeof value !== 'string' || isLate(value)) {
    return;
  }
  if (![...TRUE, ...FALSE].includes(value)) {
    yield {
      path,
      value,
      message: 'must be true or false',
      fix: 'set true or false in quotes',
      says: 'invalid value for `encrypted`',
    };
  }
  if (!TRUE.includes(value)) {
    return;
  }
  yield* checkSecretPairs(parameters);
}

type SecretPair = (typeof CSI_SECRET_PAIRS)[number];

// in the order of the server, which stops at the first difference
function* checkSecretPairs(parameters: { readonly [key: string]: unknown }): Iterable<Problem> {
  const isSet = (key: string) => parameters[key] !== undefined;
  const pairs = CSI_SECRET_PAIRS.filter(
    ({ name, namespace, required }) => required || isSet(name) || isSet(namespace),
  );
  const missing = pairs
    .flatMap(({ name, namespace }) => [name, namespace])
    .filter((key) => !isSet(key));
  if (missing.length > 0) {
    const says = `storage class must contain ${missing.join(', ')}`;
    yield {
      path: 'parameters',
      message: `must contain ${missing.join(', ')} for encrypted volumes`,
      fix: 'set one Secret in all of them',
      says,
    };
  }
  const complete = pairs.filter(({ name, namespace }) => isSet(name) && isSet(namespace));
  if (
    complete.some(
      ({ name, namespace }) => isLate(parameters[name]) || isLate(parameters[namespace]),
    )
  ) {
    return;
  }
  const secretOf = ({ name, namespace }: SecretPair) =>
    `${plainText(parameters[namespace])}/${plainText(parameters[name])}`;
  const first = complete.find((pair) => secretOf(pair) !== '/');
  const other =
    first &&
    complete.slice(complete.indexOf(first)).find((pair) => secretOf(pair) !== secretOf(first));
  const isEmpty = [first?.name, first?.namespace].some(
    (key) => key === undefined || parameters[key] === '',
  );
  if (other) {
    yield {
      path: 'parameters',
      message: `must refer to one Secret, got ${[...new Set(complete.map(secretOf))].join(', ')}`,
      fix: 'set one Secret in all of them',
      says: `secret names and namespaces in ${other.name} and ${other.namespace} are different from others`,
    };
  } else if (isEmpty && complete.length > 0) {
    yield {
      path: `parameters.${complete[0].name}`,
      message: 'must refer to a Secret for encrypted volumes',
      fix: 'set the name and namespace of a Secret',
      says: 'storage class must contain secret name and namespace',
    };
  }
}

/**
 * What is wrong with a StorageClass for the volumes of virtual machines, which two hosts use while
 * a VM migrates; undefined if it fits or is unknown.
 * @see longhorn/longhorn-manager:csi/util.go getVolumeOptions
 */
export function notMigratable(
  storageClass: Manifest | undefined,
): Omit<Problem, 'path'> | undefined {
  const { [LONGHORN.MIGRATABLE]: migratable, [LONGHORN.DATA_ENGINE]: engine } = storageClass
    ? parametersOf(storageClass)
    : {};
  const isUnknown =
    storageClass?.provisioner !== LONGHORN_PROVISIONER ||
    engine === 'v2' ||
    migratable === undefined ||
    isLate(migratable);
  if (isUnknown || String(migratable) === 'true') {
    return undefined;
  }
  return {
    level: 'warning',
    message: `must be a StorageClass with migratable "true": the VM cannot migrate live with a volume of ${storageClass.metadata.name}, which is for pods`,
    fix: 'use another StorageClass, e.g. harvester-longhorn',
  };
}
