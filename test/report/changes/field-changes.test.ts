import { Manifest } from '../../../src/core/manifest/manifest';
import { addedFields, fieldChanges } from '../../../src/report/changes/field-changes';

function machine(cpus: number): Manifest {
  const domain = { cpu: { cores: cpus }, resources: { limits: { cpu: String(cpus) } } };
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'a', namespace: 'default' },
    spec: { template: { spec: { domain } } },
  };
}

function namespace(limit?: { readonly [resource: string]: string }): Manifest {
  const annotations = limit && { 'field.cattle.io/resourceQuota': JSON.stringify({ limit }) };
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'robots', ...(annotations ? { annotations } : {}) },
  };
}

function project(limitsCpu: string): Manifest {
  return {
    apiVersion: 'management.cattle.io/v3',
    kind: 'Project',
    metadata: { name: 'robots', namespace: 'c-m-abcdefgh' },
    spec: {
      clusterName: 'c-m-abcdefgh',
      displayName: 'Robots',
      resourceQuota: { limit: { limitsCpu } },
      namespaceDefaultResourceQuota: { limit: { limitsCpu } },
    },
  };
}

test('reports the CPUs of a machine once, although its limit has the same number', () => {
  expect(fieldChanges(machine(4), machine(8), true)).toEqual([
    {
      path: 'spec.template.spec.domain.cpu.cores',
      prop: 'cpus',
      before: '4',
      after: '8',
    },
  ]);
  expect(fieldChanges(machine(4), machine(8), false)).toHaveLength(2);
});

test('names the quota of a namespace by its props', () => {
  const changes = fieldChanges(namespace({ pods: '10' }), namespace({ pods: '20' }), true);
  expect(changes).toEqual([
    {
      path: 'metadata.annotations[field.cattle.io/resourceQuota].limit.pods',
      prop: 'quota.pods',
      before: '"10"',
      after: '"20"',
    },
  ]);
});

test('shows the quota of an added project and of an added namespace', () => {
  const shown = (manifest: Manifest): string[] =>
    addedFields(manifest, true).map(({ prop, path, after }) => `${prop ?? path}: ${after}`);
  expect(shown(project('16000m'))).toEqual([
    'quota.limitsCpu: "16000m"',
    'namespaceQuota.limitsCpu: "16000m"',
  ]);
  expect(shown(namespace({ limitsCpu: '8000m' }))).toEqual(['quota.limitsCpu: "8000m"']);
  expect(shown(namespace())).toEqual([]);
  expect(shown(machine(4))).toEqual([]);
});
