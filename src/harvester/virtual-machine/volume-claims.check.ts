import { ANNOTATION_IMAGE_ID, ANNOTATION_REMOVED_CLAIMS, ANNOTATION_VOLUME_CLAIMS } from './virtual-machine.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { annotationsOf } from '../../core/manifest/metadata';
import { Problem } from '../../core/rule/problem';
import { filledText } from '../../core/text/plain-text';

/** A claim that Harvester makes a volume by, in the words of the annotation. */
export interface ClaimTemplate {
  readonly name: string;
  readonly imageId?: string;
  readonly storageClassName?: string;
  readonly size?: unknown;
}

/** Where the claims stand. */
export const CLAIMS_PATH = `metadata.annotations[${ANNOTATION_VOLUME_CLAIMS}]`;

const FIX = 'write a JSON list of PersistentVolumeClaims, each with metadata.name';

/** What a claim is written from, in the order of the UI's keys. */
export interface ClaimFields {
  readonly name: string;
  readonly imageId?: string;
  readonly accessMode: string;
  readonly storage: string;
  readonly volumeMode: string;
  readonly storageClassName?: string;
}

/**
 * The claims as the annotation holds them: compact JSON whose keys stand as Harvester's UI writes them.
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

/** The claims of a machine; none where there are none, or where they can not be read. */
export function claimsOf(machine: Manifest): readonly ClaimTemplate[] {
  const { claims } = readClaims(machine);
  return claims ?? [];
}

/** What is wrong with the text of the claims. */
export function* checkClaims(machine: Manifest): Iterable<Problem> {
  const { says } = readClaims(machine);
  if (says) {
    yield {
      path: CLAIMS_PATH,
      message: 'is no list of claims',
      fix: FIX,
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
    // a text that is late as a whole is judged when it is known
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
  };
}

/** The volumes of a machine that are claims: their names, in the order of the volumes. */
export function claimNamesOf(machine: Manifest): string[] {
  const volumes = valueAt(machine, 'spec', 'template', 'spec', 'volumes');
  return (Array.isArray(volumes) ? volumes : []).flatMap((volume) => {
    const name = valueAt(volume, 'persistentVolumeClaim', 'claimName');
    return typeof name === 'string' && name !== '' && !isLate(name) ? [name] : [];
  });
}

/** The claims that are deleted with a machine. */
export function removedClaimsOf(machine: Manifest): string[] {
  const text = annotationsOf(machine)[ANNOTATION_REMOVED_CLAIMS];
  return typeof text === 'string' ? text.split(',').map((name) => name.trim()).filter((name) => name !== '') : [];
}
