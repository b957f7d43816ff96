import { dirname, relative, resolve, sep } from 'path';
import { isKustomization } from './repository-files';
import { isRecord } from '../../core/manifest/manifest';
import { escapeRegExp, grouped } from '../../core/text/values';

/** The fields of a kustomization with the files and folders that it builds. */
const BUILT = ['resources', 'bases', 'components'] as const;

/** The folders of a repository as engines walk through them. Its own paths are absolute. */
export class FolderTree {
  private readonly root: string;
  private readonly fileAt: ReadonlyMap<string, string>;
  private readonly filesIn: ReadonlyMap<string, readonly string[]>;
  private readonly folders: readonly string[];
  private readonly inner: ReadonlyMap<string, readonly string[]>;

  /**
   * @param path the path of the command line that the files were found at
   * @param files the files below it
   * @param documentsOf reads the documents of a file
   */
  public constructor(
    path: string,
    files: readonly string[],
    private readonly documentsOf: (file: string) => readonly unknown[],
  ) {
    this.root = resolve(path);
    this.fileAt = new Map(files.map((file) => [resolve(file), file]));
    this.filesIn = grouped(files, (file) => dirname(resolve(file)));
    const above = [...this.filesIn.keys()].flatMap((folder) => [folder, ...foldersAbove(folder)]);
    this.folders = [...new Set(above)].filter((folder) => isAtOrBelow(folder, this.root)).sort();
    this.inner = grouped(this.folders, (folder) => dirname(folder));
  }

  /**
   * The folders at a path in the repository, whose root may be above the path of the command line. Each
   * `*` is any text within a step.
   */
  public foldersAt(path: string): readonly string[] {
    const steps = path.split('/').filter((step) => step !== '' && step !== '.');
    if (steps.length === 0) {
      return [this.root];
    }
    const form = new RegExp(`^${steps.map(formOf).join('/')}$`);
    const found = [this.root, ...foldersAbove(this.root)].map((root) =>
      this.folders.filter((folder) => form.test(relative(root, folder).split(sep).join('/'))),
    );
    return found.find((folders) => folders.length > 0) ?? [];
  }

  /** The folders of the tree above a file, from its own one. */
  public foldersAbove(file: string): readonly string[] {
    return foldersAbove(resolve(file)).filter((folder) => isAtOrBelow(folder, this.root));
  }

  /** All files in a folder and below it. */
  public filesBelow(folder: string): readonly string[] {
    return [
      ...(this.filesIn.get(folder) ?? []),
      ...(this.inner.get(folder) ?? []).flatMap((each) => this.filesBelow(each)),
    ];
  }

  /**
   * The files that kustomize builds from a folder, with the patches next to them: what a kustomization
   * names, or else all files in the folder and what the folders below it build.
   *
   * @param walked the folders that are built already: they may name each other
   */
  public filesBuilt(folder: string, walked = new Set<string>()): readonly string[] {
    if (walked.has(folder)) {
      return [];
    }
    walked.add(folder);
    const own = this.filesIn.get(folder) ?? [];
    const kustomization = own.find(isKustomization);
    const others = kustomization ? this.builtBy(kustomization) : (this.inner.get(folder) ?? []);
    return [
      ...own,
      ...others.flatMap((path) => this.fileAt.get(path) ?? this.filesBuilt(path, walked)),
    ];
  }

  private builtBy(kustomization: string): readonly string[] {
    const documents = this.documentsOf(kustomization).filter(isRecord);
    const entries: readonly unknown[] = documents.flatMap((document) =>
      BUILT.flatMap((field) => document[field] ?? []),
    );
    return entries
      .filter((entry): entry is string => typeof entry === 'string' && !entry.includes('://'))
      .map((entry) => resolve(dirname(kustomization), entry));
  }
}

function formOf(step: string): string {
  return step.split('*').map(escapeRegExp).join('[^/]*');
}

function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [] : [above, ...foldersAbove(above)];
}

function isAtOrBelow(folder: string, root: string): boolean {
  return folder === root || folder.startsWith(root.endsWith(sep) ? root : root + sep);
}
