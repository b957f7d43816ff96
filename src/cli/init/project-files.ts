import { randomBytes } from 'crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'fs';
import { basename, dirname, join, relative, resolve } from 'path';
import { Choices } from './choices';
import { DIALECTS, TemplateEdit, NO_ENGINE } from './dialects';
import { problemText } from '../../core/problem/problem';
import { plainText } from '../../core/text/plain-text';
import { toYaml } from '../../core/yaml/yaml-writer';

/** Whole projects, of which those that are written differ by a few lines. */
const TEMPLATES = join(__dirname, '..', '..', '..', 'templates');

/** This package, for npm and for pip. */
const PACKAGE = 'cdk8s-harvester';

/** Names that npm does not pack, by what they are in the package. */
const UNPACKED: { readonly [packed: string]: string } = { gitignore: '.gitignore' };

/** Values of the templates for which a project has its own. */
const EXAMPLE = {
  salt: '0'.repeat(32),
  repository: 'https://git.example.com/platform.git',
  output: 'dist',
} as const;

/** The pipelines that look for drift. */
const DRIFT = {
  github: join('.github', 'workflows', 'drift.yaml'),
  gitlab: '.gitlab-ci.yml',
} as const;
const PLAN = 'compare npx cdk8s-harvester plan dist --no-dry-run';

/** Where a project is, and what it is named. */
interface ProjectPlace {
  /** The folder as a path in its repository, with a slash at its end; empty for the top folder. */
  readonly prefix: string;
  /** The name of the npm package. */
  readonly name: string;
  /** The version of the library. */
  readonly version: string;
}

/** The file that lets an engine read the repository; some need none. */
function bootstrapFile(delivery: Choices['delivery']): string | undefined {
  const file = join('bootstrap', `${delivery}.yaml`);
  return existsSync(join(TEMPLATES, file)) ? file : undefined;
}

/** A name of a folder as npm accepts it. */
export function packageName(folder: string): string {
  return (
    basename(folder)
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'platform'
  );
}

/** The texts of a new project, by the paths of its files. */
export function projectFiles(choices: Choices, place: ProjectPlace): ReadonlyMap<string, string> {
  const { language, delivery, ci, secrets, recipients } = choices;
  const files = new Map([
    ...template(language),
    ...(ci === 'none' ? [] : template(join('ci', ci))),
  ]);
  editsOf(choices, place).forEach(([file, from, to]) => {
    const text = files.get(file)!;
    if (!text.includes(from)) {
      throw new Error(`the template of ${file} does not contain ${JSON.stringify(from)}`);
    }
    files.set(
      file,
      text.replace(from, () => to),
    );
  });
  const bootstrap = bootstrapFile(delivery);
  if (bootstrap !== undefined) {
    files.set(bootstrap, bootstrapText(bootstrap, choices, place));
  }
  if (secrets === 'sops') {
    files.set('.sops.yaml', sopsRules(recipients));
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The texts below a folder of the templates, by their path. */
export function template(folder: string): [file: string, text: string][] {
  const root = join(TEMPLATES, folder);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(root, file)).isFile())
    .map((file) => [UNPACKED[file] ?? file, readFileSync(join(root, file), 'utf8')]);
}

function editsOf(choices: Choices, { prefix, name, version }: ProjectPlace): TemplateEdit[] {
  const { language, delivery, ci, secrets, repository = '', recipients } = choices;
  const { argocdPlugin, argocdKsops } = choices;
  const { deliveryFile, engine, sops, decryption } = DIALECTS[language];
  const range = rangeOf(version);
  return [
    ['package.json', '{\n', `{\n  "name": ${JSON.stringify(name)},\n`],
    ['package.json', `"${PACKAGE}": "*"`, `"${PACKAGE}": "${range.npm}"`],
    ...(language === 'python'
      ? [['requirements.txt', `${PACKAGE}\n`, `${PACKAGE}${range.pip}\n`] as const]
      : []),
    [deliveryFile, EXAMPLE.salt, randomBytes(EXAMPLE.salt.length / 2).toString('hex')],
    ...(delivery === 'apply'
      ? []
      : [
          [
            deliveryFile,
            NO_ENGINE,
            engine[delivery]({
              repository,
              path: `${prefix}${EXAMPLE.output}`,
              argocdPlugin,
              argocdKsops,
            }),
          ] as const,
          ...(ci === 'none'
            ? []
            : [
                [
                  DRIFT[ci],
                  PLAN,
                  '# no plan: it adopts what the engine created; doctor compares the same objects',
                ] as const,
              ]),
        ]),
    ...(secrets === 'sops' ? sops(recipients) : []),
    ...(argocdPlugin !== undefined || argocdKsops ? [decryption] : []),
  ];
}

/**
 * Versions of the library that a program of this version works with. A build that is not released
 * is in no registry.
 */
function rangeOf(version: string): { readonly npm: string; readonly pip: string } {
  const [major, minor] = version.split('.').map(Number);
  if (major === 0 && minor === 0) {
    return { npm: '*', pip: '' };
  }
  return { npm: `^${version}`, pip: `>=${version},<${major > 0 ? major + 1 : `0.${minor + 1}`}` };
}

function bootstrapText(
  file: string,
  { repository = '' }: Choices,
  { prefix }: ProjectPlace,
): string {
  return readFileSync(join(TEMPLATES, file), 'utf8')
    .replaceAll(EXAMPLE.repository, () => repository)
    .replace(/(path: (?:\.\/)?)dist/, (_, path: string) => `${path}${prefix}${EXAMPLE.output}`);
}

/**
 * What sops encrypts by hand, such as the file with the secrets of the program. Synthesis does not
 * read it.
 */
function sopsRules(recipients: readonly string[]): string {
  return `# the public keys of all who need the secrets: when one is added, run sops updatekeys for each file\n${toYaml(
    { creation_rules: [{ path_regex: '\\.sops\\.(yaml|env)$', age: recipients.join(',') }] },
  )}`;
}

/** The file to which lines are added, since every repository has one. */
const GITIGNORE = '.gitignore';

/**
 * Writes the files of a project. Throws without having written anything if one of them exists, and
 * names all.
 */
export function writeProject(folder: string, files: ReadonlyMap<string, string>): void {
  const existing = [...files.keys()].filter(
    (file) => file !== GITIGNORE && isTaken(join(folder, file)),
  );
  if (existing.length > 0) {
    throw new Error(
      problemText({
        path: plainText(folder),
        message: `contains files that would be overwritten: ${existing.join(', ')}; nothing was written`,
        fix: 'set another folder, or move them',
      }),
    );
  }
  for (const [file, text] of files) {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    if (file === GITIGNORE && isTaken(path)) {
      addLines(path, text);
    } else {
      writeFileSync(path, text, { flag: 'wx' });
    }
  }
}

/**
 * Whether something is at a path, also a link that leads nowhere, or a file in place of its folder.
 */
function isTaken(path: string): boolean {
  try {
    return lstatSync(path) !== undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

function addLines(path: string, text: string): void {
  const before = readFileSync(path, 'utf8');
  const known = new Set(before.split(/\r?\n/));
  const added = text.split('\n').filter((each) => each !== '' && !known.has(each));
  if (added.length > 0) {
    writeFileSync(
      path,
      `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${added.join('\n')}\n`,
    );
  }
}

/**
 * The folder as a path in the Git repository that it is in, with a slash at its end; empty for the
 * top folder, and without a repository.
 */
export function prefixIn(folder: string): string {
  const start = resolve(folder);
  for (let top = start; ; top = dirname(top)) {
    if (existsSync(join(top, '.git'))) {
      return top === start ? '' : `${relative(top, start)}/`;
    }
    if (dirname(top) === top) {
      return '';
    }
  }
}
