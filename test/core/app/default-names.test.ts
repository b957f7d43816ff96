import { ApiObject, App, Chart, Size } from 'cdk8s';
import { Construct } from 'constructs';
import {
  CloudInit,
  Disk,
  GuestChart,
  HarvesterChart,
  HarvesterLoadBalancer,
  HarvesterNamespace,
  HelmChartAddon,
  Ipam,
  KeyPair,
  S3Credential,
  SecretValue,
  VirtualMachine,
  VmImage,
} from '../../../src';
import { defaultName } from '../../../src/core/app/resource';
import { kebabCase } from '../../../src/core/problem/label';
import { newApp, newHarvester, newRancher } from '../../support/programs';

const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa ana@host';

const CHART = { chart: 'nginx', repository: 'https://charts.example.com', version: '1.0.0' };

/** A construct of a program that contains others. */
class Bastion extends Construct {
  public readonly key: KeyPair;
  public readonly server: KeyPair;
  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.key = new KeyPair(this, 'key', { publicKey: KEY });
    this.server = new KeyPair(this, 'WebServer', { publicKey: KEY });
  }
}

describe('the default name', () => {
  test('is the path below the chart, so that a construct that contains others can be used twice', () => {
    const dc1 = newHarvester(newApp());
    const [first, second] = ['site-a', 'SiteB'].map((id) => new Bastion(dc1, id));
    expect([first.key.name, first.server.name, second.key.name, second.server.name]).toEqual([
      'site-a-key',
      'site-a-web-server',
      'site-b-key',
      'site-b-web-server',
    ]);
  });

  test('of a construct that is directly in its chart is its ID', () => {
    expect(new KeyPair(newHarvester(newApp()), 'ops', { publicKey: KEY }).name).toBe('ops');
  });

  test('contains the IDs of plain charts, and not that of the target chart', () => {
    const dc1 = newHarvester(newApp());
    const team = new Chart(dc1, 'team-a');
    expect(new KeyPair(team, 'ops', { publicKey: KEY }).name).toBe('team-a-ops');
  });

  test('omits the ID of the construct that is the main one, as AWS CDK does', () => {
    const dc1 = newHarvester(newApp());
    const own = new Construct(dc1, 'bastion');
    expect(new KeyPair(own, 'Default', { publicKey: KEY }).name).toBe('bastion');
  });

  test('is the same for every kind of construct', () => {
    const app = newApp();
    const rancher = newRancher(app);
    const own = new Construct(rancher, 'Shop');
    const guest = new Construct(
      new GuestChart(app, 'guest', { version: 'v1.33.6+rke2r1' }),
      'Shop',
    );
    const secret = SecretValue.unsafePlainText('text');
    expect(new S3Credential(own, 'Backups', { accessKey: secret, secretKey: secret }).name).toBe(
      'cc-s3-shop-backups',
    );
    expect(
      new HarvesterLoadBalancer(guest, 'Web', {
        ipam: Ipam.dhcp(),
        ports: [{ port: 443 }],
        selector: { app: 'web' },
      }).name,
    ).toBe('shop-web');
    expect(new HelmChartAddon(guest, 'NginxChart', CHART).name).toBe('shop-nginx-chart');
  });

  test.each([
    ['web', 'web'],
    ['WebServer', 'web-server'],
    ['HTTPServer', 'http-server'],
    ['MyS3', 'my-s3'],
    ['web1Server', 'web1-server'],
    ['VLAN100', 'vlan100'],
    ['site-A', 'site-a'],
  ])('in kebab case: %s is %s', (id, expected) => {
    expect(kebabCase(id)).toBe(expected);
  });

  test('of a chart is that of its target', () => {
    const app = newApp();
    const site = new Construct(app, 'SiteA');
    expect(new HarvesterChart(site, 'Dc', { version: '1.8.2' }).targetName).toBe('site-a-dc');
  });

  test('of a construct outside of target charts is its path', () => {
    expect(defaultName(new Construct(new Chart(new App(), 'plain'), 'Web'))).toBe('plain-web');
  });
});

describe('the namespace of a chart', () => {
  test('is that of all constructs in it, as of ApiObjects', () => {
    const app = newApp();
    const dc1 = new HarvesterChart(app, 'dc1', { version: '1.8.2', namespace: 'team-a' });
    new HarvesterNamespace(dc1, 'team-a');
    const plain = new ApiObject(dc1, 'cm', { apiVersion: 'v1', kind: 'ConfigMap' });
    const key = new KeyPair(dc1, 'ops', { publicKey: KEY });
    const existing = VmImage.fromName(dc1, 'image', { name: 'image-abcde' });
    expect([plain.metadata.namespace, key.namespace, existing.namespace]).toEqual([
      'team-a',
      'team-a',
      'team-a',
    ]);
    expect(key.apiObject.toJson().metadata.namespace).toBe('team-a');
  });

  test('is that of the nearest chart', () => {
    const dc1 = newHarvester(newApp());
    const team = new Chart(dc1, 'team', { namespace: 'team-b' });
    expect(new KeyPair(team, 'ops', { publicKey: KEY }).namespace).toBe('team-b');
    expect(new KeyPair(dc1, 'ops', { publicKey: KEY }).namespace).toBe('default');
  });

  test('is not that of a construct with a namespace, nor of its parts', () => {
    const app = newApp();
    const dc1 = new HarvesterChart(app, 'dc1', { version: '1.8.2', namespace: 'team-a' });
    const vm = new VirtualMachine(dc1, 'vm', {
      namespace: HarvesterNamespace.fromName(dc1, 'other', { name: 'default' }),
      cpus: 1,
      memory: Size.gibibytes(1),
      disks: [Disk.emptyCdRom()],
      cloudInit: CloudInit.fromYaml('#cloud-config\npackages: [vim]\n'),
    });
    const namespaces = vm.node
      .findAll()
      .filter(ApiObject.isApiObject)
      .map((object) => object.metadata.namespace);
    expect(namespaces).toEqual(['default', 'default']);
  });

  test('is that of a load balancer in a guest cluster, and not of a HelmChart', () => {
    const guest = new GuestChart(newApp(), 'guest', {
      version: 'v1.33.6+rke2r1',
      namespace: 'web',
    });
    const balancer = new HarvesterLoadBalancer(guest, 'web', {
      ipam: Ipam.dhcp(),
      ports: [{ port: 443 }],
      selector: { app: 'web' },
    });
    expect(balancer.namespace).toBe('web');
    expect(new HelmChartAddon(guest, 'nginx', CHART).namespace).toBe('kube-system');
  });
});

test('a chart in an own construct of the same name has the name once', () => {
  const app = newApp();
  const names = ['fra', 'ber'].map((id) => {
    const site = new Construct(app, id);
    return new HarvesterChart(site, id, { version: '1.7.2' }).targetName;
  });
  expect(names).toEqual(['fra', 'ber']);
  expect(new HarvesterChart(new Construct(app, 'eu'), 'fra', { version: '1.7.2' }).targetName).toBe(
    'eu-fra',
  );
});
