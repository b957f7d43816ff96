import {
  checkContainerLimits,
  OF_PROJECT,
  checkNamespaceKeys,
  checkProjectQuotas,
  checkQuotaLimit,
  checkQuotaSums,
  CONTAINER_LIMIT_KEYS,
  EXTENDED_PREFIX,
  quotaLimitOf,
} from './quota.check';
import {
  completedQuota,
  parsedJsonObject,
  NAMESPACE_DEFAULT,
  PROJECT_QUOTA,
  QUOTA_PATH,
  quotaOf,
  tenantQuotaOf,
} from './quota.facts';
import { isRecord } from '../../core/manifest/manifest';
import { Problem, joinedProblems } from '../../core/problem/problem';
import { Findings } from '../../core/rule/findings';
import { FactCheck, rules } from '../../core/rule/kit/fact';
import { errorIf } from '../../core/rule/kit/relations';
import { text } from '../../core/rule/kit/values';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { hasFeature, lacksFeature } from '../../core/version/target-features';
import { knownProjects, projectIdIn, projectOf } from '../project/known-projects.facts';
import {
  ANNOTATION_CONTAINER_LIMIT,
  ANNOTATION_RESOURCE_QUOTA,
  projectIdOf,
} from '../project/project.kind';
import { RancherGate } from '../version/rancher-version';

const CONTAINERS = `metadata.annotations[${ANNOTATION_CONTAINER_LIMIT}]`;
const SYNC = 'rancher/rancher:pkg/controllers/managementuser/resourcequota/resource_quota_sync.go';

/** The check of an annotation with a JSON object. Rancher treats an empty text as no annotation. */
const json = (
  broken: { readonly effect?: string; readonly fix: string },
  check: (fields: { readonly [key: string]: unknown }) => Findings,
): FactCheck =>
  text((path, value) => {
    const fields = parsedJsonObject(value);
    return typeof fields === 'string'
      ? { path, message: `${fields}${broken.effect ?? ''}`, fix: broken.fix }
      : check(fields);
  });

const EXAMPLE = 'write {"limit":{"limitsCpu":"8","limitsMemory":"32Gi"}}';

const checkContainers = json(
  {
    fix: 'write {"requestsCpu":"100m","requestsMemory":"128Mi","limitsCpu":"500m","limitsMemory":"512Mi"}',
  },
  (fields) => [
    ...checkContainerLimits(CONTAINERS, quotaLimitOf(fields)),
    ...Object.keys(fields)
      .filter((key) => !(CONTAINER_LIMIT_KEYS as readonly string[]).includes(key))
      .map((key): Problem => ({
        path: `${CONTAINERS}.${key}`,
        level: 'warning',
        message: 'must be a default of containers',
        fix: `use ${CONTAINER_LIMIT_KEYS.join(', ')}`,
      })),
  ],
);

/**
 * Whether Rancher validates defaults of containers. Its version is that of its chart, not of the
 * cluster of the Namespace.
 */
function areContainersValidated({ manifest, target }: JudgedObject, world: World): boolean {
  const project = projectOf(world, target, projectIdIn(manifest));
  return !project || hasFeature(project.target, RancherGate.CONTAINER_LIMIT_VALIDATED) !== false;
}

/** Rules for the quotas of Namespaces. */
export const TENANT_NAMESPACE_QUOTA_RULES = rules({ kinds: ['/Namespace'] }, [
  {
    id: 'tenant-namespace/quota',
    what: `${ANNOTATION_RESOURCE_QUOTA} is JSON, {"limit":{…}}, of resources that Rancher limits and quantities`,
    source: SYNC,
    field: QUOTA_PATH,
    check: json({ effect: ': Rancher creates no quota from it', fix: EXAMPLE }, ({ limit }) =>
      isRecord(limit)
        ? checkQuotaLimit(`${QUOTA_PATH}.limit`, quotaLimitOf(limit))
        : {
            path: QUOTA_PATH,
            message: 'must contain limit: Rancher uses the default of the project',
            fix: EXAMPLE,
          },
    ),
  },
  {
    id: 'tenant-namespace/quota-dropped',
    level: 'warning',
    what: 'the quota of a Namespace has only resources that its project limits; Rancher drops others, or all if the project has no quota',
    source: SYNC,
    when: ({ manifest }) => tenantQuotaOf(manifest),
    field: QUOTA_PATH,
    check: (path, _, { manifest, target }, world) => {
      const id = projectIdIn(manifest);
      if (id === undefined) {
        return {
          path,
          message: 'has no effect: the Namespace is in no project',
          fix: 'add it to a project with a quota, or remove the annotation',
        };
      }
      const project = projectOf(world, target, id)?.manifest;
      return (
        project &&
        (quotaOf(project)
          ? checkNamespaceKeys(
              `${path}.limit`,
              tenantQuotaOf(manifest)!,
              quotaOf(project, NAMESPACE_DEFAULT) ?? {},
            )
          : {
              path,
              message: `has no effect: project ${id} has no quota, so Rancher removes it`,
              fix: 'set a quota and a default of the project, or remove the annotation',
            })
      );
    },
  },
  {
    id: 'tenant-namespace/containers',
    what: `${ANNOTATION_CONTAINER_LIMIT} is JSON of ${CONTAINER_LIMIT_KEYS.join(', ')}, and no request is larger than its limit`,
    source: 'rancher/webhook:pkg/resources/core/v1/namespace (0.7)',
    field: CONTAINERS,
    check: (path, value, object, world) => {
      const level = errorIf(areContainersValidated(object, world));
      return joinedProblems(checkContainers(path, value, object, world) as Problem[]).map(
        (problem) => ({
          level,
          ...problem,
        }),
      );
    },
  },
]);

const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/project/validator.go';
const QUOTA = `spec.${PROJECT_QUOTA}`;
const DEFAULT = `spec.${NAMESPACE_DEFAULT}`;

function sumsOf({ manifest, target }: JudgedObject, id: string, world: World): readonly Problem[] {
  const [quota, namespaceDefault] = [quotaOf(manifest), quotaOf(manifest, NAMESPACE_DEFAULT)];
  return quota
    ? checkQuotaSums(
        `${QUOTA}.limit`,
        quota,
        (knownProjects(world, target).namespaces.get(id) ?? []).map(({ manifest: namespace }) => ({
          namespace: namespace.metadata.name,
          limit: completedQuota(tenantQuotaOf(namespace), namespaceDefault),
        })),
      )
    : [];
}

/** Rules for quotas of Projects. */
export const QUOTA_RULES: readonly Rule[] = [
  ...rules({ kinds: ['management.cattle.io/Project'] }, [
    {
      id: 'quota/project',
      what: 'a Project has both a quota and a default for namespaces, or neither; both have the same resources, and no default exceeds the quota',
      source: `${VALIDATOR} checkQuotaFields, checkQuotaValues; seen on Rancher 2.13.8`,
      judge: ({ manifest }) => {
        const [quota, namespaceDefault] = [quotaOf(manifest), quotaOf(manifest, NAMESPACE_DEFAULT)];
        // the fields themselves where one is missing, their limits where both are there
        const both = quota !== undefined && namespaceDefault !== undefined ? '.limit' : '';
        return joinedProblems(
          checkQuotaLimit(`${QUOTA}.limit`, quota ?? {}),
          checkQuotaLimit(`${DEFAULT}.limit`, namespaceDefault ?? {}),
          checkProjectQuotas(
            { quota: `${QUOTA}${both}`, namespaceDefault: `${DEFAULT}${both}` },
            quota,
            namespaceDefault,
          ),
        );
      },
    },
    {
      id: 'quota/extended',
      what: 'quotas of extended resources need Rancher 2.14; earlier versions drop them',
      source: 'rancher/rancher:pkg/apis/management.cattle.io/v3 at the release tags',
      judge: ({ manifest, target }) => {
        const lacks = lacksFeature(target, RancherGate.PROJECT_QUOTA_EXTENDED);
        return (
          lacks &&
          ([PROJECT_QUOTA, NAMESPACE_DEFAULT] as const)
            .filter((field) =>
              Object.keys(quotaOf(manifest, field) ?? {}).some((key) =>
                key.startsWith(EXTENDED_PREFIX),
              ),
            )
            .map((field) => ({
              path: `spec.${field}.limit.extended`,
              message: `has no effect: ${lacks}`,
              fix: 'remove it, or upgrade Rancher',
            }))
        );
      },
    },
    {
      id: 'quota/containers',
      what: 'defaults of containers are quantities of 0 or more, and no request exceeds its limit',
      says: 'is greater than limit',
      source: `${VALIDATOR} validateContainerDefaultResourceLimit, which lets negative amounts pass: then the API server refuses the LimitRange that Rancher writes`,
      field: 'spec.containerDefaultResourceLimit',
      check: (path, limits) =>
        isRecord(limits) ? checkContainerLimits(path, quotaLimitOf(limits), OF_PROJECT) : undefined,
    },
  ]),
  ...rules({ kinds: ['management.cattle.io/Project', '/Namespace'] }, [
    {
      id: 'quota/sum',
      what: "the quotas of a Project's namespaces together are at most that of the Project; Rancher accepts more and then exceeds the quota or applies none",
      source:
        'seen on Rancher 2.13.8: only the annotation cattle.io/status has ResourceQuotaValidated False, on this and on every later namespace',
      judge: (object, world) => {
        const { kind } = object.manifest;
        const { namespace = '', name } = object.manifest.metadata;
        if (kind === 'Project') {
          return sumsOf(object, projectIdOf(namespace, name), world);
        }
        const id = projectIdIn(object.manifest);
        const project = projectOf(world, object.target, id);
        // the finding is at a judged project, or at the first of its namespaces
        if (id === undefined || !project || world.isJudged(project)) {
          return undefined;
        }
        return (
          knownProjects(world, object.target)
            .namespaces.get(id)
            ?.find((other) => world.isJudged(other)) === object &&
          sumsOf(project, id, world).map(({ path, ...problem }) => ({
            ...problem,
            path: '',
            message: `is in a project whose ${path} ${problem.message}`,
          }))
        );
      },
    },
  ]),
];
