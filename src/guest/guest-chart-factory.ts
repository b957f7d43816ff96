import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { IGuestTarget } from '../core/construct/target';

/** The properties of the chart that a guest cluster creates. */
export type GuestChartOptions = Pick<
  IGuestTarget,
  'targetName' | 'version' | 'provisioningCluster' | 'rancher' | 'harvester'
>;

/** A chart whose objects go to a guest cluster. */
export type GuestTargetChart = Chart & IGuestTarget;

type Factory = (scope: Construct, id: string, props: GuestChartOptions) => GuestTargetChart;

let factory: Factory | undefined;

/**
 * Registers the factory for charts of guest clusters: target charts belong to the app, which
 * constructs do not know.
 */
export function makeGuestChartsBy(make: Factory): void {
  factory = make;
}

/** Creates the chart of a guest cluster in the construct that declares the cluster. */
export function guestChartBelow(scope: Construct, props: GuestChartOptions): GuestTargetChart {
  if (!factory) {
    throw new Error(
      'the charts of guest clusters are not loaded. Fix: import from the root of the library',
    );
  }
  return factory(scope, 'Chart', props);
}
