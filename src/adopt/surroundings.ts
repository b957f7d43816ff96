import { foundId } from './evaluate/statements';
import { importsNamed } from './read/imports';
import { cleaned } from './select/cleaned';
import { TargetKind } from '../core/construct/target';
import { FoundObject, ObjectName, FoundCluster, Surroundings, idOfName } from '../core/draft/draft';
import {
  Manifest,
  annotationsOf,
  groupOf,
  idOf,
  kindKey,
  valueAt,
} from '../core/manifest/manifest';
import {
  API_VERSIONS,
  SETTING_REGISTRATION_URL,
  ANNOTATION_PROJECT_ID,
} from '../core/manifest/names';
import { HARVESTER_CONFIG_KIND } from '../guest/machine-config/machine-config.kind';
import { registeredBy } from '../harvester/settings/catalogue/registration.facts';
import { CREDENTIAL_KEY } from '../rancher/credential/cloud-credential.facts';

/** The clusters that were read, with their objects by kind and by name. */
export class ReadSurroundings implements Surroundings {
  private readonly byName = new Map<string, FoundCluster>();
  private readonly byKind = new Map<string, FoundObject[]>();
  private readonly byId = new Map<string, FoundObject>();
  private readonly byCluster = new Map<string, string>();
  private readonly ofMachines = new Set<string>();

  /**
   * @param isFree whether no statement declares an object yet, and none is left out
   * @param declares whether a statement declares an object, by its ID
   */
  constructor(
    public readonly clusters: readonly FoundCluster[],
    private readonly isFree: (object: FoundObject) => boolean,
    private readonly declares: (id: string) => boolean = () => false,
  ) {
    for (const cluster of clusters) {
      this.byName.set(cluster.name, cluster);
      for (const object of cluster.objects) {
        this.index(cluster, object);
      }
    }
    for (const { name, importedAs } of clusters) {
      const [id] = importedAs === undefined ? [] : importsNamed(clusters, importedAs);
      if (id !== undefined) {
        this.byCluster.set(id, name);
      }
    }
  }

  public cluster(target: string): FoundCluster {
    const found = this.byName.get(target);
    if (!found) {
      throw new Error(`no cluster ${target} was read`);
    }
    return found;
  }

  public objects(target: string, kind: string): readonly FoundObject[] {
    return (this.byKind.get(`${target} ${kind}`) ?? []).filter(this.isFree);
  }

  public find({ target, group, kind, namespace, name }: ObjectName): FoundObject | undefined {
    return this.byId.get(idOf(target, group, kind, namespace, name));
  }

  public isDeclared(name: ObjectName): boolean {
    return this.declares(idOfName(name));
  }

  public cleaned({ manifest }: FoundObject): Manifest {
    return cleaned(manifest);
  }

  public targetOf(clusterId: string): string | undefined {
    return (
      this.byCluster.get(clusterId) ??
      (clusterId === 'local'
        ? this.clusters.find(({ kind }) => kind === TargetKind.RANCHER)?.name
        : this.remaining(clusterId))
    );
  }

  /**
   * The only Harvester on which nothing names its ID, for an ID that a cloud credential or a
   * machine config names. With several Harvesters, for the only such ID.
   */
  private remaining(clusterId: string): string | undefined {
    const harvesters = this.clusters
      .filter(({ kind }) => kind === TargetKind.HARVESTER)
      .map(({ name }) => name);
    const unknown = harvesters.filter((name) => ![...this.byCluster.values()].includes(name));
    const ids = [...this.ofMachines].filter((id) => !this.byCluster.has(id));
    const isOnly =
      unknown.length === 1 &&
      ids.includes(clusterId) &&
      (harvesters.length === 1 || ids.length === 1);
    return isOnly ? unknown[0] : undefined;
  }

  private index({ name, kind }: FoundCluster, object: FoundObject): void {
    const { manifest } = object;
    const key = `${name} ${kindKey(groupOf(manifest.apiVersion), manifest.kind)}`;
    const list = this.byKind.get(key) ?? [];
    this.byKind.set(key, list);
    list.push(object);
    this.byId.set(foundId(object), object);
    const named =
      manifest.kind === 'Secret' ? valueAt(manifest, 'data', CREDENTIAL_KEY.CLUSTER_ID) : undefined;
    if (typeof named === 'string') {
      this.ofMachines.add(Buffer.from(named, 'base64').toString('utf8'));
    }
    if (
      manifest.kind === HARVESTER_CONFIG_KIND &&
      typeof manifest.clusterId === 'string' &&
      manifest.clusterId !== ''
    ) {
      this.ofMachines.add(manifest.clusterId);
    }
    if (kind === TargetKind.RANCHER) {
      return;
    }
    const id = clusterIdIn(manifest);
    if (id !== undefined && !this.byCluster.has(id)) {
      this.byCluster.set(id, name);
    }
  }
}

/**
 * The ID by which Rancher knows the cluster of an object: namespaces of projects name it, and a
 * Harvester registers by it.
 */
function clusterIdIn(manifest: Manifest): string | undefined {
  const project =
    manifest.kind === 'Namespace' ? annotationsOf(manifest)[ANNOTATION_PROJECT_ID] : undefined;
  if (typeof project === 'string' && project.includes(':')) {
    return project.split(':')[0];
  }
  const isRegistration =
    manifest.apiVersion === API_VERSIONS.HARVESTER &&
    manifest.kind === 'Setting' &&
    manifest.metadata.name === SETTING_REGISTRATION_URL;
  return isRegistration ? registeredBy(manifest.value)?.clusterId : undefined;
}
