import { AT_A_TIME, DeniedPermission, Intent, deniedOf, mayBeGranted, neededOn } from './ask';
import { Verb, madeNamespaces } from './grants';
import { groupOf } from '../../core/manifest/manifest';
import { AssemblyTarget } from '../../core/output/assembly';
import { some } from '../../core/text/plain-text';
import { compare, grouped, remembered } from '../../core/text/values';
import { BoundTargets, Cluster, LiveObject } from '../cluster/cluster';
import { EngineError } from '../engine-error';
import { withMembership } from '../fields/apply-set';
import { InventoryEntry } from '../inventory/inventory';
import { standingOf } from '../inventory/standing';
import { NO_ANSWER, isFailure, onFailure } from '../transport/api';
import { inParallel } from '../transport/pace';

/** The input of a preflight. */
export interface PreflightInput extends Intent {
  readonly bound: BoundTargets;
  /** The clusters that exist. */
  readonly clusters: ReadonlyMap<string, Cluster>;
  /** The inventory entry of an object. */
  readonly entry?: (target: string, id: string) => InventoryEntry | undefined;
  readonly signal?: AbortSignal;
}

/** The permissions that an identity lacks, one per line. */
export interface Preflight {
  /** A run would fail without these. */
  readonly missing: readonly string[];
  /** A run may succeed without these: they may not be needed, or a step before grants them. */
  readonly doubts: readonly { readonly target: string; readonly line: string }[];
}

/** An identity lacks permissions. */
export class MissingPermissionsError extends EngineError {
  public override readonly name = 'MissingPermissionsError';

  public constructor(lines: readonly string[], why?: string) {
    super(
      'forbidden',
      [
        `missing permissions; nothing was written${why === undefined ? '' : ` (${why})`}`,
        ...lines.map((line) => `  ${line}`),
        HINT,
      ].join('\n'),
    );
  }
}

/** The fix for missing permissions. */
export const HINT =
  'Fix: have an administrator apply the output of `cdk8s-harvester rbac`; or set --no-preflight to skip this check, e.g. if permissions are granted ' +
  'during the run';

/**
 * Checks on all clusters whether an identity has the permissions for a run. Nothing is written.
 * Servers decide what cannot be checked: clusters that do not exist yet or do not answer, late
 * names, namespaces that this run creates, permissions that it may grant to itself.
 */
export async function preflight(input: PreflightInput): Promise<Preflight> {
  const found = await Promise.all(
    [...input.clusters].map(async ([name, cluster]) =>
      new TargetPreflight(input.bound.get(name)!.target, cluster, input).check(),
    ),
  );
  return {
    missing: found.flatMap(({ missing }) => missing),
    doubts: found.flatMap(({ doubts }) => doubts),
  };
}

/**
 * Replaces the error of a forbidden request by one with all missing permissions, as far as they can
 * be checked.
 */
export async function explained(error: unknown, input: PreflightInput): Promise<unknown> {
  if (!isFailure(error, 'forbidden')) {
    return error;
  }
  try {
    const { missing, doubts } = await preflight(input);
    return new MissingPermissionsError(
      [...missing, ...doubts.map(({ line }) => line)],
      error.message,
    );
  } catch {
    // the check failed, too: report the first error
    return new MissingPermissionsError([], error.message);
  }
}

/** A live object, none, or one that cannot be read. */
type Seen = LiveObject | 'nothing' | 'unseen';

type Ref = Pick<DeniedPermission, 'apiVersion' | 'kind' | 'namespace'> & { readonly name: string };

class TargetPreflight {
  private readonly reads = new Map<string, Promise<Seen>>();
  private readonly by: string;
  private readonly made: ReadonlySet<string>;

  public constructor(
    private readonly target: AssemblyTarget,
    private readonly cluster: Cluster,
    private readonly input: PreflightInput,
  ) {
    this.by = input.bound.get(target.name)!.by;
    this.made = madeNamespaces(
      input.written.filter((object) => object.target === target.name),
      input.manifests,
    );
  }

  public async check(): Promise<Preflight> {
    const { target, cluster } = this;
    const { clusters, written, manifests, signal } = this.input;
    const all =
      (await deniedOf(
        cluster,
        neededOn(target, this.input, (name) => clusters.has(name)),
        { signal },
      )) ?? [];
    for (const { verb, name, ...rest } of all) {
      if (verb === 'get' && name !== undefined) {
        this.reads.set(keyOf({ ...rest, name }), Promise.resolve('unseen'));
      }
    }
    const mattering = await inParallel(
      all,
      () => '',
      AT_A_TIME,
      async (permission) => this.matters(permission),
      signal,
    );
    const denied = all.filter((_, index) => mattering[index]);
    const needed = denied.filter(({ perhaps }) => perhaps === undefined);
    const granted =
      needed.length > 0 && (await mayBeGranted(target, cluster, written, manifests, { signal }));
    const doubts = denied
      .filter(({ perhaps }) => perhaps !== undefined)
      .concat(
        granted
          ? needed.map((permission) => ({
              ...permission,
              perhaps: 'this run may grant it to itself',
            }))
          : [],
      );
    return {
      missing: granted ? [] : this.lines(needed),
      doubts: this.lines(doubts).map((line) => ({ target: target.name, line })),
    };
  }

  /** Whether the run needs a missing permission in the current state. */
  private async matters(permission: DeniedPermission): Promise<boolean> {
    const { apiVersion, kind, namespace, name, verb } = permission;
    const place =
      namespace !== undefined && this.made.has(namespace)
        ? await this.seen({ apiVersion: 'v1', kind: 'Namespace', name: namespace })
        : undefined;
    if (place === 'nothing' || place === 'unseen') {
      return false;
    }
    if (name === undefined || !USELESS.has(verb)) {
      return true;
    }
    const seen = await this.seen({ apiVersion, kind, namespace, name });
    if (seen === 'unseen') {
      return true;
    }
    // the lock exists only during a run
    if (seen === 'nothing') {
      return verb !== 'delete' || kind === 'Lease';
    }
    return verb === 'delete' || (verb === 'patch' && !this.isAsDeclared(permission, seen));
  }

  private isAsDeclared(
    { apiVersion, kind, namespace, name }: DeniedPermission,
    live: LiveObject,
  ): boolean {
    const { app, written, manifests, entry } = this.input;
    const object = written.find(
      (each) =>
        each.target === this.target.name &&
        each.kind === kind &&
        each.name === name &&
        each.namespace === namespace &&
        groupOf(each.apiVersion) === groupOf(apiVersion),
    );
    if (!object || object.lateValues?.length) {
      return false;
    }
    return standingOf(withMembership(app)(object, manifests.get(object.id)!), live, {
      fieldManager: app.fieldManager,
      othersWrite: object.othersWrite,
      written: entry?.(this.target.name, object.id)?.written,
    }).same;
  }

  private async seen(ref: Ref): Promise<Seen> {
    return remembered(this.reads, keyOf(ref), async () =>
      this.cluster.read(ref, { signal: this.input.signal }).then(
        (live): Seen => live ?? 'nothing',
        onFailure(NO_ANSWER, (): Seen => 'unseen'),
      ),
    );
  }

  /** Combines permissions that differ only in verbs or names into one line. */
  private lines(permissions: readonly DeniedPermission[]): string[] {
    const byObject = grouped(permissions, ({ resource, namespace, name, perhaps }) =>
      JSON.stringify([resource, namespace, name, perhaps]),
    );
    const objects = [...byObject.values()].map((each) => ({
      ...each[0],
      verbs: each.map(({ verb }) => verb).join(', '),
    }));
    const byPlace = grouped(objects, ({ resource, namespace, perhaps, verbs }) =>
      JSON.stringify([resource, namespace, perhaps, verbs]),
    );
    return [...byPlace.values()]
      .map((each) => {
        const [{ verbs, resource, namespace, perhaps }] = each;
        const names = each.flatMap(({ name }) => name ?? []).sort(compare);
        return (
          `${this.target.name} (${this.by}): ${verbs} ${resource}${names.length > 0 ? ` ${some(names)}` : ''}` +
          `${namespace === undefined ? '' : ` in namespace ${namespace}`}${perhaps === undefined ? '' : ` (${perhaps})`}`
        );
      })
      .sort(compare);
  }
}

/** Verbs that are needed only if the object is not as declared. */
const USELESS: ReadonlySet<Verb> = new Set<Verb>(['create', 'delete', 'patch']);

function keyOf({ apiVersion, kind, namespace, name }: Ref): string {
  return JSON.stringify([groupOf(apiVersion), kind, namespace, name]);
}
