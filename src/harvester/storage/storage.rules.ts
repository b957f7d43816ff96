import {
  checkEncryptionSecret,
  checkStorageClass,
  hasEncryption,
  parametersOf,
} from './harvester-storage-class.check';
import {
  ANNOTATION_CDI,
  ANNOTATION_DEFAULT_CLASS,
  ANNOTATION_RESERVED_CLASS,
  CRYPTO_KEY,
  CSI_SECRET_PAIRS,
  GROUP_STORAGE,
  HARVESTER_LONGHORN,
  VOLUME_DESCRIPTION,
} from './storage.kind';
import { isLate } from '../../core/late/late-token';
import {
  annotationsOf,
  isFromServer,
  Manifest,
  objectLabel,
  valueAt,
  specOf,
} from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { immutableRule } from '../../core/rule/general/immutable-fields.rules';
import { PLAIN_SECRET_CAUSE, PLAIN_SECRET_FIX } from '../../core/rule/general/plain-secret-fix';
import { ruleOf, rules } from '../../core/rule/kit/fact';
import { errorIf, usedBy } from '../../core/rule/kit/relations';
import { text } from '../../core/rule/kit/values';
import { JudgedObject, Rule } from '../../core/rule/rule';
import { isSecretMissing, perTarget } from '../../core/rule/world-lookup';
import { secretEntry } from '../../core/secret/definition';
import { plainText, some } from '../../core/text/plain-text';
import { quantityOf } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import { ANNOTATION_IMAGE_STORAGE_CLASS } from '../image/vm-image.kind';
import { missingSnapshotClass } from '../reference/missing-reference.check';
import { HarvesterGate } from '../version/harvester-version';
import {
  ANNOTATION_IMAGE_ID,
  GROUP_KUBEVIRT,
  KIND_VIRTUAL_MACHINE,
  claimNamesOf,
  isHarvesters,
} from '../virtual-machine/machine-manifest.facts';

const VALIDATOR = 'harvester/harvester:pkg/webhook/resources/storageclass/validator.go';
const SOURCE = `${VALIDATOR}; https://longhorn.io/docs/latest/advanced-resources/security/volume-encryption/`;

function passphraseOf(secret: Manifest): string | undefined {
  const passphrase = secretEntry(secret, CRYPTO_KEY.VALUE, isLate)?.text;
  return passphrase === '' || isLate(passphrase) ? undefined : passphrase;
}

/** The StorageClasses of encrypted volumes, by their Secret. */
const classesBySecret = perTarget(GROUP_STORAGE, 'StorageClass', (classes) => {
  const users = new Map<string, string[]>();
  const [pair] = CSI_SECRET_PAIRS;
  for (const { manifest } of classes.filter((storageClass) =>
    hasEncryption(storageClass.manifest),
  )) {
    const parameters = parametersOf(manifest);
    const key = `${plainText(parameters[pair!.namespace])}/${plainText(parameters[pair!.name])}`;
    users.set(key, [...(users.get(key) ?? []), manifest.metadata.name]);
  }
  return users;
});

/** Rules on the Secrets of encrypted volumes. */
export const ENCRYPTION_SECRET_RULES = rules(
  { kinds: ['/Secret'], source: SOURCE, surelyOn: 'harvester' },
  [
    {
      id: 'encryption-secret/plain',
      plainFiles: true,
      level: 'warning',
      what: 'the passphrase of encrypted volumes is a secret in plain text in Git',
      judge: ({ manifest }) =>
        !isFromServer(manifest) &&
        passphraseOf(manifest) !== undefined && {
          path: secretEntry(manifest, CRYPTO_KEY.VALUE, isLate)!.path,
          message:
            'is a secret in plain text: anyone who can read the manifest can read the volumes',
          fix: `${PLAIN_SECRET_FIX}, or let another tool create the Secret, and refer to it with VolumeEncryption.fromName`,
          cause: PLAIN_SECRET_CAUSE,
        },
    },
    {
      id: 'encryption-secret/loss',
      what: 'the Secret of encrypted volumes is kept with its passphrase: without it their data is lost',
      when: ({ manifest }) => secretEntry(manifest, CRYPTO_KEY.VALUE, isLate),
      judgeUpdate: ({ manifest }, before) => {
        const [now, old] = [passphraseOf(manifest), passphraseOf(before)];
        return (
          now !== undefined &&
          old !== undefined &&
          now !== old && {
            path: secretEntry(manifest, CRYPTO_KEY.VALUE, isLate)!.path,
            message:
              'cannot be changed: volumes with the previous passphrase could not be opened again',
            fix: 'keep it, and create a Secret and a StorageClass with different names for new volumes',
          }
        );
      },
      judgeDeletion: (gone, world) => {
        const { name, namespace = 'default' } = gone.manifest.metadata;
        const users = classesBySecret(gone, world).get(`${namespace}/${name}`) ?? [];
        return {
          // volumes outlive their class, and are not known here
          level: errorIf(users.length > 0),
          message:
            `cannot be deleted${users.length > 0 ? ` while the StorageClass ${some(users)} uses it` : ''}: its ` +
            'volumes could not be opened again',
          fix: 'keep it as long as such a volume or a backup of one exists',
        };
      },
    },
  ],
);

const DEFAULT_PATH = `metadata.annotations[${ANNOTATION_DEFAULT_CLASS}]`;

/** The annotation of a default class: any text except `false` for a new one. */
function isDefault({ manifest }: JudgedObject): boolean {
  const value = annotationsOf(manifest)[ANNOTATION_DEFAULT_CLASS];
  return value !== undefined && value !== 'false';
}

const defaults = perTarget(GROUP_STORAGE, 'StorageClass', (classes) => ({
  first: classes.find(
    ({ manifest }) => annotationsOf(manifest)[ANNOTATION_DEFAULT_CLASS] === 'true',
  )?.manifest.metadata.name,
  builtIn: classes.some(({ manifest }) => manifest.metadata.name === HARVESTER_LONGHORN),
}));

/** Rules on storage classes of a Harvester. */
export const STORAGE_CLASS_RULES = rules({ kinds: ['storage.k8s.io/StorageClass'] }, [
  {
    id: 'storage-class/spec',
    what:
      'a StorageClass of a Harvester has string parameters, a data locality that lets volumes move, one Secret ' +
      'for encryption, and valid annotations for CDI',
    source: VALIDATOR,
    surelyOn: 'harvester',
    // parameters of an existing one are immutable, and were accepted
    creation: true,
    judge: ({ manifest, target }) =>
      checkStorageClass(
        manifest,
        annotationsOf(manifest),
        hasFeature(target, HarvesterGate.STORAGE_ACCESS_MODES_ASKED),
      ),
  },
  {
    id: 'storage-class/default',
    what: 'only one StorageClass is the default, which is harvester-longhorn after installation',
    source: `${VALIDATOR} validateSetUniqueDefault; seen on Harvester 1.7.2`,
    surelyOn: 'harvester',
    when: isDefault,
    judge: (object, world) => {
      const { name } = object.manifest.metadata;
      const { first, builtIn } = defaults(object, world);
      const says = (holder: string) =>
        `default storage class ${holder} already exists, please reset it first before set ${name} as default`;
      if (first !== undefined && first !== name) {
        const message = `can be set on one StorageClass only: ${first} is the default`;
        return {
          path: DEFAULT_PATH,
          message,
          fix: 'keep one default StorageClass',
          says: says(first),
        };
      }
      return (
        !builtIn &&
        name !== HARVESTER_LONGHORN &&
        !world.exists(object) && {
          path: DEFAULT_PATH,
          level: 'warning',
          message: `cannot be set while ${HARVESTER_LONGHORN} is the default, which it is after installation`,
          fix: `reset that one first: kubectl annotate storageclass ${HARVESTER_LONGHORN} ${ANNOTATION_DEFAULT_CLASS}=false --overwrite`,
          says: says(HARVESTER_LONGHORN),
        }
      );
    },
  },
  {
    id: 'storage-class/encryption-secret',
    what: 'the Secret of a StorageClass of encrypted volumes contains all keys that Harvester requires',
    source: `${VALIDATOR} validateEncryptionSecret`,
    surelyOn: 'harvester',
    creation: true,
    when: ({ manifest }) => hasEncryption(manifest),
    judge: (object, world) => {
      const [first] = CSI_SECRET_PAIRS;
      const path = `parameters[${first!.name}]`;
      const parameters = parametersOf(object.manifest);
      const [name, namespace] = [parameters[first!.name], parameters[first!.namespace]];
      if (
        typeof name !== 'string' ||
        typeof namespace !== 'string' ||
        isLate(name) ||
        isLate(namespace)
      ) {
        return undefined;
      }
      const secret = world.find(object, '', 'Secret', namespace, name);
      if (secret) {
        return checkEncryptionSecret(path, secret.manifest);
      }
      return (
        isSecretMissing(world, object, namespace, name) && {
          path,
          value: `${namespace}/${name}`,
          // lists of Secrets are seldom complete
          level: 'warning',
          message: 'must be an existing Secret in its namespace',
          fix: 'create the Secret first, or correct the name',
          says: `secret ${namespace}/${name} not found`,
        }
      );
    },
  },
  {
    id: 'storage-class/snapshot-class',
    what: 'the VolumeSnapshotClass of a StorageClass exists, if they are known',
    source: `${VALIDATOR} validateSnapshotClass`,
    surelyOn: 'harvester',
    field: `metadata.annotations[${ANNOTATION_CDI.SNAPSHOT_CLASS}]`,
    check: text((_, name, object, world) => {
      const missing = missingSnapshotClass(object, name, world);
      return (
        missing && {
          ...missing,
          says: `snapshot class ${name} in annotation ${ANNOTATION_CDI.SNAPSHOT_CLASS} not found`,
        }
      );
    }),
  },
  {
    id: 'storage-class/in-use',
    what: 'a StorageClass cannot be deleted while images derive from it, and that of Harvester never',
    source: `${VALIDATOR} validateReservedStorageClass, validateVMImageUsage`,
    judgeDeletion: (gone, world) => {
      const { name } = gone.manifest.metadata;
      const reserved = annotationsOf(gone.manifest)[ANNOTATION_RESERVED_CLASS];
      // the annotation identifies it even if the target cluster is not known
      if (!isHarvesters(gone) && !(gone.target.kind === undefined && reserved === 'true')) {
        return undefined;
      }
      if (reserved === 'true' || (name === HARVESTER_LONGHORN && reserved !== 'false')) {
        return {
          message: 'cannot be deleted',
          fix: 'keep its manifest',
          says: `storage class ${name} is reserved by Harvester and can't be deleted`,
        };
      }
      const images = world
        .beside(gone, GROUPS.HARVESTER, 'VirtualMachineImage')
        .filter(({ manifest }) => annotationsOf(manifest)[ANNOTATION_IMAGE_STORAGE_CLASS] === name)
        .map(({ manifest }) => manifest.metadata.name);
      return (
        images.length > 0 && {
          message: `cannot be deleted while the images ${some(images)} use it`,
          fix: 'keep it until the images are deleted',
          says: `storage class ${name} is used by virtual machine images: [${images.join(' ')}]`,
        }
      );
    },
  },
]);

const CLAIM_VALIDATOR =
  'harvester/harvester:pkg/webhook/resources/persistentvolumeclaim/validator.go';

const namespaceOf = ({ metadata }: Manifest): string => {
  const { namespace = 'default' } = metadata;
  return namespace;
};

const storageOf = (claim: unknown): unknown =>
  valueAt(claim, 'spec', 'resources', 'requests', 'storage');

const IMMUTABLE = immutableRule('volume/update', VOLUME_DESCRIPTION);

/** Rules on standalone volumes of a Harvester. */
export const VOLUME_RULES: readonly Rule[] = [
  ...rules({ kinds: ['/PersistentVolumeClaim'], level: 'warning', surelyOn: 'harvester' }, [
    {
      id: 'volume/image',
      what: 'a standalone volume can be created only from an image of the backend backingimage, with its StorageClass',
      source:
        'harvester/harvester:pkg/controller/master/virtualmachine/vm_controller.go createPVCsFromAnnotation',
      creation: true,
      field: `metadata.annotations[${ANNOTATION_IMAGE_ID}]`,
      check: (_, imageId, object, world) => {
        if (typeof imageId !== 'string') {
          return undefined;
        }
        const [namespace, name = ''] = imageId.split('/');
        const image = world.find(object, GROUPS.HARVESTER, 'VirtualMachineImage', namespace, name);
        if (specOf(object.manifest).storageClassName === undefined) {
          return {
            path: 'spec.storageClassName',
            message: 'must be set: with the default class the volume is empty',
            fix: `set the StorageClass of the image ${imageId}`,
          };
        }
        return (
          image &&
          specOf(image.manifest).backend === 'cdi' && {
            value: imageId,
            message:
              'cannot be an image of the backend cdi, with which Harvester fills only disks of VMs: this volume remains empty',
            fix: 'declare it as a disk of a VM',
          }
        );
      },
    },
    {
      id: 'volume/deletion',
      what: 'a volume that is no longer declared is deleted with its data; Harvester refuses that while a virtual machine uses it',
      source: `${CLAIM_VALIDATOR} Delete`,
      judgeDeletion: usedBy({
        by: [[GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE]],
        uses: ({ manifest }, { manifest: gone }) =>
          namespaceOf(manifest) === namespaceOf(gone) &&
          claimNamesOf(manifest).includes(gone.metadata.name),
        problem: ([user], { manifest }) => ({
          message: `cannot be deleted while ${objectLabel(user!.manifest)} uses it`,
          fix: 'remove it from the VM in an earlier step',
          says:
            `can not delete the volume ${manifest.metadata.name} which is currently attached to VM: ` +
            `${namespaceOf(manifest)}/${user!.manifest.metadata.name}`,
        }),
        unused: {
          message: 'is no longer declared: it is deleted with its data',
          fix: 'keep the volume, or back up its data',
        },
      }),
    },
  ]),
  ruleOf({
    ...IMMUTABLE,
    surelyOn: 'harvester',
    *judgeUpdate(object, before, world) {
      const [now, was] = [object.manifest, before].map(storageOf);
      const [size, old] = [quantityOf(now), quantityOf(was)];
      if (size !== undefined && old !== undefined && size < old) {
        yield {
          path: 'spec.resources.requests.storage',
          value: now,
          message: `must be at least ${String(was)}, the current size`,
          fix: `set ${String(was)} or more`,
          says: 'field can not be less than status.capacity',
        };
      }
      yield* IMMUTABLE.judgeUpdate(object, before, world);
    },
  }),
];
