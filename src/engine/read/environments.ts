import { relative, sep } from 'path';
import {
  clusterFoldersAt,
  ClusterFolders,
  clusterNames,
  filesOfCluster,
  sharedFiles,
} from '../files/cluster-folders';
import { findFiles, FoundFiles, ReadOptions } from '../files/find-files';

/** What is judged as a world of its own. */
export interface OutputEnvironment {
  /**
   * The output folder, as a path below the given one; empty for the manifests in none of the
   * outputs. In folders without outputs, the cluster that the manifests are for. Undefined where all
   * paths are one environment.
   */
  readonly name?: string;
  /** Files that are judged together. */
  readonly listed: readonly FoundFiles[];
  /** Those of them that belong to several environments. */
  readonly common: readonly FoundFiles[];
  /** Files of their previous state. */
  readonly before: readonly FoundFiles[];
  /** Files of what is live next to them. */
  readonly world: readonly FoundFiles[];
}

/** Paths that environments are compared with. */
export interface ComparedPaths {
  /** Paths of the previous state, in which output folders are found by the same names. */
  readonly before?: readonly string[];
  /** Paths of live objects, in which output folders are found by the same names. */
  readonly world?: readonly string[];
}

/** The name of the output folder that is the given path itself. */
const ITSELF = '.';

/**
 * The worlds at paths of the command line. A folder that contains several output folders, such as
 * those of a development and a production environment, is several worlds: each output folder is
 * one, and the manifests in none of them are another. Output folders that are given one by one are
 * one world. Other paths belong to each. In a repository without output folders, each cluster is a
 * world if several clusters have the same objects.
 *
 * @throws where it is not clear which output of the compared paths belongs to an environment
 */
export function environmentsIn(
  paths: readonly string[],
  { before = [], world = [] }: ComparedPaths,
  options: ReadOptions,
): readonly OutputEnvironment[] {
  const list = (path: string): FoundFiles => findFiles(path, options);
  const found: FoundPaths = {
    listed: paths.map(list),
    before: before.map(list),
    world: world.map(list),
  };
  if (!hasOutputs(found)) {
    return clustersIn(found, options);
  }
  if (!hasEnvironments(found)) {
    if (found.listed.flatMap(outputsIn).length <= 1) {
      refuseSeveral('--before', found.before);
      refuseSeveral('--world', found.world);
    }
    return [{ ...found, common: [] }];
  }
  const around = found.listed.filter(isAroundOutputs);
  const names = [...new Set([...around, ...found.before].flatMap(outputsIn))].sort();
  refuseOthers(found.world.filter(isAroundOutputs), names);
  const others = manifestsInNoOutput(around, found);
  const hasOthers = others.listed.length > 0 || others.before.length > 0;
  return [
    ...names.map((name) => environmentOf(name, around, found)),
    ...(hasOthers ? [others] : []),
  ];
}

function hasOutputs({ listed, before, world }: FoundPaths): boolean {
  return [...listed, ...before, ...world].some(({ assemblies }) => assemblies.length > 0);
}

/** The worlds of the clusters of a repository; one if no two of them have the same object. */
function clustersIn(
  { listed, before, world }: FoundPaths,
  options: ReadOptions,
): readonly OutputEnvironment[] {
  const foldersOf = (paths: readonly FoundFiles[]): readonly ClusterFolders[] =>
    paths.map((found) => clusterFoldersAt(found, options));
  const [after, old] = [foldersOf(listed), foldersOf(before)];
  if (![...after, ...old].some(({ hasClusters }) => hasClusters)) {
    const foundIn = (folders: readonly ClusterFolders[]): FoundFiles[] =>
      folders.map(({ found }) => found);
    return [{ listed: foundIn(after), before: foundIn(old), world, common: [] }];
  }
  const names = clusterNames([...after, ...old]);
  const common = after.map((folders) => sharedFiles(folders, names));
  return names.map((name) => ({
    name,
    listed: after.map((folders) => filesOfCluster(folders, name)),
    common,
    before: old.map((folders) => filesOfCluster(folders, name)),
    world,
  }));
}

/** The files at the paths of the command line. */
type FoundPaths = Pick<OutputEnvironment, 'listed' | 'before' | 'world'>;

/** Whether the paths are several worlds: one of two environments may be left, or new. */
function hasEnvironments({ listed, before, world }: FoundPaths): boolean {
  const around = listed.filter(isAroundOutputs);
  const isFolder = around.length > 0 || listed.length === 0;
  return isFolder && [...around, ...before, ...world].some(hasSeveral);
}

/** The world of the output folders of a name. */
function environmentOf(
  name: string,
  around: readonly FoundFiles[],
  { listed, before, world }: FoundPaths,
): OutputEnvironment {
  const common = listed.filter((each) => !isAroundOutputs(each));
  return {
    name,
    listed: [...around.flatMap((each) => outputOf(each, name)), ...common],
    common,
    before: before.flatMap((each) => outputOf(each, name)),
    world: liveAt(name, world),
  };
}

/** The world of the manifests that are next to the output folders. */
function manifestsInNoOutput(
  around: readonly FoundFiles[],
  { before, world }: FoundPaths,
): OutputEnvironment {
  return {
    name: '',
    listed: around.flatMap(inNoOutput),
    common: [],
    before: before.flatMap(inNoOutput),
    world: liveAt('', world),
  };
}

/** The live objects of an environment: those of its output folder, and those of all. */
function liveAt(name: string, world: readonly FoundFiles[]): FoundFiles[] {
  return world.flatMap((each) =>
    isAroundOutputs(each) ? [...outputOf(each, name), ...inNoOutput(each)] : [each],
  );
}

/** The output folders at a path, by their names below it. */
function outputsIn({ path, assemblies }: FoundFiles): string[] {
  return assemblies.map((folder) => relative(path, folder) || ITSELF);
}

function hasSeveral({ assemblies }: FoundFiles): boolean {
  return assemblies.length > 1;
}

/** Whether a folder contains output folders. */
function isAroundOutputs(found: FoundFiles): boolean {
  return outputsIn(found).some((name) => name !== ITSELF);
}

/** The files of an output folder; those in an output folder in it are of that one. */
function outputOf(found: FoundFiles, name: string): FoundFiles[] {
  const folder = found.assemblies.find(
    (candidate) => (relative(found.path, candidate) || ITSELF) === name,
  );
  return folder === undefined ? [] : [{ ...filesOf(found, folder), path: folder }];
}

/** The files in none of the output folders. */
function inNoOutput(found: FoundFiles): FoundFiles[] {
  const others = filesOf(found, undefined);
  const { files, skipped, charts } = others;
  return files.length + skipped.length + charts.length > 0 ? [others] : [];
}

function filesOf(found: FoundFiles, folder: string | undefined): FoundFiles {
  const isOwn = (file: string): boolean => nearestOutput(found, file) === folder;
  return {
    path: found.path,
    files: found.files.filter(isOwn),
    assemblies: folder === undefined ? [] : [folder],
    skipped: found.skipped.filter(({ file }) => isOwn(file)),
    charts: found.charts.filter((chart) => isOwn(chart.folder)),
  };
}

function nearestOutput({ assemblies }: FoundFiles, file: string): string | undefined {
  const above = assemblies.filter((folder) => file.startsWith(folder + sep));
  return above.sort((a, b) => b.length - a.length)[0];
}

function refuseSeveral(option: string, compared: readonly FoundFiles[]): void {
  const found = compared.find(hasSeveral);
  if (found) {
    const names = outputsIn(found);
    throw new Error(
      `${option} ${found.path}: must be one output, got those of ${names.join(', ')}. Fix: name the one of the same environment, e.g. ${option} ${found.path}/${names[0]}`,
    );
  }
}

/** Throws for outputs none of which belongs to an environment. */
function refuseOthers(world: readonly FoundFiles[], names: readonly string[]): void {
  for (const found of world) {
    const own = outputsIn(found);
    if (!own.some((name) => names.includes(name))) {
      throw new Error(
        `--world ${found.path}: must contain an output of ${names.join(', ')}, got ${own.join(', ')}. Fix: name the folder with the outputs of all environments, or compare them one by one`,
      );
    }
  }
}
