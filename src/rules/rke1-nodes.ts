import { rancherLacks } from './rancher-gates';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { checkMachineSwitches } from '../model/checks/machine-config';
import { checkDisks } from '../model/checks/machine-disks';
import { checkInterfaces, checkVgpus } from '../model/checks/machine-json';
import { given, plainText } from '../model/checks/plain-text';
import { CREDENTIAL_NAME } from '../model/checks/rke1';
import { PROVIDER_NAME } from '../model/guest/rancher-names';
import { isLate } from '../model/late-token';
import { isRecord, kindKey, Manifest, objectLabel, valueAt } from '../model/manifest';
import { GLOBAL_DATA, GROUPS } from '../model/names';
import { Problem } from '../model/problem';
import { HARVESTER_CONFIG_FIELD, MAX_DELETE_NOT_READY, NODE_TEMPLATE_NAMESPACE, RKE1_CONFIG } from '../model/rke1-names';
import { GateId } from '../versions/gate-id';

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
