import { RFC1123_LABEL } from '../../../core/manifest/names';
import {
  LABEL_NAME_FIX,
  LABEL_VALUE_FIX,
  labelNameFault,
  labelValueFault,
  rfc1123LabelProblem,
} from '../../../core/problem/label';
import { NO_PROBLEMS, Problem } from '../../../core/problem/problem';
import { AUTOSCALER_MAX, AUTOSCALER_MIN } from '../../machine-config/machine-config.kind';
import { MachinePool } from '../machine-pool';

export function checkNodes(pool: MachinePool): Problem[] {
  return checkPoolName(pool).concat(
    checkLabels('nodeLabels', pool.nodeLabels),
    checkLabels('machineDeploymentLabels', pool.machineDeploymentLabels),
    checkLabels('machineConfigLabels', pool.machineConfigLabels),
    checkAnnotations(pool),
    checkTaints(pool),
  );
}

function checkPoolName({ name }: MachinePool): Problem[] {
  if (RFC1123_LABEL.test(name)) {
    return [];
  }
  const fix = 'use a-z, 0-9 and hyphens, with a letter or digit at both ends';
  return [rfc1123LabelProblem('name', name, fix)];
}

function checkLabels(prop: string, labels: MachinePool['nodeLabels']): readonly Problem[] {
  if (!labels) {
    return NO_PROBLEMS;
  }
  return Object.entries(labels).flatMap(([key, value]) => [
    ...checkLabelName(prop, key),
    ...checkLabelValue(`${prop}[${key}]`, value),
  ]);
}

function checkAnnotations({ machineDeploymentAnnotations, autoscaling }: MachinePool): Problem[] {
  const keys = Object.keys(machineDeploymentAnnotations ?? {});
  const written = autoscaling ? [AUTOSCALER_MIN, AUTOSCALER_MAX] : [];
  return keys.flatMap((key) => [
    ...checkLabelName('machineDeploymentAnnotations', key),
    ...(written.includes(key)
      ? [
          {
            path: `machineDeploymentAnnotations[${key}]`,
            message: 'cannot be set together with autoscaling, which writes it',
            fix: 'remove it',
          },
        ]
      : []),
  ]);
}

function checkTaints({ taints = [] }: MachinePool): Problem[] {
  return taints.flatMap(({ key, value }, index) => [
    ...checkLabelName(`taints[${index}].key`, key),
    ...checkLabelValue(`taints[${index}].value`, value),
  ]);
}

function checkLabelName(path: string, value: string): Problem[] {
  const says = labelNameFault(value);
  const message = 'must be a valid label name';
  return says === undefined ? [] : [{ path, value, message, fix: LABEL_NAME_FIX, says }];
}

function checkLabelValue(path: string, value = ''): Problem[] {
  const says = labelValueFault(value);
  const message = 'must be a valid label value';
  return says === undefined ? [] : [{ path, value, message, fix: LABEL_VALUE_FIX, says }];
}
