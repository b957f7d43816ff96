import { rancherHas, rancherLacks } from './rancher-gates';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { checkRegistrationToken, isSecretPlaceholder } from '../model/checks/registration-token';
import { isLate } from '../model/late-token';
import { Manifest, valueAt } from '../model/manifest';
import { DEFAULT_TOKEN, GROUPS, SYSTEM_TOKEN, TOKEN_SECRET_KEY, TOKEN_SECRET_PREFIX } from '../model/names';
import { Problem } from '../model/problem';
import { secretEntry, SecretEntry } from '../model/secret-data';
import { GateId } from '../versions/gate-id';

const KINDS = ['/Secret'];
const LOOKUP = 'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/token_secret.go; seen on Rancher 2.13.8';
const CONTROLLER = 'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/clusterregistrationtoken.go ensureTokenSecret; seen on Rancher 2.13.8';

// the prefix means something to Rancher only
function isTokenSecret({ manifest, target }: JudgedObject): boolean {
  return manifest.metadata.name.startsWith(TOKEN_SECRET_PREFIX) && target.kind !== 'harvester' && target.kind !== 'guest';
}

function tokenOf(secret: Manifest): SecretEntry | undefined {
  return secretEntry(secret, TOKEN_SECRET_KEY, isSecretPlaceholder);
}

const OVERWRITTEN: Rule = {
  id: 'registration-token/overwritten',
  level: 'error',
  kinds: KINDS,
  what: `a Secret ${TOKEN_SECRET_PREFIX}<name> beside a ClusterRegistrationToken <name> without status is overwritten: Rancher generates a token into it`,
  source: CONTROLLER,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest, target } = object;
    if (!isTokenSecret(object) || rancherHas(target, GateId.REGISTRATION_TOKEN_SECRET) === false) { return; }
    const own = manifest.metadata.name.slice(TOKEN_SECRET_PREFIX.length);
    const path = 'metadata.name';
    const loss = manifest.immutable === true
      ? 'the Secret is immutable, so Rancher fails on that token for ever'
      : 'Rancher overwrites this token with one that it generates, and fights with what applies the Secret';
    if (own === DEFAULT_TOKEN || own === SYSTEM_TOKEN) {
      yield { path, value: manifest.metadata.name, message: `is the Secret of ${own}, which Rancher makes for every cluster: ${loss}`, fix: 'choose another name' };
      return;
    }
    const crt = world.find(object, GROUPS.MANAGEMENT, 'ClusterRegistrationToken', manifest.metadata.namespace, own);
    if (!crt || valueAt(crt.manifest, 'status', 'tokenSecretName')) { return; }
    const token = valueAt(crt.manifest, 'status', 'token');
    if (token && (isLate(token) || token === tokenOf(manifest)?.text)) { return; }
    yield {
      path,
      value: manifest.metadata.name,
      message: `is the Secret of ClusterRegistrationToken ${own}: ${loss}`,
      fix: `leave the ClusterRegistrationToken out, Rancher finds the token by the Secret alone; or name the Secret ${TOKEN_SECRET_PREFIX}<another name>`,
      // one that is live has its status by now, which an apply leaves alone
      ...(world.exists(crt) && manifest.immutable !== true ? { level: 'warning' as const } : {}),
    };
  },
};

const KEY: Rule = {
  id: 'registration-token/secret-key',
  level: 'error',
  kinds: KINDS,
  what: `a Secret ${TOKEN_SECRET_PREFIX}… holds its token under the key ${TOKEN_SECRET_KEY}`,
  says: 'cluster not found or invalid token',
  source: `${LOOKUP} SecretTokenIndexValues`,
  *judge(object: JudgedObject): Iterable<Problem> {
    if (!isTokenSecret(object)) { return; }
    const entry = tokenOf(object.manifest);
    const fix = `write the token under ${TOKEN_SECRET_KEY}, in stringData or, as base64, in data`;
    if (!entry) {
      yield { path: `data.${TOKEN_SECRET_KEY}`, message: 'is missing: Rancher finds no cluster by this Secret', fix };
    } else if (entry.says) {
      yield { path: entry.path, message: 'can not be read', fix, says: entry.says };
    }
  },
};

const FORM: Rule = {
  id: 'registration-token/secret-token-form',
  level: 'error',
  kinds: KINDS,
  what: 'a token can stand in a URL path before an underscore',
  says: 'cluster not found or invalid token',
  source: 'rancher/rancher: the import handler splits <token>_<cluster id> at the first underscore',
  *judge(object: JudgedObject): Iterable<Problem> {
    const entry = isTokenSecret(object) ? tokenOf(object.manifest) : undefined;
    if (entry?.text !== undefined) { yield* checkRegistrationToken(entry.path, entry.text); }
  },
};

const PLAIN: Rule = {
  id: 'registration-token/plain-token',
  level: 'warning',
  kinds: KINDS,
  what: 'a registration token in a plain Secret stands in Git: whoever reads it can register a cluster in this one\'s place',
  source: 'https://kubernetes.io/docs/concepts/configuration/secret/: base64 is no encryption',
  *judge(object: JudgedObject): Iterable<Problem> {
    const entry = isTokenSecret(object) ? tokenOf(object.manifest) : undefined;
    if (!entry?.text || isSecretPlaceholder(entry.text)) { return; }
    yield { path: entry.path, message: 'is a credential in clear', fix: 'write a SealedSecret or an ExternalSecret that makes this Secret, or use a late value' };
  },
};

const VERSION: Rule = {
  id: 'registration-token/secret-ignored',
  level: 'error',
  kinds: KINDS,
  what: 'looking registration tokens up by their Secrets needs Rancher 2.13.8, 2.14.4 or 2.15.0; earlier ones ignore the Secret',
  source: LOOKUP,
  *judge(object: JudgedObject): Iterable<Problem> {
    const lacks = isTokenSecret(object) ? rancherLacks(object.target, GateId.REGISTRATION_TOKEN_SECRET) : undefined;
    if (lacks) {
      yield { path: 'metadata.name', value: object.manifest.metadata.name, message: `is ignored: ${lacks}`, fix: 'use the token that Rancher generates, as a late value, or upgrade Rancher' };
    }
  },
};

const IMMUTABLE: Rule = {
  id: 'registration-token/immutable-rotation',
  level: 'warning',
  kinds: KINDS,
  what: 'Rancher writes expiry and rotation into the Secret that a ClusterRegistrationToken names, which an immutable one forbids',
  source: 'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/clusterregistrationtoken.go handleTTL',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (!isTokenSecret(object) || object.manifest.immutable !== true) { return; }
    const { name, namespace } = object.manifest.metadata;
    const rotating = world.beside(object, GROUPS.MANAGEMENT, 'ClusterRegistrationToken').find(({ manifest }) => manifest.metadata.namespace === namespace
      && valueAt(manifest, 'status', 'tokenSecretName') === name && valueAt(manifest, 'spec', 'ttl') !== 0);
    if (rotating) {
      yield {
        path: 'immutable', message: `keeps Rancher from rotating the token of ClusterRegistrationToken ${rotating.manifest.metadata.name}`, fix: 'set spec.ttl: 0 there, or leave immutable out',
      };
    }
  },
};

/** Rules for the Secrets that hold registration tokens. */
export const TOKEN_SECRET_RULES: readonly Rule[] = [OVERWRITTEN, KEY, FORM, PLAIN, VERSION, IMMUTABLE];
