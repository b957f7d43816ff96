import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { JudgedTarget, World } from '../../../src/core/rule/rule';
import { PULL_SECRET_RULES } from '../../../src/rancher/import/pull-secrets.rules';
import { cluster, judgeOn, managementCluster, setting } from '../../support/judging';

const secrets = (id: string): Manifest =>
  managementCluster(id, {
    spec: {
      importedConfig: {
        privateRegistryURL: 'registry.example.com',
        privateRegistryPullSecrets: ['pull'],
      },
    },
  });
const told = (manifest: Manifest, version?: string) =>
  judgeOn(PULL_SECRET_RULES, [manifest], { version }).map(
    ({ level, path, message }) => `${level} ${path} ${message}`,
  );

test('warns of pull secrets of an import whose ID Rancher takes for that of a guest cluster', () => {
  expect(told(secrets('c-m-harvdc01'), '2.15.0')).toEqual([
    'warning spec.importedConfig.privateRegistryPullSecrets cannot reach the agents of c-m-harvdc01: Rancher gives pull secrets to imports whose ID is c- and five characters',
  ]);
  expect(told(secrets('c-m-harvdc01'))).toHaveLength(1);
  expect([
    told(secrets('c-abcde'), '2.15.0'),
    told(secrets('local'), '2.15.0'),
    told(managementCluster('c-m-harvdc01'), '2.15.0'),
  ]).toEqual([[], [], []]);
});

test('warns of pull secrets before Rancher 2.15', () => {
  expect(told(secrets('c-abcde'), '2.14.4')).toEqual([
    expect.stringContaining('cannot have an effect: pull secrets for the agents of imports'),
  ]);
});

describe('the setting system-default-registry-pull-secrets', () => {
  const DC1: JudgedTarget = { name: 'dc1', kind: 'harvester', managedAs: 'rancher/c-m-harvdc01' };
  const imported = (id: string): Manifest =>
    cluster('dc1', {}, { annotations: { 'provisioning.cattle.io/management-cluster-name': id } });
  const guest = cluster(
    'shop',
    { rkeConfig: {} },
    { annotations: { 'provisioning.cattle.io/management-cluster-name': 'c-m-shop0001' } },
  );
  const registries = (value: string): Manifest => ({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name: 'containerd-registry' },
    value,
  });
  const RANCHER: JudgedTarget = { name: 'rancher', kind: 'rancher', rancherVersion: '2.15.0' };
  const findings = (on: Manifest[], harvester: Manifest[] = []) =>
    judge(
      PULL_SECRET_RULES,
      new World(
        [
          ...[setting('system-default-registry-pull-secrets', 'pull'), ...on].map((manifest) => ({
            manifest,
            target: RANCHER,
          })),
          ...harvester.map((manifest) => ({ manifest, target: DC1 })),
        ],
        [],
        [],
      ),
    ).map(({ message }) => message);

  test('is a warning where an import gets none, unless its Harvester has the credentials', () => {
    const message =
      'cannot reach the agents of dc1: Rancher gives pull secrets to imports whose ID is c- and five characters';
    expect(findings([imported('c-m-harvdc01'), guest])).toEqual([message]);
    expect(findings([imported('c-m-harvdc01')], [registries('')])).toEqual([message]);
    expect(findings([imported('c-m-harvdc01')], [registries('{"Configs":{}}')])).toEqual([]);
    expect(findings([guest])).toEqual([]);
  });
});
