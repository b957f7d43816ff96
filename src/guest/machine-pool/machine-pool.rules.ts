import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { named } from '../../core/rule/known-objects';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { given } from '../../core/text/plain-text';
import { goDuration } from '../../core/text/time';
import { GateId } from '../../core/version/gate-id';
import { rancherLacks } from '../../rancher/version/rancher-gates';
import { CLUSTER_KINDS, Fields, Pool, configNameOf, configOf, poolsOf, rkeConfigOf, usesHarvester } from '../cluster/cluster-reader';
import { GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND, PROVIDER_CHART } from '../cluster/cluster.kind';
import { MACHINE_NAME_SUFFIX, MAX_MACHINE_NAME, MIN_MACHINE_NAME } from '../machine-config/machine-config.kind';

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

const TEMPLATE = 'rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go';
const TYPES = 'rancher/rancher:pkg/apis/provisioning.cattle.io/v1/cluster_types.go';
const MACHINE_SUFFIX = MACHINE_NAME_SUFFIX.length;
const MAX_NAME = MAX_MACHINE_NAME;
const ROLES = [['etcdRole', 'etcd'], ['controlPlaneRole', 'control plane'], ['workerRole', 'worker']] as const;

/** How many machines a pool has at least; a pool of none is left alone by Rancher. */
function machinesOf({ fields: { quantity, autoscalingMinSize } }: Pool): number {
  if (typeof quantity === 'number') { return quantity; }
  return typeof autoscalingMinSize === 'number' ? autoscalingMinSize : 1;
}

const CONFIG: Rule = {
  id: 'cluster/pool-config',
  level: 'error',
  kinds: CLUSTER_KINDS,
  what: 'a machine pool refers to a machine configuration, which lies in the namespace of the Cluster',
  source: `${TEMPLATE} machineDeployments, toMachineTemplate`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { namespace } = object.manifest.metadata;
    for (const pool of poolsOf(object.manifest)) {
      const ref = pool.fields.machineConfigRef;
      const path = `${pool.path}.machineConfigRef`;
      if (!isRecord(ref) || !ref.kind || !ref.name) {
        if (pool.fields.quantity === 0) { continue; }
        yield {
          path,
          message: 'names no machine configuration',
          fix: 'give kind: HarvesterConfig and a name',
          says: `invalid machinePool [${pool.name}] missing name or valid config`,
        };
        continue;
      }
      if (ref.namespace && ref.namespace !== namespace) {
        yield {
          path: `${path}.namespace`,
          value: ref.namespace,
          level: 'warning',
          message: `counts for nothing: the configuration is looked for in ${namespace ?? 'the namespace of the Cluster'}`,
          fix: 'leave it out',
        };
      }
      yield* checkReference(object, pool, path, world);
    }
  },
};

function* checkReference(object: JudgedObject, pool: Pool, path: string, world: World): Iterable<Problem> {
  const name = configNameOf(pool);
  if (name === undefined || isLate(name) || configOf(object, pool, world)) { return; }
  const { namespace = '' } = object.manifest.metadata;
  const elsewhere = named(world, GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND, name).find(({ target }) => target.name === object.target.name);
  const says = `harvesterconfigs.rke-machine-config.cattle.io "${name}" not found`;
  if (elsewhere) {
    yield {
      path: `${path}.name`,
      value: name,
      message: `lies in ${elsewhere.manifest.metadata.namespace ?? 'no namespace'}, the Cluster in ${namespace}`,
      fix: 'put both into one namespace',
      says,
    };
  } else if (world.ofKind(GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND).length > 0) {
    yield {
      path: `${path}.name`,
      value: name,
      level: 'warning',
      message: 'is no machine configuration that is known here',
      fix: 'declare the HarvesterConfig in the namespace of the Cluster',
      says,
    };
  }
}

const POOL_ROLES: Rule = {
  id: 'cluster/pool-roles',
  level: 'error',
  kinds: CLUSTER_KINDS,
  what: 'each machine pool has a role, and together they have etcd, control plane and worker; an odd number of machines with etcd',
  source: `${TEMPLATE} machineDeployments; rancher/rancher:pkg/capr/planner/planner.go`,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const pools = poolsOf(manifest).filter((pool) => machinesOf(pool) > 0);
    for (const pool of pools.filter(({ fields }) => ROLES.every(([field]) => fields[field] !== true))) {
      yield {
        path: pool.path,
        value: pool.name,
        message: 'has no role',
        fix: 'set etcdRole, controlPlaneRole or workerRole to true',
        says: `at least one role of etcd, control-plane or worker must be assigned to machinePool [${pool.name}]`,
      };
    }
    // machines may come from elsewhere
    if (pools.length === 0 || rkeConfigOf(manifest)?.infrastructureRef) { return; }
    const absent = ROLES.filter(([field]) => pools.every(({ fields }) => fields[field] !== true)).map(([, role]) => role);
    if (absent.length > 0 && absent.length < ROLES.length) {
      yield {
        path: 'spec.rkeConfig.machinePools',
        message: `have no machine with the role ${absent.join(', nor ')}: the cluster never gets ready`,
        fix: 'give each role to a pool',
        says: 'waiting for at least one control plane, etcd, and worker node to be registered',
      };
    }
    const etcd = pools.filter(({ fields }) => fields.etcdRole === true).reduce((sum, pool) => sum + machinesOf(pool), 0);
    if (etcd > 1 && etcd % 2 === 0) {
      yield {
        path: 'spec.rkeConfig.machinePools',
        value: etcd,
        level: 'warning',
        message: 'machines with etcd bear the loss of no more machines than one less would',
        fix: 'use 1, 3 or 5',
      };
    }
  },
};

const AUTOSCALING: Rule = {
  id: 'cluster/pool-autoscaling',
  level: 'error',
  kinds: CLUSTER_KINDS,
  what: 'autoscaling has both bounds, the lower one not above the upper, and above 0 for etcd and control plane',
  source: `${TYPES} RKEMachinePool (rules of the definition)`,
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    for (const { path, fields } of poolsOf(manifest)) {
      const [min, max] = [fields.autoscalingMinSize ?? undefined, fields.autoscalingMaxSize ?? undefined];
      if (min === undefined && max === undefined) { continue; }
      const lacks = rancherLacks(target, GateId.AUTOSCALING);
      if (lacks) {
        yield {
          path: `${path}.autoscalingMinSize`,
          level: 'warning',
          message: lacks,
          fix: 'use annotations cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size and -max-size in machineDeploymentAnnotations',
        };
        continue;
      }
      yield* checkBounds(path, fields, min, max);
      if (typeof fields.quantity === 'number') {
        yield {
          path: `${path}.quantity`,
          value: fields.quantity,
          level: 'warning',
          message: 'is written by the autoscaler as well: each apply would undo its work',
          fix: 'leave quantity out',
        };
      }
    }
  },
};

function* checkBounds(path: string, fields: Fields, min: unknown, max: unknown): Iterable<Problem> {
  const says = (rule: string): string => `${path}: Invalid value: "object": ${rule}`;
  const lower = `${path}.autoscalingMinSize`;
  if (min === undefined || max === undefined) {
    yield {
      path: min === undefined ? lower : `${path}.autoscalingMaxSize`,
      message: 'is missing beside the other',
      fix: 'give both, or none',
      says: says('AutoscalingMinSize and AutoscalingMaxSize must both be set if enabling cluster-autoscaling'),
    };
  } else if (typeof min === 'number' && typeof max === 'number' && min > max) {
    yield {
      path: lower,
      value: min,
      message: `is above autoscalingMaxSize ${JSON.stringify(max)}`,
      fix: 'give a lower one',
      says: says('AutoscalingMinSize must be less than or equal to AutoscalingMaxSize when both are non-nil'),
    };
  }
  for (const [role, name, what] of [['etcdRole', 'EtcdRole', 'etcd'], ['controlPlaneRole', 'ControlPlaneRole', 'control plane']] as const) {
    if (min === 0 && fields[role] === true) {
      yield {
        path: lower,
        value: min,
        message: `would leave no machine with ${what}`,
        fix: 'give at least 1',
        says: says(`AutoscalingMinSize must be greater than 0 when ${name} is true`),
      };
    }
  }
}

const NAMES: Rule = {
  id: 'cluster/machine-names',
  level: 'warning',
  kinds: CLUSTER_KINDS,
  what: `<cluster>-<pool>-xxxxx-xxxxx, the name of a virtual machine and its node, has up to ${MAX_NAME} characters, or hostnameLengthLimit; longer ones are cut`,
  source: 'rancher/rancher:pkg/controllers/capr/machineprovision/args.go getHostname',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const { name } = manifest.metadata;
    if (isLate(name)) { return; }
    for (const pool of poolsOf(manifest)) {
      const length = name.length + 1 + pool.name.length + MACHINE_SUFFIX;
      if (length > MAX_NAME && !isLate(pool.name) && configNameOf(pool) !== undefined) {
        yield {
          path: `${pool.path}.name`,
          value: pool.name,
          message: `gives virtual machines names of ${length} characters, which are cut: labels and affinity by pool no longer fit`,
          fix: `let the names of Cluster and pool have ${MAX_NAME - MACHINE_SUFFIX - 1} characters together`,
        };
        continue;
      }
      const [path, limit] = hostnameLimitOf(manifest, pool);
      if (typeof limit === 'number' && limit >= MIN_MACHINE_NAME && length > limit && isOnHarvester(manifest)) {
        const room = limit - MACHINE_SUFFIX - 1;
        yield {
          path,
          value: limit,
          message: `cuts the names of nodes of pool ${pool.name}, which have ${length} characters: a node is called otherwise than its virtual machine, `
            + 'by whose name the cloud provider looks for it',
          fix: `leave it out${room > 2 ? `, or let the names of Cluster and pool have ${room} characters together` : ''}`,
        };
      }
    }
  },
};

function hostnameLimitOf(manifest: Manifest, { path, fields }: Pool): readonly [path: string, limit: unknown] {
  const own = fields.hostnameLengthLimit;
  return own === undefined || own === null
    ? ['spec.rkeConfig.machinePoolDefaults.hostnameLengthLimit', valueAt(manifest, 'spec', 'rkeConfig', 'machinePoolDefaults', 'hostnameLengthLimit')]
    : [`${path}.hostnameLengthLimit`, own];
}

/** Whether a Cluster has the cloud provider of Harvester, bundled or by a chart. */
function isOnHarvester(manifest: Manifest): boolean {
  const manifests = rkeConfigOf(manifest)?.additionalManifest;
  return usesHarvester(manifest) || (typeof manifests === 'string' && manifests.includes(PROVIDER_CHART));
}

/** Rules for the machine pools of a Cluster. */
export const POOL_RULES: readonly Rule[] = [CONFIG, POOL_ROLES, AUTOSCALING, NAMES, ...POOL_FIELD_RULES];
