import { OwnRule } from './own-rule';
import { TargetKind } from '../../core/app/target';
import { Manifest, sameValue, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { HARVESTER_SETTINGS } from '../../harvester/settings/harvester-settings.data';
import { KNOWN_SETTINGS } from '../../rancher/settings/rancher-setting.data';

const DEFAULT = 'has its default';

const RANCHER_SETTING = [`${GROUPS.MANAGEMENT}/Setting`];
const HARVESTER_SETTING = [`${GROUPS.HARVESTER}/Setting`];
const FEATURE = [`${GROUPS.MANAGEMENT}/Feature`];

/** Settings that Rancher writes at its start. @see rancher/rancher:pkg/settings/setting.go, pkg/data/management/add_data.go, pkg/tls */
const WRITTEN_BY_RANCHER: ReadonlySet<string> = new Set([
  'install-uuid', 'server-version', 'first-login', 'eula-agreed', 'internal-cacerts', 'internal-server-url', 'cacerts', 'rancher-webhook-version',
  'fleet-version', 'fleet-min-version', 'csp-adapter-min-version',
]);

/** What has its default. This also leaves out what a program has reset. */
export const SETTING_RULES: readonly OwnRule[] = [
  // Harvester's own Rancher
  { on: [TargetKind.HARVESTER], kinds: [...RANCHER_SETTING, ...FEATURE], says: 'belongs to the Rancher within Harvester' },
  { kinds: RANCHER_SETTING, when: ({ metadata: { name } }) => WRITTEN_BY_RANCHER.has(name) || KNOWN_SETTINGS.get(name)?.readOnly === true, says: 'is written by Rancher' },
  { kinds: HARVESTER_SETTING, when: ({ metadata: { name } }) => HARVESTER_SETTINGS.get(name)?.readOnly === true, says: 'is written by Harvester' },
  // @see rancher/rancher:pkg/settings/provider.go: the value of the environment wins
  { kinds: RANCHER_SETTING, when: ({ source }) => source === 'env', says: 'is set by the environment of Rancher' },
  { kinds: [...RANCHER_SETTING, ...HARVESTER_SETTING], when: hasDefault, says: DEFAULT },
  { kinds: FEATURE, when: hasFeatureDefault, says: DEFAULT },
];

function hasDefault({ value = '', default: standard = '' }: Manifest): boolean {
  return value === '' || value === null || value === standard || isSameJson(value, standard);
}

function isSameJson(a: unknown, b: unknown): boolean {
  try {
    const [one, other] = [a, b].map((text): unknown => JSON.parse(String(text)));
    return typeof one === 'object' && typeof other === 'object' && sameValue(one, other);
  } catch {
    return false;
  }
}

function hasFeatureDefault(feature: Manifest): boolean {
  const value = valueAt(feature, 'spec', 'value');
  return value === undefined || value === null || value === valueAt(feature, 'status', 'default');
}
