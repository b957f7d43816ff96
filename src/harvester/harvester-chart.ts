import { Construct, IConstruct } from 'constructs';
import { HarvesterVersion } from './version/harvester-version';
import { TargetChart, TargetChartProps } from '../core/app/target-chart';
import { IHarvesterTarget, TargetKind } from '../core/construct/target';
import { parseIp } from '../core/go/go-ip';
import { isLate } from '../core/late/late-token';
import { Problem, collectProblems, failOnErrors, parsed } from '../core/problem/problem';

/** Properties of a chart for a Harvester cluster. */
export interface HarvesterChartProps extends TargetChartProps {
  /** The version of Harvester with its patch number, e.g. `1.7.2`, which the output depends on. */
  readonly version: string;
  /**
   * The management address (VIP) of the cluster: an IP address, without a scheme and a port.
   * @default - not known to the program
   */
  readonly vip?: string;
}

/**
 * The chart of a Harvester cluster: its objects are applied to the Kubernetes API of Harvester.
 *
 * @see https://docs.harvesterhci.io
 * @example
 * const dc2 = new HarvesterChart(app, 'dc2', { version: '1.7.2', vip: '10.20.0.10' });
 * HarvesterSetting.ntpServers(dc2, 'ntp', ['0.pool.ntp.org']);
 */
export class HarvesterChart extends TargetChart implements IHarvesterTarget {
  public readonly targetKind = TargetKind.HARVESTER;
  public readonly version: string;
  public readonly vip?: string;

  constructor(scope: Construct, id: string, props: HarvesterChartProps) {
    super(scope, id, props);
    collectProblems(this, checkVip(this, props.vip));
    this.version = parsed(this, 'version', () => HarvesterVersion.parse(props.version).toString());
    failOnErrors(this);
    this.vip = props.vip;
  }

  public get harvesterVersion(): string {
    return this.version;
  }
}

/** The chart of each management address, by the root of the program. */
const CHARTS = new WeakMap<IConstruct, Map<string, string>>();

/** Harvester holds its management address as an IP address, with which apply compares this one. */
function checkVip({ node }: HarvesterChart, vip: string | undefined): Problem[] {
  if (vip === undefined || isLate(vip)) {
    return [];
  }
  if (!parseIp(vip)) {
    return [
      {
        path: 'vip',
        value: vip,
        message: 'must be an IP address',
        fix: 'write only the address, e.g. 10.10.0.10, without a scheme and a port',
      },
    ];
  }
  const charts = CHARTS.get(node.root) ?? new Map<string, string>();
  CHARTS.set(node.root, charts);
  const other = charts.get(vip);
  charts.set(vip, other ?? node.path);
  if (other === undefined) {
    return [];
  }
  return [
    {
      path: 'vip',
      value: vip,
      message: `must be the address of one Harvester cluster: ${other} has it`,
      fix: 'correct one of the two',
    },
  ];
}
