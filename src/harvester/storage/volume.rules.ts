import { VOLUME_DESCRIPTION } from './volume.kind';
import { immutableRule } from '../../core/immutable/immutable-fields.rules';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, Manifest, objectLabel, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { quantityOf } from '../../core/text/values';
import { specOf } from '../context.rules';
import { ANNOTATION_IMAGE_ID, GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE } from '../virtual-machine/virtual-machine.kind';
import { claimNamesOf, isHarvesters } from '../virtual-machine/volume-claims.check';

const KINDS = ['/PersistentVolumeClaim'];
const VALIDATOR = 'harvester/harvester:pkg/webhook/resources/persistentvolumeclaim/validator.go';

const storageOf = (claim: unknown): unknown => valueAt(claim, 'spec', 'resources', 'requests', 'storage');

const IMAGE: Rule = {
  id: 'volume/image',
  level: 'warning',
  kinds: KINDS,
  what: 'a standalone volume can be created only from an image of the backend backingimage, with its StorageClass',
  source: 'harvester/harvester:pkg/controller/master/virtualmachine/vm_controller.go createPVCsFromAnnotation',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const imageId = annotationsOf(object.manifest)[ANNOTATION_IMAGE_ID];
    if (!isHarvesters(object) || typeof imageId !== 'string' || isLate(imageId) || world.exists(object)) { return; }
    const path = `metadata.annotations[${ANNOTATION_IMAGE_ID}]`;
    const [namespace, name = ''] = imageId.split('/');
    const image = world.find(object, GROUPS.HARVESTER, 'VirtualMachineImage', namespace, name);
    if (specOf(object.manifest).storageClassName === undefined) {
      yield {
        path: 'spec.storageClassName',
        message: 'must be set: with the default class the volume is empty',
        fix: `set the StorageClass of the image ${imageId}`,
      };
    } else if (image && specOf(image.manifest).backend === 'cdi') {
      yield {
        path,
        value: imageId,
        message: 'cannot be an image of the backend cdi, with which Harvester fills only disks of VMs: this volume remains empty',
        fix: 'declare it as a disk of a VM',
      };
    }
  },
};

const IMMUTABLE = immutableRule('volume/update', VOLUME_DESCRIPTION);

const UPDATE: Rule = {
  ...IMMUTABLE,
  *judgeUpdate(object: JudgedObject, before: Manifest, world: World): Iterable<Problem> {
    if (!isHarvesters(object)) { return; }
    const [size, old] = [quantityOf(storageOf(object.manifest)), quantityOf(storageOf(before))];
    if (size !== undefined && old !== undefined && size < old) {
      yield {
        path: 'spec.resources.requests.storage',
        value: storageOf(object.manifest),
        message: `must be at least ${String(storageOf(before))}, the current size`,
        fix: `set ${String(storageOf(before))} or more`,
        says: 'field can not be less than status.capacity',
      };
    }
    yield* IMMUTABLE.judgeUpdate(object, before, world);
  },
};

const DELETION: Rule = {
  id: 'volume/deletion',
  level: 'warning',
  kinds: KINDS,
  what: 'a volume that is no longer declared is deleted with its data; Harvester refuses that while a virtual machine uses it',
  source: `${VALIDATOR} Delete`,
  *judgeDeletion(gone: JudgedObject, world: World): Iterable<Problem> {
    if (!isHarvesters(gone)) { return; }
    const { name, namespace = 'default' } = gone.manifest.metadata;
    const user = world.beside(gone, GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE).find(({ manifest }) => (
      (manifest.metadata.namespace ?? 'default') === namespace && claimNamesOf(manifest).includes(name)));
    yield user ? {
      path: '',
      level: 'error',
      message: `cannot be deleted while ${objectLabel(user.manifest)} uses it`,
      fix: 'remove it from the VM in an earlier step',
      says: `can not delete the volume ${name} which is currently attached to VM: ${namespace}/${user.manifest.metadata.name}`,
    } : { path: '', message: 'is no longer declared: it is deleted with its data', fix: 'keep the volume, or back up its data' };
  },
};

/** Rules on standalone volumes of a Harvester. */
export const VOLUME_RULES: readonly Rule[] = [IMAGE, UPDATE, DELETION];
