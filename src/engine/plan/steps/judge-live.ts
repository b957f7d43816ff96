import { Manifest, groupOf, kindKey, refId, objectId } from '../../../core/manifest/manifest';
import { AssemblyTarget } from '../../../core/output/assembly';
import { oneLine } from '../../../core/problem/problem';
import { judge, judgedTarget } from '../../../core/rule/judge';
import { allRules } from '../../../core/rule/judge-all';
import { JudgedObject, Rule, World } from '../../../core/rule/rule';
import { PlanStep } from '../plan';

/** A declared object and its live state; `desired` is undefined if it is deleted. */
interface LivePair {
  readonly id: string;
  readonly target: AssemblyTarget;
  readonly desired?: Manifest;
  readonly live?: Manifest;
}

/** A finding about an edit or a deletion of a live object. */
interface LiveFinding {
  readonly level: 'error' | 'warning';
  readonly path: string;
  readonly text: string;
}

/**
 * Judges changes by the rules about edits and deletions: what a server refuses only in a real
 * write, and what it accepts without effect (such as a new ID for an existing management cluster).
 * Synthesis has judged the objects themselves.
 */
export function judgeLive(pairs: readonly LivePair[]): ReadonlyMap<string, readonly LiveFinding[]> {
  const rules = allRules()
    .filter(({ judgeUpdate, judgeDeletion }) => judgeUpdate ?? judgeDeletion)
    .map((rule): Rule => ({ ...rule, judge: undefined }));
  const judged = (form: 'desired' | 'live'): JudgedObject[] =>
    pairs.flatMap(({ [form]: manifest, target }) =>
      manifest
        ? [{ manifest, target: judgedTarget(target.name, target.kind, target.version) }]
        : [],
    );
  const ids = new Map(
    pairs.flatMap(({ id, target, desired, live }) =>
      [desired, live].flatMap((manifest) =>
        manifest ? [[objectId(target.name, manifest), id] as const] : [],
      ),
    ),
  );
  const found = new Map<string, LiveFinding[]>();
  for (const finding of judge(rules, new World(judged('desired'), [], judged('live')))) {
    const id = finding.object && ids.get(refId(finding.target ?? '', finding.object));
    if (id === undefined) {
      continue;
    }
    const list = found.get(id) ?? [];
    const { level, path, message, fix, rule } = finding;
    list.push({
      level: level === 'error' ? 'error' : 'warning',
      path,
      text: `${oneLine({ path, message, fix })} [${rule}]`,
    });
    found.set(id, list);
  }
  return found;
}

/**
 * Whether a rule judges edits of a kind, so that its live objects must be read before they are
 * written.
 */
export function judgesEdits(manifest: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
  return EDITED.has('*') || EDITED.has(kindKey(groupOf(manifest.apiVersion), manifest.kind));
}

// the server itself refuses at once what is against a definition: no read is worth it
const EDITED = new Set(
  allRules().flatMap(({ judgeUpdate, general, kinds }) => (judgeUpdate && !general ? kinds : [])),
);

/** A step with the findings about its changes. */
export function withLiveFindings(step: PlanStep, findings: readonly LiveFinding[]): PlanStep {
  if (!['update', 'unknown', 'prune'].includes(step.action)) {
    return step;
  }
  const about = findings.filter(
    ({ path }) =>
      step.action === 'prune' ||
      step.changes.some((change) => change.path.startsWith(path) || path.startsWith(change.path)),
  );
  const of = (wanted: LiveFinding['level']): string[] =>
    about.flatMap(({ level, text }) => (level === wanted ? [text] : []));
  const [errors, warnings] = [of('error'), of('warning')];
  return {
    ...step,
    ...(errors.length > 0 && step.refused === undefined ? { refused: errors.join('; ') } : {}),
    ...(warnings.length > 0 ? { warnings: [...(step.warnings ?? []), ...warnings] } : {}),
  };
}

/** A step with another reason why an apply refuses it. */
export function withRefusal(step: PlanStep, refused: string | undefined): PlanStep {
  return refused === undefined
    ? step
    : {
        ...step,
        refused: [refused, ...(step.refused === undefined ? [] : [step.refused])].join('; '),
      };
}

/** A step with more warnings. */
export function withWarnings(step: PlanStep, warnings: readonly string[]): PlanStep {
  return warnings.length === 0
    ? step
    : { ...step, warnings: [...(step.warnings ?? []), ...warnings] };
}
