import { ApiObject, Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { guestTargetOf } from '../../core/app/target';
import { isLate } from '../../core/late/late-token';
import { note } from '../../core/manifest/object-notes';
import { Problem, failOnErrors, problemText } from '../../core/rule/problem';
import { toYaml } from '../../core/yaml/yaml-writer';
import { API_HELM, BUNDLED_CHARTS_NAMESPACE, KIND_CHART_CONFIG } from '../balancer/load-balancer-service.check';
import { Fields } from '../cluster/cluster-parts';

/**
 * What happens to a release whose installation or upgrade failed.
 */
export enum HelmFailurePolicy {
  /** It stays as it is, for someone to look at. */
  ABORT = 'abort',
  /** It is removed and installed anew. */
  REINSTALL = 'reinstall',
  /** It is tried again. Recent releases of RKE2 and K3s only. */
  RETRY = 'retry',
}

/**
 * A Secret with values of a chart.
 */
export interface HelmValuesSecret {
  /** The name of the Secret, in the namespace of the HelmChart. */
  readonly name: string;
  /** The keys that hold values, as YAML. @default - all */
  readonly keys?: string[];
  /** Whether a change of the Secret is not followed. @default false */
  readonly ignoreUpdates?: boolean;
}

/**
 * The values of a chart, and what happens when they can not be applied.
 */
export interface HelmChartValues {
  /** The values, by key. They may hold late values. @default - those of the chart */
  readonly values?: { readonly [key: string]: any };
  /** Secrets with more values, which win. @default - none */
  readonly valuesSecrets?: HelmValuesSecret[];
  /** What happens to a release that failed. @default - that of the helm controller, HelmFailurePolicy.REINSTALL */
  readonly failurePolicy?: HelmFailurePolicy;
}

/**
 * A Helm chart as RKE2 and K3s install it.
 */
export interface HelmChartOptions extends HelmChartValues {
  /** The chart: its name in the repository, or an `oci://` or `https://` URL of the chart itself. One of this and `chartContent`. */
  readonly chart?: string;
  /** The chart itself, an archive in base64. @default - none */
  readonly chartContent?: string;
  /** The URL of the repository. @default - none; `chart` is a URL */
  readonly repository?: string;
  /** The version of the chart. @default - the latest, which changes under way */
  readonly version?: string;
  /** The namespace of the release. @default - that of the HelmChart */
  readonly targetNamespace?: string;
  /** Whether that namespace is made where it lacks. @default false */
  readonly createNamespace?: boolean;
  /** Single values, which win over all others, as `helm --set`. @default - none */
  readonly set?: { readonly [key: string]: string };
  /** Whether it is installed before the nodes are ready: for what makes them so, such as a cloud provider. @default false */
  readonly bootstrap?: boolean;
  /** Whether a release that Helm did not install so far is taken over. @default false */
  readonly takeOwnership?: boolean;
  /** How long Helm waits for each thing; whole seconds. @default - that of the helm controller, 5 minutes */
  readonly timeout?: Duration;
  /** How often the job is tried. @default - that of the helm controller */
  readonly backOffLimit?: number;
  /** The image of the job, for a private registry. @default - that of the helm controller */
  readonly jobImage?: string;
  /** PEM bundle of the authorities that signed the repository's certificate. @default - public ones */
  readonly repositoryCa?: string;
  /** A Secret of type kubernetes.io/basic-auth for the repository. @default - none */
  readonly authSecret?: string;
  /** Whether these credentials also go to other hosts that the repository names. @default false */
  readonly authPassCredentials?: boolean;
  /** A Secret of type kubernetes.io/dockerconfigjson for an `oci://` chart. @default - none */
  readonly dockerRegistrySecret?: string;
  /** Whether the repository's certificate is not verified. @default false */
  readonly insecureSkipTlsVerify?: boolean;
}

/** The longest name of a release. @see helm/helm:pkg/chartutil/validate_name.go */
const MAX_RELEASE = 53;

/** A HelmChart as an object; fields that are undefined are dropped where it is rendered. */
export function helmChart(name: string, options: HelmChartOptions, namespace = BUNDLED_CHARTS_NAMESPACE): Fields {
  return { apiVersion: API_HELM, kind: 'HelmChart', metadata: { name, namespace }, spec: helmChartSpec(options) };
}

/** The spec of a HelmChart. */
export function helmChartSpec(options: HelmChartOptions): Fields {
  const nameOf = (name: string | undefined) => (name === undefined ? undefined : { name });
  return {
    targetNamespace: options.targetNamespace,
    createNamespace: options.createNamespace,
    bootstrap: options.bootstrap,
    repo: options.repository,
    repoCA: options.repositoryCa,
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
    timeout: options.timeout && `${options.timeout.toSeconds()}s`,
    set: options.set,
    ...valuesSpec(options),
  };
}

/** What HelmChart and HelmChartConfig have in common. */
export function valuesSpec({ values, valuesSecrets, failurePolicy }: HelmChartValues): Fields {
  return {
    failurePolicy,
    // text, not the newer field values: every release of RKE2 and K3s knows it
    valuesContent: values && Object.keys(values).length > 0 ? toYaml(values) : undefined,
    valuesSecrets: valuesSecrets?.map(({ name, keys, ignoreUpdates }) => ({ name, keys, ignoreUpdates })),
  };
}

/** What is wrong with a chart. */
export function* checkHelmChart(name: string, options: HelmChartOptions): Iterable<Problem> {
  yield* checkReleaseName(name);
  const { chart, chartContent, repository, timeout } = options;
  if ((chart === undefined) === (chartContent === undefined)) {
    yield { path: 'chart', message: chart === undefined ? 'names no chart' : 'is given beside chartContent, which wins', fix: 'give one of chart and chartContent' };
  }
  if (chart !== undefined && !isLate(chart) && !repository && !/^(oci|https?):\/\//.test(chart)) {
    yield { path: 'repository', message: `lacks, and "${chart}" is no URL of a chart`, fix: 'give the URL of the repository' };
  }
  if (timeout && !Number.isInteger(timeout.toSeconds({ integral: false }))) {
    yield { path: 'timeout', message: 'must be whole seconds', fix: 'round it' };
  }
}

/** What is wrong with the name of a release. */
export function* checkReleaseName(name: string): Iterable<Problem> {
  if (name.length > MAX_RELEASE || !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)) {
    yield { path: 'name', value: name, message: 'is no name of a Helm release', fix: `use up to ${MAX_RELEASE} of a-z, 0-9, hyphens and dots` };
  }
}

/**
 * Properties of a Helm chart that a guest cluster installs.
 */
export interface HelmChartAddonProps extends HelmChartOptions {
  /** The name of the HelmChart and of the release. @default - the ID of the construct */
  readonly name?: string;
  /** The namespace of the HelmChart. @default 'kube-system' */
  readonly namespace?: string;
}

/**
 * A Helm chart that RKE2 or K3s installs in a guest cluster, i.e. a HelmChart.
 *
 * @see https://docs.k3s.io/helm
 */
export class HelmChartAddon extends Construct {
  /**
   * A HelmChart as an object, for `additionalManifests` of a guest cluster: its control plane installs it, so it is there before any machine
   * that needs it is ready.
   *
   * @param name of the HelmChart and of the release
   */
  public static manifest(name: string, chart: HelmChartOptions): any {
    const problems = [...checkHelmChart(name, chart)];
    if (problems.length > 0) { throw new Error(problems.map((problem) => `HelmChartAddon.manifest: ${problemText(problem)}`).join('\n')); }
    // as JSON has it: without the fields that are not given
    return JSON.parse(JSON.stringify(helmChart(name, chart)));
  }

  /** The name of the HelmChart and of the release. */
  public readonly chartName: string;

  constructor(scope: Construct, id: string, props: HelmChartAddonProps) {
    super(scope, id);
    guestTargetOf(this, 'HelmChartAddon');
    this.chartName = props.name ?? id;
    failOnErrors(this, [...checkHelmChart(this.chartName, props)]);
    const chart = new ApiObject(this, 'Resource', {
      apiVersion: API_HELM,
      kind: 'HelmChart',
      metadata: { name: this.chartName, namespace: props.namespace ?? BUNDLED_CHARTS_NAMESPACE },
      spec: helmChartSpec(props),
    });
    note(chart, {
      deletion: { policy: 'delete', reason: 'removes the release with all that it installed' },
      othersWrite: ['metadata.finalizers', 'status'],
    });
  }
}

/**
 * Properties of values for a chart that is there.
 */
export interface HelmChartConfigProps extends HelmChartValues {
  /** The name of the HelmChart, e.g. `rke2-coredns`. @default - the ID of the construct */
  readonly name?: string;
  /** The namespace of the HelmChart. @default 'kube-system' */
  readonly namespace?: string;
}

/**
 * Values for a chart that a guest cluster has already, bundled by RKE2 or K3s: they win over those of its HelmChart. The version of a chart is not
 * among them: a bundled chart changes with the version of Kubernetes.
 *
 * Rancher writes such an object itself for every chart in `chartValues` of a guest cluster: use one of the two ways for a chart, not both.
 *
 * @see https://docs.k3s.io/helm#customizing-packaged-components-with-helmchartconfig
 */
export class HelmChartConfig extends Construct {
  constructor(scope: Construct, id: string, props: HelmChartConfigProps) {
    super(scope, id);
    guestTargetOf(this, 'HelmChartConfig');
    const name = props.name ?? id;
    failOnErrors(this, [...checkReleaseName(name)]);
    const config = new ApiObject(this, 'Resource', {
      apiVersion: API_HELM,
      kind: KIND_CHART_CONFIG,
      metadata: { name, namespace: props.namespace ?? BUNDLED_CHARTS_NAMESPACE },
      spec: valuesSpec(props),
    });
    note(config, { deletion: { policy: 'delete', reason: 'the chart goes back to its own values' } });
  }
}
