import { HARVESTER_RULES } from './harvester-rules';
import { OWN_KUBERNETES_RULES, MADE_FROM_ROLES } from './kubernetes-rules';
import { CONFIGURED, isDeclared, isFromFile, isOfFlux, markedReason } from './marks';
import { Around, OwnRule, ruledOut } from './own-rule';
import { RANCHER_RULES } from './rancher-rules';
import { isOfUser, writtenByControllers } from './writers';
import { TargetKind } from '../../core/construct/target';
import { FoundObject, FoundCluster } from '../../core/draft/draft';
import { KindRemoval } from '../../core/kind/description/removal';
import { kindOf } from '../../core/kind/kinds';
import {
  annotationsOf,
  groupOf,
  itemsAt,
  kindKey,
  labelsOf,
  Manifest,
  sameValue,
  valueAt,
} from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { compare, jsonOf } from '../../core/text/values';
import { APPLY_SET } from '../../engine/fields/apply-set';
import { HARVESTER_SETTINGS } from '../../harvester/settings/harvester-settings.data';
import { markOfRancher } from '../../rancher/role/made-rbac.facts';
import { KNOWN_SETTINGS } from '../../rancher/settings/rancher-setting.data';
import { NOT_LISTED } from '../read/live';

const RULES: readonly OwnRule[] = [...RANCHER_RULES, ...HARVESTER_RULES, ...OWN_KUBERNETES_RULES];

/**
 * Kinds, as `group/Kind`, whose objects only controllers write. Live clusters are not asked for
 * them; files may hold them.
 */
const OF_CONTROLLERS: ReadonlySet<string> = new Set([
  ...NOT_LISTED,
  '/Event',
  'events.k8s.io/Event',
  'coordination.k8s.io/Lease',
  'discovery.k8s.io/EndpointSlice',
  'apps/ControllerRevision',
  'cilium.io/CiliumEndpoint',
]);

/** Groups whose objects only controllers write. */
const GROUPS_OF_CONTROLLERS = /(^|\.)(rke-machine\.cattle\.io|metrics\.k8s\.io)$/;

/** Groups of Cluster API: Rancher creates such objects from its Clusters, and users write their own. */
const CLUSTER_API = /(^|\.)cluster\.x-k8s\.io$/;

/**
 * Why an object is not adopted by default, as a clause without its subject: it belongs to
 * Kubernetes, Rancher, Harvester, Fleet, Helm or a controller, or has its default. Undefined for
 * what a user created.
 */
export function leaveOut({ manifest }: FoundObject, cluster: FoundCluster): string | undefined {
  const around = Around.of(cluster);
  const key = kindKey(groupOf(manifest.apiVersion), manifest.kind);
  const group = groupOf(manifest.apiVersion);
  const isOfControllers =
    (OF_CONTROLLERS.has(key) && !isVolumeOfUser(manifest, key)) ||
    GROUPS_OF_CONTROLLERS.test(group) ||
    (CLUSTER_API.test(group) && !isDeclared(manifest) && !isOfUser(manifest));
  if (isOfControllers) {
    return 'is written by controllers only';
  }
  if (APPLY_SET.ID in labelsOf(manifest)) {
    return 'is the inventory of a program';
  }
  // Flux applies its own installation, as what users commit
  if (isOfFlux(manifest)) {
    return 'belongs to Flux itself, which its bootstrap installs';
  }
  if (markOfRancher(manifest) !== undefined) {
    return MADE_FROM_ROLES;
  }
  const isDefault = ruledOut(SETTING_RULES, manifest, around);
  if (isDefault !== undefined || isDeclared(manifest)) {
    return isDefault;
  }
  return (
    builtIn(manifest, key) ??
    ruledOut(RULES, manifest, around) ??
    markedReason(manifest, around) ??
    (CONFIGURED.has(key) ? undefined : writtenByControllers(manifest))
  );
}

/** The mark of volumes that a provisioner made. @see kubernetes-sigs/sig-storage-lib-external-provisioner */
const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';

/** Whether a volume is one that a user wrote by hand, such as a disk of a node. */
function isVolumeOfUser(manifest: Manifest, key: string): boolean {
  return (
    key === '/PersistentVolume' &&
    isFromFile(manifest) &&
    annotationsOf(manifest)[PROVISIONED_BY] === undefined
  );
}

/** Whether the description of the kind names the object as the server's own. */
function builtIn(manifest: Manifest, key: string): string | undefined {
  if (CONFIGURED.has(key)) {
    return undefined;
  }
  return kindOf<KindRemoval>(manifest)?.kept?.find(
    ({ when, onlyLive }) => when !== undefined && !onlyLive && when(manifest),
  )?.says;
}

const DEFAULT = 'has its default';

const RANCHER_SETTING = [`${GROUPS.MANAGEMENT}/Setting`];
const HARVESTER_SETTING = [`${GROUPS.HARVESTER}/Setting`];
const FEATURE = [`${GROUPS.MANAGEMENT}/Feature`];

/**
 * Settings that Rancher writes at its start.
 * @see rancher/rancher:pkg/settings/setting.go, pkg/data/management/add_data.go, pkg/tls
 */
const WRITTEN_BY_RANCHER: ReadonlySet<string> = new Set([
  'install-uuid',
  'server-version',
  'first-login',
  'eula-agreed',
  'internal-cacerts',
  'internal-server-url',
  'cacerts',
  'rancher-webhook-version',
  'fleet-version',
  'fleet-min-version',
  'csp-adapter-min-version',
]);

/**
 * The operators of hosted clusters that Rancher activates at its start.
 * @see rancher/rancher:pkg/data/management/kev2_operator_data.go defaultKEv2Operators
 */
const DEFAULT_OPERATORS = { name: 'kev2-operators', active: ['aks', 'eks', 'gke'] } as const;

function hasDefaultOperators({ metadata, value }: Manifest): boolean {
  const { name } = metadata;
  if (name !== DEFAULT_OPERATORS.name) {
    return false;
  }
  const active = itemsAt(jsonOf(value)).filter((each) => valueAt(each, 'active') === true);
  const names = active.map((each) => String(valueAt(each, 'name'))).sort(compare);
  return sameValue(names, DEFAULT_OPERATORS.active);
}

/** What has its default. This also leaves out what a program has reset. */
const SETTING_RULES: readonly OwnRule[] = [
  // Harvester's own Rancher
  {
    on: [TargetKind.HARVESTER],
    kinds: [...RANCHER_SETTING, ...FEATURE],
    says: 'belongs to the Rancher within Harvester',
  },
  {
    kinds: RANCHER_SETTING,
    when: ({ metadata }) =>
      WRITTEN_BY_RANCHER.has(metadata.name) || KNOWN_SETTINGS.get(metadata.name)?.readOnly === true,
    says: 'is written by Rancher',
  },
  {
    kinds: HARVESTER_SETTING,
    when: ({ metadata }) => HARVESTER_SETTINGS.get(metadata.name)?.readOnly === true,
    says: 'is written by Harvester',
  },
  // @see rancher/rancher:pkg/settings/provider.go: the value of the environment wins
  {
    kinds: RANCHER_SETTING,
    when: ({ source }) => source === 'env',
    says: 'is set by the environment of Rancher',
  },
  { kinds: [...RANCHER_SETTING, ...HARVESTER_SETTING], when: hasDefault, says: DEFAULT },
  { kinds: RANCHER_SETTING, when: hasDefaultOperators, says: DEFAULT },
  { kinds: FEATURE, when: hasFeatureDefault, says: DEFAULT },
];

function hasDefault({ value = '', default: standard = '' }: Manifest): boolean {
  return value === '' || value === null || value === standard || isSameJson(value, standard);
}

function isSameJson(a: unknown, b: unknown): boolean {
  const [one, other] = [a, b].map(jsonOf);
  return typeof one === 'object' && typeof other === 'object' && sameValue(one, other);
}

function hasFeatureDefault(feature: Manifest): boolean {
  const value = valueAt(feature, 'spec', 'value');
  return value === undefined || value === null || value === valueAt(feature, 'status', 'default');
}
