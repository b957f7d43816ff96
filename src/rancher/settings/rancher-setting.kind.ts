import { KindDescription } from '../../core/kind/kind';
import { valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';

/**
 * The setting with Rancher's version, which Rancher writes.
 * @see rancher/rancher:pkg/settings/setting.go ServerVersion
 */
export const RANCHER_SERVER_VERSION = 'server-version';

/**
 * Annotation on a Rancher Setting: allows agent-tls-mode to become strict unchecked.
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/setting/validator.go
 */
export const ANNOTATION_FORCE = 'cattle.io/force';

/**
 * Why agent-tls-mode cannot become strict, by its value or by its default, while a cluster has not
 * passed the check of it.
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/setting/validator.go validateAgentTLSMode
 */
function strictNotYet(words: string): string | undefined {
  const [, cluster] =
    /AgentTlsStrictCheck condition of cluster (\S+) isn't 'True'/.exec(words) ?? [];
  return (
    cluster &&
    `let the agent of ${cluster} connect with Rancher's cacerts, then its condition AgentTlsStrictCheck becomes True; until then, declare agent-tls-mode as system-store; ` +
      `the annotation ${ANNOTATION_FORCE}: "true" (force: true) skips the check, which can cut clusters off`
  );
}

const CONFIGURATION = {
  group: GROUPS.MANAGEMENT,
  version: 'v3',
  scope: 'Cluster',
  rank: 12,
  stage: 'settings',
  createdByRancher: true,
} as const;

/**
 * Rancher's Setting and Feature, which the Rancher that a Harvester embeds and Rancher's agents on
 * guests serve, too.
 */
export const RANCHER_SETTING_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...CONFIGURATION,
    kind: 'Setting',
    part: { noun: 'setting', order: 310 },
    notYet: strictNotYet,
    deletion: {
      policy: 'reset',
      reason:
        'Rancher owns its settings: the value "" resets one, and Rancher creates a deleted object again only at its next start',
    },
    writtenByOthers: ['default', 'customized', 'source', 'metadata.annotations'],
    kept: [{ never: true, says: "a Setting is Rancher's: it is reset, never deleted" }],
  },
  {
    ...CONFIGURATION,
    kind: 'Feature',
    deletion: {
      policy: 'reset',
      reason:
        'it gets the default of its Rancher again, which restarts after a change of most features',
    },
    reset: {
      field: 'spec.value',
      // as Rancher creates it; @see rancher/rancher:pkg/features/feature.go InitializeFeatures
      value: () => null,
      isDone: ({ spec }) => typeof valueAt(spec, 'value') !== 'boolean',
      // @see rancher/webhook:pkg/resources/management.cattle.io/v3/feature/validator.go isUpdateAllowed
      refused: ({ status }) => {
        const locked = valueAt(status, 'lockedValue');
        return typeof locked === 'boolean'
          ? `keeps its value: Rancher has locked it to ${locked}`
          : undefined;
      },
      byEngines: 'engines cannot reset it: it keeps its value until you remove it with apply',
    },
    kept: [{ says: "a Feature is Rancher's: it is reset, not deleted" }],
  },
];

/** The certificates that Rancher's agents trust when they connect to Rancher. */
export enum AgentTlsMode {
  /** Only Rancher's own `cacerts`. The default of new installations from Rancher 2.9 on. */
  STRICT = 'strict',
  /**
   * The certificates that the system of the node or container trusts. The default of earlier
   * installations, also after an upgrade.
   */
  SYSTEM_STORE = 'system-store',
}
