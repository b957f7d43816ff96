import { Manifest } from '../../../src/core/manifest/manifest';
import {
  ALL_SCOPE,
  GUEST,
  HARVESTER,
  HARVESTER_1_9,
  brief,
  findings,
  on,
  pool,
  service,
  vmBalancer,
} from '../../support/balancers';

const judged = (...pools: Manifest[]) => findings(on(HARVESTER, ...pools));
const one = (manifest: Manifest) => {
  const list = judged(manifest);
  expect(brief(list)).toHaveLength(1);
  return list[0];
};
const scope = (...tuples: object[]) => ({ scope: tuples });

describe('a pool', () => {
  test('is accepted if it is valid', () => {
    expect(
      judged(
        pool('p', ['10.0.0.0/24'], {
          priority: 5,
          scope: [{ project: 'c-m-harvdc05/payments', namespace: 'vms', guestCluster: '*' }],
        }),
      ),
    ).toEqual([]);
    expect(
      judged(
        pool('p', ['10.0.0.0/24'], {
          scope: [{ project: 'local/p-abcde', namespace: '*', guestCluster: 'shop' }],
        }),
      ),
    ).toEqual([]);
    expect(
      judged(
        pool('p', ['10.0.0.0/24'], {
          scope: [{ project: '${late:x}/p', namespace: '*', guestCluster: '*' }],
        }),
      ),
    ).toEqual([]);
  });

  test('is refused in the group of the documentation', () => {
    const finding = one({
      ...pool('p', ['10.0.0.0/24']),
      apiVersion: 'networking.harvesterhci.io/v1beta1',
    });
    expect(brief([finding])).toEqual(['error ip-pool/api-group apiVersion']);
    expect(finding.message).toContain(
      'no matches for kind "IPPool" in version "networking.harvesterhci.io/v1beta1"',
    );
    expect(finding.fix).toContain('loadbalancer.harvesterhci.io/v1beta1');
  });

  test.each([[undefined], [[]], [null]])('with ranges %j has none', (ranges) => {
    const finding = one({ ...pool('p', []), spec: { ranges, selector: scope(ALL_SCOPE) } });
    expect(finding.message).toContain("range can't be empty");
  });

  test('is refused with a gateway outside of its subnet', () => {
    const finding = one(pool('p', [{ subnet: '10.3.0.0/24', gateway: '10.9.0.1' }]));
    expect(brief([finding])).toEqual(['error ip-pool/ranges spec.ranges[0].gateway']);
    expect(finding.message).toContain(
      '(the server: "invalid gateway 10.9.0.1: IP 10.9.0.1 is out of subnet 10.3.0.0/24")',
    );
    expect(finding.fix).toContain('10.3.0.1 to 10.3.0.254');
  });

  test('is refused with overlapping ranges', () => {
    const finding = one(
      pool('p', [
        { subnet: '10.0.0.0/24', rangeEnd: '10.0.0.20' },
        { subnet: '10.0.0.0/24', rangeStart: '10.0.0.20' },
      ]),
    );
    expect(brief([finding])).toEqual(['error ip-pool/ranges spec.ranges[1]']);
    expect(finding.message).toContain('cannot overlap ranges[0], 10.0.0.1-10.0.0.20');
  });

  test('is reported if a range starts after its end', () => {
    expect(
      brief(
        judged(
          pool('p', [{ subnet: '10.0.0.0/24', rangeStart: '10.0.0.20', rangeEnd: '10.0.0.10' }]),
        ),
      ),
    ).toEqual(['warning ip-pool/reversed spec.ranges[0].rangeStart']);
  });

  test('is refused if its gateway is its only address', () => {
    const range = { subnet: '10.0.0.0/24', rangeStart: '10.0.0.1', rangeEnd: '10.0.0.1' };
    expect(one(pool('p', [range])).message).toContain(
      'must contain an address other than the gateway',
    );
    expect(judged(pool('p', [{ ...range, gateway: '10.0.0.254' }]))).toEqual([]);
  });

  test('with fields of a wrong type is left to the rule on types', () => {
    expect(
      judged(pool('p', ['10.0.0.0/24'], { scope: { project: 'product', namespace: 'default' } })),
    ).toEqual([]);
    expect(
      judged(
        pool(
          'p',
          [],
          { scope: [ALL_SCOPE] },
          { spec: { ranges: { subnet: '10.0.0.0/24' }, selector: { scope: [ALL_SCOPE] } } },
        ),
      ),
    ).toEqual([]);
  });

  test('is refused with overlapping scopes, wildcards included', () => {
    const finding = one(
      pool(
        'p',
        ['10.0.0.0/24'],
        scope({ ...ALL_SCOPE, namespace: 'a' }, { ...ALL_SCOPE, guestCluster: 'shop' }),
      ),
    );
    expect([finding.rule, finding.path]).toEqual(['ip-pool/selector', 'spec.selector.scope[1]']);
    expect(finding.message).toContain('scope overlaps');
    expect(
      judged(
        pool(
          'p',
          ['10.0.0.0/24'],
          scope({ ...ALL_SCOPE, namespace: 'a' }, { ...ALL_SCOPE, namespace: 'b' }),
        ),
      ),
    ).toEqual([]);
  });

  test.each([
    ['product', 'warning'],
    ['c-m-harvdc05:payments', 'error'],
    ['c-m-a/p/q', 'warning'],
  ])('for project %s never matches', (project, level) => {
    expect(brief(judged(pool('p', ['10.0.0.0/24'], scope({ ...ALL_SCOPE, project }))))).toEqual([
      `${level} ip-pool/project spec.selector.scope[0].project`,
    ]);
  });

  test('is refused with a colon in a project', () => {
    expect(
      one(pool('p', ['10.0.0.0/24'], scope({ ...ALL_SCOPE, project: 'c-m-a:pay' }))).fix,
    ).toContain('"c-m-a/pay"');
  });

  test.each([['pay ments'], [''], ['A']])('for namespace %j never matches', (namespace) => {
    expect(brief(judged(pool('p', ['10.0.0.0/24'], scope({ ...ALL_SCOPE, namespace }))))).toEqual([
      'warning ip-pool/namespace spec.selector.scope[0].namespace',
    ]);
  });

  test.each([
    ['vlan10', 'network'],
    ['a/b/c', 'network'],
  ])('on network %s is refused', (network, field) => {
    const finding = one(pool('p', ['10.0.0.0/24'], { network, ...scope(ALL_SCOPE) }));
    expect([finding.path, finding.message.includes(`invalid network ${network}`)]).toEqual([
      `spec.selector.${field}`,
      true,
    ]);
  });

  test.each([[-1], [1.5], [4294967295]])('of priority %d is refused', (priority) => {
    expect(
      brief(
        judged(
          pool('p', ['10.0.0.0/24'], { priority, ...scope({ ...ALL_SCOPE, namespace: 'a' }) }),
        ),
      ),
    ).toEqual(['error ip-pool/selector spec.selector.priority']);
  });

  test('without a scope is reported unless a load balancer refers to it', () => {
    expect(brief(judged(pool('p', ['10.0.0.0/24'], {})))).toEqual([
      'warning ip-pool/never-selected spec.selector.scope',
    ]);
    expect(judged(pool('p', ['10.0.0.0/24'], {}), vmBalancer('lb', { ipPool: 'p' }))).toEqual([]);
  });
});

describe('several pools', () => {
  const inNamespace = (namespace: string, rest: object = {}) => ({
    ...rest,
    ...scope({ ...ALL_SCOPE, namespace }),
  });

  test('are refused if they share an address, on the later one', () => {
    const [first, second] = [
      pool(
        'a',
        [{ subnet: '10.2.0.0/24', rangeStart: '10.2.0.100', rangeEnd: '10.2.0.110' }],
        inNamespace('a', { network: 'default/x' }),
      ),
      pool('b', ['10.2.0.5/24'], inNamespace('b')),
    ];
    const list = judged(first, second);
    expect(brief(list)).toEqual(['error ip-pool/overlap spec.ranges[0]']);
    expect([list[0].object?.name, list[0].message]).toEqual([
      'b',
      expect.stringContaining('cannot overlap 10.2.0.100-10.2.0.110 of pool a'),
    ]);
    expect(brief(findings(on(HARVESTER, first), on(HARVESTER, second)))).toEqual([
      'error ip-pool/overlap spec.ranges[0]',
    ]);
  });

  test('on two Harvesters are independent', () => {
    expect(
      findings([
        ...on(HARVESTER, pool('a', ['10.2.0.0/24'])),
        ...on({ ...HARVESTER, name: 'dc2' }, pool('a', ['10.2.0.0/24'])),
      ]),
    ).toEqual([]);
  });

  test('are refused if two are global', () => {
    const list = judged(
      pool('a', ['10.0.0.0/24'], { network: 'default/x', ...scope(ALL_SCOPE) }),
      pool('b', ['10.1.0.0/24']),
    );
    expect(brief(list)).toEqual(['error ip-pool/second-global spec.selector.scope']);
    expect(list[0].message).toContain('there is already a global IP pool: a');
    // the newest release, whose candidates allowed it
    const [a, b] = ['a', 'b'].map((name, index) =>
      pool(name, [`10.${index}.0.0/24`], { network: `default/${name}`, ...scope(ALL_SCOPE) }),
    );
    expect(brief(findings(on(HARVESTER_1_9, a, b)))).toEqual([
      'error ip-pool/second-global spec.selector.scope',
    ]);
  });

  test('are refused if two have one priority', () => {
    const list = judged(
      pool('a', ['10.0.0.0/24'], inNamespace('a', { priority: 7 })),
      pool('b', ['10.1.0.0/24'], inNamespace('b', { priority: 7, network: 'default/x' })),
    );
    expect(brief(list)).toEqual(['error ip-pool/scope-taken spec.selector.priority']);
    expect(list[0].message).toContain("the priority can't be the same as the pool a");
  });

  test('without priority are refused if their scopes overlap on one network', () => {
    const [a, b] = ['a', 'b'].map(
      (name, index) => (selector: object) => pool(name, [`10.${index}.0.0/24`], selector),
    );
    const list = judged(a(inNamespace('x')), b(inNamespace('x')));
    expect(brief(list)).toEqual(['error ip-pool/scope-taken spec.selector.scope[0]']);
    expect(list[0].message).toContain(
      'scope selector is same as the pool a with priority 0 Project * Namespace x GuestCluster *, set a different priority or scope',
    );
    expect(judged(a(inNamespace('x')), b(inNamespace('x', { network: 'default/x' })))).toEqual([]);
    expect(judged(a(inNamespace('x')), b(inNamespace('x', { priority: 1 })))).toEqual([]);
    // the global pool is not compared
    expect(judged(a(scope(ALL_SCOPE)), b(inNamespace('x')))).toEqual([]);
  });

  test('are refused if their network does not exist', () => {
    const nad = (name: string): Manifest => ({
      apiVersion: 'k8s.cni.cncf.io/v1',
      kind: 'NetworkAttachmentDefinition',
      metadata: { name, namespace: 'default' },
    });
    const on10 = pool('a', ['10.0.0.0/24'], inNamespace('x', { network: 'default/vlan10' }));
    expect(judged(on10, nad('vlan10'))).toEqual([]);
    expect(judged(on10)).toEqual([]);
    expect(brief(judged(on10, nad('vlan20')))).toEqual([
      'warning ip-pool/network spec.selector.network',
    ]);
  });
});

describe('a pool in use', () => {
  const status = { status: { allocated: { '10.0.0.7': 'vms/shop-default-web-0a1b2c3d' } } };
  const before = on(HARVESTER, pool('p', ['10.0.0.0/24'], undefined, status));

  test('keeps its allocated addresses', () => {
    expect(
      findings(
        on(HARVESTER, pool('p', [{ subnet: '10.0.0.0/24', rangeStart: '10.0.0.5' }])),
        [],
        before,
      ),
    ).toEqual([]);
    const list = findings(
      on(HARVESTER, pool('p', [{ subnet: '10.0.0.0/24', rangeStart: '10.0.0.8' }])),
      [],
      before,
    );
    expect(brief(list)).toEqual(['error ip-pool/allocated-excluded spec.ranges']);
    expect(list[0].message).toContain(
      '10.0.0.7 of vms/shop-default-web-0a1b2c3d (the server: "can\'t update IP pool p because allocated IP 10.0.0.7 is excluded")',
    );
  });

  test('cannot be deleted', () => {
    const list = findings([], [], before);
    expect(brief(list)).toEqual(['error ip-pool/in-use status.allocated']);
    expect(list[0].message).toContain("can't delete pool before releasing all the allocated IP");
    expect(findings([], [], on(HARVESTER, pool('p', ['10.0.0.0/24'])))).toEqual([]);
  });

  test('can be deleted with the load balancers that have its addresses', () => {
    const balancer = (name: string): Manifest => ({
      apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
      kind: 'LoadBalancer',
      metadata: { namespace: 'vms', name },
    });
    const owner = balancer('shop-default-web-0a1b2c3d');
    expect(findings([], [], [...before, ...on(HARVESTER, owner)])).toEqual([]);
    expect(brief(findings([], [], [...before, ...on(HARVESTER, balancer('other'))]))).toEqual([
      'error ip-pool/in-use status.allocated',
    ]);
  });

  // seen on Harvester 1.8.2 with the cloud provider 0.2.7
  test.each([
    ['vms/shop-default-web-0a1b2c3d', true],
    ['vms/shop-default-api-0a1b2c3d', false],
    ['vms/a-guest-cluster-with-a-name-that-is-so-long-default-web-0a1b2c3d', true],
    ['vms/a-guest-cluster-with-a-name-that-is-very-long-default-w0a1b2c3d', true],
    ['vms/a-guest-cluster-with-a-name-that-is-very-long-default-a0a1b2c3d', false],
    ['vms/db', true],
    ['other/db', false],
  ])('can be deleted together with the load balancer of %s: %p', (owner, isDeletable) => {
    const allocated = pool('p', ['10.0.0.0/24'], undefined, {
      status: { allocated: { '10.0.0.7': owner } },
    });
    const gone = [...on(HARVESTER, allocated, vmBalancer('db')), ...on(GUEST, service('web'))];
    const found = brief(findings([], [], gone)).filter((text) => text.includes('ip-pool/'));
    expect(found).toEqual(isDeletable ? [] : ['error ip-pool/in-use status.allocated']);
  });
});
