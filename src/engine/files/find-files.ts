import { existsSync, readdirSync, realpathSync, statSync } from 'fs';
import { join, sep } from 'path';
import { IgnoredPaths } from './ignored-paths';
import { isChart } from './repository-files';
import { ASSEMBLY_FILE } from '../../core/output/assembly';
import { fileKind, readRegularFile, sizeText, UnfitFile } from '../../core/output/regular-file';
import { DeliveredWith } from '../../core/rule/rule';
import { compare } from '../../core/text/values';

const MANIFEST_FILE = /\.(ya?ml|json)$/i;

/** JSON and YAML files of output folders and projects that are not manifests. */
const NO_MANIFESTS = new Set([
  ASSEMBLY_FILE,
  'construct-metadata.json',
  'package.json',
  'package-lock.json',
]);

/** What is read of files and folders. */
export interface ReadOptions {
  /**
   * Size limit of a file, in MiB; all files together may have 16 times as much.
   *
   * @default 16 - a parser of YAML needs some hundred times the memory
   */
  readonly maxFileSize?: number;
  /**
   * Whether symbolic links that lead out of a folder are followed.
   * @default false - they are findings
   */
  readonly followLinks?: boolean;
  /**
   * Patterns of files and folders that are not read, as in a `.gitignore`, relative to each folder
   * that is read. The file `.cdk8s-harvester-ignore` of a folder has more.
   *
   * @default - all manifest files are read, except those that an ignore file names
   */
  readonly exclude?: readonly string[];
}

const MIB = 1024 * 1024;
const DEFAULT_MAX_FILE_SIZE = 16;
/** The limit of all files together, as a multiple of the limit of one. */
const FILES = 16;

/** A file or folder that is not read. */
export interface SkippedFile {
  readonly file: string;
  readonly message: string;
  readonly fix: string;
  /** Whether a link leads out of the folder, which is not a fault of the file. */
  readonly isLink?: true;
}

/** The files at a path of the command line, which are listed once. */
export interface FoundFiles {
  readonly path: string;
  /** The manifest files, sorted. */
  readonly files: readonly string[];
  /** Folders with an assembly. */
  readonly assemblies: readonly string[];
  readonly skipped: readonly SkippedFile[];
  /** Charts of Helm, whose files are not manifests. */
  readonly charts: readonly FoundChart[];
  /**
   * What a file is delivered with.
   * @default - it is not known
   */
  readonly deliveredWith?: (file: string) => DeliveredWith;
}

/** A chart of Helm, and its files. */
interface FoundChart {
  readonly folder: string;
  readonly files: readonly string[];
}

/**
 * The manifest files at a path: the file itself, or all files below a folder, without hidden
 * folders and node_modules.
 */
export function findFiles(
  path: string,
  { followLinks = false, exclude = [] }: ReadOptions,
): FoundFiles {
  if (!existsSync(path)) {
    throw new Error(`${path}: does not exist`);
  }
  if (!statSync(path).isDirectory()) {
    return { path, files: [path], assemblies: [], skipped: [], charts: [] };
  }
  const files: string[] = [];
  const assemblies: string[] = [];
  const skipped: SkippedFile[] = [];
  const charts: { readonly folder: string; readonly files: string[] }[] = [];
  let chart: (typeof charts)[number] | undefined;
  const root = realpathSync(path);
  // links may form a circle
  const walked = new Set<string>();

  const add = (file: string, name: string, folder: string): void => {
    if (name === ASSEMBLY_FILE) {
      assemblies.push(folder);
    } else if (isManifestFile(name)) {
      (chart?.files ?? files).push(file);
    }
  };
  const link = (file: string, name: string, folder: string): void => {
    const isFolder = statSync(file, { throwIfNoEntry: false })?.isDirectory();
    // what the name shows is not a manifest; a link that leads nowhere is found when it is read
    if (!isFolder && (!(isManifestFile(name) || name === ASSEMBLY_FILE) || !existsSync(file))) {
      return add(file, name, folder);
    }
    const target = realpathSync(file);
    if (target.startsWith(root + sep) || target === root) {
      // a folder in here is walked anyway
      if (!isFolder) {
        add(file, name, folder);
      }
    } else if (!followLinks) {
      skipped.push({
        file,
        message: `is a symbolic link to ${target}, outside of ${path}, which is not read`,
        isLink: true,
        fix: `add ${target} as a path of its own, set --follow-links, or remove the link`,
      });
    } else if (isFolder) {
      walk(file, IgnoredPaths.in(file, exclude));
    } else {
      add(file, name, folder);
    }
  };
  const walk = (folder: string, around: IgnoredPaths): void => {
    const real = realpathSync(folder);
    if (walked.has(real)) {
      return;
    }
    walked.add(real);
    const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
      compare(a.name, b.name),
    );
    const ignored = around.with(folder);
    const outer = chart;
    if (!chart && isChart(entries.map(({ name }) => name))) {
      charts.push((chart = { folder, files: [] }));
    }
    for (const entry of entries) {
      const inner = join(folder, entry.name);
      const isHidden = entry.name.startsWith('.') || entry.name === 'node_modules';
      if (isHidden || ignored.has(inner, entry.isDirectory())) {
        continue;
      }
      if (entry.isDirectory()) {
        walk(inner, ignored);
      } else if (entry.isSymbolicLink()) {
        link(inner, entry.name, folder);
      } else if (entry.isFile()) {
        add(inner, entry.name, folder);
      } else if (isManifestFile(entry.name) || entry.name === ASSEMBLY_FILE) {
        skipped.push({
          file: inner,
          message: `must be a regular file, got ${fileKind(entry)}`,
          fix: 'remove it, or write its objects to a file',
        });
      }
    }
    chart = outer;
  };
  walk(path, IgnoredPaths.in(path, exclude));
  return { path, files, assemblies, skipped, charts };
}

function isManifestFile(name: string): boolean {
  return MANIFEST_FILE.test(name) && !NO_MANIFESTS.has(name);
}

/** Reads files up to the limits of their sizes. */
export class FileReader {
  private readonly maxBytes: number;
  private left: number;

  constructor({ maxFileSize = DEFAULT_MAX_FILE_SIZE }: ReadOptions) {
    if (!(maxFileSize > 0)) {
      throw new Error(`--max-file-size: must be a number of MiB above 0, got ${maxFileSize}`);
    }
    this.maxBytes = Math.floor(maxFileSize * MIB);
    this.left = this.maxBytes * FILES;
  }

  /** @throws UnfitFile for a file that is not regular or too large */
  public read(file: string): Uint8Array {
    const bytes = readRegularFile(file, this.maxBytes);
    if (bytes.length > this.left) {
      throw new UnfitFile(
        `all files together must have at most ${sizeText(this.maxBytes * FILES)}, and this one is beyond`,
      );
    }
    this.left -= bytes.length;
    return bytes;
  }
}
