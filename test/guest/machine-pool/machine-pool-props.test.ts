import { ApiObject, JsonPatch, Size } from 'cdk8s';
import { GuestCluster } from '../../../src/guest/cluster/guest-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { FixedAddresses } from '../../../src/guest/machine-pool/fixed-addresses';
import { MachinePool, MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { Disk } from '../../../src/harvester/machine/disk';
import { Nic } from '../../../src/harvester/machine/nic';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { HarvesterSetting } from '../../../src/harvester/settings/harvester-setting';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { RancherSetting, TokenLifetime } from '../../../src/rancher/settings/rancher-setting';
import { newApp, newHarvester, newRancher } from '../../support/programs';

/** The findings of a program with one pool that a patch changes, each as its path and its prop. */
function props(
  object: string,
  patch: JsonPatch,
  pool: (network: VmNetwork) => Partial<MachinePool> = () => ({}),
): readonly string[] {
  const app = newApp();
  const rancher = newRancher(app);
  const dc1 = newHarvester(app);
  const image = VmImage.download(dc1, 'noble', { url: 'https://images.example.com/noble.img' });
  const network = new VmNetwork(dc1, 'prod', {
    clusterNetwork: ClusterNetwork.mgmt(dc1),
    vlan: 100,
  });
  const shop = new GuestCluster(rancher, 'shop', {
    harvesterImport: new HarvesterImport(rancher, 'import-dc1', { harvester: dc1 }),
    vmNamespace: new HarvesterNamespace(dc1, 'vms'),
    kubernetes: Kubernetes.rke2('v1.33.6+rke2r1'),
    pools: [
      {
        name: 'all',
        quantity: 1,
        roles: MachineRoles.ALL,
        cpus: 4,
        memory: Size.gibibytes(8),
        disks: [Disk.image(image, Size.gibibytes(40))],
        networks: [network],
        ...pool(network),
      },
    ],
  });
  (shop.node.findChild(object) as ApiObject).addJsonPatch(patch);
  return app
    .validate()
    .flatMap(({ path, prop }) => (prop === undefined ? [] : [`${path} ${prop}`]));
}

const CONFIG = 'MachineConfig-nc-shop-all';

test.each([
  ['cpuCount', 'x', 'cpuCount pools[all].cpus'],
  ['memorySize', 'x', 'memorySize pools[all].memory'],
  ['diskInfo', '{"disks":[]}', 'diskInfo pools[all].disks'],
  ['sshPort', 'x', 'sshPort pools[all].sshPort'],
])('a finding about %s of a HarvesterConfig names the prop of the pool', (field, value, found) => {
  expect(props(CONFIG, JsonPatch.add(`/${field}`, value))).toContain(found);
});

test('a finding about networks names nics where the pool has them', () => {
  const patch = JsonPatch.replace('/networkInfo', '{"interfaces":[]}');
  expect(props(CONFIG, patch)).toContain('networkInfo pools[all].networks');
  expect(
    props(CONFIG, patch, (network) => ({ networks: undefined, nics: [Nic.network(network)] })),
  ).toContain('networkInfo pools[all].nics');
});

test('a finding about an entry of machinePools names the prop of the pool', () => {
  expect(
    props('Resource', JsonPatch.replace('/spec/rkeConfig/machinePools/0/quantity', 2)),
  ).toEqual(['spec.rkeConfig.machinePools pools']);
  expect(
    props('Resource', JsonPatch.replace('/spec/rkeConfig/machinePools/0/quantity', -1)),
  ).toContain('spec.rkeConfig.machinePools[0].quantity pools[all].quantity');
});

test('a finding about one machine of a pool with fixed addresses names the pool of the program', () => {
  const fixed = FixedAddresses.of({
    addresses: ['10.0.0.5'],
    subnet: '10.0.0.0/24',
    gateway: '10.0.0.1',
    nameservers: ['10.0.0.2'],
  });
  expect(
    props('Resource', JsonPatch.replace('/spec/rkeConfig/machinePools/0/quantity', -1), () => ({
      fixedAddresses: fixed,
      quantity: undefined,
    })),
  ).toContain('spec.rkeConfig.machinePools[0].quantity pools[all].quantity');
});

test('a finding about a setting names the prop, or the setting that a typed method has in its name', () => {
  const app = newApp();
  const rancher = newRancher(app);
  const dc1 = newHarvester(app);
  const broken = JsonPatch.replace('/value', 'x');
  const patched = [
    HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org']).apiObject,
    new HarvesterSetting(dc1, 'level', { name: 'log-level', value: 'info' }).apiObject,
    RancherSetting.serverUrl(rancher, 'url', 'https://rancher.example.com').apiObject,
    new TokenLifetime(rancher, 'tokens').maxSetting.apiObject,
  ];
  for (const object of patched) {
    object.addJsonPatch(broken);
  }
  HarvesterSetting.overcommitConfig(dc1, 'overcommit', {
    cpuPercent: 1600,
    memoryPercent: 150,
    storagePercent: 200,
  }).apiObject.addJsonPatch(JsonPatch.replace('/value', '{"cpu":1,"memory":150,"storage":200}'));
  const found = app
    .validate()
    .filter(({ path }) => path.startsWith('value'))
    .map(({ object, path, prop }) => `${object!.name}: ${path} ${prop}`);
  expect(found.sort()).toEqual([
    'auth-token-max-ttl-minutes: value kubeconfigTtl',
    // the constructor has the prop value
    'log-level: value undefined',
    'ntp-servers: value ntp-servers',
    'overcommit-config: value.cpu cpuPercent',
    'server-url: value server-url',
  ]);
});
