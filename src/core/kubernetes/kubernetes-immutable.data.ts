import { ImmutableField, ImmutableFields } from '../kind/description/immutable-fields';
import { isFromServer, isRecord, Manifest, valueAt } from '../manifest/manifest';

const API = 'kubernetes/kubernetes:pkg/apis';

const RECREATE = 'delete and recreate the object, or create one with another name';

/** The rows of a kind: fields that an update cannot change. */
function fixed(
  id: string,
  what: string,
  source: string,
  fields: readonly (string | ImmutableField)[],
  more: Partial<ImmutableFields> = {},
): ImmutableFields {
  return {
    id: `kubernetes/${id}`,
    what,
    says: 'field is immutable',
    source: `${API}/${source}`,
    fields: fields.map((field) => (typeof field === 'string' ? { path: field } : field)),
    fix: RECREATE,
    general: true,
    ...more,
  };
}

/** A field that the server fills in, and that can be set later. */
const filled = (path: string): ImmutableField => ({ path, addable: true, omitted: 'keeps' });

/** Both states are as whole as each other: a server shows more than a program writes. */
const areAlike = (now: Manifest, before: Manifest): boolean =>
  isFromServer(now) === isFromServer(before);

const RBAC = 'rbac/validation/validation.go ValidateRoleBindingUpdate';

function keepsRole(id: string): ImmutableFields {
  return fixed(
    id,
    'a binding keeps its role',
    RBAC,
    ['roleRef.kind', 'roleRef.name'],
    { says: 'cannot change roleRef', fix: 'delete the binding, and create one with the other role' },
  );
}

export const ROLE_BINDING_IMMUTABLE = [keepsRole('role-binding-update')];
export const CLUSTER_ROLE_BINDING_IMMUTABLE = [keepsRole('cluster-role-binding-update')];

/** Whether an object was marked as immutable. */
const isSealed = (_: Manifest, before: Manifest): boolean => before.immutable === true;

function sealed(id: string, kind: string, fields: readonly string[]): ImmutableFields {
  return fixed(
    `${id}-immutable`,
    `a ${kind} with immutable: true keeps its values`,
    `core/validation/validation.go Validate${kind}Update`,
    fields.map((path) => ({ path, hidden: true })),
    {
      when: isSealed,
      says: 'field is immutable when `immutable` is set',
      fix: `create a ${kind} with another name, and refer to that one`,
    },
  );
}

export const CONFIG_MAP_IMMUTABLE: readonly ImmutableFields[] = [
  sealed('config-map', 'ConfigMap', ['immutable', 'data', 'binaryData']),
];

/** The values of a Secret, whichever way they are written. */
function secretValues({ data, stringData }: Manifest): unknown {
  const texts = isRecord(stringData) ? stringData : {};
  const encoded = Object.entries(texts).map(([key, text]) => [
    key,
    typeof text === 'string' ? Buffer.from(text).toString('base64') : text,
  ]);
  return { ...(isRecord(data) ? data : {}), ...Object.fromEntries(encoded) };
}

export const SECRET_IMMUTABLE: readonly ImmutableFields[] = [
  fixed(
    'secret-update',
    'a Secret keeps its type',
    'core/validation/validation.go ValidateSecretUpdate',
    [{ path: 'type', default: 'Opaque' }],
    { fix: 'create a Secret with another name, or delete this one first' },
  ),
  {
    ...sealed('secret', 'Secret', ['immutable']),
    fields: [
      { path: 'immutable' },
      { path: 'data', read: secretValues, hidden: true },
    ],
  },
];

/** Whether a Service has an address of the cluster, before and after. */
const hasAddress = (now: Manifest, before: Manifest): boolean =>
  [now, before].every((service) => valueAt(service, 'spec', 'type') !== 'ExternalName');

const isBalanced = (now: Manifest, before: Manifest): boolean =>
  [now, before].every((service) => valueAt(service, 'spec', 'type') === 'LoadBalancer');

const isHealthChecked = (now: Manifest, before: Manifest): boolean =>
  isBalanced(now, before) &&
  [now, before].every((service) => valueAt(service, 'spec', 'externalTrafficPolicy') === 'Local');

export const SERVICE_IMMUTABLE: readonly ImmutableFields[] = [
  fixed(
    'service-update',
    'a Service keeps its address in the cluster, and a load balancer its class and port of health checks',
    'core/validation/validation.go ValidateServiceUpdate',
    [
      { ...filled('spec.clusterIP'), when: hasAddress },
      { path: 'spec.loadBalancerClass', when: isBalanced, says: 'may not change once set' },
      { ...filled('spec.healthCheckNodePort'), when: isHealthChecked },
    ],
    { fix: 'delete and recreate the Service, which gets another address' },
  ),
];

export const VOLUME_CLAIM_IMMUTABLE: readonly ImmutableFields[] = [
  fixed(
    'volume-claim-update',
    'a PersistentVolumeClaim keeps its StorageClass, modes, selector, and source',
    'core/validation/validation.go ValidatePersistentVolumeClaimUpdate',
    [
      { path: 'spec.accessModes' },
      { path: 'spec.storageClassName', addable: true },
      { path: 'spec.volumeMode', default: 'Filesystem' },
      filled('spec.volumeName'),
      { path: 'spec.selector' },
      filled('spec.dataSource'),
      filled('spec.dataSourceRef'),
    ],
    {
      says: 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
      fix: 'create a PersistentVolumeClaim with another name',
    },
  ),
];

/** What is neither the size nor the state of a volume. */
const NOT_A_SOURCE = [
  'accessModes', 'capacity', 'claimRef', 'mountOptions', 'nodeAffinity', 'persistentVolumeReclaimPolicy',
  'storageClassName', 'volumeAttributesClassName', 'volumeMode',
];

function sourceOf({ spec }: Manifest): unknown {
  return isRecord(spec)
    ? Object.fromEntries(Object.entries(spec).filter(([field]) => !NOT_A_SOURCE.includes(field)))
    : undefined;
}

export const VOLUME_IMMUTABLE: readonly ImmutableFields[] = [
  fixed(
    'volume-update',
    'a PersistentVolume keeps its source and its mode',
    'core/validation/validation.go ValidatePersistentVolumeUpdate',
    [
      { path: 'spec', read: sourceOf, hidden: true, says: 'spec.persistentvolumesource is immutable after creation' },
      { path: 'spec.volumeMode', default: 'Filesystem' },
    ],
    { when: areAlike },
  ),
];

const SELECTOR: ImmutableField = { path: 'spec.selector' };

function keepsSelector(id: string, kind: string): ImmutableFields {
  return fixed(
    `${id}-update`,
    `a ${kind} keeps its selector`,
    `apps/validation/validation.go Validate${kind}Update`,
    [SELECTOR],
  );
}

export const DEPLOYMENT_IMMUTABLE: readonly ImmutableFields[] = [keepsSelector('deployment', 'Deployment')];
export const DAEMON_SET_IMMUTABLE: readonly ImmutableFields[] = [keepsSelector('daemon-set', 'DaemonSet')];
export const REPLICA_SET_IMMUTABLE: readonly ImmutableFields[] = [keepsSelector('replica-set', 'ReplicaSet')];

export const STATEFUL_SET_IMMUTABLE: readonly ImmutableFields[] = [
  fixed(
    'stateful-set-update',
    'a StatefulSet keeps its selector, its Service, and its volumes',
    'apps/validation/validation.go ValidateStatefulSetUpdate',
    [
      SELECTOR,
      { path: 'spec.serviceName' },
      { path: 'spec.podManagementPolicy', default: 'OrderedReady' },
      { path: 'spec.volumeClaimTemplates', when: areAlike },
    ],
    { says: "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy'" },
  ),
];

const isIndexed = ({ spec }: Manifest): boolean => valueAt(spec, 'completionMode') === 'Indexed';

export const JOB_IMMUTABLE: readonly ImmutableFields[] = [
  fixed(
    'job-update',
    'a Job keeps its template, its selector, and what it completes',
    'batch/validation/validation.go ValidateJobSpecUpdate',
    [
      { path: 'spec.template', when: areAlike, hidden: true },
      filled('spec.selector'),
      { path: 'spec.completions', when: (now) => !isIndexed(now), omitted: 'changes' },
      { path: 'spec.completionMode', default: 'NonIndexed' },
      { path: 'spec.podFailurePolicy' },
      { path: 'spec.backoffLimitPerIndex' },
      { path: 'spec.managedBy' },
      { path: 'spec.successPolicy' },
    ],
    { fix: 'delete the Job, or create one with another name' },
  ),
];

/** What an update of a Pod may change. @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go ValidatePodUpdate (v1.34.4) */
function fixedOfPod({ spec }: Manifest): unknown {
  if (!isRecord(spec)) {
    return undefined;
  }
  const { activeDeadlineSeconds, terminationGracePeriodSeconds, tolerations, schedulingGates, containers, initContainers, ...others } = spec;
  return { ...others, containers: withoutImages(containers), initContainers: withoutImages(initContainers) };
}

function withoutImages(containers: unknown): unknown {
  return Array.isArray(containers)
    ? containers.map((container: unknown) => {
      if (!isRecord(container)) {
        return container;
      }
      const { image, ...others } = container;
      return others;
    })
    : containers;
}

export const POD_IMMUTABLE: readonly ImmutableFields[] = [
  fixed(
    'pod-update',
    'a Pod keeps everything but its images and tolerations',
    'core/validation/validation.go ValidatePodUpdate',
    [{ path: 'spec', read: fixedOfPod, hidden: true }],
    {
      when: areAlike,
      says: 'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations`',
      message: 'cannot be changed, apart from images and tolerations',
    },
  ),
];

export const QUOTA_IMMUTABLE: readonly ImmutableFields[] = [
  fixed('resource-quota-update', 'a ResourceQuota keeps its scopes', 'core/validation/validation.go ValidateResourceQuotaUpdate', [
    { path: 'spec.scopes' },
  ]),
];

export const PRIORITY_CLASS_IMMUTABLE: readonly ImmutableFields[] = [
  fixed('priority-class-update', 'a PriorityClass keeps its value', 'scheduling/validation/validation.go ValidatePriorityClassUpdate', [
    { path: 'value', default: 0 },
    { path: 'preemptionPolicy', default: 'PreemptLowerPriority' },
  ], { says: 'may not be changed in an update.' }),
];

export const RUNTIME_CLASS_IMMUTABLE: readonly ImmutableFields[] = [
  fixed('runtime-class-update', 'a RuntimeClass keeps its handler', 'node/validation/validation.go ValidateRuntimeClassUpdate', ['handler']),
];

export const INGRESS_CLASS_IMMUTABLE: readonly ImmutableFields[] = [
  fixed('ingress-class-update', 'an IngressClass keeps its controller', 'networking/validation/validation.go ValidateIngressClassUpdate', ['spec.controller']),
];

export const CSI_DRIVER_IMMUTABLE: readonly ImmutableFields[] = [
  fixed('csi-driver-update', 'a CSIDriver keeps whether it attaches volumes', 'storage/validation/validation.go ValidateCSIDriverUpdate', [
    { path: 'spec.attachRequired', default: true },
    { path: 'spec.volumeLifecycleModes' },
  ]),
];

export const VOLUME_ATTACHMENT_IMMUTABLE: readonly ImmutableFields[] = [
  fixed('volume-attachment-update', 'a VolumeAttachment keeps its volume and its node', 'storage/validation/validation.go ValidateVolumeAttachmentUpdate', ['spec']),
];

export const DEFINITION_IMMUTABLE: readonly ImmutableFields[] = [
  fixed('definition-update', 'a CustomResourceDefinition keeps its group and its plural name', 'apiextensions/validation ValidateCustomResourceDefinitionUpdate', [
    { path: 'spec.group' },
    { path: 'spec.names.plural' },
  ]),
];
