import {
  MACHINE_FIELD_GATES, checkMachineAccess, checkMachineNumbers, checkMachineSwitches, checkStaticAddress, isExpanded, isSet, textOf,
} from './machine-config.check';
import { checkDisks, checkInterfaces, checkReference, checkVgpus } from './machine-json.check';
import { cloudInitText } from './machine-json.facts';
import { isLate } from '../../core/late/late-token';
import { isNameGenerated, isRecord, kindKey, Manifest, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { FieldCheck, hasPassed } from '../../core/manifest/passed-checks';
import { NO_PROBLEMS, Problem, problemsOf, problemsOfKeys } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { byText } from '../../core/text/values';
import { lackedFields } from '../../core/version/target-features';
import { checkGuestAgent, checkNetworkData, checkUserData, hasStaticAddress } from '../../harvester/cloud-init/cloud-init.check';
import { checkVmAffinity } from '../../harvester/machine/vm-affinity.check';
import { usersOf, vmNamespaceOf } from '../cluster/cluster-reader.facts';
import { ALLOW_SCHEMA_DROP, GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_GVK, HARVESTER_CONFIG_KIND } from '../cluster/cluster.kind';

const PLAIN: Rule = {
  id: 'machine-config/plain-password',
  plainFiles: true,
  level: 'warning',
  kinds: [kindKey(GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND)],
  fields: ['sshPassword'],
  what: 'an SSH password is plain text in Git, in the HarvesterConfig and in the cloud-init of each machine',
  source: 'harvester/docker-machine-driver-harvester:harvester/cloudinit.go userDataPasswordTemplate',
  judge({ manifest: { sshPassword } }: JudgedObject): Iterable<Problem> {
    if (typeof sshPassword !== 'string' || sshPassword === '' || isLate(sshPassword)) { return NO_PROBLEMS; }
    return [{
      path: 'sshPassword',
      message: 'must not be a secret in plain text: everyone who reads it can log in to each machine',
      fix: 'remove it: Rancher creates a key for each machine; use SSH keys, or users with a password hash, in the user data',
    }];
  },
};

/** Rules for passwords of machines. */
export const MACHINE_PASSWORD_RULES: readonly Rule[] = [PLAIN];

const KINDS = [kindKey(GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND)];
const TEMPLATE = 'rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go takeOwnership';

const OWNER: Rule = {
  id: 'machine-config/owner',
  level: 'error',
  kinds: KINDS,
  what: 'a machine configuration belongs to one Cluster and has no other controller',
  source: TEMPLATE,
  judge: (config: JudgedObject, world: World): Iterable<Problem> => (
    usersOf(config, world).length > 1 || config.manifest.metadata.ownerReferences ? checkOwner(config, world) : NO_PROBLEMS),
};

function* checkOwner(config: JudgedObject, world: World): Iterable<Problem> {
  const { metadata } = config.manifest;
  const users = [...new Set(usersOf(config, world).map(({ cluster }) => cluster.manifest.metadata.name))];
  // words-ok: Rancher's own message
  const refused = `can not use ${metadata.namespace ?? ''}/${metadata.name} [${HARVESTER_CONFIG_GVK}] because it is already owned by`;
  if (users.length > 1) {
    yield {
      path: 'metadata.name',
      value: metadata.name,
      message: `must be used by one Cluster: it is used by ${users.join(', ')}`,
      fix: 'create one machine configuration for each Cluster',
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
          message: `must be the Cluster that uses the machine configuration, ${users[0]}`,
          fix: 'remove ownerReferences: Rancher sets them',
          says: `${refused} cluster ${plainText(owner.name)}`,
        };
      }
    } else if (owner.controller === true) {
      yield {
        path,
        value: owner.kind,
        message: 'must not be a controller: Rancher refuses to share the object',
        fix: 'remove ownerReferences: Rancher sets them',
        says: `${refused} ${plainText(owner.kind)} ${plainText(owner.name)}`,
      };
    }
  }
}

const UNUSED: Rule = {
  id: 'machine-config/unused',
  level: 'warning',
  kinds: KINDS,
  what: 'a machine configuration is used by a pool: Rancher deletes those without an owner after an hour',
  source: 'rancher/rancher:pkg/controllers/provisioningv2/machineconfigcleanup/controller.go (Rancher 2.9.2 and later, each night)',
  judge(config: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = config;
    if (usersOf(config, world).length > 0) { return NO_PROBLEMS; }
    // a machine configuration alone in a file is not a mistake
    if (world.ofKind(GROUPS.PROVISIONING, 'Cluster').length === 0) { return NO_PROBLEMS; }
    if (isLate(manifest.metadata.name) || isNameGenerated(manifest) || manifest.metadata.ownerReferences !== undefined) { return NO_PROBLEMS; }
    return [{
      path: 'metadata.name',
      value: manifest.metadata.name,
      message: 'must be used by a pool: Rancher deletes machine configurations that no pool uses',
      fix: 'refer to it in machineConfigRef of a pool in the same namespace, and apply both together',
    }];
  },
};

const STATIC_ADDRESS: Rule = {
  id: 'machine-config/static-address',
  level: 'error',
  kinds: KINDS,
  fields: ['networkData'],
  what: 'network data with a fixed address belongs to one machine',
  source: `${TEMPLATE}: all machines of a pool have the same network data`,
  judge(config: JudgedObject, world: World): Iterable<Problem> {
    const text = cloudInitText(config.manifest, 'networkData');
    if (text === undefined || isLate(text) || !hasStaticAddress(text)) { return NO_PROBLEMS; }
    let machines = 0;
    let oldGoesFirst = true;
    for (const { pool: { fields } } of usersOf(config, world)) {
      const { quantity } = fields;
      machines += typeof quantity === 'number' ? quantity : quantity === undefined || quantity === null ? 1 : 0;
      oldGoesFirst &&= ['0', '0%'].includes(plainText(valueAt(fields.rollingUpdate, 'maxSurge') ?? ''));
    }
    return checkStaticAddress(machines, oldGoesFirst);
  },
};

const NAMESPACE: Rule = {
  id: 'machine-config/vm-namespace',
  level: 'warning',
  kinds: KINDS,
  what: 'a machine configuration names the namespace of its virtual machines, unless it is "default"',
  source: 'harvester/docker-machine-driver-harvester:harvester/flags.go; terraform-provider-rancher2 requires it',
  judge(config: JudgedObject): Iterable<Problem> {
    if (isRecord(config.manifest.spec) || vmNamespaceOf(config) !== 'default' || config.manifest.vmNamespace === 'default') { return NO_PROBLEMS; }
    return [{
      path: 'vmNamespace',
      message: 'must be set: without it the virtual machines are created in the namespace default of the Harvester cluster',
      fix: 'set it to the namespace',
    }];
  },
};

/** Rules for the owner of a machine configuration. */
const MACHINE_OWNER_RULES: readonly Rule[] = [OWNER, UNUSED, STATIC_ADDRESS, NAMESPACE];

const DRIVER = 'harvester/docker-machine-driver-harvester';

// a rule that reads only the fields of the object, and not again what a construct checked
function ofFields(rest: Pick<Rule, 'id' | 'level' | 'fields' | 'what' | 'says' | 'source'>, check: FieldCheck): Rule {
  return {
    ...rest,
    kinds: KINDS,
    judge: ({ manifest, passed }: JudgedObject): Iterable<Problem> => (hasPassed(check, manifest, passed) ? NO_PROBLEMS : check(manifest)),
  };
}

const SPEC: Rule = {
  id: 'machine-config/spec',
  level: 'error',
  kinds: KINDS,
  fields: ['spec'],
  what: 'the fields of a HarvesterConfig are at the top level, next to metadata: the server drops fields below spec',
  says: '.spec: field not declared in schema',
  source: 'rancher/rancher:pkg/controllers/capr/dynamicschema/dynamicschema.go; the definition that Rancher 2.13.8 generates',
  judge({ manifest }: JudgedObject): Iterable<Problem> {
    if (!isRecord(manifest.spec)) { return NO_PROBLEMS; }
    const fields = Object.keys(manifest.spec);
    return [{
      path: 'spec',
      message: `cannot be set: the server drops it${fields.length > 0 ? ` with ${fields.join(', ')}` : ''}, so that machines have 2 CPUs, 4 GiB and no disk`,
      fix: 'move the fields to the top level, next to metadata',
    }];
  },
};

const NUMBERS = ofFields({
  id: 'machine-config/numbers',
  level: 'error',
  what: 'sizes of a machine are whole numbers as text: memory in GiB, reserved memory in MiB',
  source: `${DRIVER}:harvester/flags.go`,
}, checkMachineNumbers);

const SWITCHES = ofFields({
  id: 'machine-config/switches',
  level: 'error',
  what: 'secure boot needs EFI, an isolated emulator thread needs pinned CPUs',
  source: `${DRIVER}:harvester/flags.go SetConfigFromFlags; kubevirt/kubevirt:vmi-create-admitter.go`,
}, checkMachineSwitches);

const ACCESS = ofFields({
  id: 'machine-config/filled-by-rancher',
  level: 'error',
  what: 'keys and kubeconfigs come from Rancher: keyPairName, cloudConfig, kubeconfigContent and the names of the cluster are empty',
  source: `${DRIVER}:harvester/config.go checkConfig; rancher/machine:libmachine/drivers/drivers.go`,
}, checkMachineAccess);

const DISKS = ofFields({
  id: 'machine-config/disks',
  level: 'error',
  what: 'diskInfo is JSON with at least one disk, each with an image or a storage class and a size as a number of GiB',
  source: `${DRIVER}:harvester/config.go checkConfig`,
}, checkDisks);

const NETWORKS = ofFields({
  id: 'machine-config/networks',
  level: 'error',
  what: 'networkInfo is JSON with at least one interface, each with a network',
  source: `${DRIVER}:harvester/config.go checkConfig`,
}, checkInterfaces);

const VGPUS = ofFields({
  id: 'machine-config/vgpus',
  level: 'error',
  fields: ['vgpuInfo'],
  what: 'vgpuInfo is JSON with vGPURequests, each with the name of a device',
  source: `${DRIVER}:harvester/config.go parseVGPUInfo`,
}, checkVgpus);

const USER_DATA = ofFields({
  id: 'machine-config/user-data',
  level: 'error',
  what: 'user data is a YAML map that begins with #cloud-config, installs the guest agent and does not set the host name',
  source: `${DRIVER}:harvester/cloudinit.go; rancher/machine:commands/create.go`,
}, (config) => {
  if (isRecord(config.spec)) { return NO_PROBLEMS; }
  const text = cloudInitText(config, 'userData');
  if (text !== undefined) { return userDataProblems(text); }
  return isLate(config.userData) ? NO_PROBLEMS : checkGuestAgent('userData', undefined);
});

// most machines have the same user data
const userDataProblems = byText((text): readonly Problem[] => {
  const problems = [...checkUserData('userData', text)];
  return problems.length === 0 ? NO_PROBLEMS : problems;
});

const NETWORK_DATA = ofFields({
  id: 'machine-config/network-data',
  level: 'error',
  fields: ['networkData'],
  what: 'network data names its version; version 1 has one gateway or DHCP, and a name server',
  source: `${DRIVER}:harvester/config.go checkNetworkData`,
}, function* (config): Iterable<Problem> {
  const text = cloudInitText(config, 'networkData');
  if (text !== undefined) { yield* checkNetworkData('networkData', text); }
});

const AFFINITY = ofFields({
  id: 'machine-config/affinity',
  level: 'error',
  fields: ['vmAffinity'],
  what: 'vmAffinity is a Kubernetes affinity as JSON, with a podAntiAffinity',
  source: `${DRIVER}:harvester/create.go Create`,
}, function* (config): Iterable<Problem> {
  const text = textOf(config, 'vmAffinity');
  if (text !== undefined) { yield* checkVmAffinity('vmAffinity', text); }
});

const EXPANDED = ofFields({
  id: 'machine-config/expanded',
  level: 'warning',
  what: 'no field contains $$ or $(NAME): fields are arguments of a container, where Kubernetes expands them',
  source: 'rancher/rancher:pkg/controllers/capr/machineprovision/template.go; kubernetes/kubernetes:third_party/forked/golang/expansion/expand.go',
}, (config) => problemsOfKeys(config, (field) => {
  const value = config[field];
  if (typeof value !== 'string' || !isExpanded(value)) { return NO_PROBLEMS; }
  return [{ path: field, message: 'must not contain $$ or $(NAME), which Kubernetes may change on the way to the machine', fix: 'encode the text in base64' }];
}));

const NAMES = ofFields({
  id: 'machine-config/names',
  level: 'error',
  fields: ['keyPairName'],
  what: 'references to images and networks have the form name or namespace/name',
  says: 'unexpected namespacedName format',
  source: `${DRIVER}:harvester/util.go`,
}, (config) => checkReference('keyPairName', config.keyPairName));

const VERSION: Rule = {
  id: 'machine-config/version',
  level: 'warning',
  kinds: KINDS,
  what: 'a field of a HarvesterConfig is one that the node driver of this Rancher knows; the server drops others, or refuses the object',
  source: 'rancher/rancher:pkg/data/management/machinedriver_data.go at the release tags (a newer driver can be installed by hand)',
  judge: ({ manifest, target }: JudgedObject): Iterable<Problem> => problemsOf(lackedIn(target), ({ field, lacks }) => (
    !isSet(manifest, field) || isDefault(field, manifest[field]) ? NO_PROBLEMS
      : [{ path: field, message: lacks, fix: 'remove it, or upgrade Rancher', says: `.${field}: field not declared in schema` }])),
};

const lackedIn = lackedFields(MACHINE_FIELD_GATES);

function isDefault(field: string, value: unknown): boolean {
  return field === 'reservedMemorySize' && typeof value === 'string' && Number(value) <= 0;
}

const FROZEN_FIELD: Rule = {
  id: 'machine-config/added-field',
  level: 'warning',
  kinds: KINDS,
  what: 'a pool keeps the fields that its node driver had when the pool was created: a field of a later driver has no effect',
  source: 'rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go pruneBySchema (since Rancher 2.7.2)',
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest, _world: World): Iterable<Problem> {
    for (const [field] of MACHINE_FIELD_GATES.slice(2)) {
      if (isSet(manifest, field) && !(field in before) && !isDefault(field, manifest[field])) {
        yield {
          path: field,
          message: 'has no effect on pools that were created with an older node driver: Rancher drops it silently',
          fix: `create a new pool, or set annotation ${ALLOW_SCHEMA_DROP} on the Cluster to drop dynamicSchemaSpec from the pool once`,
        };
      }
    }
  },
};

/** Rules for the machine configurations of Harvester's node driver. */
export const MACHINE_CONFIG_RULES: readonly Rule[] = [
  SPEC, NUMBERS, SWITCHES, ACCESS, DISKS, NETWORKS, VGPUS, USER_DATA, NETWORK_DATA, AFFINITY, EXPANDED, NAMES, VERSION, FROZEN_FIELD,
  ...MACHINE_OWNER_RULES,
];
