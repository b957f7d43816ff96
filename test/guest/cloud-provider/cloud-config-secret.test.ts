import {
  CloudConfigCompat,
  CloudConfigOptions,
  CloudConfigSecret,
} from '../../../src/guest/cloud-provider/cloud-config-secret';
import { GuestChart } from '../../../src/guest/guest-chart';
import { GuestNamespace } from '../../../src/guest/guest-namespace';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { newApp, newRancher } from '../../support/programs';
import { rendered, valuesFile } from '../../support/rendered';
import { assemblyOf } from '../../support/written';

interface Place {
  readonly version?: string;
  readonly vip?: string;
  readonly clusterName?: string;
  readonly vmNamespace?: string;
  readonly lateValuesFile?: string;
}

const namespaceOf = (harvester: HarvesterChart, name: string) =>
  HarvesterNamespace.fromName(harvester, `there-${harvester.node.children.length}`, { name });

function cloudConfig(options: CloudConfigOptions = {}, place: Place = {}) {
  const app = newApp({ lateValuesFile: place.lateValuesFile });
  const rancher = newRancher(app);
  const dc1 = new HarvesterChart(app, 'dc1', {
    version: place.version ?? '1.7.2',
    vip: 'vip' in place ? place.vip : '10.10.0.10',
  });
  const secret = new CloudConfigSecret(rancher, 'config', {
    vmNamespace: namespaceOf(dc1, place.vmNamespace ?? 'payments-vms'),
    clusterName: place.clusterName ?? 'shop',
    ...options,
  });
  return { app, rancher, dc1, secret };
}

const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln';
const CA = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const CA64 = 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUIKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=';

/** The kubeconfig as it is once token and authority are known. */
function kubeconfig(options: CloudConfigOptions = {}, place: Place = {}): string {
  const { app } = cloudConfig(options, place);
  rendered(app);
  const id = (path: string) =>
    assemblyOf(app).lateValues.find(({ source }: any) => source.path === path)?.id ?? 'none';
  const lateValuesFile = valuesFile({
    [id('token')]: TOKEN,
    [id('ca.crt')]: CA,
    [id('data.ip')]: '10.10.0.99',
  });
  const secret = rendered(cloudConfig(options, { ...place, lateValuesFile }).app)[
    'rancher/Secret/harvesterconfig-shop'
  ];
  return Buffer.from(secret.data.credential, 'base64').toString();
}

describe('the Secret on Rancher', () => {
  test("is what Rancher's UI makes, with a name that is known", () => {
    const { app, secret } = cloudConfig();
    expect(rendered(app)['rancher/Secret/harvesterconfig-shop']).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'harvesterconfig-shop',
        namespace: 'fleet-default',
        annotations: {
          'v2prov-secret-authorized-for-cluster': 'shop',
          'v2prov-authorized-secret-deletes-on-cluster-removal': 'true',
        },
      },
      type: 'Opaque',
      data: { credential: expect.stringMatching(/^\$\{late:[a-z0-9.-]+\|base64\}$/) },
    });
    expect(secret.reference).toBe('secret://fleet-default:harvesterconfig-shop');
  });

  test('has labels and annotations, as the account on Harvester has', () => {
    const { app, rancher, dc1 } = cloudConfig();
    const vmNamespace = new HarvesterNamespace(dc1, 'vms');
    new CloudConfigSecret(rancher, 'labeled', {
      vmNamespace,
      clusterName: 'web',
      labels: { team: 'web' },
      annotations: { note: 'a' },
    });
    const objects = rendered(app);
    expect(objects['rancher/Secret/harvesterconfig-web'].metadata).toMatchObject({
      labels: { team: 'web' },
      annotations: { 'note': 'a', 'v2prov-secret-authorized-for-cluster': 'web' },
    });
    expect(objects['dc1/ServiceAccount/web'].metadata.labels).toEqual({ team: 'web' });
    expect(assemblyOf(app).edges).toContainEqual({
      from: 'dc1/CloudConfig-vms-web',
      to: 'dc1//Namespace//vms',
      type: 'applied',
    });
  });

  test('can be read by machineSelectorFiles if an option allows it', () => {
    const { app, rancher, dc1 } = cloudConfig();
    new CloudConfigSecret(rancher, 'second', {
      vmNamespace: namespaceOf(dc1, 'vms'),
      clusterName: 'web',
      fleetWorkspace: 'fleet-eu',
      name: 'own',
      authorizeFiles: true,
    });
    expect(rendered(app)['rancher/Secret/own'].metadata).toMatchObject({
      namespace: 'fleet-eu',
      annotations: {
        'rke.cattle.io/object-authorized-for-clusters': 'web',
        'v2prov-secret-authorized-for-cluster': 'web',
      },
    });
  });

  test('waits for the account with all its permissions, so that these are deleted after it', () => {
    const { app } = cloudConfig();
    rendered(app);
    expect(assemblyOf(app).edges).toContainEqual({
      from: 'rancher//Secret/fleet-default/harvesterconfig-shop',
      to: 'dc1/CloudConfig-payments-vms-shop',
      type: 'applied',
    });
    expect(
      assemblyOf(app).groups.find(({ id }: any) => id === 'dc1/CloudConfig-payments-vms-shop')
        .objects,
    ).toHaveLength(4);
  });

  test('gives the account the permission to patch virtual machines when the chart of the CSI driver needs it and the Harvester has it not', () => {
    const roles = (csiChartVersion: string | undefined, version: string) => {
      const app = newApp();
      const rancher = newRancher(app);
      const harvester = new HarvesterChart(app, 'dc1', { version, vip: '10.10.0.10' });
      new CloudConfigSecret(rancher, 'config', {
        vmNamespace: namespaceOf(harvester, 'vms'),
        clusterName: 'shop',
        csiChartVersion,
      });
      return Object.keys(rendered(app)).filter((key) => key.startsWith('dc1/Role/'));
    };
    expect(roles('0.1.28', '1.7.2')).toEqual(['dc1/Role/shop-csi-volumes']);
    expect([roles(undefined, '1.7.2'), roles('0.1.25', '1.7.2'), roles('0.1.28', '1.8.0')]).toEqual(
      [[], [], []],
    );
    expect(() => roles('latest', '1.7.2')).toThrow(/csiChartVersion/);
  });

  test('that is there is named', () => {
    const { app, rancher } = cloudConfig();
    const before = Object.keys(rendered(app));
    expect(
      CloudConfigSecret.fromName(rancher, 'there', { name: 'harvesterconfigndk26' }),
    ).toMatchObject({
      name: 'harvesterconfigndk26',
      namespace: 'fleet-default',
      reference: 'secret://fleet-default:harvesterconfigndk26',
    });
    expect(
      CloudConfigSecret.fromName(rancher, 'elsewhere', { name: 'a', namespace: 'fleet-eu' })
        .reference,
    ).toBe('secret://fleet-eu:a');
    expect(Object.keys(rendered(app))).toEqual(before);
  });
});

/** The objects on the Harvester next to the account itself. */
function onHarvester(options: CloudConfigOptions, place: Place = {}): Record<string, unknown> {
  const objects = rendered(cloudConfig(options, place).app);
  const there = Object.entries(objects).filter(([key]) => key.startsWith('dc1/'));
  return Object.fromEntries(
    there.map(
      ([
        key,
        {
          metadata: { namespace, annotations },
          roleRef,
          subjects,
          type,
        },
      ]) => [
        key.slice(4),
        roleRef
          ? { in: namespace, role: roleRef.name, of: subjects }
          : { in: namespace, type, annotations },
      ],
    ),
  );
}

describe('the account on the Harvester', () => {
  const of = [{ kind: 'ServiceAccount', name: 'shop', namespace: 'payments-vms' }];
  const account = {
    'ServiceAccount/shop': { in: 'payments-vms', type: undefined, annotations: undefined },
    'Secret/shop-token': {
      in: 'payments-vms',
      type: 'kubernetes.io/service-account-token',
      annotations: { 'kubernetes.io/service-account.name': 'shop' },
    },
  };

  test("has the names and permissions that Harvester's API gives", () => {
    expect(onHarvester({})).toEqual({
      ...account,
      'RoleBinding/payments-vms-shop': {
        in: 'payments-vms',
        role: 'harvesterhci.io:cloudprovider',
        of,
      },
      'ClusterRoleBinding/payments-vms-shop': {
        in: undefined,
        role: 'harvesterhci.io:csi-driver',
        of,
      },
    });
  });

  test('has those that generate_addon.sh gives', () => {
    expect(onHarvester({ adopted: { compat: CloudConfigCompat.CLOUD_PROVIDER_SCRIPT } })).toEqual({
      ...account,
      'ClusterRoleBinding/shop': { in: undefined, role: 'harvesterhci.io:cloudprovider', of },
    });
  });

  test('has those that generate_addon_csi.sh gives', () => {
    expect(onHarvester({ adopted: { compat: CloudConfigCompat.CSI_SCRIPT } })).toEqual({
      ...account,
      'RoleBinding/payments-vms-shop': {
        in: 'payments-vms',
        role: 'harvesterhci.io:cloudprovider',
        of,
      },
      'ClusterRoleBinding/payments-vms-shop': {
        in: undefined,
        role: 'harvesterhci.io:csi-driver',
        of,
      },
    });
  });

  test('is not bound to the role of the CSI driver where Harvester has none', () => {
    expect(Object.keys(onHarvester({}, { version: '1.1.3' }))).not.toContain(
      'ClusterRoleBinding/payments-vms-shop',
    );
  });

  test("has names that Harvester's API cuts with a hash, where they are long", () => {
    const long = `a${'b'.repeat(60)}`;
    expect(Object.keys(onHarvester({ serviceAccountName: long })).sort()).toEqual([
      'ClusterRoleBinding/payments-vms-abbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb-8a3fb',
      'RoleBinding/payments-vms-abbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb-8a3fb',
      'Secret/abbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb-5a964',
      `ServiceAccount/${long}`,
    ]);
  });
});

describe('the kubeconfig', () => {
  test("is byte for byte that of Harvester's API", () => {
    expect(kubeconfig()).toBe(`apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${CA64}
    server: https://10.10.0.10:6443
  name: default
contexts:
- context:
    cluster: default
    namespace: payments-vms
    user: default
  name: default
current-context: default
kind: Config
users:
- name: default
  user:
    token: ${TOKEN}
`);
  });

  test.each([CloudConfigCompat.CLOUD_PROVIDER_SCRIPT, CloudConfigCompat.CSI_SCRIPT])(
    'is byte for byte that of the scripts',
    (compat) => {
      expect(kubeconfig({ adopted: { compat, emptyPreferences: true } })).toBe(`apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${CA64}
    server: https://10.10.0.10:6443
  name: local
contexts:
- context:
    cluster: local
    namespace: payments-vms
    user: shop-payments-vms-local
  name: shop-payments-vms-local
current-context: shop-payments-vms-local
kind: Config
preferences: {}
users:
- name: shop-payments-vms-local
  user:
    token: ${TOKEN}
`);
    },
  );

  test('uses the address that the Harvester itself reports if the program does not know it', () => {
    expect(kubeconfig({}, { vip: undefined })).toContain('    server: https://10.10.0.99:6443\n');
  });

  test('has brackets around an IPv6 address', () => {
    expect(kubeconfig({}, { vip: 'fd00::10' })).toContain('    server: https://[fd00::10]:6443\n');
  });

  test('takes a server and a name of the cluster of your own', () => {
    const text = kubeconfig({
      server: 'https://harvester.example.com:6443',
      adopted: { compat: CloudConfigCompat.CLOUD_PROVIDER_SCRIPT, kubeconfigCluster: 'hv' },
    });
    expect(text).toContain('    server: https://harvester.example.com:6443\n  name: hv\n');
    expect(text).toContain('current-context: shop-payments-vms-hv\n');
  });
});

describe('the user data', () => {
  const base64 = expect.stringMatching(/\|base64\}$/);

  test("is that of Harvester's API: both paths", () => {
    const { secret } = cloudConfig();
    const content = secret.kubeconfig!.base64;
    expect(content).toEqual(base64);
    expect(secret.userData).toBe(`write_files:
- encoding: b64
  content: ${content}
  owner: root:root
  path: /etc/kubernetes/cloud-config
  permissions: '0644'
- encoding: b64
  content: ${content}
  owner: root:root
  path: /var/lib/rancher/rke2/etc/config-files/cloud-provider-config
  permissions: '0644'
`);
  });

  test('is that of generate_addon.sh: the path of old', () => {
    const { secret } = cloudConfig({
      adopted: { compat: CloudConfigCompat.CLOUD_PROVIDER_SCRIPT },
    });
    expect(secret.userData).toBe(`write_files:
- encoding: b64
  content: ${secret.kubeconfig!.base64}
  owner: root:root
  path: /etc/kubernetes/cloud-config
  permissions: '0644'
`);
  });

  test('is that of generate_addon_csi.sh: the path of RKE2, and more blanks', () => {
    const { secret } = cloudConfig({ adopted: { compat: CloudConfigCompat.CSI_SCRIPT } });
    expect(secret.userData).toBe(`write_files:
  - encoding: b64
    content: ${secret.kubeconfig!.base64}
    owner: root:root
    path: /var/lib/rancher/rke2/etc/config-files/cloud-provider-config
    permissions: '0644'
`);
  });
});

describe('what is refused', () => {
  test.each([
    [
      'a local server',
      { server: 'https://localhost:6443' },
      {},
      'server: must not be a local address, at which other machines do not reach Harvester, got "https://localhost:6443"',
    ],
    [
      'a local management address',
      {},
      { vip: '127.0.0.1' },
      'harvester.vip: must not be a local address, at which other machines do not reach Harvester, got "https://127.0.0.1:6443"',
    ],
    [
      'a name of no account',
      { serviceAccountName: 'Shop' },
      {},
      'serviceAccountName: must be an RFC 1123 label, got "Shop". Fix: use at most 63 of a-z, 0-9 and hyphens',
    ],
  ])('%s', (_, options, place, message) => {
    expect(() => cloudConfig(options, place)).toThrow(message);
  });

  test('a second cluster with the account of the first', () => {
    const { rancher, dc1 } = cloudConfig();
    expect(
      () =>
        new CloudConfigSecret(rancher, 'web', {
          vmNamespace: namespaceOf(dc1, 'payments-vms'),
          clusterName: 'web',
          serviceAccountName: 'shop',
        }),
    ).toThrow(
      '[rancher/web] serviceAccountName: must be unique in namespace payments-vms of dc1, got "shop": two clusters cannot share an account. Fix: ' +
        'use another serviceAccountName, or another name for the cluster',
    );
  });

  test('a namespace that is on no Harvester', () => {
    const { app, rancher } = cloudConfig();
    const vmNamespace = GuestNamespace.fromName(
      new GuestChart(app, 'guest', { version: 'v1.33.6+rke2r1' }),
      'there',
      { name: 'vms' },
    );
    expect(
      () => new CloudConfigSecret(rancher, 'web', { vmNamespace, clusterName: 'web' }),
    ).toThrow(
      '[rancher/web] vmNamespace: must be on a Harvester, where the machines run, got "vms": it is on guest',
    );
  });

  test('a place on no Rancher', () => {
    const { dc1 } = cloudConfig();
    expect(
      () =>
        new CloudConfigSecret(dc1, 'web', {
          vmNamespace: namespaceOf(dc1, 'vms'),
          clusterName: 'web',
        }),
    ).toThrow(
      'CloudConfigSecret must be in a rancher target: this one is in the harvester target "dc1"',
    );
  });
});
