import { KindReadiness } from '../../../src/core/kind/description/readiness';
import { KindReferences } from '../../../src/core/kind/description/references';
import { kindOf } from '../../../src/core/kind/kinds';
import { Manifest } from '../../../src/core/manifest/manifest';
import { OPERATION_RULES } from '../../../src/rancher/operation/operation.rules';
import { RANCHER_KIND_RULES } from '../../../src/rancher/rancher.rules';
import { judgeOn } from '../../support/judging';

const CLUSTER = {
  apiVersion: 'provisioning.cattle.io/v1',
  kind: 'Cluster',
  namespace: 'fleet-default',
  name: 'shop',
};

function restore(ttl?: unknown, phase?: string): Manifest {
  return {
    apiVersion: 'operation.cattle.io/v1alpha1',
    kind: 'ETCDSnapshotRestore',
    metadata: { namespace: 'fleet-default', name: 'shop' },
    spec: {
      clusterRef: CLUSTER,
      args: { name: 'before-upgrade' },
      ...(ttl === undefined ? {} : { ttl }),
    },
    ...(phase === undefined ? {} : { status: { phase, step: 'Restore' } }),
  };
}

test('refuses an operation that Rancher deletes at its end, so that the next apply repeats it', () => {
  for (const ttl of [undefined, 0, 3600]) {
    expect(
      judgeOn(OPERATION_RULES, [restore(ttl)], { version: '2.15.0' }).map(
        ({ path, level }) => `${level} ${path}`,
      ),
    ).toEqual(['error spec.ttl']);
  }
  expect(judgeOn(OPERATION_RULES, [restore(-1)], { version: '2.15.0' })).toEqual([]);
});

test('waits for the end of an operation, after its cluster', () => {
  const kind = kindOf<KindReadiness & KindReferences>(restore())!;
  const judged = (phase?: string) => kind.ready!.judge(restore(-1, phase), {});
  expect(
    [judged(), judged('InProgress'), judged('Succeeded'), judged('Failed')].map(
      ({ state }) => state,
    ),
  ).toEqual(['waiting', 'waiting', 'ready', 'failed']);
  expect(judged('Failed').why).toBe('is Failed in step Restore');
  expect(kind.references!(restore())).toEqual([
    {
      group: 'provisioning.cattle.io',
      kind: 'Cluster',
      name: 'shop',
      namespaces: ['fleet-default'],
    },
  ]);
  expect(kind.references!({ ...restore(), spec: {} })).toEqual([]);
});

test('refuses kinds that the version of Rancher does not serve', () => {
  const kinds: ReadonlyArray<
    readonly [apiVersion: string, kind: string, lacking: string, since: string]
  > = [
    ['operation.cattle.io/v1alpha1', 'ETCDSnapshotSave', '2.14.4', '2.15.0'],
    ['management.cattle.io/v3', 'ProxyEndpoint', '2.13.8', '2.14.0'],
    ['management.cattle.io/v3', 'OIDCClient', '2.11.3', '2.12.0'],
  ];
  for (const [apiVersion, kind, lacking, since] of kinds) {
    const found = (version: string) =>
      judgeOn(RANCHER_KIND_RULES, [{ apiVersion, kind, metadata: { name: 'x' } }], { version });
    expect(found(since)).toEqual([]);
    expect(found(lacking)).toEqual([
      expect.objectContaining({ level: 'error', message: expect.stringContaining(since) }),
    ]);
  }
});
