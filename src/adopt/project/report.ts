import {
  ADOPT_TITLES,
  differenceText,
  INCLUDE_HINT,
  leftOutText,
  noteText,
  objectsText,
  unreadText,
  variableText,
} from './adopt-texts';
import { AdoptedCluster, AdoptResult, LeftOut } from './run-adopt';
import { Finding } from '../../core/rule/finding';
import { BLANK, Block, line, list, table, toned } from '../../core/text/screen';
import { TAKE_OVER_FILE } from '../../engine/auth/take-over';

/** What was adopted, for a terminal. */
export function adoptBlocks(result: AdoptResult): Block[] {
  const { variables, takeOver, handOver } = result;
  return [
    clusterBlock(result.clusters),
    ...section('Left out', result.leftOut.map(leftOutText), 'reasons'),
    ...section('Unclear, and not adopted', result.unclear.map(unclearText), 'reasons'),
    ...section('Not read', result.unread.map(unreadText), 'kinds'),
    ...section(ADOPT_TITLES.DELIVERERS, result.deliverers.map(noteText), 'objects'),
    ...section(ADOPT_TITLES.NOTES, result.notes.map(noteText), 'objects'),
    ...section(ADOPT_TITLES.VARIABLES, variables.map(variableText), 'variables'),
    ...(takeOver.length === 0 ? [] : takeOverBlocks(takeOver.length)),
    ...errorSection('Differs from the cluster', result.differences.map(differenceText), 'fields'),
    ...errorSection('Errors of the program', result.errors.map(errorText), 'errors'),
    ...section(ADOPT_TITLES.TERRAFORM, result.unmatched.map(unmatchedText), 'resources'),
    ...(handOver.commands === '' ? [] : handOverBlocks()),
  ];
}

function clusterBlock(clusters: readonly AdoptedCluster[]): Block {
  const head = ['cluster', 'objects', 'as constructs', 'with a patch', 'as ApiObjects', 'left out'];
  const rows = clusters.map((each) => [
    `${each.name} (${each.kind})`,
    each.found,
    each.constructs,
    each.patched,
    each.apiObjects,
    each.leftOut,
  ]);
  return table(head, rows);
}

/** @param noun what the entries are, in the plural */
function section(title: string, entries: readonly string[], noun: string): Block[] {
  const lines = entries.map((entry) => line(entry));
  return titled(title, lines, noun);
}

function errorSection(title: string, errors: readonly string[], noun: string): Block[] {
  const lines = errors.map((error) => line([toned('error', 'error'), ` ${error}`]));
  return titled(title, lines, noun);
}

function titled(title: string, lines: readonly Block[], noun: string): Block[] {
  return lines.length === 0 ? [] : [BLANK, line(toned('title', title)), list(lines, noun, 2)];
}

function takeOverBlocks(count: number): Block[] {
  const text = ` ${TAKE_OVER_FILE}: it lets the first apply adopt ${count} objects that give permissions, and shows who has access to each`;
  return [BLANK, line([toned('title', 'Review'), text])];
}

function handOverBlocks(): Block[] {
  const text =
    ' owns objects of the program: hand them over before the first apply, as the README of the project shows';
  return [BLANK, line([toned('title', 'Terraform'), text])];
}

function unclearText({ target, reason, objects }: LeftOut): string {
  return `${target}: ${reason}: ${objectsText(objects)}. ${INCLUDE_HINT}`;
}

function errorText({ construct, message, fix }: Finding): string {
  return `${construct ?? ''}: ${message}. Fix: ${fix}`;
}

function unmatchedText({ address, reason }: AdoptResult['unmatched'][number]): string {
  return `${address} ${reason}`;
}
