import { harvesterHas, rke2Lacks } from './harvester-gates';
import { addressPlan, networkOn } from './load-balancer-plan';
import { JudgedObject, JudgedTarget, Rule } from './rule';
import { SHARED_ADDRESS_RULES } from './service-shared-address';
import { World } from './world';
import { annotationsOf } from '../model/checks/metadata-maps';
import { plainText } from '../model/checks/plain-text';
import { INFRASTRUCTURE_GROUP } from '../model/infrastructure-names';
import { isLate } from '../model/late-token';
import { ingressServiceOf } from '../model/load-balancer/ingress-charts';
import { ANNOTATION_IPAM, ANNOTATION_NETWORK, IPAM_DHCP, KIND_NETWORK_ATTACHMENT, NAMESPACED_NAME } from '../model/load-balancer/names';
import {
  checkPrimaryAndIpam, checkPrimaryName, checkServiceIpam, checkServiceNetwork, checkUnknownKeys, checkWrittenByProvider, isLoadBalancer, primaryOf,
} from '../model/load-balancer/service';
import { Manifest, valueAt } from '../model/manifest';
import { Problem } from '../model/problem';
import { GateId } from '../versions/gate-id';

export const SERVICE_KINDS = ['/Service', 'helm.cattle.io/HelmChartConfig'];
const CCM = 'harvester/cloud-provider-harvester:pkg/cloud-controller-manager';

/** The Service of type LoadBalancer that an object is or makes; undefined for others, and outside of guest clusters. */
export function balancedService({ manifest, target }: JudgedObject): Manifest | undefined {
  if (target.kind === 'rancher' || target.kind === 'harvester') { return undefined; }
  if (manifest.kind === 'HelmChartConfig') { return ingressServiceOf(manifest); }
  return isLoadBalancer(manifest) ? manifest : undefined;
}

// a Service in the values of a chart has no paths of its own
function* onService(object: JudgedObject, check: (service: Manifest) => Problem[]): Iterable<Problem> {
  const service = balancedService(object);
  for (const problem of service ? check(service) : []) {
    yield service === object.manifest ? problem : { ...problem, path: 'spec.valuesContent', message: `${problem.path} ${problem.message}` };
  }
}

/** What is left of a rule when its check and its kinds are known. */
type Words = Pick<Rule, 'level' | 'what' | 'source' | 'says'>;

function rule(id: string, check: (service: Manifest) => Problem[], words: Words): Rule {
  return { id: `service/${id}`, kinds: SERVICE_KINDS, ...words, judge: (object) => onService(object, check) };
}

const CHECKS: readonly Rule[] = [
  rule('ipam', checkServiceIpam, {
    level: 'error',
    what: 'the ipam of a Service is pool or dhcp, in lower case',
    says: 'supported values: "pool", "dhcp"',
    source: 'harvester/load-balancer-harvester: the definition of LoadBalancer',
  }),
  rule('primary-name', checkPrimaryName, {
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
  kinds: SERVICE_KINDS,
  what: 'what the cloud provider writes to a Service is left to it',
  source: `${CCM}/loadbalancer.go`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    // where kube-vip runs alone its annotations are the user's
    if (addressPlan(world).balancerOf(object)) { yield* onService(object, checkWrittenByProvider); }
  },
};

const NETWORK: Rule = {
  id: 'service/network',
  level: 'warning',
  kinds: SERVICE_KINDS,
  what: 'a Service names a network that its Harvester has, where Harvester (1.9) and the cloud provider (chart 0.2.14) honour it',
  source: `${CCM}/loadbalancer.go; harvester/docs v1.9`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const service = balancedService(object);
    const network = service && annotationsOf(service)[ANNOTATION_NETWORK];
    const harvester = harvesterOf(object, world);
    if (typeof network !== 'string' || network === '' || isLate(network) || !NAMESPACED_NAME.test(network)) { return; }
    const at = { path: `metadata.annotations[${ANNOTATION_NETWORK}]`, value: network };
    if (harvesterHas(harvester, GateId.LOAD_BALANCER_NETWORK) === false) {
      yield {
        ...at,
        message: `does nothing: Harvester ${harvester!.harvesterVersion} overwrites it with the first network of the machines`,
        fix: 'leave it out, or upgrade to Harvester 1.9.0',
      };
    }
    const lacks = rke2Lacks(object.target, GateId.RKE2_LOAD_BALANCER_NETWORK);
    if (lacks) {
      yield {
        ...at,
        message: `does nothing with the bundled cloud provider: ${lacks}`,
        fix: 'leave it out, or install the chart harvester-cloud-provider 0.2.14 or later',
      };
    }
    yield* missingNetwork(at, network, harvester, world);
  },
};

function* missingNetwork(at: { path: string; value: string }, network: string, target: JudgedTarget | undefined, world: World): Iterable<Problem> {
  // a world without any network is one of Services alone
  if (!target || world.ofKind(INFRASTRUCTURE_GROUP.ATTACHMENT, KIND_NETWORK_ATTACHMENT).length === 0 || networkOn(target, network, world)) { return; }
  const [namespace, name] = network.split('/');
  if (world.isSaid(target, INFRASTRUCTURE_GROUP.ATTACHMENT, KIND_NETWORK_ATTACHMENT, namespace, name)) { return; }
  yield {
    ...at,
    message: `is no network of ${target.name} as far as is known`,
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
  kinds: SERVICE_KINDS,
  what: 'externalTrafficPolicy Local needs a cloud provider (chart 0.2.12) whose kube-vip has svc_election "true" and runs on the workers',
  source: 'harvester/charts:charts/harvester-cloud-provider/values.yaml (0.2.12); harvester/docs v1.9',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const service = balancedService(object);
    if (!service || valueAt(service, 'spec', 'externalTrafficPolicy') !== 'Local' || !addressPlan(world).balancerOf(object)) { return; }
    const at = { path: 'spec.externalTrafficPolicy', value: 'Local' };
    const lacks = rke2Lacks(object.target, GateId.RKE2_LOCAL_TRAFFIC_POLICY);
    const guest = addressPlan(world).guestOf(object);
    if (lacks) {
      yield {
        ...at,
        message: `answers on nodes without endpoints: ${lacks}`,
        fix: 'use Cluster, or install the chart harvester-cloud-provider 0.2.12 or later',
      };
    } else if (guest && valueAt(guest.values, 'kube-vip', 'env', 'svc_election') !== 'true') {
      yield {
        ...at,
        message: 'needs kube-vip to elect a node for each Service, which it does not here',
        fix: 'set kube-vip.env.svc_election: "true" in the values of chart harvester-cloud-provider, and its affinity so that it runs on the workers',
      };
    }
  },
};

const CHANGED: Rule = {
  id: 'service/changed',
  level: 'error',
  kinds: SERVICE_KINDS,
  what: 'a Service keeps its ipam and its network for as long as it has a load balancer',
  says: 'can\'t change the IPAM from pool to dhcp',
  source: `harvester/load-balancer-harvester:pkg/webhook/loadbalancer/validator.go checkIPAM; ${CCM}/loadbalancer.go (0.2.7)`,
  *judgeUpdate(object: JudgedObject, before: Manifest, world: World): Iterable<Problem> {
    const [was, is] = [balancedService({ ...object, manifest: before }), balancedService(object)];
    // to and from a shared address the load balancer is deleted or made anew
    if (!was || !is || primaryOf(was) !== undefined || primaryOf(is) !== undefined) { return; }
    const [old, now] = [was, is].map(annotationsOf);
    const fix = 'delete the Service and create it anew; it gets another address';
    if ((old[ANNOTATION_IPAM] === IPAM_DHCP) !== (now[ANNOTATION_IPAM] === IPAM_DHCP)) {
      const [from, to] = [old, now].map((annotations) => plainText(annotations[ANNOTATION_IPAM] ?? 'pool'));
      yield {
        path: `metadata.annotations[${ANNOTATION_IPAM}]`,
        value: to,
        message: `was ${from} and can not change`,
        fix,
        says: `can't change the IPAM from ${from} to ${to}`,
      };
    }
    if (old[ANNOTATION_NETWORK] !== now[ANNOTATION_NETWORK] && harvesterHas(harvesterOf(object, world), GateId.LOAD_BALANCER_NETWORK) !== false) {
      yield {
        path: `metadata.annotations[${ANNOTATION_NETWORK}]`,
        value: now[ANNOTATION_NETWORK] ?? '',
        message: `was ${JSON.stringify(old[ANNOTATION_NETWORK] ?? '')}; the cloud provider (0.2.7 and later) does not change it`,
        fix,
        says: `network annotation of service ${is.metadata.namespace}/${is.metadata.name} is not same as the load balancer`,
      };
    }
  },
};

/** Rules for Services that get an address of a Harvester. */
export const SERVICE_RULES: readonly Rule[] = [...CHECKS, WRITTEN, NETWORK, LOCAL_TRAFFIC, CHANGED, ...SHARED_ADDRESS_RULES];
