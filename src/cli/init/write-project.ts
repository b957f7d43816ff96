import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'fs';
import { dirname, join, relative, resolve } from 'path';
import { problemText } from '../../core/rule/problem';
import { plainText } from '../../core/text/plain-text';

/** The file to which lines are added, since every repository has one. */
const GITIGNORE = '.gitignore';

/** Writes the files of a project. Throws without having written anything if one of them exists, and names all. */
export function writeProject(folder: string, files: ReadonlyMap<string, string>): void {
  const existing = [...files.keys()].filter((file) => file !== GITIGNORE && isTaken(join(folder, file)));
  if (existing.length > 0) {
    throw new Error(problemText({
      path: plainText(folder), message: `contains files that would be overwritten: ${existing.join(', ')}; nothing was written`, fix: 'set another folder, or move them',
    }));
  }
  for (const [file, text] of files) {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    if (file === GITIGNORE && isTaken(path)) { addLines(path, text); } else { writeFileSync(path, text, { flag: 'wx' }); }
  }
}

/** Whether something is at a path, also a link that leads nowhere, or a file in place of its folder. */
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
  if (added.length > 0) { writeFileSync(path, `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${added.join('\n')}\n`); }
}

/** The folder as a path in the Git repository that it is in, with a slash at its end; empty for the top folder, and without a repository. */
export function prefixIn(folder: string): string {
  const start = resolve(folder);
  for (let top = start; ; top = dirname(top)) {
    if (existsSync(join(top, '.git'))) { return top === start ? '' : `${relative(top, start)}/`; }
    if (dirname(top) === top) { return ''; }
  }
}
