import { Place } from './matrix';
import { annotationsOf, labelsOf } from '../../model/checks/metadata-maps';
import { compare } from '../../model/compare';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME, LABEL_PROVIDER, PROVIDER_HARVESTER } from '../../model/labels';
import { Manifest, valueAt } from '../../model/manifest';
import { GROUPS } from '../../model/names';
import { ANNOTATION_PROJECT_ID } from '../../model/tenancy/names';
import { World } from '../../rules/world';

interface KnownCluster {
  readonly name: string;
  /** Whether it is a Harvester; undefined where nothing says so. */
  readonly harvester?: boolean;
}

/**
 * The clusters, projects and namespaces among the objects, by their ids.
 */
export class Places {
  private readonly clusters = new Map<string, KnownCluster>();
  private readonly projects = new Map<string, string>();
  private readonly namespaces = new Map<string, string[]>();

  constructor(world: World) {
    for (const { manifest } of world.ofKind(GROUPS.MANAGEMENT, 'Cluster')) {
      this.clusters.set(manifest.metadata.name, { name: text(valueAt(manifest, 'spec', 'displayName')) ?? manifest.metadata.name, ...harvesterOf(manifest) });
    }
    for (const { manifest } of world.ofKind(GROUPS.PROVISIONING, 'Cluster')) {
      const id = text(valueAt(manifest, 'status', 'clusterName')) ?? text(annotationsOf(manifest)[ANNOTATION_MANAGEMENT_CLUSTER_NAME]);
      if (id) { this.clusters.set(id, { name: manifest.metadata.name, ...harvesterOf(manifest) }); }
    }
    for (const { manifest } of world.ofKind(GROUPS.MANAGEMENT, 'Project')) {
      const { namespace, name } = manifest.metadata;
      this.projects.set(`${namespace}:${name}`, text(valueAt(manifest, 'spec', 'displayName')) ?? name);
      if (namespace && !this.clusters.has(namespace)) { this.clusters.set(namespace, { name: namespace }); }
    }
    for (const { manifest } of world.ofKind('', 'Namespace')) {
      const project = text(annotationsOf(manifest)[ANNOTATION_PROJECT_ID]);
      if (project) { this.namespaces.set(project, [...this.namespaces.get(project) ?? [], manifest.metadata.name]); }
    }
  }

  public clusterIds(): string[] {
    return [...this.clusters.keys()].sort(compare);
  }

  /** Whether a cluster is a Harvester, or may be one. */
  public mayBeHarvester(id: string): boolean {
    return this.clusters.get(id)?.harvester !== false;
  }

  /** Whether a cluster is a Harvester for sure. */
  public isHarvester(id: string): boolean {
    return this.clusters.get(id)?.harvester === true;
  }

  public cluster(id: string): Place {
    return { kind: 'cluster', name: this.nameOf(id), cluster: id, clusterName: this.nameOf(id) };
  }

  public project(id: string): Place {
    const cluster = id.split(':')[0];
    return {
      kind: 'project',
      name: this.projects.get(id) ?? id,
      cluster,
      clusterName: this.nameOf(cluster),
      project: id,
      namespaces: [...new Set(this.namespaces.get(id))].sort(compare),
    };
  }

  public namespace(cluster: string, namespace: string): Place {
    return { kind: 'namespace', name: namespace, cluster, clusterName: this.nameOf(cluster), namespaces: [namespace] };
  }

  private nameOf(id: string): string {
    return this.clusters.get(id)?.name ?? id;
  }
}

function harvesterOf(manifest: Manifest): { harvester?: boolean } {
  if (labelsOf(manifest)[LABEL_PROVIDER] === PROVIDER_HARVESTER || valueAt(manifest, 'status', 'provider') === PROVIDER_HARVESTER) { return { harvester: true }; }
  const provisioned = valueAt(manifest, 'spec', 'rkeConfig');
  return provisioned === undefined || provisioned === null ? {} : { harvester: false };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
