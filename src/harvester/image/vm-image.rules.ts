import { IMAGE_SOURCE, checkImage } from './vm-image.check';
import { ANNOTATION_IMAGE_STORAGE_CLASS, imageClassByName } from './vm-image.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, objectLabel, sameValue, valueAt } from '../../core/manifest/manifest';
import { annotationsOf } from '../../core/manifest/metadata';
import { GROUPS } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { GateId } from '../../core/version/gate-id';
import { harvesterHas, harvesterLacks, isFromServer, namesBeside, perTarget, some, specOf } from '../context.rules';
import { isEncrypted, parametersOf } from '../storage/host-storage-class.check';
import { BUILT_IN_STORAGE_CLASSES, GROUP_STORAGE, LONGHORN, LONGHORN_PROVISIONER } from '../storage/host-storage-class.kind';
import { ANNOTATION_VOLUME_CLAIMS } from '../virtual-machine/virtual-machine.kind';

const KINDS = ['harvesterhci.io/VirtualMachineImage'];
const KIND = 'VirtualMachineImage';
const VALIDATOR = 'harvester/harvester:pkg/image/common/validator.go';
const ANNOTATION = `metadata.annotations[${ANNOTATION_IMAGE_STORAGE_CLASS}]`;

function displayNameOf({ manifest }: JudgedObject): string | undefined {
  const { displayName } = specOf(manifest);
  return typeof displayName === 'string' && displayName !== '' && !isLate(displayName) ? displayName : undefined;
}

const keyOf = (object: JudgedObject, name: string) => `${object.manifest.metadata.namespace ?? ''}/${name}`;

/** The first image of each displayName in a namespace. */
const firstByName = perTarget(GROUPS.HARVESTER, KIND, (images) => {
  const first = new Map<string, JudgedObject>();
  for (const image of images) {
    const name = displayNameOf(image);
    if (name !== undefined && !first.has(keyOf(image, name))) { first.set(keyOf(image, name), image); }
  }
  return first;
});

const NAME: Rule = {
  id: 'image/display-name-twice',
  level: 'error',
  kinds: KINDS,
  what: 'a displayName stands once in a namespace',
  source: `${VALIDATOR} commonCheckDisplayName; seen on Harvester 1.7.2`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const name = displayNameOf(object);
    const first = name === undefined ? undefined : firstByName(object, world).get(keyOf(object, name));
    if (!first || first.manifest.metadata.name === object.manifest.metadata.name) { return; }
    yield {
      path: 'spec.displayName',
      value: name,
      // before the label is written with the object, both are taken
      level: harvesterHas(object.target, GateId.IMAGE_DISPLAY_NAME_LABEL) === true ? 'error' : 'warning',
      message: `is that of the image ${first.manifest.metadata.name} in this namespace too`,
      fix: 'give each image a displayName of its own',
      says: 'A resource with the same name exists',
    };
  },
};

const STORAGE_CLASS: Rule = {
  id: 'image/storage-class',
  level: 'error',
  kinds: KINDS,
  what: 'the StorageClass of a new image is there, and is no image\'s own; encryption needs an encrypting one',
  source: `${VALIDATOR} CheckSecurityParameters; harvester/harvester:pkg/image/common/mutator.go getSC; seen on Harvester 1.7.2`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const name = annotationsOf(object.manifest)[ANNOTATION_IMAGE_STORAGE_CLASS];
    if (typeof name !== 'string' || name === '' || isLate(name) || world.exists(object)) { return; }
    const found = world.find(object, GROUP_STORAGE, 'StorageClass', undefined, name);
    if (!found) {
      if (world.knows(object, GROUP_STORAGE, 'StorageClass', undefined, name)) { return; }
      const certain = world.isListed(object, GROUP_STORAGE, 'StorageClass');
      yield* judgeMissing(name, namesBeside(object, world, GROUP_STORAGE, 'StorageClass'), certain);
      return;
    }
    const spec = specOf(object.manifest);
    const storageClass = found.manifest;
    if (storageClass.provisioner === LONGHORN_PROVISIONER && parametersOf(storageClass)[LONGHORN.BACKING_IMAGE] !== undefined) {
      yield {
        path: ANNOTATION, value: name, message: 'is the StorageClass of an image', fix: 'name the one that it was made after', says: 'can not use a backing image storageClass as the base storageClass template',
      };
    }
    if (spec.sourceType === IMAGE_SOURCE.CLONE && valueAt(spec, 'securityParameters', 'cryptoOperation') === 'encrypt' && !isEncrypted(storageClass)) {
      yield {
        path: ANNOTATION, value: name, message: 'is a StorageClass of volumes that are not encrypted', fix: 'name one with the parameter encrypted: "true"', says: `storage class ${name} is not for encryption or decryption`,
      };
    }
    if ((spec.backend ?? 'backingimage') === 'backingimage' && typeof storageClass.provisioner === 'string' && storageClass.provisioner !== LONGHORN_PROVISIONER) {
      yield {
        path: ANNOTATION,
        value: name,
        level: 'warning',
        message: `is of ${storageClass.provisioner}, and the backend backingimage keeps images in Longhorn: it is not used`,
        fix: 'use the backend cdi, or a StorageClass of Longhorn',
      };
    }
  },
};

function* judgeMissing(name: string, known: readonly string[], certain: boolean): Iterable<Problem> {
  // a program that has none of them leaves them to somebody else
  if (known.length === 0 || BUILT_IN_STORAGE_CLASSES.includes(name)) { return; }
  yield {
    path: ANNOTATION,
    value: name,
    ...(certain ? {} : { level: 'warning' as const }),
    message: 'is no StorageClass that is known here; it must be there before the image',
    fix: `name one of ${[...BUILT_IN_STORAGE_CLASSES.slice(0, 1), ...known].join(', ')}`,
    says: `storageclasses.storage.k8s.io "${name}" not found`,
  };
}

const CLONE: Rule = {
  id: 'image/clone-source',
  level: 'error',
  kinds: KINDS,
  what: 'an image is encrypted from one that is not, and decrypted from one that is',
  source: `${VALIDATOR} CheckSecurityParameters`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const spec = specOf(object.manifest);
    const parameters = spec.securityParameters;
    if (spec.sourceType !== IMAGE_SOURCE.CLONE || world.exists(object)) { return; }
    const [name, namespace] = [valueAt(parameters, 'sourceImageName'), valueAt(parameters, 'sourceImageNamespace')];
    if (typeof name !== 'string' || typeof namespace !== 'string') { return; }
    const source = world.find(object, GROUPS.HARVESTER, KIND, namespace, name);
    if (!source) { return; }
    const operation = valueAt(parameters, 'cryptoOperation');
    const encrypted = valueAt(source.manifest, 'spec', 'securityParameters', 'cryptoOperation') === 'encrypt';
    const shown = `${namespace}/${name} (${plainText(valueAt(source.manifest, 'spec', 'displayName') ?? '')})`;
    const at = { path: 'spec.securityParameters.cryptoOperation', value: operation };
    if (operation === 'encrypt' && encrypted) {
      yield { ...at, message: `${namespace}/${name} is encrypted already`, fix: 'clone one that is not', says: `can not re-encrypt, source image ${shown} is already encrypted` };
    } else if (operation === 'decrypt' && !encrypted) {
      yield { ...at, message: `${namespace}/${name} is not encrypted`, fix: 'clone one that is', says: `can not re-decrypt, source image ${shown} is not encrypted` };
    }
  },
};

/** Rules on an image and what is beside it. */
export const IMAGE_RELATION_RULES: readonly Rule[] = [NAME, STORAGE_CLASS, CLONE];

const IMAGE_UPDATES_KINDS = ['harvesterhci.io/VirtualMachineImage'];
const IMAGE_UPDATES_VALIDATOR = 'harvester/harvester:pkg/image/common/validator.go';
const FIXED = ['displayName', 'sourceType', 'url', 'securityParameters', 'targetStorageClassName'];
const FIX = 'make an image of another name, and move what uses this one';

const UPDATE: Rule = {
  id: 'image/update',
  level: 'error',
  kinds: IMAGE_UPDATES_KINDS,
  what: 'what an image is made of is not changed: displayName, source, URL, volume, StorageClass and its parameters, encryption',
  source: `${IMAGE_UPDATES_VALIDATOR}; pkg/image/backingimage/validate.go; seen on Harvester 1.7.2`,
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
  kinds: IMAGE_UPDATES_KINDS,
  what: 'an image is not deleted while volumes, virtual machines or templates use it',
  source: `${IMAGE_UPDATES_VALIDATOR} PVCOccupation, VMTemplateVersionOccupation`,
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

const IMAGE_KINDS = ['harvesterhci.io/VirtualMachineImage'];

const SPEC: Rule = {
  id: 'image/spec',
  level: 'error',
  kinds: IMAGE_KINDS,
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
  kinds: IMAGE_KINDS,
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
  kinds: IMAGE_KINDS,
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
  kinds: IMAGE_KINDS,
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
