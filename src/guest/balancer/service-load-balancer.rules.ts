import {
  ingressServiceOf,
  isLoadBalancer,
  primaryOf,
  ANNOTATIONS_OVERWRITTEN,
  ANNOTATION_IPAM,
  ANNOTATION_KUBE_VIP_INTERFACE,
  ANNOTATION_KUBE_VIP_IPS,
  ANNOTATION_NETWORK,
  ANNOTATION_PRIMARY_SERVICE,
  CLOUD_PROVIDER_PREFIX,
  SERVICE_ANNOTATIONS,
} from './load-balancer-service.check';
import { SHARED_ADDRESS_RULES } from './shared-address.rules';
import { isLate } from '../../core/late/late-token';
import {
  annotationsOf,
  isFromServer,
  labelsOf,
  Manifest,
  valueAt,
} from '../../core/manifest/manifest';
import { NAMESPACED_NAME } from '../../core/manifest/names';
import { SomeProblems, joinedProblems, problemsOf } from '../../core/problem/problem';
import { Fact, rules } from '../../core/rule/kit/fact';
import { text } from '../../core/rule/kit/values';
import { JudgedObject, JudgedTarget, Rule, World } from '../../core/rule/rule';
import { filledText, plainText } from '../../core/text/plain-text';
import { hasFeature } from '../../core/version/target-features';
import { addressPlan, networkOn } from '../../harvester/load-balancer/address-plan.facts';
import { IPAM_DHCP, IPAM_MODES } from '../../harvester/load-balancer/load-balancer.kind';
import { GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT } from '../../harvester/network/vm-network.kind';
import { HarvesterGate } from '../../harvester/version/harvester-version';
import {
  additionalManifestOf,
  clusterDistribution,
  nodeConfigsOf,
  usesHarvester,
} from '../cluster/cluster-reader.facts';
import { DISABLE, PROVIDER_CHART } from '../cluster/cluster.kind';
import { rke2Lacks, textsIn } from '../kubernetes/kubernetes.check';
import { Rke2Gate, CLOUD_PROVIDER_NAME } from '../kubernetes/rke2.data';

const KINDS = ['/Service', 'helm.cattle.io/HelmChartConfig'];
const CCM = 'harvester/cloud-provider-harvester:pkg/cloud-controller-manager';

const annotationPath = (key: string): string => `metadata.annotations[${key}]`;

/** The Service of type LoadBalancer that an object is or creates; undefined for other objects. */
function balancedService(manifest: Manifest): Manifest | undefined {
  if (manifest.kind === 'HelmChartConfig') {
    return ingressServiceOf(manifest);
  }
  return isLoadBalancer(manifest) ? manifest : undefined;
}

/**
 * The judge of the Service that an object is or creates. A Service in the values of a chart has no
 * path.
 */
function ofService(check: (service: Manifest) => SomeProblems): NonNullable<Fact['judge']> {
  return ({ manifest }) => {
    const service = balancedService(manifest);
    const problems = joinedProblems(service && check(service));
    return service === manifest
      ? problems
      : problems.map((problem) => ({
          ...problem,
          path: 'spec.valuesContent',
          message: `${problem.path} ${problem.message}`,
        }));
  };
}

/** The judge of a text in an annotation of such a Service. */
function ofAnnotation(
  key: string,
  check: (path: string, value: string, service: Manifest) => SomeProblems,
): NonNullable<Fact['judge']> {
  const checkText = text(check);
  return ofService((service) =>
    checkText(annotationPath(key), annotationsOf(service)[key], service),
  );
}

function checkKey(key: string): SomeProblems {
  const path = annotationPath(key);
  if (ANNOTATIONS_OVERWRITTEN.includes(key)) {
    return {
      path,
      message: 'has no effect: Harvester overwrites it',
      fix: 'remove it; set the scope of the IP pool instead',
    };
  }
  return (
    !SERVICE_ANNOTATIONS.includes(key) && {
      path,
      message: key.includes('healthcheck')
        ? 'has no effect since cloud provider 0.2: the Service itself shows which endpoints are ready'
        : 'has no effect: no cloud provider reads it',
      fix: `remove it; an IP pool is selected by its scope, not by name. Known keys: ${SERVICE_ANNOTATIONS.join(', ')}`,
    }
  );
}

function checkWritten(service: Manifest): SomeProblems {
  if (isFromServer(service)) {
    return undefined;
  }
  const annotations = [ANNOTATION_KUBE_VIP_IPS, ANNOTATION_KUBE_VIP_INTERFACE]
    .filter((key) => key in annotationsOf(service))
    .map(annotationPath);
  const labels =
    ANNOTATION_PRIMARY_SERVICE in labelsOf(service)
      ? [`metadata.labels[${ANNOTATION_PRIMARY_SERVICE}]`]
      : [];
  const address = filledText(valueAt(service, 'spec', 'loadBalancerIP'));
  return joinedProblems(
    problemsOf([...annotations, ...labels], (path) => ({
      path,
      message: 'cannot be set: the cloud provider sets it',
      fix: 'remove it: a tool that applies repeatedly would conflict with the cloud provider',
    })),
    // @see harvester/cloud-provider-harvester:pkg/cloud-controller-manager/loadbalancer.go
    // updatePrimaryServiceLoadBalancerIP
    address !== undefined &&
      !isLate(address) && {
        path: 'spec.loadBalancerIP',
        value: address,
        message: 'has no effect: the address comes from an IP pool, or DHCP',
        fix: 'remove it, and use an IP pool with only this address',
      },
  );
}

/**
 * Whether the DHCP server of the network gives the address: then Harvester picks no pool by the
 * network.
 */
const usesDhcp = (service: Manifest): boolean =>
  annotationsOf(service)[ANNOTATION_IPAM] === IPAM_DHCP;

function harvesterOf(object: JudgedObject, world: World): JudgedTarget | undefined {
  const plan = addressPlan(world);
  const name = plan.balancerOf(object)?.harvester;
  return name === undefined ? undefined : plan.harvesters.get(name);
}

/**
 * Whether a Harvester is known to lack a network; without any network the manifests are only
 * Services.
 */
function lacksNetwork(target: JudgedTarget | undefined, network: string, world: World): boolean {
  if (
    !target ||
    world.ofKind(GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT).length === 0 ||
    networkOn(target, network, world)
  ) {
    return false;
  }
  const [namespace, name] = network.split('/');
  return !world.isSaid(target, GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT, namespace, name);
}

/** Rules for Services that get an address of a Harvester. */
export const SERVICE_RULES: readonly Rule[] = [
  ...rules({ kinds: KINDS, on: 'guest' }, [
    {
      id: 'service/ipam',
      what: 'the ipam of a Service is pool or dhcp, in lower case',
      says: 'supported values: "pool", "dhcp"',
      source: 'harvester/load-balancer-harvester: the definition of LoadBalancer',
      judge: ofService((service) => {
        const path = annotationPath(ANNOTATION_IPAM);
        const value = annotationsOf(service)[ANNOTATION_IPAM];
        if (value === '') {
          // @see harvester/load-balancer-harvester:pkg/controller/loadbalancer/controller.go OnRemove
          return {
            level: 'warning',
            path,
            value,
            message:
              'must be "pool" or "dhcp": with an empty one, Harvester allocates an address of a pool and never releases it',
            fix: 'use one of the two, or remove the annotation',
            says: "can't delete pool before releasing all the allocated IP",
          };
        }
        return (
          typeof value === 'string' &&
          !isLate(value) &&
          !IPAM_MODES.includes(value) && {
            path,
            value,
            message:
              'must be "pool" or "dhcp": otherwise the Service waits for an address indefinitely',
            fix: 'use one of the two, in lower case',
            says: `spec.ipam: Unsupported value: "${value}": supported values: "pool", "dhcp"`,
          }
        );
      }),
    },
    {
      id: 'service/primary-name',
      what: 'a Service names the one whose address it shares as namespace/name',
      says: 'invalid service name',
      source: `${CCM}/loadbalancer.go`,
      judge: ofAnnotation(
        ANNOTATION_PRIMARY_SERVICE,
        (path, value) =>
          !NAMESPACED_NAME.test(value) && {
            path,
            value,
            message: 'must be the name of a Service',
            fix: 'write <namespace>/<name>, with the namespace',
            says: `invalid service name ${value}`,
          },
      ),
    },
    {
      id: 'service/primary-and-ipam',
      level: 'warning',
      what: 'a Service that shares the address of another has no ipam: the cloud provider removes it',
      source: `${CCM}/loadbalancer.go`,
      judge: ofService(
        (service) =>
          primaryOf(service) !== undefined &&
          annotationsOf(service)[ANNOTATION_IPAM] !== undefined && {
            path: annotationPath(ANNOTATION_IPAM),
            value: annotationsOf(service)[ANNOTATION_IPAM],
            message:
              'cannot be set: the Service shares the address of another, so the cloud provider removes it again and again',
            fix: 'leave it out',
          },
      ),
    },
    {
      id: 'service/network-name',
      what: 'the network of a Service is namespace/name',
      says: 'not found in NAD mapping',
      source: `${CCM}/loadbalancer.go`,
      judge: ofAnnotation(
        ANNOTATION_NETWORK,
        (path, value, { metadata }) =>
          !NAMESPACED_NAME.test(value) && {
            path,
            value,
            message: 'must be a network, <namespace>/<name>',
            fix: 'use a NetworkAttachmentDefinition on Harvester',
            says: `network ${value} not found in NAD mapping for service ${metadata.namespace ?? 'default'}/${metadata.name}`,
          },
      ),
    },
    {
      id: 'service/unknown-key',
      level: 'warning',
      what: 'annotations with the prefix of the cloud provider are ones that it reads',
      source: 'harvester/cloud-provider-harvester:pkg/utils/consts.go',
      judge: ofService((service) =>
        problemsOf(
          Object.keys(annotationsOf(service)),
          (key) => key.startsWith(CLOUD_PROVIDER_PREFIX) && checkKey(key),
        ),
      ),
    },
    {
      id: 'service/written-by-provider',
      level: 'warning',
      what: 'fields of a Service that the cloud provider sets are not set',
      source: `${CCM}/loadbalancer.go`,
      // without the cloud provider, the annotations of kube-vip belong to the user
      when: (object, world) => addressPlan(world).balancerOf(object),
      judge: ofService(checkWritten),
    },
    {
      id: 'service/network',
      level: 'warning',
      what: 'a Service names a network of its Harvester cluster, if Harvester (1.9; any with DHCP) and the cloud provider (chart 0.2.14) support it',
      source: `${CCM}/loadbalancer.go; harvester/docs#1082`,
      *judge(object, world) {
        const service = balancedService(object.manifest);
        const network = service && filledText(annotationsOf(service)[ANNOTATION_NETWORK]);
        if (network === undefined || isLate(network) || !NAMESPACED_NAME.test(network)) {
          return;
        }
        const harvester = harvesterOf(object, world);
        const at = { path: annotationPath(ANNOTATION_NETWORK), value: network };
        if (
          hasFeature(harvester, HarvesterGate.LOAD_BALANCER_NETWORK) === false &&
          !usesDhcp(service!)
        ) {
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
        if (lacksNetwork(harvester, network, world)) {
          yield {
            ...at,
            message: `does not match any known network of ${harvester!.name}`,
            fix: 'declare the network or correct the name',
            says: `network ${network} not found in NAD mapping`,
          };
        }
      },
    },
    {
      id: 'service/local-traffic',
      level: 'warning',
      what: 'externalTrafficPolicy Local needs a cloud provider (chart 0.2.12) whose kube-vip has svc_election "true" and runs on the workers',
      source:
        'harvester/charts:charts/harvester-cloud-provider/values.yaml (0.2.12); harvester/docs v1.9',
      when: (object, world) =>
        valueAt(balancedService(object.manifest), 'spec', 'externalTrafficPolicy') === 'Local' &&
        addressPlan(world).balancerOf(object),
      judge: (object, world) => {
        const at = { path: 'spec.externalTrafficPolicy', value: 'Local' };
        const lacks = rke2Lacks(object.target, Rke2Gate.RKE2_LOCAL_TRAFFIC_POLICY);
        const guest = addressPlan(world).guestOf(object);
        if (lacks) {
          return {
            ...at,
            message: `has no effect, and nodes without endpoints accept traffic, too: ${lacks}`,
            fix: 'use Cluster, or install the chart harvester-cloud-provider 0.2.12 or later',
          };
        }
        return (
          guest &&
          valueAt(guest.values, 'kube-vip', 'env', 'svc_election') !== 'true' && {
            ...at,
            message: 'needs kube-vip to elect a node for each Service',
            fix: 'set kube-vip.env.svc_election: "true" in the values of chart harvester-cloud-provider, and its affinity so that it runs on the workers',
          }
        );
      },
    },
    {
      id: 'service/changed',
      what: 'the ipam and network of a Service are immutable while it has a load balancer',
      says: "can't change the IPAM from pool to dhcp",
      source: `harvester/load-balancer-harvester:pkg/webhook/loadbalancer/validator.go checkIPAM; ${CCM}/loadbalancer.go (0.2.7)`,
      *judgeUpdate(object, before, world) {
        const [was, is] = [balancedService(before), balancedService(object.manifest)];
        // to and from a shared address the load balancer is deleted or recreated
        if (!was || !is || primaryOf(was) !== undefined || primaryOf(is) !== undefined) {
          return;
        }
        const [old, now] = [was, is].map(annotationsOf);
        const fix = 'delete and recreate the Service, which gets another address';
        if (usesDhcp(was) !== usesDhcp(is)) {
          const [from, to] = [old, now].map((annotations) =>
            plainText(annotations[ANNOTATION_IPAM] ?? 'pool'),
          );
          yield {
            path: annotationPath(ANNOTATION_IPAM),
            value: to,
            message: `cannot change: it is ${from} on the server`,
            fix,
            says: `can't change the IPAM from ${from} to ${to}`,
          };
        }
        const keepsNetwork =
          usesDhcp(is) ||
          hasFeature(harvesterOf(object, world), HarvesterGate.LOAD_BALANCER_NETWORK) !== false;
        if (keepsNetwork && old[ANNOTATION_NETWORK] !== now[ANNOTATION_NETWORK]) {
          yield {
            path: annotationPath(ANNOTATION_NETWORK),
            value: now[ANNOTATION_NETWORK] ?? '',
            message: `cannot change: it is ${JSON.stringify(old[ANNOTATION_NETWORK] ?? '')} on the server, and the cloud provider (0.2.7 and later) ignores the change`,
            fix,
            says: `network annotation of service ${is.metadata.namespace}/${is.metadata.name} is not same as the load balancer`,
          };
        }
      },
    },
  ]),
  ...SHARED_ADDRESS_RULES,
];

/** Charts that give addresses to Services of type LoadBalancer. */
const BALANCERS = ['metallb', 'kube-vip', 'cilium', 'loxilb', 'purelb'];

/** Whether the distribution, or another cloud provider, gives addresses. */
function hasOther(cluster: Manifest): boolean {
  const configs = nodeConfigsOf(cluster).map(({ config }) => config);
  return (
    configs.some(
      (config) => config[CLOUD_PROVIDER_NAME] !== undefined && config[CLOUD_PROVIDER_NAME] !== '',
    ) ||
    (clusterDistribution(cluster) === 'k3s' &&
      !configs.some((config) => textsIn(config[DISABLE]).includes('servicelb')))
  );
}

/** Whether a manifest of the cluster installs a chart whose name contains a text. */
function isInstalled(
  chart: string,
  cluster: Manifest,
  object: JudgedObject,
  world: World,
): boolean {
  return (
    additionalManifestOf(cluster).includes(chart) ||
    ['HelmChart', 'HelmChartConfig'].some((kind) =>
      world
        .beside(object, 'helm.cattle.io', kind)
        .some(
          ({ manifest }) =>
            manifest.metadata.name.includes(chart) ||
            JSON.stringify(valueAt(manifest, 'spec', 'chart') ?? '').includes(chart),
        ),
    )
  );
}

/** Rules for load balancers without a cloud provider. */
export const NO_PROVIDER_RULES = rules({ kinds: KINDS, on: 'guest' }, [
  {
    id: 'service/no-cloud-provider',
    level: 'warning',
    what: 'a load balancer is in a guest cluster with a cloud provider, or another program that gives it an address: otherwise it gets none',
    source:
      'harvester/docs rancher/cloud-provider.md; https://docs.rke2.io/networking/networking_services',
    judge: (object, world) => {
      const service = balancedService(object.manifest);
      const guest = service && addressPlan(world).guestOf(object);
      if (!service || !guest || valueAt(service, 'spec', 'loadBalancerClass') !== undefined) {
        return undefined;
      }
      const { manifest } = guest.object;
      if (usesHarvester(manifest) || isInstalled(PROVIDER_CHART, manifest, object, world)) {
        return undefined;
      }
      const asked = SERVICE_ANNOTATIONS.find((key) => annotationsOf(service)[key] !== undefined);
      const isOthers =
        !guest.onHarvester ||
        hasOther(manifest) ||
        BALANCERS.some((chart) => isInstalled(chart, manifest, object, world));
      const askingField = asked === undefined ? 'spec.type' : annotationPath(asked);
      return (
        (asked !== undefined || !isOthers) && {
          path: service === object.manifest ? askingField : 'spec.valuesContent',
          message: `gets no address: the guest cluster ${manifest.metadata.name} has no Harvester cloud provider`,
          fix: 'set its cloud provider to harvester, or install the chart harvester-cloud-provider',
        }
      );
    },
  },
]);
