import { rancherLacks } from './rancher-gates';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { annotationsOf } from '../model/checks/metadata-maps';
import { isSecretPlaceholder } from '../model/checks/registration-token';
import { isRecord, Manifest } from '../model/manifest';
import { GROUPS } from '../model/names';
import { Problem } from '../model/problem';
import { ANNOTATION_PASSWORD_HASH, PASSWORD_HASH_PBKDF2, PASSWORD_KEY, PASSWORD_NAMESPACE, PASSWORD_SALT_KEY } from '../model/tenancy/names';
import { isKey } from '../model/tenancy/password-hash';
import { GateId } from '../versions/gate-id';

const KINDS = ['/Secret'];
const WEBHOOK = 'rancher/webhook:pkg/resources/core/v1/secret (0.9)';
const SEEN = 'seen on Rancher 2.13.8';
const FIX = `write what "cdk8s-harvester hash-password" prints: ${PASSWORD_KEY} and ${PASSWORD_SALT_KEY} as base64 in data, annotation ${ANNOTATION_PASSWORD_HASH}: ${PASSWORD_HASH_PBKDF2}`;

function isPassword({ manifest, target }: JudgedObject): boolean {
  return manifest.metadata.namespace === PASSWORD_NAMESPACE && target.kind !== 'harvester' && target.kind !== 'guest';
}

function isHashed(secret: Manifest): boolean {
  return ANNOTATION_PASSWORD_HASH in annotationsOf(secret);
}

interface Entry {
  readonly path: string;
  readonly text: unknown;
  /** Whether its field says that it is base64. */
  readonly encoded: boolean;
}

// stringData wins over data, as on the server
function entryOf({ data, stringData }: Manifest, key: string): Entry | undefined {
  const [plain, encoded] = [stringData, data].map((map) => (isRecord(map) ? map[key] : undefined) ?? undefined);
  if (plain !== undefined) { return { path: `stringData.${key}`, text: plain, encoded: false }; }
  return encoded === undefined ? undefined : { path: `data.${key}`, text: encoded, encoded: true };
}

const PLAIN: Rule = {
  id: 'user-password/plain',
  level: 'error',
  kinds: KINDS,
  what: 'a password in a manifest is a hash: a plain one works once, and locks the user out when it is applied again',
  source: `${SEEN}: the second apply overwrites the hash with the plain text, the annotation stays, and no password works any more`,
  *judge(object: JudgedObject): Iterable<Problem> {
    const { manifest } = object;
    if (!isPassword(object) || isHashed(manifest)) { return; }
    const entry = entryOf(manifest, PASSWORD_KEY);
    // what is filled in later may be a hash, with its annotation then
    if (!entry || (typeof entry.text === 'string' && isSecretPlaceholder(entry.text))) { return; }
    yield {
      path: entry.path,
      message: 'is the password itself: Rancher hashes it once, and the next apply writes it over the hash, which locks the user out',
      fix: FIX,
    };
  },
};

const HASH: Rule = {
  id: 'user-password/hash',
  level: 'error',
  kinds: KINDS,
  what: `a hashed password has ${PASSWORD_KEY} and ${PASSWORD_SALT_KEY} in data, the base64 of 32 bytes each, and annotation ${ANNOTATION_PASSWORD_HASH}: ${PASSWORD_HASH_PBKDF2}`,
  source: `rancher/rancher:pkg/auth/providers/local/pbkdf2/pbkdf2.go; ${SEEN}`,
  *judge(object: JudgedObject): Iterable<Problem> {
    const { manifest } = object;
    if (!isPassword(object) || !isHashed(manifest)) { return; }
    const algorithm = annotationsOf(manifest)[ANNOTATION_PASSWORD_HASH];
    if (algorithm !== PASSWORD_HASH_PBKDF2) {
      yield {
        path: `metadata.annotations[${ANNOTATION_PASSWORD_HASH}]`,
        value: algorithm,
        message: 'is no kind of hash that Rancher knows',
        fix: `write ${PASSWORD_HASH_PBKDF2}`,
      };
    }
    for (const key of [PASSWORD_KEY, PASSWORD_SALT_KEY]) {
      const entry = entryOf(manifest, key);
      if (!entry) {
        yield { path: `data.${key}`, message: 'is missing', fix: FIX };
      } else if (typeof entry.text === 'string' && isSecretPlaceholder(entry.text)) {
        continue;
      } else if (!entry.encoded) {
        yield { path: entry.path, message: 'is text, where Rancher wants bytes: no password would match', fix: FIX };
      } else if (!isKey(entry.text)) {
        yield { path: entry.path, message: 'is not the base64 of 32 bytes: no password would match', fix: FIX };
      }
    }
  },
};

const USER: Rule = {
  id: 'user-password/unknown-user',
  level: 'error',
  kinds: KINDS,
  what: 'the Secret of a password has the name of its User, who exists before it',
  says: 'User must be created before the secret',
  source: `${WEBHOOK}; ${SEEN}`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { name } = object.manifest.metadata;
    if (!isPassword(object) || world.exists(object) || world.knows(object, GROUPS.MANAGEMENT, 'User', undefined, name)) { return; }
    yield {
      path: 'metadata.name',
      value: name,
      ...(world.isListed(object, GROUPS.MANAGEMENT, 'User') ? {} : { level: 'warning' as const }),
      message: 'is no User that is declared or live here',
      fix: 'declare the User, or write the name of its object',
    };
  },
};

const VERSION: Rule = {
  id: 'user-password/ignored',
  level: 'error',
  kinds: KINDS,
  what: 'passwords in Secrets need Rancher 2.13; earlier ones do not look at them',
  source: WEBHOOK,
  *judge(object: JudgedObject): Iterable<Problem> {
    const lacks = isPassword(object) ? rancherLacks(object.target, GateId.PASSWORD_SECRET) : undefined;
    if (lacks) { yield { path: 'metadata.namespace', message: `is ignored: ${lacks}`, fix: 'set the password in Rancher, or upgrade it' }; }
  },
};

/** Rules for the passwords of local users. */
export const USER_PASSWORD_RULES: readonly Rule[] = [PLAIN, HASH, USER, VERSION];
