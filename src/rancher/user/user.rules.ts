import { isKey } from './password.check';
import { ANNOTATION_PASSWORD_HASH, PASSWORD_HASH_PBKDF2, PASSWORD_KEY, PASSWORD_NAMESPACE, PASSWORD_SALT_KEY } from './user.kind';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, isRecord, Manifest, objectLabel } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { twinsBy } from '../../core/rule/world-lookup';
import { lacksFeature } from '../../core/version/target-features';
import { isSecretPlaceholder } from '../import/registration-token.check';
import { localPrincipal } from '../members/principal.check';
import { RancherGate } from '../version/rancher-version';

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
  /** Whether its field contains base64. */
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
  plainFiles: true,
  level: 'error',
  kinds: KINDS,
  what: 'a password in a manifest is a hash: a plain one works once, and locks the user out when it is applied again',
  source: `${SEEN}: the second apply overwrites the hash with the plain text, the annotation is kept, and no password works`,
  judge(object: JudgedObject): Iterable<Problem> {
    const { manifest } = object;
    if (!isPassword(object) || isHashed(manifest)) { return NO_PROBLEMS; }
    const entry = entryOf(manifest, PASSWORD_KEY);
    // what is filled in later may be a hash, with its annotation then
    if (!entry || (typeof entry.text === 'string' && isSecretPlaceholder(entry.text))) { return NO_PROBLEMS; }
    return [{
      path: entry.path,
      message: 'cannot be a plain password: Rancher hashes it once, and the next apply overwrites the hash, which locks the user out',
      fix: FIX,
    }];
  },
};

const HASH: Rule = {
  id: 'user-password/hash',
  level: 'error',
  kinds: KINDS,
  fields: [`metadata.annotations[${ANNOTATION_PASSWORD_HASH}]`],
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
        message: 'must be a hash of a kind that Rancher knows',
        fix: `write ${PASSWORD_HASH_PBKDF2}`,
      };
    }
    for (const key of [PASSWORD_KEY, PASSWORD_SALT_KEY]) {
      const entry = entryOf(manifest, key);
      if (!entry) {
        yield { path: `data.${key}`, message: 'must be set', fix: FIX };
      } else if (typeof entry.text === 'string' && isSecretPlaceholder(entry.text)) {
        continue;
      } else if (!entry.encoded) {
        yield { path: entry.path, message: 'must be bytes in base64, not text: no password would match', fix: FIX };
      } else if (!isKey(entry.text)) {
        yield { path: entry.path, message: 'must be the base64 of 32 bytes: no password would match', fix: FIX };
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
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { name } = object.manifest.metadata;
    if (!isPassword(object) || world.exists(object) || world.knows(object, GROUPS.MANAGEMENT, 'User', undefined, name)) { return NO_PROBLEMS; }
    return [{
      path: 'metadata.name',
      value: name,
      ...(world.isListed(object, GROUPS.MANAGEMENT, 'User') ? {} : { level: 'warning' as const }),
      message: 'must be a declared or live User',
      fix: 'declare the User, or write the name of its object',
    }];
  },
};

const VERSION: Rule = {
  id: 'user-password/ignored',
  level: 'error',
  kinds: KINDS,
  what: 'passwords in Secrets need Rancher 2.13; earlier ones do not look at them',
  source: WEBHOOK,
  judge(object: JudgedObject): Iterable<Problem> {
    const lacks = isPassword(object) ? lacksFeature(object.target, RancherGate.PASSWORD_SECRET) : undefined;
    if (lacks) { return [{ path: 'metadata.namespace', message: `has no effect: ${lacks}`, fix: 'set the password in Rancher, or upgrade Rancher' }]; }
    return NO_PROBLEMS;
  },
};

/** Rules for the passwords of local users. */
const USER_PASSWORD_RULES: readonly Rule[] = [PLAIN, HASH, USER, VERSION];

const USER_KINDS = ['management.cattle.io/User'];
const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/users/validator.go';
const BCRYPT = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/;

const byUsername = twinsBy(GROUPS.MANAGEMENT, 'User', (user) => [keyOf(user)]);

function keyOf({ manifest, target }: JudgedObject): string {
  return `${target.name} ${usernameOf(manifest) ?? ''}`;
}

function usernameOf({ username }: Manifest): string | undefined {
  return typeof username === 'string' && username !== '' && !isLate(username) ? username : undefined;
}

const USERNAME: Rule = {
  id: 'user/username-taken',
  level: 'error',
  kinds: USER_KINDS,
  what: 'every User has a username of its own',
  says: 'username already exists',
  source: `${VALIDATOR}; seen on Rancher 2.13.8`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const username = usernameOf(object.manifest);
    const first = username === undefined ? undefined : byUsername(world).get(keyOf(object))?.of(object);
    if (!first) { return NO_PROBLEMS; }
    return [{ path: 'username', value: username, message: `must be unique: it is also that of ${objectLabel(first.manifest)}`, fix: 'choose another username' }];
  },
};

const PASSWORD: Rule = {
  id: 'user/password-field',
  level: 'error',
  kinds: USER_KINDS,
  what: 'the deprecated field password of a User contains a bcrypt hash; a plain text is readable and does not work',
  source: 'rancher/rancher:pkg/auth/providers/local/local_auth_provider.go; pkg/data/management/role_data.go BootstrapAdmin',
  judge({ manifest }: JudgedObject): Iterable<Problem> {
    const { password } = manifest;
    if (typeof password !== 'string' || password === '' || isLate(password) || BCRYPT.test(password)) { return NO_PROBLEMS; }
    return [{
      path: 'password',
      message: 'must be a bcrypt hash',
      fix: 'remove it, and write the Secret of the password with the output of "cdk8s-harvester hash-password"',
    }];
  },
};

const PRINCIPALS: Rule = {
  id: 'user/principal-ids',
  level: 'warning',
  kinds: USER_KINDS,
  what: 'the principals of a User are Rancher\'s to write: it adds local://<name>',
  source: 'seen on Rancher 2.13.8; immutable in later webhooks',
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { principalIds } = object.manifest;
    if (!Array.isArray(principalIds) || principalIds.length === 0 || world.exists(object)) { return NO_PROBLEMS; }
    return [{
      path: 'principalIds',
      message: 'cannot be set: Rancher writes the list, and every apply would change it back',
      fix: `remove them: Rancher adds ${localPrincipal(object.manifest.metadata.name)}`,
    }];
  },
};

const DELETED: Rule = {
  id: 'user/deleted',
  level: 'warning',
  kinds: USER_KINDS,
  what: 'with a User all its bindings go, of clusters, of projects and global ones',
  source: 'seen on Rancher 2.13.8',
  *judgeDeletion(gone: JudgedObject, world: World): Iterable<Problem> {
    const { name } = gone.manifest.metadata;
    const bindings = ['GlobalRoleBinding', 'ClusterRoleTemplateBinding', 'ProjectRoleTemplateBinding'].flatMap((kind) => world.beside(gone, GROUPS.MANAGEMENT, kind))
      .filter(({ manifest }) => manifest.userName === name || manifest.userPrincipalName === localPrincipal(name));
    yield bindings.length === 0
      ? { path: '', message: 'is deleted with all its bindings', fix: 'keep it, unless this is intended' }
      : {
        path: '',
        message: `is deleted with bindings that are still declared: ${bindings.slice(0, 5).map(({ manifest }) => objectLabel(manifest)).join(', ')}`,
        fix: 'remove those as well, otherwise every apply recreates them without effect',
      };
  },
};

/** Rules for Users and their passwords. */
export const USER_RULES: readonly Rule[] = [USERNAME, PASSWORD, PRINCIPALS, DELETED, ...USER_PASSWORD_RULES];
