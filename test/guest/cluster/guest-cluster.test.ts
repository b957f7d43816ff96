import { ApiObject, Lazy, Size } from 'cdk8s';
import { K3S, RKE2, guestCluster, platform, poolsOn } from './_clusters';
import { KindDescription } from '../../../src/core/kind/kind';
import { kindOf } from '../../../src/core/kind/kinds';
import { CloudConfigSecret } from '../../../src/guest/cloud-provider/cloud-config-secret';
import { CloudProvider } from '../../../src/guest/cloud-provider/cloud-provider';
import { GuestCluster, GuestClusterProps } from '../../../src/guest/cluster/guest-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachineFileSource } from '../../../src/guest/machine-file/machine-file';
import { MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { RegistryAuth } from '../../../src/guest/registries/registries';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { CloudCredential } from '../../../src/rancher/credential/cloud-credential';
import { S3Credential } from '../../../src/rancher/credential/s3-credential';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { messageOf } from '../../support/message-of';
import { SERVER } from '../../support/programs';
import { assemblyOf as assembly, written } from '../../support/written';

const CLUSTER = 'rancher/provisioning.cattle.io/Cluster/fleet-default/shop';
const UNDRAINED = {
  deleteEmptyDirData: true,
  disableEviction: false,
  enabled: false,
  force: false,
  gracePeriod: -1,
  ignoreDaemonSets: true,
  skipWaitForDeleteTimeoutSeconds: 0,
  timeout: 120,
};
// what Rancher's UI writes for every cluster, whatever the distribution
const COMMON = {
  etcd: { snapshotRetention: 5, snapshotScheduleCron: '0 */5 * * *' },
  machinePools: [
    {
      name: 'all',
      quantity: 3,
      controlPlaneRole: true,
      etcdRole: true,
      workerRole: true,
      drainBeforeDelete: true,
      unhealthyNodeTimeout: '0s',
      machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-shop-all' },
    },
  ],
  upgradeStrategy: {
    controlPlaneConcurrency: '1',
    controlPlaneDrainOptions: UNDRAINED,
    workerConcurrency: '1',
    workerDrainOptions: UNDRAINED,
  },
};

function refused(props: Partial<GuestClusterProps>, rancher?: string): string {
  return messageOf(() => guestCluster(props, { rancher }));
}

describe('the Cluster', () => {
  test("of RKE2 is the one that Rancher's UI writes", () => {
    const { app } = guestCluster();
    expect(written(app)['rancher/Cluster/shop']).toEqual({
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      metadata: {
        name: 'shop',
        namespace: 'fleet-default',
        annotations: {
          'field.cattle.io/no-creator-rbac': 'true',
          'provisioning.cattle.io/management-cluster-name': 'c-m-bnw2v2n4',
        },
      },
      spec: {
        cloudCredentialSecretName: 'cattle-global-data:cc-dc1',
        kubernetesVersion: 'v1.33.6+rke2r1',
        rkeConfig: {
          ...COMMON,
          chartValues: {
            'harvester-cloud-provider': {
              cloudConfigPath: '/var/lib/rancher/rke2/etc/config-files/cloud-provider-config',
              global: { cattle: { clusterName: 'shop' } },
            },
          },
          machineGlobalConfig: {
            'cni': 'calico',
            'disable-kube-proxy': false,
            'etcd-expose-metrics': false,
          },
          machineSelectorConfig: [
            {
              config: {
                'cloud-provider-config': 'secret://fleet-default:harvesterconfig-shop',
                'cloud-provider-name': 'harvester',
                'protect-kernel-defaults': false,
              },
            },
          ],
        },
      },
    });
  });

  test("of K3s has the switches of Rancher's UI and the cloud provider as a HelmChart", () => {
    const { app } = guestCluster({ kubernetes: Kubernetes.k3s(K3S) });
    const {
      cloudCredentialSecretName,
      kubernetesVersion,
      rkeConfig: { additionalManifest, ...rkeConfig },
    } = written(app)['rancher/Cluster/shop'].spec;
    expect({ cloudCredentialSecretName, kubernetesVersion }).toEqual({
      cloudCredentialSecretName: 'cattle-global-data:cc-dc1',
      kubernetesVersion: 'v1.33.6+k3s1',
    });
    expect(additionalManifest).toMatch(
      /^apiVersion: helm\.cattle\.io\/v1\nkind: HelmChart\nmetadata:\n {2}name: harvester-cloud-provider\n/,
    );
    expect(rkeConfig).toEqual({
      ...COMMON,
      machineGlobalConfig: {
        'disable': ['servicelb'],
        'disable-apiserver': false,
        'disable-cloud-controller': true,
        'disable-controller-manager': false,
        'disable-etcd': false,
        'disable-kube-proxy': false,
        'disable-network-policy': false,
        'disable-scheduler': false,
        'etcd-expose-metrics': false,
        'secrets-encryption': false,
      },
      machineSelectorConfig: [
        {
          config: {
            'docker': false,
            'kubelet-arg': ['cloud-provider=external'],
            'protect-kernel-defaults': false,
            'selinux': false,
          },
        },
      ],
    });
  });

  test('without a cloud provider names none', () => {
    const { rkeConfig } = written(guestCluster({ cloudProvider: CloudProvider.none() }).app)[
      'rancher/Cluster/shop'
    ].spec;
    expect(rkeConfig).not.toHaveProperty('chartValues');
    expect(rkeConfig.machineSelectorConfig).toEqual([
      { config: { 'protect-kernel-defaults': false } },
    ]);
  });

  test('keeps the chart values and kubelet arguments of the user next to those of the cloud provider, and before them', () => {
    const kubernetes = Kubernetes.rke2(RKE2, {
      kubeletArgs: ['max-pods=200'],
      chartValues: {
        'harvester-cloud-provider': { replicasCount: 2 },
        'rke2-calico': { installation: {} },
      },
    });
    const { rkeConfig } = written(guestCluster({ kubernetes }).app)['rancher/Cluster/shop'].spec;
    expect(rkeConfig.chartValues).toEqual({
      'harvester-cloud-provider': {
        replicasCount: 2,
        cloudConfigPath: '/var/lib/rancher/rke2/etc/config-files/cloud-provider-config',
        global: { cattle: { clusterName: 'shop' } },
      },
      'rke2-calico': { installation: {} },
    });
  });

  test("a data directory of one's own moves the cloud config along", () => {
    const { rkeConfig } = written(
      guestCluster({ dataDirectories: { k8sDistro: '/data/rke2' } }).app,
    )['rancher/Cluster/shop'].spec;
    expect(rkeConfig.chartValues['harvester-cloud-provider'].cloudConfigPath).toBe(
      '/data/rke2/etc/config-files/cloud-provider-config',
    );
  });

  test('each pool has an entry and a machine configuration next to the Cluster', () => {
    const all = platform();
    new GuestCluster(all.rancher, 'shop', {
      harvesterImport: all.harvester,
      vmNamespace: all.namespace,
      kubernetes: Kubernetes.rke2(RKE2),
      pools: poolsOn(
        all.dc1,
        { name: 'control', quantity: 3, roles: MachineRoles.CONTROL_PLANE_ETCD },
        { name: 'work', roles: MachineRoles.WORKER },
      ),
      fleetWorkspace: 'fleet-shops',
      hostnameLengthLimit: 40,
    });
    const objects = written(all.app);
    expect(
      objects['rancher/Cluster/shop'].spec.rkeConfig.machinePools.map(
        ({ name }: { name: string }) => name,
      ),
    ).toEqual(['control', 'work']);
    expect(objects['rancher/Cluster/shop'].spec.rkeConfig.machinePoolDefaults).toEqual({
      hostnameLengthLimit: 40,
    });
    expect(
      Object.values(objects)
        .filter(({ kind }) => kind === 'HarvesterConfig')
        .map(({ metadata }) => metadata),
    ).toEqual([
      { name: 'nc-shop-control', namespace: 'fleet-shops' },
      { name: 'nc-shop-work', namespace: 'fleet-shops' },
    ]);
  });
});

describe('order', () => {
  test('the Cluster waits for its credential, cloud config, machine configurations, namespace and the import', () => {
    const { app } = guestCluster();
    app.synth();
    const targets = assembly(app)
      .edges.filter(({ from }: { from: string }) => from === CLUSTER)
      .map(({ to, type }: { to: string; type: string }) => `${type} ${to}`);
    expect(targets).toEqual([
      'applied dc1//Namespace//vms',
      'applied rancher//Secret/cattle-global-data/cc-dc1',
      'applied rancher//Secret/fleet-default/harvesterconfig-shop',
      'applied rancher/provisioning.cattle.io/Cluster/fleet-default/dc1',
      'applied rancher/rke-machine-config.cattle.io/HarvesterConfig/fleet-default/nc-shop-all',
    ]);
  });

  test.each([
    ['RKE2', Kubernetes.rke2(RKE2)],
    ['K3s', Kubernetes.k3s(K3S)],
  ])('%s: objects in the namespace of the machines wait for it', (_, kubernetes) => {
    const { app } = guestCluster({ kubernetes });
    app.synth();
    const { edges, groups } = assembly(app);
    const waiting = edges
      .filter(({ to }: { to: string }) => to === 'dc1//Namespace//vms')
      .map(({ from }: { from: string }) => from);
    const objects = waiting.flatMap(
      (id: string) => groups.find((group: { id: string }) => group.id === id)?.objects ?? [id],
    );
    expect(objects).toEqual(
      expect.arrayContaining([
        'dc1//Secret/vms/shop-token',
        'dc1//ServiceAccount/vms/shop',
        'dc1/rbac.authorization.k8s.io/RoleBinding/vms/rancher-node-driver',
        'dc1/rbac.authorization.k8s.io/RoleBinding/vms/vms-shop',
      ]),
    );
  });

  test('a Harvester that is imported already has nothing to wait for', () => {
    const { rancher, dc1, namespace, app } = platform();
    const harvester = HarvesterImport.fromClusterId(rancher, 'there', {
      clusterId: 'c-abcde',
      harvester: dc1,
    });
    new GuestCluster(rancher, 'shop', {
      harvesterImport: harvester,
      vmNamespace: namespace,
      kubernetes: Kubernetes.rke2(RKE2),
      pools: poolsOn(dc1, {}),
    });
    expect(Object.keys(written(app))).toContain('rancher/Cluster/shop');
  });

  test('the fields that Rancher writes into pools are not of this program, nor is the quantity of an autoscaled one', () => {
    const all = platform({ rancher: '2.13.8' });
    new GuestCluster(all.rancher, 'shop', {
      harvesterImport: all.harvester,
      vmNamespace: all.namespace,
      kubernetes: Kubernetes.rke2(RKE2),
      pools: poolsOn(all.dc1, { autoscaling: { min: 1, max: 3 } }),
    });
    all.app.synth();
    const { othersWrite } = assembly(all.app).objects.find(
      ({ id }: { id: string }) => id === CLUSTER,
    );
    expect(othersWrite).toBeUndefined();
    expect(
      kindOf<KindDescription>({ apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster' })!
        .writtenByOthers,
    ).toEqual(
      expect.arrayContaining([
        'spec.rkeConfig.machinePools[*].dynamicSchemaSpec',
        'spec.rkeConfig.machinePools[*].quantity',
      ]),
    );
    guestCluster().app.synth();
  });
});

describe('arguments', () => {
  test('two clusters share a credential, and differ by their names', () => {
    const { app, rancher, dc1, harvester, namespace } = platform();
    const pools = poolsOn(dc1, {});
    for (const name of ['shop', 'bank']) {
      new GuestCluster(rancher, name, {
        harvesterImport: harvester,
        vmNamespace: namespace,
        kubernetes: Kubernetes.rke2(RKE2),
        pools,
      });
    }
    const objects = written(app);
    expect(
      Object.keys(objects)
        .filter((key) => /HarvesterConfig|Cluster\//.test(key))
        .sort(),
    ).toEqual([
      'rancher/Cluster/bank',
      'rancher/Cluster/dc1',
      'rancher/Cluster/shop',
      'rancher/HarvesterConfig/nc-bank-all',
      'rancher/HarvesterConfig/nc-shop-all',
    ]);
    expect(objects['rancher/Cluster/bank'].spec.cloudCredentialSecretName).toBe(
      objects['rancher/Cluster/shop'].spec.cloudCredentialSecretName,
    );
  });

  test("a credential of one's own is named, and no other is made", () => {
    const { app, rancher, dc1, harvester, namespace } = platform();
    const credential = CloudCredential.fromName(rancher, 'Credential', { name: 'cc-abcde' });
    new GuestCluster(rancher, 'shop', {
      harvesterImport: harvester,
      vmNamespace: namespace,
      credential,
      kubernetes: Kubernetes.rke2(RKE2),
      pools: poolsOn(dc1, {}),
    });
    const objects = written(app);
    expect(objects['rancher/Cluster/shop'].spec.cloudCredentialSecretName).toBe(
      'cattle-global-data:cc-abcde',
    );
    expect(Object.keys(objects).filter((key) => key.includes('node-driver'))).toEqual([]);
  });

  test('a credential of another Rancher is refused', () => {
    const { app, rancher, dc1, harvester, namespace } = platform();
    const other = new RancherChart(app, 'other', { version: '2.14.1', serverUrl: SERVER });
    const credential = CloudCredential.fromName(other, 'Credential', { name: 'cc-abcde' });
    expect(
      () =>
        new GuestCluster(rancher, 'shop', {
          harvesterImport: harvester,
          vmNamespace: namespace,
          credential,
          kubernetes: Kubernetes.rke2(RKE2),
          pools: poolsOn(dc1, {}),
        }),
    ).toThrow(
      '[rancher/shop] credential: must be a credential of rancher, the Rancher of the cluster, got "other/Credential": it is one of other. Fix: create it in the chart of the cluster\'s Rancher',
    );
  });

  test('the Harvester must be a target of the program', () => {
    const { rancher, dc1, namespace } = platform();
    const harvester = HarvesterImport.fromClusterId(rancher, 'there', { clusterId: 'c-abcde' });
    expect(
      () =>
        new GuestCluster(rancher, 'shop', {
          harvesterImport: harvester,
          vmNamespace: namespace,
          kubernetes: Kubernetes.rke2(RKE2),
          pools: poolsOn(dc1, {}),
        }),
    ).toThrow(
      '[rancher/shop] harvesterImport: must be a target of the program, to which the objects that the cluster needs on Harvester are written, got "rancher/there". Fix: ' +
        'import a HarvesterChart, or pass it as harvester to HarvesterImport.fromClusterId',
    );
  });

  test.each([9, 64])('host names are not cut at %d', (limit) => {
    expect(refused({ hostnameLengthLimit: limit })).toBe(
      `[rancher/shop] hostnameLengthLimit: must be a whole number from 10 to 63, got ${limit}. Fix: set it to 10 to 63, or remove it`,
    );
  });

  test('cutting host names needs Rancher 2.7.5', () => {
    const clusterId = ClusterId.late();
    const { rancher, dc1, harvester, namespace } = platform({
      rancher: '2.7.4',
      clusterId,
    });
    expect(
      () =>
        new GuestCluster(rancher, 'shop', {
          harvesterImport: harvester,
          vmNamespace: namespace,
          clusterId,
          hostnameLengthLimit: 15,
          kubernetes: Kubernetes.rke2(RKE2),
          pools: poolsOn(dc1, {}),
        }),
    ).toThrow(
      '[rancher/shop] hostnameLengthLimit: machinePoolDefaults and hostnameLengthLimit needs Rancher 2.7.5 or later, got 2.7.4',
    );
  });

  test('all errors are reported at once, with the pools', () => {
    const lines = refused({
      name: 'Shop',
      pools: [],
      kubernetes: Kubernetes.rke2(RKE2, { config: { debug: 1 } }),
    }).split('\n');
    expect(lines).toHaveLength(3);
    expect(lines.map((line) => line.split(': ')[0])).toEqual([
      '[rancher/shop] name',
      '[rancher/shop] kubernetes.config[debug]',
      '[rancher/shop] pools',
    ]);
  });

  test('errors of the machines are reported together with those of the cluster', () => {
    const { rancher, dc1, harvester, namespace } = platform();
    const pools = poolsOn(
      dc1,
      { cpus: 0.5, memory: Size.mebibytes(4000) },
      { name: 'gpu', networks: [] },
    );
    const make = () =>
      new GuestCluster(rancher, 'shop', {
        harvesterImport: harvester,
        vmNamespace: namespace,
        kubernetes: Kubernetes.rke2(RKE2, { config: { debug: 1 } }),
        pools,
      });
    expect(make).toThrow(
      new Error(
        [
          '[rancher/shop] kubernetes.config[debug]: must be a string, a boolean or a list, got 1: Rancher drops numbers silently. Fix: write it in quotes: "1"',
          '[rancher/shop] pools[all].cpus: must be a whole number of 1 or more, got 0.5. Fix: set cpus to 1 or more',
          '[rancher/shop] pools[all].memory: must be a whole number of GiB, at least 1, got "4000Mi": Rancher\'s node driver accepts nothing else. Fix: use Size.gibibytes(4)',
          '[rancher/shop] pools[gpu].networks: must have at least one interface: otherwise the machine gets no address. Fix: ' +
            'add a VmNetwork on which machines get an IPv4 address',
        ].join('\n'),
      ),
    );
  });

  test('a lazy name is refused', () => {
    expect(refused({ name: Lazy.any({ produce: () => 'shop' }) as unknown as string })).toContain(
      '[rancher/shop] name: must be a literal string',
    );
  });
});

test('what the program refers to by name is not missing, and defaults make no finding', () => {
  const { app, rancher, dc1, harvester, namespace } = platform();
  // so that something is known in both namespaces
  for (const where of ['fleet-default', 'cattle-global-data']) {
    new ApiObject(rancher, where, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'other', namespace: where },
    });
  }
  const shared = {
    harvesterImport: harvester,
    vmNamespace: namespace,
    kubernetes: Kubernetes.rke2(RKE2),
    pools: poolsOn(dc1, {}),
  };
  new GuestCluster(rancher, 'plain', shared);
  new GuestCluster(rancher, 'shop', {
    ...shared,
    credential: CloudCredential.fromName(rancher, 'credential', { name: 'cc-abcde' }),
    cloudProvider: CloudProvider.harvester({
      existingCloudConfig: CloudConfigSecret.fromName(rancher, 'config', {
        name: 'harvesterconfigx7k2p',
      }),
    }),
    etcd: {
      s3: {
        credential: S3Credential.fromName(rancher, 's3', { name: 'cc-s3' }),
        bucket: 'snapshots',
      },
    },
    registries: {
      configs: {
        'a.example.com': { auth: RegistryAuth.fromSecretName('auth') },
        'b.example.com': { auth: RegistryAuth.fromSecretName('auth') },
      },
    },
    machineFiles: [
      {
        sources: [
          MachineFileSource.fromSecretName({ name: 'files', items: [{ key: 'a', path: '/a' }] }),
          MachineFileSource.fromConfigMapName({ name: 'maps', items: [{ key: 'a', path: '/b' }] }),
        ],
      },
    ],
  });
  app.synth();
  expect(
    assembly(app).findings.filter(({ rule }: any) => rule !== 'late-value/reference-waits'),
  ).toEqual([]);
});

test('what it declares is fixed: a second synthesis is the same', () => {
  const [first, second] = [guestCluster(), guestCluster()].map(({ app }) =>
    JSON.stringify(written(app)),
  );
  expect(second).toBe(first);
});

test('labels and annotates the machine configuration of a pool, and keeps volumes', () => {
  const { app, rancher, dc1, harvester, namespace } = platform();
  new GuestCluster(rancher, 'shop', {
    harvesterImport: harvester,
    vmNamespace: namespace,
    kubernetes: Kubernetes.rke2(RKE2),
    pools: poolsOn(dc1, {
      quantity: 3,
      machineConfigLabels: { team: 'shop' },
      machineConfigAnnotations: { 'example.com/owner': 'ana' },
    }),
    keepVolumes: true,
  });
  const objects = written(app);
  expect(objects['rancher/Cluster/shop'].metadata.annotations).toMatchObject({
    'harvesterhci.io/skipHarvesterMachineProvisionCleanup': 'true',
  });
  expect(objects['rancher/HarvesterConfig/nc-shop-all'].metadata).toEqual({
    name: 'nc-shop-all',
    namespace: 'fleet-default',
    labels: { team: 'shop' },
    annotations: { 'example.com/owner': 'ana' },
  });
});

test('declares no credential if every pool has one', () => {
  const { app, rancher, dc1, harvester, namespace } = platform();
  const own = CloudCredential.fromName(rancher, 'credential', { name: 'cc-abcde' });
  const [pool] = poolsOn(dc1, { credential: own });
  const shared = {
    harvesterImport: harvester,
    vmNamespace: namespace,
    kubernetes: Kubernetes.rke2(RKE2),
  };
  new GuestCluster(rancher, 'shop', { ...shared, pools: [pool, { ...pool, name: 'other' }] });
  const objects = written(app);
  expect(objects['rancher/Cluster/shop'].spec).not.toHaveProperty('cloudCredentialSecretName');
  expect(
    objects['rancher/Cluster/shop'].spec.rkeConfig.machinePools.map(
      (each: any) => each.cloudCredentialSecretName,
    ),
  ).toEqual(['cattle-global-data:cc-abcde', 'cattle-global-data:cc-abcde']);
  expect(Object.keys(objects).filter((name) => name.includes('cc-dc1'))).toEqual([]);
});

test('declares the shared credential if a pool has none', () => {
  const { app, rancher, dc1, harvester, namespace } = platform();
  const [pool] = poolsOn(dc1, {});
  const own = CloudCredential.fromName(rancher, 'credential', { name: 'cc-abcde' });
  new GuestCluster(rancher, 'shop', {
    harvesterImport: harvester,
    vmNamespace: namespace,
    kubernetes: Kubernetes.rke2(RKE2),
    pools: [pool, { ...pool, name: 'other', credential: own }],
  });
  expect(written(app)['rancher/Cluster/shop'].spec.cloudCredentialSecretName).toBe(
    'cattle-global-data:cc-dc1',
  );
});

test('leaves out the defaults of the UI, and keeps what the program sets', () => {
  const { app, rancher, dc1, harvester, namespace } = platform();
  const without = { cloudProvider: CloudProvider.none(), adopted: { uiDefaults: false } };
  const shared = {
    ...without,
    harvesterImport: harvester,
    vmNamespace: namespace,
    pools: poolsOn(dc1, {}),
  };
  new GuestCluster(rancher, 'plain', { ...shared, kubernetes: Kubernetes.rke2(RKE2) });
  new GuestCluster(rancher, 'shop', {
    ...shared,
    kubernetes: Kubernetes.rke2(RKE2, { etcdExposeMetrics: true, protectKernelDefaults: true }),
    etcd: { retention: 3 },
  });
  const objects = written(app);
  const {
    machinePools: _,
    upgradeStrategy: __,
    ...plain
  } = objects['rancher/Cluster/plain'].spec.rkeConfig;
  expect(plain).toEqual({});
  expect(objects['rancher/Cluster/shop'].spec.rkeConfig).toMatchObject({
    etcd: { snapshotRetention: 3 },
    machineGlobalConfig: { 'etcd-expose-metrics': true },
    machineSelectorConfig: [{ config: { 'protect-kernel-defaults': true } }],
  });
});
