import { Construct } from 'constructs';
import { makeGuestChartsBy } from './cluster/guest-chart';
import { KubernetesVersion } from './kubernetes/kubernetes-version';
import { IGuestTarget, IHarvesterTarget, IRancherTarget, TargetKind } from '../core/app/target';
import { TargetChart, TargetChartProps } from '../core/app/target-chart';
import { parsed } from '../core/rule/problem';

/**
 * Properties of a guest cluster target.
 */
export interface GuestChartProps extends TargetChartProps {
  /** Version of Kubernetes with the release of its distribution, e.g. `v1.33.6+rke2r1`. */
  readonly version: string;
  /**
   * The provisioning Cluster on Rancher that it is, as `<namespace>/<name>`.
   * @default - not known to the program
   */
  readonly provisioningCluster?: string;
  /**
   * The Rancher that manages it.
   * @default - not known to the program
   */
  readonly rancher?: IRancherTarget;
  /**
   * The Harvester that its machines run on: where its load balancers get their addresses.
   * @default - found by the cloud credential of its provisioning Cluster, where the program has both
   */
  readonly harvester?: IHarvesterTarget;
}

/**
 * A guest cluster on Harvester VMs: all below goes to its Kubernetes API.
 *
 * `GuestCluster` makes one by itself, see its `chart`; this is for guests that the program does not declare.
 */
export class GuestChart extends TargetChart implements IGuestTarget {
  public readonly targetKind = TargetKind.GUEST;
  public readonly version: string;
  public readonly provisioningCluster?: string;
  public readonly rancher?: IRancherTarget;
  public readonly harvester?: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: GuestChartProps) {
    super(scope, id, props);
    this.version = parsed(this, 'version', () => KubernetesVersion.parse(props.version).toString());
    this.provisioningCluster = props.provisioningCluster;
    this.rancher = props.rancher;
    this.harvester = props.harvester;
  }
}

// guest clusters make the chart of what lies in them, and may not know the app
makeGuestChartsBy((scope, id, props) => new GuestChart(scope, id, props));
