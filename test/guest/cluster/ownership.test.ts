import { guestCluster } from './_clusters';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { Retention } from '../../../src/core/program/retention';
import { Suppressions } from '../../../src/core/program/suppressions';
import { collect } from '../../../src/core/synthesis/collect';
import { SecretValue } from '../../../src/core/value/secret-value';
import { SecretDelivery } from '../../../src/delivery/secret/secret-delivery';
import { ControlPlaneEndpoint } from '../../../src/guest/endpoint/control-plane-endpoint';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { KeyPair } from '../../../src/harvester/key-pair/key-pair';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { TokenSource } from '../../../src/rancher/import/registration-token';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { RancherNamespace } from '../../../src/rancher/rancher-namespace';
import { newApp, newHarvester, newRancher } from '../../support/programs';
import { rendered } from '../../support/rendered';

const SECRET_IN_MANIFEST = 'harvester-setting/secret-in-manifest';

function metadataOf(
  objects: Record<string, any>,
): Record<string, { labels?: Record<string, string>; annotations?: Record<string, string> }> {
  return Object.fromEntries(Object.entries(objects).map(([key, { metadata }]) => [key, metadata]));
}

function withPlainToken(): {
  app: HarvesterApp;
  rancher: RancherChart;
  harvester: HarvesterImport;
} {
  const app = newApp();
  const rancher = newRancher(app);
  const token = TokenSource.value(
    SecretValue.unsafePlainText('abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqr'),
  );
  const harvester = new HarvesterImport(rancher, 'import', {
    harvester: newHarvester(app),
    registrationToken: token,
  });
  return { app, rancher, harvester };
}

test('suppresses on a HarvesterImport what it wrote on the Harvester', () => {
  const { app, harvester } = withPlainToken();
  expect(app.validate().map(({ rule }) => rule)).toContain(SECRET_IN_MANIFEST);
  Suppressions.of(harvester).suppress(SECRET_IN_MANIFEST, 'the Harvester has no other users');
  const findings = app.validate();
  expect(findings.filter(({ rule }) => rule === SECRET_IN_MANIFEST)).toEqual([
    expect.objectContaining({
      construct: expect.stringMatching(/^dc1\/ClusterRegistrationUrl/),
      suppressed: 'the Harvester has no other users',
    }),
  ]);
  expect(findings.map(({ rule }) => rule)).not.toContain('program/unused-suppression');
});

test('suppresses nothing on a Harvester by the chart of its Rancher', () => {
  const { app, rancher } = withPlainToken();
  Suppressions.of(rancher).suppress(SECRET_IN_MANIFEST, 'another cluster');
  const findings = app.validate();
  expect(
    findings.filter(({ rule }) => rule === SECRET_IN_MANIFEST).map(({ suppressed }) => suppressed),
  ).toEqual([undefined]);
  expect(findings.map(({ rule }) => rule)).toContain('program/unused-suppression');
});

test('gives its labels and annotations to each object of a guest cluster, and to no other', () => {
  const labels = { 'example.com/team': 'shop' };
  const annotations = { 'example.com/owner': 'shop@example.com' };
  const endpoint = ControlPlaneEndpoint.address('10.10.0.50');
  const { app, cluster } = guestCluster({ labels, annotations, endpoint });
  new KeyPair(newHarvester(app, '1.7.2', 'dc2'), 'other', { publicKey: KEY });
  new RancherNamespace(cluster.rancher, 'other-namespace');
  const found = metadataOf(rendered(app));
  const labeled = Object.keys(found).filter((key) => found[key].labels?.['example.com/team']);
  const annotated = Object.keys(found).filter(
    (key) => found[key].annotations?.['example.com/owner'],
  );
  expect(annotated).toEqual(labeled);
  expect(labeled.sort()).toEqual([
    'dc1/ClusterRoleBinding/vms-shop',
    'dc1/IPPool/shop-control-plane',
    'dc1/LoadBalancer/shop-control-plane',
    'dc1/RoleBinding/vms-shop',
    'dc1/Secret/shop-token',
    'dc1/ServiceAccount/shop',
    'rancher/Cluster/shop',
    'rancher/HarvesterConfig/nc-shop-all',
    'rancher/Secret/harvesterconfig-shop',
  ]);
});

test('keeps labels of an object itself', () => {
  const { app, cluster } = guestCluster({ labels: { 'example.com/team': 'shop' } });
  cluster.metadata.addLabel('example.com/team', 'other');
  expect(rendered(app)['rancher/Cluster/shop'].metadata.labels['example.com/team']).toBe('other');
});

test('keeps on the Harvester what a retained cluster wrote there', () => {
  const { app, cluster, dc1 } = guestCluster();
  Retention.of(dc1).delete();
  Retention.of(cluster).retain();
  const { objects } = collect(app);
  const account = objects.find(({ key }) => key === 'dc1//ServiceAccount/vms/shop');
  expect(account?.deletion).toEqual({ policy: 'keep', reason: 'is retained by the program' });
  const namespace = objects.find(({ manifest }) => manifest.metadata.name === 'vms');
  expect(namespace?.deletion).toEqual(expect.objectContaining({ policy: 'delete' }));
});

test('delivers the secrets on a Harvester by its chart, or by the construct that wrote them', () => {
  const { app, rancher, dc1, cluster } = guestCluster();
  const [ofRancher, ofHarvester, ofCluster] = [1, 2, 3].map(() => SecretDelivery.plainText());
  SecretDelivery.of(rancher).use(ofRancher);
  SecretDelivery.of(dc1).use(ofHarvester);
  const choice = (key: string): unknown =>
    collect(app).objects.find((object) => object.key === key)?.secrets;
  expect(choice('dc1//Secret/vms/shop-token')).toBe(ofHarvester);
  expect(choice('rancher//Secret/fleet-default/harvesterconfig-shop')).toBe(ofRancher);
  SecretDelivery.of(cluster).use(ofCluster);
  expect(choice('dc1//Secret/vms/shop-token')).toBe(ofCluster);
  expect(choice('rancher//Secret/fleet-default/harvesterconfig-shop')).toBe(ofCluster);
});

test('counts constructs of the program in a chart as no part of a cluster', () => {
  const { app, cluster, dc1 } = guestCluster({ labels: { 'example.com/team': 'shop' } });
  new HarvesterNamespace(dc1, 'others');
  expect(cluster.labels).toEqual({ 'example.com/team': 'shop' });
  expect(rendered(app)['dc1/Namespace/others'].metadata.labels).toBeUndefined();
});

const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGn8ul0CgUeGFMkCqVVl4Ubk4Wn0wUjJ0GQfZvp5e2Zx me@example.com';
