import { Manifest } from '../../../../src/core/manifest/manifest';
import { buildGraph } from '../../../../src/engine/graph/build-graph';
import { inventoryReader, Leftover } from '../../../../src/engine/inventory/inventory';
import { PlanStep } from '../../../../src/engine/plan/plan';
import { withConsequences } from '../../../../src/engine/plan/steps/consequences';
import { SmallProgram } from '../../graph/_assemblies';
import { APP, Trial } from '../../run/_running';
import { makePlan } from '../_planning';

const MANAGEMENT = 'management.cattle.io/v3';
const IMPORT = 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1';

/** A Rancher and a Harvester with tenants; parts of it may be left out. */
function platform({
  cluster = true,
  project = true,
  namespaces = ['pay-a', 'pay-b'],
}: { cluster?: boolean; project?: boolean; namespaces?: readonly string[] } = {}): SmallProgram {
  const program = new SmallProgram()
    .target('rancher', 'rancher')
    .target('dc1', 'harvester')
    .target('dc2', 'harvester');
  if (cluster) {
    program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', 'fleet-default/dc1', {
      metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': 'c-m-dc1' } },
      spec: {},
    });
  }
  if (project) {
    program.object('rancher', MANAGEMENT, 'Project', 'c-m-dc1/pay', {
      spec: { clusterName: 'c-m-dc1' },
    });
  }
  program.object('rancher', MANAGEMENT, 'Project', 'c-m-dc2/pay', {
    spec: { clusterName: 'c-m-dc2' },
  });
  program.object('rancher', MANAGEMENT, 'ProjectRoleTemplateBinding', 'pay/ana', {
    projectName: 'c-m-dc1:pay',
    roleTemplateName: 'project-member',
  });
  program.object('rancher', MANAGEMENT, 'ClusterRoleTemplateBinding', 'c-m-dc1/ops', {
    clusterName: 'c-m-dc1',
    roleTemplateName: 'cluster-member',
  });
  program.object('dc1', 'harvesterhci.io/v1beta1', 'Setting', 'cluster-registration-url', {
    value: 'https://rancher/v3/import/t_c-m-dc1.yaml',
  });
  for (const name of namespaces) {
    program.object('dc1', 'v1', 'Namespace', name, {
      metadata: { annotations: { 'field.cattle.io/projectId': 'c-m-dc1:pay' } },
    });
  }
  program.object('dc2', 'v1', 'Namespace', 'pay-a', {
    metadata: { annotations: { 'field.cattle.io/projectId': 'c-m-dc2:pay' } },
  });
  return program;
}

/** The reason of a step of a plan, after another program was applied. */
async function reasonOf(id: string, after: SmallProgram): Promise<string | undefined> {
  const trial = new Trial(platform());
  const { dc1 } = trial.clusters;
  dc1.seed(
    {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'cluster-registration-url' },
    },
    'harvester',
  );
  dc1.reactions.push((object) => {
    if (object.kind === 'Setting') {
      (object as any).status = { conditions: [{ type: 'configured', status: 'True' }] };
    } // eslint-disable-line @typescript-eslint/no-explicit-any
  });
  expect((await trial.apply()).failed).toEqual([]);
  trial.declared = after;
  const { program } = trial;
  const input = { ...program, graph: buildGraph(program.assembly, program.manifests) };
  const { steps } = await makePlan(input, {
    fieldManager: APP.fieldManager,
    inventory: inventoryReader(APP),
  });
  return steps.find((step) => step.id === id)?.reason;
}

test('the deletion of an import names what Rancher deletes with it, and what the Harvester and its namespaces lose', async () => {
  const reason = await reasonOf(IMPORT, platform({ cluster: false }));
  expect(reason).toMatch(/^is no longer declared/);
  expect(reason).toContain(
    '; Rancher deletes 1 project and 2 bindings with its management cluster c-m-dc1; Harvester dc1 loses its registration; ' +
      "on dc1, namespaces pay-a, pay-b will have no project, and their project's members lose access",
  );
});

test('the deletion of a project names its bindings and the namespaces that remain', async () => {
  const reason = await reasonOf(
    'rancher/management.cattle.io/Project/c-m-dc1/pay',
    platform({ project: false, namespaces: ['pay-b'] }),
  );
  expect(reason).toMatch(
    /; Rancher deletes 1 binding with it; on dc1, namespace pay-b will have no project/,
  );
  expect(reason).not.toMatch(/dc2|pay-a|registration/);
});

test('the deletion of an imported cluster names what Rancher deletes with its management Cluster', () => {
  const id = 'rancher/management.cattle.io/Cluster//c-edge1';
  const live = {
    apiVersion: MANAGEMENT,
    kind: 'Cluster',
    metadata: { name: 'c-edge1' },
    spec: { displayName: 'edge' },
  };
  const declared = [
    {
      object: { target: 'rancher' },
      manifest: {
        apiVersion: MANAGEMENT,
        kind: 'Project',
        metadata: { name: 'pay', namespace: 'c-edge1' },
        spec: { clusterName: 'c-edge1' },
      },
    },
    {
      object: { target: 'rancher' },
      manifest: {
        apiVersion: MANAGEMENT,
        kind: 'Project',
        metadata: { name: 'pay', namespace: 'c-edge2' },
        spec: { clusterName: 'c-edge2' },
      },
    },
  ];
  const leftover = { target: 'rancher', entry: { id }, live } as unknown as Leftover;
  expect(
    withConsequences([{ id, action: 'prune', reason: 'why' } as PlanStep], [leftover], declared)[0]
      .reason,
  ).toBe('why; Rancher deletes 1 project with its management cluster c-edge1');
});

test('keeps the reasons of an object that is kept, and of a guest cluster', () => {
  const live = (spec: object): Manifest => ({
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: { name: 'dc1', namespace: 'fleet-default' },
    spec,
    status: { clusterName: 'c-m-dc1' },
  });
  const declared = [
    {
      object: { target: 'rancher' },
      manifest: {
        apiVersion: MANAGEMENT,
        kind: 'Project',
        metadata: { name: 'pay', namespace: 'c-m-dc1' },
        spec: { clusterName: 'c-m-dc1' },
      },
    },
  ];
  const reasonFor = (action: PlanStep['action'], spec: object): string | undefined =>
    withConsequences(
      [{ id: IMPORT, action, reason: 'why' } as PlanStep],
      [{ target: 'rancher', entry: { id: IMPORT }, live: live(spec) } as unknown as Leftover],
      declared,
    )[0].reason;
  expect(reasonFor('prune', {})).toBe(
    'why; Rancher deletes 1 project with its management cluster c-m-dc1',
  );
  expect(reasonFor('keep', {})).toBe('why');
  expect(reasonFor('prune', { rkeConfig: {} })).toBe('why');
});
