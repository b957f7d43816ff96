import {
  Cause,
  Impact,
  MachineRange,
  Pair,
  ImpactSide,
  Sides,
  Where,
  rangeText,
  shown,
  impactOn,
} from './impact';
import {
  fieldOf,
  templateCauses,
  templateOf,
  CHANGED_UNKNOWN,
  unsureFields,
  unsureRemark,
} from './machine-template';
import { Manifest, isRecord, objectLabel, sameValue, valueAt } from '../../core/manifest/manifest';
import { show } from '../../core/problem/problem';
import { JudgedObject } from '../../core/rule/rule';
import { jsonOf } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import { ClusterPool, configNameOf, poolsOf } from '../../guest/cluster/cluster-reader.facts';
import { HARVESTER_CONFIG_KIND } from '../../guest/machine-config/machine-config.kind';
import {
  PoolSize,
  isScaled,
  leastOf,
  machinesOfPool,
  mostOf,
  poolSizeOf,
} from '../../guest/machine-pool/pool-size.facts';
import { GuestGate } from '../../guest/version/guest-gates.data';

/**
 * The number of machines of a pool: the bounds where an autoscaler decides, nothing where it is yet
 * to come.
 */
export function countOf(
  pool: ClusterPool,
  machines = machinesOfPool(pool),
): Pick<Impact, 'machines' | 'scaled'> {
  if (machines !== undefined) {
    return { machines };
  }
  const size = poolSizeOf(pool);
  return isScaled(size) ? { scaled: rangeOf(size) } : {};
}

function rangeOf(size: PoolSize): MachineRange {
  const max = mostOf(size);
  return { min: leastOf(size), ...(Number.isFinite(max) ? { max } : {}) };
}

/** What an edit does to the number of machines of a pool. */
function* sizeImpacts(
  was: ClusterPool,
  is: ClusterPool,
  { before, after }: Pair,
  sides: Sides,
  where: Where,
): Iterable<Impact> {
  const [old, now] = [machinesOfPool(was), machinesOfPool(is)];
  const object = objectLabel(after.manifest);
  if (old === undefined || now === undefined) {
    yield* unsureImpact(was, is, object, sides, where);
    return;
  }
  if (old === now) {
    return;
  }
  const causes = [
    {
      object,
      path: `${is.path}.quantity`,
      ...shown(was.fields.quantity ?? 1, is.fields.quantity ?? 1),
    },
  ];
  yield now > old
    ? impactOn(where, 'create', 'the pool grows', { machines: now - old, causes })
    : impactOn(where, 'delete', 'the pool shrinks: machines are deleted with their disks', {
        machines: old - now,
        causes,
        risks: roleRisks(was, old - now, before),
      });
}

/**
 * A pool that an autoscaler scales, or whose number is yet to come: whether an edit leaves it as
 * many machines as it has.
 */
function* unsureImpact(
  was: ClusterPool,
  is: ClusterPool,
  object: string,
  sides: Sides,
  where: Where,
): Iterable<Impact> {
  const [old, now] = [poolSizeOf(was), poolSizeOf(is)];
  // within its bounds an autoscaler does as it likes, with or without the edit
  if (
    sameValue(sides.before.resolved(old), sides.after.resolved(now)) ||
    (isScaled(old) && isScaled(now))
  ) {
    return;
  }
  if (mostOf(old) <= leastOf(now)) {
    return;
  }
  const most = mostOf(old) - leastOf(now);
  yield impactOn(where, 'unknown', unsureText(old, now), {
    causes: [{ object, path: `${is.path}.quantity`, ...sizesShown(old, now) }],
    risks: [
      `${Number.isFinite(most) ? `at most ${most} of its machines are` : 'machines that it has and does not keep are'} deleted with their disks`,
    ],
  });
}

/** Why the number of machines that remain cannot be predicted. */
function unsureText(old: PoolSize, now: PoolSize): string {
  if (isScaled(now)) {
    return `an autoscaler decides from now on how many machines the pool has: ${rangeText(rangeOf(now))}`;
  }
  if (isScaled(old)) {
    return `no autoscaler decides any more how many machines the pool has: it had ${rangeText(rangeOf(old))}`;
  }
  return 'cannot be predicted: the number of machines is not known yet';
}

/** Both sizes of a pool: the bounds in place of a number that an autoscaler decides. */
function sizesShown(...sizes: readonly [PoolSize, PoolSize]): Pick<Cause, 'before' | 'after'> {
  const [before, after] = sizes.map((size) =>
    isScaled(size) ? `${rangeText(rangeOf(size))} (autoscaler)` : show(size.quantity ?? 1),
  );
  return { before, after };
}

/** The roles that a cluster loses with machines of a pool. */
function roleRisks(pool: ClusterPool, gone: number | undefined, cluster: JudgedObject): string[] {
  return (
    [
      ['etcdRole', 'etcd'],
      ['controlPlaneRole', 'control plane'],
    ] as const
  ).flatMap(([role, name]): string[] => {
    if (pool.fields[role] !== true || gone === undefined) {
      return [];
    }
    const all = poolsOf(cluster.manifest)
      .filter(({ fields }) => fields[role] === true)
      .reduce((sum, other) => sum + (machinesOfPool(other) ?? 0), 0);
    if (gone >= all) {
      const [machines, them] =
        all === 1
          ? [`the only machine with ${name} is`, 'it']
          : [`all ${all} machines with ${name} are`, 'them'];
      return [
        `${machines} deleted${role === 'etcdRole' ? `, and all data of the cluster with ${them}: take a snapshot of etcd first` : ''}`,
      ];
    }
    return role === 'etcdRole' && gone > Math.floor((all - 1) / 2)
      ? [`${gone} of ${all} machines with etcd are deleted: the others have no majority`]
      : [];
  });
}

/** Fields of a pool that leave its machines alone, and what they do. */
export const IN_PLACE: { readonly [field: string]: string } = {
  labels: 'are written to existing machines; whether their nodes adopt them is unconfirmed',
  taints:
    'apply to nodes that register from now on; whether existing nodes adopt them is unconfirmed',
  machineDeploymentLabels: 'are written to existing machines',
  machineDeploymentAnnotations: 'are written to the MachineDeployment',
  cloudCredentialSecretName: 'applies to machines that are created or deleted from now on',
  drainBeforeDelete: 'applies when a machine is deleted',
  drainBeforeDeleteTimeout: 'applies when a machine is deleted',
  unhealthyNodeTimeout: 'decides when an unhealthy machine is replaced',
  nodeStartupTimeout: 'decides when an unhealthy machine is replaced',
  maxUnhealthy: 'decides when an unhealthy machine is replaced',
  unhealthyRange: 'decides when an unhealthy machine is replaced',
  hostnameLengthLimit: 'applies to machines that are created from now on',
  rollingUpdate: 'applies when machines are replaced',
  paused: 'pauses or resumes changes of this pool',
  autoscalingMinSize: 'applies to the autoscaler',
  autoscalingMaxSize: 'applies to the autoscaler',
  machineOS: 'is written as a label to existing machines',
  displayName: 'has no effect',
  userdata: 'has no effect on Harvester',
  dynamicSchemaSpec: 'is restored by Rancher, unless the Cluster allows its removal',
};

/** The bounds of an autoscaler, which are part of the size of a pool. */
const AUTOSCALING = ['autoscalingMinSize', 'autoscalingMaxSize'];

/** What another role of a pool does. */
export const ROLE_CHANGE =
  'the role of its machines changes; whether running nodes adopt it is unconfirmed, a new pool is the safe way';

/** The fields of a pool that give its machines their roles. */
export const ROLES = ['etcdRole', 'controlPlaneRole', 'workerRole'];

/**
 * What is written into the template of a MachineDeployment: an older Cluster API replaces machines
 * for it.
 */
const IN_TEMPLATE = [
  'labels',
  'taints',
  'drainBeforeDelete',
  'drainBeforeDeleteTimeout',
  'hostnameLengthLimit',
  'machineOS',
  ...ROLES,
];

/** What an edit does to the machine pools of a Cluster. */
export function* poolImpacts(pair: Pair, sides: Sides, where: Where): Iterable<Impact> {
  const [old, now] = [byName(pair.before.manifest), byName(pair.after.manifest)];
  const added = [...now.values()].filter(({ name }) => !old.has(name));
  for (const pool of old.values()) {
    const next = now.get(pool.name);
    if (next) {
      yield* changes(pool, next, pair, sides, where);
    } else {
      yield removal(pool, added, pair, sides, where);
    }
  }
  for (const pool of added) {
    yield creation(pool, pair.after, where);
  }
}

function byName(manifest: Manifest): Map<string, ClusterPool> {
  return new Map(poolsOf(manifest).map((pool) => [pool.name, pool]));
}

function removal(
  pool: ClusterPool,
  added: readonly ClusterPool[],
  { before, after }: Pair,
  sides: Sides,
  where: Where,
): Impact {
  // the names of a pool's machines, which rules about hosts contain, follow from its own
  const template = (
    side: ImpactSide,
    cluster: JudgedObject,
    of: ClusterPool,
  ): string | undefined => {
    const config = side.machineConfig(cluster, configNameOf(of) ?? '');
    return (
      config &&
      JSON.stringify(templateOf(config.manifest, side)).replaceAll(
        `-${cluster.manifest.metadata.name}-${of.name}\\"`,
        '\\"',
      )
    );
  };
  const own = template(sides.before, before, pool);
  const twin = added.find(
    (other) =>
      ROLES.every((role) => other.fields[role] === pool.fields[role]) &&
      (configNameOf(other) === configNameOf(pool) ||
        (own !== undefined && own === template(sides.after, after, other))),
  );
  const what = twin
    ? `the pool is renamed to ${twin.name}: its machines are deleted with their disks, and others are created under that name`
    : 'the pool is gone: its machines are deleted with their disks';
  return impactOn(where, 'delete', what, {
    pool: pool.name,
    ...countOf(pool),
    causes: [
      {
        object: objectLabel(after.manifest),
        path: 'spec.rkeConfig.machinePools',
        ...shown(pool.name, twin?.name),
      },
    ],
    risks: roleRisks(pool, machinesOfPool(pool), before),
  });
}

function creation(pool: ClusterPool, cluster: JudgedObject, where: Where): Impact {
  return impactOn(where, 'create', 'the pool is new: its machines are created', {
    pool: pool.name,
    ...countOf(pool),
    causes: [
      { object: objectLabel(cluster.manifest), path: pool.path, ...shown(undefined, pool.name) },
    ],
  });
}

function* changes(
  was: ClusterPool,
  is: ClusterPool,
  pair: Pair,
  sides: Sides,
  where: Where,
): Iterable<Impact> {
  const here = { ...where, pool: is.name };
  const object = objectLabel(pair.after.manifest);
  yield* sizeImpacts(was, is, pair, sides, here);
  yield* replacement(was, is, pair, sides, here);
  const isSwitched = isScaled(poolSizeOf(was)) !== isScaled(poolSizeOf(is));
  for (const field of [
    ...new Set([...Object.keys(was.fields), ...Object.keys(is.fields)]),
  ].sort()) {
    if (isSwitched && AUTOSCALING.includes(field)) {
      continue;
    }
    const [old, now] = [
      sides.before.resolved(was.fields[field]),
      sides.after.resolved(is.fields[field]),
    ];
    if (
      sameValue(old, now) ||
      (old === false && now === undefined) ||
      (old === undefined && now === false)
    ) {
      continue;
    }
    const cause: Cause = { object, path: `${is.path}.${field}`, ...shown(old, now) };
    if (
      IN_TEMPLATE.includes(field) &&
      hasFeature(pair.after.target, GuestGate.MACHINE_METADATA_IN_PLACE) === false
    ) {
      yield impactOn(
        here,
        'replace',
        `${field} is part of the template of its machines, which this Rancher may replace for it (unconfirmed)`,
        {
          ...countOf(is),
          causes: [cause],
          risks: rollingRisks(is, pair.after),
        },
      );
    } else if (ROLES.includes(field)) {
      yield impactOn(here, 'restart', ROLE_CHANGE, { ...countOf(is), causes: [cause] });
    } else if (IN_PLACE[field] !== undefined) {
      yield impactOn(here, 'none', `${field} ${IN_PLACE[field]}; no machine is replaced`, {
        causes: [cause],
      });
    }
  }
}

function* replacement(
  was: ClusterPool,
  is: ClusterPool,
  { before, after }: Pair,
  sides: Sides,
  where: Where,
): Iterable<Impact> {
  const [oldName, newName] = [configNameOf(was), configNameOf(is)];
  const path = `${is.path}.machineConfigRef`;
  const cluster = objectLabel(after.manifest);
  if (oldName === undefined || newName === undefined) {
    if (sameValue(was.fields.machineConfigRef, is.fields.machineConfigRef)) {
      return;
    }
    yield impactOn(where, 'replace', rolling(is), {
      ...countOf(is),
      causes: [{ object: cluster, path }],
      risks: rollingRisks(is, after),
    });
    return;
  }
  const machines = staying(was, is);
  const [old, now] = [
    sides.before.machineConfig(before, oldName),
    sides.after.machineConfig(after, newName),
  ];
  if (!old || !now) {
    if (!old && !now && oldName === newName) {
      return;
    }
    const missing = !now ? newName : oldName;
    const what = `${HARVESTER_CONFIG_KIND} ${missing} is not in the ${!now ? 'current' : 'previous'} manifests: what happens to its machines is unknown`;
    yield impactOn(where, machines === 0 ? 'none' : 'unknown', what, {
      ...countOf(is, machines),
      causes: [{ object: cluster, path }],
      risks: !now
        ? ['without its machine configuration Rancher creates no machine for the pool']
        : [],
    });
    return;
  }
  const templates = [
    templateOf(old.manifest, sides.before),
    templateOf(now.manifest, sides.after),
  ] as const;
  const waiting = unsureFields(old.manifest, now.manifest);
  const all = templateCauses(...templates, now);
  const unsure = all.filter((cause) => waiting.includes(fieldOf(cause)));
  const pruned = all.filter((cause) => isPruned(was, fieldOf(cause)));
  const causes = all.filter((cause) => !pruned.includes(cause) && !unsure.includes(cause));
  if (pruned.length > 0) {
    yield impactOn(
      where,
      'none',
      'has no effect: the pool was created with a node driver that lacks this field (its dynamicSchemaSpec)',
      {
        causes: pruned,
      },
    );
  }
  if (causes.length === 0 && unsure.length === 0) {
    if (oldName !== newName) {
      yield impactOn(
        where,
        'none',
        'the machine configuration has another name and the same contents: no machine is replaced',
        {
          causes: [{ object: cluster, path, ...shown(oldName, newName) }],
        },
      );
    }
    return;
  }
  if (machines === 0) {
    return;
  }
  if (causes.length === 0) {
    const isEncrypted = unsure.some(({ remark }) => remark === CHANGED_UNKNOWN);
    yield impactOn(
      where,
      'unknown',
      `cannot be compared: ${isEncrypted ? 'a value is encrypted, and there is no private key here' : 'one side holds a late value, and the other what it became'}`,
      {
        ...countOf(is, machines),
        causes: unsure,
        risks: [
          `if they are not the same, all machines of the pool are replaced: ${isEncrypted ? 'compare where the private key is' : 'compare two output folders'}`,
        ],
      },
    );
    return;
  }
  const shared = poolsOf(after.manifest)
    .filter((other) => configNameOf(other) === newName && other.name !== is.name)
    .map(({ name }) => name);
  yield impactOn(
    where,
    'replace',
    `${rolling(is)}${shared.length > 0 ? `; ${newName} is also the configuration of pool ${shared.join(', ')}` : ''}`,
    {
      ...countOf(is, machines),
      causes: [
        ...causes,
        ...unsure.map((cause) => ({
          ...cause,
          remark: unsureRemark(templates[0][fieldOf(cause)], templates[1][fieldOf(cause)]),
        })),
      ],
      risks: [
        ...rollingRisks(is, after),
        ...(is.fields.paused === true
          ? ['the pool is paused: this happens when it is resumed']
          : []),
        ...newFieldRisks(causes, is),
      ],
    },
  );
}

/** How many machines of a pool are there before and after, so that they can be replaced. */
function staying(was: ClusterPool, is: ClusterPool): number | undefined {
  const machines = Math.min(machinesOfPool(was) ?? Infinity, machinesOfPool(is) ?? Infinity);
  return Number.isFinite(machines) ? machines : undefined;
}

/**
 * Whether Rancher drops a field for a pool, as far as the pool shows it: only a pool that was read
 * from a server does.
 */
function isPruned({ fields }: ClusterPool, field: string): boolean {
  const { dynamicSchemaSpec } = fields;
  const known = valueAt(jsonOf(dynamicSchemaSpec), 'resourceFields');
  return isRecord(known) && !(field in known);
}

/** Fields that came with later node drivers, which a pool may be too old for. */
const LATER_FIELDS = [
  'enableEfi',
  'enableSecureBoot',
  'vgpuInfo',
  'cpuPinning',
  'isolateEmulatorThread',
  'enableTpm',
  'reservedMemorySize',
  'cpuModel',
];

function newFieldRisks(causes: readonly Cause[], { fields }: ClusterPool): string[] {
  const later = causes
    .filter(({ path, before }) => LATER_FIELDS.includes(path) && before === undefined)
    .map(({ path }) => path);
  if (later.length === 0 || fields.dynamicSchemaSpec) {
    return [];
  }
  return [
    `${later.join(', ')} has no effect if the pool was created with an older node driver: Rancher keeps the fields of that driver`,
  ];
}

function rolling({ fields }: ClusterPool): string {
  const { rollingUpdate } = fields;
  const [surge, unavailable] = ['maxSurge', 'maxUnavailable'].map((field) =>
    valueAt(rollingUpdate, field),
  );
  const first = surge === 0 || surge === '0' || surge === '0%';
  const steps = `maxSurge ${String(surge ?? 1)}, maxUnavailable ${String(unavailable ?? 0)}`;
  const order = first
    ? 'the old one is deleted before the new one is created'
    : 'a new one is created before an old one is deleted';
  return `its machines are replaced, ${order} (${steps}); what is on their disks is lost`;
}

function rollingRisks({ fields }: ClusterPool, cluster: JudgedObject): string[] {
  if (fields.etcdRole !== true) {
    return [];
  }
  const all = poolsOf(cluster.manifest)
    .filter((pool) => pool.fields.etcdRole === true)
    .reduce((sum, pool) => sum + (machinesOfPool(pool) ?? 1), 0);
  const surge = valueAt(fields.rollingUpdate, 'maxSurge');
  const none = surge === 0 || surge === '0' || surge === '0%';
  if (all === 1) {
    return [
      none
        ? 'the only machine with etcd is deleted before another one exists: all data of the cluster is lost'
        : 'the only machine with etcd is replaced: take a snapshot of etcd first',
    ];
  }
  if (none && all === 2) {
    return [
      'one of two machines with etcd is deleted before another one exists: the other has no majority',
    ];
  }
  return [];
}
