import { volumesOf } from './cluster-volumes';
import {
  Cause,
  causeText,
  Effect,
  Impact,
  ImpactSide,
  Sides,
  Where,
  leaves,
  shown,
  sortImpacts,
  impactOn,
} from './impact';
import { remarkOn, unsureRemark } from './machine-template';
import { keptRisks } from './object-impacts';
import { poolImpacts } from './pool-impacts';
import { countOf } from './pool-sizes';
import {
  annotationsOf,
  Manifest,
  objectLabel,
  sameValue,
  valueAt,
  objectId,
} from '../../core/manifest/manifest';
import { judgedTarget } from '../../core/rule/judge';
import { JudgedObject } from '../../core/rule/rule';
import { MachineLoss, RollSide, RollsOf } from '../../engine/plan/plan';
import { Becomes } from '../../engine/removal/removal';
import { cloudConfigsOf, poolsOf } from '../../guest/cluster/cluster-reader.facts';
import { distributionOf } from '../../guest/kubernetes/rke2.data';
import { machinesOfPool } from '../../guest/machine-pool/pool-size.facts';
import {
  ANNOTATION_MANAGEMENT_CLUSTER_NAME,
  isProvisioned,
} from '../../rancher/cluster/cluster.facts';
import { credentialSecret } from '../../rancher/credential/secret.kind';

/** What an edit of a field does. */
export interface FieldEffect {
  readonly effect: Effect;
  readonly what: string;
  readonly risk?: string;
  /** Its values may be secrets. */
  readonly hidden?: true;
}

const RESTART =
  'nodes get a new plan and restart their services in place, no virtual machine is replaced';
const OPERATION = 'is carried out once, on the existing nodes';

/**
 * Fields of a Cluster below spec, by path; `rkeConfig.machinePools` and `kubernetesVersion` are
 * compared separately.
 */
export const CLUSTER_FIELDS: { readonly [path: string]: FieldEffect } = {
  'rkeConfig.machineGlobalConfig': { effect: 'restart', what: RESTART },
  'rkeConfig.machineSelectorConfig': { effect: 'restart', what: RESTART, hidden: true },
  'rkeConfig.machineSelectorFiles': {
    effect: 'restart',
    what: `files are written again; ${RESTART}`,
  },
  'rkeConfig.registries': { effect: 'restart', what: RESTART },
  'rkeConfig.networking': { effect: 'restart', what: RESTART },
  'rkeConfig.etcd': { effect: 'restart', what: RESTART },
  'rkeConfig.chartValues': {
    effect: 'none',
    what: 'bundled charts are upgraded with their new values; no machine is replaced',
  },
  'rkeConfig.additionalManifest': {
    effect: 'none',
    what: 'is applied by the control plane; no machine is replaced',
    hidden: true,
  },
  'rkeConfig.upgradeStrategy': {
    effect: 'none',
    what: 'applies when nodes are upgraded or get a new plan',
  },
  'rkeConfig.machinePoolDefaults': {
    effect: 'none',
    what: 'applies to machines that are created from now on',
  },
  'rkeConfig.dataDirectories': {
    effect: 'refuse',
    what: 'is refused: data directory cannot be changed after cluster creation',
  },
  'rkeConfig.rotateCertificates': {
    effect: 'restart',
    what: `a rotation of certificates ${OPERATION}`,
  },
  'rkeConfig.rotateEncryptionKeys': {
    effect: 'restart',
    what: `a rotation of encryption keys ${OPERATION}`,
  },
  'rkeConfig.etcdSnapshotCreate': { effect: 'none', what: `a snapshot of etcd ${OPERATION}` },
  'rkeConfig.etcdSnapshotRestore': {
    effect: 'restart',
    what: `a restore of etcd ${OPERATION}`,
    risk: 'all that was written to the cluster since the snapshot is lost, and the cluster is unavailable during the restore',
  },
  'rkeConfig.provisionGeneration': { effect: 'restart', what: RESTART },
  'rkeConfig.infrastructureRef': { effect: 'none', what: 'is not for machines on Harvester' },
  'cloudCredentialSecretName': {
    effect: 'none',
    what: 'applies to machines that are created or deleted from now on; no machine is replaced',
  },
  'agentEnvVars': {
    effect: 'restart',
    what: "Rancher's agents restart with them, and nodes get a new plan; no virtual machine is replaced",
    hidden: true,
  },
  'clusterAgentDeploymentCustomization': {
    effect: 'none',
    what: "Rancher's agent in the cluster is rolled out again",
  },
  'fleetAgentDeploymentCustomization': {
    effect: 'none',
    what: "Fleet's agent in the cluster is rolled out again",
  },
  'webhookDeploymentCustomization': {
    effect: 'none',
    what: "Rancher's webhook in the cluster is rolled out again",
  },
  'redeploySystemAgentGeneration': {
    effect: 'restart',
    what: "Rancher's agent on each node is installed again",
  },
  'localClusterAuthEndpoint': { effect: 'restart', what: RESTART },
  'defaultPodSecurityAdmissionConfigurationTemplateName': {
    effect: 'restart',
    what: 'API servers restart with another pod security admission',
  },
  'enableNetworkPolicy': { effect: 'none', what: 'applies to project network isolation' },
};

/** Keys for nodes that a running cluster cannot change. */
export const FIXED: { readonly [key: string]: string } = {
  'cni':
    'after a change of the network plugin of a running cluster, pods of both cannot reach each other',
  'cluster-cidr': 'the addresses of pods cannot be changed on a running cluster',
  'service-cidr': 'the addresses of Services cannot be changed on a running cluster',
  'cluster-domain': 'the domain cannot be changed on a running cluster',
};

/** What an edit of the fields of a Cluster does, its pools and its version aside. */
function* fieldImpacts(
  before: JudgedObject,
  after: JudgedObject,
  sides: Sides,
  where: Where,
): Iterable<Impact> {
  const object = objectLabel(after.manifest);
  for (const [path, row] of Object.entries(CLUSTER_FIELDS)) {
    const keys = ['spec', ...path.split('.')];
    const [was, is] = [
      sides.before.resolved(valueAt(before.manifest, ...keys)),
      sides.after.resolved(valueAt(after.manifest, ...keys)),
    ];
    if (sameValue(was, is)) {
      continue;
    }
    const causes = leaves(`spec.${path}`, was, is).map(([at, old, now]): Cause => ({
      object,
      path: at,
      ...(row.hidden ? {} : shown(old, now)),
      ...remarkOn(old, now),
    }));
    const fixed = Object.entries(FIXED)
      .filter(([key]) => causes.some((cause) => cause.path.endsWith(`.${key}`)))
      .map(([, risk]) => risk);
    yield impactOn(where, row.effect, row.what, {
      ...(row.effect === 'restart' ? allMachines(after.manifest) : {}),
      causes,
      risks: [...(row.risk && is ? [row.risk] : []), ...fixed],
    });
  }
  yield* versionImpact(before, after, where);
  yield* idImpact(before, after, where);
}

function* versionImpact(before: JudgedObject, after: JudgedObject, where: Where): Iterable<Impact> {
  const [was, is] = [before, after].map(({ manifest }) =>
    valueAt(manifest, 'spec', 'kubernetesVersion'),
  );
  if (sameValue(was, is)) {
    return;
  }
  yield impactOn(
    where,
    'restart',
    `Kubernetes is changed in place on the existing machines, ${strategyOf(after.manifest)}; no virtual machine is replaced`,
    {
      ...allMachines(after.manifest),
      causes: [
        { object: objectLabel(after.manifest), path: 'spec.kubernetesVersion', ...shown(was, is) },
      ],
      risks: versionRisks(was, is),
    },
  );
}

function strategyOf(manifest: Manifest): string {
  const strategy = valueAt(manifest, 'spec', 'rkeConfig', 'upgradeStrategy');
  const of = (role: 'controlPlane' | 'worker', name: string): string => {
    const text = valueAt(strategy, `${role}Concurrency`);
    const some = text === '0' ? 'all' : String(text || 1);
    const drained =
      valueAt(strategy, `${role}DrainOptions`, 'enabled') === true
        ? 'drained first'
        : 'not drained';
    return `${name} ${some} at a time (${drained})`;
  };
  return `${of('controlPlane', 'control plane')}, ${of('worker', 'workers')}`;
}

function versionRisks(was: unknown, is: unknown): string[] {
  const minor = (text: unknown): number | undefined =>
    typeof text === 'string' ? Number(/^v?1\.(\d+)\./.exec(text)?.[1] ?? NaN) : undefined;
  const [old, now] = [minor(was), minor(is)];
  if (distributionOf(was) !== distributionOf(is)) {
    return ['another distribution cannot be installed over a running one: create another cluster'];
  }
  if (old === undefined || now === undefined || Number.isNaN(old) || Number.isNaN(now)) {
    return [];
  }
  if (now < old) {
    return ['Kubernetes cannot go back to an earlier minor version without a restore of etcd'];
  }
  return now > old + 1
    ? [`Kubernetes upgrades one minor version at a time, this edit skips ${now - old - 1}`]
    : [];
}

function* idImpact(before: JudgedObject, after: JudgedObject, where: Where): Iterable<Impact> {
  const [was, is] = [before, after].map(
    ({ manifest }) => annotationsOf(manifest)[ANNOTATION_MANAGEMENT_CLUSTER_NAME],
  );
  if (sameValue(was, is)) {
    return;
  }
  yield impactOn(
    where,
    'none',
    'the management cluster ID is read at creation only: the cluster keeps its current ID',
    {
      causes: [
        {
          object: objectLabel(after.manifest),
          path: `metadata.annotations[${ANNOTATION_MANAGEMENT_CLUSTER_NAME}]`,
          ...shown(was, is),
        },
      ],
      risks:
        is === undefined
          ? []
          : [
              'what is named by the new id (namespace, project, bindings, scopes) does not meet the cluster',
            ],
    },
  );
}

/**
 * All machines of a Cluster: the bounds where autoscalers decide, nothing where a number is yet to
 * come.
 */
function allMachines(manifest: Manifest): Pick<Impact, 'machines' | 'scaled'> {
  const counts = poolsOf(manifest).map((pool) => countOf(pool));
  if (
    counts.length === 0 ||
    counts.some(({ machines, scaled }) => machines === undefined && scaled === undefined)
  ) {
    return {};
  }
  const min = counts.reduce((sum, { machines, scaled }) => sum + (machines ?? scaled!.min), 0);
  if (counts.every(({ scaled }) => scaled === undefined)) {
    return { machines: min };
  }
  const max = counts.reduce(
    (sum, { machines, scaled }) => sum + (machines ?? scaled!.max ?? Infinity),
    0,
  );
  return { scaled: { min, ...(Number.isFinite(max) ? { max } : {}) } };
}

const CLOUD_CONFIG_WRITTEN =
  'the kubeconfig of the cloud provider is written to each node again, and nodes restart their services in place (unconfirmed); ' +
  'no virtual machine is replaced';

/**
 * What an edit of the Secrets does that a Cluster names: the kubeconfig of its cloud provider, and
 * its credential.
 */
function* secretImpacts(after: JudgedObject, sides: Sides, where: Where): Iterable<Impact> {
  for (const { namespace, name } of cloudConfigsOf(after.manifest)) {
    if (namespace === undefined || name === undefined) {
      continue;
    }
    const restart = impactOn(where, 'restart', CLOUD_CONFIG_WRITTEN, allMachines(after.manifest));
    yield* secretImpact(
      after,
      namespace,
      name,
      sides,
      where,
      restart,
      'nodes get no plan any more without it',
    );
  }
  const text = valueAt(after.manifest, 'spec', 'cloudCredentialSecretName');
  if (typeof text !== 'string' || text === '') {
    return;
  }
  const { namespace, name } = credentialSecret(after.manifest, text);
  const change = impactOn(
    where,
    'none',
    'machines are created and removed with the new credential from now on; no machine is replaced',
  );
  yield* secretImpact(
    after,
    namespace,
    name,
    sides,
    where,
    change,
    'machines can neither be made nor removed without it',
  );
}

function* secretImpact(
  cluster: JudgedObject,
  namespace: string | undefined,
  name: string,
  { before, after }: Sides,
  where: Where,
  onChange: Impact,
  risk: string,
): Iterable<Impact> {
  const [old, now] = [before, after].map((side) =>
    side.find('', 'Secret', namespace, name, cluster.target.name),
  );
  if (!old) {
    return;
  }
  const object = objectLabel(old.manifest);
  if (!now) {
    yield impactOn(where, 'none', 'a Secret that the Cluster names is deleted', {
      causes: [{ object, path: '', remark: 'is gone' }],
      risks: [risk],
    });
    return;
  }
  for (const field of ['data', 'stringData']) {
    const [was, is] = [before.resolved(old.manifest[field]), after.resolved(now.manifest[field])];
    if (sameValue(was, is)) {
      continue;
    }
    // a value that waits on one side and is there on the other can be the same
    const remark = unsureRemark(was, is) ?? 'is another one';
    yield { ...onChange, causes: [{ object, path: field, remark }] };
  }
}

/**
 * What an edit does to the machines of guest clusters, before it is applied. No cluster is read:
 * the previous manifests are taken as its state.
 *
 * @param becomes what becomes of the objects that leave, by what `objectId` gives. @default - they are deleted
 */
export function impactOf(
  sides: Sides,
  becomes: ReadonlyMap<string, Becomes> = new Map(),
): Impact[] {
  const impacts: Impact[] = [];
  for (const before of sides.before.clusters.filter(({ manifest }) => isProvisioned(manifest))) {
    const after = sides.after.cluster(before);
    if (!after) {
      const found = becomes.get(objectId(before.target.name, before.manifest));
      impacts.push(found?.fate === 'kept' ? staying(before, found) : gone(before, sides.before));
    } else if (isProvisioned(after.manifest)) {
      impacts.push(...changed(before, after, sides));
    } else {
      impacts.push(imported(before, after));
    }
  }
  for (const after of sides.after.clusters) {
    if (isProvisioned(after.manifest) && !sides.before.cluster(after)) {
      impacts.push(created(after));
    }
  }
  return sortImpacts(impacts);
}

function* changed(before: JudgedObject, after: JudgedObject, sides: Sides): Iterable<Impact> {
  const where = whereOf(after);
  yield* poolImpacts({ before, after }, sides, where);
  yield* fieldImpacts(before, after, sides, where);
  yield* secretImpacts(after, sides, where);
}

function created(after: JudgedObject): Impact {
  return impactOn(whereOf(after), 'create', 'the Cluster is new: all of its machines are created', {
    ...allMachines(after.manifest),
    causes: [{ object: objectLabel(after.manifest), path: '', remark: 'is new' }],
  });
}

function gone(before: JudgedObject, side: ImpactSide): Impact {
  const machines = poolsOf(before.manifest).some((pool) => machinesOfPool(pool) !== 0);
  return impactOn(
    whereOf(before),
    'delete',
    'the Cluster is deleted: all of its machines are deleted with their disks',
    {
      ...allMachines(before.manifest),
      causes: [{ object: objectLabel(before.manifest), path: '', remark: 'is gone' }],
      risks: [
        'all data of the cluster is lost, snapshots of etcd on its machines too',
        ...(machines ? [volumesOf(before, side)] : []),
        ...(machines
          ? [
              'delete its cloud credential only after the cluster is gone: without it the virtual machines are left behind',
            ]
          : []),
      ],
    },
  );
}

function staying(before: JudgedObject, becomes: Becomes): Impact {
  return impactOn(
    whereOf(before),
    'kept',
    `the Cluster is no longer declared, but kept with what it needs: ${becomes.reason}`,
    {
      ...allMachines(before.manifest),
      causes: [{ object: objectLabel(before.manifest), path: '', remark: 'is gone' }],
      risks: keptRisks(becomes),
    },
  );
}

function imported(before: JudgedObject, after: JudgedObject): Impact {
  return impactOn(
    whereOf(after),
    'refuse',
    'is refused: RKEConfig cannot be made null after cluster creation',
    {
      ...allMachines(before.manifest),
      causes: [{ object: objectLabel(after.manifest), path: 'spec.rkeConfig', remark: 'is gone' }],
    },
  );
}

function whereOf({ manifest, target, construct }: JudgedObject): Where {
  const { namespace, name } = manifest.metadata;
  return {
    cluster: `${namespace ?? ''}/${name}`,
    target: target.name,
    ...(construct === undefined ? {} : { construct }),
  };
}

/**
 * The machines that `impact` reports as replaced or deleted, or possibly so, when live objects
 * become what an apply writes.
 */
export const rollsByImpact: RollsOf = (before, after) =>
  impactOf({ before: sideOf(before), after: sideOf(after) }).flatMap(lossOf);

function lossOf({ target, effect, cluster, pool, machines, what, causes }: Impact): MachineLoss[] {
  if (effect !== 'replace' && effect !== 'delete' && effect !== 'unknown') {
    return [];
  }
  return [
    {
      target,
      cluster,
      ...(pool === undefined ? {} : { pool }),
      effect,
      ...(machines === undefined ? {} : { machines }),
      what,
      causes: causes.map(causeText),
    },
  ];
}

function sideOf({ target, version, manifests }: RollSide): ImpactSide {
  const judged = judgedTarget(target, 'rancher', version);
  return new ImpactSide(manifests.map((manifest) => ({ manifest, target: judged })));
}
