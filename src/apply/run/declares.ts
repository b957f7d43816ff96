import { Assembly } from '../../model/assembly';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from '../../model/labels';
import { groupOf, kindKey, Manifest } from '../../model/manifest';
import { GROUPS } from '../../model/names';
import { MissingObject } from '../transport/api';

const CLUSTER = kindKey(GROUPS.PROVISIONING, 'Cluster');

/** What is declared: objects, and their manifests by id. */
interface Declared {
  readonly assembly: Pick<Assembly, 'objects'>;
  readonly manifests: ReadonlyMap<string, Manifest>;
}

/** Whether a program makes what a server misses on a target. A Cluster is meant by its management cluster ID. */
export function declares({ assembly, manifests }: Declared, target: string, { kind, name, going }: MissingObject): boolean {
  if (going) { return true; }
  return assembly.objects.some((object) => {
    if (object.target !== target || kindKey(groupOf(object.apiVersion), object.kind) !== kind) { return false; }
    if (name === undefined || kind !== CLUSTER) { return name === undefined || object.name === name; }
    const id = manifests.get(object.id)?.metadata.annotations?.[ANNOTATION_MANAGEMENT_CLUSTER_NAME];
    // Rancher makes up the ID of one that does not say it
    return id === undefined || id === name;
  });
}
