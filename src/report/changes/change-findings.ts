import { ChangeGroup, ObjectChange } from './object-changes';
import { refId } from '../../core/manifest/manifest';
import { Finding } from '../../core/rule/finding';
import {
  OUTPUT_GONE,
  OUTPUT_LATE_MISSING,
  OUTPUT_MOVES,
  OUTPUT_MOVES_TARGET,
  OUTPUT_NOW_WAITS,
} from '../../core/rule/program-rules';
import { isCounted } from '../../core/rule/report';
import { grouped } from '../../core/text/values';

/** The rules on objects that leave an output: what they find is a consequence of the change. */
const LEAVING: readonly string[] = [
  OUTPUT_GONE,
  OUTPUT_LATE_MISSING,
  OUTPUT_MOVES,
  OUTPUT_MOVES_TARGET,
  OUTPUT_NOW_WAITS,
].map(({ id }) => id);

/**
 * The groups of a change, each with what the rules find about the objects that leave with it: the
 * cause once, and what to do.
 */
export function withFindings(
  groups: readonly ChangeGroup[],
  findings: readonly Finding[],
): ChangeGroup[] {
  return joinedByCause(groups.map((group) => withJudgement(group, findings)));
}

/** Groups with the cause that is the title of another one are in that. */
function joinedByCause(groups: readonly ChangeGroup[]): ChangeGroup[] {
  const titles = new Set(groups.map(({ title }) => title));
  const homeOf = ({ title, judged }: ChangeGroup): string =>
    judged?.cause !== undefined && titles.has(judged.cause) ? judged.cause : title;
  return [...grouped(groups, homeOf)].map(([title, own]) => {
    const judged = own.flatMap((group) => group.judged ?? []);
    const fixes = [...new Set(judged.flatMap((each) => each.fixes))];
    return own.length === 1
      ? own[0]!
      : {
          title,
          objects: own.flatMap(({ objects }) => objects),
          ...(judged.length === 0 ? {} : { judged: { ...judged[0]!, fixes } }),
        };
  });
}

function withJudgement(group: ChangeGroup, findings: readonly Finding[]): ChangeGroup {
  const ids = new Set(group.objects.flatMap(leavingIds));
  const own = findings.filter((finding) => isAboutLeaving(finding) && ids.has(idOf(finding)));
  if (own.length === 0) {
    return group;
  }
  const counted = own.filter(isCounted);
  const accepted = own.flatMap(({ suppressed }) => suppressed ?? []);
  const fixes = counted.filter(({ rule }) => LEAVING.includes(rule)).map(({ fix }) => fix);
  const [cause] = counted.flatMap((finding) => finding.cause ?? []);
  return {
    ...group,
    judged: {
      errors: counted.filter(({ level }) => level === 'error').length,
      warnings: counted.filter(({ level }) => level !== 'error').length,
      ...(cause === undefined ? {} : { cause }),
      fixes: [...new Set(fixes)],
      accepted: [...new Set(accepted)],
    },
  };
}

/** Whether a finding is about an object that leaves: the list of changes shows it. */
export function isAboutLeaving({ rule, cause, object }: Finding): boolean {
  return object !== undefined && (LEAVING.includes(rule) || cause !== undefined);
}

/** Whether synthesis refuses the change: it writes nothing while objects leave without consent. */
export function isRefused(findings: readonly Finding[]): boolean {
  return findings.some(
    (finding) => isCounted(finding) && finding.level === 'error' && LEAVING.includes(finding.rule),
  );
}

/** The findings that no group shows. */
export function otherFindings(
  groups: readonly ChangeGroup[],
  findings: readonly Finding[],
): Finding[] {
  const ids = new Set(groups.flatMap(({ objects }) => objects.flatMap(leavingIds)));
  const shown = findings.filter((finding) => isAboutLeaving(finding) && ids.has(idOf(finding)));
  const [all, causes] = [new Set(shown), causesOf(shown)];
  return findings.filter(
    (finding) => !all.has(finding) && !(finding.cause !== undefined && causes.has(finding.cause)),
  );
}

function causesOf(findings: readonly Finding[]): ReadonlySet<string> {
  return new Set(findings.flatMap(({ cause }) => cause ?? []));
}

/** The objects of a change that leave the output, or leave their place in it. */
export function leavingIds({ action, id, was, waits }: ObjectChange): string[] {
  if (action === 'renamed' || action === 'moved') {
    return was ? [was.id] : [];
  }
  return action === 'removed' || (action === 'changed' && waits !== undefined) ? [id] : [];
}

function idOf({ target = '', object }: Finding): string {
  return object ? refId(target, object) : '';
}
