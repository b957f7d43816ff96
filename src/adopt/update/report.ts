import { relative, resolve } from 'path';
import { AdoptUpdate, DeclaredObject, DriftedObject, OutsideObject } from './update';
import { Finding } from '../../core/rule/finding';
import { commandLine } from '../../core/text/plain-text';
import { BLANK, Block, command, line, list, toned } from '../../core/text/screen';
import { CONFIG_FILE } from '../../engine/auth/config-file';
import { TakeOver } from '../../engine/auth/take-over';
import { adoptionOf } from '../../engine/fields/managed-fields';
import { DriftedField } from '../../report/doctor/drift';
import { AdoptNote } from '../project/adopt-note';
import { ADOPT_TITLES, variableText } from '../project/adopt-texts';
import { UnusedEntry } from '../select/ignored';

/** Where the diff of an update is. */
export interface DiffPlace {
  /** The file of the diff. @default - it follows the report */
  readonly out?: string;
  /** The current folder. */
  readonly cwd: string;
}

/** What an update of a program found, for a terminal. */
export function updateBlocks(update: AdoptUpdate, place: DiffPlace): Block[] {
  const { added, pending, drifted, missing, notAdded, variables, takeOverFile = '' } = update;
  return [
    ...section('On the clusters, and not in the program', added.map(addedLine), 'objects'),
    ...section(
      'An apply of the diff would not only adopt them',
      update.differences.map(differenceLine),
      'fields',
    ),
    ...section('Errors of the added statements', update.errors.map(errorLine), 'errors'),
    ...section(
      ADOPT_TITLES.NOTES,
      update.notes.map((note) => line(`${nameOf(note)} ${note.message}`, ENTRY)),
      'objects',
    ),
    ...section(
      `They give permissions: review them in ${takeOverFile}, which the diff writes`,
      update.takeOver.map(takeOverLines),
      'objects',
    ),
    ...section(
      ADOPT_TITLES.VARIABLES,
      variables.map((variable) => line(variableText(variable), ENTRY)),
      'variables',
    ),
    ...section(
      'In the program, and not in its output: synthesize it, and look again',
      pending.map((object) => line(`${nameOf(object)}: ${object.place}`, ENTRY)),
      'objects',
    ),
    ...section('Changed on the clusters', drifted.map(driftedLines), 'objects'),
    ...section('In the program, and not on the clusters', missing.map(missingLines), 'objects'),
    ...section(
      'Not added to the program',
      notAdded.map((object) => line(`${nameOf(object)}: ${object.reason}`, ENTRY)),
      'objects',
    ),
    ...section(
      `Entries of ignore in ${CONFIG_FILE} that match nothing that the program lacks`,
      update.unusedIgnores.map(unusedEntryLine),
      'entries',
    ),
    ...section('Not read', unreadLines(update), 'kinds'),
    summaryLine(update),
    ...nextBlocks(update, place),
  ];
}

/** Columns that the entries of a section are indented by. */
const ENTRY = 2;

/** Columns that details of an entry are indented by. */
const DETAIL = 6;

/** @param noun what the entries are, in the plural */
function section(
  title: string,
  entries: readonly (Block | readonly Block[])[],
  noun: string,
): Block[] {
  if (entries.length === 0) {
    return [];
  }
  return [line([toned('title', title), ':']), list(entries, noun, 2), BLANK];
}

function addedLine({ object, target }: OutsideObject): Block {
  return line([toned('add', `+ ${object}`), ` on ${target}`], ENTRY);
}

function differenceLine(difference: AdoptNote): Block {
  const name = toned('error', `! ${nameOf(difference)}`);
  return line([name, `: ${difference.message}`], ENTRY);
}

function errorLine({ construct, message, fix }: Finding): Block {
  return line([toned('error', `! ${construct ?? ''}`), `: ${message}. Fix: ${fix}`], ENTRY);
}

function takeOverLines({ id, uid, because }: TakeOver): Block[] {
  return [line(adoptionOf(id, uid), ENTRY), line(because, DETAIL)];
}

function driftedLines(drifted: DriftedObject): Block[] {
  const { object, target, isApplied, fields } = drifted;
  const place = ` on ${target}${isApplied ? '' : ', which was not applied'}`;
  return [
    line([toned('change', `~ ${object}`), place], ENTRY),
    sourceLine(drifted),
    ...fields.map(fieldLine),
  ];
}

function fieldLine({ path, live, program }: DriftedField): Block {
  return line(`${path}: ${live}, the program declares ${program}`, DETAIL);
}

function missingLines(missing: DeclaredObject): Block[] {
  const { object, target, isApplied } = missing;
  const reason = isApplied ? 'deleted since it was applied' : 'not applied';
  return [
    line([toned('remove', `- ${object}`), ` on ${target}, ${reason}`], ENTRY),
    sourceLine(missing),
  ];
}

function sourceLine({ construct, place }: DeclaredObject): Block {
  const source = place === undefined ? construct : `${construct}, ${place}`;
  return line(toned('quiet', source), DETAIL);
}

function unusedEntryLine({ entry, selects, reason }: UnusedEntry): Block {
  return line(`${entry}: ${selects} (${reason})`, ENTRY);
}

function unreadLines({ unreached, unread }: AdoptUpdate): Block[] {
  return [
    ...unreached.map(({ target, reason }) => line([toned('error', target), `: ${reason}`], ENTRY)),
    ...unread.map(({ target, kind, reason }) => line(`${kind} on ${target}: ${reason}`, ENTRY)),
  ];
}

function nameOf({ object, target }: OutsideObject): string {
  return `${object} on ${target}`;
}

/** How many objects differ, or that none does. */
function summaryLine(update: AdoptUpdate): Block {
  const { added, pending, drifted, missing, ignored } = update;
  const counts = [
    countText(added, 'to add'),
    countText(pending, 'to synthesize'),
    countText(drifted, 'changed'),
    countText(missing, 'missing'),
  ].filter((text) => text !== '');
  const isSame = counts.length === 0;
  const tone = isSame && isComplete(update) ? 'good' : 'warning';
  const text = toned(tone, isSame ? sameText(update) : counts.join(', '));
  return line(ignored.length === 0 ? [text] : [text, `; ${ignored.length} ignored`]);
}

function countText({ length }: readonly unknown[], what: string): string {
  return length === 0 ? '' : `${length} ${what}`;
}

/** Whether all clusters were read as a whole. */
function isComplete({ unread, unreached }: AdoptUpdate): boolean {
  return unread.length + unreached.length === 0;
}

function sameText(update: AdoptUpdate): string {
  if (isComplete(update)) {
    return 'the program declares all that was found';
  }
  return update.isRead
    ? 'the program declares all that was read'
    : 'no cluster was read, so nothing was compared';
}

/** How the program and the clusters become the same. */
function nextBlocks(update: AdoptUpdate, place: DiffPlace): Block[] {
  const steps = nextSteps(update, place);
  if (steps.length === 0) {
    return [];
  }
  return [
    BLANK,
    line(toned('title', 'Next')),
    ...steps,
    ...takeOverSteps(update),
    line('synthesize the program, and plan', ENTRY),
  ];
}

function nextSteps(update: AdoptUpdate, place: DiffPlace): Block[] {
  const { diff, file, call, drifted, missing } = update;
  const steps: Block[] = [];
  if (diff !== '') {
    steps.push(diffStep(update, place));
  }
  if (call !== undefined) {
    const text = `call the function of ${file ?? ''} with the charts of the program, before it is synthesized: ${call}`;
    steps.push(line(text, ENTRY));
  }
  if (drifted.length + missing.length > 0) {
    const text =
      'change the program where the clusters are right, and apply it where the program is right';
    steps.push(line(text, ENTRY));
  }
  return steps;
}

function diffStep({ folder }: AdoptUpdate, { out, cwd }: DiffPlace): Block {
  const path = relative(cwd, folder);
  const apply = ['git', ...(path === '' ? [] : ['-C', path]), 'apply'];
  if (out === undefined) {
    return line(`pass the diff below to ${commandLine(...apply)}`, ENTRY);
  }
  // git looks for it in that folder
  const file = path === '' ? out : relative(folder, resolve(cwd, out));
  return command(commandLine(...apply, file), ENTRY);
}

function takeOverSteps({ takeOverFile, isTakeOverNamed }: AdoptUpdate): Block[] {
  if (takeOverFile === undefined || isTakeOverNamed) {
    return [];
  }
  const text = `name the file for plan and apply: takeOver: ${takeOverFile} in ${CONFIG_FILE}, or adopt with adopt --take-over ${takeOverFile}`;
  return [line(text, ENTRY)];
}
