import { readFileSync } from 'fs';
import { join } from 'path';
import { isRecord } from '../../../src/core/manifest/manifest';
import { tryYaml } from '../../../src/core/yaml/yaml-reader';

/** A text, and what kubectl reads from it. */
interface ReadText {
  readonly kind: string;
  readonly text: string;
  readonly documents?: readonly unknown[];
  readonly refused?: boolean;
}

const { texts } = JSON.parse(readFileSync(join(__dirname, 'kubectl-reads.json'), 'utf8')) as {
  readonly texts: readonly ReadText[];
};

const REFUSED = 'refused';

/** What is read differently, by the reason: the texts, and what we read. */
const DIFFERENCES: { readonly [reason: string]: { readonly [text: string]: string } } = {
  'Kustomize and Flux refuse a key twice, kubectl reads the last one': {
    'a: b\na: c\n': REFUSED,
    'a: b\n"a": c\n': REFUSED,
    '1: a\n1.0: b\n': REFUSED,
    'true: a\nyes: b\n': REFUSED,
    'a:\n  b: 1\n  b: 2\n': REFUSED,
    'a: {foo: bar, foo: baz}\n': REFUSED,
    '{"a": 1, "a": 2}\n': REFUSED,
  },
  'kubectl silently reads only the first part': {
    ' a: b\nc: d\n': REFUSED,
    "'a':b\n": REFUSED,
    '"a":b\n': REFUSED,
    'a: b\n...\nc: d\n': '[{"a":"b"},{"c":"d"}]',
    'a: b\n%YAML 1.1\n---\nc: d\n': REFUSED,
    'a: b\n...\n%YAML 1.1\n---\nc: d\n': REFUSED,
  },
  'cloud-init and Helm read a value in the line of three dashes': {
    '--- a\n': '["a"]',
    '---\ta\n': '["a"]',
    '--- a\n--- b\n': '["a","b"]',
    '--- &x\na: b\n': '[{"a":"b"}]',
    '--- !!map\na: b\n': '[{"a":"b"}]',
    '--- {a: b}\n': '[{"a":"b"}]',
    '--- {a: b}\n--- {c: d}\n': '[{"a":"b"},{"c":"d"}]',
    '--- |\n a\n': '["a\\n"]',
    '--- |\na\n': '["a\\n"]',
    '--- >\na\nb\n': '["a b\\n"]',
    "--- 'a\nb'\n": '["a b"]',
    'a: b\n--- |\n c\n': '[{"a":"b"},"c\\n"]',
    'a: b\n---c: d\n': '[{"---c":"d","a":"b"}]',
    '...\n': '[]',
    '...\na: b\n': '[{"a":"b"}]',
  },
  'several JSON objects need three dashes between them': {
    '{"a": 1}\n{"b": 2}\n': REFUSED,
    '{"a": 1}{"b": 2}\n': REFUSED,
  },
  'a line ends with a line feed': {
    'a: b\rc: d\r': REFUSED,
    'a: b\u2028c: d\n': REFUSED,
    'a: b\u0085c: d\n': REFUSED,
  },
  'is not read as kubectl does': {
    'a: {b:, c: d}\n': '[{"a":{"b":null,"c":"d"}}]',
    'a: [-, b]\n': REFUSED,
    'a: !!str# c\n': '[{"a":"c"}]',
    'a: !!bool x\n': '[{"a":"x"}]',
    'a:\n \t\n  b: c\n': '[{"a":{"b":"c"}}]',
    'a: c\n<<: {a: b}\n': '[{"a":"c"}]',
    'a: "\\\'"\n': REFUSED,
    'a: "b\\\n\n  c"\n': '[{"a":"b c"}]',
  },
};

/** The documents as text, the keys in order, without empty ones. */
function shown(documents: readonly unknown[] | undefined): string {
  return documents === undefined
    ? REFUSED
    : JSON.stringify(documents.filter((each) => each !== null).map(inOrder));
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(inOrder);
  }
  return isRecord(value)
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((key) => [key, inOrder(value[key])]),
      )
    : value;
}

const ours = (text: string): string => shown(tryYaml(text).documents);
const kubectls = ({ documents, refused }: ReadText): string =>
  shown(refused === true ? undefined : documents);

const kinds = [...new Set(texts.map(({ kind }) => kind))];
const different = new Map(Object.values(DIFFERENCES).flatMap((each) => Object.entries(each)));

test.each(kinds.filter((kind) => kind !== 'edits of manifests'))(
  'reads %s as kubectl does',
  (kind) => {
    const own = texts.filter((each) => each.kind === kind && !different.has(each.text));
    expect(own.length).toBeGreaterThan(20);
    expect(own.map(({ text }) => [text, ours(text)])).toEqual(
      own.map((each) => [each.text, kubectls(each)]),
    );
  },
);

test.each(Object.entries(DIFFERENCES))('differs where %s', (_, rows) => {
  for (const [text, expected] of Object.entries(rows)) {
    const row = texts.find((each) => each.text === text);
    expect([text, ours(text)]).toEqual([text, expected]);
    expect([text, row && kubectls(row)]).not.toEqual([text, expected]);
  }
});

test('reads edits of manifests as kubectl does, with few exceptions', () => {
  const edits = texts.filter(({ kind }) => kind === 'edits of manifests');
  expect(edits.length).toBeGreaterThan(200);
  const others = edits.filter((each) => ours(each.text) !== kubectls(each));
  // a colon before a word in brackets, and a colon in the line after its key; a first line with
  // more indentation, after which kubectl reads no further
  expect(others.length).toBeLessThanOrEqual(4);
});
