import { MACHINE_OWNER_RULES } from './machine-config-owner';
import { rancherLacks } from './rancher-gates';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { checkMachineAccess, checkMachineNumbers, checkMachineSwitches, isSet, textOf } from '../model/checks/machine-config';
import { checkDisks } from '../model/checks/machine-disks';
import { checkInterfaces, checkReference, checkVgpus, cloudInitText } from '../model/checks/machine-json';
import { checkNetworkData } from '../model/checks/network-data';
import { checkGuestAgent, checkUserData } from '../model/checks/user-data';
import { checkVmAffinity } from '../model/checks/vm-affinity';
import { ALLOW_SCHEMA_DROP, GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND } from '../model/guest/rancher-names';
import { isLate } from '../model/late-token';
import { isExpanded } from '../model/machine-config/process-argument';
import { isRecord, kindKey, Manifest } from '../model/manifest';
import { Problem } from '../model/problem';
import { GateId } from '../versions/gate-id';

export const MACHINE_CONFIG_KINDS = [kindKey(GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND)];
const DRIVER = 'harvester/docker-machine-driver-harvester';

// a rule whose problems come from the fields of the object alone
function ofFields(rest: Pick<Rule, 'id' | 'level' | 'what' | 'says' | 'source'>, check: (config: Manifest) => Iterable<Problem>): Rule {
  return { ...rest, kinds: MACHINE_CONFIG_KINDS, judge: ({ manifest }: JudgedObject): Iterable<Problem> => check(manifest) };
}

const SPEC: Rule = {
  id: 'machine-config/spec',
  level: 'error',
  kinds: MACHINE_CONFIG_KINDS,
  what: 'the fields of a HarvesterConfig lie at the top, beside metadata: what stands below spec is dropped',
  says: '.spec: field not declared in schema',
  source: 'rancher/rancher:pkg/controllers/capr/dynamicschema/dynamicschema.go; the definition that Rancher 2.13.8 generates',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    if (!isRecord(manifest.spec)) { return; }
    const fields = Object.keys(manifest.spec);
    yield {
      path: 'spec',
      message: `is dropped${fields.length > 0 ? ` with ${fields.join(', ')}` : ''}: the machines would have 2 CPUs, 4 GiB and no disk`,
      fix: 'move the fields to the top, beside metadata',
    };
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
  what: 'keys and kubeconfigs come from Rancher: keyPairName, cloudConfig, kubeconfigContent and what names the cluster stay empty',
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
  what: 'vgpuInfo is JSON with vGPURequests, each with the name of a device',
  source: `${DRIVER}:harvester/config.go parseVGPUInfo`,
}, checkVgpus);

const USER_DATA = ofFields({
  id: 'machine-config/user-data',
  level: 'error',
  what: 'user data is a YAML map that begins with #cloud-config, installs the guest agent and leaves the host name alone',
  source: `${DRIVER}:harvester/cloudinit.go; rancher/machine:commands/create.go`,
}, function* (config): Iterable<Problem> {
  if (isRecord(config.spec)) { return; }
  const text = cloudInitText(config, 'userData');
  if (text !== undefined) {
    yield* checkUserData('userData', text);
  } else if (!isLate(config.userData)) {
    yield* checkGuestAgent('userData', undefined);
  }
});

const NETWORK_DATA = ofFields({
  id: 'machine-config/network-data',
  level: 'error',
  what: 'network data names its version; version 1 has one gateway or DHCP, and a name server',
  source: `${DRIVER}:harvester/config.go checkNetworkData`,
}, function* (config): Iterable<Problem> {
  const text = cloudInitText(config, 'networkData');
  if (text !== undefined) { yield* checkNetworkData('networkData', text); }
});

const AFFINITY = ofFields({
  id: 'machine-config/affinity',
  level: 'error',
  what: 'vmAffinity is the content of an affinity as JSON, with a podAntiAffinity of its own',
  source: `${DRIVER}:harvester/create.go Create`,
}, function* (config): Iterable<Problem> {
  const text = textOf(config, 'vmAffinity');
  if (text !== undefined) { yield* checkVmAffinity('vmAffinity', text); }
});

const EXPANDED = ofFields({
  id: 'machine-config/expanded',
  level: 'warning',
  what: 'no field holds $$ or $(NAME): fields travel as arguments of a container, where Kubernetes expands them',
  source: 'rancher/rancher:pkg/controllers/capr/machineprovision/template.go; kubernetes/kubernetes:third_party/forked/golang/expansion/expand.go',
}, function* (config): Iterable<Problem> {
  for (const [field, value] of Object.entries(config)) {
    if (typeof value !== 'string' || !isExpanded(value)) { continue; }
    yield { path: field, message: 'holds $$ or $(NAME), which Kubernetes may change on the way to the machine', fix: 'write the text in base64' };
  }
});

const NAMES = ofFields({
  id: 'machine-config/names',
  level: 'error',
  what: 'images and networks are named by name or namespace/name',
  says: 'unexpected namespacedName format',
  source: `${DRIVER}:harvester/util.go`,
}, (config) => checkReference('keyPairName', config.keyPairName));

/** Fields that came with later node drivers. */
const GATED: ReadonlyArray<readonly [field: string, gate: GateId]> = [
  ['diskInfo', GateId.VM_MULTIPLE_DISKS],
  ['networkInfo', GateId.VM_MULTIPLE_DISKS],
  ['enableEfi', GateId.VM_EFI],
  ['enableSecureBoot', GateId.VM_EFI],
  ['vgpuInfo', GateId.VM_VGPU],
  ['cpuPinning', GateId.VM_CPU_PINNING],
  ['isolateEmulatorThread', GateId.VM_CPU_PINNING],
  ['enableTpm', GateId.VM_TPM],
  ['reservedMemorySize', GateId.VM_RESERVED_MEMORY],
  ['cpuModel', GateId.VM_CPU_MODEL],
];

const VERSION: Rule = {
  id: 'machine-config/version',
  level: 'warning',
  kinds: MACHINE_CONFIG_KINDS,
  what: 'a field of a HarvesterConfig is one that the node driver of this Rancher knows; the server drops others, or refuses the object',
  source: 'rancher/rancher:pkg/data/management/machinedriver_data.go at the release tags (a newer driver can be installed by hand)',
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    for (const [field, gate] of GATED) {
      const lacks = isSet(manifest, field) && !isDefault(field, manifest[field]) ? rancherLacks(target, gate) : undefined;
      if (lacks) { yield { path: field, message: lacks, fix: 'leave it out, or upgrade Rancher', says: `.${field}: field not declared in schema` }; }
    }
  },
};

function isDefault(field: string, value: unknown): boolean {
  return field === 'reservedMemorySize' && typeof value === 'string' && Number(value) <= 0;
}

const FROZEN_FIELD: Rule = {
  id: 'machine-config/added-field',
  level: 'warning',
  kinds: MACHINE_CONFIG_KINDS,
  what: 'a pool keeps the fields that its node driver had when the pool was made: one that a later driver brought does nothing there',
  source: 'rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go pruneBySchema (since Rancher 2.7.2)',
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest, _world: World): Iterable<Problem> {
    for (const [field] of GATED.slice(2)) {
      if (isSet(manifest, field) && !(field in before) && !isDefault(field, manifest[field])) {
        yield {
          path: field,
          message: 'is new here: pools that were made with an older node driver drop it without a word',
          fix: `make a new pool, or drop dynamicSchemaSpec from the pool once with annotation ${ALLOW_SCHEMA_DROP} on the Cluster`,
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
