import { DISK_INFO, driverText, Item, NETWORK_INFO, VGPU_INFO } from './machine-json.facts';
import { GoType, unmarshal } from '../../core/go/go-json';
import { isLate, isSecretId, LATE_TOKEN, mayBecome } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { jsonOf } from '../../core/text/values';
import { SecretValue } from '../../core/value/secret-value';
import { tryYaml } from '../../core/yaml/yaml-reader';
import { JINJA_HEADER } from '../../harvester/cloud-init/cloud-init.check';

/**
 * The fields of a HarvesterConfig whose values are texts with structure: other bytes replace the
 * machines, whatever they mean.
 */
export const MACHINE_TEXTS = [
  'diskInfo',
  'networkInfo',
  'vgpuInfo',
  'vmAffinity',
  'userData',
  'networkData',
] as const;

export type MachineText = (typeof MACHINE_TEXTS)[number];

/** A text as the node driver reads it, with its defaults; or why it cannot read it. */
type ReadText = { readonly value: unknown } | { readonly fault: string };

/**
 * Reads a text of a HarvesterConfig as the node driver does.
 *
 * @param namespace of the machines, in which the driver looks for names without a namespace
 * @see harvester/docker-machine-driver-harvester:harvester/flags.go SetConfigFromFlags, create.go Create, cloudinit.go
 */
function readMachineText(field: MachineText, given: string, namespace: string): ReadText {
  const qualified = (name: unknown): unknown =>
    typeof name === 'string' && name !== '' && !name.includes('/') ? `${namespace}/${name}` : name;
  const text = isUnknown(given) ? withSecret(given) : given;
  switch (field) {
    case 'diskInfo':
      return listOf(
        text,
        'disks',
        DISK_INFO,
        ({ imageName, storageClassName, bus, type, ...disk }) => ({
          ...disk,
          imageName: qualified(imageName),
          // the class of the image replaces it
          storageClassName: imageName ? '' : storageClassName,
          bus: bus || 'virtio',
          type: type === 'cd-rom' ? type : 'disk',
        }),
      );
    case 'networkInfo':
      return listOf(
        text,
        'interfaces',
        NETWORK_INFO,
        ({ networkName, macAddress, model, type }) => ({
          networkName: qualified(networkName),
          macAddress: String(macAddress).toLowerCase(),
          model: model || 'virtio',
          type: type || 'bridge',
        }),
      );
    case 'vgpuInfo':
      // Harvester replaces the name by that of the device
      return listOf(text, 'vGPURequests', VGPU_INFO, ({ deviceName }) => ({ deviceName }));
    case 'vmAffinity':
      return readAffinity(driverText(text));
    default:
      return readDocuments(driverText(text));
  }
}

function listOf(
  text: string,
  key: string,
  type: GoType,
  normal: (item: Item) => Item | { readonly [field: string]: unknown },
): ReadText {
  const decoded = unmarshal<{ readonly [key: string]: readonly Item[] | undefined }>(text, type);
  return 'error' in decoded
    ? { fault: decoded.error }
    : { value: (decoded.config[key] ?? []).map(normal) };
}

function readAffinity(text: string): ReadText {
  const value = jsonOf(text);
  if (value === undefined) {
    return { fault: 'must be JSON, plain or in base64' };
  }
  return isRecord(value)
    ? { value: withoutEmpty(value) }
    : { fault: 'must be a Kubernetes affinity as JSON' };
}

/** Selectors that select everything where they are empty, and nothing where they are missing. */
const SELECTORS = ['labelSelector', 'namespaceSelector'];

/** An affinity without empty lists and maps: Go omits them. */
function withoutEmpty(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    return value.length === 0 ? undefined : value.map((item) => withoutEmpty(item));
  }
  if (!isRecord(value)) {
    return value ?? undefined;
  }
  const kept = Object.entries(value)
    .map(([name, item]) => [name, withoutEmpty(item, name)] as const)
    .filter(([, item]) => item !== undefined);
  return kept.length === 0 && !SELECTORS.includes(key) ? undefined : Object.fromEntries(kept);
}

function readDocuments(text: string): ReadText {
  const { documents: value, fault } = tryYaml(text);
  if (!value) {
    return { fault: `is not valid YAML: ${fault}` };
  }
  // the driver writes every other header itself
  return isRecord(value[0])
    ? { value: { isJinja: text.startsWith(JINJA_HEADER), value } }
    : { fault: 'must be a YAML map, plain or in base64' };
}

/**
 * Why the node driver cannot read a text of a HarvesterConfig; undefined where it can, and where
 * the text is not known yet.
 */
export function faultOfMachineText(field: MachineText, text: string): string | undefined {
  const read = isUnknown(withSecret(text)) ? undefined : readMachineText(field, text, '');
  return read && 'fault' in read ? read.fault : undefined;
}

/**
 * Whether two texts of a HarvesterConfig mean the same to the node driver. A value that is not
 * known yet means what the other text has in its place.
 */
export function isSameMachineText(
  field: MachineText,
  a: string,
  b: string,
  namespace: string,
): boolean {
  if (a === b || isUnknown(withSecret(a)) || isUnknown(withSecret(b))) {
    return true;
  }
  const [one, other] = [a, b].map((text) => readMachineText(field, text, namespace));
  return 'value' in one && 'value' in other && same(one.value, other.value);
}

function same(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') {
    return sameString(withSecret(a), withSecret(b));
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => same(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) {
    return Object.is(a, b);
  }
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]))
  );
}

function sameString(a: string, b: string): boolean {
  return mayBecome(a, b) || mayBecome(b, a);
}

/** Whether a text is a value that is not known yet, and nothing else. */
function isUnknown(text: string): boolean {
  return isLate(text) && text.replace(LATE_TOKEN, '').trim() === '';
}

/**
 * A text with the secrets of the program in it; those that a placeholder replaces remain unknown.
 */
function withSecret(text: string): string {
  return isLate(text)
    ? text.replace(LATE_TOKEN, (token, id: string, encodings: string) => {
        const secret = isSecretId(id) ? SecretValue._of(id) : undefined;
        if (secret === undefined) {
          return token;
        }
        if (encodings.endsWith('base64')) {
          return secret._base64();
        }
        return secret._unwrap();
      })
    : text;
}
