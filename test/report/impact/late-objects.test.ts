import { isRecord, leavesOf, objectId, refId } from '../../../src/core/manifest/manifest';
import { AssemblyLateValue, AssemblyObject, folderOf } from '../../../src/core/output/assembly';
import { JudgedObject, World } from '../../../src/core/rule/rule';
import { targetsOf } from '../../../src/engine/files/judged-targets';
import { lintInputs } from '../../../src/engine/read/lint';
import { outputChange } from '../../../src/engine/read/output-change';
import { Input, readInput } from '../../../src/engine/read/read-input';
import { wayOf, whatLeaves } from '../../../src/engine/read/what-leaves';
import { accessMatrix } from '../../../src/report/access/access-matrix';
import { fitTable } from '../../../src/report/fits/fit-table';
import { editImpacts } from '../../../src/report/impact/edit-impacts';
import { someOf } from '../../support/cases';
import { COMMITTED_OUTPUTS } from '../../support/committed-outputs';

const MARK = 'example.com/waits';
const LATE = '${late:test.value}';

/** A value of an object that the program does not declare. */
function lateValueOn(target: string): AssemblyLateValue {
  return {
    id: 'test.value',
    description: 'value of another',
    type: 'text',
    sensitive: false,
    construct: target,
    source: {
      resolver: 'field',
      target,
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'default',
      name: 'other',
      path: 'data.key',
    },
  };
}

type Change = (object: JudgedObject) => JudgedObject;

/** An output in which one object is another, or missing. */
function withObject(input: Input, at: number, change: Change | undefined): Input {
  const old = input.objects[at]!;
  const now = change?.(old);
  const key = objectId(old.target.name, old.manifest);
  const entryOf = (entry: AssemblyObject): AssemblyObject[] => {
    if (refId(entry.target, entry) !== key) {
      return [entry];
    }
    if (now === undefined) {
      return [];
    }
    const { name } = now.manifest.metadata;
    const { file, template: _, stage: __, ...others } = entry;
    const folder = folderOf(entry);
    const form =
      now.file === undefined
        ? {
            template: now.manifest,
            lateValues: ['test.value'],
            ...(input.assemblies[0]!.stages ? { stage: folder } : {}),
          }
        : { file };
    return [{ ...others, id: objectId(now.target.name, now.manifest), name, ...form }];
  };
  return {
    ...input,
    objects: input.objects.flatMap((object, index) => (index === at ? (now ?? []) : object)),
    assemblies: input.assemblies.map((assembly) => ({
      ...assembly,
      objects: assembly.objects.flatMap(entryOf),
      lateValues: [...assembly.lateValues, lateValueOn(old.target.name)],
    })),
  };
}

/** The object in its file. */
function plain(object: JudgedObject): JudgedObject {
  const { metadata } = object.manifest;
  const annotations = { ...metadata.annotations, [MARK]: 'value' };
  return { ...object, manifest: { ...object.manifest, metadata: { ...metadata, annotations } } };
}

/** The object as a template, which waits for a late value. */
function late(object: JudgedObject): JudgedObject {
  const { file: _, document: __, ...others } = object;
  const { metadata } = object.manifest;
  const annotations = { ...metadata.annotations, [MARK]: LATE };
  return { ...others, manifest: { ...object.manifest, metadata: { ...metadata, annotations } } };
}

function renamed(object: JudgedObject): JudgedObject {
  const { metadata } = object.manifest;
  const name = `${metadata.name}-2`;
  return { ...object, manifest: { ...object.manifest, metadata: { ...metadata, name } } };
}

/** The object with other values in all of its own fields. */
function edited(object: JudgedObject): JudgedObject {
  const other = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map(other);
    }
    if (isRecord(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, other(each)]));
    }
    if (typeof value === 'string') {
      return `${value}2`;
    }
    return typeof value === 'number' ? value + 1 : value;
  };
  const { apiVersion, kind, metadata, ...fields } = object.manifest;
  return { ...object, manifest: { apiVersion, kind, metadata, ...(other(fields) as object) } };
}

const EDITS: { readonly [edit: string]: Change | undefined } = {
  removed: undefined,
  renamed,
  edited,
};

/** A text about an object, whether it is in a file or waits. */
function withoutPlace(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, each: unknown) => {
      if (['file', 'line', 'document'].includes(key)) {
        return undefined;
      }
      return typeof each === 'string'
        ? each
            .replace(/was in \S+ and|waited for a late value and/g, 'was there and')
            .replaceAll(LATE, 'value')
        : each;
    }),
  );
}

/** What all that judges edits answers. */
function answers(before: Input, after: Input, edit: string) {
  const among = targetsOf(after.assemblies, {});
  const nothing = readInput([], {});
  return withoutPlace({
    impact: editImpacts(before, after),
    // what is renamed leaves, too
    lint: edit === 'removed' ? [] : lintInputs(after, { world: nothing, before, among }),
    removal: [...whatLeaves(outputChange(before, after), before.assemblies)],
    fits: fitTable(new World(after.objects, [])),
    access: accessMatrix(after.objects, []),
  });
}

/** The forms of objects that an output before has: another of the same form is judged alike. */
const seen = new Set<string>();

/** Whether no output before has an object with the same fields, delivered in the same way. */
function isNew({ target, manifest }: JudgedObject, { assemblies: [assembly] }: Input): boolean {
  const fields = leavesOf(manifest).map(({ path }) =>
    path.map((step) => (typeof step === 'number' ? '[]' : step)).join('.'),
  );
  const form = JSON.stringify([
    wayOf(assembly!),
    target.kind,
    manifest.apiVersion,
    manifest.kind,
    [...new Set(fields)].sort(),
  ]);
  const isFirst = !seen.has(form);
  seen.add(form);
  return isFirst;
}

describe.each(someOf(Object.entries(COMMITTED_OUTPUTS), 1))('%s', (_, output) => {
  const input = readInput([output], {});
  const chosen = [...input.objects.keys()].filter((at) => isNew(input.objects[at]!, input));

  test.each(Object.keys(EDITS))('judges each object that waits and is %s as any other', (edit) => {
    const change = EDITS[edit];
    const differing = chosen.flatMap((at) => {
      const answersOf = (form: Change): unknown =>
        answers(
          withObject(input, at, form),
          withObject(input, at, change && ((each) => change(form(each)))),
          edit,
        );
      const [asPlain, asLate] = [answersOf(plain), answersOf(late)];
      return JSON.stringify(asPlain) === JSON.stringify(asLate) ? [] : [{ asPlain, asLate }];
    });
    expect(differing.map(({ asLate }) => asLate)).toEqual(differing.map(({ asPlain }) => asPlain));
  });
});
