import { JudgedObject, Rule } from './rule';
import { Twins } from './twins';
import { USER_PASSWORD_RULES } from './user-password';
import { World } from './world';
import { isLate } from '../model/late-token';
import { Manifest, objectLabel } from '../model/manifest';
import { GROUPS } from '../model/names';
import { Problem } from '../model/problem';
import { localPrincipal } from '../model/tenancy/principals';

const KINDS = ['management.cattle.io/User'];
const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/users/validator.go';
const BCRYPT = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/;

// one index a world, so that many users stay linear
const BY_USERNAME = new WeakMap<World, Map<string, Twins>>();

function byUsername(world: World): ReadonlyMap<string, Twins> {
  let index = BY_USERNAME.get(world);
  if (!index) {
    index = new Map();
    const judged = new Set(world.judged);
    for (const user of world.ofKind(GROUPS.MANAGEMENT, 'User')) {
      const key = keyOf(user);
      const twins = index.get(key) ?? new Twins();
      index.set(key, twins);
      twins.add(user, judged.has(user));
    }
    BY_USERNAME.set(world, index);
  }
  return index;
}

function keyOf({ manifest, target }: JudgedObject): string {
  return `${target.name} ${usernameOf(manifest) ?? ''}`;
}

function usernameOf({ username }: Manifest): string | undefined {
  return typeof username === 'string' && username !== '' && !isLate(username) ? username : undefined;
}

const USERNAME: Rule = {
  id: 'user/username-taken',
  level: 'error',
  kinds: KINDS,
  what: 'every User has a username of its own',
  says: 'username already exists',
  source: `${VALIDATOR}; seen on Rancher 2.13.8`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const username = usernameOf(object.manifest);
    const first = username === undefined ? undefined : byUsername(world).get(keyOf(object))?.of(object);
    if (!first) { return; }
    yield { path: 'username', value: username, message: `is that of ${objectLabel(first.manifest)} too`, fix: 'choose another one' };
  },
};

const USERNAME_CHANGED: Rule = {
  id: 'user/username-changed',
  level: 'error',
  kinds: KINDS,
  what: 'a username that is set stays',
  says: 'field is immutable',
  source: VALIDATOR,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const [now, old] = [usernameOf(manifest), usernameOf(before)];
    if (now !== undefined && old !== undefined && now !== old) {
      yield { path: 'username', value: now, message: `was ${old}`, fix: 'leave it as it was, or make another User' };
    }
  },
};

const PASSWORD: Rule = {
  id: 'user/password-field',
  level: 'error',
  kinds: KINDS,
  what: 'the field password of a User, deprecated, holds a bcrypt hash; a plain text there lies open and lets nobody in',
  source: 'rancher/rancher:pkg/auth/providers/local/local_auth_provider.go; pkg/data/management/role_data.go BootstrapAdmin',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const { password } = manifest;
    if (typeof password !== 'string' || password === '' || isLate(password) || BCRYPT.test(password)) { return; }
    yield {
      path: 'password',
      message: 'is no hash',
      fix: 'leave it out, and write the Secret of the password with what "cdk8s-harvester hash-password" prints',
    };
  },
};

const PRINCIPALS: Rule = {
  id: 'user/principal-ids',
  level: 'warning',
  kinds: KINDS,
  what: 'the principals of a User are Rancher\'s to write: it adds local://<name>',
  source: 'seen on Rancher 2.13.8; immutable in later webhooks',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { principalIds } = object.manifest;
    if (!Array.isArray(principalIds) || principalIds.length === 0 || world.exists(object)) { return; }
    yield {
      path: 'principalIds',
      message: 'are written by Rancher, which then fights over the list with whoever applies it',
      fix: `leave them out: ${localPrincipal(object.manifest.metadata.name)} is added by itself`,
    };
  },
};

const DELETED: Rule = {
  id: 'user/deleted',
  level: 'warning',
  kinds: KINDS,
  what: 'with a User all its bindings go, of clusters, of projects and global ones',
  source: 'seen on Rancher 2.13.8',
  *judgeDeletion(gone: JudgedObject, world: World): Iterable<Problem> {
    const { name } = gone.manifest.metadata;
    const bindings = ['GlobalRoleBinding', 'ClusterRoleTemplateBinding', 'ProjectRoleTemplateBinding'].flatMap((kind) => world.beside(gone, GROUPS.MANAGEMENT, kind))
      .filter(({ manifest }) => manifest.userName === name || manifest.userPrincipalName === localPrincipal(name));
    yield bindings.length === 0
      ? { path: '', message: 'is deleted, and with it every binding that names it', fix: 'keep it, unless that is meant' }
      : {
        path: '',
        message: `is deleted, and with it go bindings that are still declared: ${bindings.slice(0, 5).map(({ manifest }) => objectLabel(manifest)).join(', ')}`,
        fix: 'take those out too, else every apply makes them anew for nobody',
      };
  },
};

/** Rules for Users and their passwords. */
export const USER_RULES: readonly Rule[] = [USERNAME, USERNAME_CHANGED, PASSWORD, PRINCIPALS, DELETED, ...USER_PASSWORD_RULES];
