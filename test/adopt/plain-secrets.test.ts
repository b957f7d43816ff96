import { foundGuest, foundHarvester, foundRancher } from './_found';
import { CLUSTER, CONFIG, SECRETS } from './_guest-bodies';
import { synthesized } from './_run';
import { adoptReadme } from '../../src/adopt/project/readme';
import { AdoptResult, adoptPlatform } from '../../src/adopt/project/run-adopt';
import { FoundCluster } from '../../src/core/draft/draft';
import { Manifest } from '../../src/core/manifest/manifest';
import { SecretValue } from '../../src/core/value/secret-value';
import { CloudInit } from '../../src/harvester/cloud-init/cloud-init';

const PASSWORD = 'Tr0ub4dor-and-3';
const HASH = '$6$rounds=4096$saltsalt$hashhashhashhashhashhash';
const KEY = [
  '-----BEGIN PRIVATE KEY-----',
  'MIIabcdefghijkl',
  'MIIzyxwvutsrqpo',
  '-----END PRIVATE KEY-----',
];

const NAMESPACE = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'shop-vms' },
} as Manifest;

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Everything that a command writes or prints of an adoption. */
function outputOf(result: AdoptResult): string {
  return JSON.stringify({
    ...result,
    files: [...result.files.values()],
    readme: adoptReadme(result),
  });
}

/**
 * What the program writes with these values of its variables; all variables of the result must be
 * among them.
 */
function writtenWith(result: AdoptResult, values: Values): readonly Manifest[] {
  expect(result.variables.map(({ name }) => name)).toEqual(Object.keys(values).sort());
  const before = process.env;
  process.env = { ...before, ...values };
  try {
    return synthesized(result.files);
  } finally {
    process.env = before;
  }
}

function guestWith(userData: string, cluster: Manifest = CLUSTER()): FoundCluster[] {
  return [
    foundRancher('2.13.8', [...SECRETS, cluster, CONFIG({ userData })]),
    foundHarvester('dc1', '1.7.2', [NAMESPACE]),
  ];
}

const PASSWD = 'NC_SHOP_POOL1_ABCDE_PASSWD';
const TEXT = 'NC_SHOP_POOL1_ABCDE_USER_DATA';

/** The values of variables. */
interface Values {
  readonly [variable: string]: string;
}

const USER_DATA: readonly [name: string, text: string, secrets: Values, isWhole?: boolean][] = [
  ['a hash', `#cloud-config\nusers:\n- name: ana\n  passwd: ${HASH}\n`, { [PASSWD]: HASH }],
  [
    'a hash in double quotes',
    `#cloud-config\nusers: [{name: ana, passwd: "${HASH}"}] # admins\n`,
    { [PASSWD]: HASH },
  ],
  [
    'a hash in single quotes',
    `#cloud-config\nusers:\n- name: ana\n  passwd: '${HASH}'\n`,
    { [PASSWD]: HASH },
    true,
  ],
  [
    'a hash in braces',
    `#cloud-config\nusers: [{name: ana, passwd: ${HASH}}]\n`,
    { [PASSWD]: HASH },
    true,
  ],
  ['base64', base64(`#cloud-config\nusers:\n- name: ana\n  passwd: ${HASH}\n`), { [PASSWD]: HASH }],
  [
    'base64 of single quotes',
    base64(`#cloud-config\nusers:\n- name: ana\n  passwd: '${HASH}'\n`),
    { [PASSWD]: HASH },
    true,
  ],
  [
    'a private key',
    `#cloud-config\nwrite_files:\n- path: /etc/key\n  content: |\n${KEY.map((line) => `    ${line}\n`).join('')}`,
    { NC_SHOP_POOL1_ABCDE_CONTENT: KEY.join('\n') },
    true,
  ],
  [
    'a password within a file',
    `#cloud-config\nwrite_files:\n- path: /etc/r.yaml\n  content: |\n    configs: {r: {auth: {username: ci, password: ${PASSWORD}}}}\n`,
    { NC_SHOP_POOL1_ABCDE_PASSWORD: PASSWORD },
    true,
  ],
  [
    'a password that is also the name of the user',
    '#cloud-config\npassword: ubuntu\nchpasswd: {expire: false}\n',
    { NC_SHOP_POOL1_ABCDE_PASSWORD: 'ubuntu' },
  ],
];

describe('user data of a machine pool', () => {
  test.each(USER_DATA)(
    'with %s has the bytes of the live object, and its secret comes from the environment',
    (_, userData, secrets, isWhole = false) => {
      const result = adoptPlatform({ clusters: guestWith(userData) });
      expect({
        errors: result.errors,
        differences: result.differences,
        notes: result.notes,
      }).toEqual({ errors: [], differences: [], notes: [] });
      for (const secret of Object.values(secrets).filter((each) => each !== 'ubuntu')) {
        for (const text of [secret, base64(secret), ...secret.split('\n')]) {
          expect(outputOf(result)).not.toContain(text);
        }
      }
      expect(outputOf(result)).not.toContain('password: ubuntu');
      expect(result.files.get('guests/shop.ts')).toContain('new GuestCluster(');
      const written = writtenWith(result, { ...secrets, ...(isWhole ? { [TEXT]: userData } : {}) });
      expect(written.find(({ kind }) => kind === 'HarvesterConfig')).toMatchObject({
        metadata: { name: 'nc-shop-pool1-abcde' },
        userData,
      });
    },
  );

  test('is not written while a variable is not set', () => {
    const { files } = adoptPlatform({ clusters: guestWith(USER_DATA[0][1]) });
    expect(() => synthesized(files)).toThrow(
      `userData: the secret from environment variable ${PASSWD} is not set\n  fix: set it before synthesis`,
    );
  });

  test('is described in the README, without the value, and without that the name of a user is the password', () => {
    const readme = adoptReadme(adoptPlatform({ clusters: guestWith(USER_DATA[8][1]) }));
    expect(readme).toContain(
      '## Secrets\n\nThe program reads these environment variables. Set them before you synthesize, each to the value of the live object:\n\n' +
        '- `NC_SHOP_POOL1_ABCDE_PASSWORD`: userData of HarvesterConfig fleet-default/nc-shop-pool1-abcde on rancher, at password in the text\n',
    );
    expect(readme).not.toContain('sshUser');
  });

  test('gives secrets of the same name different variables, and equal secrets the same', () => {
    const pool = (name: string, config: string): object => ({
      name,
      quantity: 1,
      workerRole: true,
      machineConfigRef: { kind: 'HarvesterConfig', name: config },
    });
    const userData = (hash: string): string =>
      CloudInit.of({
        users: [{ name: 'ana', passwordHash: SecretValue.unsafePlainText(hash) }],
      }).toText();
    const hashes = [HASH, `${HASH}2`, HASH];
    const names = ['a', 'b', 'c'];
    const config = (name: string, text: string): Manifest => ({
      ...CONFIG({ userData: text }),
      metadata: { name, namespace: 'fleet-default' },
    });
    const result = adoptPlatform({
      clusters: [
        foundRancher('2.13.8', [
          ...SECRETS,
          CLUSTER({
            machinePools: [
              { ...pool('a', 'a'), controlPlaneRole: true, etcdRole: true },
              pool('b', 'b'),
              pool('c', 'c'),
            ],
          }),
          ...names.map((name, index) => config(name, userData(hashes[index]))),
        ]),
        foundHarvester('dc1', '1.7.2', [NAMESPACE]),
      ],
    });
    const written = writtenWith(result, {
      ANA_PASSWORD_HASH: HASH,
      ANA_PASSWORD_HASH_2: `${HASH}2`,
    });
    const texts = names.map(
      (name) =>
        written.find(({ kind, metadata }) => kind === 'HarvesterConfig' && metadata.name === name)
          ?.userData,
    );
    expect(texts).toEqual(hashes.map(userData));
    expect(result.files.get('guests/shop.ts')).toContain(
      "passwordHash: SecretValue.fromEnv('ANA_PASSWORD_HASH_2')",
    );
  });
});

function machine(userData: string, name = 'init'): Manifest {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      runStrategy: 'RerunOnFailure',
      template: {
        spec: {
          domain: {
            cpu: { cores: 1 },
            resources: { limits: { cpu: '1', memory: '1Gi' } },
            devices: { disks: [{ name, disk: { bus: 'virtio' } }] },
          },
          volumes: [{ name, cloudInitNoCloud: { userData } }],
        },
      },
    },
  };
}

const OBJECTS: readonly [
  name: string,
  manifest: Manifest,
  clusters: (manifest: Manifest) => FoundCluster[],
  secrets: Values,
][] = [
  [
    'a machine with a password',
    machine(`#cloud-config\npassword: ${PASSWORD}\n`),
    onHarvester,
    { WEB_PASSWORD: PASSWORD },
  ],
  [
    'a machine with a password in cloud-init that a prop writes',
    machine(`#cloud-config\npassword: ${PASSWORD}\n`, 'cloudinitdisk'),
    onHarvester,
    { WEB_PASSWORD: PASSWORD },
  ],
  [
    'a machine with a script',
    machine(`#!/bin/sh\nexport API_TOKEN=${PASSWORD}\n`),
    onHarvester,
    { WEB_API_TOKEN: PASSWORD },
  ],
  [
    'a machine with user data in base64',
    machine(base64(`#cloud-config\npassword: ${PASSWORD}\n`)),
    onHarvester,
    { WEB_PASSWORD: PASSWORD },
  ],
  [
    'a chart with values',
    {
      apiVersion: 'helm.cattle.io/v1',
      kind: 'HelmChart',
      metadata: { name: 'grafana', namespace: 'kube-system' },
      spec: {
        chart: 'grafana',
        repo: 'https://charts.example.com',
        targetNamespace: 'monitoring',
        valuesContent: `adminPassword: ${PASSWORD}\nreplicas: 2\n`,
      },
    },
    inGuest,
    { GRAFANA_ADMIN_PASSWORD: PASSWORD },
  ],
  [
    'a chart that no construct writes, with values in a form of its own',
    {
      apiVersion: 'helm.cattle.io/v1',
      kind: 'HelmChart',
      metadata: { name: 'grafana', namespace: 'kube-system' },
      spec: {
        chart: 'grafana',
        valuesContent: `# by hand\nadmin:   { password: '${PASSWORD}' }\n`,
      },
    },
    inGuest,
    { GRAFANA_VALUES_CONTENT: `# by hand\nadmin:   { password: '${PASSWORD}' }\n` },
  ],
  [
    'an object without a construct',
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'settings',
        namespace: 'default',
        annotations: { 'example.com/proxy': `http://u:${PASSWORD}@proxy:3128` },
      },
      data: { 'app.json': `{"db": {"password": "${PASSWORD}"}}` },
    },
    onHarvester,
    { SETTINGS_PASSWORD: PASSWORD, SETTINGS_HTTP: `u:${PASSWORD}` },
  ],
];

function onHarvester(...manifests: Manifest[]): FoundCluster[] {
  return [foundHarvester('dc1', '1.8.2', manifests)];
}

function inGuest(...manifests: Manifest[]): FoundCluster[] {
  return [foundGuest('shop', 'v1.33.6+rke2r1', manifests)];
}

test.each(OBJECTS)(
  'declares %s without its secret, and writes the live text with it',
  (_, manifest, clustersOf, secrets) => {
    const result = adoptPlatform({ clusters: clustersOf(manifest) });
    expect({
      leftOut: result.leftOut,
      errors: result.errors,
      differences: result.differences,
    }).toEqual({ leftOut: [], errors: [], differences: [] });
    for (const text of [PASSWORD, base64(PASSWORD)]) {
      expect(outputOf(result)).not.toContain(text);
    }
    const written = writtenWith(result, secrets).find(({ kind }) => kind === manifest.kind);
    expect(written).toMatchObject({ ...manifest, metadata: { name: manifest.metadata.name } });
  },
);

test('declares a Cluster whose fields contain secrets', () => {
  const manifest = CLUSTER({
    additionalManifest: `apiVersion: v1\nkind: Secret\nmetadata:\n  name: ci\n  namespace: default\nstringData:\n  token: ${PASSWORD}\n`,
    machineGlobalConfig: { 'cni': 'calico', 'etcd-s3-secret-key': `${PASSWORD}-s3` },
  });
  const result = adoptPlatform({ clusters: guestWith('#cloud-config\n', manifest) });
  expect({ errors: result.errors, differences: result.differences }).toEqual({
    errors: [],
    differences: [],
  });
  expect(outputOf(result)).not.toContain(PASSWORD);
  const written = writtenWith(result, {
    SHOP_ETCD_S3_SECRET_KEY: `${PASSWORD}-s3`,
    SHOP_TOKEN: PASSWORD,
  }).find(({ kind }) => kind === 'Cluster')!;
  expect(written.spec).toMatchObject({
    rkeConfig: {
      additionalManifest: expect.stringContaining(PASSWORD),
      machineGlobalConfig: { 'etcd-s3-secret-key': `${PASSWORD}-s3` },
    },
  });
});

test('leaves out an object with a secret where no program can hide it, with the reason', () => {
  const manifest = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'it', namespace: 'default' },
    data: { [`token: ${HASH}`]: HASH },
  } as unknown as Manifest;
  const result = adoptPlatform({ clusters: onHarvester(manifest) });
  expect(outputOf(result)).not.toContain(HASH);
  expect(result.leftOut).toEqual([
    {
      target: 'dc1',
      reason: expect.stringContaining('no program can write SecretValue.fromEnv'),
      objects: ['ConfigMap default/it'],
    },
  ]);
});

test('needs no variable where there is no secret', () => {
  const { files, leftOut, variables } = adoptPlatform({
    clusters: onHarvester(
      machine(
        '#cloud-config\npackage_update: true\nssh_authorized_keys:\n- ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA ana\nusers:\n- name: ana\n  sudo: ["ALL=(ALL) NOPASSWD:ALL"]\n',
      ),
    ),
  });
  expect({ leftOut, variables }).toEqual({ leftOut: [], variables: [] });
  expect(files.get('dc1.ts')).toContain('package_update: true');
});
