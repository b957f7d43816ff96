import { Chart, ChartProps } from 'cdk8s';
import { Construct } from 'constructs';
import { ITarget, TargetKind, markTarget } from './target';
import { RFC1123_LABEL } from '../manifest/names';
import { fail } from '../rule/problem';
import { renderChart } from '../synthesis/render';

/**
 * Properties of every target chart.
 */
export interface TargetChartProps extends ChartProps {
  /**
   * The name of the target: the folder its manifests are written to. An RFC 1123 label, unique in the program.
   * @default - the path of the chart, joined by hyphens
   */
  readonly targetName?: string;
}

/**
 * A chart whose objects go to one Kubernetes API.
 *
 * All below it goes there, also what lies in plain charts below it. Objects of cluster-scoped kinds never get the chart's namespace.
 */
export abstract class TargetChart extends Chart implements ITarget {
  public readonly targetName: string;
  /** What runs behind the API. */
  public abstract readonly targetKind: TargetKind;
  /** The version of the product that runs there. */
  public abstract readonly version: string;

  constructor(scope: Construct, id: string, props: TargetChartProps = {}) {
    super(scope, id, props);
    this.targetName = props.targetName ?? this.node.path.replace(/\//g, '-');
    if (!RFC1123_LABEL.test(this.targetName)) {
      fail(this, [{
        path: 'targetName',
        value: this.targetName,
        message: 'the name of a target must be an RFC 1123 label: up to 63 of a-z, 0-9 and hyphens, since it names a folder',
        fix: props.targetName ? 'choose another targetName' : 'choose another chart id, or give targetName',
      }]);
    }
    markTarget(this);
  }

  /**
   * Renders the objects of this chart; in a HarvesterApp after all rules were run over the whole program.
   */
  public toJson(): any[] {
    return renderChart(this);
  }
}
