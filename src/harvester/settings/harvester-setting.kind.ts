import { createHash } from 'crypto';
import { ANNOTATION_SETTING_HASH, SettingContext } from './setting-entry.check';
import { harvesterSetting, harvesterSettings } from '../../core/kind/all-settings';
import { FoundReference, KindDescription, ON_HARVESTER } from '../../core/kind/kind';
import { READY, Readiness, conditionOf, failing, waiting } from '../../core/kind/readiness';
import { Manifest } from '../../core/manifest/manifest';
import { GROUPS, GROUP_HARVESTER_NETWORK } from '../../core/manifest/names';
import { CONDITION } from '../../rancher/cluster/management-cluster.kind';
import { settingContext } from '../context.rules';

/** Harvester's Setting. @see harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/setting.go; seen on Harvester 1.7.2 */
export const HARVESTER_SETTING_DESCRIPTION: KindDescription = {
  group: GROUPS.HARVESTER,
  version: 'v1beta1',
  kind: 'Setting',
  scope: 'Cluster',
  targets: ON_HARVESTER,
  rank: 12,
  rankOf: ({ metadata: { name } }) => harvesterSetting(name)?.rank,
  references: clusterNetworkOf,
  ready: { judge: (live, { harvesterVersion }) => settingReadiness(live, harvesterVersion) },
  reset: {
    value: (name, { harvesterVersion }) => resetFormOf(name, harvesterVersion),
    isDone: (live, { harvesterVersion }) => isResetSetting(live, harvesterVersion),
  },
  writtenByOthers: ['default', 'customized', 'source', 'metadata.annotations', 'metadata.finalizers'],
  kept: [{ never: true, says: 'a Setting is Harvester\'s: it is reset, never deleted' }],
};

/** The cluster network that a network setting names in its JSON. */
function clusterNetworkOf({ metadata: { name: setting }, value }: Manifest): FoundReference[] {
  if (typeof value !== 'string' || !harvesterSetting(setting)?.namesClusterNetwork) { return []; }
  const name = /"clusterNetwork"\s*:\s*"([^"]+)"/.exec(value)?.[1];
  return name === undefined ? [] : [{ group: GROUP_HARVESTER_NETWORK, kind: 'ClusterNetwork', name }];
}

/** Annotation of Harvester's controller on a Setting. @see harvester/harvester:pkg/util/constants.go AnnotationUpgradePatched */
const ANNOTATION_UPGRADE_PATCHED = 'harvesterhci.io/upgrade-patched';

/** Reason of condition `configured` while pods stop and start. @see harvester/harvester:pkg/controller/master/storagenetwork/storage_network.go */
const IN_PROGRESS = 'In Progress';

/**
 * A Setting is ready when the digest that its controller left is of its value; the condition alone may be of an earlier value. A reset is carried out
 * even if `configured` is False. A Setting without a controller never gets a status.
 *
 * @see harvester/harvester:pkg/controller/master/setting/handler.go; seen on Harvester 1.7.2
 */
export function settingReadiness(live: Manifest, harvesterVersion?: string): Readiness {
  const controller = harvesterSettings().controllerOf(live.metadata.name, contextOf(harvesterVersion));
  const value = valueOf(live);
  if (!controller?.digest) { return withoutDigest(live, value, controller !== undefined); }
  const { annotation, algorithm } = controller.digest;
  const { annotations = {} } = live.metadata;
  const carriedOut = annotations[annotation];
  // an empty value is skipped where no value was carried out before, whatever the condition of an earlier value is
  if (value === '' && carriedOut === undefined) { return READY; }
  const patched = annotation === ANNOTATION_SETTING_HASH ? annotations[ANNOTATION_UPGRADE_PATCHED] ?? '' : '';
  if (carriedOut !== createHash(algorithm).update(value + patched).digest('hex')) {
    // a value that fails is tried repeatedly, and the message is of an earlier try
    return said(live) ?? waiting('Harvester has not carried its value out yet');
  }
  return value === '' ? READY : byCondition(live);
}

/** The value that resets a Setting to its default. */
function resetFormOf(name: string, harvesterVersion?: string): string {
  return harvesterSettings().resetValueOf(name, contextOf(harvesterVersion));
}

/** Whether a Setting has its default. */
function isResetSetting(live: Manifest, harvesterVersion?: string): boolean {
  const value = valueOf(live);
  return value === resetFormOf(live.metadata.name, harvesterVersion) || (value === '' && settingReadiness(live, harvesterVersion).state === 'ready');
}

function valueOf({ value }: Manifest): string {
  return typeof value === 'string' ? value : '';
}

function contextOf(harvesterVersion: string | undefined): SettingContext {
  return settingContext({ name: '', harvesterVersion });
}

function withoutDigest(live: Manifest, value: string, hasController: boolean): Readiness {
  if (hasController && value !== '' && !conditionOf(live, CONDITION.CONFIGURED)) { return waiting('Harvester has not carried its value out yet'); }
  return value === '' ? said(live) ?? READY : byCondition(live);
}

function byCondition(live: Manifest): Readiness {
  const configured = conditionOf(live, CONDITION.CONFIGURED);
  return !configured || configured.status === 'True' ? READY : said(live) ?? waiting('configured is False');
}

/** The message of a condition that is not True; undefined where it has none. */
function said(live: Manifest): Readiness | undefined {
  const configured = conditionOf(live, CONDITION.CONFIGURED);
  if (configured?.status !== 'False' || !configured.message) { return undefined; }
  return configured.reason === IN_PROGRESS ? waiting(configured.message) : failing(configured.message);
}
