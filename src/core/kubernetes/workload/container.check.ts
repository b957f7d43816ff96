import { isLate } from '../../late/late-token';
import { isRecord, itemsAt } from '../../manifest/manifest';
import { NO_PROBLEMS, Problem, problemsOf } from '../../problem/problem';
import { eachValue, fields, must, ValueCheck } from '../../rule/kit/values';
import { plainText } from '../../text/plain-text';
import { quantityOf } from '../../text/values';
import {
  all,
  between,
  DATA_KEY,
  distinct,
  DNS_LABEL,
  duplicate,
  whereGiven,
  isUnset,
  items,
  missing,
  needed,
  NOT_NEGATIVE,
  object,
  PORT,
  PORT_NAME,
  PORT_NUMBER,
  QUANTITY_NOT_NEGATIVE,
  structOf,
  SUBDOMAIN,
  USER_ID,
} from '../value/value.check';

/** The fields that a variable of a container can refer to. @see kubernetes/kubernetes:pkg/apis/core/v1/conversion.go AddFieldLabelConversionsForPod */
const FIELD_PATH =
  /^(metadata\.(name|namespace|uid|labels|annotations|(labels|annotations)\['.*'\])|spec\.(nodeName|serviceAccountName|hostname)|status\.(hostIP|hostIPs|podIP|podIPs)|spec\.restartPolicy|spec\.schedulerName|status\.phase|status\.nominatedNodeName|spec\.hostNetwork)$/;

const FIELD_REF = fields({
  fieldPath: must((value) => typeof value !== 'string' || value === '' || FIELD_PATH.test(value), {
    message: 'must be a field of a Pod that a container can read',
    fix: 'use e.g. metadata.name, metadata.namespace, spec.nodeName or status.podIP',
    says: 'error converting fieldPath: field label not supported',
  }),
});

/** @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go validateSecretKeySelector */
const KEY_REF = fields({
  name: needed(SUBDOMAIN),
  key: DATA_KEY,
});

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

/** The check that exactly one of some fields is set. */
export function exactlyOne(names: readonly string[], says: string, isOptional = false): ValueCheck {
  return object((path, value) => {
    const set = whereGiven(value, names);
    if (set.length === 1 || (isOptional && set.length === 0)) {
      return NO_PROBLEMS;
    }
    const list = names.join(', ');
    return set.length === 0
      ? [
          {
            ...missing(path)[0]!,
            message: `must set one of ${list}`,
            fix: `set one of ${list}`,
            says,
          },
        ]
      : [
          {
            path,
            message: `can set only one of ${list}: ${set.join(' and ')} are set`,
            fix: 'keep one of them',
            says: 'may not specify more than 1',
          },
        ];
  });
}

const VARIABLE = all(
  structOf({
    valueFrom: all(
      exactlyOne(
        SOURCES,
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
      ),
      fields({ fieldRef: FIELD_REF, configMapKeyRef: KEY_REF, secretKeyRef: KEY_REF }),
    ),
  }),
  object((path, { value, valueFrom }) =>
    !isUnset(value) && valueFrom !== undefined && valueFrom !== null
      ? [
          {
            path: `${path}.valueFrom`,
            message: 'cannot be set: the variable has a value',
            fix: 'keep value or valueFrom',
            says: 'may not be specified when `value` is not empty',
          },
        ]
      : NO_PROBLEMS,
  ),
);

const NAME_REF = fields({ name: needed(SUBDOMAIN) });

const VARIABLES_FROM = all(
  exactlyOne(['configMapRef', 'secretRef'], 'must specify one of: `configMapRef` or `secretRef`'),
  fields({ configMapRef: NAME_REF, secretRef: NAME_REF }),
);

const CONTAINER_PORT = structOf({
  name: PORT_NAME,
  containerPort: PORT_NUMBER,
  hostPort: between(0, 65_535),
});

const HTTP_GET = fields({ port: PORT });

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];

const HANDLER = all(
  exactlyOne(HANDLERS, 'must specify a handler type'),
  fields({
    exec: fields({ command: needed() }),
    httpGet: HTTP_GET,
    tcpSocket: fields({ port: PORT }),
    grpc: fields({ port: PORT_NUMBER }),
  }),
);

const PROBE = all(
  HANDLER,
  fields({
    initialDelaySeconds: NOT_NEGATIVE,
    timeoutSeconds: NOT_NEGATIVE,
    periodSeconds: NOT_NEGATIVE,
    successThreshold: NOT_NEGATIVE,
    failureThreshold: NOT_NEGATIVE,
  }),
);

const ONCE = all(
  PROBE,
  fields({
    successThreshold: must(
      (value) => value === undefined || value === null || value === 0 || value === 1,
      {
        message: 'must be 1 for this probe',
        fix: 'set it to 1, or remove it',
        says: 'must be 1',
      },
    ),
  }),
);

/** Requests of at most the limits. @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go validateContainerResources */
const RESOURCES = all(
  fields({ limits: eachValue(QUANTITY_NOT_NEGATIVE), requests: eachValue(QUANTITY_NOT_NEGATIVE) }),
  object((path, { limits, requests }) => {
    if (!isRecord(limits) || !isRecord(requests)) {
      return NO_PROBLEMS;
    }
    return problemsOf(Object.keys(requests), (name) => {
      const [least, most] = [requests[name], limits[name]];
      const isBeyond =
        name in limits &&
        !isLate(least) &&
        !isLate(most) &&
        (quantityOf(least) ?? 0) > (quantityOf(most ?? 0) ?? Infinity);
      return (
        isBeyond && {
          path: `${path}.requests`,
          value: least,
          message: `must be at most the ${name} limit of ${plainText(most)}`,
          fix: 'lower the request, or raise the limit',
          says: `must be less than or equal to ${name} limit of ${plainText(most)}`,
        }
      );
    });
  }),
);

export const SECURITY = fields({ runAsUser: USER_ID, runAsGroup: USER_ID });

/** Volume mounts without two at one place. */
const MOUNTS: ValueCheck = (path, value) => {
  const seen = new Set<unknown>();
  return Array.isArray(value)
    ? problemsOf(value, (mount: unknown, index) => {
        const at = isRecord(mount) ? mount.mountPath : undefined;
        if (isUnset(at) || isLate(at) || !seen.has(at)) {
          seen.add(at);
          return undefined;
        }
        return { ...duplicate(`${path}[${index}].mountPath`, at), says: 'must be unique' };
      })
    : NO_PROBLEMS;
};

const COMMON = {
  name: DNS_LABEL,
  ports: all(items(CONTAINER_PORT), distinct('name')),
  env: items(VARIABLE),
  envFrom: items(VARIABLES_FROM),
  resources: RESOURCES,
  volumeMounts: MOUNTS,
  lifecycle: fields({ postStart: HANDLER, preStop: HANDLER }),
  livenessProbe: ONCE,
  readinessProbe: PROBE,
  startupProbe: ONCE,
  securityContext: SECURITY,
} as const;

/** A container. @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go validateContainerCommon (v1.34.4) */
export const CONTAINER = structOf({ ...COMMON, image: needed() });

/** @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go validateKeyToPath, fileModeErrorMsg */
const MAX_MODE = 0o777;

export const FILE_MODE = between(
  0,
  MAX_MODE,
  'must be a number between 0 and 0777 (octal), both inclusive',
);

const FILES = items(fields({ mode: FILE_MODE }));

const NFS = fields({
  path: must((value) => typeof value !== 'string' || value === '' || value.startsWith('/'), {
    message: 'must be an absolute path',
    fix: 'begin it with a slash',
    says: 'must be an absolute path',
  }),
});

export const VOLUME_SOURCES = { nfs: NFS } as const;

/** The kinds of a volume of a Pod. @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go validateVolumeSource */
const KINDS = [
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cephfs',
  'cinder',
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'gitRepo',
  'glusterfs',
  'hostPath',
  'image',
  'iscsi',
  'nfs',
  'persistentVolumeClaim',
  'photonPersistentDisk',
  'portworxVolume',
  'projected',
  'quobyte',
  'rbd',
  'scaleIO',
  'secret',
  'storageos',
  'vsphereVolume',
];

/** A volume of a Pod. Without a kind it is an empty directory. */
export const VOLUME = all(
  structOf({ name: DNS_LABEL }),
  exactlyOne(KINDS, 'must specify a volume type', true),
  fields({
    configMap: fields({ name: needed(), defaultMode: FILE_MODE, items: FILES }),
    secret: fields({ secretName: needed(), defaultMode: FILE_MODE, items: FILES }),
    downwardAPI: fields({ defaultMode: FILE_MODE, items: FILES }),
    projected: fields({ defaultMode: FILE_MODE }),
    emptyDir: fields({ sizeLimit: QUANTITY_NOT_NEGATIVE }),
    ...VOLUME_SOURCES,
  }),
);

/** The mounts of all containers, each of a volume. */
export function checkMounts(
  path: string,
  spec: { readonly [field: string]: unknown },
  more: readonly unknown[],
): readonly Problem[] {
  const names = new Set([
    ...itemsAt(spec.volumes).map((volume) => isRecord(volume) && volume.name),
    ...more,
  ]);
  // a volume whose name is not known yet may be any of them
  if ([...names].some(isLate)) {
    return NO_PROBLEMS;
  }
  return problemsOf(['initContainers', 'containers'], (list) =>
    problemsOf(itemsAt(spec[list]), (container, at) =>
      problemsOf(isRecord(container) ? itemsAt(container.volumeMounts) : [], (mount, index) => {
        const name = isRecord(mount) ? mount.name : undefined;
        return (
          !isUnset(name) &&
          !isLate(name) &&
          !names.has(name as string) && {
            path: `${path}.${list}[${at}].volumeMounts[${index}].name`,
            value: name,
            message: 'must be the name of a volume of the Pod',
            fix: 'add the volume, or correct the name',
            says: 'Not found',
          }
        );
      }),
    ),
  );
}
