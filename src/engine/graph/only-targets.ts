import { Manifests, buildGraph } from './build-graph';
import { GraphNode } from './graph';
import { lateIdsIn } from '../../core/late/late-text';
import { objectLabel } from '../../core/manifest/manifest';
import { Assembly, AssemblyObject } from '../../core/output/assembly';

/** What a run on some targets leaves out. */
export interface TargetsLeftOut {
  /** The names of targets. */
  readonly targets: readonly string[];
  /** The IDs of objects, on any target. */
  readonly objects: ReadonlySet<string>;
}

/** A program without the objects that need other targets than the chosen ones. */
export interface ChosenProgram {
  readonly assembly: Assembly;
  readonly leftOut: TargetsLeftOut;
  /** What is left out, each as a target and a sentence about it. */
  readonly notes: readonly (readonly [target: string, note: string])[];
}

/**
 * Leaves out the objects of other targets, and all that needs one of them: a registration waits for
 * the token of its Rancher. Throws if a name is not a target of the program.
 *
 * @param names the chosen targets
 */
export function onlyTargets(
  assembly: Assembly,
  manifests: Manifests,
  names: readonly string[],
): ChosenProgram {
  const unknown = names.filter((name) => !assembly.targets.some((target) => target.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `--target: must be a target of the program, got ${unknown.join(', ')}. ` +
        `Fix: set it to one of ${assembly.targets.map(({ name }) => name).join(', ')}`,
    );
  }
  const chosen = new Set(names);
  const blocked = blockedNodes(assembly, manifests, chosen);
  const isLeft = ({ id }: AssemblyObject): boolean => blocked.has(id);
  const objects = assembly.objects.filter((object) => !isLeft(object));
  return {
    assembly: {
      ...assembly,
      ...partsOf(assembly, objects, blocked),
      targets: assembly.targets.filter(({ name }) => chosen.has(name)),
      objects,
      // rules take them for existing
      known: [...(assembly.known ?? []), ...assembly.objects.filter(isLeft)],
    },
    leftOut: {
      targets: assembly.targets.map(({ name }) => name).filter((name) => !chosen.has(name)),
      objects: new Set(assembly.objects.filter(isLeft).map(({ id }) => id)),
    },
    notes: [
      ...notesOfTargets(assembly, chosen),
      ...assembly.objects
        .filter((object) => chosen.has(object.target) && isLeft(object))
        .map(({ id, target }) => {
          const label = objectLabel(manifests.get(id)!);
          return [target, `${label} is left out: it needs ${blocked.get(id)!}`] as const;
        }),
    ],
  };
}

/**
 * A program without other targets, what is on them, and what waits for a late value of it: a
 * removal finds that in the inventory.
 */
export function onTargets(
  assembly: Assembly,
  chosen: { readonly has: (name: string) => boolean },
): Assembly {
  const targets = assembly.targets.filter(({ name }) => chosen.has(name));
  if (assembly.objects.every(({ target }) => chosen.has(target))) {
    return { ...assembly, targets };
  }
  const gone = lateElsewhere(assembly, chosen);
  const isLeft = ({ target, lateValues = [] }: AssemblyObject): boolean =>
    !chosen.has(target) || lateValues.some((id) => gone.has(`late:${id}`));
  const objects = assembly.objects.filter((object) => !isLeft(object));
  return {
    ...assembly,
    ...partsOf(assembly, objects, gone),
    targets,
    objects,
    known: [...(assembly.known ?? []), ...assembly.objects.filter(isLeft)],
  };
}

/** The nodes of the late values that come from other targets, also by way of another late value. */
function lateElsewhere(
  { lateValues }: Assembly,
  chosen: { readonly has: (name: string) => boolean },
): ReadonlySet<string> {
  const gone = new Set<string>();
  for (let before = -1; before !== gone.size;) {
    before = gone.size;
    for (const { id, source } of lateValues) {
      const isElsewhere = 'target' in source && !chosen.has(source.target);
      if (isElsewhere || lateIdsIn(source).some((other) => gone.has(`late:${other}`))) {
        gone.add(`late:${id}`);
      }
    }
  }
  return gone;
}

/** The objects and late values that are left out, by their nodes, with what they need elsewhere. */
function blockedNodes(
  assembly: Assembly,
  manifests: Manifests,
  chosen: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const blocked = new Map<string, string>();
  const describe = ({ id, object, late, target }: GraphNode): string => {
    if (object) {
      return `${objectLabel(manifests.get(id)!)} on ${target}`;
    }
    return late ? `${late.description} on ${target}` : id;
  };
  // dependencies come first
  for (const node of buildGraph(assembly, manifests).nodes.values()) {
    const isElsewhere = node.target !== '' && !chosen.has(node.target);
    const cause = isElsewhere
      ? describe(node)
      : node.after.map(({ to }) => blocked.get(to)).find((found) => found !== undefined);
    if (cause !== undefined) {
      blocked.set(node.id, cause);
    }
  }
  return blocked;
}

/** The groups, edges, and late values among the objects that remain. */
function partsOf(
  { groups, edges, lateValues }: Assembly,
  objects: readonly AssemblyObject[],
  blocked: Pick<ReadonlySet<string>, 'has'>,
): Pick<Assembly, 'groups' | 'edges' | 'lateValues'> {
  const ids = new Set(objects.map(({ id }) => id));
  const left = lateValues.filter(({ id }) => !blocked.has(`late:${id}`));
  const lateIds = new Set(left.map(({ id }) => id));
  const values = left.filter(({ source }) => lateIdsIn(source).every((id) => lateIds.has(id)));
  const members = groups
    .map((group) => ({ ...group, objects: group.objects.filter((id) => ids.has(id)) }))
    .filter((group) => group.objects.length > 0);
  const ends = new Set([
    ...ids,
    ...members.map(({ id }) => id),
    ...values.map(({ id }) => `late:${id}`),
  ]);
  return {
    groups: members,
    lateValues: values,
    edges: edges.filter(({ from, to }) => ends.has(from) && ends.has(to)),
  };
}

/** The targets that are left out, with how many objects. */
function notesOfTargets(
  { targets, objects }: Assembly,
  chosen: ReadonlySet<string>,
): (readonly [string, string])[] {
  return targets
    .filter(({ name }) => !chosen.has(name))
    .map(({ name }) => {
      const own = objects.filter(({ target }) => target === name).length;
      const what = own === 1 ? '1 object' : `${own} objects`;
      return [name, `is left out with ${what}, since --target names others`];
    });
}
