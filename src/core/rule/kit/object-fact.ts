import { rules } from './fact';
import { Manifest } from '../../manifest/manifest';
import { Problem } from '../../problem/problem';
import { Rule } from '../rule';

/**
 * What holds for an object on its own. Its construct checks it and a rule judges it, so that no
 * program can write what the rule would report.
 */
export interface ObjectFact extends Pick<Rule, 'id' | 'what' | 'says' | 'source'> {
  /** How bad its problems are. @default error */
  readonly level?: Rule['level'];
  readonly check: (manifest: Manifest) => Iterable<Problem>;
}

/** The rules that judge facts. */
export function objectRules(
  kinds: readonly string[],
  facts: readonly ObjectFact[],
): readonly Rule[] {
  return rules(
    { kinds },
    facts.map(({ check, ...fact }) => ({ ...fact, judge: ({ manifest }) => check(manifest) })),
  );
}

/** The problems of a manifest that its construct throws: warnings are left to the rules. */
export function checkAlone(manifest: Manifest, facts: readonly ObjectFact[]): readonly Problem[] {
  const problems: Problem[] = [];
  for (const { level, check } of facts) {
    if (level !== 'warning') {
      problems.push(...check(manifest));
    }
  }
  return problems;
}
