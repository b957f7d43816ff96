import { createHash } from 'crypto';
import { conditionOf, failing, Readiness, READY, waiting } from './conditions';
import { SETTING } from '../../model/harvester-settings/names';
import { ANNOTATION_SETTING_HASH } from '../../model/live-names';
import { LiveObject } from '../cluster/cluster';

/** Annotation of Harvester's controller on a Setting. @see harvester/harvester:pkg/util/constants.go AnnotationUpgradePatched */
const ANNOTATION_UPGRADE_PATCHED = 'harvesterhci.io/upgrade-patched';

/** Settings that are carried out without a hash. @see harvester/harvester:pkg/controller/master/setting/handler.go skipHashCheckSettings */
const WITHOUT_HASH: readonly string[] = [
  SETTING.AUTO_ROTATE_RKE2_CERTS, SETTING.LOG_LEVEL, SETTING.KUBECONFIG_DEFAULT_TOKEN_TTL_MINUTES, SETTING.ADDITIONAL_GUEST_MEMORY_OVERHEAD_RATIO,
  SETTING.CLUSTER_POD_SECURITY_STANDARD,
];

/**
 * A Setting is carried out when the hash that its controller left is of its value: the condition alone is of an earlier value. One that is reset
 * is carried out though `configured` is False.
 *
 * @see harvester/harvester:pkg/controller/master/setting/handler.go; seen on Harvester 1.7.2
 */
export function settingReadiness(live: LiveObject): Readiness {
  const { metadata: { name, annotations = {} } } = live;
  const value = typeof live.value === 'string' ? live.value : '';
  const configured = conditionOf(live, 'configured');
  if (!WITHOUT_HASH.includes(name)) {
    const expected = createHash('sha224').update(value + (annotations[ANNOTATION_UPGRADE_PATCHED] ?? '')).digest('hex');
    if (annotations[ANNOTATION_SETTING_HASH] !== expected) {
      // a value that fails is tried again and again, and the words are of an earlier try
      return configured?.status === 'False' && configured.message ? failing(configured.message) : waiting('Harvester has not carried its value out yet');
    }
    if (value === '') { return READY; }
  }
  // settings that nothing has to be done for have no condition
  if (!configured || configured.status === 'True') { return READY; }
  return configured.message ? failing(configured.message) : waiting('configured is False');
}
