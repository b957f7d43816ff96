import { isApplied, NOT_APPLIED } from './drift';
import {
  DoctorCheck,
  liveCondition,
  knownTargets,
  KnownTargetsOptions,
  listOf,
  Symptom,
  LiveWorld,
  SeenTarget,
  settingOf,
} from './live-world';
import { ReadyContext } from '../../core/kind/ready/readiness';
import { lateIdsIn } from '../../core/late/late-text';
import { hasLateName } from '../../core/late/late-token';
import { Manifest } from '../../core/manifest/manifest';
import { AssemblyObject, AssemblyTarget } from '../../core/output/assembly';
import { Block, TextPart, Tone, line, list, toned } from '../../core/text/screen';
import { compare, attempt } from '../../core/text/values';
import { FeatureGates } from '../../core/version/feature-gates';
import { ProductVersion, knownVersion } from '../../core/version/product-version';
import { agentWords, Candidate, reasonOf, wordsOf } from '../../engine/agents/agent-pods';
import {
  BoundTarget,
  BoundTargets,
  Cluster,
  LiveObject,
  ObjectRef,
  RequestOptions,
} from '../../engine/cluster/cluster';
import { App } from '../../engine/fields/apply-set';
import { InventoryEntry, readInventory } from '../../engine/inventory/inventory';
import { holderOf, leaseOf } from '../../engine/inventory/lease';
import { waysToRemove } from '../../engine/inventory/removed-targets';
import { standingOf } from '../../engine/inventory/standing';
import { LoadedAssembly } from '../../engine/read/load-assembly';
import { readinessOn, readyContext } from '../../engine/ready/wait-ready';
import { ApiError } from '../../engine/transport/api';
import { inParallel } from '../../engine/transport/pace';
import { ANNOTATION_ALLOW_NODE_JOIN } from '../../harvester/node/node.kind';
import { registrationOf } from '../../harvester/settings/catalogue/registration.facts';
import { HarvesterGate, HarvesterVersion } from '../../harvester/version/harvester-version';
import { RANCHER_SERVER_VERSION } from '../../rancher/settings/rancher-setting.kind';
import { SupportLevel, SupportMatrix } from '../../rancher/support-matrix/support-matrix.facts';
import { RancherVersion } from '../../rancher/version/rancher-version';

type Managed = Exclude<AssemblyTarget['kind'], 'guest'>;

const VERSION_SETTING: Record<Managed, string> = {
  rancher: RANCHER_SERVER_VERSION,
  harvester: 'server-version',
};

const PARSERS = {
  rancher: (text: string) => RancherVersion.parse(text),
  harvester: (text: string) => HarvesterVersion.parse(text),
};

const PRODUCTS: Record<Managed, string> = { rancher: 'Rancher', harvester: 'Harvester' };

// builds without a tag name themselves after a branch: they cannot be compared
function liveVersion<K extends Managed>(
  target: SeenTarget,
  kind: K,
): ReturnType<(typeof PARSERS)[K]> | undefined {
  const version = attempt(
    () =>
      PARSERS[kind](settingOf(target, VERSION_SETTING[kind])) as ReturnType<(typeof PARSERS)[K]>,
  );
  return version?.majorNumber === 0 ? undefined : version;
}

/**
 * The Rancher of the program that a Harvester registers with; the only one where the Harvester
 * names none.
 */
export function rancherOfHarvester(
  harvester: SeenTarget,
  world: LiveWorld,
): SeenTarget | undefined {
  const ranchers = world.ofKind('rancher');
  const { url } = registrationOf(settingOf(harvester, 'cluster-registration-url'));
  if (!URL.canParse(url)) {
    return ranchers.length === 1 ? ranchers[0] : undefined;
  }
  return ranchers.find((rancher) => hostOf(serverUrlOf(rancher)) === new URL(url).host);
}

/** The address that clusters reach a Rancher by: its live setting, else the URL of the program. */
export function serverUrlOf(rancher: SeenTarget): string {
  return settingOf(rancher, 'server-url') || (rancher.target.properties.serverUrl ?? '');
}

export function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

const NOT_AS_NAMED: DoctorCheck = {
  id: 'version/not-as-named',
  level: 'warning',
  what: 'the running version is the one that the program names',
  source: 'the program: what it writes depends on the versions that its charts name',
  on: ['rancher', 'harvester'],
  needs: ['settings'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const kind = seen.target.kind as Managed;
    const live: ProductVersion | undefined = liveVersion(seen, kind);
    if (!live) {
      return;
    }
    const named: ProductVersion = PARSERS[kind](seen.target.version);
    if (live.compareTo(named) === 0) {
      return;
    }
    yield {
      level: live.minor === named.minor ? 'info' : 'error',
      message: `runs ${PRODUCTS[kind]} ${live}, the program names ${named}`,
      fix: `name version ${live} in the program and synthesize again, or upgrade ${PRODUCTS[kind]} to ${named}`,
    };
  },
};

const NOT_TOGETHER: DoctorCheck = {
  id: 'version/not-together',
  level: 'warning',
  what: 'the versions of Rancher and Harvester support each other',
  source: 'https://www.suse.com/suse-harvester/support-matrix/all-supported-versions/',
  on: ['harvester'],
  needs: ['settings'],
  *look(seen: SeenTarget, world: LiveWorld): Iterable<Symptom> {
    const rancher = rancherOfHarvester(seen, world);
    const versions =
      rancher && ([liveVersion(rancher, 'rancher'), liveVersion(seen, 'harvester')] as const);
    if (!versions?.[0] || !versions[1]) {
      return;
    }
    const { level, reason, confirmed, source } = SupportMatrix.rancherHarvester(
      versions[0],
      versions[1],
    );
    if (level === SupportLevel.SUPPORTED) {
      return;
    }
    yield {
      level: level === SupportLevel.UNSUPPORTED ? 'warning' : 'info',
      message: `Harvester ${versions[1]} is managed by Rancher ${versions[0]} (${rancher!.target.name}): ${reason}`,
      fix: `upgrade one of them to a version that the other supports (known from: ${source}${confirmed ? '' : '; see the support matrix to be sure'})`,
    };
  },
};

const JOIN_BLOCKED: DoctorCheck = {
  id: 'node/join-blocked',
  level: 'info',
  what: 'nodes can join a Harvester: from 1.9 on, it refuses them during an upgrade',
  source: 'harvester/harvester:pkg/webhook/resources/node/validator.go Create (1.9.0)',
  on: ['harvester'],
  needs: ['settings', 'upgrades'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const version =
      liveVersion(seen, 'harvester') ?? knownVersion(HarvesterVersion.parse, seen.target.version);
    if (!version || !FeatureGates.of(HarvesterGate.NODE_JOIN_BLOCKED).supports(version)) {
      return;
    }
    for (const object of listOf(seen, 'upgrades')) {
      // it is neither completed nor failed
      const inProgress = !['True', 'False'].includes(
        liveCondition(object, 'Completed')?.status ?? '',
      );
      if (!inProgress || object.metadata.annotations?.[ANNOTATION_ALLOW_NODE_JOIN] === 'true') {
        continue;
      }
      yield {
        object,
        message: 'is in progress: until it is completed, Harvester refuses nodes that join',
        fix: `wait for it; if a node must join now, annotate the Upgrade with ${ANNOTATION_ALLOW_NODE_JOIN}=true`,
      };
    }
  },
};

const NO_SERVER_URL: DoctorCheck = {
  id: 'rancher/no-server-url',
  level: 'error',
  what: 'Rancher has a server-url: without it no cluster can be imported',
  source:
    'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken: manifestUrl is left empty',
  on: ['rancher'],
  needs: ['settings'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const live = settingOf(seen, 'server-url');
    const { serverUrl } = seen.target.properties;
    if (live === '') {
      yield {
        message: 'its setting server-url is empty, so nothing can be imported',
        fix: `set server-url${serverUrl === undefined ? '' : ` to ${serverUrl}`}`,
      };
    } else if (serverUrl !== undefined && hostOf(live) !== hostOf(serverUrl)) {
      yield {
        message: `its setting server-url is ${live}, the program names ${serverUrl}`,
        fix: 'make them the same: agents of imported clusters connect to the URL of the Setting',
      };
    }
  },
};

export const VERSION_CHECKS: readonly DoctorCheck[] = [
  NOT_AS_NAMED,
  NOT_TOGETHER,
  JOIN_BLOCKED,
  NO_SERVER_URL,
];

/**
 * How one object is: `leftover` was applied before and is no longer declared, the next apply
 * deletes it; `not-applied` exists, but not by this app; `unknown` waits for a late name, or could
 * not be read.
 */
type ObjectState =
  'ready' | 'waiting' | 'failing' | 'failed' | 'missing' | 'not-applied' | 'leftover' | 'unknown';

export interface ObjectStatus {
  readonly id: string;
  readonly object: string;
  readonly state: ObjectState;
  /** In the words of the object, without what is secret. */
  readonly why?: string;
}

export interface TargetStatus {
  readonly name: string;
  readonly by: string;
  /** Why it could not be asked. */
  readonly unreachable?: string;
  /** Why it is not the cluster that earlier applies of this app wrote to. */
  readonly otherCluster?: string;
  /** What to do about a target of earlier applies that is no longer in the program. */
  readonly removed?: string;
  /** How many objects earlier applies of this app left there; undefined where there was none. */
  readonly applied?: number;
  /** The apply that runs right now. */
  readonly lockedBy?: string;
  readonly objects: readonly ObjectStatus[];
}

const CONCURRENCY = 8;

interface Asked extends ObjectRef {
  readonly id: string;
  readonly leftover: boolean;
  /** Whether an existing object was applied by this app, or is as the program declares it. */
  readonly isApplied: (live: LiveObject) => boolean;
}

/** How the objects of a program are on the live clusters. Nothing is written. */
export async function statusOf(
  program: LoadedAssembly,
  targets: BoundTargets,
  app: App,
  options: KnownTargetsOptions = {},
): Promise<TargetStatus[]> {
  const look = async (live: LiveObject, rancher: Cluster): Promise<string | undefined> =>
    agentWords(live, rancher, async () => harvestersOf(targets, options.signal), options);
  const statuses = await Promise.all(
    [...targets.values()].map(async (bound) =>
      targetStatus(bound, program, app, { ...options, look }),
    ),
  );
  const { others, removed } = await knownTargets(program.assembly.targets, targets, app, options);
  const byTarget = new Map([...others].map(([otherCluster, name]) => [name, { otherCluster }]));
  return [
    ...statuses.map((status) => ({ ...status, ...byTarget.get(status.name) })),
    ...removed.map((name) => ({ name, by: 'not bound', removed: waysToRemove(name), objects: [] })),
  ];
}

/** The Harvesters that can be reached; the status of the others reports the failure. */
async function harvestersOf(targets: BoundTargets, signal?: AbortSignal): Promise<Candidate[]> {
  const found = await Promise.all(
    [...targets.values()]
      .filter(({ target }) => target.kind === 'harvester')
      .map(async ({ target, cluster }) => {
        const { name, version } = target;
        try {
          return [{ name, version, cluster: await cluster(signal) }];
        } catch (error) {
          if (signal?.aborted) {
            throw error;
          }
          return [];
        }
      }),
  );
  return found.flat();
}

interface StatusOptions extends RequestOptions {
  /** Why an import that is not ready is not connected. */
  readonly look: (live: LiveObject, rancher: Cluster) => Promise<string | undefined>;
}

async function targetStatus(
  bound: BoundTarget,
  program: LoadedAssembly,
  app: App,
  options: StatusOptions,
): Promise<TargetStatus> {
  const { target, by } = bound;
  const { name } = target;
  const objects = program.assembly.objects.filter((object) => object.target === name);
  try {
    const cluster = await bound.cluster(options.signal);
    const inventory = await readInventory(cluster, app, { target, signal: options.signal });
    const lockedBy = await lockOf(cluster, app, options);
    const declared = new Set(objects.map(({ id }) => id));
    const entries = inventory && new Map(inventory.entries.map((entry) => [entry.id, entry]));
    const asked: Asked[] = [
      ...objects.map((object) => ({
        ...object,
        leftover: false,
        isApplied: appliedBy(app, entries, object, program.manifests.get(object.id)),
      })),
      ...(inventory?.entries ?? [])
        .filter(({ id }) => !declared.has(id))
        .map((entry) => ({ ...entry, leftover: true, isApplied: () => true })),
    ];
    const asking = { ...options, about: readyContext(bound.target) };
    const found = await inParallel(
      asked,
      () => name,
      CONCURRENCY,
      async (each) => objectStatus(each, cluster, asking),
      options.signal,
    );
    const states = found.flatMap((status) => status ?? []).sort((a, b) => compare(a.id, b.id));
    const applied = inventory ? { applied: inventory.entries.length } : {};
    return {
      name,
      by,
      ...applied,
      ...(lockedBy === undefined ? {} : { lockedBy }),
      objects: states,
    };
  } catch (error) {
    if (options.signal?.aborted) {
      throw error;
    }
    return { name, by, unreachable: reasonOf(error as Error, bound), objects: [] };
  }
}

/**
 * The inventory shows what an app applied. Where there is none, another engine may have applied the
 * existing objects; only settings, which are there without anybody, are compared with the program
 * then.
 */
function appliedBy(
  app: App,
  entries: ReadonlyMap<string, InventoryEntry> | undefined,
  { id, deletion, othersWrite }: AssemblyObject,
  manifest?: Manifest,
): Asked['isApplied'] {
  if (entries) {
    return (live) => isApplied(live, entries.get(id), app);
  }
  if (deletion?.policy !== 'reset' || !manifest) {
    return () => true;
  }
  return (live) =>
    isApplied(live, undefined, app) ||
    (lateIdsIn(manifest).length > 0
      ? live.value !== ''
      : standingOf(manifest, live, { fieldManager: app.fieldManager, othersWrite }).differences
          .length === 0);
}

async function lockOf(
  cluster: Cluster,
  app: App,
  options: RequestOptions,
): Promise<string | undefined> {
  try {
    const lease = await cluster.read(leaseOf(app), options);
    return lease && holderOf(lease);
  } catch (error) {
    if (error instanceof ApiError && error.failure === 'forbidden') {
      return undefined;
    }
    throw error;
  }
}

async function objectStatus(
  asked: Asked,
  cluster: Cluster,
  options: StatusOptions & { readonly about: ReadyContext },
): Promise<ObjectStatus | undefined> {
  const { id, apiVersion, kind, namespace, name, leftover, isApplied: isOurs } = asked;
  const ref: ObjectRef = {
    apiVersion,
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
  };
  const status = { id, object: `${kind} ${namespace ? `${namespace}/` : ''}${name}` };
  if (hasLateName({ name, namespace })) {
    return {
      ...status,
      state: 'unknown',
      why: 'its name is known only after another object is live',
    };
  }
  try {
    const live = await cluster.read(ref, options);
    // gone already: nothing is left to do
    if (!live) {
      return leftover ? undefined : { ...status, state: 'missing', why: 'is not there' };
    }
    if (leftover) {
      return { ...status, state: 'leftover', why: 'is no longer declared' };
    }
    if (!isOurs(live)) {
      return { ...status, state: 'not-applied', why: 'exists, but this app never applied it' };
    }
    const { state, why, fix } = await readinessOn(cluster, live, options.about, options);
    const more = state === 'ready' ? undefined : await options.look(live, cluster);
    const words =
      [wordsOf(why, live), more].filter((text) => text).join('; ') +
      (fix === undefined ? '' : `. Fix: ${fix}`);
    return { ...status, state, ...(words === '' ? {} : { why: words }) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.failure !== 'forbidden') {
      throw error;
    }
    return { ...status, state: 'unknown', why: error.message };
  }
}

/** Whether everything that is declared is there and ready. */
export function isAllReady(statuses: readonly TargetStatus[]): boolean {
  return statuses.every(
    ({ unreachable, otherCluster, objects }) =>
      unreachable === undefined &&
      otherCluster === undefined &&
      objects.every(({ state }) => state === 'ready' || state === 'leftover'),
  );
}

const STATES: readonly (readonly [state: ObjectState, words: string, tone: Tone])[] = [
  ['failed', 'failed', 'error'],
  ['failing', 'failing', 'error'],
  ['missing', 'not there', 'error'],
  ['not-applied', NOT_APPLIED, 'warning'],
  ['waiting', 'not ready', 'warning'],
  ['unknown', 'not known', 'warning'],
  ['leftover', 'no longer declared', 'remove'],
  ['ready', 'ready', 'good'],
];

/** States that need no explanation. */
const SAYS_ALL: ReadonlySet<ObjectState> = new Set<ObjectState>([
  'missing',
  'not-applied',
  'leftover',
]);

/** For people: a line a target, and one for each object that is not ready. */
export function statusText(
  statuses: readonly TargetStatus[],
  options: { readonly all?: boolean } = {},
): Block[] {
  return statuses.flatMap((status) => targetText(status, options.all ?? false));
}

function targetText(
  { name, by, unreachable, otherCluster, removed, applied, lockedBy, objects }: TargetStatus,
  all: boolean,
): Block[] {
  const title = toned('title', name);
  if (removed !== undefined) {
    return [line([title, `: no longer in this program; ${removed}`])];
  }
  if (unreachable !== undefined) {
    return [line([title, ` (${by}): `, toned('error', 'not reached'), `: ${unreachable}`])];
  }
  const counts = STATES.flatMap(([state, words, tone]): TextPart[][] => {
    const count = objects.filter((object) => object.state === state).length;
    return count > 0 ? [[toned(tone, `${count} ${words}`)]] : [];
  });
  const listed = STATES.filter(([state]) => all || state !== 'ready').flatMap(
    ([state, words, tone]) =>
      objects
        .filter((object) => object.state === state)
        .map(({ object, why }) =>
          line(
            [
              toned(tone, words),
              `  ${object}${why === undefined || SAYS_ALL.has(state) ? '' : `: ${why}`}`,
            ],
            2,
          ),
        ),
  );
  return [
    line([
      title,
      ` (${by}): `,
      ...counts.flatMap((count, index) => (index === 0 ? count : [', ', ...count])),
      ...(counts.length > 0 ? [] : ['nothing is declared']),
      `; ${applied === undefined ? 'never applied by this app' : `${applied} in the inventory`}`,
    ]),
    ...(otherCluster === undefined
      ? []
      : [line([toned('error', 'another cluster'), `  ${otherCluster}`], 2)]),
    ...(lockedBy === undefined ? [] : [line([toned('warning', 'locked'), ` by ${lockedBy}`], 2)]),
    list(listed, 'objects', 2),
  ];
}
