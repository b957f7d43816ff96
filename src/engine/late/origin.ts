import { lateValuePlace } from './look-up';
import { lateIdsIn } from '../../core/late/late-text';
import { MATCHED_FIELD } from '../../core/late/late-token';
import { nameOnly } from '../../core/manifest/manifest';
import { HARVESTER_PUBLIC } from '../../core/manifest/names';
import { AssemblyLateObject, AssemblyLateValue, AssemblyTarget } from '../../core/output/assembly';
import { sensitiveIds } from '../../core/secret/redactor';
import { compare } from '../../core/text/values';
import { isOutside } from '../../core/value/secret-value';
import { NAMESPACE_DESCRIPTION } from '../../rancher/project/project.kind';

/**
 * Where a late value is read from on a cluster; undefined for texts of other values, and for
 * secrets outside of the clusters.
 */
function sourceOf({ source }: AssemblyLateValue): AssemblyLateObject | undefined {
  return 'target' in source && !isOutside(source) ? source : undefined;
}

/**
 * Where a late value comes from, and who can write it there: `key "token" of Secret shop/bot on
 * dc1, which … can write`. Undefined if no cluster has it.
 */
export function originOf(
  late: AssemblyLateValue,
  targets: readonly Pick<AssemblyTarget, 'name' | 'kind'>[],
): string | undefined {
  const source = sourceOf(late);
  return (
    source &&
    `${lateValuePlace(source)}, which ${writersOf(source, targets.find(({ name }) => name === source.target)?.kind)} can write`
  );
}

function writersOf(
  { resolver, kind, namespace }: AssemblyLateObject,
  on: AssemblyTarget['kind'] | undefined,
): string {
  if (resolver === MATCHED_FIELD) {
    return `everyone with permission to create or edit ${kind}s there`;
  }
  if (on === 'guest') {
    return 'every administrator of the guest cluster';
  }
  if (on === 'rancher' && namespace !== undefined) {
    return 'administrators, and owners of its cluster,';
  }
  if (on !== 'harvester' || namespace === undefined || isOfSystem(namespace)) {
    return 'only administrators';
  }
  return `every member of the project of ${namespace} with permission to edit ${kind}s, such as project owners${kind === 'Secret' ? ' and vm-creators' : ''},`;
}

function isOfSystem(name: string): boolean {
  const namespace = nameOnly({ apiVersion: 'v1', kind: 'Namespace', name });
  return (
    name !== 'default' &&
    (name === HARVESTER_PUBLIC ||
      NAMESPACE_DESCRIPTION.kept!.some(({ when }) => when?.(namespace) === true))
  );
}

/**
 * Whether the inventory of its cluster remembers a late value: a credential that a run reads there
 * and copies, or the object that a display name means, which may be another one later.
 */
export function isRemembered(late: AssemblyLateValue, sensitive: ReadonlySet<string>): boolean {
  const source = sourceOf(late);
  return source !== undefined && (sensitive.has(late.id) || source.resolver === MATCHED_FIELD);
}

/**
 * Whether a program reads values from a target of which the inventory there keeps digests:
 * credentials, and objects that it looks up.
 */
export function readsRemembered(target: string, lateValues: readonly AssemblyLateValue[]): boolean {
  const sensitive = sensitiveIds(lateValues);
  return lateValues.some(
    (late) => sourceOf(late)?.target === target && isRemembered(late, sensitive),
  );
}

/**
 * The warning about a late value that is another one than the last run read.
 *
 * @param value what it is now; undefined for a secret
 */
export function replacedText(
  late: AssemblyLateValue,
  targets: readonly Pick<AssemblyTarget, 'name' | 'kind'>[],
  value?: string,
): string {
  const now = value === undefined ? '' : ` It is now ${JSON.stringify(value)}.`;
  return `late value "${late.description}" changed since it was last read: ${originOf(late, targets)}.${now} Fix: if you do not know why it changed, find out who wrote it before you apply it`;
}

/** The late values that an object contains, also within other ones, by ID. */
export function lateValuesWithin(
  ids: readonly string[],
  byId: ReadonlyMap<string, AssemblyLateValue>,
): readonly string[] {
  const found = new Set(ids);
  for (const id of found) {
    for (const inner of lateIdsIn(byId.get(id)?.source)) {
      found.add(inner);
    }
  }
  return [...found].sort(compare);
}
