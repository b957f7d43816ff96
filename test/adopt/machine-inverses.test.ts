import { adopted, foundHarvester } from './_found';
import { testInverses } from './_inverses';
import { Manifest } from '../../src/core/manifest/manifest';

testInverses(
  [
    'KeyPair',
    'VmImage',
    'HarvesterVolume',
    'VolumeEncryption',
    'CloudInitSecret',
    'CloudInitTemplate',
    'ScheduleVmBackup',
    'SnapshotQuota',
    'VirtualMachine',
    'VirtualMachineTemplate',
    'VirtualMachineTemplateVersion',
    'ServiceAccountKubeconfig',
    'PciDeviceClaim',
    'UsbDeviceClaim',
  ],
  {},
);

const RBAC = { apiVersion: 'rbac.authorization.k8s.io/v1' };
const CI = { kind: 'ServiceAccount', name: 'ci', namespace: 'shop' };
const BINDING = (namespace: string, name: string, kind: string, role: string): Manifest => ({
  ...RBAC,
  kind: 'RoleBinding',
  metadata: { name, namespace },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role },
  subjects: [CI],
});

test('adopts an account with a token, its roles, and what it may do in other namespaces', () => {
  const { text, differences, errors, notes } = adopted([
    foundHarvester('dc1', '1.7.2', [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'images' } },
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'ci', namespace: 'shop' },
        secrets: [{ name: 'ci-token' }],
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'ci-token',
          namespace: 'shop',
          annotations: {
            'kubernetes.io/service-account.name': 'ci',
            'kubernetes.io/service-account.uid': 'a',
          },
        },
        type: 'kubernetes.io/service-account-token',
        data: { 'token': 'c2VjcmV0', 'ca.crt': 'Y2E=', 'namespace': 'c2hvcA==' },
      },
      BINDING('shop', 'ci-edit', 'ClusterRole', 'edit'),
      {
        ...RBAC,
        kind: 'Role',
        metadata: { name: 'shop-ci-readers', namespace: 'images' },
        rules: [
          { apiGroups: ['harvesterhci.io'], resources: ['virtualmachineimages'], verbs: ['get'] },
        ],
      },
      BINDING('images', 'shop-ci-readers', 'Role', 'shop-ci-readers'),
      BINDING('images', 'by-hand', 'ClusterRole', 'view'),
    ]),
  ]);
  expect({ differences, errors }).toEqual({ differences: [], errors: [] });
  expect(notes.map(({ object }) => object)).toEqual(['RoleBinding images/by-hand']);
  expect(text).toMatch(
    /new ServiceAccountKubeconfig\(dc1, 'ci', \{\s+namespace: \w+,\s+roles: \[AccountRole\.clusterRole\('edit'\)\],?\s+\}\)\s*\.grant\(\s*AccountRole\.ofRules\('readers'/,
  );
  expect(text).not.toMatch(/c2VjcmV0|addJsonPatch/);
});

test('adopts a claim with the device that owns it', () => {
  const devices = { apiVersion: 'devices.harvesterhci.io/v1beta1' };
  const name = 'node1-000004010';
  const { text, differences, errors } = adopted([
    foundHarvester('dc1', '1.7.2', [
      {
        ...devices,
        kind: 'PCIDevice',
        metadata: { name, uid: '0d1c2b3a-1111-2222-3333-444455556666' },
        status: { nodeName: 'node1', address: '0000:04:01.0', resourceName: 'nvidia.com/GP104' },
      },
      {
        ...devices,
        kind: 'PCIDeviceClaim',
        metadata: {
          name,
          ownerReferences: [
            { ...devices, kind: 'PCIDevice', name, uid: '0d1c2b3a-1111-2222-3333-444455556666' },
          ],
        },
        spec: { address: '0000:04:01.0', nodeName: 'node1', userName: 'ana' },
        status: { passthroughEnabled: true },
      },
    ]),
  ]);
  expect({ differences, errors }).toEqual({ differences: [], errors: [] });
  expect(text).toMatch(
    /new PciDeviceClaim\(dc1, 'node1-000004010', \{\s+node: \w+,\s+address: '0000:04:01\.0',\s+resourceName: 'nvidia\.com\/GP104',\s+username: 'ana',?\s+\}\)/,
  );
  expect(text).not.toMatch(/addJsonPatch|new ApiObject/);
});
