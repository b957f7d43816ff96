import { RKE2, guestCluster, platform, poolsOn } from './_clusters';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { SecretValue } from '../../../src/core/value/secret-value';
import { GuestCluster } from '../../../src/guest/cluster/guest-cluster';
import { ControlPlaneEndpoint } from '../../../src/guest/endpoint/control-plane-endpoint';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachineFileSource } from '../../../src/guest/machine-file/machine-file';
import { MachinePool, MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { ClusterMember, ClusterMembers } from '../../../src/rancher/members/members';
import { AuthProvider, Principal } from '../../../src/rancher/members/principal';
import { ClusterMemberRole } from '../../../src/rancher/role/roles';
import { messageOf } from '../../support/message-of';
import { rendered } from '../../support/rendered';

type Change = (cluster: GuestCluster, pools: readonly MachinePool[]) => void;

const NAMES = ['control', 'batch', 'gpu', 'web'];

/** The objects of a cluster with the first pools from its constructor, and a change of it. */
function grown(count: number, change: Change = () => undefined): Record<string, any> {
  const { app, rancher, dc1, harvester, namespace } = platform();
  const pools = poolsOn(
    dc1,
    ...NAMES.map((name, index) => ({
      name,
      quantity: 3,
      roles: index === 0 ? MachineRoles.ALL : MachineRoles.WORKER,
    })),
  );
  const cluster = new GuestCluster(rancher, 'shop', {
    harvesterImport: harvester,
    vmNamespace: namespace,
    kubernetes: Kubernetes.rke2(RKE2),
    endpoint: ControlPlaneEndpoint.address('10.10.0.50'),
    pools: pools.slice(0, count),
  });
  change(cluster, pools);
  return rendered(app);
}

test('adds pools as the constructor takes them, in any order of the parts of a program', () => {
  const whole = grown(4);
  const added = grown(1, (cluster, [, batch, gpu, web]) => {
    for (const pool of [web, batch, gpu]) {
      cluster.addPool(pool);
    }
  });
  expect(added).toEqual(whole);
});

test('adds pools of the control plane to its endpoint', () => {
  const control = (pool: MachinePool): MachinePool => ({
    ...pool,
    roles: MachineRoles.CONTROL_PLANE_ETCD,
  });
  const objects = grown(1, (cluster, [, batch]) => cluster.addPool(control(batch)));
  const [sets] = Object.values(
    objects['dc1/LoadBalancer/shop-control-plane'].spec.backendServerSelector,
  );
  expect(sets).toHaveLength(2);
});

test('may add the pool that has the roles which those of the constructor lack', () => {
  const grow = (add: boolean): HarvesterApp => {
    const { app, rancher, dc1, harvester, namespace } = platform();
    const [worker, control] = poolsOn(
      dc1,
      { name: 'worker', quantity: 3, roles: MachineRoles.WORKER },
      { name: 'control', quantity: 3, roles: MachineRoles.CONTROL_PLANE_ETCD },
    );
    const cluster = new GuestCluster(rancher, 'shop', {
      harvesterImport: harvester,
      vmNamespace: namespace,
      kubernetes: Kubernetes.rke2(RKE2),
      endpoint: ControlPlaneEndpoint.address('10.10.0.50'),
      pools: [worker],
    });
    if (add) {
      cluster.addPool(control);
    }
    return app;
  };
  const whole = grow(true);
  expect(rolesIn(whole)).toEqual([]);
  const balancer = rendered(whole)['dc1/LoadBalancer/shop-control-plane'];
  expect(balancer.spec.backendServerSelector).toEqual({
    'harvesterhci.io/machineSetName': ['vms-shop-control'],
  });
  expect(rolesIn(grow(false))).toEqual([expect.stringContaining('must have every role')]);
});

/** What is found about the roles of all pools together. */
function rolesIn(app: HarvesterApp): string[] {
  return app
    .validate()
    .filter(({ rule }) => rule === 'cluster/pool-roles')
    .map(({ message }) => message);
}

test('refuses a pool that the constructor refuses, and one without a credential', () => {
  expect(messageOf(() => grown(2, (cluster, [control]) => cluster.addPool(control)))).toMatch(
    /\[rancher\/shop\] pools\[.*name/,
  );
});

test('adds manifests, selectors, and files in any order of the parts of a program', () => {
  const manifest = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  });
  const selector = (value: string) => ({
    machines: { matchLabels: { tier: value } },
    config: { 'node-label': [`tier=${value}`] },
  });
  const file = (path: string) => ({
    sources: [MachineFileSource.secret(path, SecretValue.unsafePlainText(path))],
  });
  const parts = [
    (cluster: GuestCluster) => cluster.addManifest(manifest('a')),
    (cluster: GuestCluster) => cluster.addManifest(manifest('b')),
    (cluster: GuestCluster) => cluster.addMachineSelector(selector('a')),
    (cluster: GuestCluster) => cluster.addMachineSelector(selector('b')),
    (cluster: GuestCluster) => cluster.addMachineFile(file('/etc/a')),
    (cluster: GuestCluster) => cluster.addMachineFile(file('/etc/b')),
  ];
  const inOrder = grown(1, (cluster) => parts.forEach((part) => part(cluster)));
  const reversed = grown(1, (cluster) => [...parts].reverse().forEach((part) => part(cluster)));
  expect(inOrder).toEqual(reversed);
  const { rkeConfig } = inOrder['rancher/Cluster/shop'].spec;
  expect(rkeConfig.additionalManifest).toMatch(/name: a\n---\n[^]*name: b\n$/);
  expect(rkeConfig.machineSelectorConfig.slice(-2)).toEqual(
    ['a', 'b'].map((value) => ({
      machineLabelSelector: { matchLabels: { tier: value } },
      config: { 'node-label': [`tier=${value}`] },
    })),
  );
  expect(messageOf(() => grown(1, (cluster) => cluster.addManifest('text')))).toMatch(
    /additionalManifests\[0\]: must be a Kubernetes object/,
  );
});

test('grants a role in a cluster as ClusterMembers does', () => {
  const principal = Principal.groupOf(AuthProvider.OKTA, 'platform');
  const [one, other] = [guestCluster(), guestCluster()];
  one.cluster.grant(principal, ClusterMemberRole.MEMBER);
  new ClusterMembers(other.rancher, 'members', {
    cluster: other.cluster,
    members: [ClusterMember.member(principal)],
  });
  expect(messageOf(() => one.cluster.grant(principal, ClusterMemberRole.MEMBER))).toMatch(/twice/);
  expect(rendered(one.app)).toEqual(rendered(other.app));
});
