import { Assembly, AssemblyLateValue } from '../../../src/core/output/assembly';
import { sensitiveIds } from '../../../src/core/secret/redactor';
import { LateResolver } from '../../../src/engine/late/late-resolver';

const late = (id: string, fields: Partial<AssemblyLateValue> = {}): AssemblyLateValue => ({
  id,
  description: id,
  type: 'string',
  sensitive: false,
  construct: id,
  source: {
    resolver: 'field',
    target: 'dc1',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'x',
    path: 'data.x',
  },
  ...fields,
});

const VALUES = [
  late('plain'),
  late('says-so', { sensitive: true }),
  late('token', { type: 'token' }),
  late('of-secret', {
    source: { ...late('x').source, resolver: 'secret-key' } as AssemblyLateValue['source'],
  }),
  late('text', { source: { resolver: 'text', text: 'token: ${late:token}' } }),
  late('text-of-plain', { source: { resolver: 'text', text: 'x: ${late:plain}' } }),
];

test('plan and apply take the same late values for credentials, a token without `sensitive` among them', () => {
  const ids = sensitiveIds(VALUES);
  expect([...ids].sort()).toEqual(['of-secret', 'says-so', 'text', 'token']);
  const resolver = new LateResolver({ lateValues: VALUES } as unknown as Assembly, new Map());
  for (const { id } of VALUES) {
    expect([id, resolver.isSensitive(id)]).toEqual([id, ids.has(id)]);
  }
});
