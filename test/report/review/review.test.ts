import { spawnSync } from 'child_process';
import { mkdirSync, renameSync } from 'fs';
import { join } from 'path';
import { isCounted } from '../../../src/core/rule/report';
import { Block, PLAIN, render } from '../../../src/core/text/screen';
import { REVIEW_ENV } from '../../../src/core/value/review';
import { printReview } from '../../../src/report/review/render-review';
import { FoundReview, ReviewOptions, reviewProject } from '../../../src/report/review/review';
import { Files, GitProject } from '../../support/git-project';
import { filesIn } from '../../support/programs';
import { writeResolved } from '../../support/resolved-output';
import { ROOT, loadLibrary } from '../../support/source-library';

const LOAD = loadLibrary({
  Delivery: 'delivery/delivery',
  HarvesterApp: 'core/app/harvester-app',
  HarvesterChart: 'harvester/harvester-chart',
  LateSource: 'core/value/late-value',
  LateValue: 'core/value/late-value',
  S3Credential: 'rancher/credential/s3-credential',
  SecretDelivery: 'delivery/secret/secret-delivery',
  SecretValue: 'core/value/secret-value',
  RancherChart: 'rancher/rancher-chart',
  VmImage: 'harvester/image/vm-image',
});

/** A program with a Secret, and a setting with a secret in it. */
function program(lines: string, props = '{}'): Files {
  return {
    'cdk8s.yaml': 'app: node main.js\n',
    'main.js': `${LOAD}
const { ApiObject } = require(${JSON.stringify(join(ROOT, 'node_modules', 'cdk8s'))});
const app = new library.HarvesterApp(${props});
const dc1 = new library.HarvesterChart(app, 'dc1', { version: '1.7.2' });
const object = (id, kind, content, on = dc1) => new ApiObject(on, id, { apiVersion: 'v1', kind, metadata: { name: id, namespace: 'default' }, ...content });
${lines}
app.synth();
`,
  };
}

const SECRET =
  "object('login', 'Secret', { stringData: { password: `${library.SecretValue.fromEnv('LOGIN')}`, user: 'ana' } });";
const CONFIG = "object('config', 'ConfigMap', { data: { a: '1' } });";

/** The same in a repository, with its output as it is with the secrets. */
function committed(
  files: Files,
  env: NodeJS.ProcessEnv = { LOGIN: 'hunter2-hunter2' },
): GitProject {
  const project = new GitProject(files);
  synth(project, env);
  project.commit('Write the output', {});
  return project;
}

function synth({ folder }: GitProject, env: NodeJS.ProcessEnv): void {
  const { status, stderr } = spawnSync(process.execPath, ['main.js'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  if (status !== 0) {
    throw new Error(stderr);
  }
}

async function reviewed(
  { folder }: GitProject,
  options: Partial<ReviewOptions> = {},
): Promise<FoundReview> {
  return reviewProject(folder, { base: 'HEAD', ...options });
}

test('needs no secret, compares placeholders, and shows that it cannot compare the values', async () => {
  const found = await reviewed(committed(program(`${SECRET}\n${CONFIG}`)));
  expect(found).toMatchObject({
    failures: [],
    findings: [],
    impacts: [],
    stops: [],
    outputs: [{ folder: 'dist', differences: [], secrets: 1 }],
  });
  expect(found.notes).toContain(
    'the values of secrets: placeholders replace environment variable LOGIN. A new value can replace machines',
  );
});

test('writes placeholders for secrets that are there, too: no text of the review contains one', async () => {
  process.env.LOGIN = 'hunter2-hunter2';
  try {
    const project = committed(program(SECRET));
    project.write(
      program(
        `${SECRET}\nconsole.error(String(process.env.LOGIN).length); throw new Error(library.SecretValue.fromEnv('LOGIN')._unwrap());`,
      ),
    );
    const found = await reviewed(project);
    expect(found.failures).toMatchObject([
      { side: 'change', reason: expect.stringContaining('exited with 1') },
    ]);
    expect(JSON.stringify(found)).not.toContain('hunter2');
  } finally {
    delete process.env.LOGIN;
  }
});

test('leaves the output of the program as it is, and finds that it is out of date', async () => {
  const project = committed(program(`${SECRET}\n${CONFIG}`));
  const before = filesIn(join(project.folder, 'dist'));
  project.write(program(`${SECRET.replace("'ana'", "'ben'")}\nobject('other', 'ConfigMap', {});`));
  const { outputs, stops } = await reviewed(project);
  expect(outputs).toEqual([
    {
      folder: 'dist',
      secrets: 1,
      differences: [
        'dc1//ConfigMap/default/other is missing',
        'dc1//Secret/default/login differs in stringData.user',
        'dc1//ConfigMap/default/config is no longer written',
      ],
    },
  ]);
  expect(stops).toEqual(['stale']);
  expect(filesIn(join(project.folder, 'dist'))).toEqual(before);
});

test('reviews programs that set their own output folders', async () => {
  const project = committed(program(CONFIG, "{ outdir: 'manifests/all' }"));
  const before = filesIn(project.folder);
  expect(await reviewed(project)).toMatchObject({
    failures: [],
    outputs: [{ folder: 'manifests/all', differences: [] }],
  });
  expect(Object.keys(filesIn(join(project.folder, 'manifests')))).toEqual(
    Object.keys(before)
      .filter((file) => file.startsWith('manifests/'))
      .map((file) => file.slice('manifests/'.length)),
  );
});

test('reports an output that is not in Git', async () => {
  const project = new GitProject({ ...program(CONFIG), '.gitignore': 'dist' });
  const { outputs, notes } = await reviewed(project);
  expect(outputs).toEqual([]);
  expect(notes).toContain('dist is not in Git, so it is not compared with what the program writes');
});

/** A delivery of secrets whose program is not there. */
const SOPS =
  "{ secrets: library.SecretDelivery.sops({ recipients: ['age1qyyappls469vacyphhuhw3m02mpjxqglxwr6gr40k67tpvfwr5dqw2vdh3'], program: '/no/such/sops' }) }";

test('compares a Secret from a store with the one without its value', async () => {
  const EXTERNAL = "{ secrets: library.SecretDelivery.externalSecrets({ store: 'vault' }) }";
  const { outputs, stops } = await reviewed(committed(program(SECRET, EXTERNAL)));
  expect(outputs).toMatchObject([{ differences: [] }]);
  expect(stops).toEqual([]);
});

test('needs neither the keys nor the program of a secret delivery, and compares what is readable of encrypted files', async () => {
  const project = new GitProject(program(`${SECRET}\n${CONFIG}`, SOPS));
  // the file as it would be before sops encrypts it
  const suppressed = 'is encrypted by SOPS in the output';
  expect(await reviewed(project)).toMatchObject({ failures: [], findings: [{ suppressed }] });
  // the files as sops would encrypt them
  const folder = join(project.folder, 'written');
  mkdirSync(folder);
  synth(project, { [REVIEW_ENV]: folder });
  renameSync(join(folder, 'out-dist'), join(project.folder, 'dist'));
  const files = filesIn(join(project.folder, 'dist'));
  const [file] = Object.keys(files).filter((name) => name.endsWith('.sops.yaml'));
  const unmarked = files[file].replace(/ +annotations:\n.*placeholder: .*\n/, '');
  const encrypted = `${unmarked.replace(/password: .*/, 'password: ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]')}sops:\n  age:\n    - recipient: age1x\n      enc: x\n  mac: ENC[AES256_GCM,data:x]\n`;
  project.commit('Encrypt it', { [`dist/${file}`]: encrypted });
  expect(await reviewed(project)).toMatchObject({
    failures: [],
    outputs: [{ differences: [], secrets: 1 }],
    stops: [],
  });
  project.commit('Edit it by hand', {
    [`dist/${file}`]: encrypted.replace(
      'namespace: default',
      'namespace: default\n  labels:\n    a: b',
    ),
  });
  expect((await reviewed(project)).outputs).toMatchObject([
    { differences: ['dc1//Secret/default/login differs in metadata.labels'] },
  ]);
  // compared as they are committed, an encrypted object is not judged
  const committedOnly = await reviewed(project, { base: 'HEAD~1', committed: ['dist'] });
  expect(committedOnly).toMatchObject({ failures: [], outputs: [] });
  expect(committedOnly.notes).toContainEqual(
    expect.stringContaining('the values of 2 encrypted objects'),
  );
});

test('knows which files SOPS encrypts, and reports no secret in plain text in them', async () => {
  const credential =
    "const rancher = new library.RancherChart(app, 'rancher', { version: '2.13.8', serverUrl: 'https://rancher.example.com' });\n" +
    "new library.S3Credential(rancher, 'backup', { accessKey: library.SecretValue.fromEnv('LOGIN'), secretKey: library.SecretValue.fromEnv('LOGIN') });";
  const { failures, findings } = await reviewed(new GitProject(program(credential, SOPS)));
  expect(failures).toEqual([]);
  expect(findings.filter(isCounted)).toEqual([]);
  expect(findings.map(({ rule }) => rule)).toContain('guest-secret/plain');
});

describe('with files of resolve', () => {
  const DELIVERY = "{ delivery: library.Delivery.flux({ sourceName: 'platform' }) }";
  const late = (quota: number): Files =>
    program(
      `const source = library.LateSource.field('data.a', { target: dc1, apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'source' });
const value = new library.LateValue(dc1, 'value', { description: 'the value', source });
object('team', 'ConfigMap', { data: { value: value.token, quota: '${quota}' } });`,
      DELIVERY,
    );
  const complete = ({ folder }: GitProject): unknown =>
    writeResolved(join(folder, 'dist'), { 'dc1.value': 'x' });

  function delivered(): GitProject {
    const project = committed(late(16));
    complete(project);
    project.commit('Resolve', {});
    return project;
  }

  test('finds nothing while they follow from the program', async () => {
    expect(await reviewed(delivered())).toMatchObject({
      findings: [],
      outputs: [{ differences: [] }],
      stops: [],
    });
  });

  test('stops for one that an edit did not reach: an engine would never deliver the edit', async () => {
    const project = delivered();
    project.write(late(20));
    synth(project, {});
    const found = await reviewed(project);
    expect(found.findings).toMatchObject([
      {
        rule: 'output/late-stale',
        level: 'error',
        file: expect.stringMatching(/^dist\/dc1\/late-configmap-default-team\/.*\.yaml$/),
        fix: expect.stringContaining('--write-manifests'),
      },
    ]);
    expect(found).toMatchObject({ outputs: [{ differences: [] }], stops: ['errors'] });
    complete(project);
    expect(await reviewed(project)).toMatchObject({ findings: [], stops: [] });
  });

  test('finds an edit that is not synthesized yet', async () => {
    const project = delivered();
    project.write(late(20));
    expect(await reviewed(project)).toMatchObject({
      outputs: [{ differences: ['dc1//ConfigMap/default/team differs in data.quota'] }],
      stops: ['stale'],
    });
  });
});

test('reports what a change adds to the findings, and counts the others', async () => {
  const binding = (name: string): string =>
    `new ApiObject(rancher, '${name}', { apiVersion: 'management.cattle.io/v3', kind: 'GlobalRoleBinding', metadata: { name: '${name}' }, globalRoleName: 'admin', userPrincipalName: '${name}' });`;
  const rancher =
    "const rancher = new library.RancherChart(app, 'rancher', { version: '2.13.8', serverUrl: 'https://rancher.example.com' });";
  const project = new GitProject(program(`${rancher}\n${binding('one')}`));
  expect(await reviewed(project)).toMatchObject({ findings: [], known: 1, stops: [] });
  project.write(program(`${rancher}\n${binding('one')}\n${binding('two')}`));
  const { findings, known, stops } = await reviewed(project, { failOn: ['warnings'] });
  expect({ known, stops, findings }).toMatchObject({
    known: 1,
    stops: ['warnings'],
    findings: [
      {
        rule: 'global-role-binding/principal',
        object: { name: 'two' },
        file: 'dist/rancher/60-globalrolebinding.management.cattle.io.yaml',
      },
    ],
  });
});

test('refuses a removal that the program does not accept', async () => {
  const image =
    "library.VmImage.download(dc1, 'noble', { url: 'https://images.example.com/noble.img' });";
  const project = new GitProject(program(`${CONFIG}\n${image}`));
  project.write(program(CONFIG));
  const { findings, impacts, stops } = await reviewed(project);
  expect(
    findings
      .filter(({ level }) => level === 'error')
      .map(({ object, file }) => [object?.kind, file]),
  ).toEqual([['VirtualMachineImage', undefined]]);
  expect(impacts).not.toEqual([]);
  expect(stops).toEqual(['errors', 'losses']);
});

/** A program with an output for each environment, from data. */
function environments(replicas: { readonly [environment: string]: string }): Files {
  return {
    'cdk8s.yaml': 'app: node main.js\n',
    'main.js': `${LOAD}
const { ApiObject } = require(${JSON.stringify(join(ROOT, 'node_modules', 'cdk8s'))});
for (const [environment, storage] of Object.entries(${JSON.stringify(replicas)})) {
  const app = new library.HarvesterApp({ outdir: 'dist/' + environment });
  const dc1 = new library.HarvesterChart(app, 'dc1', { version: '1.7.2' });
  const metadata = { name: 'data', namespace: 'default' };
  const spec = { accessModes: ['ReadWriteMany'], resources: { requests: { storage } } };
  new ApiObject(dc1, 'data', { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec });
  app.synth();
}
`,
  };
}

test('judges each environment alone, and reports a promotion where it takes effect', async () => {
  const project = committed(environments({ dev: '20Gi', stage: '20Gi', prod: '10Gi' }));
  expect(await reviewed(project)).toMatchObject({
    environments: [{ name: 'dev' }, { name: 'prod' }, { name: 'stage' }],
    findings: [],
    impacts: [],
    stops: [],
  });
  project.write(environments({ dev: '20Gi', stage: '20Gi', prod: '5Gi' }));
  const found = await reviewed(project);
  expect(found.findings.map(({ environment, rule, level }) => [environment, level, rule])).toEqual([
    ['prod', 'error', 'volume/update'],
  ]);
  const text = printReview(found, 'markdown');
  expect(text).toContain('## `prod`');
  expect(text).not.toContain('## `dev`');
  expect(text).toContain('`dev`, `stage`: no object changes, and no finding is new.');
});

test('reviews environments that come and go by their own outputs', async () => {
  const project = committed(environments({ dev: '20Gi', prod: '20Gi' }));
  project.write(environments({ prod: '20Gi', test: '20Gi' }));
  const found = await reviewed(project);
  expect(found.impacts.map(({ environment, effect }) => [environment, effect])).toEqual([
    ['dev', 'kept'],
  ]);
  expect(found.findings.map(({ environment, rule }) => [environment, rule])).toEqual([
    ['dev', 'output/gone'],
    ['dev', 'volume/deletion'],
  ]);
});

test('compares committed outputs in one folder by environment', async () => {
  const project = committed(environments({ dev: '20Gi', prod: '20Gi' }));
  project.write(environments({ dev: '20Gi', prod: '10Gi' }));
  synth(project, {});
  const found = await reviewed(project, { committed: ['dist'] });
  expect(found.environments.map(({ name }) => name)).toEqual(['dev', 'prod']);
  expect(found.findings.map(({ environment }) => environment)).toEqual(['prod']);
});

test('compares the only output of a program whose folder has another name', async () => {
  const project = committed(program(CONFIG));
  project.write(program(CONFIG, "{ outdir: 'out' }"));
  expect(await reviewed(project)).toMatchObject({ environments: [], findings: [], impacts: [] });
});

test('compares committed outputs where the base has no command that synthesizes it', async () => {
  const project = committed(program(CONFIG));
  project.commit('Forget the command', { 'cdk8s.yaml': undefined });
  project.write(program(CONFIG.replace("'1'", "'2'")));
  synth(project, {});
  const found = await reviewed(project);
  expect(found.notes).toContain(
    'the base has no command that synthesizes it: the committed outputs of both sides are compared',
  );
  const { objects } = found;
  expect(objects.flatMap((group) => group.objects.map(({ action }) => action))).toEqual([
    'changed',
  ]);
});

test('names another version of the library as the cause of what changes', async () => {
  const installed = (version: string) => ({
    'node_modules/cdk8s-harvester/package.json': JSON.stringify({ version }),
  });
  const project = committed({ ...program(CONFIG), ...installed('0.1.0') });
  project.write(installed('0.2.0'));
  expect(await reviewed(project)).toMatchObject({
    library: { before: '0.1.0', after: '0.2.0', isOnlyChange: true },
  });
  project.write(program(CONFIG.replace("'1'", "'2'")));
  const found = await reviewed(project);
  expect(found.library).toMatchObject({ isOnlyChange: false });
  expect(render(printReview(found, 'text') as readonly Block[], PLAIN)).toContain(
    'library cdk8s-harvester 0.1.0 → 0.2.0: what changes may come from the program or from the new version.',
  );
});
