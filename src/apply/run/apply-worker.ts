import { asMember, APPLY_SET } from './apply-set';
import { heldBy } from './guards';
import { patiently } from './pace';
import { PlanKeeper } from './plan-keeper';
import { Place, RunContext } from './run-context';
import { AssemblyLateValue, AssemblyObject } from '../../model/assembly';
import { groupOf, kindKey, Manifest } from '../../model/manifest';
import { LiveObject, ObjectRef } from '../cluster/cluster';
import { GraphNode } from '../graph/graph';
import { NodeWorker } from '../graph/run-graph';
import { LateResolver } from '../late/late-resolver';
import { FieldPath, pathText } from '../plan/field-path';
import { InventoryEntry } from '../plan/inventory-reader';
import { judgeLive, withFindings } from '../plan/judge-live';
import { secretPathsOf, sensitiveIds } from '../plan/secret-paths';
import { Standing, standingOf, writtenDigest } from '../plan/standing';
import { waitReady } from '../ready/wait-ready';
import { ApiError } from '../transport/api';
import { isAbort } from '../wait';

/** How long an object is tried that can not be written yet. */
const WRITE_MS = 5 * 60_000;

/** Kinds after whose making servers need some time to let us do what they grant. */
const GRANTS: ReadonlySet<string> = new Set([
  'rbac.authorization.k8s.io/Role', 'rbac.authorization.k8s.io/RoleBinding', 'rbac.authorization.k8s.io/ClusterRole',
  'rbac.authorization.k8s.io/ClusterRoleBinding', 'management.cattle.io/Project', 'management.cattle.io/ProjectRoleTemplateBinding',
  'management.cattle.io/ClusterRoleTemplateBinding', 'management.cattle.io/GlobalRoleBinding', 'provisioning.cattle.io/Cluster',
]);

/** What is known of an object while it is applied. */
interface Applied {
  readonly object: AssemblyObject;
  readonly manifest: Manifest;
  readonly secretPaths: readonly FieldPath[];
}

/** Applies objects and finds late values. */
export class ApplyWorker implements NodeWorker {
  private readonly finish: (object: AssemblyObject, manifest: Manifest) => Manifest;
  private readonly sensitive: ReadonlySet<string>;
  private readonly manifests = new Map<string, Applied>();
  private granted = false;

  public constructor(private readonly run: RunContext, private readonly late: LateResolver, private readonly plan?: PlanKeeper) {
    this.finish = asMember(run.options.app);
    this.sensitive = sensitiveIds(run.program.assembly.lateValues);
  }

  public async act(node: GraphNode): Promise<void> {
    if (node.late) { return this.resolve(node.id, node.late); }
    const object = node.object!;
    this.run.emit(object.id, object.target, 'applying');
    try {
      const applied = this.complete(object);
      const place = await this.run.place(object.target, this.waits(object));
      const known = place.keeper.entry(object.id);
      const entry = entryOf(object, applied.manifest);
      // late names are known only now
      if (!known || known.name !== entry.name || known.namespace !== entry.namespace) { await place.keeper.expect([entry], this.run.kill); }
      await patiently(async () => this.apply(applied, place), {
        timeoutMs: this.run.options.timeoutMs ?? WRITE_MS, onWait: this.waits(object), mayBeForbidden: () => this.granted,
      }, this.run.pacing);
    } catch (error) {
      throw this.failure(error, object);
    }
  }

  public async settle({ object }: GraphNode): Promise<void> {
    const { id, target } = object!;
    const { manifest, secretPaths } = this.manifests.get(id)!;
    try {
      const { cluster } = await this.run.place(target, this.waits(object!));
      await waitReady(cluster, refOf(manifest), {
        ...this.run.pacing,
        timeoutMs: this.run.options.timeoutMs,
        onWait: (why) => { this.run.emit(id, target, 'not-ready', why); },
        scrub: (text) => this.run.scrub(text, manifest, secretPaths),
      });
      this.run.emit(id, target, 'ready');
    } catch (error) {
      throw this.failure(error, object!);
    }
  }

  private async resolve(node: string, { id, source, description }: AssemblyLateValue): Promise<void> {
    const target = 'target' in source ? source.target : '';
    this.run.emit(node, target, 'waiting', description);
    try {
      await this.late.resolve(id);
    } catch (error) {
      if (!isAbort(error)) { this.run.noteFailure(target, error); }
      throw error;
    } finally {
      // from now on it must be in no message
      const value = this.late.values.get(id);
      if (value !== undefined && this.late.isSensitive(id)) { this.run.redactor.add(value); }
    }
    this.run.emit(node, target, 'resolved');
  }

  private complete(object: AssemblyObject): Applied {
    const template = this.run.program.manifests.get(object.id)!;
    const completed = object.lateValues?.length ? this.late.complete(template) : template;
    const applied = { object, manifest: this.finish(object, completed), secretPaths: secretPathsOf(template, this.sensitive) };
    this.manifests.set(object.id, applied);
    return applied;
  }

  private async apply(applied: Applied, { cluster, keeper }: Place): Promise<void> {
    const { object, manifest } = applied;
    const { app, forceConflicts = [] } = this.run.options;
    const live = await cluster.read(refOf(manifest), { signal: this.run.stop });
    checkMayApply(object, manifest, live);
    const written = keeper.entry(object.id)?.written;
    await this.plan?.check({ ...applied, live, cluster, written }, this.run);
    const standing = live && standingOf(manifest, live, { fieldManager: app.fieldManager, othersWrite: object.othersWrite, written });
    if (standing?.same) { return this.done(applied, keeper, live!, 'unchanged'); }
    if (standing) { this.checkRules(applied, live!, standing); }
    const sent = standing?.manifest ?? manifest;
    const answer = await cluster.apply(object.deletion?.policy === 'reset' ? withUid(sent, live!) : sent, {
      fieldManager: app.fieldManager, force: forceConflicts.includes(object.id), signal: this.run.kill,
    });
    for (const warning of answer.warnings) { this.run.warn(this.run.scrub(warning, manifest, applied.secretPaths), object.target, object.id); }
    const same = live !== undefined && live.metadata.resourceVersion === answer.object.metadata.resourceVersion;
    if (GRANTS.has(kindKey(groupOf(manifest.apiVersion), manifest.kind)) && !same) { this.granted = true; }
    this.done(applied, keeper, answer.object, !live ? 'created' : same ? 'unchanged' : 'configured');
  }

  /** What a server would take and not carry out, or with a loss: rules know, and say what to do instead. */
  private checkRules({ object: { id, target }, manifest }: Applied, live: LiveObject, { differences }: Standing): void {
    const found = judgeLive([{ id, target: this.run.program.targets.get(target)!.target, desired: manifest, live }]).get(id) ?? [];
    const changes = differences.map(({ path }) => ({ path: pathText(path) }));
    const { refused } = withFindings({ id, target, action: 'update', changes, conflicts: [], waitsFor: [], digest: '' }, found);
    if (refused !== undefined) { throw new Error(refused); }
  }

  private done({ object, manifest }: Applied, keeper: Place['keeper'], live: LiveObject, state: 'created' | 'configured' | 'unchanged'): void {
    const written = writtenDigest(manifest, object.othersWrite);
    keeper.note({ ...entryOf(object, manifest), uid: live.metadata.uid, ...(written === undefined ? {} : { written }) });
    this.run.emit(object.id, object.target, state);
  }

  private waits({ id, target }: AssemblyObject): (why: string) => void {
    return (why) => { this.run.emit(id, target, 'waiting', this.scrubbed(why, id)); };
  }

  private scrubbed(text: string, id: string): string {
    const applied = this.manifests.get(id);
    return this.run.scrub(text, applied?.manifest, applied?.secretPaths);
  }

  private failure(error: unknown, { id, target, construct }: AssemblyObject): unknown {
    if (isAbort(error)) { return error; }
    this.run.noteFailure(target, error);
    const message = `${id} (${construct}): ${this.scrubbed(wordsOf(error as Error, id), id)}`;
    return error instanceof ApiError ? new ApiError(error.failure, message, error.status, error.reason, error.conflicts) : new Error(message);
  }
}

/** What the inventory says of an object before it is written. */
export function entryOf(object: AssemblyObject, { apiVersion, kind, metadata: { namespace, name } }: Manifest): InventoryEntry {
  return {
    id: object.id,
    apiVersion,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    policy: object.deletion?.policy ?? 'delete',
    ...(object.deletion ? { reason: object.deletion.reason } : {}),
    construct: object.construct,
  };
}

function checkMayApply(object: AssemblyObject, manifest: Manifest, live: LiveObject | undefined): void {
  if (!live) {
    if (object.deletion?.policy !== 'reset') { return; }
    throw new Error(`there is no ${object.kind} ${object.name} on this cluster, and only its product makes it: look for the version that has it`);
  }
  if (live.metadata.deletionTimestamp !== undefined) { throw new ApiError('blocked', `the former one is still being deleted, ${heldBy(live)}`); }
  const [wanted, set] = [manifest, live].map(({ metadata }) => metadata.labels?.[APPLY_SET.PART_OF]);
  if (wanted !== undefined && set !== undefined && wanted !== set) {
    throw new Error(`belongs to another app (its label ${APPLY_SET.PART_OF} is ${set}): take it out of one of them, or take the label away`);
  }
}

/** One that vanished since it was read is not made anew. */
function withUid(manifest: Manifest, live: LiveObject): Manifest {
  return { ...manifest, metadata: { ...manifest.metadata, uid: live.metadata.uid } };
}

function refOf({ apiVersion, kind, metadata: { namespace, name } }: Manifest): ObjectRef {
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

function wordsOf(error: Error, id: string): string {
  if (!(error instanceof ApiError) || error.failure !== 'conflict') { return error.message; }
  const fields = error.conflicts.map(({ field, manager }) => `${field} is ${manager}'s`).join(', ');
  return `others have fields that the program sets: ${fields || error.message}; take them out of the program, let the other one give them up, `
    + `or take them by --force-conflicts '${id}'`;
}
