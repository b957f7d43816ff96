import { Finding } from './finding';
import { judge } from './judge';
import { JudgedObject, JudgedTarget, KnownIdentity, Rule, World } from './rule';
import { KindReferences } from '../kind/description/references';
import { kindOf } from '../kind/kinds';
import { registered } from '../registry/registered';
import { Redactor } from '../secret/redactor';

/** Every rule over manifests. */
export const allRules = registered<readonly Rule[]>('rules');

/** The rules about objects of some kinds, which loads no others. */
export const rulesOfKinds =
  registered<(kinds: ReadonlySet<string>) => readonly Rule[]>('rules by kind');

/**
 * Findings without the secrets of the objects that they are about: rules repeat what was given, and
 * what servers say of it.
 */
function withoutSecrets(findings: readonly Finding[], objects: readonly JudgedObject[]): Finding[] {
  if (findings.length === 0) {
    return [];
  }
  const redactor = Redactor.of(objects.map(({ manifest }) => manifest));
  return findings.map((finding): Finding => ({
    ...finding,
    message: redactor.scrub(finding.message),
    ...(finding.value === undefined ? {} : { value: redactor.scrub(finding.value) }),
    fix: redactor.scrub(finding.fix),
  }));
}

/**
 * Every rule over objects and the world they are in.
 *
 * @param judged the objects under judgement
 * @param live objects that are live already, not judged themselves
 * @param before the previous state of the judged objects
 * @param known objects that the judged ones refer to, and that are declared as existing
 * @param targets targets under judgement, which may have no objects
 */
export function judgeAll(
  judged: readonly JudgedObject[],
  live: readonly JudgedObject[] = [],
  before: readonly JudgedObject[] = [],
  known: readonly KnownIdentity[] = [],
  targets: readonly JudgedTarget[] = [],
): Finding[] {
  const world = new World(withMade(judged), withMade(live), withMade(before), known, targets);
  const findings = judge(rulesOfKinds()(world.kinds()), world);
  return withoutSecrets(findings, [...judged, ...live, ...before]);
}

/** Objects with those that controllers make from them, as far as these are known. */
function withMade(objects: readonly JudgedObject[]): readonly JudgedObject[] {
  const more: JudgedObject[] = [];
  for (const object of objects) {
    const made = kindOf<KindReferences>(object.manifest)?.makes?.(object.manifest);
    if (made) {
      more.push({ ...object, key: undefined, manifest: made.manifest });
    }
  }
  return more.length > 0 ? [...objects, ...more] : objects;
}
