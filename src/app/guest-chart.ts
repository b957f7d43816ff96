import { Construct } from 'constructs';
import { TargetChart, TargetChartProps } from './target-chart';
import { parsed } from '../model/errors';
import { IGuestTarget } from '../model/target';
import { TargetKind } from '../model/target-kind';
import { KubernetesVersion } from '../versions';

/**
 * Properties of a guest cluster target.
 */
export interface GuestChartProps extends TargetChartProps {
  /** Version of Kubernetes with the release of its distribution, e.g. `v1.33.6+rke2r1`. */
  readonly version: string;
}

/**
 * A guest cluster on Harvester VMs: all below goes to its Kubernetes API.
 */
export class GuestChart extends TargetChart implements IGuestTarget {
  public readonly targetKind = TargetKind.GUEST;
  public readonly version: string;

  constructor(scope: Construct, id: string, props: GuestChartProps) {
    super(scope, id, props);
    this.version = parsed(this, 'version', () => KubernetesVersion.parse(props.version).toString());
  }
}
