import {
  Draft,
  DraftProps,
  DraftValue,
  FoundObject,
  StaticCall,
  call,
  enumValue,
  optional,
  refer,
  sizeCall,
  unless,
} from '../../core/draft/draft';
import {
  annotationsOf,
  Fields,
  isRecord,
  kindKey,
  records,
  valueAt,
} from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { filledText } from '../../core/text/plain-text';
import { jsonOf } from '../../core/text/values';
import { GROUP_STORAGE } from '../storage/storage.kind';
import {
  ANNOTATION_IMAGE_ID,
  ANNOTATION_REMOVED_CLAIMS,
  ANNOTATION_VOLUME_CLAIMS,
  CLOUD_INIT_VOLUME,
  GROUP_KUBEVIRT,
  KIND_VIRTUAL_MACHINE,
  SYSPREP_VOLUME,
  instanceOf,
} from '../virtual-machine/machine-manifest.facts';

/** The kind of an image. */
export const VM_IMAGE = kindKey(GROUPS.HARVESTER, 'VirtualMachineImage');

/** The kind of a claim of a volume. */
export const VOLUME_KIND = '/PersistentVolumeClaim';

/** The kind of a virtual machine. */
export const VIRTUAL_MACHINE = kindKey(GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE);

/** The kind of a StorageClass. */
export const STORAGE_CLASS_KIND = kindKey(GROUP_STORAGE, 'StorageClass');

/** The claims from which Harvester creates the volumes of a VM, by name. */
export function claimsIn({ manifest }: FoundObject): ReadonlyMap<string, Fields> {
  const list = jsonOf(annotationsOf(manifest)[ANNOTATION_VOLUME_CLAIMS]);
  return new Map(
    records(list).map(([, claim]) => [filledText(valueAt(claim, 'metadata', 'name')) ?? '', claim]),
  );
}

/** A reference to the image of a name as `<namespace>/<name>`. */
export function imageProp(object: FoundObject, id: string): DraftValue {
  const [namespace, name] = id.split('/');
  return refer(object, VM_IMAGE, name ?? '', namespace);
}

/**
 * The disks of a VM, except for those of cloud-init, sysprep, and other volumes.
 *
 * @param isSparse whether the VM has nothing but its props
 */
export function disksOf(object: FoundObject, isSparse = false): readonly StaticCall[] {
  const instance = instanceOf(object.manifest);
  const volumes = new Map(records(instance.volumes).map(([, volume]) => [volume.name, volume]));
  const claims = claimsIn(object);
  const removed = String(annotationsOf(object.manifest)[ANNOTATION_REMOVED_CLAIMS] ?? '').split(
    ',',
  );
  const all = records(instance, 'domain', 'devices', 'disks');
  // constructs write that of cloud-init last: disks that were plugged in later are added to them
  const last = all.findIndex(
    ([, { name }]) => name === CLOUD_INIT_VOLUME || name === SYSPREP_VOLUME,
  );
  return all.slice(0, last === -1 ? undefined : last).flatMap(
    ([index, disk]) =>
      diskOf({
        ...{ object, index, disk, claims, removed, isSparse },
        volume: volumes.get(disk.name),
      }) ?? [],
  );
}

interface Place {
  readonly object: FoundObject;
  readonly index: number;
  readonly disk: Fields;
  readonly volume: Fields | undefined;
  readonly claims: ReadonlyMap<string, Fields>;
  readonly removed: readonly string[];
  readonly isSparse: boolean;
}

function diskOf(place: Place): StaticCall | undefined {
  const { object, disk, volume, claims } = place;
  const isCdRom = isRecord(disk.cdrom);
  const container = filledText(valueAt(volume, 'containerDisk', 'image'));
  if (container !== undefined) {
    const pullPolicy = enumValue(
      'DiskPullPolicy',
      unless(valueAt(volume, 'containerDisk', 'imagePullPolicy') ?? 'ByTag', 'IfNotPresent'),
    );
    return make(isCdRom ? 'containerCdRom' : 'container', [container], {
      ...optionsOf(place),
      pullPolicy,
    });
  }
  if (isCdRom && !volume) {
    return make('emptyCdRom', [], driveOptionsOf(place));
  }
  const claimName = filledText(valueAt(volume, 'persistentVolumeClaim', 'claimName'));
  if (claimName === undefined) {
    return undefined;
  }
  const claim = claims.get(claimName);
  if (!claim) {
    return make(
      'volume',
      [refer(object, VOLUME_KIND, claimName, object.manifest.metadata.namespace)],
      optionsOf(place),
    );
  }
  const size = sizeCall(valueAt(claim, 'spec', 'resources', 'requests', 'storage'));
  const options = {
    ...optionsOf(place),
    volumeName: unless(claimName, `${object.manifest.metadata.name}-${String(disk.name)}`),
    ...volumeForm(claim),
    deleteWithMachine: place.removed.includes(claimName) ? true : undefined,
  };
  const image = filledText(valueAt(claim, 'metadata', 'annotations', ANNOTATION_IMAGE_ID));
  if (image !== undefined) {
    return make(isCdRom ? 'cdRom' : 'image', [imageProp(object, image), size], options);
  }
  const storageClass = filledText(valueAt(claim, 'spec', 'storageClassName'));
  return make('empty', [size], {
    ...options,
    storageClass:
      storageClass === undefined ? undefined : refer(object, STORAGE_CLASS_KIND, storageClass),
  });
}

function make(method: string, args: readonly DraftValue[], options: DraftProps): StaticCall {
  return call('Disk', method, ...args, ...optional(options));
}

function optionsOf({ index, disk, volume, isSparse }: Place): DraftProps {
  const isCdRom = isRecord(disk.cdrom);
  const hotPluggable =
    valueAt(volume, 'persistentVolumeClaim', 'hotpluggable') === true ? true : undefined;
  const bus = valueAt(isCdRom ? disk.cdrom : disk.disk, 'bus');
  const diskBus = hotPluggable ? 'scsi' : 'virtio';
  return {
    ...driveOptionsOf({ index, disk, isSparse }),
    bus: enumValue('DiskBus', unless(bus, isCdRom ? 'sata' : diskBus)),
    hotPluggable,
    cache: enumValue('DiskCache', disk.cache),
    shareable: disk.shareable === true ? true : undefined,
  };
}

function driveOptionsOf({
  index,
  disk,
  isSparse,
}: Pick<Place, 'index' | 'disk' | 'isSparse'>): DraftProps {
  const bootOrder = typeof disk.bootOrder === 'number' ? disk.bootOrder : 0;
  return {
    name: unless(filledText(disk.name), `disk-${index}`),
    bootOrder: unless(bootOrder, isSparse ? 0 : index + 1),
  };
}

/** How a claim is used, except for the defaults. */
export function volumeForm(claim: Fields): Draft['props'] {
  const modes = valueAt(claim, 'spec', 'accessModes');
  return {
    accessMode: enumValue(
      'VolumeAccessMode',
      Array.isArray(modes) ? unless(modes[0], 'ReadWriteMany') : undefined,
    ),
    volumeMode: enumValue('VolumeMode', unless(valueAt(claim, 'spec', 'volumeMode'), 'Block')),
  };
}
