import { QuotaLimit, quotaLimitOf } from './quota.check';
import { isLate } from '../../core/late/late-token';
import {
  annotationsOf,
  isRecord,
  Manifest,
  objectLabel,
  valueAt,
} from '../../core/manifest/manifest';
import { JudgedObject, World } from '../../core/rule/rule';
import { filledText } from '../../core/text/plain-text';
import { byObject, byText, jsonOf } from '../../core/text/values';
import { projectIdIn, projectOf } from '../project/known-projects.facts';
import { ANNOTATION_RESOURCE_QUOTA } from '../project/project.kind';

/** The path of the quota of a Namespace. */
export const QUOTA_PATH = `metadata.annotations[${ANNOTATION_RESOURCE_QUOTA}]`;

/** The quotas of a Project. */
export const PROJECT_QUOTA = 'resourceQuota';
export const NAMESPACE_DEFAULT = 'namespaceDefaultResourceQuota';

/** The object in a text of JSON, or the reason why it cannot be read. */
export const parsedJsonObject = byText((text): { readonly [key: string]: unknown } | string => {
  const value = jsonOf(text);
  if (isRecord(value)) {
    return value;
  }
  if (value === undefined) {
    return 'must be valid JSON';
  }
  return 'must be a JSON object';
});

const limitIn = byObject((quota: { readonly limit?: unknown }) => quotaLimitOf(quota.limit));

/** A quota of a Project; undefined without one. */
export function quotaOf(
  project: Manifest,
  field: typeof PROJECT_QUOTA | typeof NAMESPACE_DEFAULT = PROJECT_QUOTA,
): QuotaLimit | undefined {
  const quota = valueAt(project, 'spec', field);
  return isRecord(quota) ? limitIn(quota) : undefined;
}

/** The quota in the annotation of a Namespace; undefined without one, or if it is not valid. */
export function tenantQuotaOf(namespace: Manifest): QuotaLimit | undefined {
  const text = filledText(annotationsOf(namespace)[ANNOTATION_RESOURCE_QUOTA]);
  const quota = text === undefined || isLate(text) ? undefined : parsedJsonObject(text);
  return isRecord(quota) ? limitIn(quota) : undefined;
}

/**
 * The quota that Rancher creates for a Namespace: its own, completed with the default of its
 * project, which also names all that is limited. Empty outside of projects.
 */
export function namespaceQuota(
  { manifest: namespace, target }: Pick<JudgedObject, 'manifest' | 'target'>,
  world: World,
): { readonly own: QuotaLimit; readonly limit: QuotaLimit } {
  const id = projectIdIn(namespace);
  const own = tenantQuotaOf(namespace) ?? {};
  if (id === undefined) {
    return { own, limit: {} };
  }
  const project = projectOf(world, target, id)?.manifest;
  return {
    own,
    limit: project ? completedQuota(own, quotaOf(project, NAMESPACE_DEFAULT)) : own,
  };
}

/**
 * A quota of a Namespace with the default of its project: Rancher completes what is missing, and
 * drops what the default lacks.
 */
export function completedQuota(
  own: QuotaLimit = {},
  namespaceDefault: QuotaLimit = {},
): QuotaLimit {
  return Object.fromEntries(
    Object.keys(namespaceDefault).map((key) => [key, own[key] ?? namespaceDefault[key]]),
  );
}

/**
 * What the findings of quotas have in common: the quota of a namespace is a part of that of its
 * project, and both are often too small for the same machines.
 */
export function tooSmall({ manifest, target }: Pick<JudgedObject, 'manifest' | 'target'>): string {
  const [cluster, project] =
    manifest.kind === 'Namespace' ? (projectIdIn(manifest)?.split(':') ?? []) : [];
  const home =
    project === undefined
      ? `${objectLabel(manifest)} on ${target.name}`
      : `Project ${cluster}/${project}`;
  return `quotas of ${manifest.kind === 'Project' ? objectLabel(manifest) : home} are too small for its machines`;
}
