import { RoleCluster } from './kubernetes-roles';
import { isLate, LATE_TOKEN } from '../../core/late/late-token';
import { annotationsOf, labelsOf, Manifest, valueAt } from '../../core/manifest/manifest';
import { GROUPS, ANNOTATION_PROJECT_ID } from '../../core/manifest/names';
import { JudgedTarget, World } from '../../core/rule/rule';
import { filledText } from '../../core/text/plain-text';
import { compare } from '../../core/text/values';
import { harvesterVersionOf } from '../../harvester/version/harvester-version';
import {
  ANNOTATION_MANAGEMENT_CLUSTER_NAME,
  LABEL_PROVIDER,
  PROVIDER_HARVESTER,
} from '../../rancher/cluster/cluster.facts';

/** Where a subject may do something. */
export interface AccessPlace {
  /**
   * Rancher itself, a namespace of Rancher, a cluster, a project with its namespaces, namespaces of
   * a cluster.
   */
  readonly kind: 'rancher' | 'rancher namespace' | 'cluster' | 'project' | 'namespace';
  readonly name: string;
  /** The output folder, below the given one. @default - all paths are one environment */
  readonly environment?: string;
  /** The management cluster id. */
  readonly cluster?: string;
  readonly clusterName?: string;
  /** The project's id, `<cluster id>:<project>`. */
  readonly project?: string;
  /** The namespaces that it is about. @default - all that there are */
  readonly namespaces?: readonly string[];
}

export const RANCHER: AccessPlace = { kind: 'rancher', name: 'Rancher' };

interface KnownCluster {
  readonly name: string;
  /** Whether it is a Harvester; undefined where that is not known. */
  readonly harvester?: boolean;
}

/** The clusters, projects and namespaces among the objects, by their ids. */
export class Places {
  private readonly clusters = new Map<string, KnownCluster>();
  /** The targets that are clusters, by the ids of the clusters, or by their own names. */
  private readonly targets: ReadonlyMap<string, JudgedTarget>;
  private readonly projects = new Map<string, string>();
  private readonly namespaces = new Map<string, string[]>();

  constructor(world: World) {
    this.targets = new Map(
      world
        .allTargets()
        .filter(({ kind }) => kind !== 'rancher')
        .map((target) => [idOf(target), target]),
    );
    for (const { manifest } of world.ofKind(GROUPS.MANAGEMENT, 'Cluster')) {
      this.clusters.set(manifest.metadata.name, {
        name: filledText(valueAt(manifest, 'spec', 'displayName')) ?? manifest.metadata.name,
        ...harvesterOf(manifest),
      });
    }
    for (const { manifest } of world.ofKind(GROUPS.PROVISIONING, 'Cluster')) {
      const id =
        filledText(valueAt(manifest, 'status', 'clusterName')) ??
        filledText(annotationsOf(manifest)[ANNOTATION_MANAGEMENT_CLUSTER_NAME]);
      if (id) {
        this.clusters.set(id, { name: manifest.metadata.name, ...harvesterOf(manifest) });
      }
    }
    // the Cluster of a target names no ID where the program refers to an existing one
    for (const [id, { kind, managedAs, name }] of this.targets) {
      if (managedAs !== undefined && !this.clusters.has(id)) {
        this.clusters.set(id, { name, harvester: kind === 'harvester' });
      }
    }
    for (const { manifest } of world.ofKind(GROUPS.MANAGEMENT, 'Project')) {
      const { namespace, name } = manifest.metadata;
      this.projects.set(
        `${namespace}:${name}`,
        filledText(valueAt(manifest, 'spec', 'displayName')) ?? name,
      );
    }
    const inClusters = ['Project', 'ClusterRoleTemplateBinding'].flatMap((kind) =>
      world.ofKind(GROUPS.MANAGEMENT, kind),
    );
    for (const { manifest } of inClusters) {
      const { namespace } = manifest.metadata;
      // the program may refer to a cluster that it does not declare
      if (namespace && !isLate(namespace) && !this.clusters.has(namespace)) {
        this.clusters.set(namespace, { name: namespace });
      }
    }
    for (const { manifest } of world.ofKind('', 'Namespace')) {
      const project = filledText(annotationsOf(manifest)[ANNOTATION_PROJECT_ID]);
      if (project) {
        this.namespaces.set(project, [
          ...(this.namespaces.get(project) ?? []),
          manifest.metadata.name,
        ]);
      }
    }
  }

  public clusterIds(): string[] {
    return [...this.clusters.keys()].sort(compare);
  }

  /** What is known of a cluster that decides what roles give on it. */
  public traits(id: string): RoleCluster {
    const target = this.targets.get(id);
    const harvester =
      this.clusters.get(id)?.harvester ??
      (target?.kind === undefined ? undefined : target.kind === 'harvester');
    return {
      harvester,
      version: harvester === false ? undefined : harvesterVersionOf(target ?? {}),
    };
  }

  public cluster(id: string): AccessPlace {
    return { kind: 'cluster', name: this.nameOf(id), cluster: id, clusterName: this.nameOf(id) };
  }

  public project(id: string): AccessPlace {
    const { cluster, name } = projectIdParts(id);
    return {
      kind: 'project',
      name: this.projects.get(id) ?? (isLate(id) ? knownName(name) : id),
      cluster,
      clusterName: this.nameOf(cluster),
      project: id,
      namespaces: [...new Set(this.namespaces.get(id))].sort(compare),
    };
  }

  /**
   * A target, or one of its namespaces. A cluster without a known ID has the name of its target.
   */
  public of(target: JudgedTarget, namespace: string | undefined): AccessPlace {
    if (target.kind === 'rancher') {
      return namespace === undefined
        ? RANCHER
        : { kind: 'rancher namespace', name: namespace, namespaces: [namespace] };
    }
    const cluster = idOf(target);
    return namespace === undefined ? this.cluster(cluster) : this.namespace(cluster, namespace);
  }

  public namespace(cluster: string, namespace: string): AccessPlace {
    return {
      kind: 'namespace',
      name: namespace,
      cluster,
      clusterName: this.nameOf(cluster),
      namespaces: [namespace],
    };
  }

  private nameOf(id: string): string {
    return this.clusters.get(id)?.name ?? knownName(id);
  }
}

/** A project's ID, `<cluster ID>:<project>`; each part may be a late value, which has a colon. */
const PROJECT_ID = /^((?:\$\{late:[^}]*\}|[^:])*)(?::(.*))?$/s;

function projectIdParts(id: string): { readonly cluster: string; readonly name: string } {
  const [, cluster = id, name = id] = PROJECT_ID.exec(id) ?? [];
  return { cluster, name };
}

/** A name as people read it; of a late value, which one it is. */
function knownName(name: string): string {
  return name.replace(LATE_TOKEN, (_token, id: string) => `(late value ${id})`);
}

function idOf({ managedAs, name }: JudgedTarget): string {
  return managedAs?.split('/')[1] ?? name;
}

function harvesterOf(manifest: Manifest): { harvester?: boolean } {
  if (
    labelsOf(manifest)[LABEL_PROVIDER] === PROVIDER_HARVESTER ||
    valueAt(manifest, 'status', 'provider') === PROVIDER_HARVESTER
  ) {
    return { harvester: true };
  }
  const provisioned = valueAt(manifest, 'spec', 'rkeConfig');
  return provisioned === undefined || provisioned === null ? {} : { harvester: false };
}
