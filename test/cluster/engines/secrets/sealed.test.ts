import { execFileSync } from 'child_process';
import { randomBytes } from 'crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'fs';
import { delimiter, dirname, join } from 'path';
import { ApiObject } from 'cdk8s';
import {
  Delivery,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  LateSource,
  LateType,
  LateValue,
  RancherChart,
  SealedSecretScope,
  SecretDelivery,
  SecretValue,
  TokenSource,
} from '../../../../src';
import { deliverCommand } from '../../../../src/cli/command/output/deliver';
import { Manifest } from '../../../../src/core/manifest/manifest';
import { readManifests } from '../../../../src/engine/files/documents';
import { writeManifests } from '../../../../src/engine/late/write-manifests';
import { lintPaths } from '../../../../src/engine/read/lint';
import { loadAssembly, readAssembly } from '../../../../src/engine/read/load-assembly';
import { formsOf, printed, textsIn } from '../../../delivery/secret/_outputs';
import { Authority } from '../../../support/authority';
import { CREDENTIAL_ANNOTATIONS, kubeconfig } from '../../../support/guest';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { enginePath } from '../bed/engine-folder';

describeCluster('an output that kubeseal encrypts', () => {
  const folder = tempFolder();
  const authority = new Authority();
  const canary = (): string => `canary${randomBytes(24).toString('hex')}`;
  const secrets = {
    TOKEN: canary(),
    PASSWORD: canary(),
    LATE: canary(),
    MAP: canary(),
    KUBECONFIG_TEXT: kubeconfig('vms', undefined, canary()),
  };
  const environment = { ...process.env };
  const key = join(folder, 'key.pem');
  const certificate = join(folder, 'cert.pem');

  beforeAll(() => {
    process.env.PATH = [dirname(enginePath('secrets', 'kubeseal')), environment.PATH].join(
      delimiter,
    );
    for (const name of ['', 'other-']) {
      const { cert, key: privateKey } = authority.issue({ rsa: true });
      writeFileSync(join(folder, `${name}cert.pem`), cert);
      writeFileSync(join(folder, `${name}key.pem`), privateKey);
    }
    Object.assign(process.env, secrets);
  });
  beforeEach(() => {
    process.env.CDK8S_HARVESTER_DIGEST_KEY = randomBytes(32).toString('hex');
  });
  afterAll(() => {
    process.env = environment;
  });

  interface Options {
    readonly password?: string;
    readonly label?: string;
    readonly delivery?: Delivery;
    readonly declare?: (dc1: HarvesterChart) => void;
    readonly certificate?: string;
    readonly scope?: SealedSecretScope;
  }

  function synth(
    outdir: string,
    {
      password = 'not-random',
      label = 'shop',
      delivery,
      declare,
      certificate: own = certificate,
      scope,
    }: Options = {},
  ): HarvesterApp {
    const app = new HarvesterApp({
      outdir,
      delivery,
      secrets: SecretDelivery.sealedSecrets({ certificate: own, scope }),
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
    new ApiObject(rancher, 'credential', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'cc-dc1',
        namespace: 'cattle-global-data',
        annotations: CREDENTIAL_ANNOTATIONS,
      },
      stringData: {
        'harvestercredentialConfig-clusterType': 'external',
        'harvestercredentialConfig-kubeconfigContent': SecretValue.fromEnv('KUBECONFIG_TEXT').token,
      },
    });
    new ApiObject(dc1, 'login', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'login',
        namespace: 'default',
        labels: { app: label },
        annotations: { 'example.com/team': 'shop' },
      },
      type: 'kubernetes.io/basic-auth',
      immutable: true,
      data: { binary: Buffer.from([0, 255, 1, 254]).toString('base64') },
      stringData: { username: 'ana', password, lines: `a\n${SecretValue.fromEnv('PASSWORD')}\n` },
    });
    const late = new LateValue(dc1, 'class', {
      description: 'storage class',
      type: LateType.NAME,
      source: LateSource.field('data.plain', {
        target: dc1,
        apiVersion: 'v1',
        kind: 'ConfigMap',
        namespace: 'default',
        name: 'plain',
      }),
    });
    new ApiObject(dc1, 'waiting', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'waiting', namespace: 'default' },
      stringData: { class: late.token, password: SecretValue.fromEnv('LATE').token },
    });
    new ApiObject(dc1, 'map', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'map', namespace: 'default' },
      data: {
        'plain': 'readable',
        'auth.json': JSON.stringify({
          auth: Buffer.from(`me:${SecretValue.fromEnv('MAP')}`).toString('base64'),
        }),
      },
    });
    declare?.(dc1);
    app.synth();
    return app;
  }

  const fileOf = (outdir: string, name: string): string =>
    Object.keys(textsIn(outdir)).find((file) => file.endsWith(`_${name}.yaml`))!;
  const sealedIn = (outdir: string, name: string): Manifest =>
    readManifests(join(outdir, fileOf(outdir, name)))[0].manifest;
  const unseal = (sealed: object, privateKey = key): Manifest & { data: Record<string, string> } =>
    JSON.parse(
      execFileSync('kubeseal', ['--recovery-unseal', '--recovery-private-key', privateKey], {
        input: JSON.stringify(sealed),
        encoding: 'utf8',
        stdio: ['pipe', 'pipe', 'ignore'],
        env: process.env,
      }),
    ) as Manifest & { data: Record<string, string> };
  const plainOf = ({ data }: { data: Record<string, string> }): Record<string, string> =>
    Object.fromEntries(
      Object.entries(data).map(([name, value]) => [
        name,
        Buffer.from(value, 'base64').toString('latin1'),
      ]),
    );

  test('holds no secret in plain text, and SealedSecrets in place of Secrets', () => {
    const outdir = tempFolder();
    const all =
      printed(() => {
        synth(outdir);
      }) + Object.values(textsIn(outdir)).join('\n');
    for (const secret of [...Object.values(secrets), 'not-random']) {
      for (const form of formsOf(secret)) {
        expect(all).not.toContain(form);
      }
    }
    const kinds = readAssembly(outdir).objects.map(
      ({ kind, name, file }) => `${kind} ${name}${file === undefined ? ' waits' : ''}`,
    );
    expect(kinds).toEqual(
      expect.arrayContaining([
        'SealedSecret login',
        'Secret waiting waits',
        'ConfigMap map waits',
        'Setting cluster-registration-url waits',
      ]),
    );
    expect(kinds.filter((text) => text.startsWith('Secret '))).toEqual(['Secret waiting waits']);
  });

  test('is decrypted to what the program declares', () => {
    const outdir = tempFolder();
    printed(() => {
      synth(outdir);
    });
    const sealed = sealedIn(outdir, 'login');
    const secret = unseal(sealed);
    expect(secret).toMatchObject({
      type: 'kubernetes.io/basic-auth',
      immutable: true,
      metadata: {
        name: 'login',
        namespace: 'default',
        labels: { app: 'shop' },
        annotations: { 'example.com/team': 'shop' },
      },
    });
    expect(plainOf(secret)).toEqual({
      username: 'ana',
      password: 'not-random',
      lines: `a\n${secrets.PASSWORD}\n`,
      binary: '\u0000\u00ff\u0001\u00fe',
    });
    // bound to its name, and to the key of its cluster
    expect(() => unseal({ ...sealed, metadata: { ...sealed.metadata, name: 'other' } })).toThrow();
    expect(() => unseal(sealed, join(folder, 'other-key.pem'))).toThrow();
  });

  test('keeps a credential of Rancher when its SealedSecret is deleted', () => {
    const outdir = tempFolder();
    printed(() => {
      synth(outdir);
    });
    const { id } = readAssembly(outdir).objects.find(
      ({ namespace }) => namespace === 'cattle-global-data',
    )!;
    const secret = unseal(loadAssembly(outdir).manifests.get(id)!);
    expect(secret.metadata.annotations).toMatchObject({
      'sealedsecrets.bitnami.com/managed': 'true',
      'sealedsecrets.bitnami.com/skip-set-owner-references': 'true',
    });
    expect((secret.metadata as { ownerReferences?: unknown }).ownerReferences).toBeUndefined();
    expect(Object.values(plainOf(secret))).toContain(secrets.KUBECONFIG_TEXT);
  });

  test('keeps its bytes, and changes only the lines of changed values', () => {
    const outdir = tempFolder();
    printed(() => {
      synth(outdir);
    });
    const before = textsIn(outdir);
    expect(
      printed(() => {
        synth(outdir);
      }),
    ).not.toContain('again');
    expect(textsIn(outdir)).toEqual(before);

    const changed = (options: Options): string[] => {
      const old = textsIn(outdir);
      printed(() => {
        synth(outdir, options);
      });
      const now = textsIn(outdir);
      const file = fileOf(outdir, 'login');
      expect(
        Object.keys(now).filter((name) => now[name] !== old[name] && name !== 'assembly.json'),
      ).toEqual([file]);
      const lines = old[file].split('\n');
      return now[file]
        .split('\n')
        .filter((line, index) => line !== lines[index])
        .map((line) => line.trim().replace(/:.*/s, ''));
    };
    expect(changed({ password: 'another' })).toEqual(['password']);
    expect(changed({ password: 'another', label: 'web' })).toEqual(['app']);
    expect(plainOf(unseal(sealedIn(outdir, 'login'))).password).toBe('another');

    // a value that was changed by hand is not kept
    const file = join(outdir, fileOf(outdir, 'login'));
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/password: A/, 'password: B'));
    printed(() => {
      synth(outdir, { password: 'another', label: 'web' });
    });
    expect(plainOf(unseal(sealedIn(outdir, 'login'))).password).toBe('another');
  });

  test('is sealed again for another certificate or scope, and without a key for digests with one warning', () => {
    const outdir = tempFolder();
    printed(() => {
      synth(outdir);
    });
    printed(() => {
      synth(outdir, {
        certificate: readFileSync(join(folder, 'other-cert.pem'), 'utf8'),
        scope: SealedSecretScope.NAMESPACE_WIDE,
      });
    });
    const sealed = sealedIn(outdir, 'login');
    expect(sealed.metadata.annotations).toEqual({
      'sealedsecrets.bitnami.com/namespace-wide': 'true',
    });
    expect(
      plainOf(
        unseal(
          { ...sealed, metadata: { ...sealed.metadata, name: 'renamed' } },
          join(folder, 'other-key.pem'),
        ),
      ).password,
    ).toBe('not-random');

    delete process.env.CDK8S_HARVESTER_DIGEST_KEY;
    const warnings = printed(() => {
      synth(outdir);
    });
    expect(
      warnings.match(/kubeseal encrypted 3 objects again, .* Fix: set CDK8S_HARVESTER_DIGEST_KEY/g),
    ).toHaveLength(1);
  });

  test('leaves to apply what no SealedSecret can hold, with the reason, and apply reads the secret again', () => {
    const outdir = tempFolder();
    let app: HarvesterApp;
    printed(() => {
      app = synth(outdir);
    });
    const left = app!.findings
      .filter(({ rule }) => rule === 'delivery/left-to-apply')
      .map(({ level, object }) => `${level} ${object!.kind} ${object!.name}`);
    expect(left.sort()).toEqual([
      'warning ConfigMap map',
      'warning Setting cluster-registration-url',
    ]);
    const { lateValues, objects } = readAssembly(outdir);
    expect(lateValues.map(({ source }) => source)).toContainEqual({
      resolver: 'environment',
      name: 'MAP',
    });
    expect(objects.find(({ name }) => name === 'map')).toMatchObject({
      onlyApply: 'contains a secret, and only Secrets can be sealed',
    });
    expect(
      app!.findings.filter(
        ({ level, suppressed }) => level === 'error' && suppressed === undefined,
      ),
    ).toEqual([]);
    expect(
      app!.findings.filter(
        ({ rule, suppressed }) =>
          rule === 'program/secret-in-plain-text' && suppressed === undefined,
      ),
    ).toEqual([]);
  });

  test('is refused where a secret would remain in plain text', () => {
    const outdir = join(tempFolder(), 'dist');
    const text = canary();
    expect(() =>
      synth(outdir, {
        declare: (dc1) => {
          new ApiObject(dc1, 'open', {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: 'open', namespace: 'default' },
            data: { password: SecretValue.unsafePlainText(text).token },
          });
        },
      }),
    ).toThrow('ConfigMap default/open contains a secret that would be in plain text in the output');
    expect(existsSync(outdir)).toBe(false);
  });

  test('is not written for a certificate that has expired', () => {
    const outdir = join(tempFolder(), 'dist');
    const { cert } = authority.issue({
      rsa: true,
      notBefore: new Date('2020-01-01'),
      notAfter: new Date('2021-01-01'),
    });
    expect(() => synth(outdir, { certificate: cert })).toThrow(
      'failed to encrypt using an expired certificate on January 1, 2021. Fix: check the certificate',
    );
    expect(existsSync(outdir)).toBe(false);
  });

  test('has SealedSecrets in stages of every engine, with what the engine needs on them', () => {
    for (const [delivery, mark] of [
      [
        Delivery.argoCd({ repository: 'https://git.example.com/platform.git' }),
        'argocd.argoproj.io/sync-wave',
      ],
      [Delivery.fleet({ repository: 'https://git.example.com/platform.git' }), undefined],
      [Delivery.flux({ sourceName: 'platform' }), undefined],
    ] as const) {
      const outdir = tempFolder();
      printed(() => {
        synth(outdir, { delivery });
      });
      const sealed = sealedIn(outdir, 'login');
      if (mark) {
        expect(sealed.metadata.annotations).toHaveProperty([mark]);
      }
      expect(plainOf(unseal(sealed)).password).toBe('not-random');
      const all = Object.values(textsIn(outdir)).join('\n');
      for (const secret of Object.values(secrets)) {
        expect(all).not.toContain(secret);
      }
      expect(all).not.toContain('provider: sops');
    }
  });

  test('is judged like the Secrets', () => {
    const outdir = tempFolder();
    printed(() => {
      synth(outdir);
    });
    expect(
      lintPaths([outdir]).filter(
        ({ level, suppressed }) => level === 'error' && suppressed === undefined,
      ),
    ).toEqual([]);
    // switching is not silent: an engine that prunes deletes the Secret before the controller creates
    // it again
    const before = tempFolder();
    const app = new HarvesterApp({ outdir: before });
    const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
    new ApiObject(dc1, 'login', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login', namespace: 'default' },
      stringData: { password: 'x' },
    });
    printed(() => {
      app.synth();
    });
    expect(
      lintPaths([outdir], { before: [before] }).map(
        ({ rule, object }) => `${rule} ${object?.kind}`,
      ),
    ).toContain('output/gone Secret');
  });

  test('seals what resolve writes, and keeps its bytes', () => {
    const [outdir, out] = [tempFolder(), tempFolder()];
    printed(() => {
      synth(outdir);
    });
    const values = {
      values: new Map(),
      secrets: [],
      isSensitive: (id: string) => id.startsWith('secret.'),
      complete: (manifest: Manifest) => ({
        ...manifest,
        stringData: { class: 'fast', password: secrets.LATE },
      }),
    };
    const write = (): ReturnType<typeof writeManifests> =>
      writeManifests(out, loadAssembly(outdir), values as never);
    const {
      files: [file],
    } = write();
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(secrets.LATE);
    expect(plainOf(unseal(readManifests(file)[0].manifest))).toEqual({
      class: 'fast',
      password: secrets.LATE,
    });
    expect(write()).toEqual({ files: [file], removed: [], notes: [] });
    expect(readFileSync(file, 'utf8')).toBe(text);
    delete process.env.CDK8S_HARVESTER_DIGEST_KEY;
    expect(write().notes).toEqual([expect.stringContaining('kubeseal encrypted 1 object again')]);
  });

  test('is written from manifests of any origin, with a certificate for each cluster', async () => {
    const [from, out] = [tempFolder(), tempFolder()];
    for (const target of ['dc1', 'dc2']) {
      mkdirSync(join(from, target));
      writeFileSync(
        join(from, target, 'login.yaml'),
        `apiVersion: v1\nkind: Secret\nmetadata:\n  name: login\n  namespace: default\nstringData:\n  password: ${secrets.PASSWORD}\n`,
      );
    }
    jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
    jest.spyOn(process.stderr, 'write').mockImplementation(() => true);
    await deliverCommand()
      .exitOverride()
      .parseAsync(
        [
          '--delivery',
          'fleet',
          '--repository',
          'https://git.example.com/platform.git',
          '--output-dir',
          out,
          '--from',
          `dc1:harvester@1.7.2=${join(from, 'dc1')}`,
          '--from',
          `dc2:harvester@1.7.2=${join(from, 'dc2')}`,
          '--sealed-secrets-certificate',
          `dc1=${certificate}`,
          '--sealed-secrets-certificate',
          `dc2=${join(folder, 'other-cert.pem')}`,
        ],
        { from: 'user' },
      );
    jest.restoreAllMocks();
    for (const [target, privateKey] of [
      ['dc1', key],
      ['dc2', join(folder, 'other-key.pem')],
    ]) {
      const [file] = Object.keys(textsIn(join(out, target))).filter((name) =>
        name.includes('sealedsecret'),
      );
      expect(
        plainOf(unseal(readManifests(join(out, target, file))[0].manifest, privateKey)),
      ).toEqual({ password: secrets.PASSWORD });
    }
    expect(Object.values(textsIn(out)).join('\n')).not.toContain(secrets.PASSWORD);
  });

  test('differs by construct where the program chooses so', () => {
    const outdir = tempFolder();
    printed(() => {
      synth(outdir, {
        declare: (dc1) => {
          SecretDelivery.of(dc1.node.findChild('login')).use(
            SecretDelivery.externalSecrets({ store: 'vault' }),
          );
        },
      });
    });
    const { objects, storeKeys } = readAssembly(outdir);
    expect(objects.find(({ name }) => name === 'login')!.kind).toBe('ExternalSecret');
    expect(objects.filter(({ kind }) => kind === 'SealedSecret').length).toBeGreaterThan(0);
    expect(storeKeys).toEqual([
      {
        store: 'ClusterSecretStore/vault',
        key: 'dc1/default/login',
        properties: ['binary', 'lines', 'password', 'username'],
        objects: ['dc1/external-secrets.io/ExternalSecret/default/login'],
      },
    ]);
  });
});
