import { Size } from 'cdk8s';
import {
  CloudInit,
  CloudInitFile,
  CloudInitSecret,
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
  SecretValue,
  VmImage,
  VmNetwork,
} from '../../src';
import { fakeSops } from '../support/fake-sops';
import { tempFolder } from '../support/temp';
import { formsOf, textsIn } from './secret/_outputs';

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

test('refuses a secret of the program once, without the advice for other engines', () => {
  const passwordHash = SecretValue.unsafePlainText(`$6$abcdefgh$${'a'.repeat(86)}`);
  const cloudInit = CloudInit.of({ users: [{ name: 'ops', passwordHash }] });
  const found = platform({ delivery: FLEET }, cloudInit)
    .validate()
    .filter(({ object, path }) => object?.kind === 'HarvesterConfig' && path === 'userData');
  expect(found.map(({ level, rule }) => `${level} ${rule}`)).toEqual(['error delivery/secrets']);
});

const SECRET = 'ordinary words of a script';
const IN_FILE = (): CloudInit =>
  CloudInit.of({
    files: [CloudInitFile.secret('/etc/agent/key', SecretValue.fromEnv('AGENT_KEY'))],
  });
const SOPS = (): SecretDelivery =>
  SecretDelivery.sops({
    recipients: ['age1qyyappls469vacyphhuhw3m02mpjxqglxwr6gr40k67tpvfwr5dqw2vdh3'],
    program: fakeSops(tempFolder()),
  });

describe('a secret in a file of user data, which has no form of a secret', () => {
  beforeEach(() => {
    process.env.AGENT_KEY = SECRET;
  });
  afterEach(() => {
    delete process.env.AGENT_KEY;
  });

  /** The files that contain the secret, in any form. */
  function leaks(outdir: string): string[] {
    const forms = formsOf(SECRET);
    return Object.entries(textsIn(outdir)).flatMap(([file, text]) => {
      const decoded = text.replace(/[A-Za-z0-9+/]{16,}={0,2}/g, (run) =>
        Buffer.from(run, 'base64').toString(),
      );
      return forms.some((form) => `${text}${decoded}`.includes(form)) ? [file] : [];
    });
  }

  test.each<[string, () => HarvesterAppProps]>([
    ['SOPS', () => ({ secrets: SOPS() })],
    ['SOPS and Flux', () => ({ delivery: Delivery.flux({ sourceName: 'p' }), secrets: SOPS() })],
    ['a store', () => ({ secrets: STORE })],
    ['a store and Fleet', () => ({ delivery: FLEET, secrets: STORE })],
  ])('is in no file with %s', (_, props) => {
    const app = platform(props(), IN_FILE());
    app.synth();
    expect(leaks(app.outdir)).toEqual([]);
  });

  test('is refused where Fleet would keep it in plain text', () => {
    expect(errorsOf(platform({ delivery: FLEET }, IN_FILE()))).toEqual([
      expect.stringMatching(/^HarvesterConfig \S+ contains a secret, which Fleet keeps/),
    ]);
  });

  test('is a warning without a way for secrets, of a machine configuration and of a Secret', () => {
    const app = platform({}, IN_FILE());
    const dc1 = app.node.findChild('dc1') as HarvesterChart;
    new CloudInitSecret(dc1, 'base', { cloudInit: IN_FILE() });
    const found = app.validate().filter(({ message }) => message.includes('AGENT_KEY'));
    expect(found.map(({ rule, object, path }) => `${rule} ${object!.kind} ${path}`)).toEqual([
      'object/plain-secret Secret data.userdata',
      'program/secret-in-plain-text HarvesterConfig userData',
    ]);
    app.synth();
    expect(leaks(app.outdir)).toHaveLength(2);
  });
});
