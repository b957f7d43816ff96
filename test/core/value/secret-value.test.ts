import { writeFileSync } from 'fs';
import { join } from 'path';
import { inspect } from 'util';
import { ApiObject, App, Testing } from 'cdk8s';
import { Construct } from 'constructs';
import { parse } from 'yaml';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { LateType } from '../../../src/core/late/late-text';
import { LateSource, LateValue } from '../../../src/core/value/late-value';
import { SecretValue } from '../../../src/core/value/secret-value';
import { readYaml } from '../../../src/core/yaml/yaml-reader';
import { HelmChartAddon } from '../../../src/guest/chart/helm-chart';
import { GuestChart } from '../../../src/guest/guest-chart';
import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import { CloudInitFile } from '../../../src/harvester/cloud-init/cloud-init-props';
import { CloudInitSecret } from '../../../src/harvester/cloud-init/cloud-init-secret';
import { S3Credential } from '../../../src/rancher/credential/s3-credential';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { TokenSource } from '../../../src/rancher/import/registration-token';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { messageOf } from '../../support/message-of';
import { configMap, filesIn, newApp, newHarvester, newRancher } from '../../support/programs';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';
import { assemblyOf } from '../../support/written';

const TEXT = 'hunter2: "quoted"\nand more';
const secret = (text = TEXT): SecretValue => SecretValue.unsafePlainText(text);

/** A field of a ConfigMap, which only the cluster knows. */
function fieldOf(target: RancherChart): LateSource {
  return LateSource.field('data.x', {
    target,
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'a',
    name: 's',
  });
}

function secretObject(
  scope: Construct,
  id: string,
  fields: { [field: string]: unknown },
): ApiObject {
  return new ApiObject(scope, id, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: id, namespace: 'x' },
    ...fields,
  });
}

function objectsOf(app: HarvesterApp): any[] {
  app.synth();
  return Object.entries(filesIn(app.outdir))
    .filter(([name]) => name.endsWith('.yaml'))
    .flatMap(([, text]) => readYaml(text));
}

/** Nothing of it is in any file or finding. */
function expectNoMarker(app: HarvesterApp): void {
  expect(
    Object.entries(filesIn(app.outdir)).filter(([, text]) => text.includes('secret-value.')),
  ).toEqual([]);
  expect(JSON.stringify(app.findings)).not.toContain('secret-value.');
}

beforeEach(() => {
  delete process.env.CDK8S_HARVESTER_SECRETS;
});
afterAll(() => {
  delete process.env.CDK8S_HARVESTER_SECRETS;
});

test('shows nothing of the secret wherever it is printed', () => {
  const value = secret('hunter2');
  expect(
    [`${value}`, JSON.stringify({ value }), inspect(value, { depth: 5, showHidden: true })].join(),
  ).not.toContain('hunter2');
});

describe('a secret is put in', () => {
  test('in a plain object: as a value, in a text, in JSON, in JSON in JSON, in base64', () => {
    const app = newApp();
    const value = secret();
    secretObject(newRancher(app), 's', {
      stringData: {
        whole: value,
        text: `user:${value}@host`,
        json: JSON.stringify({ p: value, q: `${value}` }),
        twice: JSON.stringify({ inner: JSON.stringify({ p: value }) }),
      },
      data: {
        whole: value.base64,
        own: Buffer.from(`${value}`).toString('base64'),
        within: Buffer.from(`user: ${value}`).toString('base64'),
        config: Buffer.from(
          JSON.stringify({
            auths: { 'r.example.com': { auth: Buffer.from(`me:${value}`).toString('base64') } },
          }),
        ).toString('base64'),
      },
    });
    const [{ stringData, data }] = objectsOf(app);
    expect(stringData.whole).toBe(TEXT);
    expect(stringData.text).toBe(`user:${TEXT}@host`);
    expect(JSON.parse(stringData.json)).toEqual({ p: TEXT, q: TEXT });
    expect(JSON.parse(JSON.parse(stringData.twice).inner)).toEqual({ p: TEXT });
    const decoded = (text: string): string => Buffer.from(text, 'base64').toString();
    expect([data.whole, data.own, data.within].map(decoded)).toEqual([TEXT, TEXT, `user: ${TEXT}`]);
    expect(decoded(JSON.parse(decoded(data.config)).auths['r.example.com'].auth)).toBe(
      `me:${TEXT}`,
    );
    expectNoMarker(app);
    // a Secret is where secrets belong
    expect(app.findings.filter(({ rule }) => rule.startsWith('program/'))).toEqual([]);
  });

  test('in values of a chart, with a warning that names the path and not the secret', () => {
    const app = newApp();
    const shop = new GuestChart(app, 'shop', { version: 'v1.33.6+rke2r1' });
    new HelmChartAddon(shop, 'chart', {
      chart: 'web',
      repository: 'https://charts.example.com',
      values: { db: { password: secret().token, url: `postgres://u:${secret('pw-1')}@db` } },
    });
    const chart = objectsOf(app).find(({ kind }) => kind === 'HelmChart');
    expect(readYaml(chart.spec.valuesContent)).toEqual([
      { db: { password: TEXT, url: 'postgres://u:pw-1@db' } },
    ]);
    expectNoMarker(app);
    expect(app.findings).toContainEqual(
      expect.objectContaining({
        rule: 'program/secret-in-plain-text',
        level: 'warning',
        construct: expect.stringContaining('shop/chart'),
        path: 'spec.valuesContent',
      }),
    );
    expect(JSON.stringify(app.findings)).not.toContain('hunter2');
  });

  test('in files of cloud-init', () => {
    const app = newApp();
    const cloudInit = CloudInit.of({
      files: [
        CloudInitFile.text('/etc/app.json', JSON.stringify({ p: secret() })),
        CloudInitFile.text('/etc/x', `p=${secret('short')}\n`),
      ],
    });
    new CloudInitSecret(newHarvester(app), 'init', { cloudInit });
    const [{ data }] = objectsOf(app).filter(({ kind }) => kind === 'Secret');
    const [config] = readYaml(Buffer.from(data.userdata, 'base64').toString()) as any[];
    expect(config.write_files.map(({ content }: any) => content)).toEqual([
      JSON.stringify({ p: TEXT }),
      'p=short\n',
    ]);
    expectNoMarker(app);
  });

  test('next to a late value, in the same text', () => {
    const app = newApp();
    const rancher = newRancher(app);
    const late = new LateValue(rancher, 'v', {
      description: 'v',
      source: fieldOf(rancher),
    });
    secretObject(rancher, 's', { stringData: { text: `${secret('pw-1')} ${late}` } });
    app.synth();
    expect(assemblyOf(app).objects[0].template.stringData.text).toBe('pw-1 ${late:rancher.v}');
    expectNoMarker(app);
  });

  test('below a plain App, in the objects of a target chart', () => {
    const chart = newRancher(new App());
    secretObject(chart, 's', { stringData: { x: `a ${secret('pw-1')}` } });
    expect(Testing.synth(chart)[0].stringData).toEqual({ x: 'a pw-1' });
  });
});

describe('a secret that cannot be put in is an error with the path of its construct', () => {
  const fails = (declare: (scope: Construct) => void, message: RegExp): void => {
    const app = newApp();
    declare(new Construct(newRancher(app), 'mine'));
    const text = messageOf(() => app.synth());
    expect(text).toMatch(message);
    expect(text).toContain('rancher/mine');
    expect(text).not.toContain('hunter2');
    expect(filesIn(app.outdir)).toEqual({});
  };
  const data = (text: string) => (scope: Construct) => {
    configMap(scope, 's', { x: text });
  };

  test('when escaped for a URL', () =>
    fails(data(encodeURIComponent(`${secret()}`)), /marker was changed/));
  test('when its case is changed', () =>
    fails(data(`${secret()}`.toUpperCase()), /marker was changed/));
  test('when cut', () =>
    fails(data(`${secret()}`.slice(0, -2)), /marker was changed|was cut or changed/));
  test('when in base64 of several lines', () =>
    fails(
      data(
        Buffer.from(`${'a'.repeat(52)}${secret()}`)
          .toString('base64')
          .replace(/.{72}/g, '$&\n'),
      ),
      /base64/,
    ));
  test('when another language prints it', () =>
    fails(
      data('<cdk8s_harvester.SecretValue object at 0x7f3a>'),
      /printed as an object; use its property token/,
    ));
  test('when in a key', () =>
    fails((scope) => {
      configMap(scope, 's', { [`${secret()}`]: 'x' });
    }, /SecretValue in a key/));
  test('when in a name', () =>
    fails((scope) => {
      secretObject(scope, `n${secret('a')}`.slice(0, 1), {
        metadata: { name: `n-${secret('abc')}`, namespace: 'x' },
      });
    }, /names are public/));
  test('when in plain text in data of a Secret', () =>
    fails((scope) => {
      secretObject(scope, 's', { data: { x: secret() } });
    }, /must be base64/));
  test('when missing', () =>
    fails(
      data(`${SecretValue.fromEnv('NO_SUCH_TOKEN')}`),
      /environment variable NO_SUCH_TOKEN is not set\n {2}fix: set it before synthesis/,
    ));
});

describe('from the environment', () => {
  test('names the variable that is missing', () => {
    delete process.env.NO_SUCH_TOKEN;
    expect(SecretValue.fromEnv('NO_SUCH_TOKEN')._lack()).toEqual({
      message: 'the secret from environment variable NO_SUCH_TOKEN is not set',
      fix: 'set it before synthesis',
    });
    process.env.NO_SUCH_TOKEN = '';
    expect(SecretValue.fromEnv('NO_SUCH_TOKEN')._lack()!.message).toBe(
      'the secret from environment variable NO_SUCH_TOKEN is empty',
    );
    delete process.env.NO_SUCH_TOKEN;
  });
  test('all variables that are missing are in one report, also those of constructs that read them', () => {
    const rancher = newRancher(newApp());
    new S3Credential(rancher, 's3', {
      bucket: 'etcd',
      region: 'eu',
      accessKey: SecretValue.fromEnv('NO_SUCH_KEY'),
      secretKey: SecretValue.fromEnv('NO_SUCH_SECRET'),
    });
    secretObject(rancher, 's', { stringData: { x: `${SecretValue.fromFile('/no/such/file')}` } });
    const text = messageOf(() => (rancher.node.root as HarvesterApp).synth());
    expect(text).toContain(
      'error  program/secret-not-resolved  secrets of the program are missing (3 findings)',
    );
    expect(text).toContain('environment variable NO_SUCH_KEY is not set');
    expect(text).toContain('environment variable NO_SUCH_SECRET is not set');
    expect(text).toContain('file /no/such/file does not exist');
  });
});

describe('a secret in place of where it is', () => {
  test.each(['topsecret-abc', 'top secret', ''])(
    'is not repeated for a variable: "%s"',
    (value) => {
      expect(messageOf(() => SecretValue.fromEnv(value))).toBe(
        "SecretValue.fromEnv: name must be the name of an environment variable, got another text. Fix: give the name, e.g. 'DB_PASSWORD', not its value",
      );
    },
  );
  test('is not repeated for a variable if its form is that of an unusual name', () => {
    expect(SecretValue.fromEnv('hunter2')._lack()!.message).toBe(
      'the secret from an environment variable whose name has other characters than A-Z, 0-9 and _ is not set',
    );
  });
  test('may still be in a variable with an unusual name', () => {
    process.env.hunter2 = 'abc';
    expect(SecretValue.fromEnv('hunter2')._unwrap()).toBe('abc');
    delete process.env.hunter2;
  });
  test.each(['apiVersion: v1\ntoken: topsecret', 'a'.repeat(256), ''])(
    'is not repeated for a file: %j',
    (content) => {
      expect(messageOf(() => SecretValue.fromFile(content))).toBe(
        'SecretValue.fromFile: path must be the path of a file, got another text. Fix: give the path, not the content',
      );
    },
  );
});

describe('from a file', () => {
  const file = (content: string | Buffer): string => {
    const path = join(tempFolder(), 'secret');
    writeFileSync(path, content);
    return path;
  };

  test('leaves out one line break at the end, unless it is asked for', () => {
    expect(SecretValue.fromFile(file('abc\n'))._unwrap()).toBe('abc');
    expect(SecretValue.fromFile(file('abc\r\n'))._unwrap()).toBe('abc');
    expect(SecretValue.fromFile(file('a\nbc\n\n'))._unwrap()).toBe('a\nbc\n');
    expect(SecretValue.fromFile(file('abc\n'), { keepTrailingNewline: true })._unwrap()).toBe(
      'abc\n',
    );
  });
  test('that does not exist names the file', () =>
    expect(SecretValue.fromFile('/no/such/file')._lack()).toEqual({
      message: 'the secret from file /no/such/file does not exist',
      fix: 'write the file before synthesis',
    }));
  test('that is not text is refused', () =>
    expect(() => SecretValue.fromFile(file(Buffer.from([0xff, 0xfe])))._unwrap()).toThrow(
      'must be text in UTF-8',
    ));
});

test('from a late value waits for it, in base64 where a Secret needs that, and makes it a credential', () => {
  const app = newApp();
  const rancher = newRancher(app);
  const dc1 = newHarvester(app);
  const late = new LateValue(rancher, 'v', {
    description: 'v',
    type: LateType.STRING,
    source: fieldOf(rancher),
  });
  new HarvesterImport(rancher, 'import', {
    harvester: dc1,
    registrationToken: TokenSource.value(SecretValue.fromLate(late)),
  });
  app.synth();
  const { objects, lateValues } = assemblyOf(app);
  expect(objects.find(({ kind }: any) => kind === 'Secret').template.data.token).toBe(
    '${late:rancher.v|base64}',
  );
  expect(JSON.stringify(objects.find(({ kind }: any) => kind === 'Setting').template)).toContain(
    '/v3/import/${late:rancher.v}_',
  );
  expect(lateValues).toContainEqual(expect.objectContaining({ id: 'rancher.v', sensitive: true }));
});

describe('a build without secrets', () => {
  function program(): HarvesterApp {
    delete process.env.NO_SUCH_TOKEN;
    const app = newApp();
    const rancher = newRancher(app);
    const dc1 = newHarvester(app);
    new HarvesterImport(rancher, 'import', {
      harvester: dc1,
      registrationToken: TokenSource.value(SecretValue.fromEnv('NO_SUCH_TOKEN')),
    });
    secretObject(rancher, 'mine', {
      stringData: { x: `p=${SecretValue.fromFile('/no/such/file')}` },
      data: { y: Buffer.from(`${SecretValue.fromEnv('NO_SUCH_TOKEN')}`).toString('base64') },
    });
    configMap(rancher, 'other');
    return app;
  }

  test('fails without the mode', () => {
    expect(() => program().synth()).toThrow('NO_SUCH_TOKEN');
  });

  test('marks what it concerns, in the assembly and on each object, and no marker is in a file', () => {
    process.env.CDK8S_HARVESTER_SECRETS = 'placeholder';
    const app = program();
    const objects = objectsOf(app);
    expectNoMarker(app);
    expect(app.findings.filter(({ level }) => level === 'error')).toEqual([]);
    const marked = objects.filter(
      ({ metadata }) => metadata.annotations?.['cdk8s-harvester/placeholder'] !== undefined,
    );
    expect(
      marked
        .map(({ kind, metadata }) => [kind, metadata.annotations['cdk8s-harvester/placeholder']])
        .sort(),
    ).toEqual([
      ['Secret', 'environment variable NO_SUCH_TOKEN'],
      ['Secret', 'environment variable NO_SUCH_TOKEN, file /no/such/file'],
      ['Setting', 'environment variable NO_SUCH_TOKEN'],
    ]);
    const mine = objects.find(({ metadata }) => metadata.name === 'mine');
    expect(mine.stringData.x).toBe('p=placeholder-file-no-such-file');
    expect(Buffer.from(mine.data.y, 'base64').toString()).toBe(
      'placeholder-environment-variable-NO_SUCH_TOKEN',
    );
    expect(
      assemblyOf(app)
        .placeholders.map((entry: any) => entry.in)
        .sort(),
    ).toEqual(expect.arrayContaining(['rancher//Secret/x/mine']));
    expect(
      parse(filesIn(app.outdir)['rancher/15-configmap.yaml'] ?? 'metadata: {}').metadata
        .annotations,
    ).toBeUndefined();
  });

  test('is refused by plan, apply and lint', async () => {
    process.env.CDK8S_HARVESTER_SECRETS = 'placeholder';
    const app = program();
    app.synth();
    for (const command of ['plan', 'apply']) {
      const { exitCode, stderr } = await runCli(command, app.outdir);
      expect([command, exitCode, stderr]).toEqual([
        command,
        1,
        expect.stringContaining(
          'contains placeholders instead of secrets, so it cannot be planned or applied:',
        ),
      ]);
      expect(stderr).toContain(
        'rancher//Secret/x/mine: environment variable NO_SUCH_TOKEN, file /no/such/file',
      );
    }
    const { exitCode, stdout } = await runCli('lint', app.outdir);
    expect([exitCode, stdout]).toEqual([3, expect.stringContaining('object/placeholder')]);
  });

  test('is not judged for its form, which is that of no token', async () => {
    process.env.CDK8S_HARVESTER_SECRETS = 'placeholder';
    const app = newApp();
    new HarvesterImport(newRancher(app), 'import', {
      harvester: newHarvester(app),
      registrationToken: TokenSource.value(SecretValue.fromEnv('NO_SUCH_TOKEN')),
    });
    app.synth();
    const { stdout } = await runCli('lint', app.outdir);
    expect(stdout).not.toContain('registration-token/secret-token-form');
    expect(stdout).toContain('registration-token/plain-token');
  });

  test('takes secrets that are there', () => {
    process.env.CDK8S_HARVESTER_SECRETS = 'placeholder';
    const app = newApp();
    secretObject(newRancher(app), 's', { stringData: { x: `${secret('pw-1')}` } });
    expect(objectsOf(app)[0].stringData.x).toBe('pw-1');
    expect(assemblyOf(app).placeholders).toBeUndefined();
  });

  test('refuses another value of the variable', () => {
    process.env.CDK8S_HARVESTER_SECRETS = 'yes';
    expect(() => SecretValue.fromEnv('NO_SUCH_TOKEN')._unwrap()).toThrow(
      'environment variable CDK8S_HARVESTER_SECRETS: must be placeholder, got "yes"',
    );
  });
});

test('a marker that would reach a file by another way stops synthesis, and nothing is written', () => {
  const app = newApp();
  const rancher = newRancher(app);
  new LateValue(rancher, 'v', {
    description: `of ${secret()}`,
    source: fieldOf(rancher),
  });
  configMap(rancher, 'a');
  expect(() => app.synth()).toThrow(
    'assembly.json: would hold the marker of a SecretValue; nothing was written',
  );
  expect(filesIn(app.outdir)).toEqual({});
});
