import { textsIn, rke2Lacks } from './kubernetes.check';
import { CLOUD_PROVIDER_NAME, Rke2Gate } from './rke2.data';
import {
  Cidr,
  contains,
  overlaps,
  parseCidr,
  parseIp,
  printIp,
  printNetwork,
} from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { itemsAt, valueAt } from '../../core/manifest/manifest';
import { GROUP_LOAD_BALANCER } from '../../core/manifest/names';
import { Problem, joinedProblems, problemsOf } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { errorIf } from '../../core/rule/kit/relations';
import { JudgedObject, JudgedTarget, World } from '../../core/rule/rule';
import { perTarget } from '../../core/rule/world-lookup';
import { byObject, lazily } from '../../core/text/values';
import { KIND_IP_POOL } from '../../harvester/ip-pool/ip-pool.kind';
import { networkRanges } from '../../harvester/ip-pool/ip-pool.rules';
import { ANY_OF_SCOPE, poolScopesOf } from '../../harvester/ip-pool/pool-selection.facts';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.facts';
import { GuestHarvesters } from '../cloud-provider/guest-harvester.facts';
import {
  NodeConfig,
  clusterDistribution,
  configOf,
  kubernetesVersionOf,
  nodeConfigsOf,
  poolsOf,
  vmNamespaceOf,
} from '../cluster/cluster-reader.facts';
import { cloudInitText, machineReferences } from '../machine-config/machine-json.facts';

/**
 * The networks of pods and Services in RKE2 and K3s.
 * @see https://docs.rke2.io/reference/server_config, https://docs.k3s.io/cli/server
 */
const DEFAULTS = { 'cluster-cidr': '10.42.0.0/16', 'service-cidr': '10.43.0.0/16' } as const;
/** The name of the Harvester cloud provider. */
const HARVESTER = 'harvester';
const SOURCE =
  'https://docs.rke2.io/reference/server_config; https://docs.k3s.io/cli/server; https://kubernetes.io/docs/concepts/cluster-administration/networking/';

/** A network of a cluster, and its path. */
interface Net {
  readonly what: string;
  readonly path: string;
  readonly cidr: Cidr;
  /** Whether the manifest sets it, rather than the distribution. */
  readonly own: boolean;
}

/** The networks of a cluster. */
interface Nets {
  readonly pods: readonly Net[];
  readonly services: readonly Net[];
  readonly all: readonly Net[];
}

function netsOf(configs: readonly NodeConfig[]): Nets {
  const [pods, services] = (['cluster-cidr', 'service-cidr'] as const).map((key) =>
    readNets(
      key,
      configs.find(({ config }) => config[key] !== undefined && config[key] !== ''),
    ),
  );
  return { pods, services, all: [...pods, ...services] };
}

/** The networks that the distribution uses. */
const defaultNets = lazily(() => netsOf([]));

/** Whether a configuration sets a network, or an address in one. */
function setsNetwork({ config }: NodeConfig): boolean {
  return (
    config['cluster-cidr'] !== undefined ||
    config['service-cidr'] !== undefined ||
    config['cluster-dns'] !== undefined
  );
}

function readNets(key: keyof typeof DEFAULTS, set?: NodeConfig): Net[] {
  const given = set ? textsIn(set.config[key]) : [DEFAULTS[key]];
  const what = key === 'cluster-cidr' ? 'pods' : 'Services';
  return given
    .filter((text) => !isLate(text))
    .flatMap((text) => text.split(','))
    .flatMap((text): Net[] => {
      const cidr = parseCidr(text.trim());
      return cidr
        ? [
            {
              what,
              path: `${set?.path ?? 'spec.rkeConfig.machineGlobalConfig'}.${key}`,
              cidr,
              own: set !== undefined,
            },
          ]
        : [];
    });
}

function* checkNets(configs: readonly NodeConfig[], { pods, services }: Nets): Iterable<Problem> {
  for (const pod of pods) {
    for (const service of services.filter(({ cidr }) => overlaps(cidr, pod.cidr))) {
      yield overlapOf(pod, service);
    }
  }
  yield* checkDns(configs, services);
}

function unreachable(net: Net, { what, cidr }: Outside): Problem {
  return {
    path: net.path,
    value: printNetwork(net.cidr),
    level: 'warning',
    message:
      `must not contain addresses of ${what}, ${cidr.first === cidr.last ? printIp({ family: cidr.family, bits: cidr.first }) : printNetwork(cidr)}: ` +
      'machines and pods cannot reach them',
    fix: `use another network for ${net.what}`,
  };
}

function overlapOf(pod: Net, service: Net): Problem {
  const at = pod.own ? pod : service;
  const other = at === pod ? service : pod;
  // if all addresses of pods are those of Services, no pod can have its own
  const certain = service.cidr.first <= pod.cidr.first && pod.cidr.last <= service.cidr.last;
  return {
    path: at.path,
    value: printNetwork(at.cidr),
    level: errorIf(certain),
    message: `must not overlap the network of ${other.what}, ${printNetwork(other.cidr)}`,
    fix: `use another network, or set ${other === pod ? 'cluster' : 'service'}-cidr`,
  };
}

function* checkDns(configs: readonly NodeConfig[], services: readonly Net[]): Iterable<Problem> {
  for (const { path, config } of configs) {
    if (config['cluster-dns'] === undefined) {
      continue;
    }
    for (const text of textsIn(config['cluster-dns']).flatMap((list) => list.split(','))) {
      const ip = isLate(text) ? undefined : parseIp(text.trim());
      const same = ip && services.filter(({ cidr }) => cidr.family === ip.family);
      if (!ip || !same?.length || same.some(({ cidr }) => contains(cidr, ip))) {
        continue;
      }
      yield {
        path: `${path}.cluster-dns`,
        value: text,
        message: `must be an address of the network of Services, ${printNetwork(same[0]!.cidr)}`,
        fix: 'remove it: the tenth address of that network is the default',
        says: 'the provided IP is not in the valid range',
      };
    }
  }
}

/** A network outside of a cluster that its machines or pods must reach. */
interface Outside {
  readonly what: string;
  readonly cidr: Cidr;
}

const NONE: readonly Outside[] = [];

function outsideOf(cluster: JudgedObject, world: World): readonly Outside[] {
  const harvester = GuestHarvesters.in(world).of(cluster);
  const fixed = poolsOf(cluster.manifest).flatMap((pool) =>
    addressesIn(cloudInitText(configOf(cluster, pool, world)?.manifest ?? {}, 'networkData') ?? ''),
  );
  if (!harvester) {
    return fixed;
  }
  const routes = routesOf(cluster, harvester, world);
  const pools = poolsFor(cluster.manifest.metadata.name, harvester, world);
  // on most platforms, the address is all that is known
  return fixed.length + routes.length + pools.length === 0
    ? vipOf(harvester)
    : [...fixed, ...vipOf(harvester), ...routes, ...pools];
}

function addressesIn(text: string): Outside[] {
  const addresses = new Set(isLate(text) ? [] : (text.match(/\b\d{1,3}(\.\d{1,3}){3}\b/g) ?? []));
  return [...addresses].flatMap((address) => {
    const cidr = /^(0|255|127)\./.test(address) ? undefined : parseCidr(`${address}/32`);
    return cidr ? [{ what: 'the network data of machines', cidr }] : [];
  });
}

const vipOf = byObject(({ vip, name }: JudgedTarget): Outside[] => {
  const ip = vip === undefined ? undefined : parseIp(vip);
  const cidr = ip && parseCidr(`${vip}/${ip.family === 4 ? 32 : 128}`);
  return cidr ? [{ what: `the Harvester cluster ${name}`, cidr }] : [];
});

function routesOf(
  cluster: JudgedObject,
  harvester: JudgedTarget,
  world: World,
): readonly Outside[] {
  const known = networkRanges({ target: harvester }, world);
  if (known.size === 0) {
    return NONE;
  }
  const configs = poolsOf(cluster.manifest).flatMap((pool) => configOf(cluster, pool, world) ?? []);
  const networks = new Set(
    configs.flatMap((config) =>
      machineReferences(config.manifest).networks.map((name) =>
        name.includes('/') ? name : `${vmNamespaceOf(config) ?? ''}/${name}`,
      ),
    ),
  );
  return [...networks].flatMap((network) => {
    const cidr = known.get(network);
    return cidr ? [{ what: `the network ${network}`, cidr }] : [];
  });
}

/** The subnets of IP pools, by the guest cluster that they are for. */
const subnets = perTarget(GROUP_LOAD_BALANCER, KIND_IP_POOL, (pools) => {
  const byCluster = new Map<string, Outside[]>();
  for (const { manifest } of pools) {
    const found = itemsAt(manifest, 'spec', 'ranges').flatMap((entry): Outside[] => {
      const subnet = valueAt(entry, 'subnet');
      const cidr = typeof subnet === 'string' && !isLate(subnet) ? parseCidr(subnet) : undefined;
      return cidr ? [{ what: `the IP pool ${manifest.metadata.name}`, cidr }] : [];
    });
    const names = new Set(poolScopesOf(manifest).map(({ guestCluster }) => guestCluster));
    for (const name of names) {
      byCluster.set(name, [...(byCluster.get(name) ?? []), ...found]);
    }
  }
  return byCluster;
});

function poolsFor(cluster: string, harvester: JudgedTarget, world: World): readonly Outside[] {
  const known = subnets({ target: harvester }, world);
  return known.size === 0 ? NONE : [cluster, ANY_OF_SCOPE].flatMap((name) => known.get(name) ?? []);
}

const FIRST_DUAL = 'v1.33.13+rke2r2, v1.34.10+rke2r1, v1.35.7+rke2r1 or v1.36.3+rke2r1';

/** The network of pods of both families, if the configuration sets one. */
function dualNet({ pods }: Nets): Net | undefined {
  const families = new Set(pods.map(({ cidr }) => cidr.family));
  return families.size > 1 ? pods.find(({ own }) => own) : undefined;
}

/** Rules for the networks of a cluster. */
export const CIDR_RULES = rules(
  { kinds: CLUSTER_KINDS, when: ({ manifest }) => clusterDistribution(manifest) },
  [
    {
      id: 'cluster/cidrs',
      what: 'the networks of pods, of Services and of machines have no address in common, nor with load balancers and the Harvester cluster',
      source: SOURCE,
      judge: (cluster, world) => {
        const configs = nodeConfigsOf(cluster.manifest);
        const isSet = configs.some(setsNetwork);
        const nets = isSet ? netsOf(configs) : defaultNets();
        return joinedProblems(
          isSet && checkNets(configs, nets),
          problemsOf(outsideOf(cluster, world), (outside) =>
            problemsOf(
              nets.all,
              (net) => overlaps(net.cidr, outside.cidr) && unreachable(net, outside),
            ),
          ),
        );
      },
    },
    {
      id: 'cluster/dual-stack-provider',
      level: 'warning',
      what: 'nodes with addresses of both families get theirs from the Harvester cloud provider 0.2.6 and later, which later releases of RKE2 bundle',
      source:
        'harvester/harvester#7275; harvester/cloud-provider-harvester v0.2.5 pkg/cloud-controller-manager/instance.go getNodeAddresses; read, not seen on a server',
      judge: ({ manifest, target }) => {
        const configs = nodeConfigsOf(manifest);
        const isHarvesters = configs.some(
          ({ config }) => config[CLOUD_PROVIDER_NAME] === HARVESTER,
        );
        const net = isHarvesters ? dualNet(netsOf(configs)) : undefined;
        const version = kubernetesVersionOf(manifest);
        const lacks =
          net &&
          typeof version === 'string' &&
          rke2Lacks(
            { name: target.name, kubernetesVersion: version },
            Rke2Gate.RKE2_CLOUD_PROVIDER_DUAL_STACK,
          );
        return (
          lacks && {
            path: net.path,
            message: `must have one family with the cloud provider of ${String(version)}: nodes with two get no address, and the cluster never becomes active`,
            fix: `use ${FIRST_DUAL}, or later`,
          }
        );
      },
    },
  ],
);
