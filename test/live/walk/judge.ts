import { wrongChanges } from './changes-judge';
import { Done, Said, Seen } from './said';
import { at, pathOf, refId, sameValue } from '../../../src/core/manifest/manifest';
import { Finding } from '../../../src/core/rule/finding';
import { isCounted } from '../../../src/core/rule/report';
import { isHidden } from '../../../src/core/secret/redactor';
import {
  PlannedField,
  PlanAction,
  PlanStep,
  isProblem,
  labelOf,
} from '../../../src/engine/plan/plan';
import { NodeState } from '../../../src/engine/run/context/events';
import { Effect, Impact } from '../../../src/report/impact/impact';

/** The states of an apply that an action can have. */
const STATES: { readonly [action in PlanAction]: readonly NodeState[] } = {
  create: ['created'],
  update: ['configured', 'adopted'],
  unchanged: ['unchanged'],
  prune: ['deleted'],
  keep: ['kept'],
  reset: ['reset'],
  unknown: ['created', 'configured', 'adopted', 'unchanged'],
};

/** What has to be true of an object after an action; the answer is what is wrong. */
const TRUTHS: { readonly [action in PlanAction]: (seen: Seen) => string | undefined } = {
  create: (seen) => {
    if (seen.before) {
      return 'was there before';
    }
    return isThere(seen) ? undefined : 'is not there';
  },
  update: sameObject,
  unchanged: sameObject,
  prune: (seen) => (isThere(seen) ? 'is still there' : undefined),
  keep: sameObject,
  reset: sameObject,
  unknown: (seen) => (isThere(seen) ? undefined : 'is not there'),
};

/** What has to be true of an object after an effect that `impact` names. Machines of pools are not objects of a program. */
const EFFECTS: { readonly [effect in Effect]?: (seen: Seen) => string | undefined } = {
  delete: TRUTHS.prune,
  kept: sameObject,
  create: (seen) => (isThere(seen) ? undefined : 'is not there'),
  restart: sameObject,
  none: sameObject,
};

function disabled({ after }: Seen): string | undefined {
  return after?.enabled === true ? 'is still enabled' : undefined;
}

function isThere({ after }: Seen): boolean {
  return after !== undefined && after.metadata.deletionTimestamp === undefined;
}

function sameObject(seen: Seen): string | undefined {
  if (!isThere(seen)) {
    return 'is not there';
  }
  return seen.before && seen.before.metadata.uid !== seen.after!.metadata.uid
    ? 'was recreated'
    : undefined;
}

/** Where a commit did something else than the commands reported; each begins with the command that was wrong. */
export function disagreements(said: Said, done: Done): string[] {
  return [
    ...ofRefusal(said, done),
    ...ofReview(said),
    ...(done.refused === undefined ? ofObjects(said, done) : []),
  ];
}

function ofObjects(said: Said, done: Done): string[] {
  return [
    ...said.plan.steps.flatMap((step) => ofStep(step, done)),
    ...ofFailures(said, done),
    ...said.impacts.flatMap((impact) => ofImpact(impact, said, done)),
    ...wrongChanges(said, done),
  ];
}

/** Whether a plan reports that a run does not begin. */
function ofRefusal({ plan }: Said, { refused }: Done): string[] {
  const { problems = [], missingRights = [], steps } = plan;
  if (refused === undefined) {
    return problems.map((problem) => `plan: refuses (${problem}), and apply began`);
  }
  const told = [...problems, ...missingRights, ...steps.flatMap((step) => step.refused ?? [])];
  return told.length > 0 ? [] : [`plan: silent about what apply refuses: ${refused}`];
}

function ofStep(step: PlanStep, { seen, states, failed, skipped }: Done): string[] {
  const { id, action } = step;
  if (isProblem(step) || failed.has(id) || skipped.has(id)) {
    return [];
  }
  const state = states.get(id);
  const other =
    state !== undefined && !STATES[action].includes(state)
      ? [`plan: ${action} ${id}, and apply reported ${state}`]
      : [];
  const object = seen.get(id);
  if (!object) {
    return [...other, `plan: ${action} ${id}, of which nothing else is known`];
  }
  const wrong = TRUTHS[action](object);
  const fields =
    action === 'update' ? step.changes.flatMap((change) => ofField(change, object)) : [];
  return [
    ...other,
    ...(wrong === undefined ? [] : [`plan: ${action} ${id}, and it ${wrong}`]),
    ...fields.map((text) => `plan: update ${id}, and ${text}`),
  ];
}

/** The path of an item of a list, or below one. */
const IN_LIST = /\[\d+\]/;

/** Values that a plan hides, or cannot know. */
function isSaid(value: unknown): boolean {
  return value !== '(known after apply)' && !isHidden(value);
}

function ofField({ path, before, after }: PlannedField, seen: Seen): string[] {
  const sides = [
    ['before', before, seen.before],
    ['after', after, seen.after],
  ] as const;
  return sides.flatMap(([when, said, live]) => {
    const is = at(live, pathOf(path));
    const equal = sameValue(said, is);
    // items of a list are paired by name: the place of one that is new or removed may be that of another
    const isOther = said === undefined && IN_LIST.test(path);
    return equal || isOther || !isSaid(said)
      ? []
      : [`${path} ${when} it is ${JSON.stringify(is)} instead of ${JSON.stringify(said)}`];
  });
}

/** Refusals of the servers that nothing announced, and announced ones that did not come. */
function ofFailures({ plan, impacts, findings }: Said, { seen, failed, skipped }: Done): string[] {
  const errors = findings.filter((finding) => finding.level === 'error' && isCounted(finding));
  const refused = new Map(
    plan.steps.filter(isProblem).map((step) => [step.id, step.refused ?? 'a conflict']),
  );
  const isLinted = (id: string): boolean => errors.some((finding) => isAbout(finding, id));
  const isRefused = (id: string): boolean =>
    impacts.some((impact) => impact.effect === 'refuse' && idOf(impact, plan.steps) === id);
  return [
    ...[...failed].flatMap(([id, message]) => [
      ...(refused.has(id) ? [] : [`plan: silent about ${id}, which failed: ${message}`]),
      ...(isLinted(id) || isRefused(id)
        ? []
        : [`lint: silent about ${id}, which failed: ${message}`]),
    ]),
    ...[...refused].flatMap(([id, message]) =>
      failed.has(id) || skipped.has(id)
        ? []
        : [`plan: refuses ${id} (${message}), which did not fail`],
    ),
    ...errors.flatMap(({ rule, object, target, message }) => {
      const id = plan.steps.find((step) => isAbout({ object, target }, step.id))?.id;
      // an error also announces what is lost
      const isGone = id !== undefined && !isThere(seen.get(id) ?? {});
      return id !== undefined && (failed.has(id) || skipped.has(id) || isGone)
        ? []
        : [`lint: ${rule} is an error of ${id ?? message}, and it did not fail`];
    }),
  ];
}

function isAbout({ object, target }: Pick<Finding, 'object' | 'target'>, id: string): boolean {
  if (!object) {
    return false;
  }
  const { apiVersion, kind, namespace, name } = object;
  return id === refId(target ?? '', { apiVersion, kind, namespace, name });
}

function idOf({ target, object, cluster }: Impact, steps: readonly PlanStep[]): string | undefined {
  const label = object ?? `Cluster ${cluster}`;
  return steps.find((step) => step.target === target && labelOf(step) === label)?.id;
}

function ofImpact(impact: Impact, { plan }: Said, { seen, failed, skipped }: Done): string[] {
  const { effect, pool, object, cluster } = impact;
  const id = idOf(impact, plan.steps);
  const label = id ?? object ?? cluster;
  if (effect === 'refuse') {
    return id !== undefined && !failed.has(id) && !skipped.has(id)
      ? [`impact: refuse ${label}, which did not fail`]
      : [];
  }
  if (id === undefined || failed.has(id) || skipped.has(id) || pool !== undefined) {
    return [];
  }
  // `impact` expects an apply that keeps what holds machines or data
  const action = plan.steps.find((step) => step.id === id)?.action;
  const isPruned = effect === 'kept' && action === 'prune';
  // a login that leaves is disabled: what Rancher deletes are its users
  const truth = effect === 'delete' && action === 'reset' ? disabled : EFFECTS[effect];
  const wrong = isPruned ? undefined : truth?.(seen.get(id) ?? {});
  return wrong === undefined ? [] : [`impact: ${effect} ${label}, and it ${wrong}`];
}

/** A review of the committed output reports what `impact` and `lint --before` report. */
function ofReview({ impacts, findings, review }: Said): string[] {
  const texts = (all: readonly Impact[]): string[] =>
    all.map(({ effect, target, object, cluster, pool, what }) =>
      [effect, target, object ?? cluster, pool ?? '', what].join(' '),
    );
  const errors = (all: readonly Finding[]): string[] =>
    all
      .filter((finding) => finding.level === 'error' && isCounted(finding))
      .map(({ rule, target, object }) => [rule, target, object?.kind, object?.name].join(' '));
  return [
    ...review.failures.map(({ side, reason }) => `review: cannot read the ${side}: ${reason}`),
    ...onlyIn(texts(impacts), texts(review.impacts)).map(
      (text) => `review: lacks the impact ${text}`,
    ),
    ...onlyIn(texts(review.impacts), texts(impacts)).map(
      (text) => `review: has the impact ${text}`,
    ),
    ...onlyIn(errors(findings), errors(review.findings)).map(
      (text) => `review: lacks the error ${text}`,
    ),
  ];
}

function onlyIn(some: readonly string[], others: readonly string[]): string[] {
  return some.filter((each) => !others.includes(each));
}
