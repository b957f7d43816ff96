import { Duration } from 'cdk8s';
import { Fields } from './_parts';
import { DrainOptions, UpgradeStrategy } from './upgrade-strategy';
import { isLate } from '../model/late-token';
import { Problem } from '../model/problem';

/** What the definition of Cluster takes. @see rancher/rancher:pkg/crds/yaml/generated/provisioning.cattle.io_clusters.yaml */
const CONCURRENCY = /^((([1-9]|[1-9][0-9]|100)%)|([1-9][0-9]*|0))$/;
const MAX_CONCURRENCY = 10;
const DRAIN_TIMEOUT = 120;

/** rkeConfig.upgradeStrategy, spelled out as the UI does. */
export function upgradeSpec({ controlPlaneConcurrency, workerConcurrency, controlPlaneDrain, workerDrain }: UpgradeStrategy = {}): Fields {
  return {
    controlPlaneConcurrency: controlPlaneConcurrency ?? '1',
    controlPlaneDrainOptions: drainSpec(controlPlaneDrain ?? { enabled: false }),
    workerConcurrency: workerConcurrency ?? '1',
    workerDrainOptions: drainSpec(workerDrain ?? { enabled: false }),
  };
}

function drainSpec(drain: DrainOptions): Fields {
  return {
    deleteEmptyDirData: drain.deleteEmptyDirData ?? true,
    disableEviction: drain.disableEviction ?? false,
    enabled: drain.enabled ?? true,
    force: drain.force ?? false,
    gracePeriod: seconds(drain.gracePeriod) ?? -1,
    ignoreDaemonSets: drain.ignoreDaemonSets ?? true,
    postDrainHooks: hooks(drain.postDrainHooks),
    preDrainHooks: hooks(drain.preDrainHooks),
    skipWaitForDeleteTimeoutSeconds: seconds(drain.skipWaitForDeleteTimeout) ?? 0,
    timeout: seconds(drain.timeout) ?? DRAIN_TIMEOUT,
  };
}

function seconds(duration: Duration | undefined): number | undefined {
  return duration?.toSeconds({ integral: false });
}

function hooks(annotations: readonly string[] | undefined): { annotation: string }[] | undefined {
  return annotations && annotations.length > 0 ? annotations.map((annotation) => ({ annotation })) : undefined;
}

/** What is wrong with the strategy. */
export function* checkUpgrade(strategy: UpgradeStrategy = {}): Iterable<Problem> {
  for (const prop of ['controlPlaneConcurrency', 'workerConcurrency'] as const) {
    const value = strategy[prop];
    if (value === undefined || isLate(value) || (CONCURRENCY.test(value) && value.length <= MAX_CONCURRENCY)) { continue; }
    yield {
      path: `upgradeStrategy.${prop}`,
      value,
      message: 'is no number of nodes',
      fix: 'give a number such as "1", "0" for all of them, or a percentage from "1%" to "100%"',
      says: 'concurrency must be a number or a percentage',
    };
  }
  for (const drain of ['controlPlaneDrain', 'workerDrain'] as const) {
    for (const prop of ['gracePeriod', 'timeout', 'skipWaitForDeleteTimeout'] as const) {
      const value = seconds(strategy[drain]?.[prop]);
      if (value === undefined || Number.isInteger(value)) { continue; }
      yield { path: `upgradeStrategy.${drain}.${prop}`, value: `${value} seconds`, message: 'must be whole seconds', fix: 'round it' };
    }
  }
}
