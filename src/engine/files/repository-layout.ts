import { basename, dirname, relative, resolve, sep } from 'path';
import { deliveriesOf, DeliveredFolder, EACH_FOLDER } from './deliveries';
import { FolderTree } from './folder-tree';
import { isFleetFile, isKustomization } from './repository-files';
import { Manifest } from '../../core/manifest/manifest';
import { DeliveredWith } from '../../core/rule/rule';
import { lazily, remembered } from '../../core/text/values';

/** How the files of a repository are read. */
export interface RepositoryReader {
  /** The documents of a file; none if it cannot be read. */
  readonly documentsOf: (file: string) => readonly unknown[];
  /** The objects of a file by which engines deliver folders. */
  readonly deliveringObjectsOf: (file: string) => readonly Manifest[];
}

/** Folders whose folders are for one cluster each, by their usual names. */
const FOLDERS_OF_CLUSTERS = new Set([
  'clusters',
  'datacenters',
  'environments',
  'envs',
  'locations',
  'overlays',
  'regions',
  'sites',
  'stages',
]);

/** The cluster of an engine that nothing in the repository delivers. */
const OWN_CLUSTER = 'in-cluster';

/** A delivery with the files that it reaches. */
interface DeliveryReach extends Pick<DeliveredFolder, 'file' | 'path'> {
  /** @default - the clusters that its declaration is delivered to */
  readonly clusters?: readonly string[];
  readonly files: ReadonlySet<string>;
}

/**
 * The clusters that the files of a repository are for: by the engines that deliver them, or else by
 * the names of their folders.
 */
export class RepositoryLayout {
  private readonly tree: FolderTree;
  /** The clusters of the files that engines deliver; none for all. */
  private readonly delivered = new Map<string, Set<string>>();
  /** The folders of files that are built, or delivered, by themselves. */
  private readonly sources: ReadonlySet<string>;

  private readonly fleetFolders = lazily(
    () => new Set(this.files.filter(isFleetFile).map(folderOf)),
  );

  private readonly builds = lazily(() => this.buildsByFile());

  /**
   * @param path the path of the command line that the files were found at
   * @param files the files below it
   */
  public constructor(
    private readonly path: string,
    private readonly files: readonly string[],
    { documentsOf, deliveringObjectsOf }: RepositoryReader,
  ) {
    this.tree = new FolderTree(path, files, documentsOf);
    const declared = files.flatMap((file) =>
      deliveringObjectsOf(file).flatMap((object) => deliveriesOf(object, file)),
    );
    this.addDeliveries(declared.flatMap((delivery) => this.reachOf(delivery)));
    const ownSources = files.filter((file) => isFleetFile(file) || isKustomization(file));
    const deliveredFolders = declared.flatMap((delivery) => this.tree.foldersAt(delivery.path));
    this.sources = new Set([...ownSources.map(folderOf), ...deliveredFolders]);
  }

  /** The clusters that a file is for; none for a file that may be for each. */
  public clustersOf(file: string): readonly string[] {
    const delivered = this.delivered.get(file);
    if (delivered) {
      return [...delivered];
    }
    const name = this.clusterNameOf(file);
    return name === '' ? [] : [name];
  }

  /** What a file is delivered with, as far as the repository shows it. */
  public deliveredWith(file: string): DeliveredWith {
    const folder = this.tree.foldersAbove(file).find((above) => this.sources.has(above));
    return { folder, bundles: this.delivered.has(file) ? undefined : this.bundlesOf(file) };
  }

  private addDeliveries(deliveries: readonly DeliveryReach[]): void {
    for (const delivery of deliveries) {
      const clusters = this.clustersOfDelivery(delivery, deliveries);
      for (const file of delivery.files) {
        const known = remembered(this.delivered, file, () => new Set<string>());
        clusters.forEach((cluster) => known.add(cluster));
      }
    }
  }

  /** The folders of the kustomizations that no other one builds, by the files that they build. */
  private buildsByFile(): ReadonlyMap<string, readonly string[]> {
    const folders = this.files.filter(isKustomization).map(folderOf);
    const builds = folders.map((folder) => ({ folder, files: this.tree.filesBuilt(folder) }));
    const inner = new Set<string>();
    for (const { folder, files } of builds) {
      const built = files.filter(isKustomization).map(folderOf);
      built.filter((other) => other !== folder).forEach((other) => inner.add(other));
    }
    const outermost = builds.filter(({ folder }) => !inner.has(folder));
    const byFile = new Map<string, string[]>();
    for (const { folder, files } of outermost) {
      files.forEach((file) => remembered(byFile, file, (): string[] => []).push(folder));
    }
    return byFile;
  }

  /** What someone may deliver without the others: bundles of Fleet, and kustomizations. */
  private bundlesOf(file: string): readonly string[] | undefined {
    const bundles = [...(this.builds().get(file) ?? [])];
    const fleetBundle = this.fleetBundleOf(file);
    if (fleetBundle !== undefined) {
      bundles.push(fleetBundle);
    }
    return bundles.length > 0 ? bundles : undefined;
  }

  /** The folder that Fleet delivers with a file; undefined in a repository without files of Fleet. */
  private fleetBundleOf(file: string): string | undefined {
    const folders = this.fleetFolders();
    if (folders.size === 0) {
      return undefined;
    }
    // a folder without a file of Fleet is a bundle, too
    return this.tree.foldersAbove(file).find((above) => folders.has(above)) ?? folderOf(file);
  }

  /** The names of the folders above a file that are for one cluster each, e.g. `prod`. */
  private clusterNameOf(file: string): string {
    const root = resolve(this.path);
    const steps = [basename(root), ...relative(root, folderOf(file)).split(sep)];
    return steps
      .filter((_, index) => FOLDERS_OF_CLUSTERS.has(steps[index - 1]?.toLowerCase() ?? ''))
      .join('/');
  }

  /** A delivery with the files that it reaches, or one for each folder with a cluster of its own. */
  private reachOf({ clusters, path, file, isWhole }: DeliveredFolder): readonly DeliveryReach[] {
    const folders = this.tree.foldersAt(path);
    const filesAt = (folder: string): readonly string[] =>
      isWhole ? this.tree.filesBelow(folder) : this.tree.filesBuilt(folder);
    if (clusters !== EACH_FOLDER) {
      return [{ file, path, clusters, files: new Set(folders.flatMap(filesAt)) }];
    }
    return folders.map((folder) => ({
      file,
      path,
      clusters: [basename(folder)],
      files: new Set(filesAt(folder)),
    }));
  }

  /** The clusters of a delivery: one without clusters has those of its declaration. */
  private clustersOfDelivery(
    delivery: DeliveryReach,
    all: readonly DeliveryReach[],
  ): ReadonlySet<string> {
    const clusters = new Set<string>();
    const walked = new Set([delivery]);
    // a set that grows while it is walked: deliveries may deliver each other
    for (const each of walked) {
      const outer = all.filter((other) => other !== each && other.files.has(each.file));
      if (each.clusters !== undefined) {
        each.clusters.forEach((cluster) => clusters.add(cluster));
      } else if (outer.length === 0) {
        clusters.add(this.rootClusterOf(each));
      } else {
        outer.forEach((other) => walked.add(other));
      }
    }
    return clusters.size > 0 || delivery.clusters
      ? clusters
      : new Set([this.rootClusterOf(delivery)]);
  }

  /** The cluster of a delivery that no other one delivers. */
  private rootClusterOf({ file, files, path }: DeliveryReach): string {
    return this.clusterNameOf(file) || (files.has(file) ? path : OWN_CLUSTER);
  }
}

function folderOf(file: string): string {
  return dirname(resolve(file));
}
