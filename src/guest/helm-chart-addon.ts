import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { checkHelmChart, helmChart, helmChartSpec } from './_helm-chart';
import { HelmChartOptions } from './helm-chart-props';
import { failOnErrors } from '../model/errors';
import { API_HELM, BUNDLED_CHARTS_NAMESPACE } from '../model/load-balancer/ingress-charts';
import { note } from '../model/object-notes';
import { problemText } from '../model/problem';
import { guestTargetOf } from '../model/target';

/**
 * Properties of a Helm chart that a guest cluster installs.
 */
export interface HelmChartAddonProps extends HelmChartOptions {
  /** The name of the HelmChart and of the release. @default - the id of the construct */
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
