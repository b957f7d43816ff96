import { inverted, reach } from '../graph/reach';
import { referencesIn, refersToNothing } from '../kind/references';
import { idOf, objectLabel, refId } from '../manifest/manifest';
import { Assembly } from '../output/assembly';
import { Program, ProgramObject, programFinding } from '../program/program';
import { Finding } from '../rule/finding';
import { ONLY_APPLY_COMPLETES, REFERENCE_WAITS } from '../rule/program-rules';

/**
 * Objects in files that refer to an object that waits for a late value and is in no file: applying
 * only the folder creates half of a pair, e.g. a Cluster without the definition of its machines.
 *
 * @param objects with the late values in that are known already
 * @returns the ids of the objects that wait, sorted, by the id of the object that needs them, directly or through others
 */
export function incompleteObjects(
  objects: readonly ProgramObject[],
): ReadonlyMap<string, readonly string[]> {
  const waiting = objects.filter(({ lateIds }) => lateIds.length > 0);
  if (waiting.length === 0) {
    return new Map();
  }
  const byKey = new Map(objects.map((object) => [object.key, object]));
  const users = usersOf(objects, byKey);
  const needs = new Map<string, Set<string>>();
  for (const each of waiting) {
    for (const { id, lateIds } of reach([each], (object) => users.get(object) ?? [])) {
      if (lateIds.length > 0) {
        continue;
      }
      const known = needs.get(id);
      if (known) {
        known.add(each.id);
      } else {
        needs.set(id, new Set([each.id]));
      }
    }
  }
  return new Map([...needs].map(([id, ids]) => [id, [...ids].sort()]));
}

/** The finding of each. */
export function incompleteFindings(
  { lateValues }: Program,
  objects: readonly ProgramObject[],
  incomplete: ReadonlyMap<string, readonly string[]>,
): Finding[] {
  if (incomplete.size === 0) {
    return [];
  }
  const waitingById = new Map(
    objects.filter(({ lateIds }) => lateIds.length > 0).map((object) => [object.id, object]),
  );
  const places = inverted(lateValues.map(({ lateId }, place) => [place, lateId] as const));
  const needing = objects.filter(({ id }) => incomplete.has(id));
  return needing.map((object) => {
    const waiting = incomplete.get(object.id)!.map((id) => waitingById.get(id)!);
    const ids = new Set(waiting.flatMap(({ lateIds }) => lateIds));
    const values = [...ids]
      .flatMap((id) => places.get(id) ?? [])
      .sort((a, b) => a - b)
      .map((place) => lateValues[place].description);
    return programFinding(
      REFERENCE_WAITS,
      object.construct,
      {
        path: '',
        message: `is in a file, but refers to ${waiting.map(({ manifest }) => objectLabel(manifest)).join(', ')}, in no file while waiting for ${values.join(', ')}`,
        fix:
          'run apply, which creates all of them in order; or before a GitOps engine gets the folder, apply the other targets, run cdk8s-harvester ' +
          'resolve, and synthesize with the resolved values',
      },
      object,
    );
  });
}

/**
 * The assembly, where findings do not lead to `resolve` for objects that only `apply` writes, such as
 * those whose secret is outside of the output.
 */
export function withoutResolve(assembly: Assembly): Assembly {
  const left = new Set(
    assembly.objects.filter(({ onlyApply }) => onlyApply !== undefined).map(({ id }) => id),
  );
  if (left.size === 0) {
    return assembly;
  }
  const needing = new Set(
    assembly.objects
      .filter(({ needs = [] }) => needs.some((id) => left.has(id)))
      .map(({ id }) => id),
  );
  const isLeft = ({ rule, target, object }: Finding): boolean =>
    rule === REFERENCE_WAITS.id &&
    target !== undefined &&
    object !== undefined &&
    needing.has(refId(target, object));
  const findings = assembly.findings.map((finding) =>
    isLeft(finding) ? { ...finding, fix: ONLY_APPLY_COMPLETES } : finding,
  );
  return { ...assembly, findings };
}

/** The objects that do not wait and refer to an object of the program, by that object. */
function usersOf(
  objects: readonly ProgramObject[],
  byKey: ReadonlyMap<string, ProgramObject>,
): ReadonlyMap<ProgramObject, readonly ProgramObject[]> {
  const users = new Map<ProgramObject, ProgramObject[]>();
  for (const object of objects) {
    if (object.lateIds.length > 0) {
      continue;
    }
    const { manifest } = object;
    const { targetName } = object.target;
    const { namespace } = manifest.metadata;
    const use = (group: string, kind: string, name: string, within = ''): void => {
      const other = byKey.get(idOf(targetName, group, kind, within, name));
      if (!other) {
        return;
      }
      const known = users.get(other);
      if (known) {
        known.push(object);
      } else {
        users.set(other, [object]);
      }
    };
    if (namespace !== undefined) {
      use('', 'Namespace', namespace);
    }
    if (refersToNothing(manifest)) {
      continue;
    }
    for (const { group, kind, name, namespaces = [namespace, undefined] } of referencesIn(
      manifest,
    )) {
      for (const within of namespaces) {
        use(group, kind, name, within);
      }
    }
  }
  return users;
}
