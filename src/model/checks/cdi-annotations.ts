import { plainText } from './plain-text';
import { CDI_PROVISIONERS, CDI_PROVISIONERS_BY_PARAMETERS } from '../cdi-provisioners';
import { map, slice, STRING, unmarshal } from '../harvester-settings/go-json-decode';
import { ANNOTATION_CDI, LONGHORN, LONGHORN_PROVISIONER, LVM_PROVISIONER } from '../infrastructure-names';
import { isLate } from '../late-token';
import { valueAt } from '../manifest';
import { Problem } from '../problem';

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
    yield { ...at, message: 'can not be read', says: says(result.error) };
    return;
  }
  for (const [mode, access = []] of result.config ?? []) {
    if (!VOLUME_MODES.includes(mode)) { yield { ...at, message: `names the volume mode ${plainText(mode)}`, says: says(`invalid volume mode ${mode}`) }; }
    for (const name of access.filter((word) => !ACCESS_MODES.includes(word))) {
      yield { ...at, message: `names the access mode ${plainText(name)}`, says: says(`invalid access mode ${name}`) };
    }
  }
}
