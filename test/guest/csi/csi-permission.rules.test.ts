import { Manifest } from '../../../src/core/manifest/manifest';
import { oneLine } from '../../../src/core/problem/problem';
import { judge } from '../../../src/core/rule/judge';
import { JudgedObject, World } from '../../../src/core/rule/rule';
import { CloudProvider } from '../../../src/guest/cloud-provider/cloud-provider';
import { CsiDriver } from '../../../src/guest/csi/csi-driver';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { ALL_RULES } from '../../../src/registry/all-rules';
import { cloudConfig, credential, guest, kubeconfig, machineConfig } from '../../support/guest';
import { guestCluster } from '../cluster/_clusters';

const OLD = 'v1.34.6+rke2r1';
const PATCHING = 'v1.34.7+rke2r1';
const DRIVER = { kind: 'ServiceAccount', name: 'hvst', namespace: 'vms' };
const TOKEN = `e30.${Buffer.from(JSON.stringify({ sub: 'system:serviceaccount:vms:hvst' })).toString('base64url')}.c2ln`;
const GROUP = 'rbac.authorization.k8s.io';
const PATCH = {
  apiGroups: ['kubevirt.io'],
  resources: ['virtualmachines'],
  verbs: ['get', 'patch'],
};

const role = (rule: object = PATCH, kind = 'Role', namespace = 'vms'): Manifest => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: { name: 'volumes', ...(kind === 'Role' ? { namespace } : {}) },
  rules: [rule],
});
const binding = (
  roleName = 'volumes',
  roleKind = 'Role',
  subject: object = DRIVER,
  kind = 'RoleBinding',
  namespace = 'vms',
): Manifest => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: { name: `${roleName}-of-hvst`, ...(kind === 'RoleBinding' ? { namespace } : {}) },
  roleRef: { apiGroup: GROUP, kind: roleKind, name: roleName },
  subjects: [subject],
});

interface Foreign {
  readonly kubernetesVersion?: string;
  readonly harvesterVersion?: string;
  readonly config?: Manifest;
  readonly rkeConfig?: object;
}

/** What is found in manifests that someone else wrote. */
function found(
  onHarvester: readonly Manifest[],
  { kubernetesVersion = PATCHING, harvesterVersion = '1.7.2', config, rkeConfig }: Foreign = {},
): string[] {
  const on = (
    name: string,
    target: Partial<JudgedObject['target']>,
    manifests: readonly Manifest[],
  ): JudgedObject[] => manifests.map((manifest) => ({ manifest, target: { name, ...target } }));
  const cluster = guest({ ...rkeConfig }, { kubernetesVersion });
  const world = new World([
    ...on('rancher', { kind: 'rancher', rancherVersion: '2.13.8' }, [
      machineConfig(),
      config ?? cloudConfig(kubeconfig('vms', undefined, TOKEN)),
      credential(),
      cluster,
    ]),
    ...on('dc1', { kind: 'harvester', harvesterVersion }, [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'vms' } },
      ...onHarvester,
    ]),
  ]);
  return judge(ALL_RULES, world)
    .filter((finding) => finding.rule === 'cluster/csi-permission')
    .map(
      ({ level, path, value, message, fix }) =>
        `${level} ${oneLine({ path, value, message, fix })}`,
    );
}

const csiRole = binding('harvesterhci.io:csi-driver', 'ClusterRole', DRIVER, 'ClusterRoleBinding');

test('names the permission that the account of the CSI driver lacks', () => {
  expect(found([csiRole])).toEqual([
    'warning spec.kubernetesVersion: may attach volumes with a patch of the virtual machine, for which the required permission is missing, got "0.1.28": ' +
      'neither ClusterRole harvesterhci.io:csi-driver of Harvester 1.7.2 nor any known role grants it to ServiceAccount vms/hvst ' +
      '(the server: "cannot patch resource "virtualmachines" in API group "kubevirt.io""). Fix: bind a Role with ' +
      '{"apiGroups":["kubevirt.io"],"resources":["virtualmachines"],"verbs":["patch"]} to it in the namespace of the machines, or upgrade Harvester to 1.8.0',
  ]);
});

test.each(
  (
    [
      ['an older driver', 0, [csiRole], { kubernetesVersion: OLD }],
      ['Harvester 1.8', 0, [csiRole], { harvesterVersion: '1.8.0' }],
      [
        'a driver that is not installed',
        0,
        [csiRole],
        { rkeConfig: { machineGlobalConfig: { disable: ['harvester-csi-driver'] } } },
      ],
      ['a Role for it', 0, [csiRole, role(), binding()]],
      [
        'a ClusterRole for it',
        0,
        [
          csiRole,
          role(PATCH, 'ClusterRole'),
          binding('volumes', 'ClusterRole', DRIVER, 'ClusterRoleBinding'),
        ],
      ],
      [
        'an administrator',
        0,
        [binding('cluster-admin', 'ClusterRole', DRIVER, 'ClusterRoleBinding')],
      ],
      [
        'a Role for everything',
        0,
        [csiRole, role({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }), binding()],
      ],
      [
        'a Role without the verb',
        1,
        [csiRole, role({ ...PATCH, verbs: ['get', 'update'] }), binding()],
      ],
      [
        'a Role for another account',
        1,
        [csiRole, role(), binding('volumes', 'Role', { ...DRIVER, name: 'other' })],
      ],
      [
        'a Role in another namespace',
        1,
        [
          csiRole,
          role(PATCH, 'Role', 'other'),
          binding('volumes', 'Role', DRIVER, 'RoleBinding', 'other'),
        ],
      ],
      ['a token that does not name its account', 1, [csiRole], { config: cloudConfig() }],
      [
        'a token that does not name its account, and a Role',
        0,
        [csiRole, role(), binding()],
        { config: cloudConfig() },
      ],
      [
        'a chart by additionalManifest',
        1,
        [csiRole],
        { kubernetesVersion: OLD, rkeConfig: { additionalManifest: chart('0.1.28') } },
      ],
      [
        'an older chart by additionalManifest',
        0,
        [csiRole],
        { kubernetesVersion: OLD, rkeConfig: { additionalManifest: chart('0.1.24') } },
      ],
      [
        'a chart of a version that cannot be read',
        0,
        [csiRole],
        { kubernetesVersion: OLD, rkeConfig: { additionalManifest: chart('latest') } },
      ],
    ] as [string, number, readonly Manifest[], Foreign?][]
  ).map((row) => [...row, {}].slice(0, 4) as [string, number, readonly Manifest[], Foreign]),
)('with %s: %d', (_, count, onHarvester, foreign) => {
  expect(found(onHarvester, foreign)).toHaveLength(count);
});

function chart(version: string): string {
  return `apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: csi, namespace: kube-system}\nspec: {chart: harvester-csi-driver, version: ${version}}\n`;
}

test.each([
  [Kubernetes.rke2(PATCHING), undefined],
  [
    Kubernetes.k3s('v1.33.6+k3s1'),
    CloudProvider.harvester({
      csi: CsiDriver.install({ chartVersion: '0.1.28', snapshotDefinitions: true }),
    }),
  ],
])('has no finding about what the library writes', (kubernetes, cloudProvider) => {
  const { app } = guestCluster({ kubernetes, ...(cloudProvider ? { cloudProvider } : {}) });
  expect(app.validate().map(({ rule }) => rule)).not.toContain('cluster/csi-permission');
});
