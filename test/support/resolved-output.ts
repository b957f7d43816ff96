import { complete } from '../../src/core/late/late-text';
import { Manifest } from '../../src/core/manifest/manifest';
import { writeManifests } from '../../src/engine/late/write-manifests';
import { loadAssembly } from '../../src/engine/read/load-assembly';

/**
 * Writes the objects of an output that wait for late values, as `resolve` does.
 *
 * @param resolved the late values by their IDs
 * @param into the folder that is written to
 */
export function writeResolved(
  folder: string,
  resolved: { readonly [id: string]: string },
  into = folder,
): ReturnType<typeof writeManifests> {
  const values = new Map(Object.entries(resolved));
  const loaded = loadAssembly(folder);
  const isSecret = new Map(loaded.assembly.lateValues.map(({ id, sensitive }) => [id, sensitive]));
  const resolver = {
    values,
    secrets: [...values.values()],
    isSensitive: (id: string) => isSecret.get(id) === true,
    complete: (manifest: Manifest) => complete(manifest, values),
    completeKnown: <T>(value: T) => value,
  };
  return writeManifests(into, loaded, resolver as never);
}
