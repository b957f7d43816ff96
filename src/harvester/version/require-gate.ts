import { IConstruct } from 'constructs';
import { HarvesterGate, HarvesterVersion } from './harvester-version';
import { IHarvesterTarget } from '../../core/construct/target';
import { collectProblems } from '../../core/problem/problem';
import { FeatureGates } from '../../core/version/feature-gates';

/** Collects that the version of a construct's Harvester lacks what the construct needs. */
export function requireGate(
  construct: IConstruct & { readonly harvester: IHarvesterTarget },
  gate: HarvesterGate,
  fix: string,
): void {
  collectProblems(
    construct,
    FeatureGates.of(gate)._check('', HarvesterVersion.parse(construct.harvester.version), fix),
  );
}
