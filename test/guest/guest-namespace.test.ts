import { GuestChart } from '../../src/guest/guest-chart';
import { GuestNamespace } from '../../src/guest/guest-namespace';
import { newApp, newRancher } from '../support/programs';
import { rendered } from '../support/rendered';

function guest() {
  const app = newApp();
  return { app, chart: new GuestChart(app, 'shop', { version: 'v1.33.6+rke2r1' }) };
}

test('writes a Namespace into the guest cluster', () => {
  const { app, chart } = guest();
  const namespace = new GuestNamespace(chart, 'shopping', {
    labels: { team: 'shop' },
    annotations: { note: 'a' },
  });
  namespace.metadata.addLabel('tier', 'front');
  expect([namespace.name, namespace.target, namespace.guest]).toEqual(['shopping', chart, chart]);
  expect(rendered(app)).toEqual({
    'shop/Namespace/shopping': {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: 'shopping',
        labels: { team: 'shop', tier: 'front' },
        annotations: { note: 'a' },
      },
    },
  });
});

test('refers to an existing namespace and writes nothing', () => {
  const { app, chart } = guest();
  expect(GuestNamespace.fromName(chart, 'system', { name: 'kube-system' }).name).toBe(
    'kube-system',
  );
  expect(rendered(app)).toEqual({});
});

test('refuses a name that no Namespace has, and another target', () => {
  const { chart } = guest();
  expect(() => new GuestNamespace(chart, 'a', { name: 'a.b' })).toThrow('[shop/a] name: must ');
  expect(() => new GuestNamespace(chart, 'c', { name: 'A' })).toThrow('[shop/c] name: must ');
  expect(() => new GuestNamespace(newRancher(newApp()), 'b')).toThrow(
    'GuestNamespace must be in a guest target',
  );
});
