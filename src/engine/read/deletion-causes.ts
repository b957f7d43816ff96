import { refId } from '../../core/manifest/manifest';
import { Finding, FindingLevel } from '../../core/rule/finding';
import { OUTPUT_GONE } from '../../core/rule/program-rules';
import { where } from '../../core/rule/report';
import { tableByName, escapeRegExp, grouped } from '../../core/text/values';

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
  const renamed = renamedIn(left);
  if (deletions.size === 0 && renamed.length === 0) {
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
        return withRename(finding, renamed);
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

/** A name that objects refer to, of an object that has another one now, and why. */
interface RenamedName {
  readonly name: RegExp;
  readonly cause: string;
}

/** The projects and clusters that have other names. Namespaces and machines name them by ID. */
function renamedIn(left: readonly Finding[]): RenamedName[] {
  return left.flatMap(({ rule, object, cause }): RenamedName[] => {
    if (rule !== OUTPUT_GONE.id || object === undefined || cause === undefined) {
      return [];
    }
    const { kind, namespace, name } = object;
    const id = REFERRED_TO[kind]?.(namespace, name);
    return id === undefined
      ? []
      : [{ name: new RegExp(`(?<![a-z0-9-])${escapeRegExp(id)}(?![a-z0-9-])`), cause }];
  });
}

/** How objects refer to those of a kind. */
const REFERRED_TO: {
  readonly [kind: string]: ((namespace: string | undefined, name: string) => string) | undefined;
} = tableByName({
  Project: (namespace = '', name) => `${namespace}:${name}`,
  // that of a cluster has its ID
  Namespace: (_, name) => name,
});

/** A finding about an edit that follows from another name. */
function withRename(finding: Finding, renamed: readonly RenamedName[]): Finding {
  if (finding.cause !== undefined || !EDITS.some((edit) => edit.test(finding.message))) {
    return finding;
  }
  const found =
    renamed.find(({ name }) => name.test(finding.message)) ??
    (finding.rule === ID_CHANGED ? renamed.find(({ cause }) => CLUSTER_ID.test(cause)) : undefined);
  return found ? { ...finding, cause: found.cause } : finding;
}

/** A guest cluster whose ID is another one, as those of imports: for the same reason. */
const ID_CHANGED = 'cluster/id-changed';
const CLUSTER_ID = /\bmanagement cluster IDs? changed\b/;

/** What findings about edits begin with. */
const EDITS: readonly RegExp[] = [/^was /, /^must remain /];

function idOf({ target = '', object }: Finding): string {
  return object ? refId(target, object) : '';
}

function causeOf(finding: Finding): string {
  return finding.cause ?? `${where(finding)} is no longer declared`;
}
