import { TOKEN_OVERWRITTEN_RULE, TOKEN_SECRET_RULES, isTokenSecret, knownClusterIds } from './registration-token-secret.rules';
import { checkLifetime, checkLifetimeType, checkRegistrationToken } from './registration-token.check';
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
const SIMPLEST = `write only a Secret ${TOKEN_SECRET_PREFIX}<name> with the key token to the cluster's namespace, without a ClusterRegistrationToken`;

const NAMESPACE: Rule = {
  id: 'registration-token/namespace',
  level: 'error',
  kinds: KINDS,
  what: 'a ClusterRegistrationToken is in the namespace of the cluster that it names, which is the management cluster ID',
  source: `${CONTROLLER}; the import handler reads the namespace as the management cluster ID`,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const clusterName = valueAt(manifest, 'spec', 'clusterName');
    const { namespace } = manifest.metadata;
    if (isLate(clusterName) || isLate(namespace)) { return; }
    if (typeof clusterName !== 'string' || clusterName === '') {
      yield { path: 'spec.clusterName', ...given(clusterName), message: 'must be the management cluster ID', fix: 'set it to the namespace of the token' };
    } else if (namespace !== undefined && namespace !== clusterName) {
      yield {
        path: 'spec.clusterName',
        value: clusterName,
        message: `must be the namespace, ${namespace}: Rancher finds tokens there and registers that cluster`,
        fix: 'use the management cluster ID for both',
      };
    }
  },
};

const RESERVED: Rule = {
  id: 'registration-token/reserved-name',
  level: 'warning',
  kinds: KINDS,
  what: `Rancher creates ${DEFAULT_TOKEN} and ${SYSTEM_TOKEN} for every cluster`,
  source: 'rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go createToken; pkg/systemaccount/systemaccount.go',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const { name } = manifest.metadata;
    if (name !== DEFAULT_TOKEN && name !== SYSTEM_TOKEN) { return; }
    const use = name === SYSTEM_TOKEN ? 'the cluster\'s agents register with it' : 'Rancher\'s UI shows its commands';
    yield { path: 'metadata.name', value: name, message: `cannot be the name of a token that Rancher creates for every cluster: ${use}`, fix: 'choose another name, or remove the object' };
  },
};

const STATUS_NAME: Rule = {
  id: 'registration-token/status-token-secret',
  level: 'warning',
  kinds: KINDS,
  what: 'a status.tokenSecretName in a manifest works only until an engine drops the status, as Flux does, or Rancher rotates the token',
  source: `${CONTROLLER}; ${FLUX}`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest, target } = object;
    const secret = valueAt(manifest, 'status', 'tokenSecretName');
    if (typeof secret !== 'string' || secret === '' || isLate(secret)) { return; }
    const path = 'status.tokenSecretName';
    yield {
      path, value: secret, message: 'has no effect with Flux, which removes status from manifests: Rancher then overwrites the token', fix: SIMPLEST,
    };
    if (rancherHas(target, GateId.REGISTRATION_TOKEN_ROTATION) && valueAt(manifest, 'spec', 'ttl') !== 0) {
      yield { path: 'spec.ttl', message: 'must be 0: otherwise this Rancher rotates the token in the Secret and the import URL stops working', fix: 'set spec.ttl: 0' };
    }
    if (!world.find(object, '', 'Secret', manifest.metadata.namespace, secret)) {
      yield { path, value: secret, message: 'must name a known Secret', fix: 'declare the Secret, or make sure that another tool creates it (a sealed or external secret)' };
    }
  },
};

const STATUS_NAME_PREFIX: Rule = {
  id: 'registration-token/secret-name',
  level: 'error',
  kinds: KINDS,
  what: `Rancher finds tokens only in Secrets named ${TOKEN_SECRET_PREFIX}…`,
  says: 'cluster not found or invalid token',
  source: 'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/token_secret.go IsTokenSecret',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const secret = valueAt(manifest, 'status', 'tokenSecretName');
    if (typeof secret === 'string' && secret !== '' && !isLate(secret) && !secret.startsWith(TOKEN_SECRET_PREFIX)) {
      yield { path: 'status.tokenSecretName', value: secret, message: `must begin with ${TOKEN_SECRET_PREFIX}: Rancher finds tokens only in such Secrets`, fix: `name it ${TOKEN_SECRET_PREFIX}<name>` };
    }
  },
};

const STATUS_TOKEN: Rule = {
  id: 'registration-token/status-token',
  level: 'warning',
  kinds: KINDS,
  what: 'a token in the status of a manifest is in Git, and Flux drops it',
  source: `${CONTROLLER} (moved to a Secret by 2.13.8, 2.14.4, 2.15.0); ${FLUX}`,
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    const token = valueAt(manifest, 'status', 'token');
    if (typeof token !== 'string' || token === '' || isLate(token)) { return; }
    const lookup = rancherHas(target, GateId.REGISTRATION_TOKEN_SECRET) !== false;
    yield {
      path: 'status.token',
      message: 'is a secret in plain text: anyone who reads the manifest can register a cluster; and Flux drops it, so that Rancher generates another',
      fix: lookup ? SIMPLEST : 'use the token that Rancher generates, as a late value',
    };
  },
};

const STATUS_TOKEN_FORM: Rule = {
  id: 'registration-token/token-form',
  level: 'error',
  kinds: KINDS,
  what: 'a registration token consists of characters that a URL path allows, without underscores',
  says: 'cluster not found or invalid token',
  source: 'rancher/rancher: the import handler splits <token>_<cluster id> at the first underscore',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const token = valueAt(manifest, 'status', 'token');
    if (typeof token === 'string' && token !== '') { yield* checkRegistrationToken('status.token', token); }
  },
};

const inSpec = (problems: Iterable<Problem>): Problem[] => [...problems].map((problem) => ({ ...problem, path: `spec.${problem.path}` }));

const LIFETIME: Rule = {
  id: 'registration-token/lifetime',
  level: 'warning',
  kinds: KINDS,
  what: 'ttl is 0 or at least 30 minutes, gracePeriod at least 10 and less than ttl; Rancher uses the nearest allowed value',
  source: `${CONTROLLER} ClampTTL, ClampGracePeriod`,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    yield* inSpec(checkLifetime(isRecord(manifest.spec) ? manifest.spec : {}));
  },
};

const LIFETIME_FIELDS: Rule = {
  id: 'registration-token/lifetime-fields',
  level: 'error',
  kinds: KINDS,
  what: 'ttl and gracePeriod are whole numbers of minutes and need Rancher 2.13.8, 2.14.4 or 2.15.0',
  source: 'rancher/rancher:pkg/apis/management.cattle.io/v3/cluster_types.go ClusterRegistrationTokenSpec',
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    const spec = isRecord(manifest.spec) ? manifest.spec : {};
    const lacks = rancherLacks(target, GateId.REGISTRATION_TOKEN_TTL);
    if (!lacks) {
      for (const problem of inSpec(checkLifetimeType(spec))) { yield { ...problem, says: `must be of type integer: "${typeof problem.value}"` }; }
      return;
    }
    for (const path of ['spec.ttl', 'spec.gracePeriod'].filter((each) => (valueAt(spec, each.slice(5)) ?? null) !== null)) {
      yield { path, value: valueAt(manifest, ...path.split('.')), message: `has no effect: ${lacks}`, fix: 'remove it: tokens of this version do not expire', says: `unknown field "${path}"` };
    }
  },
};

const UNKNOWN_CLUSTER: Rule = {
  id: 'registration-token/unknown-cluster',
  level: 'warning',
  kinds: [...KINDS, '/Secret'],
  what: 'the namespace of a registration token is a management cluster ID',
  source: 'rancher/rancher: the import handler reads the namespace of the token\'s Secret as the management cluster ID',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { kind, metadata: { namespace } } = object.manifest;
    if (namespace === undefined || isLate(namespace) || (kind === 'Secret' && !isTokenSecret(object))) { return; }
    const ids = knownClusterIds(object, world);
    if (ids.size === 0 || ids.has(namespace)) { return; }
    yield { path: 'metadata.namespace', value: namespace, message: 'must be the management cluster ID of a known cluster', fix: `use one of ${[...ids].slice(0, 5).join(', ')}` };
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
      yield { path: '', message: `is deleted, but ${objectLabel(secrets[0].manifest)} is kept: the token is still valid`, fix: 'delete the Secret as well to revoke it' };
    }
  },
};

/** Rules for registration tokens: ClusterRegistrationTokens and their Secrets. */
export const REGISTRATION_TOKEN_RULES: readonly Rule[] = [
  NAMESPACE, RESERVED, STATUS_NAME, STATUS_NAME_PREFIX, STATUS_TOKEN, STATUS_TOKEN_FORM, LIFETIME, LIFETIME_FIELDS, UNKNOWN_CLUSTER, DELETION,
  TOKEN_OVERWRITTEN_RULE, ...TOKEN_SECRET_RULES,
];
