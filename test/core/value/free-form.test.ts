import { Duration, Size } from 'cdk8s';
import { freeForm } from '../../../src/core/value/free-form';
import { SecretValue } from '../../../src/core/value/secret-value';
import {
  IngressController,
  IngressLoadBalancer,
} from '../../../src/guest/balancer/ingress-load-balancer';
import { Ipam } from '../../../src/guest/balancer/service-address';
import { HelmChartAddon, HelmChartConfig } from '../../../src/guest/chart/helm-chart';
import { CloudProvider } from '../../../src/guest/cloud-provider/cloud-provider';
import { CsiDriver } from '../../../src/guest/csi/csi-driver';
import { GuestChart } from '../../../src/guest/guest-chart';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { Addon, BundledAddon } from '../../../src/harvester/addon/addon';
import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import { NodeCloudInit } from '../../../src/harvester/node/node';
import { refusal } from '../../guest/cluster/_clusters';
import { messageOf } from '../../support/message-of';
import { newApp, newHarvester } from '../../support/programs';

describe('a free-form value', () => {
  test('is copied without its undefined keys, with null', () => {
    expect(
      freeForm('values', { b: [{ x: undefined, y: null }], a: undefined, c: { d: 1 }, e: '' }),
    ).toEqual({ value: { b: [{ y: null }], c: { d: 1 }, e: '' }, problems: [] });
    expect(Object.keys(freeForm('values', { b: 1, a: undefined }).value)).toEqual(['b']);
  });

  test.each<[string, unknown, string, string]>([
    [
      'a function',
      () => 'topsecret',
      'must be a JSON value, got a function',
      'set what it returns, or leave it out',
    ],
    [
      'a date',
      new Date(0),
      'must be a JSON value, got an instance of Date',
      'set text, a number, or a plain object',
    ],
    [
      'a size',
      Size.gibibytes(1),
      'must be a JSON value, got an instance of Size',
      'set text, a number, or a plain object',
    ],
    [
      'a duration',
      Duration.hours(1),
      'must be a JSON value, got an instance of Duration',
      'set text, a number, or a plain object',
    ],
    [
      'a secret',
      SecretValue.unsafePlainText('topsecret'),
      'must be a JSON value, got a SecretValue',
      'put it in a Secret',
    ],
    ['no number', NaN, 'must be a finite number, got NaN', 'set text or a number'],
  ])('cannot contain %s', (_, value, message, fix) => {
    expect(
      freeForm('values', { a: [{ 'b c': value }], ok: 1 }, 'put it in a Secret').problems,
    ).toEqual([{ path: 'values.a[0]["b c"]', message, fix }]);
  });

  test('cannot contain a cycle, and reports all problems', () => {
    const cycle: { [key: string]: unknown } = { f: () => 1, list: [undefined] };
    cycle.self = { again: cycle };
    expect(
      freeForm('other', { x: cycle }).problems.map(({ path, message }) => `${path}: ${message}`),
    ).toEqual([
      'other.x.f: must be a JSON value, got a function',
      'other.x.list[0]: must be a JSON value, got undefined',
      'other.x.self.again: must not be a cycle, got a reference to other.x',
    ]);
  });

  test('may contain one object twice', () => {
    const shared = { a: 1 };
    expect(freeForm('values', { x: shared, y: shared })).toEqual({
      value: { x: { a: 1 }, y: { a: 1 } },
      problems: [],
    });
  });
});

const FUNCTION = () => 'topsecret';
const guest = () => new GuestChart(newApp(), 'shop', { version: 'v1.33.6+rke2r1' });
const chart = { repository: 'https://charts.example.com', chart: 'c', version: '1.0.0' };

describe('names the construct and the prop', () => {
  test.each<[string, () => unknown, string]>([
    [
      'HelmChartAddon',
      () => new HelmChartAddon(guest(), 'c', { ...chart, values: { a: FUNCTION } }),
      '[shop/c] values.a',
    ],
    [
      'HelmChartAddon.manifest',
      () => HelmChartAddon.manifest({ ...chart, name: 'c', values: { a: FUNCTION } }),
      'HelmChartAddon.manifest: values.a',
    ],
    [
      'HelmChartConfig',
      () => new HelmChartConfig(guest(), 'c', { values: { a: FUNCTION } }),
      '[shop/c] values.a',
    ],
    [
      'IngressLoadBalancer',
      () =>
        new IngressLoadBalancer(guest(), 'c', {
          controller: IngressController.RKE2_TRAEFIK,
          ipam: Ipam.dhcp(),
          values: { a: FUNCTION },
        }),
      '[shop/c] values.a',
    ],
    [
      'Addon',
      () => new Addon(newHarvester(newApp()), 'c', { ...chart, values: { a: FUNCTION } }),
      '[dc1/c] values.a',
    ],
    [
      'BundledAddon',
      () =>
        BundledAddon.nvidiaDriver(newHarvester(newApp()), 'c', { replaceValues: { a: FUNCTION } }),
      '[dc1/c] replaceValues.a',
    ],
    [
      'NodeCloudInit',
      () => new NodeCloudInit(newHarvester(newApp()), 'c', { stages: { boot: FUNCTION } }),
      '[dc1/c] stages.boot',
    ],
    ['CloudInit', () => CloudInit.of({ other: { a: FUNCTION } }), 'CloudInit.of: other.a'],
  ])('%s', (_, make, where) => {
    expect(messageOf(make)).toBe(
      `${where}: must be a JSON value, got a function. Fix: set what it returns, or leave it out`,
    );
  });

  test('guest clusters', () => {
    const kubernetes = Kubernetes.rke2('v1.33.6+rke2r1', { auditPolicy: { rules: [FUNCTION] } });
    expect(refusal({ kubernetes })).toContain(
      'kubernetes.auditPolicy.rules[0]: must be a JSON value, got a function',
    );
    const cloudProvider = CloudProvider.helmChart({
      chartVersion: '0.2.11',
      values: { a: FUNCTION },
      csi: CsiDriver.install({ chartVersion: '0.1.24', values: { b: FUNCTION } }),
    });
    const text = refusal({ cloudProvider });
    expect(text).toContain('cloudProvider.values.a: must be a JSON value, got a function');
    expect(text).toContain('cloudProvider.csi.values.b: must be a JSON value, got a function');
  });

  test('points to valuesSecrets for a secret', () => {
    expect(
      messageOf(
        () =>
          new HelmChartAddon(guest(), 'c', {
            ...chart,
            values: { a: SecretValue.unsafePlainText('topsecret') },
          }),
      ),
    ).toBe(
      '[shop/c] values.a: must be a JSON value, got a SecretValue. Fix: put it in a Secret, and set valuesSecrets to its name',
    );
  });
});
