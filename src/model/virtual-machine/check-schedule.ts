import { scheduleTimes } from './schedule-times';
import { cronFault } from '../checks/cron';
import { isLate } from '../late-token';
import { isRecord } from '../manifest';
import { Problem } from '../problem';

/** The numbers that Harvester takes, and those that it fills in. */
export const SCHEDULE_LIMITS = {
  minRetain: 2, maxRetain: 250, retain: 8, minMaxFailure: 2, maxFailure: 4, granularityMinutes: 60, offsetMinutes: 10,
} as const;

/**
 * What Harvester refuses in a schedule of backups by itself.
 * @see harvester/harvester:pkg/webhook/resources/schedulevmbackup/validator.go
 *
 * @param skipsCronCheck whether the annotation for it is there
 */
export function* checkSchedule(spec: unknown, skipsCronCheck: boolean): Iterable<Problem> {
  if (!isRecord(spec)) { return; }
  yield* checkCron(spec.cron, skipsCronCheck);
  const { retain = SCHEDULE_LIMITS.retain, maxFailure = SCHEDULE_LIMITS.maxFailure } = spec;
  if (typeof retain === 'number' && (retain < SCHEDULE_LIMITS.minRetain || retain > SCHEDULE_LIMITS.maxRetain)) {
    yield {
      path: 'spec.retain',
      value: retain,
      message: 'is no number of backups to keep',
      fix: `give ${SCHEDULE_LIMITS.minRetain} to ${SCHEDULE_LIMITS.maxRetain}`,
      says: `spec.retain in body should be ${retain < SCHEDULE_LIMITS.minRetain ? 'greater than or equal to 2' : 'less than or equal to 250'}`,
    };
  }
  if (typeof maxFailure === 'number' && maxFailure < SCHEDULE_LIMITS.minMaxFailure) {
    yield {
      path: 'spec.maxFailure',
      value: maxFailure,
      message: 'is too low',
      fix: `give ${SCHEDULE_LIMITS.minMaxFailure} or more`,
      says: 'spec.maxFailure in body should be greater than or equal to 2',
    };
  }
  if (typeof retain === 'number' && typeof maxFailure === 'number' && maxFailure >= retain) {
    yield {
      path: 'spec.maxFailure',
      value: maxFailure,
      message: `is not less than retain, which is ${retain}`,
      fix: 'lower it, or keep more',
      says: 'max failure should be less than retain',
    };
  }
}

function* checkCron(cron: unknown, skipsCronCheck: boolean): Iterable<Problem> {
  if (typeof cron !== 'string' || isLate(cron)) { return; }
  const path = 'spec.cron';
  const fault = cronFault(cron);
  if (fault !== undefined) {
    yield { path, value: cron, message: `is no cron expression: ${fault}`, fix: 'give five fields, e.g. "0 2 * * *"', says: 'invalid cron format' };
    return;
  }
  const { gaps = [] } = scheduleTimes(cron) ?? {};
  const short = gaps.filter((gap) => gap < SCHEDULE_LIMITS.granularityMinutes);
  if (skipsCronCheck || short.length === 0) { return; }
  const shortest = Math.min(...short);
  const always = short.length === gaps.length;
  yield {
    path,
    value: cron,
    // the server looks at the two runs that come next
    ...(always ? {} : { level: 'warning' as const }),
    message: `has runs only ${goMinutes(shortest)} apart${always ? '' : ', and is refused whenever such runs come next'}`,
    fix: 'let an hour or more pass between runs',
    says: `schedule granularity ${goMinutes(shortest)} less than 1h0m0s`,
  };
}

function goMinutes(minutes: number): string {
  const seconds = Math.round((minutes % 1) * 60);
  return minutes < 1 ? `${seconds}s` : `${Math.floor(minutes)}m${seconds}s`;
}
