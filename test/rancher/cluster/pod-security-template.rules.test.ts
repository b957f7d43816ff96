import { ApiObject } from 'cdk8s';
import { Manifest } from '../../../src/core/manifest/manifest';
import { POD_SECURITY_TEMPLATE_RULES } from '../../../src/rancher/cluster/pod-security-template.rules';
import { Judging, cluster, judgeOn, managementCluster } from '../../support/judging';
import { newApp, newRancher } from '../../support/programs';

const template = (configuration: object, name = 'mine'): Manifest => ({
  apiVersion: 'management.cattle.io/v3',
  kind: 'PodSecurityAdmissionConfigurationTemplate',
  metadata: { name },
  configuration,
});
const of = (manifests: Manifest[], judging?: Judging) =>
  judgeOn(POD_SECURITY_TEMPLATE_RULES, manifests, judging).map(
    ({ level, path, message }) => `${level} ${path}: ${message}`,
  );
const VALID = {
  defaults: {
    'enforce': 'baseline',
    'enforce-version': 'latest',
    'warn': 'restricted',
    'warn-version': 'v1.33',
    'audit': '',
    'audit-version': 'v1.0',
  },
  exemptions: {
    usernames: ['admin'],
    runtimeClasses: ['kata'],
    namespaces: ['kube-system', 'cattle-system'],
  },
};

test('accepts the levels and versions of the Pod Security Standards', () => {
  expect(of([template(VALID), template({}), template({ defaults: {}, exemptions: {} })])).toEqual(
    [],
  );
});

test.each([
  ['enforce', 'privilegd', 'must be one of privileged, baseline, restricted'],
  ['warn', 'Baseline', 'must be one of privileged, baseline, restricted'],
  ['audit-version', '1.33', 'must be "latest" or "v1.x"'],
  ['enforce-version', 'v1.033', 'must be "latest" or "v1.x"'],
  ['warn-version', 'v2.0', 'must be "latest" or "v1.x"'],
])('refuses %s: %s', (field, value, message) => {
  expect(of([template({ defaults: { [field]: value } })])).toEqual([
    `error configuration.defaults.${field}: ${message} (the server: "defaults.${field}: Invalid value: "${value}": ${message}")`,
  ]);
});

test.each([
  [
    'usernames',
    [''],
    0,
    'must be the name of a user (the server: "exemptions.usernames[0]: Invalid value: "": username must not be empty")',
  ],
  [
    'usernames',
    ['a', 'a'],
    1,
    'cannot be repeated (the server: "exemptions.usernames[1]: Duplicate value: "a"")',
  ],
  ['runtimeClasses', ['Kata'], 0, expect.stringContaining('must be the name of a RuntimeClass')],
  ['namespaces', ['a', null], 1, expect.stringContaining('must be the name of a namespace')],
  ['namespaces', ['a.b'], 0, expect.stringContaining('must be the name of a namespace')],
])('refuses the exempted %s %j', (field, list, index, message) => {
  const [finding, ...more] = judgeOn(POD_SECURITY_TEMPLATE_RULES, [
    template({ exemptions: { [field]: list } }),
  ]);
  expect(more).toEqual([]);
  expect(finding).toMatchObject({
    level: 'error',
    path: `configuration.exemptions.${field}[${index}]`,
    message,
  });
});

test('refuses the deletion of a template of Rancher, and of one in use', () => {
  const before = [template({})];
  const uses = { spec: { defaultPodSecurityAdmissionConfigurationTemplateName: 'mine' } };
  expect(of([], { before })).toEqual([]);
  expect(of([], { before: [template({}, 'rancher-privileged')] })).toEqual([
    expect.stringContaining("Cannot delete built-in template 'rancher-privileged'"),
  ]);
  expect(of([cluster('shop', uses.spec)], { before })).toEqual([
    'error : cannot be deleted while clusters use it: shop (the server: "Cannot delete template \'mine\' as it is being used by a provisioning cluster")',
  ]);
  expect(
    of([], {
      before,
      live: [managementCluster('c-m-a', uses), managementCluster('c-m-b', uses)],
    })[0],
  ).toContain('as it is being used by 2 management clusters');
});

test('fails synthesis', () => {
  const synth = (level: string) => () => {
    const app = newApp();
    const { metadata, apiVersion, kind, ...fields } = template({ defaults: { enforce: level } });
    new ApiObject(newRancher(app), 'template', { apiVersion, kind, metadata, ...fields });
    app.synth();
    return app.findings;
  };
  expect(synth('strict')).toThrow('pod-security-template/defaults');
  expect(synth('restricted')()).toEqual([]);
});
