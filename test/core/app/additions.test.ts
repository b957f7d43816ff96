import { Size } from 'cdk8s';
import { Ipam } from '../../../src/guest/balancer/service-address';
import { IpPool, IpPoolScope } from '../../../src/harvester/ip-pool/ip-pool';
import { VmLoadBalancer } from '../../../src/harvester/load-balancer/vm-load-balancer';
import { Disk } from '../../../src/harvester/machine/disk';
import { Nic } from '../../../src/harvester/machine/nic';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';
import { GlobalRole } from '../../../src/rancher/role/global-role';
import { GlobalPermission } from '../../../src/rancher/role/roles';
import { LocalUser } from '../../../src/rancher/user/user';
import { messageOf } from '../../support/message-of';
import { newApp, newHarvester, newRancher } from '../../support/programs';
import { written } from '../../support/written';

const RANGE = { subnet: '10.0.0.0/24', end: '10.0.0.99' };
const OTHER = { subnet: '10.0.1.0/24' };

describe('an IP pool', () => {
  test('gets ranges and scopes as from its constructor', () => {
    const scopes = [IpPoolScope.everything()];
    const [all, grown] = [newApp(), newApp()];
    new IpPool(newHarvester(all), 'pool', { ranges: [RANGE, OTHER], scopes });
    const pool = new IpPool(newHarvester(grown), 'pool', { ranges: [RANGE] });
    pool.addRange(OTHER);
    pool.addScope(scopes[0]);
    expect(written(grown)).toEqual(written(all));
    expect(pool._isScoped).toBe(true);
  });

  test('refuses what its constructor refuses, and keeps its ranges', () => {
    const app = newApp();
    const pool = new IpPool(newHarvester(app), 'pool', { ranges: [RANGE] });
    expect(messageOf(() => pool.addRange({ subnet: '10.0.0.0/33' }))).toMatch(
      /^\[dc1\/pool\] ranges\[1\]\.subnet: /,
    );
    expect(written(app)['dc1/IPPool/pool'].spec.ranges).toHaveLength(1);
  });

  test('refuses additions after synthesis', () => {
    const app = newApp();
    const pool = new IpPool(newHarvester(app), 'pool', { ranges: [RANGE] });
    app.synth();
    expect(messageOf(() => pool.addRange(OTHER))).toBe(
      '[dc1/pool] addRange: cannot add to what is synthesized: the output does not contain it. Fix: call it before app.synth()',
    );
  });
});

test('adds listeners to a load balancer', () => {
  const app = newApp();
  const balancer = new VmLoadBalancer(newHarvester(app), 'web', {
    ipam: Ipam.dhcp(),
    listeners: [{ port: 80 }],
    backendSelector: { app: ['web'] },
  });
  balancer.addListener({ port: 443 });
  const { listeners } = written(app)['dc1/LoadBalancer/web'].spec;
  expect(listeners.map(({ name }: { name: string }) => name)).toEqual(['tcp-80', 'tcp-443']);
});

test('adds rules to a role, and permissions to a user once', () => {
  const app = newApp();
  const rancher = newRancher(app);
  const rule = { verbs: ['get'], apiGroups: [''], resources: ['nodes'] };
  const role = new GlobalRole(rancher, 'auditor', { rules: [rule] });
  role.addRule({ ...rule, resources: ['pods'] });
  expect(messageOf(() => role.addRule({ ...rule, verbs: [] }))).toMatch(/rules\[2\]\.verbs/);
  const user = new LocalUser(rancher, 'u-ana');
  user.addPermission(GlobalPermission.USER);
  user.addPermission(GlobalPermission.USER);
  const objects = written(app);
  expect(objects['rancher/GlobalRole/auditor'].rules).toHaveLength(2);
  expect(Object.keys(objects).filter((key) => key.includes('GlobalRoleBinding'))).toHaveLength(2);
});

test('adds disks and NICs to a virtual machine as its constructor takes them', () => {
  const props = { cpus: 2, memory: Size.gibibytes(4) };
  const [all, grown] = [newApp(), newApp()];
  const disks = [Disk.empty(Size.gibibytes(10)), Disk.empty(Size.gibibytes(20))];
  const nics = [Nic.management(), Nic.management({ name: 'second' })];
  const whole = new VirtualMachine(newHarvester(all), 'vm', { ...props, disks, nics: [nics[0]] });
  const vm = new VirtualMachine(newHarvester(grown), 'vm', { ...props, disks: [disks[0]] });
  vm.addNic(nics[0]);
  vm.addDisk(disks[1]);
  expect(vm.macAddresses).toEqual(whole.macAddresses);
  expect(written(grown)).toEqual(written(all));
});
