import { Construct } from 'constructs';
import { Comparison, completionOf } from './compare';
import { Evaluated } from './evaluate';
import { Completion, foundId, Statements } from './statements';
import { markTestApp } from '../../core/construct/scope';
import { Draft, FoundObject } from '../../core/draft/draft';
import { ProgramObject } from '../../core/program/program';
import { collect } from '../../core/synthesis/collect';

/** The objects that a program renders. */
export interface Rendered {
  readonly byId: ReadonlyMap<string, ProgramObject>;
  /** The objects that no draft declares. */
  readonly created: readonly ProgramObject[];
  /**
   * The objects below a construct that no draft declares: those in the chart of a guest cluster are
   * of other drafts.
   */
  extra(construct: Construct): readonly ProgramObject[];
}

/** Renders a program. */
export function renderedBy({ app }: Evaluated, statements: Statements): Rendered {
  markTestApp(app);
  const { objects } = collect(app);
  const byConstruct = new Map<string, ProgramObject[]>();
  for (const object of objects) {
    const steps = object.construct.split('/');
    steps.forEach((_, index) => {
      const path = steps.slice(0, index + 1).join('/');
      const list = byConstruct.get(path) ?? [];
      byConstruct.set(path, list);
      list.push(object);
    });
  }
  return {
    byId: new Map(objects.map((object) => [object.id, object])),
    created: objects.filter(({ id }) => !statements.declarer(id)),
    extra: (construct) =>
      (byConstruct.get(construct.node.path) ?? []).filter(({ id }) => !statements.declarer(id)),
  };
}

/** What makes a construct render all of its live objects. */
export function completedManifest(
  { declares: [main, ...parts], sharesMetadata = parts.length > 0, patchable }: Draft,
  found: ReadonlyMap<FoundObject, Comparison>,
  rendered: Rendered,
): Completion {
  const completions = [...found].map(
    ([object, comparison]) =>
      [
        object,
        completionOf(
          comparison,
          rendered.byId.get(foundId(object))!.manifest,
          object === main && !sharesMetadata,
        ),
      ] as const,
  );
  const own = completions.find(([object]) => object === main)?.[1] ?? { patches: [] };
  // a construct of several equal objects has none of its own
  const isPart = patchable?.has(foundId(main)) === true;
  return {
    ...own,
    patches: isPart ? [] : own.patches,
    parts: new Map(
      completions
        .filter(([object, { patches }]) => object !== main || (isPart && patches.length > 0))
        .map(([object, { patches }]) => [foundId(object), patches]),
    ),
  };
}
