import { Testing } from 'cdk8s';
import { HarvesterApp, HarvesterChart, KubernetesObject } from '../../../src';

function chart(): HarvesterChart {
  return new HarvesterChart(new HarvesterApp({ outdir: Testing.app().outdir }), 'dc1', {
    version: '1.7.2',
  });
}

test('writes the fields next to its kind and its metadata', () => {
  const dc1 = chart();
  const object = new KubernetesObject(dc1, 'db', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'db', namespace: 'vms' },
    fields: { data: { host: 'db.example.com' } },
  });
  expect(object.toJson()).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'db', namespace: 'vms' },
    data: { host: 'db.example.com' },
  });
});

test('needs no fields', () => {
  const object = new KubernetesObject(chart(), 'vms', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'vms' },
  });
  expect(object.toJson()).toEqual({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'vms' },
  });
});

test('refuses fields that are props', () => {
  expect(
    () =>
      new KubernetesObject(chart(), 'db', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        fields: { kind: 'Secret', metadata: {} },
      }),
  ).toThrow('[dc1/db] fields.kind: cannot be set: kind is a prop. Fix: set kind');
});
