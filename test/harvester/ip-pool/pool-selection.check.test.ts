import { PoolRequirement, printRequirement, readPool, selectPool } from '../../../src/harvester/ip-pool/pool-selection.check';

interface Scope { readonly project?: string; readonly namespace?: string; readonly guestCluster?: string }

const pool = (name: string, scope: Scope[], rest: { network?: string; priority?: number } = {}) => readPool({
  apiVersion: 'loadbalancer.harvesterhci.io/v1beta1', kind: 'IPPool', metadata: { name }, spec: { ranges: [], selector: { scope, ...rest } },
});
const VLAN = 'default/vlan10';
const ALL = { project: '*', namespace: '*', guestCluster: '*' };
const ask = (rest: PoolRequirement = {}): PoolRequirement => ({ network: VLAN, project: '', namespace: 'default', cluster: '', ...rest });

function chosen(pools: ReturnType<typeof pool>[], requirement: PoolRequirement, mode: { loose: boolean | undefined } = { loose: true }): string {
  const selection = selectPool(pools, requirement, mode);
  return selection.kind === 'pool' ? `${selection.pool.name} by ${selection.by}` : selection.kind === 'none' ? 'none' : `one of ${selection.candidates.map(({ name }) => name).join()}`;
}

// the cases of load-balancer-harvester's own tests of its selector, in our words
const byNamespace = pool('by-namespace', [{ ...ALL, namespace: 'default' }], { network: VLAN });
const urgent = pool('urgent', [{ ...ALL, namespace: 'default' }], { network: VLAN, priority: 100 });
const global = pool('global', [ALL]);
const noScope = pool('namespace-only', [{ namespace: 'default' }], { network: VLAN });
const exact = pool('exact', [{ project: 'project1', namespace: 'default', guestCluster: 'cluster1' }], { network: VLAN });

test.each([
  ['a pool of its namespace before the global one', [byNamespace, global], ask(), 'by-namespace by scope'],
  ['the global pool where the namespace is another', [byNamespace, global], ask({ namespace: 'test' }), 'global by global'],
  ['the global pool, whose network has no effect', [byNamespace, global], ask({ network: 'other/net' }), 'global by global'],
  ['no pool where none fits', [byNamespace], ask({ namespace: 'test' }), 'none'],
  ['no pool of another network', [byNamespace], ask({ network: '' }), 'none'],
  ['the pool of higher priority', [urgent, byNamespace], ask(), 'urgent by scope'],
  ['the pool that fits exactly', [exact, noScope], ask({ project: 'project1', cluster: 'cluster1' }), 'exact by scope'],
  ['a pool that names a namespace only, where nothing else fits', [exact, noScope], ask({ project: 'unknown', cluster: 'cluster1' }), 'namespace-only by loose scope'],
  ['a pool that names a namespace only, strictly, for what has no project and cluster', [noScope], ask(), 'namespace-only by scope'],
  ['the global pool before one that fits loosely', [noScope, global], ask({ project: 'p', cluster: 'c' }), 'global by global'],
  ['nothing of a pool whose namespace is empty', [pool('empty', [{ project: '*', guestCluster: '*' }], { network: VLAN })], ask({ cluster: 'c' }), 'none'],
  ['nothing of a pool without a scope', [pool('none', [], { network: VLAN })], ask(), 'none'],
])('gets %s', (_, pools, requirement, expected) => { expect(chosen(pools, requirement)).toBe(expected); });

test('does not select pools with only a namespace for guest clusters before Harvester 1.7, or if its version is not known', () => {
  const guest = ask({ project: 'p', cluster: 'c' });
  expect(chosen([noScope], guest, { loose: false })).toBe('none');
  expect(chosen([noScope], guest, { loose: undefined })).toBe('one of namespace-only');
});

describe('an unknown requirement', () => {
  test('has no effect if a pool matches all', () => {
    expect(chosen([pool('any', [ALL, { namespace: 'x' }], { network: VLAN })], { network: VLAN })).toBe('any by scope');
  });

  test('leaves several candidates', () => {
    expect(chosen([exact, byNamespace], { network: VLAN, namespace: 'default' })).toBe('one of by-namespace,exact');
    expect(chosen([exact, global], { network: VLAN })).toBe('one of exact,global');
    expect(chosen([urgent, exact], { network: VLAN, namespace: 'default' })).toBe('urgent by scope');
    expect(chosen([pool('late', [{ ...ALL, project: '${late:id}/p' }], { network: VLAN })], ask({ project: 'c-m-a/p' }))).toBe('one of late');
  });

  test('is what equal pools leave, since the server chooses at random', () => {
    const [a, b] = ['a', 'b'].map((name) => pool(name, [{ namespace: 'default' }], { network: VLAN }));
    expect(chosen([a, b], ask({ cluster: 'c' }))).toBe('one of a,b');
  });
});

test('prints a requirement that is empty or not known', () => {
  expect(printRequirement({ network: VLAN, project: '', cluster: 'shop' })).toBe('network default/vlan10, project none, namespace not known, guest cluster shop');
});
