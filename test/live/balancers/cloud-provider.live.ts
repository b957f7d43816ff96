import { GuestLab } from './guest-lab';
import { MACHINE_ADDRESS, UNINITIALIZED } from './guest-nodes';
import {
  HarvesterLoadBalancer,
  LoadBalancerPort,
} from '../../../src/guest/balancer/harvester-load-balancer';
import { Ipam } from '../../../src/guest/balancer/service-address';
import { CloudConfigSecret } from '../../../src/guest/cloud-provider/cloud-config-secret';
import { GuestChart } from '../../../src/guest/guest-chart';
import { GuestNamespace } from '../../../src/guest/guest-namespace';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { IpPool, IpPoolScope } from '../../../src/harvester/ip-pool/ip-pool';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { Exception, unexplained } from '../families/family';
import { TARGETS } from '../lab/lab';
import { Charts, Walk } from '../walk/walk';

/** A Service of a commit. */
interface Balancer {
  readonly id: string;
  /** `pool` names none, `of` a pool that is applied first. */
  readonly ipam: 'pool' | 'dhcp' | { readonly sharedWith: string } | { readonly of: PoolOf };
  readonly ports: readonly number[];
  /** @default 'web' */
  readonly namespace?: 'web' | 'ops';
}

/** A pool of a commit: the scopes of the guest cluster that it is for. */
interface PoolOf {
  readonly id: string;
  readonly subnet: string;
  readonly start?: string;
  readonly end?: string;
  readonly scope: 'namespace' | 'cluster' | 'other';
  readonly network?: 'vlan10' | 'vlan20';
  readonly priority?: number;
}

interface Commit {
  readonly title: string;
  readonly pools: readonly PoolOf[];
  readonly balancers: readonly Balancer[];
}

const FIRST: PoolOf = { id: 'first', subnet: '198.18.10.0/24', scope: 'namespace' };
const SECOND: PoolOf = { id: 'second', subnet: '198.18.11.0/24', scope: 'cluster', priority: 9 };
/** Three addresses: the first host is the gateway. */
const SMALL: PoolOf = {
  id: 'small',
  subnet: '198.18.12.0/24',
  start: '198.18.12.10',
  end: '198.18.12.12',
  scope: 'cluster',
  priority: 10,
};
const ELSEWHERE: PoolOf = {
  id: 'elsewhere',
  subnet: '198.18.13.0/24',
  scope: 'namespace',
  network: 'vlan20',
  priority: 99,
};

const WEB: Balancer = { id: 'web', ipam: 'pool', ports: [443] };
const DNS: Balancer = { id: 'dns', ipam: 'dhcp', ports: [53], namespace: 'ops' };
const GIT: Balancer = { id: 'git', ipam: { sharedWith: 'web' }, ports: [22] };
const API: Balancer = { id: 'api', ipam: { of: SECOND }, ports: [6443], namespace: 'ops' };

/** Several Services that are created at once. */
const MANY: readonly Balancer[] = [0, 1, 2].map((number) => ({
  id: `many-${number}`,
  ipam: { of: SMALL },
  ports: [8000 + number],
}));

const COMMITS: readonly Commit[] = [
  { title: 'a pool, DHCP, and a shared address', pools: [FIRST], balancers: [WEB, DNS, GIT] },
  {
    title: 'other ports',
    pools: [FIRST],
    balancers: [{ ...WEB, ports: [443, 8443] }, DNS, { ...GIT, ports: [2222] }],
  },
  {
    title: 'a second pool with a higher priority, and one of another network: only new ones use it',
    pools: [FIRST, SECOND, ELSEWHERE],
    balancers: [WEB, DNS, GIT, API],
  },
  {
    title: 'an address of its own instead of a shared one, and the reverse',
    pools: [FIRST, SECOND],
    balancers: [WEB, DNS, { ...GIT, ipam: 'pool' }, { ...API, ipam: { sharedWith: 'web' } }],
  },
  {
    title: 'another name',
    pools: [FIRST, SECOND],
    balancers: [{ ...WEB, id: 'site' }, DNS, { ...GIT, ipam: { sharedWith: 'site' } }],
  },
  {
    title: 'several at once, of a pool with as many addresses',
    pools: [FIRST, SECOND, SMALL],
    balancers: [{ ...WEB, id: 'site' }, DNS, ...MANY],
  },
  { title: 'none', pools: [], balancers: [] },
];

function isShared({ ipam }: Balancer): boolean {
  return typeof ipam === 'object' && 'sharedWith' in ipam;
}

/** Disagreements that are not defects. */
const EXCEPTIONS: readonly Exception[] = [
  {
    text: /^plan: update .*\/Service\/.*nodePort/,
    reason: 'the API server picks another node port for the apply than for the dry run of the plan',
  },
];

describe('the way of an address, by the real cloud provider', () => {
  let guestLab: GuestLab;
  let walk: Walk;
  /** Whether the first test passed: without a machine, nothing else can. */
  let hasMachine = false;

  beforeAll(async () => {
    guestLab = await GuestLab.open();
    walk = new Walk(guestLab.lab, 'way');
  });
  afterAll(async () => {
    expect(await guestLab?.close()).toEqual([]);
  });

  /** The program of a commit. */
  function declare({ pools, balancers }: Pick<Commit, 'pools' | 'balancers'>) {
    return ({ app, rancher, dc1 }: Charts): void => {
      const { lab, cluster, vmNamespace, kubernetesVersion } = guestLab;
      const vms = new HarvesterNamespace(dc1, 'vms', { name: vmNamespace });
      const clusterNetwork = ClusterNetwork.mgmt(dc1);
      const networks = {
        vlan10: new VmNetwork(dc1, 'vlan10', { namespace: vms, clusterNetwork, vlan: 10 }),
        vlan20: new VmNetwork(dc1, 'vlan20', { namespace: vms, clusterNetwork, vlan: 20 }),
      };
      new CloudConfigSecret(rancher, 'config', { vmNamespace: vms, clusterName: cluster });
      const scopes = {
        namespace: IpPoolScope.namespace(vms),
        cluster: IpPoolScope.of({ project: '*', namespace: '*', guestCluster: cluster }),
        other: IpPoolScope.of({ project: '*', namespace: 'other', guestCluster: '*' }),
      };
      const declared = new Map<string, IpPool>();
      for (const { id, subnet, start, end, scope, network = 'vlan10', priority } of pools) {
        const pool = new IpPool(dc1, id, {
          name: lab.name(id),
          network: networks[network],
          ranges: [{ subnet, start, end }],
          scopes: [scopes[scope]],
          priority,
        });
        declared.set(id, pool);
      }
      const guest = new GuestChart(app, TARGETS.guest, {
        version: kubernetesVersion,
        // that Rancher has no such Cluster must not matter to a plan
        provisioningCluster: `fleet-default/${cluster}`,
        harvester: dc1,
      });
      const namespaces = {
        web: new GuestNamespace(guest, 'namespace-web', { name: lab.name('web') }),
        ops: new GuestNamespace(guest, 'namespace-ops', { name: lab.name('ops') }),
      };
      const made = new Map<string, HarvesterLoadBalancer>();
      const ipamOf = (ipam: Balancer['ipam']): Ipam => {
        if (ipam === 'dhcp') {
          return Ipam.dhcp();
        }
        if (ipam === 'pool') {
          return Ipam.pool();
        }
        return 'of' in ipam
          ? Ipam.pool(declared.get(ipam.of.id))
          : Ipam.shareWith(made.get(ipam.sharedWith)!);
      };
      // those that share an address refer to the others
      const ordered = [...balancers].sort((a, b) => Number(isShared(a)) - Number(isShared(b)));
      for (const { id, ipam, ports, namespace = 'web' } of ordered) {
        const balancer = new HarvesterLoadBalancer(guest, id, {
          namespace: namespaces[namespace],
          ipam: ipamOf(ipam),
          ports: ports.map((port): LoadBalancerPort => ({ port })),
          selector: { app: id },
        });
        made.set(id, balancer);
      }
    };
  }

  test('the account of the cloud config has all permissions, and a machine becomes a node', async () => {
    const wrong = await walk.commit(declare({ pools: [], balancers: [] }));
    expect(wrong).toEqual([]);
    await guestLab.startProvider(`harvesterconfig-${guestLab.cluster}`);
    const { vmNamespace, cluster } = guestLab;
    const name = `${cluster}-all-hj2kd-x9v4t`;
    await guestLab.addMachine({
      name,
      namespace: vmNamespace,
      network: `${vmNamespace}/vlan10`,
      cluster,
    });
    const node = await guestLab.eventually(`Node ${name}`, async () => {
      const { body } = await guestLab.guest.get(`/api/v1/nodes/${name}`);
      return body.spec.providerID ? body : undefined;
    });
    const machine = await guestLab.harvester.read({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { namespace: vmNamespace, name },
    });
    expect(node.spec.providerID).toBe(`harvester://${machine.body.metadata.uid}`);
    expect(node.status.addresses).toContainEqual({ type: 'InternalIP', address: MACHINE_ADDRESS });
    expect((node.spec.taints ?? []).map(({ key }: { key: string }) => key)).not.toContain(
      UNINITIALIZED,
    );
    expect(guestLab.output).not.toMatch(/is forbidden/);
    hasMachine = true;
  });

  test.each(COMMITS)('$title', async (commit) => {
    expect(hasMachine).toBe(true);
    const said = await guestLab.addresses(guestLab.description(), walk.synthesize(declare(commit)));
    const wrong = await walk.commit(declare(commit));
    wrong.push(...(await guestLab.wrongAddresses(said)));
    process.stderr.write(
      [`${commit.title}: ${wrong.length} disagreements`, ...wrong, ''].join('\n  '),
    );
    expect(unexplained(wrong, EXCEPTIONS)).toEqual([]);
    await guestLab.recordAddresses();
    const own = commit.balancers.filter((balancer) => !isShared(balancer));
    const names = (await guestLab.balancers()).map(({ metadata }) => metadata.name);
    expect({ names, count: names.length }).toEqual({ names, count: own.length });
  });
});
