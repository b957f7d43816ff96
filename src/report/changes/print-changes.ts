import { AccessChange } from './access-changes';
import { Change } from './change';
import { leavingIds } from './change-findings';
import { FieldChange } from './field-changes';
import { Action, ACTIONS, ChangeGroup, ObjectChange } from './object-changes';
import { TargetChange } from './target-changes';
import { plural, some } from '../../core/text/plain-text';
import { Block, TextPart, Tone, line, list, listed, pinned, toned } from '../../core/text/screen';
import { grouped } from '../../core/text/values';
import { labelOf } from '../../engine/plan/plan';
import { Impact, isLoss } from '../impact/impact';

/** The signs of what becomes of objects, as in a plan. */
const SIGNS: { readonly [action in Action]: readonly [sign: string, tone: Tone] } = {
  added: ['+', 'add'],
  changed: ['~', 'change'],
  renamed: ['>', 'remove'],
  moved: ['>', 'remove'],
  removed: ['-', 'remove'],
};

/** How many names a sentence lists. */
const MOST_NAMED = 3;

/** One of the facts that a reviewer needs first. */
export interface HeadLine {
  readonly label: 'what' | 'access' | 'lost' | 'waits';
  readonly text: string;
  readonly tone?: Tone;
}

/** What the change is, and where; who gains or loses access; what is lost; and what waits. */
export function headLines(change: Change): HeadLine[] {
  const { access, impacts } = change;
  const lost = lossText(impacts);
  const waiting = waitingObjects(change);
  return [
    { label: 'what', text: whatText(change) },
    {
      label: 'access',
      text: accessSummary(access),
      ...(access.some(({ loses }) => loses.length > 0) ? { tone: 'change' as const } : {}),
    },
    {
      label: 'lost',
      text: lost ?? 'nothing',
      ...(impacts.some((impact) => isLoss(impact.effect) && impact.accepted === undefined)
        ? { tone: 'error' as const }
        : {}),
    },
    {
      label: 'waits',
      text:
        waiting.length === 0
          ? 'nothing'
          : // the objects and their values are in the list of changes
            `${plural(waiting.length, 'object')} for late values`,
    },
  ];
}

function whatText({ objects: groups, targets }: Change): string {
  const objects = groups.flatMap((group) => group.objects);
  const versions = targets.filter(isNew).map(targetText);
  const counts = ACTIONS.flatMap((action) => {
    const count = objects.filter((each) => each.action === action).length;
    return count === 0 ? [] : [{ count, action }];
  });
  if (objects.length === 0) {
    return versions.length === 0
      ? 'no object changes'
      : `${versions.join(', ')}; no object changes`;
  }
  const places = [
    ...new Set(objects.flatMap(({ target, was }) => [target, was?.target ?? target])),
  ].sort();
  const [first, ...others] = counts;
  const numbers = [
    `${plural(first!.count, 'object')} ${first!.action}`,
    ...others.map(({ count, action }) => `${count} ${action}`),
  ];
  return [
    ...versions,
    `${numbers.join(', ')} on ${places.join(' and ')}: ${some(
      groups.map(({ title }) => title),
      MOST_NAMED,
    )}`,
  ].join('; ');
}

/** Whether a target is another one, or has another version; its other properties follow. */
export function isNew({ action, fields }: TargetChange): boolean {
  return action !== 'changed' || fields.some(({ path }) => path !== 'managedAs');
}

/** The targets that a report lists: the version of a guest is a field of its Cluster. */
export function listedTargets({ targets, objects: groups }: Change): TargetChange[] {
  const changed = new Set(
    groups.flatMap(({ objects }) => objects.map(({ construct = '' }) => scopeOf(construct))),
  );
  return targets
    .filter(isNew)
    .filter(
      ({ kind, action, construct }) =>
        kind !== 'guest' || action !== 'changed' || !changed.has(scopeOf(construct)),
    );
}

/** The path of a construct without its last part. */
function scopeOf(construct: string): string {
  return construct.slice(0, Math.max(construct.lastIndexOf('/'), 0));
}

export function targetText({ target, kind, action, fields }: TargetChange): string {
  const version = fields.find(({ path }) => path === 'version');
  if (action !== 'changed') {
    return `target ${target} ${action}`;
  }
  const product = { rancher: 'Rancher', harvester: 'Harvester', guest: 'Kubernetes of' }[kind];
  return version
    ? `${product} ${target} ${plainValue(version.before)} → ${plainValue(version.after)}`
    : `${target}: ${fields.map(changedFieldText).join(', ')}`;
}

function plainValue(text = ''): string {
  return text.replace(/^"|"$/g, '');
}

function accessSummary(changes: readonly AccessChange[]): string {
  const people = changes.filter(({ kind }) => kind !== 'service account');
  const accounts = new Set(
    changes.filter(({ kind }) => kind === 'service account').map(({ principal }) => principal),
  );
  const namesOf = (part: 'gains' | 'loses'): string[] => [
    ...new Set(
      people
        .filter((each) => each[part].length > 0)
        .map(({ kind, name }) => `${kind === 'everybody' ? '' : `${kind} `}${name}`),
    ),
  ];
  const [gains, loses] = [namesOf('gains'), namesOf('loses')];
  const texts = [
    ...(gains.length > 0 ? [`gained by ${some(gains, MOST_NAMED)}`] : []),
    ...(loses.length > 0 ? [`lost by ${some(loses, MOST_NAMED)}`] : []),
    ...(accounts.size > 0 ? [`that of ${plural(accounts.size, 'service account')} changes`] : []),
  ];
  return texts.join('; ') || 'unchanged';
}

/** What is, or may be, lost; undefined if nothing is. */
function lossText(impacts: readonly Impact[]): string | undefined {
  const losses = impacts.filter(({ effect }) => isLoss(effect));
  const kept = impacts.filter(({ effect, risks }) => effect === 'kept' && risks.length > 0);
  const texts = [...grouped(losses, wordsOf)].map(
    ([words, own]) => `${words}: ${some([...new Set(own.map(placeOf))], MOST_NAMED)}`,
  );
  const more =
    kept.length === 0
      ? []
      : [`kept until apply --prune-machines: ${some([...new Set(kept.map(placeOf))], MOST_NAMED)}`];
  return [...texts, ...more].join('; ') || undefined;
}

function wordsOf({ effect, accepted }: Impact): string {
  const words = {
    delete: 'deleted',
    replace: 'replaced',
    unknown: 'may be replaced or deleted',
    refuse: 'refused',
    stuck: 'stopped by a quota',
  } as { readonly [effect in Impact['effect']]?: string };
  return `${words[effect] ?? effect}${accepted === undefined ? '' : ' (accepted)'}`;
}

function placeOf({ object, cluster, pool, machines }: Impact): string {
  if (object !== undefined) {
    return object;
  }
  const number = machines === undefined ? '' : `${plural(machines, 'machine')} of `;
  return `${number}${pool === undefined ? '' : `pool ${pool} of `}cluster ${cluster}`;
}

function waitingObjects({ objects }: Change): ObjectChange[] {
  return objects.flatMap((group) => group.objects.filter(({ waits }) => waits !== undefined));
}

/** The objects of a change on a screen. */
export function changeBlocks(change: Change): Block[] {
  const { objects: groups } = change;
  const shown = listedTargets(change);
  if (shown.length === 0 && groups.length === 0) {
    return [];
  }
  return [
    ...shown.map((target) => line([toned('change', '~'), ` ${targetText(target)}`], 2)),
    list(
      groups.map((group) => {
        const blocks = groupBlocks(group);
        return group.judged && group.judged.errors > 0 ? pinned(blocks) : blocks;
      }),
      'groups',
      0,
    ),
  ];
}

function groupBlocks(group: ChangeGroup): Block[] {
  const { title, objects, judged } = group;
  return [
    line(toned('title', title)),
    ...[...grouped(objects, ({ target }) => target)].flatMap(([target, own]) => [
      line(toned('quiet', target), 2),
      list(
        own.map((object) => objectBlocks(object)),
        'objects',
        4,
      ),
    ]),
    ...(judged?.cause === undefined || judged.cause === title
      ? []
      : [line(`cause: ${judged.cause}`, 2)]),
    ...(judged?.fixes ?? []).map((fix) => line([toned('warning', 'fix:'), ` ${fix}`], 2)),
    ...(judged?.accepted ?? []).map((reason) => line(`accepted: ${reason}`, 2)),
  ];
}

function objectBlocks(change: ObjectChange): Block[] {
  const [sign, tone] = SIGNS[change.action];
  return [
    line([toned(tone, sign), ` ${objectText(change)}`], 4, 4),
    list(
      change.fields.map((field) => listed(fieldParts(field), 8)),
      'fields',
      8,
    ),
  ];
}

/** An object with what becomes of it, e.g. `VirtualMachine plant/plc: kept: its disks would be lost`. */
export function objectText(change: ObjectChange): string {
  const { object, displayName, was, waits } = change;
  const name = displayName === undefined ? object : `${object} (${displayName})`;
  const from =
    was === undefined ? '' : ` (was ${was.object} on ${was.target}: ${fateText(change)})`;
  const fate = was === undefined && leavingIds(change).length > 0 ? fateText(change) : '';
  return [
    `${name}${from}`,
    ...(fate === '' ? [] : [fate]),
    ...(waits === undefined ? [] : [`waits for ${waits}`]),
  ].join(': ');
}

function fateText({ becomes, action }: ObjectChange): string {
  if (!becomes) {
    return action === 'changed' ? '' : 'leaves the output';
  }
  const { fate, reason, neededBy } = becomes;
  if (fate === 'kept' && neededBy !== undefined) {
    return `kept for ${labelOf({ id: neededBy })}`;
  }
  return reason === 'is no longer declared' ? fate : `${fate}, ${reason}`;
}

export function changedFieldText(field: FieldChange): string {
  return fieldParts(field)
    .map((part) => (typeof part === 'object' ? part.text : String(part)))
    .join('');
}

function fieldParts({ path, prop, before, after, hidden }: FieldChange): TextPart[] {
  const name = prop ?? path;
  if (hidden !== undefined) {
    return [`${name}: ${hidden}`];
  }
  if (before === undefined) {
    return [`${name}: `, toned('add', `+ ${after ?? ''}`)];
  }
  if (after === undefined) {
    return [`${name}: `, toned('remove', `- ${before}`)];
  }
  return [`${name}: ${before} → ${after}`];
}

/** Who gains and loses access, on a screen. */
export function accessBlocks(changes: readonly AccessChange[]): Block[] {
  return [
    list(
      changes.map((change) => {
        const blocks = accessTexts(change).map(([tone, text]) =>
          line([toned(tone, text[0]), text.slice(1)], 2, 4),
        );
        return change.loses.length > 0 ? pinned(blocks) : blocks;
      }),
      'people and groups',
      2,
    ),
  ];
}

/** e.g. `+ group shop: Project Owner in project shop on dc1` */
export function accessTexts({
  kind,
  name,
  principal,
  where,
  gains,
  loses,
}: AccessChange): (readonly [tone: Tone, text: string])[] {
  const who = `${kind === 'everybody' ? '' : `${kind} `}${name}${principal.endsWith(name) ? '' : ` (${principal})`}`;
  const text = (sign: string, what: readonly string[]): string =>
    `${sign} ${who}: ${what.join(', ')} (${where})`;
  return [
    ...(loses.length > 0 ? [['remove', text('-', loses)] as const] : []),
    ...(gains.length > 0 ? [['add', text('+', gains)] as const] : []),
  ];
}
