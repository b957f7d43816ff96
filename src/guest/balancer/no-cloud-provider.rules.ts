import { ANNOTATION_IPAM, ANNOTATION_NETWORK, ANNOTATION_PRIMARY_SERVICE } from './load-balancer-service.kind';
import { balancedService } from './service-load-balancer.rules';
import { Manifest, annotationsOf, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { addressPlan } from '../../harvester/load-balancer/address-plan.rules';
import { nodeConfigsOf, rkeConfigOf, usesHarvester } from '../cluster/cluster-reader.check';
import { DISABLE, PROVIDER_CHART } from '../cluster/cluster.kind';
import { textsOf } from '../kubernetes/kubernetes.check';
import { CLOUD_PROVIDER_NAME, distributionOf } from '../kubernetes/rke2.data';

const ANNOTATIONS = [ANNOTATION_IPAM, ANNOTATION_NETWORK, ANNOTATION_PRIMARY_SERVICE];
/** Charts that give addresses to Services of type LoadBalancer. */
const BALANCERS = ['metallb', 'kube-vip', 'cilium', 'loxilb', 'purelb'];

const NO_PROVIDER: Rule = {
  id: 'service/no-cloud-provider',
  level: 'warning',
  kinds: ['/Service', 'helm.cattle.io/HelmChartConfig'],
  what: 'a load balancer is in a guest cluster with a cloud provider, or another program that gives it an address: otherwise it gets none',
  source: 'harvester/docs rancher/cloud-provider.md; https://docs.rke2.io/networking/networking_services',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const service = balancedService(object);
    const guest = service && addressPlan(world).guestOf(object);
    if (!service || !guest || valueAt(service, 'spec', 'loadBalancerClass') !== undefined) { return; }
    const { manifest } = guest.object;
    if (usesHarvester(manifest) || isInstalled(PROVIDER_CHART, manifest, object, world)) { return; }
    const asked = ANNOTATIONS.find((key) => annotationsOf(service)[key] !== undefined);
    const mayBeOthers = asked === undefined && (!guest.onHarvester || hasOther(manifest));
    if (mayBeOthers || (asked === undefined && BALANCERS.some((chart) => isInstalled(chart, manifest, object, world)))) { return; }
    yield {
      path: service !== object.manifest ? 'spec.valuesContent' : asked === undefined ? 'spec.type' : `metadata.annotations[${asked}]`,
      message: `gets no address: the guest cluster ${manifest.metadata.name} has no Harvester cloud provider`,
      fix: 'set its cloud provider to harvester, or install the chart harvester-cloud-provider',
    };
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
