import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { SecretValue } from '../../../src/core/value/secret-value';
import { kubeconfigText } from '../../../src/harvester/account/account-kubeconfig';
import { AccountRole } from '../../../src/harvester/account/service-account-kubeconfig';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import {
  CloudCredential,
  ServiceAccountCredentialProps,
} from '../../../src/rancher/credential/cloud-credential';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { LocalUser } from '../../../src/rancher/user/user';
import { newApp, newRancher } from '../../support/programs';
import { rendered, valuesFile } from '../../support/rendered';
import { assemblyOf } from '../../support/written';

const base64 = (text: string) => Buffer.from(text).toString('base64');

function platform(vip?: string, app: HarvesterApp = newApp()) {
  const rancher = newRancher(app);
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip });
  const harvester = new HarvesterImport(rancher, 'import', {
    harvester: dc1,
    clusterId: ClusterId.fixed('c-m-harvdc05'),
  });
  return { app, rancher, dc1, harvester, vms: new HarvesterNamespace(dc1, 'vms') };
}

function withAccount(
  props: Partial<ServiceAccountCredentialProps> = {},
  vip: string | undefined = '10.10.0.10',
  all = platform(vip),
) {
  const credential = CloudCredential.serviceAccount(all.rancher, 'cc-dc1', {
    harvesterImport: all.harvester,
    namespaces: [all.vms],
    ...props,
  });
  return { ...all, credential };
}

describe('a credential with an account of its own', () => {
  test('is an account with two roles on the Harvester, and a Secret on Rancher that waits for its token', () => {
    const { app, credential } = withAccount();
    const objects = rendered(app);
    expect(credential.credentialId).toBe('cattle-global-data:cc-dc1');
    const subjects = [{ kind: 'ServiceAccount', name: 'cc-dc1', namespace: 'harvester-system' }];
    const roleRef = (name: string) => ({
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name,
    });
    expect(objects).toMatchObject({
      'dc1/ServiceAccount/cc-dc1': {
        apiVersion: 'v1',
        metadata: { name: 'cc-dc1', namespace: 'harvester-system' },
      },
      'dc1/Secret/cc-dc1-token': {
        metadata: {
          namespace: 'harvester-system',
          annotations: { 'kubernetes.io/service-account.name': 'cc-dc1' },
        },
        type: 'kubernetes.io/service-account-token',
      },
      'dc1/RoleBinding/cc-dc1': {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        metadata: { namespace: 'vms' },
        roleRef: roleRef('cc-dc1'),
        subjects,
      },
      'dc1/ClusterRoleBinding/cc-dc1-lookup': { roleRef: roleRef('cc-dc1-lookup'), subjects },
      'rancher/Secret/cc-dc1': {
        metadata: {
          name: 'cc-dc1',
          namespace: 'cattle-global-data',
          annotations: {
            'field.cattle.io/name': 'cc-dc1',
            'provisioning.cattle.io/driver': 'harvester',
          },
        },
        type: 'Opaque',
        data: {
          'harvestercredentialConfig-clusterId': base64('c-m-harvdc05'),
          'harvestercredentialConfig-clusterType': base64('imported'),
          'harvestercredentialConfig-kubeconfigContent': expect.stringMatching(
            /^\$\{late:[a-z0-9.-]+\|base64\}$/,
          ),
        },
      },
    });
    expect(objects['dc1/Secret/cc-dc1-token'].data).toBeUndefined();
  });

  test('has only the permissions of the node driver: it reads no Secret and lists nothing outside of its namespaces', () => {
    const { app } = withAccount();
    const objects = rendered(app);
    expect(objects['dc1/ClusterRole/cc-dc1'].rules).toEqual([
      {
        apiGroups: ['kubevirt.io'],
        resources: ['virtualmachines'],
        verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
      },
      {
        apiGroups: ['kubevirt.io'],
        resources: ['virtualmachineinstances'],
        verbs: ['get', 'list', 'watch'],
      },
      {
        apiGroups: ['subresources.kubevirt.io'],
        resources: ['virtualmachines/start', 'virtualmachines/stop', 'virtualmachines/restart'],
        verbs: ['update'],
      },
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
      { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'list', 'delete'] },
    ]);
    expect(objects['dc1/ClusterRole/cc-dc1-lookup'].rules).toEqual([
      {
        apiGroups: ['harvesterhci.io'],
        resources: ['settings'],
        resourceNames: ['server-version'],
        verbs: ['get'],
      },
      {
        apiGroups: ['harvesterhci.io'],
        resources: ['virtualmachineimages', 'keypairs'],
        verbs: ['get'],
      },
      {
        apiGroups: ['k8s.cni.cncf.io'],
        resources: ['network-attachment-definitions'],
        verbs: ['get'],
      },
      { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['get'] },
    ]);
  });

  test('is complete with the token and the authority of the live Harvester', () => {
    const first = withAccount();
    rendered(first.app);
    const ids = Object.fromEntries(
      assemblyOf(first.app).lateValues.map(({ id, source }: any) => [source.path, id]),
    );
    expect(Object.keys(ids).sort()).toEqual(['ca.crt', 'status.manifestUrl', 'token', 'undefined']);

    const app = newApp({
      lateValuesFile: valuesFile({
        [ids.token]: 'eyJ.a.b',
        [ids['ca.crt']]: '-----BEGIN CERTIFICATE-----\n',
      }),
    });
    const { rancher, harvester, vms } = platform('10.10.0.10', app);
    CloudCredential.serviceAccount(rancher, 'cc-dc1', {
      harvesterImport: harvester,
      namespaces: [vms],
    });
    const secret = rendered(app)['rancher/Secret/cc-dc1'];
    expect(
      Buffer.from(secret.data['harvestercredentialConfig-kubeconfigContent'], 'base64').toString(),
    ).toBe(
      kubeconfigText({
        server: 'https://10.10.0.10:6443',
        ca: base64('-----BEGIN CERTIFICATE-----\n'),
        token: 'eyJ.a.b',
        namespace: 'harvester-system',
        cluster: 'default',
        context: 'default',
        preferences: false,
      }),
    );
  });

  test('keeps the token out of the output and waits for the account', () => {
    const { app } = withAccount();
    rendered(app);
    const { lateValues, edges, objects } = assemblyOf(app);
    expect(lateValues.find(({ source }: any) => source.path === 'token')).toMatchObject({
      sensitive: true,
      type: 'token',
      source: {
        resolver: 'secret-key',
        target: 'dc1',
        kind: 'Secret',
        namespace: 'harvester-system',
        name: 'cc-dc1-token',
      },
    });
    expect(edges).toContainEqual({
      from: 'dc1//Secret/harvester-system/cc-dc1-token',
      to: 'dc1//ServiceAccount/harvester-system/cc-dc1',
      type: 'applied',
    });
    expect(edges).toContainEqual({
      from: 'dc1/rbac.authorization.k8s.io/RoleBinding/vms/cc-dc1',
      to: 'dc1//Namespace//vms',
      type: 'applied',
    });
    expect(edges).toContainEqual({
      from: 'rancher//Secret/cattle-global-data/cc-dc1',
      to: 'dc1/CloudCredential-cc-dc1',
      type: 'applied',
    });
    expect(
      objects.find(({ id }: any) => id === 'rancher//Secret/cattle-global-data/cc-dc1'),
    ).toMatchObject({
      deletion: {
        policy: 'delete',
        reason:
          'Rancher can then neither create nor delete machines of clusters that use it: delete it after the last of these clusters',
      },
    });
  });

  test('reads the management address from the Harvester where the program does not know it', () => {
    const all = platform();
    CloudCredential.serviceAccount(all.rancher, 'cc-dc1', {
      harvesterImport: all.harvester,
      namespaces: [],
    });
    rendered(all.app);
    expect(assemblyOf(all.app).lateValues).toContainEqual(
      expect.objectContaining({
        source: {
          resolver: 'field',
          target: 'dc1',
          apiVersion: 'v1',
          kind: 'ConfigMap',
          namespace: 'harvester-system',
          name: 'vip',
          path: 'data.ip',
        },
      }),
    );
  });

  test('takes a role, a name and a place of your own', () => {
    const all = platform();
    const { app } = withAccount(
      {
        name: 'cred',
        displayName: 'Data centre 1',
        creator: LocalUser.fromName(all.rancher, 'ana', { name: 'u-x7k2p' }),
        serviceAccountName: 'driver',
        serviceAccountNamespace: HarvesterNamespace.fromName(all.dc1, 'ops', { name: 'ops' }),
        accountRole: AccountRole.clusterRole('ours:driver'),
        server: 'https://harvester.example.com:6443',
      },
      undefined,
      all,
    );
    const objects = rendered(app);
    expect(objects['rancher/Secret/cred'].metadata.annotations).toEqual({
      'field.cattle.io/name': 'Data centre 1',
      'provisioning.cattle.io/driver': 'harvester',
      'field.cattle.io/creatorId': 'u-x7k2p',
    });
    expect(objects['dc1/RoleBinding/driver']).toMatchObject({
      roleRef: { name: 'ours:driver' },
      subjects: [{ name: 'driver', namespace: 'ops' }],
    });
    expect(objects['dc1/ClusterRole/driver']).toBeUndefined();
    expect(
      assemblyOf(app).lateValues.find(({ source }: any) => source.resolver === 'text').source.text,
    ).toContain('server: https://harvester.example.com:6443');
  });

  test('may be allowed more namespaces, each once', () => {
    const { app, dc1, credential, vms } = withAccount();
    credential.addNamespace(new HarvesterNamespace(dc1, 'more'));
    credential.addNamespace(vms);
    const objects = rendered(app);
    expect(
      Object.values(objects)
        .filter(({ kind }) => kind === 'RoleBinding')
        .map(({ metadata }) => metadata.namespace)
        .sort(),
    ).toEqual(['more', 'vms']);
  });

  test.each([
    [
      'a local server',
      { server: 'https://127.0.0.1:6443' },
      'server: must not be a local address, at which other machines do not reach Harvester, got "https://127.0.0.1:6443"',
    ],
    [
      'a server without TLS',
      { server: 'http://10.10.0.10:6443' },
      'server: must be an https URL, got "http://10.10.0.10:6443"',
    ],
    [
      'a name that no Secret can have',
      { name: 'CC_1' },
      'name: must have at most 63 characters of a-z, 0-9 and hyphens, got "CC_1"',
    ],
  ])('refuses %s', (_, props, message) => {
    expect(() => withAccount(props)).toThrow(message);
  });

  test('refuses a local management address', () => {
    expect(() => withAccount({}, '127.0.0.1')).toThrow(
      'harvester.vip: must not be a local address, at which other machines do not reach Harvester, got "https://127.0.0.1:6443"',
    );
  });

  test('refuses a namespace of another Harvester', () => {
    const { app, credential } = withAccount();
    const dc2 = new HarvesterChart(app, 'dc2', { version: '1.7.2' });
    expect(() => credential.addNamespace(new HarvesterNamespace(dc2, 'vms'))).toThrow(
      '[rancher/cc-dc1] namespaces: must be a namespace on dc1, not on dc2, got "vms"',
    );
  });

  test('refuses a name that another account has on the Harvester', () => {
    const { rancher, harvester } = withAccount();
    expect(() =>
      CloudCredential.serviceAccount(rancher, 'second', {
        harvesterImport: harvester,
        namespaces: [],
        serviceAccountName: 'cc-dc1',
      }),
    ).toThrow(
      '[rancher/second] serviceAccountName: must be unique on this Harvester, got "cc-dc1": dc1/CloudCredential-cc-dc1 has this name',
    );
  });

  test('refuses a Harvester that is not a target of the program', () => {
    const { rancher } = platform();
    const harvester = HarvesterImport.fromClusterId(rancher, 'dc9', { clusterId: 'c-m-dc9' });
    expect(() =>
      CloudCredential.serviceAccount(rancher, 'cred', {
        harvesterImport: harvester,
        namespaces: [],
      }),
    ).toThrow(
      '[rancher/cred] harvesterImport: must be a target of the program, which creates an account there. Fix: pass the HarvesterChart to HarvesterImport.fromClusterId, ' +
        'or use CloudCredential.imported, .external or .fromName',
    );
  });

  test('refuses a Harvester that another Rancher imports', () => {
    const { app, harvester } = platform();
    const other = new RancherChart(app, 'other', {
      version: '2.13.8',
      serverUrl: 'https://other.example.com',
    });
    expect(() =>
      CloudCredential.serviceAccount(other, 'cred', { harvesterImport: harvester, namespaces: [] }),
    ).toThrow(
      '[other/cred] harvesterImport: must be imported into other, not into rancher, got "rancher/import". Fix: create the credential below the chart rancher',
    );
  });

  test('names a late management cluster id in base64 all the same', () => {
    const app = newApp();
    const rancher = newRancher(app);
    const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
    const harvester = new HarvesterImport(rancher, 'import', {
      harvester: dc1,
      clusterId: ClusterId.late(),
    });
    CloudCredential.serviceAccount(rancher, 'cred', { harvesterImport: harvester, namespaces: [] });
    expect(rendered(app)['rancher/Secret/cred'].data['harvestercredentialConfig-clusterId']).toBe(
      '${late:rancher.cred.clusterid|base64}',
    );
  });
});

describe('the credential that clusters share', () => {
  test('is made once a Harvester, with the namespaces of all', () => {
    const { app, dc1, harvester, vms } = platform('10.10.0.10');
    const first = CloudCredential._defaultFor(harvester, vms);
    const second = CloudCredential._defaultFor(harvester, new HarvesterNamespace(dc1, 'more'));
    expect(second).toBe(first);
    expect(first.node.path).toBe('rancher/CloudCredential-dc1');
    expect(first.credentialId).toBe('cattle-global-data:cc-dc1');
    const objects = rendered(app);
    expect(Object.keys(objects)).toEqual(
      expect.arrayContaining([
        'dc1/ServiceAccount/rancher-node-driver',
        'dc1/ClusterRole/rancher-node-driver',
        'dc1/ClusterRole/rancher-node-driver-lookup',
        'rancher/Secret/cc-dc1',
      ]),
    );
    expect(
      Object.values(objects)
        .filter(({ kind }) => kind === 'RoleBinding')
        .map(({ metadata }) => metadata.namespace)
        .sort(),
    ).toEqual(['more', 'vms']);
  });

  test('reports the construct that has its ID', () => {
    const { rancher, harvester, vms } = platform();
    CloudCredential.fromName(rancher, 'CloudCredential-dc1', { name: 'x' });
    expect(() => CloudCredential._defaultFor(harvester, vms)).toThrow(
      '[rancher/CloudCredential-dc1] cannot have the ID of the credential that clusters on dc1 share',
    );
  });
});

describe('a credential with a kubeconfig', () => {
  const KUBECONFIG = kubeconfigText({
    server: 'https://rancher.example.com/k8s/clusters/c-m-harvdc05',
    ca: 'Y2E=',
    token: 'kubeconfig-u-abc:secret',
    namespace: 'default',
    cluster: 'dc1',
    context: 'dc1',
    preferences: true,
  });

  test('of an imported Harvester names its id', () => {
    const { app, rancher, harvester } = platform();
    CloudCredential.imported(rancher, 'cred', {
      harvesterImport: harvester,
      kubeconfig: SecretValue.unsafePlainText(KUBECONFIG),
    });
    expect(rendered(app)['rancher/Secret/cred'].data).toEqual({
      'harvestercredentialConfig-clusterId': base64('c-m-harvdc05'),
      'harvestercredentialConfig-clusterType': base64('imported'),
      'harvestercredentialConfig-kubeconfigContent': base64(KUBECONFIG),
    });
  });

  test('of another Harvester names none', () => {
    const { app, rancher } = platform();
    const credential = CloudCredential.external(rancher, 'cred', {
      kubeconfig: SecretValue.unsafePlainText(KUBECONFIG),
      name: 'cc-ext',
    });
    expect(credential.credentialId).toBe('cattle-global-data:cc-ext');
    expect(rendered(app)['rancher/Secret/cc-ext']).toMatchObject({
      metadata: {
        annotations: {
          'field.cattle.io/name': 'cc-ext',
          'provisioning.cattle.io/driver': 'harvester',
        },
      },
      data: {
        'harvestercredentialConfig-clusterType': base64('external'),
        'harvestercredentialConfig-kubeconfigContent': base64(KUBECONFIG),
      },
    });
  });

  test('refuses what is none, without showing it', () => {
    const { rancher } = platform();
    expect(() =>
      CloudCredential.external(rancher, 'cred', {
        kubeconfig: SecretValue.unsafePlainText('token: very-secret'),
      }),
    ).toThrow(
      /^\[rancher\/cred\] kubeconfig: must be a kubeconfig\. Fix: use the output of kubectl config view --minify --flatten --raw$/,
    );
  });

  test('refuses further permissions', () => {
    const { rancher, vms } = platform();
    const credential = CloudCredential.external(rancher, 'cred', {
      kubeconfig: SecretValue.unsafePlainText(KUBECONFIG),
    });
    expect(() => credential.addNamespace(vms)).toThrow(
      'addNamespace: cannot be added, got "vms": this credential has the permissions of its kubeconfig',
    );
  });
});

describe('a credential that is there', () => {
  test.each([
    [undefined, 'cattle-global-data:cc-abcde'],
    ['fleet-default', 'cc-abcde'],
  ])('in namespace %s has the ID %s, and nothing is written', (namespace, credentialId) => {
    const { app, rancher } = platform();
    const before = Object.keys(rendered(app));
    expect(
      CloudCredential.fromName(rancher, 'cred', { name: 'cc-abcde', namespace }),
    ).toMatchObject({ name: 'cc-abcde', credentialId, rancher });
    expect(Object.keys(rendered(app))).toEqual(before);
  });

  test.each(['fleet-default:cc-abcde', '', 'cattle-global-data:', 'A'])(
    'refuses the name %p',
    (name) => {
      expect(() => CloudCredential.fromName(platform().rancher, 'cred', { name })).toThrow(
        `name: must be a valid object name, got ${JSON.stringify(name)}`,
      );
    },
  );
});
