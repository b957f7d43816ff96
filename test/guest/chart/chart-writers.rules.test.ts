import { Manifest } from '../../../src/core/manifest/manifest';
import { guest } from '../../support/guest';
import { judgePlaced } from '../../support/judging';

const config = (name: string, namespace = 'kube-system'): Manifest => ({
  apiVersion: 'helm.cattle.io/v1',
  kind: 'HelmChartConfig',
  metadata: { name, namespace },
  spec: { valuesContent: 'a: 1\n' },
});
const text = (name: string): string => JSON.stringify(config(name));
const findings = (rkeConfig: object, ...shop: Manifest[]): string[] =>
  judgePlaced(['helm-chart/values-twice'], {
    rancher: [guest({ chartValues: {}, ...rkeConfig })],
    shop,
  });

test('refuses values of a chart from two writers', () => {
  expect(findings({ chartValues: { 'rke2-calico': {} } }, config('rke2-calico'))).toEqual([
    'error helm-chart/values-twice rke2-calico metadata.name: must be set in one place, got "rke2-calico": chartValues.rke2-calico of the Cluster writes the same HelmChartConfig, ' +
      'and the last writer wins. Fix: keep one of the two, with all values',
  ]);
  expect(findings({ additionalManifest: text('rke2-calico') }, config('rke2-calico'))).toEqual([
    expect.stringContaining('additionalManifest of the Cluster writes the same HelmChartConfig'),
  ]);
  expect(
    findings({ chartValues: { 'rke2-calico': {} }, additionalManifest: text('rke2-calico') }),
  ).toEqual([
    expect.stringContaining(
      'error helm-chart/values-twice shop spec.rkeConfig.additionalManifest[0]: must be set in one place, got "rke2-calico": chartValues.rke2-calico writes',
    ),
  ]);
});

test.each<[string, object, Manifest[]]>([
  ['one writer', {}, [config('rke2-calico')]],
  ['another chart', { chartValues: { 'rke2-calico': {} } }, [config('rke2-coredns')]],
  ['another namespace', { chartValues: { 'rke2-calico': {} } }, [config('rke2-calico', 'apps')]],
  ['no valid YAML, which another rule reports', { additionalManifest: 'HelmChartConfig: [' }, []],
])('accepts %s', (_, rkeConfig, shop) => {
  expect(findings(rkeConfig, ...shop)).toEqual([]);
});

test('reports a HelmChartConfig whose name is that of no chart', () => {
  const named = (name: string, namespace?: string): string[] =>
    judgePlaced(['cluster/chart-values'], { rancher: [guest()], shop: [config(name, namespace)] });
  expect(named('traefik')).toEqual([
    'warning cluster/chart-values traefik metadata.name: has no effect, got "traefik": RKE2 bundles no chart of this name. Fix: write rke2-traefik',
  ]);
  expect(named('rke2-cilium')).toEqual([
    expect.stringContaining('has no effect, got "rke2-cilium": cni is calico'),
  ]);
  expect(named('rke2-calico')).toEqual([]);
  expect(named('traefik', 'apps')).toEqual([]);
});
