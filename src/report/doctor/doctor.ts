import { CREDENTIAL_CHECKS } from './credentials';
import { driftOf } from './drift';
import { INTEGRATION_CHECKS } from './integration';
import { LEFTOVER_CHECKS } from './leftovers';
import {
  DoctorCheck,
  Diagnosis,
  DiagnosisLevel,
  knownTargets,
  targetDiagnoses,
  LiveWorld,
  ReadName,
  SeenTarget,
  readWorld,
} from './live-world';
import { OBJECT_CHECKS } from './objects';
import { AGENT_CHECKS, REGISTRATION_CHECKS } from './registration';
import { VERSION_CHECKS } from './status';
import { objectLabel } from '../../core/manifest/manifest';
import { BLANK, Block, Tone, line, list, toned } from '../../core/text/screen';
import { compare } from '../../core/text/values';
import { BoundTargets } from '../../engine/cluster/cluster';
import { App } from '../../engine/fields/apply-set';
import { LoadedAssembly } from '../../engine/read/load-assembly';

/** All checks of doctor, except drift. */
export const CHECKS: readonly DoctorCheck[] = [
  ...VERSION_CHECKS,
  ...REGISTRATION_CHECKS,
  ...CREDENTIAL_CHECKS,
  ...AGENT_CHECKS,
  ...OBJECT_CHECKS,
  ...INTEGRATION_CHECKS,
  ...LEFTOVER_CHECKS,
];

/** What doctor found. */
export interface LiveExamination {
  readonly targets: readonly ExaminedTarget[];
  /** Errors first, then by target and object. */
  readonly diagnoses: readonly Diagnosis[];
}

interface ExaminedTarget {
  readonly name: string;
  readonly by: string;
  readonly unreachable?: string;
}

interface ExamineOptions {
  readonly app: App;
  /** Whether live objects are compared with the program. @default true */
  readonly drift?: boolean;
  /** @default - the time of this machine */
  readonly now?: Date;
  /** Targets whose cluster may be another one than before. @default - none */
  readonly acceptNewCluster?: readonly string[];
  readonly signal?: AbortSignal;
}

/** Looks at the live clusters of a program. Nothing is written, not even tried. */
export async function examineClusters(
  program: LoadedAssembly,
  targets: BoundTargets,
  options: ExamineOptions,
): Promise<LiveExamination> {
  const { app, drift = true, now = new Date(), acceptNewCluster, signal } = options;
  const world = await readWorld(targets, now, { signal });
  const known = await knownTargets(program.assembly.targets, targets, app, {
    acceptNewCluster,
    signal,
  });
  const diagnoses = [...checkWorld(world), ...targetDiagnoses(known)];
  if (drift) {
    const reachable = new Set(
      world.targets
        .filter(({ unreachable }) => unreachable === undefined)
        .map(({ target }) => target.name),
    );
    diagnoses.push(...(await driftOf(program, targets, reachable, app, { signal })));
  }
  return {
    targets: world.targets.map(({ target, by, unreachable }) => ({
      name: target.name,
      by,
      ...(unreachable === undefined ? {} : { unreachable }),
    })),
    diagnoses: sorted(diagnoses),
  };
}

/** What the checks say of what was read. */
export function checkWorld(world: LiveWorld): Diagnosis[] {
  return world.targets.flatMap((seen) => [
    ...reachability(seen),
    ...CHECKS.filter(({ on }) => on.includes(seen.target.kind)).flatMap((check) =>
      diagnosesOf(check, seen, world),
    ),
  ]);
}

function diagnosesOf(check: DoctorCheck, seen: SeenTarget, world: LiveWorld): Diagnosis[] {
  if (seen.unreachable !== undefined || check.needs.some((read) => !seen.seen.has(read))) {
    return [];
  }
  const { id, source } = check;
  return [...check.look(seen, world)].map(({ object, message, fix, level = check.level }) => ({
    check: id,
    level,
    target: seen.target.name,
    ...(object ? { object: objectLabel(object) } : {}),
    message,
    fix,
    source,
  }));
}

function reachability(seen: SeenTarget): Diagnosis[] {
  const { by, unreachable, absent, notSeen } = seen;
  const { name: target } = seen.target;
  if (unreachable !== undefined) {
    return [
      {
        check: 'target/unreachable',
        level: absent ? 'info' : 'error',
        target,
        message: unreachable,
        fix: absent
          ? 'run apply, which creates it'
          : `fix what the message names, or ${
              by.startsWith('context ')
                ? 'use another context'
                : 'use a context instead of the kubeconfig that Rancher keeps'
            }: --context ${target}=<context>`,
        source: 'the connection',
      },
    ];
  }
  const skipped = (read: ReadName): readonly DoctorCheck[] =>
    CHECKS.filter(({ on, needs }) => on.includes(seen.target.kind) && needs.includes(read));
  return [...notSeen].map(([read, why]) => ({
    check: 'target/not-seen',
    level: 'info' as const,
    target,
    message: `${read} could not be read (${why}); skipped: ${
      skipped(read)
        .map(({ id }) => id)
        .join(', ') || 'parts of other checks'
    }`,
    fix: '`cdk8s-harvester rbac --doctor` prints what an identity needs for it',
    source: 'the answer of the server',
  }));
}

const LEVELS: readonly DiagnosisLevel[] = ['error', 'warning', 'info'];

function sorted(diagnoses: readonly Diagnosis[]): Diagnosis[] {
  return [...diagnoses].sort(
    (a, b) =>
      LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) ||
      compare(a.target, b.target) ||
      compare(a.check, b.check) ||
      compare(a.object ?? '', b.object ?? ''),
  );
}

/** The forms of doctor's output. */
export const DOCTOR_FORMATS = ['text', 'json'] as const;

export type DoctorFormat = (typeof DOCTOR_FORMATS)[number];

/** What doctor found, for people: what is wrong, where, what to do. */
export function doctorText({ targets, diagnoses }: LiveExamination): Block[] {
  return [
    ...targets.map(({ name, by, unreachable }) =>
      line([
        toned('title', name),
        ` (${by})`,
        ...(unreachable === undefined ? [] : [toned('error', ': not reached')]),
      ]),
    ),
    BLANK,
    list(diagnoses.map(diagnosisText), 'problems'),
    line(toned(worstTone(diagnoses), countText(diagnoses))),
  ];
}

const TONES: { readonly [level in DiagnosisLevel]: Tone } = {
  error: 'error',
  warning: 'warning',
  info: 'quiet',
};

function diagnosisText({ check, level, target, object, message, fix, source }: Diagnosis): Block[] {
  return [
    line([
      toned(TONES[level], level),
      `  ${check}  `,
      toned('title', object === undefined ? target : `${object} on ${target}`),
    ]),
    line(message, 2),
    line(`fix: ${fix}`, 2),
    line(toned('quiet', `source: ${source}`), 2),
    BLANK,
  ];
}

function worstTone(diagnoses: readonly Diagnosis[]): Tone {
  const worst = (['error', 'warning', 'info'] as const).find((level) =>
    diagnoses.some((diagnosis) => diagnosis.level === level),
  );
  return worst === undefined ? 'good' : TONES[worst];
}

/** `1 error, 2 warnings`. */
function countText(diagnoses: readonly Diagnosis[]): string {
  const counts = (
    [
      ['error', 'error', 'errors'],
      ['warning', 'warning', 'warnings'],
      ['info', 'note', 'notes'],
    ] as const
  ).flatMap(([level, singular, plural]) => {
    const count = diagnoses.filter((diagnosis) => diagnosis.level === level).length;
    return count === 0 ? [] : [`${count} ${count > 1 ? plural : singular}`];
  });
  return counts.join(', ') || 'nothing wrong was found';
}

/** The examination as JSON, with a schema version. */
export function doctorJson({ targets, diagnoses }: LiveExamination): string {
  return `${JSON.stringify({ schemaVersion: '1', targets, diagnoses }, undefined, 2)}\n`;
}
