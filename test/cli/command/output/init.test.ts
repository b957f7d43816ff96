import { mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'fs';
import { join } from 'path';
import { CliRun, runCli } from '../../../support/run-cli';
import { tempFolder } from '../../../support/temp';

const ROOT = join(__dirname, '..', '..', '..', '..');
const RECIPIENT = 'age1qyyappls469vacyphhuhw3m02mpjxqglxwr6gr40k67tpvfwr5dqw2vdh3';
const SOPS = ['--sops-recipient', RECIPIENT];
const REPOSITORY = ['--repository', 'https://git.example.com/shop.git'];

/** Runs `init` in a folder, which may exist. */
async function init(
  folder: string,
  language = 'typescript',
  ...options: string[]
): Promise<CliRun> {
  return runCli('init', language, folder, ...options);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.startsWith('.git/') && statSync(join(folder, file)).isFile())
    .sort();
}

const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');

describe('a new project', () => {
  test('is a program, a test, and a pipeline, with the steps that follow', async () => {
    const folder = join(tempFolder(), 'My Shop');
    const { stdout, stderr, exitCode } = await init(folder);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    const written = filesIn(folder);
    expect(written.filter((file) => !file.startsWith('.github/'))).toEqual([
      '.gitignore',
      'cdk8s.yaml',
      'delivery.ts',
      'main.ts',
      'package.json',
      'platform.test.ts',
      'platform.ts',
      'tsconfig.json',
    ]);
    for (const file of written) {
      expect(stdout).toContain(`\n  ${file}\n`);
    }
    expect(stdout).toContain('  npm run synth\n  npm run check\n');
    expect(JSON.parse(read(folder, 'package.json'))).toMatchObject({
      name: 'my-shop',
      private: true,
      scripts: { synth: 'tsx main.ts' },
    });
    expect(written.filter((file) => !/^[^\r]*[^\n]\n$/.test(read(folder, file)))).toEqual([]);
  });

  test('in Python has no module that hides one of Python', async () => {
    const folder = tempFolder();
    expect((await init(folder, 'python', '--ci', 'none')).exitCode).toBe(0);
    expect(filesIn(folder)).toEqual([
      '.gitignore',
      'cdk8s.yaml',
      'clusters.py',
      'delivery.py',
      'main.py',
      'package.json',
      'requirements.txt',
      'test_clusters.py',
    ]);
  });

  test('has a salt of its own', async () => {
    const salts = await Promise.all(
      [tempFolder(), tempFolder()].map(async (folder) => {
        await init(folder);
        return /idSalt: '(.*)'/.exec(read(folder, 'delivery.ts'))![1];
      }),
    );
    for (const salt of salts) {
      expect(salt).toMatch(/^[0-9a-f]{32}$/);
    }
    expect(new Set([...salts, '0'.repeat(32)]).size).toBe(3);
  });
});

describe('--delivery', () => {
  test.each([
    ['typescript', 'delivery.ts', 'apply', [], 'delivery: Delivery.none(),', undefined],
    [
      'typescript',
      'delivery.ts',
      'flux',
      REPOSITORY,
      "Delivery.flux({ sourceName: 'platform', path: 'dist' })",
      'flux.yaml',
    ],
    [
      'typescript',
      'delivery.ts',
      'argocd',
      REPOSITORY,
      "Delivery.argoCd({ repository: 'https://git.example.com/shop.git', revision: 'main', path: 'dist' })",
      'argocd.yaml',
    ],
    [
      'typescript',
      'delivery.ts',
      'fleet',
      REPOSITORY,
      "Delivery.fleet({ repository: 'https://git.example.com/shop.git', branch: 'main', path: 'dist' })",
      undefined,
    ],
    [
      'python',
      'delivery.py',
      'flux',
      REPOSITORY,
      'Delivery.flux(source_name="platform", path="dist")',
      'flux.yaml',
    ],
    [
      'python',
      'delivery.py',
      'argocd',
      REPOSITORY,
      'Delivery.argo_cd(repository="https://git.example.com/shop.git", revision="main", path="dist")',
      'argocd.yaml',
    ],
    [
      'python',
      'delivery.py',
      'fleet',
      REPOSITORY,
      'Delivery.fleet(repository="https://git.example.com/shop.git", branch="main", path="dist")',
      undefined,
    ],
  ])('in %s: %s has the engine %s', async (language, file, delivery, options, text, bootstrap) => {
    const folder = tempFolder();
    const { stdout, stderr } = await init(folder, language, '--delivery', delivery, ...options);
    expect(stderr).toBe('');
    const register =
      'npx cdk8s-harvester resolve dist --write-manifests ../late\n' +
      '  kubectl --context dc1 apply --server-side --recursive -f ../late/dc1\n';
    expect(stdout.includes(register)).toBe(delivery !== 'apply');
    expect(read(folder, file)).toContain(text);
    expect(filesIn(folder).filter((each) => each.startsWith('bootstrap/'))).toEqual(
      bootstrap ? [`bootstrap/${bootstrap}`] : [],
    );
    if (bootstrap) {
      expect(read(folder, 'bootstrap', bootstrap)).toContain(
        ': https://git.example.com/shop.git\n',
      );
    }
  });

  test.each([
    ['github', '.github/workflows/drift.yaml'],
    ['gitlab', '.gitlab-ci.yml'],
  ])('looks for drift on %s by a plan only where apply delivers', async (ci, file) => {
    const commands = await Promise.all(
      [['apply'], ['argocd', ...REPOSITORY]].map(async (delivery) => {
        const folder = tempFolder();
        await init(folder, 'typescript', '--ci', ci, '--delivery', ...delivery);
        return [...read(folder, file).matchAll(/^ +compare npx cdk8s-harvester (\w+) /gm)].map(
          ([, command]) => command,
        );
      }),
    );
    expect(commands).toEqual([
      ['doctor', 'plan', 'adopt'],
      ['doctor', 'adopt'],
    ]);
  });

  test('names the output in a folder of a repository', async () => {
    const top = tempFolder();
    mkdirSync(join(top, '.git'));
    const folder = join(top, 'infra', 'shop');
    await init(folder, 'typescript', '--delivery', 'flux', '--ci', 'none', ...REPOSITORY);
    expect(read(folder, 'delivery.ts')).toContain("path: 'infra/shop/dist'");
    expect(read(folder, 'bootstrap', 'flux.yaml')).toContain('path: ./infra/shop/dist/flux\n');
  });
});

describe('--sops-recipient', () => {
  test.each([
    [
      'typescript',
      'delivery.ts',
      `secrets: SecretDelivery.sops({ recipients: ['${RECIPIENT}'] })`,
      'platform.ts',
      "TokenSource.value(SecretValue.fromEnv('DC1_TOKEN'))",
    ],
    [
      'python',
      'delivery.py',
      `"secrets": SecretDelivery.sops(recipients=["${RECIPIENT}"])`,
      'clusters.py',
      'TokenSource.value(SecretValue.from_env("DC1_TOKEN"))',
    ],
  ])('in %s encrypts for the recipients', async (language, delivery, secrets, platform, token) => {
    const folder = tempFolder();
    const { stdout } = await init(folder, language, '--delivery', 'flux', ...REPOSITORY, ...SOPS);
    expect(read(folder, delivery)).toContain(secrets);
    expect(read(folder, platform)).toContain(token);
    expect(read(folder, '.sops.yaml')).toContain(`    age: ${RECIPIENT}\n`);
    expect(stdout).toContain("sops exec-env secrets.sops.env 'npm run synth'\n");
    // the token is one of the secrets
    expect(stdout).not.toContain('cdk8s-harvester resolve');
  });

  test.each([
    [
      'typescript',
      'delivery.ts',
      ['--argocd-plugin', 'sops-v1.0'],
      'import { ArgoCdDecryption, Delivery, SecretDelivery, ',
      "decryption: ArgoCdDecryption.plugin({ name: 'sops-v1.0' }) })",
    ],
    [
      'typescript',
      'delivery.ts',
      ['--argocd-ksops'],
      'import { ArgoCdDecryption, Delivery, SecretDelivery, ',
      'decryption: ArgoCdDecryption.ksops() })',
    ],
    [
      'python',
      'delivery.py',
      ['--argocd-plugin', 'sops'],
      'import ArgoCdDecryption, Delivery, SecretDelivery\n',
      'decryption=ArgoCdDecryption.plugin(name="sops"))',
    ],
    [
      'python',
      'delivery.py',
      ['--argocd-ksops'],
      'import ArgoCdDecryption, Delivery, SecretDelivery\n',
      'decryption=ArgoCdDecryption.ksops())',
    ],
  ])(
    'in %s names what decrypts for Argo CD',
    async (language, delivery, options, imported, decryption) => {
      const folder = tempFolder();
      const { stdout, exitCode } = await init(
        folder,
        language,
        '--delivery',
        'argocd',
        ...REPOSITORY,
        ...SOPS,
        ...options,
      );
      expect(exitCode).toBe(0);
      expect(read(folder, delivery)).toContain(imported);
      expect(read(folder, delivery)).toContain(decryption);
      expect(stdout).toContain('# install what decrypts with Argo CD');
    },
  );
});

describe('refuses', () => {
  test.each([
    [
      'an engine without a repository',
      ['--delivery', 'argocd'],
      '--repository: must be set with --delivery argocd',
    ],
    [
      'a repository that nothing reads',
      REPOSITORY,
      '--repository: cannot be set with --delivery apply',
    ],
    [
      'a repository with a password',
      ['--delivery', 'fleet', '--repository', 'https://ana:hunter2@git.example.com/shop.git'],
      '--repository: cannot contain credentials',
    ],
    [
      'a repository with a token',
      ['--delivery', 'fleet', '--repository', 'https://hunter2@git.example.com/shop.git'],
      '--repository: cannot contain credentials',
    ],
    [
      'a repository that would end a string',
      ['--delivery', 'fleet', '--repository', "https://x/'+evil()+'"],
      '--repository: must be the URL of a Git repository',
    ],
    [
      'a form of ssh that Flux does not take',
      ['--delivery', 'flux', '--repository', 'git@git.example.com:team/shop.git'],
      'Fix: set ssh://git@git.example.com/team/shop.git',
    ],
    [
      'SOPS for an engine that does not decrypt it',
      ['--delivery', 'fleet', ...REPOSITORY, ...SOPS],
      '--sops-recipient: cannot be set with --delivery fleet: the engine does not decrypt SOPS',
    ],
    [
      'SOPS for Argo CD without what decrypts it',
      ['--delivery', 'argocd', ...REPOSITORY, ...SOPS],
      'Fix: set --argocd-plugin or --argocd-ksops if it is installed with Argo CD',
    ],
    [
      'a plugin of Argo CD for another engine',
      ['--delivery', 'flux', ...REPOSITORY, ...SOPS, '--argocd-plugin', 'sops'],
      '--argocd-plugin: cannot be set without --delivery argocd and --sops-recipient',
    ],
    [
      'a plugin without SOPS',
      ['--delivery', 'argocd', ...REPOSITORY, '--argocd-ksops'],
      '--argocd-ksops: cannot be set without --delivery argocd and --sops-recipient',
    ],
    [
      'the name of a plugin that would end a string',
      ['--delivery', 'argocd', ...REPOSITORY, ...SOPS, '--argocd-plugin', "x' + evil() + '"],
      '--argocd-plugin: must be the name of a plugin',
    ],
    [
      'a plugin and KSOPS',
      ['--delivery', 'argocd', ...REPOSITORY, ...SOPS, '--argocd-plugin', 'sops', '--argocd-ksops'],
      "option '--argocd-plugin <name>' cannot be used with option '--argocd-ksops'",
    ],
    [
      'a private key',
      ['--sops-recipient', 'AGE-SECRET-KEY-1HUNTER2'],
      '--sops-recipient: must be public keys of age (age1…) or of SSH, got a private key',
    ],
    [
      'a key that would end a string',
      ['--sops-recipient', "ssh-ed25519 AAAA ana's"],
      '--sops-recipient: cannot contain quotes',
    ],
    [
      'an unknown engine',
      ['--delivery', 'helm'],
      "option '--delivery <engine>' argument 'helm' is invalid",
    ],
  ])('%s', async (_, options, message) => {
    const folder = tempFolder();
    const { stderr, exitCode } = await init(folder, 'typescript', ...options);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/hunter2/i);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('all that is wrong, together', async () => {
    const { stderr } = await init(
      tempFolder(),
      'typescript',
      '--delivery',
      'flux',
      '--argocd-ksops',
    );
    expect(stderr.trim().split('\n')).toHaveLength(2);
  });

  test('a language that it does not know', async () => {
    expect(await init(tempFolder(), 'cobol')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Allowed choices are typescript, python'),
    });
  });

  test('a pipeline in a folder where no system looks for it', async () => {
    const top = tempFolder();
    mkdirSync(join(top, '.git'));
    const { stderr, exitCode } = await init(join(top, 'infra'));
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      '--ci: must be none in a folder below the top of its Git repository, infra/, got "github"',
    );
  });
});

describe('a folder with files', () => {
  test('is refused if init would write one of them, and all are named', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'package.json'), '{}');
    writeFileSync(join(folder, 'bootstrap'), 'a file where a folder would be');
    symlinkSync('nowhere', join(folder, 'main.ts'));
    const { stderr, exitCode } = await init(
      folder,
      'typescript',
      '--delivery',
      'flux',
      ...REPOSITORY,
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      ': contains files that would be overwritten: bootstrap/flux.yaml, main.ts, package.json; nothing was written',
    );
    expect(readdirSync(folder).sort()).toEqual(['bootstrap', 'main.ts', 'package.json']);
    expect(read(folder, 'package.json')).toBe('{}');
  });

  test('of a new repository gets a project, and its .gitignore the missing lines', async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, '.git'));
    writeFileSync(join(folder, 'README.md'), '# Shop\n');
    writeFileSync(join(folder, 'LICENSE'), 'mine\n');
    writeFileSync(join(folder, '.gitignore'), 'dist\nnode_modules/');
    expect((await init(folder)).exitCode).toBe(0);
    expect(read(folder, 'README.md')).toBe('# Shop\n');
    // the output is committed, though what GitHub proposes ignores it
    expect(read(folder, '.gitignore')).toMatch(/^dist\nnode_modules\/\n# .*\n!\/dist\/\n$/);
  });

  test('is refused the second time', async () => {
    const folder = tempFolder();
    await init(folder);
    const before = filesIn(folder).map((file) => read(folder, file));
    expect((await init(folder)).exitCode).toBe(1);
    expect(filesIn(folder).map((file) => read(folder, file))).toEqual(before);
  });
});

describe('the templates', () => {
  const packageOf = (
    ...path: string[]
  ): { readonly [field: string]: { readonly [name: string]: string } } =>
    JSON.parse(read(...path)) as never;
  const library = packageOf(ROOT, 'package.json');

  test('need the peers of the library, in its versions', () => {
    const { dependencies } = packageOf(ROOT, 'templates', 'typescript', 'package.json');
    expect(dependencies).toEqual({ ...library.peerDependencies, 'cdk8s-harvester': '*' });
  });

  test('name newest versions that the library knows', () => {
    const text = read(ROOT, 'templates', 'typescript', 'platform.ts');
    const [, rancher, harvester] =
      /'rancher', \{\s+version: '([^']+)'[^]*'dc1', \{\s+version: '([^']+)'/.exec(text)!;
    const newest = /NEWEST = \{ rancher: '([^']+)', harvester: '([^']+)' \}/.exec(
      read(ROOT, 'test', 'newest.test.ts'),
    )!;
    expect([rancher, harvester]).toEqual(newest.slice(1));
  });
});
