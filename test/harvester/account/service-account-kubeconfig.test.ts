import {
  AccountRole,
  KubeconfigSecret,
  ServiceAccountKubeconfig,
  ServiceAccountKubeconfigProps,
} from '../../../src/harvester/account/service-account-kubeconfig';
import { vmPresetRules } from '../../../src/harvester/account/vm-role.data';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { RancherNamespace } from '../../../src/rancher/rancher-namespace';
import { newApp, newHarvester, newRancher } from '../../support/programs';
import { briefOf } from '../../support/tenancy';
import { assemblyOf, written } from '../../support/written';

function world(props: Partial<ServiceAccountKubeconfigProps> = {}) {
  const app = newApp();
  const dc1 = newHarvester(app);
  const vms = new HarvesterNamespace(dc1, 'vms');
  return {
    app,
    dc1,
    vms,
    account: new ServiceAccountKubeconfig(dc1, 'ci', { namespace: vms, ...props }),
  };
}

const storage = (rules: readonly { readonly apiGroups: readonly string[] }[], is: boolean) =>
  rules.filter(({ apiGroups }) => apiGroups.includes('storage.k8s.io') === is);

test('an account has a token and its roles in its namespace, and what they need of cluster-scoped objects', () => {
  const { app, account } = world({ roles: [AccountRole.vmCreator()] });
  const objects = written(app);
  expect(objects['dc1/ServiceAccount/ci'].metadata.namespace).toBe('vms');
  expect(objects['dc1/Secret/ci-token']).toMatchObject({
    type: 'kubernetes.io/service-account-token',
    metadata: { namespace: 'vms', annotations: { 'kubernetes.io/service-account.name': 'ci' } },
  });
  expect(objects['dc1/Role/ci-vm-creator']).toMatchObject({
    metadata: { namespace: 'vms' },
    rules: storage(vmPresetRules('creator'), false),
  });
  expect(objects['dc1/ClusterRole/vms-ci-vm-creator'].rules).toEqual(
    storage(vmPresetRules('creator'), true),
  );
  for (const binding of ['RoleBinding/ci-vm-creator', 'ClusterRoleBinding/vms-ci-vm-creator']) {
    expect(objects[`dc1/${binding}`].subjects).toEqual([
      { kind: 'ServiceAccount', name: 'ci', namespace: 'vms' },
    ]);
  }
  expect([account.name, account.tokenSecretName, account.namespace]).toEqual([
    'ci',
    'ci-token',
    'vms',
  ]);
  expect(assemblyOf(app).findings).toEqual([]);
});

test('a role is granted in other namespaces under names of the account, and its cluster-scoped part once', () => {
  const { app, dc1, account } = world({ roles: [AccountRole.vmViewer()] });
  account.grant(AccountRole.vmViewer(), new HarvesterNamespace(dc1, 'shared'));
  account.grant(
    AccountRole.clusterRole('view'),
    HarvesterNamespace.fromName(dc1, 'there', { name: 'default' }),
  );
  account.grant(
    AccountRole.nodeDriver(),
    HarvesterNamespace.fromName(dc1, 'machines', { name: 'machines' }),
  );
  account.grant(
    AccountRole.ofRules('dns', [{ apiGroups: [''], resources: ['services'], verbs: ['get'] }]),
    HarvesterNamespace.fromName(dc1, 'dns', { name: 'dns' }),
  );
  const objects = written(app);
  expect(objects['dc1/RoleBinding/vms-ci-vm-viewer']).toMatchObject({
    metadata: { namespace: 'shared' },
    roleRef: { kind: 'Role', name: 'vms-ci-vm-viewer' },
  });
  expect(objects['dc1/RoleBinding/vms-ci-view']).toMatchObject({
    metadata: { namespace: 'default' },
    roleRef: { kind: 'ClusterRole', name: 'view' },
  });
  expect(objects['dc1/Role/vms-ci-dns'].rules).toEqual([
    { apiGroups: [''], resources: ['services'], verbs: ['get'] },
  ]);
  expect(Object.keys(objects).filter((key) => key.includes('/ClusterRole/'))).toEqual([
    'dc1/ClusterRole/vms-ci-node-driver',
    'dc1/ClusterRole/vms-ci-vm-viewer',
  ]);
});

test('the kubeconfig is a sensitive late value, and a Secret on another cluster waits for it', () => {
  const { app, account } = world({
    server: 'https://harvester.example.com:6443',
    name: 'payments-ci',
    tokenSecretName: 'payments-key',
  });
  const rancher = newRancher(app);
  const namespace = RancherNamespace.fromName(rancher, 'flux', { name: 'flux-system' });
  new KubeconfigSecret(rancher, 'dc1-kubeconfig', { kubeconfig: account.kubeconfig, namespace });
  expect(Object.keys(written(app))).not.toContain('rancher/Secret/dc1-kubeconfig');
  const { lateValues, objects } = assemblyOf(app);
  const kubeconfig = lateValues.find(
    ({ id }: any) => account.kubeconfig.token === `\${late:${id}}`,
  );
  expect(kubeconfig.sensitive).toBe(true);
  expect(kubeconfig.source.text).toContain('server: https://harvester.example.com:6443');
  expect(kubeconfig.source.text).toContain('current-context: payments-ci');
  expect(lateValues.find(({ source }: any) => source.path === 'token').source.name).toBe(
    'payments-key',
  );
  expect(objects.find(({ name }: any) => name === 'dc1-kubeconfig').template).toMatchObject({
    metadata: { namespace: 'flux-system' },
    data: { value: account.kubeconfig.base64 },
  });
});

test('refuses wrong names, servers, rules and namespaces together', () => {
  expect(() =>
    world({
      name: 'CI',
      server: 'harvester',
      roles: [
        AccountRole.ofRules('Dns', [{ verbs: [], apiGroups: [''], resources: ['services'] }]),
      ],
    }),
  ).toThrow(
    /name: must have at most 63 characters of a-z, 0-9 and hyphens, got "CI"[^]*server: [^]*roles\[0\]\.name: must be an RFC 1123 label, got "Dns"[^]*roles\[0\]\.rules\[0\]\.verbs: cannot be empty/,
  );
  expect(() => world({ roles: [AccountRole.ofRules('none', [])] })).toThrow(
    'roles[0].rules: cannot be empty: the role has no permissions',
  );
  expect(() => world({ roles: [AccountRole.vmViewer(), AccountRole.vmViewer()] })).toThrow(
    'role: cannot be granted twice in namespace vms, got "vm-viewer"',
  );
  const { app, dc1, account } = world();
  expect(
    () =>
      new ServiceAccountKubeconfig(dc1, 'public', {
        namespace: HarvesterNamespace.fromName(dc1, 'all', { name: 'harvester-public' }),
      }),
  ).toThrow('namespace: cannot be the namespace whose Secrets every user can read');
  const other = new HarvesterNamespace(newHarvester(app, '1.7.2', 'dc2'), 'x');
  expect(() => account.grant(AccountRole.vmViewer(), other)).toThrow(
    'must be on the Harvester of the object, dc1',
  );
  expect(
    () =>
      new KubeconfigSecret(dc1, 'k', {
        kubeconfig: account.kubeconfig,
        namespace: other,
        key: 'a b',
      }),
  ).toThrow(
    /namespace: must be on the Harvester of the object, dc1[^]*key: must be a key of a Secret/,
  );
  expect(
    () => new KubeconfigSecret(app, 'k', { kubeconfig: account.kubeconfig, namespace: other }),
  ).toThrow('must be in a target chart');
});

test('a token in harvester-public is reported in manifests that no construct wrote', () => {
  const token = (namespace: string, type = 'kubernetes.io/service-account-token') => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'ci-token', namespace },
    type,
  });
  const rules = (object: object) =>
    briefOf('service-account-token/', { harvester: [object as never] });
  expect(rules(token('harvester-public'))).toEqual([
    'warning service-account-token/public metadata.namespace',
  ]);
  expect([rules(token('vms')), rules(token('harvester-public', 'Opaque'))]).toEqual([[], []]);
});
