import { Size } from 'cdk8s';
import {
  CloudInit,
  ClusterNetwork,
  Delivery,
  Disk,
  GuestCluster,
  HarvesterApp,
  HarvesterAppProps,
  HarvesterChart,
  HarvesterImport,
  HarvesterNamespace,
  Kubernetes,
  MachineRoles,
  RancherChart,
  SecretDelivery,
  VmImage,
  VmNetwork,
} from '../../src';
import { tempFolder } from '../support/temp';

/** The guest cluster of docs/guest-clusters.md, as `init` delivers it. */
function platform(props: HarvesterAppProps, cloudInit?: CloudInit): HarvesterApp {
  const app = new HarvesterApp({ outdir: tempFolder(), idSalt: 'a-salt-of-the-program', ...props });
  const serverUrl = 'https://rancher.example.com';
  const rancher = new RancherChart(app, 'rancher', { version: '2.13.8', serverUrl });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  const image = VmImage.download(dc1, 'noble', { url: 'https://images.example.com/noble.img' });
  const clusterNetwork = ClusterNetwork.mgmt(dc1);
  new GuestCluster(rancher, 'shop', {
    harvesterImport: new HarvesterImport(rancher, 'import', { harvester: dc1 }),
    vmNamespace: new HarvesterNamespace(dc1, 'shop-vms'),
    kubernetes: Kubernetes.rke2('v1.33.6+rke2r1'),
    pools: [
      {
        name: 'all',
        quantity: 3,
        roles: MachineRoles.ALL,
        cpus: 4,
        memory: Size.gibibytes(8),
        disks: [Disk.image(image, Size.gibibytes(40))],
        networks: [new VmNetwork(dc1, 'prod', { clusterNetwork, vlan: 100 })],
        cloudInit,
      },
    ],
  });
  return app;
}

const repository = 'https://git.example.com/platform.git';
const FLEET = Delivery.fleet({ repository });
const STORE = SecretDelivery.externalSecrets({ store: 'vault' });

const errorsOf = (app: HarvesterApp): string[] =>
  app
    .validate()
    .filter(({ level }) => level === 'error')
    .map(({ message, fix }) => `${message}. Fix: ${fix}`);

test.each<[string, HarvesterAppProps]>([
  ['Fleet', { delivery: FLEET }],
  ['Fleet, with secrets in a store', { delivery: FLEET, secrets: STORE }],
  ['Argo CD', { delivery: Delivery.argoCd({ repository, revision: 'main' }) }],
  [
    'Flux, with secrets in a store',
    { delivery: Delivery.flux({ sourceName: 'platform' }), secrets: STORE },
  ],
])('delivers a guest cluster without secrets of its own with %s', (_, props) => {
  const app = platform(props);
  expect(errorsOf(app)).toEqual([]);
  expect(() => app.synth()).not.toThrow();
});

test('refuses user data with a password, with a way that the object has', () => {
  const app = platform(
    { delivery: FLEET },
    CloudInit.fromYaml('#cloud-config\npassword: hunter22\n'),
  );
  const [error, ...others] = errorsOf(app);
  expect(others).toEqual([]);
  expect(error).toMatch(/^HarvesterConfig \S+ contains a secret, which Fleet keeps in plain text/);
  expect(error).toMatch(
    /Fix: read the secret with SecretValue\.fromEnv .* apply writes this object/,
  );
  expect(error).not.toContain('hunter22');
});
