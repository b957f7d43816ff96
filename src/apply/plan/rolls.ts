import { PlanRoll } from './plan';
import { Manifest } from '../../model/manifest';

/** One side of a comparison on one Rancher: its Clusters, HarvesterConfigs and what else pools are made of. */
export interface RollSide {
  readonly target: string;
  readonly version: string;
  readonly manifests: readonly Manifest[];
}

/** The pools that Rancher replaces when it is given `after` in place of `before`. */
export type RollsOf = (before: RollSide, after: RollSide) => readonly PlanRoll[];
