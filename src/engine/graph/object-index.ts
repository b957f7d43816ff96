import { KindReferences } from '../../core/kind/description/references';
import { MissingObject } from '../../core/kind/description/refusals';
import { kindOf } from '../../core/kind/kinds';
import { LATE_OPEN } from '../../core/late/late-token';
import { Manifest, groupOf, kindKey, valueAt } from '../../core/manifest/manifest';
import { GROUPS, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { Assembly, AssemblyLateValue, AssemblyObject } from '../../core/output/assembly';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from '../../rancher/cluster/cluster.facts';

/** The field with the management cluster ID of a provisioning Cluster. */
const CLUSTER_NAME_PATH = 'status.clusterName';

/** The provisioning Cluster, of any kind: an import or a guest. */
export function isProvisioningCluster({
  apiVersion,
  kind,
}: Pick<AssemblyObject, 'apiVersion' | 'kind'>): boolean {
  return kind === 'Cluster' && groupOf(apiVersion) === GROUPS.PROVISIONING;
}

/** Whether an object is of one of these kinds in Rancher's management API. */
export function isManagement(
  { apiVersion, kind }: Pick<AssemblyObject, 'apiVersion' | 'kind'>,
  ...kinds: string[]
): boolean {
  return groupOf(apiVersion) === GROUPS.MANAGEMENT && kinds.includes(kind);
}

/** Whether an object is the Setting that registers a Harvester with Rancher. */
export function isRegistration({
  apiVersion,
  kind,
  name,
}: Pick<AssemblyObject, 'apiVersion' | 'kind' | 'name'>): boolean {
  return (
    groupOf(apiVersion) === GROUPS.HARVESTER &&
    kind === 'Setting' &&
    name === SETTING_REGISTRATION_URL
  );
}

/** An index of the objects of a program by the names that others use for them. */
export class ObjectIndex {
  private readonly byName = new Map<string, string>();
  private readonly clusters = new Map<string, string>();
  private readonly projects = new Map<string, string>();
  private readonly backing = new Map<string, string>();
  private readonly sources = new Set<string>();

  constructor(
    assembly: Pick<Assembly, 'objects' | 'lateValues'>,
    manifests: ReadonlyMap<string, Manifest>,
  ) {
    for (const { id, target, apiVersion, kind, namespace, name } of assembly.objects) {
      this.byName.set(nameKey(target, kindKey(groupOf(apiVersion), kind), name, namespace), id);
    }
    for (const object of assembly.objects) {
      this.addMade(object, manifests.get(object.id));
    }
    for (const object of assembly.objects) {
      this.addCluster(object, manifests.get(object.id));
    }
    for (const late of assembly.lateValues) {
      this.addLateCluster(late);
    }
    for (const object of assembly.objects) {
      this.addProject(object);
    }
  }

  /** Adds what a controller makes from an object. */
  private addMade(
    { id, target, apiVersion, kind }: AssemblyObject,
    manifest: Manifest | undefined,
  ): void {
    const made =
      manifest && kindOf<KindReferences>({ apiVersion, kind })?.makes?.(manifest)?.manifest;
    if (!made) {
      return;
    }
    this.sources.add(id);
    const { namespace, name } = made.metadata;
    const key = nameKey(target, kindKey(groupOf(made.apiVersion), made.kind), name, namespace);
    if (!this.byName.has(key)) {
      this.byName.set(key, id);
    }
  }

  /** Adds the management cluster ID of a Cluster, if it is known. */
  private addCluster(object: AssemblyObject, manifest: Manifest | undefined): void {
    // its name is the ID
    if (isManagement(object, 'Cluster')) {
      this.clusters.set(`${object.target} ${object.name}`, object.id);
    }
    if (!isProvisioningCluster(object)) {
      return;
    }
    const fixed = valueAt(manifest, 'metadata', 'annotations', ANNOTATION_MANAGEMENT_CLUSTER_NAME);
    if (typeof fixed === 'string') {
      this.clusters.set(`${object.target} ${fixed}`, object.id);
    }
  }

  /** Adds an ID that only the live cluster knows: it is the placeholder of a late value. */
  private addLateCluster({ id, source }: AssemblyLateValue): void {
    if (
      !('path' in source) ||
      source.path !== CLUSTER_NAME_PATH ||
      !isProvisioningCluster(source)
    ) {
      return;
    }
    const { target, name, namespace } = source;
    const cluster = this.find(target, GROUPS.PROVISIONING, 'Cluster', name, namespace);
    if (cluster !== undefined) {
      this.clusters.set(`${target} ${LATE_OPEN}${id}}`, cluster);
    }
  }

  private addProject(object: AssemblyObject): void {
    if (!isManagement(object, 'Project')) {
      return;
    }
    const { id, target, namespace, name } = object;
    this.projects.set(`${target} ${namespace}:${name}`, id);
    this.backing.set(`${target} ${namespace}-${name}`, id);
    // without Rancher's webhook, and before 2.10, it has the project's bare name
    if (!this.backing.has(`${target} ${name}`)) {
      this.backing.set(`${target} ${name}`, id);
    }
  }

  public find(
    target: string,
    group: string,
    kind: string,
    name: string,
    namespace?: string,
  ): string | undefined {
    return this.byName.get(nameKey(target, kindKey(group, kind), name, namespace));
  }

  /** Whether a controller makes from this object what others refer to. */
  public isSource(id: string): boolean {
    return this.sources.has(id);
  }

  /**
   * The Cluster with a management cluster ID: of provisioning.cattle.io, or the management Cluster
   * that the program writes itself.
   */
  public cluster(target: string, managementId: string): string | undefined {
    return this.clusters.get(`${target} ${managementId}`);
  }

  /** All management cluster IDs with their Clusters. */
  public managementIds(
    target: string,
  ): { readonly managementId: string; readonly cluster: string }[] {
    return [...this.clusters]
      .filter(([key]) => key.startsWith(`${target} `))
      .map(([key, cluster]) => ({ managementId: key.slice(target.length + 1), cluster }));
  }

  /** The Project of `<cluster id>:<project>`. */
  public project(target: string, projectId: string): string | undefined {
    return this.projects.get(`${target} ${projectId}`);
  }

  /** The Project for which Rancher creates a namespace. */
  public projectOfNamespace(target: string, namespace: string): string | undefined {
    return this.backing.get(`${target} ${namespace}`);
  }
}

/** The key of an object in the index by names. */
function nameKey(target: string, kind: string, name: string, namespace = ''): string {
  return `${target} ${kind} ${namespace} ${name}`;
}

const CLUSTER = kindKey(GROUPS.PROVISIONING, 'Cluster');

/** The declared objects, and their manifests by ID. */
interface Declared {
  readonly assembly: Pick<Assembly, 'objects'>;
  readonly manifests: ReadonlyMap<string, Manifest>;
}

/**
 * Whether a program declares an object that a server misses on a target. Clusters are identified by
 * management cluster ID.
 */
export function declares(
  { assembly, manifests }: Declared,
  target: string,
  { kind, name, going }: MissingObject,
): boolean {
  if (going) {
    return true;
  }
  return assembly.objects.some((object) => {
    if (object.target !== target || kindKey(groupOf(object.apiVersion), object.kind) !== kind) {
      return false;
    }
    if (name === undefined || kind !== CLUSTER) {
      return name === undefined || object.name === name;
    }
    const id = manifests.get(object.id)?.metadata.annotations?.[ANNOTATION_MANAGEMENT_CLUSTER_NAME];
    // Rancher generates the ID of a Cluster without one
    return id === undefined || id === name;
  });
}
