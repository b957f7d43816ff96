import { execFileSync } from 'child_process';
import { Manifest } from '../../../../src/core/manifest/manifest';
import { enginePath } from '../bed/engine-folder';

/** Expressions of a Kustomization's `healthCheckExprs`. */
export interface CelExpressions {
  readonly current: string;
  readonly inProgress?: string;
  readonly failed?: string;
}

/** What an engine reports of an object. */
export interface Health {
  /**
   * Flux: Current, InProgress, Failed, Unknown; `Invalid` where it refuses the expression. Argo CD:
   * Healthy, Progressing, Degraded, Suspended, Missing, Unknown.
   */
  readonly status: string;
  readonly message: string;
}

/**
 * An object, and what to judge it by; without that, by what the engine itself knows (kstatus, the
 * checks of Argo CD).
 */
export interface CelCase {
  readonly expressions?: CelExpressions;
  readonly object: Manifest;
}
export interface LuaCase {
  readonly script?: string;
  readonly object: Manifest;
}

/** Judges objects by Flux's own evaluator, all at once. */
export function evaluateCel(cases: readonly CelCase[]): Health[] {
  return evaluate(enginePath('flux', 'health'), cases);
}

/** Judges objects by Argo CD's own evaluator, all at once. */
export function evaluateLua(cases: readonly LuaCase[]): Health[] {
  return evaluate(enginePath('lua', 'health'), cases);
}

function evaluate(program: string, cases: readonly object[]): Health[] {
  return JSON.parse(
    execFileSync(program, {
      input: JSON.stringify(cases),
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    }),
  ) as Health[];
}
