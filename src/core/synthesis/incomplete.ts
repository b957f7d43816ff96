import { Program, ProgramObject, programFinding } from './program';
import { referencesIn, refersToNothing } from '../kind/references';
import { kindKey, objectLabel, refKey } from '../manifest/manifest';
import { Finding } from '../rule/finding';
import { REFERENCE_WAITS } from '../rule/program-rules';

/**
 * Objects in files that refer to an object that waits for a late value and is in no file: applying only the folder creates
 * half of a pair, e.g. a Cluster without the definition of its machines.
 *
 * @param objects with the late values in that are known already
 * @returns the ids of the objects that wait, by the id of the object that needs them, directly or through others
 */
export function incompleteObjects(objects: readonly ProgramObject[]): ReadonlyMap<string, readonly string[]> {
  const needs = new Map<string, readonly string[]>();
  if (objects.every(({ lateIds }) => lateIds.length === 0)) { return needs; }
  const byKey = new Map(objects.map((object) => [keyOf(object), object]));
  const visit = (object: ProgramObject): readonly string[] => {
    if (object.lateIds.length > 0) { return [object.id]; }
    const known = needs.get(object.id);
    if (known) { return known; }
    needs.set(object.id, []);
    const waiting = [...new Set(referred(object, byKey).flatMap(visit))].sort();
    needs.set(object.id, waiting);
    return waiting;
  };
  for (const object of objects) { visit(object); }
  return new Map([...needs].filter(([, waiting]) => waiting.length > 0));
}

/** The finding of each. */
export function incompleteFindings({ lateValues }: Program, objects: readonly ProgramObject[]): Finding[] {
  const incomplete = incompleteObjects(objects);
  const byId = new Map(objects.map((object) => [object.id, object]));
  return objects.flatMap((object) => {
    const waiting = (incomplete.get(object.id) ?? []).map((id) => byId.get(id)!);
    if (waiting.length === 0) { return []; }
    const ids = new Set(waiting.flatMap(({ lateIds }) => lateIds));
    const values = lateValues.filter(({ lateId }) => ids.has(lateId)).map(({ description }) => description);
    return [programFinding(REFERENCE_WAITS, object.construct, {
      path: '',
      message: `is in a file, but refers to ${waiting.map(({ manifest }) => objectLabel(manifest)).join(', ')}, in no file while waiting for ${values.join(', ')}`,
      fix: 'run apply, which creates all of them in order; or before a GitOps engine gets the folder, apply the other targets, run cdk8s-harvester '
        + 'resolve, and synthesize with the resolved values',
    }, object)];
  });
}

function keyOf({ target, manifest: { apiVersion, kind, metadata: { namespace, name } } }: ProgramObject): string {
  return `${target.targetName} ${refKey({ apiVersion, kind, namespace, name })}`;
}

function referred({ target, manifest }: ProgramObject, byKey: ReadonlyMap<string, ProgramObject>): ProgramObject[] {
  const { namespace } = manifest.metadata;
  const at = (group: string, of: string, name: string, within: string | undefined): ProgramObject | undefined => (
    byKey.get(`${target.targetName} ${kindKey(group, of)}/${within ?? ''}/${name}`));
  const found = namespace === undefined ? [] : [at('', 'Namespace', namespace, undefined)];
  if (!refersToNothing(manifest)) {
    for (const { group, kind: of, name, namespaces = [namespace, undefined] } of referencesIn(manifest)) {
      found.push(...namespaces.map((within) => at(group, of, name, within)));
    }
  }
  return found.filter((object) => object !== undefined);
}
