import { IMAGE_SOURCE, checkImage } from './vm-image.check';
import { ANNOTATION_IMAGE_STORAGE_CLASS, imageClassByName, uploadFileOf } from './vm-image.kind';
import { isLate } from '../../core/late/late-token';
import {
  annotationsOf,
  isRecord,
  kindKey,
  Manifest,
  objectLabel,
  valueAt,
  specOf,
} from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Problem, NO_PROBLEMS } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { errorIf, unique, levelIfMissing } from '../../core/rule/kit/relations';
import { must, text } from '../../core/rule/kit/values';
import { JudgedObject, World } from '../../core/rule/rule';
import { namesBeside, perTarget } from '../../core/rule/world-lookup';
import { filledText, plainText, some } from '../../core/text/plain-text';
import { hasFeature, lacksFeature } from '../../core/version/target-features';
import { hasEncryption, parametersOf } from '../storage/harvester-storage-class.check';
import {
  BUILT_IN_STORAGE_CLASSES,
  GROUP_STORAGE,
  LONGHORN,
  LONGHORN_PROVISIONER,
} from '../storage/storage.kind';
import { HarvesterGate } from '../version/harvester-version';
import {
  ANNOTATION_VOLUME_CLAIMS,
  GROUP_KUBEVIRT,
  KIND_VIRTUAL_MACHINE,
  claimsOf,
} from '../virtual-machine/machine-manifest.facts';

const KIND = 'VirtualMachineImage';
const VALIDATOR = 'harvester/harvester:pkg/image/common/validator.go';
const ANNOTATION = `metadata.annotations[${ANNOTATION_IMAGE_STORAGE_CLASS}]`;

/** The displayName of an image in its namespace. */
function displayNameOf({ manifest }: JudgedObject): string | undefined {
  const name = filledText(specOf(manifest).displayName);
  return name === undefined || isLate(name)
    ? undefined
    : `${manifest.metadata.namespace ?? ''}/${name}`;
}

const isEmpty = (value: unknown): boolean => !isRecord(value) || Object.keys(value).length === 0;

const isBackingImage = (manifest: Manifest): boolean =>
  (specOf(manifest).backend ?? 'backingimage') === 'backingimage';

const nameOfBackingImage = ({ manifest }: JudgedObject): string | undefined =>
  isBackingImage(manifest) ? manifest.metadata.name : undefined;

function judgeMissing(name: string, object: JudgedObject, world: World): readonly Problem[] {
  const known = namesBeside(object, world, GROUP_STORAGE, 'StorageClass');
  const level = levelIfMissing(object, world, [GROUP_STORAGE, 'StorageClass'], undefined, name);
  // a program without StorageClasses leaves them to someone else
  if (!level || known.length === 0 || BUILT_IN_STORAGE_CLASSES.includes(name)) {
    return NO_PROBLEMS;
  }
  return [
    {
      path: ANNOTATION,
      value: name,
      level,
      message: 'must be an existing StorageClass',
      fix: `declare it, or use one of ${[...BUILT_IN_STORAGE_CLASSES.slice(0, 1), ...known].join(', ')}`,
      says: `storageclasses.storage.k8s.io "${name}" not found`,
    },
  ];
}

/**
 * The claims that the controller of virtual machines creates from their annotation, as
 * `<namespace>/<name>`.
 */
const machineClaims = perTarget(
  GROUP_KUBEVIRT,
  KIND_VIRTUAL_MACHINE,
  (machines) =>
    new Set(
      machines.flatMap(({ manifest }) =>
        claimsOf(manifest).map(({ name }) => `${manifest.metadata.namespace ?? 'default'}/${name}`),
      ),
    ),
);

// the claims are JSON text, and the image is an annotation of one of them
function namesImage(claims: unknown, imageId: string): boolean {
  return typeof claims === 'string' && claims.includes(`"${imageId}"`);
}

/** Rules on VM images. */
export const IMAGE_RULES = rules({ kinds: [kindKey(GROUPS.HARVESTER, KIND)] }, [
  {
    id: 'image/spec',
    what: 'a new image has a displayName, and exactly the fields that its source requires',
    source: 'harvester/harvester:pkg/image/common/validator.go; seen on Harvester 1.7.2',
    // the rule on updates judges an existing image
    creation: true,
    judge: ({ manifest, target }) =>
      checkImage(specOf(manifest), annotationsOf(manifest)[ANNOTATION_IMAGE_STORAGE_CLASS], {
        nameIsLabel: hasFeature(target, HarvesterGate.IMAGE_DISPLAY_NAME_LABEL),
        nameIsChecked: hasFeature(target, HarvesterGate.IMAGE_NAME_IS_LABEL),
        lacksCdi: lacksFeature(target, HarvesterGate.IMAGE_BACKEND_CDI),
        lacksCrypto: lacksFeature(target, HarvesterGate.IMAGE_CRYPTO),
      }),
  },
  {
    id: 'image/upload',
    level: 'warning',
    what: 'an image with the source upload is complete only after its file is uploaded: by apply if the annotation names the file, otherwise by a user',
    source: 'harvester/harvester:pkg/image/backingimage/upload.go',
    creation: true,
    when: ({ manifest }) => uploadFileOf(manifest) === undefined,
    field: 'spec.sourceType',
    check: must((type) => type !== 'upload', {
      message: 'is not imported until someone uploads the file',
      fix: 'set file of VmImage.upload, upload the file in the UI, or use the source download',
    }),
  },
  {
    id: 'image/storage-class-parameters',
    level: 'warning',
    what: 'storageClassParameters are omitted: Harvester copies them once from the StorageClass',
    source: 'harvester/harvester:pkg/image/common/mutator.go mergeStorageClassParams',
    creation: true,
    field: 'spec.storageClassParameters',
    check: must(isEmpty, {
      value: undefined,
      message:
        'cannot be set: those of the StorageClass overwrite them when the image is created, and a later apply is refused',
      fix: `remove them, and set a StorageClass in the annotation ${ANNOTATION_IMAGE_STORAGE_CLASS}`,
      says: 'storageClassParameters of the VM Image cannot be modified',
    }),
  },
  {
    id: 'image/status',
    level: 'warning',
    what: 'an image in a manifest has no status: it would overwrite the status that Harvester wrote',
    source: 'harvester/harvester:deploy/charts/harvester-crd (no status subresource)',
    creation: true,
    field: 'status',
    check: must(isEmpty, {
      value: undefined,
      message:
        'cannot be set: it is a plain field of this kind, from which Harvester reads the progress',
      fix: 'remove status',
    }),
  },
  {
    id: 'image/display-name-twice',
    what: 'a displayName is unique in its namespace',
    source: `${VALIDATOR} commonCheckDisplayName; seen on Harvester 1.7.2`,
    says: 'A resource with the same name exists',
    judge: unique([GROUPS.HARVESTER, KIND], displayNameOf, (other, { manifest, target }) => ({
      path: 'spec.displayName',
      value: specOf(manifest).displayName,
      // versions that write the label later accept both
      level: errorIf(hasFeature(target, HarvesterGate.IMAGE_DISPLAY_NAME_LABEL)),
      message: `must be unique in the namespace: the image ${other.manifest.metadata.name} has this displayName`,
      fix: 'choose a different displayName',
    })),
  },
  {
    id: 'image/name-twice',
    what: 'before Harvester 1.8, images in all namespaces have different names: those of one name share a StorageClass',
    source:
      'harvester/harvester#5165; harvester/harvester:pkg/image/backingimage/backingimage.go createStorageClass (v1.7.2)',
    when: ({ target }) => hasFeature(target, HarvesterGate.IMAGE_CLASS_BY_UID) === false,
    judge: unique([GROUPS.HARVESTER, KIND], nameOfBackingImage, (other, { manifest }) => {
      const { name } = manifest.metadata;
      return {
        path: 'metadata.name',
        value: name,
        message:
          `must be unique in all namespaces: an image in ${other.manifest.metadata.namespace ?? 'default'} has this name, ` +
          `and both get the StorageClass ${imageClassByName(name)}, so that volumes of one have the content of the other`,
        fix: 'choose a different name, share one image, or upgrade to Harvester 1.8',
      };
    }),
  },
  {
    id: 'image/storage-class',
    what: 'the StorageClass of a new image exists and is not that of an image; encryption requires an encrypting one',
    source: `${VALIDATOR} CheckSecurityParameters; harvester/harvester:pkg/image/common/mutator.go getSC; seen on Harvester 1.7.2`,
    creation: true,
    field: ANNOTATION,
    check: text(function* (path, name, object, world): Iterable<Problem> {
      const found = world.find(object, GROUP_STORAGE, 'StorageClass', undefined, name);
      if (!found) {
        yield* judgeMissing(name, object, world);
        return;
      }
      const spec = specOf(object.manifest);
      const storageClass = found.manifest;
      if (
        storageClass.provisioner === LONGHORN_PROVISIONER &&
        parametersOf(storageClass)[LONGHORN.BACKING_IMAGE] !== undefined
      ) {
        yield {
          path,
          value: name,
          message: 'cannot be the StorageClass of an image',
          fix: 'use the one that it is derived from',
          says: 'can not use a backing image storageClass as the base storageClass template',
        };
      }
      const operation = valueAt(spec, 'securityParameters', 'cryptoOperation');
      if (
        spec.sourceType === IMAGE_SOURCE.CLONE &&
        operation === 'encrypt' &&
        !hasEncryption(storageClass)
      ) {
        yield {
          path,
          value: name,
          message: 'must be a StorageClass of encrypted volumes',
          fix: 'use one with the parameter encrypted: "true"',
          says: `storage class ${name} is not for encryption or decryption`,
        };
      }
      const { provisioner } = storageClass;
      if (
        isBackingImage(object.manifest) &&
        typeof provisioner === 'string' &&
        provisioner !== LONGHORN_PROVISIONER
      ) {
        yield {
          path,
          value: name,
          level: 'warning',
          message: `must be a StorageClass of Longhorn for the backend backingimage, which ignores one of ${provisioner}`,
          fix: 'use the backend cdi, or a StorageClass of Longhorn',
        };
      }
    }),
  },
  {
    id: 'image/clone-source',
    what: 'only an image that is not encrypted can be encrypted, and only an encrypted one decrypted',
    source: `${VALIDATOR} CheckSecurityParameters`,
    creation: true,
    when: ({ manifest }) => specOf(manifest).sourceType === IMAGE_SOURCE.CLONE,
    field: 'spec.securityParameters',
    check: (path, parameters, object, world) => {
      const [name, namespace] = [
        valueAt(parameters, 'sourceImageName'),
        valueAt(parameters, 'sourceImageNamespace'),
      ];
      if (typeof name !== 'string' || typeof namespace !== 'string') {
        return undefined;
      }
      const source = world.find(object, GROUPS.HARVESTER, KIND, namespace, name);
      if (!source) {
        return undefined;
      }
      const operation = valueAt(parameters, 'cryptoOperation');
      const encrypted =
        valueAt(source.manifest, 'spec', 'securityParameters', 'cryptoOperation') === 'encrypt';
      if (operation !== (encrypted ? 'encrypt' : 'decrypt')) {
        return undefined;
      }
      const state = encrypted ? 'already encrypted' : 'not encrypted';
      return {
        path: `${path}.cryptoOperation`,
        value: operation,
        message: `cannot ${operation} ${namespace}/${name}, which is ${encrypted ? '' : 'not '}encrypted`,
        fix: `clone an ${encrypted ? 'image that is not encrypted' : 'encrypted image'}`,
        says:
          `can not re-${operation}, source image ${namespace}/${name} ` +
          `(${plainText(valueAt(source.manifest, 'spec', 'displayName') ?? '')}) is ${state}`,
      };
    },
  },
  {
    id: 'image/exported-volume',
    what: 'the volume that a new image is exported from exists, where the volumes of its namespace are known',
    source: `${VALIDATOR} CheckImagePVC`,
    creation: true,
    when: ({ manifest }) => specOf(manifest).sourceType === IMAGE_SOURCE.EXPORT,
    field: 'spec.pvcName',
    check: text((_, name, object, world) => {
      const { pvcNamespace: namespace } = specOf(object.manifest);
      if (
        typeof namespace !== 'string' ||
        isLate(namespace) ||
        !world.isListed(object, '', 'PersistentVolumeClaim', namespace)
      ) {
        return undefined;
      }
      const isKnown =
        world.knows(object, '', 'PersistentVolumeClaim', namespace, name) ||
        machineClaims(object, world).has(`${namespace}/${name}`);
      return (
        !isKnown && {
          message: `must be a volume in the namespace ${namespace}`,
          fix: 'correct the name or the namespace, or create the volume first',
          says: `failed to get pvc ${name}/${namespace}, error: persistentvolumeclaims "${name}" not found`,
        }
      );
    }),
  },
  {
    id: 'image/in-use',
    what: 'an image cannot be deleted while volumes, virtual machines or templates use it',
    source: `${VALIDATOR} PVCOccupation, VMTemplateVersionOccupation`,
    judgeDeletion: (gone, world) => {
      const { name, namespace = 'default' } = gone.manifest.metadata;
      const imageId = `${namespace}/${name}`;
      const status = valueAt(gone.manifest, 'status', 'storageClassName');
      const storageClass = typeof status === 'string' ? status : imageClassByName(name);
      const users = [
        ...world
          .beside(gone, '', 'PersistentVolumeClaim')
          .filter(({ manifest }) => valueAt(manifest, 'spec', 'storageClassName') === storageClass),
        ...world
          .beside(gone, 'kubevirt.io', 'VirtualMachine')
          .filter(({ manifest }) =>
            namesImage(annotationsOf(manifest)[ANNOTATION_VOLUME_CLAIMS], imageId),
          ),
        ...world
          .beside(gone, GROUPS.HARVESTER, 'VirtualMachineTemplateVersion')
          .filter(({ manifest }) => specOf(manifest).imageId === imageId),
      ];
      return (
        users.length > 0 && {
          message: `cannot be deleted while ${some(users.map(({ manifest }) => objectLabel(manifest)))} use it`,
          fix: 'keep the image until nothing uses it',
          says: `Cannot delete image ${namespace}/${plainText(specOf(gone.manifest).displayName ?? '')}: being used by volume`,
        }
      );
    },
  },
]);
