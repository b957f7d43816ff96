import { Update } from './update';
import { BLANK, Block, line, list, toned } from '../../core/text/screen';
import { placesText } from '../project/report';

/** What an update of a program found, for a terminal. */
export function updateBlocks({ added, notAdded, drifted, unread, unreached, variables, call, file }: Update): Block[] {
  const section = (title: string, entries: readonly (Block | readonly Block[])[], noun: string): Block[] => (
    entries.length === 0 ? [] : [line([toned('title', title), ':']), list(entries, noun, 2), BLANK]);
  const blocks = [
    ...section('On the clusters, and not in the program', added.map(({ target, object }) => line([toned('add', `+ ${object}`), ` on ${target}`], 2)), 'objects'),
    ...section('Set these variables before synthesis', variables.map(({ name, places }) => line(`${name}: ${placesText(places)}`, 2)), 'variables'),
    ...section('Changed on the clusters', drifted.map(({ target, object, construct, place, isApplied, fields }) => [
      line([toned('change', `~ ${object}`), ` on ${target}${isApplied ? '' : ', which was not applied'}`], 2),
      line(toned('quiet', `${construct}${place === undefined ? '' : `, ${place}`}`), 6),
      ...fields.map(({ path, live, program }) => line(`${path}: ${live}, the program declares ${program}`, 6)),
    ]), 'objects'),
    ...section('Not in the program, which cannot declare them', notAdded.map(({ target, object, reason }) => line(`${object} on ${target}: ${reason}`, 2)), 'objects'),
    ...section('Not read', [
      ...unreached.map(({ target, reason }) => line([toned('error', target), `: ${reason}`], 2)),
      ...unread.map(({ target, kind, reason }) => line(`${kind} on ${target}: ${reason}`, 2)),
    ], 'kinds'),
  ];
  const summary = added.length + drifted.length === 0 ? 'nothing was found that the program lacks' : `${added.length} to add, ${drifted.length} changed`;
  return [
    ...blocks,
    line(toned(added.length + drifted.length === 0 ? 'good' : 'warning', summary)),
    ...(call === undefined ? [] : [line(`${file ?? ''} exports a function: call it with the charts of the program, ${call}`)]),
  ];
}
