import { allKinds, apiVersionOf } from '../../../src/core/kind/kinds';
import { Manifest } from '../../../src/core/manifest/manifest';
import { oneLine } from '../../../src/core/problem/problem';
import { judge } from '../../../src/core/rule/judge';
import { JudgedTarget, World } from '../../../src/core/rule/rule';
import { KNOWN_KIND_RULES } from '../../../src/rancher/metadata/known-kinds.rules';
import '../../../src/registry/register';

const RANCHER: JudgedTarget = { name: 'rancher', kind: 'rancher', rancherVersion: '2.13.8' };
const DC1: JudgedTarget = { name: 'dc1', kind: 'harvester', harvesterVersion: '1.7.2' };

const object = (apiVersion: string, kind: string): Manifest => ({
  apiVersion,
  kind,
  metadata: { name: 'a', namespace: 'default' },
});
const told = (apiVersion: string, kind: string, target: JudgedTarget): string[] =>
  judge(KNOWN_KIND_RULES, new World([{ manifest: object(apiVersion, kind), target }])).map(
    (finding) => `${finding.level} ${oneLine(finding)}`,
  );

test.each<[string, string, JudgedTarget, string]>([
  ['network.harvesterhci.io/v1beta1', 'L2VlanNetwork', DC1, 'NetworkAttachmentDefinition'],
  ['harvesterhci.io/v1beta1', 'VirtualMachineImages', DC1, 'VirtualMachineImage'],
  ['harvesterhci.io/v1', 'VirtualMachineImage', DC1, 'harvesterhci.io/v1beta1'],
  ['harvesterhci.io/v1beta1', 'Settings', DC1, 'Setting'],
  ['rke-machine-config.cattle.io/v1beta1', 'HarvesterConfig', RANCHER, 'cattle.io/v1'],
  ['provisioning.cattle.io/v2', 'Cluster', RANCHER, 'provisioning.cattle.io/v1'],
  ['management.cattle.io/v3', 'ProjectRoleBinding', RANCHER, 'ProjectRoleTemplateBinding'],
  ['fleet.cattle.io/v1', 'GitRepo', RANCHER, 'fleet.cattle.io/v1alpha1'],
])('refuses %s %s', (apiVersion, kind, target, meant) => {
  const says = `no matches for kind "${kind}" in version "${apiVersion}"`;
  expect(told(apiVersion, kind, target)).toEqual([expect.stringContaining(meant)]);
  expect(told(apiVersion, kind, target)[0]).toMatch(/^error/);
  expect(told(apiVersion, kind, target)[0]).toContain(says);
  const { kind: of, name } = target;
  expect(told(apiVersion, kind, { name, kind: of! })[0]).toMatch(/^warning/);
});

test('accepts every described kind, and kinds of other groups', () => {
  const found = allKinds().flatMap((each) => told(apiVersionOf(each), each.kind, DC1));
  expect(found).toEqual([]);
  expect(told('example.cattle.io/v1', 'Anything', RANCHER)).toEqual([]);
  expect(told('management.cattle.io/v3', 'ComposeConfig', RANCHER)).toEqual([]);
  expect(told('management.cattle.io/v3', 'Node', RANCHER)).toEqual([]);
});
