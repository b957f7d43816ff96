import { ManifestFolder, readTwiceMessage } from '../../adopt/project/adopt-sources';
import { ClusterManifests } from '../../commands';
import { AssemblyTarget, TARGET_KINDS } from '../../core/output/assembly';

/** What `--from <target:kind@version=folder>` does: one grammar in all commands. */
export const FROM = `read this cluster from a folder of manifests; kind is ${TARGET_KINDS.join(', ')}, and :kind or @version may be left out where the manifests contain them`;

const FORM = /^([^=:@]+)(?::(\w+))?(?:@([^=]+))?=(.+)$/;

/** The clusters that `--from` reads from folders. */
export function manifestFoldersOf(texts: readonly string[]): {
  readonly [target: string]: ManifestFolder;
} {
  const folders = new Map<string, ManifestFolder>();
  for (const text of texts) {
    const [, name, kind, version, folder] = FORM.exec(text) ?? [];
    if (folder === undefined) {
      throw new Error(
        `--from: must be <target>=<folder> or <target>:<kind>@<version>=<folder>, e.g. dc1:harvester@1.7.2=manifests/dc1, got ${JSON.stringify(text)}`,
      );
    }
    if (folders.has(name)) {
      throw new Error(readTwiceMessage(name));
    }
    folders.set(name, { folder, kind: kind as ManifestFolder['kind'], version });
  }
  return Object.fromEntries(folders);
}

/** The same, where kind and version must be given. */
export function clusterManifestsOf(texts: readonly string[]): {
  readonly [target: string]: ClusterManifests;
} {
  return Object.fromEntries(
    Object.entries(manifestFoldersOf(texts)).map(([name, { folder, kind, version }]) => {
      if (version === undefined || !TARGET_KINDS.includes(kind as AssemblyTarget['kind'])) {
        throw new Error(
          `--from: must be <target>:<kind>@<version>=<folder> with the kind ${TARGET_KINDS.join(', ')}, got ${name} of ${folder}. Fix: give e.g. ${name}:harvester@1.7.2=${folder}`,
        );
      }
      return [name, { folder, kind: kind as AssemblyTarget['kind'], version }];
    }),
  );
}
