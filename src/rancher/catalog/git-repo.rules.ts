import { isLate } from '../../core/late/late-token';
import { isRecord, labelsOf, records } from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, World } from '../../core/rule/rule';
import { some } from '../../core/text/plain-text';

const CLUSTER = ['provisioning.cattle.io', 'Cluster'] as const;
const FLEET_CLUSTER = ['fleet.cattle.io', 'Cluster'] as const;
const LOCAL = 'local';
const LOCAL_WORKSPACE = 'fleet-local';
/** Label of a Cluster in Fleet: what it runs on. */
const LABEL_PROVIDER = 'provider.cattle.io';
const HARVESTER = 'harvester';

/** Whether a selector matches every Cluster. */
function isEverything(selector: unknown): boolean {
  return (
    isRecord(selector) &&
    Object.values(selector).every((part) => Object.keys(Object(part)).length === 0)
  );
}

/** What is wrong with a target that names a Cluster which its workspace cannot have. */
function* checkName(
  path: string,
  name: unknown,
  object: JudgedObject,
  world: World,
): Iterable<Problem> {
  const { namespace } = object.manifest.metadata;
  if (typeof name !== 'string' || name === '' || namespace === undefined) {
    return;
  }
  if (isLate(name) || isLate(namespace)) {
    return;
  }
  const isLocal = namespace === LOCAL_WORKSPACE;
  const isKnown = [CLUSTER, FLEET_CLUSTER].some(([group, kind]) =>
    world.knows(object, group, kind, namespace, name),
  );
  if ((name === LOCAL) === isLocal || isKnown) {
    return;
  }
  yield {
    path,
    value: name,
    message: isLocal
      ? `selects no Cluster: ${LOCAL_WORKSPACE} contains ${LOCAL} alone, and a GitRepo selects only Clusters of its own namespace`
      : `selects no Cluster: ${LOCAL} is in ${LOCAL_WORKSPACE}, and a GitRepo selects only Clusters of its own namespace`,
    fix: isLocal
      ? 'create the GitRepo in the namespace of the Cluster, e.g. fleet-default'
      : `create the GitRepo in ${LOCAL_WORKSPACE}`,
  };
}

/** The imported Harvester clusters of a workspace. */
function harvestersIn(object: JudgedObject, world: World): string[] {
  return world
    .beside(object, ...CLUSTER)
    .filter(
      ({ manifest }) =>
        manifest.metadata.namespace === object.manifest.metadata.namespace &&
        labelsOf(manifest)[LABEL_PROVIDER] === HARVESTER,
    )
    .map(({ manifest }) => manifest.metadata.name);
}

/** Rules on what Fleet deploys from Git. */
export const GIT_REPO_RULES = rules({ kinds: ['fleet.cattle.io/GitRepo'], level: 'warning' }, [
  {
    id: 'git-repo/targets',
    what: 'the targets of a GitRepo select Clusters of its namespace, and no imported Harvester by accident',
    source:
      'https://fleet.rancher.io/gitrepo-targets; harvester/harvester#5132; rancher/rancher#34954',
    // on a guest cluster, object/wrong-target reports the whole object
    when: ({ target }) => target.kind !== 'guest',
    *judge(object, world) {
      for (const [index, target] of records(object.manifest, 'spec', 'targets')) {
        const path = `spec.targets[${index}]`;
        yield* checkName(`${path}.clusterName`, target.clusterName, object, world);
        const harvesters = isEverything(target.clusterSelector) ? harvestersIn(object, world) : [];
        if (harvesters.length > 0) {
          yield {
            path: `${path}.clusterSelector`,
            message: `also deploys to Harvester: the empty selector matches ${some(harvesters)}`,
            fix: `add matchExpressions with key ${LABEL_PROVIDER}, operator NotIn, values [${HARVESTER}]`,
          };
        }
      }
    },
  },
]);
