import { execFileSync } from 'child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { ApiObject } from 'cdk8s';
import { parse } from 'yaml';
import {
  ArgoCdDecryption,
  Delivery,
  HarvesterApp,
  HarvesterChart,
  LateSource,
  LateValue,
  SecretDelivery,
} from '../../../src';
import { Manifest, valueAt } from '../../../src/core/manifest/manifest';
import { Assembly } from '../../../src/core/output/assembly';
import { lintPaths } from '../../../src/engine/read/lint';
import { readInput } from '../../../src/engine/read/read-input';
import { fakeSops } from '../../support/fake-sops';
import { tempFolder } from '../../support/temp';
import { objectsOf } from '../_platform';

const RECIPIENT = 'age1qyyappls469vacyphhuhw3m02mpjxqglxwr6gr40k67tpvfwr5dqw2vdh3';

interface Contents {
  /** Names of Secrets. */
  readonly secrets?: readonly string[];
  readonly configMaps?: readonly string[];
  /** Whether an object waits for a late value. */
  readonly waits?: boolean;
}

/** A Harvester whose output Argo CD delivers, and what it contains. */
function program(
  decryption: ArgoCdDecryption | undefined,
  { secrets = ['login'], configMaps = ['motd'], waits = false }: Contents = {},
  outdir = join(tempFolder(), 'dist'),
): HarvesterApp {
  const app = new HarvesterApp({
    outdir,
    printWarnings: false,
    delivery: Delivery.argoCd({ repository: 'https://git.example.com/platform.git', decryption }),
    secrets: SecretDelivery.sops({ recipients: [RECIPIENT], program: fakeSops(tempFolder()) }),
  });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  const add = (kind: string, name: string, content: object): ApiObject =>
    new ApiObject(dc1, name, {
      apiVersion: 'v1',
      kind,
      metadata: { name, namespace: 'default' },
      ...content,
    });
  secrets.forEach((name) => add('Secret', name, { stringData: { password: 'horse-battery' } }));
  configMaps.forEach((name) => add('ConfigMap', name, { data: { text: name } }));
  if (waits) {
    const source = { target: dc1, apiVersion: 'v1', kind: 'ConfigMap', namespace: 'x', name: 'x' };
    const late = new LateValue(dc1, 'late', {
      description: 'a text',
      source: LateSource.field('data.text', source),
    });
    add('ConfigMap', 'waiting', { data: { text: late.token } });
  }
  return app;
}

function applicationOf({ outdir }: HarvesterApp): Manifest {
  return objectsOf(outdir, 'argo-cd', 'dc1.yaml')[0];
}

function assemblyOf(outdir: string): Assembly {
  return readInput([outdir], {}).assemblies[0];
}

/** The paths of all objects in files, by name, in the folder of the target. */
function filesOf({ outdir }: HarvesterApp): { readonly [name: string]: string } {
  return Object.fromEntries(
    assemblyOf(outdir).objects.flatMap(({ name, file }) =>
      file === undefined ? [] : [[name, file.replace(/^dc1\//, '')]],
    ),
  );
}

const PLUGIN = ArgoCdDecryption.plugin({
  name: 'sops-v1.0',
  env: { SOPS_AGE_KEY_FILE: '/keys/age' },
});

describe('a config management plugin', () => {
  test('reads the folder of the target, in place of the tool for plain files', () => {
    const app = program(PLUGIN);
    app.synth();
    expect(valueAt(applicationOf(app), 'spec', 'source')).toEqual({
      repoURL: 'https://git.example.com/platform.git',
      targetRevision: 'HEAD',
      path: 'dist/dc1',
      plugin: { name: 'sops-v1.0', env: [{ name: 'SOPS_AGE_KEY_FILE', value: '/keys/age' }] },
    });
    expect(filesOf(app).login).toMatch(/\.sops\.yaml$/);
    expect(lintPaths([app.outdir]).filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('delivers what waits for late values', () => {
    const app = program(PLUGIN, { waits: true });
    expect(app.validate().filter(({ rule }) => rule === 'delivery/left-to-apply')).toEqual([]);
  });

  test('has the command of the page, which prints each object, and fails if sops does', () => {
    const page = readFileSync(join(__dirname, '../../../docs/argo-cd/secrets.md'), 'utf8');
    const [, yaml] =
      /```yaml\n(apiVersion: argoproj.io\/v1alpha1\nkind: ConfigManagementPlugin[^]*?)```/.exec(
        page,
      )!;
    const { command, args } = (
      parse(yaml) as { spec: { generate: { command: string[]; args: string[] } } }
    ).spec.generate;
    const bin = tempFolder();
    const run = (outdir: string, script: string): string => {
      writeFileSync(join(bin, 'sops'), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, 'sops'), 0o755);
      return execFileSync(command[0], [...command.slice(1), ...args], {
        cwd: join(outdir, 'dc1'),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
      });
    };
    const app = program(PLUGIN, { secrets: ['login', 'token'] });
    app.synth();
    const printed = run(
      app.outdir,
      `echo 'kind: Secret'; echo "metadata: {name: $(basename "$2")}"`,
    );
    expect(printed.match(/^kind: .*/gm)!.sort()).toEqual([
      'kind: ConfigMap',
      'kind: Secret',
      'kind: Secret',
    ]);
    expect(printed).not.toContain('ENC[');
    expect(() => run(app.outdir, 'exit 1')).toThrow();
  });

  test.each([
    [{ name: '' }, 'name: must be the name of a plugin'],
    [{ name: 'My Plugin' }, 'got "My Plugin". Fix: set metadata.name'],
    [{ name: 'sops', env: { 'A-B': '' } }, 'env: must have names of environment variables as keys'],
  ])('is refused with a name that is not valid: %j', (props, message) => {
    expect(() => ArgoCdDecryption.plugin(props)).toThrow(message);
  });
});

describe('KSOPS', () => {
  test('lists the files of the target, and those that it decrypts', () => {
    const app = program(ArgoCdDecryption.ksops());
    app.synth();
    const { login, motd } = filesOf(app);
    expect(valueAt(applicationOf(app), 'spec', 'source')).toEqual({
      repoURL: 'https://git.example.com/platform.git',
      targetRevision: 'HEAD',
      path: 'dist/dc1',
    });
    const read = (file: string): unknown =>
      parse(readFileSync(join(app.outdir, 'dc1', file), 'utf8'));
    expect(read('kustomization.yaml')).toEqual({
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: [motd],
      generators: ['secret-generator.yaml'],
    });
    expect(read('secret-generator.yaml')).toEqual({
      apiVersion: 'viaduct.ai/v1',
      kind: 'ksops',
      metadata: {
        name: 'secrets',
        annotations: { 'config.kubernetes.io/function': 'exec:\n  path: ksops\n' },
      },
      files: [`./${login}`],
    });
    expect(lintPaths([app.outdir]).filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('lists what the next commit adds and renames, and no file that left', () => {
    const outdir = join(tempFolder(), 'dist');
    program(ArgoCdDecryption.ksops(), {}, outdir).synth();
    const next = program(
      ArgoCdDecryption.ksops(),
      { secrets: [], configMaps: ['motd', 'banner'] },
      outdir,
    );
    next.synth();
    const { banner, motd } = filesOf(next);
    expect(parse(readFileSync(join(outdir, 'dc1', 'kustomization.yaml'), 'utf8'))).toEqual({
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: [...new Set([banner, motd])].sort(),
    });
    expect(existsSync(join(outdir, 'dc1', 'secret-generator.yaml'))).toBe(false);
  });

  test('leaves what waits for late values to apply, and reports it', () => {
    const app = program(ArgoCdDecryption.ksops(), { waits: true });
    app.synth();
    expect(
      app
        .validate()
        .filter(({ rule }) => rule === 'delivery/left-to-apply')
        .map(({ level, message }) => `${level}: ${message}`),
    ).toEqual([
      'warning: ConfigMap default/waiting waits for a late value, and kustomization.yaml for KSOPS lists the files that synthesis writes, so it is in no file',
    ]);
    expect(
      assemblyOf(app.outdir).objects.find(({ name }) => name === 'waiting')!.onlyApply,
    ).toMatch(/^waits for/);
  });
});

test('names what decrypts where a program lacks it', () => {
  const [finding] = program(undefined)
    .validate()
    .filter(({ rule }) => rule === 'delivery/secrets');
  expect(`${finding.message}. Fix: ${finding.fix}`).toBe(
    'Secret default/login is encrypted by SOPS, which Argo CD does not decrypt: it would apply the encrypted values. ' +
      'Fix: set decryption of Delivery.argoCd if a plugin or KSOPS is installed with Argo CD, or deliver with Flux or apply, or let another tool create the Secret',
  );
});
