import { JudgedObject } from './rule';
import { Finding } from '../model/finding';
import { Redactor } from '../model/secret/redactor';

/** Findings without the secrets of the objects that they are about: rules repeat what was given, and what servers say of it. */
export function withoutSecrets(findings: readonly Finding[], objects: readonly JudgedObject[]): Finding[] {
  if (findings.length === 0) { return []; }
  const redactor = Redactor.of(objects.map(({ manifest }) => manifest));
  return findings.map((finding): Finding => ({
    ...finding,
    message: redactor.scrub(finding.message),
    ...(finding.value === undefined ? {} : { value: redactor.scrub(finding.value) }),
    fix: redactor.scrub(finding.fix),
  }));
}
