import { Diagnosis } from './live-world';
import { groupOf, Manifest, objectLabel, pathText } from '../../core/manifest/manifest';
import { GROUPS, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { AssemblyObject } from '../../core/output/assembly';
import { HiddenValues } from '../../core/secret/redactor';
import { BoundTargets, Cluster, LiveObject, RequestOptions } from '../../engine/cluster/cluster';
import { App, OWN_MARKS } from '../../engine/fields/apply-set';
import { Difference, keepLiveValues } from '../../engine/fields/compare-desired';
import { ownedBy } from '../../engine/fields/managed-fields';
import { InventoryEntry, InventoryOptions, readInventory } from '../../engine/inventory/inventory';
import { standingOf } from '../../engine/inventory/standing';
import { valueText } from '../../engine/plan/plan';
import { LoadedAssembly } from '../../engine/read/load-assembly';
import { ApiError } from '../../engine/transport/api';
import { inParallel } from '../../engine/transport/pace';
import { registeredBy } from '../../harvester/settings/catalogue/registration.facts';

/**
 * Whether a live object was written by an app: it is the very one that its inventory remembers, or
 * has fields of it.
 */
export function isApplied(
  live: LiveObject,
  entry: InventoryEntry | undefined,
  { fieldManager }: App,
): boolean {
  return entry?.uid === live.metadata.uid || ownedBy(live, fieldManager) !== undefined;
}

/** The words for an object that exists without its app. */
export const NOT_APPLIED = 'not applied';

/** At most this many fields of one object are printed. */
const MAX_FIELDS = 5;

const CONCURRENCY = 8;

const SOURCE = 'the program, compared with the managedFields of the live object';

/** A field that differs; secrets are hidden. */
export interface DriftedField {
  readonly path: string;
  readonly live: string;
  readonly program: string;
}

/** An object of the program, compared with the live one. */
export interface ComparedObject {
  readonly object: AssemblyObject;
  /** Why it could not be read. @default - it was read */
  readonly unread?: string;
  readonly missing?: boolean;
  /** Whether the app wrote the live object, or the one that is missing. */
  readonly isApplied: boolean;
  readonly fields: readonly DriftedField[];
}

/** Diagnoses where live objects differ from the program. */
export async function driftOf(
  program: LoadedAssembly,
  targets: BoundTargets,
  reachable: ReadonlySet<string>,
  app: App,
  options: RequestOptions = {},
): Promise<Diagnosis[]> {
  const compared = await compareObjects(program, targets, reachable, app, options);
  return [...compared.flatMap((each) => changed(each)), ...missingOf(compared)];
}

/**
 * Where live objects differ from the program. Reads each once and asks for no dry run, which on
 * Harvester has effects of its own (a backup target is mounted): `plan` shows what only the server
 * knows. The fields of objects that wait for late values are not compared, only whether they still
 * exist after an apply.
 */
export async function compareObjects(
  program: LoadedAssembly,
  targets: BoundTargets,
  reachable: ReadonlySet<string>,
  app: App,
  options: RequestOptions = {},
): Promise<readonly ComparedObject[]> {
  const seen = await connectAll(targets, reachable, app, options);
  return inParallel(
    objectsToCompare(program, seen),
    ({ target }) => target,
    CONCURRENCY,
    async (object) => compareObject(object, program.manifests.get(object.id)!, seen),
    options.signal,
  );
}

/** What the objects of a program are compared with. */
interface LiveSide {
  readonly app: App;
  /** By the names of targets. */
  readonly clusters: ReadonlyMap<string, Cluster>;
  /** What was applied, by ID. */
  readonly entries: ReadonlyMap<string, InventoryEntry>;
  readonly hidden: HiddenValues;
  readonly options: RequestOptions;
}

async function connectAll(
  targets: BoundTargets,
  reachable: ReadonlySet<string>,
  app: App,
  options: RequestOptions,
): Promise<LiveSide> {
  const clusters = new Map<string, Cluster>();
  const entries = new Map<string, InventoryEntry>();
  for (const name of reachable) {
    const { target, cluster: connect } = targets.get(name)!;
    const cluster = await connect(options.signal);
    clusters.set(name, cluster);
    for (const entry of await entriesOf(cluster, app, { ...options, target })) {
      entries.set(entry.id, entry);
    }
  }
  return { app, clusters, entries, hidden: new HiddenValues(), options };
}

/** The objects on clusters that are reached, without those whose names are not known yet. */
function objectsToCompare(
  { assembly }: LoadedAssembly,
  { clusters, entries }: LiveSide,
): AssemblyObject[] {
  return assembly.objects
    .filter(({ target }) => clusters.has(target))
    .flatMap((object): AssemblyObject[] => {
      if (!object.lateValues?.length) {
        return [object];
      }
      const { namespace, name } = entries.get(object.id) ?? {};
      // the inventory knows the name that it waited for
      return name === undefined ? [] : [{ ...object, namespace, name }];
    });
}

async function compareObject(
  object: AssemblyObject,
  declared: Manifest,
  seen: LiveSide,
): Promise<ComparedObject> {
  const entry = seen.entries.get(object.id);
  let live: LiveObject | undefined;
  try {
    const { apiVersion, kind, namespace, name } = object;
    const cluster = seen.clusters.get(object.target)!;
    live = await cluster.read({ apiVersion, kind, namespace, name }, seen.options);
  } catch (error) {
    if (!(error instanceof ApiError) || error.failure === 'aborted') {
      throw error;
    }
    return { object, isApplied: false, fields: [], unread: error.message };
  }
  if (!live) {
    return { object, isApplied: entry !== undefined, fields: [], missing: true };
  }
  const fields = object.lateValues?.length ? [] : driftedFields(object, declared, live, seen);
  return { object, isApplied: isApplied(live, entry, seen.app), fields };
}

function driftedFields(
  object: AssemblyObject,
  declared: Manifest,
  live: LiveObject,
  { app, entries, hidden }: LiveSide,
): DriftedField[] {
  const { manifest } = keepLiveValues(object, declared, live);
  const { othersWrite, id } = object;
  const { differences } = standingOf(manifest, live, {
    fieldManager: app.fieldManager,
    othersWrite,
    written: entries.get(id)?.written,
  });
  const left = differences.filter(
    (difference) => !isOurMark(difference) && !isRotation(manifest, live, difference),
  );
  return left.map(({ path, before, after }) => ({
    path: pathText(path),
    live: valueText(hidden.show(before, path, live, [])),
    program: valueText(hidden.show(after, path, manifest, [])),
  }));
}

async function entriesOf(cluster: Cluster, app: App, options: InventoryOptions) {
  try {
    return (await readInventory(cluster, app, options))?.entries ?? [];
  } catch (error) {
    if (error instanceof ApiError && error.failure === 'aborted') {
      throw error;
    }
    // another tool's, or not to be read: then nothing is known of what was written
    return [];
  }
}

// what apply adds is in no manifest
function isOurMark({ path, after }: Difference): boolean {
  return after === undefined && path[0] === 'metadata' && OWN_MARKS.has(path[2]);
}

/**
 * A registration URL that has another token and is otherwise the same: tokens rotate, and an agent
 * that is connected needs none.
 */
function isRotation(
  { apiVersion, kind, metadata }: Manifest,
  live: LiveObject,
  { path, after }: Difference,
): boolean {
  const { name } = metadata;
  if (
    groupOf(apiVersion) !== GROUPS.HARVESTER ||
    kind !== 'Setting' ||
    name !== SETTING_REGISTRATION_URL ||
    path[0] !== 'value'
  ) {
    return false;
  }
  const place = (value: unknown): string | undefined => {
    const registered = registeredBy(value);
    return (
      registered && `${registered.host} ${registered.clusterId} ${registered.insecureSkipTlsVerify}`
    );
  };
  const wanted = place(after);
  return wanted !== undefined && wanted === place(live.value);
}

function changed({ object, unread, fields, isApplied: applied }: ComparedObject): Diagnosis[] {
  if (unread !== undefined) {
    return [
      diagnosis(
        object,
        'drift/changed',
        'info',
        `could not be read: ${unread}`,
        'let the identity read it: `cdk8s-harvester rbac` prints what it needs',
      ),
    ];
  }
  if (fields.length === 0) {
    return [];
  }
  const shown = fields
    .slice(0, MAX_FIELDS)
    .map(({ path, live, program }) => `${path}: ${live}, the program declares ${program}`);
  const more = fields.length > MAX_FIELDS ? [`and ${fields.length - MAX_FIELDS} more`] : [];
  const check = object.kind === 'Setting' ? 'setting/differs' : 'drift/changed';
  const message = `${applied ? '' : `${NOT_APPLIED}: `}${[...shown, ...more].join('; ')}`;
  return [
    diagnosis(
      object,
      check,
      'warning',
      message,
      'run plan to see what an apply would write, or declare the change of the cluster in the program',
    ),
  ];
}

function missingOf(compared: readonly ComparedObject[]): Diagnosis[] {
  const byTarget = new Map<string, ComparedObject[]>();
  for (const each of compared) {
    byTarget.set(each.object.target, [...(byTarget.get(each.object.target) ?? []), each]);
  }
  return [...byTarget].flatMap(([target, all]): Diagnosis[] => {
    const missing = all.filter((each) => each.missing);
    // settings are always there
    if (
      missing.length > 0 &&
      missing.length === all.filter(({ object }) => object.kind !== 'Setting').length &&
      missing.length > 1
    ) {
      const message = `nothing of the program exists yet (${missing.length} objects)`;
      return [
        {
          check: 'drift/missing',
          level: 'info',
          target,
          message,
          fix: 'run apply',
          source: SOURCE,
        },
      ];
    }
    return missing.map(({ object }) =>
      diagnosis(
        object,
        'drift/missing',
        'warning',
        'is not there',
        'apply the program again, or remove it from the program',
      ),
    );
  });
}

function diagnosis(
  object: AssemblyObject,
  check: string,
  level: Diagnosis['level'],
  message: string,
  fix: string,
): Diagnosis {
  const { apiVersion, kind, namespace, name, target } = object;
  const label = objectLabel({
    apiVersion,
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  });
  return { check, level, target, object: label, message, fix, source: SOURCE };
}
