import { rancherHas } from './rancher-gates';
import { isTokenSecret, tokenOf } from './registration-token-secret';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { isLate } from '../model/late-token';
import { Manifest, valueAt } from '../model/manifest';
import { DEFAULT_TOKEN, GROUPS, SYSTEM_TOKEN, TOKEN_SECRET_PREFIX } from '../model/names';
import { Problem } from '../model/problem';
import { GateId } from '../versions/gate-id';

const CRT = 'ClusterRegistrationToken';
const CONTROLLER = 'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/clusterregistrationtoken.go ensureTokenSecret; seen on Rancher 2.13.8';

/** A Secret that holds a token beside the ClusterRegistrationToken that takes it for its own. */
export const TOKEN_OVERWRITTEN_RULE: Rule = {
  id: 'registration-token/overwritten',
  level: 'error',
  kinds: ['/Secret', `${GROUPS.MANAGEMENT}/${CRT}`],
  what: `a Secret ${TOKEN_SECRET_PREFIX}<name> beside a ClusterRegistrationToken <name> without status is overwritten: Rancher generates a token into it`,
  source: CONTROLLER,
  judge: (object: JudgedObject, world: World): Iterable<Problem> => {
    if (rancherHas(object.target, GateId.REGISTRATION_TOKEN_SECRET) === false) { return []; }
    return object.manifest.kind === 'Secret' ? judgeSecret(object, world) : judgeToken(object, world);
  },
};

function* judgeSecret(object: JudgedObject, world: World): Iterable<Problem> {
  const { manifest } = object;
  if (!isTokenSecret(object) || isOwned(manifest)) { return; }
  const own = manifest.metadata.name.slice(TOKEN_SECRET_PREFIX.length);
  const path = 'metadata.name';
  const crt = world.find(object, GROUPS.MANAGEMENT, CRT, manifest.metadata.namespace, own);
  if (crt && keepsToken(crt.manifest, manifest)) { return; }
  if (own === DEFAULT_TOKEN || own === SYSTEM_TOKEN) {
    yield { path, value: manifest.metadata.name, message: `is the Secret of ${own}, which Rancher makes for every cluster: ${lossOf(manifest)}`, fix: 'choose another name' };
  } else if (crt) {
    yield {
      path,
      value: manifest.metadata.name,
      message: `is the Secret of ClusterRegistrationToken ${own}: ${lossOf(manifest)}`,
      fix: `leave the ClusterRegistrationToken out, Rancher finds the token by the Secret alone; or name the Secret ${TOKEN_SECRET_PREFIX}<another name>`,
      // one that is live has its status by now, which an apply leaves alone
      ...(world.exists(crt) && manifest.immutable !== true ? { level: 'warning' as const } : {}),
    };
  }
}

// the Secret may be live only; where both are judged, it is told at the Secret
function* judgeToken(object: JudgedObject, world: World): Iterable<Problem> {
  const { manifest } = object;
  const { name, namespace } = manifest.metadata;
  if (name === '' || object.target.kind === 'harvester' || object.target.kind === 'guest' || world.exists(object)) { return; }
  const secret = world.find(object, '', 'Secret', namespace, `${TOKEN_SECRET_PREFIX}${name}`);
  if (!secret || judgedOf(world).has(secret) || isOwned(secret.manifest) || keepsToken(manifest, secret.manifest)) { return; }
  yield {
    path: 'metadata.name',
    value: name,
    message: `takes the Secret ${secret.manifest.metadata.name}, which exists, for its own: ${lossOf(secret.manifest)}`,
    fix: 'leave the ClusterRegistrationToken out, Rancher finds the token by the Secret alone; or choose another name',
  };
}

function lossOf(secret: Manifest): string {
  return secret.immutable === true
    ? 'the Secret is immutable, so Rancher fails on that token for ever'
    : 'Rancher overwrites this token with one that it generates, and fights with what applies the Secret';
}

/** Whether Rancher made the Secret for a ClusterRegistrationToken itself. */
function isOwned({ metadata }: Manifest): boolean {
  const { ownerReferences } = metadata;
  return Array.isArray(ownerReferences) && ownerReferences.some((owner) => valueAt(owner, 'kind') === CRT);
}

/** Whether Rancher goes on with the token that there is: it knows its Secret, or moves the same token to it. */
function keepsToken(crt: Manifest, secret: Manifest): boolean {
  if (valueAt(crt, 'status', 'tokenSecretName')) { return true; }
  const token = valueAt(crt, 'status', 'token');
  return Boolean(token) && (isLate(token) || token === tokenOf(secret)?.text);
}

// one set a world, so that many tokens stay linear
const JUDGED = new WeakMap<World, ReadonlySet<JudgedObject>>();

function judgedOf(world: World): ReadonlySet<JudgedObject> {
  const judged = JUDGED.get(world) ?? new Set(world.judged);
  JUDGED.set(world, judged);
  return judged;
}
