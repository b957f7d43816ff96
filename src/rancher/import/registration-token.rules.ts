import { TOKEN_OVERWRITTEN_RULE, TOKEN_SECRET_RULES, isTokenSecret, knownClusterIds } from './registration-token-secret.rules';
import { checkRegistrationToken } from './registration-token.check';
import { DEFAULT_TOKEN, SYSTEM_TOKEN, TOKEN_SECRET_PREFIX } from './registration-token.kind';
import { isLate } from '../../core/late/late-token';
import { isRecord, objectLabel, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { given } from '../../core/text/plain-text';
import { GateId } from '../../core/version/gate-id';
import { rancherHas, rancherLacks } from '../version/rancher-gates';

const KINDS = ['management.cattle.io/ClusterRegistrationToken'];
const CONTROLLER = 'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/clusterregistrationtoken.go';
const FLUX = 'fluxcd/pkg:ssa/normalize/normalize.go';
const MIN_TTL = 30;
const MIN_GRACE = 10;
const DEFAULT_TTL = 43200;
const SIMPLEST = `write only a Secret ${TOKEN_SECRET_PREFIX}<name> with the key token into the cluster's namespace, and no ClusterRegistrationToken`;

const NAMESPACE: Rule = {
  id: 'registration-token/namespace',
  level: 'error',
  kinds: KINDS,
  what: 'a ClusterRegistrationToken lies in the namespace of the cluster that it names, which is the cluster\'s id',
  source: `${CONTROLLER}; the import handler takes the namespace as the cluster's id`,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const clusterName = valueAt(manifest, 'spec', 'clusterName');
    const { namespace } = manifest.metadata;
    if (isLate(clusterName) || isLate(namespace)) { return; }
    if (typeof clusterName !== 'string' || clusterName === '') {
      yield { path: 'spec.clusterName', ...given(clusterName), message: 'names no cluster', fix: 'give the management cluster id, the same as the namespace' };
    } else if (namespace !== undefined && namespace !== clusterName) {
      yield {
        path: 'spec.clusterName',
        value: clusterName,
        message: `is not the namespace, ${namespace}: tokens are looked up there and register that cluster`,
        fix: 'use the management cluster id for both',
      };
    }
  },
};

const RESERVED: Rule = {
  id: 'registration-token/reserved-name',
  level: 'warning',
  kinds: KINDS,
  what: `Rancher makes ${DEFAULT_TOKEN} and ${SYSTEM_TOKEN} for every cluster itself`,
  source: 'rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go createToken; pkg/systemaccount/systemaccount.go',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const { name } = manifest.metadata;
    if (name !== DEFAULT_TOKEN && name !== SYSTEM_TOKEN) { return; }
    const use = name === SYSTEM_TOKEN ? 'the cluster\'s agents register with it' : 'Rancher\'s UI shows its commands';
    yield { path: 'metadata.name', value: name, message: `is the token that Rancher makes for every cluster: ${use}`, fix: 'choose another name, or leave it to Rancher' };
  },
};

const STATUS_NAME: Rule = {
  id: 'registration-token/status-token-secret',
  level: 'warning',
  kinds: KINDS,
  what: 'a status.tokenSecretName in a manifest works until an engine drops the status, as Flux does, or Rancher rotates the token',
  source: `${CONTROLLER}; ${FLUX}`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest, target } = object;
    const secret = valueAt(manifest, 'status', 'tokenSecretName');
    if (typeof secret !== 'string' || secret === '' || isLate(secret)) { return; }
    const path = 'status.tokenSecretName';
    yield {
      path, value: secret, message: 'is dropped by Flux, which removes status from what it applies: Rancher then overwrites the token', fix: SIMPLEST,
    };
    if (rancherHas(target, GateId.REGISTRATION_TOKEN_ROTATION) && valueAt(manifest, 'spec', 'ttl') !== 0) {
      yield { path: 'spec.ttl', message: 'is not 0: this Rancher rotates the token in the Secret and the import URL stops working', fix: 'set spec.ttl: 0' };
    }
    if (!world.find(object, '', 'Secret', manifest.metadata.namespace, secret)) {
      yield { path, value: secret, message: 'names a Secret that is not known here', fix: 'declare the Secret, or make sure that something else does (a sealed or external secret)' };
    }
  },
};

const STATUS_NAME_PREFIX: Rule = {
  id: 'registration-token/secret-name',
  level: 'error',
  kinds: KINDS,
  what: `Rancher looks tokens up in Secrets named ${TOKEN_SECRET_PREFIX}… only`,
  says: 'cluster not found or invalid token',
  source: 'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/token_secret.go IsTokenSecret',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const secret = valueAt(manifest, 'status', 'tokenSecretName');
    if (typeof secret === 'string' && secret !== '' && !isLate(secret) && !secret.startsWith(TOKEN_SECRET_PREFIX)) {
      yield { path: 'status.tokenSecretName', value: secret, message: 'is no Secret that Rancher looks tokens up in', fix: `name it ${TOKEN_SECRET_PREFIX}<name>` };
    }
  },
};

const STATUS_TOKEN: Rule = {
  id: 'registration-token/status-token',
  level: 'warning',
  kinds: KINDS,
  what: 'a token in the status of a manifest stands in Git, and Flux drops it',
  source: `${CONTROLLER} (moved to a Secret by 2.13.8, 2.14.4, 2.15.0); ${FLUX}`,
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    const token = valueAt(manifest, 'status', 'token');
    if (typeof token !== 'string' || token === '' || isLate(token)) { return; }
    const lookup = rancherHas(target, GateId.REGISTRATION_TOKEN_SECRET) !== false;
    yield {
      path: 'status.token',
      message: 'is a credential in clear: whoever reads the manifest can register a cluster; and Flux drops it, so that Rancher makes another',
      fix: lookup ? SIMPLEST : 'use the token that Rancher generates, as a late value',
    };
  },
};

const STATUS_TOKEN_FORM: Rule = {
  id: 'registration-token/token-form',
  level: 'error',
  kinds: KINDS,
  what: 'a token can stand in a URL path before an underscore',
  says: 'cluster not found or invalid token',
  source: 'rancher/rancher: the import handler splits <token>_<cluster id> at the first underscore',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const token = valueAt(manifest, 'status', 'token');
    if (typeof token === 'string' && token !== '') { yield* checkRegistrationToken('status.token', token); }
  },
};

const LIFETIME: Rule = {
  id: 'registration-token/lifetime',
  level: 'warning',
  kinds: KINDS,
  what: `ttl is 0 or at least ${MIN_TTL} minutes, gracePeriod at least ${MIN_GRACE} and less than ttl; Rancher uses the nearest allowed value`,
  source: `${CONTROLLER} ClampTTL, ClampGracePeriod`,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const { ttl, gracePeriod } = isRecord(manifest.spec) ? manifest.spec : {};
    if (Number.isInteger(ttl) && Number(ttl) !== 0 && Number(ttl) < MIN_TTL) {
      const meaning = Number(ttl) < 0 ? 'counts as 0, never' : `counts as ${MIN_TTL}`;
      yield { path: 'spec.ttl', value: ttl, message: `is out of range and ${meaning}`, fix: `use 0 for a token that does not expire, or minutes from ${MIN_TTL}` };
    }
    const minutes = Number.isInteger(ttl) ? Number(ttl) : DEFAULT_TTL;
    if (!Number.isInteger(gracePeriod) || minutes <= 0) { return; }
    if (Number(gracePeriod) < MIN_GRACE) {
      yield { path: 'spec.gracePeriod', value: gracePeriod, message: `is out of range and counts as ${MIN_GRACE}`, fix: `use minutes from ${MIN_GRACE}` };
    } else if (Number(gracePeriod) >= Math.max(minutes, MIN_TTL)) {
      yield { path: 'spec.gracePeriod', value: gracePeriod, message: 'is not less than ttl and counts as 80 % of it', fix: 'use less than ttl' };
    }
  },
};

const LIFETIME_FIELDS: Rule = {
  id: 'registration-token/lifetime-fields',
  level: 'error',
  kinds: KINDS,
  what: 'ttl and gracePeriod are whole numbers of minutes and need Rancher 2.13.8, 2.14.4 or 2.15.0',
  source: 'rancher/rancher:pkg/apis/management.cattle.io/v3/cluster_types.go ClusterRegistrationTokenSpec',
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    for (const field of ['ttl', 'gracePeriod']) {
      const value = valueAt(manifest, 'spec', field);
      if (value === undefined || value === null) { continue; }
      const path = `spec.${field}`;
      const lacks = rancherLacks(target, GateId.REGISTRATION_TOKEN_TTL);
      if (lacks) {
        yield { path, value, message: `is lost: ${lacks}`, fix: 'leave it out: tokens of this version do not expire', says: `unknown field "${path}"` };
      } else if (!Number.isInteger(value)) {
        yield { path, value, message: 'is no whole number', fix: 'give minutes as a number', says: `must be of type integer: "${typeof value}"` };
      }
    }
  },
};

const UNKNOWN_CLUSTER: Rule = {
  id: 'registration-token/unknown-cluster',
  level: 'warning',
  kinds: [...KINDS, '/Secret'],
  what: 'the namespace of a registration token is the id of a cluster',
  source: 'rancher/rancher: the import handler takes the namespace of the token\'s Secret as the cluster\'s id',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { kind, metadata: { namespace } } = object.manifest;
    if (namespace === undefined || isLate(namespace) || (kind === 'Secret' && !isTokenSecret(object))) { return; }
    const ids = knownClusterIds(object, world);
    if (ids.size === 0 || ids.has(namespace)) { return; }
    yield { path: 'metadata.namespace', value: namespace, message: 'is the id of no cluster that is known here', fix: `use one of ${[...ids].slice(0, 5).join(', ')}` };
  },
};

const DELETION: Rule = {
  id: 'registration-token/secret-remains',
  level: 'warning',
  kinds: KINDS,
  what: 'a token of your own is revoked by deleting its Secret; deleting the ClusterRegistrationToken alone leaves it valid',
  source: 'seen on Rancher 2.13.8: the import URL still answers 200',
  *judgeDeletion(gone: JudgedObject, world: World): Iterable<Problem> {
    const { name, namespace } = gone.manifest.metadata;
    const named = valueAt(gone.manifest, 'status', 'tokenSecretName');
    const secrets = [typeof named === 'string' ? named : '', `${TOKEN_SECRET_PREFIX}${name}`]
      .flatMap((secret) => world.find(gone, '', 'Secret', namespace, secret) ?? []);
    if (secrets.length > 0 && rancherHas(gone.target, GateId.REGISTRATION_TOKEN_SECRET) !== false) {
      yield { path: '', message: `is deleted, and ${objectLabel(secrets[0].manifest)} stays: the token is still valid`, fix: 'delete the Secret as well to revoke it' };
    }
  },
};

/** Rules for tokens that clusters register with: ClusterRegistrationTokens and their Secrets. */
export const REGISTRATION_TOKEN_RULES: readonly Rule[] = [
  NAMESPACE, RESERVED, STATUS_NAME, STATUS_NAME_PREFIX, STATUS_TOKEN, STATUS_TOKEN_FORM, LIFETIME, LIFETIME_FIELDS, UNKNOWN_CLUSTER, DELETION,
  TOKEN_OVERWRITTEN_RULE, ...TOKEN_SECRET_RULES,
];
