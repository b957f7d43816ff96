import { assemblyOfManifests } from './plain-output';
import { isKeptByEngine, neverDeleted, retainedByDefault } from '../../core/kind/retention';
import { objectLabel, refId, objectId } from '../../core/manifest/manifest';
import { Assembly } from '../../core/output/assembly';
import { OutputChange, OutputObject } from '../../core/output/left-output.rules';
import { Finding } from '../../core/rule/finding';
import { objectOf } from '../../core/rule/judge';
import { OUTPUT_TOGETHER } from '../../core/rule/program-rules';
import { DeletionPair, deletionPairs } from '../graph/reverse-graph';

/**
 * Objects that leave an output together, although one of them needs the other until it is gone: engines delete in no order.
 *
 * @param assemblies the assemblies of the previous output; none for plain manifests
 */
export function deletedTogether(change: OutputChange, assemblies: readonly Assembly[]): Finding[] {
  const after = new Set(change.after.map(keyOf));
  const left = change.before.filter((object) => object.file !== undefined && !after.has(keyOf(object)));
  if (left.length < 2) { return []; }
  const gone = new Map(left.map((object) => [keyOf(object), object]));
  const manifests = new Map(change.before.map((object) => [keyOf(object), object.manifest]));
  const programs = assemblies.length > 0 ? assemblies : [plainAssembly(change.before)];
  return programs.flatMap((assembly) => {
    const own = byId(assembly, manifests);
    const goneHere = byId(assembly, gone);
    return [...deletionPairs(assembly, own)].flatMap((pair) => finding(pair, goneHere, change));
  });
}

/** What is known of the objects of an assembly, by their IDs, which may contain placeholders. */
function byId<T>({ objects }: Assembly, byKey: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map(objects.flatMap((object): [string, T][] => {
    const known = byKey.get(refId(object.target, object));
    return known === undefined ? [] : [[object.id, known]];
  }));
}

function finding({ first, then, need, isCertain }: DeletionPair, gone: ReadonlyMap<string, OutputObject>, { hasEngine }: OutputChange): Finding[] {
  const [needing, needed] = [gone.get(first), gone.get(then)];
  if (!needing || !needed || isKept(needed)) { return []; }
  const [a, b] = [objectLabel(needing.manifest), objectLabel(needed.manifest)];
  const { id: rule, source } = OUTPUT_TOGETHER;
  return [{
    rule,
    level: isCertain && hasEngine ? 'error' : 'warning',
    message: isKept(needing) ? `${b} leaves the output with ${a}, which the engine keeps, and which ${need}`
      : `${b} leaves the output with ${a}, which ${need}: an engine deletes both at once, and ${a} remains`,
    fix: `make two commits: first remove ${a}${isKept(needing) ? ', delete it by hand,' : ''} and wait until it is gone from ${needing.target}; then remove ${b}`,
    object: objectOf(needed.manifest),
    target: needed.target,
    path: '',
    source,
    ...(needed.construct === undefined ? {} : { construct: needed.construct }),
  }];
}

function isKept({ manifest, policy = 'delete' }: OutputObject): boolean {
  return policy !== 'delete' || isKeptByEngine(manifest) || neverDeleted(manifest) !== undefined || retainedByDefault(manifest) !== undefined;
}

/** Plain manifests as a program; their clusters may be unknown. */
function plainAssembly(objects: readonly OutputObject[]): Assembly {
  const unique = new Map(objects.map((object) => [keyOf(object), object]));
  const targets = [...new Set(objects.map(({ target }) => target))];
  return assemblyOfManifests(
    targets.map((name) => ({ name, kind: 'rancher', version: '' })),
    [...unique.values()].map(({ target, manifest, file = '' }) => ({ target, manifest, file })),
  ).assembly;
}

function keyOf({ target, manifest }: OutputObject): string {
  return objectId(target, manifest);
}
