import { existsSync, readFileSync } from 'fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'path';
import { Document, isMap, isScalar, parseDocument } from 'yaml';
import { unifiedDiff } from './unified-diff';
import { isRecord, itemsAt } from '../../core/manifest/manifest';
import { CONFIG_FILE } from '../../engine/auth/config-file';
import { TAKE_OVER_FILE, TakeOver, takeOverText } from '../../engine/auth/take-over';

/** What a diff changes so that plan and apply adopt objects that give permissions. */
export interface Agreement {
  /** The file that lists the objects, relative to the folder of the program. */
  readonly file: string;
  /** For `git apply` in the folder of the program. */
  readonly diff: string;
  /** Whether the config file of the program names the file, so that no option is needed. */
  readonly isNamed: boolean;
}

/**
 * Lists objects in the take-over file of a program, and names that file in its config file. What
 * both contain already is kept, with its comments.
 *
 * @param folder the folder of the program
 * @param config the config file of the command. @default - that of the program, if it has one
 */
export function agreementOf(
  takeOver: readonly TakeOver[],
  folder: string,
  config: string = join(folder, CONFIG_FILE),
): Agreement {
  const known = configIn(folder, config);
  const named = known && textOf(known.document.get('takeOver'));
  const file = placeOf(named ?? TAKE_OVER_FILE, folder, known?.path);
  const before = textIn(folder, file);
  const list = unifiedDiff(file, before, listed(before, takeOver)) ?? '';
  if (!known || known.isFlow || named !== undefined) {
    return { file, diff: list, isNamed: named !== undefined };
  }
  const line = `takeOver: ${TAKE_OVER_FILE}\n`;
  const separator = known.text === '' || known.text.endsWith('\n') ? '' : '\n';
  const change = unifiedDiff(known.path, known.text, `${known.text}${separator}${line}`) ?? '';
  return { file, diff: `${list}${change}`, isNamed: true };
}

/** The config file of a program, as a path in its folder. */
interface KnownConfig {
  readonly path: string;
  readonly text: string;
  readonly document: Document;
  /** Whether it is a map in braces, which takes no further line. */
  readonly isFlow: boolean;
}

/** Undefined if there is none, or if it is in another folder, where the diff does not reach it. */
function configIn(folder: string, config: string): KnownConfig | undefined {
  const path = relative(folder, config).split(sep).join('/');
  const text = path.startsWith('..') || isAbsolute(path) ? undefined : textIn(folder, path);
  const document = text === undefined ? undefined : parseDocument(text);
  return text !== undefined && document && isMap(document.contents)
    ? { path, text, document: document as Document, isFlow: document.contents.flow === true }
    : undefined;
}

/** The path of a take-over file in the folder of the program; the config file is next to it. */
function placeOf(file: string, folder: string, config: string = CONFIG_FILE): string {
  return relative(folder, resolve(folder, dirname(config), file))
    .split(sep)
    .join('/');
}

function textIn(folder: string, path: string): string | undefined {
  const file = resolve(folder, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** The text of a take-over file with entries more, in place of older ones of the same objects. */
function listed(before: string | undefined, entries: readonly TakeOver[]): string {
  if (before === undefined) {
    return takeOverText(entries);
  }
  const document = parseDocument(before);
  const ids = new Set(entries.map(({ id }) => id));
  const isOld = (entry: unknown): boolean => isRecord(entry) && ids.has(String(entry.id));
  const own = itemsAt(document.toJS(), 'adopt');
  own
    .flatMap((entry, index) => (isOld(entry) ? [index] : []))
    .reverse()
    .forEach((index) => document.deleteIn(['adopt', index]));
  for (const { id, uid, because } of entries) {
    document.addIn(['adopt'], document.createNode({ id, uid, because }));
  }
  return document.toString({ lineWidth: 0 });
}

function textOf(value: unknown): string | undefined {
  const text = isScalar(value) ? value.value : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
