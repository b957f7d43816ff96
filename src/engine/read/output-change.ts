import { Input } from './read-input';
import { AcceptedRemovals } from '../../core/leaving/accepted-removals';
import { OutputChange, OutputObject } from '../../core/leaving/left-output.rules';
import { objectId, objectKey, refId } from '../../core/manifest/manifest';
import { AssemblyObject, folderOf, prunesByStage } from '../../core/output/assembly';
import { isLateObject } from '../../core/output/late-files';

/** The removals that the new output accepts, next to those of the previous one. */
function acceptedRemovals(before: Input, after: Input): AcceptedRemovals {
  const [former, removals] = [before, after].map(({ assemblies }) =>
    assemblies.flatMap((assembly) => assembly.removals ?? []),
  );
  return new AcceptedRemovals(removals!, former);
}

/** The change between two inputs: the same output before and after. */
export function outputChange(before: Input, after: Input): OutputChange {
  const late = new Map(
    after.assemblies.flatMap(({ lateValues }) =>
      lateValues.map((value) => [value.id, value] as const),
    ),
  );
  const objects = outputObjects(after);
  const targets = new Set(objects.map(({ target }) => target));
  // plain manifests may have no target: then an object with the same name on any target is the same
  const isPlain = (object: OutputObject): boolean =>
    before.assemblies.length === 0 && !targets.has(object.target);
  return {
    before: outputObjects(before).map((object) =>
      isPlain(object) ? { ...object, target: targetOf(object, objects) ?? object.target } : object,
    ),
    after: objects,
    removals: acceptedRemovals(before, after),
    lateValue: (id) => {
      const { description = '', source } = late.get(id) ?? {};
      return source && { description, source: 'kind' in source ? source : {} };
    },
    hasProgram: after.assemblies.length > 0,
    hasEngine: before.assemblies.every(({ stages }) => stages !== undefined),
    stageEngine: prunesByStage(
      after.assemblies.flatMap(({ engineFiles = [] }) => engineFiles.map(({ file }) => file)),
    ),
  };
}

function outputObjects({ objects, encrypted, assemblies }: Input): OutputObject[] {
  const written = assemblies.flatMap((assembly) => assembly.objects);
  const entries = new Map<string, AssemblyObject>(
    written.map((object) => [refId(object.target, object), object]),
  );
  const inStages = assemblies.filter(({ engineFiles = [] }) =>
    prunesByStage(engineFiles.map(({ file }) => file)),
  );
  const staged = inStages.flatMap((assembly) => assembly.objects);
  const stages = new Map<string, string | undefined>(
    staged.map((object) => [refId(object.target, object), folderOf(object)]),
  );
  return [...objects, ...encrypted].map(({ target, manifest, construct, file }) => {
    const key = objectId(target.name, manifest);
    const entry = entries.get(key);
    return {
      target: target.name,
      manifest,
      construct,
      file,
      policy: entry?.deletion?.policy,
      kept: entry?.kept,
      isLate: entry?.stage !== undefined || undefined,
      isResolved: (entry !== undefined && file !== undefined && isLateObject(entry)) || undefined,
      isOnlyApplied: entry?.onlyApply !== undefined || undefined,
      needs: entry?.needs,
      stage: stages.get(key),
    };
  });
}

function targetOf(object: OutputObject, others: readonly OutputObject[]): string | undefined {
  return others.find(({ manifest }) => objectKey(manifest) === objectKey(object.manifest))?.target;
}
