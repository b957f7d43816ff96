import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { checkReleaseName, valuesSpec } from './_helm-chart';
import { HelmChartValues } from './helm-chart-props';
import { failOnErrors } from '../model/errors';
import { API_HELM, BUNDLED_CHARTS_NAMESPACE, KIND_CHART_CONFIG } from '../model/load-balancer/ingress-charts';
import { note } from '../model/object-notes';
import { guestTargetOf } from '../model/target';

/**
 * Properties of values for a chart that is there.
 */
export interface HelmChartConfigProps extends HelmChartValues {
  /** The name of the HelmChart, e.g. `rke2-coredns`. @default - the id of the construct */
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
