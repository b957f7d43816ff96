import { createHash } from 'crypto';
import { conditionOf, failing, Readiness, READY, waiting } from './conditions';
import { controllerOf, resetValueOf } from '../../model/harvester-settings/catalogue';
import { SettingContext } from '../../model/harvester-settings/entry';
import { ANNOTATION_SETTING_HASH, CONDITION } from '../../model/live-names';
import { settingContext } from '../../rules/harvester-setting-context';
import { LiveObject } from '../cluster/cluster';

/** Annotation of Harvester's controller on a Setting. @see harvester/harvester:pkg/util/constants.go AnnotationUpgradePatched */
const ANNOTATION_UPGRADE_PATCHED = 'harvesterhci.io/upgrade-patched';

/** Reason of condition `configured` while pods stop and start. @see harvester/harvester:pkg/controller/master/storagenetwork/storage_network.go */
const IN_PROGRESS = 'In Progress';

/**
 * A Setting is carried out when the digest that its controller left is of its value: the condition alone is of an earlier value. One that is reset is
 * carried out though `configured` is False. A Setting that no controller acts on never gets a status.
 *
 * @see harvester/harvester:pkg/controller/master/setting/handler.go; seen on Harvester 1.7.2
 */
export function settingReadiness(live: LiveObject, harvesterVersion?: string): Readiness {
  const controller = controllerOf(live.metadata.name, contextOf(harvesterVersion));
  const value = valueOf(live);
  if (!controller?.digest) { return withoutDigest(live, value, controller !== undefined); }
  const { annotation, algorithm } = controller.digest;
  const { annotations = {} } = live.metadata;
  const carriedOut = annotations[annotation];
  // an empty value is skipped where nothing was ever carried out before, whatever the condition still says of a former value
  if (value === '' && carriedOut === undefined) { return READY; }
  const patched = annotation === ANNOTATION_SETTING_HASH ? annotations[ANNOTATION_UPGRADE_PATCHED] ?? '' : '';
  if (carriedOut !== createHash(algorithm).update(value + patched).digest('hex')) {
    // a value that fails is tried again and again, and the words are of an earlier try
    return said(live) ?? waiting('Harvester has not carried its value out yet');
  }
  return value === '' ? READY : byCondition(live);
}

/** The value that takes a Setting back to its default. */
export function resetFormOf(name: string, harvesterVersion?: string): string {
  return resetValueOf(name, contextOf(harvesterVersion));
}

/** Whether a Setting has its default again, or never had another value. */
export function isResetSetting(live: LiveObject, harvesterVersion?: string): boolean {
  const value = valueOf(live);
  return value === resetFormOf(live.metadata.name, harvesterVersion) || (value === '' && settingReadiness(live, harvesterVersion).state === 'ready');
}

function valueOf({ value }: LiveObject): string {
  return typeof value === 'string' ? value : '';
}

function contextOf(harvesterVersion: string | undefined): SettingContext {
  return settingContext({ name: '', harvesterVersion });
}

function withoutDigest(live: LiveObject, value: string, hasController: boolean): Readiness {
  if (hasController && value !== '' && !conditionOf(live, CONDITION.CONFIGURED)) { return waiting('Harvester has not carried its value out yet'); }
  return value === '' ? said(live) ?? READY : byCondition(live);
}

function byCondition(live: LiveObject): Readiness {
  const configured = conditionOf(live, CONDITION.CONFIGURED);
  return !configured || configured.status === 'True' ? READY : said(live) ?? waiting('configured is False');
}

/** What a condition that is not True says; undefined where it has no message. */
function said(live: LiveObject): Readiness | undefined {
  const configured = conditionOf(live, CONDITION.CONFIGURED);
  if (configured?.status !== 'False' || !configured.message) { return undefined; }
  return configured.reason === IN_PROGRESS ? waiting(configured.message) : failing(configured.message);
}
