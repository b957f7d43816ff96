import { incompleteFindings } from './incomplete';
import { acceptPlain, withoutEchoes } from './plain-findings';
import { reaches } from '../construct/ownership';
import { ITarget } from '../construct/target';
import { ResolvedValues, mismatch } from '../late/late-text';
import { NO_PROBLEMS } from '../problem/problem';
import { ISecretDelivery } from '../program/delivery-step';
import { ResolvedEdges, cycleOf } from '../program/edges';
import { lateValueOf } from '../program/late-completion';
import { Program, ProgramObject, programFinding } from '../program/program';
import { withoutMarkers } from '../program/secrets';
import { Suppression } from '../program/suppressions';
import { targetProperties } from '../program/target-info';
import { registered } from '../registry/registered';
import { Finding } from '../rule/finding';
import { judgedTarget, sortFindings } from '../rule/judge';
import { allRules, judgeAll } from '../rule/judge-all';
import { predictableFindings } from '../rule/predictable';
import {
  CYCLE,
  EDGE_TO_NOTHING,
  LATE_FILE_UNUSED,
  LATE_MISMATCH,
  LATE_SECRET_WRITTEN,
  LATE_TAKEN,
  OUTDATED_TEXT,
  PROGRAM_RULES,
  TARGET_NAME_TAKEN,
  UNUSED_SUPPRESSION,
} from '../rule/program-rules';
import { JudgedObject, JudgedTarget } from '../rule/rule';
import { Redactor, sensitiveIds } from '../secret/redactor';
import { LateValue } from '../value/late-value';

/** The checks of the products over a whole program and its edges. */
export const programChecks =
  registered<readonly ((program: Program, edges: ResolvedEdges) => Finding[])[]>(
    'checks of programs',
  );

/**
 * Every finding about a program: of its own structure and of the rules over all targets together.
 *
 * @param objects the program's objects, with the late values in that are known already
 * @param incomplete the objects that refer to waiting objects
 * @param hasEngine whether an engine delivers the output
 * @param secrets how secrets are kept where the program has not chosen it for an object
 */
export function judgeProgram(
  program: Program,
  objects: readonly ProgramObject[],
  edges: ResolvedEdges,
  values: ResolvedValues,
  incomplete: ReadonlyMap<string, readonly string[]>,
  hasEngine = false,
  secrets?: ISecretDelivery,
): Finding[] {
  const targets = judgedTargets(program);
  const judged = judgedObjects(targets, objects);
  const findings = [
    ...program.findings,
    ...takenNames(program),
    ...takenIds(program),
    ...resolvedValues(program.lateValues, values),
    ...cycles(edges),
    ...idleEdges(edges),
    ...outdatedTexts(program),
    ...programChecks().flatMap((check) => check(program, edges)),
    ...incompleteFindings(program, objects, incomplete),
    ...(hasEngine
      ? predictableFindings(
          judged.map(({ target, ...object }) => ({ ...object, target: target.name })),
        )
      : []),
    ...judgeAll(
      judged,
      [],
      [],
      program.known.map(({ object }) => ({ ...object, target: object.target.targetName })),
      [...targets.values()],
    ),
  ];
  const own = acceptPlain(withoutEchoes(findings), objects, secrets);
  return withoutSecrets(sortFindings(suppress(own, program)), program);
}

/** The targets of a program as rules judge them. */
export function judgedTargets({ targets }: Program): ReadonlyMap<ITarget, JudgedTarget> {
  return new Map(
    targets.map((target) => [
      target,
      judgedTarget(
        target.targetName,
        target.targetKind,
        target.version,
        targetProperties(target),
        target.node.path,
      ),
    ]),
  );
}

/** The objects of a program as rules judge them. */
export function judgedObjects(
  targets: ReadonlyMap<ITarget, JudgedTarget>,
  objects: readonly ProgramObject[],
): JudgedObject[] {
  return objects.map(({ key, target, manifest, construct, notes }) => ({
    key,
    target: targets.get(target)!,
    manifest,
    construct,
    props: notes.props,
  }));
}

// rules know secrets by their place; the program knows its own by their text
function withoutSecrets(findings: readonly Finding[], { secrets }: Program): Finding[] {
  const redactor = new Redactor().with([...new Set(secrets)]);
  const scrub = (text: string): string => redactor.scrub(withoutMarkers(text));
  return findings.map((finding): Finding => ({
    ...finding,
    message: scrub(finding.message),
    fix: scrub(finding.fix),
    ...(finding.value === undefined ? {} : { value: scrub(finding.value) }),
  }));
}

function takenNames({ targets }: Program): Finding[] {
  const first = new Map<string, string>();
  return targets.flatMap((target) => {
    const { targetName } = target;
    const { path } = target.node;
    const other = first.get(targetName);
    first.set(targetName, other ?? path);
    return other === undefined
      ? []
      : [
          programFinding(TARGET_NAME_TAKEN, path, {
            path: 'targetName',
            value: targetName,
            message: `the target chart "${other}" has the name "${targetName}" already`,
            fix: 'give one of them another targetName, or put a plain Chart below the other',
          }),
        ];
  });
}

function takenIds({ lateValues }: Program): Finding[] {
  const first = new Map<string, string>();
  return lateValues.flatMap(({ lateId, node }) => {
    const { path } = node;
    const other = first.get(lateId);
    first.set(lateId, other ?? path);
    return other === undefined
      ? []
      : [
          programFinding(LATE_TAKEN, path, {
            path: 'lateId',
            value: lateId,
            message: `the late value "${other}" has the same id`,
            fix: 'choose another construct id',
          }),
        ];
  });
}

function resolvedValues(lateValues: readonly LateValue[], values: ResolvedValues): Finding[] {
  if (values.size === 0) {
    return [];
  }
  const known = new Set(lateValues.map((late) => late.lateId));
  const sensitive = sensitiveIds(lateValues.map(lateValueOf));
  const unused = [...values.keys()]
    .filter((id) => !known.has(id))
    .map((id) =>
      programFinding(LATE_FILE_UNUSED, '', {
        path: `values.${id}`,
        message: `the file of resolved values names "${id}", which is not a late value of the program`,
        fix: 'remove it, or correct the ID',
      }),
    );
  return [
    ...unused,
    ...lateValues.flatMap((late) => {
      const value = values.get(late.lateId);
      if (value === undefined) {
        return [];
      }
      const why = mismatch(late.type, value);
      if (why) {
        return [
          programFinding(LATE_MISMATCH, late.node.path, {
            path: `values.${late.lateId}`,
            message: `the resolved value of ${late.description} ${why}`,
            fix: `give a ${late.type}`,
          }),
        ];
      }
      return sensitive.has(late.lateId)
        ? [
            programFinding(LATE_SECRET_WRITTEN, late.node.path, {
              path: `values.${late.lateId}`,
              message: `${late.description} is a credential of a live cluster and is in plain text in the output`,
              fix: 'keep the output out of Git, or let apply resolve it',
            }),
          ]
        : [];
    }),
  ];
}

function cycles(edges: ResolvedEdges): Finding[] {
  const cycle = cycleOf(edges);
  return cycle
    ? [
        programFinding(CYCLE, '', {
          path: '',
          message: `these wait for each other: ${cycle.join(' → ')}`,
          fix: 'take one of these edges back',
        }),
      ]
    : [];
}

function idleEdges({ idle }: ResolvedEdges): Finding[] {
  return idle.map(({ from, to }) =>
    programFinding(EDGE_TO_NOTHING, from.node.path, {
      path: 'Ordering.after',
      value: to.node.path,
      message: 'orders nothing, since one of both constructs has no objects',
      fix: 'name the construct of the objects to wait for, or remove the edge: existing objects need none',
    }),
  );
}

function outdatedTexts({ objects }: Program): Finding[] {
  return objects.flatMap((object) =>
    (object.notes.outdated ?? NO_PROBLEMS).map((problem) =>
      programFinding(OUTDATED_TEXT, object.construct, problem, object),
    ),
  );
}

/** Marks suppressed findings, and reports suppressions without a finding. */
function suppress(
  findings: readonly Finding[],
  { suppressions, parts }: Pick<Program, 'suppressions' | 'parts'>,
): Finding[] {
  const used = new Set<Suppression>();
  const marked = findings.map((finding) => {
    const suppression = suppressions.find(
      (candidate) =>
        candidate.rule === finding.rule &&
        finding.construct !== undefined &&
        reaches(candidate.construct, finding.construct, parts),
    );
    if (!suppression) {
      return finding;
    }
    used.add(suppression);
    return { ...finding, suppressed: suppression.reason };
  });
  const idle = suppressions.filter((suppression) => !used.has(suppression));
  if (idle.length === 0) {
    return marked;
  }
  const ids = new Set([...allRules(), ...PROGRAM_RULES].map((rule) => rule.id));
  const unused = idle.map(({ rule, construct }) =>
    programFinding(UNUSED_SUPPRESSION, construct, {
      path: `Suppressions.suppress ${rule}`,
      message: ids.has(rule)
        ? `no finding of rule ${rule} is left to suppress`
        : `there is no rule ${rule}`,
      fix: ids.has(rule) ? 'remove the suppression' : 'see the index of rules in the docs',
    }),
  );
  return [...marked, ...unused];
}
