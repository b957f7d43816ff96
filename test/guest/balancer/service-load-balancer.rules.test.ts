import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { JudgedObject, JudgedTarget, World } from '../../../src/core/rule/rule';
import { addressPlan } from '../../../src/harvester/load-balancer/address-plan.facts';
import { LOAD_BALANCER_RULES } from '../../../src/harvester/load-balancer/load-balancer.rules';
import {
  ALL_SCOPE,
  GUEST,
  HARVESTER,
  HARVESTER_1_9,
  RANCHER,
  TWIN,
  brief,
  findings,
  guest,
  on,
  pool,
  service,
  vmNamespace,
} from '../../support/balancers';

const judged = (...objects: Manifest[]) => findings(on(GUEST, ...objects));
const annotation = (key: string) => `metadata.annotations[cloudprovider.harvesterhci.io/${key}]`;
const NEW_RKE2 = { ...GUEST, kubernetesVersion: 'v1.34.10+rke2r1' };

describe('a Service with an address of a Harvester', () => {
  test('that is valid has no finding', () => {
    expect(
      judged(
        service('a'),
        service('b', { 'ipam': 'dhcp', 'kube-vip.io/hwaddr': '00:00:6c:4f:18:68' }),
        service('c', { 'primary-service': 'default/a' }, { ports: [{ port: 81 }] }),
      ),
    ).toEqual([]);
  });

  test.each([['ippool'], ['Pool'], ['DHCP'], ['share-ip']])('has no ipam %j', (ipam) => {
    const list = judged(service('a', { ipam }));
    expect(brief(list)).toEqual([`error service/ipam ${annotation('ipam')}`]);
    expect(list[0].message).toContain(
      `Unsupported value: "${ipam}": supported values: "pool", "dhcp"`,
    );
    expect(list[0].fix).toContain('use one of the two, in lower case');
  });

  test('without an ipam gets an address of a pool', () => {
    expect(findings(on(GUEST, service('a', {})))).toEqual([]);
  });

  // seen on Harvester 1.8.2
  test('with an empty ipam has an address that is never released', () => {
    const list = judged(service('a', { ipam: '' }));
    expect(brief(list)).toEqual([`warning service/ipam ${annotation('ipam')}`]);
    expect(list[0].message).toContain('never releases it');
  });

  test('with a class that is null is one of the cloud provider', () => {
    expect(
      brief(findings(on(GUEST, service('a', { ipam: 'x' }, { loadBalancerClass: null })))),
    ).toEqual(['error service/ipam metadata.annotations[cloudprovider.harvesterhci.io/ipam]']);
  });

  test.each([['a'], ['default.a'], ['default/a/b']])('shares no address of %j', (primary) => {
    const list = judged(service('b', { 'primary-service': primary }));
    expect(brief(list)).toEqual([`error service/primary-name ${annotation('primary-service')}`]);
    expect(list[0].message).toContain(`invalid service name ${primary}`);
  });

  test('has no ipam together with a shared address', () => {
    expect(
      brief(
        judged(
          service('a'),
          service(
            'b',
            { 'ipam': 'pool', 'primary-service': 'default/a' },
            { ports: [{ port: 81 }] },
          ),
        ),
      ),
    ).toEqual([`warning service/primary-and-ipam ${annotation('ipam')}`]);
  });

  test('leaves to the cloud provider what that writes', () => {
    const own = service('a', {
      'ipam': 'pool',
      'kube-vip.io/loadbalancerIPs': '10.0.0.5',
      'kube-vip.io/serviceInterface': 'eth0',
    });
    const labelled = {
      ...own,
      metadata: {
        ...own.metadata,
        labels: { 'cloudprovider.harvesterhci.io/primary-service': 'a.b' },
      },
    };
    expect(brief(judged(labelled))).toEqual([
      'warning service/written-by-provider metadata.annotations[kube-vip.io/loadbalancerIPs]',
      'warning service/written-by-provider metadata.annotations[kube-vip.io/serviceInterface]',
      'warning service/written-by-provider metadata.labels[cloudprovider.harvesterhci.io/primary-service]',
    ]);
  });

  test('without an annotation of the cloud provider may be one of kube-vip alone', () => {
    expect(judged(service('a', { 'kube-vip.io/loadbalancerIPs': '10.0.0.5' }))).toEqual([]);
  });

  test('that was read from a server has them', () => {
    const own = service('a', { 'ipam': 'pool', 'kube-vip.io/loadbalancerIPs': '10.0.0.5' });
    expect(judged({ ...own, metadata: { ...own.metadata, resourceVersion: '7' } })).toEqual([]);
  });

  test.each([
    ['ip-pool-ref', 'no cloud provider reads it'],
    ['healthcheck-port', 'since cloud provider 0.2'],
    ['project', 'Harvester overwrites it'],
    ['namespace', 'Harvester overwrites it'],
  ])('has no use for %s', (key, message) => {
    const list = judged(service('a', { ipam: 'pool', [key]: 'x' }));
    expect([brief(list), list[0].message.includes(message)]).toEqual([
      [`warning service/unknown-key ${annotation(key)}`],
      true,
    ]);
  });

  test('is not one of another type, class or cluster', () => {
    expect(
      judged(
        service('a', { ipam: 'ippool' }, { type: 'ClusterIP' }),
        service('b', { ipam: 'ippool' }, { loadBalancerClass: 'metallb' }),
      ),
    ).toEqual([]);
    expect(findings(on(HARVESTER, service('a', { ipam: 'ippool' })))).toEqual([]);
  });

  test('is one that an ingress controller has by the values of its chart', () => {
    const config = (valuesContent: string): Manifest => ({
      apiVersion: 'helm.cattle.io/v1',
      kind: 'HelmChartConfig',
      metadata: { name: 'rke2-traefik', namespace: 'kube-system' },
      spec: { valuesContent },
    });
    const values = (type: string) =>
      `service:\n  type: ${type}\n  annotations:\n    cloudprovider.harvesterhci.io/ipam: ippool\n`;
    const list = judged(config(values('LoadBalancer')));
    expect(brief(list)).toEqual(['error service/ipam spec.valuesContent']);
    expect(list[0].message).toContain(annotation('ipam'));
    expect(judged(config(values('ClusterIP')), config('{'), config('- 1'))).toEqual([]);
  });
});

describe('a shared address', () => {
  const shares = (name: string, primary: string, port = 81) =>
    service(name, { 'primary-service': primary }, { ports: [{ port, protocol: 'UDP' }] });

  test('is that of a Service that has one of its own', () => {
    const list = judged(service('a'), shares('b', 'default/a'), shares('c', 'default/b', 82));
    expect(brief(list)).toEqual([`error service/primary ${annotation('primary-service')}`]);
    expect([list[0].message, list[0].fix]).toEqual([
      expect.stringContaining('service default/b is not a primary service'),
      'share the address of that Service, default/a',
    ]);
  });

  test.each([
    ['default/a', 'error', { type: 'ClusterIP' }],
    ['default/b', 'error', {}],
    ['default/nosuch', 'warning', {}],
  ])('is not that of %s', (primary, level, spec) => {
    expect(brief(judged(service('a', {}, spec), shares('b', primary)))).toEqual([
      `${level} service/primary ${annotation('primary-service')}`,
    ]);
  });

  test('has every port once, whatever the protocol, in all namespaces', () => {
    const list = judged(service('a'), shares('b', 'default/a', 80));
    expect(brief(list)).toEqual(['error service/shared-port spec.ports[0].port']);
    expect(list[0].message).toContain('port 80 has been used in service default/a');
    const other = {
      ...shares('c', 'default/a'),
      metadata: { ...shares('c', 'default/a').metadata, namespace: 'other' },
    };
    expect(
      judged(service('a'), shares('b', 'default/a'), other).map(({ object, rule }) => [
        object?.name,
        rule,
      ]),
    ).toEqual([['c', 'service/shared-port']]);
  });

  test('has the ports of what the cluster has, whose Services come first', () => {
    const live = on(GUEST, service('a', {}), shares('second', 'default/a', 81));
    const against = (object: Manifest) => brief(findings(on(GUEST, object), live));
    // the cloud provider shares every address of its own, also one without an annotation
    expect(against(shares('b', 'default/a', 80))).toEqual([
      'error service/shared-port spec.ports[0].port',
    ]);
    expect(against(shares('b', 'default/a', 81))).toEqual([
      'error service/shared-port spec.ports[0].port',
    ]);
    expect(against(shares('b', 'default/a', 82))).toEqual([]);
  });

  test('of a Service that the cluster lacks is refused', () => {
    const live = on(GUEST, service('a', {}));
    const missing = shares('b', 'default/none', 82);
    expect(brief(findings(on(GUEST, missing), live))).toEqual([
      `error service/primary ${annotation('primary-service')}`,
    ]);
    expect(brief(findings(on(GUEST, missing)))).toEqual([
      `warning service/primary ${annotation('primary-service')}`,
    ]);
  });

  test('of the ingress controller may be shared', () => {
    const config: Manifest = {
      apiVersion: 'helm.cattle.io/v1',
      kind: 'HelmChartConfig',
      metadata: { name: 'traefik', namespace: 'kube-system' },
      spec: {
        valuesContent:
          'service:\n  type: LoadBalancer\n  annotations: {cloudprovider.harvesterhci.io/ipam: pool}\n',
      },
    };
    expect(judged(config, shares('b', 'kube-system/traefik'))).toEqual([]);
    expect(brief(judged(config, shares('b', 'kube-system/traefik', 443)))).toEqual([
      'error service/shared-port spec.ports[0].port',
    ]);
  });

  test('outlives those that share it', () => {
    const before = on(GUEST, service('a'), shares('b', 'default/a'));
    expect(brief(findings(on(GUEST, shares('b', 'default/a')), [], before))).toContain(
      'error service/primary-gone',
    );
    expect(findings([], [], before)).toEqual([]);
  });
});

describe('the network of a Service', () => {
  const asking = service('a', { ipam: 'pool', network: 'default/vlan20' });
  const nad = (name: string, type = 'bridge'): Manifest => ({
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { name, namespace: 'default' },
    spec: { config: JSON.stringify({ type }) },
  });
  const at = annotation('network');

  test('is namespace/name', () => {
    expect(
      brief(findings(on(NEW_RKE2, service('a', { ipam: 'pool', network: 'vlan20' })))),
    ).toEqual([`error service/network-name ${at}`]);
  });

  test('is honoured by Harvester 1.9 and a recent cloud provider', () => {
    expect(findings([...on(NEW_RKE2, asking), ...on(HARVESTER_1_9, nad('vlan20'))])).toEqual([]);
    const old = findings([...on(GUEST, asking), ...on(HARVESTER, nad('vlan20'))]);
    expect(brief(old)).toEqual([`warning service/network ${at}`, `warning service/network ${at}`]);
    expect(old.map(({ message }) => message).join()).toMatch(
      /Harvester 1\.7\.2 overwrites it.*0\.2\.14.*1\.33\.13\+rke2r2/,
    );
  });

  test('is honoured by every Harvester with DHCP, which selects no pool', () => {
    const dhcp = (network: string) => service('a', { ipam: 'dhcp', network });
    const world = (network: string) => [
      ...on(NEW_RKE2, dhcp(network)),
      ...on(HARVESTER, nad('vlan20'), nad('vlan30')),
    ];
    expect(findings(world('default/vlan20'))).toEqual([]);
    expect(brief(findings(world('default/vlan30'), [], world('default/vlan20')))).toEqual([
      `error service/changed ${at}`,
    ]);
  });

  test('is there, and no overlay', () => {
    expect(
      findings([...on(NEW_RKE2, asking), ...on(HARVESTER_1_9, nad('vlan10'))])[0].message,
    ).toContain('network default/vlan20 not found in NAD mapping');
    const overlay = findings([
      ...on(NEW_RKE2, asking),
      ...on(HARVESTER_1_9, nad('vlan20', 'kube-ovn')),
    ]);
    expect([brief(overlay), overlay[0].message]).toEqual([
      ['warning load-balancer/overlay-network'],
      expect.stringContaining('its network default/vlan20 is an overlay network'),
    ]);
    // nor is the one that the machines are on
    const machines = [
      ...on(GUEST, service('a')),
      ...on(RANCHER, ...guest()),
      ...on(HARVESTER, nad('vlan10', 'kube-ovn')),
    ];
    expect(brief(findings(machines))).toEqual(['warning load-balancer/overlay-network']);
  });

  test('does not change, nor does the ipam', () => {
    const edit = (was: Manifest, is: Manifest, target = HARVESTER_1_9) =>
      brief(findings([...on(NEW_RKE2, is), ...on(target, nad('vlan20'))], [], on(NEW_RKE2, was)));
    expect(edit(service('a'), asking)).toEqual([`error service/changed ${at}`]);
    expect(edit(service('a'), asking, HARVESTER)).toEqual([`warning service/network ${at}`]);
    expect(edit(service('a'), service('a', { ipam: 'dhcp' }))).toEqual([
      `error service/changed ${annotation('ipam')}`,
    ]);
    expect(edit(service('a', {}), service('a'))).toEqual([]);
    expect(
      edit(service('a', { ipam: 'dhcp' }), service('a', { 'primary-service': 'default/b' })),
    ).not.toContain(`error service/changed ${annotation('ipam')}`);
  });
});

test('externalTrafficPolicy Local needs an election of kube-vip', () => {
  const local = service('a', { ipam: 'dhcp' }, { externalTrafficPolicy: 'Local' });
  expect(findings(on(GUEST, local))[0].message).toMatch(/0\.2\.12/);
  const path = 'warning service/local-traffic spec.externalTrafficPolicy';
  expect(brief(findings([...on(NEW_RKE2, local), ...on(RANCHER, ...guest())]))).toEqual([path]);
  expect(
    findings([
      ...on(NEW_RKE2, local),
      ...on(
        RANCHER,
        ...guest('shop', { chartValues: { 'kube-vip': { env: { svc_election: 'true' } } } }),
      ),
    ]),
  ).toEqual([]);
  expect(findings(on(NEW_RKE2, local))).toEqual([]);
});

describe('of two Harvesters whose objects have the same names', () => {
  const selector = { network: 'default/vlan10', scope: [{ ...ALL_SCOPE, guestCluster: 'other' }] };
  const pools = [HARVESTER, TWIN].flatMap((target) =>
    on(target, vmNamespace(), pool('p', ['10.0.0.0/24'], selector)),
  );
  const registration = (target: JudgedTarget, id: string) =>
    on(
      { ...target, managedAs: undefined },
      {
        apiVersion: 'harvesterhci.io/v1beta1',
        kind: 'Setting',
        metadata: { name: 'cluster-registration-url' },
        value: JSON.stringify({
          url: `https://rancher.example.com/v3/import/token_${id}.yaml`,
          insecureSkipTLSVerify: false,
        }),
      },
    );
  const kubeconfig = (server: string) => ({
    'clusters': [{ name: 'a', cluster: { server } }],
    'contexts': [{ name: 'a', context: { cluster: 'a' } }],
    'current-context': 'a',
  });
  const withKubeconfig = (server: string) =>
    guest().map((manifest) =>
      manifest.kind === 'Secret'
        ? {
            ...manifest,
            stringData: {
              'harvestercredentialConfig-kubeconfigContent': JSON.stringify(kubeconfig(server)),
            },
          }
        : manifest,
    );
  const refused = (...objects: JudgedObject[]) =>
    judge(LOAD_BALANCER_RULES, new World([...objects, ...on(GUEST, service('a'))]))
      .filter(({ target }) => target === 'shop')
      .map(({ message }) => /none of the pools of (\w+)/.exec(message)?.[1]);

  test.each<[string, JudgedObject[], string[]]>([
    [
      'the one that the program imports as the management cluster of its credential',
      [...pools, ...on(RANCHER, ...guest('shop', { clusterId: 'c-m-harvdc00' }))],
      ['dc0'],
    ],
    [
      'the one that registers as it',
      [
        ...pools.map(({ manifest, target }) => ({
          manifest,
          target: { ...target, managedAs: undefined },
        })),
        ...registration(HARVESTER, 'c-m-harvdc01'),
        ...registration(TWIN, 'c-m-harvdc00'),
        ...on(RANCHER, ...guest()),
      ],
      ['dc1'],
    ],
    [
      'the one that Rancher proxies the kubeconfig of its credential to',
      [
        ...pools,
        ...on(RANCHER, ...withKubeconfig('https://rancher.example.com/k8s/clusters/c-m-harvdc00')),
      ],
      ['dc0'],
    ],
    [
      'the one whose management address its credential has',
      [
        ...pools.map(({ manifest, target }) => ({
          manifest,
          target: { ...target, vip: target === TWIN ? '10.10.0.10' : '10.20.0.10' },
        })),
        ...on(RANCHER, ...withKubeconfig('https://10.20.0.10:6443')),
      ],
      ['dc1'],
    ],
    [
      'none, where neither is the one of its credential',
      [...pools, ...on(RANCHER, ...guest('shop', { clusterId: 'c-m-other' }))],
      [],
    ],
    [
      'none, where its credential is not there',
      [...pools, ...on(RANCHER, ...guest().filter(({ kind }) => kind !== 'Secret'))],
      [],
    ],
  ])('the address is given by %s', (_, objects, expected) => {
    expect(refused(...objects)).toEqual(expected);
  });

  test('a guest cluster of another Rancher with the same name is another one', () => {
    const other: JudgedTarget = { ...RANCHER, name: 'rancher-2' };
    const guests = [
      ...on(RANCHER, ...guest()),
      ...on(other, ...guest('shop', { clusterId: 'c-m-other' })),
    ];
    const found = (rancher: string) =>
      judge(
        LOAD_BALANCER_RULES,
        new World([...pools, ...guests, ...on({ ...GUEST, rancher }, service('a'))]),
      ).length;
    expect([found('rancher'), found('rancher-2')]).toEqual([1, 0]);
  });

  test('needs no credential for what the program declares of the guest cluster', () => {
    expect(
      addressPlan(new World([...pools, ...on({ ...GUEST, harvester: 'dc0' }, service('a'))]))
        .balancers[0].harvester,
    ).toBe('dc0');
  });
});
