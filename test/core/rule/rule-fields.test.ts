import { readdirSync } from 'fs';
import { join } from 'path';
import {
  Manifest,
  groupOf,
  kindKey,
  pathOf,
  replacedAt,
} from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { JudgedObject, World } from '../../../src/core/rule/rule';
import { targetsOf } from '../../../src/engine/files/judged-targets';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { ALL_RULES } from '../../../src/registry/all-rules';

const EXAMPLES = join(__dirname, '..', '..', '..', 'examples');

/** The objects of an example, with their targets. */
function objectsOf(example: string): JudgedObject[] {
  const { assembly, manifests } = loadAssembly(join(EXAMPLES, example, 'dist'));
  const targets = new Map(targetsOf([assembly], {}).map((target) => [target.name, target]));
  return [...manifests].map(([id, manifest]) => ({
    manifest,
    target: targets.get(id.slice(0, id.indexOf('/')))!,
  }));
}

const worlds = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => objectsOf(name));
// every object has an API version
const rules = ALL_RULES.filter(
  ({ fields, judge: check }) => fields && !fields.includes('apiVersion') && check,
);

test.each(rules.map((rule) => [rule.id, rule] as const))(
  '%s finds nothing in an object without the fields that it judges',
  (_, { fields, kinds, ...rule }) => {
    const bare = kinds.map((kind): JudgedObject => {
      const manifest: Manifest = {
        apiVersion: `${kind.split('/')[0]}/v1`,
        kind: kind.split('/')[1]!,
        metadata: { name: 'a', namespace: 'b' },
      };
      return { manifest, target: { name: 'rancher', kind: 'rancher', rancherVersion: '2.13.8' } };
    });
    const isJudged = ({ manifest: { apiVersion, kind } }: JudgedObject): boolean =>
      kinds.includes(kindKey(groupOf(apiVersion), kind));
    const withoutFields = (object: JudgedObject): JudgedObject => {
      const manifest = fields!.reduce(
        (rest, path) => replacedAt(rest, pathOf(path), undefined),
        object.manifest,
      );
      return { ...object, manifest };
    };
    for (const objects of [...worlds, bare].filter((each) => each.some(isJudged))) {
      const without = objects.map((each) => (isJudged(each) ? withoutFields(each) : each));
      expect(judge([{ ...rule, kinds }], new World(without))).toEqual([]);
    }
  },
);

test('a rule is asked about an object that has one of the fields that it judges', () => {
  const asked: string[] = [];
  const rule = {
    id: 'test/fields',
    level: 'error',
    kinds: ['/ConfigMap'],
    fields: ['data', 'metadata.annotations[a.b/c]'],
    what: 'a test',
    source: 'this test',
    judge: ({ manifest }: JudgedObject) => {
      asked.push(manifest.metadata.name);
      return [];
    },
  } as const;
  const configMap = (name: string, fields: object): JudgedObject => ({
    manifest: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      ...fields,
      metadata: { name, ...(fields as { metadata?: object }).metadata },
    },
    target: { name: 'dc1' },
  });
  judge(
    [rule],
    new World([
      configMap('with-data', { data: {} }),
      configMap('with-null', { data: null }),
      configMap('with-annotation', { metadata: { annotations: { 'a.b/c': '' } } }),
      configMap('with-others', { binaryData: {}, metadata: { annotations: { 'a.b': 'c' } } }),
      configMap('bare', {}),
    ]),
  );
  expect(asked).toEqual(['with-data', 'with-null', 'with-annotation']);
});
