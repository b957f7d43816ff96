import { ALL_RULES } from './all-rules';
import { judge } from './judge';
import { JudgedObject } from './rule';
import { withoutSecrets } from './without-secrets';
import { KnownIdentity, World } from './world';
import { Finding } from '../model/finding';

/**
 * Every rule over objects and the world they are in.
 *
 * @param judged the objects under judgement
 * @param live objects that are live already, not judged themselves
 * @param before the judged objects as they were
 * @param known objects that the judged ones refer to, and that are said to be there
 */
export function judgeAll(
  judged: readonly JudgedObject[], live: readonly JudgedObject[] = [], before: readonly JudgedObject[] = [], known: readonly KnownIdentity[] = [],
): Finding[] {
  const findings = judge(ALL_RULES, new World(judged, live, before, known));
  return withoutSecrets(findings, [...judged, ...live, ...before]);
}
