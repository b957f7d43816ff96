import { IConstruct } from 'constructs';
import { defaultNamespace, namespaceOf } from '../core/app/resource';
import { IHarvesterTarget, INamespace } from '../core/construct/target';
import { NO_PROBLEMS, Problem, collectProblems } from '../core/problem/problem';

/**
 * The namespace of an object on a Harvester. The object waits for it if the program declares it.
 * Collects what is wrong with it.
 */
export function objectNamespace(
  construct: IConstruct,
  harvester: IHarvesterTarget,
  namespace: INamespace | undefined,
): string {
  return namespace
    ? namespaceOf(
        construct,
        harvester,
        namespace,
        'HarvesterNamespace.fromName, or the namespace of a TenantProject',
      )
    : defaultNamespace(construct);
}

/** Collects the problem of a reference to another Harvester. */
export function requireSameHarvester(
  construct: IConstruct,
  path: string,
  name: string,
  given: IHarvesterTarget,
  harvester: IHarvesterTarget,
): void {
  collectProblems(construct, checkSameHarvester(path, name, given, harvester));
}

/** The problem of a reference to another Harvester. */
export function checkSameHarvester(
  path: string,
  name: string,
  given: IHarvesterTarget,
  harvester: IHarvesterTarget,
): readonly Problem[] {
  if (given === harvester) {
    return NO_PROBLEMS;
  }
  return [
    {
      path,
      value: name,
      message: `must be on the same Harvester, ${harvester.targetName}: it is on ${given.targetName}`,
      fix: `use one on ${harvester.targetName}`,
    },
  ];
}
