import { isLate } from '../../core/late/late-token';
import { valueAt } from '../../core/manifest/manifest';
import { GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { Rule, World } from '../../core/rule/rule';
import { some } from '../../core/text/plain-text';
import { byObject } from '../../core/text/values';
import { lacksFeature } from '../../core/version/target-features';
import { managementClusterIdOf } from '../cluster/cluster.facts';
import { RancherGate } from '../version/rancher-version';

const REGISTRY_GO =
  'rancher/rancher:pkg/cluster/private_registry.go MgmtNameRegexp, generateImportedClusterDockerConfig (2.15.0)';

/**
 * The IDs of imports that Rancher gives pull secrets.
 * @see rancher/rancher:pkg/cluster/private_registry.go MgmtNameRegexp
 */
const WITH_PULL_SECRETS = /^c-[a-z0-9]{5}$/;

const getsPullSecrets = (id: string): boolean => id === LOCAL_CLUSTER || WITH_PULL_SECRETS.test(id);

const CURE =
  'give the nodes the credentials of the registry, a Harvester by HarvesterSetting.containerdRegistry with auth';

const unreached = (names: string): string =>
  `cannot reach the agents of ${names}: Rancher gives pull secrets to imports whose ID is c- and five characters`;

/**
 * The Harvester clusters that have registries of their own, as `<target of Rancher>/<management
 * cluster ID>`.
 */
const withRegistries = byObject(
  (world: World): ReadonlySet<string | undefined> =>
    new Set(
      world
        .ofKind(GROUPS.HARVESTER, 'Setting')
        .filter(
          ({ manifest }) =>
            manifest.metadata.name === 'containerd-registry' &&
            manifest.value !== '' &&
            manifest.value !== undefined,
        )
        .map(({ target }) => target.managedAs),
    ),
);

const SETTING = 'system-default-registry-pull-secrets';

/** Rules on the pull secrets of agents. */
export const PULL_SECRET_RULES: readonly Rule[] = [
  ...rules({ kinds: [`${GROUPS.MANAGEMENT}/Cluster`], level: 'warning', source: REGISTRY_GO }, [
    {
      id: 'management-cluster/pull-secrets',
      what: 'pull secrets of an import reach its agents from Rancher 2.15 on, and only where its ID is c- and five characters',
      field: 'spec.importedConfig.privateRegistryPullSecrets',
      check: (path, secrets, { manifest, target }) => {
        const { name } = manifest.metadata;
        if (!Array.isArray(secrets) || secrets.length === 0 || isLate(name)) {
          return undefined;
        }
        const lacks = lacksFeature(target, RancherGate.IMPORT_PULL_SECRETS);
        if (lacks) {
          return { path, message: `cannot have an effect: ${lacks}`, fix: CURE };
        }
        return !getsPullSecrets(name) && { path, message: unreached(name), fix: CURE };
      },
    },
  ]),
  ...rules({ kinds: [`${GROUPS.MANAGEMENT}/Setting`], level: 'warning', source: REGISTRY_GO }, [
    {
      id: 'rancher-setting/pull-secrets',
      what: `the setting ${SETTING} does not reach imports whose ID is not c- and five characters: these need the credentials of the registry on Harvester`,
      judge: ({ manifest, target }, world) => {
        if (
          manifest.metadata.name !== SETTING ||
          typeof manifest.value !== 'string' ||
          manifest.value === ''
        ) {
          return undefined;
        }
        const missed = world
          .beside({ target }, GROUPS.PROVISIONING, 'Cluster')
          .flatMap((cluster) => {
            const id = managementClusterIdOf(cluster.manifest);
            const imported =
              valueAt(cluster.manifest, 'spec', 'rkeConfig') === undefined &&
              id !== undefined &&
              !isLate(id) &&
              !getsPullSecrets(id);
            return imported && !withRegistries(world).has(`${target.name}/${id}`)
              ? [cluster.manifest.metadata.name]
              : [];
          });
        return missed.length > 0 && { path: 'value', message: unreached(some(missed)), fix: CURE };
      },
    },
  ]),
];
