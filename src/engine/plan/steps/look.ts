import { PlanLate } from './plan-late';
import { PlannedObject } from './plan-object';
import { eachOfTargets, Planning, declaredManifest } from './planning';
import { hasLateName } from '../../../core/late/late-token';
import { Manifest } from '../../../core/manifest/manifest';
import { AssemblyObject } from '../../../core/output/assembly';
import { secretPathsOf, sensitiveIds } from '../../../core/secret/redactor';
import { refOf } from '../../cluster/cluster';
import { ApiError, onFailure } from '../../transport/api';

/** A declared object, its manifest as it would be written, and its live state. */
export interface Looked extends Pick<
  PlannedObject,
  | 'object'
  | 'manifest'
  | 'secretPaths'
  | 'waitsFor'
  | 'live'
  | 'cluster'
  | 'written'
  | 'knownUid'
  | 'unreadable'
> {
  /** The manifest without what an apply adds: rules judge it. */
  readonly completed: Manifest;
}

/** Looks at the live state of declared objects. */
export class Looks {
  private readonly sensitive: ReadonlySet<string>;
  /** Targets of which a brief plan looks at nothing more. */
  private readonly unsure = new Set<string>();

  public constructor(
    private readonly planning: Planning,
    private readonly late: PlanLate,
  ) {
    this.sensitive = sensitiveIds(planning.input.assembly.lateValues);
  }

  /** Whether a look at a target failed: the plan does not know what is on it. */
  public isUnsure(target: string): boolean {
    return this.unsure.has(target);
  }

  /** Looks at objects; in a brief plan, at those alone that it looks at. */
  public async at(objects: readonly AssemblyObject[]): Promise<readonly Looked[]> {
    const { brief } = this.planning.options;
    const chosen = brief ? objects.filter(brief.looksAt) : objects;
    const looked = await this.each(
      chosen,
      ({ target }) => target,
      async (object) => this.look(object),
    );
    return looked.flatMap((each) => each ?? []);
  }

  /**
   * Acts on each of some items. In the plan of an apply, what cannot be looked at now is looked at
   * where its step is executed.
   */
  public async each<T, R>(
    items: readonly T[],
    targetOf: (item: T) => string,
    act: (item: T) => Promise<R>,
  ): Promise<(R | undefined)[]> {
    return eachOfTargets(this.planning.options, items, targetOf, async (item) => {
      const target = targetOf(item);
      if (this.unsure.has(target)) {
        return undefined;
      }
      return act(item).catch((error: unknown) => {
        this.passOver(target, error);
        return undefined;
      });
    });
  }

  /** Notes that a look at a target failed. Throws the error where the plan is not brief. */
  private passOver(target: string, error: unknown): void {
    const { brief } = this.planning.options;
    if (!brief?.onFailure || !(error instanceof ApiError) || error.failure === 'aborted') {
      throw error;
    }
    if (!this.unsure.has(target)) {
      brief.onFailure(target, error);
    }
    this.unsure.add(target);
  }

  private async look(object: AssemblyObject): Promise<Looked> {
    const { input, options, open, entries } = this.planning;
    const template = declaredManifest(input, object);
    const waitsFor = await this.late.unknown(object);
    const { late, finish } = options;
    const completed = late && object.lateValues?.length ? late.completeKnown(template) : template;
    const manifest = finish ? finish(object, completed) : completed;
    const { cluster } = await open.open(object.target);
    const entry = entries.get(object.id);
    return {
      object,
      manifest,
      completed,
      waitsFor,
      cluster,
      secretPaths: secretPathsOf(template, this.sensitive),
      ...(hasLateName(manifest.metadata) ? {} : await this.read(object.target, manifest)),
      written: entry?.written,
      knownUid: entry?.uid,
    };
  }

  // an object that cannot be read does not hide the others: all missing permissions are reported at
  // once
  private async read(
    target: string,
    manifest: Manifest,
  ): Promise<Pick<Looked, 'live' | 'unreadable'>> {
    return this.planning.open.read(target, refOf(manifest)).then(
      (live) => ({ live }),
      onFailure(['forbidden'], ({ message }) => ({ unreadable: message })),
    );
  }
}
