import { Problem } from '../../core/problem/problem';
import { errorIf } from '../../core/rule/kit/relations';
import { JudgedTarget } from '../../core/rule/rule';
import { tableByName } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import { LONGHORN_STATIC, VMSTATE_PERSISTENCE } from '../storage/storage.kind';
import { HarvesterGate } from '../version/harvester-version';

/** The StorageClasses that Harvester keeps for itself, with the gate of the refusal. */
const RESERVED: { readonly [name: string]: HarvesterGate } = tableByName({
  [LONGHORN_STATIC]: HarvesterGate.LONGHORN_STATIC_RESERVED,
  [VMSTATE_PERSISTENCE]: HarvesterGate.VMSTATE_PERSISTENCE_RESERVED,
});

/**
 * What is wrong with the StorageClass of a new volume if Harvester keeps it for itself. Undefined
 * for other classes. Versions that accept such a volume create one that no virtual machine can use.
 *
 * @param target the Harvester of the volume, if it is known
 * @see harvester/harvester:pkg/webhook/resources/persistentvolumeclaim/validator.go validateInternalUsage
 */
export function reservedClassProblem(
  name: unknown,
  target: JudgedTarget | undefined,
): Omit<Problem, 'path'> | undefined {
  const gate = typeof name === 'string' ? RESERVED[name] : undefined;
  if (gate === undefined) {
    return undefined;
  }
  const isRefused = hasFeature(target, gate);
  return {
    value: name,
    level: errorIf(isRefused),
    message: 'cannot be the StorageClass of a volume: Harvester keeps it for itself',
    fix: 'use another StorageClass, e.g. harvester-longhorn',
    ...(isRefused === false
      ? {}
      : { says: `can not create volume with the reserved storage class ${String(name)}` }),
  };
}
