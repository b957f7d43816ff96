import { isEncrypted, parametersOf } from './host-storage-class.check';
import { CRYPTO_KEY, CSI_SECRET_PAIRS, GROUP_STORAGE } from './host-storage-class.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest } from '../../core/manifest/manifest';
import { isFromServer } from '../../core/manifest/metadata';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { secretEntry } from '../../core/secret/definition';
import { plainText } from '../../core/text/plain-text';
import { perTarget, some } from '../context.rules';

const KINDS = ['/Secret'];
const SOURCE = 'harvester/harvester:pkg/webhook/resources/storageclass/validator.go; https://longhorn.io/docs/latest/advanced-resources/security/volume-encryption/';

function passphraseOf(secret: Manifest): string | undefined {
  const text = secretEntry(secret, CRYPTO_KEY.VALUE, isLate)?.text;
  return text === '' || isLate(text) ? undefined : text;
}

const PLAIN: Rule = {
  id: 'encryption-secret/plain',
  level: 'warning',
  kinds: KINDS,
  what: 'the passphrase of encrypted volumes is a secret in plain text in Git',
  source: SOURCE,
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    if (target.kind !== 'harvester' || isFromServer(manifest) || passphraseOf(manifest) === undefined) { return; }
    yield {
      path: secretEntry(manifest, CRYPTO_KEY.VALUE, isLate)!.path,
      message: 'is a secret in plain text: anyone who can read the manifest can read the volumes',
      fix: 'create this Secret by a SealedSecret or an ExternalSecret, and refer to it with VolumeEncryption.fromName',
    };
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
  kinds: KINDS,
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
