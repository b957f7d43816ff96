import { COLUMNS, Explanation, Row, editRows, editsOf, explanation } from './explanation';
import { KindDescription } from '../../core/kind/kind';
import { allKinds } from '../../core/kind/kinds';
import { groupOf, isWithin, kindKey, pathOf } from '../../core/manifest/manifest';
import { allRules } from '../../core/rule/judge-all';
import { Rule } from '../../core/rule/rule';
import { FieldsNode, KnownKind, ShapeNode, knownKinds } from '../../core/shape/shape-node';
import { toned } from '../../core/text/screen';
import { FeatureGates } from '../../core/version/feature-gates';

/** The constructs that write a kind, with their pages. */
type Writers = (group: string, kind: string) => readonly (readonly [name: string, page: string])[];

/** A kind by what is known of it: its description, its structure, or both. */
interface Named {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural?: string;
  readonly description?: KindDescription;
  readonly shape?: KnownKind;
}

const KINDS: readonly Named[] = kindsOf();

function kindsOf(): Named[] {
  const described = allKinds().map((description): Named => {
    const { group, version, kind, resource } = description;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const shape = knownKinds().get(`${apiVersion}/${kind}`);
    return {
      apiVersion,
      kind,
      plural: shape?.plural ?? resource,
      description,
      ...(shape && { shape }),
    };
  });
  const names = new Set(described.map(({ apiVersion, kind }) => `${apiVersion}/${kind}`));
  const shaped = [...knownKinds()]
    .filter(([name]) => !names.has(name))
    .map(([name, shape]): Named => {
      const at = name.lastIndexOf('/');
      return {
        apiVersion: name.slice(0, at),
        kind: name.slice(at + 1),
        plural: shape.plural,
        shape,
      };
    });
  return [...described, ...shaped];
}

/** All names of kinds, for suggestions. */
export const KIND_NAMES: readonly string[] = [...new Set(KINDS.map(({ kind }) => kind))];

/**
 * Explains the kinds of a name, and their fields.
 *
 * @param topic `Cluster`, `provisioning.cattle.io/Cluster`, `provisioning.cattle.io/v1/Cluster` or `clusters.provisioning.cattle.io`, in any case,
 * each with the path of a field at the end: `Cluster.spec.rkeConfig.machinePools[].quantity`;
 * `spec` and brackets may be left out
 * @param writers the constructs that write a kind
 */
export function explainKinds(topic: string, writers: Writers): Explanation[] {
  return KINDS.flatMap((named) =>
    namesOf(named)
      .flatMap((name): Explanation[] => {
        if (!topic.toLowerCase().startsWith(name)) {
          return [];
        }
        const path = topic.slice(name.length);
        if (path === '') {
          return [kindExplanation(named, writers)];
        }
        const field = path.startsWith('.')
          ? fieldExplanation(named, path.slice(1), writers)
          : undefined;
        return field ? [field] : [];
      })
      .slice(0, 1),
  );
}

// the longest first: a name of a group contains dots as the path of a field does
function namesOf({ apiVersion, kind, plural }: Named): string[] {
  const group = groupOf(apiVersion);
  return [
    `${apiVersion}/${kind}`,
    `${group}/${kind}`,
    ...(plural ? [...(group ? [`${plural}.${group}`] : []), plural] : []),
    kind,
  ].map((name) => name.toLowerCase());
}

function kindExplanation(
  { apiVersion, kind, description, shape }: Named,
  writers: Writers,
): Explanation {
  const key = kindKey(groupOf(apiVersion), kind);
  const scope = description?.scope ?? shape?.scope;
  const product = shape?.product === 'kubernetes' ? undefined : shape?.product;
  const targets = description?.targets ?? (product ? [product] : []);
  const newest = newestOf(shape);
  const where = targets.length > 0 ? `${targets.join(' and ')} clusters` : 'every cluster';
  const summary = `${scope === 'Cluster' ? 'Cluster-scoped' : 'Namespaced'}, on ${where}.`;
  return explanation(
    'kind',
    `${kind} (${apiVersion})`,
    summary,
    docsOf(apiVersion, kind, writers),
    {
      'versions': description?.served ? [FeatureGates.of(description.served).toString()] : [],
      'written by': writers(groupOf(apiVersion), kind).map(([name]) => name),
      'an edit': editRows(editsOf(key)),
      'fields that keep their value': keptFields(description),
      'a deletion': deletionOf(description),
      'fields': newest ? fieldRows(contentOf(newest)) : [],
      'rules': ruleRows(key),
    },
  );
}

/** The rules that judge a kind. */
function ruleRows(kind: string, about = /(?:)/): Row[] {
  return allRules()
    .filter(({ kinds, what }) => kinds.includes(kind) && about.test(what))
    .map(ruleRow);
}

/** A rule in a table. */
export function ruleRow({ id, level, what }: Pick<Rule, 'id' | 'level' | 'what'>): Row {
  return {
    columns: COLUMNS.RULES,
    cells: [id, toned(level, level), what],
    text: `${id} (${level}): ${what}`,
  };
}

function docsOf(apiVersion: string, kind: string, writers: Writers): string {
  return writers(groupOf(apiVersion), kind)[0]?.[1] ?? 'docs/rules.md';
}

function newestOf(shape: KnownKind | undefined): FieldsNode | undefined {
  return shape?.versions.at(-1)?.node();
}

// what people set: the fields below spec, where there are any
function contentOf(root: FieldsNode): FieldsNode {
  const spec = root.fields.get('spec');
  return spec?.of === 'fields' && spec.fields.size > 0 ? spec : root;
}

const OF_ALL = ['apiVersion', 'kind', 'metadata', 'status'];

function fieldRows(node: ShapeNode): Row[] {
  const inner = insideOf(node);
  if (inner.of !== 'fields') {
    return [];
  }
  return [...inner.fields]
    .filter(([name]) => !OF_ALL.includes(name))
    .map(([name, field]) => {
      const type = `${typeText(field)}${inner.required.includes(name) ? ', required' : ''}`;
      return { columns: COLUMNS.FIELDS, cells: [name, type], text: `${name}: ${type}` };
    });
}

function insideOf(node: ShapeNode): ShapeNode {
  if (node.of === 'list') {
    return insideOf(node.item);
  }
  if (node.of === 'map') {
    return insideOf(node.value);
  }
  return node;
}

function typeText(node: ShapeNode): string {
  const one = node.enum ? ` of ${node.enum.map((value) => JSON.stringify(value)).join(', ')}` : '';
  if (node.of === 'list') {
    return `list of ${typeText(node.item)}`;
  }
  if (node.of === 'map') {
    return `map of ${typeText(node.value)}`;
  }
  if (node.of === 'fields') {
    return `object${one}`;
  }
  if (node.of === 'any') {
    return `any value${one}`;
  }
  return `${node.format ?? node.type}${one}`;
}

function keptFields(description: KindDescription | undefined): Row[] {
  return (description?.immutable ?? []).map(({ fields, what, level = 'error' as const, id }) => {
    const paths = fields.map(({ path }) => path).join(', ');
    return {
      columns: COLUMNS.KEPT,
      cells: [paths, what, [toned(level, level), ` ${id}`]],
      text: `${paths} (${level}, rule ${id}): ${what}`,
    };
  });
}

function deletionOf(description: KindDescription | undefined): string[] {
  const held = (description?.holds ?? []).map(
    ({ what, asks, when }) =>
      `${when ? `some objects lose ${what.replace(/\bits\b/g, 'their')}` : `loses ${what}`}${asks ? '; apply asks for consent first' : ''}`,
  );
  const kept = (description?.kept ?? []).map(
    ({ says, never, when }) =>
      `${when ? 'some objects are' : 'is'} ${never ? 'never deleted' : 'kept by default'}: ${clause(says)}`,
  );
  return [...held, ...kept];
}

/** A reason as a clause: one that begins with its verb gets a subject. */
function clause(reason: string): string {
  return /^(is|would|has|holds) /.test(reason) ? `it ${reason}` : reason;
}

function fieldExplanation(named: Named, typed: string, writers: Writers): Explanation | undefined {
  const root = newestOf(named.shape);
  const found =
    root && (find(root, keysOf(typed), []) ?? find(contentOf(root), keysOf(typed), ['spec']));
  if (!found) {
    return undefined;
  }
  const { path, node, isRequired } = found;
  const key = kindKey(groupOf(named.apiVersion), named.kind);
  const word = new RegExp(`\\b${path.at(-1)!}\\b`);
  const around = editsOf(key).filter((edit) => isWithin(path, keysOf(edit.path)));
  const nearest = Math.max(0, ...around.map((edit) => keysOf(edit.path).length));
  const since = named.shape!.versions.find(
    (version) => find(version.node(), path, []) !== undefined,
  )!;
  const isLater = since !== named.shape!.versions[0];
  const summary = `${typeText(node)}${isRequired ? ', required' : ''}`;
  return explanation(
    'field',
    `${named.kind}.${path.join('.')} (${named.apiVersion})`,
    summary,
    docsOf(named.apiVersion, named.kind, writers),
    {
      'versions': isLater ? [`${named.shape!.product} ${since.from} and later`] : [],
      'an edit': editRows(around.filter((edit) => keysOf(edit.path).length === nearest)),
      'keeps its value': (named.description?.immutable ?? [])
        .filter(({ fields }) => fields.some((field) => isWithin(path, keysOf(field.path))))
        .map(({ what }) => what),
      'fields': fieldRows(node),
      'rules': ruleRows(key, word),
    },
  );
}

function keysOf(path: string): string[] {
  return pathOf(path.replace(/\[\d*\]/g, '')).map(String);
}

interface FoundField {
  readonly path: readonly string[];
  readonly node: ShapeNode;
  readonly isRequired: boolean;
}

/** The field at a path, whose names may be in any case; lists and maps have no key of their own. */
function find(
  node: ShapeNode,
  [key, ...rest]: readonly string[],
  path: readonly string[],
  isRequired = false,
): FoundField | undefined {
  if (key === undefined) {
    return path.length === 0 ? undefined : { path, node, isRequired };
  }
  const inner = insideOf(node);
  if (inner.of !== 'fields') {
    return undefined;
  }
  const name = [...inner.fields.keys()].find((each) => each.toLowerCase() === key.toLowerCase());
  return name === undefined
    ? undefined
    : find(inner.fields.get(name)!, rest, [...path, name], inner.required.includes(name));
}
