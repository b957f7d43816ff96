import {
  checkConfigValues,
  checkReplacedLists,
  textsIn,
  EXTERNAL_CLOUD_PROVIDER,
  KUBELET_ARG,
} from './kubernetes.check';
import {
  RKE2_BUNDLED_CHARTS,
  CLOUD_PROVIDER_CONFIG,
  CLOUD_PROVIDER_NAME,
  DISTRIBUTION_NAMES,
  isPlannerKey,
  keyBelongsTo,
} from './rke2.data';
import { parseIp } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { sameValue } from '../../core/manifest/manifest';
import { SomeProblems, problemsOf, problemsOfKeys } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { oneOf } from '../../core/rule/kit/values';
import { tableByName, byText } from '../../core/text/values';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.facts';
import { clusterDistribution, nodeConfigsOf } from '../cluster/cluster-reader.facts';
import {
  DISABLE,
  K3S_COMPONENTS,
  RKE2_COMPONENT_PREFIX,
  CONFIG_KEY,
} from '../cluster/cluster.kind';

const FILTER = 'rancher/rancher:pkg/capr/planner/filter.go filterField';
const PROVIDERS = ['aws', 'azure', 'gcp', 'rancher-vsphere', 'harvester', 'external'];
/** The components of K3s that RKE2 bundles, too. */
const ALSO_OF_RKE2: readonly string[] = ['coredns', 'metrics-server', 'traefik'];

function isCloudProviderKey(key: string): boolean {
  return key === CLOUD_PROVIDER_NAME || key === CLOUD_PROVIDER_CONFIG;
}

const checkProviderName = oneOf(PROVIDERS, { level: 'warning' });

/** The problem of a key of the cloud provider, by what the other keys are. */
function checkProviderKey(
  distribution: 'rke2' | 'k3s',
  hasName: boolean,
  path: string,
  key: string,
  value: unknown,
): SomeProblems {
  if (distribution === 'k3s') {
    return {
      path,
      message: 'is not a key of K3s: Rancher drops it, and the cluster has no cloud provider',
      fix:
        'remove it; install the chart harvester-cloud-provider with a HelmChart in additionalManifest, ' +
        'with disable-cloud-controller: true and kubelet-arg: [cloud-provider=external]',
    };
  } else if (key === CLOUD_PROVIDER_NAME) {
    return checkProviderName(path, value);
  }
  return (
    !hasName &&
    Boolean(value) && {
      path,
      message: `must be set together with ${CLOUD_PROVIDER_NAME}`,
      fix: `set ${CLOUD_PROVIDER_NAME} to harvester`,
      says: '--cloud-provider-config requires --cloud-provider-name to be provided',
    }
  );
}

const isBundled = (component: string): boolean =>
  `${RKE2_COMPONENT_PREFIX}${component}` in RKE2_BUNDLED_CHARTS;
const isWithoutPrefix = (item: string): boolean => K3S_COMPONENTS.includes(item) || isBundled(item);

/** The form of the values of a key. */
interface Format {
  readonly key: string;
  readonly distribution?: 'rke2';
  readonly isValid: (texts: readonly string[]) => boolean;
  readonly message: string;
  readonly fix: string;
  readonly level?: 'warning';
  readonly says?: string;
}

const HOST = /^[a-z0-9*]([-a-z0-9.*]*[a-z0-9])?$/i;
const PLUGINS = ['none', 'calico', 'canal', 'cilium', 'flannel'];

const isPlugin = byText((text): boolean => {
  const all = text.split(',').map((word) => word.trim());
  const plugins = all[0] === 'multus' ? all.slice(1) : all;
  return plugins.length === 1 && PLUGINS.includes(plugins[0]!);
});

const FORMATS: readonly Format[] = [
  {
    key: 'tls-san',
    isValid: (texts) => texts.every((text) => HOST.test(text) || parseIp(text) !== undefined),
    message: 'must be host names and IP addresses: certificates hold no others',
    fix: 'write e.g. shop.example.com, without a scheme and a port',
    level: 'warning',
  },
  {
    key: 'system-default-registry',
    isValid: (texts) => texts.every((text) => !/:\/\/|\/$/.test(text)),
    message: 'must be a host with an optional port, not a URL',
    fix: 'write e.g. registry.example.com:5000',
    says: 'registries must be valid RFC 3986 URI authorities',
  },
  {
    key: 'cluster-domain',
    isValid: (texts) => texts.every((text) => /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(text)),
    message: 'must be a DNS domain',
    fix: 'write e.g. cluster.local',
  },
  {
    key: CONFIG_KEY.CNI,
    distribution: 'rke2',
    isValid: (texts) => isPlugin(texts.join(',')),
    message: `must be one of ${PLUGINS.join(', ')}, after multus where pods have several networks: RKE2 does not start with others`,
    fix: 'use one of them; for another network plugin write none and install it',
    says: 'Invalid value for --cni flag',
  },
];

/**
 * Keys that Rancher sets itself, from these fields of a machine pool.
 * @see rancher/rancher:pkg/capr/planner/config.go addLabels, addTaints
 */
const POOL_KEYS: { readonly [key: string]: string } = tableByName({
  'node-label': 'labels',
  'node-taint': 'taints',
});

/** Rules for the configuration that Rancher passes on to the nodes of a cluster. */
export const NODE_CONFIG_RULES = rules({ kinds: CLUSTER_KINDS }, [
  {
    id: 'cluster/node-config-value',
    what: 'values of machineGlobalConfig and machineSelectorConfig are strings, booleans or lists; Rancher drops numbers and maps silently',
    source: FILTER,
    judge: ({ manifest }) =>
      problemsOf(nodeConfigsOf(manifest), ({ path, config }) =>
        checkConfigValues(config, (key) => `${path}.${key}`),
      ),
  },
  {
    id: 'cluster/node-config-key',
    level: 'warning',
    what: 'keys of machineGlobalConfig and machineSelectorConfig are those of the distribution; Rancher drops others silently',
    source: `${FILTER}; rancher/kontainer-driver-metadata:data/data.json (v1.31.1; later releases may know more)`,
    judge: ({ manifest }) => {
      const distribution = clusterDistribution(manifest);
      return (
        distribution &&
        problemsOf(nodeConfigsOf(manifest), ({ path, config }) =>
          problemsOfKeys(config, (key) => {
            // the rule for values reports empty ones
            if (
              isPlannerKey(distribution, key) ||
              isCloudProviderKey(key) ||
              sameValue(config[key], undefined)
            ) {
              return undefined;
            }
            const owner = keyBelongsTo(key);
            const ofPool = POOL_KEYS[key];
            if (ofPool) {
              return {
                path: `${path}.${key}`,
                value: config[key],
                message: `has no effect: Rancher takes the ${ofPool} of nodes from their machine pool`,
                fix: `set ${ofPool} of the machine pool`,
              };
            }
            return {
              path: `${path}.${key}`,
              value: config[key],
              message: owner
                ? `must be a key of ${DISTRIBUTION_NAMES[distribution]}, not of ${DISTRIBUTION_NAMES[owner]}: Rancher drops it`
                : `is not a known key of ${DISTRIBUTION_NAMES[distribution]}: Rancher drops keys that it does not know`,
              fix: owner
                ? 'remove it'
                : 'check the name; keys are those of the configuration file, without leading hyphens',
            };
          }),
        )
      );
    },
  },
  {
    id: 'cluster/cloud-provider-keys',
    what: 'RKE2 names its cloud provider together with its configuration; K3s has neither key and uses a HelmChart',
    source: `${FILTER}; rancher/rke2:pkg/cli/cmds/root.go`,
    judge: ({ manifest }) => {
      const distribution = clusterDistribution(manifest);
      const configs = nodeConfigsOf(manifest);
      const hasName = configs.some(({ config }) => config[CLOUD_PROVIDER_NAME]);
      return (
        distribution &&
        problemsOf(configs, ({ path, config }) =>
          problemsOfKeys(
            config,
            (key) =>
              isCloudProviderKey(key) &&
              checkProviderKey(distribution, hasName, `${path}.${key}`, key, config[key]),
          ),
        )
      );
    },
  },
  {
    id: 'cluster/disabled-component',
    level: 'warning',
    what: 'disable names components that the distribution bundles: those of RKE2 begin with rke2-, those of K3s do not',
    source:
      'docs.rke2.io and docs.k3s.io, server configuration; rancher/kontainer-driver-metadata:data/data.json',
    judge: ({ manifest }) => {
      const distribution = clusterDistribution(manifest);
      return (
        distribution &&
        problemsOf(nodeConfigsOf(manifest), ({ path, config }) =>
          problemsOf(textsIn(config[DISABLE]), (item) => {
            if (
              distribution === 'rke2'
                ? !isWithoutPrefix(item)
                : !item.startsWith(RKE2_COMPONENT_PREFIX)
            ) {
              return undefined;
            }
            const plain = item.replace(RKE2_COMPONENT_PREFIX, '');
            const [known, own] =
              distribution === 'rke2'
                ? [isBundled(plain) ? [plain] : ALSO_OF_RKE2, `${RKE2_COMPONENT_PREFIX}${plain}`]
                : [K3S_COMPONENTS, plain];
            return {
              path: `${path}.${DISABLE}`,
              value: item,
              message: `must be a component of ${DISTRIBUTION_NAMES[distribution]}: otherwise it has no effect`,
              fix: known.includes(plain) ? `write ${own}` : 'remove it',
            };
          }),
        )
      );
    },
  },
  {
    id: 'cluster/kubelet-arg-replaced',
    level: 'warning',
    what: `a kubelet-arg for some machines contains ${EXTERNAL_CLOUD_PROVIDER} if the one for all machines does: it replaces the whole list`,
    source: 'rancher/rancher:pkg/capr/planner/config.go addConfigFromMachineSelector',
    judge: ({ manifest }) => {
      const configs = nodeConfigsOf(manifest).filter(
        ({ config }) => config[KUBELET_ARG] !== undefined,
      );
      return (
        configs.length > 1 &&
        checkReplacedLists(
          configs.map(({ path, config }) => ({ path: `${path}.${KUBELET_ARG}`, config })),
        )
      );
    },
  },
  {
    id: 'cluster/node-config-format',
    what: `${FORMATS.map(({ key }) => key).join(', ')} of machineGlobalConfig and machineSelectorConfig have values that RKE2 and K3s accept`,
    source:
      'rancher/rke2:pkg/cli/cmds/server.go validateCNI, pkg/images/images.go; google/go-containerregistry:pkg/name/registry.go',
    judge: ({ manifest }) => {
      const runs = clusterDistribution(manifest);
      return (
        runs &&
        problemsOf(nodeConfigsOf(manifest), ({ path, config }) =>
          problemsOf(FORMATS, (format) => {
            const { key, distribution = runs, isValid, ...problem } = format;
            const value = config[key];
            const texts = textsIn(value);
            const isUnknown =
              value === undefined ||
              distribution !== runs ||
              isLate(value) ||
              texts.some(isLate) ||
              texts.every((text) => text === '');
            return !isUnknown && !isValid(texts) && { path: `${path}.${key}`, value, ...problem };
          }),
        )
      );
    },
  },
]);
