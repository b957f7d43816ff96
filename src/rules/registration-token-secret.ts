import { rancherLacks } from './rancher-gates';
import { isInCluster } from './registration-token-clusters';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { annotationsOf, labelsOf } from '../model/checks/metadata-maps';
import { checkRegistrationToken, isSecretPlaceholder } from '../model/checks/registration-token';
import { Manifest, valueAt } from '../model/manifest';
import { GROUPS, TOKEN_SECRET_KEY, TOKEN_SECRET_PREFIX } from '../model/names';
import { Problem } from '../model/problem';
import { secretEntry, SecretEntry } from '../model/secret-data';
import { GateId } from '../versions/gate-id';

const KINDS = ['/Secret'];
const LOOKUP = 'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/token_secret.go; seen on Rancher 2.13.8';

/** Whether an object is a Secret that Rancher looks a token up by; the prefix means something to Rancher only. */
export function isTokenSecret({ manifest, target }: JudgedObject): boolean {
  return manifest.metadata.name.startsWith(TOKEN_SECRET_PREFIX) && target.kind !== 'harvester' && target.kind !== 'guest';
}

/** The token that a Secret holds. */
export function tokenOf(secret: Manifest): SecretEntry | undefined {
  return secretEntry(secret, TOKEN_SECRET_KEY, isSecretPlaceholder);
}

/** Tools that write the data of a Secret which stands in the manifests without them, by parts of their annotations. */
const FILLED_IN = /replicat|reflect|sealedsecrets|secret-generator|external-secrets|appscode|avp\.kubernetes|banzaicloud|1password|kyverno|doppler|infisical/;

// also where nobody says that the manifests are for a Rancher: the prefix is no reserved one
function mayBeFilledIn(object: JudgedObject, world: World): boolean {
  const keys = [...Object.keys(annotationsOf(object.manifest)), ...Object.keys(labelsOf(object.manifest))];
  return keys.some((key) => FILLED_IN.test(key)) || (object.target.kind === undefined && !isInCluster(object, world));
}

const KEY: Rule = {
  id: 'registration-token/secret-key',
  level: 'error',
  kinds: KINDS,
  what: `a Secret ${TOKEN_SECRET_PREFIX}… holds its token under the key ${TOKEN_SECRET_KEY}`,
  says: 'cluster not found or invalid token',
  source: `${LOOKUP} SecretTokenIndexValues`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (!isTokenSecret(object)) { return; }
    const entry = tokenOf(object.manifest);
    const fix = `write the token under ${TOKEN_SECRET_KEY}, in stringData or, as base64, in data`;
    if (!entry) {
      const level = mayBeFilledIn(object, world) ? 'warning' : 'error';
      yield { path: `data.${TOKEN_SECRET_KEY}`, level, message: 'is missing: Rancher finds no cluster by this Secret', fix };
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
export const TOKEN_SECRET_RULES: readonly Rule[] = [KEY, FORM, PLAIN, VERSION, IMMUTABLE];
