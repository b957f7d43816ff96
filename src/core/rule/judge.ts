import { Finding, FindingLevel, FindingObject } from './finding';
import { JudgedObject, JudgedTarget, Rule, RuleLevel, World } from './rule';
import { kindOf } from '../kind/kinds';
import { isKeptByEngine } from '../kind/retention';
import { FieldPath, Manifest, at, byKind, pathOf } from '../manifest/manifest';
import { NO_PROBLEMS, Problem, propOf, show, withServersWords } from '../problem/problem';
import { byObject, compare, grouped, remembered } from '../text/values';

/** What a rule judges: an object, or a target as a whole. */
type Judged = Pick<JudgedObject, 'target' | 'construct' | 'file' | 'props'> & {
  readonly manifest?: Manifest;
};

function toFinding(rule: Rule, object: Judged, problem: Problem): Finding {
  const { manifest } = object;
  const says = problem.says ?? rule.says;
  const prop = propOf(problem.path, object.props);
  return {
    rule: rule.id,
    level: lower(rule.level, problem.level) as FindingLevel,
    message: withServersWords(problem.message, says),
    ...(manifest ? { object: objectOf(manifest) } : {}),
    path: problem.path,
    ...(prop === undefined ? {} : { prop }),
    ...(problem.value === undefined ? {} : { value: show(problem.value) }),
    fix: problem.fix,
    source: rule.source,
    ...(problem.cause === undefined ? {} : { cause: problem.cause }),
    ...(object.construct === undefined ? {} : { construct: object.construct }),
    target: object.target.name,
    ...(object.file === undefined ? {} : { file: object.file }),
  };
}

/**
 * How many problems of one rule with one object are reported: who corrects these, corrects the
 * others the same way.
 */
const MAX_PROBLEMS = 100;

function moreProblems(count: number): Problem {
  return {
    path: '',
    message: `has ${count} more problems of this rule, which are not listed`,
    fix: 'correct those that are listed, and run it again',
  };
}

export function objectOf(manifest: Manifest): FindingObject {
  const { namespace, name } = manifest.metadata;
  return {
    apiVersion: manifest.apiVersion,
    kind: manifest.kind,
    ...(namespace ? { namespace } : {}),
    name,
  };
}

// a problem may be milder than its rule, never harder: the rule's level is what the docs promise
function lower(rule: RuleLevel, problem: RuleLevel | undefined): RuleLevel {
  return rule === 'error' && problem !== 'warning' ? 'error' : 'warning';
}

/** Runs rules over a world, once: every finding, sorted, nothing thrown. */
export function judge(rules: readonly Rule[], world: World): Finding[] {
  const rulesFor = rulesetOf(rules);
  const findings: Finding[] = [];
  const collect = (rule: Rule, object: Judged, problems: Iterable<Problem>) => {
    if (Array.isArray(problems) && problems.length === 0) {
      return;
    }
    const iterator = problems[Symbol.iterator]();
    let count = 0;
    for (let next = iterator.next(); !next.done; next = iterator.next()) {
      if (++count <= MAX_PROBLEMS) {
        findings.push(toFinding(rule, object, next.value));
      }
    }
    if (count > MAX_PROBLEMS) {
      findings.push(toFinding(rule, object, moreProblems(count - MAX_PROBLEMS)));
    }
  };

  // a rule after the other: one that runs over many objects at a time is compiled and cached better
  // than a hundred of them over each object
  for (const [{ objects: asked, updates }, judged] of grouped(world.judged, ({ manifest }) =>
    rulesFor(manifest),
  )) {
    for (const { fields, rules: ofFields } of asked) {
      const concerned =
        fields.length === 0
          ? judged
          : judged.filter(({ manifest }) =>
              fields.some((path) => at(manifest, path) !== undefined),
            );
      for (const rule of ofFields) {
        for (const object of concerned) {
          const problems = rule.judge(object, world);
          if (problems !== NO_PROBLEMS) {
            collect(rule, object, problems);
          }
        }
      }
    }
    for (const object of updates.length > 0 ? judged : []) {
      const before = world.beforeOf(object);
      if (!before) {
        continue;
      }
      for (const rule of updates) {
        collect(rule, object, rule.judgeUpdate(object, before, world));
      }
    }
  }
  // what is kept is not deleted
  const leaves = ({ manifest, isReset }: JudgedObject): boolean =>
    isReset === true || !isKeptByEngine(manifest);
  for (const object of world.gone().filter(leaves)) {
    for (const rule of rulesFor(object.manifest).deletions) {
      collect(rule, object, rule.judgeDeletion(object, world));
    }
  }
  const ofTargets = rules.filter(
    (rule): rule is Judging<'judgeTarget'> => rule.judgeTarget !== undefined,
  );
  for (const target of ofTargets.length > 0 ? world.allTargets() : []) {
    for (const rule of ofTargets) {
      collect(rule, { target, construct: target.construct }, rule.judgeTarget(target, world));
    }
  }
  return sortFindings(withoutRepeated(findings, rules));
}

/** Removes findings of general rules if a specific rule reports the same field, as severely. */
function withoutRepeated(findings: readonly Finding[], rules: readonly Rule[]): readonly Finding[] {
  const general = new Set(rules.filter((rule) => rule.general).map(({ id }) => id));
  if (!findings.some(({ rule }) => general.has(rule))) {
    return findings;
  }
  const placeOf = ({ target, object, path }: Finding) => JSON.stringify([target, object, path]);
  const specific = findings.filter(({ rule }) => !general.has(rule));
  const places = new Set(specific.map(placeOf));
  const errors = new Set(specific.filter(({ level }) => level === 'error').map(placeOf));
  return findings.filter(
    (finding) =>
      !general.has(finding.rule) ||
      !(finding.level === 'error' ? errors : places).has(placeOf(finding)),
  );
}

/** Errors first, then by place: the order of every report. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return [...findings].sort(byPlace);
}

type Judging<K extends 'judge' | 'judgeUpdate' | 'judgeDeletion' | 'judgeTarget'> = Rule &
  Required<Pick<Rule, K>>;

/** Rules about the same fields; without fields, about every object. */
interface FieldRules {
  readonly fields: readonly FieldPath[];
  readonly rules: readonly Judging<'judge'>[];
}

/** The rules about a kind, by what they judge. */
interface KindRules {
  readonly objects: readonly FieldRules[];
  readonly updates: readonly Judging<'judgeUpdate'>[];
  readonly deletions: readonly Judging<'judgeDeletion'>[];
}

/** The rules about the kind of an object, so that it meets no others. */
const rulesetOf = byObject((rules: readonly Rule[]) => {
  const any = rules.filter((rule) => rule.kinds.includes('*'));
  const lists = new Map<string, Rule[]>();
  for (const rule of rules) {
    for (const kind of rule.kinds.filter((each) => each !== '*')) {
      remembered(lists, kind, () => [...any]).push(rule);
    }
  }
  return byKind((key) => {
    const [group, kind] = key.split('/');
    const described = kindOf({ apiVersion: `${group}/`, kind });
    return kindRules(
      (lists.get(key) ?? any).filter((rule) => !rule.concerns || rule.concerns(described)),
    );
  });
});

function kindRules(rules: readonly Rule[]): KindRules {
  return {
    objects: [
      ...grouped(
        rules.filter((rule): rule is Judging<'judge'> => rule.judge !== undefined),
        ({ fields = [] }) => fields.join(' '),
      ),
    ].map(([, group]): FieldRules => ({
      fields: (group[0]!.fields ?? []).map(pathOf),
      rules: group,
    })),
    updates: rules.filter((rule): rule is Judging<'judgeUpdate'> => rule.judgeUpdate !== undefined),
    deletions: rules.filter(
      (rule): rule is Judging<'judgeDeletion'> => rule.judgeDeletion !== undefined,
    ),
  };
}

function byPlace(a: Finding, b: Finding): number {
  return (
    compare(a.level, b.level) ||
    compare(a.construct ?? a.file ?? '', b.construct ?? b.file ?? '') ||
    compare(a.object?.kind ?? '', b.object?.kind ?? '') ||
    compare(a.object?.namespace ?? '', b.object?.namespace ?? '') ||
    compare(a.object?.name ?? '', b.object?.name ?? '') ||
    compare(a.path, b.path) ||
    compare(a.rule, b.rule)
  );
}

/** The facts about targets in an assembly, in addition to their versions, by name. */
interface TargetProperties {
  readonly [name: string]: string | undefined;
}

/** The properties that rules read, by the kind of the target. */
const PROPERTIES = {
  rancher: ['serverUrl', 'privateCa'],
  harvester: ['vip', 'managedAs', 'managedBy'],
  guest: ['provisioningCluster', 'rancher', 'harvester'],
} as const;

const VERSION = {
  rancher: 'rancherVersion',
  harvester: 'harvesterVersion',
  guest: 'kubernetesVersion',
} as const;

/** A target whose one version is that of the product which runs there. */
export function judgedTarget(
  name: string,
  kind: NonNullable<JudgedTarget['kind']>,
  version: string,
  properties: TargetProperties = {},
  construct?: string,
): JudgedTarget {
  const known = PROPERTIES[kind].flatMap((key) =>
    properties[key] === undefined ? [] : [[key, properties[key]] as const],
  );
  return {
    name,
    kind,
    [VERSION[kind]]: version,
    ...Object.fromEntries(known),
    ...(construct === undefined ? {} : { construct }),
  };
}
