import {
  ANNOTATION_CDI,
  ANNOTATION_DEFAULT_CLASS,
  CSI_SECRET_PAIRS,
  GROUP_SNAPSHOT,
  GROUP_STORAGE,
  LONGHORN,
  LONGHORN_PROVISIONER,
  LVM_PROVISIONER,
  LVM_TOPOLOGY_KEY,
} from './storage.kind';
import { TargetKind } from '../../core/construct/target';
import {
  Draft,
  DraftProps,
  EnumValue,
  FoundObject,
  call,
  enumValue,
  booleanAt,
  byName,
  declare,
  Inverse,
  inverseOf,
  listAt,
  mapAt,
  refer,
  textAt,
  unless,
} from '../../core/draft/draft';
import { Manifest, annotationsOf, isRecord } from '../../core/manifest/manifest';
import { filledFields, filledList, jsonOf } from '../../core/text/values';
import { ANNOTATION_DEFAULT_SNAPSHOT_CLASS } from '../../guest/cloud-provider/cloud-provider.kind';
import { descriptionProp } from '../harvester-object.adopt';

type Parameters = { readonly [key: string]: string };

/** From a StorageClass of a Harvester to the construct. */
export const HOST_STORAGE_CLASS_INVERSE: Inverse = {
  kinds: [`${GROUP_STORAGE}/StorageClass`],
  on: TargetKind.HARVESTER,
  drafts: (object) => [draftOf(object, driverOf(object)), draftOf(object, csiDriver(object))],
  // @see https://kubernetes.io/docs/concepts/storage/storage-classes/
  defaults: { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
  existing: byName('HarvesterStorageClass'),
};

/** From a VolumeSnapshotClass of a Harvester to the construct. */
export const HOST_VOLUME_SNAPSHOT_CLASS_INVERSE = inverseOf(
  'HarvesterVolumeSnapshotClass',
  `${GROUP_SNAPSHOT}/VolumeSnapshotClass`,
  (manifest, object) => ({
    ...descriptionProp(object),
    provisioner: textAt(manifest, 'driver') ?? '',
    parameters: mapAt(manifest, 'parameters'),
    deletionPolicy: enumValue(
      'ReclaimPolicy',
      unless(textAt(manifest, 'deletionPolicy'), 'Delete'),
    ),
    isDefault: annotationsOf(manifest)[ANNOTATION_DEFAULT_SNAPSHOT_CLASS] === 'true' || undefined,
  }),
  {
    on: TargetKind.HARVESTER,
  },
);

function draftOf(object: FoundObject, driver: DraftProps[string]): Draft {
  const { manifest } = object;
  const isLvm = textAt(manifest, 'provisioner') === LVM_PROVISIONER;
  const topologies = topologiesOf(manifest).filter(({ key }) => !isLvm || key !== LVM_TOPOLOGY_KEY);
  return declare(object, 'HarvesterStorageClass', {
    ...descriptionProp(object),
    driver,
    isDefault: annotationsOf(manifest)[ANNOTATION_DEFAULT_CLASS] === 'true' ? true : undefined,
    reclaimPolicy: enumValue('ReclaimPolicy', unless(textAt(manifest, 'reclaimPolicy'), 'Delete')),
    volumeBindingMode: enumValue(
      'VolumeBindingMode',
      unless(textAt(manifest, 'volumeBindingMode'), isLvm ? 'WaitForFirstConsumer' : 'Immediate'),
    ),
    allowVolumeExpansion: unless(booleanAt(manifest, 'allowVolumeExpansion') ?? false, true),
    allowedTopologies:
      topologies.length > 0 ? topologies.map(({ key, values }) => ({ key, values })) : undefined,
    mountOptions: filledList(listAt(manifest, 'mountOptions')),
    cdi: cdiOf(object),
  });
}

function topologiesOf(
  manifest: Manifest,
): readonly { readonly key: string; readonly values: readonly string[] }[] {
  const terms = listAt(manifest, 'allowedTopologies')
    .filter(isRecord)
    .flatMap(({ matchLabelExpressions }) => matchLabelExpressions ?? []);
  return terms.filter((each) => isRecord(each) && Array.isArray(each.values)) as {
    key: string;
    values: string[];
  }[];
}

/** Parameters that constructs for Longhorn write, whatever their props. */
const ALWAYS_WRITTEN = [LONGHORN.REPLICAS, LONGHORN.STALE_TIMEOUT, LONGHORN.MIGRATABLE];

function driverOf(object: FoundObject): DraftProps[string] {
  const { manifest } = object;
  const parameters = (mapAt(manifest, 'parameters') ?? {}) as Parameters;
  switch (textAt(manifest, 'provisioner')) {
    case LONGHORN_PROVISIONER:
      return ALWAYS_WRITTEN.every((key) => key in parameters)
        ? longhorn(object, parameters)
        : csiDriver(object);
    case LVM_PROVISIONER: {
      const [node] = topologiesOf(manifest)
        .filter(({ key }) => key === LVM_TOPOLOGY_KEY)
        .flatMap(({ values }) => values);
      return call('StorageDriver', 'lvm', {
        node: refer(object, '/Node', node ?? ''),
        volumeGroup: parameters.vgName,
        type: enumValue('LvmType', parameters.type),
      });
    }
    default:
      return csiDriver(object);
  }
}

function csiDriver({ manifest }: FoundObject): DraftProps[string] {
  const parameters = mapAt(manifest, 'parameters') as Parameters | undefined;
  const provisioner = textAt(manifest, 'provisioner') ?? '';
  return parameters
    ? call('StorageDriver', 'csi', provisioner, { parameters })
    : call('StorageDriver', 'csi', provisioner);
}

function longhorn(object: FoundObject, parameters: Parameters): DraftProps[string] {
  const list = (text: string | undefined): readonly string[] | undefined => text?.split(',');
  const [pair] = CSI_SECRET_PAIRS;
  const isEncrypted =
    parameters[LONGHORN.ENCRYPTED] === 'true' &&
    CSI_SECRET_PAIRS.every(({ name }) => parameters[name] === parameters[pair.name]) &&
    pair.name in parameters;
  const ofSecret = isEncrypted
    ? CSI_SECRET_PAIRS.flatMap(({ name, namespace }) => [name, namespace])
    : [];
  const known: readonly string[] = [...Object.values(LONGHORN), ...ofSecret];
  const others = Object.entries(parameters).filter(
    ([key]) => !known.includes(key) || (key === LONGHORN.ENCRYPTED && !isEncrypted),
  );
  const minutes = Number(parameters[LONGHORN.STALE_TIMEOUT]);
  const props: DraftProps = {
    replicas: unless(Number(parameters[LONGHORN.REPLICAS]), 3),
    staleReplicaTimeout: minutes === 30 ? undefined : call('Duration', 'minutes', minutes),
    migratable: unless(parameters[LONGHORN.MIGRATABLE] === 'true', true),
    dataLocality: enumValue('DataLocality', parameters[LONGHORN.DATA_LOCALITY]),
    engine: enumValue('LonghornEngine', parameters[LONGHORN.DATA_ENGINE]),
    diskTags: list(parameters[LONGHORN.DISK_SELECTOR]),
    nodeTags: list(parameters[LONGHORN.NODE_SELECTOR]),
    fsType: parameters[LONGHORN.FS_TYPE],
    nfsOptions: parameters[LONGHORN.NFS_OPTIONS],
    encryption: isEncrypted
      ? refer(object, '/Secret', parameters[pair.name], parameters[pair.namespace])
      : undefined,
    parameters: others.length > 0 ? Object.fromEntries(others) : undefined,
  };
  return filledFields(props) && call('StorageDriver', 'longhorn', props);
}

function cdiOf({ manifest }: FoundObject): DraftProps | undefined {
  const annotations = annotationsOf(manifest);
  const { MODES, CLONE, SNAPSHOT_CLASS, OVERHEAD } = ANNOTATION_CDI;
  if (![MODES, CLONE, SNAPSHOT_CLASS, OVERHEAD].some((key) => key in annotations)) {
    return undefined;
  }
  const overhead = annotations[OVERHEAD];
  return {
    accessModes: modesOf(annotations[MODES]),
    cloneStrategy: enumValue('CdiCloneStrategy', annotations[CLONE]),
    volumeSnapshotClassName: annotations[SNAPSHOT_CLASS] as string | undefined,
    filesystemOverhead: overhead === undefined ? undefined : Number(overhead),
  };
}

function modesOf(text: unknown): DraftProps | undefined {
  const modes = jsonOf(text);
  if (!isRecord(modes)) {
    return undefined;
  }
  const lists = Object.entries(modes).filter((entry): entry is [string, unknown[]] =>
    Array.isArray(entry[1]),
  );
  return Object.fromEntries(
    lists.map(
      ([mode, list]) =>
        [mode, list.map((each) => new EnumValue('VolumeAccessMode', each))] as const,
    ),
  );
}
