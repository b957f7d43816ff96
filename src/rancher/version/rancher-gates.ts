import { RancherVersion } from './rancher-version';
import { JudgedTarget } from '../../core/rule/rule';
import { byText } from '../../core/text/values';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';

/**
 * Whether the Rancher of a target has a feature; undefined where its version is not known.
 */
export function rancherHas(target: JudgedTarget, gate: GateId): boolean | undefined {
  const version = rancherVersionOf(target);
  return version && FeatureGates.of(gate).supports(version);
}

/**
 * The message for a feature that the Rancher of a target lacks; undefined if it has the feature or its version is unknown.
 */
export function rancherLacks(target: JudgedTarget, gate: GateId): string | undefined {
  const version = rancherVersionOf(target);
  // a manifest has no chart: lint reads versions from its options
  return version && FeatureGates.of(gate).problem(version, '')?.replace('; the chart names ', '; this is ');
}

/**
 * The version of Rancher on a target, as far as it is known.
 */
export function rancherVersionOf({ rancherVersion }: JudgedTarget): RancherVersion | undefined {
  return rancherVersion === undefined ? undefined : parsed(rancherVersion);
}

const parsed = byText((version): RancherVersion | undefined => {
  try {
    return RancherVersion.parse(version);
  } catch {
    // rules judge manifests; an invalid version is reported where it is set
    return undefined;
  }
});
