import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'fs';
import { dirname, join } from 'path';
import { ASSEMBLY_FILE, ASSEMBLY_VERSION, AssemblyRemoval } from './assembly';
import { LATE_LIST, LateChange, printLateList } from './late-files';
import { fileKind } from './regular-file';
import { isRecord, itemsAt } from '../manifest/manifest';
import { filledList, jsonOf } from '../text/values';

/** An entry of an object in an assembly, of which nothing is certain: merges damage the file. */
export type PreviousEntry = { readonly [field: string]: unknown };

/**
 * The objects, and the files for an engine, that the assembly of an earlier synthesis names.
 *
 * A damaged assembly is read line by line, as each object is a line: the files of both sides of a
 * merge are of an earlier synthesis, and the next one replaces them.
 */
export function previousEntries(outdir: string): readonly PreviousEntry[] {
  const path = join(outdir, ASSEMBLY_FILE);
  if (!existsSync(path) || !statSync(path).isFile()) {
    return [];
  }
  const text = readFileSync(path, 'utf8');
  if (lastRead?.text !== text) {
    lastRead = { text, entries: entriesIn(text) };
  }
  if (!lastRead.entries) {
    throw new Error(
      `output folder ${outdir}: ${ASSEMBLY_FILE} cannot be read: it is damaged, or another version of cdk8s-harvester wrote it. ` +
        'So the files of the earlier synthesis are not known. Fix: empty the folder, or choose another one',
    );
  }
  return lastRead.entries;
}

/**
 * The removals that the program of an earlier synthesis accepts; none where its assembly is
 * damaged.
 */
export function previousRemovals(outdir: string): readonly AssemblyRemoval[] {
  return previousEntries(outdir).length === 0
    ? []
    : itemsAt(jsonOf(readFileSync(join(outdir, ASSEMBLY_FILE), 'utf8')), 'removals').filter(
        isRemoval,
      );
}

function isRemoval(value: unknown): value is AssemblyRemoval {
  return isRecord(value) && typeof value.objects === 'string' && typeof value.reason === 'string';
}

/** A synthesis asks several times for the entries of the previous one. */
let lastRead: { readonly text: string; readonly entries?: readonly PreviousEntry[] } | undefined;

/**
 * The entries of an assembly; undefined if no line of it can be read, or if it is of another
 * version of the format.
 */
function entriesIn(text: string): readonly PreviousEntry[] | undefined {
  const assembly = jsonOf(text);
  if (assembly === undefined) {
    return filledList(entriesInLines(text));
  }
  if (!isRecord(assembly)) {
    return [];
  }
  if ((assembly.schemaVersion ?? ASSEMBLY_VERSION) !== ASSEMBLY_VERSION) {
    return undefined;
  }
  return [...itemsAt(assembly, 'objects'), ...itemsAt(assembly, 'engineFiles')].filter(isRecord);
}

/** The entries of objects and files in the lines of an assembly that is not valid JSON. */
function entriesInLines(text: string): PreviousEntry[] {
  return text.split('\n').flatMap((line) => {
    const entry = jsonOf(line.replace(/^[ ,]*|,$/g, ''));
    return isRecord(entry) && isEntryOfOutput(entry) ? [entry] : [];
  });
}

// findings name files, too
function isEntryOfOutput(entry: PreviousEntry): boolean {
  const isObject = typeof entry.id === 'string' && typeof entry.kind === 'string';
  return isObject || Object.keys(entry).join() === 'file';
}

/** Files by their path below the output folder: `<target>/<file>`, or a bare name. */
type Files = ReadonlyMap<string, string>;

/** The file of cdk8s that its validation plugins read. */
export const METADATA_FILE = 'construct-metadata.json';

const STAGING = '.staging-';
const HOUR = 60 * 60 * 1000;

/**
 * Writes a whole output, or nothing.
 *
 * New and changed files are written next to the old ones first, where a full disk shows; then they
 * are moved into place, the assembly last. If this fails, the previous files are restored. Files of
 * an earlier synthesis that are no longer needed are removed; other files are left alone.
 *
 * @param late what becomes of the files of `resolve`
 * @returns how many files the output has, and how many of them this call changed
 */
export function writeOutput(
  outdir: string,
  written: Files,
  late: LateChange = NO_CHANGE,
): WrittenFiles {
  makeFolder(outdir);
  const files =
    late.kept.length > 0 ? new Map([...written, [LATE_LIST, printLateList(late.kept)]]) : written;
  const former = new Set([...filesOf(outdir), LATE_LIST, ...late.removed, ...late.moved.keys()]);
  const stale = [...former].filter((file) => !files.has(file) && isFile(join(outdir, file)));
  const moved = [...late.moved.values()];
  const folders = [...new Set([...files.keys(), ...stale, ...moved].map((file) => dirname(file)))];
  // a folder that is not there yet is written whole and moved once: a rename for each of thousands
  // of files costs as much as writing them
  const fresh = new Set(folders.filter((folder) => !existsSync(join(outdir, folder))));
  for (const folder of folders.filter((name) => !fresh.has(name))) {
    checkFolder(join(outdir, folder));
  }
  for (const file of moved) {
    if (existsSync(join(outdir, file))) {
      throw notOurs(join(outdir, file));
    }
  }
  const changed = [...files]
    .filter(
      ([file, content]) => !fresh.has(dirname(file)) && differs(outdir, file, content, former),
    )
    .map(([file]) => file);
  const single = [...changed, ...moved.filter((file) => !fresh.has(dirname(file)))];
  // the assembly names all others: until they are in place a reader sees the old one
  single.sort((a, b) => Number(a === ASSEMBLY_FILE) - Number(b === ASSEMBLY_FILE));
  const isSingle = new Set(single);
  exchange(outdir, { fresh: outermost(fresh), files: single, stale }, (staged) => {
    for (const [file, content] of files) {
      if (fresh.has(dirname(file)) || isSingle.has(file)) {
        writeFileSync(staged(file), content);
      }
    }
    for (const [from, to] of late.moved) {
      copyFileSync(join(outdir, from), staged(to));
    }
  });
  const inFresh = [...files.keys()].filter((file) => fresh.has(dirname(file)));
  return {
    total: files.size,
    changed: inFresh.length + changed.length,
    removed: stale.length,
  };
}

/** How many files an output has, and how many of them changed. */
export interface WrittenFiles {
  readonly total: number;
  /** Files that were created or replaced. */
  readonly changed: number;
  readonly removed: number;
}

/** The folders that are in no other one: a move of these moves all. */
function outermost(folders: ReadonlySet<string>): string[] {
  const isInner = (folder: string): boolean => {
    const parent = dirname(folder);
    return parent !== folder && (folders.has(parent) || isInner(parent));
  };
  return [...folders].filter((folder) => !isInner(folder));
}

const NO_CHANGE: LateChange = { kept: [], moved: new Map(), removed: [] };

/** What changes in a folder. */
interface Exchange {
  /** Folders that are not there yet. @default - all exist */
  readonly fresh?: readonly string[];
  /** Files that are written or replaced in folders that exist. */
  readonly files: readonly string[];
  /** Files that are removed. */
  readonly stale: readonly string[];
}

/**
 * Writes and removes files below a folder: all or none. Folders that become empty are removed.
 *
 * @param write writes each file to the place that the function returns for it
 */
export function exchange(
  outdir: string,
  { fresh = [], files, stale }: Exchange,
  write: (staged: (file: string) => string) => void,
): void {
  makeFolder(outdir);
  removeLeftOvers(outdir);
  const staging = mkdtempSync(join(outdir, STAGING));
  const move = new Move(outdir, staging);
  try {
    write((file) => move.staged(file));
    move.run(fresh, files, stale);
  } finally {
    if (move.isWhole) {
      rmSync(staging, { recursive: true, force: true });
    }
  }
  for (const folder of new Set(stale.map((file) => dirname(file)))) {
    removeIfEmpty(outdir, folder);
  }
}

/** Puts staged files into their places, all or none. */
class Move {
  /** Whether the output is in the previous or in the new state. */
  public isWhole = true;
  private readonly undo: (() => void)[] = [];
  private readonly made = new Set<string>();

  constructor(
    private readonly outdir: string,
    private readonly staging: string,
  ) {}

  /** The place of a file until it is moved. */
  public staged(file: string): string {
    return this.inStaging('new', file);
  }

  /**
   * @param folders that are not there yet
   * @param files of folders that are
   * @param stale files that go
   */
  public run(folders: readonly string[], files: readonly string[], stale: readonly string[]): void {
    const replaced = files.filter((file) => existsSync(this.place(file)));
    for (const file of replaced) {
      keep(this.place(file), this.old(file));
    }
    const isReplaced = new Set(replaced);
    try {
      for (const folder of folders) {
        this.makeParent(folder);
        this.rename(this.staged(folder), this.place(folder));
      }
      for (const file of files) {
        // over the old one, so that no reader ever finds none
        if (isReplaced.has(file)) {
          this.replace(file);
        } else {
          this.rename(this.staged(file), this.place(file));
        }
      }
      for (const file of stale) {
        this.rename(this.place(file), this.old(file));
      }
    } catch (error) {
      this.rollBack(error as Error);
      throw new Error(
        `output folder ${this.outdir}: ${(error as Error).message}; the previous output is left untouched`,
      );
    }
  }

  private makeParent(folder: string): void {
    const parent = this.place(dirname(folder));
    if (existsSync(parent)) {
      return;
    }
    mkdirSync(parent);
    this.undo.push(() => rmdirSync(parent));
  }

  private replace(file: string): void {
    renameSync(this.staged(file), this.place(file));
    this.undo.push(() => renameSync(this.old(file), this.place(file)));
  }

  private rename(from: string, to: string): void {
    renameSync(from, to);
    this.undo.push(() => renameSync(to, from));
  }

  private rollBack(cause: Error): void {
    this.isWhole = false;
    try {
      for (const step of [...this.undo].reverse()) {
        step();
      }
    } catch (error) {
      throw new Error(
        `output folder ${this.outdir}: ${cause.message}; restoring the previous files failed as well; they are in ${join(this.staging, 'old')}: ` +
          (error as Error).message,
      );
    }
    this.isWhole = true;
  }

  private place(file: string): string {
    return join(this.outdir, file);
  }

  private old(file: string): string {
    return this.inStaging('old', file);
  }

  // the folders of files that remain as they are would be most of the work
  private inStaging(half: 'new' | 'old', file: string): string {
    const path = join(this.staging, half, file);
    const folder = dirname(path);
    if (!this.made.has(folder)) {
      mkdirSync(folder, { recursive: true });
      this.made.add(folder);
    }
    return path;
  }
}

// a link costs nothing; not every file system has them
function keep(file: string, as: string): void {
  try {
    linkSync(file, as);
  } catch {
    copyFileSync(file, as);
  }
}

function makeFolder(outdir: string): void {
  if (existsSync(outdir) && !statSync(outdir).isDirectory()) {
    throw new Error(
      `output folder ${outdir}: must be a folder, got a file. Fix: remove it, or choose another folder`,
    );
  }
  mkdirSync(outdir, { recursive: true });
}

// of runs that were killed; another one may be at work right now
function removeLeftOvers(outdir: string): void {
  for (const name of readdirSync(outdir).filter((entry) => entry.startsWith(STAGING))) {
    try {
      const path = join(outdir, name);
      if (Date.now() - statSync(path).mtimeMs > HOUR) {
        rmSync(path, { recursive: true, force: true });
      }
    } catch {
      // of another process, or gone already: not a failure
    }
  }
}

function checkFolder(folder: string): void {
  if (!statSync(folder).isDirectory()) {
    throw new Error(
      `output folder: ${folder} must be a folder, got a file. Fix: remove it, or choose another folder`,
    );
  }
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new Error(`output folder: ${folder} is not writable: ${(error as Error).message}`);
  }
}

// whether a file must be written; refuses to overwrite files that synthesis did not create
function differs(
  outdir: string,
  file: string,
  content: string,
  former: ReadonlySet<string>,
): boolean {
  const path = join(outdir, file);
  if (!existsSync(path)) {
    return true;
  }
  const found = statSync(path);
  if (!found.isFile()) {
    throw new Error(
      `output folder: ${path} must be a file, got ${fileKind(found)}. Fix: remove it, or choose another folder`,
    );
  }
  if (readFileSync(path, 'utf8') === content) {
    return false;
  }
  if (file !== ASSEMBLY_FILE && file !== METADATA_FILE && !former.has(file)) {
    throw notOurs(path);
  }
  return true;
}

function notOurs(path: string): Error {
  return new Error(
    `output folder: ${path} was not written by an earlier synthesis. Fix: remove it, or choose another folder`,
  );
}

// removes only files that an assembly names, and only below the output folder
function filesOf(outdir: string): string[] {
  const files = previousEntries(outdir).map(({ file }) => file);
  return [...new Set(files)].filter(
    (file): file is string =>
      typeof file === 'string' &&
      /^[a-z0-9-]+\/([a-z0-9-]+\/)?([^/\\\0]+\.yaml|README\.md)$/.test(file),
  );
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

/** Removes a folder below the output folder that has become empty, and those above it. */
function removeIfEmpty(outdir: string, folder: string): void {
  for (let each = folder; each !== '.'; each = dirname(each)) {
    const path = join(outdir, each);
    if (existsSync(path) && readdirSync(path).length === 0) {
      rmSync(path, { recursive: true });
    }
  }
}
