import { Manifest, groupOf } from '../../../src/core/manifest/manifest';
import {
  Assembly,
  AssemblyLateValue,
  AssemblyObject,
  AssemblyTarget,
} from '../../../src/core/output/assembly';
import { BoundTargets } from '../../../src/engine/cluster/cluster';
import { ApplyGraph, GraphEdge, GraphNode } from '../../../src/engine/graph/graph';
import { Plan, PlanStep } from '../../../src/engine/plan/plan';
import { planSteps } from '../../../src/engine/plan/steps/make-plan';
import { PlanInput, MakePlanOptions } from '../../../src/engine/plan/steps/planning';
import { FakeCluster, fakeTargets } from '../../support/fake-cluster';

/** The plan of an apply. */
export async function makePlan(input: PlanInput, options: MakePlanOptions): Promise<Plan> {
  return (await planSteps(input, options)).plan;
}

export const MANAGER = 'cdk8s-harvester';

/** An object of an assembly and what it is made of. */
export interface Declared extends Partial<
  Pick<AssemblyObject, 'deletion' | 'othersWrite' | 'derived' | 'lateValues'>
> {
  readonly target?: string;
  readonly manifest: Manifest;
  readonly after?: readonly GraphEdge[];
}

export function configMap(
  name: string,
  data: { [key: string]: unknown } = {},
  namespace = 'default',
): Manifest {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
}

/** A Setting of Harvester's. */
export function setting(name: string, value: string): Manifest {
  return { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', metadata: { name }, value };
}

export function idOf({
  target = 'rancher',
  manifest: { apiVersion, kind, metadata },
}: Declared): string {
  return `${target}/${groupOf(apiVersion)}/${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
}

/** What a plan is made of, without files. */
export function planInput(
  declared: readonly Declared[],
  targets: BoundTargets,
  lateValues: readonly AssemblyLateValue[] = [],
): PlanInput {
  const objects = declared.map((each): AssemblyObject => {
    const {
      target = 'rancher',
      manifest: {
        apiVersion,
        kind,
        metadata: { name, namespace },
      },
      deletion,
      othersWrite,
      derived,
      lateValues: late,
    } = each;
    return {
      id: idOf(each),
      target,
      apiVersion,
      kind,
      namespace,
      name,
      construct: `app/${name}`,
      deletion,
      othersWrite,
      derived,
      lateValues: late,
    };
  });
  const assembly: Assembly = {
    schemaVersion: '3',
    targets: [...targets.values()].map(({ target }): AssemblyTarget => target),
    objects,
    groups: [],
    edges: [],
    lateValues,
    findings: [],
  };
  const nodes = new Map(
    objects.map((object, index): [string, GraphNode] => [
      object.id,
      {
        id: object.id,
        target: object.target,
        object,
        after: declared[index].after ?? [],
        rank: 0,
      },
    ]),
  );
  const graph: ApplyGraph = { nodes };
  return {
    assembly,
    manifests: new Map(declared.map((each) => [idOf(each), each.manifest])),
    digest: 'a1',
    graph,
    targets,
  };
}

/** A plan for one Rancher. */
export async function planOf(
  cluster: FakeCluster,
  declared: readonly Declared[],
  options: Partial<MakePlanOptions> = {},
): Promise<Plan> {
  return makePlan(planInput(declared, fakeTargets({ rancher: cluster })), {
    fieldManager: MANAGER,
    ...options,
  });
}

/** The only step of a plan of one object. */
export async function stepOf(
  cluster: FakeCluster,
  declared: Declared,
  options: Partial<MakePlanOptions> = {},
): Promise<PlanStep> {
  const { steps } = await planOf(cluster, [declared], options);
  expect(steps).toHaveLength(1);
  return steps[0];
}
