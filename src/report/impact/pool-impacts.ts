import { Cause, Impact, Pair, ImpactSide, Sides, Where, shown, impactOn } from './impact';
import {
  fieldOf,
  templateCauses,
  templateOf,
  CHANGED_UNKNOWN,
  unsureFields,
  unsureRemark,
} from './machine-template';
import { countOf, roleRisks, sizeImpacts } from './pool-sizes';
import {
  Fields,
  Manifest,
  isRecord,
  objectLabel,
  sameValue,
  valueAt,
} from '../../core/manifest/manifest';
import { JudgedObject } from '../../core/rule/rule';
import { jsonOf } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import { ClusterPool, configNameOf, poolsOf } from '../../guest/cluster/cluster-reader.facts';
import { HARVESTER_CONFIG_KIND } from '../../guest/machine-config/machine-config.kind';
import { isScaled, machinesOfPool, poolSizeOf } from '../../guest/machine-pool/pool-size.facts';
import { GuestGate } from '../../guest/version/guest-gates.data';

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
  yield* replacement({ was, is, pair, sides, where: here });
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

/** A pool that exists before and after an edit. */
interface EditedPool {
  readonly was: ClusterPool;
  readonly is: ClusterPool;
  readonly pair: Pair;
  readonly sides: Sides;
  readonly where: Where;
}

/** Whether an edit of its machine configuration replaces the machines of a pool. */
function* replacement(edit: EditedPool): Iterable<Impact> {
  const { was, is, pair, sides } = edit;
  const [oldName, newName] = [configNameOf(was), configNameOf(is)];
  if (oldName === undefined || newName === undefined) {
    yield* referenceImpacts(edit);
    return;
  }
  const old = sides.before.machineConfig(pair.before, oldName);
  const now = sides.after.machineConfig(pair.after, newName);
  if (old && now) {
    yield* configImpacts(edit, old, now);
    return;
  }
  const isMissingInBoth = !old && !now && oldName === newName;
  if (!isMissingInBoth) {
    yield now ? missingBefore(edit, oldName) : missingNow(edit, newName);
  }
}

/** A pool whose machine configurations are not both known by name. */
function* referenceImpacts({ was, is, pair, where }: EditedPool): Iterable<Impact> {
  if (sameValue(was.fields.machineConfigRef, is.fields.machineConfigRef)) {
    return;
  }
  yield impactOn(where, 'replace', rolling(is), {
    ...countOf(is),
    causes: [referenceOf(is, pair)],
    risks: rollingRisks(is, pair.after),
  });
}

/** The field that names the machine configuration of a pool. */
function referenceOf({ path }: ClusterPool, { after }: Pair): Cause {
  return { object: objectLabel(after.manifest), path: `${path}.machineConfigRef` };
}

function missingBefore(edit: EditedPool, name: string): Impact {
  return missingConfig(
    edit,
    `${HARVESTER_CONFIG_KIND} ${name} is not in the previous manifests: what happens to its machines is unknown`,
    [],
  );
}

function missingNow(edit: EditedPool, name: string): Impact {
  return missingConfig(
    edit,
    `${HARVESTER_CONFIG_KIND} ${name} is not in the current manifests: what happens to its machines is unknown`,
    ['without its machine configuration Rancher creates no machine for the pool'],
  );
}

function missingConfig(
  { was, is, pair, where }: EditedPool,
  what: string,
  risks: readonly string[],
): Impact {
  const machines = staying(was, is);
  return impactOn(where, machines === 0 ? 'none' : 'unknown', what, {
    ...countOf(is, machines),
    causes: [referenceOf(is, pair)],
    risks,
  });
}

/** What the differences of both machine configurations do. */
function* configImpacts(edit: EditedPool, old: JudgedObject, now: JudgedObject): Iterable<Impact> {
  const { was, is, sides, where } = edit;
  const templates: Templates = [
    templateOf(old.manifest, sides.before),
    templateOf(now.manifest, sides.after),
  ];
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
      { causes: pruned },
    );
  }
  if (causes.length === 0 && unsure.length === 0) {
    yield* renamingImpacts(edit);
    return;
  }
  if (staying(was, is) === 0) {
    return;
  }
  if (causes.length === 0) {
    yield unsureReplacement(edit, unsure);
    return;
  }
  yield certainReplacement(edit, causes, withRemarks(unsure, templates));
}

/** What the machines of both machine configurations are made of. */
type Templates = readonly [before: Fields, after: Fields];

/** A machine configuration with the same contents, perhaps of another name. */
function* renamingImpacts({ was, is, pair, where }: EditedPool): Iterable<Impact> {
  const [oldName, newName] = [configNameOf(was), configNameOf(is)];
  if (oldName === newName) {
    return;
  }
  yield impactOn(
    where,
    'none',
    'the machine configuration has another name and the same contents: no machine is replaced',
    { causes: [{ ...referenceOf(is, pair), ...shown(oldName, newName) }] },
  );
}

/** Machines that are replaced if values differ that cannot be compared. */
function unsureReplacement({ was, is, where }: EditedPool, unsure: readonly Cause[]): Impact {
  const isEncrypted = unsure.some(({ remark }) => remark === CHANGED_UNKNOWN);
  const reason = isEncrypted
    ? 'a value is encrypted, and there is no private key here'
    : 'one side holds a late value, and the other what it became';
  const fix = isEncrypted ? 'compare where the private key is' : 'compare two output folders';
  return impactOn(where, 'unknown', `cannot be compared: ${reason}`, {
    ...countOf(is, staying(was, is)),
    causes: unsure,
    risks: [`if they are not the same, all machines of the pool are replaced: ${fix}`],
  });
}

/** Machines that are replaced, whatever the values that cannot be compared. */
function certainReplacement(
  { was, is, pair, where }: EditedPool,
  causes: readonly Cause[],
  unsure: readonly Cause[],
): Impact {
  const { after } = pair;
  const paused =
    is.fields.paused === true ? ['the pool is paused: this happens when it is resumed'] : [];
  return impactOn(where, 'replace', `${rolling(is)}${sharedText(is, after)}`, {
    ...countOf(is, staying(was, is)),
    causes: [...causes, ...unsure],
    risks: [...rollingRisks(is, after), ...paused, ...newFieldRisks(causes, is)],
  });
}

function withRemarks(unsure: readonly Cause[], [before, after]: Templates): Cause[] {
  return unsure.map((cause) => {
    const field = fieldOf(cause);
    return { ...cause, remark: unsureRemark(before[field], after[field]) };
  });
}

/** Names the other pools with the machine configuration of a pool. */
function sharedText(pool: ClusterPool, { manifest }: JudgedObject): string {
  const name = configNameOf(pool);
  const others = poolsOf(manifest).filter(
    (other) => configNameOf(other) === name && other.name !== pool.name,
  );
  if (others.length === 0) {
    return '';
  }
  const names = others.map((other) => other.name).join(', ');
  return `; ${name} is also the configuration of pool ${names}`;
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
