import { Assembly, AssemblyObject, AssemblyTarget } from './assembly';
import { Manifest, objectKey } from '../manifest/manifest';
import { compare } from '../text/values';

/** An object of a file that no synthesis wrote. */
interface PlainObject {
  readonly target: string;
  readonly manifest: Manifest;
  readonly file: string;
}

/** Manifests that no synthesis wrote, as a program without edges: their order follows from what they refer to. */
export function assemblyOfManifests(targets: readonly Pick<AssemblyTarget, 'name' | 'kind' | 'version'>[], objects: readonly PlainObject[]): {
  readonly assembly: Assembly; readonly manifests: ReadonlyMap<string, Manifest>;
} {
  const manifests = new Map<string, Manifest>();
  const files = new Map<string, string>();
  const entries = objects.map(({ target, manifest, file }): AssemblyObject => {
    const id = `${target}/${objectKey(manifest)}`;
    const other = files.get(id);
    if (other !== undefined) { throw new Error(`${id}: must be in one file, got ${other} and ${file}. Fix: remove one of them`); }
    files.set(id, file);
    manifests.set(id, manifest);
    const { apiVersion, kind, metadata: { namespace, name } } = manifest;
    return { id, target, apiVersion, kind, ...(namespace ? { namespace } : {}), name, construct: file, file: `${target}/all.yaml` };
  });
  const sorted = [...targets].sort((a, b) => compare(a.name, b.name));
  const assembly: Assembly = {
    schemaVersion: '1',
    targets: sorted.map(({ name, kind, version }) => ({ name, kind, version, folder: name, construct: name, properties: {} })),
    objects: entries.sort((a, b) => compare(a.id, b.id)),
    groups: [],
    edges: [],
    lateValues: [],
    findings: [],
  };
  return { assembly, manifests };
}
