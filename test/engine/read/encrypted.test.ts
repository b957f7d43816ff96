import { cpSync, readdirSync, readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { ApiObject } from 'cdk8s';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { withUnknownValues } from '../../../src/core/late/encrypted-values';
import { Manifest, leavesOf, replacedAt } from '../../../src/core/manifest/manifest';
import { Finding } from '../../../src/core/rule/finding';
import { judgeAll } from '../../../src/core/rule/judge-all';
import { JudgedObject } from '../../../src/core/rule/rule';
import { secretFields } from '../../../src/core/secret/secret-fields';
import { SecretDelivery } from '../../../src/delivery/secret/secret-delivery';
import { appOf } from '../../../src/engine/fields/apply-set';
import { readEdits } from '../../../src/engine/read/compared-input';
import { lintPaths } from '../../../src/engine/read/lint';
import { LoadedAssembly, loadReadable } from '../../../src/engine/read/load-assembly';
import { readInput } from '../../../src/engine/read/read-input';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { impactsOfEdits } from '../../../src/report/impact/edit-impacts';
import { Impact } from '../../../src/report/impact/impact';
import { rbacOf } from '../../../src/report/rbac/rbac';
import { someOf } from '../../support/cases';
import { fakeSops } from '../../support/fake-sops';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';

const RECIPIENT = 'age1qyyappls469vacyphhuhw3m02mpjxqglxwr6gr40k67tpvfwr5dqw2vdh3';

interface Edit {
  /** The name of the Secret that the Cluster names. */
  readonly secret?: string;
  readonly isDeclared?: boolean;
  readonly value?: string;
  readonly password?: string;
  readonly cpu?: string;
  readonly kubernetes?: string;
  /** Other ciphertexts for the same values, as of another run without a key. */
  readonly salt?: string;
}

const written = new Map<string, string>();

/** The output of a Cluster with a Secret and a pool, whose secrets are encrypted. */
function output(edit: Edit = {}): string {
  const key = JSON.stringify(edit);
  if (!written.has(key)) {
    written.set(key, writeOutput(edit));
  }
  // tests edit it
  const folder = join(tempFolder(), 'dist');
  cpSync(written.get(key)!, folder, { recursive: true });
  return folder;
}

function writeOutput({
  secret = 'cc-one',
  isDeclared = true,
  value = 'horse-battery-staple',
  password = 'correct-horse-battery',
  cpu = '4',
  kubernetes = 'v1.33.6+rke2r1',
  salt,
}: Edit): string {
  const outdir = join(tempFolder(), 'dist');
  const app = new HarvesterApp({
    outdir,
    printWarnings: false,
    secrets: SecretDelivery.sops({
      recipients: [RECIPIENT],
      program: fakeSops(tempFolder(), salt),
    }),
  });
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  const object = (apiVersion: string, kind: string, name: string, content: object): ApiObject =>
    new ApiObject(rancher, `${kind}-${name}`, {
      apiVersion,
      kind,
      metadata: { name, namespace: 'fleet-default' },
      ...content,
    });
  if (isDeclared) {
    object('v1', 'Secret', secret, { type: 'Opaque', stringData: { password: value } });
  }
  object('rke-machine-config.cattle.io/v1', 'HarvesterConfig', 'pool', {
    cpuCount: cpu,
    memorySize: '8',
    userData: `#cloud-config\npackages: [qemu-guest-agent]\nruncmd: [systemctl enable --now qemu-guest-agent]\npassword: ${password}\n`,
    diskInfo: JSON.stringify({ disks: [{ imageName: 'default/image-x', size: 40, bootOrder: 1 }] }),
    networkInfo: JSON.stringify({ interfaces: [{ networkName: 'default/lan' }] }),
    vmNamespace: 'default',
    sshUser: 'ubuntu',
  });
  object('provisioning.cattle.io/v1', 'Cluster', 'lab', {
    spec: {
      cloudCredentialSecretName: secret,
      kubernetesVersion: kubernetes,
      rkeConfig: {
        machinePools: [
          {
            name: 'all',
            quantity: 3,
            etcdRole: true,
            controlPlaneRole: true,
            workerRole: true,
            machineConfigRef: { kind: 'HarvesterConfig', name: 'pool' },
          },
        ],
      },
    },
  });
  app.synth();
  return outdir;
}

const impactsOf = (before: string, after: string): Impact[] =>
  impactsOfEdits(readEdits([after], [before], {}));

const UNKNOWN = 'changed, value unknown: it is encrypted';

/** An output after an edit of its encrypted files. */
function edited(folder: string, edit: (text: string) => string): string {
  for (const name of readdirSync(join(folder, 'rancher'))) {
    if (name.endsWith('.sops.yaml')) {
      const file = join(folder, 'rancher', name);
      writeFileSync(file, edit(readFileSync(file, 'utf8')));
    }
  }
  return folder;
}

test('finds no impact where nothing changed, and reads what is encrypted', () => {
  const folder = output();
  const files = readdirSync(join(folder, 'rancher')).filter((name) => name.endsWith('.sops.yaml'));
  expect(files).toHaveLength(2);
  expect(impactsOf(folder, output())).toEqual([]);
});

test('reports an encrypted Secret that is edited, without its value', () => {
  const impacts = impactsOf(output(), output({ value: 'another-password' }));
  expect(impacts).toMatchObject([
    {
      effect: 'none',
      cluster: 'fleet-default/lab',
      causes: [{ object: 'Secret fleet-default/cc-one', path: 'stringData', remark: UNKNOWN }],
    },
  ]);
  expect(JSON.stringify(impacts)).not.toMatch(/late:|ENC\[/);
});

test('reports an encrypted Secret that is removed while a Cluster names it', () => {
  expect(impactsOf(output(), output({ isDeclared: false }))).toMatchObject([
    {
      what: 'a Secret that the Cluster names is deleted',
      causes: [{ object: 'Secret fleet-default/cc-one', remark: 'is gone' }],
    },
  ]);
});

test('does not take an encrypted Secret for a new or a missing one', () => {
  const missing = (before: string, after: string): string[] =>
    lintPaths([after], { before: [before] })
      .filter(({ object }) => object?.kind === 'Secret')
      .map(({ rule }) => rule);
  expect(missing(output(), output())).toEqual([]);
  expect(missing(output({ isDeclared: false }), output())).toEqual([]);
  expect(missing(output(), output({ isDeclared: false }))).toEqual(['output/gone']);
  expect(missing(output(), output({ secret: 'cc-two' }))).toEqual(['output/gone']);
});

test('reports the edit of an object that refers to an encrypted one', () => {
  expect(impactsOf(output(), output({ secret: 'cc-two' }))).toMatchObject([
    {
      effect: 'none',
      causes: [
        {
          path: 'spec.cloudCredentialSecretName',
          before: '"cc-one"',
          after: '"cc-two"',
        },
      ],
    },
  ]);
  expect(impactsOf(output(), output({ kubernetes: 'v1.34.2+rke2r1' }))).toMatchObject([
    { effect: 'restart', causes: [{ path: 'spec.kubernetesVersion' }] },
  ]);
});

test('judges the readable fields of an encrypted machine configuration, and not the others', () => {
  expect(impactsOf(output(), output({ cpu: '8' }))).toMatchObject([
    { effect: 'replace', machines: 3, causes: [{ path: 'cpuCount', before: '"4"', after: '"8"' }] },
  ]);
  expect(impactsOf(output(), output({ password: 'another-password' }))).toMatchObject([
    {
      effect: 'unknown',
      machines: 3,
      what: 'cannot be compared: a value is encrypted, and there is no private key here',
      causes: [{ path: 'userData', remark: UNKNOWN }],
    },
  ]);
});

test('knows of values that were encrypted again only that they may have changed', () => {
  expect(impactsOf(output(), output({ salt: 'other' })).map(({ effect }) => effect)).toEqual([
    'unknown',
    'none',
  ]);
});

test('prints one line about what was not compared', async () => {
  const [before, after] = [output(), output()];
  const { exitCode, stderr } = await runCli('impact', after, '--before', before);
  expect(exitCode).toBe(0);
  expect(stderr).toBe(
    'the encrypted values of 2 objects were not compared: they are encrypted by SOPS, and not decrypted here. Fix: to let them be compared, set SOPS_AGE_KEY_FILE to a file with the private key\n',
  );
});

test.each(['access', 'addresses', 'fits'])('%s prints one line, too', async (command) => {
  const { exitCode, stderr } = await runCli(command, output());
  expect(exitCode).toBe(0);
  expect(stderr).toBe(
    'the encrypted values of 2 objects were not judged: they are encrypted by SOPS, and not decrypted here. Fix: to let them be judged, set SOPS_AGE_KEY_FILE to a file with the private key\n',
  );
});

test.each(['images', 'show', 'rbac'])('%s needs no encrypted value', async (command) => {
  const { exitCode, stderr } = await runCli(command, output());
  expect([exitCode, stderr]).toEqual([0, '']);
});

test('rbac permits the same deletions with a previous output that is encrypted', async () => {
  const before = output();
  const { stdout } = await runCli('rbac', output({ secret: 'cc-two' }), '--before', before);
  expect(stdout).toMatch(/resourceNames:\n +- cc-one\n +verbs:\n(?: +- \w+\n)* +- delete/);
});

test('lint has one finding for all encrypted files, and judges what is readable', () => {
  const found = lintPaths([output({ cpu: '0' })]);
  expect(found.filter(({ rule }) => rule === 'lint/encrypted')).toMatchObject([
    { message: expect.stringMatching(/^2 files in .*rancher are encrypted by SOPS.*2 objects/) },
  ]);
  expect(found.map(({ path }) => path)).toContain('cpuCount');
});

test('refuses a comparison with objects whose names are encrypted, too', () => {
  const hidden = edited(output(), (text) =>
    text.replace(/name: (cc-one|pool)/, 'name: ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]'),
  );
  expect(() => impactsOf(output(), hidden)).toThrow('whose kind or name is encrypted by SOPS');
});

const EXAMPLES = join(__dirname, '..', '..', '..', 'examples');
const examples = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** An object with all that SOPS encrypts of it unknown. */
function unknown(plain: Manifest): Manifest {
  const fields = secretFields(plain, new Set());
  const hidden = fields.reduce(
    (manifest, path) => replacedAt(manifest, path, `ENC[AES256_GCM,data:${path.join('.')}]`),
    plain,
  );
  return withUnknownValues({ ...hidden, sops: {} })!;
}

const unknownOf = (object: JudgedObject): JudgedObject => ({
  ...object,
  manifest: unknown(object.manifest),
});

test.each(someOf(examples, 2))(
  'rbac prints the same for %s while its secrets are encrypted',
  (name) => {
    const plain = loadReadable(join(EXAMPLES, name, 'dist'));
    const manifests = new Map(
      [...plain.manifests].map(([id, manifest]) => [id, unknown(manifest)] as const),
    );
    const printed = (program: LoadedAssembly): unknown =>
      program.assembly.targets.map((target) => rbacOf(program, target, { app: appOf('shop') }));
    expect(printed({ ...plain, manifests })).toEqual(printed(plain));
  },
);

test.each(someOf(examples, 2))(
  'finds nothing more in %s while its secrets are encrypted',
  (name) => {
    const { objects } = readInput([join(EXAMPLES, name, 'dist')], {});
    const keysOf = (found: readonly Finding[]): string[] =>
      found.map(({ rule, target, object, path }) => JSON.stringify([rule, target, object, path]));
    const hidden = objects.map(unknownOf);
    const known = keysOf(judgeAll(objects));
    expect(keysOf(judgeAll(hidden)).filter((key) => !known.includes(key))).toEqual([]);
    const edits = keysOf(judgeAll(hidden, [], objects));
    expect(edits.filter((key) => !known.includes(key))).toEqual([]);
  },
);

/** The object with another text in each field that SOPS leaves readable, which rules then refuse. */
function damaged(object: JudgedObject): JudgedObject {
  const { apiVersion, kind, metadata } = object.manifest;
  const secret = secretFields(object.manifest, new Set()).map((path) => path.join('.'));
  const others = leavesOf(object.manifest).filter(
    ({ leaf, path }) =>
      typeof leaf === 'string' &&
      !['apiVersion', 'kind', 'metadata'].includes(String(path[0])) &&
      !secret.some((field) => path.join('.').startsWith(field)),
  );
  const manifest = others.reduce(
    (whole, { leaf, path }) => replacedAt(whole, path, `${String(leaf)} !`),
    object.manifest,
  );
  return { ...object, manifest: { ...manifest, apiVersion, kind, metadata } };
}

/** Rules about secrets in plain text, of which an encrypted output has none. */
const OF_PLAIN_TEXT: ReadonlySet<string> = new Set([
  'object/plain-secret',
  'registration-token/plain-token',
  'harvester-setting/secret-in-manifest',
]);

test.each(someOf(examples, 2))(
  'finds what is wrong with readable fields of %s as in plain text',
  (name) => {
    const { objects } = readInput([join(EXAMPLES, name, 'dist')], {});
    const wrong = objects.map(damaged);
    const keysOf = (found: readonly Finding[]): string[] =>
      found.map(({ rule, target, object, path }) => JSON.stringify([rule, target, object, path]));
    const hidden = new Set(keysOf(judgeAll(wrong.map(unknownOf))));
    const missing = judgeAll(wrong).filter((found) => !hidden.has(keysOf([found])[0]!));
    const others = missing.filter(({ rule }) => !OF_PLAIN_TEXT.has(rule));
    expect(others.map(({ rule, path, object }) => `${rule} ${object?.kind} ${path}`)).toEqual([]);
  },
);
