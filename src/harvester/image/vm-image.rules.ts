import { IMAGE_SOURCE, checkImage } from './vm-image.check';
import { ANNOTATION_IMAGE_STORAGE_CLASS, imageClassByName } from './vm-image.kind';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, isRecord, objectLabel, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { hasFeature, lacksFeature } from '../../core/version/target-features';
import { namesBeside, perTarget, some, specOf } from '../context.rules';
import { isEncrypted, parametersOf } from '../storage/host-storage-class.check';
import { BUILT_IN_STORAGE_CLASSES, GROUP_STORAGE, LONGHORN, LONGHORN_PROVISIONER } from '../storage/storage.kind';
import { HarvesterGate } from '../version/harvester-version';
import { ANNOTATION_VOLUME_CLAIMS, GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE, claimsOf } from '../virtual-machine/machine-manifest.facts';

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
  what: 'a displayName is unique in its namespace',
  source: `${VALIDATOR} commonCheckDisplayName; seen on Harvester 1.7.2`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const name = displayNameOf(object);
    const first = name === undefined ? undefined : firstByName(object, world).get(keyOf(object, name));
    if (!first || first.manifest.metadata.name === object.manifest.metadata.name) { return NO_PROBLEMS; }
    return [{
      path: 'spec.displayName',
      value: name,
      // versions that write the label later accept both
      level: hasFeature(object.target, HarvesterGate.IMAGE_DISPLAY_NAME_LABEL) === true ? 'error' : 'warning',
      message: `must be unique in the namespace: the image ${first.manifest.metadata.name} has this displayName`,
      fix: 'choose a different displayName',
      says: 'A resource with the same name exists',
    }];
  },
};

/** The first image of each name, in any namespace, of those whose volumes have the StorageClass of the image. */
const firstOfName = perTarget(GROUPS.HARVESTER, KIND, (images) => {
  const first = new Map<string, JudgedObject>();
  for (const image of images.filter(isBackingImage)) {
    const { name } = image.manifest.metadata;
    if (!first.has(name)) { first.set(name, image); }
  }
  return first;
});

function isBackingImage({ manifest }: JudgedObject): boolean {
  return (specOf(manifest).backend ?? 'backingimage') === 'backingimage';
}

const NAME_TWICE: Rule = {
  id: 'image/name-twice',
  level: 'error',
  kinds: KINDS,
  what: 'before Harvester 1.8, images in all namespaces have different names: those of one name share a StorageClass, which is deleted with either',
  source: 'harvester/harvester#5165; harvester/harvester:pkg/image/backingimage/backingimage.go createStorageClass (v1.7.2)',
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { name, namespace } = object.manifest.metadata;
    if (isLate(name) || !isBackingImage(object) || hasFeature(object.target, HarvesterGate.IMAGE_CLASS_BY_UID) !== false) { return NO_PROBLEMS; }
    const first = firstOfName(object, world).get(name)?.manifest.metadata;
    if (!first || first.namespace === namespace) { return NO_PROBLEMS; }
    return [{
      path: 'metadata.name',
      value: name,
      message: `must be unique in all namespaces: an image in ${first.namespace ?? 'default'} has this name, and both get the StorageClass ${imageClassByName(name)}, `
        + 'so that volumes of one have the content of the other',
      fix: 'choose a different name, share one image, or upgrade to Harvester 1.8',
    }];
  },
};

const STORAGE_CLASS: Rule = {
  id: 'image/storage-class',
  level: 'error',
  kinds: KINDS,
  what: 'the StorageClass of a new image exists and is not that of an image; encryption requires an encrypting one',
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
        path: ANNOTATION, value: name, message: 'cannot be the StorageClass of an image', fix: 'use the one that it is derived from', says: 'can not use a backing image storageClass as the base storageClass template',
      };
    }
    if (spec.sourceType === IMAGE_SOURCE.CLONE && valueAt(spec, 'securityParameters', 'cryptoOperation') === 'encrypt' && !isEncrypted(storageClass)) {
      yield {
        path: ANNOTATION, value: name, message: 'must be a StorageClass of encrypted volumes', fix: 'use one with the parameter encrypted: "true"', says: `storage class ${name} is not for encryption or decryption`,
      };
    }
    if ((spec.backend ?? 'backingimage') === 'backingimage' && typeof storageClass.provisioner === 'string' && storageClass.provisioner !== LONGHORN_PROVISIONER) {
      yield {
        path: ANNOTATION,
        value: name,
        level: 'warning',
        message: `must be a StorageClass of Longhorn for the backend backingimage, which ignores one of ${storageClass.provisioner}`,
        fix: 'use the backend cdi, or a StorageClass of Longhorn',
      };
    }
  },
};

function* judgeMissing(name: string, known: readonly string[], certain: boolean): Iterable<Problem> {
  // a program without StorageClasses leaves them to someone else
  if (known.length === 0 || BUILT_IN_STORAGE_CLASSES.includes(name)) { return; }
  yield {
    path: ANNOTATION,
    value: name,
    ...(certain ? {} : { level: 'warning' as const }),
    message: 'must be an existing StorageClass',
    fix: `declare it, or use one of ${[...BUILT_IN_STORAGE_CLASSES.slice(0, 1), ...known].join(', ')}`,
    says: `storageclasses.storage.k8s.io "${name}" not found`,
  };
}

const CLONE: Rule = {
  id: 'image/clone-source',
  level: 'error',
  kinds: KINDS,
  what: 'only an image that is not encrypted can be encrypted, and only an encrypted one decrypted',
  source: `${VALIDATOR} CheckSecurityParameters`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const spec = specOf(object.manifest);
    const parameters = spec.securityParameters;
    if (spec.sourceType !== IMAGE_SOURCE.CLONE || world.exists(object)) { return NO_PROBLEMS; }
    const [name, namespace] = [valueAt(parameters, 'sourceImageName'), valueAt(parameters, 'sourceImageNamespace')];
    if (typeof name !== 'string' || typeof namespace !== 'string') { return NO_PROBLEMS; }
    const source = world.find(object, GROUPS.HARVESTER, KIND, namespace, name);
    if (!source) { return NO_PROBLEMS; }
    const operation = valueAt(parameters, 'cryptoOperation');
    const encrypted = valueAt(source.manifest, 'spec', 'securityParameters', 'cryptoOperation') === 'encrypt';
    const shown = `${namespace}/${name} (${plainText(valueAt(source.manifest, 'spec', 'displayName') ?? '')})`;
    const at = { path: 'spec.securityParameters.cryptoOperation', value: operation };
    if (operation === 'encrypt' && encrypted) {
      return [{ ...at, message: `cannot encrypt ${namespace}/${name}, which is encrypted`, fix: 'clone an image that is not encrypted', says: `can not re-encrypt, source image ${shown} is already encrypted` }];
    } else if (operation === 'decrypt' && !encrypted) {
      return [{ ...at, message: `cannot decrypt ${namespace}/${name}, which is not encrypted`, fix: 'clone an encrypted image', says: `can not re-decrypt, source image ${shown} is not encrypted` }];
    }
    return NO_PROBLEMS;
  },
};

/** The claims that the controller of virtual machines creates from their annotation, as `<namespace>/<name>`. */
const machineClaims = perTarget(GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE, (machines) => new Set(machines.flatMap(({ manifest }) => (
  claimsOf(manifest).map(({ name }) => `${manifest.metadata.namespace ?? 'default'}/${name}`)))));

const EXPORTED: Rule = {
  id: 'image/exported-volume',
  level: 'error',
  kinds: KINDS,
  fields: ['spec.pvcName'],
  what: 'the volume that a new image is exported from exists, where the volumes of its namespace are known',
  source: `${VALIDATOR} CheckImagePVC`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { sourceType, pvcName: name, pvcNamespace: namespace } = specOf(object.manifest);
    if (sourceType !== IMAGE_SOURCE.EXPORT || typeof name !== 'string' || typeof namespace !== 'string' || name === '' || isLate(name) || isLate(namespace)) {
      return NO_PROBLEMS;
    }
    if (world.exists(object) || !world.isListed(object, '', 'PersistentVolumeClaim', namespace)) { return NO_PROBLEMS; }
    const isKnown = world.knows(object, '', 'PersistentVolumeClaim', namespace, name) || machineClaims(object, world).has(`${namespace}/${name}`);
    return isKnown ? NO_PROBLEMS : [{
      path: 'spec.pvcName',
      value: name,
      message: `must be a volume in the namespace ${namespace}`,
      fix: 'correct the name or the namespace, or create the volume first',
      says: `failed to get pvc ${name}/${namespace}, error: persistentvolumeclaims "${name}" not found`,
    }];
  },
};

const DELETION: Rule = {
  id: 'image/in-use',
  level: 'error',
  kinds: KINDS,
  what: 'an image cannot be deleted while volumes, virtual machines or templates use it',
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
      message: `cannot be deleted while ${some(users.map(({ manifest }) => objectLabel(manifest)))} use it`,
      fix: 'keep the image until nothing uses it',
      says: `Cannot delete image ${namespace}/${plainText(specOf(gone.manifest).displayName ?? '')}: being used by volume`,
    };
  },
};

// the claims are JSON text, and the image is an annotation of one of them
function namesImage(claims: unknown, imageId: string): boolean {
  return typeof claims === 'string' && claims.includes(`"${imageId}"`);
}

const SPEC: Rule = {
  id: 'image/spec',
  level: 'error',
  kinds: KINDS,
  what: 'a new image has a displayName, and exactly the fields that its source requires',
  source: 'harvester/harvester:pkg/image/common/validator.go; seen on Harvester 1.7.2',
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    // the rule on updates judges an existing image
    if (world.exists(object)) { return NO_PROBLEMS; }
    const { manifest, target } = object;
    return checkImage(specOf(manifest), annotationsOf(manifest)[ANNOTATION_IMAGE_STORAGE_CLASS], {
      nameIsLabel: hasFeature(target, HarvesterGate.IMAGE_DISPLAY_NAME_LABEL),
      nameIsChecked: hasFeature(target, HarvesterGate.IMAGE_NAME_IS_LABEL),
      lacksCdi: lacksFeature(target, HarvesterGate.IMAGE_BACKEND_CDI),
      lacksCrypto: lacksFeature(target, HarvesterGate.IMAGE_CRYPTO),
    });
  },
};

const UPLOAD: Rule = {
  id: 'image/upload',
  level: 'warning',
  kinds: KINDS,
  what: 'an image with the source upload is complete only after someone uploads the file',
  source: 'harvester/harvester:pkg/image/backingimage/upload.go',
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (specOf(object.manifest).sourceType === 'upload' && !world.exists(object)) {
      return [{ path: 'spec.sourceType', value: 'upload', message: 'is not imported until someone uploads the file', fix: 'upload the file in the UI, or use the source download' }];
    }
    return NO_PROBLEMS;
  },
};

const PARAMETERS: Rule = {
  id: 'image/storage-class-parameters',
  level: 'warning',
  kinds: KINDS,
  what: 'storageClassParameters are omitted: Harvester copies them once from the StorageClass',
  source: 'harvester/harvester:pkg/image/common/mutator.go mergeStorageClassParams',
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { storageClassParameters: parameters } = specOf(object.manifest);
    if (isRecord(parameters) && Object.keys(parameters).length > 0 && !world.exists(object)) {
      return [{
        path: 'spec.storageClassParameters',
        message: 'cannot be set: those of the StorageClass overwrite them when the image is created, and a later apply is refused',
        fix: `remove them, and set a StorageClass in the annotation ${ANNOTATION_IMAGE_STORAGE_CLASS}`,
        says: 'storageClassParameters of the VM Image cannot be modified',
      }];
    }
    return NO_PROBLEMS;
  },
};

const STATUS: Rule = {
  id: 'image/status',
  level: 'warning',
  kinds: KINDS,
  what: 'an image in a manifest has no status: it would overwrite the status that Harvester wrote',
  source: 'harvester/harvester:deploy/charts/harvester-crd (no status subresource)',
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { status } = object.manifest;
    if (isRecord(status) && Object.keys(status).length > 0 && !world.exists(object)) {
      return [{ path: 'status', message: 'cannot be set: it is a plain field of this kind, from which Harvester reads the progress', fix: 'remove status' }];
    }
    return NO_PROBLEMS;
  },
};

/** Rules on VM images. */
export const IMAGE_RULES: readonly Rule[] = [SPEC, UPLOAD, PARAMETERS, STATUS, NAME, NAME_TWICE, STORAGE_CLASS, CLONE, EXPORTED, DELETION];
