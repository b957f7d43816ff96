import { Finding, FindingLevel, FindingObject } from './finding';
import { Findings, problemsAt } from './findings';
import { JudgedObject, JudgedTarget, Rule, RuleLevel, World } from './rule';
import { kindOf } from '../kind/kinds';
import { isKeptByEngine } from '../kind/retention';
import { FieldPath, Manifest, at, byKind, pathOf } from '../manifest/manifest';
import { NO_PROBLEMS, Problem, propOf, show, withServersWords } from '../problem/problem';
import { byObject, compare, grouped, remembered } from '../text/values';
import { hasFeature } from '../version/target-features';

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
  const judgement = new Judgement(rules, world);
  judgement.judgeObjects();
  judgement.judgeDeletions();
  judgement.judgeTargets();
  return sortFindings(withoutRepeated(judgement.findings, rules));
}

class Judgement {
  public readonly findings: Finding[] = [];

  constructor(
    private readonly rules: readonly Rule[],
    private readonly world: World,
  ) {}

  public judgeObjects(): void {
    const rulesOn = rulesetOf(this.rules);
    const groups = grouped(this.world.judged, ({ target, manifest }) => rulesOn(target)(manifest));
    for (const [{ objects, updates }, judged] of groups) {
      for (const alike of objects) {
        this.judgeAlike(alike, judged);
      }
      if (updates.length > 0) {
        this.judgeUpdates(updates, judged);
      }
    }
  }

  // a rule after the other: one that runs over many objects at a time is compiled and cached better
  // than a hundred of them over each object
  private judgeAlike(alike: RulesAlike, objects: readonly JudgedObject[]): void {
    const { world } = this;
    const concerned = this.concerned(alike, objects);
    for (const rule of alike.rules) {
      for (const object of concerned) {
        const findings = rule.judge(object, world);
        if (findings && findings !== NO_PROBLEMS) {
          this.report(rule, object, findings);
        }
      }
    }
  }

  /** The objects that rules are about. */
  private concerned(
    { fields, creation, when }: RulesAlike,
    objects: readonly JudgedObject[],
  ): readonly JudgedObject[] {
    const { world } = this;
    let concerned = objects;
    if (fields.length > 0) {
      concerned = concerned.filter(({ manifest }) =>
        fields.some((path) => at(manifest, path) !== undefined),
      );
    }
    if (creation) {
      concerned = concerned.filter((object) => !world.exists(object));
    }
    return when === undefined ? concerned : concerned.filter((object) => when(object, world));
  }

  private judgeUpdates(
    updates: readonly Judging<'judgeUpdate'>[],
    objects: readonly JudgedObject[],
  ): void {
    for (const object of objects) {
      const before = this.world.beforeOf(object);
      if (!before) {
        continue;
      }
      for (const rule of updates) {
        if (this.isAsked(rule, object)) {
          this.report(rule, object, rule.judgeUpdate(object, before, this.world));
        }
      }
    }
  }

  public judgeDeletions(): void {
    const rulesOn = rulesetOf(this.rules);
    for (const object of this.world.gone()) {
      // what is kept is not deleted
      if (object.isReset !== true && isKeptByEngine(object.manifest)) {
        continue;
      }
      for (const rule of rulesOn(object.target)(object.manifest).deletions) {
        if (this.isAsked(rule, object)) {
          this.report(rule, object, rule.judgeDeletion(object, this.world));
        }
      }
    }
  }

  public judgeTargets(): void {
    const ofTargets = this.rules.filter(
      (rule): rule is Judging<'judgeTarget'> => rule.judgeTarget !== undefined,
    );
    if (ofTargets.length === 0) {
      return;
    }
    for (const target of this.world.allTargets()) {
      for (const rule of ofTargets) {
        const { construct } = target;
        this.report(rule, { target, construct }, rule.judgeTarget(target, this.world));
      }
    }
  }

  /** Whether the condition of a rule holds for an object. */
  private isAsked({ when }: Rule, object: JudgedObject): boolean {
    return !when || Boolean(when(object, this.world));
  }

  private report(rule: Rule, object: Judged, findings: Findings): void {
    const level = levelOn(object.target, rule);
    let count = 0;
    for (const problem of problemsAt(rule.field ?? '', findings)) {
      if (++count <= MAX_PROBLEMS) {
        this.findings.push(toFinding(rule, object, level ? { ...problem, level } : problem));
      }
    }
    if (count > MAX_PROBLEMS) {
      this.findings.push(toFinding(rule, object, moreProblems(count - MAX_PROBLEMS)));
    }
  }
}

/** The level of all that a rule finds, where the version of the target decides. */
function levelOn(target: JudgedTarget, { gate, unknownVersion }: Rule): RuleLevel | undefined {
  const isUnknown =
    gate !== undefined && unknownVersion !== undefined && hasFeature(target, gate) === undefined;
  return isUnknown ? unknownVersion : undefined;
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

/** Rules about the same objects of a kind. */
interface RulesAlike extends Pick<Rule, 'creation' | 'when'> {
  /** The fields of which an object has one; without fields, they are about every object. */
  readonly fields: readonly FieldPath[];
  readonly rules: readonly Judging<'judge'>[];
}

/** The rules about a kind on a target, by what they judge. */
interface KindRules {
  readonly objects: readonly RulesAlike[];
  readonly updates: readonly Judging<'judgeUpdate'>[];
  readonly deletions: readonly Judging<'judgeDeletion'>[];
}

/** The rules about an object, by its target and its kind, so that it meets no others. */
const rulesetOf = byObject((rules: readonly Rule[]) => {
  const rulesOfKind = byKindOf(rules);
  const rulesets = new Map<string, ReturnType<typeof rulesetOn>>();
  // hundreds of targets may have the same versions
  return byObject((target: JudgedTarget) =>
    remembered(rulesets, versionsText(target), () => rulesetOn(target, rulesOfKind)),
  );
});

function rulesetOn(target: JudgedTarget, rulesOfKind: (key: string) => readonly Rule[]) {
  return byKind((key) => {
    const [group, kind] = key.split('/');
    const described = kindOf({ apiVersion: `${group}/`, kind });
    return kindRules(
      rulesOfKind(key).filter(
        (rule) => isAbout(rule, target) && (!rule.concerns || rule.concerns(described)),
      ),
    );
  });
}

/** What decides which rules are about the objects of a target. */
function versionsText({
  kind,
  rancherVersion,
  harvesterVersion,
  kubernetesVersion,
}: JudgedTarget): string {
  return [kind, rancherVersion, harvesterVersion, kubernetesVersion].join(' ');
}

/** Whether a rule is about objects of a target: its kind, and its version as far as it is known. */
function isAbout({ on, surelyOn, gate }: Rule, target: JudgedTarget): boolean {
  if (on !== undefined && target.kind !== undefined && target.kind !== on) {
    return false;
  }
  if (surelyOn !== undefined && target.kind !== surelyOn) {
    return false;
  }
  return gate === undefined || hasFeature(target, gate) !== false;
}

/** The rules about a kind, by its key. */
function byKindOf(rules: readonly Rule[]): (key: string) => readonly Rule[] {
  const any = rules.filter((rule) => rule.kinds.includes('*'));
  const lists = new Map<string, Rule[]>();
  for (const rule of rules) {
    for (const kind of rule.kinds.filter((each) => each !== '*')) {
      remembered(lists, kind, () => [...any]).push(rule);
    }
  }
  return (key) => lists.get(key) ?? any;
}

function kindRules(rules: readonly Rule[]): KindRules {
  return {
    objects: rulesAlike(rules.filter((rule): rule is Judging<'judge'> => rule.judge !== undefined)),
    updates: rules.filter((rule): rule is Judging<'judgeUpdate'> => rule.judgeUpdate !== undefined),
    deletions: rules.filter(
      (rule): rule is Judging<'judgeDeletion'> => rule.judgeDeletion !== undefined,
    ),
  };
}

/** Rules by the objects that they are about. */
function rulesAlike(rules: readonly Judging<'judge'>[]): RulesAlike[] {
  const found: { readonly fieldsText: string; readonly rules: Judging<'judge'>[] }[] = [];
  for (const rule of rules) {
    const fieldsText = (rule.fields ?? []).join(' ');
    const other = found.find(
      (each) =>
        each.fieldsText === fieldsText &&
        each.rules[0].creation === rule.creation &&
        each.rules[0].when === rule.when,
    );
    if (other) {
      other.rules.push(rule);
    } else {
      found.push({ fieldsText, rules: [rule] });
    }
  }
  return found.map(({ rules: [first, ...others] }): RulesAlike => ({
    fields: (first.fields ?? []).map(pathOf),
    creation: first.creation,
    when: first.when,
    rules: [first, ...others],
  }));
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
