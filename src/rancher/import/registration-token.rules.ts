import {
  isTokenSecret,
  knownClusterIds,
  TOKEN_OVERWRITTEN_RULE,
  TOKEN_SECRET_RULES,
} from './registration-token-secret.rules';
import {
  checkLifetime,
  checkLifetimeType,
  checkRegistrationToken,
} from './registration-token.check';
import {
  DEFAULT_TOKEN,
  SYSTEM_TOKEN,
  TOKEN_SECRET_KEY,
  TOKEN_SECRET_PREFIX,
} from './registration-token.kind';
import { isLate } from '../../core/late/late-token';
import { isRecord, objectLabel, valueAt } from '../../core/manifest/manifest';
import { GROUPS, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { Problem } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { matches, text } from '../../core/rule/kit/values';
import { JudgedObject, JudgedTarget, rancherOf, Rule, World } from '../../core/rule/rule';
import { secretEntry } from '../../core/secret/definition';
import { textOrEmpty } from '../../core/text/plain-text';
import { hasFeature, lacksFeature } from '../../core/version/target-features';
import { registrationsIn } from '../../harvester/settings/catalogue/registrations.facts';
import { harvesterVersionOf } from '../../harvester/version/harvester-version';
import { managementClusterIdOf } from '../cluster/cluster.facts';
import { unsupportedPair } from '../support-matrix/support-matrix.facts';
import { RancherGate, rancherVersionOf } from '../version/rancher-version';

const REGISTRATION_KINDS = ['harvesterhci.io/Setting'];
const SOURCE =
  'rancher/rancher:pkg/api/norman/customization/clusterregistrationtokens; seen on Rancher 2.13.8 and Harvester 1.7.2';

/**
 * The Rancher that a Setting registers with: that of the known URL, otherwise that of the import,
 * whatever the token comes from.
 */
function registeringRancher(setting: JudgedObject, world: World): JudgedTarget | undefined {
  const { metadata, value } = setting.manifest;
  if (metadata.name !== SETTING_REGISTRATION_URL || typeof value !== 'string' || value === '') {
    return undefined;
  }
  const { bySetting, ranchers } = registrationsIn(world);
  const asked = bySetting.get(setting);
  const cluster =
    asked &&
    world
      .ofKind(GROUPS.PROVISIONING, 'Cluster')
      .find(
        (candidate) =>
          managementClusterIdOf(candidate.manifest) === asked.clusterId &&
          isAt(candidate.target, asked.host),
      );
  if (cluster || asked?.token !== undefined) {
    return cluster?.target;
  }
  return ranchers.get(rancherOf(setting.target) ?? '');
}

// two Ranchers may have clusters of one ID, which is derived from their names
function isAt({ serverUrl }: JudgedTarget, host: string): boolean {
  return serverUrl === undefined || !URL.canParse(serverUrl) || new URL(serverUrl).host === host;
}

function tokensOf(clusterId: string, world: World): string[] {
  const secrets = world
    .ofKind('', 'Secret')
    .filter(
      ({ manifest }) =>
        manifest.metadata.namespace === clusterId &&
        manifest.metadata.name.startsWith(TOKEN_SECRET_PREFIX),
    );
  const tokens = secrets.map(
    ({ manifest }) => secretEntry(manifest, TOKEN_SECRET_KEY, isLate)?.text,
  );
  // a sealed or encrypted Secret may hold the token
  return tokens.some((token) => token === undefined || isLate(token)) ? [] : (tokens as string[]);
}

/** Rules over the registration of a Harvester and the Rancher that it registers with. */
export const REGISTRATION_RULES = rules({ kinds: REGISTRATION_KINDS }, [
  {
    id: 'registration/unknown-cluster',
    level: 'warning',
    what: 'a Harvester registers as a cluster of the program or of the live Rancher',
    says: 'cluster not found or invalid token',
    source: SOURCE,
    judge: (object, world) => {
      const { bySetting, clusterIds: ids } = registrationsIn(world);
      const registration = bySetting.get(object);
      if (registration && ids && ids.length > 0 && !ids.includes(registration.clusterId)) {
        // no value: the user may have written the token in place of the ID
        return {
          path: 'value',
          message: 'must register with a known cluster',
          fix: `use the management cluster ID of one of: ${ids.join(', ')}`,
        };
      }
      return undefined;
    },
  },
  {
    id: 'registration/wrong-token',
    level: 'warning',
    what: 'the token in a registration URL is that of a Secret in the namespace of its cluster, if those Secrets are in plain text',
    says: 'cluster not found or invalid token',
    source: SOURCE,
    judge: (object, world) => {
      const asked = registrationsIn(world).bySetting.get(object);
      if (asked?.token === undefined) {
        return undefined;
      }
      const tokens = tokensOf(asked.clusterId, world);
      return (
        tokens.length > 0 &&
        !tokens.includes(asked.token) && {
          path: 'value',
          message: `must contain the token of a Secret ${TOKEN_SECRET_PREFIX}… in namespace ${asked.clusterId}`,
          fix: 'use the token of one of them',
        }
      );
    },
  },
  {
    id: 'registration/cluster-shared',
    what: 'each Harvester registers with a cluster of its own: Rancher talks to the agent that connected last',
    source: SOURCE,
    judge: (object, world) => {
      const { bySetting, byCluster } = registrationsIn(world);
      const registration = bySetting.get(object);
      if (!registration) {
        return undefined;
      }
      const same = byCluster.get(`${registration.host} ${registration.clusterId}`)!;
      const other = same.find(({ target }) => target.name !== object.target.name);
      return (
        other && {
          path: 'value',
          message: `cannot register with the cluster of Harvester ${other.target.name}`,
          fix: 'import each Harvester as a cluster of its own',
        }
      );
    },
  },
  {
    id: 'registration/unsupported-versions',
    level: 'warning',
    what: 'a Harvester registers with a Rancher of at least the version that its documentation names (inferred, unconfirmed: not verified on a running system)',
    source: 'harvester/docs rancher/; the rows of SupportMatrix name their sources',
    judge: (object, world) => {
      const harvester = harvesterVersionOf(object.target);
      const target = harvester && registeringRancher(object, world);
      const rancher = target && rancherVersionOf(target);
      if (!rancher) {
        return undefined;
      }
      const unsupported = unsupportedPair(rancher, harvester);
      return (
        unsupported && {
          path: 'value',
          message: `cannot register Harvester ${harvester} with Rancher ${rancher}: ${unsupported.why}`,
          fix: unsupported.fix,
        }
      );
    },
  },
  {
    id: 'registration/with-itself',
    level: 'warning',
    what: 'a Harvester registers with another Rancher than the one that it includes, which answers at its management address',
    source:
      'https://docs.harvesterhci.io/latest/rancher/virtualization-management; harvester/harvester: Rancher in cattle-system, at the VIP',
    judge: (setting, world) => {
      const { vip } = setting.target;
      const host = registrationsIn(world).bySetting.get(setting)?.host;
      if (vip === undefined || host === undefined || (host !== vip && host !== `${vip}:443`)) {
        return undefined;
      }
      return {
        path: 'value',
        message: `must be the URL of another Rancher, got that of this Harvester itself, ${vip}`,
        fix: 'use the server URL of the Rancher that manages Harvester clusters',
      };
    },
  },
]);

const KINDS = ['management.cattle.io/ClusterRegistrationToken'];
const CONTROLLER =
  'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/clusterregistrationtoken.go';
const FLUX = 'fluxcd/pkg:ssa/normalize/normalize.go';
const SIMPLEST = `write only a Secret ${TOKEN_SECRET_PREFIX}<name> with the key token to the cluster's namespace, without a ClusterRegistrationToken`;

const inSpec = (problems: Iterable<Problem>): Problem[] =>
  [...problems].map((problem) => ({ ...problem, path: `spec.${problem.path}` }));

/** Rules for registration tokens: ClusterRegistrationTokens and their Secrets. */
export const REGISTRATION_TOKEN_RULES: readonly Rule[] = [
  ...rules({ kinds: KINDS }, [
    {
      id: 'registration-token/namespace',
      what: 'a ClusterRegistrationToken is in the namespace of the cluster that it names, which is the management cluster ID',
      source: `${CONTROLLER}; the import handler reads the namespace as the management cluster ID`,
      field: 'spec.clusterName',
      missing: 'judged',
      check: (_, cluster, { manifest }) => {
        const { namespace } = manifest.metadata;
        if (isLate(namespace)) {
          return undefined;
        }
        if (typeof cluster !== 'string' || cluster === '') {
          return {
            message: 'must be the management cluster ID',
            fix: 'set it to the namespace of the token',
          };
        }
        return (
          namespace !== undefined &&
          namespace !== cluster && {
            message: `must be ${namespace}, the namespace of the token: Rancher finds tokens there and registers that cluster`,
            fix: 'use the management cluster ID for both',
          }
        );
      },
    },
    {
      id: 'registration-token/reserved-name',
      level: 'warning',
      what: `Rancher creates ${DEFAULT_TOKEN} and ${SYSTEM_TOKEN} for every cluster`,
      source:
        'rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go createToken; pkg/systemaccount/systemaccount.go',
      field: 'metadata.name',
      check: (_, name) =>
        (name === DEFAULT_TOKEN || name === SYSTEM_TOKEN) && {
          message:
            'cannot be the name of a token that Rancher creates for every cluster: ' +
            (name === SYSTEM_TOKEN
              ? "the cluster's agents register with it"
              : "Rancher's UI shows its commands"),
          fix: 'choose another name, or remove the object',
        },
    },
    {
      id: 'registration-token/status-token-secret',
      level: 'warning',
      what: 'a status.tokenSecretName in a manifest works only until an engine drops the status, as Flux does, or Rancher rotates the token',
      source: `${CONTROLLER}; ${FLUX}`,
      field: 'status.tokenSecretName',
      check: text(function* (path, value, object, world): Iterable<Problem> {
        const { manifest, target } = object;
        yield {
          path,
          value,
          message:
            'has no effect with Flux, which removes status from manifests: Rancher then overwrites the token',
          fix: SIMPLEST,
        };
        if (
          hasFeature(target, RancherGate.REGISTRATION_TOKEN_ROTATION) &&
          valueAt(manifest, 'spec', 'ttl') !== 0
        ) {
          const message =
            'must be 0: otherwise this Rancher rotates the token in the Secret and the import URL stops working';
          yield { path: 'spec.ttl', message, fix: 'set spec.ttl: 0' };
        }
        if (!world.find(object, '', 'Secret', manifest.metadata.namespace, value)) {
          const fix =
            'declare the Secret, or make sure that another tool creates it (a sealed or external secret)';
          yield { path, value, message: 'must name a known Secret', fix };
        }
      }),
    },
    {
      id: 'registration-token/secret-name',
      what: `Rancher finds tokens only in Secrets named ${TOKEN_SECRET_PREFIX}…`,
      says: 'cluster not found or invalid token',
      source:
        'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/token_secret.go IsTokenSecret',
      field: 'status.tokenSecretName',
      check: matches((name) => name.startsWith(TOKEN_SECRET_PREFIX), {
        message: `must begin with ${TOKEN_SECRET_PREFIX}: Rancher finds tokens only in such Secrets`,
        fix: `name it ${TOKEN_SECRET_PREFIX}<name>`,
      }),
    },
    {
      id: 'registration-token/status-token',
      level: 'warning',
      what: 'a token in the status of a manifest is in Git, and Flux drops it',
      source: `${CONTROLLER} (moved to a Secret by 2.13.8, 2.14.4, 2.15.0); ${FLUX}`,
      field: 'status.token',
      check: text((path, _, { target }) => ({
        path,
        message:
          'is a secret in plain text: anyone who reads the manifest can register a cluster; and Flux drops it, so that Rancher generates another',
        fix:
          hasFeature(target, RancherGate.REGISTRATION_TOKEN_SECRET) === false
            ? 'use the token that Rancher generates, as a late value'
            : SIMPLEST,
      })),
    },
    {
      id: 'registration-token/token-form',
      what: 'a registration token consists of characters that a URL path allows, without underscores',
      says: 'cluster not found or invalid token',
      source:
        'rancher/rancher: the import handler splits <token>_<cluster id> at the first underscore',
      field: 'status.token',
      late: 'judged',
      check: (path, token) =>
        typeof token === 'string' && token !== '' && checkRegistrationToken(path, token),
    },
    {
      id: 'registration-token/lifetime',
      level: 'warning',
      what: 'ttl is 0 or at least 30 minutes, gracePeriod at least 10 and less than ttl; Rancher uses the nearest allowed value',
      source: `${CONTROLLER} ClampTTL, ClampGracePeriod`,
      judge: ({ manifest }) => inSpec(checkLifetime(isRecord(manifest.spec) ? manifest.spec : {})),
    },
    {
      id: 'registration-token/lifetime-fields',
      what: 'ttl and gracePeriod are whole numbers of minutes and need Rancher 2.13.8, 2.14.4 or 2.15.0',
      source:
        'rancher/rancher:pkg/apis/management.cattle.io/v3/cluster_types.go ClusterRegistrationTokenSpec',
      *judge({ manifest, target }) {
        const spec = isRecord(manifest.spec) ? manifest.spec : {};
        const lacks = lacksFeature(target, RancherGate.REGISTRATION_TOKEN_TTL);
        if (!lacks) {
          for (const problem of inSpec(checkLifetimeType(spec))) {
            yield { ...problem, says: `must be of type integer: "${typeof problem.value}"` };
          }
          return;
        }
        for (const path of ['spec.ttl', 'spec.gracePeriod'].filter(
          (each) => (valueAt(spec, each.slice(5)) ?? null) !== null,
        )) {
          yield {
            path,
            message: `has no effect: ${lacks}`,
            fix: 'remove it: tokens of this version do not expire',
            says: `unknown field "${path}"`,
          };
        }
      },
    },
    {
      id: 'registration-token/secret-remains',
      level: 'warning',
      what: 'a token of your own is revoked by deleting its Secret; deleting the ClusterRegistrationToken alone leaves it valid',
      source: 'seen on Rancher 2.13.8: the import URL still answers 200',
      judgeDeletion: (gone, world) => {
        const { name, namespace } = gone.manifest.metadata;
        const named = valueAt(gone.manifest, 'status', 'tokenSecretName');
        const secrets = [textOrEmpty(named), `${TOKEN_SECRET_PREFIX}${name}`].flatMap(
          (secret) => world.find(gone, '', 'Secret', namespace, secret) ?? [],
        );
        return (
          secrets.length > 0 &&
          hasFeature(gone.target, RancherGate.REGISTRATION_TOKEN_SECRET) !== false && {
            message: `is deleted, but ${objectLabel(secrets[0].manifest)} is kept: the token is still valid`,
            fix: 'delete the Secret as well to revoke it',
          }
        );
      },
    },
  ]),
  ...rules({ kinds: [...KINDS, '/Secret'] }, [
    {
      id: 'registration-token/unknown-cluster',
      level: 'warning',
      what: 'the namespace of a registration token is a management cluster ID',
      source:
        "rancher/rancher: the import handler reads the namespace of the token's Secret as the management cluster ID",
      judge: (object, world) => {
        const { kind } = object.manifest;
        const { namespace } = object.manifest.metadata;
        if (
          namespace === undefined ||
          isLate(namespace) ||
          (kind === 'Secret' && !isTokenSecret(object))
        ) {
          return undefined;
        }
        const ids = knownClusterIds(object, world);
        if (ids.size === 0 || ids.has(namespace)) {
          return undefined;
        }
        return {
          path: 'metadata.namespace',
          value: namespace,
          message: 'must be the management cluster ID of a known cluster',
          fix: `use one of ${[...ids].slice(0, 5).join(', ')}`,
        };
      },
    },
  ]),
  TOKEN_OVERWRITTEN_RULE,
  ...TOKEN_SECRET_RULES,
];
