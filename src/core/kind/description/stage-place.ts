import { TargetKind } from '../../construct/target';
import { isLate } from '../../late/late-token';
import { Manifest } from '../../manifest/manifest';

/**
 * The stages in which GitOps engines deliver the objects of all targets, in order: an object of a
 * stage needs only objects of earlier ones. Rancher comes before the Harvesters that register with
 * it and whose namespaces belong to its projects; guest clusters come after the networks and images
 * of their machines, and before machines that join them.
 */
const ORDER: readonly (readonly [kind: TargetKind, stages: readonly string[]])[] = [
  [
    TargetKind.RANCHER,
    [
      'definitions',
      'base',
      'namespace',
      'settings',
      'roles',
      'global-roles',
      'users',
      'access',
      'clusters',
      'tokens',
      'projects',
      'members',
    ],
  ],
  [
    TargetKind.HARVESTER,
    [
      'definitions',
      'base',
      'cluster-networks',
      'uplinks',
      'namespace',
      'access',
      'storage',
      'settings',
      'registration',
      'networks',
      'images',
      'pools',
      'templates',
      'template-versions',
      'add-ons',
      // of kinds that add-ons serve
      'devices',
      'vpcs',
      'vlans',
      'subnets',
      'nat-gateways',
      'nat-addresses',
    ],
  ],
  [
    TargetKind.RANCHER,
    [
      'credentials',
      'guest-secrets',
      'machine-configs',
      'guest',
      'node-pools',
      'workloads',
      'services',
    ],
  ],
  [
    TargetKind.HARVESTER,
    ['volumes', 'machines', 'workloads', 'balancers', 'backups', 'restores', 'services'],
  ],
  [
    TargetKind.GUEST,
    [
      'definitions',
      'base',
      'namespace',
      'access',
      'storage',
      'volumes',
      'charts',
      'workloads',
      'services',
    ],
  ],
  // they judge what comes after them
  [TargetKind.RANCHER, ['webhooks']],
  [TargetKind.HARVESTER, ['webhooks']],
  [TargetKind.GUEST, ['webhooks']],
];

const PLACES: ReadonlyMap<string, number> = new Map(
  ORDER.flatMap(([kind, stages]) => stages.map((stage) => `${kind} ${stage}`)).map((key, at) => [
    key,
    at,
  ]),
);

/**
 * The stage of an object. It follows from the object alone, so that no other object of the program
 * moves it.
 */
export interface StagePlace {
  /**
   * One of the stages of its target; those of its rank, where the target has no stage of that name.
   */
  readonly stage: string;
  /**
   * What the stage is divided by: a namespace, a cluster. A failure in one part does not hold back
   * the others.
   * @default - the stage is not divided
   */
  readonly part?: string;
  /**
   * Whether it has a stage of its own, as it may need an object of its own stage.
   * @default false
   */
  readonly isAlone?: boolean;
}

/**
 * The stage of the objects of a kind: the same for all, or by their content.
 * @default - by rank and scope
 */
export type StageRule = string | ((manifest: Manifest) => StagePlace | undefined);

/** What is known of the kind of an object. */
interface StagedKind {
  readonly stage?: StageRule;
  readonly scope: 'Cluster' | 'Namespaced';
}

/** A stage with its place among those of all targets. */
export interface PlacedStage extends StagePlace {
  readonly place: number;
}

/**
 * The stage of an object.
 *
 * @param rank of the object; -1 for kinds that are not described
 */
export function stagePlaceOf(
  manifest: Manifest,
  target: TargetKind,
  rank: number,
  kind: StagedKind | undefined,
): PlacedStage {
  const rule = kind?.stage;
  const chosen = typeof rule === 'string' ? { stage: rule } : rule?.(manifest);
  const known = chosen && PLACES.get(`${target} ${chosen.stage}`);
  const { stage, part, isAlone } =
    chosen !== undefined && known !== undefined ? chosen : byRank(manifest, rank);
  return {
    stage,
    place: known ?? PLACES.get(`${target} ${stage}`)!,
    // a placeholder is not a name
    ...(part === undefined || isLate(part) ? {} : { part }),
    ...(isAlone ? { isAlone } : {}),
  };
}

/**
 * Namespaces with what everything in them needs, and what needs nothing; then what runs; then what
 * is in front of that.
 */
function byRank({ metadata }: Manifest, rank: number): StagePlace {
  const { namespace } = metadata;
  if (rank === 0) {
    return { stage: 'definitions' };
  }
  if (rank < WORKLOADS) {
    return namespace === undefined ? { stage: 'base' } : { stage: 'namespace', part: namespace };
  }
  if (rank < SERVICES) {
    return { stage: 'workloads' };
  }
  return { stage: rank < WEBHOOKS ? 'services' : 'webhooks' };
}

const WORKLOADS = 45;
const SERVICES = 60;
const WEBHOOKS = 90;
