import { RancherSettingName } from './rancher-setting.data';
import { AgentTlsMode, ANNOTATION_FORCE } from './rancher-setting.kind';
import { TargetKind } from '../../core/construct/target';
import {
  Draft,
  DraftProps,
  DraftValue,
  FoundObject,
  StaticCall,
  call,
  enumValue,
  Inverse,
  Surroundings,
  booleanAt,
  declare,
} from '../../core/draft/draft';
import { annotationsOf } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { jsonOf } from '../../core/text/values';
import { fieldsOf } from '../../guest/guest-target.adopt';
import { isServed } from '../../guest/provisioning-cluster.adopt';
import { PreemptionPolicy } from '../cluster/provisioning-cluster.check';
import { RancherGate } from '../version/rancher-version';

const SETTING = `${GROUPS.MANAGEMENT}/Setting`;

/**
 * From a Setting of Rancher with a value to the construct, by the method for it where its value has
 * the form that the method writes.
 */
export const RANCHER_SETTING_INVERSE: Inverse = {
  kinds: [SETTING],
  on: TargetKind.RANCHER,
  drafts: (object, around) => {
    const { value } = object.manifest;
    const { name } = object.manifest.metadata;
    if (typeof value !== 'string') {
      return [];
    }
    const force = annotationsOf(object.manifest)[ANNOTATION_FORCE] === 'true' ? true : undefined;
    const { method, args } = FACTORIES[name as RancherSettingName]?.(value) ?? {};
    const own = {
      type: 'RancherSetting',
      id: name,
      isNamedById: false,
      declares: [object],
    } as const;
    const plain: Draft = { ...own, props: { name, value, force } };
    const factory: readonly Draft[] =
      method === undefined
        ? []
        : [{ ...own, method, props: {}, args: [...args!, ...(force ? [{ force }] : [])] }];
    return [...lifetimeOf(object, around), ...factory, plain];
  },
};

const KUBECONFIG_TTL = 'kubeconfig-default-token-ttl-minutes';
const MAX_TTL = 'auth-token-max-ttl-minutes';
const KUBECONFIG_MAX_TTL = 'kubeconfig-max-token-ttl-minutes';

/** The settings of the lifetime of tokens as one construct. */
function lifetimeOf(object: FoundObject, around: Surroundings): readonly Draft[] {
  const { target } = object;
  const { name } = object.manifest.metadata;
  const names = [
    KUBECONFIG_TTL,
    MAX_TTL,
    ...(isServed(RancherGate.KUBECONFIG_MAX_TTL_SETTING, object, around)
      ? [KUBECONFIG_MAX_TTL]
      : []),
  ];
  const found = names.map((each) =>
    around.objects(target, SETTING).find(({ manifest }) => manifest.metadata.name === each),
  );
  const [kubeconfig, max, ...others] = found.map((each) =>
    each ? minutesIn(each.manifest.value) : undefined,
  );
  if (
    name !== KUBECONFIG_TTL ||
    kubeconfig === undefined ||
    max === undefined ||
    others.some((each) => each !== max)
  ) {
    return [];
  }
  const props = {
    kubeconfigTtl: kubeconfig === 0 ? undefined : minutes(kubeconfig),
    maxTtl: max === kubeconfig ? undefined : minutes(max),
  };
  return [
    {
      type: 'TokenLifetime',
      id: 'token-lifetime',
      isNamedById: false,
      props,
      declares: found as readonly FoundObject[],
    },
  ];
}

/** A method of RancherSetting, and what it takes for a value. */
const of = (method: string, parse: (value: string) => DraftValue) => (value: string) => {
  const given = parse(value);
  return given === undefined ? undefined : { method, args: [given] };
};

const text = (value: string): string => value;
const flag = (value: string): boolean | undefined =>
  value === 'true' || value === 'false' ? value === 'true' : undefined;
const lifetime = (value: string): StaticCall | undefined => {
  const count = minutesIn(value);
  return count === undefined ? undefined : minutes(count);
};
const seconds = (value: string): StaticCall | undefined =>
  /^(0|[1-9]\d{0,14})s$/.test(value)
    ? call('Duration', 'seconds', Number(value.slice(0, -1)))
    : undefined;

/**
 * The methods of RancherSetting by the names of settings. Each takes only a value that it writes in
 * the same form.
 */
const FACTORIES: { readonly [name in RancherSettingName]?: ReturnType<typeof of> } = {
  'server-url': of('serverUrl', text),
  'agent-tls-mode': of('agentTlsMode', (value) =>
    Object.values<string>(AgentTlsMode).includes(value)
      ? enumValue('AgentTlsMode', value)
      : undefined,
  ),
  'system-default-registry': of('systemDefaultRegistry', text),
  'password-min-length': of('passwordMinLength', minutesIn),
  'hide-local-cluster': of('hideLocalCluster', flag),
  'kubeconfig-generate-token': of('kubeconfigGenerateToken', flag),
  'imported-cluster-version-management': of('importedClusterVersionManagement', flag),
  'crt-default-ttl-minutes': of('registrationTokenLifetime', lifetime),
  'crt-default-grace-period-minutes': of('registrationTokenGracePeriod', lifetime),
  'auth-user-session-ttl-minutes': of('sessionLifetime', lifetime),
  'auth-user-session-idle-ttl-minutes': of('sessionIdleLifetime', lifetime),
  'disable-inactive-user-after': of('disableInactiveUsersAfter', seconds),
  'delete-inactive-user-after': of('deleteInactiveUsersAfter', seconds),
  'user-retention-cron': of('userRetentionSchedule', text),
  'cluster-agent-default-priority-class': of('clusterAgentPriorityClass', priorityClass),
  'cluster-agent-default-pod-disruption-budget': of(
    'clusterAgentDisruptionBudget',
    disruptionBudget,
  ),
};

/** A whole number without superfluous digits. */
function minutesIn(value: unknown): number | undefined {
  return typeof value === 'string' && /^(0|[1-9]\d{0,14})$/.test(value) ? Number(value) : undefined;
}

function minutes(count: number): StaticCall {
  const [method, unit] =
    count === 0 ? (['minutes', 1] as const) : UNITS.find(([, each]) => count % each === 0)!;
  return call('Duration', method, count / unit);
}

const UNITS = [
  ['days', 1440],
  ['hours', 60],
  ['minutes', 1],
] as const;

function priorityClass(value: string): DraftProps | undefined {
  const { value: priority, preemptionPolicy, ...rest } = fieldsOf(jsonOf(value));
  const isKnown =
    preemptionPolicy === undefined ||
    Object.values<unknown>(PreemptionPolicy).includes(preemptionPolicy);
  const isSame =
    typeof priority === 'number' &&
    isKnown &&
    Object.keys(rest).length === 0 &&
    JSON.stringify({ value: priority, preemptionPolicy }) === value;
  return isSame
    ? { priority, preemptionPolicy: enumValue('PreemptionPolicy', preemptionPolicy) }
    : undefined;
}

function disruptionBudget(value: string): DraftProps | undefined {
  const { minAvailable, maxUnavailable } = fieldsOf(jsonOf(value));
  if (
    typeof minAvailable !== 'string' ||
    typeof maxUnavailable !== 'string' ||
    JSON.stringify({ minAvailable, maxUnavailable }) !== value
  ) {
    return undefined;
  }
  return {
    minAvailable: minAvailable === '0' ? undefined : minAvailable,
    maxUnavailable: maxUnavailable === '0' ? undefined : maxUnavailable,
  };
}

/** From a Feature of Rancher with a value to the construct. */
export const RANCHER_FEATURE_INVERSE: Inverse = {
  kinds: [`${GROUPS.MANAGEMENT}/Feature`],
  on: TargetKind.RANCHER,
  drafts: (object) => {
    const enabled = booleanAt(object.manifest, 'spec', 'value');
    return enabled === undefined ? [] : declare(object, 'RancherFeature', { enabled });
  },
};
