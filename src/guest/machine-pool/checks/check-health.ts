import { Duration } from 'cdk8s';
import { checkWholeNumber, NO_PROBLEMS, Problem } from '../../../core/problem/problem';
import { MachinePool, MachineRollingUpdate } from '../machine-pool';
import { checkHostnameLimit } from '../machine-pool.check';

const AMOUNT = /^(?:\d+|(?:\d|[1-9]\d|100)%)$/;

export function checkHealth(pool: MachinePool): readonly Problem[] {
  const { quantity, autoscaling, rollingUpdate, maxUnhealthy, unhealthyRange } = pool;
  return checkHostnameLimit(pool.hostnameLengthLimit).concat(
    checkCount('quantity', quantity),
    checkCount('autoscaling.min', autoscaling?.min),
    checkCount('autoscaling.max', autoscaling?.max),
    checkAmount('maxUnhealthy', maxUnhealthy),
    checkAmount('rollingUpdate.maxSurge', rollingUpdate?.maxSurge),
    checkAmount('rollingUpdate.maxUnavailable', rollingUpdate?.maxUnavailable),
    rollingUpdate ? checkReplacement(rollingUpdate) : NO_PROBLEMS,
    checkRange(unhealthyRange),
    checkTimeout('drainBeforeDeleteTimeout', pool.drainBeforeDeleteTimeout),
    checkTimeout('unhealthyNodeTimeout', pool.unhealthyNodeTimeout),
    checkTimeout('nodeStartupTimeout', pool.nodeStartupTimeout),
  );
}

function checkCount(path: string, value: number | undefined): readonly Problem[] {
  return checkWholeNumber(path, value, 0, `set ${path} to 0 or more`);
}

function checkAmount(path: string, value: string | undefined): readonly Problem[] {
  if (value === undefined || AMOUNT.test(value)) {
    return NO_PROBLEMS;
  }
  return [
    {
      path,
      value,
      message: 'must be a number or a percentage of machines',
      fix: 'write it as text, e.g. 1 or 25%',
    },
  ];
}

function checkReplacement({ maxSurge, maxUnavailable }: MachineRollingUpdate): readonly Problem[] {
  const none = (value?: string): boolean => value !== undefined && /^0+%?$/.test(value);
  if (!none(maxSurge) || (maxUnavailable !== undefined && !none(maxUnavailable))) {
    return NO_PROBLEMS;
  }
  return [
    {
      path: 'rollingUpdate',
      message: 'maxSurge and maxUnavailable cannot both be 0: no machine could be replaced',
      fix: 'set maxUnavailable to 1 if maxSurge is 0',
    },
  ];
}

function checkRange(unhealthyRange: string | undefined): readonly Problem[] {
  if (unhealthyRange === undefined || /^\[\d+-\d+\]$/.test(unhealthyRange)) {
    return NO_PROBLEMS;
  }
  return [
    {
      path: 'unhealthyRange',
      value: unhealthyRange,
      message: 'must be a range of numbers',
      fix: 'write it as [3-5]',
    },
  ];
}

function checkTimeout(path: string, timeout: Duration | undefined): readonly Problem[] {
  const seconds = timeout?.toSeconds({ integral: false });
  if (seconds === undefined || Number.isInteger(seconds)) {
    return NO_PROBLEMS;
  }
  return [
    {
      path,
      value: `${seconds} seconds`,
      message: 'must be whole seconds',
      fix: 'round it',
    },
  ];
}
