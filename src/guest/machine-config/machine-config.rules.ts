import {
  MACHINE_FIELD_GATES,
  checkMachineAccess,
  checkMachineNumbers,
  checkMachineSwitches,
  checkStaticAddress,
  isExpanded,
  isSet,
} from './machine-config.check';
import { HARVESTER_CONFIG_GVK, MACHINE_CONFIG_KINDS } from './machine-config.kind';
import { checkDisks, checkInterfaces, checkReference, checkVgpus } from './machine-json.check';
import { cloudInitText, driverText } from './machine-json.facts';
import { checkMachineLogin } from './machine-login.check';
import { isLate } from '../../core/late/late-token';
import { isNameGenerated, isRecord, itemsAt } from '../../core/manifest/manifest';
import { GROUPS, RFC1123_LABEL } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem, problemsOf, problemsOfKeys } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { text } from '../../core/rule/kit/values';
import { JudgedObject, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { byText } from '../../core/text/values';
import { lackedFields } from '../../core/version/target-features';
import { checkVmAffinity } from '../../harvester/affinity/vm-affinity.check';
import {
  checkGuestAgent,
  checkNetworkData,
  checkUserData,
  hasStaticAddress,
} from '../../harvester/cloud-init/cloud-init.check';
import { deletesFirst, usersOf, vmNamespaceOf } from '../cluster/cluster-reader.facts';
import { ALLOW_SCHEMA_DROP } from '../cluster/cluster.kind';
import { viewKubeconfig } from '../kubeconfig/kubeconfig.check';

const DRIVER = 'harvester/docker-machine-driver-harvester';
const TEMPLATE =
  'rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go takeOwnership';

function* checkOwner(config: JudgedObject, world: World): Iterable<Problem> {
  const { metadata } = config.manifest;
  const users = [
    ...new Set(usersOf(config, world).map(({ cluster }) => cluster.manifest.metadata.name)),
  ];
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
  for (const [index, owner] of itemsAt(metadata, 'ownerReferences').entries()) {
    if (!isRecord(owner)) {
      continue;
    }
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

/** Whether the node driver reads a text as a kubeconfig. */
function isKubeconfig(content: string): boolean {
  return viewKubeconfig(driverText(content)) !== undefined;
}

// most machines have the same user data
const userDataProblems = byText((userData): readonly Problem[] => {
  const problems = [...checkUserData('userData', userData)];
  return problems.length === 0 ? NO_PROBLEMS : problems;
});

const lackedIn = lackedFields(MACHINE_FIELD_GATES);

function isDefault(field: string, value: unknown): boolean {
  return field === 'reservedMemorySize' && typeof value === 'string' && Number(value) <= 0;
}

/** Rules for passwords of machines. */
export const MACHINE_PASSWORD_RULES = rules({ kinds: MACHINE_CONFIG_KINDS }, [
  {
    id: 'machine-config/plain-password',
    plainFiles: true,
    level: 'warning',
    field: 'sshPassword',
    what: 'an SSH password is plain text in Git, in the HarvesterConfig and in the cloud-init of each machine',
    source:
      'harvester/docker-machine-driver-harvester:harvester/cloudinit.go userDataPasswordTemplate',
    check: text((path) => [
      {
        path,
        message:
          'must not be a secret in plain text: everyone who reads it can log in to each machine',
        fix: 'remove it: Rancher creates a key for each machine; use SSH keys, or users with a password hash, in the user data',
      },
    ]),
  },
]);

/** Rules for the machine configurations of Harvester's node driver. */
export const MACHINE_CONFIG_RULES = rules({ kinds: MACHINE_CONFIG_KINDS }, [
  {
    id: 'machine-config/spec',
    what: 'the fields of a HarvesterConfig are at the top level, next to metadata: the server drops fields below spec',
    says: '.spec: field not declared in schema',
    source:
      'rancher/rancher:pkg/controllers/capr/dynamicschema/dynamicschema.go; the definition that Rancher 2.13.8 generates',
    field: 'spec',
    check: (path, spec) =>
      isRecord(spec) && {
        path,
        message: `cannot be set: the server drops it${Object.keys(spec).length > 0 ? ` with ${Object.keys(spec).join(', ')}` : ''}, so that machines have 2 CPUs, 4 GiB and no disk`,
        fix: 'move the fields to the top level, next to metadata',
      },
  },
  {
    id: 'machine-config/numbers',
    what: 'sizes of a machine are whole numbers as text: memory in GiB, reserved memory in MiB',
    source: `${DRIVER}:harvester/flags.go`,
    judge: ({ manifest }) => checkMachineNumbers(manifest),
  },
  {
    id: 'machine-config/switches',
    what: 'secure boot needs EFI, an isolated emulator thread needs pinned CPUs',
    source: `${DRIVER}:harvester/flags.go SetConfigFromFlags; kubevirt/kubevirt:vmi-create-admitter.go`,
    judge: ({ manifest }) => checkMachineSwitches(manifest),
  },
  {
    id: 'machine-config/filled-by-rancher',
    what: 'keys and kubeconfigs come from Rancher: keyPairName, cloudConfig, kubeconfigContent and the names of the cluster are empty',
    source: `${DRIVER}:harvester/config.go checkConfig; rancher/machine:libmachine/drivers/drivers.go`,
    judge: ({ manifest }) => checkMachineAccess(manifest, isKubeconfig),
  },
  {
    id: 'machine-config/login',
    what: 'the password of machines, and its user, mean the same in YAML without quotes: the node driver writes none',
    says: 'error converting YAML to JSON',
    source: `${DRIVER}:harvester/cloudinit.go userDataPasswordTemplate, mergeCloudInit`,
    judge: ({ manifest }) => checkMachineLogin(manifest),
  },
  {
    id: 'machine-config/namespace',
    what: 'the namespace of machines is the name of a namespace',
    says: 'namespaces "Vms" not found',
    source: `${DRIVER}:harvester/client.go createVM`,
    field: 'vmNamespace',
    check: text((path, value) =>
      value === '' || RFC1123_LABEL.test(value)
        ? []
        : [
            {
              path,
              value,
              message:
                'must be the name of a namespace: lowercase letters, digits and hyphens, at most 63',
              fix: 'name a namespace of the Harvester',
              says: value.includes('/')
                ? `invalid namespace "${value}"`
                : `namespaces "${value}" not found`,
            },
          ],
    ),
  },
  {
    id: 'machine-config/disks',
    what: 'diskInfo is JSON with at least one disk, each with an image or a storage class and a size as a number of GiB',
    source: `${DRIVER}:harvester/config.go checkConfig`,
    judge: ({ manifest }) => checkDisks(manifest),
  },
  {
    id: 'machine-config/networks',
    what: 'networkInfo is JSON with at least one interface, each with a network',
    source: `${DRIVER}:harvester/config.go checkConfig`,
    judge: ({ manifest }) => checkInterfaces(manifest),
  },
  {
    id: 'machine-config/vgpus',
    fields: ['vgpuInfo'],
    what: 'vgpuInfo is JSON with vGPURequests, each with the name of a device',
    source: `${DRIVER}:harvester/config.go parseVGPUInfo`,
    judge: ({ manifest }) => checkVgpus(manifest),
  },
  {
    id: 'machine-config/user-data',
    what: 'user data is a YAML map that begins with #cloud-config, installs the guest agent and does not set the host name',
    source: `${DRIVER}:harvester/cloudinit.go; rancher/machine:commands/create.go`,
    when: ({ manifest }) => !isRecord(manifest.spec),
    judge: ({ manifest }) => {
      const userData = cloudInitText(manifest, 'userData');
      if (userData !== undefined) {
        return userDataProblems(userData);
      }
      return !isLate(manifest.userData) && checkGuestAgent('userData', undefined);
    },
  },
  {
    id: 'machine-config/network-data',
    what: 'network data names its version; version 1 has one gateway or DHCP, and a name server',
    source: `${DRIVER}:harvester/config.go checkNetworkData`,
    field: 'networkData',
    late: 'judged',
    check: (path, _, { manifest }) => {
      const networkData = cloudInitText(manifest, 'networkData');
      return networkData !== undefined && checkNetworkData(path, networkData);
    },
  },
  {
    id: 'machine-config/affinity',
    what: 'vmAffinity is a Kubernetes affinity as JSON, with a podAntiAffinity',
    source: `${DRIVER}:harvester/create.go Create`,
    field: 'vmAffinity',
    check: text(checkVmAffinity),
  },
  {
    id: 'machine-config/expanded',
    level: 'warning',
    what: 'no field contains $$ or $(NAME): fields are arguments of a container, where Kubernetes expands them',
    source:
      'rancher/rancher:pkg/controllers/capr/machineprovision/template.go; kubernetes/kubernetes:third_party/forked/golang/expansion/expand.go',
    judge: ({ manifest }) =>
      problemsOfKeys(manifest, (path) => {
        const value = manifest[path];
        return (
          typeof value === 'string' &&
          isExpanded(value) && {
            path,
            message:
              'must not contain $$ or $(NAME), which Kubernetes may change on the way to the machine',
            fix: 'encode the text in base64',
          }
        );
      }),
  },
  {
    id: 'machine-config/names',
    what: 'references to images and networks have the form name or namespace/name',
    says: 'unexpected namespacedName format',
    source: `${DRIVER}:harvester/util.go`,
    field: 'keyPairName',
    check: checkReference,
  },
  {
    id: 'machine-config/version',
    level: 'warning',
    what: 'a field of a HarvesterConfig is one that the node driver of this Rancher knows; the server drops others, or refuses the object',
    source:
      'rancher/rancher:pkg/data/management/machinedriver_data.go at the release tags (a newer driver can be installed by hand)',
    judge: ({ manifest, target }) =>
      problemsOf(
        lackedIn(target),
        ({ field, lacks }) =>
          isSet(manifest, field) &&
          !isDefault(field, manifest[field]) && {
            path: field,
            message: lacks,
            fix: 'remove it, or upgrade Rancher',
            says: `.${field}: field not declared in schema`,
          },
      ),
  },
  {
    id: 'machine-config/added-field',
    level: 'warning',
    what: 'a pool keeps the fields that its node driver had when the pool was created: a field of a later driver has no effect',
    source:
      'rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go pruneBySchema (since Rancher 2.7.2)',
    judgeUpdate: ({ manifest }, before) =>
      problemsOf(
        MACHINE_FIELD_GATES.slice(2),
        ([field]) =>
          isSet(manifest, field) &&
          !(field in before) &&
          !isDefault(field, manifest[field]) && {
            path: field,
            message:
              'may have no effect: Rancher drops it silently for pools that were created with an older node driver, and does not replace their machines for it',
            cause: 'added fields may have no effect on pools of an older node driver',
            fix: `create a new pool, or set annotation ${ALLOW_SCHEMA_DROP} on the Cluster to drop dynamicSchemaSpec from the pool once`,
          },
      ),
  },
  {
    id: 'machine-config/owner',
    what: 'a machine configuration belongs to one Cluster and has no other controller',
    source: TEMPLATE,
    when: (config, world) =>
      usersOf(config, world).length > 1 || config.manifest.metadata.ownerReferences,
    judge: checkOwner,
  },
  {
    id: 'machine-config/unused',
    level: 'warning',
    what: 'a machine configuration is used by a pool: Rancher deletes those without an owner after an hour',
    source:
      'rancher/rancher:pkg/controllers/provisioningv2/machineconfigcleanup/controller.go (Rancher 2.9.2 and later, each night)',
    field: 'metadata.name',
    // a machine configuration alone in a file is not a mistake
    when: (config, world) =>
      usersOf(config, world).length === 0 &&
      world.ofKind(GROUPS.PROVISIONING, 'Cluster').length > 0,
    check: (_, __, { manifest }) =>
      !isNameGenerated(manifest) &&
      manifest.metadata.ownerReferences === undefined && {
        message: 'must be used by a pool: Rancher deletes machine configurations that no pool uses',
        fix: 'refer to it in machineConfigRef of a pool in the same namespace, and apply both together',
      },
  },
  {
    id: 'machine-config/static-address',
    what: 'network data with a fixed address belongs to one machine',
    source: `${TEMPLATE}: all machines of a pool have the same network data`,
    field: 'networkData',
    check: (_, __, config, world) => {
      const networkData = cloudInitText(config.manifest, 'networkData');
      if (networkData === undefined || !hasStaticAddress(networkData)) {
        return undefined;
      }
      const pools = usersOf(config, world).map(({ pool }) => pool.fields);
      const counts = pools
        .map(({ quantity }) => quantity ?? 1)
        .filter((count) => typeof count === 'number');
      return checkStaticAddress(
        counts.reduce((sum, count) => sum + count, 0),
        pools.every(deletesFirst),
      );
    },
  },
  {
    id: 'machine-config/vm-namespace',
    level: 'warning',
    what: 'a machine configuration names the namespace of its virtual machines, unless it is "default"',
    source:
      'harvester/docker-machine-driver-harvester:harvester/flags.go; terraform-provider-rancher2 requires it',
    when: ({ manifest }) => !isRecord(manifest.spec),
    judge: (config) =>
      vmNamespaceOf(config) === 'default' &&
      config.manifest.vmNamespace !== 'default' && {
        path: 'vmNamespace',
        message:
          'must be set: without it the virtual machines are created in the namespace default of the Harvester cluster',
        fix: 'set it to the namespace',
      },
  },
]);
