import { AGENT_CHECKS } from './check-agents';
import { CREDENTIAL_CHECKS } from './check-credentials';
import { OBJECT_CHECKS } from './check-objects';
import { REGISTRATION_CHECKS } from './check-registration';
import { VERSION_CHECKS } from './check-versions';
import { Check, Diagnosis, DiagnosisLevel } from './diagnosis';
import { driftOf } from './drift';
import { knownTargets, targetDiagnoses } from './known-targets';
import { LiveWorld, SeenTarget } from './live-world';
import { readWorld } from './reads';
import { compare } from '../../model/compare';
import { objectLabel } from '../../model/manifest';
import { BoundTargets } from '../bind/targets';
import { LoadedAssembly } from '../read/load-assembly';
import { App } from '../run/app';

/** All that doctor looks for; drift beside it. */
export const CHECKS: readonly Check[] = [...VERSION_CHECKS, ...REGISTRATION_CHECKS, ...CREDENTIAL_CHECKS, ...AGENT_CHECKS, ...OBJECT_CHECKS];

/** What doctor found. */
export interface Examination {
  readonly targets: readonly ExaminedTarget[];
  /** Errors first, then by target and object. */
  readonly diagnoses: readonly Diagnosis[];
}

export interface ExaminedTarget {
  readonly name: string;
  readonly by: string;
  readonly unreachable?: string;
}

export interface ExamineOptions {
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
export async function examine(program: LoadedAssembly, targets: BoundTargets, options: ExamineOptions): Promise<Examination> {
  const { app, drift = true, now = new Date(), acceptNewCluster, signal } = options;
  const world = await readWorld(targets, now, { signal });
  const known = await knownTargets(program.assembly.targets, targets, app, { acceptNewCluster, signal });
  const diagnoses = [...checkWorld(world), ...targetDiagnoses(known)];
  if (drift) {
    const reachable = new Set(world.targets.filter(({ unreachable }) => unreachable === undefined).map(({ target }) => target.name));
    diagnoses.push(...await driftOf(program, targets, reachable, app, { signal }));
  }
  return {
    targets: world.targets.map(({ target, by, unreachable }) => ({ name: target.name, by, ...(unreachable === undefined ? {} : { unreachable }) })),
    diagnoses: sorted(diagnoses),
  };
}

/** What the checks say of what was read. */
export function checkWorld(world: LiveWorld): Diagnosis[] {
  return world.targets.flatMap((seen) => [
    ...reachability(seen),
    ...CHECKS.filter(({ on }) => on.includes(seen.target.kind)).flatMap((check) => diagnosesOf(check, seen, world)),
  ]);
}

function diagnosesOf(check: Check, seen: SeenTarget, world: LiveWorld): Diagnosis[] {
  if (seen.unreachable !== undefined || check.needs.some((read) => !seen.seen.has(read))) { return []; }
  const { id, source } = check;
  return [...check.look(seen, world)].map(({ object, message, fix, level = check.level }) => ({
    check: id, level, target: seen.target.name, ...(object ? { object: objectLabel(object) } : {}), message, fix, source,
  }));
}

function reachability(seen: SeenTarget): Diagnosis[] {
  const { target: { name: target }, unreachable, absent, notSeen } = seen;
  if (unreachable !== undefined) {
    return [{
      check: 'target/unreachable',
      level: absent ? 'info' : 'error',
      target,
      message: unreachable,
      fix: absent ? 'apply makes it' : `mend what is said there; or reach it by another context: --context ${target}=<context>`,
      source: 'the connection',
    }];
  }
  return [...notSeen].map(([read, why]) => ({
    check: 'target/not-seen',
    level: 'info' as const,
    target,
    message: `${read} could not be read (${why}); not looked for: ${CHECKS.filter(({ on, needs }) => on.includes(seen.target.kind) && needs.includes(read)).map(({ id }) => id).join(', ') || 'parts of other checks'}`,
    fix: '`cdk8s-harvester rbac --doctor` prints what an identity needs for it',
    source: 'the answer of the server',
  }));
}

const LEVELS: readonly DiagnosisLevel[] = ['error', 'warning', 'info'];

function sorted(diagnoses: readonly Diagnosis[]): Diagnosis[] {
  return [...diagnoses].sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level)
    || compare(a.target, b.target) || compare(a.check, b.check) || compare(a.object ?? '', b.object ?? ''));
}
