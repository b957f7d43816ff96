import { dirname, join, relative, sep } from 'path';
import { Input } from './read-input';
import { isLate, LATE_OPEN } from '../../core/late/late-token';
import { lostLateFiles } from '../../core/leaving/left-output';
import { at, leavesOf, objectId, refId } from '../../core/manifest/manifest';
import { Assembly, AssemblyLateObject } from '../../core/output/assembly';
import { LateTemplates, lateFilesIn, lateName } from '../../core/output/late-files';
import { inTwoFiles, judgeLateFiles, unknownLateFile } from '../../core/output/late-files.rules';
import { Finding } from '../../core/rule/finding';
import { KnownIdentity } from '../../core/rule/rule';
import { grouped, remembered } from '../../core/text/values';

/**
 * The files of `resolve` in output folders that do not follow from these outputs or are lost, and
 * objects that several files contain.
 */
export function lateFindings(input: Input): Finding[] {
  return input.folders.flatMap((folder, index) =>
    ofFolder(folder, input.assemblies[index], input).map((finding) =>
      finding.file === undefined ? finding : { ...finding, file: join(folder, finding.file) },
    ),
  );
}

function ofFolder(folder: string, assembly: Assembly, { objects, encrypted }: Input): Finding[] {
  const templates = new LateTemplates(assembly);
  const { stages = [] } = assembly;
  const places = new Map<string, string>();
  const read =
    stages.length === 0
      ? []
      : [...objects, ...encrypted].flatMap(({ file, target, manifest }) => {
          const place =
            file === undefined
              ? '..'
              : remembered(places, file, () => relative(folder, file).split(sep).join('/'));
          return place.startsWith('..') ? [] : [{ place, id: objectId(target.name, manifest) }];
        });
  // a stage that is gone may have left its folder
  const others = new Set(stages.filter((stage) => !stage.late).map((stage) => stage.folder));
  const files = lateFilesIn(
    folder,
    [...new Set(read.map(({ place }) => dirname(place)))].filter((name) => !others.has(name)),
  );
  const known = new Map(files.map(({ file, record }) => [record.object, file]));
  const own = new Set(files.map(({ file }) => file));
  const entries = new Map(assembly.objects.map((object) => [refId(object.target, object), object]));
  const foreign = [
    ...grouped(
      read.filter(({ place }) => !own.has(place)),
      ({ id }) => id,
    ),
  ].flatMap(([id, found]): Finding[] => {
    const object = entries.get(id);
    if (!object) {
      return [];
    }
    const inFiles = [...new Set(found.map(({ place }) => place))];
    if (templates.objects.has(lateName(object.id))) {
      return inFiles.map((place) => unknownLateFile(object, place, known.get(lateName(object.id))));
    }
    if (object.file === undefined) {
      return [];
    }
    return inFiles
      .filter((place) => place !== object.file)
      .map((place) => inTwoFiles(object, object.file!, place));
  });
  return [
    ...judgeLateFiles(assembly, templates, files),
    ...foreign,
    ...lostLateFiles(folder, assembly),
  ];
}

/**
 * The objects whose names late values are, such as a Cluster that the program knows by its display
 * name, as the files of `resolve` name them.
 */
export function resolvedNames(input: Input): KnownIdentity[] {
  return input.folders.flatMap((folder, index) => namesIn(folder, input.assemblies[index], input));
}

function namesIn(folder: string, assembly: Assembly, { objects }: Input): KnownIdentity[] {
  const named = new Map<string, AssemblyLateObject>(
    assembly.lateValues.flatMap(({ id, source }) =>
      'kind' in source && source.path === 'metadata.name'
        ? [[`${LATE_OPEN}${id}}`, source] as const]
        : [],
    ),
  );
  if (named.size === 0) {
    return [];
  }
  const templates = new LateTemplates(assembly);
  const made = new Map(
    lateFilesIn(folder).map(({ file, record }) => [
      join(folder, file),
      templates.objects.get(record.object)?.template,
    ]),
  );
  return objects.flatMap(({ manifest, file = '' }) =>
    leavesOf(made.get(file)).flatMap(({ leaf, path }): KnownIdentity[] => {
      const source = named.get(String(leaf));
      const name = at(manifest, path);
      if (source === undefined || typeof name !== 'string' || isLate(name)) {
        return [];
      }
      const { target, apiVersion, kind, namespace } = source;
      return [{ target, apiVersion, kind, ...(namespace ? { namespace } : {}), name }];
    }),
  );
}
