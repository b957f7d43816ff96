import { ANNOTATION_CONTAINER_LIMIT, ANNOTATION_PROJECT_ID, ANNOTATION_RESOURCE_QUOTA, backingNamespaceOf, projectIdOf } from './project.kind';
import {
  checkContainerLimits, checkNamespaceKeys, checkProjectQuotas, checkQuotaLimit, checkQuotaSums, CONTAINER_LIMIT_KEYS, EXTENDED_PREFIX, QuotaLimit,
  quotaLimitOf,
} from './quota.check';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, groupOf, isRecord, Manifest, objectLabel, valueAt } from '../../core/manifest/manifest';
import { GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, KnownIdentity, Rule, World } from '../../core/rule/rule';
import { byObject, byText, remembered } from '../../core/text/values';
import { hasFeature, lacksFeature } from '../../core/version/target-features';
import { managementClusterIdOf } from '../cluster/cluster.kind';
import { RancherGate } from '../version/rancher-version';

/** The projects of a world, the namespaces in them and the clusters that are known, over all targets. */
interface KnownProjects {
  /** Projects by `<cluster id>:<project>`. */
  readonly projects: ReadonlyMap<string, JudgedObject>;
  /** Namespaces by the project ID in their annotation. */
  readonly namespaces: ReadonlyMap<string, readonly JudgedObject[]>;
  readonly clusterIds: ReadonlySet<string>;
  /** Whether a provisioning Cluster has a random id, so that an unknown id may be its. */
  readonly hasUnknownIds: boolean;
  /** Projects and clusters that the program only refers to, by their ids. */
  readonly referencedProjects: ReadonlySet<string>;
  readonly referencedClusterIds: ReadonlySet<string>;
}

/** The projects and clusters of a world: a Namespace on Harvester names a project on Rancher. */
export const knownProjects = byObject((world: World): KnownProjects => {
  const projects = new Map<string, JudgedObject>();
  for (const project of world.ofKind(GROUPS.MANAGEMENT, 'Project')) {
    const { namespace = '', name } = project.manifest.metadata;
    remembered(projects, projectIdOf(namespace, name), () => project);
  }
  const namespaces = new Map<string, JudgedObject[]>();
  for (const namespace of world.ofKind('', 'Namespace')) {
    const id = projectIdIn(namespace.manifest);
    if (id !== undefined) { remembered(namespaces, id, () => []).push(namespace); }
  }
  const clusterIds = new Set<string>();
  let hasUnknownIds = false;
  for (const { manifest } of world.ofKind(GROUPS.PROVISIONING, 'Cluster')) {
    const id = managementClusterIdOf(manifest);
    if (id === undefined || isLate(id)) { hasUnknownIds = true; } else { clusterIds.add(id); }
  }
  for (const { manifest } of world.ofKind(GROUPS.MANAGEMENT, 'Cluster')) { clusterIds.add(manifest.metadata.name); }
  return {
    projects,
    namespaces,
    clusterIds,
    hasUnknownIds,
    referencedProjects: new Set(referenced(world, 'Project').map(({ namespace = '', name }) => projectIdOf(namespace, name))),
    referencedClusterIds: new Set(referenced(world, 'Cluster').map(({ name }) => name)),
  };
});

function referenced(world: World, kind: string): KnownIdentity[] {
  return world.known.filter((object) => object.kind === kind && groupOf(object.apiVersion) === GROUPS.MANAGEMENT);
}

/** Checks that an ID is that of a known cluster; finds nothing if a cluster has an unknown ID. */
export function unknownCluster(object: JudgedObject, world: World, path: string, id: unknown): readonly Problem[] {
  const { clusterIds, referencedClusterIds, hasUnknownIds } = knownProjects(world);
  if (typeof id !== 'string' || id === '' || id === LOCAL_CLUSTER || isLate(id) || hasUnknownIds) { return NO_PROBLEMS; }
  if (clusterIds.size === 0 || clusterIds.has(id) || referencedClusterIds.has(id)) { return NO_PROBLEMS; }
  const some = [...clusterIds, ...referencedClusterIds].slice(0, 5).join(', ');
  const certain = world.isListed(object, GROUPS.MANAGEMENT, 'Cluster');
  return [{
    path,
    value: id,
    ...(certain ? {} : { level: 'warning' as const }),
    message: 'must be the management cluster ID of a known cluster',
    fix: `use one of ${some}`,
  }];
}

/** The project ID in the annotation of a Namespace; undefined without one. */
export function projectIdIn(namespace: Manifest): string | undefined {
  const id = annotationsOf(namespace)[ANNOTATION_PROJECT_ID];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** What the findings of quotas have in common: the quota of a namespace is a part of that of its project, and both are often too small for the same machines. */
export function tooSmall({ manifest, target }: Pick<JudgedObject, 'manifest' | 'target'>): string {
  const [cluster, project] = manifest.kind === 'Namespace' ? projectIdIn(manifest)?.split(':') ?? [] : [];
  const home = project === undefined ? `${objectLabel(manifest)} on ${target.name}` : `Project ${cluster}/${project}`;
  return `quotas of ${manifest.kind === 'Project' ? objectLabel(manifest) : home} are too small for its machines`;
}

/** The result of looking up a project by its ID. */
type Whereabouts =
  | { readonly is: 'known'; readonly project: JudgedObject }
  /** The program refers to it as existing, without more. */
  | { readonly is: 'referenced' }
  /** No projects are known at all, or the ID is a late value. */
  | { readonly is: 'unsure' }
  /** Its cluster is known and the project is not. */
  | { readonly is: 'missing' }
  /** Its name is one that Rancher generates, or its cluster is unknown. */
  | { readonly is: 'perhaps elsewhere'; readonly why: string };

const RANDOM_NAME = /^p-[a-z0-9]{5}$/;

/** Looks up a project by its ID `<management cluster ID>:<project>`. */
export function findProject(world: World, id: string): Whereabouts {
  const { projects, clusterIds, hasUnknownIds, referencedProjects, referencedClusterIds } = knownProjects(world);
  const project = projects.get(id);
  if (project) { return { is: 'known', project }; }
  if (referencedProjects.has(id)) { return { is: 'referenced' }; }
  const [cluster, name] = id.split(':');
  if (isLate(id) || (clusterIds.size === 0 && projects.size === 0) || cluster === LOCAL_CLUSTER) { return { is: 'unsure' }; }
  if (RANDOM_NAME.test(name)) { return { is: 'perhaps elsewhere', why: 'must be a known project; Rancher generates such names' }; }
  if (clusterIds.has(cluster)) { return { is: 'missing' }; }
  if (referencedClusterIds.has(cluster)) { return { is: 'perhaps elsewhere', why: `must be a known project of ${cluster}, which the program only references` }; }
  return hasUnknownIds ? { is: 'unsure' } : { is: 'perhaps elsewhere', why: `must be a project of a known cluster, not of ${cluster}` };
}

/**
 * The namespaces where Rancher may look for the bindings of a project: the one in its status, or those that its version derives.
 *
 * @param target the target of the bindings
 */
export function backingNamespaces(target: JudgedObject['target'], clusterId: string, name: string, project: Manifest | undefined): readonly string[] {
  const actual = valueAt(project, 'status', 'backingNamespace');
  if (typeof actual === 'string' && actual !== '') { return [actual]; }
  const hasClusterId = hasFeature(target, RancherGate.PROJECT_BACKING_NAMESPACE);
  if (hasClusterId !== undefined) { return [backingNamespaceOf(clusterId, name, hasClusterId)]; }
  return [backingNamespaceOf(clusterId, name, true), backingNamespaceOf(clusterId, name, false)];
}

/** The content of an annotation with JSON. */
interface JsonAnnotation {
  /** The fields of the object; undefined without an annotation, or if it is not valid. */
  readonly fields?: { readonly [key: string]: unknown };
  /** The reason why it cannot be read. */
  readonly broken?: string;
}

/** Reads the object in an annotation with JSON; a late value is not read. */
function jsonAnnotation(manifest: Manifest, annotation: string): JsonAnnotation {
  const text = annotationsOf(manifest)[annotation];
  // Rancher treats an empty text as no annotation
  return typeof text !== 'string' || text === '' || isLate(text) ? {} : parsed(text);
}

const parsed = byText((text): JsonAnnotation => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? { fields: value } : { broken: 'must be a JSON object' };
  } catch {
    return { broken: 'must be valid JSON' };
  }
});

/** The quota in the annotation of a Namespace; undefined without one, or if it is not valid. */
function tenantQuotaOf(namespace: Manifest): QuotaLimit | undefined {
  const { fields } = jsonAnnotation(namespace, ANNOTATION_RESOURCE_QUOTA);
  return fields && limitIn(fields);
}

const KINDS = ['/Namespace'];
/** The path of the quota of a Namespace. */
export const QUOTA_PATH = `metadata.annotations[${ANNOTATION_RESOURCE_QUOTA}]`;
const CONTAINERS = `metadata.annotations[${ANNOTATION_CONTAINER_LIMIT}]`;
const SYNC = 'rancher/rancher:pkg/controllers/managementuser/resourcequota/resource_quota_sync.go';

function isChecked({ manifest }: JudgedObject, world: World): boolean {
  const id = projectIdIn(manifest);
  const found = id === undefined ? undefined : findProject(world, id);
  return found?.is !== 'known' || hasFeature(found.project.target, RancherGate.CONTAINER_LIMIT_VALIDATED) !== false;
}

function containerProblems(namespace: Manifest): Problem[] {
  const { fields, broken } = jsonAnnotation(namespace, ANNOTATION_CONTAINER_LIMIT);
  if (broken) {
    return [{
      path: CONTAINERS,
      message: broken,
      fix: 'write {"requestsCpu":"100m","requestsMemory":"128Mi","limitsCpu":"500m","limitsMemory":"512Mi"}',
    }];
  }
  if (!fields) { return []; }
  const unknown = Object.keys(fields).filter((key) => !(CONTAINER_LIMIT_KEYS as readonly string[]).includes(key));
  return [
    ...checkContainerLimits(CONTAINERS, quotaLimitOf(fields)),
    ...unknown.map((key): Problem => ({
      path: `${CONTAINERS}.${key}`,
      level: 'warning',
      message: 'must be a default of containers',
      fix: `use ${CONTAINER_LIMIT_KEYS.join(', ')}`,
    })),
  ];
}

/** Rules for the quotas of Namespaces. */
export const TENANT_NAMESPACE_QUOTA_RULES = rules({ kinds: KINDS }, [
  {
    id: 'tenant-namespace/quota',
    level: 'error',
    fields: [QUOTA_PATH],
    what: `${ANNOTATION_RESOURCE_QUOTA} is JSON, {"limit":{…}}, of resources that Rancher limits and quantities`,
    source: SYNC,
    judge: ({ manifest }) => {
      const { fields, broken } = jsonAnnotation(manifest, ANNOTATION_RESOURCE_QUOTA);
      const fix = 'write {"limit":{"limitsCpu":"8","limitsMemory":"32Gi"}}';
      if (broken) {
        return { path: QUOTA_PATH, message: `${broken}: Rancher creates no quota from it`, fix };
      } else if (fields && !isRecord(fields.limit)) {
        return { path: QUOTA_PATH, message: 'must contain limit: Rancher uses the default of the project', fix };
      } else if (fields) {
        return checkQuotaLimit(`${QUOTA_PATH}.limit`, limitIn(fields));
      }
      return undefined;
    },
  },
  {
    id: 'tenant-namespace/quota-dropped',
    level: 'warning',
    fields: [QUOTA_PATH],
    what: 'the quota of a Namespace has only resources that its project limits; Rancher drops others, or all if the project has no quota',
    source: SYNC,
    judge: ({ manifest }, world) => {
      const limit = tenantQuotaOf(manifest);
      if (!limit) { return undefined; }
      const id = projectIdIn(manifest);
      if (id === undefined) {
        return {
          path: QUOTA_PATH,
          message: 'has no effect: the Namespace is in no project',
          fix: 'add it to a project with a quota, or remove the annotation',
        };
      }
      const found = findProject(world, id);
      if (found.is !== 'known') { return undefined; }
      const { manifest: project } = found.project;
      if (!projectQuota(project)) {
        return {
          path: QUOTA_PATH,
          message: `has no effect: project ${id} has no quota, so Rancher removes it`,
          fix: 'set a quota and a default of the project, or remove the annotation',
        };
      } else {
        return checkNamespaceKeys(`${QUOTA_PATH}.limit`, limit, limitOf(project, 'namespaceDefaultResourceQuota') ?? {});
      }
    },
  },
  {
    id: 'tenant-namespace/containers',
    level: 'error',
    fields: [CONTAINERS],
    what: `${ANNOTATION_CONTAINER_LIMIT} is JSON of ${CONTAINER_LIMIT_KEYS.join(', ')}, and no request is larger than its limit`,
    source: 'rancher/webhook:pkg/resources/core/v1/namespace (0.7)',
    *judge(object, world) {
      // the version of Rancher is that of its chart, not of the cluster of the Namespace
      const level = isChecked(object, world) ? 'error' : 'warning';
      for (const problem of containerProblems(object.manifest)) { yield { ...problem, level: problem.level ?? level }; }
    },
  },
]);

const QUOTA_KINDS = ['management.cattle.io/Project'];
const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/project/validator.go';
const QUOTA_QUOTA = 'spec.resourceQuota';
const DEFAULT = 'spec.namespaceDefaultResourceQuota';
const QUOTA_CONTAINERS = 'spec.containerDefaultResourceLimit';

const QUOTA_FIELDS = ['resourceQuota', 'namespaceDefaultResourceQuota'] as const;

const limitIn = byObject((quota: { readonly limit?: unknown }) => quotaLimitOf(quota.limit));

/** A quota of a Project; undefined where it has none. */
function limitOf(project: Manifest, field: typeof QUOTA_FIELDS[number]): QuotaLimit | undefined {
  const quota = valueAt(project, 'spec', field);
  return isRecord(quota) ? limitIn(quota) : undefined;
}

/** The quota of a Project; undefined without one. */
export function projectQuota(project: Manifest): QuotaLimit | undefined {
  return limitOf(project, 'resourceQuota');
}

/**
 * The quota that Rancher creates for a Namespace: its own, completed with the default of its project, which also names all that is limited.
 * Empty outside of projects.
 */
export function namespaceQuota(namespace: Manifest, world: World): { readonly own: QuotaLimit; readonly limit: QuotaLimit } {
  const id = projectIdIn(namespace);
  const own = tenantQuotaOf(namespace) ?? {};
  if (id === undefined) { return { own, limit: {} }; }
  const found = findProject(world, id);
  return { own, limit: found.is === 'known' ? completed(own, limitOf(found.project.manifest, 'namespaceDefaultResourceQuota')) : own };
}

// Rancher completes what is missing and drops what the default lacks
function completed(own: QuotaLimit, namespaceDefault: QuotaLimit = {}): QuotaLimit {
  const limit: { [key: string]: string } = {};
  for (const key of Object.keys(namespaceDefault)) { limit[key] = own[key] ?? namespaceDefault[key]; }
  return limit;
}

function overQuota({ manifest }: JudgedObject, id: string, world: World): readonly Problem[] {
  const quota = projectQuota(manifest);
  if (!quota) { return NO_PROBLEMS; }
  const namespaceDefault = limitOf(manifest, 'namespaceDefaultResourceQuota');
  const quotas = (knownProjects(world).namespaces.get(id) ?? []).map(({ manifest: namespace }) => (
    { namespace: namespace.metadata.name, limit: completed(tenantQuotaOf(namespace) ?? {}, namespaceDefault) }));
  return checkQuotaSums(`${QUOTA_QUOTA}.limit`, quota, quotas);
}

/** Rules for quotas of Projects. */
export const QUOTA_RULES: readonly Rule[] = [
  ...rules({ kinds: QUOTA_KINDS, level: 'error' }, [
    {
      id: 'quota/project',
      what: 'a Project has both a quota and a default for namespaces, or neither; both have the same resources, and no default exceeds the quota',
      source: `${VALIDATOR} checkQuotaFields, checkQuotaValues; seen on Rancher 2.13.8`,
      judge: ({ manifest }) => {
        const quota = limitOf(manifest, 'resourceQuota');
        const namespaceDefault = limitOf(manifest, 'namespaceDefaultResourceQuota');
        // the fields themselves where one is missing, their limits where both are there
        const both = quota !== undefined && namespaceDefault !== undefined ? '.limit' : '';
        return [
          ...checkQuotaLimit(`${QUOTA_QUOTA}.limit`, quota ?? {}), ...checkQuotaLimit(`${DEFAULT}.limit`, namespaceDefault ?? {}),
          ...checkProjectQuotas({ quota: `${QUOTA_QUOTA}${both}`, namespaceDefault: `${DEFAULT}${both}` }, quota, namespaceDefault),
        ];
      },
    },
    {
      id: 'quota/extended',
      what: 'quotas of extended resources need Rancher 2.14; earlier versions drop them',
      source: 'rancher/rancher:pkg/apis/management.cattle.io/v3 at the release tags',
      judge: ({ manifest, target }) => {
        const extended = QUOTA_FIELDS.filter((field) => Object.keys(limitOf(manifest, field) ?? {}).some((key) => key.startsWith(EXTENDED_PREFIX)));
        const lacks = extended.length > 0 ? lacksFeature(target, RancherGate.PROJECT_QUOTA_EXTENDED) : undefined;
        return !lacks ? undefined : extended.map((field) => (
          { path: `spec.${field}.limit.extended`, message: `has no effect: ${lacks}`, fix: 'remove it, or upgrade Rancher' }));
      },
    },
    {
      id: 'quota/containers',
      fields: [QUOTA_CONTAINERS],
      what: 'defaults of containers are quantities of 0 or more, and no request exceeds its limit',
      says: 'resource requests and limits can\'t have negative values',
      source: `${VALIDATOR} validateContainerDefaultResourceLimit`,
      *judge({ manifest }) {
        const limits = valueAt(manifest, 'spec', 'containerDefaultResourceLimit');
        if (!isRecord(limits)) { return; }
        const given = quotaLimitOf(limits);
        yield* checkContainerLimits(QUOTA_CONTAINERS, given);
        const lacking = CONTAINER_LIMIT_KEYS.filter((key) => given[key] === undefined);
        if (lacking.length > 0 && lacking.length < CONTAINER_LIMIT_KEYS.length) {
          yield {
            path: QUOTA_CONTAINERS,
            level: 'warning',
            message: `must also set ${lacking.join(', ')}: some versions of the webhook read all four`,
            fix: 'set all four, or remove it',
            says: 'failed to parse container default',
          };
        }
      },
    },
  ]),
  ...rules({ kinds: [...QUOTA_KINDS, '/Namespace'] }, [
    {
      id: 'quota/sum',
      level: 'error',
      what: 'the quotas of a Project\'s namespaces together are at most that of the Project; Rancher accepts more and then exceeds the quota or applies none',
      source: 'seen on Rancher 2.13.8: only the annotation cattle.io/status has ResourceQuotaValidated False, on this and on every later namespace',
      judge: (object, world) => {
        const { manifest } = object;
        const { namespace = '', name } = manifest.metadata;
        if (manifest.kind === 'Project') { return overQuota(object, projectIdOf(namespace, name), world); }
        const id = projectIdIn(manifest);
        const found = id === undefined ? undefined : findProject(world, id);
        if (id === undefined || found?.is !== 'known') { return undefined; }
        const { namespaces } = knownProjects(world);
        // the finding is at a judged project, or at the first of its namespaces
        if (world.isJudged(found.project) || namespaces.get(id)?.find((other) => world.isJudged(other)) !== object) { return undefined; }
        return overQuota(found.project, id, world).map(({ path, ...problem }) => (
          { ...problem, path: '', message: `is in a project whose ${path} ${problem.message}` }));
      },
    },
  ]),
];
