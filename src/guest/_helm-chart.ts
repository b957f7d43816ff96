import { Fields } from './_parts';
import { HelmChartOptions, HelmChartValues } from './helm-chart-props';
import { isLate } from '../model/late-token';
import { API_HELM, BUNDLED_CHARTS_NAMESPACE } from '../model/load-balancer/ingress-charts';
import { Problem } from '../model/problem';
import { toYaml } from '../model/yaml-writer';

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
