import { MachinePool } from './machine-pool';
import { NO_PROBLEMS, Problem } from '../../core/problem/problem';
import {
  faultOfMachineText,
  isSameMachineText,
  MACHINE_TEXTS,
  MachineText,
} from '../machine-config/machine-text.check';
import { ClusterFields } from '../parts/cluster-parts';

/**
 * Compares the texts that the live object of a pool has with those that its props become: `kept`
 * are those that mean the same, `outdated` those that do not and are not written.
 *
 * @param fields of the HarvesterConfig, with user data and network data as plain text
 */
export function machineTexts(
  { name, adopted }: MachinePool,
  { vmNamespace, ...fields }: ClusterFields,
) {
  const kept: { -readonly [field in MachineText]?: string } = {};
  const outdated: Problem[] = [];
  for (const field of MACHINE_TEXTS) {
    const [given, own] = [adopted?.[field], fields[field]];
    if (given === undefined) {
      continue;
    }
    if (typeof own === 'string' && isSameMachineText(field, given, own, String(vmNamespace))) {
      kept[field] = given;
    } else {
      outdated.push({
        path: field,
        message: `is written from the other props of pool ${name}: the text in adopted.${field} means something else and has no effect`,
        fix: `remove adopted.${field}; \`cdk8s-harvester impact\` prints the machines that are replaced`,
      });
    }
  }
  if (adopted?.singleFields && fields.diskInfo !== undefined) {
    outdated.push({
      path: 'diskInfo',
      message: `is a list in pool ${name}, whose machines have no single disk and NIC: adopted.singleFields has no effect`,
      fix: 'remove adopted.singleFields',
    });
  }
  return { kept, outdated };
}

/** Checks that the node driver can read the texts that the live object of a pool has. */
export function checkMachineTexts({ adopted }: MachinePool): readonly Problem[] {
  return adopted === undefined
    ? NO_PROBLEMS
    : MACHINE_TEXTS.flatMap((field): readonly Problem[] => {
        const text = adopted[field];
        const fault = text === undefined ? undefined : faultOfMachineText(field, text);
        // never the value: user data may contain passwords
        return fault === undefined
          ? NO_PROBLEMS
          : [
              {
                path: `adopted.${field}`,
                message: `must be a text that the node driver can read: ${fault}`,
                fix: 'copy the text of the live object, or remove it',
              },
            ];
      });
}
