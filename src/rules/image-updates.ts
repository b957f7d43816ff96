import { isFromServer, some, specOf } from './infrastructure-context';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { annotationsOf } from '../model/checks/metadata-maps';
import { plainText } from '../model/checks/plain-text';
import { ANNOTATION_IMAGE_STORAGE_CLASS, ANNOTATION_VOLUME_CLAIMS, imageClassByName } from '../model/infrastructure-names';
import { isLate } from '../model/late-token';
import { isRecord, Manifest, objectLabel, valueAt } from '../model/manifest';
import { GROUPS } from '../model/names';
import { Problem } from '../model/problem';
import { sameValue } from '../model/same-value';

const KINDS = ['harvesterhci.io/VirtualMachineImage'];
const VALIDATOR = 'harvester/harvester:pkg/image/common/validator.go';
const FIXED = ['displayName', 'sourceType', 'url', 'securityParameters', 'targetStorageClassName'];
const FIX = 'make an image of another name, and move what uses this one';

const UPDATE: Rule = {
  id: 'image/update',
  level: 'error',
  kinds: KINDS,
  what: 'what an image is made of is not changed: displayName, source, URL, volume, StorageClass and its parameters, encryption',
  source: `${VALIDATOR}; pkg/image/backingimage/validate.go; seen on Harvester 1.7.2`,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const [now, old] = [specOf(manifest), specOf(before)];
    const fields = [...FIXED, ...(now.sourceType === 'export-from-volume' ? ['pvcName', 'pvcNamespace'] : [])];
    for (const field of fields) {
      // what the server filled in may be left out
      if (now[field] === undefined && (isFromServer(before) || field === 'targetStorageClassName')) { continue; }
      if (!isLate(now[field]) && !isLate(old[field]) && !sameText(now[field], old[field])) {
        // a class may be named where none was
        if (field === 'targetStorageClassName' && (old[field] ?? '') === '') { continue; }
        const says = field === 'targetStorageClassName' ? 'storageClassName cannot be modified' : `${field} cannot be modified`;
        yield { path: `spec.${field}`, value: now[field], message: `was ${JSON.stringify(old[field])} and can not be changed`, fix: FIX, says };
      }
    }
    yield* judgeParameters(now.storageClassParameters, old.storageClassParameters);
    const [is, was] = [manifest, before].map((object) => annotationsOf(object)[ANNOTATION_IMAGE_STORAGE_CLASS]);
    yield* judgeClass(is, was, isFromServer(before));
  },
};

// an empty text and none are one to the server
function sameText(a: unknown, b: unknown): boolean {
  return sameValue(a === '' ? undefined : a, b === '' ? undefined : b);
}

function* judgeParameters(now: unknown, old: unknown): Iterable<Problem> {
  if (!isRecord(now) || !isRecord(old)) { return; }
  for (const [key, value] of Object.entries(now)) {
    if (old[key] !== value && !isLate(value)) {
      yield {
        path: `spec.storageClassParameters.${key}`,
        value,
        message: `is ${old[key] === undefined ? 'not set' : JSON.stringify(old[key])} and can not be changed`,
        fix: 'leave it out, or give what is there',
        says: 'storageClassParameters of the VM Image cannot be modified',
      };
    }
  }
}

function* judgeClass(now: unknown, old: unknown, live: boolean): Iterable<Problem> {
  if (typeof old !== 'string' || old === '' || now === old || isLate(now) || isLate(old) || (now === undefined && live)) { return; }
  yield {
    path: `metadata.annotations[${ANNOTATION_IMAGE_STORAGE_CLASS}]`, ...(now === undefined ? {} : { value: now }), message: `was ${old} and can not be changed`, fix: FIX, says: 'storageClassName cannot be modified',
  };
}

const DELETION: Rule = {
  id: 'image/in-use',
  level: 'error',
  kinds: KINDS,
  what: 'an image is not deleted while volumes, virtual machines or templates use it',
  source: `${VALIDATOR} PVCOccupation, VMTemplateVersionOccupation`,
  *judgeDeletion(gone: JudgedObject, world: World): Iterable<Problem> {
    const { name, namespace = 'default' } = gone.manifest.metadata;
    const imageId = `${namespace}/${name}`;
    const status = valueAt(gone.manifest, 'status', 'storageClassName');
    const storageClass = typeof status === 'string' ? status : imageClassByName(name);
    const users = [
      ...world.beside(gone, '', 'PersistentVolumeClaim').filter(({ manifest }) => valueAt(manifest, 'spec', 'storageClassName') === storageClass),
      ...world.beside(gone, 'kubevirt.io', 'VirtualMachine').filter(({ manifest }) => namesImage(annotationsOf(manifest)[ANNOTATION_VOLUME_CLAIMS], imageId)),
      ...world.beside(gone, GROUPS.HARVESTER, 'VirtualMachineTemplateVersion').filter(({ manifest }) => valueAt(manifest, 'spec', 'imageId') === imageId),
    ];
    if (users.length === 0) { return; }
    yield {
      path: '',
      message: `is gone, and used by ${some(users.map(({ manifest }) => objectLabel(manifest)))}`,
      fix: 'keep it until nothing uses it',
      says: `Cannot delete image ${namespace}/${plainText(specOf(gone.manifest).displayName ?? '')}: being used by volume`,
    };
  },
};

// the claims are JSON in a text, and the image an annotation of one of them
function namesImage(claims: unknown, imageId: string): boolean {
  return typeof claims === 'string' && claims.includes(`"${imageId}"`);
}

/** Rules on changing and deleting images. */
export const IMAGE_UPDATE_RULES: readonly Rule[] = [UPDATE, DELETION];
