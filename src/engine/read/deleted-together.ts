import { LeavingOutput, keyOfObject, leavingOutputs } from './what-leaves';
import {
  isKeptByEngine,
  neverDeleted,
  neverDeletedByEngines,
  retainedByDefault,
} from '../../core/kind/retention';
import { OutputChange, OutputObject } from '../../core/leaving/left-output.rules';
import { objectLabel } from '../../core/manifest/manifest';
import { Assembly } from '../../core/output/assembly';
import { Finding, FindingLevel } from '../../core/rule/finding';
import { objectOf } from '../../core/rule/judge';
import { OUTPUT_TOGETHER } from '../../core/rule/program-rules';
import { isCluster } from '../../guest/cluster/cluster.kind';
import { isProvisioned } from '../../rancher/cluster/cluster.facts';
import { DeletionPair, deletionPairs } from '../graph/reverse-graph';
import { Becomes } from '../removal/removal';

/**
 * Objects that leave an output together, although one of them needs the other until it is gone:
 * engines delete in no order. And clusters that an engine keeps with what they need, as nothing
 * else deletes them.
 *
 * @param assemblies the assemblies of the previous output; none for plain manifests
 * @param becomes what becomes of the objects that leave
 */
export function deletedTogether(
  change: OutputChange,
  assemblies: readonly Assembly[],
  becomes: ReadonlyMap<string, Becomes>,
): Finding[] {
  // apply deletes in order
  if (!change.hasEngine) {
    return [];
  }
  return leavingOutputs(change, assemblies).flatMap((output) => [
    ...[...deletionPairs(output.assembly, output.manifests)].flatMap((pair) =>
      finding(pair, output.leaving),
    ),
    ...keptClusters(output, becomes),
  ]);
}

/**
 * Guest clusters and imports that leave the output of an engine, which keeps them: how to delete
 * them.
 */
function keptClusters(
  { assembly, leaving }: LeavingOutput,
  becomes: ReadonlyMap<string, Becomes>,
): Finding[] {
  if (assembly.stages === undefined) {
    return [];
  }
  return [...leaving]
    .filter(([, { manifest }]) => isCluster(manifest))
    .flatMap(([id, object]): Finding[] => {
      if (becomes.get(keyOfObject(object))?.fate !== 'kept') {
        return [];
      }
      const needed = [...leaving.values()].filter(
        (each) => becomes.get(keyOfObject(each))?.neededBy === id,
      ).length;
      const label = objectLabel(object.manifest);
      const { id: rule, source } = OUTPUT_TOGETHER;
      return [
        {
          rule,
          level: FindingLevel.WARNING,
          message: `${label} leaves the output${needed === 0 ? '' : ` with ${needed} ${needed === 1 ? 'object' : 'objects'} that it needs`}, and the engine keeps ${needed === 0 ? 'it' : 'all of them'}`,
          fix: `to delete it, declare it again and make one commit for each step: ${stepsOf(object).join('; ')}`,
          object: objectOf(object.manifest),
          target: object.target,
          path: '',
          source,
          ...(object.construct === undefined ? {} : { construct: object.construct }),
        },
      ];
    });
}

/** The commits that delete a cluster. */
function stepsOf({ manifest, target }: OutputObject): string[] {
  const gone = `remove it, and wait until it is gone from ${target}`;
  return isProvisioned(manifest)
    ? [
        '1. remove what holds volumes and load balancers in it',
        '2. add Retention.of(cluster).delete(), and declare its CloudCredential',
        `3. ${gone}`,
        '4. remove the credential, networks and images',
      ]
    : [
        '1. remove its tenants and guest clusters',
        '2. reset its Setting cluster-registration-url with apply, and add Retention.of(import).delete()',
        `3. ${gone}`,
      ];
}

function finding(
  { first, then, need, isCertain }: DeletionPair,
  gone: ReadonlyMap<string, OutputObject>,
): Finding[] {
  const [needing, needed] = [gone.get(first), gone.get(then)];
  if (!needing || !needed || isKept(needed)) {
    return [];
  }
  const [a, b] = [objectLabel(needing.manifest), objectLabel(needed.manifest)];
  const { id: rule, source } = OUTPUT_TOGETHER;
  return [
    {
      rule,
      level: isCertain ? FindingLevel.ERROR : FindingLevel.WARNING,
      message: isKept(needing)
        ? `${b} leaves the output with ${a}, which the engine keeps, and which ${need}`
        : `${b} leaves the output with ${a}, which ${need}: an engine deletes both at once, and ${a} remains`,
      fix: `make two commits: first remove ${a}${isKept(needing) ? ', delete it by hand,' : ''} and wait until it is gone from ${needing.target}; then remove ${b}`,
      cause: `${a} on ${needing.target} leaves the output together with what is needed to delete it`,
      object: objectOf(needed.manifest),
      target: needed.target,
      path: '',
      source,
      ...(needed.construct === undefined ? {} : { construct: needed.construct }),
    },
  ];
}

function isKept({ manifest, policy = 'delete' }: OutputObject): boolean {
  return (
    policy !== 'delete' ||
    isKeptByEngine(manifest) ||
    neverDeleted(manifest) !== undefined ||
    neverDeletedByEngines(manifest) !== undefined ||
    retainedByDefault(manifest) !== undefined
  );
}
