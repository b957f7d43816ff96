import { findProject, projectIdIn } from './project-known';
import { rancherHas } from './rancher-gates';
import { JudgedObject, Rule } from './rule';
import { jsonAnnotation, tenantQuotaOf } from './tenant-quota';
import { World } from './world';
import { isRecord, Manifest, valueAt } from '../model/manifest';
import { Problem } from '../model/problem';
import { ANNOTATION_CONTAINER_LIMIT, ANNOTATION_RESOURCE_QUOTA } from '../model/tenancy/names';
import { checkContainerLimits, checkNamespaceKeys, checkQuotaLimit } from '../model/tenancy/quota-checks';
import { CONTAINER_LIMIT_KEYS } from '../model/tenancy/quota-keys';
import { quotaLimitOf } from '../model/tenancy/quota-text';
import { GateId } from '../versions/gate-id';

const KINDS = ['/Namespace'];
const QUOTA = `metadata.annotations[${ANNOTATION_RESOURCE_QUOTA}]`;
const CONTAINERS = `metadata.annotations[${ANNOTATION_CONTAINER_LIMIT}]`;
const SYNC = 'rancher/rancher:pkg/controllers/managementuser/resourcequota/resource_quota_sync.go';

const FORM: Rule = {
  id: 'tenant-namespace/quota',
  level: 'error',
  kinds: KINDS,
  what: `${ANNOTATION_RESOURCE_QUOTA} is JSON, {"limit":{…}}, of resources that Rancher limits and quantities`,
  source: SYNC,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const { fields, broken } = jsonAnnotation(manifest, ANNOTATION_RESOURCE_QUOTA);
    const fix = 'write {"limit":{"limitsCpu":"8","limitsMemory":"32Gi"}}';
    if (broken) {
      yield { path: QUOTA, message: `${broken}: Rancher makes no quota of it`, fix };
    } else if (fields && !isRecord(fields.limit)) {
      yield { path: QUOTA, message: 'has no limit: Rancher takes the default of the project', fix };
    } else if (fields) {
      yield* checkQuotaLimit(`${QUOTA}.limit`, quotaLimitOf(fields.limit));
    }
  },
};

const DROPPED: Rule = {
  id: 'tenant-namespace/quota-dropped',
  level: 'warning',
  kinds: KINDS,
  what: 'the quota of a Namespace limits what its project limits; Rancher drops the rest, and all of it where the project has none',
  source: SYNC,
  *judge({ manifest }: JudgedObject, world: World): Iterable<Problem> {
    const { limit } = tenantQuotaOf(manifest);
    if (!limit) { return; }
    const id = projectIdIn(manifest);
    if (id === undefined) {
      yield {
        path: QUOTA,
        message: 'does nothing: the Namespace is in no project',
        fix: 'put it into a project with a quota, or leave the annotation out',
      };
      return;
    }
    const found = findProject(world, id);
    if (found.is !== 'known') { return; }
    const spec = found.project.manifest.spec;
    if (!isRecord(valueAt(spec, 'resourceQuota'))) {
      yield {
        path: QUOTA,
        message: `does nothing: project ${id} has no quota, so Rancher removes it`,
        fix: 'give the project a quota and a default, or leave the annotation out',
      };
    } else {
      yield* checkNamespaceKeys(`${QUOTA}.limit`, limit, quotaLimitOf(valueAt(spec, 'namespaceDefaultResourceQuota', 'limit')));
    }
  },
};

const CONTAINER_LIMITS: Rule = {
  id: 'tenant-namespace/containers',
  level: 'error',
  kinds: KINDS,
  what: `${ANNOTATION_CONTAINER_LIMIT} is JSON of ${CONTAINER_LIMIT_KEYS.join(', ')}, and no request is larger than its limit`,
  source: 'rancher/webhook:pkg/resources/core/v1/namespace (0.7)',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    // Rancher's version is that of its chart, not of the cluster that the Namespace lies on
    const level = isChecked(object, world) ? 'error' : 'warning';
    for (const problem of containerProblems(object.manifest)) { yield { ...problem, level: problem.level ?? level }; }
  },
};

function isChecked({ manifest }: JudgedObject, world: World): boolean {
  const id = projectIdIn(manifest);
  const found = id === undefined ? undefined : findProject(world, id);
  return found?.is !== 'known' || rancherHas(found.project.target, GateId.CONTAINER_LIMIT_VALIDATED) !== false;
}

function containerProblems(namespace: Manifest): Problem[] {
  const { fields, broken } = jsonAnnotation(namespace, ANNOTATION_CONTAINER_LIMIT);
  if (broken) { return [{ path: CONTAINERS, message: broken, fix: 'write {"requestsCpu":"100m","requestsMemory":"128Mi","limitsCpu":"500m","limitsMemory":"512Mi"}' }]; }
  if (!fields) { return []; }
  const unknown = Object.keys(fields).filter((key) => !(CONTAINER_LIMIT_KEYS as readonly string[]).includes(key));
  return [
    ...checkContainerLimits(CONTAINERS, quotaLimitOf(fields)),
    ...unknown.map((key): Problem => ({ path: `${CONTAINERS}.${key}`, level: 'warning', message: 'is no default of containers', fix: `use ${CONTAINER_LIMIT_KEYS.join(', ')}` })),
  ];
}

/** Rules for the quotas of Namespaces. */
export const TENANT_NAMESPACE_QUOTA_RULES: readonly Rule[] = [FORM, DROPPED, CONTAINER_LIMITS];
