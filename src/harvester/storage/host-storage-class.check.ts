import { ANNOTATION_CDI, CSI_SECRET_PAIRS, LONGHORN, LONGHORN_PROVISIONER, LVM_PROVISIONER } from './host-storage-class.kind';
import { STRING, map, slice, unmarshal } from '../../core/go/go-json';
import { isLate } from '../../core/late/late-token';
import { isRecord, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { given, plainText } from '../../core/text/plain-text';

/**
 * The drivers whose volumes CDI knows: a StorageClass of one of these needs no access modes. What any Harvester from 1.6.0 on knows is listed, so that a
 * driver which is missing here is known to none of them.
 * @see kubevirt/containerized-data-importer:pkg/storagecapabilities/storagecapabilities.go CapabilitiesByProvisionerKey, as Harvester 1.6.0 to 1.9.0 vendor it
 */
export const CDI_PROVISIONERS: ReadonlySet<string> = new Set([
  'block.csi.ibm.com', 'blockvolume.csi.oraclecloud.com', 'cephfs.csi.ceph.com', 'cinder.csi.openstack.org', 'csi-isilon.dellemc.com',
  'csi-powermax.dellemc.com', 'csi-powerstore.dellemc.com', 'csi-unity.dellemc.com', 'csi-vxflexos.dellemc.com', 'csi.hpe.com',
  'csi.huawei.com', 'csi.ovirt.org', 'csi.vsphere.vmware.com', 'disk.csi.azure.com', 'driver.longhorn.io', 'ebs.csi.aws.com',
  'efs.csi.aws.com', 'file.csi.azure.com', 'hspc.csi.hitachi.com', 'k8s-sigs.io/nfs-subdir-external-provisioner',
  'k8s.io/minikube-hostpath', 'kubernetes.io/aws-ebs', 'kubernetes.io/azure-disk', 'kubernetes.io/azure-file', 'kubernetes.io/gce-pd',
  'kubernetes.io/portworx-volume', 'kubernetes.io/rbd', 'kubernetes.io/storageos', 'kubesan.gitlab.io', 'kubevirt.io.hostpath-provisioner',
  'kubevirt.io/hostpath-provisioner', 'linstor.csi.linbit.com', 'manila.csi.openstack.org', 'nfs.csi.k8s.io',
  'openshift-storage.cephfs.csi.ceph.com', 'openshift-storage.rbd.csi.ceph.com', 'pd.csi.storage.gke.io', 'pxd.openstorage.org',
  'pxd.portworx.com', 'rbd.csi.ceph.com', 'rook-ceph.cephfs.csi.ceph.com', 'rook-ceph.rbd.csi.ceph.com', 'spectrumscale.csi.ibm.com',
  'storageos', 'topolvm.cybozu.com', 'topolvm.io', 'vpc.block.csi.ibm.io',
]);

/** The drivers that CDI knows with some parameters, and not with others; volumes without a driver are known by their PersistentVolumes. */
export const CDI_PROVISIONERS_BY_PARAMETERS: readonly string[] = [
  'csi.san.synology.com', 'csi.trident.netapp.io', 'infinibox-csi-driver', 'kubernetes.io/no-provisioner',
];

const OVERHEAD = /^(0(?:\.\d{1,3})?|1)$/;
const CLONE_STRATEGIES = ['copy', 'snapshot', 'csi-clone'];
const VOLUME_MODES = ['Block', 'Filesystem'];
const ACCESS_MODES = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'];

/**
 * What Harvester refuses in the annotations of a StorageClass that tell CDI how to make volumes of it.
 * @see harvester/harvester:pkg/webhook/resources/storageclass/validator.go validateCDIAnnotations
 */
export function* checkCdiAnnotations(
  storageClass: { readonly [field: string]: unknown }, annotations: { readonly [key: string]: unknown }, asksForModes?: boolean,
): Iterable<Problem> {
  const { provisioner } = storageClass;
  const textOf = (key: string): string | undefined => {
    const value = annotations[key];
    return typeof value === 'string' && !isLate(value) ? value : undefined;
  };
  const given = Object.values(ANNOTATION_CDI).filter((key) => annotations[key] !== undefined);
  if (given.length === 0) {
    if (asksForModes !== false) { yield* checkMissing(provisioner, asksForModes); }
    return;
  }
  if (provisioner === LONGHORN_PROVISIONER && valueAt(storageClass, 'parameters', LONGHORN.DATA_ENGINE) === 'v1') {
    yield {
      path: `metadata.annotations[${given[0]!}]`, message: 'does not go with the data engine v1 of Longhorn', fix: 'leave it out', says: 'longhorn v1 does not support CDI annotations',
    };
  }
  const overhead = textOf(ANNOTATION_CDI.OVERHEAD);
  if (overhead !== undefined && !OVERHEAD.test(overhead)) {
    yield {
      path: `metadata.annotations[${ANNOTATION_CDI.OVERHEAD}]`,
      value: overhead,
      message: 'is no share of a volume',
      fix: 'give 0 to 1 with up to three decimals, e.g. "0.055"',
      says: `invalid filesystem overhead ${overhead} in annotation ${ANNOTATION_CDI.OVERHEAD}, must be in the range [0.00, 1.00] (up to 3 decimal places)`,
    };
  }
  yield* checkClone(textOf(ANNOTATION_CDI.CLONE), annotations[ANNOTATION_CDI.SNAPSHOT_CLASS]);
  yield* checkModes(textOf(ANNOTATION_CDI.MODES));
}

function* checkMissing(provisioner: unknown, asksForModes: boolean | undefined): Iterable<Problem> {
  if (typeof provisioner !== 'string' || isLate(provisioner) || provisioner === '' || provisioner === LONGHORN_PROVISIONER || provisioner === LVM_PROVISIONER) { return; }
  if (CDI_PROVISIONERS.has(provisioner)) { return; }
  const certain = asksForModes === true && !CDI_PROVISIONERS_BY_PARAMETERS.includes(provisioner);
  yield {
    path: `metadata.annotations[${ANNOTATION_CDI.MODES}]`,
    ...(certain ? {} : { level: 'warning' as const }),
    message: certain ? `is missing, and CDI does not know ${provisioner}` : `is missing: Harvester refuses the class unless CDI knows ${provisioner} with these parameters`,
    fix: 'say what volumes the driver makes, e.g. {"Block":["ReadWriteOnce"]}',
    says: `missing annotation ${ANNOTATION_CDI.MODES}. volume access modes are required for CDI integration to work with storage class provisioner ${provisioner}.`,
  };
}

function* checkClone(strategy: string | undefined, snapshotClass: unknown): Iterable<Problem> {
  if (strategy !== undefined && !CLONE_STRATEGIES.includes(strategy)) {
    yield {
      path: `metadata.annotations[${ANNOTATION_CDI.CLONE}]`,
      value: strategy,
      message: 'is no way to clone a volume',
      fix: `use ${CLONE_STRATEGIES.join(', ')}`,
      says: `invalid clone strategy ${strategy} in annotation ${ANNOTATION_CDI.CLONE}, valid values: ${CLONE_STRATEGIES.join(', ')}`,
    };
  }
  const path = `metadata.annotations[${ANNOTATION_CDI.SNAPSHOT_CLASS}]`;
  if (snapshotClass === '') {
    yield { path, message: 'is empty', fix: 'name a VolumeSnapshotClass, or leave it out', says: `snapshot class cannot be empty in annotation ${ANNOTATION_CDI.SNAPSHOT_CLASS}` };
  } else if (strategy === 'snapshot' && snapshotClass === undefined) {
    yield {
      path, message: 'is missing, and volumes are cloned by snapshots', fix: 'name a VolumeSnapshotClass of the driver', says: `snapshot class must be set in annotation ${ANNOTATION_CDI.SNAPSHOT_CLASS} when clone strategy is snapshot`,
    };
  }
}

function* checkModes(text: string | undefined): Iterable<Problem> {
  if (text === undefined) { return; }
  const at = { path: `metadata.annotations[${ANNOTATION_CDI.MODES}]`, value: text, fix: 'give access modes by volume mode, e.g. {"Block":["ReadWriteOnce"]}' };
  const says = (error: string) => `invalid volume mode access modes ${text} in annotation ${ANNOTATION_CDI.MODES}, error: ${error}`;
  const result = unmarshal<ReadonlyMap<string, readonly string[] | undefined> | undefined>(text, map(slice(STRING)));
  if ('error' in result) {
    yield { ...at, message: `cannot be read: ${result.error}` };
    return;
  }
  for (const [mode, access = []] of result.config ?? []) {
    if (!VOLUME_MODES.includes(mode)) { yield { ...at, message: `names the volume mode ${plainText(mode)}`, says: says(`invalid volume mode ${mode}`) }; }
    for (const name of access.filter((word) => !ACCESS_MODES.includes(word))) {
      yield { ...at, message: `names the access mode ${plainText(name)}`, says: says(`invalid access mode ${name}`) };
    }
  }
}

const FIELDS = [
  'apiVersion', 'kind', 'metadata', 'provisioner', 'parameters', 'reclaimPolicy', 'mountOptions', 'allowVolumeExpansion', 'volumeBindingMode', 'allowedTopologies',
];
const CHOICES: { readonly [field: string]: readonly string[] } = {
  reclaimPolicy: ['Delete', 'Retain'], volumeBindingMode: ['Immediate', 'WaitForFirstConsumer'],
};
/** What Go's strconv.ParseBool reads. */
const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

/** A StorageClass, as far as it is one. */
export interface StorageClassObject {
  readonly [field: string]: unknown;
}

/** The parameters of a StorageClass. */
export function parametersOf({ parameters }: StorageClassObject): { readonly [key: string]: unknown } {
  return isRecord(parameters) ? parameters : {};
}

/** Whether the volumes of a StorageClass are encrypted, as Harvester reads it. */
export function isEncrypted(storageClass: StorageClassObject): boolean {
  return TRUE.some((text) => text === parametersOf(storageClass)[LONGHORN.ENCRYPTED]);
}

/**
 * What an API server and Harvester refuse in a StorageClass by itself.
 *
 * @param annotations of the object
 * @param asksForModes whether Harvester refuses a driver that CDI does not know without access modes; undefined where its version is not known
 * @see harvester/harvester:pkg/webhook/resources/storageclass/validator.go; https://kubernetes.io/docs/concepts/storage/storage-classes/
 */
export function* checkStorageClass(
  storageClass: StorageClassObject, annotations: { readonly [key: string]: unknown }, asksForModes?: boolean,
): Iterable<Problem> {
  yield* checkFields(storageClass);
  const parameters = parametersOf(storageClass);
  for (const [key, value] of Object.entries(parameters)) {
    if (typeof value !== 'string') {
      yield {
        path: `parameters.${key}`, value, message: 'must be text', fix: `write "${plainText(value)}" in quotes`, says: 'cannot unmarshal into Go struct field StorageClass.parameters of type string',
      };
    }
  }
  if (storageClass.provisioner === LONGHORN_PROVISIONER) { yield* checkLonghorn(parameters); }
  yield* checkEncryption(parameters);
  yield* checkCdiAnnotations(storageClass, annotations, asksForModes);
}

function* checkFields(storageClass: StorageClassObject): Iterable<Problem> {
  for (const field of Object.keys(storageClass).filter((key) => !FIELDS.includes(key))) {
    yield {
      path: field, message: 'is no field of a StorageClass', fix: `put it below parameters if it is one of the provisioner's, e.g. parameters.${field}`, says: `strict decoding error: unknown field "${field}"`,
    };
  }
  if (typeof storageClass.provisioner !== 'string' || storageClass.provisioner === '') {
    yield { path: 'provisioner', ...given(storageClass.provisioner), message: 'is missing', fix: `name the CSI driver, e.g. ${LONGHORN_PROVISIONER}`, says: 'provisioner: Required value' };
  }
  for (const [field, allowed] of Object.entries(CHOICES)) {
    const value = storageClass[field];
    if (value === undefined || value === null || isLate(value) || allowed.some((text) => text === value)) { continue; }
    yield { path: field, value, message: 'is not one that there is', fix: `use ${allowed.join(' or ')}`, says: `${field}: Unsupported value: "${plainText(value)}"` };
  }
}

const COUNTS: { readonly [key: string]: readonly [least: number, most: number] } = {
  [LONGHORN.REPLICAS]: [1, 20], [LONGHORN.STALE_TIMEOUT]: [0, Number.MAX_SAFE_INTEGER],
};
const FLAGS = [LONGHORN.MIGRATABLE];
const WORDS: { readonly [key: string]: readonly string[] } = { [LONGHORN.DATA_ENGINE]: ['v1', 'v2'] };

function* checkLonghorn(parameters: { readonly [key: string]: unknown }): Iterable<Problem> {
  yield* checkLocality(parameters[LONGHORN.DATA_LOCALITY]);
  // what follows is taken by the server, and no volume is ever made
  for (const [key, [least, most]] of Object.entries(COUNTS)) {
    const value = parameters[key];
    if (typeof value !== 'string' || isLate(value) || (/^\d+$/.test(value) && Number(value) >= least && Number(value) <= most)) { continue; }
    yield { path: `parameters.${key}`, value, level: 'warning', message: 'is no number that Longhorn takes, so no volume is made', fix: `use a whole number from ${least} in quotes` };
  }
  for (const [key, words] of [...Object.entries(WORDS), ...FLAGS.map((flag) => [flag, [...TRUE, ...FALSE]] as const)]) {
    const value = parameters[key];
    if (typeof value !== 'string' || isLate(value) || words.includes(value)) { continue; }
    const allowed = words.includes('true') ? 'true or false' : words.join(' or ');
    yield { path: `parameters.${key}`, value, level: 'warning', message: 'is not one that Longhorn takes, so no volume is made', fix: `use ${allowed} in quotes` };
  }
  if (TRUE.some((text) => text === parameters[LONGHORN.MIGRATABLE]) && parameters[LONGHORN.NFS_OPTIONS] !== undefined) {
    yield {
      path: `parameters.${LONGHORN.NFS_OPTIONS}`,
      level: 'warning',
      message: 'does not go with migratable: "true": such a volume moves with a virtual machine and is not shared by NFS',
      fix: 'use a StorageClass with migratable: "false" for volumes that pods share',
    };
  }
}

function* checkLocality(locality: unknown): Iterable<Problem> {
  const path = `parameters.${LONGHORN.DATA_LOCALITY}`;
  if (typeof locality !== 'string' || isLate(locality) || locality === 'disabled' || locality === 'best-effort') { return; }
  const fix = 'use disabled or best-effort';
  yield locality === 'strict-local'
    ? { path, value: locality, message: 'keeps volumes from moving, and nodes from being drained', fix, says: 'storage class with strict-local data locality is not allowed' }
    : { path, value: locality, message: 'is no data locality', fix, says: `storage class with invalid data locality ${locality}, valid values: "disabled", "best-effort"` };
}

function* checkEncryption(parameters: { readonly [key: string]: unknown }): Iterable<Problem> {
  const value = parameters[LONGHORN.ENCRYPTED];
  const path = `parameters.${LONGHORN.ENCRYPTED}`;
  if (typeof value !== 'string' || isLate(value)) { return; }
  if (![...TRUE, ...FALSE].includes(value)) {
    yield { path, value, message: 'is neither true nor false', fix: 'use true or false in quotes', says: 'invalid value for `encrypted`' };
  }
  if (!TRUE.includes(value)) { return; }
  yield* checkSecretPairs(parameters);
}

type SecretPair = typeof CSI_SECRET_PAIRS[number];

// in the order of the server, which stops at the first that differs
function* checkSecretPairs(parameters: { readonly [key: string]: unknown }): Iterable<Problem> {
  const isSet = (key: string) => parameters[key] !== undefined;
  const pairs = CSI_SECRET_PAIRS.filter(({ name, namespace, required }) => required || isSet(name) || isSet(namespace));
  const missing = pairs.flatMap(({ name, namespace }) => [name, namespace]).filter((key) => !isSet(key));
  if (missing.length > 0) {
    yield {
      path: 'parameters', message: `lacks ${missing.join(', ')}: encrypted volumes need a Secret`, fix: 'name one Secret in all of them', says: `storage class must contain ${missing.join(', ')}`,
    };
  }
  const complete = pairs.filter(({ name, namespace }) => isSet(name) && isSet(namespace));
  if (complete.some(({ name, namespace }) => isLate(parameters[name]) || isLate(parameters[namespace]))) { return; }
  const secretOf = ({ name, namespace }: SecretPair) => `${plainText(parameters[namespace])}/${plainText(parameters[name])}`;
  const first = complete.find((pair) => secretOf(pair) !== '/');
  const other = first && complete.slice(complete.indexOf(first)).find((pair) => secretOf(pair) !== secretOf(first));
  const isEmpty = [first?.name, first?.namespace].some((key) => key === undefined || parameters[key] === '');
  if (other) {
    yield {
      path: 'parameters',
      message: `name different Secrets: ${[...new Set(complete.map(secretOf))].join(', ')}`,
      fix: 'name one Secret in all of them',
      says: `secret names and namespaces in ${other.name} and ${other.namespace} are different from others`,
    };
  } else if (isEmpty && complete.length > 0) {
    yield {
      path: `parameters.${complete[0].name}`,
      message: 'names no Secret: encrypted volumes need one',
      fix: 'give the name and the namespace of a Secret',
      says: 'storage class must contain secret name and namespace',
    };
  }
}
