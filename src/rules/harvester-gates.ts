import { harvesterVersionOf } from './harvester-setting-context';
import { JudgedTarget } from './rule';
import { FeatureGates } from '../versions/feature-gates';
import { GateId } from '../versions/gate-id';
import { KubernetesVersion } from '../versions/kubernetes-version';

/** Whether the Harvester of a target has a feature; undefined where its version is not known. */
export function harvesterHas(target: JudgedTarget | undefined, gate: GateId): boolean | undefined {
  const version = target && harvesterVersionOf(target);
  return version && FeatureGates.of(gate).supports(version);
}

/** What to say where RKE2 of a target lacks a feature; undefined where it has it, is not RKE2, or its version is not known. */
export function rke2Lacks({ kubernetesVersion }: JudgedTarget, gate: GateId): string | undefined {
  const version = kubernetesVersion === undefined ? undefined : parsed(kubernetesVersion);
  if (version?.distribution !== 'rke2') { return undefined; }
  return FeatureGates.of(gate).problem(version, '')?.replace('; the chart names ', '; this is ');
}

function parsed(version: string): KubernetesVersion | undefined {
  try {
    return KubernetesVersion.parse(version);
  } catch {
    // a version that can not be read is said where it is given
    return undefined;
  }
}
