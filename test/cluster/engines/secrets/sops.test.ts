import { execFileSync } from 'child_process';
import { randomBytes } from 'crypto';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'fs';
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
  SecretDelivery,
  SecretValue,
  TokenSource,
} from '../../../../src';
import { deliverCommand } from '../../../../src/cli/command/output/deliver';
import { readManifests } from '../../../../src/engine/files/documents';
import { writeManifests } from '../../../../src/engine/late/write-manifests';
import { lintPaths } from '../../../../src/engine/read/lint';
import { loadAssembly, readAssembly } from '../../../../src/engine/read/load-assembly';
import { HarvesterSetting } from '../../../../src/settings';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { enginePath } from '../bed/engine-folder';

describeCluster('an output that SOPS encrypts', () => {
  const folder = tempFolder();
  const keyFile = join(folder, 'key.txt');
  const canary = (): string => `canary${randomBytes(24).toString('hex')}`;
  const token = canary();
  const inTemplate = canary();
  const inSetting = canary();
  const inAnnotation = canary();
  const environment = { ...process.env };
  let recipient: string;

  beforeAll(() => {
    process.env.PATH = [dirname(enginePath('secrets', 'sops')), environment.PATH].join(delimiter);
    execFileSync('age-keygen', ['-o', keyFile], { stdio: 'pipe', env: process.env });
    recipient = /age1\w+/.exec(readFileSync(keyFile, 'utf8'))![0];
  });
  beforeEach(() => {
    process.env.SOPS_AGE_KEY_FILE = keyFile;
  });
  afterEach(() => {
    delete process.env.CDK8S_HARVESTER_DIGEST_KEY;
  });
  afterAll(() => {
    process.env = environment;
  });

  const withoutPrivateKey = (): void => {
    process.env.SOPS_AGE_KEY_FILE = join(folder, 'none');
  };

  interface Options {
    readonly password?: string;
    readonly delivery?: Delivery;
    readonly secrets?: SecretDelivery;
  }

  function synth(
    outdir: string,
    {
      password = 'not-random',
      delivery,
      secrets = SecretDelivery.sops({ recipients: [recipient] }),
    }: Options = {},
  ): HarvesterApp {
    const app = new HarvesterApp({ outdir, delivery, secrets });
    const rancher = new RancherChart(app, 'rancher', {
      version: '2.13.8',
      serverUrl: 'https://rancher.example.com',
    });
    const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
    new HarvesterImport(rancher, 'import-dc1', {
      harvester: dc1,
      registrationToken: TokenSource.value(SecretValue.unsafePlainText(token)),
    });
    HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org']);
    new ApiObject(dc1, 'login', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login', namespace: 'default', labels: { app: 'shop' } },
      type: 'Opaque',
      stringData: { user: 'ana', password, number: '0o17', lines: 'a\nb\n' },
    });
    new ApiObject(dc1, 'map', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'map',
        namespace: 'default',
        annotations: { 'example.com/hook': `https://me:${inAnnotation}@hooks.example.com` },
      },
      data: { 'plain': 'readable', 'proxy.conf': `http://me:${inSetting}@proxy.example.com` },
    });
    const late = new LateValue(dc1, 'class', {
      description: 'storage class',
      type: LateType.NAME,
      source: LateSource.field('data.plain', {
        target: dc1,
        apiVersion: 'v1',
        kind: 'ConfigMap',
        namespace: 'default',
        name: 'map',
      }),
    });
    new ApiObject(dc1, 'waiting', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'waiting', namespace: 'default' },
      stringData: { class: late.token, password: SecretValue.unsafePlainText(inTemplate).token },
    });
    app.synth();
    return app;
  }

  const filesIn = (outdir: string): string[] =>
    readdirSync(outdir, { recursive: true, encoding: 'utf8' })
      .filter((file) => statSync(join(outdir, file)).isFile())
      .sort();
  const textsIn = (outdir: string): Record<string, string> =>
    Object.fromEntries(
      filesIn(outdir).map((file) => [file, readFileSync(join(outdir, file), 'utf8')]),
    );
  const changedLines = (before: string, after: string): string[] => {
    const old = before.split('\n');
    return after
      .split('\n')
      .filter((line, index) => line !== old[index])
      .map((line) => line.trim().replace(/:.*/s, ''));
  };
  const printed = (run: () => void): string => {
    jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
    const write = jest.spyOn(process.stderr, 'write').mockImplementation(() => true);
    try {
      run();
      return write.mock.calls.map(([text]) => String(text)).join('');
    } finally {
      jest.restoreAllMocks();
    }
  };
  const login = (outdir: string): string =>
    filesIn(outdir).find((file) => file.endsWith('secret_default_login.sops.yaml'))!;

  test('holds no secret in plain text, and only encrypted objects in encrypted files', () => {
    const outdir = tempFolder();
    const warnings = printed(() => {
      synth(outdir);
    });
    const all = Object.values(textsIn(outdir)).join('\n') + warnings;
    for (const secret of [token, inTemplate, inSetting, inAnnotation, 'not-random']) {
      for (const form of [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '')]) {
        expect(all).not.toContain(form);
      }
    }
    const encrypted = filesIn(outdir).filter((file) => file.endsWith('.sops.yaml'));
    expect(encrypted.map((file) => file.replace(/\/\d\d-/, '/'))).toEqual([
      'dc1/setting.harvesterhci.io_cluster-registration-url.sops.yaml',
      'dc1/configmap_default_map.sops.yaml',
      'dc1/secret_default_login.sops.yaml',
      expect.stringMatching(/^rancher\/secret_c-m-\w+_crt-token-gitops\.sops\.yaml$/),
    ]);
    const text = readFileSync(join(outdir, login(outdir)), 'utf8');
    expect(text).toMatch(
      /^apiVersion: v1\nkind: Secret\nmetadata:\n  labels:\n    app: shop\n  name: login\n  namespace: default\nstringData:\n  lines: ENC\[/,
    );
    // plain files hold public values, and the other setting
    expect(all).toContain('0.pool.ntp.org');
    expect(all).toContain('plain: readable');
  });

  test('is the output in plain text once it is decrypted', () => {
    const [hidden, plain] = [tempFolder(), tempFolder()];
    printed(() => {
      synth(hidden);
      synth(plain, { secrets: SecretDelivery.plainText() });
    });
    expect(new Map(loadAssembly(hidden).manifests)).toEqual(new Map(loadAssembly(plain).manifests));
  });

  test('keeps its bytes with the private key, and changes only the lines of changed values', () => {
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

    printed(() => {
      synth(outdir, { password: 'another' });
    });
    const after = textsIn(outdir);
    expect(Object.keys(after).filter((file) => after[file] !== before[file])).toEqual([
      login(outdir),
    ]);
    expect(
      changedLines(before[login(outdir)], after[login(outdir)]).filter(
        (key) => key !== 'lastmodified',
      ),
    ).toEqual(['password', 'mac']);
  });

  test('keeps its bytes by a keyed digest without the private key', () => {
    const outdir = tempFolder();
    withoutPrivateKey();
    process.env.CDK8S_HARVESTER_DIGEST_KEY = randomBytes(32).toString('hex');
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

    printed(() => {
      synth(outdir, { password: 'another' });
    });
    const after = textsIn(outdir);
    expect(Object.keys(after).filter((file) => after[file] !== before[file])).toEqual([
      'assembly.json',
      login(outdir),
    ]);
    // a file that was changed by hand is not kept
    writeFileSync(
      join(outdir, login(outdir)),
      after[login(outdir)].replace('name: login', 'name: other'),
    );
    printed(() => {
      synth(outdir, { password: 'another' });
    });
    expect(readFileSync(join(outdir, login(outdir)), 'utf8')).toContain('name: login');
  });

  test('is encrypted again without both keys, with one warning', () => {
    const outdir = tempFolder();
    withoutPrivateKey();
    expect(
      printed(() => {
        synth(outdir);
      }),
    ).not.toContain('again');
    const before = textsIn(outdir);
    const warnings = printed(() => {
      synth(outdir);
    });
    expect(warnings.match(/SOPS encrypted 5 objects again/g)).toHaveLength(1);
    expect(textsIn(outdir)[login(outdir)]).not.toBe(before[login(outdir)]);
    expect(textsIn(outdir)['dc1/12-setting.harvesterhci.io.yaml']).toBe(
      before['dc1/12-setting.harvesterhci.io.yaml'],
    );
  });

  test('is encrypted again for other recipients', () => {
    const outdir = tempFolder();
    printed(() => {
      synth(outdir);
    });
    const other = execFileSync('age-keygen', {
      encoding: 'utf8',
      stdio: 'pipe',
      env: process.env,
    }).match(/age1\w+/)![0];
    printed(() => {
      synth(outdir, { secrets: SecretDelivery.sops({ recipients: [recipient, other] }) });
    });
    expect(readFileSync(join(outdir, login(outdir)), 'utf8')).toContain(`recipient: ${other}`);
  });

  test('is judged as far as it can be read', () => {
    const outdir = tempFolder();
    printed(() => {
      synth(outdir);
    });
    expect(
      lintPaths([outdir]).filter(
        ({ level, suppressed }) => level === 'error' && suppressed === undefined,
      ),
    ).toEqual([]);
    expect(lintPaths([outdir]).map(({ rule }) => rule)).not.toContain('lint/encrypted');
    withoutPrivateKey();
    const findings = lintPaths([outdir], { before: [outdir] });
    expect(findings.filter(({ rule }) => rule === 'lint/encrypted')).toHaveLength(1);
    expect(findings.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('is not loaded without the private key: the error names the file and the fix', () => {
    const outdir = tempFolder();
    printed(() => {
      synth(outdir);
    });
    withoutPrivateKey();
    expect(() => loadAssembly(outdir)).toThrow(
      `is encrypted by SOPS for ${recipient}, and no private key of them was found. Fix: set SOPS_AGE_KEY_FILE`,
    );
    expect(() => loadAssembly(outdir)).toThrow('.sops.yaml');
  });

  test('is decrypted by the Kustomizations of Flux that need it', () => {
    const outdir = tempFolder();
    printed(() => {
      synth(outdir, { delivery: Delivery.flux({ sourceName: 'platform' }) });
    });
    const decryption = { provider: 'sops', secretRef: { name: 'sops-age' } };
    const all = ['dc1', 'rancher'].flatMap((target) =>
      readFileSync(join(outdir, 'flux', `${target}.yaml`), 'utf8').split('---\n'),
    );
    const { stages = [], objects } = readAssembly(outdir);
    for (const { folder: stage, late } of stages) {
      const needs =
        late === true ||
        objects.some(({ file }) => file?.startsWith(`${stage}/`) && file.endsWith('.sops.yaml'));
      const text = all.find((each) => each.includes(`  name: ${stage.replace('/', '-')}\n`))!;
      expect({ stage, decrypts: text.includes(`provider: ${decryption.provider}`) }).toEqual({
        stage,
        decrypts: needs,
      });
    }
  });

  test('remains encrypted when it is written for an engine later', async () => {
    const [outdir, engine] = [tempFolder(), tempFolder()];
    printed(() => {
      synth(outdir);
    });
    const deliver = async (...options: string[]): Promise<void> => {
      jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
      jest.spyOn(process.stderr, 'write').mockImplementation(() => true);
      try {
        await deliverCommand()
          .exitOverride()
          .parseAsync(
            [
              '--delivery',
              'flux',
              '--source-name',
              'platform',
              '--output-dir',
              engine,
              ...options,
              outdir,
            ],
            { from: 'user' },
          );
      } finally {
        jest.restoreAllMocks();
      }
    };
    await expect(deliver()).rejects.toThrow(
      'is encrypted by SOPS, and its secrets would be written in plain text. Fix: add --sops-recipient',
    );
    await deliver('--sops-recipient', recipient);
    const all = Object.values(textsIn(engine)).join('\n');
    expect(all).toContain('provider: sops');
    for (const secret of [token, inTemplate, inSetting, 'not-random']) {
      expect(all).not.toContain(secret);
    }
  });

  test('remains encrypted when late values are resolved', () => {
    const [outdir, folder_] = [tempFolder(), tempFolder()];
    printed(() => {
      synth(outdir);
    });
    const values = {
      values: new Map(),
      secrets: [],
      isSensitive: () => false,
      complete: (manifest: object) => manifest,
    };
    const {
      files: [file],
    } = writeManifests(folder_, loadAssembly(outdir), values as never);
    expect(file).toMatch(/secret\.default\.waiting\.sops\.yaml$/);
    expect(readFileSync(file, 'utf8')).not.toContain(inTemplate);
    expect(readManifests(file)[0].manifest.stringData).toMatchObject({ password: inTemplate });

    // with the private key, or with a key for digests, an unchanged value keeps the bytes
    const write = () => writeManifests(folder_, loadAssembly(outdir), values as never);
    const text = readFileSync(file, 'utf8');
    expect([write().notes, readFileSync(file, 'utf8')]).toEqual([[], text]);
    const loaded = loadAssembly(outdir);
    process.env.CDK8S_HARVESTER_DIGEST_KEY = randomBytes(32).toString('hex');
    write();
    withoutPrivateKey();
    const digested = readFileSync(file, 'utf8');
    expect(digested).toMatch(/^# cdk8s-harvester: \{.*"digest":"[0-9a-f]{64}"\}\n/);
    expect([
      writeManifests(folder_, loaded, values as never).notes,
      readFileSync(file, 'utf8'),
    ]).toEqual([[], digested]);
    delete process.env.CDK8S_HARVESTER_DIGEST_KEY;
    expect(writeManifests(folder_, loaded, values as never).notes).toEqual([
      expect.stringContaining('SOPS encrypted 1 object again'),
    ]);
    process.env.SOPS_AGE_KEY_FILE = keyFile;
    expect(readManifests(file)[0].manifest.stringData).toMatchObject({ password: inTemplate });
  });

  test('reads a manifest that people encrypted by hand', () => {
    const file = join(tempFolder(), 'two.yaml');
    const text =
      'apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\nstringData:\n  x: "y"\n---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: b\nstringData:\n  x: "12:30"\n';
    writeFileSync(file, text);
    execFileSync(
      'sops',
      ['encrypt', '-i', '--age', recipient, '--encrypted-regex', '^stringData$', file],
      { stdio: 'pipe', env: process.env },
    );
    expect(readManifests(file).map(({ manifest }) => manifest.stringData)).toEqual([
      { x: 'y' },
      { x: '12:30' },
    ]);
  });
});
