import { Manifest } from '../../../../src/core/manifest/manifest';
import { SIZE } from '../../../../src/core/rule/general/objects.rules';
import { brief, judgeOn } from '../../../support/judging';

const MIB = 1024 * 1024;
const found = (kind: string, fields: object): string[] =>
  brief(
    judgeOn(
      [SIZE],
      [{ apiVersion: 'v1', kind, metadata: { name: 'a', namespace: 'b' }, ...fields } as Manifest],
    ),
  );
const bytes = (count: number): string => Buffer.alloc(count, 'x').toString('base64');

test.each<[string, string, object, object]>([
  [
    'text',
    'ConfigMap',
    { data: { a: 'x'.repeat(MIB - 1), b: 'x' } },
    { data: { a: 'x'.repeat(MIB), b: 'x' } },
  ],
  [
    'text of more than one byte a character',
    'ConfigMap',
    { data: { a: '\u00e9'.repeat(MIB / 2) } },
    { data: { a: '\u00e9'.repeat(MIB / 2 + 1) } },
  ],
  [
    'bytes',
    'ConfigMap',
    { data: { a: 'x' }, binaryData: { b: bytes(MIB - 1) } },
    { data: { a: 'x' }, binaryData: { b: bytes(MIB) } },
  ],
  ['what a Secret holds', 'Secret', { data: { a: bytes(MIB) } }, { data: { a: bytes(MIB + 1) } }],
  [
    'text of a Secret, which takes the place of bytes',
    'Secret',
    { data: { a: bytes(MIB) }, stringData: { a: 'x'.repeat(MIB) } },
    { data: { b: bytes(1) }, stringData: { a: 'x'.repeat(MIB) } },
  ],
])('%s: at most 1 MiB', (_, kind, fits, exceeds) => {
  expect(found(kind, fits)).toEqual([]);
  expect(found(kind, exceeds)).toEqual(['warning object/size data']);
});

test('reports the size and the words of the server', () => {
  const [finding] = judgeOn(
    [SIZE],
    [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', namespace: 'b' },
        data: { a: 'x'.repeat(MIB + 5) },
      } as Manifest,
    ],
  );
  expect(finding.message).toContain('its values have 1048581 bytes together, 1048576 are allowed');
  expect(JSON.stringify(finding)).toContain('Too long: may not be more than 1048576 bytes');
});

test('ignores late values, whose size is unknown, and anything that is not text', () => {
  expect(
    found('Secret', { data: { a: bytes(MIB), late: '${late:x|base64}', b: 1, c: null } }),
  ).toEqual([]);
  for (const data of [null, 'x', 1, [], ['x'.repeat(2 * MIB)]]) {
    expect(found('ConfigMap', { data })).toEqual([]);
  }
});
