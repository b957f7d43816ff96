import { existsSync } from 'fs';
import { join, relative, sep } from 'path';
import { readRegularText } from '../../core/output/regular-file';
import { escapeRegExp } from '../../core/text/values';

/** The file with patterns of files that no command reads, in the form of `.gitignore`. */
export const IGNORE_FILE = '.cdk8s-harvester-ignore';

/** A pattern, and whether a file of it is read again. */
interface Pattern {
  readonly form: RegExp;
  readonly isRead: boolean;
  readonly foldersOnly: boolean;
}

/** Patterns, and the folder that they are relative to. */
interface Patterns {
  readonly folder: string;
  readonly patterns: readonly Pattern[];
}

/**
 * The files and folders that commands leave out, by patterns of the command line and of the ignore
 * files of folders. The last pattern that fits decides.
 *
 * @see https://git-scm.com/docs/gitignore
 */
export class IgnoredPaths {
  /**
   * @param folder the folder that is read
   * @param patterns those of the command line
   */
  public static in(folder: string, patterns: readonly string[]): IgnoredPaths {
    return new IgnoredPaths([{ folder, patterns: patterns.flatMap(patternOf) }]);
  }

  private constructor(private readonly lists: readonly Patterns[]) {}

  /** With the patterns of the ignore file in a folder. */
  public with(folder: string): IgnoredPaths {
    const file = join(folder, IGNORE_FILE);
    if (!existsSync(file)) {
      return this;
    }
    const patterns = readRegularText(file).split(/\r?\n/).flatMap(patternOf);
    return new IgnoredPaths([...this.lists, { folder, patterns }]);
  }

  /** Whether a file, or a folder with all that it contains, is left out. */
  public has(path: string, isFolder: boolean): boolean {
    let isIgnored = false;
    for (const { folder, patterns } of this.lists) {
      const below = relative(folder, path).split(sep).join('/');
      for (const { form, isRead, foldersOnly } of patterns) {
        if ((isFolder || !foldersOnly) && form.test(below)) {
          isIgnored = !isRead;
        }
      }
    }
    return isIgnored;
  }
}

function patternOf(line: string): Pattern[] {
  const text = line.replace(/(?<!\\)\s+$/, '');
  if (text === '' || text.startsWith('#')) {
    return [];
  }
  const isRead = text.startsWith('!');
  const foldersOnly = text.endsWith('/');
  const path = text.slice(isRead ? 1 : 0, foldersOnly ? -1 : undefined).replace(/^\.\//, '/');
  // a pattern without a slash fits at any depth
  const from = path.includes('/') ? '^' : '^(?:.*/)?';
  return [{ form: new RegExp(`${from}${formOf(path.replace(/^\//, ''))}$`), isRead, foldersOnly }];
}

/** A glob as a regular expression: `*` and `?` within a name, `**` over folders. */
function formOf(glob: string): string {
  return glob.replace(/\*\*\/|\/\*\*$|\*|\?|[^*?/]+|\//g, (part) => {
    switch (part) {
      case '**/':
        return '(?:.*/)?';
      case '/**':
        return '/.*';
      case '*':
        return '[^/]*';
      case '?':
        return '[^/]';
      default:
        return escapeRegExp(part);
    }
  });
}
