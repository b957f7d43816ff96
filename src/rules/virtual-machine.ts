import { JudgedObject, Rule } from './rule';
import { cardsOf, isHarvesters, MACHINE_KINDS, VM_VALIDATOR } from './virtual-machine-context';
import { MACHINE_RELATION_RULES } from './virtual-machine-relations';
import { MACHINE_UPDATE_RULES } from './virtual-machine-updates';
import { labelsOf } from '../model/checks/metadata-maps';
import { VM_CREATOR_DRIVER, VM_LABEL_CREATOR, VM_LABEL_GUEST_CLUSTER } from '../model/guest-names';
import { isLate } from '../model/late-token';
import { valueAt } from '../model/manifest';
import { Problem } from '../model/problem';
import { checkMachine } from '../model/virtual-machine/check-machine';
import { claimNamesOf, claimsOf, CLAIMS_PATH } from '../model/virtual-machine/claims';
import { LABEL_MAINTENANCE, MAINTENANCE_STRATEGIES, NIC_PREFIX } from '../model/virtual-machine/names';

const SPEC: Rule = {
  id: 'virtual-machine/spec',
  level: 'error',
  kinds: MACHINE_KINDS,
  what: 'a virtual machine has memory, one way of running, claims that can be read, and disks and network cards that fit together',
  source: `${VM_VALIDATOR}; kubevirt/kubevirt:pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go; seen on Harvester 1.7.2`,
  *judge(object: JudgedObject): Iterable<Problem> {
    if (isHarvesters(object)) { yield* checkMachine(object.manifest); }
  },
};

const CLAIMS: Rule = {
  id: 'virtual-machine/claims',
  level: 'warning',
  kinds: MACHINE_KINDS,
  what: 'claims that a virtual machine brings along are its disks, each once, and a claim with an image has the StorageClass of it',
  source: 'harvester/harvester:pkg/controller/master/virtualmachine/vm_controller.go createPVCsFromAnnotation',
  *judge(object: JudgedObject): Iterable<Problem> {
    if (!isHarvesters(object)) { return; }
    const used = new Set(claimNamesOf(object.manifest));
    const seen = new Set<string>();
    for (const { name, imageId, storageClassName } of claimsOf(object.manifest)) {
      if (isLate(name)) { continue; }
      if (seen.has(name)) {
        yield {
          path: CLAIMS_PATH,
          value: name,
          message: 'is the name of two claims, of which the first is made',
          fix: 'give each claim another name',
        };
      } else if (!used.has(name)) {
        yield {
          path: CLAIMS_PATH,
          value: name,
          message: 'is made, and is no volume of the machine',
          fix: 'name it in spec.template.spec.volumes, or leave it out',
        };
      }
      if (imageId !== undefined && storageClassName === undefined) {
        yield {
          path: CLAIMS_PATH,
          value: name,
          message: `names the image ${imageId} and no StorageClass: with the default class the volume is empty`,
          fix: 'give the StorageClass of the image, its status.storageClassName',
        };
      }
      seen.add(name);
    }
  },
};

const GUEST: Rule = {
  id: 'virtual-machine/guest-labels',
  level: 'warning',
  kinds: MACHINE_KINDS,
  what: 'a node of a guest cluster has the labels of one on itself and in its template, and a network card called nic-<number>',
  source: 'https://docs.harvesterhci.io/latest/rancher/cloud-provider',
  *judge(object: JudgedObject): Iterable<Problem> {
    if (!isHarvesters(object)) { return; }
    const { manifest } = object;
    const [own, template] = [labelsOf(manifest), valueAt(manifest, 'spec', 'template', 'metadata', 'labels')];
    const cluster = own[VM_LABEL_GUEST_CLUSTER] ?? valueAt(template, VM_LABEL_GUEST_CLUSTER);
    if (typeof cluster !== 'string' || cluster === '' || isLate(cluster)) { return; }
    const expected = { [VM_LABEL_GUEST_CLUSTER]: cluster, [VM_LABEL_CREATOR]: VM_CREATOR_DRIVER };
    for (const [key, value] of Object.entries(expected)) {
      for (const [path, labels] of [['metadata.labels', own], ['spec.template.metadata.labels', template]] as const) {
        const given = valueAt(labels, key);
        if (given === value || isLate(given)) { continue; }
        yield {
          path: `${path}[${key}]`,
          ...(given === undefined ? {} : { value: given }),
          message: `is not ${value}, by which Harvester and the cloud provider know a node of ${cluster}`,
          fix: `write ${key}: ${value} there`,
        };
      }
    }
    const names = cardsOf(manifest).map(({ name }) => name);
    if (names.length > 0 && !names.some((name) => /^nic-\d+$/.test(name))) {
      yield {
        path: 'spec.template.spec.domain.devices.interfaces',
        value: names,
        message: `has no card called ${NIC_PREFIX}<number>`,
        fix: 'call the cards of a node nic-0, nic-1 and so on',
      };
    }
  },
};

const MAINTENANCE: Rule = {
  id: 'virtual-machine/maintenance',
  level: 'warning',
  kinds: MACHINE_KINDS,
  what: 'the label maintain-mode-strategy has a value that Harvester knows: with another one the machine migrates',
  source: 'harvester/harvester:pkg/util/constants.go MaintainModeStrategy',
  *judge(object: JudgedObject): Iterable<Problem> {
    const value = labelsOf(object.manifest)[LABEL_MAINTENANCE];
    if (!isHarvesters(object) || value === undefined || isLate(value) || MAINTENANCE_STRATEGIES.includes(value as string)) { return; }
    yield {
      path: `metadata.labels[${LABEL_MAINTENANCE}]`,
      value,
      message: 'is no strategy for maintenance',
      fix: `use ${MAINTENANCE_STRATEGIES.join(', ')}`,
    };
  },
};

/** Rules on virtual machines. */
export const VIRTUAL_MACHINE_RULES: readonly Rule[] = [SPEC, CLAIMS, GUEST, MAINTENANCE, ...MACHINE_RELATION_RULES, ...MACHINE_UPDATE_RULES];
