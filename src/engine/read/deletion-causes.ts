import { refId } from '../../core/manifest/manifest';
import { Finding, FindingLevel } from '../../core/rule/finding';
import { OUTPUT_GONE } from '../../core/rule/program-rules';
import { where } from '../../core/rule/report';
import { grouped } from '../../core/text/values';

/** Findings about what is gone, joined to those about the objects that leave the output. */
interface Joined {
  readonly findings: readonly Finding[];
  readonly left: readonly Finding[];
}

/**
 * Joins what the rules find about the deletion of objects to the findings that these objects leave
 * the output, since both have one cause. A warning has the same solution: the program declares the
 * object again, or accepts that it leaves. An error, which a server refuses, has a solution of its
 * own.
 *
 * @param findings of all rules; those about an object that left are about its deletion
 * @param left the findings about objects that leave the output
 */
export function withDeletionCauses(findings: readonly Finding[], left: readonly Finding[]): Joined {
  const gone = new Map(
    left.filter(({ rule }) => rule === OUTPUT_GONE.id).map((finding) => [idOf(finding), finding]),
  );
  const deletions = grouped(
    findings.filter((finding) => gone.has(idOf(finding))),
    idOf,
  );
  if (deletions.size === 0) {
    return { findings, left };
  }
  const causes = new Map([...deletions.keys()].map((id) => [id, causeOf(gone.get(id)!)]));
  return {
    left: left.map((finding): Finding => {
      const cause = finding.rule === OUTPUT_GONE.id ? causes.get(idOf(finding)) : undefined;
      return cause === undefined ? finding : { ...finding, cause };
    }),
    findings: findings.map((finding): Finding => {
      const [from, cause] = [gone.get(idOf(finding)), causes.get(idOf(finding))];
      if (!from || cause === undefined) {
        return finding;
      }
      if (finding.level === FindingLevel.ERROR) {
        return { ...finding, cause };
      }
      const suppressed = finding.suppressed ?? from.suppressed;
      return {
        ...finding,
        cause,
        fix: from.fix,
        ...(suppressed === undefined ? {} : { suppressed }),
      };
    }),
  };
}

function idOf({ target = '', object }: Finding): string {
  return object ? refId(target, object) : '';
}

function causeOf(finding: Finding): string {
  return finding.cause ?? `${where(finding)} is no longer declared`;
}
