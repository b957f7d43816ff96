import { CLUSTER_KINDS, Fields, poolsOf, rkeConfigOf } from './guest-cluster-parts';
import { rancherLacks } from './rancher-gates';
import { JudgedObject, Rule } from './rule';
import { goDuration } from '../model/checks/go-duration';
import { given } from '../model/checks/plain-text';
import { isLate } from '../model/late-token';
import { isRecord } from '../model/manifest';
import { Problem } from '../model/problem';
import { GateId } from '../versions/gate-id';

const CONCURRENCY = /^((([1-9]|[1-9][0-9]|100)%)|([1-9][0-9]*|0)|)$/;
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

const FIELDS: Rule = {
  id: 'cluster/pool-fields',
  level: 'error',
  kinds: CLUSTER_KINDS,
  what: 'time spans of a machine pool are durations, taints have a key and an effect, concurrency is a number or a percentage',
  source: 'rancher/rancher:pkg/crds/yaml/generated/provisioning.cattle.io_clusters.yaml; pkg/capr/planner/planner.go',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const strategy = rkeConfigOf(manifest)?.upgradeStrategy;
    for (const field of ['controlPlaneConcurrency', 'workerConcurrency']) {
      const value = isRecord(strategy) ? strategy[field] : undefined;
      if (typeof value === 'string' && !isLate(value) && !CONCURRENCY.test(value)) {
        yield {
          path: `spec.rkeConfig.upgradeStrategy.${field}`,
          value,
          message: 'is no number of machines',
          fix: 'write "1", "25%", or "0" for all at once',
          says: 'concurrency must be a number or a percentage',
        };
      }
    }
    for (const { path, fields } of poolsOf(manifest)) { yield* checkPoolFields(path, fields); }
  },
};

function* checkPoolFields(path: string, fields: Fields): Iterable<Problem> {
  for (const field of ['drainBeforeDeleteTimeout', 'unhealthyNodeTimeout', 'nodeStartupTimeout']) {
    const value = fields[field];
    if (typeof value === 'string' && value !== '' && !isLate(value) && goDuration(value) === undefined) {
      yield {
        path: `${path}.${field}`,
        value,
        message: 'is no time span',
        fix: 'write e.g. 5m or 1h30m',
        says: `time: invalid duration ${JSON.stringify(value)}`,
      };
    }
  }
  for (const [index, taint] of (Array.isArray(fields.taints) ? fields.taints : []).entries()) {
    if (!isRecord(taint)) { continue; }
    for (const field of ['key', 'effect']) {
      const value = taint[field];
      if (typeof value !== 'string' || value === '') {
        yield {
          path: `${path}.taints[${index}].${field}`,
          ...given(value),
          message: 'is missing',
          fix: `give the ${field} of the taint`,
          says: `${path}.taints[${index}].${field}: Required value`,
        };
      }
    }
    if (typeof taint.effect === 'string' && taint.effect !== '' && !isLate(taint.effect) && !EFFECTS.includes(taint.effect)) {
      yield {
        path: `${path}.taints[${index}].effect`,
        value: taint.effect,
        level: 'warning',
        message: 'is no effect of a taint',
        fix: `use ${EFFECTS.join(', ')}`,
      };
    }
  }
}

/** Fields of a Cluster by the feature that brought them. */
const GATED: ReadonlyArray<readonly [path: readonly string[], gate: GateId]> = [
  [['rkeConfig', 'machineSelectorFiles'], GateId.MACHINE_SELECTOR_FILES],
  [['rkeConfig', 'networking', 'stackPreference'], GateId.STACK_PREFERENCE],
  [['rkeConfig', 'machinePoolDefaults', 'hostnameLengthLimit'], GateId.MACHINE_POOL_DEFAULTS],
  [['rkeConfig', 'etcd', 's3', 'retention'], GateId.ETCD_S3_RETENTION],
  [['rkeConfig', 'rotateCertificates'], GateId.CERTIFICATE_ROTATION],
  [['rkeConfig', 'rotateEncryptionKeys'], GateId.CERTIFICATE_ROTATION],
  [['defaultPodSecurityAdmissionConfigurationTemplateName'], GateId.POD_SECURITY_TEMPLATE],
  [['localClusterAuthEndpoint', 'enabled'], GateId.LOCAL_CLUSTER_AUTH_ENDPOINT],
];

const GATED_OF_POOL: ReadonlyArray<readonly [field: string, gate: GateId]> = [
  ['drainBeforeDelete', GateId.MACHINE_POOL_HEALTH],
  ['unhealthyNodeTimeout', GateId.MACHINE_POOL_HEALTH],
  ['nodeStartupTimeout', GateId.MACHINE_POOL_HEALTH],
  ['drainBeforeDeleteTimeout', GateId.DRAIN_BEFORE_DELETE_TIMEOUT],
  ['hostnameLengthLimit', GateId.MACHINE_POOL_DEFAULTS],
  ['userdata', GateId.MACHINE_POOL_USERDATA],
];

const VERSION: Rule = {
  id: 'cluster/field-version',
  level: 'warning',
  kinds: CLUSTER_KINDS,
  what: 'a field of a Cluster is one that this Rancher knows; it ignores others',
  source: 'the Go types of provisioning.cattle.io and rke.cattle.io at every release tag of rancher/rancher',
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    for (const [keys, gate] of GATED) {
      const value = keys.reduce<unknown>((outer, key) => (isRecord(outer) ? outer[key] : undefined), manifest.spec);
      const lacks = value ? rancherLacks(target, gate) : undefined;
      if (lacks) { yield { path: `spec.${keys.join('.')}`, message: lacks, fix: 'leave it out, or upgrade Rancher' }; }
    }
    for (const { path, fields } of poolsOf(manifest)) {
      for (const [field, gate] of GATED_OF_POOL) {
        const lacks = fields[field] ? rancherLacks(target, gate) : undefined;
        if (lacks) { yield { path: `${path}.${field}`, message: lacks, fix: 'leave it out, or upgrade Rancher' }; }
      }
    }
  },
};

/** Rules for the forms of fields of a Cluster and its pools, and for the versions that know them. */
export const POOL_FIELD_RULES: readonly Rule[] = [FIELDS, VERSION];
