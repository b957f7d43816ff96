import { NamedPool, hasNamedPool, namedPools } from './named-pool.facts';
import { Program, programFinding } from '../../core/program/program';
import { Finding } from '../../core/rule/finding';
import { POOL_NOT_SELECTED } from '../../core/rule/program-rules';
import { JudgedObject, World } from '../../core/rule/rule';
import { judgedObjects, judgedTargets } from '../../core/synthesis/judge-program';
import { PoolSelection } from '../../harvester/ip-pool/pool-selection.facts';
import { addressPlan } from '../../harvester/load-balancer/address-plan.facts';

/**
 * Reports each Service of a guest cluster whose address comes from another pool than the one that
 * it names: no field of a Service selects a pool, so Harvester would silently use the other.
 */
export function unselectedPools(program: Program): Finding[] {
  const expecting = program.objects.filter(({ source }) => hasNamedPool(source));
  if (expecting.length === 0) {
    return [];
  }
  const targets = judgedTargets(program);
  const judged = judgedObjects(targets, program.objects);
  const plan = addressPlan(new World(judged, [], [], [], [...targets.values()]));
  const byConstruct = new Map(judged.map((object) => [object.construct, object]));
  const knows = ({ name, harvester }: NamedPool): boolean =>
    plan.poolsOn(harvester.targetName).some(({ object }) => object.manifest.metadata.name === name);
  const selectionsOf = (object: JudgedObject): readonly PoolSelection[] =>
    plan.balancers
      .filter((balancer) => balancer.object === object)
      .flatMap(({ selection }) => selection ?? []);
  return expecting.flatMap((object) => {
    const pools = namedPools(object.source).filter(knows);
    const selections = selectionsOf(byConstruct.get(object.construct)!);
    return pools.flatMap((pool) => {
      const others = selections.flatMap((selection) => otherPool(selection, pool) ?? []);
      return others.slice(0, 1).map((other) =>
        programFinding(
          POOL_NOT_SELECTED,
          object.construct,
          {
            path: 'ipam',
            value: pool.name,
            message: `must be the pool that Harvester selects by network and scope, ${other}: a Service cannot select another one`,
            fix: `use Ipam.pool(), or change the scopes of the pools: cdk8s-harvester addresses shows them`,
          },
          object,
        ),
      );
    });
  });
}

/** The name of the pool that is selected, if it is another one for certain. */
function otherPool(selection: PoolSelection, { name }: NamedPool): string | undefined {
  return selection.kind === 'pool' && selection.pool.name !== name
    ? selection.pool.name
    : undefined;
}
