import {
  CREDENTIAL_NAME, HARVESTER_CONFIG_FIELD, MAX_DELETE_NOT_READY, MIRRORED_CLUSTER_ID, NODE_TEMPLATE_NAMESPACE, RKE1_CONFIG, RKE1_END_OF_LIFE,
  RKE1_REFUSED,
} from './rke1.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, kindKey, objectLabel, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { given, plainText } from '../../core/text/plain-text';
import { GateId } from '../../core/version/gate-id';
import { GLOBAL_DATA } from '../../rancher/credential/cloud-credential.kind';
import { rancherLacks } from '../../rancher/version/rancher-gates';
import { PROVIDER_NAME } from '../cluster/cluster.kind';
import { checkMachineSwitches } from '../machine-config/machine-config.check';
import { checkDisks, checkInterfaces, checkVgpus } from '../machine-config/machine-json.check';

const TEMPLATE_KIND = 'management.cattle.io/NodeTemplate';
const POOL_KIND = 'management.cattle.io/NodePool';
const SECRET_KIND = kindKey('', 'Secret');
export const NODE_KINDS: readonly string[] = [TEMPLATE_KIND, POOL_KIND];
const NODE = 'rancher/rancher:pkg/controllers/management/node/controller.go';
const POOL = 'rancher/rancher:pkg/controllers/management/nodepool/nodepool.go';

const TEMPLATE: Rule = {
  id: 'guest/rke1-node-template',
  level: 'error',
  kinds: [TEMPLATE_KIND],
  what: `a NodeTemplate for Harvester has ${HARVESTER_CONFIG_FIELD} beside spec, a credential of ${GLOBAL_DATA}, and lies in ${NODE_TEMPLATE_NAMESPACE}`,
  source: `${NODE} refreshNodeConfig, setCredFields; rancher/rancher:pkg/controllers/management/nodetemplate/nodetemplate.go`,
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    // there is worse to say
    if (rancherLacks(target, GateId.RKE1) || valueAt(manifest.spec, 'driver') !== PROVIDER_NAME) { return; }
    const { namespace } = manifest.metadata;
    if (namespace !== NODE_TEMPLATE_NAMESPACE) {
      yield {
        path: 'metadata.namespace',
        ...given(namespace),
        level: 'warning',
        message: 'is where Rancher moves node templates away from, under another name, and what applies it makes it again',
        fix: `use ${NODE_TEMPLATE_NAMESPACE}`,
      };
    }
    yield* checkCredential(manifest);
    const config = manifest[HARVESTER_CONFIG_FIELD];
    if (!isRecord(config)) {
      yield {
        path: HARVESTER_CONFIG_FIELD,
        message: isRecord(valueAt(manifest.spec, HARVESTER_CONFIG_FIELD)) ? 'is missing: it stands below spec' : 'is missing',
        fix: 'write the fields of the machine at the top, beside spec',
        says: 'refreshNodeConfig: node config not specified',
      };
      return;
    }
    for (const check of [checkMachineSwitches, checkDisks, checkInterfaces, checkVgpus]) {
      for (const problem of check(config)) { yield { ...problem, path: `${HARVESTER_CONFIG_FIELD}.${problem.path}` }; }
    }
  },
};

function* checkCredential(manifest: Manifest): Iterable<Problem> {
  const credential = valueAt(manifest.spec, 'cloudCredentialName');
  const path = 'spec.cloudCredentialName';
  const fix = `write ${GLOBAL_DATA}:<name>`;
  if (isLate(credential) || CREDENTIAL_NAME.test(plainText(credential))) { return; }
  if (!credential) {
    // a kubeconfig in the template itself does it too
    if (valueAt(manifest, HARVESTER_CONFIG_FIELD, 'kubeconfigContent')) { return; }
    yield { path, message: 'is missing: nothing tells Rancher how to reach the Harvester', fix };
  } else if (/^[^:]*:[^:]+$/.test(plainText(credential))) {
    yield { path, value: credential, level: 'warning', message: `is looked for in ${GLOBAL_DATA}, whatever stands before the colon`, fix };
  } else {
    yield { path, value: credential, message: 'names no credential', fix, says: `invalid credential id ${plainText(credential)}` };
  }
}

const NODE_POOL: Rule = {
  id: 'guest/rke1-node-pool',
  level: 'error',
  kinds: [POOL_KIND],
  what: 'a NodePool lies in the namespace of its cluster, names its node template and begins the names of its machines',
  source: `${POOL} createOrCheckNodes; ${NODE} getNodeTemplate`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest: { spec, metadata: { namespace } }, target } = object;
    if (rancherLacks(target, GateId.RKE1)) { return; }
    const cluster = valueAt(spec, 'clusterName');
    if (cluster !== namespace && !isLate(cluster) && !isLate(namespace)) {
      yield {
        path: 'spec.clusterName',
        ...given(cluster),
        level: 'warning',
        message: `is not the namespace ${namespace ?? ''}, by which Rancher tells whose machines they are`,
        fix: 'use the id of the cluster for both',
      };
    }
    if (!valueAt(spec, 'hostnamePrefix')) {
      yield { path: 'spec.hostnamePrefix', message: 'is missing: machines of all clusters would be called 1, 2, 3', fix: 'give one, e.g. shop-all-' };
    }
    yield* checkTemplate(object, world);
    const patience = valueAt(spec, 'deleteNotReadyAfterSecs');
    if (typeof patience === 'number' && (patience < 0 || patience > MAX_DELETE_NOT_READY)) {
      yield {
        path: 'spec.deleteNotReadyAfterSecs', value: patience, level: 'warning', message: 'is none that Rancher\'s API takes', fix: `use 0 to ${MAX_DELETE_NOT_READY}`,
      };
    }
    if (['etcd', 'controlPlane', 'worker'].every((role) => valueAt(spec, role) !== true)) {
      yield { path: 'spec', level: 'warning', message: 'has no role, so its machines are workers', fix: 'set etcd, controlPlane or worker to true' };
    }
  },
};

function* checkTemplate(object: JudgedObject, world: World): Iterable<Problem> {
  const text = valueAt(object.manifest.spec, 'nodeTemplateName');
  if (isLate(text)) { return; }
  const [namespace, name, more] = plainText(text).split(':');
  const path = 'spec.nodeTemplateName';
  if (!namespace || !name || more !== undefined) {
    yield { path, ...given(text), message: 'names no node template', fix: `write ${NODE_TEMPLATE_NAMESPACE}:<name>` };
    return;
  }
  if (world.ofKind(GROUPS.MANAGEMENT, 'NodeTemplate').length === 0 || world.find(object, GROUPS.MANAGEMENT, 'NodeTemplate', namespace, name)) { return; }
  yield {
    path,
    value: text,
    level: 'warning',
    message: 'is no node template that is known here',
    fix: 'declare it, or check its name',
    says: `nodetemplates.management.cattle.io "${name}" not found`,
  };
}

const ROLES: Rule = {
  id: 'guest/rke1-roles',
  level: 'warning',
  kinds: ['management.cattle.io/Cluster'],
  what: 'the node pools of an RKE1 cluster together have etcd, control plane and worker, and an odd number of machines with etcd',
  says: 'waiting for etcd and controlplane nodes to be registered',
  source: 'rancher/rancher:pkg/controllers/management/clusterprovisioner/provisioner.go reconcileRKENodes',
  *judge({ manifest, target }: JudgedObject, world: World): Iterable<Problem> {
    if (!isRecord(valueAt(manifest.spec, RKE1_CONFIG)) || rancherLacks(target, GateId.RKE1)) { return; }
    const pools = (poolsOf(world).get(`${target.name} ${manifest.metadata.name}`) ?? []).filter((spec) => valueAt(spec, 'quantity') !== 0);
    // nodes may come by hand
    if (pools.length === 0) { return; }
    const absent = [['etcd', 'etcd'], ['controlPlane', 'control plane'], ['worker', 'worker']]
      .filter(([role]) => pools.every((spec) => valueAt(spec, role) !== true)).map(([, words]) => words);
    if (absent.length > 0) {
      yield {
        path: `spec.${RKE1_CONFIG}`, message: `has no node pool with the role ${absent.join(', nor ')}: the cluster never gets ready`, fix: 'give each role to a NodePool',
      };
    }
    const etcd = pools.filter((spec) => valueAt(spec, 'etcd') === true).reduce<number>((sum, spec) => {
      const quantity = valueAt(spec, 'quantity');
      return sum + (typeof quantity === 'number' ? quantity : 0);
    }, 0);
    if (etcd > 1 && etcd % 2 === 0) {
      yield {
        path: `spec.${RKE1_CONFIG}`, value: etcd, message: 'machines with etcd bear the loss of no more machines than one less would', fix: 'use 1, 3 or 5',
      };
    }
  },
};

// once a world, so that the rule stays linear
const indexes = new WeakMap<World, ReadonlyMap<string, readonly unknown[]>>();

/** The specs of node pools by `<target> <cluster>`. */
function poolsOf(world: World): ReadonlyMap<string, readonly unknown[]> {
  const known = indexes.get(world);
  if (known) { return known; }
  const index = new Map<string, unknown[]>();
  for (const { manifest, target } of world.ofKind(GROUPS.MANAGEMENT, 'NodePool')) {
    const key = `${target.name} ${manifest.metadata.namespace ?? ''}`;
    const list = index.get(key);
    if (list) { list.push(manifest.spec); } else { index.set(key, [manifest.spec]); }
  }
  indexes.set(world, index);
  return index;
}

const NEEDED: Rule = {
  id: 'guest/rke1-deleted-in-use',
  level: 'error',
  kinds: [TEMPLATE_KIND, SECRET_KIND],
  what: 'node templates outlive the node pools that use them, and their credentials outlive them: else virtual machines are never removed',
  source: `${NODE} refreshNodeConfig, which a removal begins with`,
  *judgeDeletion(gone: JudgedObject, world: World): Iterable<Problem> {
    const { kind, metadata: { name, namespace = '' } } = gone.manifest;
    const isTemplate = kind === 'NodeTemplate';
    if (!isTemplate && namespace !== GLOBAL_DATA) { return; }
    const field = isTemplate ? 'nodeTemplateName' : 'cloudCredentialName';
    const user = world.beside(gone, GROUPS.MANAGEMENT, isTemplate ? 'NodePool' : 'NodeTemplate')
      .find(({ manifest }) => valueAt(manifest.spec, field) === `${namespace}:${name}`);
    if (!user) { return; }
    yield {
      path: '',
      message: `would be taken from ${objectLabel(user.manifest)}, whose machines are made and removed with it`,
      fix: 'delete the management Cluster first, and wait until its namespace is gone',
    };
  },
};

/** Rules for machines of RKE1. */
export const RKE1_NODE_RULES: readonly Rule[] = [TEMPLATE, NODE_POOL, ROLES, NEEDED];

/** What holds secrets, with where it stands. */
function secretsOf(manifest: Manifest): ReadonlyArray<readonly [path: string, text: unknown]> {
  if (manifest.kind === 'NodeTemplate') {
    return ['sshPassword', 'kubeconfigContent'].map((field) => [`${HARVESTER_CONFIG_FIELD}.${field}`, valueAt(manifest, HARVESTER_CONFIG_FIELD, field)]);
  }
  const path = `spec.${RKE1_CONFIG}`;
  const registries = valueAt(manifest.spec, RKE1_CONFIG, 'privateRegistries');
  return [
    [`${path}.cloudProvider.harvesterCloudProvider.cloudConfig`, valueAt(manifest.spec, RKE1_CONFIG, 'cloudProvider', 'harvesterCloudProvider', 'cloudConfig')],
    ...(Array.isArray(registries) ? registries : []).map((registry, index) => [`${path}.privateRegistries[${index}].password`, valueAt(registry, 'password')] as const),
  ];
}

const PLAIN: Rule = {
  id: 'guest/rke1-plain-secret',
  level: 'warning',
  kinds: ['management.cattle.io/Cluster', 'management.cattle.io/NodeTemplate'],
  what: 'kubeconfigs and passwords in RKE1 clusters and node templates stand in clear, in Git and on Rancher',
  source: 'rancher/rancher:pkg/apis/management.cattle.io/v3/cluster_types.go; Rancher moves those of registries into Secrets, pkg/controllers/management/secretmigrator',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    for (const [path, text] of secretsOf(manifest)) {
      if (typeof text !== 'string' || text === '' || isLate(text)) { continue; }
      yield { path, message: 'is a credential in clear, for everybody who can read the manifests', fix: 'use an account of the program\'s, or keep the output out of Git' };
    }
  },
};

/** Rules for secrets of RKE1. */
export const RKE1_SECRET_RULES: readonly Rule[] = [PLAIN];

const CLUSTER = 'management.cattle.io/Cluster';
const CLUSTER_TEMPLATE = 'management.cattle.io/ClusterTemplate';
const INSTEAD = 'use GuestCluster, a provisioning Cluster with RKE2 or K3s';

function isRke1({ spec }: Manifest): boolean {
  return isRecord(valueAt(spec, RKE1_CONFIG));
}

const DEPRECATED: Rule = {
  id: 'guest/rke1-deprecated',
  level: 'warning',
  kinds: [CLUSTER],
  what: `RKE1 is at its end of life since ${RKE1_END_OF_LIFE}: Rancher 2.12 and Harvester 1.6 do without it`,
  source: 'https://www.suse.com/c/rke-end-of-life-by-july-2025-replatform-to-rke2-or-k3s/; harvester/docs v1.6',
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    if (!isRke1(manifest) || rancherLacks(target, GateId.RKE1)) { return; }
    yield {
      path: `spec.${RKE1_CONFIG}`,
      message: `makes a cluster of RKE1, which is at its end of life since ${RKE1_END_OF_LIFE}; neither Rancher 2.12 nor Harvester 1.6 have it`,
      fix: `${INSTEAD}, and move the workloads: there is no upgrade from RKE1`,
    };
  },
};

const REMOVED: Rule = {
  id: 'guest/rke1-removed',
  level: 'error',
  kinds: [CLUSTER, CLUSTER_TEMPLATE, ...NODE_KINDS],
  what: 'Rancher 2.12 and later does not start where there are RKE1 clusters, node templates or cluster templates',
  says: RKE1_REFUSED,
  source: 'rancher/rancher:pkg/rancher/rancher.go validateRKE1Resources; chart/scripts/pre-upgrade-hook.sh',
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    const lacks = manifest.kind === 'Cluster' && !isRke1(manifest) ? undefined : rancherLacks(target, GateId.RKE1);
    if (!lacks) { return; }
    if (manifest.kind === 'NodePool') {
      // its definition is there still, and nothing stops at it
      yield { path: '', level: 'warning', message: `does nothing: ${lacks}`, fix: 'leave it out' };
      return;
    }
    yield {
      path: manifest.kind === 'Cluster' ? `spec.${RKE1_CONFIG}` : '',
      message: `${lacks}, which does not start again as long as this ${manifest.kind} is there`,
      fix: `leave it out and delete what is there; ${INSTEAD}`,
    };
  },
};

const CLUSTER_ID: Rule = {
  id: 'guest/rke1-cluster-id',
  level: 'warning',
  kinds: [CLUSTER],
  what: 'an RKE1 cluster has an id of c- and five characters: of others Rancher makes no provisioning Cluster',
  source: 'rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go generateProvisioningClusterFromLegacyCluster',
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    const { name } = manifest.metadata;
    if (!isRke1(manifest) || isLate(name) || MIRRORED_CLUSTER_ID.test(name) || rancherLacks(target, GateId.RKE1)) { return; }
    yield {
      path: 'metadata.name',
      value: name,
      message: 'has not the form by which Rancher makes a provisioning Cluster, so neither its UI nor Fleet know the cluster',
      fix: 'use c- and five of a-z and 0-9; the name of an existing cluster can not be changed',
    };
  },
};

/** Rules for clusters of RKE1. */
export const RKE1_RULES: readonly Rule[] = [DEPRECATED, REMOVED, CLUSTER_ID, ...RKE1_NODE_RULES, ...RKE1_SECRET_RULES];
