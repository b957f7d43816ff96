import { Construct } from 'constructs';
import { makeGuestChartsBy } from './guest-chart-factory';
import { KubernetesVersion } from './kubernetes/kubernetes-version';
import { TargetChart, TargetChartProps } from '../core/app/target-chart';
import {
  IGuestTarget,
  IHarvesterTarget,
  IRancherTarget,
  TargetKind,
} from '../core/construct/target';
import { failOnErrors, parsed } from '../core/problem/problem';

/** Properties of the target chart of a guest cluster. */
export interface GuestChartProps extends TargetChartProps {
  /** The Kubernetes version with the release of the distribution, e.g. `v1.33.6+rke2r1`. */
  readonly version: string;
  /**
   * The provisioning Cluster on Rancher, as `<namespace>/<name>`.
   * @default - unknown: rules that need it do not apply
   */
  readonly provisioningCluster?: string;
  /** The Rancher that manages the cluster. @default - unknown: rules that need it do not apply */
  readonly rancher?: IRancherTarget;
  /**
   * The Harvester cluster that its machines run on, from which its load balancers get their
   * addresses.
   * @default - found by the cloud credential of the provisioning Cluster, if the program has both
   */
  readonly harvester?: IHarvesterTarget;
}

/**
 * The target chart of a guest cluster on Harvester VMs: constructs in it go to the Kubernetes API
 * of the guest cluster.
 *
 * `GuestCluster` and `ImportedCluster` create one themselves, see their `chart`. Use this class for
 * clusters that the program does not declare.
 *
 * @example
 * const guest = new GuestChart(app, 'billing', { version: 'v1.34.10+rke2r1', provisioningCluster: 'fleet-default/billing' });
 * new HarvesterLoadBalancer(guest, 'web', { ipam: Ipam.dhcp(), ports: [{ port: 443 }], selector: { app: 'web' } });
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
    failOnErrors(this);
    this.provisioningCluster = props.provisioningCluster;
    this.rancher = props.rancher;
    this.harvester = props.harvester;
  }

  public get kubernetesVersion(): string {
    return this.version;
  }
}

// guest clusters create their own chart, and must not import the app
makeGuestChartsBy((scope, id, props) => new GuestChart(scope, id, props));
