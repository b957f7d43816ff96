import { posix } from 'path';
import { WrittenOutput } from './synthesize';
import { Finding } from '../../core/rule/finding';
import { PLACEHOLDER_RULES } from '../../core/rule/general/objects.rules';
import { ENCRYPTED } from '../../core/rule/program-rules';
import { isCounted } from '../../core/rule/report';
import { World } from '../../core/rule/rule';
import { refuseUnread } from '../../engine/files/file-findings';
import { findFiles, FoundFiles, ReadOptions } from '../../engine/files/find-files';
import { targetsOf } from '../../engine/files/judged-targets';
import { OutputEnvironment, environmentsIn } from '../../engine/read/environments';
import { findingKey, lintEnvironment } from '../../engine/read/lint';
import { Input, readFound, readable } from '../../engine/read/read-input';
import { accessChanges } from '../changes/access-changes';
import { Change, EnvironmentChange, joinedChanges } from '../changes/change';
import { withFindings } from '../changes/change-findings';
import { objectChanges } from '../changes/object-changes';
import { targetChanges } from '../changes/target-changes';
import { FitRow, fitTable } from '../fits/fit-table';
import { changePicture } from '../graph/change-picture';
import { impactsOfEdits, unusedReplacements } from '../impact/edit-impacts';

/** One side of a review. */
export interface ReviewSide {
  readonly outputs: readonly WrittenOutput[];
  readonly input: Input;
}

/** What a change does, and what only a comparison knows. */
interface Compared extends Change {
  /** Empty if there is one. */
  readonly environments: readonly EnvironmentChange[];
  /** The replacements that the program accepts and the change does not do. */
  readonly unused: readonly string[];
  /** The limits that the base exceeds. */
  readonly unfitBefore: ReadonlySet<string>;
}

/** What a change does to one environment. */
interface ComparedEnvironment extends Change {
  readonly name: string | undefined;
  readonly unused: readonly string[];
  readonly unfitBefore: readonly string[];
}

/** What is known of a change that cannot be synthesized. */
export const NOTHING_COMPARED: Compared = {
  ...joinedChanges([]),
  environments: [],
  unused: [],
  unfitBefore: new Set(),
};

/** Compares each environment with its base. */
export function compareAll(
  before: ReviewSide | undefined,
  after: ReviewSide,
  {
    maxFileSize,
    followLinks,
    exclude,
    committed,
  }: ReadOptions & { readonly committed?: readonly string[] },
): Compared {
  const reading = { maxFileSize, followLinks, exclude };
  const environments = committed
    ? committedEnvironments(before, after, reading)
    : writtenEnvironments(before, after, reading);
  const compared = environments.map((environment) =>
    compareEnvironment(environment, before !== undefined, reading),
  );
  return {
    ...joinedChanges(compared),
    environments: compared.flatMap(({ unused: _, unfitBefore: __, name, ...change }) =>
      name === undefined ? [] : [{ name, ...change }],
    ),
    unused: compared.flatMap(({ name, unused }) =>
      unused.map((text) => (name ? `${name}: ${text}` : text)),
    ),
    unfitBefore: new Set(compared.flatMap(({ unfitBefore }) => unfitBefore)),
  };
}

/** The outputs that a program writes: each HarvesterApp is a world of its own. */
function writtenEnvironments(
  before: ReviewSide | undefined,
  after: ReviewSide,
  reading: ReadOptions,
): readonly OutputEnvironment[] {
  const [was, is] = [before?.outputs ?? [], after.outputs];
  const list = (outputs: readonly WrittenOutput[]): FoundFiles[] =>
    outputs.map(({ folder }) => findFiles(folder, reading));
  const names = [...environmentNames(was, is)];
  if (names.every(([, name]) => name === undefined)) {
    return [{ listed: list(is), common: [], before: list(was), world: [] }];
  }
  return names.map(([folder, name]) => {
    const isOwn = ({ outdir }: WrittenOutput): boolean => outdir === folder;
    return {
      name,
      listed: list(is.filter(isOwn)),
      common: [],
      before: list(was.filter(isOwn)),
      world: [],
    };
  });
}

/** The names of the environments of a program, by their folders; undefined for the only one. */
export function environmentNames(
  was: readonly WrittenOutput[],
  is: readonly WrittenOutput[],
): ReadonlyMap<string, string | undefined> {
  const folders = [...new Set([...was, ...is].map(({ outdir }) => outdir))].sort();
  if (was.length <= 1 && is.length <= 1) {
    // the folder of the only output may have another name
    return new Map(folders.map((folder) => [folder, undefined]));
  }
  const parent = commonFolder(folders);
  return new Map(folders.map((folder) => [folder, posix.relative(parent, folder)]));
}

/** The folder that contains all folders, e.g. `dist` for `dist/dev` and `dist/prod`. */
function commonFolder(folders: readonly string[]): string {
  const parent = posix.dirname(folders[0]);
  return folders.every((folder) => folder.startsWith(`${parent}/`)) ? parent : '.';
}

/** The environments in committed folders, as `lint` finds them. */
function committedEnvironments(
  before: ReviewSide | undefined,
  after: ReviewSide,
  reading: ReadOptions,
): readonly OutputEnvironment[] {
  const foldersOf = (side: ReviewSide | undefined): string[] =>
    (side?.outputs ?? []).map(({ folder }) => folder);
  return environmentsIn(foldersOf(after), { before: foldersOf(before) }, reading);
}

/**
 * @param isCompared whether there is a base, which may be empty
 */
function compareEnvironment(
  environment: OutputEnvironment,
  isCompared: boolean,
  reading: ReadOptions,
): ComparedEnvironment {
  const { name } = environment;
  const isOfSide = ({ rule }: Finding): boolean =>
    rule !== ENCRYPTED.id && !PLACEHOLDER_RULES.some(({ id }) => id === rule);
  const findings = lintEnvironment(environment, reading).filter(isOfSide);
  const base: OutputEnvironment = { ...environment, listed: environment.before, before: [] };
  const old = new Set(lintEnvironment(base, reading).filter(isCounted).map(findingKey));
  const added = findings.filter((finding) => !isCounted(finding) || !old.has(findingKey(finding)));

  const after = inputOf(environment.listed, reading);
  const before = inputOf(environment.before, reading, after);
  const was = isCompared ? before : undefined;
  const edit = was && { environment: name, before: was, after };
  const impacts = edit ? impactsOfEdits([edit]) : [];
  const objects = was ? withFindings(objectChanges(was, after), added) : [];
  const picture = was && changePicture(was, after, objects);
  return {
    name,
    ...(picture === undefined ? {} : { picture }),
    targets: was ? targetChanges(was, after) : [],
    objects,
    access: was ? accessChanges(was, after) : [],
    findings: added,
    known: findings.length - added.length,
    impacts,
    unused: edit ? unusedReplacements(after.assemblies, impacts) : [],
    fits: rowsOf(after, name),
    unfitBefore: was
      ? rowsOf(was, name)
          .filter(({ fits }) => fits === 'no')
          .map(rowKey)
      : [],
  };
}

function inputOf(listed: readonly FoundFiles[], reading: ReadOptions, like?: Input): Input {
  const input = readFound(listed, reading, like && targetsOf(like.assemblies, {}));
  refuseUnread(input.findings, ENCRYPTED);
  return readable(input);
}

function rowsOf({ objects }: Input, environment: string | undefined): FitRow[] {
  return fitTable(new World(objects, [])).map((row) =>
    environment ? { environment, ...row } : row,
  );
}

/** What identifies a limit. */
export function rowKey({ environment = '', target, object, resource }: FitRow): string {
  return [environment, target, object, resource].join('\n');
}
