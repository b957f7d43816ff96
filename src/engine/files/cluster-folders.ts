import { mayDeliver } from './deliveries';
import { documentsIn, manifestsOfDocuments } from './documents';
import { FileReader, FoundFiles, ReadOptions } from './find-files';
import { RepositoryLayout } from './repository-layout';
import { Manifest, objectKey } from '../../core/manifest/manifest';
import { attempt, remembered } from '../../core/text/values';

/** The files of a path by the clusters that they are for. */
export interface ClusterFolders {
  readonly found: FoundFiles;
  /** The clusters that a file is for; none for a file that may be for each. */
  readonly clustersOf: (file: string) => readonly string[];
  /** Whether an object is in files for different clusters: it is not declared twice. */
  readonly hasClusters: boolean;
}

/** The clusters of the files at a path of the command line, without output folders in it. */
export function clusterFoldersAt(found: FoundFiles, options: ReadOptions): ClusterFolders {
  const reader = new FileReader(options);
  const texts = new Map<string, Uint8Array>();
  // what cannot be read is reported when it is judged
  const bytesOf = (file: string): Uint8Array =>
    remembered(texts, file, () => attempt(() => reader.read(file)) ?? new Uint8Array());
  const documentsOf = (file: string): readonly unknown[] =>
    attempt(() => documentsIn(bytesOf(file))) ?? [];
  const manifestsOf = (file: string): Manifest[] =>
    manifestsOfDocuments(documentsOf(file)).map(({ manifest }) => manifest);
  const layout = new RepositoryLayout(found.path, found.files, {
    documentsOf,
    deliveringObjectsOf: (file) =>
      mayDeliver(new TextDecoder().decode(bytesOf(file))) ? manifestsOf(file) : [],
  });
  const clusters = new Map<string, readonly string[]>();
  const clustersOf = (file: string): readonly string[] =>
    remembered(clusters, file, () => layout.clustersOf(file));
  return {
    found: { ...found, deliveredWith: (file) => layout.deliveredWith(file) },
    clustersOf,
    hasClusters: isForSeveral(found.files, clustersOf, manifestsOf),
  };
}

function isForSeveral(
  files: readonly string[],
  clustersOf: ClusterFolders['clustersOf'],
  manifestsOf: (file: string) => readonly Manifest[],
): boolean {
  const placed = files.filter((file) => clustersOf(file).length > 0);
  const names = new Set(placed.flatMap(clustersOf));
  if (names.size < 2) {
    return false;
  }
  const declared = new Map<string, readonly string[]>();
  return placed.some((file) => {
    const clusters = clustersOf(file);
    return manifestsOf(file).some((manifest) => {
      const others = remembered(declared, objectKey(manifest), () => clusters);
      return !clusters.some((cluster) => others.some((other) => isWithin(cluster, other)));
    });
  });
}

/** Whether one cluster is the other one, or in the environment of that name. */
function isWithin(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

/** The clusters of all files, without environments that contain others. */
export function clusterNames(folders: readonly ClusterFolders[]): readonly string[] {
  const names = new Set(
    folders.flatMap(({ found, clustersOf }) => found.files.flatMap((file) => clustersOf(file))),
  );
  return [...names]
    .filter((name) => ![...names].some((other) => other.startsWith(`${name}/`)))
    .sort();
}

/** The files of a cluster, those that may be for each cluster included. */
export function filesOfCluster({ found, clustersOf }: ClusterFolders, name: string): FoundFiles {
  const isOwn = (file: string): boolean => {
    const clusters = clustersOf(file);
    return (
      clusters.length === 0 ||
      clusters.some((cluster) => name === cluster || name.startsWith(`${cluster}/`))
    );
  };
  return { ...found, files: found.files.filter(isOwn) };
}

/** The files that belong to several of the clusters. */
export function sharedFiles(folders: ClusterFolders, names: readonly string[]): FoundFiles {
  const counts = new Map<string, number>();
  for (const file of names.flatMap((name) => filesOfCluster(folders, name).files)) {
    counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  const { found } = folders;
  return { ...found, files: found.files.filter((file) => counts.get(file)! > 1) };
}
