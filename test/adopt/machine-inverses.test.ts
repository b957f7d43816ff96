import { adopted, foundHarvester } from './_found';
import { testInverses } from './_inverses';
import { Manifest } from '../../src/core/manifest/manifest';

testInverses([
  'KeyPair', 'VmImage', 'Volume', 'VolumeEncryption', 'CloudInitSecret', 'CloudInitTemplate', 'ScheduleVmBackup', 'SnapshotQuota', 'VirtualMachine', 'VirtualMachineTemplate', 'VirtualMachineTemplateVersion',
  'ServiceAccountKubeconfig', 'PciDeviceClaim', 'UsbDeviceClaim',
], {
});

const RBAC = { apiVersion: 'rbac.authorization.k8s.io/v1' };
const CI = { kind: 'ServiceAccount', name: 'ci', namespace: 'shop' };
const BINDING = (namespace: string, name: string, kind: string, role: string): Manifest => ({
  ...RBAC, kind: 'RoleBinding', metadata: { name, namespace }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role }, subjects: [CI],
});

test('adopts an account with a token, its roles, and what it may do in other namespaces', () => {
  const { text, differences, errors, notes } = adopted([foundHarvester('dc1', '1.7.2', [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'images' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'ci', namespace: 'shop' }, secrets: [{ name: 'ci-token' }] },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'ci-token', namespace: 'shop', annotations: { 'kubernetes.io/service-account.name': 'ci', 'kubernetes.io/service-account.uid': 'a' } },
      type: 'kubernetes.io/service-account-token',
      data: { 'token': 'c2VjcmV0', 'ca.crt': 'Y2E=', 'namespace': 'c2hvcA==' },
    },
    BINDING('shop', 'ci-edit', 'ClusterRole', 'edit'),
    { ...RBAC, kind: 'Role', metadata: { name: 'shop-ci-readers', namespace: 'images' }, rules: [{ apiGroups: ['harvesterhci.io'], resources: ['virtualmachineimages'], verbs: ['get'] }] },
    BINDING('images', 'shop-ci-readers', 'Role', 'shop-ci-readers'),
    BINDING('images', 'by-hand', 'ClusterRole', 'view'),
  ])]);
  expect({ differences, errors }).toEqual({ differences: [], errors: [] });
  expect(notes.map(({ object }) => object)).toEqual(['RoleBinding images/by-hand']);
  expect(text).toMatch(/new ServiceAccountKubeconfig\(dc1, 'ci', \{\s+namespace: \w+,\s+roles: \[AccountRole\.clusterRole\('edit'\)\],?\s+\}\)\s*\.grant\(\s*AccountRole\.ofRules\('readers'/);
  expect(text).not.toMatch(/c2VjcmV0|addJsonPatch/);
});
