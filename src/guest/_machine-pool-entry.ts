import { Duration } from 'cdk8s';
import { Fields } from './_parts';
import { MachinePool } from './machine-pool';
import { defined, filledList } from '../model/defined';
import { HARVESTER_CONFIG_KIND } from '../model/guest/rancher-names';
import { goDurationText } from '../model/machine-config/duration';
import { AUTOSCALER_MAX, AUTOSCALER_MIN } from '../model/machine-config/names';
import { FeatureGates, GateId, RancherVersion } from '../versions';

/** The entry of a pool in rkeConfig.machinePools. */
export function machinePoolEntry(pool: MachinePool, configName: string, version: RancherVersion): Fields {
  const { roles, autoscaling, rollingUpdate } = pool;
  const health = FeatureGates.of(GateId.MACHINE_POOL_HEALTH).supports(version);
  const autoscalingFields = FeatureGates.of(GateId.AUTOSCALING).supports(version);
  const entry: Fields = {
    name: pool.name,
    quantity: autoscaling ? undefined : pool.quantity ?? 1,
    controlPlaneRole: roles.controlPlane || undefined,
    etcdRole: roles.etcd || undefined,
    workerRole: roles.worker || undefined,
    machineConfigRef: { kind: HARVESTER_CONFIG_KIND, name: configName },
    cloudCredentialSecretName: pool.credential?.credentialName,
    machineOS: pool.machineOs,
    hostnameLengthLimit: pool.hostnameLengthLimit,
    labels: filled(pool.labels),
    taints: filledList(pool.taints?.map(({ key, value, effect }) => ({ key, value, effect }))),
    machineDeploymentLabels: filled(pool.machineDeploymentLabels),
    machineDeploymentAnnotations: filled({
      ...pool.machineDeploymentAnnotations,
      ...(autoscaling && !autoscalingFields ? { [AUTOSCALER_MIN]: String(autoscaling.min), [AUTOSCALER_MAX]: String(autoscaling.max) } : {}),
    }),
    autoscalingMinSize: autoscalingFields ? autoscaling?.min : undefined,
    autoscalingMaxSize: autoscalingFields ? autoscaling?.max : undefined,
    drainBeforeDelete: pool.drainBeforeDelete ?? (health ? true : undefined),
    drainBeforeDeleteTimeout: timeText(pool.drainBeforeDeleteTimeout),
    unhealthyNodeTimeout: timeText(pool.unhealthyNodeTimeout ?? (health ? Duration.seconds(0) : undefined)),
    nodeStartupTimeout: timeText(pool.nodeStartupTimeout),
    maxUnhealthy: pool.maxUnhealthy,
    unhealthyRange: pool.unhealthyRange,
    rollingUpdate: rollingUpdate && {
      maxSurge: intOrPercentage(rollingUpdate.maxSurge), maxUnavailable: intOrPercentage(rollingUpdate.maxUnavailable),
    },
    paused: pool.paused || undefined,
  };
  return defined(entry);
}

function timeText(time?: Duration): string | undefined {
  return time && goDurationText(time.toSeconds());
}

// a number as text is taken for a broken percentage
function intOrPercentage(value?: string): string | number | undefined {
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : value;
}

function filled(map?: { readonly [key: string]: string }): { [key: string]: string } | undefined {
  return map && Object.keys(map).length > 0 ? { ...map } : undefined;
}
