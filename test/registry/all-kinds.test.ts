import { readdirSync, readFileSync } from 'fs';
import { join } from 'path';
import * as ts from 'typescript';
import { kindOf } from '../../src/core/kind/kinds';
import { kindKey, patternOf } from '../../src/core/manifest/manifest';
import { ALL_KINDS } from '../../src/registry/all-kinds';

const SRC = join(__dirname, '..', '..', 'src');
const keys = ALL_KINDS.map(({ group, kind }) => kindKey(group, kind));
const names = [...new Set(ALL_KINDS.map(({ kind }) => kind))];

test('describes each kind once', () => {
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});

test('finds a kind by the group of its API version, whatever the version', () => {
  expect(kindOf({ apiVersion: 'management.cattle.io/v9', kind: 'Project' })?.rank).toBe(50);
  expect(kindOf({ apiVersion: 'v1', kind: 'Project' })).toBeUndefined();
});

test('gives every kind a rank of two digits and a version', () => {
  expect(
    ALL_KINDS.filter(
      ({ rank, version }) =>
        !Number.isInteger(rank) || rank < 0 || rank > 99 || !/^v\d/.test(version),
    ),
  ).toEqual([]);
});

test('names fields that others write as paths', () => {
  for (const { writtenByOthers = [] } of ALL_KINDS) {
    expect(writtenByOthers.filter((path) => patternOf(path).length === 0)).toEqual([]);
    expect(new Set(writtenByOthers).size).toBe(writtenByOthers.length);
  }
});

test('names a field for one kind only', () => {
  const fields = ALL_KINDS.flatMap(({ namedBy = {} }) => [
    ...Object.keys(namedBy.fields ?? {}),
    ...(namedBy.objects ?? []),
    ...(namedBy.lists ?? []),
    ...(namedBy.peers ?? []),
  ]);
  expect(fields.filter((field, index) => fields.indexOf(field) !== index)).toEqual([]);
});

/**
 * Whether an expression is a kind, as `'Kind'`, `'group/Kind'` or `kindKey(group, kind)`, or a
 * tuple or key that begins with one.
 */
function isKind(node: ts.Node): boolean {
  if (ts.isArrayLiteralExpression(node)) {
    return node.elements.slice(0, 2).some(isKind);
  }
  if (ts.isPropertyAssignment(node)) {
    return isKind(node.name) || (ts.isIdentifier(node.name) && names.includes(node.name.text));
  }
  if (ts.isComputedPropertyName(node)) {
    return isKind(node.expression);
  }
  if (ts.isCallExpression(node)) {
    return node.expression.getText() === 'kindKey';
  }
  return (
    ts.isStringLiteral(node) && names.includes(node.text.slice(node.text.lastIndexOf('/') + 1))
  );
}

/** The number of kinds in the longest list or table of a file. */
function kindsListed(text: string): number {
  let most = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isArrayLiteralExpression(node)) {
      most = Math.max(most, node.elements.filter(isKind).length);
    } else if (ts.isObjectLiteralExpression(node)) {
      most = Math.max(most, node.properties.filter(isKind).length);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true));
  return most;
}

/** Tables by kind that have nothing to do with what a server does. */
const OTHER_LISTS: { readonly [file: string]: string } = {
  [join('report', 'explain', 'terraform-names.data.ts')]:
    'names of constructs, some of which are those of their kinds',
};

test('is the only list of kinds: no other file of core, the engine and the reports keeps a table by kind', () => {
  const files = ['core', 'engine', 'report', 'delivery', 'cli']
    .flatMap((folder) => {
      try {
        return readdirSync(join(SRC, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
          join(folder, file),
        );
      } catch {
        return [];
      }
    })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.kind.ts'))
    .filter((file) => !(file in OTHER_LISTS));
  const found = files
    .map((file) => [file, kindsListed(readFileSync(join(SRC, file), 'utf8'))] as const)
    .filter(([, count]) => count > 2);
  expect(found).toEqual([]);
});

test('recognizes a second list of kinds', () => {
  expect(
    kindsListed("const RANKS: readonly string[] = ['Project', 'Namespace', 'Secret', 'Setting'];"),
  ).toBeGreaterThan(2);
  expect(
    kindsListed(
      "const RULES = new Map([\n  ['apps/Deployment', a],\n  ['batch/Job', b],\n  ['/Secret', c],\n]);",
    ),
  ).toBeGreaterThan(2);
  expect(
    kindsListed(
      "const NOISE = {\n  [kindKey(GROUPS.A, 'Cluster')]: [],\n  [kindKey(GROUPS.B, 'Setting')]: [],\n  [kindKey('', 'Secret')]: [],\n};",
    ),
  ).toBeGreaterThan(2);
  expect(kindsListed("const name = ['a', 'b']; find(x, 'Project'); is(y, 'Setting');")).toBe(0);
});
