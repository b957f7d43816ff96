import { Chart, ChartProps } from 'cdk8s';
import { Construct } from 'constructs';
import { reportsToProgram } from '../construct/program-place';
import { ITarget, TargetKind, checkTargetName, markTarget } from '../construct/target';
import { kebabCase } from '../problem/label';
import { collectProblems } from '../problem/problem';
import { renderChart } from '../program/render';

/** Properties of every target chart. */
export interface TargetChartProps extends ChartProps {
  /**
   * Name of the target, and of the folder for its manifests. An RFC 1123 label, unique in the
   * program.
   * @default - the path of the chart, joined by hyphens, in kebab case; the chart `fra` in an own
   * construct `fra` is `fra`
   */
  readonly targetName?: string;
}

/** The IDs of a path, joined by hyphens: an ID that repeats the one above it adds nothing. */
function defaultTargetName(path: string): string {
  const ids = path.split('/');
  return kebabCase(ids.filter((id, index) => id !== ids[index - 1]).join('-'));
}

/**
 * A chart for the objects of one Kubernetes API.
 *
 * Everything below it is for that API, including objects in plain charts. `namespace` is the default
 * namespace of the objects of the chart; a plain chart in it has one of its own. Objects of
 * cluster-scoped kinds never get it.
 *
 * @example
 * const chart: TargetChart = new HarvesterChart(app, 'dc2', { version: '1.7.2', targetName: 'berlin' });
 * new VmNetwork(chart, 'prod', { clusterNetwork: ClusterNetwork.mgmt(chart), vlan: 100 });
 */
export abstract class TargetChart extends Chart implements ITarget {
  public readonly targetName: string;
  /** The product that serves the API. */
  public abstract readonly targetKind: TargetKind;
  /** The version of the product that runs there. */
  public abstract readonly version: string;

  constructor(scope: Construct, id: string, props: TargetChartProps = {}) {
    super(scope, id, props);
    this.targetName = props.targetName ?? defaultTargetName(this.node.path);
    collectProblems(this, checkTargetName(this.targetName, props.targetName));
    markTarget(this);
  }

  /**
   * Renders the objects of this chart. In a HarvesterApp, all rules are run over the whole program
   * first.
   */
  public toJson(): any[] {
    return reportsToProgram(this.toJson, () => renderChart(this));
  }
}
