import { adoptPlatform } from '../../../src/adopt/project/run-adopt';
import {
  handOver,
  markOwned,
  readState,
  TerraformResource,
} from '../../../src/adopt/read/terraform';
import { OWNED_KINDS } from '../../../src/adopt/read/terraform.data';
import { TargetKind } from '../../../src/core/construct/target';
import { FoundCluster } from '../../../src/core/draft/draft';
import { kindOf } from '../../../src/core/kind/kinds';
import { Manifest } from '../../../src/core/manifest/manifest';

interface Instance {
  readonly index_key?: string | number;
  readonly attributes: object;
  readonly deposed?: string;
}

function resource(
  type: string,
  name: string,
  instances: readonly (Instance | object)[],
  more: object = {},
): object {
  return {
    mode: 'managed',
    type,
    name,
    provider: 'provider["registry.terraform.io/rancher/rancher2"]',
    instances: instances.map((each) => ('attributes' in each ? each : { attributes: each })),
    ...more,
  };
}

function state(...resources: readonly object[]): string {
  return JSON.stringify({
    version: 4,
    terraform_version: '1.9.5',
    serial: 3,
    lineage: 'x',
    outputs: { token: { value: 'hush', sensitive: true } },
    resources,
  });
}

/** The object of a resource with this ID, as `[cluster ]apiVersion Kind namespace/name`. */
function objectOf(type: string, attributes: object): string | undefined {
  const [{ object, reason }] = readState(state(resource(type, 'x', [attributes])));
  return object
    ? [
        object.clusterId,
        object.apiVersion,
        object.kind,
        [object.namespace, object.name].filter((part) => part !== undefined).join('/'),
      ]
        .filter((part) => part !== undefined)
        .join(' ')
    : reason;
}

test.each([
  ['rancher2_project', { id: 'c-m-abc:p-x1' }, 'management.cattle.io/v3 Project c-m-abc/p-x1'],
  [
    'rancher2_project_role_template_binding',
    { id: 'p-x1:prtb-1' },
    'management.cattle.io/v3 ProjectRoleTemplateBinding p-x1/prtb-1',
  ],
  [
    'rancher2_cluster_v2',
    { id: 'fleet-default/shop', cluster_v1_id: 'c-m-abc' },
    'provisioning.cattle.io/v1 Cluster fleet-default/shop',
  ],
  ['rancher2_cluster', { id: 'c-abcde' }, 'management.cattle.io/v3 Cluster c-abcde'],
  [
    'rancher2_machine_config_v2',
    { id: 'fleet-default/nc-shop-abcde', kind: 'HarvesterConfig' },
    'rke-machine-config.cattle.io/v1 HarvesterConfig fleet-default/nc-shop-abcde',
  ],
  [
    'rancher2_machine_config_v2',
    { id: 'fleet-default/nc-a-abcde', kind: 'Amazonec2Config' },
    'rke-machine-config.cattle.io/v1 Amazonec2Config fleet-default/nc-a-abcde',
  ],
  [
    'rancher2_cloud_credential',
    { id: 'cattle-global-data:cc-abcde' },
    'v1 Secret cattle-global-data/cc-abcde',
  ],
  ['rancher2_namespace', { id: 'shop', project_id: 'c-m-abc:p-x1' }, 'c-m-abc v1 Namespace shop'],
  [
    'rancher2_secret',
    { id: 'shop:db', project_id: 'c-m-abc:p-x1', namespace_id: 'shop' },
    'c-m-abc v1 Secret shop/db',
  ],
  ['rancher2_secret', { id: 'p-x1:db', project_id: 'c-m-abc:p-x1' }, 'v1 Secret p-x1/db'],
  ['rancher2_secret_v2', { id: 'c-m-abc.shop/db' }, 'c-m-abc v1 Secret shop/db'],
  ['rancher2_secret_v2', { id: 'local.shop/db.example.com' }, 'v1 Secret shop/db.example.com'],
  [
    'rancher2_catalog_v2',
    { id: 'c-m-abc.my.repo' },
    'c-m-abc catalog.cattle.io/v1 ClusterRepo my.repo',
  ],
  [
    'rancher2_cluster_proxy_config_v2',
    { id: 'c-m-abc/clusterproxyconfig' },
    'management.cattle.io/v3 ClusterProxyConfig c-m-abc/clusterproxyconfig',
  ],
  ['rancher2_setting', { id: 'server-url' }, 'management.cattle.io/v3 Setting server-url'],
  ['rancher2_auth_config_okta', { id: 'okta' }, 'management.cattle.io/v3 AuthConfig okta'],
  ['harvester_setting', { id: 'ntp-servers' }, 'harvesterhci.io/v1beta1 Setting ntp-servers'],
  ['harvester_virtualmachine', { id: 'default/vm1' }, 'kubevirt.io/v1 VirtualMachine default/vm1'],
  [
    'harvester_schedule_backup',
    { id: 'default/vm1/svmb-1' },
    'harvesterhci.io/v1beta1 ScheduleVMBackup default/svmb-1',
  ],
  [
    'harvester_network',
    { id: 'default/vlan1' },
    'k8s.cni.cncf.io/v1 NetworkAttachmentDefinition default/vlan1',
  ],
  ['harvester_volume', { id: 'default/disk' }, 'v1 PersistentVolumeClaim default/disk'],
  ['rancher2_bootstrap', { id: 'admin' }, 'is the first login of a Rancher server'],
  ['rancher2_whatever', { id: 'a' }, 'is of a type that is not known'],
  ['rancher2_project', { id: 'p-x1' }, 'has an ID that is not of the form namespace:name'],
  ['harvester_image', {}, 'has no ID in the state'],
])('finds the object of %s %j', (type, attributes, expected) => {
  expect(objectOf(type, attributes)).toBe(expected);
});

test('names each object by its scope', () => {
  for (const [type, { apiVersion, kind, id }] of Object.entries(OWNED_KINDS)) {
    const description = kindOf({ apiVersion, kind });
    const isNamespaced = /namespace|cluster\/name|secret/.test(id);
    // not described: drivers, proxies
    if (description) {
      expect([type, isNamespaced]).toEqual([type, description.scope === 'Namespaced']);
    }
  }
});

const STATE = state(
  resource(
    'rancher2_project',
    'shop',
    [
      { index_key: 'a', attributes: { id: 'c-m-1:p-a' } },
      { index_key: 'b.c"d', attributes: { id: 'c-m-1:p-b' } },
    ],
    { module: 'module.tenants["eu.1"]' },
  ),
  resource('rancher2_user', 'ana', [{ id: 'u-ana', password: 'hush', name: 'Ana' }]),
  resource('harvester_image', 'ubuntu', [
    { index_key: 0, attributes: { id: 'default/image-1' } },
    { index_key: 0, attributes: { id: 'default/image-0' }, deposed: 'deadbeef' },
  ]),
  resource('rancher2_project', 'existing', [{ id: 'c-m-1:p-z' }], { mode: 'data' }),
  resource('aws_instance', 'x', [{ id: 'i-1' }]),
);

test('reads addresses with modules, indexes and keys, of managed resources of all providers', () => {
  expect(readState(STATE).map(({ address }) => address)).toEqual([
    'module.tenants["eu.1"].rancher2_project.shop["a"]',
    'module.tenants["eu.1"].rancher2_project.shop["b.c\\"d"]',
    'rancher2_user.ana',
    'harvester_image.ubuntu[0]',
    'aws_instance.x',
  ]);
});

test('reads the output of terraform show -json, also for a saved plan', () => {
  const values = {
    root_module: {
      resources: [
        {
          address: 'rancher2_user.ana',
          mode: 'managed',
          type: 'rancher2_user',
          name: 'ana',
          values: { id: 'u-ana', password: 'hush' },
        },
        {
          address: 'data.rancher2_user.x',
          mode: 'data',
          type: 'rancher2_user',
          name: 'x',
          values: { id: 'u-x' },
        },
      ],
      child_modules: [
        {
          address: 'module.tenants["eu.1"]',
          resources: [
            {
              address: 'module.tenants["eu.1"].rancher2_project.shop["a"]',
              mode: 'managed',
              type: 'rancher2_project',
              name: 'shop',
              index: 'a',
              values: { id: 'c-m-1:p-a' },
            },
          ],
        },
      ],
    },
  };
  const expected = [
    {
      address: 'rancher2_user.ana',
      plainAddress: 'rancher2_user.ana',
      type: 'rancher2_user',
      object: { apiVersion: 'management.cattle.io/v3', kind: 'User', name: 'u-ana' },
    },
    {
      address: 'module.tenants["eu.1"].rancher2_project.shop["a"]',
      plainAddress: 'module.tenants.rancher2_project.shop',
      type: 'rancher2_project',
      object: {
        apiVersion: 'management.cattle.io/v3',
        kind: 'Project',
        namespace: 'c-m-1',
        name: 'p-a',
      },
    },
  ];
  expect(readState(JSON.stringify({ format_version: '1.0', values }))).toEqual(expected);
  expect(
    readState(
      JSON.stringify({
        format_version: '1.2',
        prior_state: { format_version: '1.0', values },
        planned_values: {},
      }),
    ),
  ).toEqual(expected);
  expect(readState(JSON.stringify({ format_version: '1.0' }))).toEqual([]);
});

test('keeps no value of the state but names', () => {
  expect(JSON.stringify(readState(STATE))).not.toMatch(/hush|Ana|password/);
});

test.each([
  [
    '{"password": "hush"',
    'the Terraform state must be JSON. Fix: set the output of terraform show -json, or of terraform state pull',
  ],
  ['[]', 'must be a JSON object'],
  [
    '{"version": 3, "modules": []}',
    'must be of version 4, or the output of terraform show -json, got version 3',
  ],
  ['{"a": "hush"}', 'got no version'],
])('refuses %j', (text, message) => {
  expect(() => readState(text)).toThrow(message);
  expect(() => readState(text)).not.toThrow('hush');
});

describe('hands resources over', () => {
  const all = readState(STATE).filter(({ object }) => object !== undefined);

  test('by blocks without indexes, and commands with them, quoted for a shell', () => {
    expect(handOver(all)).toEqual({
      removed: [
        'module.tenants.rancher2_project.shop',
        'rancher2_user.ana',
        'harvester_image.ubuntu',
      ]
        .map(
          (from) => `removed {\n  from = ${from}\n\n  lifecycle {\n    destroy = false\n  }\n}\n`,
        )
        .join('\n'),
      commands: [
        'terraform state rm \'module.tenants["eu.1"].rancher2_project.shop["a"]\'',
        'terraform state rm \'module.tenants["eu.1"].rancher2_project.shop["b.c\\"d"]\'',
        'terraform state rm rancher2_user.ana',
        "terraform state rm 'harvester_image.ubuntu[0]'",
        '',
      ].join('\n'),
      partly: [],
    });
  });

  test('by commands alone where only some instances are adopted', () => {
    const { removed, commands, partly } = handOver(all.slice(0, 1), all);
    expect(removed).toBe('');
    expect(commands).toBe(
      'terraform state rm \'module.tenants["eu.1"].rancher2_project.shop["a"]\'\n',
    );
    expect(partly).toEqual(['module.tenants.rancher2_project.shop']);
  });
});

type Ref = readonly [apiVersion: string, kind: string, name: string, namespace?: string];

function cluster(name: string, kind: TargetKind, ...objects: readonly Ref[]): FoundCluster {
  return {
    name,
    kind,
    unread: [],
    objects: objects.map(([apiVersion, each, own, namespace]) => ({
      target: name,
      from: `context ${name}`,
      manifest: {
        apiVersion,
        kind: each,
        metadata: { name: own, ...(namespace ? { namespace } : {}) },
      },
    })),
  };
}

test('marks the objects that resources own, by the cluster that has them', () => {
  const image = ['harvesterhci.io/v1beta1', 'VirtualMachineImage', 'ubuntu', 'default'] as const;
  const clusters = [
    cluster(
      'rancher',
      TargetKind.RANCHER,
      ['management.cattle.io/v3', 'Project', 'p-a', 'c-m-1'],
      ['v1', 'Namespace', 'shop'],
    ),
    cluster('dc1', TargetKind.HARVESTER, ['v1', 'Namespace', 'shop'], image, [
      'harvesterhci.io/v1beta1',
      'KeyPair',
      'ana',
      'default',
    ]),
    cluster('dc2', TargetKind.HARVESTER, image),
  ];
  const resources: readonly TerraformResource[] = readState(
    state(
      resource('rancher2_project', 'a', [{ id: 'c-m-1:p-a' }]),
      resource('rancher2_namespace', 'shop', [{ id: 'shop', project_id: 'c-m-1:p-a' }]),
      resource('harvester_ssh_key', 'ana', [{ id: 'default/ana' }]),
      resource('harvester_image', 'ubuntu', [{ id: 'default/ubuntu' }]),
      resource('rancher2_user', 'gone', [{ id: 'u-gone' }]),
      resource('rancher2_bootstrap', 'admin', [{ id: 'admin' }]),
    ),
  );
  const { clusters: marked, unmatched } = markOwned(clusters, resources);
  expect(
    marked.flatMap(({ objects }) =>
      objects.flatMap(({ target, manifest, terraform }) =>
        terraform ? [`${target} ${manifest.kind} ${terraform}`] : [],
      ),
    ),
  ).toEqual([
    'rancher Project rancher2_project.a',
    'dc1 Namespace rancher2_namespace.shop',
    'dc1 KeyPair harvester_ssh_key.ana',
  ]);
  expect(unmatched.map(({ address, reason }) => `${address} ${reason}`)).toEqual([
    'harvester_image.ubuntu owns VirtualMachineImage default/ubuntu, which dc1 and dc2 have',
    'rancher2_user.gone owns User u-gone, which was not found',
    'rancher2_bootstrap.admin is the first login of a Rancher server',
  ]);
});

test('lists resources whose objects are left out, and those of other providers', () => {
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid: 'u' };
  const secret: Manifest = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'web', namespace: 'default', uid: 's', ownerReferences: [owner] },
    data: { userdata: '' },
  };
  const resources = readState(
    JSON.stringify({
      version: 4,
      resources: [
        resource('harvester_cloudinit_secret', 'web', [{ id: 'default/web' }]),
        resource('random_password', 'x', [{ id: 'none' }]),
      ],
    }),
  );
  const { unmatched } = adoptPlatform({
    clusters: [
      {
        ...{ name: 'dc1', kind: TargetKind.HARVESTER, version: '1.7.2', unread: [] },
        objects: [{ target: 'dc1', manifest: secret, from: 'test' }],
      },
    ],
    resources,
  });
  expect(unmatched).toEqual([
    {
      address: 'random_password.x',
      reason: 'is of another provider: it remains in the state',
    },
    {
      address: 'harvester_cloudinit_secret.web',
      reason: expect.stringMatching(
        /^owns Secret default\/web, which the program does not declare, and which terraform destroy would delete/,
      ) as string,
    },
  ]);
});
