import { reservedClassProblem } from './reserved-class.check';
import { itemsAt, kindKey, specOf } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import {
  CLAIMS_PATH,
  claimsOf,
  isHarvesters,
  MACHINE_KINDS,
} from '../virtual-machine/machine-manifest.facts';

const SOURCE =
  'harvester/harvester:pkg/webhook/resources/persistentvolumeclaim/validator.go validateInternalUsage; ' +
  'harvester/harvester#8561, #9366';
const FIELD = 'spec.storageClassName';

/** Rules on the StorageClasses that Harvester keeps for itself. */
export const RESERVED_CLASS_RULES = rules({ source: SOURCE, creation: true }, [
  {
    id: 'volume/reserved-class',
    what: 'a volume has no StorageClass that Harvester keeps for itself: longhorn-static (refused from 1.7.0 on), vmstate-persistence (from 1.8.0 on)',
    kinds: ['/PersistentVolumeClaim'],
    surelyOn: 'harvester',
    // KubeVirt and the upgrade own those that are accepted
    when: ({ manifest }) => itemsAt(manifest, 'metadata', 'ownerReferences').length === 0,
    field: FIELD,
    check: (_, name, { target }) => reservedClassProblem(name, target),
  },
  {
    id: 'virtual-machine/reserved-class',
    what: 'a disk of a virtual machine has no StorageClass that Harvester keeps for itself',
    kinds: MACHINE_KINDS,
    when: isHarvesters,
    *judge({ manifest, target }) {
      for (const { storageClassName } of claimsOf(manifest)) {
        const problem = reservedClassProblem(storageClassName, target);
        if (problem) {
          yield { path: CLAIMS_PATH, ...problem };
        }
      }
    },
  },
  {
    id: 'image/reserved-class',
    what: 'the volumes of an image have no StorageClass that Harvester keeps for itself',
    kinds: [kindKey(GROUPS.HARVESTER, 'VirtualMachineImage')],
    field: 'spec.targetStorageClassName',
    check: (_, name, { manifest, target }) => {
      const problem = reservedClassProblem(name, target);
      // Longhorn creates a backing image without a claim
      return specOf(manifest).backend === 'cdi' || !problem
        ? problem
        : { ...problem, level: 'warning' };
    },
  },
]);
