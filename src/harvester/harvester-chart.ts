import { Construct } from 'constructs';
import { HarvesterVersion } from './version/harvester-version';
import { IHarvesterTarget, TargetKind } from '../core/app/target';
import { TargetChart, TargetChartProps } from '../core/app/target-chart';
import { parsed } from '../core/rule/problem';

/**
 * Properties of a Harvester target.
 */
export interface HarvesterChartProps extends TargetChartProps {
  /** Version of Harvester, with its patch number, e.g. `1.7.2`: what is written depends on it. */
  readonly version: string;
  /**
   * The management address (VIP) of the cluster.
   * @default - not known to the program
   */
  readonly vip?: string;
}

/**
 * A Harvester cluster: all below goes to its Kubernetes API.
 *
 * @see https://docs.harvesterhci.io
 */
export class HarvesterChart extends TargetChart implements IHarvesterTarget {
  public readonly targetKind = TargetKind.HARVESTER;
  public readonly version: string;
  public readonly vip?: string;

  constructor(scope: Construct, id: string, props: HarvesterChartProps) {
    super(scope, id, props);
    this.version = parsed(this, 'version', () => HarvesterVersion.parse(props.version).toString());
    this.vip = props.vip;
  }
}
