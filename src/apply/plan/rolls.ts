import { Manifest } from '../../model/manifest';
import { MachineLoss } from '../run/machine-loss';

/** One side of a comparison on one Rancher: its Clusters, HarvesterConfigs and what else pools are made of. */
export interface RollSide {
  readonly target: string;
  readonly version: string;
  readonly manifests: readonly Manifest[];
}

/** The machines that Rancher replaces or deletes when it is given `after` in place of `before`. */
export type RollsOf = (before: RollSide, after: RollSide) => readonly MachineLoss[];
