import { Construct } from 'constructs';
import { ObjectReference } from '../../core/app/resource';
import { IRancherTarget, ITarget, know, rancherTargetOf } from '../../core/construct/target';
import { LateType } from '../../core/late/late-text';
import { API_VERSIONS, RFC1123_LABEL } from '../../core/manifest/names';
import { failOnErrors } from '../../core/problem/problem';
import { byDisplayName, nameOfMatch } from '../../core/value/late-value';
import { ManagedCluster } from '../cluster/managed-cluster';

const MANAGEMENT_CLUSTER = { apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Cluster' };

/**
 * How the program refers to a cluster that it does not declare: by its ID, or by the name that
 * Rancher's UI shows.
 */
export interface ClusterReference {
  readonly clusterId?: string;
  readonly displayName?: string;
  readonly clusterTarget?: ITarget;
}

/** A cluster of Rancher that this program does not declare. */
export class ExistingManagedCluster extends ManagedCluster {
  public readonly clusterId: string;
  /** @internal */
  public readonly _clusterTarget?: ITarget;
  /** @internal */
  public readonly _exists = true;

  constructor(
    scope: Construct,
    id: string,
    { clusterId, displayName, clusterTarget }: ClusterReference,
  ) {
    const match =
      displayName === undefined
        ? undefined
        : { ...byDisplayName(displayName), type: LateType.NAME };
    const reference: ObjectReference = { name: clusterId, match };
    super(scope, id, reference);
    this.clusterId = this.name;
    this._clusterTarget = clusterTarget;
    failOnErrors(
      this,
      match || RFC1123_LABEL.test(this.clusterId)
        ? []
        : [
            {
              path: 'clusterId',
              value: this.clusterId,
              message: 'must be a management cluster ID',
              fix: "copy it from the URL of Rancher's UI, e.g. c-m-abcd1234 or c-abcde",
            },
          ],
    );
    if (!match) {
      know(this, { target: this.rancher, ...MANAGEMENT_CLUSTER, name: this.clusterId });
    }
  }

  /**
   * The name of the management Cluster: the program knows no other.
   * @internal
   */
  public _nameOf({ name, match }: ObjectReference): string {
    return match
      ? nameOfMatch(this, { target: this.target, ...MANAGEMENT_CLUSTER }, match)
      : super._nameOf({ name });
  }

  /** @internal */
  public _requireTarget(): IRancherTarget {
    return rancherTargetOf(this, 'a reference to a cluster');
  }
}
