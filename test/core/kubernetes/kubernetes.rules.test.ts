import { LATE_OPEN } from '../../../src/core/late/late-token';
import { Manifest } from '../../../src/core/manifest/manifest';
import { ALL_RULES } from '../../../src/registry/all-rules';
import { brief, judgeOn, Judging } from '../../support/judging';

const LATE = `${LATE_OPEN}a|b}`;

function object(apiVersion: string, kind: string, fields: object): Manifest {
  return { apiVersion, kind, metadata: { name: 'one', namespace: 'shop' }, ...fields };
}

const secret = (fields: object) => object('v1', 'Secret', fields);
const service = (spec: unknown) => object('v1', 'Service', { spec });
const claim = (spec: unknown) => object('v1', 'PersistentVolumeClaim', { spec });
const binding = (fields: object) =>
  object('rbac.authorization.k8s.io/v1', 'RoleBinding', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    ...fields,
  });

function found(manifest: Manifest, judging: Judging = { kind: 'guest' }): string[] {
  return brief(judgeOn(ALL_RULES, [manifest], judging));
}

test.each<[string, Manifest, string[]]>([
  ['text for the spec of a claim', claim('x'), ['error object/field-type spec']],
  [
    'a claim without anything',
    claim({}),
    [
      'error kubernetes/volume-claim spec.accessModes',
      'error kubernetes/volume-claim spec.resources.requests.storage',
    ],
  ],
  ['a Service without ports', service({}), ['error kubernetes/service spec.ports']],
  [
    'a port beyond 65535',
    service({ ports: [{ port: 70_000 }] }),
    ['error kubernetes/service spec.ports[0].port'],
  ],
  ['a type of a Secret other than text', secret({ type: 7 }), ['error object/field-type type']],
  ['a value that is not base64', secret({ data: { a: '?' } }), ['error object/field-limit data.a']],
  [
    'a TLS Secret without its key',
    secret({ type: 'kubernetes.io/tls', stringData: { 'tls.crt': 'a' } }),
    ['error kubernetes/secret data[tls.key]'],
  ],
  [
    'a subject without a name and a kind',
    binding({ subjects: [{}] }),
    [
      'error object/required-field subjects[0].kind',
      'error object/required-field subjects[0].name',
    ],
  ],
  [
    'a field that is misspelled',
    service({ port: [], ports: [{ port: 80 }] }),
    ['warning object/unknown-field spec.port'],
  ],
])('refuses %s', (_, manifest, findings) => {
  expect(found(manifest)).toEqual(findings);
});

test('never shows a value of a Secret', () => {
  const findings = judgeOn(ALL_RULES, [
    secret({ data: { a: 'my-secret!' } }),
    secret({
      type: 'kubernetes.io/dockerconfigjson',
      stringData: { '.dockerconfigjson': 'my-secret' },
    }),
  ]);
  expect(findings.length).toBeGreaterThan(1);
  expect(JSON.stringify(findings)).not.toContain('my-secret');
});

test('does not judge what is known later', () => {
  expect(found(secret({ type: LATE, data: { a: LATE }, stringData: { b: LATE } }))).toEqual([]);
  const late = service({ type: LATE, externalTrafficPolicy: 'Local', ports: [{ port: LATE }] });
  expect(found(late)).toEqual([]);
});

test('reports fields that an edit removes, not those that a live object has', () => {
  const [whole, part] = [service({ ports: [{ port: 80 }] }), service({ selector: { a: 'b' } })];
  expect(found(part, { kind: 'guest', before: [whole] })).toEqual([
    'error kubernetes/service spec.ports',
  ]);
  const live = { ...whole, metadata: { ...whole.metadata, uid: '1' } };
  expect(found(part, { kind: 'guest', live: [live] })).toEqual([]);
});

test('reports an accepted value that is wrong as a warning', () => {
  const wrong = service({ ports: [{ port: 80, name: 'A' }] });
  expect(found(wrong, { kind: 'guest', before: [wrong] })).toEqual([
    'warning kubernetes/service spec.ports[0].name',
  ]);
});

test.each<[string, Manifest, Manifest, string[]]>([
  [
    'the role of a binding',
    binding({}),
    binding({ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'owner' } }),
    ['error kubernetes/role-binding-update roleRef.name'],
  ],
  [
    'the type of a Secret',
    secret({}),
    secret({ type: 'example.com/a' }),
    ['error kubernetes/secret-update type'],
  ],
  [
    'a sealed Secret',
    secret({ immutable: true, stringData: { a: 'b' } }),
    secret({ immutable: true, stringData: { a: 'c' } }),
    ['error kubernetes/secret-immutable data'],
  ],
])('refuses an edit of %s', (_, before, now, findings) => {
  expect(found(now, { kind: 'guest', before: [before] })).toEqual(findings);
});

test('accepts the same values of a sealed Secret in the other form', () => {
  const before = secret({ immutable: true, stringData: { a: 'b' } });
  const now = secret({ immutable: true, data: { a: Buffer.from('b').toString('base64') } });
  expect(found(now, { kind: 'guest', before: [before] })).toEqual([]);
});
