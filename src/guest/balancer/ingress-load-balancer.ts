import { Construct } from 'constructs';
import { ExternalTrafficPolicy } from './harvester-load-balancer';
import {
  API_HELM,
  BUNDLED_CHARTS_NAMESPACE,
  INGRESS_CHARTS,
  IngressChart,
  KIND_CHART_CONFIG,
  ingressValues,
} from './load-balancer-service.check';
import {
  IGuestLoadBalancer,
  Ipam,
  ServiceAddress,
  addressAnnotations,
  checkAddress,
  lateAddress,
  orderService,
} from './service-address';
import { ResourceOptions } from '../../core/app/resource';
import { failOnErrors } from '../../core/problem/problem';
import { freeForm } from '../../core/value/free-form';
import { toYaml } from '../../core/yaml/yaml-writer';
import { IVmNetwork } from '../../harvester/network/vm-network';
import { NamespacedGuestResource } from '../guest-resource';
import { KubernetesDistribution, KubernetesVersion } from '../kubernetes/kubernetes-version';

/** An ingress controller that RKE2 or K3s bundles. */
export class IngressController {
  /** The ingress-nginx of RKE2. Its Service is disabled by default. */
  public static readonly RKE2_NGINX = new IngressController(
    INGRESS_CHARTS.RKE2_NGINX,
    KubernetesDistribution.RKE2,
  );
  /** The Traefik of RKE2. Its Service is not a load balancer by default. */
  public static readonly RKE2_TRAEFIK = new IngressController(
    INGRESS_CHARTS.RKE2_TRAEFIK,
    KubernetesDistribution.RKE2,
  );
  /** The Traefik of K3s. */
  public static readonly K3S_TRAEFIK = new IngressController(
    INGRESS_CHARTS.K3S_TRAEFIK,
    KubernetesDistribution.K3S,
  );

  declare private readonly nominal: true;

  private constructor(
    /** @internal */
    public readonly _chart: IngressChart,
    /** @internal */
    public readonly _distribution: KubernetesDistribution,
  ) {}

  /** The name of its HelmChart, in namespace kube-system. */
  public get chart(): string {
    return this._chart.chart;
  }
}

/** Properties of a load balancer for an ingress controller. */
export interface IngressLoadBalancerProps extends ResourceOptions {
  /** The ingress controller. */
  readonly controller: IngressController;
  /** The source of its address. */
  readonly ipam: Ipam;
  /**
   * The VM network of its address, see HarvesterLoadBalancerProps.
   * @default - as for any Service
   */
  readonly network?: IVmNetwork;
  /**
   * The nodes that accept traffic.
   * @default - the cluster's default, ExternalTrafficPolicy.CLUSTER
   */
  readonly externalTrafficPolicy?: ExternalTrafficPolicy;
  /**
   * Additional values of the chart, which has only one HelmChartConfig. They cannot contain what
   * this construct sets.
   * @default - none
   */
  readonly values?: { readonly [key: string]: any };
}

/**
 * A HelmChartConfig in a guest cluster that assigns an address of Harvester's network to the
 * Service of a bundled ingress controller. It has the name of the controller's chart. Create one
 * for each chart; Rancher writes the same object if a guest cluster has `chartValues` for that
 * chart.
 *
 * @see https://docs.rke2.io/helm#customizing-packaged-components-with-helmchartconfig
 * @example
 * new IngressLoadBalancer(shop.chart, 'ingress', { controller: IngressController.RKE2_NGINX, ipam: Ipam.dhcp() });
 */
export class IngressLoadBalancer extends NamespacedGuestResource implements IGuestLoadBalancer {
  public readonly serviceId: string;
  public readonly sharesAddress: boolean;

  constructor(scope: Construct, id: string, props: IngressLoadBalancerProps) {
    const { _chart: chart } = props.controller;
    super(scope, id, { name: chart.chart, labels: props.labels, annotations: props.annotations });
    this.serviceId = `${BUNDLED_CHARTS_NAMESPACE}/${chart.service}`;
    this.sharesAddress = props.ipam._mode === 'shared';
    const address: ServiceAddress = { guest: this.guest, ipam: props.ipam, network: props.network };
    const given = freeForm('values', props.values ?? {});
    const { values, problems } = ingressValues(
      chart,
      given.value,
      addressAnnotations(address),
      props.externalTrafficPolicy,
    );
    const { distribution } = KubernetesVersion.parse(this.guest.version);
    failOnErrors(this, [
      ...(distribution === undefined || distribution === props.controller._distribution
        ? []
        : [
            {
              path: 'controller',
              value: chart.chart,
              message: `must be an ingress controller of ${distribution}, since the guest cluster runs ${this.guest.version}`,
              fix: `use one of ${distribution}`,
            },
          ]),
      ...checkAddress(address),
      ...given.problems,
      ...problems,
    ]);
    const config = this._write(
      {
        apiVersion: API_HELM,
        kind: KIND_CHART_CONFIG,
        // not `values`, which older helm controllers do not know
        spec: { valuesContent: toYaml(values) },
      },
      { deletion: 'address' },
    );
    orderService(config, address);
  }

  /** The assigned address, a late value. */
  public get address(): string {
    return lateAddress(this);
  }

  /** @internal */
  public _defaultNamespace(): string {
    return BUNDLED_CHARTS_NAMESPACE;
  }
}
