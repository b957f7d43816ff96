import { Construct } from 'constructs';
import { ResourceProps } from '../../core/app/resource';
import { API_VERSIONS } from '../../core/manifest/names';
import { RancherResource } from '../rancher-resource';

/**
 * Properties of a feature of Rancher. The name of the feature is that of its object, by default the
 * ID of the construct.
 */
export interface RancherFeatureProps extends ResourceProps {
  /** Whether the feature is on. Rancher refuses another value than the one that it locks. */
  readonly enabled: boolean;
}

/**
 * A feature of Rancher that is on or off, e.g. `harvester-baremetal-container-workload`: gives a
 * value to the Feature (management.cattle.io/v3) of that name on the management cluster.
 *
 * Rancher creates these objects at its start, so only `spec.value` is written. It restarts itself
 * after a change of most features. A Feature is never deleted: one that the program no longer
 * declares gets its default again.
 *
 * @see https://ranchermanager.docs.rancher.com/getting-started/installation-and-upgrade/installation-references/feature-flags
 * @example
 * new RancherFeature(rancher, 'harvester-baremetal-container-workload', { enabled: true });
 */
export class RancherFeature extends RancherResource {
  constructor(scope: Construct, id: string, props: RancherFeatureProps) {
    super(scope, id, props);
    this._write({
      apiVersion: API_VERSIONS.MANAGEMENT,
      kind: 'Feature',
      spec: { value: props.enabled },
    });
  }
}
