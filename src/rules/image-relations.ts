import { harvesterHas } from './harvester-gates';
import { namesBeside, perTarget, specOf } from './infrastructure-context';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { annotationsOf } from '../model/checks/metadata-maps';
import { plainText } from '../model/checks/plain-text';
import { isEncrypted, parametersOf } from '../model/checks/storage-class';
import { IMAGE_SOURCE } from '../model/checks/vm-image';
import {
  ANNOTATION_IMAGE_STORAGE_CLASS, BUILT_IN_STORAGE_CLASSES, INFRASTRUCTURE_GROUP, LONGHORN, LONGHORN_PROVISIONER,
} from '../model/infrastructure-names';
import { isLate } from '../model/late-token';
import { valueAt } from '../model/manifest';
import { GROUPS } from '../model/names';
import { Problem } from '../model/problem';
import { GateId } from '../versions/gate-id';

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
    const found = world.find(object, INFRASTRUCTURE_GROUP.STORAGE, 'StorageClass', undefined, name);
    if (!found) {
      if (world.knows(object, INFRASTRUCTURE_GROUP.STORAGE, 'StorageClass', undefined, name)) { return; }
      const certain = world.isListed(object, INFRASTRUCTURE_GROUP.STORAGE, 'StorageClass');
      yield* judgeMissing(name, namesBeside(object, world, INFRASTRUCTURE_GROUP.STORAGE, 'StorageClass'), certain);
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
