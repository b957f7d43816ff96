import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Size } from 'cdk8s';
import { parse, stringify } from 'yaml';
import { apply, destroy, plan } from '../../../src/commands';
import { appOf } from '../../../src/engine/fields/apply-set';
import { readInventory } from '../../../src/engine/inventory/inventory';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { Ipam } from '../../../src/guest/balancer/service-address';
import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { IpPool, IpPoolScope } from '../../../src/harvester/ip-pool/ip-pool';
import { VmLoadBalancer } from '../../../src/harvester/load-balancer/vm-load-balancer';
import { Disk } from '../../../src/harvester/machine/disk';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { VmRunStrategy } from '../../../src/harvester/virtual-machine/props/virtual-machine-props';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { tempFolder } from '../../support/temp';
import { Lab, TARGETS } from '../lab/lab';
import { Leftovers } from '../lab/leftovers';
import { Charts, Walk } from '../walk/walk';

const { rancher: RANCHER, harvester: HARVESTER } = TARGETS;

/** From an empty namespace of a Harvester to its import, by a Rancher that nothing reached at first. */
describe('day zero', () => {
  let lab: Lab;
  let walk: Walk;
  let dist: string;

  const program = ({ rancher, dc1 }: Charts): void => {
    const namespace = new HarvesterNamespace(dc1, 'platform', { name: lab.name('platform') });
    const network = new VmNetwork(dc1, 'network', {
      name: lab.name('net'),
      namespace,
      clusterNetwork: ClusterNetwork.mgmt(dc1),
      vlan: 4040,
    });
    const pool = new IpPool(dc1, 'addresses', {
      name: lab.name('addresses'),
      network,
      ranges: [{ subnet: '198.18.40.0/24' }],
      scopes: [IpPoolScope.namespace(namespace)],
    });
    new VirtualMachine(dc1, 'rancher-vm', {
      name: lab.name('rancher'),
      namespace,
      cpus: 2,
      memory: Size.gibibytes(4),
      disks: [Disk.empty(Size.gibibytes(20))],
      networks: [network],
      // the lab has no node that could run it
      runStrategy: VmRunStrategy.HALTED,
      instanceLabels: { app: lab.name('rancher') },
      cloudInit: CloudInit.of({ packages: ['curl'] }),
    });
    new VmLoadBalancer(dc1, 'balancer', {
      name: lab.name('balancer'),
      namespace,
      backendSelector: { app: [lab.name('rancher')] },
      ipam: Ipam.pool(pool),
      listeners: [{ port: 443 }],
    });
    new HarvesterImport(rancher, 'import', {
      harvester: dc1,
      name: lab.name('dc1'),
      clusterId: ClusterId.fixed(`c-m-${lab.prefix}h`),
      register: false,
    });
  };

  beforeAll(async () => {
    lab = await Lab.open(tempFolder());
    walk = new Walk(lab, 'zero');
    dist = walk.synthesize(program);
  });
  afterAll(async () => {
    await destroy(dist, { config: lab.config, app: walk.app, acceptInUse: [namespaceId()] });
    const left = await lab?.clean();
    lab?.close();
    expect(left).toEqual([]);
  });

  /** A config file that reaches one of the servers alone. */
  function only(target: string): string {
    const { targets } = parse(readFileSync(lab.config, 'utf8'));
    const file = join(lab.folder, `${target}.yaml`);
    writeFileSync(file, stringify({ targets: { [target]: targets[target] } }));
    return file;
  }
  /** The inventory of the app on a server, as JSON. */
  async function inventoryOf(name: string): Promise<string> {
    const target = loadAssembly(dist).assembly.targets.find((each) => each.name === name)!;
    const { cluster } = lab.serverOf(name);
    return JSON.stringify(
      (await readInventory(cluster, appOf(walk.app), { target }))?.entries ?? [],
    );
  }
  /** The namespace, which keeps the volume of the machine. */
  const namespaceId = (): string => `${HARVESTER}//Namespace//${lab.name('platform')}`;
  const onRancher = async (): Promise<unknown[]> =>
    new Leftovers(lab.server('rancher').cluster, lab.prefix).find();

  test('the Harvester gets its machine and the address, without a context of Rancher', async () => {
    const options = { config: only(HARVESTER), app: walk.app, target: [HARVESTER] };
    const { plan: planned } = await plan(dist, options);
    expect(planned.problems ?? []).toEqual([]);
    const { failed, skipped } = await apply(dist, options);
    expect([failed, skipped]).toEqual([[], []]);
    const kinds = new Set(
      (JSON.parse(await inventoryOf(HARVESTER)) as { kind: string }[]).map(({ kind }) => kind),
    );
    expect([...kinds]).toEqual(
      expect.arrayContaining(['Namespace', 'VirtualMachine', 'IPPool', 'LoadBalancer']),
    );
    expect(await onRancher()).toEqual([]);
  });

  test('Rancher imports it, and the inventory of the Harvester is untouched', async () => {
    const before = await inventoryOf(HARVESTER);
    const options = { config: only(RANCHER), app: walk.app, target: [RANCHER] };
    expect((await apply(dist, options)).failed).toEqual([]);
    expect(await inventoryOf(RANCHER)).toContain(lab.name('dc1'));
    expect(await inventoryOf(HARVESTER)).toBe(before);
  });

  test('a whole apply has nothing left to do', async () => {
    const options = { config: lab.config, app: walk.app };
    const { failed, skipped } = await apply(dist, options);
    expect([failed, skipped]).toEqual([[], []]);
    expect((await plan(dist, options)).outcome).toBe('nothing');
  });

  test('a destroy of the Harvester needs its context alone, and keeps the inventory of Rancher', async () => {
    const before = await inventoryOf(RANCHER);
    const warnings: string[] = [];
    const { failed } = await destroy(dist, {
      config: only(HARVESTER),
      app: walk.app,
      target: HARVESTER,
      acceptInUse: [namespaceId()],
      onWarning: (target, message) => warnings.push(`${target}: ${message}`),
    });
    expect(failed).toEqual([]);
    expect(warnings).toContainEqual(expect.stringMatching(`^${RANCHER}: has no context`));
    expect(await inventoryOf(HARVESTER)).toBe('[]');
    expect(await inventoryOf(RANCHER)).toBe(before);
  });
});
