import { JudgedObject, Rule, RuleLevel } from './rule';
import { Finding, FindingObject } from '../model/finding';
import { Manifest } from '../model/manifest';
import { Problem, show } from '../model/problem';

export function toFinding(rule: Rule, object: JudgedObject, problem: Problem): Finding {
  const { manifest } = object;
  const says = problem.says ?? rule.says;
  return {
    rule: rule.id,
    level: lower(rule.level, problem.level),
    message: says ? `${problem.message} (the server: "${says}")` : problem.message,
    object: objectOf(manifest),
    path: problem.path,
    ...(problem.value === undefined ? {} : { value: show(problem.value) }),
    fix: problem.fix,
    source: rule.source,
    ...(object.construct === undefined ? {} : { construct: object.construct }),
    target: object.target.name,
    ...(object.file === undefined ? {} : { file: object.file }),
  };
}

export function objectOf(manifest: Manifest): FindingObject {
  const { namespace, name } = manifest.metadata;
  return { apiVersion: manifest.apiVersion, kind: manifest.kind, ...(namespace ? { namespace } : {}), name };
}

// a problem may be milder than its rule, never harder: the rule's level is what the docs promise
function lower(rule: RuleLevel, problem: RuleLevel | undefined): RuleLevel {
  return rule === 'error' && problem !== 'warning' ? 'error' : 'warning';
}
