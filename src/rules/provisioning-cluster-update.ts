import { rancherHas } from './rancher-gates';
import { JudgedObject, Rule } from './rule';
import { annotationsOf, labelsOf } from '../model/checks/metadata-maps';
import {
  ANNOTATION_CREATOR_ID, ANNOTATION_CREATOR_PRINCIPAL, ANNOTATION_MANAGEMENT_CLUSTER_NAME, ANNOTATION_NO_CREATOR_RBAC,
} from '../model/labels';
import { isRecord, Manifest, valueAt } from '../model/manifest';
import { LOCAL_CLUSTER } from '../model/names';
import { Problem } from '../model/problem';
import { sameValue } from '../model/same-value';
import { GateId } from '../versions/gate-id';

const KINDS = ['provisioning.cattle.io/Cluster'];
const MAX_PATHS = 5;
// these have rules of their own
const JUDGED_ELSEWHERE = [ANNOTATION_MANAGEMENT_CLUSTER_NAME, ANNOTATION_CREATOR_ID, ANNOTATION_CREATOR_PRINCIPAL, ANNOTATION_NO_CREATOR_RBAC];

function hasRkeConfig(manifest: Manifest): boolean {
  // `rkeConfig: {}` is one: that is how custom clusters are made
  return isRecord(valueAt(manifest, 'spec', 'rkeConfig'));
}

const RKE_CONFIG: Rule = {
  id: 'cluster/rke-config-changed',
  level: 'error',
  kinds: KINDS,
  what: 'an imported cluster stays imported, a cluster with rkeConfig keeps it',
  source: 'rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go validateRKEConfigChanged',
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const [was, is] = [hasRkeConfig(before), hasRkeConfig(manifest)];
    const fix = 'create another Cluster for it';
    if (was && !is) {
      yield { path: 'spec.rkeConfig', message: 'is taken away', fix, says: 'RKEConfig cannot be made null after cluster creation' };
    } else if (!was && is && manifest.metadata.name !== LOCAL_CLUSTER) {
      yield { path: 'spec.rkeConfig', message: 'is added to an imported cluster', fix, says: 'RKEConfig cannot be changed from null after cluster creation' };
    }
  },
};

const CREATE_ONLY: Rule = {
  id: 'cluster/import-create-only',
  level: 'warning',
  kinds: KINDS,
  what: 'from Rancher 2.11 on, spec, labels and annotations of an imported Cluster count at its creation only; later edits do nothing',
  source: 'rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go updateImportedCluster (2.11.0 and later)',
  *judgeUpdate({ manifest, target }: JudgedObject, before: Manifest): Iterable<Problem> {
    if (hasRkeConfig(manifest) || hasRkeConfig(before) || manifest.metadata.name === LOCAL_CLUSTER) { return; }
    if (rancherHas(target, GateId.IMPORTED_SPEC_CREATE_ONLY) === false) { return; }
    const paths = [...changedSpec(manifest, before), ...changedMetadata(manifest, before)];
    if (paths.length === 0) { return; }
    yield {
      path: paths[0],
      message: `an edit of an imported cluster (${paths.slice(0, MAX_PATHS).join(', ')}${paths.length > MAX_PATHS ? ', …' : ''}) does nothing`,
      fix: 'edit the management.cattle.io Cluster of its id as well: spec.agentEnvVars, the customizations, spec.description and labels count there',
    };
  },
};

function* changedSpec(manifest: Manifest, before: Manifest): Iterable<string> {
  const [now, old] = [manifest.spec, before.spec].map((spec) => isRecord(spec) ? spec : {});
  for (const field of new Set([...Object.keys(now), ...Object.keys(old)])) {
    if (field !== 'rkeConfig' && !sameValue(now[field], old[field])) { yield `spec.${field}`; }
  }
}

// only what the manifest says: the rest is written by Rancher, if the earlier form was read from the server
function* changedMetadata(manifest: Manifest, before: Manifest): Iterable<string> {
  for (const [field, mapOf] of [['labels', labelsOf], ['annotations', annotationsOf]] as const) {
    const old = mapOf(before);
    for (const [key, value] of Object.entries(mapOf(manifest))) {
      if (!JUDGED_ELSEWHERE.includes(key) && old[key] !== value) { yield `metadata.${field}[${key}]`; }
    }
  }
}

/** Rules for edits of a Cluster. */
export const UPDATE_RULES: readonly Rule[] = [RKE_CONFIG, CREATE_ONLY];
