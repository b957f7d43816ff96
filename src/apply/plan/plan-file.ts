import { existsSync, readFileSync } from 'fs';
import { join } from 'path';
import { Plan } from './plan';
import { ASSEMBLY_FILE } from '../../model/assembly';
import { isRecord } from '../../model/manifest';
import { writePrivateFile } from '../private-file';

const SAY_AGAIN = 'make a new one by `cdk8s-harvester plan --out`';

/** Writes a plan so that only its owner reads it: whole, or not at all. */
export function writePlan(file: string, plan: Plan): void {
  writePrivateFile(file, planJson(plan));
}

/** Reads a plan that `writePlan` wrote. */
export function readPlan(file: string): Plan {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file}: ${error instanceof SyntaxError ? 'is no JSON' : (error as Error).message}; ${SAY_AGAIN}`);
  }
  if (!isRecord(content) || content.schemaVersion !== '1') {
    const found = isRecord(content) ? String(content.schemaVersion) : 'none';
    throw new Error(`${file}: got schemaVersion ${found}, expected 1; ${SAY_AGAIN}`);
  }
  const { assembly, targets, steps, rolls, adoptFrom = [], forceConflicts = [], app = '' } = content;
  const whole = typeof assembly === 'string' && [targets, steps, rolls].every(Array.isArray) && (targets as unknown[]).every(isTarget)
    && (steps as unknown[]).every(isStep) && (rolls as unknown[]).every(isRecord)
    && [adoptFrom, forceConflicts].every((names) => Array.isArray(names) && names.every((name) => typeof name === 'string')) && typeof app === 'string';
  if (!whole) { throw new Error(`${file}: is not a whole plan; ${SAY_AGAIN}`); }
  return content as unknown as Plan;
}

/** Throws where the output folder is not there, which a plan does not hold. */
export function checkPlannedFolder(folder: string): void {
  if (existsSync(join(folder, ASSEMBLY_FILE))) { return; }
  throw new Error(`${join(folder, ASSEMBLY_FILE)}: is not there; a plan is carried out with the output folder that it was made of: give it by --dist <folder>`);
}

/** A plan as JSON, as it stands in a file. */
export function planJson(plan: Plan): string {
  return `${JSON.stringify(plan, undefined, 2)}\n`;
}

function isTarget(value: unknown): boolean {
  return isRecord(value) && typeof value.name === 'string' && typeof value.by === 'string';
}

const ACTIONS: readonly unknown[] = ['create', 'update', 'unchanged', 'prune', 'keep', 'reset', 'unknown'];

function isStep(value: unknown): boolean {
  return isRecord(value) && typeof value.id === 'string' && typeof value.target === 'string' && typeof value.digest === 'string'
    && ACTIONS.includes(value.action) && [value.changes, value.conflicts, value.waitsFor].every(Array.isArray);
}
