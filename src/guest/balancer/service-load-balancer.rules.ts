import {
  checkPrimaryAndIpam, checkServiceIpam, checkServiceNetwork, checkSharedName, checkUnknownKeys, checkWrittenByProvider, ingressServiceOf,
  isLoadBalancer, portsOf, primaryOf, sharesItself, ANNOTATION_IPAM, ANNOTATION_NETWORK, ANNOTATION_PRIMARY_SERVICE,
} from './load-balancer-service.check';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, Manifest, valueAt, namespacedName } from '../../core/manifest/manifest';
import { NAMESPACED_NAME } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, JudgedTarget, Rule, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { byObject } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import { rke2Lacks } from '../../harvester/context.rules';
import { Balancer, addressPlan, networkOn } from '../../harvester/load-balancer/address-plan.facts';
import { IPAM_DHCP } from '../../harvester/load-balancer/load-balancer.kind';
import { GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT } from '../../harvester/network/vm-network.kind';
import { HarvesterGate } from '../../harvester/version/harvester-version';
import { nodeConfigsOf, rkeConfigOf, usesHarvester } from '../cluster/cluster-reader.facts';
import { DISABLE, PROVIDER_CHART } from '../cluster/cluster.kind';
import { textsOf } from '../kubernetes/kubernetes.check';
import { Rke2Gate, CLOUD_PROVIDER_NAME, distributionOf } from '../kubernetes/rke2.data';

const KINDS = ['/Service', 'helm.cattle.io/HelmChartConfig'];
const SOURCE = 'harvester/cloud-provider-harvester:pkg/cloud-controller-manager/loadbalancer.go';
const PATH = `metadata.annotations[${ANNOTATION_PRIMARY_SERVICE}]`;

/** The Services that share an address, by `<target> <namespace>/<name>` of the Service that has it. */
const sharersOf = byObject((world: World): ReadonlyMap<string, readonly Balancer[]> => {
  const found = new Map<string, Balancer[]>();
  for (const balancer of addressPlan(world).balancers) {
    if (balancer.manifest.kind !== 'Service') { continue; }
    const key = `${balancer.object.target.name} ${balancer.primary ?? namespacedName(balancer.manifest)}`;
    const list = found.get(key) ?? [];
    // the Service with the address comes first
    if (balancer.primary === undefined) { list.unshift(balancer); } else { list.push(balancer); }
    found.set(key, list);
  }
  return found;
});

const PRIMARY: Rule = {
  id: 'service/primary',
  level: 'error',
  kinds: KINDS,
  what: 'a Service shares the address of a Service of type LoadBalancer with its own address',
  source: `${SOURCE} getPrimaryService`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { primary } = addressPlan(world).balancerOf(object) ?? {};
    if (primary === undefined || isLate(primary) || !NAMESPACED_NAME.test(primary)) { return NO_PROBLEMS; }
    const at = { path: PATH, value: primary };
    const made = sharersOf(world).get(`${object.target.name} ${primary}`)?.find((balancer) => namespacedName(balancer.manifest) === primary)?.manifest;
    const [namespace, name] = primary.split('/');
    const manifest = world.find(object, '', 'Service', namespace, name)?.manifest ?? made;
    if (primary === namespacedName(object.manifest)) {
      return [{
        ...at,
        message: 'must be another Service',
        fix: 'use another Service, or remove it',
        says: `service ${primary} is not a primary service`,
      }];
    } else if (!manifest) {
      return [{
        ...at,
        level: 'warning',
        message: 'does not match any known Service of this cluster',
        fix: 'declare it or correct the name',
        says: `get service ${primary} failed`,
      }];
    } else if (!isLoadBalancer(manifest)) {
      return [{ ...at, message: 'must be of type LoadBalancer to share an address', fix: 'use a Service of type LoadBalancer' }];
    } else if (primaryOf(manifest) !== undefined) {
      return [sharesItself(PATH, primary, primaryOf(manifest))];
    }
    return NO_PROBLEMS;
  },
};

const PORT: Rule = {
  id: 'service/shared-port',
  level: 'error',
  kinds: KINDS,
  what: 'Services that share an address have different port numbers, whatever their protocols',
  says: 'has been used in service',
  source: `${SOURCE} checkPortOverlap`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const balancer = addressPlan(world).balancerOf(object);
    if (balancer?.primary === undefined) { return; }
    const taken = takenPorts(sharersOf(world).get(`${object.target.name} ${balancer.primary}`) ?? []);
    for (const [index, port] of portsOf(balancer.manifest).entries()) {
      const other = taken.get(port);
      if (other === undefined || other === balancer) { continue; }
      yield {
        path: object.manifest === balancer.manifest ? `spec.ports[${index}].port` : 'spec.valuesContent',
        value: port,
        message: `must differ from the ports of Service ${namespacedName(other.manifest)}, which shares the address, even with another protocol`,
        fix: 'use another port, or an own address',
        says: `port ${port} has been used in service ${namespacedName(other.manifest)}`,
      };
    }
  },
};

/** The first Service with each port, among those that share an address. */
const takenPorts = byObject((sharers: readonly Balancer[]): ReadonlyMap<number, Balancer> => {
  const found = new Map<number, Balancer>();
  for (const balancer of sharers) {
    for (const port of portsOf(balancer.manifest)) { if (!found.has(port)) { found.set(port, balancer); } }
  }
  return found;
});

const PRIMARY_GONE: Rule = {
  id: 'service/primary-gone',
  level: 'error',
  kinds: KINDS,
  what: 'a Service is deleted after the Services that share its address',
  says: 'is still used by other services',
  source: `${SOURCE} EnsureLoadBalancerDeleted`,
  *judgeDeletion({ manifest, target }: JudgedObject, world: World): Iterable<Problem> {
    if (manifest.kind !== 'Service' || !isLoadBalancer(manifest)) { return; }
    const using = (sharersOf(world).get(`${target.name} ${namespacedName(manifest)}`) ?? []).map((balancer) => namespacedName(balancer.manifest));
    if (using.length === 0) { return; }
    yield {
      path: '',
      message: `must not be deleted while ${using.join(', ')} share${using.length === 1 ? 's' : ''} its address: the deletion would hang`,
      fix: 'delete those first, or set their own ipam',
      says: `could not delete load balancer for service ${namespacedName(manifest)}: service is still used by other services [${using.join(' ')}]`,
    };
  },
};

/** Rules for Services that share an address. */
const SHARED_ADDRESS_RULES: readonly Rule[] = [PRIMARY, PORT, PRIMARY_GONE];

const CCM = 'harvester/cloud-provider-harvester:pkg/cloud-controller-manager';

/** The Service of type LoadBalancer that an object is or creates; undefined for other objects, and outside of guest clusters. */
function balancedService({ manifest, target }: JudgedObject): Manifest | undefined {
  if (target.kind === 'rancher' || target.kind === 'harvester') { return undefined; }
  if (manifest.kind === 'HelmChartConfig') { return ingressServiceOf(manifest); }
  return isLoadBalancer(manifest) ? manifest : undefined;
}

// a Service in the values of a chart has no path
function* onService(object: JudgedObject, check: (service: Manifest) => Problem[]): Iterable<Problem> {
  const service = balancedService(object);
  for (const problem of service ? check(service) : []) {
    yield service === object.manifest ? problem : { ...problem, path: 'spec.valuesContent', message: `${problem.path} ${problem.message}` };
  }
}

/** The properties of a rule besides its check and its kinds. */
type Words = Pick<Rule, 'level' | 'what' | 'source' | 'says'>;

function rule(id: string, check: (service: Manifest) => Problem[], words: Words): Rule {
  return { id: `service/${id}`, kinds: KINDS, ...words, judge: (object) => onService(object, check) };
}

const CHECKS: readonly Rule[] = [
  rule('ipam', checkServiceIpam, {
    level: 'error',
    what: 'the ipam of a Service is pool or dhcp, in lower case',
    says: 'supported values: "pool", "dhcp"',
    source: 'harvester/load-balancer-harvester: the definition of LoadBalancer',
  }),
  rule('primary-name', checkSharedName, {
    level: 'error',
    what: 'a Service names the one whose address it shares as namespace/name',
    says: 'invalid service name',
    source: `${CCM}/loadbalancer.go`,
  }),
  rule('primary-and-ipam', checkPrimaryAndIpam, {
    level: 'warning',
    what: 'a Service that shares the address of another has no ipam: the cloud provider removes it',
    source: `${CCM}/loadbalancer.go`,
  }),
  rule('network-name', checkServiceNetwork, {
    level: 'error',
    what: 'the network of a Service is namespace/name',
    says: 'not found in NAD mapping',
    source: `${CCM}/loadbalancer.go`,
  }),
  rule('unknown-key', checkUnknownKeys, {
    level: 'warning',
    what: 'annotations with the prefix of the cloud provider are ones that it reads',
    source: 'harvester/cloud-provider-harvester:pkg/utils/consts.go',
  }),
];

const WRITTEN: Rule = {
  id: 'service/written-by-provider',
  level: 'warning',
  kinds: KINDS,
  what: 'fields of a Service that the cloud provider sets are not set',
  source: `${CCM}/loadbalancer.go`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    // without the cloud provider, the annotations of kube-vip belong to the user
    if (addressPlan(world).balancerOf(object)) { return onService(object, checkWrittenByProvider); }
    return NO_PROBLEMS;
  },
};

/** Whether the DHCP server of the network gives the address: then Harvester picks no pool by the network. */
const usesDhcp = (service: Manifest): boolean => annotationsOf(service)[ANNOTATION_IPAM] === IPAM_DHCP;

const NETWORK: Rule = {
  id: 'service/network',
  level: 'warning',
  kinds: KINDS,
  what: 'a Service names a network of its Harvester cluster, if Harvester (1.9; any with DHCP) and the cloud provider (chart 0.2.14) support it',
  source: `${CCM}/loadbalancer.go; harvester/docs#1082`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const service = balancedService(object);
    const network = service && annotationsOf(service)[ANNOTATION_NETWORK];
    const harvester = harvesterOf(object, world);
    if (typeof network !== 'string' || network === '' || isLate(network) || !NAMESPACED_NAME.test(network)) { return; }
    const at = { path: `metadata.annotations[${ANNOTATION_NETWORK}]`, value: network };
    if (hasFeature(harvester, HarvesterGate.LOAD_BALANCER_NETWORK) === false && !usesDhcp(service!)) {
      yield {
        ...at,
        message: `has no effect: Harvester ${harvester!.harvesterVersion} overwrites it with the first network of the machines`,
        fix: 'remove it, or upgrade to Harvester 1.9.0',
      };
    }
    const lacks = rke2Lacks(object.target, Rke2Gate.RKE2_LOAD_BALANCER_NETWORK);
    if (lacks) {
      yield {
        ...at,
        message: `has no effect with the bundled cloud provider: ${lacks}`,
        fix: 'remove it, or install the chart harvester-cloud-provider 0.2.14 or later',
      };
    }
    yield* missingNetwork(at, network, harvester, world);
  },
};

function* missingNetwork(at: { path: string; value: string }, network: string, target: JudgedTarget | undefined, world: World): Iterable<Problem> {
  // without any network the manifests are only Services
  if (!target || world.ofKind(GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT).length === 0 || networkOn(target, network, world)) { return; }
  const [namespace, name] = network.split('/');
  if (world.isSaid(target, GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT, namespace, name)) { return; }
  yield {
    ...at,
    message: `does not match any known network of ${target.name}`,
    fix: 'declare the network or correct the name',
    says: `network ${network} not found in NAD mapping`,
  };
}

function harvesterOf(object: JudgedObject, world: World): JudgedTarget | undefined {
  const plan = addressPlan(world);
  const name = plan.balancerOf(object)?.harvester;
  return name === undefined ? undefined : plan.harvesters.get(name);
}

const LOCAL_TRAFFIC: Rule = {
  id: 'service/local-traffic',
  level: 'warning',
  kinds: KINDS,
  what: 'externalTrafficPolicy Local needs a cloud provider (chart 0.2.12) whose kube-vip has svc_election "true" and runs on the workers',
  source: 'harvester/charts:charts/harvester-cloud-provider/values.yaml (0.2.12); harvester/docs v1.9',
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const service = balancedService(object);
    if (!service || valueAt(service, 'spec', 'externalTrafficPolicy') !== 'Local' || !addressPlan(world).balancerOf(object)) { return NO_PROBLEMS; }
    const at = { path: 'spec.externalTrafficPolicy', value: 'Local' };
    const lacks = rke2Lacks(object.target, Rke2Gate.RKE2_LOCAL_TRAFFIC_POLICY);
    const guest = addressPlan(world).guestOf(object);
    if (lacks) {
      return [{
        ...at,
        message: `has no effect, and nodes without endpoints accept traffic, too: ${lacks}`,
        fix: 'use Cluster, or install the chart harvester-cloud-provider 0.2.12 or later',
      }];
    } else if (guest && valueAt(guest.values, 'kube-vip', 'env', 'svc_election') !== 'true') {
      return [{
        ...at,
        message: 'needs kube-vip to elect a node for each Service',
        fix: 'set kube-vip.env.svc_election: "true" in the values of chart harvester-cloud-provider, and its affinity so that it runs on the workers',
      }];
    }
    return NO_PROBLEMS;
  },
};

const CHANGED: Rule = {
  id: 'service/changed',
  level: 'error',
  kinds: KINDS,
  what: 'the ipam and network of a Service are immutable while it has a load balancer',
  says: 'can\'t change the IPAM from pool to dhcp',
  source: `harvester/load-balancer-harvester:pkg/webhook/loadbalancer/validator.go checkIPAM; ${CCM}/loadbalancer.go (0.2.7)`,
  *judgeUpdate(object: JudgedObject, before: Manifest, world: World): Iterable<Problem> {
    const [was, is] = [balancedService({ ...object, manifest: before }), balancedService(object)];
    // to and from a shared address the load balancer is deleted or recreated
    if (!was || !is || primaryOf(was) !== undefined || primaryOf(is) !== undefined) { return; }
    const [old, now] = [was, is].map(annotationsOf);
    const fix = 'delete and recreate the Service, which gets another address';
    if ((old[ANNOTATION_IPAM] === IPAM_DHCP) !== (now[ANNOTATION_IPAM] === IPAM_DHCP)) {
      const [from, to] = [old, now].map((annotations) => plainText(annotations[ANNOTATION_IPAM] ?? 'pool'));
      yield {
        path: `metadata.annotations[${ANNOTATION_IPAM}]`,
        value: to,
        message: `cannot change: it is ${from} on the server`,
        fix,
        says: `can't change the IPAM from ${from} to ${to}`,
      };
    }
    const keepsNetwork = usesDhcp(is) || hasFeature(harvesterOf(object, world), HarvesterGate.LOAD_BALANCER_NETWORK) !== false;
    if (keepsNetwork && old[ANNOTATION_NETWORK] !== now[ANNOTATION_NETWORK]) {
      yield {
        path: `metadata.annotations[${ANNOTATION_NETWORK}]`,
        value: now[ANNOTATION_NETWORK] ?? '',
        message: `cannot change: it is ${JSON.stringify(old[ANNOTATION_NETWORK] ?? '')} on the server, and the cloud provider (0.2.7 and later) ignores the change`,
        fix,
        says: `network annotation of service ${is.metadata.namespace}/${is.metadata.name} is not same as the load balancer`,
      };
    }
  },
};

/** Rules for Services that get an address of a Harvester. */
export const SERVICE_RULES: readonly Rule[] = [...CHECKS, WRITTEN, NETWORK, LOCAL_TRAFFIC, CHANGED, ...SHARED_ADDRESS_RULES];

const ANNOTATIONS = [ANNOTATION_IPAM, ANNOTATION_NETWORK, ANNOTATION_PRIMARY_SERVICE];
/** Charts that give addresses to Services of type LoadBalancer. */
const BALANCERS = ['metallb', 'kube-vip', 'cilium', 'loxilb', 'purelb'];

const NO_PROVIDER: Rule = {
  id: 'service/no-cloud-provider',
  level: 'warning',
  kinds: ['/Service', 'helm.cattle.io/HelmChartConfig'],
  what: 'a load balancer is in a guest cluster with a cloud provider, or another program that gives it an address: otherwise it gets none',
  source: 'harvester/docs rancher/cloud-provider.md; https://docs.rke2.io/networking/networking_services',
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const service = balancedService(object);
    const guest = service && addressPlan(world).guestOf(object);
    if (!service || !guest || valueAt(service, 'spec', 'loadBalancerClass') !== undefined) { return NO_PROBLEMS; }
    const { manifest } = guest.object;
    if (usesHarvester(manifest) || isInstalled(PROVIDER_CHART, manifest, object, world)) { return NO_PROBLEMS; }
    const asked = ANNOTATIONS.find((key) => annotationsOf(service)[key] !== undefined);
    const mayBeOthers = asked === undefined && (!guest.onHarvester || hasOther(manifest));
    if (mayBeOthers || (asked === undefined && BALANCERS.some((chart) => isInstalled(chart, manifest, object, world)))) { return NO_PROBLEMS; }
    return [{
      path: service !== object.manifest ? 'spec.valuesContent' : asked === undefined ? 'spec.type' : `metadata.annotations[${asked}]`,
      message: `gets no address: the guest cluster ${manifest.metadata.name} has no Harvester cloud provider`,
      fix: 'set its cloud provider to harvester, or install the chart harvester-cloud-provider',
    }];
  },
};

/** Whether the distribution, or another cloud provider, gives addresses. */
function hasOther(cluster: Manifest): boolean {
  const configs = nodeConfigsOf(cluster).map(({ config }) => config);
  const isK3s = distributionOf(valueAt(cluster, 'spec', 'kubernetesVersion')) === 'k3s';
  return configs.some((config) => config[CLOUD_PROVIDER_NAME] !== undefined && config[CLOUD_PROVIDER_NAME] !== '')
    || (isK3s && !configs.some((config) => textsOf(config[DISABLE]).includes('servicelb')));
}

/** Whether a manifest of the cluster installs a chart whose name contains a text. */
function isInstalled(chart: string, cluster: Manifest, object: JudgedObject, world: World): boolean {
  const text = rkeConfigOf(cluster)?.additionalManifest;
  if (typeof text === 'string' && text.includes(chart)) { return true; }
  return ['HelmChart', 'HelmChartConfig'].some((kind) => world.beside(object, 'helm.cattle.io', kind).some(({ manifest }) => (
    manifest.metadata.name.includes(chart) || JSON.stringify(valueAt(manifest, 'spec', 'chart') ?? '').includes(chart))));
}

/** Rules for load balancers without a cloud provider. */
export const NO_PROVIDER_RULES: readonly Rule[] = [NO_PROVIDER];
