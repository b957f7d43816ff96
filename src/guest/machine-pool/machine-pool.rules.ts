import {
  POOL_FIELD_GATES,
  checkAllRoles,
  checkMachineNames,
  checkPoolRoles,
  checkScaledQuantity,
  machineNameLength,
} from './machine-pool.check';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, valueAt, Fields, records } from '../../core/manifest/manifest';
import {
  NO_PROBLEMS,
  Problem,
  SomeProblems,
  joinedProblems,
  problemsOf,
} from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { durationCheck, oneOf } from '../../core/rule/kit/values';
import { JudgedObject, World } from '../../core/rule/rule';
import { named } from '../../core/rule/world-lookup';
import { givenValue } from '../../core/text/plain-text';
import { lackedFields, lacksFeature } from '../../core/version/target-features';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.facts';
import { isPoolScaledByRancherProvider } from '../autoscaler/autoscaler.facts';
import {
  ClusterPool,
  clusterDistribution,
  configNameOf,
  configOf,
  hasProvider,
  poolsOf,
  rkeConfigOf,
} from '../cluster/cluster-reader.facts';
import { MACHINE_DEFAULTS } from '../cluster/cluster.kind';
import { DISTRIBUTION_NAMES } from '../kubernetes/rke2.data';
import {
  GROUP_MACHINE_CONFIG,
  HARVESTER_CONFIG_KIND,
  MACHINE_NAME_SUFFIX,
  MAX_MACHINE_NAME,
  MIN_MACHINE_NAME,
} from '../machine-config/machine-config.kind';
import { machineReferences } from '../machine-config/machine-json.facts';
import { checkConcurrency } from '../upgrade/upgrade-strategy.check';
import { GuestGate } from '../version/guest-gates.data';

const TEMPLATE = 'rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go';
const TYPES = 'rancher/rancher:pkg/apis/provisioning.cattle.io/v1/cluster_types.go';
const UPGRADE = 'remove it, or upgrade Rancher';

/** Findings about the entry of a pool, with the path of the entry. */
function below(
  pool: ClusterPool,
  problems: Iterable<Problem>,
  more?: Partial<Problem>,
): readonly Problem[] {
  return problems === NO_PROBLEMS
    ? NO_PROBLEMS
    : [...problems].map((problem) => ({
        ...problem,
        ...more,
        path: problem.path ? `${pool.path}.${problem.path}` : pool.path,
      }));
}

const CONCURRENCIES = ['controlPlaneConcurrency', 'workerConcurrency'];
const TIMEOUTS = ['drainBeforeDeleteTimeout', 'unhealthyNodeTimeout', 'nodeStartupTimeout'];

function checkPoolFields({ path, fields }: ClusterPool): readonly Problem[] {
  return joinedProblems(
    problemsOf(TIMEOUTS, (field) => checkTimeout(`${path}.${field}`, fields[field])),
    problemsOf(SIZES, (field) => checkInt32(`${path}.${field}`, fields[field])),
    problemsOf(ROLLOUT_SIZES, (field) =>
      checkInt32(`${path}.rollingUpdate.${field}`, valueAt(fields, 'rollingUpdate', field)),
    ),
    problemsOf(records(fields.taints), ([index, taint]) =>
      checkTaint(`${path}.taints[${index}]`, taint),
    ),
  );
}

/** The sizes of a pool, which the webhook reads into an int32. */
const SIZES = ['quantity', 'autoscalingMinSize', 'autoscalingMaxSize'];
/** Those of its rolling update, which are a number or a percentage. */
const ROLLOUT_SIZES = ['maxSurge', 'maxUnavailable'];
const MAX_INT32 = 2 ** 31 - 1;

/** The webhook cannot read an empty text into a duration. */
function checkTimeout(path: string, value: unknown): readonly Problem[] {
  return value === ''
    ? [
        {
          path,
          value,
          message: 'must be a duration',
          fix: 'remove it, or write hours, minutes and seconds, e.g. 5m or 1h30m',
          says: 'time: invalid duration ""',
        },
      ]
    : durationCheck(path, value);
}

function checkInt32(path: string, value: unknown): readonly Problem[] {
  return typeof value === 'number' && Math.abs(value) > MAX_INT32
    ? [
        {
          path,
          value,
          message: `must be at most ${MAX_INT32}`,
          fix: 'use a smaller number',
          says: 'json: cannot unmarshal number into Go struct field',
        },
      ]
    : [];
}

function* checkTaint(path: string, taint: Fields): Iterable<Problem> {
  for (const field of ['key', 'effect']) {
    const value = taint[field];
    if (typeof value !== 'string' || value === '') {
      yield {
        path: `${path}.${field}`,
        ...givenValue(value),
        message: 'must be set',
        fix: `set the ${field} of the taint`,
        says: `${path}.${field}: Required value`,
      };
    }
  }
  yield* checkEffect(`${path}.effect`, taint.effect);
}

const checkEffect = oneOf(['NoSchedule', 'PreferNoSchedule', 'NoExecute'], { level: 'warning' });

/** Fields of a Cluster, each with its feature. */
const lackedIn = lackedFields<readonly string[]>([
  [['rkeConfig', 'machineSelectorFiles'], GuestGate.MACHINE_SELECTOR_FILES],
  [['rkeConfig', 'networking', 'stackPreference'], GuestGate.STACK_PREFERENCE],
  [['rkeConfig', 'machinePoolDefaults', 'hostnameLengthLimit'], GuestGate.MACHINE_POOL_DEFAULTS],
  [['rkeConfig', 'etcd', 's3', 'retention'], GuestGate.ETCD_S3_RETENTION],
  [['rkeConfig', 'rotateCertificates'], GuestGate.CERTIFICATE_ROTATION],
  [['rkeConfig', 'rotateEncryptionKeys'], GuestGate.CERTIFICATE_ROTATION],
  [['defaultPodSecurityAdmissionConfigurationTemplateName'], GuestGate.POD_SECURITY_TEMPLATE],
  [['localClusterAuthEndpoint', 'enabled'], GuestGate.LOCAL_CLUSTER_AUTH_ENDPOINT],
]);

const lackedInPools = lackedFields(POOL_FIELD_GATES);

/**
 * The least number of machines of a pool when it is created; Rancher leaves a pool of 0 machines
 * alone.
 */
export function leastMachinesOf({ fields }: ClusterPool): number {
  const { quantity, autoscalingMinSize } = fields;
  if (typeof quantity === 'number') {
    return quantity;
  }
  return typeof autoscalingMinSize === 'number' ? autoscalingMinSize : 1;
}

function checkMissing(object: JudgedObject, pool: ClusterPool, world: World): SomeProblems {
  const name = configNameOf(pool);
  if (name === undefined || isLate(name)) {
    return undefined;
  }
  const { namespace = '' } = object.manifest.metadata;
  const path = `${pool.path}.machineConfigRef.name`;
  const elsewhere = named(world, GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND, name).find(
    ({ target }) => target.name === object.target.name,
  );
  const says = `harvesterconfigs.rke-machine-config.cattle.io "${name}" not found`;
  if (elsewhere) {
    return {
      path,
      value: name,
      message: `must be in the namespace of the Cluster, ${namespace}: it is in ${elsewhere.manifest.metadata.namespace ?? 'no namespace'}`,
      fix: 'move both to the same namespace',
      says,
    };
  }
  return (
    world.ofKind(GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND).length > 0 && {
      path,
      value: name,
      level: 'warning',
      message: 'does not match any known machine configuration',
      fix: 'declare the HarvesterConfig in the namespace of the Cluster',
      says,
    }
  );
}

/** @see https://etcd.io/docs/latest/faq, maximum cluster size */
const MAX_ETCD = 7;

function checkEtcd(machines: number): SomeProblems {
  const isEven = machines > 1 && machines % 2 === 0;
  return (
    (isEven || machines > MAX_ETCD) && {
      path: 'spec.rkeConfig.machinePools',
      value: machines,
      level: 'warning',
      message: isEven
        ? 'must have an odd number of machines with etcd: one more machine does not let etcd survive more failures'
        : `must have at most ${MAX_ETCD} machines with etcd: each write waits for most of them`,
      fix: isEven ? 'use 1, 3 or 5' : 'use 3 or 5, and workers for the others',
    }
  );
}

/** A limit that gives nodes other names than their virtual machines have. */
function checkLimit(manifest: Manifest, { path, name, fields }: ClusterPool): SomeProblems {
  const own = fields.hostnameLengthLimit ?? undefined;
  const limit = own ?? valueAt(rkeConfigOf(manifest)?.machinePoolDefaults, 'hostnameLengthLimit');
  const length = machineNameLength(manifest.metadata.name, name);
  if (
    typeof limit !== 'number' ||
    limit < MIN_MACHINE_NAME ||
    length <= limit ||
    !hasProvider(manifest)
  ) {
    return undefined;
  }
  const room = limit - MACHINE_NAME_SUFFIX.length - 1;
  return {
    path: `${own === undefined ? 'spec.rkeConfig.machinePoolDefaults' : path}.hostnameLengthLimit`,
    value: limit,
    message:
      `cuts the names of the nodes of pool ${name}, which have ${length} characters: the cloud provider looks for the virtual machine by the ` +
      'name of its node and does not find it',
    fix: `remove it${room > 2 ? `, or use at most ${room} characters together for the names of Cluster and pool` : ''}`,
  };
}

/** The least size of a machine, in CPUs and GiB. */
interface Size {
  readonly cpus: number;
  readonly memory: number;
}

/** The minimum for machines with etcd or the control plane, and for workers. */
const MINIMUM: {
  readonly [distribution in 'rke2' | 'k3s']: {
    readonly server: Size;
    readonly worker: Size;
    readonly source: string;
  };
} = {
  rke2: {
    server: { cpus: 2, memory: 4 },
    worker: { cpus: 2, memory: 4 },
    source: 'https://docs.rke2.io/install/requirements',
  },
  // 512 MiB for a worker; machines have whole GiB
  k3s: {
    server: { cpus: 2, memory: 2 },
    worker: { cpus: 1, memory: 1 },
    source: 'https://docs.k3s.io/installation/requirements',
  },
};

/**
 * Below this, the images of the distribution leave no room on the disk: inferred, unconfirmed (not
 * verified on a running system).
 */
const LEAST_DISK = 10;

function checkSize(
  distribution: 'rke2' | 'k3s',
  { path, name, fields }: ClusterPool,
  { cpuCount, memorySize }: Manifest,
): SomeProblems {
  const isServer = fields.etcdRole === true || fields.controlPlaneRole === true;
  const least = MINIMUM[distribution][isServer ? 'server' : 'worker'];
  const cpus = wholeOf(cpuCount ?? MACHINE_DEFAULTS.cpuCount);
  const memory = wholeOf(memorySize ?? MACHINE_DEFAULTS.memorySize);
  return (
    (cpus < least.cpus || memory < least.memory) && {
      path: `${path}.machineConfigRef`,
      value: `${cpus} CPUs, ${memory} GiB`,
      message:
        `must have machines with ${least.cpus} CPU${least.cpus > 1 ? 's' : ''} and ${least.memory} GiB or more for pool ${name}: ` +
        `${DISTRIBUTION_NAMES[distribution]} may not start on smaller ones`,
      fix: 'use larger machines',
    }
  );
}

function checkDisk(
  distribution: 'rke2' | 'k3s',
  { path, name }: ClusterPool,
  config: Manifest,
): SomeProblems {
  const size = machineReferences(config).disks[0]?.size;
  return (
    typeof size === 'number' &&
    size > 0 &&
    size < LEAST_DISK && {
      path: `${path}.machineConfigRef`,
      value: `${size} GiB`,
      message: `must have a first disk of at least ${LEAST_DISK} GiB for pool ${name}: the images of ${DISTRIBUTION_NAMES[distribution]} fill a smaller one`,
      fix: 'use a larger disk, e.g. 40 GiB',
    }
  );
}

// another rule reports what is not a number
function wholeOf(value: unknown): number {
  const number = typeof value === 'string' && value !== '' ? Number(value) : Number.NaN;
  return Number.isInteger(number) && number > 0 ? number : Infinity;
}

/** Rules for the machine pools of a Cluster. */
export const POOL_RULES = rules({ kinds: CLUSTER_KINDS }, [
  {
    id: 'cluster/pool-config',
    what: 'a machine pool refers to a machine configuration in the namespace of the Cluster',
    source: `${TEMPLATE} machineDeployments, toMachineTemplate`,
    judge: (object, world) => {
      const { namespace } = object.manifest.metadata;
      return problemsOf(poolsOf(object.manifest), (pool) => {
        const ref = pool.fields.machineConfigRef;
        if (!isRecord(ref) || !ref.kind || !ref.name) {
          return (
            pool.fields.quantity !== 0 && {
              path: `${pool.path}.machineConfigRef`,
              message: 'must name a machine configuration',
              fix: 'set kind to HarvesterConfig, and name',
              says: `invalid machinePool [${pool.name}] missing name or valid config`,
            }
          );
        }
        return joinedProblems(
          Boolean(ref.namespace) &&
            ref.namespace !== namespace && {
              path: `${pool.path}.machineConfigRef.namespace`,
              value: ref.namespace,
              level: 'warning',
              message: `has no effect: Rancher looks for the machine configuration in ${namespace ?? 'the namespace of the Cluster'}`,
              fix: 'remove it',
            },
          !configOf(object, pool, world) && checkMissing(object, pool, world),
        );
      });
    },
  },
  {
    id: 'cluster/pool-roles',
    what: 'each machine pool has a role, together they have etcd, control plane and worker, and the number of machines with etcd is odd',
    source: `${TEMPLATE} machineDeployments; rancher/rancher:pkg/capr/planner/planner.go`,
    judge: ({ manifest }) => {
      const pools = poolsOf(manifest).filter((pool) => leastMachinesOf(pool) > 0);
      const ofPools = problemsOf(pools, (pool) =>
        below(pool, checkPoolRoles(pool.fields, pool.name), { value: pool.name }),
      );
      // machines may come from elsewhere
      if (pools.length === 0 || rkeConfigOf(manifest)?.infrastructureRef) {
        return ofPools;
      }
      const ofAll = problemsOf(checkAllRoles(pools.map(({ fields }) => fields)), (problem) => ({
        ...problem,
        path: `spec.rkeConfig.${problem.path}`,
      }));
      const etcd = pools.reduce(
        (sum, pool) => sum + (pool.fields.etcdRole === true ? leastMachinesOf(pool) : 0),
        0,
      );
      return joinedProblems(ofPools, ofAll, checkEtcd(etcd));
    },
  },
  {
    id: 'cluster/pool-autoscaling',
    level: 'warning',
    what: 'a machine pool with autoscaling has no quantity, and its bounds are fields that Rancher knows',
    source: `${TYPES} RKEMachinePool`,
    judge: ({ manifest, target }) =>
      problemsOf(poolsOf(manifest), (pool) => {
        if (isPoolScaledByRancherProvider(pool.fields)) {
          return undefined;
        }
        if (
          (pool.fields.autoscalingMinSize ?? pool.fields.autoscalingMaxSize ?? undefined) ===
          undefined
        ) {
          return undefined;
        }
        const lacks = lacksFeature(target, GuestGate.AUTOSCALING);
        return below(
          pool,
          lacks === undefined
            ? checkScaledQuantity(pool.fields)
            : [
                {
                  path: 'autoscalingMinSize',
                  message: lacks,
                  fix: 'use annotations cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size and -max-size in machineDeploymentAnnotations',
                },
              ],
        );
      }),
  },
  {
    id: 'cluster/machine-names',
    level: 'warning',
    what: `<cluster>-<pool>-xxxxx-xxxxx, the name of a virtual machine and its node, has at most ${MAX_MACHINE_NAME} characters, or hostnameLengthLimit`,
    source: 'rancher/rancher:pkg/controllers/capr/machineprovision/args.go getHostname',
    judge: ({ manifest }) => {
      const { name } = manifest.metadata;
      return (
        !isLate(name) &&
        problemsOf(poolsOf(manifest), (pool) => {
          const isNamed = !isLate(pool.name) && configNameOf(pool) !== undefined;
          const tooLong = isNamed ? below(pool, checkMachineNames(name, pool.name)) : NO_PROBLEMS;
          return tooLong.length > 0 ? tooLong : checkLimit(manifest, pool);
        })
      );
    },
  },
  {
    id: 'cluster/pool-fields',
    what: 'timeouts of a machine pool are durations, taints have a key and an effect, sizes fit into 32 bits, concurrency is a number or a percentage',
    source:
      'rancher/rancher:pkg/crds/yaml/generated/provisioning.cattle.io_clusters.yaml; pkg/capr/planner/planner.go',
    judge: ({ manifest }) => {
      const strategy = rkeConfigOf(manifest)?.upgradeStrategy;
      return joinedProblems(
        isRecord(strategy) &&
          problemsOf(CONCURRENCIES, (field) =>
            checkConcurrency(`spec.rkeConfig.upgradeStrategy.${field}`, strategy[field]),
          ),
        problemsOf(poolsOf(manifest), checkPoolFields),
      );
    },
  },
  {
    id: 'cluster/field-version',
    level: 'warning',
    what: 'a field of a Cluster is one that this Rancher knows; it ignores others',
    source:
      'the Go types of provisioning.cattle.io and rke.cattle.io at every release tag of rancher/rancher',
    judge: ({ manifest, target }) => {
      const ofCluster = problemsOf(
        lackedIn(target),
        ({ field, lacks }) =>
          Boolean(valueAt(manifest.spec, ...field)) && {
            path: `spec.${field.join('.')}`,
            message: lacks,
            fix: UPGRADE,
          },
      );
      const lacked = lackedInPools(target);
      return joinedProblems(
        ofCluster,
        lacked.length > 0 &&
          problemsOf(poolsOf(manifest), ({ path, fields }) =>
            problemsOf(
              lacked,
              ({ field, lacks }) =>
                Boolean(fields[field]) && {
                  path: `${path}.${field}`,
                  message: lacks,
                  fix: UPGRADE,
                },
            ),
          ),
      );
    },
  },
  {
    id: 'cluster/machine-size',
    level: 'warning',
    what: 'machines have the CPUs, memory and disk that RKE2 or K3s need to start',
    source: `${MINIMUM.rke2.source}; ${MINIMUM.k3s.source}; the disk is inferred`,
    judge: (cluster, world) => {
      const distribution = clusterDistribution(cluster.manifest);
      return (
        distribution &&
        problemsOf(poolsOf(cluster.manifest), (pool) => {
          const config = configOf(cluster, pool, world)?.manifest;
          return (
            config &&
            joinedProblems(
              checkSize(distribution, pool, config),
              checkDisk(distribution, pool, config),
            )
          );
        })
      );
    },
  },
]);
