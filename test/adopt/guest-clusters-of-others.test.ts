import { CLUSTER, CONFIG, SECRETS, USER_DATA } from './_guest-bodies';
import { adopt } from '../../src/adopt/adopt';
import { PatchOperation } from '../../src/adopt/evaluate/statements';
import { ALL_INVERSES } from '../../src/adopt/inverses/all-inverses';
import { adoptPlatform } from '../../src/adopt/project/run-adopt';
import { TargetKind } from '../../src/core/construct/target';
import { Draft, FoundCluster, Inverse } from '../../src/core/draft/draft';
import { Manifest } from '../../src/core/manifest/manifest';
import { collect } from '../../src/core/synthesis/collect';
import { GUEST_CLUSTER_INVERSE } from '../../src/guest/cluster/guest-cluster.adopt';

function found(
  name: string,
  kind: TargetKind,
  version: string,
  objects: readonly Manifest[],
): FoundCluster {
  return {
    name,
    kind,
    version,
    unread: [],
    objects: objects.map((manifest) => ({ target: name, manifest, from: 'a test' })),
  };
}

/**
 * Adopts a cluster, and gives the statement of it with what the program renders for its Cluster and
 * its machine config.
 */
function adopted(cluster: Manifest, config: Manifest) {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop-vms' } };
  const result = adopt([
    {
      ...found('rancher', TargetKind.RANCHER, '2.13.8', [...SECRETS, cluster, config]),
      serverUrl: 'https://rancher.example.com',
    },
    { ...found('dc1', TargetKind.HARVESTER, '1.7.2', [namespace]), vip: '10.10.0.10' },
  ]);
  const statement = result.statements.all().find(
    ({
      draft: {
        declares: [first],
      },
    }) => first.manifest === cluster,
  )!;
  const { objects } = collect(result.evaluated.app);
  const rendered = (kind: string) =>
    objects.find(({ manifest }) => manifest.kind === kind)!.manifest;
  const shown = {
    type: statement.draft.type,
    patches: shortly(statement.patches),
    parts: statement.parts.flatMap((part) => shortly(part.patches)),
  };
  return {
    ...result,
    statement,
    shown,
    machine: rendered('HarvesterConfig'),
    shop: rendered('Cluster'),
  };
}

function shortly(patches: readonly PatchOperation[]): string[] {
  return patches.map(({ op, path }) => `${op} ${path}`);
}

/** The construct without patches. */
const WHOLE = { type: 'GuestCluster', patches: [], parts: [] };

const TEXTS = ['diskInfo', 'networkInfo', 'vmAffinity', 'userData', 'networkData', 'vgpuInfo'];

/** The texts of a machine config, other bytes of which replace machines. */
function textsOf(config: Manifest): { readonly [field: string]: unknown } {
  return Object.fromEntries(
    TEXTS.filter((field) => config[field]).map((field) => [field, config[field]]),
  );
}

test('adopts a cluster of the UI without patches, with its machine config under its name', () => {
  const { shown, machine, dropped } = adopted(CLUSTER(), CONFIG());
  expect({ ...shown, dropped: [...dropped.values()] }).toEqual({ ...WHOLE, dropped: [] });
  expect(machine.metadata.name).toBe('nc-shop-pool1-abcde');
  expect(textsOf(machine)).toEqual(textsOf(CONFIG()));
});

test('takes the namespace of the node driver for a machine config without one', () => {
  const { vmNamespace: _, ...config } = CONFIG() as Manifest & { readonly vmNamespace?: string };
  const { shown, machine } = adopted(CLUSTER(), config);
  expect(shown).toEqual(WHOLE);
  // the definition of HarvesterConfigs has this default, so a live object has it, too
  expect(machine.vmNamespace).toBe('default');
  expect(textsOf(machine)).toEqual(textsOf(CONFIG()));
});

test('refers to the credential and the cloud config of the UI, and declares neither', () => {
  const { statements, leftOut } = adopted(CLUSTER(), CONFIG());
  expect(
    statements
      .all()
      .flatMap(({ draft: { declares } }) => declares.map(({ manifest: { kind } }) => kind)),
  ).not.toContain('Secret');
  expect([...leftOut.keys()]).toEqual(
    expect.arrayContaining([
      'rancher//Secret/cattle-global-data/cc-abcde',
      'rancher//Secret/fleet-default/harvesterconfigabcde',
    ]),
  );
});

/**
 * Other choices of the form.
 * @see rancher/dashboard:shell/edit/provisioning.cattle.io.cluster/rke2.vue, pkg/harvester-manager/machine-config/harvester.vue
 */
const CHOICES: readonly (readonly [name: string, cluster: object, pool: object, config: object])[] =
  [
    [
      'user data as the form sends it',
      {},
      {},
      { userData: Buffer.from(USER_DATA).toString('base64') },
    ],
    [
      'disks that were added, of images and of a class',
      {},
      {},
      {
        diskInfo:
          '{"disks":[{"imageName":"default/image-abcde","bootOrder":1,"size":40},{"storageClassName":"harvester-longhorn","size":10,"bootOrder":2},{"imageName":"default/image-xyz12","size":40,"bootOrder":3}]}',
      },
    ],
    [
      'a vGPU',
      {},
      {},
      {
        vgpuInfo:
          '{"vGPURequests":[{"name":"provisioned","deviceName":"nvidia.com/NVIDIA_A2-4Q"}]}',
      },
    ],
    [
      'EFI, Secure Boot and pinned CPUs',
      {},
      {},
      { enableEfi: true, enableSecureBoot: true, cpuPinning: true, isolateEmulatorThread: true },
    ],
    [
      'networks of both families, and a manifest',
      {
        networking: { stackPreference: 'dual' },
        additionalManifest: 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n',
      },
      {},
      {},
    ],
    [
      'a mirror with a Secret',
      {
        registries: {
          configs: {
            'registry.example.com': {
              authConfigSecretName: 'registryconfig-auth-abcde',
              caBundle: null,
              insecureSkipVerify: false,
              tlsSecretName: null,
            },
          },
          mirrors: {
            'docker.io': {
              endpoint: ['https://registry.example.com'],
              rewrite: { '^(.*)$': 'proxy/$1' },
            },
          },
        },
      },
      {},
      {},
    ],
    [
      'labels, taints and time limits of a pool',
      {},
      {
        labels: { a: 'b' },
        taints: [{ key: 'x', value: 'y', effect: 'NoSchedule' }],
        drainBeforeDeleteTimeout: '2m0s',
        unhealthyNodeTimeout: '5m0s',
        maxUnhealthy: '20%',
      },
      {},
    ],
  ];

test.each(CHOICES)('adopts %s without patches', (_, cluster, pool, config) => {
  const { shown, machine } = adopted(CLUSTER(cluster, pool), CONFIG(config));
  expect(shown).toEqual(WHOLE);
  expect(textsOf(machine)).toEqual(textsOf(CONFIG(config)));
});

const OTHER_TEXTS: readonly (readonly [name: string, config: object])[] = [
  [
    'sorted keys, as Terraform writes them',
    {
      diskInfo:
        '{"disks":[{"bootOrder":1,"imageName":"default/image-abcde","size":40},{"bootOrder":2,"hotPlugAble":true,"size":10,"storageClassName":"ssd"}]}',
      networkInfo: '{"interfaces":[{"macAddress":"","networkName":"default/prod"}]}',
    },
  ],
  [
    'an indented text with blanks, as people write it',
    {
      diskInfo:
        '{\n  "disks": [\n    { "imageName": "default/image-abcde", "bootOrder": 1, "size": 40 }\n  ]\n}',
    },
  ],
  ['user data with comments', { userData: `${USER_DATA}# the end\n` }],
  ['user data in base64', { userData: Buffer.from(USER_DATA).toString('base64') }],
  [
    'user data without the guest agent',
    {
      userData:
        '#cloud-config\nssh_authorized_keys: [ "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa ana" ]\n',
    },
  ],
  [
    'network data with a comment',
    { networkData: '# all by DHCP\nversion: 2\nethernets:\n    enp1s0: {dhcp4: true}\n' },
  ],
  [
    'an affinity in base64, as the UI writes it',
    {
      vmAffinity: Buffer.from(
        JSON.stringify({
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                podAffinityTerm: {
                  topologyKey: 'kubernetes.io/hostname',
                  labelSelector: {
                    matchExpressions: [{ operator: 'Exists', key: 'harvesterhci.io/creator' }],
                  },
                },
                weight: 100,
              },
            ],
          },
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] },
              ],
            },
          },
        }),
      ).toString('base64'),
    },
  ],
  [
    'an affinity to labels in all namespaces, as the UI writes it',
    {
      vmAffinity: Buffer.from(
        JSON.stringify({
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              {
                namespaceSelector: {},
                labelSelector: {
                  matchExpressions: [
                    { operator: 'In', values: ['db'], key: 'app' },
                    { operator: 'DoesNotExist', key: 'old' },
                  ],
                },
                topologyKey: 'kubernetes.io/hostname',
              },
            ],
          },
        }),
      ).toString('base64'),
    },
  ],
];

test.each(OTHER_TEXTS)('keeps every byte of %s', (_, config) => {
  const { shown, machine } = adopted(CLUSTER(), CONFIG(config));
  expect(shown).toEqual(WHOLE);
  expect(textsOf(machine)).toEqual(textsOf(CONFIG(config)));
});

test('patches a machine config where props cannot express a text, and keeps the construct', () => {
  const config = CONFIG({ userData: '#!/bin/sh\necho ready\n' });
  const { shown, machine } = adopted(CLUSTER(), config);
  expect(shown).toEqual({ ...WHOLE, parts: ['replace /userData'] });
  expect(textsOf(machine)).toEqual(textsOf(config));
});

test('patches the whole affinity where props cannot express a part of it', () => {
  const required = {
    nodeSelectorTerms: [
      { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] },
    ],
  };
  const config = CONFIG({
    vmAffinity: JSON.stringify({
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required },
    }),
  });
  const { shown, machine, statement } = adopted(CLUSTER(), config);
  expect(shown).toEqual({ ...WHOLE, parts: ['add /vmAffinity'] });
  expect(JSON.stringify(statement.props)).not.toMatch(/affinity/i);
  expect(textsOf(machine)).toEqual(textsOf(config));
});

/**
 * The fields of a machine before it could have several disks and networks.
 * @see harvester/docker-machine-driver-harvester:harvester/flags.go
 */
const LEGACY = {
  diskInfo: undefined,
  networkInfo: undefined,
  diskSize: '40',
  diskBus: 'virtio',
  imageName: 'default/image-abcde',
  networkName: 'default/prod',
  networkType: 'dhcp',
  networkModel: 'virtio',
};

test('keeps a machine config with the fields of old node drivers byte for byte', () => {
  const config = CONFIG(LEGACY);
  const { shown, machine, differences, errors } = adopted(CLUSTER(), config);
  expect({ differences: [...differences], errors }).toEqual({ differences: [], errors: [] });
  const own = ['diskBus', 'diskSize', 'imageName', 'networkName', 'networkType', 'networkModel'];
  expect(shown).toEqual({ ...WHOLE, parts: ['add /networkType'] });
  expect(
    Object.fromEntries([...own, 'diskInfo', 'networkInfo'].map((field) => [field, machine[field]])),
  ).toEqual(LEGACY);
  expect(textsOf(machine)).toEqual(textsOf(config));
});

test('patches the Cluster for what no prop expresses', () => {
  const { shown, shop } = adopted(
    CLUSTER({ infrastructureRef: { kind: 'HarvesterCluster' } }),
    CONFIG(),
  );
  expect(shown).toEqual({ ...WHOLE, patches: ['add /spec/rkeConfig/infrastructureRef'] });
  expect(shop.spec).toMatchObject({
    rkeConfig: { infrastructureRef: { kind: 'HarvesterCluster' } },
  });
});

test.each<[string, object, object]>([
  ['snapshots', { etcd: undefined }, { machineGlobalConfig: { cni: 'calico' } }],
  [
    'a configuration of nodes',
    { machineGlobalConfig: undefined, machineSelectorConfig: undefined },
    { etcd: { snapshotRetention: 5, snapshotScheduleCron: '0 */5 * * *' } },
  ],
])('leaves out the defaults of the UI for a cluster without %s', (_, fields, kept) => {
  const { shown, shop, statement } = adopted(CLUSTER(fields), CONFIG());
  expect(shown).toEqual(WHOLE);
  expect(statement.props).toMatchObject({ adopted: { uiDefaults: false } });
  const config = (shop.spec as { rkeConfig: { [field: string]: unknown } }).rkeConfig;
  expect(config).toMatchObject(kept);
  expect(Object.keys(fields).filter((field) => config[field] !== undefined)).toEqual([]);
});

/**
 * What a Go program writes for drain options that a user leaves out.
 * @see rancher/rancher:pkg/apis/rke.cattle.io/v1 DrainOptions
 */
const GO_DRAIN = {
  deleteEmptyDirData: false,
  disableEviction: false,
  enabled: false,
  force: false,
  gracePeriod: 0,
  ignoreDaemonSets: null,
  ignoreErrors: false,
  postDrainHooks: null,
  preDrainHooks: null,
  skipWaitForDeleteTimeoutSeconds: 0,
  timeout: 0,
};

test.each<[string, object | undefined]>([
  ['Terraform', { controlPlaneDrainOptions: GO_DRAIN, workerDrainOptions: GO_DRAIN }],
  [
    'a manifest without options',
    { controlPlaneConcurrency: '10%', controlPlaneDrainOptions: {}, workerDrainOptions: {} },
  ],
  ['a manifest without a strategy', undefined],
  [
    'a manifest that drains',
    {
      controlPlaneDrainOptions: { enabled: true },
      workerDrainOptions: { enabled: true, timeout: 60 },
    },
  ],
])('adopts the upgrade strategy of %s without patches', (_, upgradeStrategy) => {
  expect(adopted(CLUSTER({ upgradeStrategy }), CONFIG()).shown).toEqual(WHOLE);
});

test('keeps the meaning of drain options that a manifest leaves out', () => {
  const { shop } = adopted(
    CLUSTER({ upgradeStrategy: { workerDrainOptions: { enabled: true } } }),
    CONFIG(),
  );
  const workerDrainOptions = {
    deleteEmptyDirData: false,
    gracePeriod: 0,
    ignoreDaemonSets: true,
    timeout: 0,
  };
  expect(shop.spec).toMatchObject({ rkeConfig: { upgradeStrategy: { workerDrainOptions } } });
});

test('creates no credential where the pools have one, as Terraform writes them', () => {
  const { spec, ...cluster } = CLUSTER(
    {},
    { cloudCredentialSecretName: 'cattle-global-data:cc-abcde' },
  );
  const { cloudCredentialSecretName: _, ...own } = spec as { cloudCredentialSecretName: string };
  const { shown, created } = adopted({ ...cluster, spec: own }, CONFIG());
  expect({ ...shown, created }).toEqual({ ...WHOLE, created: [] });
});

test('finds the Harvester by the ID in a machine config', () => {
  const machine = CONFIG({ clusterId: 'c-x7k2p', clusterType: 'imported' });
  const cluster = CLUSTER({ machineSelectorConfig: undefined });
  const result = adopt([
    {
      ...found('rancher', TargetKind.RANCHER, '2.13.8', [cluster, machine]),
      serverUrl: 'https://rancher.example.com',
    },
    { ...found('dc1', TargetKind.HARVESTER, '1.7.2', []), vip: '10.10.0.10' },
  ]);
  expect(result.statements.all().map(({ draft: { type } }) => type)).toEqual(['GuestCluster']);
});

test('adopts a cluster of Terraform, which leaves out what is false, and names pools twice', () => {
  const pool = {
    displayName: 'pool1',
    drainBeforeDelete: undefined,
    unhealthyNodeTimeout: undefined,
    machineOS: undefined,
  };
  const { shown } = adopted(CLUSTER({}, pool), CONFIG());
  expect(shown).toEqual(WHOLE);
});

test('reports what the program would create beyond what was found', () => {
  const wrong: Inverse = {
    ...GUEST_CLUSTER_INVERSE,
    drafts: (object, around) =>
      ([GUEST_CLUSTER_INVERSE.drafts!(object, around)].flat() as Draft[]).map((draft) => ({
        ...draft,
        props: { ...draft.props, credential: undefined },
        amend: undefined,
      })),
  };
  const clusters = [
    {
      ...found('rancher', TargetKind.RANCHER, '2.13.8', [...SECRETS, CLUSTER(), CONFIG()]),
      serverUrl: 'https://rancher.example.com',
    },
    {
      ...found('dc1', TargetKind.HARVESTER, '1.7.2', [
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop-vms' } },
      ]),
      vip: '10.10.0.10',
    },
  ];
  const { created } = adopt(clusters, {
    inverses: ALL_INVERSES.map((inverse) => (inverse === GUEST_CLUSTER_INVERSE ? wrong : inverse)),
  });
  expect(
    created.map(
      ({
        manifest: {
          kind,
          metadata: { name },
        },
      }) => `${kind} ${name}`,
    ),
  ).toEqual(expect.arrayContaining(['Secret cc-dc1', 'ServiceAccount rancher-node-driver']));
  expect(adopted(CLUSTER(), CONFIG()).created).toEqual([]);
});

test('names what to do about a kubeconfig in plain text', () => {
  const kubeconfig = 'apiVersion: v1\nkind: Config\n';
  const machineSelectorConfig = [
    {
      config: {
        'protect-kernel-defaults': false,
        'cloud-provider-name': 'harvester',
        'cloud-provider-config': kubeconfig,
      },
    },
  ];
  const rancher = found('rancher', TargetKind.RANCHER, '2.13.8', [
    ...SECRETS,
    CLUSTER({ machineSelectorConfig, machinePools: undefined }),
  ]);
  const { files, notes } = adoptPlatform({
    clusters: [{ ...rancher, serverUrl: 'https://rancher.example.com' }],
  });
  const change =
    'cloud-provider-config is a kubeconfig in plain text: put it into a Secret for CloudConfigSecret.fromName, ' +
    'and set CloudProvider.harvester({ existingCloudConfig })';
  expect(notes.map(({ message }) => message)).toContain(`needs a change: ${change}`);
  expect([...files.values()].join('')).toContain(`// ${change}\n`);
});
