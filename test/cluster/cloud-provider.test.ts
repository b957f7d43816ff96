import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { applyAll, complaints } from './apply-all';
import { Client } from './client';
import { clientOf, clusters, describeCluster } from './clusters';
import { HarvesterApp } from '../../src/core/app/harvester-app';
import { Manifest } from '../../src/core/manifest/manifest';
import { AssemblyLateObject } from '../../src/core/output/assembly';
import {
  HelmChartAddon,
  HelmChartConfig,
  HelmFailurePolicy,
} from '../../src/guest/chart/helm-chart';
import {
  CloudConfigCompat,
  CloudConfigSecret,
} from '../../src/guest/cloud-provider/cloud-config-secret';
import { CloudProvider } from '../../src/guest/cloud-provider/cloud-provider';
import { CsiDriver } from '../../src/guest/csi/csi-driver';
import { GuestChart } from '../../src/guest/guest-chart';
import { KubernetesVersion } from '../../src/guest/kubernetes/kubernetes-version';
import { ClusterParts } from '../../src/guest/parts/cluster-parts';
import { GuestStorageClass } from '../../src/guest/storage/guest-storage-class';
import { HarvesterChart } from '../../src/harvester/harvester-chart';
import { HarvesterNamespace } from '../../src/harvester/harvester-namespace';
import { HarvesterVersion } from '../../src/harvester/version/harvester-version';
import { CloudCredential } from '../../src/rancher/credential/cloud-credential';
import { HarvesterImport } from '../../src/rancher/import/harvester-import';
import { RancherChart } from '../../src/rancher/rancher-chart';
import { RancherVersion } from '../../src/rancher/version/rancher-version';
import { newApp } from '../support/programs';
import { rendered, valuesFile } from '../support/rendered';
import { assemblyOf } from '../support/written';

/** The roles of Harvester's own chart, as far as these tests need them. */
const HARVESTER_ROLES: Manifest[] = [
  [
    'harvesterhci.io:cloudprovider',
    [
      {
        apiGroups: ['loadbalancer.harvesterhci.io'],
        resources: ['loadbalancers'],
        verbs: ['get', 'list', 'watch', 'update', 'create', 'delete'],
      },
      {
        apiGroups: ['kubevirt.io'],
        resources: ['virtualmachines', 'virtualmachineinstances'],
        verbs: ['get', 'list', 'watch'],
      },
      {
        apiGroups: [''],
        resources: ['persistentvolumeclaims', 'persistentvolumeclaims/status'],
        verbs: ['*'],
      },
    ],
  ] as const,
  [
    'harvesterhci.io:csi-driver',
    [
      {
        apiGroups: ['storage.k8s.io'],
        resources: ['storageclasses'],
        verbs: ['get', 'list', 'watch'],
      },
    ],
  ] as const,
].map(([name, rules]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name },
  rules,
}));

function program(lateValuesFile?: string): HarvesterApp {
  const app = newApp({ lateValuesFile });
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  const harvester = new HarvesterImport(rancher, 'import', { harvester: dc1, register: false });
  const vms = new HarvesterNamespace(dc1, 'cp-vms');
  CloudCredential.serviceAccount(rancher, 'cc-cp', {
    harvesterImport: harvester,
    namespaces: [vms],
  });
  const config = (id: string, compat: CloudConfigCompat) =>
    new CloudConfigSecret(rancher, id, { vmNamespace: vms, clusterName: id, adopted: { compat } });
  config('cp-api', CloudConfigCompat.API);
  config('cp-script', CloudConfigCompat.CLOUD_PROVIDER_SCRIPT);
  config('cp-csi', CloudConfigCompat.CSI_SCRIPT);
  return app;
}

interface Late {
  readonly id: string;
  readonly source: AssemblyLateObject | { readonly resolver: 'text'; readonly text: string };
}

/** The values that a live cluster gives, read as soon as they are there. */
async function resolve(app: HarvesterApp, client: Client): Promise<Record<string, string>> {
  const lateValues: Late[] = assemblyOf(app).lateValues;
  const values: Record<string, string> = {};
  for (const { id, source } of lateValues) {
    if (!('kind' in source) || source.kind !== 'Secret') {
      continue;
    }
    const object = {
      apiVersion: source.apiVersion,
      kind: source.kind,
      metadata: { name: source.name, namespace: source.namespace },
    };
    const read = async () =>
      (await client.read(object)).body.data?.[source.path] as string | undefined;
    let encoded = await read();
    while (!encoded) {
      await sleep(50);
      encoded = await read();
    }
    values[id] = Buffer.from(encoded, 'base64').toString();
  }
  return values;
}

/** A client with what a completed Secret holds, at the address of the test's server. */
function clientWith(kubeconfig: string): Client {
  const {
    clusters: [{ cluster }],
    users: [{ user }],
  } = parse(kubeconfig);
  expect(cluster.server).toBe('https://10.10.0.10:6443');
  const ca = Buffer.from(cluster['certificate-authority-data'], 'base64').toString();
  return new Client({ url: clusters().connections.harvester.url, ca, token: user.token });
}

type Action = readonly [
  verb: string,
  resource: string,
  namespace?: string,
  subresource?: string,
  name?: string,
];

/** The actions of a list that a client may do, by the server's own word. */
async function allowed(client: Client, actions: readonly Action[]): Promise<string[]> {
  const found: string[] = [];
  for (const action of actions) {
    const [verb, resource, namespace, subresource, name] = action;
    const [plural, ...group] = resource.split('.');
    const resourceAttributes = {
      verb,
      resource: plural,
      group: group.join('.'),
      namespace,
      subresource,
      name,
    };
    const { status, body } = await client.request(
      'POST',
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      {
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes },
        },
      },
    );
    expect(status).toBe(201);
    if (body.status.allowed) {
      found.push(action.filter((part) => part !== undefined).join(' '));
    }
  }
  return found;
}

describeCluster('accounts of guest clusters on a Harvester', () => {
  let completed: Record<string, any>;

  beforeAll(async () => {
    const app = program();
    const objects = rendered(app);
    const client = clientOf('harvester');
    const onHarvester = Object.entries(objects)
      .filter(([key]) => key.startsWith('dc1/'))
      .map(([, object]) => object);
    const { applied } = await applyAll(client, [...HARVESTER_ROLES, ...onHarvester], {
      createNamespaces: true,
    });
    expect(applied.flatMap(complaints)).toEqual([]);
    completed = rendered(program(valuesFile(await resolve(app, client))));
  });

  const kubeconfigOf = (name: string) => {
    const { data } = completed[`rancher/Secret/${name}`];
    return Buffer.from(
      data.credential ?? data['harvestercredentialConfig-kubeconfigContent'],
      'base64',
    ).toString();
  };

  test('the Secrets on Rancher are taken by the server, completed by what the Harvester gave', async () => {
    const secrets = [
      'cc-cp',
      'harvesterconfig-cp-api',
      'harvesterconfig-cp-script',
      'harvesterconfig-cp-csi',
    ].map((name) => completed[`rancher/Secret/${name}`]);
    expect(JSON.stringify(secrets)).not.toContain('${late:');
    const { applied } = await applyAll(clientOf('rancher'), secrets, { createNamespaces: true });
    expect(applied.flatMap(complaints)).toEqual([]);
  });

  test('a cloud config logs in, and may do what its cloud provider does in its namespace only', async () => {
    const client = clientWith(kubeconfigOf('harvesterconfig-cp-api'));
    expect((await client.get('/api/v1/namespaces/cp-vms/persistentvolumeclaims')).status).toBe(200);
    expect((await client.get('/api/v1/namespaces/default/persistentvolumeclaims')).status).toBe(
      403,
    );
    expect(
      await allowed(client, [
        ['create', 'loadbalancers.loadbalancer.harvesterhci.io', 'cp-vms'],
        ['create', 'loadbalancers.loadbalancer.harvesterhci.io', 'default'],
        ['create', 'persistentvolumeclaims', 'cp-vms'],
        ['create', 'persistentvolumeclaims', 'default'],
        ['list', 'storageclasses.storage.k8s.io'],
        ['get', 'secrets', 'cp-vms'],
        ['create', 'virtualmachines.kubevirt.io', 'cp-vms'],
        ['create', 'serviceaccounts', 'cp-vms', 'token'],
      ]),
    ).toEqual([
      'create loadbalancers.loadbalancer.harvesterhci.io cp-vms',
      'create persistentvolumeclaims cp-vms',
      'list storageclasses.storage.k8s.io',
    ]);
  });

  test('one like generate_addon.sh may do it everywhere, and reads no storage classes', async () => {
    expect(
      await allowed(clientWith(kubeconfigOf('harvesterconfig-cp-script')), [
        ['create', 'loadbalancers.loadbalancer.harvesterhci.io', 'default'],
        ['list', 'storageclasses.storage.k8s.io'],
      ]),
    ).toEqual(['create loadbalancers.loadbalancer.harvesterhci.io default']);
  });

  test("one like generate_addon_csi.sh may do what Harvester's API gives", async () => {
    expect(
      await allowed(clientWith(kubeconfigOf('harvesterconfig-cp-csi')), [
        ['create', 'loadbalancers.loadbalancer.harvesterhci.io', 'cp-vms'],
        ['create', 'loadbalancers.loadbalancer.harvesterhci.io', 'default'],
        ['list', 'storageclasses.storage.k8s.io'],
      ]),
    ).toEqual([
      'create loadbalancers.loadbalancer.harvesterhci.io cp-vms',
      'list storageclasses.storage.k8s.io',
    ]);
  });

  test('a cloud credential may do what the node driver does, and reads no Secret', async () => {
    const client = clientWith(kubeconfigOf('cc-cp'));
    const { status } = await client.request('POST', '/api/v1/namespaces/cp-vms/secrets', {
      body: { metadata: { name: 'vm-cloudinit' } },
    });
    expect(status).toBe(201);
    const vm = 'virtualmachines.kubevirt.io';
    const image = 'virtualmachineimages.harvesterhci.io';
    expect(
      await allowed(client, [
        ['create', vm, 'cp-vms'],
        ['update', vm, 'cp-vms'],
        ['delete', vm, 'cp-vms'],
        ['get', vm, 'default'],
        ['create', vm, 'default'],
        ['list', vm],
        ['update', 'virtualmachines.subresources.kubevirt.io', 'cp-vms', 'restart'],
        ['update', 'virtualmachines.subresources.kubevirt.io', 'cp-vms', 'addvolume'],
        ['get', 'secrets', 'cp-vms'],
        ['list', 'secrets', 'cp-vms'],
        ['get', 'secrets', 'harvester-system'],
        ['delete', 'persistentvolumeclaims', 'cp-vms'],
        ['get', image, 'harvester-public'],
        ['list', image, 'harvester-public'],
        ['delete', image, 'cp-vms'],
        ['get', 'network-attachment-definitions.k8s.cni.cncf.io', 'default'],
        ['get', 'storageclasses.storage.k8s.io'],
        ['get', 'settings.harvesterhci.io', undefined, undefined, 'server-version'],
        ['get', 'settings.harvesterhci.io', undefined, undefined, 'ssl-certificates'],
      ]),
    ).toEqual([
      `create ${vm} cp-vms`,
      `update ${vm} cp-vms`,
      `delete ${vm} cp-vms`,
      'update virtualmachines.subresources.kubevirt.io cp-vms restart',
      'delete persistentvolumeclaims cp-vms',
      `get ${image} harvester-public`,
      'get network-attachment-definitions.k8s.cni.cncf.io default',
      'get storageclasses.storage.k8s.io',
      'get settings.harvesterhci.io server-version',
    ]);
  });
});

describeCluster('charts and classes in a guest cluster', () => {
  test('are taken by the server', async () => {
    const app = newApp();
    const shop = new GuestChart(app, 'shop', { version: 'v1.33.6+rke2r1' });
    new HelmChartAddon(shop, 'cp-addon', {
      repository: 'https://charts.example.com',
      chart: 'web',
      version: '1.0.0',
      targetNamespace: 'web',
      createNamespace: true,
      values: { a: [1] },
      set: { b: 'c' },
      valuesSecrets: [{ name: 's', keys: ['k'], ignoreUpdates: true }],
      failurePolicy: HelmFailurePolicy.RETRY,
      bootstrap: true,
      takeOwnership: true,
      backOffLimit: 3,
      jobImage: 'klipper',
      caCertificates: 'PEM',
      authSecret: 'auth',
      authPassCredentials: true,
      dockerRegistrySecret: 'docker',
      insecureSkipTlsVerify: true,
    });
    new HelmChartConfig(shop, 'cp-config', {
      values: { a: 1 },
      failurePolicy: HelmFailurePolicy.ABORT,
    });
    new GuestStorageClass(shop, 'cp-class');
    const all = Object.values(rendered(app));
    expect(all).toHaveLength(3);
    const { applied } = await applyAll(clientOf('guest'), all, { createNamespaces: true });
    expect(applied.flatMap(complaints)).toEqual([]);
  });

  test('so are the charts that a cluster of K3s has in its additionalManifest', async () => {
    const app = newApp();
    const rancher = new RancherChart(app, 'rancher', {
      version: '2.13.8',
      serverUrl: 'https://rancher.example.com',
    });
    const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
    const parts = new ClusterParts();
    CloudProvider.harvester({ csi: CsiDriver.install() })._contribute(parts, {
      scope: rancher,
      name: 'cp-k3s',
      fleetWorkspace: 'fleet-default',
      rancher,
      rancherVersion: RancherVersion.parse('2.13.8'),
      kubernetesVersion: KubernetesVersion.parse('v1.33.6+k3s1'),
      harvester: dc1,
      harvesterVersion: HarvesterVersion.parse('1.7.2'),
      namespace: HarvesterNamespace.fromName(dc1, 'Vms', { name: 'vms' }),
      vmNamespace: 'vms',
      dataDirectory: '/var/lib/rancher/k3s',
    });
    const { applied } = await applyAll(clientOf('guest'), parts.manifests as unknown as Manifest[]);
    expect(applied.map(({ object }) => object.metadata.name)).toEqual([
      'harvester-cloud-provider',
      'harvester-csi-driver',
    ]);
    expect(applied.flatMap(complaints)).toEqual([]);
  });
});
