import { existsSync, readFileSync } from 'fs';
import { join } from 'path';
import { ApiObject, Duration } from 'cdk8s';
import { formsOf, printed, textsIn } from './_outputs';
import {
  Delivery,
  ExternalSecretsProps,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  LateSource,
  LateType,
  LateValue,
  RancherChart,
  Retention,
  SecretDelivery,
  SecretStoreKind,
  SecretValue,
  TokenSource,
} from '../../../src';
import { Manifest } from '../../../src/core/manifest/manifest';
import { LateResolver } from '../../../src/engine/late/late-resolver';
import { lintPaths } from '../../../src/engine/read/lint';
import { loadAssembly, readAssembly } from '../../../src/engine/read/load-assembly';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';

const CANARIES = {
  TOKEN: 'canarytoken0123456789abcdef',
  PASSWORD: 'canary"pass\'word\\0123',
  MAP: 'canary: map #0123456789',
};

beforeEach(() => {
  Object.assign(process.env, CANARIES);
});
afterEach(() => {
  for (const name of Object.keys(CANARIES)) {
    delete process.env[name];
  }
});

interface Options {
  readonly delivery?: Delivery;
  readonly props?: Partial<ExternalSecretsProps>;
  readonly declare?: (dc1: HarvesterChart, rancher: RancherChart) => void;
}

function synth(outdir: string, { delivery, props = {}, declare }: Options = {}): HarvesterApp {
  const app = new HarvesterApp({
    outdir,
    delivery,
    secrets: SecretDelivery.externalSecrets({ store: 'vault', ...props }),
  });
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  new HarvesterImport(rancher, 'import-dc1', {
    harvester: dc1,
    registrationToken: TokenSource.value(SecretValue.fromEnv('TOKEN')),
  });
  new ApiObject(dc1, 'login', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'login',
      namespace: 'default',
      labels: { app: 'shop' },
      annotations: { 'example.com/format': '{{ .password }}' },
    },
    type: 'kubernetes.io/basic-auth',
    immutable: true,
    stringData: { username: 'ana', password: SecretValue.fromEnv('PASSWORD').token },
  });
  declare?.(dc1, rancher);
  printed(() => {
    app.synth();
  });
  return app;
}

const manifestOf = (outdir: string, name: string): Manifest => {
  const { manifests, assembly } = loadAssembly(outdir);
  return manifests.get(assembly.objects.find((object) => object.name === name)!.id)!;
};
const entryOf = (outdir: string, name: string) =>
  readAssembly(outdir).objects.find((object) => object.name === name)!;

test('writes an ExternalSecret without values, which keeps type, labels and annotations', () => {
  const outdir = tempFolder();
  synth(outdir);
  expect(manifestOf(outdir, 'login')).toEqual({
    apiVersion: 'external-secrets.io/v1',
    kind: 'ExternalSecret',
    metadata: { name: 'login', namespace: 'default' },
    spec: {
      refreshInterval: '1h0m0s',
      secretStoreRef: { kind: 'ClusterSecretStore', name: 'vault' },
      target: {
        name: 'login',
        creationPolicy: 'Owner',
        deletionPolicy: 'Retain',
        immutable: true,
        template: {
          // the operator takes texts for templates
          engineVersion: 'v2',
          mergePolicy: 'Replace',
          metadata: {
            annotations: { 'example.com/format': '{{ "{{" }} .password }}' },
            labels: { app: 'shop' },
          },
          type: 'kubernetes.io/basic-auth',
        },
      },
      data: ['password', 'username'].map((property) => ({
        secretKey: property,
        remoteRef: {
          conversionStrategy: 'Default',
          decodingStrategy: 'None',
          key: 'dc1/default/login',
          metadataPolicy: 'None',
          property,
        },
      })),
    },
  });
  const all = Object.values(textsIn(outdir)).join('\n');
  for (const secret of Object.values(CANARIES)) {
    for (const form of formsOf(secret)) {
      expect(all).not.toContain(form);
    }
  }
  expect(
    lintPaths([outdir]).filter(
      ({ level, suppressed }) => level === 'error' && suppressed === undefined,
    ),
  ).toEqual([]);
  // the same program writes the same bytes
  const before = textsIn(outdir);
  synth(outdir);
  expect(textsIn(outdir)).toEqual(before);
});

test('lists the keys that the store must contain', async () => {
  const outdir = tempFolder();
  synth(outdir, {
    props: {
      keyOf: 'platform/{target}-{namespace}-{name}',
      storeKind: SecretStoreKind.SECRET_STORE,
      refreshInterval: Duration.minutes(90),
    },
  });
  expect(manifestOf(outdir, 'login').spec).toMatchObject({
    refreshInterval: '1h30m0s',
    secretStoreRef: { kind: 'SecretStore', name: 'vault' },
  });
  expect(readAssembly(outdir).storeKeys).toContainEqual({
    store: 'SecretStore/vault',
    key: 'platform/dc1-default-login',
    properties: ['password', 'username'],
    objects: ['dc1/external-secrets.io/ExternalSecret/default/login'],
  });
  const { stdout } = await runCli('show', outdir);
  expect(stdout).toContain(
    'keys that external stores must contain:\n  SecretStore/vault  platform/dc1-default-login  with the properties password, username\n',
  );
  expect(stdout).toContain(
    'secrets that apply reads again, since no file contains them:\n  environment variable TOKEN\n',
  );
});

test('reads each key of a Secret from a key of its own', () => {
  const outdir = tempFolder();
  synth(outdir, { props: { keyOf: '{name}-{key}' } });
  expect(manifestOf(outdir, 'login').spec).toMatchObject({
    data: [
      { secretKey: 'password', remoteRef: { key: 'login-password' } },
      { secretKey: 'username', remoteRef: { key: 'login-username' } },
    ],
  });
  expect(readAssembly(outdir).storeKeys!.map(({ key }) => key)).toEqual(
    expect.arrayContaining(['login-password', 'login-username']),
  );
});

test('keeps what the program keeps, and the credentials of Rancher, when the ExternalSecret is deleted', () => {
  const outdir = tempFolder();
  synth(outdir, {
    declare: (dc1, rancher) => {
      Retention.of(dc1.node.findChild('login')).retain();
      new ApiObject(rancher, 's3', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's3', namespace: 'cattle-global-data' },
        stringData: { 's3credentialConfig-accessKey': 'a', 's3credentialConfig-secretKey': 'b' },
      });
    },
  });
  for (const name of ['login', 's3']) {
    expect(manifestOf(outdir, name).spec).toMatchObject({
      target: { creationPolicy: 'Orphan', deletionPolicy: 'Retain' },
    });
  }
  expect(manifestOf(outdir, 'login').metadata.annotations).toMatchObject({
    'kustomize.toolkit.fluxcd.io/prune': 'disabled',
    'helm.sh/resource-policy': 'keep',
  });
});

test('leaves a Secret without values as it is', () => {
  const outdir = tempFolder();
  synth(outdir, {
    declare: (dc1) => {
      new ApiObject(dc1, 'token', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'token',
          namespace: 'default',
          annotations: { 'kubernetes.io/service-account.name': 'robot' },
        },
        type: 'kubernetes.io/service-account-token',
      });
    },
  });
  expect(entryOf(outdir, 'token').kind).toBe('Secret');
});

describe('what no Secret of a store can be', () => {
  const declare = (dc1: HarvesterChart): void => {
    const secret = SecretValue.fromEnv('MAP');
    new ApiObject(dc1, 'map', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'map', namespace: 'default' },
      data: {
        'config.json': JSON.stringify({ a: 1, password: `${secret}` }),
        'config.yaml': `apiVersion: v1\npassword: ${secret}\n`,
        'auth': Buffer.from(
          JSON.stringify({
            auths: { 'registry.example.com': { username: 'someone', password: `${secret}` } },
          }),
        ).toString('base64'),
      },
    });
    const source = LateSource.field('data.plain', {
      target: dc1,
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'default',
      name: 'source',
    });
    const late = new LateValue(dc1, 'class', { description: 'class', type: LateType.NAME, source });
    new ApiObject(dc1, 'waiting', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'waiting', namespace: 'default' },
      stringData: { class: late.token, password: secret.token },
    });
  };

  test('is left to apply, with a finding that names the reason', () => {
    const outdir = tempFolder();
    const app = synth(outdir, { declare, delivery: Delivery.flux({ sourceName: 'platform' }) });
    expect(
      app.findings
        .filter(({ rule }) => rule === 'delivery/left-to-apply')
        .map(({ message }) => message)
        .sort(),
    ).toEqual([
      'ConfigMap default/map contains a secret, and only Secrets can come from a store, so it is in no file',
      'Secret default/waiting waits for a value of a live cluster, which the store does not have, so it is in no file',
      'Setting cluster-registration-url contains a secret, and only Secrets can come from a store, so it is in no file',
    ]);
    expect(Object.values(textsIn(outdir)).join('\n')).not.toContain('canary');
    for (const name of ['map', 'waiting', 'cluster-registration-url']) {
      expect(entryOf(outdir, name)).toMatchObject({
        onlyApply: expect.any(String),
        template: expect.any(Object),
      });
    }
  });

  test('is what the program declares once apply has read the secrets again', async () => {
    const [outdir, plain] = [tempFolder(), tempFolder()];
    synth(outdir, { declare });
    const app = new HarvesterApp({ outdir: plain, secrets: SecretDelivery.plainText() });
    const rancher = new RancherChart(app, 'rancher', {
      version: '2.13.8',
      serverUrl: 'https://rancher.example.com',
    });
    const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
    new HarvesterImport(rancher, 'import-dc1', {
      harvester: dc1,
      registrationToken: TokenSource.value(SecretValue.fromEnv('TOKEN')),
    });
    declare(dc1);
    printed(() => {
      app.synth();
    });

    const { assembly, manifests } = loadAssembly(outdir);
    const resolver = new LateResolver(assembly, new Map());
    for (const { id, source } of assembly.lateValues) {
      if (!('target' in source)) {
        await resolver.resolve(id);
      }
    }
    const expected = loadAssembly(plain).manifests;
    for (const id of [
      'dc1//ConfigMap/default/map',
      'dc1/harvesterhci.io/Setting//cluster-registration-url',
    ]) {
      expect(resolver.complete(manifests.get(id)!)).toEqual(expected.get(id));
    }

    delete process.env.MAP;
    const late = assembly.lateValues.find(
      ({ source }) => 'name' in source && source.name === 'MAP',
    )!;
    await expect(new LateResolver(assembly, new Map()).resolve(late.id)).rejects.toThrow(
      'environment variable MAP is not set: no file of the output contains this secret. Fix: set it, as for synthesis',
    );
  });
});

test.each([
  [
    'of the program itself',
    'a-secret-in-the-program',
    (dc1: HarvesterChart) =>
      SecretValue.unsafePlainText('a-secret-in-the-program').token + dc1.targetName,
  ],
  ['by its form', 'https://me:letmein0123@example.com', () => 'https://me:letmein0123@example.com'],
])('refuses a secret that would remain in plain text: %s', (_, secret, textOf) => {
  const outdir = join(tempFolder(), 'dist');
  const run = (): HarvesterApp =>
    synth(outdir, {
      declare: (dc1) => {
        new ApiObject(dc1, 'open', {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'open', namespace: 'default' },
          data: { 'proxy.conf': textOf(dc1) },
        });
      },
    });
  expect(run).toThrow(
    'ConfigMap default/open contains a secret that would be in plain text in the output',
  );
  expect(run).not.toThrow(secret);
  expect(existsSync(outdir)).toBe(false);
});

test.each([
  [{ store: 'My Store' }, 'store must be the name of a store on the cluster, got "My Store"'],
  [
    { store: 'vault', keyOf: '{cluster}/{name}' },
    'keyOf must contain {target}, {namespace}, {name}, {key} only, got {cluster}',
  ],
  [
    { store: 'vault', keyOf: 'platform' },
    'keyOf must contain {name}, got "platform": all Secrets would have the same values',
  ],
])('refuses %j', (props, message) => {
  expect(() => SecretDelivery.externalSecrets(props)).toThrow(message);
});

test.each([
  ['Fleet', Delivery.fleet({ repository: 'https://git.example.com/platform.git' })],
  ['Argo CD', Delivery.argoCd({ repository: 'https://git.example.com/platform.git' })],
])('is accepted by %s', (_, delivery) => {
  const outdir = tempFolder();
  const app = synth(outdir, { delivery });
  expect(app.findings.filter(({ rule }) => rule === 'delivery/secrets')).toEqual([]);
  expect(readFileSync(join(outdir, entryOf(outdir, 'login').file!), 'utf8')).toContain(
    'kind: ExternalSecret',
  );
});

test('differs by cluster and by object where the program chooses so; the nearest choice applies', () => {
  const outdir = tempFolder();
  synth(outdir, {
    declare: (dc1) => {
      SecretDelivery.of(dc1).use(SecretDelivery.plainText());
      new ApiObject(dc1, 'other', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'other', namespace: 'default' },
        stringData: { password: 'x' },
      });
      SecretDelivery.of(dc1.node.findChild('other')).use(
        SecretDelivery.externalSecrets({ store: 'other' }),
      );
    },
  });
  expect([
    entryOf(outdir, 'login').kind,
    entryOf(outdir, 'other').kind,
    entryOf(outdir, 'crt-token-gitops').kind,
  ]).toEqual(['Secret', 'ExternalSecret', 'ExternalSecret']);
  expect(manifestOf(outdir, 'other').spec).toMatchObject({ secretStoreRef: { name: 'other' } });
});

test('applies to a program that chooses it for an object only', () => {
  const outdir = tempFolder();
  const app = new HarvesterApp({ outdir });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  for (const name of ['a', 'b']) {
    new ApiObject(dc1, name, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'default' },
      stringData: { password: 'x' },
    });
  }
  SecretDelivery.of(dc1.node.findChild('a')).use(
    SecretDelivery.externalSecrets({ store: 'vault' }),
  );
  printed(() => {
    app.synth();
  });
  expect([entryOf(outdir, 'a').kind, entryOf(outdir, 'b').kind]).toEqual([
    'ExternalSecret',
    'Secret',
  ]);
});

/** A Secret that waits for a live cluster, and an account that names it. */
function declareWaiting(dc1: HarvesterChart): void {
  const late = new LateValue(dc1, 'Late', {
    description: 'a password',
    type: LateType.TOKEN,
    source: LateSource.field('data.x', {
      target: dc1,
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'default',
      name: 'x',
    }),
  });
  const metadata = (name: string): object => ({ name, namespace: 'default' });
  new ApiObject(dc1, 'late', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadata('late'),
    stringData: { password: late.token },
  });
  new ApiObject(dc1, 'account', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: metadata('account'),
    imagePullSecrets: [{ name: 'late' }],
  } as never);
}

test.each([
  ['no engine', undefined],
  ['Argo CD', Delivery.argoCd({ repository: 'https://git.example.com/platform.git' })],
  ['Fleet', Delivery.fleet({ repository: 'https://git.example.com/platform.git' })],
])(
  'leads to apply, and never to resolve, for what only apply writes with %s',
  async (_, delivery) => {
    const outdir = tempFolder();
    synth(outdir, { delivery, declare: declareWaiting });
    const { findings } = readAssembly(outdir);
    expect(findings.map(({ rule }) => rule)).toContain('delivery/left-to-apply');
    expect(findings.filter(({ fix }) => /run cdk8s-harvester resolve/.test(fix))).toEqual([]);
    const { stdout } = await runCli('show', outdir);
    const steps = stdout.slice(stdout.indexOf('next steps'));
    expect(steps).toMatch(/apply writes 2 objects|write 2 objects that the engine does not/);
    expect(steps).not.toContain('cdk8s-harvester resolve');
    expect((await runCli('lint', outdir)).stdout).not.toMatch(/run cdk8s-harvester resolve/);
  },
);
