import { usersOf, vmNamespaceOf } from './guest-cluster-parts';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { cloudInitText } from '../model/checks/machine-json';
import { isNameGenerated } from '../model/checks/metadata-maps';
import { hasStaticAddress } from '../model/checks/network-data';
import { plainText } from '../model/checks/plain-text';
import { GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_GVK, HARVESTER_CONFIG_KIND } from '../model/guest/rancher-names';
import { isLate } from '../model/late-token';
import { isRecord, kindKey, valueAt } from '../model/manifest';
import { GROUPS } from '../model/names';
import { Problem } from '../model/problem';

const KINDS = [kindKey(GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND)];
const TEMPLATE = 'rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go takeOwnership';

const OWNER: Rule = {
  id: 'machine-config/owner',
  level: 'error',
  kinds: KINDS,
  what: 'a machine configuration belongs to one Cluster, and to no other controller',
  source: TEMPLATE,
  *judge(config: JudgedObject, world: World): Iterable<Problem> {
    const { metadata } = config.manifest;
    const users = [...new Set(usersOf(config, world).map(({ cluster }) => cluster.manifest.metadata.name))];
    const refused = `can not use ${metadata.namespace ?? ''}/${metadata.name} [${HARVESTER_CONFIG_GVK}] because it is already owned by`;
    if (users.length > 1) {
      yield {
        path: 'metadata.name',
        value: metadata.name,
        message: `is used by the Clusters ${users.join(', ')}; the first one owns it`,
        fix: 'give each Cluster a machine configuration of its own',
        says: `${refused} cluster ${users[0]}`,
      };
    }
    for (const [index, owner] of (Array.isArray(metadata.ownerReferences) ? metadata.ownerReferences : []).entries()) {
      if (!isRecord(owner)) { continue; }
      const path = `metadata.ownerReferences[${index}]`;
      if (owner.kind === 'Cluster' && owner.apiVersion === 'provisioning.cattle.io/v1') {
        if (users.length > 0 && !users.includes(plainText(owner.name))) {
          yield {
            path,
            value: owner.name,
            message: `is not the Cluster ${users[0]} that uses it`,
            fix: 'leave ownerReferences to Rancher',
            says: `${refused} cluster ${plainText(owner.name)}`,
          };
        }
      } else if (owner.controller === true) {
        yield {
          path,
          value: owner.kind,
          message: 'is a controller that Rancher does not share with',
          fix: 'leave ownerReferences to Rancher',
          says: `${refused} ${plainText(owner.kind)} ${plainText(owner.name)}`,
        };
      }
    }
  },
};

const UNUSED: Rule = {
  id: 'machine-config/unused',
  level: 'warning',
  kinds: KINDS,
  what: 'a machine configuration is used by a pool: one without an owner is deleted after an hour',
  source: 'rancher/rancher:pkg/controllers/provisioningv2/machineconfigcleanup/controller.go (Rancher 2.9.2 and later, each night)',
  *judge(config: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = config;
    // a machine configuration on its own, in a file of its own, is nobody's mistake
    if (world.ofKind(GROUPS.PROVISIONING, 'Cluster').length === 0) { return; }
    if (isLate(manifest.metadata.name) || isNameGenerated(manifest) || manifest.metadata.ownerReferences !== undefined) { return; }
    if (usersOf(config, world).length > 0) { return; }
    yield {
      path: 'metadata.name',
      value: manifest.metadata.name,
      message: 'is used by no pool of a Cluster that is known here; Rancher deletes such ones',
      fix: 'refer to it in machineConfigRef of a pool in the same namespace, and keep both in one apply',
    };
  },
};

const STATIC_ADDRESS: Rule = {
  id: 'machine-config/static-address',
  level: 'error',
  kinds: KINDS,
  what: 'a fixed address in network data is for one machine: a pool of several would use it several times',
  source: `${TEMPLATE}: all machines of a pool have the same network data`,
  *judge(config: JudgedObject, world: World): Iterable<Problem> {
    const text = cloudInitText(config.manifest, 'networkData');
    if (text === undefined || isLate(text) || !hasStaticAddress(text)) { return; }
    let machines = 0;
    let oldGoesFirst = true;
    for (const { pool: { fields } } of usersOf(config, world)) {
      const { quantity } = fields;
      machines += typeof quantity === 'number' ? quantity : quantity === undefined || quantity === null ? 1 : 0;
      oldGoesFirst &&= ['0', '0%'].includes(plainText(valueAt(fields.rollingUpdate, 'maxSurge') ?? ''));
    }
    if (machines > 1) {
      yield {
        path: 'networkData',
        value: machines,
        message: 'machines would have the same address',
        fix: 'make one pool with a machine configuration of its own for each machine, or use DHCP',
      };
    } else if (machines === 1 && !oldGoesFirst) {
      yield {
        path: 'networkData',
        level: 'warning',
        message: 'gives a fixed address: when the machine is replaced, the new one comes first and has it too',
        fix: 'set rollingUpdate.maxSurge to 0 and maxUnavailable to 1 on the pool',
      };
    }
  },
};

const NAMESPACE: Rule = {
  id: 'machine-config/vm-namespace',
  level: 'warning',
  kinds: KINDS,
  what: 'a machine configuration names the namespace of its virtual machines; "default" is for nothing else',
  source: 'harvester/docker-machine-driver-harvester:harvester/flags.go; terraform-provider-rancher2 requires it',
  *judge(config: JudgedObject): Iterable<Problem> {
    if (isRecord(config.manifest.spec) || vmNamespaceOf(config) !== 'default' || config.manifest.vmNamespace === 'default') { return; }
    yield {
      path: 'vmNamespace',
      message: 'is missing: the virtual machines go to the namespace default of the Harvester',
      fix: 'name the namespace',
    };
  },
};

/** Rules for whom a machine configuration belongs to. */
export const MACHINE_OWNER_RULES: readonly Rule[] = [OWNER, UNUSED, STATIC_ADDRESS, NAMESPACE];
