import { CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE, ROLE_BINDING } from './access.check';
import {
  LEASE,
  LIMIT_RANGE,
  NODE,
  PRIORITY_CLASS,
  RESOURCE_QUOTA,
  RUNTIME_CLASS,
} from './cluster.check';
import { checkSecret, CONFIG_MAP } from './data.check';
import {
  ADMISSION_POLICY,
  ADMISSION_POLICY_BINDING,
  checkApiService,
  checkDefinition,
  WEBHOOKS,
} from './extension.check';
import { INGRESS, INGRESS_CLASS, NETWORK_POLICY } from './network.check';
import { ENDPOINT_SLICE, ENDPOINTS, SERVICE } from './service.check';
import { DNS_LABEL, isMissing, SERVICE_NAME, SUBDOMAIN } from './value/value.check';
import { AUTOSCALER, DISRUPTION_BUDGET } from './workload/scaling.check';
import {
  CSI_DRIVER,
  PERSISTENT_VOLUME,
  STORAGE_CLASS,
  VOLUME_ATTACHMENT,
  VOLUME_CLAIM,
} from './workload/volume.check';
import {
  CRON_JOB,
  DAEMON_SET,
  DEPLOYMENT,
  JOB,
  POD,
  REPLICA_SET,
  REPLICATION_CONTROLLER,
  STATEFUL_SET,
} from './workload/workload.check';
import { Manifest } from '../manifest/manifest';
import { NO_PROBLEMS, Problem } from '../problem/problem';
import { rules } from '../rule/kit/fact';
import { missingCounts } from '../rule/kit/missing';
import { ValueCheck } from '../rule/kit/values';
import { JudgedObject, Rule, World } from '../rule/rule';
import { knownVersion } from '../version/product-version';
import { compareSemver, parseSemver } from '../version/semver';

/** What an API server checks of an object. */
type ObjectCheck = (manifest: Manifest) => Iterable<Problem>;

function bare(text: string): string {
  return text.replace(/^\./, '');
}

/** The checks of the fields of an object. */
function of(check: ValueCheck): ObjectCheck {
  return (manifest) =>
    // paths of an object begin with the name of a field
    [...check('', manifest)].map((problem) => ({
      ...problem,
      path: bare(problem.path),
      ...(problem.says === undefined ? {} : { says: bare(problem.says) }),
    }));
}

/**
 * The problems of an object. A server validates every update as a whole, but an object that has the problem already was accepted with it, and
 * server-side apply keeps fields that a manifest does not have.
 */
function judge(check: ObjectCheck, object: JudgedObject, world: World): readonly Problem[] {
  const problems = [...check(object.manifest)];
  if (problems.length === 0) {
    return NO_PROBLEMS;
  }
  const counts = missingCounts(object, world);
  const before = counts === 'always' ? undefined : world.beforeOf(object);
  const earlier = placesIn(check, before);
  // what the previous manifest set, an apply without it removes
  const written = counts === 'never' ? world.writtenBefore(object) : before;
  const lacked = placesIn(check, written);
  const isRemoved = (problem: Problem): boolean =>
    written !== undefined && !lacked.has(placeOf(problem));
  return problems
    .filter((problem) => !isMissing(problem) || counts === 'always' || isRemoved(problem))
    .map((problem) =>
      earlier.has(placeOf(problem)) ? { ...problem, level: 'warning' as const } : problem,
    );
}

/** The problems of the fields of an object, as an API server that validates it as a whole reports them. */
export function judgeFields(
  check: ValueCheck,
  object: JudgedObject,
  world: World,
): readonly Problem[] {
  return judge(of(check), object, world);
}

function placesIn(check: ObjectCheck, manifest: Manifest | undefined): ReadonlySet<string> {
  return new Set(manifest && [...check(manifest)].map(placeOf));
}

function placeOf({ path, value, message }: Problem): string {
  return JSON.stringify([path, value, message]);
}

const API = 'kubernetes/kubernetes:pkg/apis';

interface Row {
  readonly id: string;
  readonly kinds: readonly string[];
  readonly what: string;
  readonly says: string;
  readonly source: string;
  readonly check: ObjectCheck;
}

const core = (kind: string): string => `/${kind}`;
const apps = (kind: string): string => `apps/${kind}`;
const rbac = (kind: string): string => `rbac.authorization.k8s.io/${kind}`;
const network = (kind: string): string => `networking.k8s.io/${kind}`;
const storage = (kind: string): string => `storage.k8s.io/${kind}`;
const admission = (kind: string): string => `admissionregistration.k8s.io/${kind}`;

const CORE_GO = `${API}/core/validation/validation.go`;
const APPS_GO = `${API}/apps/validation/validation.go`;
const BATCH_GO = `${API}/batch/validation/validation.go`;
const RBAC_GO = `${API}/rbac/validation/validation.go`;
const STORAGE_GO = `${API}/storage/validation/validation.go`;
const NETWORK_GO = `${API}/networking/validation/validation.go`;
const ADMISSION_GO = `${API}/admissionregistration/validation/validation.go`;

const ROWS: readonly Row[] = [
  {
    id: 'secret',
    kinds: [core('Secret')],
    what: 'a Secret has the keys of its type, and names of keys that a file can have',
    says: 'data[tls.crt]: Required value',
    source: `${CORE_GO} ValidateSecret`,
    check: checkSecret,
  },
  {
    id: 'config-map',
    kinds: [core('ConfigMap')],
    what: 'keys of a ConfigMap are names that a file can have, each in data or in binaryData',
    says: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    source: `${CORE_GO} ValidateConfigMap`,
    check: of(CONFIG_MAP),
  },
  {
    id: 'service',
    kinds: [core('Service')],
    what: 'a Service has ports from 1 to 65535 that differ, addresses that are valid, and only fields that its type has',
    says: 'spec.ports: Required value',
    source: `${CORE_GO} ValidateService`,
    check: of(SERVICE),
  },
  {
    id: 'endpoints',
    kinds: [core('Endpoints'), 'discovery.k8s.io/EndpointSlice'],
    what: 'endpoints have addresses of their type, and ports from 1 to 65535',
    says: 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    source: `${CORE_GO} ValidateEndpoints; ${API}/discovery/validation/validation.go ValidateEndpointSlice`,
    check: (manifest) => of(manifest.kind === 'Endpoints' ? ENDPOINTS : ENDPOINT_SLICE)(manifest),
  },
  {
    id: 'volume-claim',
    kinds: [core('PersistentVolumeClaim')],
    what: 'a PersistentVolumeClaim has access modes and a size',
    says: 'spec.accessModes: Required value: at least 1 access mode is required',
    source: `${CORE_GO} ValidatePersistentVolumeClaimSpec`,
    check: of(VOLUME_CLAIM),
  },
  {
    id: 'volume',
    kinds: [core('PersistentVolume')],
    what: 'a PersistentVolume has access modes, a size, and one source',
    says: 'spec: Required value: must specify a volume type',
    source: `${CORE_GO} ValidatePersistentVolumeSpec`,
    check: of(PERSISTENT_VOLUME),
  },
  {
    id: 'pod',
    kinds: [core('Pod')],
    what: 'a Pod has containers with images, whose ports, variables, probes, and mounts are valid',
    says: 'spec.containers[0].image: Required value',
    source: `${CORE_GO} ValidatePodSpec`,
    check: of(POD),
  },
  {
    id: 'deployment',
    kinds: [apps('Deployment')],
    what: 'the selector of a Deployment matches the labels of its template, whose Pods are valid',
    says: '`selector` does not match template `labels`',
    source: `${APPS_GO} ValidateDeploymentSpec`,
    check: of(DEPLOYMENT),
  },
  {
    id: 'stateful-set',
    kinds: [apps('StatefulSet')],
    what: 'the selector of a StatefulSet matches the labels of its template, whose Pods and volumes are valid',
    says: '`selector` does not match template `labels`',
    source: `${APPS_GO} ValidateStatefulSetSpec`,
    check: of(STATEFUL_SET),
  },
  {
    id: 'daemon-set',
    kinds: [apps('DaemonSet')],
    what: 'the selector of a DaemonSet matches the labels of its template, whose Pods are valid',
    says: '`selector` does not match template `labels`',
    source: `${APPS_GO} ValidateDaemonSetSpec`,
    check: of(DAEMON_SET),
  },
  {
    id: 'replica-set',
    kinds: [apps('ReplicaSet'), core('ReplicationController')],
    what: 'the selector of a ReplicaSet matches the labels of its template, whose Pods are valid',
    says: '`selector` does not match template `labels`',
    source: `${APPS_GO} ValidateReplicaSetSpec; ${CORE_GO} ValidateReplicationControllerSpec`,
    check: (manifest) =>
      of(manifest.kind === 'ReplicaSet' ? REPLICA_SET : REPLICATION_CONTROLLER)(manifest),
  },
  {
    id: 'job',
    kinds: ['batch/Job'],
    what: 'Pods of a Job are valid, and restart OnFailure or Never',
    says: 'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    source: `${BATCH_GO} ValidateJobSpec`,
    check: of(JOB),
  },
  {
    id: 'cron-job',
    kinds: ['batch/CronJob'],
    what: 'a CronJob has a schedule of five fields and a known time zone, and its Jobs are valid',
    says: 'spec.schedule: Invalid value',
    source: `${BATCH_GO} validateCronJobSpec`,
    check: of(CRON_JOB),
  },
  {
    id: 'autoscaler',
    kinds: ['autoscaling/HorizontalPodAutoscaler'],
    what: 'minReplicas of a HorizontalPodAutoscaler is at most maxReplicas, and its metrics have a source and a target',
    says: 'spec.maxReplicas: Invalid value: 0: must be greater than 0',
    source: `${API}/autoscaling/validation/validation.go validateHorizontalPodAutoscalerSpec`,
    check: of(AUTOSCALER),
  },
  {
    id: 'disruption-budget',
    kinds: ['policy/PodDisruptionBudget'],
    what: 'a PodDisruptionBudget has minAvailable or maxUnavailable, as a number or a percentage',
    says: 'minAvailable and maxUnavailable cannot be both set',
    source: `${API}/policy/validation/validation.go ValidatePodDisruptionBudgetSpec`,
    check: of(DISRUPTION_BUDGET),
  },
  {
    id: 'resource-quota',
    kinds: [core('ResourceQuota')],
    what: 'a ResourceQuota limits resources that quotas have, within its scopes',
    says: 'must be a standard resource for quota',
    source: `${CORE_GO} ValidateResourceQuotaSpec`,
    check: of(RESOURCE_QUOTA),
  },
  {
    id: 'limit-range',
    kinds: [core('LimitRange')],
    what: 'the limits of a LimitRange are in order: min, default, max',
    says: 'min value 2 is greater than max value 1',
    source: `${CORE_GO} ValidateLimitRange`,
    check: of(LIMIT_RANGE),
  },
  {
    id: 'node',
    kinds: [core('Node')],
    what: 'taints of a Node have the form of labels, and differ',
    says: 'spec.taints: Duplicate value',
    source: `${CORE_GO} ValidateNode`,
    check: of(NODE),
  },
  {
    id: 'role',
    kinds: [rbac('Role'), rbac('ClusterRole')],
    what: 'rules of a role have verbs, and resources or URLs',
    says: 'resource rules must supply at least one api group',
    source: `${RBAC_GO} ValidatePolicyRule`,
    check: (manifest) => of(manifest.kind === 'Role' ? ROLE : CLUSTER_ROLE)(manifest),
  },
  {
    id: 'role-binding',
    kinds: [rbac('RoleBinding'), rbac('ClusterRoleBinding')],
    what: 'a binding refers to a role that it can bind, and to users, groups, or ServiceAccounts',
    says: 'subjects[0].kind: Unsupported value: "": supported values: "ServiceAccount", "User", "Group"',
    source: `${RBAC_GO} ValidateRoleBinding, ValidateRoleBindingSubject`,
    check: (manifest) =>
      of(manifest.kind === 'RoleBinding' ? ROLE_BINDING : CLUSTER_ROLE_BINDING)(manifest),
  },
  {
    id: 'storage-class',
    kinds: [storage('StorageClass')],
    what: 'a StorageClass has a provisioner, and topologies whose keys and values differ',
    says: 'provisioner: Required value',
    source: `${STORAGE_GO} ValidateStorageClass`,
    check: of(STORAGE_CLASS),
  },
  {
    id: 'csi',
    kinds: [storage('CSIDriver'), storage('VolumeAttachment')],
    what: 'a CSIDriver has known modes, and a VolumeAttachment one volume',
    says: 'must specify exactly one of inlineVolumeSpec and persistentVolumeName',
    source: `${STORAGE_GO} ValidateCSIDriver, ValidateVolumeAttachment`,
    check: (manifest) =>
      of(manifest.kind === 'CSIDriver' ? CSI_DRIVER : VOLUME_ATTACHMENT)(manifest),
  },
  {
    id: 'ingress',
    kinds: [network('Ingress')],
    what: 'an Ingress has rules or a default backend, whose hosts, paths, and ports are valid',
    says: 'either `defaultBackend` or `rules` must be specified',
    source: `${NETWORK_GO} ValidateIngressSpec`,
    check: of(INGRESS),
  },
  {
    id: 'ingress-class',
    kinds: [network('IngressClass')],
    what: 'the controller of an IngressClass is a domain and a path',
    says: 'must be a domain-prefixed path (such as "acme.io/foo")',
    source: `${NETWORK_GO} ValidateIngressClassSpec`,
    check: of(INGRESS_CLASS),
  },
  {
    id: 'network-policy',
    kinds: [network('NetworkPolicy')],
    what: 'peers of a NetworkPolicy have selectors or a network, and its ports are valid',
    says: 'must specify a peer',
    source: `${NETWORK_GO} ValidateNetworkPolicyPeer, ValidateNetworkPolicyPort`,
    check: of(NETWORK_POLICY),
  },
  {
    id: 'priority-class',
    kinds: ['scheduling.k8s.io/PriorityClass'],
    what: 'the value of a PriorityClass is at most 1000000000',
    says: 'maximum allowed value of a user defined priority is 1000000000',
    source: `${API}/scheduling/validation/validation.go ValidatePriorityClass`,
    check: of(PRIORITY_CLASS),
  },
  {
    id: 'runtime-class',
    kinds: ['node.k8s.io/RuntimeClass'],
    what: 'the handler of a RuntimeClass is a label',
    says: "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'",
    source: `${API}/node/validation/validation.go ValidateRuntimeClass`,
    check: of(RUNTIME_CLASS),
  },
  {
    id: 'lease',
    kinds: ['coordination.k8s.io/Lease'],
    what: 'the duration of a Lease is positive',
    says: 'must be greater than 0',
    source: `${API}/coordination/validation/validation.go ValidateLeaseSpec`,
    check: of(LEASE),
  },
  {
    id: 'webhook',
    kinds: [admission('MutatingWebhookConfiguration'), admission('ValidatingWebhookConfiguration')],
    what: 'webhooks have a name of three parts, one service or URL, and rules that are complete',
    says: 'exactly one of url or service is required',
    source: `${ADMISSION_GO} validateValidatingWebhook`,
    check: of(WEBHOOKS),
  },
  {
    id: 'admission-policy',
    kinds: [admission('ValidatingAdmissionPolicy'), admission('ValidatingAdmissionPolicyBinding')],
    what: 'an admission policy selects resources, and its binding has actions',
    says: 'spec.matchConstraints.resourceRules: Required value',
    source: `${ADMISSION_GO} ValidateValidatingAdmissionPolicy, ValidateValidatingAdmissionPolicyBinding`,
    check: (manifest) =>
      of(
        manifest.kind === 'ValidatingAdmissionPolicy' ? ADMISSION_POLICY : ADMISSION_POLICY_BINDING,
      )(manifest),
  },
  {
    id: 'api-service',
    kinds: ['apiregistration.k8s.io/APIService'],
    what: 'an APIService has the name of its version and group, and priorities',
    says: 'must be `spec.version+"."+spec.group`',
    source:
      'kubernetes/kube-aggregator:pkg/apis/apiregistration/validation/validation.go ValidateAPIService',
    check: checkApiService,
  },
  {
    id: 'definition',
    kinds: ['apiextensions.k8s.io/CustomResourceDefinition'],
    what: 'a CustomResourceDefinition has the name of its resource and group, one version that is stored, and schemas',
    says: 'must have exactly one version marked as storage version',
    source:
      'kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go ValidateCustomResourceDefinition',
    check: checkDefinition,
  },
];

const NAME = 'metadata.name';

const VERSION = { what: 'version', example: '1.34.4', distributions: true };

/** The first version in which the name of a Service may begin with a digit. @see kubernetes/kubernetes:pkg/features/kube_features.go RelaxedServiceNameValidation */
const DIGIT_FIRST = parseSemver('1.36.0', VERSION);

/** Whether a server takes names of Services that begin with a digit; undefined without its version. */
function takesDigitFirst({ target }: JudgedObject): boolean | undefined {
  const { kubernetesVersion } = target;
  const version = knownVersion((text) => parseSemver(text, VERSION), kubernetesVersion);
  return version && compareSemver(version, DIGIT_FIRST) >= 0;
}

function judgeServiceName(object: JudgedObject): readonly Problem[] {
  const { name } = object.manifest.metadata;
  // rule object/name reports what no object is called
  if ([...SUBDOMAIN(NAME, name)].length > 0) {
    return NO_PROBLEMS;
  }
  const problems = [...DNS_LABEL(NAME, name)];
  const takesDigit = takesDigitFirst(object);
  if (problems.length > 0 || takesDigit) {
    return problems;
  }
  return [...SERVICE_NAME(NAME, name)].map((problem) =>
    takesDigit === false
      ? problem
      : {
          ...problem,
          level: 'warning',
          message: `${problem.message}, before Kubernetes 1.36`,
        },
  );
}

/** The rules of API servers on kinds of Kubernetes itself. */
export const KUBERNETES_RULES: readonly Rule[] = [
  ...rules(
    { general: true },
    ROWS.map(({ check, id, ...row }) => ({
      ...row,
      id: `kubernetes/${id}`,
      judge: (object: JudgedObject, world: World) => judge(check, object, world),
    })),
  ),
  ...rules({ general: true, kinds: [core('Service')] }, [
    {
      id: 'kubernetes/service-name',
      what: 'the name of a Service is a label of at most 63 characters, which begins with a letter before Kubernetes 1.36',
      says: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character",
      source: `${CORE_GO} ValidateServiceCreate`,
      creation: true,
      field: NAME,
      check: (_, __, object) => judgeServiceName(object),
    },
  ]),
];
