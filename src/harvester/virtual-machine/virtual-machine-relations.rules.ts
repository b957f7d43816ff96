import {
  GROUP_KUBEVIRT,
  KIND_VIRTUAL_MACHINE,
  claimNamesOf,
  CLAIMS_PATH,
  claimsOf,
  ClaimTemplate,
  instanceOf,
  MACHINE_KINDS,
  ManifestNic,
  nicsIn,
  STATIC_ADDRESS_PREFIX,
  VM_VALIDATOR,
} from './machine-manifest.facts';
import { isLonghorns, shareableDisksOf } from './shareable-disk.rules';
import { macAddressPath } from './virtual-machine.check';
import { isLate } from '../../core/late/late-token';
import {
  annotationsOf,
  labelsOf,
  Manifest,
  namespacedName,
  records,
  valueAt,
  itemsAt,
  specOf,
} from '../../core/manifest/manifest';
import { DEFAULT_NAMESPACE, GROUPS } from '../../core/manifest/names';
import { Problem } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { twinOf } from '../../core/rule/kit/relations';
import { JudgedObject, JudgedTarget, World } from '../../core/rule/rule';
import { knowsAny, perTarget } from '../../core/rule/world-lookup';
import { quantityOf } from '../../core/text/values';
import { hasFeature, lacksFeature } from '../../core/version/target-features';
import { CLOUD_INIT_KEYS } from '../cloud-init/cloud-init.check';
import { LABEL_CLUSTER_NETWORK } from '../cluster-network/cluster-network.kind';
import { imageClassByName } from '../image/vm-image.kind';
import {
  GROUP_ATTACHMENT,
  KIND_NETWORK_ATTACHMENT,
  LABEL_NETWORK_TYPE,
  NETWORK_TYPE,
  SYSTEM_NETWORKS,
} from '../network/vm-network.kind';
import { missingReference } from '../reference/missing-reference.check';
import { notMigratable } from '../storage/harvester-storage-class.check';
import { GROUP_STORAGE } from '../storage/storage.kind';
import { HarvesterGate, harvesterVersionOf } from '../version/harvester-version';

const claimKey = ({ manifest }: JudgedObject, claim: string): string => {
  const { namespace = 'default' } = manifest.metadata;
  return `${namespace}/${claim}`;
};

/** The other VM with a volume on an unshared disk, by `<namespace>/<claim>`. */
const withClaim = twinOf([GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE], (machine) => {
  const disks =
    hasFeature(machine.target, HarvesterGate.VOLUME_SHARED) === false
      ? []
      : shareableDisksOf(machine.manifest);
  const shared = new Set(disks.map(({ claim }) => claim));
  return claimNamesOf(machine.manifest)
    .filter((name) => !shared.has(name))
    .map((name) => claimKey(machine, name));
});

/**
 * Whether a claim is known to be a ReadWriteMany volume that is not Longhorn's, which cannot serve
 * several VMs.
 */
function isShareable(object: JudgedObject, world: World, claim: string): boolean {
  const volume = world.find(
    object,
    '',
    'PersistentVolumeClaim',
    object.manifest.metadata.namespace ?? 'default',
    claim,
  )?.manifest;
  const [modes, name] = ['accessModes', 'storageClassName'].map((field) =>
    valueAt(volume, 'spec', field),
  );
  if (
    hasFeature(object.target, HarvesterGate.VOLUME_SHARED) === false ||
    !Array.isArray(modes) ||
    !modes.includes('ReadWriteMany')
  ) {
    return false;
  }
  return !isLonghorns(object, world, name);
}

const clusterNetworks = perTarget(
  GROUP_ATTACHMENT,
  'NetworkAttachmentDefinition',
  (networks) =>
    new Map(
      networks.map(({ manifest }) => [
        namespacedName(manifest),
        labelsOf(manifest)[LABEL_CLUSTER_NETWORK],
      ]),
    ),
);

/**
 * The domain in which an address must be unique: the cluster network of the network, if known. All
 * NICs in the pod network share one.
 */
function domainOf(
  { network, isPod }: ManifestNic,
  known: ReadonlyMap<string, unknown>,
): string | undefined {
  if (isPod) {
    return 'management network';
  }
  const carrier = network === undefined ? undefined : known.get(network);
  return typeof carrier === 'string' ? `cluster network ${carrier}` : network;
}

interface Address {
  readonly machine: JudgedObject;
  readonly nic: ManifestNic;
}

/** The address that a NIC gets: its own, otherwise the one that the machine had before. */
const addressOf = ({ mac, observedMac }: ManifestNic): string | undefined => mac ?? observedMac;

const addresses = perTarget(GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE, (machines) => {
  const byMac = new Map<string, Address[]>();
  for (const machine of machines) {
    for (const nic of nicsIn(machine.manifest)) {
      const mac = addressOf(nic);
      if (mac === undefined || isLate(mac)) {
        continue;
      }
      byMac.set(mac, [...(byMac.get(mac) ?? []), { machine, nic }]);
    }
  }
  return byMac;
});

const SECRET_KEYS = ['cloudInitNoCloud', 'cloudInitConfigDrive'].flatMap(
  (kind) =>
    [
      [kind, 'secretRef', [CLOUD_INIT_KEYS.USER, 'userData']],
      [kind, 'networkDataSecretRef', [CLOUD_INIT_KEYS.NETWORK, 'networkData']],
    ] as const,
);

/** Where the address of a NIC without one is from. */
function whoseAddress(target: JudgedTarget): string {
  return hasFeature(target, HarvesterGate.MAC_ADDRESS_GENERATED) === false
    ? 'the VM starts with a generated address, which no manifest declares'
    : 'Harvester generates a new address at each server-side apply, which the VM gets at its next start';
}

const KIND_CLAIM = 'PersistentVolumeClaim';

/** The names of the volumes of a machine that are DataVolumes. */
function dataVolumesOf(machine: Manifest): unknown[] {
  return itemsAt(machine, 'spec', 'template', 'spec', 'volumes').map((volume) =>
    valueAt(volume, 'dataVolume', 'name'),
  );
}

/** What the webhook refuses of a claim whose data is to move to another claim. */
function checkMigration(
  object: JudgedObject,
  { name, size, targetVolume }: ClaimTemplate,
  world: World,
): Omit<Problem, 'path' | 'value'> | undefined {
  const { manifest } = object;
  const attached = claimNamesOf(manifest);
  // the migration has begun
  if (isLate(targetVolume) || attached.includes(targetVolume!)) {
    return undefined;
  }
  if (dataVolumesOf(manifest).includes(name)) {
    return {
      message: 'cannot be set for a DataVolume, whose data cannot move',
      fix: 'remove targetVolume',
      says: `source volume ${name} is a DataVolume, only PVC sources are supported for storage migration`,
    };
  }
  if (!attached.includes(name)) {
    return {
      message: `needs the claim ${name} among the volumes of the machine`,
      fix: 'remove targetVolume, or attach the claim',
      says: `PVC ${name} is not attached to the VM`,
    };
  }
  const { namespace = DEFAULT_NAMESPACE } = manifest.metadata;
  const target = world.find(object, '', KIND_CLAIM, namespace, targetVolume!);
  if (target === undefined) {
    const reference = { group: '', kind: KIND_CLAIM, namespace, name: targetVolume! };
    const missing = missingReference(object, reference, world);
    return (
      missing && { ...missing, says: `targetVolume PVC ${namespace}/${targetVolume} not found` }
    );
  }
  const [own, other] = [
    size,
    valueAt(target.manifest, 'spec', 'resources', 'requests', 'storage'),
  ].map(quantityOf);
  if (own !== undefined && other !== undefined && other < own) {
    return {
      message: `must be a claim of at least ${String(size)}, the size of ${name}`,
      fix: 'use a larger claim',
      says: `targetVolume ${targetVolume} size must not be less than source volume ${name} size`,
    };
  }
  return undefined;
}

/** Rules on virtual machines and the objects that they use. */
export const MACHINE_RELATION_RULES = rules({ kinds: MACHINE_KINDS, surelyOn: 'harvester' }, [
  {
    id: 'virtual-machine/volume-twice',
    what: 'a volume is a disk of one virtual machine, unless its disks are shareable, or it is ReadWriteMany and not of Longhorn',
    source: `${VM_VALIDATOR} checkOccupiedPVCs`,
    *judge(object, world) {
      for (const [index, volume] of records(instanceOf(object.manifest).volumes)) {
        const claim = valueAt(volume, 'persistentVolumeClaim', 'claimName');
        if (typeof claim !== 'string' || isLate(claim)) {
          continue;
        }
        const other = withClaim(object, claimKey(object, claim), world);
        if (!other || isShareable(object, world, claim)) {
          continue;
        }
        yield {
          path: `spec.template.spec.volumes[${index}].persistentVolumeClaim.claimName`,
          value: claim,
          message: `must be used by one VM only: ${other.manifest.metadata.name} uses it`,
          fix: 'use a different volume for each VM',
          says:
            hasFeature(object.target, HarvesterGate.VOLUME_SHARED) === false
              ? `the volume ${claim} is already used by VM ${namespacedName(other.manifest)}`
              : `PVC ${claimKey(object, claim)} is already used by other VM, please use a shareable RWX volume.`,
        };
      }
    },
  },
  {
    id: 'virtual-machine/mac-twice',
    what: 'a MAC address is unique on its cluster network',
    source: `${VM_VALIDATOR} checkForDuplicateMacAddrs`,
    *judge(object, world) {
      const known = clusterNetworks(object, world);
      const byMac = addresses(object, world);
      for (const nic of nicsIn(object.manifest)) {
        const domain = domainOf(nic, known);
        const mac = addressOf(nic);
        if (mac === undefined || domain === undefined) {
          continue;
        }
        const first = byMac.get(mac)?.find(({ nic: other }) => domainOf(other, known) === domain);
        if (!first || namespacedName(first.machine.manifest) === namespacedName(object.manifest)) {
          continue;
        }
        yield {
          path: macAddressPath(nic.index),
          value: mac,
          message: `must be unique on its network: the VM ${first.machine.manifest.metadata.name} has this address`,
          fix: 'set a different address, or remove it to get a derived one',
          says: `duplicate mac address present for vm ${object.manifest.metadata.name} for cluster network`,
        };
      }
    },
  },
  {
    id: 'virtual-machine/mac-address',
    level: 'warning',
    what: 'a NIC has a MAC address: without one, Harvester generates a new address at each server-side apply',
    source:
      'harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go patchInterfaceMacAddress; seen on Harvester 1.7.2',
    *judge(object) {
      // without either, the VM gets a new address
      for (const nic of nicsIn(object.manifest).filter((each) => addressOf(each) === undefined)) {
        const { index, name } = nic;
        yield {
          path: macAddressPath(index),
          message: `must be set on the NIC ${name || index}: ${whoseAddress(object.target)}`,
          fix: 'set a MAC address, that of the live VM if it exists',
        };
      }
    },
  },
  {
    id: 'virtual-machine/network',
    what: 'a NIC is in a network that exists and is not the storage network, and the name of the network has at most one slash',
    source: `${VM_VALIDATOR} getClusterNetworkForNad`,
    *judge(object, world) {
      for (const [index, network] of records(instanceOf(object.manifest).networks)) {
        const name = valueAt(network, 'multus', 'networkName');
        if (typeof name !== 'string' || isLate(name)) {
          continue;
        }
        const path = `spec.template.spec.networks[${index}].multus.networkName`;
        if (name.split('/').length > 2) {
          const says = `invalid network name ${name}`;
          yield {
            path,
            value: name,
            message: 'must be <namespace>/<name>',
            fix: 'set the namespace and name of a network',
            says,
          };
        } else if (
          name.startsWith(
            `${SYSTEM_NETWORKS.NAMESPACE}/${SYSTEM_NETWORKS.SETTINGS['storage-network']}`,
          )
        ) {
          const message =
            'must be a VM network: this is the storage network, which the VM could access';
          yield { path, value: name, level: 'warning', message, fix: 'use a VM network' };
        } else {
          // the webhook reads a name alone as one in default
          const [namespace, own] = name.includes('/') ? name.split('/') : ['default', name];
          const reference = {
            group: GROUP_ATTACHMENT,
            kind: KIND_NETWORK_ATTACHMENT,
            namespace,
            name: own!,
          };
          const isFound =
            world.find(object, GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT, namespace, own!) !==
            undefined;
          const missing = isFound ? undefined : missingReference(object, reference, world);
          if (missing) {
            yield {
              path,
              value: name,
              ...missing,
              says: `network-attachment-definitions.k8s.cni.cncf.io "${own}" not found`,
            };
          }
        }
      }
    },
  },
  {
    id: 'virtual-machine/image',
    level: 'warning',
    what: 'a volume that is created from an image has the StorageClass of that image: with a different class it is empty',
    source:
      'harvester/harvester:pkg/util/storageclass.go GetImageStorageClassName; pkg/controller/master/virtualmachine/vm_controller.go',
    *judge(object, world) {
      for (const { name, imageId, storageClassName } of claimsOf(object.manifest)) {
        const [namespace, image] = imageId?.split('/') ?? [];
        if (
          !image ||
          storageClassName === undefined ||
          isLate(storageClassName) ||
          isLate(imageId)
        ) {
          continue;
        }
        const found = world.find(object, GROUPS.HARVESTER, 'VirtualMachineImage', namespace, image);
        // with other backends the user chooses the class
        if (!found || (specOf(found.manifest).backend ?? 'backingimage') !== 'backingimage') {
          continue;
        }
        const own = valueAt(found.manifest, 'status', 'storageClassName');
        const byName =
          storageClassName === imageClassByName(image) || storageClassName.startsWith('lh-');
        if (typeof own === 'string' ? own !== storageClassName : !byName) {
          yield {
            path: CLAIMS_PATH,
            value: { name, storageClassName },
            message: `must be the StorageClass of the image ${imageId}: otherwise the volume is empty, and the VM cannot boot`,
            fix: `set ${typeof own === 'string' ? own : `its status.storageClassName, ${imageClassByName(image)} before Harvester 1.8`}`,
          };
        }
      }
    },
  },
  {
    id: 'virtual-machine/target-volume',
    what: 'one volume of a machine moves at a time, to a claim that exists and is not smaller (Harvester 1.8 and later)',
    source: `${VM_VALIDATOR} checkTargetVolumes, validateTargetVolumeEntry (1.8.0)`,
    when: ({ target }) => harvesterVersionOf(target)?.isAtLeast('1.8.0') !== false,
    *judgeUpdate(object, _, world) {
      const moving = claimsOf(object.manifest).filter(
        ({ targetVolume }) => targetVolume !== undefined,
      );
      for (const [index, claim] of moving.entries()) {
        const problem =
          index > 0
            ? {
                message: 'cannot be set for several claims: one volume moves at a time',
                fix: 'set targetVolume again when the first volume has moved',
                says: 'only one volume migration is allowed at a time',
              }
            : checkMigration(object, claim, world);
        if (problem) {
          yield { path: CLAIMS_PATH, value: claim.targetVolume, ...problem };
        }
      }
    },
  },
  {
    id: 'virtual-machine/claim-class',
    what: 'the StorageClass of a volume exists: Harvester 1.9 and later refuse the first claims of a live machine without it, and other volumes remain Pending',
    source: `${VM_VALIDATOR} checkStorageClassesExist (1.9.0)`,
    *judge(object, world) {
      const before = world.beforeOf(object);
      const isChecked = hasFeature(object.target, HarvesterGate.CLAIM_CLASS_CHECKED) === true;
      const isRefused = isChecked && before !== undefined && claimsOf(before).length === 0;
      for (const { storageClassName: name, imageId } of claimsOf(object.manifest)) {
        // Harvester creates the class of an image
        if (name === undefined || imageId !== undefined || isLate(name)) {
          continue;
        }
        const reference = { group: GROUP_STORAGE, kind: 'StorageClass', name };
        const isFound =
          world.find(object, GROUP_STORAGE, 'StorageClass', undefined, name) !== undefined;
        const missing = isFound ? undefined : missingReference(object, reference, world);
        if (missing) {
          yield {
            path: CLAIMS_PATH,
            value: name,
            ...missing,
            ...(isRefused
              ? { says: `storage class ${name} does not exist` }
              : { level: 'warning' as const }),
          };
        }
      }
    },
  },
  {
    id: 'virtual-machine/migratable',
    level: 'warning',
    what: 'ReadWriteMany volumes of a virtual machine have StorageClasses with migratable "true"',
    source:
      'longhorn/longhorn-manager:csi/util.go getVolumeOptions; ' +
      'harvester/harvester:deploy/charts/harvester/templates/harvester-storageclass.yaml',
    *judge(object, world) {
      for (const { name, storageClassName, accessModes } of claimsOf(object.manifest)) {
        // a VM with a volume of one host does not migrate anyway
        const isShared = itemsAt(accessModes).includes('ReadWriteMany');
        if (storageClassName === undefined || isLate(storageClassName) || !isShared) {
          continue;
        }
        const problem = notMigratable(
          world.find(object, GROUP_STORAGE, 'StorageClass', undefined, storageClassName)?.manifest,
        );
        if (problem) {
          yield { path: CLAIMS_PATH, value: { name, storageClassName }, ...problem };
        }
      }
    },
  },
  {
    id: 'virtual-machine/cloud-init-secret',
    level: 'warning',
    what: "the Secret with a VM's cloud-init has the key userdata, or networkdata, and is in the namespace of the VM",
    source: 'kubevirt/kubevirt:pkg/cloud-init/cloud-init.go resolveNoCloudSecrets',
    *judge(object, world) {
      const { namespace = 'default' } = object.manifest.metadata;
      for (const [index, volume] of records(instanceOf(object.manifest).volumes)) {
        for (const [kind, field, keys] of SECRET_KEYS) {
          const name = valueAt(volume, kind, field, 'name');
          if (typeof name !== 'string' || isLate(name)) {
            continue;
          }
          const path = `spec.template.spec.volumes[${index}].${kind}.${field}`;
          const secret = world.find(object, '', 'Secret', namespace, name);
          if (
            !secret &&
            !world.knows(object, '', 'Secret', namespace, name) &&
            knowsAny(world, object, 'Secret', namespace)
          ) {
            yield {
              path,
              value: name,
              message: `is not a known Secret in the namespace ${namespace}: unless it exists, the VM does not start`,
              fix: 'declare the Secret too',
            };
          }
          const held =
            secret &&
            ['data', 'stringData'].flatMap((part) => Object.keys(Object(secret.manifest[part])));
          if (held && !keys.some((key) => held.includes(key))) {
            const message = `must have the key ${keys[0]}: without it the VM does not start`;
            yield { path, value: name, message, fix: `add ${keys[0]} to the Secret` };
          }
        }
      }
    },
  },
  {
    id: 'virtual-machine/static-address',
    level: 'warning',
    what: 'a static address is that of a NIC in an overlay network, on Harvester 1.9 and later: any other has no effect',
    source:
      'harvester/harvester:pkg/webhook/resources/virtualmachineinstance/mutator.go generateKubeOVNAnnotations (1.9.0)',
    *judge(object, world) {
      const nics = nicsIn(object.manifest);
      for (const [key, value] of Object.entries(annotationsOf(object.manifest)).filter(([name]) =>
        name.startsWith(STATIC_ADDRESS_PREFIX),
      )) {
        const path = `metadata.annotations[${key}]`;
        const lacks = lacksFeature(object.target, HarvesterGate.STATIC_ADDRESSES);
        const name = key.slice(STATIC_ADDRESS_PREFIX.length);
        const nic = nics.find((each) => each.name === name);
        const [namespace, own] = nic?.network?.split('/') ?? [];
        const network =
          own === undefined
            ? undefined
            : world.find(object, GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT, namespace, own)
                ?.manifest;
        const isOther = network && labelsOf(network)[LABEL_NETWORK_TYPE] !== NETWORK_TYPE.OVERLAY;
        const unfit =
          nic?.isPod || isOther ? `the NIC ${name} is in no overlay network` : undefined;
        const why = lacks ?? (nic ? unfit : `the VM has no NIC ${name}`);
        if (why !== undefined) {
          yield { path, value, message: `has no effect: ${why}`, fix: 'remove it' };
        }
      }
    },
  },
  {
    id: 'virtual-machine/access-credentials',
    what: 'SSH keys that the guest agent sets are for at least one user',
    source:
      'kubevirt/kubevirt:pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go validateAccessCredentials',
    *judge({ manifest }) {
      for (const [index, credential] of records(instanceOf(manifest).accessCredentials)) {
        const agent = valueAt(credential, 'sshPublicKey', 'propagationMethod', 'qemuGuestAgent');
        const users = valueAt(agent, 'users');
        if (agent === undefined || itemsAt(users).length > 0) {
          continue;
        }
        const path = `spec.template.spec.accessCredentials[${index}]`;
        yield {
          path: `${path}.sshPublicKey.propagationMethod.qemuGuestAgent.users`,
          message: 'must name at least one user',
          fix: 'set the users of the guest that get the keys',
          says: `${path} requires at least one user to be present in the users list`,
        };
      }
    },
  },
]);
