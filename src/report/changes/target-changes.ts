import { FieldChange } from './field-changes';
import { AssemblyTarget } from '../../core/output/assembly';
import { show } from '../../core/problem/problem';
import { Input } from '../../engine/read/read-input';

/** What an edit does to a cluster of the program. */
export interface TargetChange {
  readonly action: 'added' | 'changed' | 'removed';
  readonly target: string;
  readonly kind: AssemblyTarget['kind'];
  readonly construct: string;
  /** Its version, and what else is known of it, e.g. `vip`. */
  readonly fields: readonly FieldChange[];
}

/** What an edit does to the clusters of a program. */
export function targetChanges(before: Input, after: Input): TargetChange[] {
  const [was, is] = [before, after].map(
    ({ assemblies }) =>
      new Map(assemblies.flatMap(({ targets }) => targets.map((each) => [each.name, each]))),
  );
  // without an assembly, the clusters are not known
  if (before.assemblies.length === 0 || after.assemblies.length === 0) {
    return [];
  }
  return [...new Set([...was!.keys(), ...is!.keys()])].flatMap((name): TargetChange[] => {
    const [old, now] = [was!.get(name), is!.get(name)];
    const { kind, construct } = (now ?? old)!;
    const fields = old && now ? fieldsOf(old, now) : [];
    if (old && now && fields.length === 0) {
      return [];
    }
    return [{ action: actionOf(old, now), target: name, kind, construct, fields }];
  });
}

function actionOf(old: unknown, now: unknown): TargetChange['action'] {
  if (old === undefined) {
    return 'added';
  }
  return now === undefined ? 'removed' : 'changed';
}

function fieldsOf(old: AssemblyTarget, now: AssemblyTarget): FieldChange[] {
  const [was, is] = [old, now].map(({ version, properties }) => ({ version, ...properties }));
  return [...new Set([...Object.keys(was!), ...Object.keys(is!)])]
    .map((path) => ({
      path,
      before: (was as { readonly [field: string]: string })[path],
      after: (is as { readonly [field: string]: string })[path],
    }))
    .filter(({ before, after }) => before !== after)
    .map(({ path, before, after }) => ({
      path,
      ...(before === undefined ? {} : { before: show(before) }),
      ...(after === undefined ? {} : { after: show(after) }),
    }));
}
