/**
 * Properties of a Rancher setting.
 */
export interface RancherSettingProps {
  /**
   * The name of the setting, which is the name of the object, e.g. `server-url`.
   *
   * A name that this Rancher does not know does nothing; what is known not to be in the version that the chart names is refused.
   */
  readonly name: string;
  /**
   * The value, always as text: numbers, booleans and JSON too. `''` goes back to the default.
   */
  readonly value: string;
  /**
   * Whether Rancher shall skip its own check of the change (annotation `cattle.io/force`). Only `agent-tls-mode` has one.
   * @default false
   */
  readonly force?: boolean;
}

/**
 * Whose certificates Rancher's agents trust when they connect to Rancher.
 */
export enum AgentTlsMode {
  /** Rancher's own `cacerts` alone. The default of new installations from Rancher 2.9 on. */
  STRICT = 'strict',
  /** What the system of the node or container trusts. The default of earlier installations, also after an upgrade. */
  SYSTEM_STORE = 'system-store',
}

/**
 * Options for the TLS mode of agents.
 */
export interface AgentTlsModeOptions {
  /**
   * Whether to go from system-store to strict although not every cluster has passed the check of it; those that have not are cut off.
   * @default false
   */
  readonly force?: boolean;
}

/**
 * The priority class that Rancher makes for an agent where a cluster says nothing else.
 */
export interface AgentPriorityClassOptions {
  /** The priority, -1,000,000,000 to 1,000,000,000. */
  readonly priority: number;
  /** `Never` or `PreemptLowerPriority`. @default - Kubernetes' own, PreemptLowerPriority */
  readonly preemptionPolicy?: string;
}

/**
 * The disruption budget that Rancher makes for an agent where a cluster says nothing else. One of both is given.
 */
export interface AgentDisruptionBudgetOptions {
  /** A number or a percentage, e.g. `1` or `50%`. @default - maxUnavailable counts */
  readonly minAvailable?: string;
  /** A number or a percentage, e.g. `1` or `50%`. @default - minAvailable counts */
  readonly maxUnavailable?: string;
}
