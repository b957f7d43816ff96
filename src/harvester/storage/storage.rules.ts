import { checkEncryptionSecret, checkStorageClass, isEncrypted, parametersOf } from './host-storage-class.check';
import { ANNOTATION_CDI, ANNOTATION_DEFAULT_CLASS, ANNOTATION_RESERVED_CLASS, CRYPTO_KEY, CSI_SECRET_PAIRS, GROUP_STORAGE, HARVESTER_LONGHORN, VOLUME_DESCRIPTION } from './storage.kind';
import { immutableRule } from '../../core/immutable/immutable-fields.rules';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, isFromServer, Manifest, objectLabel, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { isSecretMissing } from '../../core/rule/world-lookup';
import { secretEntry } from '../../core/secret/definition';
import { plainText } from '../../core/text/plain-text';
import { quantityOf } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import { missingSnapshotClass, perTarget, some, specOf } from '../context.rules';
import { ANNOTATION_IMAGE_STORAGE_CLASS } from '../image/vm-image.kind';
import { HarvesterGate } from '../version/harvester-version';
import { ANNOTATION_IMAGE_ID, GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE, claimNamesOf, isHarvesters } from '../virtual-machine/machine-manifest.facts';

const SECRETS = ['/Secret'];
const SOURCE = 'harvester/harvester:pkg/webhook/resources/storageclass/validator.go; https://longhorn.io/docs/latest/advanced-resources/security/volume-encryption/';

function passphraseOf(secret: Manifest): string | undefined {
  const text = secretEntry(secret, CRYPTO_KEY.VALUE, isLate)?.text;
  return text === '' || isLate(text) ? undefined : text;
}

const PLAIN: Rule = {
  id: 'encryption-secret/plain',
  plainFiles: true,
  level: 'warning',
  kinds: SECRETS,
  what: 'the passphrase of encrypted volumes is a secret in plain text in Git',
  source: SOURCE,
  judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    if (target.kind !== 'harvester' || isFromServer(manifest) || passphraseOf(manifest) === undefined) { return NO_PROBLEMS; }
    return [{
      path: secretEntry(manifest, CRYPTO_KEY.VALUE, isLate)!.path,
      message: 'is a secret in plain text: anyone who can read the manifest can read the volumes',
      fix: 'create this Secret by a SealedSecret or an ExternalSecret, and refer to it with VolumeEncryption.fromName',
    }];
  },
};

/** The StorageClasses of encrypted volumes, by their Secret. */
const classesBySecret = perTarget(GROUP_STORAGE, 'StorageClass', (classes) => {
  const users = new Map<string, string[]>();
  const [pair] = CSI_SECRET_PAIRS;
  for (const { manifest } of classes.filter((storageClass) => isEncrypted(storageClass.manifest))) {
    const parameters = parametersOf(manifest);
    const key = `${plainText(parameters[pair!.namespace])}/${plainText(parameters[pair!.name])}`;
    users.set(key, [...users.get(key) ?? [], manifest.metadata.name]);
  }
  return users;
});

const LOSS: Rule = {
  id: 'encryption-secret/loss',
  level: 'error',
  kinds: SECRETS,
  what: 'the Secret of encrypted volumes is kept with its passphrase: without it their data is lost',
  source: SOURCE,
  *judgeUpdate({ manifest, target }: JudgedObject, before: Manifest): Iterable<Problem> {
    const [now, old] = [passphraseOf(manifest), passphraseOf(before)];
    if (target.kind === 'harvester' && now !== undefined && old !== undefined && now !== old) {
      yield {
        path: secretEntry(manifest, CRYPTO_KEY.VALUE, isLate)!.path,
        message: 'cannot be changed: volumes with the previous passphrase could not be opened again',
        fix: 'keep it, and create a Secret and a StorageClass with different names for new volumes',
      };
    }
  },
  *judgeDeletion(gone: JudgedObject, world: World): Iterable<Problem> {
    if (gone.target.kind !== 'harvester' || !secretEntry(gone.manifest, CRYPTO_KEY.VALUE, isLate)) { return; }
    const { name, namespace = 'default' } = gone.manifest.metadata;
    const users = classesBySecret(gone, world).get(`${namespace}/${name}`) ?? [];
    yield {
      path: '',
      // volumes outlive their class, and are not known here
      level: users.length > 0 ? 'error' : 'warning',
      message: `cannot be deleted${users.length > 0 ? ` while the StorageClass ${some(users)} uses it` : ''}: its volumes could not be opened again`,
      fix: 'keep it as long as such a volume or a backup of one exists',
    };
  },
};

/** Rules on the Secrets of encrypted volumes. */
export const ENCRYPTION_SECRET_RULES: readonly Rule[] = [PLAIN, LOSS];

const KINDS = ['storage.k8s.io/StorageClass'];
const VALIDATOR = 'harvester/harvester:pkg/webhook/resources/storageclass/validator.go';
const DEFAULT_PATH = `metadata.annotations[${ANNOTATION_DEFAULT_CLASS}]`;

const SPEC: Rule = {
  id: 'storage-class/spec',
  level: 'error',
  kinds: KINDS,
  what: 'a StorageClass of a Harvester has string parameters, a data locality that lets volumes move, one Secret for encryption, and valid annotations for CDI',
  source: VALIDATOR,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    // parameters of an existing one are immutable, and were accepted
    if (!isHarvesters(object) || world.exists(object)) { return NO_PROBLEMS; }
    return checkStorageClass(object.manifest, annotationsOf(object.manifest), hasFeature(object.target, HarvesterGate.STORAGE_ACCESS_MODES_ASKED));
  },
};

/** The annotation of a default class: any text except `false` for a new one. */
function isDefault({ manifest }: JudgedObject): boolean {
  const value = annotationsOf(manifest)[ANNOTATION_DEFAULT_CLASS];
  return value !== undefined && value !== 'false';
}

const defaults = perTarget(GROUP_STORAGE, 'StorageClass', (classes) => ({
  others: classes.filter((object) => annotationsOf(object.manifest)[ANNOTATION_DEFAULT_CLASS] === 'true'),
  builtIn: classes.find(({ manifest }) => manifest.metadata.name === HARVESTER_LONGHORN),
}));

const DEFAULT: Rule = {
  id: 'storage-class/default',
  level: 'error',
  kinds: KINDS,
  what: 'only one StorageClass is the default, which is harvester-longhorn after installation',
  source: `${VALIDATOR} validateSetUniqueDefault; seen on Harvester 1.7.2`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (!isHarvesters(object) || !isDefault(object)) { return NO_PROBLEMS; }
    const { name } = object.manifest.metadata;
    const { others, builtIn } = defaults(object, world);
    const [other] = others;
    const says = (holder: string) => `default storage class ${holder} already exists, please reset it first before set ${name} as default`;
    if (other && other.manifest.metadata.name !== name) {
      return [{ path: DEFAULT_PATH, message: `can be set on one StorageClass only: ${other.manifest.metadata.name} is the default`, fix: 'keep one default StorageClass', says: says(other.manifest.metadata.name) }];
    } else if (!builtIn && name !== HARVESTER_LONGHORN && !world.exists(object)) {
      return [{
        path: DEFAULT_PATH,
        level: 'warning',
        message: `cannot be set while ${HARVESTER_LONGHORN} is the default, which it is after installation`,
        fix: `reset that one first: kubectl annotate storageclass ${HARVESTER_LONGHORN} ${ANNOTATION_DEFAULT_CLASS}=false --overwrite`,
        says: says(HARVESTER_LONGHORN),
      }];
    }
    return NO_PROBLEMS;
  },
};

const SECRET: Rule = {
  id: 'storage-class/encryption-secret',
  level: 'error',
  kinds: KINDS,
  what: 'the Secret of a StorageClass of encrypted volumes contains all keys that Harvester requires',
  source: `${VALIDATOR} validateEncryptionSecret`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (!isHarvesters(object) || !isEncrypted(object.manifest) || world.exists(object)) { return NO_PROBLEMS; }
    const [first] = CSI_SECRET_PAIRS;
    const parameters = parametersOf(object.manifest);
    const [name, namespace] = [parameters[first!.name], parameters[first!.namespace]];
    if (typeof name !== 'string' || typeof namespace !== 'string' || isLate(name) || isLate(namespace)) { return NO_PROBLEMS; }
    const secret = world.find(object, '', 'Secret', namespace, name);
    if (secret) {
      return checkEncryptionSecret(`parameters[${first!.name}]`, secret.manifest);
    } else if (isSecretMissing(world, object, namespace, name)) {
      return [{
        path: `parameters[${first!.name}]`,
        value: `${namespace}/${name}`,
        // lists of Secrets are seldom complete
        level: 'warning',
        message: 'must be an existing Secret in its namespace',
        fix: 'create the Secret first, or correct the name',
        says: `secret ${namespace}/${name} not found`,
      }];
    }
    return NO_PROBLEMS;
  },
};

const SNAPSHOT_CLASS: Rule = {
  id: 'storage-class/snapshot-class',
  level: 'error',
  kinds: KINDS,
  what: 'the VolumeSnapshotClass of a StorageClass exists, if they are known',
  source: `${VALIDATOR} validateSnapshotClass`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const name = annotationsOf(object.manifest)[ANNOTATION_CDI.SNAPSHOT_CLASS];
    if (!isHarvesters(object) || typeof name !== 'string' || name === '' || isLate(name)) { return NO_PROBLEMS; }
    const missing = missingSnapshotClass(object, name, world);
    if (!missing) { return NO_PROBLEMS; }
    const { SNAPSHOT_CLASS: annotation } = ANNOTATION_CDI;
    return [{ path: `metadata.annotations[${annotation}]`, ...missing, says: `snapshot class ${name} in annotation ${annotation} not found` }];
  },
};

const DELETION: Rule = {
  id: 'storage-class/in-use',
  level: 'error',
  kinds: KINDS,
  what: 'a StorageClass cannot be deleted while images derive from it, and that of Harvester never',
  source: `${VALIDATOR} validateReservedStorageClass, validateVMImageUsage`,
  *judgeDeletion(gone: JudgedObject, world: World): Iterable<Problem> {
    const { name } = gone.manifest.metadata;
    const reserved = annotationsOf(gone.manifest)[ANNOTATION_RESERVED_CLASS];
    // the annotation identifies it even if the target cluster is not known
    if (!isHarvesters(gone) && !(gone.target.kind === undefined && reserved === 'true')) { return; }
    if (reserved === 'true' || (name === HARVESTER_LONGHORN && reserved !== 'false')) {
      yield { path: '', message: 'cannot be deleted', fix: 'keep its manifest', says: `storage class ${name} is reserved by Harvester and can't be deleted` };
      return;
    }
    const images = world.beside(gone, GROUPS.HARVESTER, 'VirtualMachineImage')
      .filter(({ manifest }) => annotationsOf(manifest)[ANNOTATION_IMAGE_STORAGE_CLASS] === name).map(({ manifest }) => manifest.metadata.name);
    if (images.length > 0) {
      yield {
        path: '', message: `cannot be deleted while the images ${some(images)} use it`, fix: 'keep it until the images are deleted', says: `storage class ${name} is used by virtual machine images: [${images.join(' ')}]`,
      };
    }
  },
};

/** Rules on storage classes of a Harvester. */
export const STORAGE_CLASS_RULES: readonly Rule[] = [SPEC, DEFAULT, SECRET, SNAPSHOT_CLASS, DELETION];

const CLAIM_KINDS = ['/PersistentVolumeClaim'];
const CLAIM_VALIDATOR = 'harvester/harvester:pkg/webhook/resources/persistentvolumeclaim/validator.go';

const storageOf = (claim: unknown): unknown => valueAt(claim, 'spec', 'resources', 'requests', 'storage');

const IMAGE: Rule = {
  id: 'volume/image',
  level: 'warning',
  kinds: CLAIM_KINDS,
  what: 'a standalone volume can be created only from an image of the backend backingimage, with its StorageClass',
  source: 'harvester/harvester:pkg/controller/master/virtualmachine/vm_controller.go createPVCsFromAnnotation',
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const imageId = annotationsOf(object.manifest)[ANNOTATION_IMAGE_ID];
    if (!isHarvesters(object) || typeof imageId !== 'string' || isLate(imageId) || world.exists(object)) { return NO_PROBLEMS; }
    const path = `metadata.annotations[${ANNOTATION_IMAGE_ID}]`;
    const [namespace, name = ''] = imageId.split('/');
    const image = world.find(object, GROUPS.HARVESTER, 'VirtualMachineImage', namespace, name);
    if (specOf(object.manifest).storageClassName === undefined) {
      return [{
        path: 'spec.storageClassName',
        message: 'must be set: with the default class the volume is empty',
        fix: `set the StorageClass of the image ${imageId}`,
      }];
    } else if (image && specOf(image.manifest).backend === 'cdi') {
      return [{
        path,
        value: imageId,
        message: 'cannot be an image of the backend cdi, with which Harvester fills only disks of VMs: this volume remains empty',
        fix: 'declare it as a disk of a VM',
      }];
    }
    return NO_PROBLEMS;
  },
};

const IMMUTABLE = immutableRule('volume/update', VOLUME_DESCRIPTION);

const UPDATE: Rule = {
  ...IMMUTABLE,
  *judgeUpdate(object: JudgedObject, before: Manifest, world: World): Iterable<Problem> {
    if (!isHarvesters(object)) { return; }
    const [size, old] = [quantityOf(storageOf(object.manifest)), quantityOf(storageOf(before))];
    if (size !== undefined && old !== undefined && size < old) {
      yield {
        path: 'spec.resources.requests.storage',
        value: storageOf(object.manifest),
        message: `must be at least ${String(storageOf(before))}, the current size`,
        fix: `set ${String(storageOf(before))} or more`,
        says: 'field can not be less than status.capacity',
      };
    }
    yield* IMMUTABLE.judgeUpdate(object, before, world);
  },
};

const VOLUME_DELETION: Rule = {
  id: 'volume/deletion',
  level: 'warning',
  kinds: CLAIM_KINDS,
  what: 'a volume that is no longer declared is deleted with its data; Harvester refuses that while a virtual machine uses it',
  source: `${CLAIM_VALIDATOR} Delete`,
  *judgeDeletion(gone: JudgedObject, world: World): Iterable<Problem> {
    if (!isHarvesters(gone)) { return; }
    const { name, namespace = 'default' } = gone.manifest.metadata;
    const user = world.beside(gone, GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE).find(({ manifest }) => (
      (manifest.metadata.namespace ?? 'default') === namespace && claimNamesOf(manifest).includes(name)));
    yield user ? {
      path: '',
      level: 'error',
      message: `cannot be deleted while ${objectLabel(user.manifest)} uses it`,
      fix: 'remove it from the VM in an earlier step',
      says: `can not delete the volume ${name} which is currently attached to VM: ${namespace}/${user.manifest.metadata.name}`,
    } : { path: '', message: 'is no longer declared: it is deleted with its data', fix: 'keep the volume, or back up its data' };
  },
};

/** Rules on standalone volumes of a Harvester. */
export const VOLUME_RULES: readonly Rule[] = [IMAGE, UPDATE, VOLUME_DELETION];
