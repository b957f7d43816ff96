import { deletes } from '../../core/kind/description/removal';
import { KindDescription } from '../../core/kind/kind';

/** The kinds of the helm controller, as `group/Kind`. */
export const HELM_CHART_KINDS = {
  CHART: 'helm.cattle.io/HelmChart',
  CONFIG: 'helm.cattle.io/HelmChartConfig',
} as const;

const HELM = {
  group: 'helm.cattle.io',
  version: 'v1',
  scope: 'Namespaced',
  texts: [{ path: 'spec.valuesContent' }],
} as const;

/**
 * Charts that RKE2 and K3s install, and changes of the charts that they bundle.
 * @see k3s-io/helm-controller:pkg/apis/helm.cattle.io/v1
 */
export const HELM_CHART_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...HELM,
    kind: 'HelmChart',
    part: { noun: 'Helm chart', order: 260 },
    rank: 50,
    stage: 'charts',
    deletion: deletes('uninstalls the release with all its objects'),
    immutable: [
      {
        id: 'helm-chart/update',
        what: 'the storage driver of a HelmChart is immutable',
        source: 'k3s-io/helm-controller:pkg/apis/helm.cattle.io/v1 (rule of the definition)',
        fields: [
          {
            path: 'spec.driver',
            default: 'secret',
            omitted: 'changes',
            says: 'driver is immutable after creation',
          },
        ],
        fix: 'keep the driver: a change does not move the releases',
      },
    ],
  },
  {
    ...HELM,
    kind: 'HelmChartConfig',
    rank: 49,
    stage: 'charts',
    writtenByOthers: ['metadata.annotations'],
    deletion: deletes('the chart returns to its default values'),
    deletions: {
      address: deletes('the chart returns to its default values, and the address is released'),
    },
  },
];
