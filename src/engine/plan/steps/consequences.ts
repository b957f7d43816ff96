import { annotationsOf, groupOf, Manifest, valueAt } from '../../../core/manifest/manifest';
import { GROUPS, ANNOTATION_PROJECT_ID } from '../../../core/manifest/names';
import { AssemblyObject } from '../../../core/output/assembly';
import { some } from '../../../core/text/plain-text';
import { compare } from '../../../core/text/values';
import { isProvisioned, managementClusterIdOf } from '../../../rancher/cluster/cluster.facts';
import { LiveObject } from '../../cluster/cluster';
import { isManagement, isProvisioningCluster, isRegistration } from '../../graph/object-index';
import { Leftover } from '../../inventory/inventory';
import { PlanStep } from '../plan';

/** An object that a plan looked at. */
interface Examined {
  readonly object: Pick<AssemblyObject, 'target'>;
  readonly manifest: Manifest;
  readonly live?: LiveObject;
}

/**
 * Adds to each deletion of an import or a project what other objects lose by it, on all clusters.
 */
export function withConsequences(
  steps: readonly PlanStep[],
  leftovers: readonly Leftover[],
  declared: readonly Examined[],
): PlanStep[] {
  const pruned = new Set(steps.filter(({ action }) => action === 'prune').map(({ id }) => id));
  const going = leftovers.filter(({ entry }) => pruned.has(entry.id));
  const objects = [
    ...declared.flatMap(({ object, manifest, live = manifest }) => [
      { target: object.target, manifest: live, remains: true },
    ]),
    ...leftovers.flatMap(({ target, entry, live }) =>
      live ? [{ target, manifest: live, remains: !pruned.has(entry.id) }] : [],
    ),
  ];
  const texts = new Map(
    going.flatMap(({ entry, live }) => {
      const { id } = entry;
      const text = live && consequencesOf(live, objects);
      return text ? [[id, text] as const] : [];
    }),
  );
  return steps.map((step) =>
    texts.has(step.id)
      ? { ...step, reason: [step.reason, texts.get(step.id)].filter((text) => text).join('; ') }
      : step,
  );
}

/** An object of any target, and whether it remains after the apply. */
interface Other {
  readonly target: string;
  readonly manifest: Manifest;
  readonly remains: boolean;
}

/**
 * What Rancher deletes with a management cluster or a project, and which Harvesters and namespaces
 * lose it.
 *
 * @see rancher/rancher:pkg/controllers/management/auth/project_cluster/cluster_handler.go and project_handler.go Remove: the namespace that projects or
 *   bindings are in is deleted
 */
function consequencesOf(gone: LiveObject, others: readonly Other[]): string {
  const isManaged = isManagement(gone, 'Cluster');
  if (isManaged || (isProvisioningCluster(gone) && !isProvisioned(gone))) {
    const id = isManaged ? gone.metadata.name : managementClusterIdOf(gone);
    if (id === undefined) {
      return '';
    }
    return lossOf(`its management cluster ${id}`, others, {
      registration: `_${id}.yaml`,
      projects: ({ spec }) => valueAt(spec, 'clusterName') === id,
      bindings: ({ clusterName, projectName }) => clusterName === id || isIn(projectName, `${id}:`),
      project: (text) => isIn(text, `${id}:`),
    });
  }
  if (!isOfRancher(gone, 'Project')) {
    return '';
  }
  const id = `${String(valueAt(gone.spec, 'clusterName'))}:${gone.metadata.name}`;
  return lossOf('it', others, {
    bindings: ({ projectName }) => projectName === id,
    project: (text) => text === id,
  });
}

interface Belongs {
  /** What the registration URL of the Harvester contains. */
  readonly registration?: string;
  readonly projects?: (project: Manifest) => boolean;
  readonly bindings: (binding: Manifest) => boolean;
  /** Whether a project ID is one that is deleted. */
  readonly project: (id: unknown) => boolean;
}

function lossOf(
  what: string,
  others: readonly Other[],
  { registration, projects = () => false, bindings, project }: Belongs,
): string {
  const harvesters = others.filter(
    ({ manifest }) =>
      registration !== undefined &&
      isRegistration({ ...manifest, name: manifest.metadata.name }) &&
      String(manifest.value).includes(registration),
  );
  const counts = [
    countOf(others, 'project', (each) => isOfRancher(each, 'Project') && projects(each)),
    countOf(
      others,
      'binding',
      (each) =>
        (isOfRancher(each, 'ProjectRoleTemplateBinding') ||
          isOfRancher(each, 'ClusterRoleTemplateBinding')) &&
        bindings(each),
    ),
  ].filter((text) => text);
  const namespaces = others.filter(
    ({ manifest, remains }) =>
      remains &&
      manifest.apiVersion === 'v1' &&
      manifest.kind === 'Namespace' &&
      project(annotationsOf(manifest)[ANNOTATION_PROJECT_ID]),
  );
  return [
    counts.length > 0 ? `Rancher deletes ${counts.join(' and ')} with ${what}` : '',
    ...harvesters.map(({ target }) => `Harvester ${target} loses its registration`),
    ...[...new Set(namespaces.map(({ target }) => target))].sort(compare).map((target) => {
      const names = namespaces
        .filter((each) => each.target === target)
        .map(({ manifest }) => manifest.metadata.name)
        .sort(compare);
      return `on ${target}, ${names.length === 1 ? 'namespace' : 'namespaces'} ${some(names)} will have no project, and their project's members lose access`;
    }),
  ]
    .filter((text) => text)
    .join('; ');
}

function countOf(
  others: readonly Other[],
  noun: string,
  matches: (manifest: Manifest) => boolean,
): string {
  const count = others.filter(({ manifest }) => matches(manifest)).length;
  return count === 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function isOfRancher({ apiVersion, kind }: Manifest, wanted: string): boolean {
  return kind === wanted && groupOf(apiVersion) === GROUPS.MANAGEMENT;
}

function isIn(text: unknown, prefix: string): boolean {
  return typeof text === 'string' && text.startsWith(prefix);
}
