import { Input } from './read-input';
import { objectKey, refKey } from '../../model/manifest';
import { OutputChange, OutputObject } from '../../rules/left-output';

/** What two inputs are to each other: the same output, as it was and as it is. */
export function outputChange(before: Input, after: Input): OutputChange {
  const late = new Map(after.assemblies.flatMap(({ lateValues }) => lateValues.map((value) => [value.id, value] as const)));
  const objects = outputObjects(after);
  const targets = new Set(objects.map(({ target }) => target));
  // plain manifests may not tell their target: then an object of that name on any target is the same
  const isPlain = (object: OutputObject): boolean => before.assemblies.length === 0 && !targets.has(object.target);
  return {
    before: outputObjects(before).map((object) => (isPlain(object) ? { ...object, target: targetOf(object, objects) ?? object.target } : object)),
    after: objects,
    removals: after.assemblies.flatMap(({ removals = [] }) => removals),
    lateValue: (id) => {
      const { description = '', source } = late.get(id) ?? {};
      return source && { description, source: 'kind' in source ? source : {} };
    },
    hasProgram: after.assemblies.length > 0,
  };
}

function outputObjects({ objects, assemblies }: Input): OutputObject[] {
  const policies = new Map(assemblies.flatMap((assembly) => assembly.objects.map((object) => [`${object.target} ${refKey(object)}`, object.deletion?.policy])));
  return objects.map(({ target, manifest, construct, file }) => ({
    target: target.name, manifest, construct, file, policy: policies.get(`${target.name} ${objectKey(manifest)}`),
  }));
}

function targetOf(object: OutputObject, others: readonly OutputObject[]): string | undefined {
  return others.find(({ manifest }) => objectKey(manifest) === objectKey(object.manifest))?.target;
}
