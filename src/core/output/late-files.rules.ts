import { dirname } from 'path';
import { Assembly, AssemblyObject } from './assembly';
import {
  LateChange,
  LateFile,
  LateTemplates,
  lateChange,
  lateFilesIn,
  lateName,
} from './late-files';
import { nameOnly, objectLabel } from '../manifest/manifest';
import { Finding, FindingLevel } from '../rule/finding';
import { objectOf } from '../rule/judge';
import { OUTPUT_LATE_STALE, OUTPUT_TWICE } from '../rule/program-rules';
import { Rule, RuleLevel } from '../rule/rule';
import { grouped } from '../text/values';

const RESOLVE = 'run cdk8s-harvester resolve <output folder> --write-manifests <output folder>';

/**
 * What becomes of the files of `resolve` in the folder of an output that is about to be written,
 * and those that do not follow from it then.
 */
export function lateOutput(
  outdir: string,
  assemblyOf: () => Assembly,
): { readonly late?: LateChange; readonly findings: readonly Finding[] } {
  const files = lateFilesIn(outdir);
  if (files.length === 0) {
    return { findings: [] };
  }
  const assembly = assemblyOf();
  const templates = new LateTemplates(assembly);
  const late = lateChange(files, templates);
  return { late, findings: judgeLateFiles(assembly, templates, late.kept, 'warning') };
}

/**
 * Files of `resolve` that do not follow from the output: an engine delivers an earlier state of
 * their objects, or one object from two files.
 *
 * @param level of stale files: a synthesis cannot write them again itself, so it warns
 */
export function judgeLateFiles(
  assembly: Assembly,
  templates: LateTemplates,
  files: readonly LateFile[],
  level: RuleLevel = 'error',
): Finding[] {
  const byName = new Map(assembly.objects.map((object) => [lateName(object.id), object]));
  return [...grouped(files, ({ record }) => record.object)].flatMap(([name, own]): Finding[] => {
    const object = templates.objects.get(name);
    if (!object) {
      return own.map(({ file }) => left(file, name, byName.get(name)));
    }
    const folder = templates.folderOf(object);
    const [{ file, record }, ...others] = [...own].sort(
      (a, b) => Number(dirname(b.file) === folder) - Number(dirname(a.file) === folder),
    );
    return [
      ...others.map((other) => inTwoFiles(object, file, other.file)),
      ...(dirname(file) === folder
        ? []
        : [stale(object, file, `is in ${dirname(file)}, and its stage is ${folder} now`, level)]),
      ...(record.from === templates.digestOf(object)
        ? []
        : [
            stale(
              object,
              file,
              `was completed from an earlier state of ${labelOf(object)}: an engine that delivers it does not deliver the change`,
              level,
            ),
          ]),
    ];
  });
}

/**
 * A file in the folder of a late stage that someone else wrote for an object that `resolve` writes.
 */
export function unknownLateFile(
  object: AssemblyObject,
  file: string,
  known: string | undefined,
): Finding {
  return known === undefined
    ? stale(
        object,
        file,
        `contains ${labelOf(object)} without a record of what it was completed from, so a later change of the program is not noticed`,
        'warning',
      )
    : inTwoFiles(object, known, file);
}

/**
 * An object that two files of an output contain: an engine delivers both, each from its own stage.
 */
export function inTwoFiles(object: AssemblyObject, first: string, second: string): Finding {
  return finding(OUTPUT_TWICE, object, second, {
    message: `${labelOf(object)} is in ${first} and in ${second}: engines deliver both, and each undoes the other`,
    fix:
      object.file === undefined
        ? `remove the wrong file; ${RESOLVE} writes the right one`
        : `remove ${object.file === first ? second : first}`,
  });
}

function left(file: string, name: string, now: AssemblyObject | undefined): Finding {
  if (now?.file !== undefined) {
    return inTwoFiles(now, now.file, file);
  }
  return {
    ...base(OUTPUT_LATE_STALE, file),
    message: `${file} was completed for ${name}, which ${now ? 'only apply writes now' : 'the program no longer declares'}: an engine still delivers it`,
    fix: `synthesize again into this folder, or ${RESOLVE}: both remove the file`,
  };
}

function stale(object: AssemblyObject, file: string, what: string, level: RuleLevel): Finding {
  return {
    ...finding(OUTPUT_LATE_STALE, object, file, {
      message: `${file} ${what}`,
      fix: `${RESOLVE}, and commit the files`,
    }),
    level: level as FindingLevel,
  };
}

function labelOf(object: AssemblyObject): string {
  return objectLabel(object.template ?? nameOnly(object));
}

function finding(
  rule: Rule,
  object: AssemblyObject,
  file: string,
  words: Pick<Finding, 'message' | 'fix'>,
): Finding {
  const { target, construct } = object;
  return { ...base(rule, file), ...words, target, construct, object: objectOf(nameOnly(object)) };
}

function base(
  { id, level, source }: Rule,
  file: string,
): Pick<Finding, 'rule' | 'level' | 'source' | 'path' | 'file'> {
  return { rule: id, level: level as FindingLevel, source, path: '', file };
}
