import { macAddressPath } from './mac-address';
import { Card, MACHINE_KINDS, VM_VALIDATOR, cardsOf, instanceOf, isHarvesters, nameOf, records } from './virtual-machine-context.rules';
import { GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE } from './virtual-machine.kind';
import { CLAIMS_PATH, claimNamesOf, claimsOf } from './volume-claims.check';
import { isLate } from '../../core/late/late-token';
import { Manifest, valueAt } from '../../core/manifest/manifest';
import { labelsOf } from '../../core/manifest/metadata';
import { GROUPS } from '../../core/manifest/names';
import { knowsAny } from '../../core/rule/known-objects';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { GateId } from '../../core/version/gate-id';
import { CLOUD_INIT_KEYS } from '../cloud-init/cloud-init.kind';
import { LABEL_CLUSTER_NETWORK } from '../cluster-network/cluster-network.kind';
import { harvesterHas, perTarget, specOf } from '../context.rules';
import { imageClassByName } from '../image/vm-image.kind';
import { GROUP_ATTACHMENT, STORAGE_NETWORK } from '../network/vm-network.kind';
import { BUILT_IN_STORAGE_CLASSES, GROUP_STORAGE, LONGHORN_PROVISIONER } from '../storage/host-storage-class.kind';

/** The first machine that has each volume on a disk of its own, by `<namespace>/<claim>`. */
const firstByClaim = perTarget(GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE, (machines) => {
  const first = new Map<string, JudgedObject>();
  for (const machine of machines) {
    const shared = harvesterHas(machine.target, GateId.VOLUME_SHARED) === false ? new Set<string>() : sharedClaimsOf(machine.manifest);
    for (const claim of claimNamesOf(machine.manifest).filter((name) => !shared.has(name))) {
      const key = `${machine.manifest.metadata.namespace ?? 'default'}/${claim}`;
      if (!first.has(key)) { first.set(key, machine); }
    }
  }
  return first;
});

/** The claims whose disks say that other machines may have them too. */
function sharedClaimsOf(machine: Manifest): Set<string> {
  const instance = instanceOf(machine);
  const disks = records(valueAt(instance, 'domain', 'devices', 'disks')).flatMap(([, { name, shareable }]) => (shareable === true ? [name] : []));
  const claims = records(instance.volumes).filter(([, { name }]) => disks.includes(name)).map(([, volume]) => valueAt(volume, 'persistentVolumeClaim', 'claimName'));
  return new Set(claims.filter((claim): claim is string => typeof claim === 'string'));
}

/** Whether a claim is known to be a volume that many may write and that is not Longhorn's, which cannot serve several machines. */
function isShareable(object: JudgedObject, world: World, claim: string): boolean {
  const volume = world.find(object, '', 'PersistentVolumeClaim', object.manifest.metadata.namespace ?? 'default', claim)?.manifest;
  const [modes, name] = ['accessModes', 'storageClassName'].map((field) => valueAt(volume, 'spec', field));
  if (harvesterHas(object.target, GateId.VOLUME_SHARED) === false || !Array.isArray(modes) || !modes.includes('ReadWriteMany')) { return false; }
  // without one it is of the default class, which is Longhorn's
  if (typeof name !== 'string' || BUILT_IN_STORAGE_CLASSES.includes(name)) { return false; }
  // of a class that is not known, the server knows more
  return world.find(object, GROUP_STORAGE, 'StorageClass', undefined, name)?.manifest.provisioner !== LONGHORN_PROVISIONER;
}

const VOLUME_TWICE: Rule = {
  id: 'virtual-machine/volume-twice',
  level: 'error',
  kinds: MACHINE_KINDS,
  what: 'a volume is a disk of one virtual machine, unless its disks are shareable, or it is one for many writers of another driver than Longhorn',
  source: `${VM_VALIDATOR} checkOccupiedPVCs`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (!isHarvesters(object)) { return; }
    const first = firstByClaim(object, world);
    for (const [index, volume] of records(instanceOf(object.manifest).volumes)) {
      const claim = valueAt(volume, 'persistentVolumeClaim', 'claimName');
      if (typeof claim !== 'string' || isLate(claim)) { continue; }
      const other = first.get(`${object.manifest.metadata.namespace ?? 'default'}/${claim}`);
      if (!other || nameOf(other.manifest) === nameOf(object.manifest) || isShareable(object, world, claim)) { continue; }
      yield {
        path: `spec.template.spec.volumes[${index}].persistentVolumeClaim.claimName`,
        value: claim,
        message: `is a volume of the machine ${other.manifest.metadata.name} already`,
        fix: 'give each machine volumes of its own',
        says: harvesterHas(object.target, GateId.VOLUME_SHARED) === false
          ? `the volume ${claim} is already used by VM ${nameOf(other.manifest)}`
          : `PVC ${object.manifest.metadata.namespace ?? 'default'}/${claim} is already used by other VM, please use a shareable RWX volume.`,
      };
    }
  },
};

const clusterNetworks = perTarget(GROUP_ATTACHMENT, 'NetworkAttachmentDefinition', (networks) => (
  new Map(networks.map(({ manifest }) => [nameOf(manifest), labelsOf(manifest)[LABEL_CLUSTER_NETWORK]]))));

/** Where an address counts: the cluster network that carries the network, as far as it is known. Cards of pods count as one. */
function domainOf({ network, isPod }: Card, known: ReadonlyMap<string, unknown>): string | undefined {
  if (isPod) { return 'management network'; }
  const carrier = network === undefined ? undefined : known.get(network);
  return typeof carrier === 'string' ? `cluster network ${carrier}` : network;
}

interface Address { readonly machine: JudgedObject; readonly card: Card }

const addresses = perTarget(GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE, (machines) => {
  const byMac = new Map<string, Address[]>();
  for (const machine of machines) {
    for (const card of cardsOf(machine.manifest)) {
      if (card.mac === undefined || isLate(card.mac)) { continue; }
      byMac.set(card.mac, [...byMac.get(card.mac) ?? [], { machine, card }]);
    }
  }
  return byMac;
});

const MAC_TWICE: Rule = {
  id: 'virtual-machine/mac-twice',
  level: 'error',
  kinds: MACHINE_KINDS,
  what: 'a hardware address stands once on a cluster network',
  source: `${VM_VALIDATOR} checkForDuplicateMacAddrs`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (!isHarvesters(object)) { return; }
    const known = clusterNetworks(object, world);
    const byMac = addresses(object, world);
    for (const card of cardsOf(object.manifest)) {
      const domain = domainOf(card, known);
      if (card.mac === undefined || domain === undefined) { continue; }
      const first = byMac.get(card.mac)?.find(({ card: other }) => domainOf(other, known) === domain);
      if (!first || nameOf(first.machine.manifest) === nameOf(object.manifest)) { continue; }
      yield {
        path: macAddressPath(card.index),
        value: card.mac,
        message: `is that of the machine ${first.machine.manifest.metadata.name} on the same network`,
        fix: 'give each card another; one that names none gets a derived address',
        says: `duplicate mac address present for vm ${object.manifest.metadata.name} for cluster network`,
      };
    }
  },
};

const MAC_MISSING: Rule = {
  id: 'virtual-machine/mac-address',
  level: 'warning',
  kinds: MACHINE_KINDS,
  what: 'a network card has a hardware address: Harvester makes up another one at each server-side apply of a card without',
  source: 'harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go patchInterfaceMacAddress; seen on Harvester 1.7.2',
  *judge(object: JudgedObject): Iterable<Problem> {
    if (!isHarvesters(object)) { return; }
    for (const { index, name, mac } of cardsOf(object.manifest)) {
      if (mac !== undefined) { continue; }
      yield {
        path: macAddressPath(index),
        message: `is missing on card ${name || index}: each server-side apply replaces the list of cards, Harvester makes up a new address, and the machine has it after its next start`,
        fix: 'set a hardware address, that of the live machine where it is there already',
      };
    }
  },
};

const NETWORK: Rule = {
  id: 'virtual-machine/network',
  level: 'error',
  kinds: MACHINE_KINDS,
  what: 'a network card is not in the network of the storage, and not in one whose name has several slashes',
  source: `${VM_VALIDATOR} getClusterNetworkForNad`,
  *judge(object: JudgedObject): Iterable<Problem> {
    if (!isHarvesters(object)) { return; }
    for (const [index, network] of records(instanceOf(object.manifest).networks)) {
      const name = valueAt(network, 'multus', 'networkName');
      if (typeof name !== 'string' || isLate(name)) { continue; }
      const path = `spec.template.spec.networks[${index}].multus.networkName`;
      if (name.split('/').length > 2) {
        yield { path, value: name, message: 'is no network', fix: 'give <namespace>/<name>', says: `invalid network name ${name}` };
      } else if (name.startsWith(`${STORAGE_NETWORK.NAMESPACE}/${STORAGE_NETWORK.PREFIX}`)) {
        yield {
          path,
          value: name,
          level: 'warning',
          message: 'is the network of the storage, which then is open to the machine',
          fix: 'use a network of virtual machines',
        };
      }
    }
  },
};

const IMAGE: Rule = {
  id: 'virtual-machine/image',
  level: 'warning',
  kinds: MACHINE_KINDS,
  what: 'a volume that begins as an image has the StorageClass of that image: with another class it is empty',
  source: 'harvester/harvester:pkg/util/storageclass.go GetImageStorageClassName; pkg/controller/master/virtualmachine/vm_controller.go',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (!isHarvesters(object)) { return; }
    for (const { name, imageId, storageClassName } of claimsOf(object.manifest)) {
      const [namespace, image] = imageId?.split('/') ?? [];
      if (!image || storageClassName === undefined || isLate(storageClassName) || isLate(imageId)) { continue; }
      const found = world.find(object, GROUPS.HARVESTER, 'VirtualMachineImage', namespace, image);
      if (!found) { continue; }
      // of other backends the class is one that people choose
      if ((specOf(found.manifest).backend ?? 'backingimage') !== 'backingimage') { continue; }
      const own = valueAt(found.manifest, 'status', 'storageClassName');
      const byName = storageClassName === imageClassByName(image) || storageClassName.startsWith('lh-');
      if (typeof own === 'string' ? own !== storageClassName : !byName) {
        yield {
          path: CLAIMS_PATH,
          value: { name, storageClassName },
          message: `is not the StorageClass of the image ${imageId}: the volume is empty, and nothing starts from it`,
          fix: `give ${typeof own === 'string' ? own : `its status.storageClassName, ${imageClassByName(image)} before Harvester 1.8`}`,
        };
      }
    }
  },
};

const SECRET: Rule = {
  id: 'virtual-machine/cloud-init-secret',
  level: 'warning',
  kinds: MACHINE_KINDS,
  what: 'the Secret of a machine\'s cloud-init has the key userdata, or networkdata, and is in its namespace',
  source: 'kubevirt/kubevirt:pkg/cloud-init/cloud-init.go resolveNoCloudSecrets',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (!isHarvesters(object)) { return; }
    const { namespace = 'default' } = object.manifest.metadata;
    for (const [index, volume] of records(instanceOf(object.manifest).volumes)) {
      for (const [kind, field, keys] of SECRET_KEYS) {
        const name = valueAt(volume, kind, field, 'name');
        if (typeof name !== 'string' || isLate(name)) { continue; }
        const path = `spec.template.spec.volumes[${index}].${kind}.${field}`;
        const secret = world.find(object, '', 'Secret', namespace, name);
        if (!secret && !world.knows(object, '', 'Secret', namespace, name) && knowsAny(world, object, '', 'Secret', namespace)) {
          yield {
            path,
            value: name,
            message: `is no Secret of the namespace ${namespace} that is known here: unless it is there already, the machine does not start`,
            fix: 'declare it too',
          };
        }
        const held = secret && ['data', 'stringData'].flatMap((part) => Object.keys(Object(secret.manifest[part])));
        if (held && !keys.some((key) => held.includes(key))) {
          yield { path, value: name, message: `has no key ${keys[0]}, and the machine does not start`, fix: `add ${keys[0]} to the Secret` };
        }
      }
    }
  },
};

const SECRET_KEYS = ['cloudInitNoCloud', 'cloudInitConfigDrive'].flatMap((kind) => [
  [kind, 'secretRef', [CLOUD_INIT_KEYS.USER, 'userData']], [kind, 'networkDataSecretRef', [CLOUD_INIT_KEYS.NETWORK, 'networkData']],
] as const);

/** Rules on virtual machines and what is beside them. */
export const MACHINE_RELATION_RULES: readonly Rule[] = [VOLUME_TWICE, MAC_TWICE, MAC_MISSING, NETWORK, IMAGE, SECRET];
