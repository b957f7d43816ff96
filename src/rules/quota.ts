import { findProject, knownProjects, projectIdIn } from './project-known';
import { rancherLacks } from './rancher-gates';
import { JudgedObject, Rule } from './rule';
import { tenantQuotaOf } from './tenant-quota';
import { World } from './world';
import { isRecord, Manifest, valueAt } from '../model/manifest';
import { Problem } from '../model/problem';
import { projectIdOf } from '../model/tenancy/names';
import { checkContainerLimits, checkProjectQuotas, checkQuotaLimit, checkQuotaSums } from '../model/tenancy/quota-checks';
import { CONTAINER_LIMIT_KEYS, EXTENDED_PREFIX, QuotaLimit } from '../model/tenancy/quota-keys';
import { quotaLimitOf } from '../model/tenancy/quota-text';
import { GateId } from '../versions/gate-id';

const KINDS = ['management.cattle.io/Project'];
const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/project/validator.go';
const QUOTA = 'spec.resourceQuota';
const DEFAULT = 'spec.namespaceDefaultResourceQuota';
const CONTAINERS = 'spec.containerDefaultResourceLimit';

/** A quota of a Project; undefined where it has none. */
function limitOf(project: Manifest, field: 'resourceQuota' | 'namespaceDefaultResourceQuota'): QuotaLimit | undefined {
  const quota = valueAt(project, 'spec', field);
  return isRecord(quota) ? quotaLimitOf(quota.limit) : undefined;
}

const PROJECT: Rule = {
  id: 'quota/project',
  level: 'error',
  kinds: KINDS,
  what: 'the quota of a Project and the default of its namespaces are both there or neither, name the same resources, and no default is larger than the whole',
  source: `${VALIDATOR} checkQuotaFields, checkQuotaValues; seen on Rancher 2.13.8`,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const [quota, namespaceDefault] = [limitOf(manifest, 'resourceQuota'), limitOf(manifest, 'namespaceDefaultResourceQuota')];
    if (quota) { yield* checkQuotaLimit(`${QUOTA}.limit`, quota); }
    if (namespaceDefault) { yield* checkQuotaLimit(`${DEFAULT}.limit`, namespaceDefault); }
    // the fields themselves where one is missing, their limits where both are there
    const both = quota !== undefined && namespaceDefault !== undefined ? '.limit' : '';
    yield* checkProjectQuotas({ quota: `${QUOTA}${both}`, namespaceDefault: `${DEFAULT}${both}` }, quota, namespaceDefault);
  },
};

const EXTENDED: Rule = {
  id: 'quota/extended',
  level: 'error',
  kinds: KINDS,
  what: 'quotas of other resources than Rancher\'s own need Rancher 2.14; earlier ones drop them',
  source: 'rancher/rancher:pkg/apis/management.cattle.io/v3 at the release tags',
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    for (const [path, field] of [[QUOTA, 'resourceQuota'], [DEFAULT, 'namespaceDefaultResourceQuota']] as const) {
      const extended = Object.keys(limitOf(manifest, field) ?? {}).some((key) => key.startsWith(EXTENDED_PREFIX));
      const lacks = extended ? rancherLacks(target, GateId.PROJECT_QUOTA_EXTENDED) : undefined;
      if (lacks) { yield { path: `${path}.limit.extended`, message: `is ignored: ${lacks}`, fix: 'leave it out, or upgrade Rancher' }; }
    }
  },
};

const CONTAINER_LIMITS: Rule = {
  id: 'quota/containers',
  level: 'error',
  kinds: KINDS,
  what: 'defaults of containers are quantities, not negative, and no request is larger than its limit',
  says: 'resource requests and limits can\'t have negative values',
  source: `${VALIDATOR} validateContainerDefaultResourceLimit`,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const limits = valueAt(manifest, 'spec', 'containerDefaultResourceLimit');
    if (!isRecord(limits)) { return; }
    const given = quotaLimitOf(limits);
    yield* checkContainerLimits(CONTAINERS, given);
    const lacking = CONTAINER_LIMIT_KEYS.filter((key) => given[key] === undefined);
    if (lacking.length > 0 && lacking.length < CONTAINER_LIMIT_KEYS.length) {
      yield {
        path: CONTAINERS,
        level: 'warning',
        message: `lacks ${lacking.join(', ')}: versions of the webhook read all four`,
        fix: 'give all four, or leave it out',
        says: 'failed to parse container default',
      };
    }
  },
};

const SUM: Rule = {
  id: 'quota/sum',
  level: 'error',
  kinds: [...KINDS, '/Namespace'],
  what: 'the namespaces of a Project have together no more than the Project; Rancher takes them, and gives the tenant more than its quota or nothing',
  source: 'seen on Rancher 2.13.8: only annotation cattle.io/status says ResourceQuotaValidated False, on this and on every later namespace',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = object;
    const { namespace = '', name } = manifest.metadata;
    if (manifest.kind === 'Project') {
      yield* overQuota(object, projectIdOf(namespace, name), world);
      return;
    }
    const id = projectIdIn(manifest);
    const found = id === undefined ? undefined : findProject(world, id);
    if (id === undefined || found?.is !== 'known') { return; }
    const { judged, namespaces } = knownProjects(world);
    // a project that is judged says it itself; else the first of its namespaces does
    if (judged.has(found.project) || namespaces.get(id)?.find((other) => judged.has(other)) !== object) { return; }
    for (const { path, ...problem } of overQuota(found.project, id, world)) { yield { ...problem, path: '', message: `is in a project whose ${path} ${problem.message}` }; }
  },
};

function overQuota({ manifest }: JudgedObject, id: string, world: World): Problem[] {
  const [quota, namespaceDefault = {}] = [limitOf(manifest, 'resourceQuota'), limitOf(manifest, 'namespaceDefaultResourceQuota')];
  if (!quota) { return []; }
  const quotas = (knownProjects(world).namespaces.get(id) ?? []).map(({ manifest: namespace }) => {
    const own = tenantQuotaOf(namespace).limit ?? {};
    // Rancher completes what is missing and drops what the default lacks
    const limit = Object.fromEntries(Object.keys(namespaceDefault).map((key) => [key, own[key] ?? namespaceDefault[key]]));
    return { namespace: namespace.metadata.name, limit };
  });
  return checkQuotaSums(`${QUOTA}.limit`, quota, quotas);
}

/** Rules for quotas of Projects. */
export const QUOTA_RULES: readonly Rule[] = [PROJECT, EXTENDED, CONTAINER_LIMITS, SUM];
