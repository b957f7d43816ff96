import { Assembly, AssemblyLateObject, AssemblyObject } from './assembly';
import { lateIdsIn } from '../late/late-text';
import { LATE_OPEN } from '../late/late-token';
import { isRecord, sameValue } from '../manifest/manifest';
import { show } from '../rule/problem';

/** One place where a value does not follow its schema. */
interface SchemaProblem {
  /** Where, e.g. `targets[0].folder`; empty for the value as a whole. */
  readonly path: string;
  /** What is wrong: lower-case, without a period. */
  readonly message: string;
}

type Schema = { readonly [keyword: string]: unknown };

/** Keywords that describe and do not constrain. */
const DESCRIBING = ['$schema', 'title', 'description', 'definitions'];

const TYPE_NAMES: { readonly [type: string]: string } = {
  object: 'a map', array: 'a list', string: 'a string', boolean: 'true or false', number: 'a number',
};

/**
 * Finds where a value does not follow a JSON Schema, of the keywords that the schemas of this package use.
 *
 * The package has no validator among its dependencies. An unknown keyword throws, so that no constraint is skipped silently.
 *
 * @param value parsed JSON
 * @param root the schema, which holds the definitions too
 */
export function checkSchema(value: unknown, root: Schema): SchemaProblem[] {
  return new SchemaCheck(root).check(value, root, '');
}

class SchemaCheck {
  private readonly patterns = new Map<string, RegExp>();

  constructor(private readonly root: Schema) {}

  public check(value: unknown, schema: Schema, path: string): SchemaProblem[] {
    if (typeof schema.type === 'string' && typeOf(value) !== schema.type) {
      return [{ path, message: `must be ${TYPE_NAMES[schema.type]}, got ${show(value)}` }];
    }
    return Object.entries(schema).flatMap(([keyword, given]) => this.keyword(keyword, given, value, schema, path));
  }

  private keyword(keyword: string, given: unknown, value: unknown, schema: Schema, path: string): SchemaProblem[] {
    const problem = (message: string): SchemaProblem[] => [{ path, message }];
    switch (keyword) {
      case 'type': return [];
      case '$ref': return this.check(value, this.definition(String(given)), path);
      case 'const': return value === given ? [] : problem(`must be ${show(given)}, got ${show(value)}`);
      case 'enum': return (given as unknown[]).includes(value) ? [] : problem(`must be one of ${(given as unknown[]).join(', ')}, got ${show(value)}`);
      case 'minLength': return typeof value === 'string' && value.length < Number(given) ? problem('must not be empty') : [];
      case 'minItems': return Array.isArray(value) && value.length < Number(given) ? problem(`must have at least ${given} items, got ${value.length}`) : [];
      case 'pattern': return typeof value === 'string' && !this.pattern(String(given)).test(value) ? problem(`must match ${given}, got ${show(value)}`) : [];
      case 'items':
        return Array.isArray(value) ? value.flatMap((item, index) => this.check(item, given as Schema, `${path}[${index}]`)) : [];
      case 'required':
        return isRecord(value) ? (given as string[]).filter((name) => !has(value, name)).map((name) => ({ path: join(path, name), message: 'is missing' })) : [];
      case 'properties':
        return isRecord(value)
          ? Object.entries(given as { [name: string]: Schema })
            .flatMap(([name, inner]) => (has(value, name) ? this.check(value[name], inner, join(path, name)) : []))
          : [];
      case 'additionalProperties': return isRecord(value) ? this.others(value, given, schema, path) : [];
      case 'oneOf': return this.oneOf(value, given as Schema[], path);
      case 'not': return this.check(value, given as Schema, path).length > 0 ? [] : problem(`has ${namesOf(given as Schema)} where it must not`);
      default:
        if (!DESCRIBING.includes(keyword)) { throw new Error(`checkSchema: unknown keyword ${keyword}`); }
        return [];
    }
  }

  private others(value: { readonly [name: string]: unknown }, given: unknown, { properties = {} }: Schema, path: string): SchemaProblem[] {
    const others = Object.keys(value).filter((name) => !has(properties as object, name));
    if (given === false) { return others.map((name) => ({ path: join(path, name), message: 'is not a known field' })); }
    return isRecord(given) ? others.flatMap((name) => this.check(value[name], given, join(path, name))) : [];
  }

  // the closest alternative explains best what is wrong
  private oneOf(value: unknown, forms: readonly Schema[], path: string): SchemaProblem[] {
    const found = forms.map((form) => this.check(value, form, path)).sort((a, b) => a.length - b.length);
    const fitting = found.filter((problems) => problems.length === 0).length;
    return fitting > 1 ? [{ path, message: 'follows several forms, of which it must follow one' }] : found[0];
  }

  private definition(ref: string): Schema {
    return (this.root.definitions as { [name: string]: Schema })[ref.replace('#/definitions/', '')];
  }

  private pattern(text: string): RegExp {
    const known = this.patterns.get(text) ?? new RegExp(text, 'u');
    this.patterns.set(text, known);
    return known;
  }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) { return 'array'; }
  return value === null ? 'null' : typeof value;
}

function namesOf({ required }: Schema): string {
  return Array.isArray(required) ? required.join(', ') : 'a form';
}

function has(value: object, name: string): boolean {
  return Object.prototype.hasOwnProperty.call(value, name);
}

function join(path: string, name: string): string {
  return path ? `${path}.${name}` : name;
}

/** A line that Git writes between both sides of a conflict. */
const CONFLICT_MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?: |$)/;

/** Thrown for an assembly that cannot be used, with the place and the fix. */
class DamagedAssembly extends Error {}

/** The fix, whatever is wrong: nothing in the file is written by hand. */
const FIX = 'Fix: run the program again: synthesis writes the file again';

const MAX_SHOWN = 5;

/**
 * Reads the text of an `assembly.json`.
 *
 * The file is checked against its schema and for references to parts that it does not contain: merges and edits by hand damage it, and no command
 * may act on half of a program.
 *
 * @param text of the file
 * @param file its path, for messages
 */
export function parseAssembly(text: string, file: string): Assembly {
  const marker = text.split('\n').findIndex((line) => CONFLICT_MARKER.test(line));
  if (marker >= 0) { throw new DamagedAssembly(`${file}: line ${marker + 1} is a conflict marker of Git. ${FIX}, after the conflict in the program is resolved`); }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new DamagedAssembly(`${file}: is not valid JSON${lineOf(text, error as Error)}. ${FIX}`);
  }
  if (isRecord(content) && content.schemaVersion !== undefined && content.schemaVersion !== '1') {
    throw new DamagedAssembly(`${file}: schemaVersion must be "1", got ${show(content.schemaVersion)}: another version of cdk8s-harvester wrote it. ${FIX}`);
  }
  const problems = checkAssembly(content);
  if (problems.length > 0) {
    const shown = problems.slice(0, MAX_SHOWN).map(({ path, message }) => `${path ? `${path}: ` : ''}${message}`);
    const more = problems.length > MAX_SHOWN ? `; and ${problems.length - MAX_SHOWN} more` : '';
    throw new DamagedAssembly(`${file}: ${shown.join('; ')}${more}. ${FIX}`);
  }
  return content as Assembly;
}

// the parser's own words show a piece of the file
function lineOf(text: string, { message }: Error): string {
  const position = /position (\d+)/.exec(message)?.[1];
  return position === undefined ? '' : ` (line ${text.slice(0, Number(position)).split('\n').length})`;
}

/** What is wrong with an assembly: first its form, and where that is right, what its parts say of each other. */
export function checkAssembly(content: unknown): SchemaProblem[] {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const problems = checkSchema(content, require('../../../schema/assembly.v1.json') as { readonly [keyword: string]: unknown });
  return problems.length > 0 ? problems : [...new References(content as Assembly).check()];
}

/** Looks for references of one part of an assembly to another that is missing. */
class References {
  private readonly targets: ReadonlySet<string>;
  private readonly objects: ReadonlySet<string>;
  private readonly late: ReadonlySet<string>;
  private readonly groups: ReadonlySet<string>;

  constructor(private readonly assembly: Assembly) {
    this.targets = new Set(assembly.targets.map(({ name }) => name));
    this.objects = new Set(assembly.objects.map(({ id }) => id));
    this.late = new Set(assembly.lateValues.map(({ id }) => id));
    this.groups = new Set(assembly.groups.map(({ id }) => id));
  }

  public *check(): Iterable<SchemaProblem> {
    const { targets, objects, groups, edges, lateValues, known = [], placeholders = [] } = this.assembly;
    yield* twice('targets', 'name', targets);
    yield* twice('objects', 'id', objects);
    yield* twice('groups', 'id', groups);
    yield* twice('lateValues', 'id', lateValues);
    for (const [index, { name, folder }] of targets.entries()) {
      if (folder !== name) { yield { path: `targets[${index}].folder`, message: `must be the name of the target, ${name}, got ${folder}` }; }
    }
    for (const [index, object] of objects.entries()) { yield* this.object(object, `objects[${index}]`); }
    for (const [index, group] of groups.entries()) {
      for (const [place, id] of group.objects.entries()) { yield* missing(`groups[${index}].objects[${place}]`, 'object', id, this.objects); }
    }
    for (const [index, edge] of edges.entries()) {
      for (const end of ['from', 'to'] as const) { yield* this.end(edge[end], `edges[${index}].${end}`); }
    }
    for (const [index, { source }] of lateValues.entries()) {
      const path = `lateValues[${index}].source`;
      if (source.resolver !== 'text') { yield* missing(`${path}.target`, 'target', (source as AssemblyLateObject).target, this.targets); }
      for (const id of lateIdsIn(source)) { yield* missing(path, 'late value', id, this.late); }
    }
    for (const [index, entry] of placeholders.entries()) { yield* this.end(entry.in, `placeholders[${index}].in`); }
    for (const [index, { target }] of known.entries()) { yield* missing(`known[${index}].target`, 'target', target, this.targets); }
  }

  private *object(object: AssemblyObject, path: string): Iterable<SchemaProblem> {
    const { id, target, file, lateValues = [], needs = [] } = object;
    yield* missing(`${path}.target`, 'target', target, this.targets);
    if (!id.startsWith(`${target}/`)) { yield { path: `${path}.id`, message: `must begin with the target, ${target}/, got ${id}` }; }
    if (file !== undefined && !file.startsWith(`${target}/`)) { yield { path: `${path}.file`, message: `must be in the folder of the target, ${target}/, got ${file}` }; }
    for (const [index, late] of lateValues.entries()) { yield* missing(`${path}.lateValues[${index}]`, 'late value', late, this.late); }
    for (const [index, other] of needs.entries()) { yield* missing(`${path}.needs[${index}]`, 'object', other, this.objects); }
    if (object.template !== undefined) { yield* template(object, path); }
  }

  private *end(end: string, path: string): Iterable<SchemaProblem> {
    if (this.objects.has(end) || this.groups.has(end)) { return; }
    if (!end.startsWith('late:') || !this.late.has(end.slice('late:'.length))) {
      yield { path, message: `names ${end}, which is not an object, a group or a late value of the assembly` };
    }
  }
}

function* template({ template: object, apiVersion, kind, namespace, name, lateValues }: AssemblyObject, path: string): Iterable<SchemaProblem> {
  const metadata: unknown = object?.metadata;
  if (!isRecord(metadata)) {
    yield { path: `${path}.template.metadata`, message: 'must be a map' };
    return;
  }
  const said = { 'apiVersion': object?.apiVersion, 'kind': object?.kind, 'metadata.namespace': metadata.namespace, 'metadata.name': metadata.name };
  for (const [field, expected] of Object.entries({ apiVersion, kind, 'metadata.namespace': namespace, 'metadata.name': name })) {
    const got = said[field as keyof typeof said];
    if (got !== expected) { yield { path: `${path}.template.${field}`, message: `must be ${expected ?? 'left out'}, as in the entry of the object, got ${got === undefined ? 'none' : show(got)}` }; }
  }
  for (const field of ['labels', 'annotations'] as const) {
    const map = metadata[field];
    if (map !== undefined && (!isRecord(map) || Object.values(map).some((value) => typeof value !== 'string'))) {
      yield { path: `${path}.template.metadata.${field}`, message: 'must be a map of strings' };
    }
  }
  if (!sameValue(lateIdsIn(object).sort(), [...lateValues ?? []].sort())) {
    yield { path: `${path}.lateValues`, message: `must name the late values of the template (${LATE_OPEN}<id>}): ${lateIdsIn(object).join(', ') || 'it holds none'}` };
  }
}

function* twice<K extends string>(list: string, field: K, entries: readonly { readonly [field in K]: string }[]): Iterable<SchemaProblem> {
  const seen = new Set<string>();
  for (const [index, { [field]: value }] of entries.entries()) {
    if (seen.has(value)) { yield { path: `${list}[${index}].${field}`, message: `${value} is there twice` }; }
    seen.add(value);
  }
}

function* missing(path: string, what: string, name: string, known: ReadonlySet<string>): Iterable<SchemaProblem> {
  if (!known.has(name)) { yield { path, message: `names the ${what} ${name}, which the assembly does not hold` }; }
}
