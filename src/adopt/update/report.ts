import { relative, resolve } from 'path';
import { AdoptUpdate, DeclaredObject, OutsideObject } from './update';
import { commandLine } from '../../core/text/plain-text';
import { BLANK, Block, command, line, list, toned } from '../../core/text/screen';
import { CONFIG_FILE } from '../../engine/auth/config-file';
import { adoptionOf } from '../../engine/fields/managed-fields';
import { placesText } from '../project/report';

/** Where the diff of an update is. */
export interface DiffPlace {
  /** The file of the diff. @default - it follows the report */
  readonly out?: string;
  /** The current folder. */
  readonly cwd: string;
}

/** What an update of a program found, for a terminal. */
export function updateBlocks(update: AdoptUpdate, place: DiffPlace): Block[] {
  const {
    added,
    notAdded,
    pending,
    drifted,
    missing,
    ignored,
    unusedIgnores,
    variables,
    unread,
    unreached,
    isRead,
    differences,
    errors,
    notes,
    takeOver,
    takeOverFile = '',
  } = update;
  const section = (
    title: string,
    entries: readonly (Block | readonly Block[])[],
    noun: string,
  ): Block[] =>
    entries.length === 0 ? [] : [line([toned('title', title), ':']), list(entries, noun, 2), BLANK];
  const counts = [
    [added, 'to add'],
    [pending, 'to synthesize'],
    [drifted, 'changed'],
    [missing, 'missing'],
  ] as const;
  const found = counts
    .filter(([{ length }]) => length > 0)
    .map(([{ length }, word]) => `${length} ${word}`);
  const isComplete = unread.length + unreached.length === 0;
  const same =
    isRead || isComplete
      ? `the program declares all that was ${isComplete ? 'found' : 'read'}`
      : 'no cluster was read, so nothing was compared';
  return [
    ...section(
      'On the clusters, and not in the program',
      added.map((each) => line([toned('add', `+ ${each.object}`), ` on ${each.target}`], 2)),
      'objects',
    ),
    ...section(
      'An apply of the diff would not only adopt them',
      differences.map((each) =>
        line([toned('error', `! ${nameOf(each)}`), `: ${each.message}`], 2),
      ),
      'fields',
    ),
    ...section(
      'Errors of the added statements',
      errors.map(({ construct, message, fix }) =>
        line([toned('error', `! ${construct ?? ''}`), `: ${message}. Fix: ${fix}`], 2),
      ),
      'errors',
    ),
    ...section(
      'Without a construct or a prop',
      notes.map((each) => line(`${nameOf(each)} ${each.message}`, 2)),
      'objects',
    ),
    ...section(
      `They give permissions: review them in ${takeOverFile}, which the diff writes`,
      takeOver.map(({ id, uid, because }) => [line(adoptionOf(id, uid), 2), line(because, 6)]),
      'objects',
    ),
    ...section(
      'Set these variables before synthesis',
      variables.map(({ name, places }) => line(`${name}: ${placesText(places)}`, 2)),
      'variables',
    ),
    ...section(
      'In the program, and not in its output: synthesize it, and look again',
      pending.map((each) => line(`${nameOf(each)}: ${each.place}`, 2)),
      'objects',
    ),
    ...section(
      'Changed on the clusters',
      drifted.map((each) => [
        line(
          [
            toned('change', `~ ${each.object}`),
            ` on ${each.target}${each.isApplied ? '' : ', which was not applied'}`,
          ],
          2,
        ),
        sourceOf(each),
        ...each.fields.map(({ path, live, program }) =>
          line(`${path}: ${live}, the program declares ${program}`, 6),
        ),
      ]),
      'objects',
    ),
    ...section(
      'In the program, and not on the clusters',
      missing.map((each) => [
        line(
          [
            toned('remove', `- ${each.object}`),
            ` on ${each.target}, ${each.isApplied ? 'deleted since it was applied' : 'not applied'}`,
          ],
          2,
        ),
        sourceOf(each),
      ]),
      'objects',
    ),
    ...section(
      'Not added to the program',
      notAdded.map((each) => line(`${nameOf(each)}: ${each.reason}`, 2)),
      'objects',
    ),
    ...section(
      `Entries of ignore in ${CONFIG_FILE} that match nothing that the program lacks`,
      unusedIgnores.map(({ entry, selects, reason }) =>
        line(`${entry}: ${selects} (${reason})`, 2),
      ),
      'entries',
    ),
    ...section(
      'Not read',
      [
        ...unreached.map(({ target, reason }) => line([toned('error', target), `: ${reason}`], 2)),
        ...unread.map(({ target, kind, reason }) => line(`${kind} on ${target}: ${reason}`, 2)),
      ],
      'kinds',
    ),
    line([
      toned(
        found.length === 0 && isComplete ? 'good' : 'warning',
        found.length === 0 ? same : found.join(', '),
      ),
      ...(ignored.length === 0 ? [] : [`; ${ignored.length} ignored`]),
    ]),
    ...next(update, place),
  ];
}

function nameOf({ object, target }: OutsideObject): string {
  return `${object} on ${target}`;
}

function sourceOf({ construct, place }: DeclaredObject): Block {
  return line(toned('quiet', `${construct}${place === undefined ? '' : `, ${place}`}`), 6);
}

/** How the program and the clusters become the same. */
function next(
  { diff, file, call, folder, drifted, missing, takeOverFile, isTakeOverNamed }: AdoptUpdate,
  { out, cwd }: DiffPlace,
): Block[] {
  const path = relative(cwd, folder);
  const words = ['git', ...(path === '' ? [] : ['-C', path]), 'apply'];
  // git looks for it in that folder
  const from = out === undefined || path === '' ? out : relative(folder, resolve(cwd, out));
  const steps = [
    ...(diff === ''
      ? []
      : [
          from === undefined
            ? line(`pass the diff below to ${commandLine(...words)}`, 2)
            : command(commandLine(...words, from), 2),
        ]),
    ...(call === undefined
      ? []
      : [
          line(
            `call the function of ${file ?? ''} with the charts of the program, before it is synthesized: ${call}`,
            2,
          ),
        ]),
    ...(drifted.length + missing.length === 0
      ? []
      : [
          line(
            'change the program where the clusters are right, and apply it where the program is right',
            2,
          ),
        ]),
  ];
  const agreed =
    takeOverFile === undefined || isTakeOverNamed
      ? []
      : [
          line(
            `name the file for plan and apply: takeOver: ${takeOverFile} in ${CONFIG_FILE}, or adopt with adopt --take-over ${takeOverFile}`,
            2,
          ),
        ];
  return steps.length === 0
    ? []
    : [
        BLANK,
        line(toned('title', 'Next')),
        ...steps,
        ...agreed,
        line('synthesize the program, and plan', 2),
      ];
}
