import { checkWholeNumber, Problem } from '../../../core/problem/problem';
import { MachinePool } from '../machine-pool';
import { checkHostnameLimit } from '../machine-pool.check';

const AMOUNT = /^(?:\d+|(?:\d|[1-9]\d|100)%)$/;
const TIMEOUTS = [
  'drainBeforeDeleteTimeout',
  'unhealthyNodeTimeout',
  'nodeStartupTimeout',
] as const;

export function checkHealth({
  quantity,
  autoscaling,
  maxUnhealthy,
  unhealthyRange,
  rollingUpdate,
  hostnameLengthLimit,
  ...pool
}: MachinePool): Problem[] {
  const problems: Problem[] = [...checkHostnameLimit(hostnameLengthLimit)];
  for (const [path, value] of [
    ['quantity', quantity],
    ['autoscaling.min', autoscaling?.min],
    ['autoscaling.max', autoscaling?.max],
  ] as const) {
    problems.push(...checkWholeNumber(path, value, 0, `set ${path} to 0 or more`));
  }
  const amounts = {
    maxUnhealthy,
    'rollingUpdate.maxSurge': rollingUpdate?.maxSurge,
    'rollingUpdate.maxUnavailable': rollingUpdate?.maxUnavailable,
  };
  for (const [path, value] of Object.entries(amounts)) {
    if (value !== undefined && !AMOUNT.test(value)) {
      problems.push({
        path,
        value,
        message: 'must be a number or a percentage of machines',
        fix: 'write it as text, e.g. 1 or 25%',
      });
    }
  }
  const none = (value?: string): boolean => value !== undefined && /^0+%?$/.test(value);
  if (
    none(rollingUpdate?.maxSurge) &&
    (rollingUpdate?.maxUnavailable === undefined || none(rollingUpdate.maxUnavailable))
  ) {
    problems.push({
      path: 'rollingUpdate',
      message: 'maxSurge and maxUnavailable cannot both be 0: no machine could be replaced',
      fix: 'set maxUnavailable to 1 if maxSurge is 0',
    });
  }
  if (unhealthyRange !== undefined && !/^\[\d+-\d+\]$/.test(unhealthyRange)) {
    problems.push({
      path: 'unhealthyRange',
      value: unhealthyRange,
      message: 'must be a range of numbers',
      fix: 'write it as [3-5]',
    });
  }
  for (const path of TIMEOUTS) {
    const seconds = pool[path]?.toSeconds({ integral: false });
    if (seconds !== undefined && !Number.isInteger(seconds)) {
      problems.push({
        path,
        value: `${seconds} seconds`,
        message: 'must be whole seconds',
        fix: 'round it',
      });
    }
  }
  return problems;
}
