import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'fs';
import { delimiter, join } from 'path';
import { ApiObject } from 'cdk8s';
import {
  Delivery,
  Ordering,
  OrderingType,
  Finding,
  HarvesterApp,
  HarvesterChart,
  LateSource,
  LateValue,
  RancherChart,
  SecretDelivery,
} from '../../../src';
import { complete } from '../../../src/core/late/late-text';
import { deliverOutput } from '../../../src/delivery/deliver-output';
import { lintPaths } from '../../../src/engine/read/lint';
import { loadAssembly, readAssembly } from '../../../src/engine/read/load-assembly';
import { readPlainOutput } from '../../../src/engine/read/plain-output';
import { printed, textsIn } from '../../delivery/secret/_outputs';
import { configMap } from '../../support/programs';
import { writeResolved } from '../../support/resolved-output';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';
import { writeAssembly } from '../../support/written';

const TOKEN = 'canary-5x7q2hv9w4';
const RECIPIENT = 'age1qyyappls469vacyphhuhw3m02mpjxqglxwr6gr40k67tpvfwr5dqw2vdh3';
const FILE = '15-secret.default.credential.yaml';

interface Variant {
  readonly workers?: number;
  /** The key of the Secret that the value is read from. */
  readonly key?: string;
  readonly declared?: boolean;
  readonly secrets?: SecretDelivery;
  readonly delivery?: Delivery;
  readonly accepts?: boolean;
}

/** A Secret on a Harvester that waits for a token; the findings about the output, or the error. */
function synth(
  folder: string,
  {
    workers = 2,
    key = 'token',
    declared = true,
    secrets,
    delivery = FLUX,
    accepts = false,
  }: Variant = {},
): { readonly findings: readonly Finding[]; readonly error: string } {
  const app = new HarvesterApp({
    outdir: folder,
    printWarnings: false,
    delivery,
    ...(secrets ? { secrets } : {}),
  });
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  const first = configMap(dc1, 'first', { key: 'x' });
  configMap(rancher, 'plain', { key: 'x' });
  const source = {
    target: dc1,
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: 'default',
    name: 'source',
  };
  const late = new LateValue(dc1, 'token', {
    description: 'the token',
    source: LateSource.secretKey(key, source),
    sensitive: true,
  });
  if (declared) {
    const credential = new ApiObject(dc1, 'credential', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'credential', namespace: 'default' },
      stringData: { workers: String(workers), token: late.token },
    });
    Ordering.of(credential).after(first, OrderingType.APPLIED);
  }
  if (accepts) {
    app.acceptRemoval('dc1//Secret/default/credential', 'nothing uses it');
  }
  let error = '';
  try {
    app.synth();
  } catch (thrown) {
    error = (thrown as Error).message;
  }
  return { findings: app.findings.filter(({ rule }) => rule.startsWith('output/')), error };
}

const FLUX = Delivery.flux({ sourceName: 'platform' });
const SOPS = SecretDelivery.sops({ recipients: [RECIPIENT] });

/** The clusters have the token. */
function resolved(folder: string, into = folder): ReturnType<typeof writeResolved> {
  return writeResolved(folder, { 'dc1.token': TOKEN }, into);
}

/** The findings of lint about the output itself. */
function linted(folder: string, before?: string): string[] {
  return lintPaths([folder], before === undefined ? {} : { before: [before] })
    .filter(({ rule }) => rule.startsWith('output/'))
    .map(({ level, rule, message }) => `${level} ${rule} ${message.replaceAll(`${folder}/`, '')}`);
}

const about = ({ findings }: ReturnType<typeof synth>): string[] =>
  findings.map(
    ({ level, rule, suppressed }) => `${suppressed === undefined ? level : 'accepted'} ${rule}`,
  );

describe('a file of resolve after an edit', () => {
  test.each<[string, Variant]>([
    ['of the template', { workers: 3 }],
    ['of the source of a value', { key: 'other' }],
  ])('%s is stale until resolve writes it again', async (_, edit) => {
    const folder = tempFolder();
    synth(folder);
    expect(linted(folder)).toEqual([]);
    const { files } = resolved(folder);
    expect(files).toEqual([join(folder, 'dc1/late-secret-default-credential', FILE)]);
    expect([linted(folder), synth(folder)]).toEqual([[], { findings: [], error: '' }]);

    // a synthesis cannot write it: it writes everything else, and warns
    expect(about(synth(folder, edit))).toEqual(['warning output/late-stale']);
    expect(linted(folder)).toEqual([
      `error output/late-stale dc1/late-secret-default-credential/${FILE} was completed from an earlier state of Secret default/credential: an engine that delivers it does not deliver the change`,
    ]);
    expect((await runCli('show', folder)).stdout).toContain(
      `waits for late values, resolved in dc1/late-secret-default-credential/${FILE}`,
    );
    expect((await runCli('show', folder)).stdout).toContain('was completed from an earlier state');

    resolved(folder);
    expect([linted(folder), about(synth(folder, edit))]).toEqual([[], []]);
    expect((await runCli('show', folder)).stdout).not.toContain(
      'was completed from an earlier state',
    );
  });

  test('contains no placeholder, and discloses no secret', () => {
    const folder = tempFolder();
    synth(folder);
    resolved(folder);
    const [head] = readFileSync(
      join(folder, 'dc1/late-secret-default-credential', FILE),
      'utf8',
    ).split('\n');
    expect(head).toMatch(
      /^# cdk8s-harvester: \{"object":"dc1\/\/Secret\/default\/credential","from":"[0-9a-f]{64}"\}$/,
    );
    expect(readFileSync(join(folder, 'late-files.txt'), 'utf8')).not.toContain(TOKEN);
  });

  test('that someone else wrote is reported, since nothing shows what it was made from', () => {
    const folder = tempFolder();
    synth(folder);
    const template = loadAssembly(folder).manifests.get('dc1//Secret/default/credential')!;
    mkdirSync(join(folder, 'dc1/late-secret-default-credential'));
    writeFileSync(
      join(folder, 'dc1/late-secret-default-credential', 'own.yaml'),
      JSON.stringify(complete(template, new Map([['dc1.token', TOKEN]]))),
    );
    expect(linted(folder)).toEqual([
      'warning output/late-stale dc1/late-secret-default-credential/own.yaml contains Secret default/credential without a record of what it was completed from, so a later change of the program is not noticed',
    ]);
    resolved(folder);
    expect(linted(folder).filter((text) => text.startsWith('error'))).toEqual([
      `error output/in-two-files Secret default/credential is in dc1/late-secret-default-credential/${FILE} and in dc1/late-secret-default-credential/own.yaml: engines deliver both, and each undoes the other`,
    ]);
  });
});

describe('an object that leaves', () => {
  test.each<[string, (folder: string) => unknown]>([
    ['resolve', (folder) => resolved(folder)],
    ['a synthesis', (folder) => synth(folder, { declared: false })],
  ])('%s removes its file, and no file of others', (_, run) => {
    const folder = tempFolder();
    synth(folder);
    resolved(folder);
    writeFileSync(
      join(folder, 'dc1/late-secret-default-credential', 'own.yaml'),
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own, namespace: default}\n',
    );
    const saved = [FILE, '../../late-files.txt'].map(
      (file) =>
        [
          file,
          readFileSync(join(folder, 'dc1/late-secret-default-credential', file), 'utf8'),
        ] as const,
    );
    expect(about(synth(folder, { declared: false }))).toEqual(['warning output/gone']);
    // as after a merge
    for (const [file, text] of saved) {
      writeFileSync(join(folder, 'dc1/late-secret-default-credential', file), text);
    }
    expect(linted(folder)).toEqual([
      `error output/late-stale dc1/late-secret-default-credential/${FILE} was completed for dc1//Secret/default/credential, which the program no longer declares: an engine still delivers it`,
    ]);
    run(folder);
    expect(readdirSync(join(folder, 'dc1/late-secret-default-credential'))).toEqual(['own.yaml']);
    expect(existsSync(join(folder, 'late-files.txt'))).toBe(false);
    expect(linted(folder)).toEqual([]);
  });

  test('that no longer waits is in one file: synthesis removes that of resolve', () => {
    const folder = tempFolder();
    synth(folder);
    resolved(folder);
    const values = join(tempFolder(), 'values.json');
    writeFileSync(values, JSON.stringify({ schemaVersion: '1', values: { 'dc1.token': TOKEN } }));
    process.env.CDK8S_HARVESTER_LATE_VALUES = values;
    try {
      expect(about(synth(folder))).toEqual(['warning output/moves-stage']);
    } finally {
      delete process.env.CDK8S_HARVESTER_LATE_VALUES;
    }
    expect(existsSync(join(folder, 'dc1/late-secret-default-credential'))).toBe(false);
    expect(linted(folder)).toEqual([]);
  });

  test('leaves the files of other programs in a folder that both write to', () => {
    const [one, other, into] = [tempFolder(), tempFolder(), tempFolder()];
    synth(one);
    const app = new HarvesterApp({ outdir: other, printWarnings: false });
    const dc2 = new HarvesterChart(app, 'dc2', { version: '1.7.2' });
    configMap(dc2, 'map', { key: 'x' });
    app.synth();
    resolved(one, into);
    expect(resolved(other, into)).toEqual({ files: [], removed: [], notes: [] });
    expect(existsSync(join(into, 'dc1/late-secret-default-credential', FILE))).toBe(true);
  });
});

test('synthesis moves the file of an object from the folder of an earlier layout, with its mode', () => {
  const folder = tempFolder();
  synth(folder);
  const [file] = resolved(folder).files;
  const text = readFileSync(file, 'utf8');
  renameSync(join(folder, 'dc1', 'late-secret-default-credential'), join(folder, 'dc1-late'));
  for (const name of ['late-files.txt', 'assembly.json']) {
    const path = join(folder, name);
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replaceAll('dc1/late-secret-default-credential', 'dc1-late'),
    );
  }
  expect(synth(folder)).toEqual({ findings: [], error: '' });
  expect([readFileSync(file, 'utf8'), statSync(file).mode % 0o1000]).toEqual([text, 0o600]);
  expect([existsSync(join(folder, 'dc1-late')), linted(folder)]).toEqual([false, []]);
});

describe('a lost file of an object that still waits', () => {
  const lost = (): string => {
    const folder = tempFolder();
    synth(folder);
    resolved(folder);
    rmSync(join(folder, 'dc1/late-secret-default-credential'), { recursive: true });
    return folder;
  };
  const message = `error output/late-missing Secret default/credential was in dc1/late-secret-default-credential/${FILE}, which resolve wrote, and the file is gone: an engine that prunes deletes it`;

  test('is refused by lint and synthesis, until it is written again', () => {
    const folder = lost();
    expect(linted(folder)).toEqual([message]);
    const assembly = readFileSync(join(folder, 'assembly.json'), 'utf8');
    expect(synth(folder, { workers: 3 }).error).toContain('the file is gone');
    expect(readFileSync(join(folder, 'assembly.json'), 'utf8')).toBe(assembly);
    resolved(folder);
    expect([linted(folder), synth(folder).error]).toEqual([[], '']);
  });

  test('is refused by deliver', () => {
    const [plain, out] = [tempFolder(), tempFolder()];
    synth(plain, { delivery: Delivery.none() });
    deliverOutput(readPlainOutput(plain), { delivery: FLUX, outputDir: out });
    resolved(out);
    deliverOutput(readPlainOutput(plain), { delivery: FLUX, outputDir: out });
    synth(plain, { delivery: Delivery.none(), workers: 3 });
    expect(
      deliverOutput(readPlainOutput(plain), { delivery: FLUX, outputDir: out }).findings.map(
        ({ rule }) => rule,
      ),
    ).toContain('output/late-stale');
    rmSync(join(out, 'dc1/late-secret-default-credential'), { recursive: true });
    expect(() => deliverOutput(readPlainOutput(plain), { delivery: FLUX, outputDir: out })).toThrow(
      'which resolve wrote, and the file is gone',
    );
  });

  test('is refused by lint --before, also in an output that never had it', () => {
    const [before, after] = [tempFolder(), tempFolder()];
    synth(before);
    resolved(before);
    synth(after);
    expect(linted(after, before)).toEqual([message.replace('was in ', `was in ${before}/`)]);
    expect(linted(lost(), before)).toHaveLength(1);
    expect(linted(before, after)).toEqual([]);
  });

  test('is accepted where the program accepts the removal of its object', () => {
    const folder = lost();
    expect(about(synth(folder, { accepts: true }))).toEqual(['accepted output/late-missing']);
    expect(linted(folder)).toEqual([]);
  });

  test('is found under another name, as after sops by hand', () => {
    const folder = tempFolder();
    synth(folder);
    resolved(folder);
    renameSync(
      join(folder, 'dc1/late-secret-default-credential', FILE),
      join(folder, 'dc1/late-secret-default-credential', 'mine.sops.yaml'),
    );
    expect([linted(folder), synth(folder)]).toEqual([[], { findings: [], error: '' }]);
  });
});

describe('a folder of a stage that is gone', () => {
  test('is found by the records of its files, also without the list', () => {
    const folder = tempFolder();
    synth(folder);
    resolved(folder);
    cpSync(
      join(folder, 'dc1/late-secret-default-credential', FILE),
      join(folder, 'dc1/late-gone', FILE),
    );
    rmSync(join(folder, 'late-files.txt'));
    expect(linted(folder)).toEqual([
      `error output/in-two-files Secret default/credential is in dc1/late-secret-default-credential/${FILE} and in dc1/late-gone/${FILE}: engines deliver both, and each undoes the other`,
    ]);
    expect(resolved(folder).removed).toEqual([join(folder, 'dc1/late-gone', FILE)]);
    expect([linted(folder), existsSync(join(folder, 'dc1/late-gone'))]).toEqual([[], false]);
  });
});

describe('when secrets are encrypted from now on', () => {
  const path = process.env.PATH;
  afterEach(() => {
    process.env.PATH = path;
  });

  beforeEach(() => {
    const bin = tempFolder();
    // as sops: the values below the keys are replaced, and the rest remains
    writeFileSync(
      join(bin, 'sops'),
      `#!/bin/sh
case "$*" in *--version*) echo "sops 3.13.3";; *" encrypt "*) cat | sed -E 's/^( *"?(token|workers|data|stringData)"?: )"?[^{"]+"?$/\\1"ENC[AES256_GCM,data:x]"/';
  printf 'sops:\\n  mac: ENC[x]\\n  age: []\\n';; *) exit 128;; esac\n`,
    );
    chmodSync(join(bin, 'sops'), 0o755);
    process.env.PATH = `${bin}${delimiter}${path}`;
  });

  /**
   * The output that SOPS would encrypt: the template is left as it is, which the double cannot
   * encrypt.
   */
  function withEncryption(folder: string): void {
    writeAssembly(folder, {
      ...readAssembly(folder),
      encryption: [{ objects: ['dc1//Secret/default/credential'], recipients: [RECIPIENT] }],
    });
  }

  test('resolve removes the file in plain text, and reports what to replace; and the other way', () => {
    const folder = tempFolder();
    synth(folder);
    resolved(folder);
    withEncryption(folder);
    expect(linted(folder)).toEqual([expect.stringContaining('output/late-stale')]);
    const { files, removed, notes } = resolved(folder);
    const encrypted = FILE.replace('.yaml', '.sops.yaml');
    expect({
      files,
      removed,
      there: readdirSync(join(folder, 'dc1/late-secret-default-credential')),
    }).toEqual({
      files: [join(folder, 'dc1/late-secret-default-credential', encrypted)],
      removed: [join(folder, 'dc1/late-secret-default-credential', FILE)],
      there: [encrypted],
    });
    expect(readFileSync(files[0], 'utf8')).not.toContain(TOKEN);
    expect(notes).toEqual([
      `warning: dc1/late-secret-default-credential/${FILE} contained Secret default/credential in plain text, and a repository keeps what was committed. Fix: if it was committed, replace the credential in ` +
        'key "token" of Secret default/source on dc1 (delete that object if the program or a controller creates it again), and run resolve again',
    ]);
    expect(linted(folder)).toEqual([]);
    expect(resolved(folder).notes.filter((note) => note.includes('in plain text'))).toEqual([]);

    synth(folder);
    expect(resolved(folder)).toEqual({
      files: [join(folder, 'dc1/late-secret-default-credential', FILE)],
      removed: [join(folder, 'dc1/late-secret-default-credential', encrypted)],
      notes: [],
    });
  });

  test('resolve also removes what earlier versions wrote, which has no record', () => {
    const folder = tempFolder();
    synth(folder);
    resolved(folder);
    const file = join(folder, 'dc1/late-secret-default-credential', FILE);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^#.*\n/, ''));
    rmSync(join(folder, 'late-files.txt'));
    withEncryption(folder);
    const { removed, notes } = resolved(folder);
    expect([removed, notes]).toEqual([
      [file],
      [expect.stringContaining('contained Secret default/credential in plain text')],
    ]);
  });

  test('synthesis reports once what it wrote in plain text before', () => {
    const outdir = tempFolder();
    const run = (secrets: SecretDelivery): string =>
      printed(() => {
        const app = new HarvesterApp({ outdir, secrets });
        const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
        new ApiObject(dc1, 'login', {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'login', namespace: 'default' },
          stringData: { token: TOKEN },
        });
        app.synth();
      });
    run(SecretDelivery.plainText());
    const note =
      'warning: the previous output contains secrets of dc1//Secret/default/login in plain text, and a repository keeps what was committed. ' +
      'Fix: if it was committed, replace these secrets where the program reads them, and synthesize again\n';
    expect(run(SOPS)).toContain(note);
    expect(Object.values(textsIn(outdir)).join()).not.toContain(TOKEN);
    expect(run(SOPS)).not.toContain('previous output contains');
  });

  test('show never suggests kubectl, which does not decrypt', async () => {
    const folder = tempFolder();
    mkdirSync(folder, { recursive: true });
    const app = new HarvesterApp({
      outdir: folder,
      printWarnings: false,
      delivery: Delivery.none(),
      secrets: SOPS,
    });
    const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
    new ApiObject(dc1, 'login', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login', namespace: 'default' },
      stringData: { token: TOKEN },
    });
    configMap(new HarvesterChart(app, 'dc2', { version: '1.7.2' }), 'map', { key: 'x' });
    app.synth();
    const { stdout } = await runCli('show', folder);
    expect(stdout).toContain(
      `with the private key (SOPS_AGE_KEY_FILE):\n    cdk8s-harvester plan ${folder}\n    cdk8s-harvester apply ${folder}\n  or commit ${folder}/ for Flux, which decrypts it\n`,
    );
    expect(stdout).not.toMatch(/kubectl|sops decrypt/);
  });
});

test('refuses to replace a file of someone else before it writes any', () => {
  const folder = tempFolder();
  synth(folder);
  mkdirSync(join(folder, 'dc1/late-secret-default-credential'), { recursive: true });
  const file = join(folder, 'dc1/late-secret-default-credential', FILE);
  writeFileSync(
    file,
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own, namespace: default}\n',
    { mode: 0o600 },
  );
  expect(() => resolved(folder)).toThrow(
    `${file}: was not written by resolve, and Secret default/credential belongs there. Fix: remove it, or choose another folder`,
  );
  expect(existsSync(join(folder, 'late-files.txt'))).toBe(false);
});
