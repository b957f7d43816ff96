import { Lazy } from 'cdk8s';
import '../../../src/registry/register';
import { compareManifest } from '../../../src/core/shape/compare-manifest';

const compare = (spec: unknown) =>
  compareManifest(
    {
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      metadata: { name: 'shop', namespace: 'fleet-default' },
      spec,
    } as Parameters<typeof compareManifest>[0],
    { kind: 'rancher', rancherVersion: '2.13.8' },
  );

test('finds no difference in a value that cdk8s computes at synthesis', () => {
  expect(compare(Lazy.any({ produce: () => ({ producer: 5 }) }))).toBeUndefined();
  expect(
    compare({ kubernetesVersion: Lazy.any({ produce: () => 'v1.34.6+rke2r1' }) }),
  ).toBeUndefined();
});

test('finds a field of another type, and one that the definition does not have', () => {
  const found = compare({ kubernetesVersion: 5, producer: {} });
  expect(found?.mismatches.map(({ path }) => path)).toEqual(['spec.kubernetesVersion']);
  expect(found?.unknown.map(({ path }) => path)).toEqual(['spec.producer']);
});
