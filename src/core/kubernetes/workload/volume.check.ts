import { exactlyOne, VOLUME_SOURCES } from './container.check';
import { NODE_SELECTOR, SELECTOR } from './pod.check';
import { isLate } from '../../late/late-token';
import { isRecord, itemsAt, valueAt } from '../../manifest/manifest';
import { NO_PROBLEMS } from '../../problem/problem';
import { each, fields, must, ValueCheck } from '../../rule/kit/values';
import {
  eachWord,
  all,
  distinct,
  distinctTexts,
  isUnset,
  items,
  LABEL_TEXT,
  missing,
  MORE_THAN_NOTHING,
  needed,
  notEmpty,
  object,
  QUALIFIED_NAME,
  structOf,
  SUBDOMAIN,
  word,
} from '../value/value.check';

const MODES = eachWord('ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod');

const ALONE = 'ReadWriteOncePod';

/** @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go ValidatePersistentVolumeClaimSpec (v1.34.4) */
const ACCESS_MODES = needed(
  all(MODES, (path, value) =>
    itemsAt(value).includes(ALONE) && new Set(itemsAt(value)).size > 1
      ? [
          {
            path,
            message: `cannot hold ${ALONE} with other modes`,
            fix: `use ${ALONE} alone, or remove it`,
            says: 'may not use ReadWriteOncePod with other access modes',
          },
        ]
      : NO_PROBLEMS,
  ),
  'set accessModes: [ReadWriteOnce], or [ReadWriteMany] for volumes of virtual machines',
);

const VOLUME_MODE = word('Block', 'Filesystem');

/** What a volume is copied from. */
const SOURCE = object((path, { apiGroup, kind, name }) => {
  if (isUnset(kind) && isUnset(name)) {
    return NO_PROBLEMS;
  }
  if (isUnset(name)) {
    return missing(`${path}.name`);
  }
  return isUnset(apiGroup) && !isUnset(kind) && kind !== 'PersistentVolumeClaim' && !isLate(kind)
    ? [
        {
          path,
          value: kind,
          message: 'must have an apiGroup, unless it is a PersistentVolumeClaim',
          fix: 'set apiGroup, such as snapshot.storage.k8s.io for a VolumeSnapshot',
          says: "must be 'PersistentVolumeClaim' when referencing the default apiGroup",
        },
      ]
    : NO_PROBLEMS;
});

const CLAIM_SPEC = all(
  structOf({
    accessModes: ACCESS_MODES,
    selector: SELECTOR,
    storageClassName: SUBDOMAIN,
    volumeMode: VOLUME_MODE,
    dataSourceRef: SOURCE,
  }),
  object((path, { resources }) => {
    const requests = valueAt(resources, 'requests');
    const at = `${path}.resources.requests.storage`;
    const hasSize = isRecord(requests) && 'storage' in requests;
    return hasSize
      ? MORE_THAN_NOTHING(at, requests.storage)
      : missing(at, 'set the size of the volume, such as 10Gi');
  }),
);

export const VOLUME_CLAIM = structOf({ spec: CLAIM_SPEC });

/** The name of a CSI driver. @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go ValidateCSIDriverName (v1.34.4) */
const DRIVER = all(
  (path, value) =>
    SUBDOMAIN(path, typeof value === 'string' && !isLate(value) ? value.toLowerCase() : value),
  must((value) => typeof value !== 'string' || value.length <= 63, {
    message: 'must have at most 63 characters',
    fix: 'use the name of a CSI driver',
    says: 'may not be more than 63 bytes',
  }),
);

/** The kinds of a PersistentVolume. @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go ValidatePersistentVolumeSpec */
const KINDS = [
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cephfs',
  'cinder',
  'csi',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'glusterfs',
  'hostPath',
  'iscsi',
  'local',
  'nfs',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
];

const CAPACITY: ValueCheck = (path, value) => {
  const names = isRecord(value) ? Object.keys(value) : [];
  if (value !== undefined && value !== null && !isRecord(value)) {
    return NO_PROBLEMS;
  }
  if (!names.includes('storage')) {
    return missing(`${path}.storage`, 'set the size of the volume, such as 10Gi');
  }
  return names.length > 1
    ? [
        {
          path,
          message: 'can hold only storage',
          fix: 'remove the others',
          says: 'supported values: "storage"',
        },
      ]
    : MORE_THAN_NOTHING(`${path}.storage`, (value as { storage: unknown }).storage);
};

export const PERSISTENT_VOLUME = structOf({
  spec: all(
    structOf({
      accessModes: ACCESS_MODES,
      capacity: CAPACITY,
      nodeAffinity: fields({ required: NODE_SELECTOR }),
      storageClassName: SUBDOMAIN,
      volumeMode: VOLUME_MODE,
      ...VOLUME_SOURCES,
      csi: fields({ driver: DRIVER }),
    }),
    exactlyOne(KINDS, 'must specify a volume type'),
    object((path, { local, nodeAffinity }) =>
      local !== undefined && local !== null && isUnset(nodeAffinity)
        ? missing(
            `${path}.nodeAffinity`,
            'set the node of the volume',
            'a local volume is on one node',
          )
        : NO_PROBLEMS,
    ),
  ),
});

const TOPOLOGY = fields({
  matchLabelExpressions: all(
    items(structOf({ key: QUALIFIED_NAME, values: needed(all(each(LABEL_TEXT), distinctTexts)) })),
    distinct('key'),
  ),
});

const RECLAIM_POLICY = word('Delete', 'Retain');

/** @see kubernetes/kubernetes:pkg/apis/storage/validation/validation.go ValidateStorageClass (v1.34.4) */
export const STORAGE_CLASS = structOf({
  provisioner: (path, value) =>
    QUALIFIED_NAME(path, typeof value === 'string' ? value.toLowerCase() : value),
  // Kubernetes uses Delete in place of an empty text
  reclaimPolicy: (path, value) => (value === '' ? NO_PROBLEMS : RECLAIM_POLICY(path, value)),
  volumeBindingMode: word('Immediate', 'WaitForFirstConsumer'),
  allowedTopologies: items(TOPOLOGY),
});

export const CSI_DRIVER = structOf({
  spec: fields({
    fsGroupPolicy: word('File', 'None', 'ReadWriteOnceWithFSType'),
    volumeLifecycleModes: each(word('Ephemeral', 'Persistent')),
  }),
});

export const VOLUME_ATTACHMENT = structOf({
  spec: structOf({
    attacher: DRIVER,
    nodeName: SUBDOMAIN,
    source: all(
      fields({ persistentVolumeName: notEmpty(SUBDOMAIN) }),
      exactlyOne(
        ['inlineVolumeSpec', 'persistentVolumeName'],
        'must specify exactly one of inlineVolumeSpec and persistentVolumeName',
      ),
    ),
  }),
});
