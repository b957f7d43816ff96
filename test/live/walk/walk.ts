import { cpSync, rmSync } from 'fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'path';
import { disagreements } from './judge';
import { Done, Said, Seen } from './said';
import { apply, destroy, plan } from '../../../src/commands';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { LiveObject, ObjectRef } from '../../../src/engine/cluster/cluster';
import { appOf, isMember } from '../../../src/engine/fields/apply-set';
import { readEdits } from '../../../src/engine/read/compared-input';
import { lintPaths } from '../../../src/engine/read/lint';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { NodeState, RunEvent, RunSummary } from '../../../src/engine/run/context/events';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { impactsOfEdits } from '../../../src/report/impact/edit-impacts';
import { reviewProject } from '../../../src/report/review/review';
import { GitProject } from '../../support/git-project';
import { Question, wrongAnswers } from '../lab/access';
import { Product } from '../lab/kubeconfigs';
import { Lab, TARGETS } from '../lab/lab';

/** How long controllers may write after an apply, until a plan has nothing to do. */
const SETTLE_MS = 45_000;
const LOOK_MS = 2_000;
/** The folder of the output in the repository of a walk. */
const SHOWN = 'dist';
/** How long one object may take. */
const OBJECT_MS = 120_000;

/** The summary of a run that did not begin. */
const NOTHING: RunSummary = {
  done: [],
  counts: {},
  failed: [],
  skipped: [],
  pending: [],
  interrupted: false,
  seconds: 0,
};

/** The charts of a program of a walk. */
export interface Charts {
  readonly app: HarvesterApp;
  readonly rancher: RancherChart;
  readonly dc1: HarvesterChart;
}

/** An object that the program declared once. */
interface DeclaredRef extends ObjectRef {
  readonly target: string;
  /** Whether it is deleted when it is no longer declared; others are reset, or kept. */
  readonly isDeleted: boolean;
}

/** Declares the objects of a commit. */
export type Declare = (charts: Charts) => void;

/** What a commit is done with, and what is asked afterwards. */
export interface CommitOptions {
  /** What users may do after it. */
  readonly access?: readonly Question[];
  /** Whether objects with machines or data that leave are deleted. @default false */
  readonly pruneMachines?: boolean;
  /** IDs of objects of others that may be adopted although they give permissions. */
  readonly acceptExisting?: readonly string[];
  /** IDs of namespaces that are deleted with what is in them. */
  readonly acceptInUse?: readonly string[];
  /** Whether nothing must be left to do afterwards. @default true */
  readonly settles?: boolean;
}

/** One program, commit by commit, on the servers of a lab. */
export class Walk {
  public readonly app: string;
  /** The output of the last commit that was applied. */
  public dist: string;
  /** What the commands reported of the last commit. */
  public said?: Said;
  private readonly repository = new GitProject();
  private readonly refs = new Map<string, DeclaredRef>();
  private commits = 0;

  /** @param title unique among the walks of a lab */
  public constructor(
    private readonly lab: Lab,
    private readonly title: string,
  ) {
    this.app = lab.name(title);
    this.dist = this.synthesize(() => undefined);
    this.record(this.dist);
  }

  /**
   * Asks the commands what a commit does, applies it, and compares; then does it again, which must change nothing.
   *
   * @returns where the commands were wrong
   */
  public async commit(declare: Declare, options: CommitOptions = {}): Promise<string[]> {
    const dist = this.synthesize(declare);
    const said = await this.say(dist, options);
    this.said = said;
    const done = await this.do(dist, said, options);
    const wrong = disagreements(said, done);
    // what was refused is not what the next commit follows
    if (done.failed.size === 0 && done.refused === undefined) {
      this.record(dist);
      wrong.push(...(options.settles === false ? [] : await this.again(dist, options)));
    }
    wrong.push(...(await wrongAnswers(this.lab, options.access ?? [])));
    return wrong;
  }

  /**
   * Deletes everything; returns what is still there and was not announced to be.
   *
   * @param acceptInUse IDs of namespaces that are deleted with what is in them
   */
  public async destroy(acceptInUse?: readonly string[]): Promise<string[]> {
    const summary = await destroy(this.dist, {
      config: this.lab.config,
      app: this.app,
      timeoutMs: OBJECT_MS,
      acceptInUse,
    });
    const kept = new Set((summary.kept ?? []).map(({ id }) => id));
    const wrong = summary.failed.map(({ id, message }) => `destroy: ${id} failed: ${message}`);
    const app = appOf(this.app);
    for (const [id, ref] of this.refs) {
      const live = await this.read(ref);
      const isOurs = live?.metadata.managedFields?.some(
        ({ manager }) => manager === app.fieldManager,
      );
      const isDeleted = this.refs.get(id)!.isDeleted && !kept.has(id);
      if (live && !live.metadata.deletionTimestamp && isOurs && isDeleted) {
        wrong.push(`destroy: ${id} is still there, with fields of ${app.fieldManager}`);
      }
    }
    return wrong;
  }

  /** An object as its server has it. */
  public async read({
    target,
    ...ref
  }: ObjectRef & { readonly target: string }): Promise<LiveObject | undefined> {
    return this.lab.serverOf(target).cluster.read(ref);
  }

  /** The output folder of a program of this walk. */
  public synthesize(declare: Declare): string {
    const outdir = join(this.lab.folder, `${this.title}-${this.commits++}`);
    const app = new HarvesterApp({ outdir, printWarnings: false });
    const { rancher, harvester } = chartsOf(app, this.lab);
    declare({
      app,
      get rancher() {
        return rancher ?? missing('rancher');
      },
      get dc1() {
        return harvester ?? missing('harvester');
      },
    });
    app.synth();
    for (const object of loadAssembly(outdir).assembly.objects) {
      this.refs.set(object.id, { ...object, isDeleted: isMember(object) });
    }
    return outdir;
  }

  private get binding() {
    return { config: this.lab.config, app: this.app, acceptEmpty: true };
  }

  private async say(dist: string, { pruneMachines, acceptExisting }: CommitOptions): Promise<Said> {
    const before = [this.dist];
    const planned = await plan(dist, { ...this.binding, pruneMachines, acceptExisting });
    this.show(dist);
    return {
      plan: planned.plan,
      // texts may name the files of an object
      impacts: impactsOfEdits(readEdits([dist], before, {})).map((each) => ({
        ...each,
        what: each.what.replaceAll(this.dist, SHOWN).replaceAll(dist, SHOWN),
      })),
      findings: lintPaths([dist], { before }),
      review: await reviewProject(this.repository.folder, {
        base: 'HEAD',
        exactBase: true,
        committed: [SHOWN],
      }),
    };
  }

  /** What the review compares: the last commit in Git, and the next one in the work tree. */
  private show(dist: string): void {
    const shown = join(this.repository.folder, SHOWN);
    rmSync(shown, { recursive: true, force: true });
    cpSync(dist, shown, { recursive: true });
  }

  private record(dist: string): void {
    this.show(dist);
    this.repository.commit('feat: the next commit', {});
    this.dist = dist;
  }

  private async do(dist: string, said: Said, options: CommitOptions): Promise<Done> {
    const ids = said.plan.steps.map(({ id }) => id).filter((id) => this.refs.has(id));
    const before = await this.readAll(ids);
    const { summary, states, refused } = await this.apply(dist, options);
    const after = await this.readAll(ids);
    const seen = ids.map((id): [string, Seen] => [
      id,
      { before: before.get(id), after: after.get(id) },
    ]);
    return {
      seen: new Map(seen),
      states,
      failed: new Map(summary.failed.map(({ id, message }) => [id, message])),
      skipped: new Set([...summary.skipped.map(({ id }) => id), ...summary.pending]),
      refused,
    };
  }

  private async apply(dist: string, { pruneMachines, acceptExisting, acceptInUse }: CommitOptions) {
    const states = new Map<string, NodeState>();
    const onEvent = (event: RunEvent): void => {
      // what is waited for gets ready after it was created
      if (event.type === 'node' && !['ready', 'not-ready'].includes(event.state)) {
        states.set(event.id, event.state);
      }
    };
    const running = apply(dist, {
      ...this.binding,
      pruneMachines,
      acceptExisting,
      acceptInUse,
      timeoutMs: OBJECT_MS,
      onEvent,
    });
    let refused: string | undefined;
    const summary = await running.catch((error: Error): RunSummary => {
      refused = error.message;
      return NOTHING;
    });
    return { summary, states, refused };
  }

  private async readAll(ids: readonly string[]): Promise<Map<string, LiveObject>> {
    const read = await Promise.all(
      ids.map(async (id) => [id, await this.read(this.refs.get(id)!)] as const),
    );
    return new Map(read.flatMap(([id, live]) => (live ? [[id, live] as const] : [])));
  }

  /** The same commit again: a plan has nothing to do, and an apply writes nothing. */
  private async again(dist: string, options: CommitOptions): Promise<string[]> {
    const left = await this.leftToDo(dist, options);
    const before = await this.readAll([...this.refs.keys()]);
    const { summary } = await this.apply(dist, options);
    const after = await this.readAll([...this.refs.keys()]);
    const { fieldManager } = appOf(this.app);
    const written = [...before].filter(
      ([id, object]) => writtenAt(object, fieldManager) !== writtenAt(after.get(id), fieldManager),
    );
    return [
      ...left,
      ...summary.failed.map(({ id, message }) => `apply again: ${id} failed: ${message}`),
      ...written.map(([id]) => `apply again: wrote ${id}`),
    ];
  }

  private async leftToDo(
    dist: string,
    { pruneMachines, acceptExisting }: CommitOptions,
  ): Promise<string[]> {
    const deadline = Date.now() + SETTLE_MS;
    for (;;) {
      const { plan: next, outcome } = await plan(dist, {
        ...this.binding,
        pruneMachines,
        acceptExisting,
      });
      if (outcome === 'nothing') {
        return [];
      }
      if (Date.now() > deadline) {
        return next.steps
          .filter(({ action }) => action !== 'unchanged' && action !== 'keep')
          .map(({ id, action, changes, reason, refused }) =>
            [
              `plan again: ${action} ${id}`,
              ...(reason === undefined ? [] : [reason]),
              ...changes.map(
                ({ path, before, after }) =>
                  `${path}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
              ),
              ...(refused === undefined ? [] : [refused]),
            ].join('; '),
          );
      }
      await sleep(LOOK_MS);
    }
  }
}

/** When a field manager last changed an object. */
function writtenAt(object: LiveObject | undefined, fieldManager: string): unknown {
  return object?.metadata.managedFields?.find(({ manager }) => manager === fieldManager)?.time;
}

/** A chart for each product of a lab. */
function chartsOf(app: HarvesterApp, lab: Lab) {
  const { products, facts } = lab;
  return {
    rancher: products.includes('rancher')
      ? new RancherChart(app, TARGETS.rancher, {
          version: lab.server('rancher').version,
          serverUrl: facts.serverUrl!,
        })
      : undefined,
    harvester: products.includes('harvester')
      ? new HarvesterChart(app, TARGETS.harvester, {
          version: lab.server('harvester').version,
          vip: facts.vip,
        })
      : undefined,
  };
}

function missing(product: Product): never {
  throw new Error(`${product}: the scenario did not open it. Fix: add it to Lab.open`);
}
