import { MachineIdentity } from './virtual-machine-spec';
import { IHarvesterTarget } from '../../../core/construct/target';
import { RFC1123_LABEL } from '../../../core/manifest/names';
import { rfc1123LabelProblem } from '../../../core/problem/label';
import { Problem } from '../../../core/problem/problem';
import { FeatureGates } from '../../../core/version/feature-gates';
import { HarvesterGate, HarvesterVersion } from '../../version/harvester-version';

const LABEL_FIX = 'use at most 63 of a-z, 0-9 and hyphens, with a letter or digit first and last';

/** Checks a name that Kubernetes takes as a label. */
export function checkLabel(path: string, value: string): Problem[] {
  return RFC1123_LABEL.test(value) ? [] : [rfc1123LabelProblem(path, value, LABEL_FIX)];
}

/** Checks that an object that a VM refers to is on its Harvester. */
export function checkOnHarvester(
  path: string,
  value: string | undefined,
  given: IHarvesterTarget | undefined,
  harvester: IHarvesterTarget,
): Problem[] {
  if (!given || given === harvester) {
    return [];
  }
  return [
    {
      path,
      value,
      message: `must be on the Harvester of the VM, ${harvester.targetName}: it is on ${given.targetName}`,
      fix: `use one on ${harvester.targetName}`,
    },
  ];
}

/** Checks that an object that a VM refers to is in its namespace. */
export function checkSameNamespace(
  path: string,
  value: string | undefined,
  namespace: string | undefined,
  machine: MachineIdentity,
): Problem[] {
  if (namespace === undefined || namespace === machine.namespace) {
    return [];
  }
  return [
    {
      path,
      value: `${namespace}/${value}`,
      message: `must be in the namespace of the VM, ${machine.namespace}`,
      fix: 'use the same namespace for both',
    },
  ];
}

/** The problem that the version of the Harvester lacks something. */
export function checkGate(
  path: string,
  gate: HarvesterGate,
  harvester: IHarvesterTarget,
  fix: string,
): readonly Problem[] {
  return FeatureGates.of(gate)._check(
    path,
    HarvesterVersion.parse(harvester.version),
    `${fix}, or upgrade Harvester`,
  );
}
