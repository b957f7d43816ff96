import { ApiObject } from 'cdk8s';
import { guestCluster, platform } from './_clusters';
import { SecretValue } from '../../../src/core/value/secret-value';
import { HarvesterLoadBalancer } from '../../../src/guest/balancer/harvester-load-balancer';
import { Ipam } from '../../../src/guest/balancer/service-address';
import { ExistingGuestClusterOptions } from '../../../src/guest/cluster/existing-guest-cluster';
import { GuestCluster } from '../../../src/guest/cluster/guest-cluster';
import { IpPool, IpPoolScope } from '../../../src/harvester/ip-pool/ip-pool';
import { ClusterMember, ClusterMembers } from '../../../src/rancher/members/members';
import { Principal } from '../../../src/rancher/members/principal';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { messageOf } from '../../support/message-of';
import { assemblyOf, written } from '../../support/written';

const NAMES: ExistingGuestClusterOptions = { name: 'shop', kubernetesVersion: 'v1.33.6+rke2r1' };

function existing(attributes: Partial<ExistingGuestClusterOptions> = {}) {
  const all = platform();
  return { ...all, shop: GuestCluster.fromName(all.rancher, 'shop', { ...NAMES, ...attributes }) };
}

test('writes objects of the cluster into its own target, and nothing of the cluster itself', () => {
  const { app, shop, dc1 } = existing({ clusterId: 'c-m-shop0001' });
  new HarvesterLoadBalancer(shop.chart, 'web', {
    ipam: Ipam.pool(),
    ports: [{ port: 443 }],
    selector: { app: 'web' },
  });
  new IpPool(dc1, 'pool', {
    ranges: [{ subnet: '10.0.0.0/24' }],
    scopes: [IpPoolScope.guestCluster(shop)],
  });
  const objects = written(app);
  expect(Object.keys(objects)).toContain('shop/Service/web');
  expect(Object.keys(objects)).not.toContain('rancher/Cluster/shop');
  expect(objects['dc1/IPPool/pool'].spec.selector.scope).toEqual([
    { project: '*', namespace: '*', guestCluster: 'shop' },
  ]);
  expect(
    assemblyOf(app).targets.find(({ name }: { name: string }) => name === 'shop')?.properties,
  ).toMatchObject({ provisioningCluster: 'fleet-default/shop' });
});

test('gets projects and members, by its ID or by a late one', () => {
  const add = ({ rancher, shop: cluster }: ReturnType<typeof existing>) => {
    new TenantProject(rancher, 'orders', {
      cluster,
      name: 'orders',
      tenantNamespaces: [{ name: 'orders' }],
    });
    new ClusterMembers(rancher, 'members', {
      cluster,
      members: [ClusterMember.owner(Principal.user('local://u-ana'))],
    });
  };
  const known = existing({ clusterId: 'c-m-shop0001' });
  add(known);
  const objects = written(known.app);
  expect(objects['rancher/Project/orders'].spec.clusterName).toBe('c-m-shop0001');
  expect(Object.keys(objects)).not.toContain('rancher/Namespace/c-m-shop0001');

  const late = existing();
  add(late);
  late.app.synth();
  expect(assemblyOf(late.app).lateValues).toContainEqual(
    expect.objectContaining({
      description: 'management cluster id of fleet-default/shop',
      source: expect.objectContaining({
        kind: 'Cluster',
        namespace: 'fleet-default',
        name: 'shop',
      }),
    }),
  );
});

const KUBECONFIG = {
  resolver: 'secret-key',
  path: 'value',
  target: 'rancher',
  apiVersion: 'v1',
  kind: 'Secret',
  namespace: 'fleet-default',
};

describe('kubeconfig', () => {
  const use = (rancher: RancherChart, ...kubeconfigs: readonly SecretValue[]) =>
    new ApiObject(rancher, 'copy', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'copy', namespace: 'tools' },
      stringData: Object.fromEntries(kubeconfigs.map((text, index) => [`config-${index}`, text])),
    });

  test('is a sensitive late value of the Secret that Rancher creates, once', () => {
    const { app, rancher, shop } = existing();
    use(rancher, shop.kubeconfig, shop.kubeconfig);
    app.synth();
    const ofShop = assemblyOf(app).lateValues.filter(({ construct }: { construct: string }) =>
      construct.startsWith('rancher/shop/'),
    );
    expect(ofShop).toEqual([
      expect.objectContaining({
        sensitive: true,
        source: { ...KUBECONFIG, name: 'shop-kubeconfig' },
      }),
    ]);
  });

  test('waits until a cluster of the program is ready', () => {
    const { app, rancher, cluster } = guestCluster();
    use(rancher, cluster.kubeconfig);
    app.synth();
    const { edges, lateValues } = assemblyOf(app);
    const late = lateValues.find(
      ({ description }: { description: string }) =>
        description === 'kubeconfig of guest cluster fleet-default/shop',
    );
    expect(late.source).toMatchObject({ ...KUBECONFIG, name: 'shop-kubeconfig' });
    expect(edges).toContainEqual({
      from: `late:${late.id}`,
      to: 'rancher/provisioning.cattle.io/Cluster/fleet-default/shop',
      type: 'ready',
    });
  });
});

test('reports names that are not valid', () => {
  expect(
    messageOf(() =>
      existing({ name: 'The Shop', fleetWorkspace: 'my_space', clusterId: 'a b', targetName: 'A' }),
    ),
  ).toBe(
    [
      '[rancher/shop] name: must be an RFC 1123 label, got "The Shop". Fix: set metadata.name of the provisioning Cluster',
      '[rancher/shop] fleetWorkspace: must be an RFC 1123 label, got "my_space". Fix: set metadata.namespace of the provisioning Cluster',
      '[rancher/shop] clusterId: must be an RFC 1123 label, got "a b". Fix: copy it from the URL of Rancher\'s UI, e.g. c-m-abcd1234, or remove it',
      '[rancher/shop] targetName: must be an RFC 1123 label, got "A": at most 63 of a-z, 0-9, and hyphens, since it is a folder name. Fix: set another targetName',
    ].join('\n'),
  );
});
