import { ApiObject } from 'cdk8s';
import { Manifest } from '../../../src/core/manifest/manifest';
import { MACHINE_PLAN_RULES } from '../../../src/rancher/cluster/machine-plan.rules';
import { Judging, judgeOn } from '../../support/judging';
import { newApp, newRancher } from '../../support/programs';

const plan = (fields: object, type = 'rke.cattle.io/machine-plan') => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'node-1-machine-plan', namespace: 'fleet-default' },
  type,
  ...fields,
});
const of = (secret: Manifest, judging: Judging = { version: '2.15.0' }) =>
  judgeOn(MACHINE_PLAN_RULES, [secret], judging).map(
    ({ level, path, message }) => `${level} ${path}: ${message}`,
  );
const base64 = (text: string) => Buffer.from(text).toString('base64');

test.each([
  '{}',
  'null',
  '{"files":[{"path":"/tmp/a","content":"aGk="}],"instructions":[{"name":"a","command":"sh"}],"probes":{"etcd":{"httpGet":{"url":"https://127.0.0.1"}}}}',
])('accepts the plan %s', (text) => {
  expect(of(plan({ data: { plan: base64(text) } }))).toEqual([]);
});

test('accepts other Secrets, and one without a plan', () => {
  expect(of(plan({ data: { plan: base64('{') } }, 'Opaque'))).toEqual([]);
  expect(of(plan({ data: { 'applied-checksum': base64('{') } }))).toEqual([]);
  expect(of(plan({ stringData: { plan: '{' } }), { kind: 'harvester' })).toEqual([]);
});

test.each([
  [{ stringData: { plan: '{not json' } }, 'stringData.plan: must be JSON'],
  [{ data: { plan: base64('') } }, 'data.plan: must be JSON'],
  [{ data: { plan: base64('{"files":{}}') } }, 'data.plan: must be a plan: files must be a list'],
  [
    { data: { plan: base64('{"files":[{"uid":"s3cret"}]}') } },
    'data.plan: must be a plan: files[0].uid must be a whole number',
  ],
])('refuses %j', (fields, text) => {
  expect(of(plan(fields))).toEqual([
    `error ${text} (the server: "invalid plan: failed to parse plan")`,
  ]);
});

test('warns before Rancher 2.15, which accepts any text, and where the version is not known', () => {
  const broken = plan({ stringData: { plan: '{' } });
  expect(of(broken, { version: '2.14.4' })).toEqual(['warning stringData.plan: must be JSON']);
  expect(of(broken, {})[0]).toMatch(/^warning stringData\.plan: must be JSON/);
});

test('fails synthesis', () => {
  const synth = (text: string) => () => {
    const app = newApp();
    const { metadata, apiVersion, kind, ...fields } = plan({ stringData: { plan: text } });
    new ApiObject(newRancher(app, '2.15.0'), 'plan', { apiVersion, kind, metadata, ...fields });
    app.synth();
    return app.findings;
  };
  expect(synth('{')).toThrow('machine-plan/json');
  expect(synth('{}')()).toEqual([]);
});
