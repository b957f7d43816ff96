import { KindDescription } from '../../core/kind/kind';
import { GROUPS } from '../../core/manifest/names';

/** The setting with Rancher's version, which Rancher writes. @see rancher/rancher:pkg/settings/setting.go ServerVersion */
export const RANCHER_SERVER_VERSION = 'server-version';

/** Annotation on a Rancher Setting: allows agent-tls-mode to become strict unchecked. @see rancher/webhook:pkg/resources/management.cattle.io/v3/setting/validator.go */
export const ANNOTATION_FORCE = 'cattle.io/force';

const CONFIGURATION = { group: GROUPS.MANAGEMENT, version: 'v3', scope: 'Cluster', rank: 12, stage: 'settings', createdByRancher: true } as const;

/** Rancher's Setting and Feature, which the Rancher that a Harvester embeds and Rancher's agents on guests serve, too. */
export const RANCHER_SETTING_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...CONFIGURATION,
    kind: 'Setting',
    writtenByOthers: ['default', 'customized', 'source', 'metadata.annotations'],
    kept: [{ never: true, says: 'a Setting is Rancher\'s: it is reset, never deleted' }],
  },
  { ...CONFIGURATION, kind: 'Feature', kept: [{ says: 'a Feature is Rancher\'s: set spec.value instead' }] },
];
