export { GuestChart, GuestChartProps } from './guest-chart';
export { HarvesterApp, HarvesterAppProps } from './harvester-app';
export { HarvesterChart, HarvesterChartProps } from './harvester-chart';
export { OutputLayout } from './output-layout';
export { RancherChart, RancherChartProps } from './rancher-chart';
export { Retention } from './retention';
export { Rules } from './suppressions';
export { TargetChart, TargetChartProps } from './target-chart';
