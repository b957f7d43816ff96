import {
  ANNOTATION_IMAGE_ID, ANNOTATION_REMOVED_CLAIMS, ANNOTATION_VOLUME_CLAIMS, GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE,
} from './virtual-machine.kind';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, isRecord, Manifest, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { filledText } from '../../core/text/plain-text';

/** The kinds that rules on virtual machines judge. */
export const MACHINE_KINDS = [`${GROUP_KUBEVIRT}/${KIND_VIRTUAL_MACHINE}`];

/** The validator that rules on virtual machines follow. */
export const VM_VALIDATOR = 'harvester/harvester:pkg/webhook/resources/virtualmachine/validator.go';

/** Whether an object is on a Harvester: KubeVirt runs on other clusters too, without what Harvester adds. */
export const isHarvesters = ({ target }: { readonly target: { readonly kind?: string } }): boolean => target.kind === 'harvester';

/** The spec of a VM's instance. */
export function instanceOf(machine: Manifest): { readonly [field: string]: unknown } {
  const instance = valueAt(machine, 'spec', 'template', 'spec');
  return isRecord(instance) ? instance : {};
}

/** A NIC, and its network. */
export interface Nic {
  readonly index: number;
  readonly name: string;
  readonly mac?: string;
  /** `<namespace>/<name>` of a NetworkAttachmentDefinition. Harvester reads a name alone as one in `default`. */
  readonly network?: string;
  /** Whether the NIC is in the management network, behind the address of the pod. */
  readonly isPod: boolean;
}

/** The NICs of a VM. */
export function nicsIn(machine: Manifest): Nic[] {
  const instance = instanceOf(machine);
  const networks = new Map(records(instance.networks).map(([, network]) => [network.name, network]));
  return records(valueAt(instance, 'domain', 'devices', 'interfaces')).map(([index, { name, macAddress }]) => {
    const found = networks.get(name);
    const network = filledText(valueAt(found, 'multus', 'networkName'));
    const known = network !== undefined && !isLate(network) ? network : undefined;
    return {
      index,
      name: filledText(name) ?? '',
      mac: filledText(macAddress)?.toLowerCase(),
      isPod: isRecord(valueAt(found, 'pod')),
      network: known === undefined || known.includes('/') ? known : `default/${known}`,
    };
  });
}

type Item = [index: number, fields: { readonly [field: string]: unknown }];

/** The items of a list that are maps, with their indexes. */
export function records(list: unknown): Item[] {
  return (Array.isArray(list) ? list : []).flatMap((item, index): Item[] => (isRecord(item) ? [[index, item]] : []));
}

/** A claim from which Harvester creates a volume, in the terms of the annotation. */
export interface ClaimTemplate {
  readonly name: string;
  readonly imageId?: string;
  readonly storageClassName?: string;
  readonly size?: unknown;
  readonly accessModes?: unknown;
}

/** The path of the claims in a manifest. */
export const CLAIMS_PATH = `metadata.annotations[${ANNOTATION_VOLUME_CLAIMS}]`;

/** The input of a claim, in the order of the UI's keys. */
export interface ClaimFields {
  readonly name: string;
  readonly imageId?: string;
  readonly accessMode: string;
  readonly storage: string;
  readonly volumeMode: string;
  readonly storageClassName?: string;
}

/**
 * The claims as the annotation holds them: compact JSON with the keys in the order of Harvester's UI.
 * @see harvester/harvester-ui-extension:pkg/harvester/mixins/harvester-vm/index.js parseVolumeClaimTemplate
 */
export function printClaims(claims: readonly ClaimFields[]): string {
  return JSON.stringify(claims.map(({ name, imageId, accessMode, storage, volumeMode, storageClassName }) => ({
    metadata: { name, ...(imageId === undefined ? {} : { annotations: { [ANNOTATION_IMAGE_ID]: imageId } }) },
    spec: {
      accessModes: [accessMode],
      resources: { requests: { storage } },
      volumeMode,
      ...(storageClassName === undefined ? {} : { storageClassName }),
    },
  })));
}

/** The claims of a VM: an empty list if there are none, or if they cannot be read. */
export function claimsOf(machine: Manifest): readonly ClaimTemplate[] {
  return readClaims(machine).claims ?? [];
}

/** Checks the text of the claims. */
export function* checkClaims(machine: Manifest): Iterable<Problem> {
  const { says } = readClaims(machine);
  if (says) {
    yield {
      path: CLAIMS_PATH,
      message: 'must be a list of claims',
      fix: 'write a JSON list of PersistentVolumeClaims, each with metadata.name',
      says: `the volumeClaimTemplates annotaion is invalid: ${says}`,
    };
  }
}

function readClaims(machine: Manifest): { readonly claims?: readonly ClaimTemplate[]; readonly says?: string } {
  const text = annotationsOf(machine)[ANNOTATION_VOLUME_CLAIMS];
  if (typeof text !== 'string' || text === '') { return {}; }
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    // a late text is checked once it is known
    return isLate(text) ? {} : { says: 'invalid character' };
  }
  if (list === null) { return {}; }
  if (!Array.isArray(list)) { return { says: 'json: cannot unmarshal into Go value of type []*v1.PersistentVolumeClaim' }; }
  if (list.some((claim) => !isRecord(claim))) { return { says: 'json: cannot unmarshal into Go value of type v1.PersistentVolumeClaim' }; }
  const claims = list.map((claim) => templateOf(claim));
  return claims.some(({ name }) => name === '') ? { says: 'PVC name is required' } : { claims };
}

function templateOf(claim: unknown): ClaimTemplate {
  const [name, storageClassName, imageId] = [
    valueAt(claim, 'metadata', 'name'), valueAt(claim, 'spec', 'storageClassName'), valueAt(claim, 'metadata', 'annotations', ANNOTATION_IMAGE_ID),
  ];
  return {
    name: filledText(name) ?? '',
    imageId: filledText(imageId),
    storageClassName: filledText(storageClassName),
    size: valueAt(claim, 'spec', 'resources', 'requests', 'storage'),
    accessModes: valueAt(claim, 'spec', 'accessModes'),
  };
}

/** The names of a VM's volumes that are claims, in the order of the volumes. */
export function claimNamesOf(machine: Manifest): string[] {
  const volumes = valueAt(machine, 'spec', 'template', 'spec', 'volumes');
  return (Array.isArray(volumes) ? volumes : []).flatMap((volume) => {
    const name = valueAt(volume, 'persistentVolumeClaim', 'claimName');
    return typeof name === 'string' && name !== '' && !isLate(name) ? [name] : [];
  });
}

/** The claims that are deleted with a VM. */
export function removedClaimsOf(machine: Manifest): string[] {
  const text = annotationsOf(machine)[ANNOTATION_REMOVED_CLAIMS];
  return typeof text === 'string' ? text.split(',').map((name) => name.trim()).filter((name) => name !== '') : [];
}
