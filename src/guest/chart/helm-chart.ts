import { ApiObject, Duration } from 'cdk8s';
import { Construct } from 'constructs';
import {
  ClusterResource,
  ExistingClusterResource,
  ExistingResourceOptions,
  ResourceManifest,
  ResourceProps,
  defaultName,
  namespaceOf,
} from '../../core/app/resource';
import { ObjectNotes } from '../../core/construct/object-notes';
import { IGuestTarget, TargetKind, IResource } from '../../core/construct/target';
import { isLate } from '../../core/late/late-token';
import { Problem, collectProblems, problemText } from '../../core/problem/problem';
import { ChartValues } from '../../core/value/chart-values';
import { VALUES_SECRET_FIX, freeForm } from '../../core/value/free-form';
import { toYaml } from '../../core/yaml/yaml-writer';
import {
  API_HELM,
  BUNDLED_CHARTS_NAMESPACE,
  KIND_CHART_CONFIG,
  serviceValues,
} from '../balancer/load-balancer-service.check';
import { Ipam, addressAnnotations, checkAddress, orderService } from '../balancer/service-address';
import { NamespacedGuestResourceProps } from '../guest-resource';
import { ClusterFields } from '../parts/cluster-parts';

/** What happens to a release after a failed installation or upgrade. */
export enum HelmFailurePolicy {
  /** Keep it as it is, for inspection. */
  ABORT = 'abort',
  /** Uninstall it and install it again. */
  REINSTALL = 'reinstall',
  /** Try again. Only recent releases of RKE2 and K3s. */
  RETRY = 'retry',
}

/** A Secret with values of a chart. */
export interface HelmValuesSecret {
  /** The name of the Secret, in the namespace of the HelmChart. */
  readonly name: string;
  /** The keys that contain values, as YAML. @default - all keys */
  readonly keys?: string[];
  /** Whether changes of the Secret are ignored. @default false */
  readonly ignoreUpdates?: boolean;
}

/** The values of a chart, and what happens if they cannot be applied. */
export interface HelmChartValues {
  /** The values, by key. They may contain late values. @default - the chart's defaults */
  readonly values?: { readonly [key: string]: any };
  /** Secrets with additional values, which win. @default - no Secrets */
  readonly valuesSecrets?: HelmValuesSecret[];
  /**
   * What happens to a release that failed.
   * @default - the helm controller's default, HelmFailurePolicy.REINSTALL
   */
  readonly failurePolicy?: HelmFailurePolicy;
}

/** A Helm chart as RKE2 and K3s install it. */
export interface HelmChartOptions extends HelmChartValues {
  /**
   * The chart: its name in the repository, or an `oci://` or `https://` URL. Set either this or
   * `chartContent`.
   * @default - `chartContent` is the chart
   */
  readonly chart?: string;
  /** The chart archive in base64. @default - `chart` names the chart */
  readonly chartContent?: string;
  /** The URL of the repository. @default - `chart` is a URL */
  readonly repository?: string;
  /** The version of the chart. @default - the latest version, which changes over time */
  readonly version?: string;
  /** The namespace of the release. @default - the namespace of the HelmChart */
  readonly targetNamespace?: string;
  /** Whether to create that namespace. @default false */
  readonly createNamespace?: boolean;
  /** Single values, which win over all others, as `helm --set`. @default - no single values */
  readonly set?: { readonly [key: string]: string };
  /**
   * Whether to install it before nodes are ready, e.g. for a cloud provider, which makes them
   * ready.
   * @default false
   */
  readonly bootstrap?: boolean;
  /** Whether Helm adopts existing objects that it did not install. @default false */
  readonly takeOwnership?: boolean;
  /**
   * How long Helm waits for each operation, in whole seconds.
   * @default - the helm controller's default, 5 minutes
   */
  readonly timeout?: Duration;
  /** How often the job is retried. @default - the helm controller's default */
  readonly backOffLimit?: number;
  /** The image of the job, e.g. in a private registry. @default - the helm controller's default */
  readonly jobImage?: string;
  /** The CA certificates of the repository, in PEM form. @default - public CAs */
  readonly caCertificates?: string;
  /**
   * The name of a Secret of type kubernetes.io/basic-auth for the repository.
   * @default - no authentication
   */
  readonly authSecret?: string;
  /**
   * Whether these credentials are also sent to other hosts that the repository names.
   * @default false
   */
  readonly authPassCredentials?: boolean;
  /**
   * The name of a Secret of type kubernetes.io/dockerconfigjson for an `oci://` chart.
   * @default - no authentication
   */
  readonly dockerRegistrySecret?: string;
  /** Whether to skip the verification of the repository's certificate. @default false */
  readonly insecureSkipTlsVerify?: boolean;
}

/** The maximum length of a release name. @see helm/helm:pkg/chartutil/validate_name.go */
const MAX_RELEASE = 53;

const HELM_CHART = { apiVersion: API_HELM, kind: 'HelmChart' };

/** A HelmChart as an object; fields that are undefined are dropped where it is rendered. */
export function helmChart(name: string, options: HelmChartOptions): ClusterFields {
  return {
    ...HELM_CHART,
    metadata: { name, namespace: BUNDLED_CHARTS_NAMESPACE },
    spec: helmChartSpec(options),
  };
}

/** The spec of a HelmChart. */
function helmChartSpec(options: HelmChartOptions): ClusterFields {
  const nameOf = (name: string | undefined) => (name === undefined ? undefined : { name });
  return {
    targetNamespace: options.targetNamespace,
    createNamespace: options.createNamespace,
    bootstrap: options.bootstrap,
    repo: options.repository,
    repoCA: options.caCertificates,
    chart: options.chart,
    chartContent: options.chartContent,
    version: options.version,
    takeOwnership: options.takeOwnership,
    authSecret: nameOf(options.authSecret),
    authPassCredentials: options.authPassCredentials,
    dockerRegistrySecret: nameOf(options.dockerRegistrySecret),
    insecureSkipTLSVerify: options.insecureSkipTlsVerify,
    jobImage: options.jobImage,
    backOffLimit: options.backOffLimit,
    timeout: options.timeout && `${options.timeout.toSeconds({ integral: false })}s`,
    set: options.set,
    ...valuesSpec(options),
  };
}

function printValues(values: { readonly [key: string]: any }): string | undefined {
  return Object.keys(values).length > 0 ? toYaml(values) : undefined;
}

/** The common fields of HelmChart and HelmChartConfig. */
function valuesSpec({ values, valuesSecrets, failurePolicy }: HelmChartValues): ClusterFields {
  return {
    failurePolicy,
    // not the newer field `values`: every release of RKE2 and K3s knows valuesContent
    valuesContent: values && printValues(values),
    valuesSecrets: valuesSecrets?.map(({ name, keys, ignoreUpdates }) => ({
      name,
      keys,
      ignoreUpdates,
    })),
  };
}

/** Checks a chart. */
function* checkHelmChart({
  chart,
  chartContent,
  repository,
  timeout,
}: HelmChartOptions): Iterable<Problem> {
  if ((chart === undefined) === (chartContent === undefined)) {
    yield {
      path: 'chart',
      message:
        chart === undefined
          ? 'must be set unless chartContent is'
          : 'cannot be set together with chartContent',
      fix: 'set either chart or chartContent',
    };
  }
  if (chart !== undefined && !isLate(chart) && !repository && !/^(oci|https?):\/\//.test(chart)) {
    yield {
      path: 'repository',
      message: `must be set: "${chart}" is not the URL of a chart`,
      fix: 'set it to the URL of the repository',
    };
  }
  if (timeout && !Number.isInteger(timeout.toSeconds({ integral: false }))) {
    yield { path: 'timeout', message: 'must be whole seconds', fix: 'round it' };
  }
}

/** Checks the name of a release. */
function* checkReleaseName(name: string): Iterable<Problem> {
  if (name.length > MAX_RELEASE || !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)) {
    yield {
      path: 'name',
      value: name,
      message: 'must be a valid name of a Helm release',
      fix: `use at most ${MAX_RELEASE} of a-z, 0-9, hyphens and dots`,
    };
  }
}

/** A Service of a chart that gets an address of Harvester's network. */
export interface HelmLoadBalancer {
  /**
   * The path of the Service in the values: keys, joined by dots, with `type` and `annotations`
   * below, e.g. `controller.service` in the chart ingress-nginx.
   */
  readonly path: string;
  /** The source of the address. */
  readonly ipam: Ipam;
}

/** A HelmChart on a cluster with RKE2 or K3s: declared by the program, or existing. */
export interface IHelmChartAddon extends IResource {
  /** The ID of the object in Rancher's API: `<namespace>/<name>`. */
  readonly helmChartId: string;
  /** The name of its namespace. */
  readonly namespace: string;
}

/** Options of a reference to an existing HelmChart. */
export interface ExistingHelmChartAddonOptions extends ExistingResourceOptions {
  /** The name of the namespace of the HelmChart. @default 'kube-system' */
  readonly namespace?: string;
}

/** A Helm chart that the control plane of a guest cluster installs. */
export interface HelmChartManifestOptions extends HelmChartOptions {
  /** The name of the HelmChart and of the release. */
  readonly name: string;
}

/**
 * Properties of a Helm chart on a cluster with RKE2 or K3s. Its namespace is `kube-system` by
 * default.
 */
export interface HelmChartAddonProps extends HelmChartOptions, NamespacedGuestResourceProps {
  /**
   * Services of the chart that get an address of Harvester's network. Their `type` becomes
   * LoadBalancer, with the annotations of the cloud provider. Volumes need no values: `harvester`
   * is the default storage class. Only in guest clusters.
   * @default - no Services with an address
   */
  readonly loadBalancers?: HelmLoadBalancer[];
}

const EXISTING_NAMESPACE: Record<TargetKind, string> = {
  [TargetKind.RANCHER]: 'RancherNamespace.fromName',
  [TargetKind.HARVESTER]: 'HarvesterNamespace.fromName',
  [TargetKind.GUEST]: 'GuestNamespace.fromName',
};

/** An object of the helm controller, whose name is that of a release. @internal */
export abstract class HelmResource extends ClusterResource {
  /** The name of its namespace. */
  public readonly namespace: string;
  private values?: ChartValues;

  protected constructor(scope: Construct, id: string, props: NamespacedGuestResourceProps) {
    super(scope, id, props);
    const { target } = this;
    this.namespace = props.namespace
      ? namespaceOf(this, target, props.namespace, EXISTING_NAMESPACE[target.targetKind])
      : BUNDLED_CHARTS_NAMESPACE;
  }

  /** @internal */
  public _nameOf({ name = defaultName(this) }: ResourceProps): string {
    collectProblems(this, [...checkReleaseName(name)]);
    return name;
  }

  /**
   * Adds values of the chart to those that other parts of the program set. A value that two parts
   * set must be the same.
   *
   * @param values by key, which may contain late values; lists are not merged
   */
  public addValues(values: { readonly [key: string]: any }): void {
    this.values?.add(values);
  }

  /** @internal */
  public _write(manifest: ResourceManifest, notes?: ObjectNotes, id?: string): ApiObject {
    return super._write(
      { ...manifest, metadata: { ...manifest.metadata, namespace: this.namespace } },
      notes,
      id,
    );
  }

  /** The fields with the values, also those that are added later. @internal */
  public _withValues(fields: ClusterFields, values: HelmChartValues['values']): ClusterFields {
    this.values = new ChartValues(this, values, VALUES_SECRET_FIX);
    return { ...fields, valuesContent: this.values.text(printValues) };
  }
}

class ExistingHelmChart extends ExistingClusterResource implements IHelmChartAddon {
  public readonly namespace: string;

  constructor(
    scope: Construct,
    id: string,
    { name, namespace = BUNDLED_CHARTS_NAMESPACE }: ExistingHelmChartAddonOptions,
  ) {
    super(scope, id, 'HelmChartAddon.fromName', { ...HELM_CHART, namespace }, { name });
    this.namespace = namespace;
  }

  public get helmChartId(): string {
    return `${this.namespace}/${this.name}`;
  }
}

/**
 * A HelmChart (`helm.cattle.io/v1`): the helm controller of RKE2 or K3s installs the Helm chart
 * that it names, as a release of its name.
 *
 * Create it in the chart of a guest cluster; of a Harvester, which runs RKE2; or of Rancher, if the
 * cluster that Rancher runs on is RKE2 or K3s.
 *
 * @see https://docs.k3s.io/helm
 * @example
 * new HelmChartAddon(shop.chart, 'cert-manager', {
 *   repository: 'https://charts.jetstack.io',
 *   chart: 'cert-manager',
 *   version: 'v1.19.1',
 *   targetNamespace: 'cert-manager',
 *   createNamespace: true,
 *   values: { crds: { enabled: true } },
 * });
 */
export class HelmChartAddon extends HelmResource implements IHelmChartAddon {
  /** A reference to an existing HelmChart, e.g. `rke2-coredns`. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingHelmChartAddonOptions,
  ): IHelmChartAddon {
    return new ExistingHelmChart(scope, id, options);
  }

  /**
   * A HelmChart object for `additionalManifests` of a guest cluster, whose control plane installs
   * it before any machine needs it.
   */
  public static manifest(chart: HelmChartManifestOptions): any {
    const { value: values, problems: wrong } = freeForm('values', chart.values, VALUES_SECRET_FIX);
    const problems = [...checkReleaseName(chart.name), ...checkHelmChart(chart), ...wrong];
    if (problems.length > 0) {
      throw new Error(
        problems.map((problem) => `HelmChartAddon.manifest: ${problemText(problem)}`).join('\n'),
      );
    }
    // as JSON, without undefined fields
    return JSON.parse(JSON.stringify(helmChart(chart.name, { ...chart, values })));
  }

  constructor(scope: Construct, id: string, props: HelmChartAddonProps) {
    super(scope, id, props);
    const guest = this.target as IGuestTarget;
    const isInGuest = guest.targetKind === TargetKind.GUEST;
    const loadBalancers = isInGuest ? (props.loadBalancers ?? []) : [];
    if (!isInGuest && props.loadBalancers?.length) {
      collectProblems(this, [
        {
          path: 'loadBalancers',
          message: 'can only be set in a guest cluster',
          fix: 'remove it, and set values for the Services of the chart',
        },
      ]);
    }
    const given = freeForm('values', props.values, VALUES_SECRET_FIX);
    const { values, problems } = withLoadBalancers(guest, given.value, loadBalancers);
    collectProblems(this, [...checkHelmChart(props), ...given.problems, ...problems]);
    const spec = this._withValues(
      helmChartSpec({ ...props, values: undefined }),
      given.problems.length > 0 ? undefined : values,
    );
    const chart = this._write({ ...HELM_CHART, spec });
    for (const { ipam } of loadBalancers) {
      orderService(chart, { guest, ipam });
    }
  }

  public get helmChartId(): string {
    return `${this.namespace}/${this.name}`;
  }
}

/** The values of a chart with those of its Services that get an address. */
function withLoadBalancers(
  guest: IGuestTarget,
  given: HelmChartValues['values'],
  balancers: readonly HelmLoadBalancer[],
): { readonly values: HelmChartValues['values']; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  let values = given;
  for (const [index, { path, ipam }] of balancers.entries()) {
    const at = `loadBalancers[${index}]`;
    if (!/^[\w-]+(\.[\w-]+)*$/.test(path)) {
      problems.push({
        path: `${at}.path`,
        value: path,
        message: 'must be keys, joined by dots',
        fix: 'set the path of the Service in the values, e.g. controller.service',
      });
      continue;
    }
    const address = { guest, ipam };
    problems.push(
      ...checkAddress(address).map((problem) => ({ ...problem, path: `${at}.${problem.path}` })),
    );
    const added = serviceValues(path.split('.'), values ?? {}, addressAnnotations(address));
    problems.push(...added.problems);
    values = added.values;
  }
  return { values, problems };
}

/**
 * Properties of values for an existing chart. Their namespace is that of the HelmChart,
 * `kube-system` by default.
 */
export interface HelmChartConfigProps extends HelmChartValues, NamespacedGuestResourceProps {}

/**
 * A HelmChartConfig (`helm.cattle.io/v1`): values for a chart that RKE2 or K3s bundles, which win
 * over those of its HelmChart. It has the name of the HelmChart, e.g. `rke2-coredns`, and cannot
 * set the version of the chart: a bundled chart changes with the Kubernetes version.
 *
 * Rancher writes the same object for every chart in `chartValues` of a guest cluster: do not use
 * both for one chart. On a Harvester, which runs RKE2, it configures e.g. `rke2-coredns`; Harvester
 * itself writes those of `rke2-ingress-nginx` and `rke2-multus`.
 *
 * @see https://docs.k3s.io/helm#customizing-packaged-components-with-helmchartconfig
 * @example
 * new HelmChartConfig(shop.chart, 'traefik', { values: { deployment: { replicas: 2 } } });
 * new HelmChartConfig(dc1, 'rke2-coredns', { values: { nodelocal: { enabled: true } } });
 */
export class HelmChartConfig extends HelmResource {
  constructor(scope: Construct, id: string, props: HelmChartConfigProps) {
    super(scope, id, props);
    const { value: values, problems } = freeForm('values', props.values, VALUES_SECRET_FIX);
    collectProblems(this, problems);
    const spec = this._withValues(
      valuesSpec({ ...props, values: undefined }),
      problems.length > 0 ? undefined : values,
    );
    this._write({ apiVersion: API_HELM, kind: KIND_CHART_CONFIG, spec });
  }
}
