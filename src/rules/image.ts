import { harvesterHas } from './harvester-gates';
import { IMAGE_RELATION_RULES } from './image-relations';
import { IMAGE_UPDATE_RULES } from './image-updates';
import { harvesterLacks, specOf } from './infrastructure-context';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { annotationsOf } from '../model/checks/metadata-maps';
import { checkImage } from '../model/checks/vm-image';
import { ANNOTATION_IMAGE_STORAGE_CLASS } from '../model/infrastructure-names';
import { isRecord } from '../model/manifest';
import { Problem } from '../model/problem';
import { GateId } from '../versions/gate-id';

const KINDS = ['harvesterhci.io/VirtualMachineImage'];

const SPEC: Rule = {
  id: 'image/spec',
  level: 'error',
  kinds: KINDS,
  what: 'a new image has a displayName, and the fields that its source needs and no others',
  source: 'harvester/harvester:pkg/image/common/validator.go; seen on Harvester 1.7.2',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    // what is there can not be changed, and has rules of its own
    if (world.exists(object)) { return; }
    const { manifest, target } = object;
    yield* checkImage(specOf(manifest), annotationsOf(manifest)[ANNOTATION_IMAGE_STORAGE_CLASS], {
      nameIsLabel: harvesterHas(target, GateId.IMAGE_NAME_IS_LABEL),
      lacksCdi: harvesterLacks(target, GateId.IMAGE_BACKEND_CDI),
      lacksCrypto: harvesterLacks(target, GateId.IMAGE_CRYPTO),
    });
  },
};

const UPLOAD: Rule = {
  id: 'image/upload',
  level: 'warning',
  kinds: KINDS,
  what: 'an image that waits for an upload is not completed by its manifest',
  source: 'harvester/harvester:pkg/image/backingimage/upload.go',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (specOf(object.manifest).sourceType === 'upload' && !world.exists(object)) {
      yield { path: 'spec.sourceType', value: 'upload', message: 'waits until somebody uploads the file', fix: 'upload it in the UI, or use the source download' };
    }
  },
};

const PARAMETERS: Rule = {
  id: 'image/storage-class-parameters',
  level: 'warning',
  kinds: KINDS,
  what: 'storageClassParameters are left to Harvester, which takes them from the StorageClass and never changes them again',
  source: 'harvester/harvester:pkg/image/common/mutator.go mergeStorageClassParams',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { storageClassParameters: parameters } = specOf(object.manifest);
    if (isRecord(parameters) && Object.keys(parameters).length > 0 && !world.exists(object)) {
      yield {
        path: 'spec.storageClassParameters',
        message: 'are overwritten by those of the StorageClass when the image is made, and a later apply of others is refused',
        fix: `leave them out, and name a StorageClass in the annotation ${ANNOTATION_IMAGE_STORAGE_CLASS}`,
        says: 'storageClassParameters of the VM Image cannot be modified',
      };
    }
  },
};

const STATUS: Rule = {
  id: 'image/status',
  level: 'warning',
  kinds: KINDS,
  what: 'an image in a manifest has no status: it would take away what Harvester wrote there',
  source: 'harvester/harvester:deploy/charts/harvester-crd (no status subresource)',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { status } = object.manifest;
    if (isRecord(status) && Object.keys(status).length > 0 && !world.exists(object)) {
      yield { path: 'status', message: 'does not belong into a manifest: it is a plain field here, and Harvester reads from it what is done', fix: 'leave it out' };
    }
  },
};

/** Rules on images of virtual machines. */
export const IMAGE_RULES: readonly Rule[] = [SPEC, UPLOAD, PARAMETERS, STATUS, ...IMAGE_RELATION_RULES, ...IMAGE_UPDATE_RULES];
