import { existsSync } from 'fs';
import { join, relative, sep } from 'path';
import { findFiles, ReadOptions } from './find-files';

/** What is judged as a world of its own. */
interface Environment {
  /** Files and folders that are judged together. */
  readonly paths: readonly string[];
  /** Files and folders of their previous state. */
  readonly before: readonly string[];
}

/** A path of the command line with the output folders below it. */
interface GivenPath {
  readonly path: string;
  /** The folders with an assembly, relative to the path. */
  readonly outputs: readonly string[];
  /** The manifest files in none of them, and the charts of Helm. */
  readonly otherFiles: readonly string[];
}

/**
 * The worlds at paths of the command line. A folder that contains several output folders, such as
 * those of a development and a production environment, is several worlds: each output folder is
 * one, and the manifests in none of them are another. Output folders that are given one by one are
 * one world. Other paths belong to each.
 *
 * @param before paths of the previous state, in which output folders are found by the same names
 */
export function environmentsIn(
  paths: readonly string[],
  before: readonly string[],
  options: ReadOptions,
): readonly Environment[] {
  const given = paths.map((path) => givenPath(path, options));
  const previous = before.map((path) => givenPath(path, options));
  const several = given.filter(isAroundOutputs);
  // one of two environments may be left, or new
  if (several.length === 0 || ![...several, ...previous].some(hasSeveral)) {
    return [{ paths, before }];
  }
  const common = given.filter((each) => !isAroundOutputs(each)).map(({ path }) => path);
  const names = new Set([...several, ...previous].flatMap(({ outputs }) => outputs));
  const worlds = [...names].sort().map((name) => ({
    paths: [...existingBelow(several, name), ...common],
    before: existingBelow(previous, name),
  }));
  const others: Environment = {
    paths: several.flatMap(({ otherFiles }) => otherFiles),
    before: previous.flatMap(({ otherFiles }) => otherFiles),
  };
  const hasOthers = others.paths.length > 0 || others.before.length > 0;
  return hasOthers ? [...worlds, others] : worlds;
}

function givenPath(path: string, options: ReadOptions): GivenPath {
  const { files, assemblies, charts } = findFiles(path, options);
  const isInOutput = (file: string): boolean =>
    assemblies.some((folder) => file.startsWith(folder + sep));
  return {
    path,
    outputs: assemblies.map((folder) => relative(path, folder)),
    otherFiles: [
      ...files.filter((file) => !isInOutput(file)),
      ...charts.map(({ folder }) => folder),
    ],
  };
}

function hasSeveral({ outputs }: GivenPath): boolean {
  return outputs.length > 1;
}

/** Whether a folder contains output folders, and is none itself. */
function isAroundOutputs({ outputs }: GivenPath): boolean {
  return outputs.length > 0 && !outputs.includes('');
}

function existingBelow(given: readonly GivenPath[], name: string): string[] {
  return given.map(({ path }) => join(path, name)).filter((folder) => existsSync(folder));
}
