import { deleteFailedImage, uploadImage } from './images';
import { PlanKeeper, Turns } from './plan-of-run';
import { setAgain } from './set-again';
import { KindAccess } from '../../../core/kind/description/access';
import { KindReadiness } from '../../../core/kind/description/readiness';
import { kindOf } from '../../../core/kind/kinds';
import { mustExist, missingText } from '../../../core/kind/retention';
import { FieldPath, Manifest, pathText } from '../../../core/manifest/manifest';
import { API_VERSIONS } from '../../../core/manifest/names';
import { AssemblyLateValue, AssemblyObject } from '../../../core/output/assembly';
import { secretPathsOf, sensitiveIds } from '../../../core/secret/redactor';
import { Candidate, agentWords } from '../../agents/agent-pods';
import { ApplyAnswer, Cluster, LiveObject, refOf } from '../../cluster/cluster';
import { ObjectAnswer, adoption, applyObject } from '../../fields/apply-object';
import { TAKE_OUT, withMembership, isMember, otherSetOf } from '../../fields/apply-set';
import { fixOfRefusal, keepLiveValues } from '../../fields/compare-desired';
import { leftFieldWarnings } from '../../fields/left-fields';
import {
  adoptHint,
  isForced,
  isOfManagers,
  mayBeAdopted,
  otherManagers,
  ownedBy,
  remembering,
  Rewrite,
  rewriteText,
} from '../../fields/managed-fields';
import { GraphNode } from '../../graph/graph';
import { declares } from '../../graph/object-index';
import { NodeWorker } from '../../graph/run-graph';
import { InventoryEntry } from '../../inventory/inventory';
import { Standing, standingOf, writtenDigest } from '../../inventory/standing';
import { LateResolver } from '../../late/late-resolver';
import { isRemembered, replacedText } from '../../late/origin';
import { judgeLive, judgesEdits, withLiveFindings } from '../../plan/steps/judge-live';
import { heldBy } from '../../precondition/in-use';
import { givesPower, heldText } from '../../precondition/takeover';
import { Written } from '../../secret/digest';
import { ApiError, onFailure, reworded } from '../../transport/api';
import { isAbort, patiently } from '../../transport/pace';
import { ObjectPlace, RunContext } from '../context/run-context';

const TOO_LARGE = /too (long|large)/i;

/**
 * What the message of a server that refused an object lacks; empty if it is complete.
 *
 * @param passed whether the same server accepted a dry run of it
 */
function refusalHint(error: unknown, manifest: Manifest | undefined, passed: boolean): string {
  if (!(error instanceof ApiError) || error.failure !== 'invalid') {
    return '';
  }
  const size =
    manifest && TOO_LARGE.test(error.message)
      ? `; it has ${(Buffer.byteLength(JSON.stringify(manifest)) / 1_048_576).toFixed(1)} MiB as JSON`
      : '';
  const fix = manifest && fixOfRefusal(manifest, error.message);
  if (fix !== undefined) {
    return `. Fix: ${fix}`;
  }
  return `${size}${passed ? '; its dry run was accepted: a webhook that checks only real writes refuses it' : ''}`;
}

/** How long an object that cannot be written yet is retried. */
const WRITE_MS = 5 * 60_000;

/** What an apply did with an object. */
type AppliedState = 'created' | 'configured' | 'adopted' | 'unchanged';

/** An object while it is applied. */
interface Applied {
  readonly object: AssemblyObject;
  readonly manifest: Manifest;
  readonly secretPaths: readonly FieldPath[];
}

/** A live object, compared with what is applied. */
interface ComparedLive {
  readonly standing: Standing;
  readonly rewrite?: Rewrite;
}

/** How objects are applied. */
export interface ApplyWays {
  /** Whether images whose download or upload failed are recreated. @default false */
  readonly recreatesImages?: boolean;
  /**
   * Whether objects wait until those are ready that they depend on. Those that are only adopted need not:
   * what is on the clusters depends on them already. @default true
   */
  readonly awaitsReady?: boolean;
}

/** Applies objects and resolves late values. */
export class ApplyWorker implements NodeWorker {
  private readonly finish: (object: AssemblyObject, manifest: Manifest) => Manifest;
  private readonly sensitive: ReadonlySet<string>;
  private readonly manifests = new Map<string, Applied>();
  /** Objects that did not exist when this run first read them. */
  private readonly absent = new Set<string>();
  private granted = false;

  /**
   * @param keeper enforces a saved plan
   */
  public constructor(
    private readonly run: RunContext,
    private readonly late: LateResolver,
    private readonly turns: Turns,
    private readonly keeper?: PlanKeeper,
    private readonly how: ApplyWays = {},
  ) {
    this.finish = withMembership(run.options.app);
    this.sensitive = sensitiveIds(run.program.assembly.lateValues);
  }

  public async act(node: GraphNode): Promise<void> {
    if (node.late) {
      return this.resolve(node.id, node.late);
    }
    const object = node.object!;
    this.run.emit(object.id, object.target, 'applying');
    try {
      const applied = this.complete(object);
      const place = await this.run.place(object.target, this.waits(object));
      const known = place.keeper.entry(object.id);
      const entry = inventoryEntryOf(object, applied.manifest);
      // late names are known only now
      if (!known || known.name !== entry.name || known.namespace !== entry.namespace) {
        await place.keeper.expect([entry], this.run.kill);
      }
      let tried = false;
      await patiently(
        async () => {
          const isNew = !tried && this.isNew(applied, place);
          tried = true;
          await this.healing(object, place, async () => {
            if (!isNew || !(await this.create(applied, place))) {
              await this.apply(applied, place);
            }
          });
        },
        {
          timeoutMs: this.run.options.timeoutMs ?? WRITE_MS,
          onWait: this.waits(object),
          mayBeForbidden: () => this.granted,
        },
        this.run.pacing,
      );
      await setAgain(applied.manifest, place.cluster, this.run);
      await uploadImage(applied.manifest, place, object.id, this.run);
    } catch (error) {
      throw this.failure(error, object);
    }
  }

  public async settle({ object }: GraphNode): Promise<void> {
    const { id, target } = object!;
    if (this.how.awaitsReady === false) {
      return;
    }
    const { manifest, secretPaths } = this.manifests.get(id)!;
    try {
      const place = await this.run.place(target, this.waits(object!));
      await this.run.untilReady(id, place, refOf(manifest), {
        lookFurther: async (live) =>
          agentWords(live, place.cluster, async () => this.harvesters(), { signal: this.run.stop }),
        scrub: (text) => this.run.scrub(text, manifest, secretPaths),
      });
      this.run.emit(id, target, 'ready');
    } catch (error) {
      throw this.failure(error, object!);
    }
  }

  private harvesters(): Candidate[] {
    return this.run.open
      .filter(({ target }) => target.kind === 'harvester')
      .map(({ cluster, target }) => ({ cluster, name: target.name, version: target.version }));
  }

  private async resolve(node: string, late: AssemblyLateValue): Promise<void> {
    const { id, source, description } = late;
    const target = 'target' in source ? source.target : '';
    this.run.emit(node, target, 'waiting', description);
    try {
      await this.late.resolve(id);
    } catch (error) {
      if (!isAbort(error)) {
        this.run.noteFailure(target, error);
      }
      throw error;
    } finally {
      // from now on, messages must not contain it
      const value = this.late.values.get(id);
      if (value !== undefined && this.late.isSensitive(id)) {
        this.run.redactor.add(value);
      }
    }
    if (isRemembered(late, this.sensitive) && this.run.has(target)) {
      const { keeper } = await this.run.place(target, () => undefined);
      const value = this.late.values.get(id)!;
      if (keeper.noteLate(id, value)) {
        const shown = this.sensitive.has(id) ? undefined : value;
        this.run.warn(replacedText(late, this.run.program.assembly.targets, shown), target);
      }
    }
    this.run.emit(node, target, 'resolved');
  }

  private complete(object: AssemblyObject): Applied {
    const template = this.run.program.manifests.get(object.id)!;
    const completed = object.lateValues?.length ? this.late.complete(template) : template;
    const applied = {
      object,
      manifest: this.finish(object, completed),
      secretPaths: secretPathsOf(template, this.sensitive),
    };
    this.manifests.set(object.id, applied);
    return applied;
  }

  /**
   * Fails at once if a server misses an object that the program does not create: waiting cannot
   * help.
   */
  private async healing(
    { target }: AssemblyObject,
    { cluster }: ObjectPlace,
    act: () => Promise<void>,
  ): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof ApiError) || !error.missing) {
        throw error;
      }
      const final = (fix = ''): ApiError =>
        new ApiError('invalid', `${error.message}${fix}`, error.status, error.reason);
      if (!declares(this.run.program, target, error.missing)) {
        throw final();
      }
      const { going, name } = error.missing;
      const namespace =
        going && name !== undefined
          ? await cluster.read(
              { apiVersion: API_VERSIONS.CORE, kind: 'Namespace', name },
              { signal: this.run.stop },
            )
          : undefined;
      if (namespace && namespace.metadata.deletionTimestamp === undefined) {
        throw final(
          '; it is not being deleted. Fix: delete the Namespace if nothing in it is needed, and do not declare it: Rancher creates it for the Project',
        );
      }
      throw error;
    }
  }

  /**
   * Whether an object probably does not exist, so that it can be written without reading it first.
   */
  private isNew({ object, manifest }: Applied, { keeper }: ObjectPlace): boolean {
    // an object with derived values takes them from the live object, regardless of its creator
    return (
      !this.keeper &&
      !object.derived &&
      isMember(object) &&
      !mustExist(object) &&
      keeper.isNew(object.id) &&
      !judgesEdits(manifest) &&
      !mayBeAdopted(manifest) &&
      !givesPower(manifest) &&
      !isForced(this.run.fields, object.id) &&
      (this.run.fields.takeFieldsFrom ?? []).length === 0
    );
  }

  /**
   * Writes an object without reading it, which saves a request. Returns false if other field
   * managers own it: then it must be read.
   */
  private async create(applied: Applied, place: ObjectPlace): Promise<boolean> {
    const { manifest } = applied;
    const { cluster, keeper } = place;
    const { fieldManager } = this.run.fields;
    await this.turns.judge(applied, place);
    try {
      const answer = await cluster.apply(manifest, { fieldManager, signal: this.run.kill });
      this.noteAnswer(applied, answer, true);
      checkNotDeleted(answer.object);
      // a lost first answer may have reported the creation
      const isOurs =
        answer.created ||
        answer.object.metadata.managedFields?.every(({ manager }) => manager === fieldManager) ===
          true;
      this.done(applied, keeper, answer.object, isOurs ? 'created' : 'adopted');
      return true;
    } catch (error) {
      if (error instanceof ApiError && (error.failure === 'conflict' || isOfManagers(error))) {
        return false;
      }
      throw error;
    }
  }

  private async apply(declared: Applied, place: ObjectPlace): Promise<void> {
    const { cluster, listed, keeper } = place;
    const { object } = declared;
    const { fieldManager } = this.run.fields;
    const live = await listed.read(refOf(declared.manifest), { signal: this.run.stop });
    const chosen = keepLiveValues(object, declared.manifest, live).manifest;
    const manifest = remembering(chosen, live, fieldManager);
    const applied = { ...declared, manifest };
    checkMayApply(object, live, fieldManager);
    if (live && this.how.recreatesImages) {
      await deleteFailedImage(live, place, object.id, this.run);
    }
    const holders = await this.judge(applied, live, place);
    const held = holders && heldText(holders);
    const written = keeper.entry(object.id)?.written;
    await this.keeper?.check({ ...applied, live, cluster, written }, this.run);
    const compared = live && (await this.compare(applied, live, cluster, written));
    if (compared?.standing.same && !compared.rewrite) {
      return this.done(applied, keeper, live!, holders ? 'adopted' : 'unchanged', held);
    }
    if (compared) {
      this.checkRules(applied, live!, compared.standing);
    }
    const answer = await this.write(applied, cluster, live, compared);
    this.noteAnswer(applied, answer, !isUntouched(live, answer));
    this.warnOfLeft(applied, answer.rewritten?.object ?? live, compared?.standing);
    if (!live && givesPower(manifest) && kindOf<KindAccess>(manifest)?.power?.onlyIfHeld !== true) {
      checkCreated(answer, fieldManager);
    }
    const state = holders && live ? 'adopted' : stateAfter(object, live, answer, fieldManager);
    const message = [answer.rewritten ? rewriteText(answer.rewritten) : '', held]
      .filter((text) => text)
      .join('; ');
    this.done(applied, keeper, answer.object, state, message);
  }

  private async compare(
    { object, manifest }: Applied,
    live: LiveObject,
    cluster: Cluster,
    written: Written | undefined,
  ): Promise<ComparedLive> {
    const { fields, stop: signal } = this.run;
    const rewrite = await adoption(live, manifest, cluster, { ...fields, signal });
    const standing = standingOf(manifest, rewrite?.object ?? live, {
      fieldManager: fields.fieldManager,
      othersWrite: object.othersWrite,
      written,
    });
    return { standing, rewrite };
  }

  private async write(
    { object, manifest }: Applied,
    cluster: Cluster,
    live: LiveObject | undefined,
    compared: ComparedLive | undefined,
  ): Promise<ObjectAnswer> {
    const { fields, kill: signal } = this.run;
    const sent = compared?.standing.manifest ?? manifest;
    // what is written must be the object that was judged
    const isJudged = live !== undefined && (mustExist(object) || givesPower(manifest));
    // with the UID of the live object, a server does not recreate one that was deleted after it was
    // read
    return applyObject(
      cluster,
      isJudged ? { ...sent, metadata: { ...sent.metadata, uid: live.metadata.uid } } : sent,
      {
        ...fields,
        live,
        rewrite: compared?.rewrite,
        force: isForced(fields, object.id),
        signal,
      },
    ).catch(
      onFailure(isJudged ? ['precondition'] : [], ({ message }) => {
        throw new ApiError('blocked', `was deleted or recreated since it was read: ${message}`);
      }),
    );
  }

  /** Judges the preconditions of a step, unless the answer to its first try was lost. */
  private async judge(
    applied: Applied,
    live: LiveObject | undefined,
    place: ObjectPlace,
  ): Promise<readonly string[] | undefined> {
    const { id } = applied.object;
    if (live && this.absent.has(id) && ownedBy(live, this.run.fields.fieldManager)) {
      return undefined;
    }
    if (!live) {
      this.absent.add(id);
    }
    return this.turns.judge(applied, place, { live });
  }

  private noteAnswer(
    { object, manifest, secretPaths }: Applied,
    { warnings }: ApplyAnswer,
    changed: boolean,
  ): void {
    for (const warning of warnings) {
      this.run.warn(this.run.scrub(warning, manifest, secretPaths), object.target, object.id);
    }
    if (changed && kindOf<KindReadiness>(manifest)?.grantsAccess) {
      this.granted = true;
    }
  }

  /** Reports fields that remain although the program no longer sets them. */
  private warnOfLeft(
    { object, manifest, secretPaths }: Applied,
    live: LiveObject | undefined,
    standing: Standing | undefined,
  ): void {
    const { id, target } = object;
    const { fieldManager } = this.run.fields;
    for (const text of live
      ? leftFieldWarnings(live, standing?.differences ?? [], fieldManager)
      : []) {
      this.run.warn(this.run.scrub(text, manifest, secretPaths), target, id);
    }
  }

  /** Throws if a rule knows that the server would accept an edit without effect, or with a loss. */
  private checkRules(
    { object, manifest }: Applied,
    live: LiveObject,
    { differences }: Standing,
  ): void {
    const { id, target } = object;
    const found =
      judgeLive([
        { id, target: this.run.program.targets.get(target)!.target, desired: manifest, live },
      ]).get(id) ?? [];
    const changes = differences.map(({ path }) => ({ path: pathText(path) }));
    const { refused } = withLiveFindings(
      { id, target, action: 'update', changes, conflicts: [], waitsFor: [], digest: '' },
      found,
    );
    if (refused !== undefined) {
      throw new Error(refused);
    }
  }

  private done(
    { object, manifest }: Applied,
    keeper: ObjectPlace['keeper'],
    live: LiveObject,
    state: AppliedState,
    message?: string,
  ): void {
    const written = writtenDigest(manifest, object.othersWrite);
    keeper.note({ ...inventoryEntryOf(object, manifest), uid: live.metadata.uid }, written);
    this.run.emit(object.id, object.target, state, message);
  }

  private waits({ id, target }: AssemblyObject): (why: string) => void {
    return (why) => {
      this.run.emit(id, target, 'waiting', this.scrubbed(why, id));
    };
  }

  private scrubbed(text: string, id: string): string {
    const applied = this.manifests.get(id);
    return this.run.scrub(text, applied?.manifest, applied?.secretPaths);
  }

  private failure(error: unknown, { id, target, construct }: AssemblyObject): unknown {
    if (isAbort(error)) {
      return error;
    }
    this.run.noteFailure(target, error);
    const hint = refusalHint(
      error,
      this.manifests.get(id)?.manifest,
      this.keeper?.passed(id) ?? false,
    );
    const message = `${id} (${construct}): ${this.scrubbed(messageOf(error as Error, id), id)}${hint}`;
    return reworded(error, message);
  }
}

/** The inventory entry of an object before it is written. */
export function inventoryEntryOf(
  object: AssemblyObject,
  { apiVersion, kind, metadata }: Manifest,
): InventoryEntry {
  const { namespace, name } = metadata;
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

function checkMayApply(
  object: AssemblyObject,
  live: LiveObject | undefined,
  fieldManager: string,
): void {
  if (!live) {
    if (!mustExist(object)) {
      return;
    }
    throw new Error(missingText(object));
  }
  checkNotDeleted(live);
  const other = isMember(object) ? otherSetOf(live, fieldManager) : undefined;
  if (other) {
    throw new Error(`belongs to ${other}. ${TAKE_OUT}`);
  }
}

/** Whether a write changed nothing. */
function isUntouched(live: LiveObject | undefined, { object }: ApplyAnswer): boolean {
  return live !== undefined && live.metadata.resourceVersion === object.metadata.resourceVersion;
}

function stateAfter(
  object: AssemblyObject,
  live: LiveObject | undefined,
  answer: ApplyAnswer,
  fieldManager: string,
): AppliedState {
  if (!live) {
    return 'created';
  }
  if (isUntouched(live, answer)) {
    return 'unchanged';
  }
  return ownedBy(live, fieldManager) || !isMadeOnce(object) ? 'configured' : 'adopted';
}

/** Throws if another client created an object after this run saw that it does not exist. */
function checkCreated({ created, object }: ApplyAnswer, fieldManager: string): void {
  const others = otherManagers(object, fieldManager);
  if (created || others.length === 0) {
    return;
  }
  throw new Error(
    `was created by someone else at the same time (written by ${others.join(', ')}), and gives permissions. Fix: find out who made it, and delete it; then run the command again`,
  );
}

/** Whether an object is created by an apply: one that always exists is not adopted. */
function isMadeOnce(object: AssemblyObject): boolean {
  return (
    !mustExist(object) &&
    object.deletion?.policy !== 'reset' &&
    kindOf(object)?.createdByRancher !== true
  );
}

function checkNotDeleted(live: LiveObject): void {
  if (live.metadata.deletionTimestamp !== undefined) {
    throw new ApiError('blocked', `the previous object is still being deleted, ${heldBy(live)}`);
  }
}

function messageOf(error: Error, id: string): string {
  if (!(error instanceof ApiError) || error.failure !== 'conflict') {
    return error.message;
  }
  const fields = error.conflicts
    .map(({ field, manager }) => `${field} is owned by ${manager}`)
    .join(', ');
  return (
    `other field managers own fields that the program sets: ${fields || error.message}. Fix: remove them from the program, let the other field manager release them, ` +
    `or take them with --force-conflicts '${id}'${adoptHint(error.conflicts)}`
  );
}
