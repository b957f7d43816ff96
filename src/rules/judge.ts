import { toFinding } from './finding';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { compare } from '../model/compare';
import { Finding } from '../model/finding';
import { groupOf, kindKey } from '../model/manifest';
import { Problem } from '../model/problem';
import { isRetained } from '../model/retention-marks';

/**
 * Runs rules over a world, once: every finding, sorted, nothing thrown.
 */
export function judge(rules: readonly Rule[], world: World): Finding[] {
  const ruleset = new Ruleset(rules);
  const findings: Finding[] = [];
  const collect = (rule: Rule, object: JudgedObject, problems: Iterable<Problem>) => {
    for (const problem of problems) { findings.push(toFinding(rule, object, problem)); }
  };

  for (const object of world.judged) {
    const before = world.beforeOf(object);
    for (const rule of ruleset.for(object)) {
      if (rule.judge) { collect(rule, object, rule.judge(object, world)); }
      if (rule.judgeUpdate && before) { collect(rule, object, rule.judgeUpdate(object, before, world)); }
    }
  }
  // what is retained is not deleted
  for (const object of world.gone().filter(({ manifest }) => !isRetained(manifest))) {
    for (const rule of ruleset.for(object)) {
      if (rule.judgeDeletion) { collect(rule, object, rule.judgeDeletion(object, world)); }
    }
  }
  return sortFindings(findings);
}

/** Errors first, then by place: the order of every report. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return [...findings].sort(byPlace);
}

/** Rules by kind, so that an object meets only those that are about it. */
class Ruleset {
  private readonly byKind = new Map<string, Rule[]>();
  private readonly any: Rule[];

  constructor(rules: readonly Rule[]) {
    this.any = rules.filter((rule) => rule.kinds.includes('*'));
    for (const rule of rules) {
      for (const kind of rule.kinds) {
        if (kind !== '*') { this.byKind.set(kind, [...(this.byKind.get(kind) ?? this.any), rule]); }
      }
    }
  }

  public for({ manifest }: JudgedObject): readonly Rule[] {
    return this.byKind.get(kindKey(groupOf(manifest.apiVersion), manifest.kind)) ?? this.any;
  }
}

function byPlace(a: Finding, b: Finding): number {
  return compare(a.level, b.level) || compare(a.construct ?? a.file ?? '', b.construct ?? b.file ?? '')
    || compare(a.object?.kind ?? '', b.object?.kind ?? '') || compare(a.object?.namespace ?? '', b.object?.namespace ?? '')
    || compare(a.object?.name ?? '', b.object?.name ?? '') || compare(a.path, b.path) || compare(a.rule, b.rule);
}
