import { assemblyOfManifests } from './plain-output';
import { isKeptByEngine } from '../../core/kind/retention';
import { OutputChange, OutputObject, isWrittenToFile } from '../../core/leaving/left-output.rules';
import { Manifest, objectId, refId } from '../../core/manifest/manifest';
import { Assembly } from '../../core/output/assembly';
import { Becomes, DeliveryWay, whatBecomes } from '../removal/removal';

/** A previous output. */
interface LeavingInput {
  readonly assembly: Assembly;
  readonly manifests: ReadonlyMap<string, Manifest>;
}

/** A previous output, and which of its objects leave. */
export interface LeavingOutput extends LeavingInput {
  /** By the IDs of the assembly. */
  readonly leaving: ReadonlyMap<string, OutputObject>;
}

/** The previous outputs of a change; plain manifests are one whose delivery is unknown. */
export function leavingOutputs(
  change: OutputChange,
  assemblies: readonly Assembly[],
): LeavingOutput[] {
  const declared = new Set(change.after.map(keyOfObject));
  const written = new Set(change.after.filter(isWrittenToFile).map(keyOfObject));
  // an engine deletes what was in a file and now waits; an apply waits, too
  const isLeft = (object: OutputObject): boolean =>
    !(change.hasEngine && object.file !== undefined ? written : declared).has(keyOfObject(object));
  const left = new Map(change.before.filter(isLeft).map((object) => [keyOfObject(object), object]));
  if (left.size === 0) {
    return [];
  }
  const manifests = new Map(change.before.map((object) => [keyOfObject(object), object.manifest]));
  return (assemblies.length > 0 ? assemblies : [plainAssembly(change.before)]).map((assembly) => ({
    assembly,
    manifests: byId(assembly, manifests),
    leaving: byId(assembly, left),
  }));
}

/** How a previous output reaches the clusters; an output without an engine is applied. */
export function wayOf({
  stages,
  engineFiles = [],
}: Pick<Assembly, 'stages' | 'engineFiles'>): DeliveryWay {
  if (stages === undefined) {
    return 'apply';
  }
  const has = (folder: string): boolean =>
    engineFiles.some(({ file }) => file.startsWith(`${folder}/`));
  if (has('flux')) {
    return 'flux';
  }
  if (has('argo-cd')) {
    return 'argo-cd';
  }
  return 'fleet';
}

/**
 * What becomes of the objects that leave outputs, by what `objectId` gives. Undefined for plain
 * manifests, whose delivery is unknown.
 */
export function whatLeaves(
  change: OutputChange,
  assemblies: readonly Assembly[],
): ReadonlyMap<string, Becomes> {
  if (assemblies.length === 0) {
    return new Map();
  }
  return new Map(
    leavingOutputs(change, assemblies).flatMap(({ assembly, manifests, leaving }) => {
      const removed = new Set(leaving.keys());
      const kept = assembly.stages && deliveredAs(assembly, manifests);
      const way = wayOf(assembly);
      const becomes = whatBecomes({
        // an apply deletes last: what remains needs what it refers to after the updates
        ...(way === 'apply' ? afterUpdates(change, assembly, manifests) : { assembly, manifests }),
        way,
        removed,
        kept,
      });
      return [...becomes].map(([id, each]) => [keyOfObject(leaving.get(id)!), each] as const);
    }),
  );
}

/**
 * A previous output with the objects that are still declared as they are now: they refer to, and
 * wait for, what is declared.
 */
function afterUpdates(
  { after }: OutputChange,
  assembly: Assembly,
  manifests: ReadonlyMap<string, Manifest>,
): LeavingInput {
  const now = byId(
    assembly,
    new Map(after.map((object) => [keyOfObject(object), object.manifest])),
  );
  return {
    assembly: { ...assembly, edges: edgesToDeclared(assembly, new Set(now.keys())) },
    manifests: new Map([...manifests, ...now]),
  };
}

/**
 * The edges of a previous output, except for those from what is declared to what is not: of a group
 * that loses some objects, the others remain.
 */
function edgesToDeclared(
  { edges, groups }: Assembly,
  declared: ReadonlySet<string>,
): Assembly['edges'] {
  const members = new Map(groups.map(({ id, objects }) => [id, objects]));
  const membersOf = (id: string): readonly string[] => members.get(id) ?? [id];
  const isDeclared = (id: string): boolean => membersOf(id).every((member) => declared.has(member));
  return edges.flatMap((edge) => {
    if (!isDeclared(edge.from) || isDeclared(edge.to)) {
      return [edge];
    }
    return membersOf(edge.to)
      .filter((to) => declared.has(to))
      .map((to) => ({ ...edge, to }));
  });
}

/**
 * What an engine keeps: it reads the annotations that were delivered, whatever this version would
 * write.
 */
function deliveredAs(
  { objects }: Assembly,
  manifests: ReadonlyMap<string, Manifest>,
): ReadonlyMap<string, Becomes> {
  return new Map(
    objects.flatMap(({ id, kept }) => {
      const manifest = manifests.get(id);
      return manifest && isKeptByEngine(manifest)
        ? [[id, { fate: 'kept', reason: 'has the annotation for it', ...kept }] as const]
        : [];
    }),
  );
}

/** What is known of the objects of an assembly, by their IDs, which may contain placeholders. */
function byId<T>({ objects }: Assembly, byKey: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map(
    objects.flatMap((object): [string, T][] => {
      const known = byKey.get(refId(object.target, object));
      return known === undefined ? [] : [[object.id, known]];
    }),
  );
}

/** Plain manifests as a program; their clusters may be unknown. */
function plainAssembly(objects: readonly OutputObject[]): Assembly {
  const unique = new Map(objects.map((object) => [keyOfObject(object), object]));
  const targets = [...new Set(objects.map(({ target }) => target))];
  return assemblyOfManifests(
    targets.map((name) => ({ name, kind: 'rancher', version: '' })),
    [...unique.values()].map(({ target, manifest, file = '' }) => ({ target, manifest, file })),
  ).assembly;
}

/** The ID of an object, as `objectId` gives it. */
export function keyOfObject({ target, manifest }: OutputObject): string {
  return objectId(target, manifest);
}
