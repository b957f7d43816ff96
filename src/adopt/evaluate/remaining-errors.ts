import { Evaluated } from './evaluate';
import { FoundCluster, FoundObject } from '../../core/draft/draft';
import { Finding, FindingLevel } from '../../core/rule/finding';
import { judgedTarget } from '../../core/rule/judge';
import { allRules, judgeAll } from '../../core/rule/judge-all';
import { collect } from '../../core/synthesis/collect';
import { judgedObjects, judgedTargets } from '../../core/synthesis/judge-program';

const RULE_IDS: ReadonlySet<string> = new Set(allRules().map(({ id }) => id));

/** The errors that nothing accepts, and that remain among what the program declares already. */
export function remainingErrors(
  { app }: Evaluated,
  clusters: readonly FoundCluster[],
  declared: readonly Pick<FoundObject, 'target' | 'manifest'>[],
): readonly Finding[] {
  const errors = app
    .validate()
    .filter(({ level, suppressed }) => level === FindingLevel.ERROR && suppressed === undefined);
  if (errors.length === 0 || declared.length === 0) {
    return errors;
  }
  const program = collect(app);
  const targets = new Map(
    clusters.map(({ name, kind, version = '' }) => [name, judgedTarget(name, kind, version)]),
  );
  const others = declared.flatMap(({ target, manifest }) =>
    targets.has(target) ? [{ target: targets.get(target)!, manifest }] : [],
  );
  const remaining = new Set(
    judgeAll(judgedObjects(judgedTargets(program), program.objects), others).map(nameOf),
  );
  return errors.filter((error) => !RULE_IDS.has(error.rule) || remaining.has(nameOf(error)));
}

function nameOf({ rule, construct }: Finding): string {
  return `${rule} ${construct}`;
}
