import { checkCdiAnnotations } from './cdi-annotations';
import { given, plainText } from './plain-text';
import { CSI_SECRET_PAIRS, LONGHORN, LONGHORN_PROVISIONER } from '../infrastructure-names';
import { isLate } from '../late-token';
import { isRecord } from '../manifest';
import { Problem } from '../problem';

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
