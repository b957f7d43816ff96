import { MachinePool } from './machine-pool';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { ClusterFields } from '../cluster/cluster-parts';
import {
  faultOfMachineText,
  isSameMachineText,
  MACHINE_TEXTS,
  MachineText,
} from '../machine-config/machine-text.check';

/**
 * Compares the texts that the live object of a pool has with those that its props become: `kept`
 * are those that mean the same, `outdated` those that do not and are not written.
 *
 * @param fields of the HarvesterConfig, with user data and network data as plain text
 */
export function machineTexts(
  { name, writtenAs }: MachinePool,
  { vmNamespace, ...fields }: ClusterFields,
) {
  const kept: { -readonly [field in MachineText]?: string } = {};
  const outdated: Problem[] = [];
  for (const field of MACHINE_TEXTS) {
    const [given, own] = [writtenAs?.[field], fields[field]];
    if (given === undefined) {
      continue;
    }
    if (typeof own === 'string' && isSameMachineText(field, given, own, String(vmNamespace))) {
      kept[field] = given;
    } else {
      outdated.push({
        path: field,
        message: `is written from the other props of pool ${name}: the text in writtenAs.${field} means something else and has no effect`,
        fix: `remove writtenAs.${field}; \`cdk8s-harvester impact\` prints the machines that are replaced`,
      });
    }
  }
  if (writtenAs?.singleFields && fields.diskInfo !== undefined) {
    outdated.push({
      path: 'diskInfo',
      message: `is a list in pool ${name}, whose machines have no single disk and NIC: writtenAs.singleFields has no effect`,
      fix: 'remove writtenAs.singleFields',
    });
  }
  return { kept, outdated };
}

/** Checks that the node driver can read the texts that the live object of a pool has. */
export function checkMachineTexts({ writtenAs }: MachinePool): readonly Problem[] {
  return writtenAs === undefined
    ? NO_PROBLEMS
    : MACHINE_TEXTS.flatMap((field): readonly Problem[] => {
        const text = writtenAs[field];
        const fault = text === undefined ? undefined : faultOfMachineText(field, text);
        // never the value: user data may contain passwords
        return fault === undefined
          ? NO_PROBLEMS
          : [
              {
                path: `writtenAs.${field}`,
                message: `must be a text that the node driver can read: ${fault}`,
                fix: 'copy the text of the live object, or remove it',
              },
            ];
      });
}
