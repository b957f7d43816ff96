import { Assembly, ASSEMBLY_VERSION, AssemblyObject } from './assembly';
import { AssemblyForm, FIELD_OF } from './assembly-form';
import { LATE_NODE } from './implied-edges';
import { readForm } from './read-form';
import { lateIdsIn } from '../late/late-text';
import { LATE_OPEN } from '../late/late-token';
import { groupOf, isRecord, itemsAt, sameValue } from '../manifest/manifest';
import { show } from '../problem/problem';
import { isEncrypted } from '../sops/sops';
import { remembered } from '../text/values';

/** One place where a value does not follow its schema. */
interface SchemaProblem {
  /** Where, e.g. `targets[0].folder`; empty for the value as a whole. */
  readonly path: string;
  /** The problem: lower-case, without a period. */
  readonly message: string;
}

type Schema = { readonly [keyword: string]: unknown };

/** Keywords that describe and do not constrain. */
const DESCRIBING = ['$schema', 'title', 'description', 'definitions'];

const TYPE_NAMES: { readonly [type: string]: string } = {
  object: 'a map',
  array: 'a list',
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
};

/**
 * Finds where a value does not follow a JSON Schema, of the keywords that the schemas of this
 * package use.
 *
 * Not by ajv: every command reads an assembly, and ajv compiles the schema first, and words its
 * messages for the schema, not for the place in the file. An unknown keyword throws, so that no
 * constraint is skipped silently.
 *
 * @param value parsed JSON
 * @param root the schema, which holds the definitions too
 */
export function checkSchema(value: unknown, root: Schema): readonly SchemaProblem[] {
  return new SchemaChecks(root).of(root)(value);
}

/**
 * Finds the problems of a value, with paths from there. An output has a hundred thousand values,
 * and hardly one of them has a problem.
 */
type Check = (value: unknown) => readonly SchemaProblem[];

const NONE: readonly SchemaProblem[] = [];

/**
 * Where a search ends: a damaged assembly may have a million problems, of which a message names a
 * few.
 */
const MAX_PROBLEMS = 1_000;

class SchemaChecks {
  private readonly definitions = new Map<string, Check>();

  constructor(private readonly root: Schema) {}

  public of(schema: Schema): Check {
    const checks = Object.entries(schema).flatMap(
      ([keyword, given]) => this.keyword(keyword, given, schema) ?? [],
    );
    const { type } = schema;
    return (value) => {
      if (typeof type === 'string' && typeOf(value) !== type) {
        return problem(`must be ${TYPE_NAMES[type]}, got ${show(value)}`);
      }
      return together(checks, (check) => check(value));
    };
  }

  private keyword(
    keyword: string,
    given: unknown,
    { properties = {}, additionalItems = {} }: Schema,
  ): Check | undefined {
    switch (keyword) {
      case 'type':
        return undefined;
      case '$ref':
        return (value) => this.definition(String(given))(value);
      case 'const':
        return unless(
          (value) => value === given,
          (value) => `must be ${show(given)}, got ${show(value)}`,
        );
      case 'enum':
        return unless(
          (value) => (given as unknown[]).includes(value),
          (value) => `must be one of ${(given as unknown[]).join(', ')}, got ${show(value)}`,
        );
      case 'minLength':
        return unless(
          (value) => typeof value !== 'string' || value.length >= Number(given),
          () => 'must not be empty',
        );
      case 'minItems':
        return unless(
          (value) => !Array.isArray(value) || value.length >= Number(given),
          (value) => `must have at least ${given} items, got ${(value as unknown[]).length}`,
        );
      case 'pattern': {
        const pattern = new RegExp(String(given), 'u');
        return unless(
          (value) => typeof value !== 'string' || pattern.test(value),
          (value) => `must match ${given}, got ${show(value)}`,
        );
      }
      case 'items': {
        const [first, rest] = Array.isArray(given)
          ? [given as Schema[], additionalItems]
          : [[], given];
        const checks = first.map((each) => this.of(each));
        const check = this.of(rest as Schema);
        return (value) =>
          Array.isArray(value)
            ? together(value, (item, index) => below(index, (checks[index] ?? check)(item)))
            : NONE;
      }
      case 'additionalItems':
        return undefined;
      case 'required':
        return (value) =>
          isRecord(value)
            ? together(given as string[], (name) =>
                has(value, name) ? NONE : below(name, problem('is missing')),
              )
            : NONE;
      case 'properties': {
        const checks = Object.entries(given as { [name: string]: Schema }).map(
          ([name, inner]) => [name, this.of(inner)] as const,
        );
        return (value) =>
          isRecord(value)
            ? together(checks, ([name, check]) =>
                has(value, name) ? below(name, check(value[name])) : NONE,
              )
            : NONE;
      }
      case 'additionalProperties': {
        const check = isRecord(given)
          ? this.of(given)
          : () => (given === false ? problem('is not a known field') : NONE);
        return (value) =>
          isRecord(value)
            ? together(Object.keys(value), (name) =>
                has(properties as object, name) ? NONE : below(name, check(value[name])),
              )
            : NONE;
      }
      case 'oneOf':
        return oneOf((given as Schema[]).map((form) => this.of(form)));
      case 'not': {
        const check = this.of(given as Schema);
        return unless(
          (value) => check(value).length > 0,
          () => `has ${itemsAt(given, 'required').join(', ') || 'a form'} where it must not`,
        );
      }
      default:
        if (!DESCRIBING.includes(keyword)) {
          throw new Error(`checkSchema: unknown keyword ${keyword}`);
        }
        return undefined;
    }
  }

  // when it is first used, since definitions may refer to each other
  private definition(ref: string): Check {
    const { [ref.replace('#/definitions/', '')]: schema } = this.root.definitions as {
      [name: string]: Schema;
    };
    return remembered(this.definitions, ref, () => this.of(schema));
  }
}

function problem(message: string): readonly SchemaProblem[] {
  return [{ path: '', message }];
}

function unless(holds: (value: unknown) => boolean, message: (value: unknown) => string): Check {
  return (value) => (holds(value) ? NONE : problem(message(value)));
}

function together<T>(
  parts: readonly T[],
  check: (part: T, index: number) => readonly SchemaProblem[],
): readonly SchemaProblem[] {
  let all: SchemaProblem[] | undefined;
  for (let index = 0; index < parts.length; index++) {
    for (const found of check(parts[index], index)) {
      (all ??= []).push(found);
    }
    if (all && all.length >= MAX_PROBLEMS) {
      break;
    }
  }
  return all ?? NONE;
}

function below(
  step: string | number,
  problems: readonly SchemaProblem[],
): readonly SchemaProblem[] {
  if (problems.length === 0) {
    return NONE;
  }
  const place = typeof step === 'number' ? `[${step}]` : step;
  return problems.map(({ path, message }) => ({
    path: path === '' || path.startsWith('[') ? `${place}${path}` : `${place}.${path}`,
    message,
  }));
}

// the closest alternative explains best what is wrong
function oneOf(checks: readonly Check[]): Check {
  return (value) => {
    const found = checks.map((check) => check(value));
    const fitting = found.filter((problems) => problems.length === 0).length;
    if (fitting > 1) {
      return problem('follows several forms, of which it must follow one');
    }
    return fitting === 1
      ? NONE
      : found.reduce((closest, problems) =>
          problems.length < closest.length ? problems : closest,
        );
  };
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) {
    return 'array';
  }
  return value === null ? 'null' : typeof value;
}

function has(value: object, name: string): boolean {
  return Object.prototype.hasOwnProperty.call(value, name);
}

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
        ? `; and ${problems.length >= MAX_PROBLEMS ? 'at least ' : ''}${problems.length - MAX_SHOWN} more`
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
    const {
      targets,
      objects,
      groups,
      edges,
      lateValues,
      known = [],
      placeholders = [],
      encryption = [],
      storeKeys = [],
    } = this.assembly;
    for (const { name, folder } of targets) {
      if (folder !== name) {
        this.add(
          `targets[${name}].folder`,
          `must be ${name}, the name of the target, got ${folder}`,
        );
      }
    }
    for (const object of objects) {
      this.object(object, () => `objects[${object.id}]`);
    }
    this.names('groups', this.form.groups?.map(({ id }) => id) ?? []);
    for (const { id, objects: members } of groups) {
      for (const member of members) {
        this.find('object', member, this.objects, () => `groups[${id}].objects`);
      }
    }
    for (const { from, to, type } of edges) {
      if (this.isEnd(from) && this.isEnd(to)) {
        continue;
      }
      const list = this.listOfNode(from);
      this.end(from, () => `${list}[${from}].id`);
      this.end(to, () => `${list}[${from}].${FIELD_OF[type]}`);
    }
    for (const { id, source } of lateValues) {
      if ('target' in source) {
        this.find('target', source.target, this.targets, () => `lateValues[${id}].target`);
      }
      for (const inner of lateIdsIn(source)) {
        this.find('late value', inner, this.late, () => `lateValues[${id}]`);
      }
    }
    placeholders.forEach((entry, index) => this.end(entry.in, () => `placeholders[${index}].in`));
    known.forEach(({ target }, index) =>
      this.find('target', target, this.targets, () => `known[${index}].target`),
    );
    for (const [list, entries] of [
      ['encryption', encryption],
      ['storeKeys', storeKeys],
    ] as const) {
      entries.forEach((entry, index) => {
        entry.objects.forEach((id, place) =>
          this.find('object', id, this.objects, () => `${list}[${index}].objects[${place}]`),
        );
      });
    }
    this.assembly.stages?.forEach(({ folder: own, target, after }, index) => {
      this.find('target', target, this.targets, () => `stages[${index}].target`);
      if (own.split('/', 1)[0] !== target) {
        this.add(`stages[${index}].folder`, `must be in the folder of the target, ${target}/`);
      }
      after.forEach((folder, place) =>
        this.find('stage', folder, this.stages, () => `stages[${index}].after[${place}]`),
      );
    });
    return this.problems;
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
