import { isPlannerValue } from './rke2.data';
import { isLate } from '../../core/late/late-token';
import { sameValue, textsAt } from '../../core/manifest/manifest';
import { NO_PROBLEMS, Problem, problemsOfKeys } from '../../core/problem/problem';
import { JudgedTarget } from '../../core/rule/rule';
import { permissionsText } from '../../core/text/plain-text';
import { GateId } from '../../core/version/feature-gate';
import { lacksFeature } from '../../core/version/target-features';

/**
 * The message on a feature that RKE2 of a target lacks. Undefined if it has it, is not RKE2, or its
 * version is not known.
 */
export function rke2Lacks(target: JudgedTarget, gate: GateId): string | undefined {
  return target.kubernetesVersion?.includes('+rke2r') ? lacksFeature(target, gate) : undefined;
}

/**
 * The key of the kubelet's arguments, and the argument with which a kubelet waits for an external
 * cloud provider.
 */
export const KUBELET_ARG = 'kubelet-arg';
export const EXTERNAL_CLOUD_PROVIDER = 'cloud-provider=external';

type Config = { readonly [key: string]: unknown };

/**
 * Checks for values in the configuration of nodes that Rancher drops before they reach the nodes.
 *
 * @param pathOf the path of a key
 * @see rancher/rancher:pkg/capr/planner/filter.go filterField
 */
export function checkConfigValues(
  config: Config,
  pathOf: (key: string) => string,
): readonly Problem[] {
  return problemsOfKeys(config, (key) => {
    const value = config[key];
    if (isPlannerValue(value)) {
      return NO_PROBLEMS;
    }
    const nothing = sameValue(value, undefined);
    return [
      {
        path: pathOf(key),
        ...(nothing ? {} : { value }),
        message: `must be a string, a boolean or a list: Rancher drops ${kindOf(value)} silently`,
        fix: configFix(key, value),
        ...(nothing ? { level: 'warning' as const } : {}),
      },
    ];
  });
}

function configFix(key: string, value: unknown): string {
  if (typeof value === 'number') {
    return `write it in quotes: "${textOfNumber(key, value)}"`;
  }
  return sameValue(value, undefined) ? 'remove it' : 'write a list of "name=value" strings';
}

/** A number as the text that a file had. */
function textOfNumber(key: string, value: number): string {
  return key.endsWith('-mode') ? permissionsText(value) : String(value);
}

function kindOf(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  return typeof value === 'number' ? 'numbers' : 'maps';
}

/**
 * Checks that no later configuration replaces a kubelet-arg that the cloud provider needs: the list
 * for some machines replaces the whole list for all.
 *
 * @param configs the configurations in order, each with the path of its kubelet-arg
 */
export function* checkReplacedLists(
  configs: Iterable<{ readonly path: string; readonly config: Config }>,
): Iterable<Problem> {
  let before = false;
  for (const {
    path,
    config: { [KUBELET_ARG]: value },
  } of configs) {
    if (value === undefined || isLate(value)) {
      continue;
    }
    const isExternal = textsIn(value).includes(EXTERNAL_CLOUD_PROVIDER);
    if (before && !isExternal) {
      yield {
        path,
        value,
        message: `must contain ${EXTERNAL_CLOUD_PROVIDER}, which the cloud provider needs, since it replaces the list for all machines`,
        fix: `add ${EXTERNAL_CLOUD_PROVIDER} to it`,
      };
    }
    before ||= isExternal;
  }
}

/** The texts of a value that is a text or a list. */
export function textsIn(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : textsAt(value);
}
