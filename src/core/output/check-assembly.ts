import { Assembly, ASSEMBLY_VERSION, AssemblyObject } from './assembly';
import { AssemblyForm, FIELD_OF } from './assembly-form';
import { LATE_NODE } from './implied-edges';
import { readForm } from './read-form';
import { lateIdsIn } from '../late/late-text';
import { LATE_OPEN } from '../late/late-token';
import { groupOf, isRecord, sameValue } from '../manifest/manifest';
import { MAX_SCHEMA_PROBLEMS, SchemaProblem, checkSchema } from '../problem/json-schema';
import { show } from '../problem/problem';
import { isEncrypted } from '../sops/sops';

/** A line that Git writes between both sides of a conflict. */
const CONFLICT_MARKER = /(?:^|\n)(?:<{7}|\|{7}|={7}|>{7})(?:[ \r\n]|$)/;

/** Thrown for an assembly that cannot be used, with the place and the fix. */
class DamagedAssembly extends Error {}

/** The fix, whatever is wrong: nothing in the file is written by hand. */
const FIX = 'Fix: run the program again: synthesis writes the file again';

const MAX_SHOWN = 5;

/**
 * Reads the text of an `assembly.json`.
 *
 * The file is checked against its schema and for references to parts that it does not contain:
 * merges and edits by hand damage it, and no command may act on half of a program.
 *
 * @param text of the file
 * @param file its path, for messages
 */
export function parseAssembly(text: string, file: string): Assembly {
  const marker = CONFLICT_MARKER.exec(text);
  if (marker) {
    throw new DamagedAssembly(
      `${file}: line ${lineAt(text, marker.index + 1)} is a conflict marker of Git. ${FIX}, after the conflict in the program is resolved`,
    );
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new DamagedAssembly(`${file}: is not valid JSON${lineOf(text, error as Error)}. ${FIX}`);
  }
  const version = isRecord(content) ? content.schemaVersion : undefined;
  if (version !== undefined && version !== ASSEMBLY_VERSION) {
    throw new DamagedAssembly(
      `${file}: schemaVersion must be "${ASSEMBLY_VERSION}", got ${show(version)}: another version of cdk8s-harvester wrote it. ${FIX}`,
    );
  }
  const { assembly, problems } = readChecked(content);
  if (problems.length > 0) {
    const shown = problems
      .slice(0, MAX_SHOWN)
      .map(({ path, message }) => `${path ? `${path}: ` : ''}${message}`);
    const more =
      problems.length > MAX_SHOWN
        ? `; and ${problems.length >= MAX_SCHEMA_PROBLEMS ? 'at least ' : ''}${problems.length - MAX_SHOWN} more`
        : '';
    throw new DamagedAssembly(`${file}: ${shown.join('; ')}${more}. ${FIX}`);
  }
  return assembly!;
}

// the parser's own words show a piece of the file
function lineOf(text: string, { message }: Error): string {
  const position = /position (\d+)/.exec(message)?.[1];
  return position === undefined ? '' : ` (line ${lineAt(text, Number(position))})`;
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}

/**
 * The problems of an assembly: those of its form or, if it has none, references between its parts
 * that do not match.
 */
export function checkAssembly(content: unknown): readonly SchemaProblem[] {
  return readChecked(content).problems;
}

function readChecked(content: unknown): {
  readonly assembly?: Assembly;
  readonly problems: readonly SchemaProblem[];
} {
  const problems = checkSchema(
    content,
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    require('../../../schema/assembly.v3.json') as { readonly [keyword: string]: unknown },
  );
  if (problems.length > 0) {
    return { problems };
  }
  const form = content as AssemblyForm;
  const assembly = readForm(form);
  return { assembly, problems: new References(assembly, form).check() };
}

/** How the ID of an object begins. Late values in its name differ from those of its fields. */
function ownIdStart({ target, apiVersion, kind }: AssemblyObject): string {
  return `${target}/${groupOf(apiVersion)}/${kind}/`;
}

function isOwnId(object: AssemblyObject): boolean {
  return object.id.startsWith(ownIdStart(object));
}

/** Looks for references of one part of an assembly to another that is missing. */
class References {
  private readonly problems: SchemaProblem[] = [];
  private readonly targets: ReadonlySet<string>;
  private readonly objects: ReadonlySet<string>;
  private readonly late: ReadonlySet<string>;
  private readonly groups: ReadonlySet<string>;
  /** The target of each stage, by its folder. */
  private readonly stages: ReadonlyMap<string, string>;

  constructor(
    private readonly assembly: Assembly,
    private readonly form: AssemblyForm,
  ) {
    this.targets = this.names(
      'targets',
      assembly.targets.map(({ name }) => name),
    );
    this.objects = this.names(
      'objects',
      assembly.objects.map(({ id }) => id),
    );
    this.groups = new Set(assembly.groups.map(({ id }) => id));
    this.late = this.names(
      'lateValues',
      assembly.lateValues.map(({ id }) => id),
    );
    this.stages = new Map((assembly.stages ?? []).map(({ folder, target }) => [folder, target]));
  }

  public check(): readonly SchemaProblem[] {
    this.checkTargets();
    for (const object of this.assembly.objects) {
      this.object(object, () => `objects[${object.id}]`);
    }
    this.checkGroups();
    this.checkEdges();
    this.checkLateValues();
    this.checkPlaceholders();
    this.checkKnown();
    this.checkEncrypted('encryption');
    this.checkEncrypted('storeKeys');
    this.checkStages();
    return this.problems;
  }

  private checkTargets(): void {
    for (const { name, folder } of this.assembly.targets) {
      if (folder !== name) {
        this.add(
          `targets[${name}].folder`,
          `must be ${name}, the name of the target, got ${folder}`,
        );
      }
    }
  }

  private checkGroups(): void {
    this.names('groups', this.form.groups?.map(({ id }) => id) ?? []);
    for (const { id, objects } of this.assembly.groups) {
      for (const object of objects) {
        this.find('object', object, this.objects, () => `groups[${id}].objects`);
      }
    }
  }

  private checkEdges(): void {
    for (const { from, to, type } of this.assembly.edges) {
      if (this.isEnd(from) && this.isEnd(to)) {
        continue;
      }
      const list = this.listOfNode(from);
      this.end(from, () => `${list}[${from}].id`);
      this.end(to, () => `${list}[${from}].${FIELD_OF[type]}`);
    }
  }

  private checkLateValues(): void {
    for (const { id, source } of this.assembly.lateValues) {
      if ('target' in source) {
        this.find('target', source.target, this.targets, () => `lateValues[${id}].target`);
      }
      for (const inner of lateIdsIn(source)) {
        this.find('late value', inner, this.late, () => `lateValues[${id}]`);
      }
    }
  }

  private checkPlaceholders(): void {
    this.assembly.placeholders?.forEach((entry, index) => {
      this.end(entry.in, () => `placeholders[${index}].in`);
    });
  }

  private checkKnown(): void {
    this.assembly.known?.forEach(({ target }, index) => {
      this.find('target', target, this.targets, () => `known[${index}].target`);
    });
  }

  private checkEncrypted(list: 'encryption' | 'storeKeys'): void {
    this.assembly[list]?.forEach(({ objects }, index) => {
      objects.forEach((id, place) => {
        this.find('object', id, this.objects, () => `${list}[${index}].objects[${place}]`);
      });
    });
  }

  private checkStages(): void {
    this.assembly.stages?.forEach(({ folder: own, target, after }, index) => {
      this.find('target', target, this.targets, () => `stages[${index}].target`);
      if (own.split('/', 1)[0] !== target) {
        this.add(`stages[${index}].folder`, `must be in the folder of the target, ${target}/`);
      }
      after.forEach((folder, place) => {
        this.find('stage', folder, this.stages, () => `stages[${index}].after[${place}]`);
      });
    });
  }

  private add(path: string, message: string): void {
    this.problems.push({ path, message });
  }

  /** The names in a list, of which each must be there once. */
  private names(list: string, entries: readonly string[]): ReadonlySet<string> {
    const names = new Set<string>();
    for (const name of entries) {
      if (names.has(name)) {
        this.add(`${list}[${name}]`, 'is listed twice');
      }
      names.add(name);
    }
    return names;
  }

  private find(
    what: string,
    name: string,
    known: { has(name: string): boolean },
    path: () => string,
  ): void {
    if (!known.has(name)) {
      this.add(path(), `names the ${what} ${name}, which the assembly does not hold`);
    }
  }

  private object(object: AssemblyObject, path: () => string): void {
    const { target, file, lateValues = [], needs = [] } = object;
    this.find('target', target, this.targets, () => `${path()}.target`);
    if (!isOwnId(object)) {
      this.add(`${path()}.id`, `must begin with ${ownIdStart(object)}, as the other fields say`);
    }
    if ((file === undefined) === (object.template === undefined)) {
      this.add(path(), 'must have either a file or a template');
    }
    if (file !== undefined && !this.isOf(target, file)) {
      this.add(`${path()}.file`, `must be in the folder of the target, ${target}/, got ${file}`);
    }
    for (const late of lateValues) {
      this.find('late value', late, this.late, () => `${path()}.lateValues`);
    }
    for (const other of needs) {
      this.find('object', other, this.objects, () => `${path()}.needs`);
    }
    if (file === undefined && lateValues.length === 0 && this.assembly.stages === undefined) {
      this.add(`${path()}.lateValues`, 'is missing');
    }
    if (object.stage !== undefined) {
      this.find('stage', object.stage, this.stages, () => `${path()}.stage`);
    }
    if (object.template !== undefined) {
      this.template(object, path());
    }
  }

  /** Whether a file is in the folder of a target, or in that of one of its stages. */
  private isOf(target: string, file: string): boolean {
    const folder = file.slice(0, file.lastIndexOf('/'));
    return this.stages.size > 0 ? this.stages.get(folder) === target : folder === target;
  }

  /** The list of the assembly that a node is in. */
  private listOfNode(id: string): 'objects' | 'lateValues' | 'groups' {
    if (this.objects.has(id)) {
      return 'objects';
    }
    return id.startsWith(LATE_NODE) ? 'lateValues' : 'groups';
  }

  private isEnd(end: string): boolean {
    return (
      this.objects.has(end) ||
      this.groups.has(end) ||
      (end.startsWith(LATE_NODE) && this.late.has(end.slice(LATE_NODE.length)))
    );
  }

  private end(end: string, path: () => string): void {
    if (!this.isEnd(end)) {
      this.add(
        path(),
        `names ${end}, which is not an object, a group or a late value of the assembly`,
      );
    }
  }

  private template(
    { template: object, apiVersion, kind, namespace, name, lateValues }: AssemblyObject,
    path: string,
  ): void {
    const metadata: unknown = object?.metadata;
    if (!isRecord(metadata)) {
      this.add(`${path}.template.metadata`, 'must be a map');
      return;
    }
    const said = {
      'apiVersion': object?.apiVersion,
      'kind': object?.kind,
      'metadata.namespace': metadata.namespace,
      'metadata.name': metadata.name,
    };
    for (const [field, expected] of Object.entries({
      apiVersion,
      kind,
      'metadata.namespace': namespace,
      'metadata.name': name,
    })) {
      const got = said[field as keyof typeof said];
      if (got !== expected) {
        this.add(
          `${path}.template.${field}`,
          `must be ${expected ?? 'left out'}, as in the entry of the object, got ${got === undefined ? 'none' : show(got)}`,
        );
      }
    }
    for (const field of ['labels', 'annotations'] as const) {
      const map = metadata[field];
      if (
        map !== undefined &&
        (!isRecord(map) || Object.values(map).some((value) => typeof value !== 'string'))
      ) {
        this.add(`${path}.template.metadata.${field}`, 'must be a map of strings');
      }
    }
    // the placeholders of an encrypted template may be within secrets
    if (
      !isEncrypted(object) &&
      !sameValue(lateIdsIn(object).sort(), [...(lateValues ?? [])].sort())
    ) {
      this.add(
        `${path}.lateValues`,
        `must name the late values of the template (${LATE_OPEN}<id>}): ${lateIdsIn(object).join(', ') || 'it holds none'}`,
      );
    }
  }
}
