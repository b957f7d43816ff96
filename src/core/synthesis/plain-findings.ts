import { refId } from '../manifest/manifest';
import { ISecretDelivery } from '../program/delivery-step';
import { ProgramObject } from '../program/program';
import { Finding } from '../rule/finding';
import { PLAIN_SECRET_RULE } from '../rule/general/plain-secret.rules';
import { objectOf } from '../rule/judge';
import { allRules } from '../rule/judge-all';
import { DELIVERY_SECRETS, SECRET_PLAIN } from '../rule/program-rules';
import { Rule } from '../rule/rule';
import { byObject } from '../text/values';

/** The rules about secrets that all who read a file can read. */
export const plainRules = byObject((rules: readonly Rule[]) => {
  const ids = rules.filter(({ plainFiles }) => plainFiles).map(({ id }) => id);
  return new Set([...ids, SECRET_PLAIN.id]);
});

/**
 * Findings without those of the general rule about secrets that the program itself put there, and
 * without these where a rule about the kind knows which secret it is.
 */
export function withoutEchoes(findings: readonly Finding[]): readonly Finding[] {
  const known = new Set(findings.filter(({ rule }) => rule === SECRET_PLAIN.id).map(placeOf));
  if (known.size === 0) {
    return findings;
  }
  const rules = plainRules(allRules());
  const ofKinds = findings.filter(
    ({ rule, level }) =>
      rules.has(rule) &&
      level === 'warning' &&
      rule !== SECRET_PLAIN.id &&
      rule !== PLAIN_SECRET_RULE.id,
  );
  return findings.filter((finding) =>
    finding.rule === SECRET_PLAIN.id
      ? !ofKinds.some((other) => isWithin(other, finding))
      : finding.rule !== PLAIN_SECRET_RULE.id || !known.has(placeOf(finding)),
  );
}

/** Whether a finding is about the field of another one, or a part of it. */
function isWithin(finding: Finding, { path, ...at }: Finding): boolean {
  const isInField = finding.path === path || /^[.[]/.test(finding.path.slice(path.length));
  return (
    isInField &&
    finding.path.startsWith(path) &&
    placeOf({ ...finding, path }) === placeOf({ ...at, path })
  );
}

/**
 * Findings without warnings about secrets that the delivery refuses: its error knows the ways that
 * the engine has.
 */
export function withoutRefusedSecrets(findings: readonly Finding[]): readonly Finding[] {
  const refused = new Set(findings.filter(({ rule }) => rule === DELIVERY_SECRETS.id).map(placeOf));
  const rules = plainRules(allRules());
  return findings.filter(
    (finding) =>
      !(rules.has(finding.rule) && finding.level === 'warning' && refused.has(placeOf(finding))),
  );
}

function placeOf({ target, object, path }: Finding): string {
  return JSON.stringify([target, object, path]);
}

/**
 * Findings of a program that fails, without those about secrets in plain text that would be hidden:
 * the program chose a way for them already.
 */
export function withoutHidden(
  findings: readonly Finding[],
  objects: readonly ProgramObject[],
  secrets: ISecretDelivery | undefined,
): readonly Finding[] {
  const hidden = idsOf(objects, (object) => {
    const chosen = object.secrets ?? secrets;
    return chosen !== undefined && !chosen._isPlain;
  });
  const rules = plainRules(allRules());
  return findings.filter(
    ({ rule, level, target = '', object }) =>
      !(rules.has(rule) && level === 'warning' && object && hidden.has(refId(target, object))),
  );
}

function idsOf(
  objects: readonly ProgramObject[],
  isWanted: (object: ProgramObject) => boolean | undefined,
): ReadonlySet<string> {
  return new Set(
    objects
      .filter(isWanted)
      .map(({ target, manifest }) => refId(target.targetName, objectOf(manifest))),
  );
}

/** Accepts secrets in plain text where the program chose that for the object. */
export function acceptPlain(
  findings: readonly Finding[],
  objects: readonly ProgramObject[],
  secrets: ISecretDelivery | undefined,
): readonly Finding[] {
  const plain = idsOf(objects, (object) => (object.secrets ?? secrets)?._isPlain);
  if (plain.size === 0) {
    return findings;
  }
  const rules = plainRules(allRules());
  return findings.map((finding) =>
    rules.has(finding.rule) &&
    finding.level === 'warning' &&
    finding.object &&
    plain.has(refId(finding.target ?? '', finding.object))
      ? { ...finding, suppressed: 'SecretDelivery.plainText()' }
      : finding,
  );
}
