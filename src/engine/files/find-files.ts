import { Dirent, existsSync, readdirSync, realpathSync, statSync } from 'fs';
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
export function findFiles(path: string, options: ReadOptions): FoundFiles {
  if (!existsSync(path)) {
    throw new Error(`${path}: does not exist`);
  }
  if (!statSync(path).isDirectory()) {
    return { path, files: [path], assemblies: [], skipped: [], charts: [] };
  }
  return new FolderWalk(path, options).find();
}

/** Collects the files below a folder. */
class FolderWalk {
  private readonly files: string[] = [];
  private readonly assemblies: string[] = [];
  private readonly skipped: SkippedFile[] = [];
  private readonly charts: { readonly folder: string; readonly files: string[] }[] = [];
  /** The chart that the current folder belongs to. */
  private chart?: { readonly folder: string; readonly files: string[] };
  private readonly root: string;
  /** Links may form a circle. */
  private readonly walked = new Set<string>();

  public constructor(
    private readonly path: string,
    private readonly options: ReadOptions,
  ) {
    this.root = realpathSync(path);
  }

  public find(): FoundFiles {
    this.walk(this.path, this.ignoredIn(this.path));
    const { path, files, assemblies, skipped, charts } = this;
    return { path, files, assemblies, skipped, charts };
  }

  private ignoredIn(folder: string): IgnoredPaths {
    return IgnoredPaths.in(folder, this.options.exclude ?? []);
  }

  private walk(folder: string, around: IgnoredPaths): void {
    const real = realpathSync(folder);
    if (this.walked.has(real)) {
      return;
    }
    this.walked.add(real);
    const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
      compare(a.name, b.name),
    );
    const ignored = around.with(folder);
    const outer = this.chart;
    if (!outer && isChart(entries.map(({ name }) => name))) {
      this.chart = { folder, files: [] };
      this.charts.push(this.chart);
    }
    for (const entry of entries) {
      const isHidden = entry.name.startsWith('.') || entry.name === 'node_modules';
      if (!isHidden && !ignored.has(join(folder, entry.name), entry.isDirectory())) {
        this.visit(entry, folder, ignored);
      }
    }
    this.chart = outer;
  }

  private visit(entry: Dirent, folder: string, ignored: IgnoredPaths): void {
    const { name } = entry;
    const inner = join(folder, name);
    if (entry.isDirectory()) {
      this.walk(inner, ignored);
    } else if (entry.isSymbolicLink()) {
      this.follow(inner, name, folder);
    } else if (entry.isFile()) {
      this.add(inner, name, folder);
    } else if (isManifestFile(name) || name === ASSEMBLY_FILE) {
      this.skipped.push({
        file: inner,
        message: `must be a regular file, got ${fileKind(entry)}`,
        fix: 'remove it, or write its objects to a file',
      });
    }
  }

  /** Follows a symbolic link, which may lead out of the folder. */
  private follow(file: string, name: string, folder: string): void {
    const isFolder = statSync(file, { throwIfNoEntry: false })?.isDirectory();
    // what the name shows is not a manifest; a link that leads nowhere is found when it is read
    if (!isFolder && (!(isManifestFile(name) || name === ASSEMBLY_FILE) || !existsSync(file))) {
      this.add(file, name, folder);
      return;
    }
    const target = realpathSync(file);
    if (target.startsWith(this.root + sep) || target === this.root) {
      // a folder in here is walked anyway
      if (!isFolder) {
        this.add(file, name, folder);
      }
      return;
    }
    if (!this.options.followLinks) {
      this.skipped.push({
        file,
        message: `is a symbolic link to ${target}, outside of ${this.path}, which is not read`,
        isLink: true,
        fix: `add ${target} as a path of its own, set --follow-links, or remove the link`,
      });
    } else if (isFolder) {
      this.walk(file, this.ignoredIn(file));
    } else {
      this.add(file, name, folder);
    }
  }

  private add(file: string, name: string, folder: string): void {
    if (name === ASSEMBLY_FILE) {
      this.assemblies.push(folder);
    } else if (isManifestFile(name)) {
      (this.chart?.files ?? this.files).push(file);
    }
  }
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
