import { FoundCluster } from '../../core/draft/draft';
import { groupOf, Manifest, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { filledText } from '../../core/text/plain-text';
import { isCluster } from '../../guest/cluster/cluster.kind';
import { isProvisioned, managementClusterIdOf } from '../../rancher/cluster/cluster.facts';

/** An imported Cluster, by one of its names. */
interface ImportName {
  readonly name: string;
  /** Its management cluster ID; undefined where its objects do not contain it. */
  readonly id?: string;
}

/**
 * The names by which `--import` finds the imported Clusters of Rancher: those of their objects,
 * their management cluster IDs, and what Rancher's UI shows.
 */
export function importNames(clusters: readonly FoundCluster[]): readonly ImportName[] {
  const manifests = clusters.flatMap(({ objects }) => objects.map(({ manifest }) => manifest));
  const imported = manifests.filter((each) => isCluster(each) && !isProvisioned(each));
  const provisioned = new Set(
    manifests
      .filter((each) => isCluster(each) && isProvisioned(each))
      .flatMap((each) => managementClusterIdOf(each) ?? []),
  );
  const shown = manifests.filter(
    (each) => isManagementCluster(each) && !provisioned.has(each.metadata.name),
  );
  return [
    ...imported.map((each) => ({ name: each.metadata.name, id: managementClusterIdOf(each) })),
    ...imported.flatMap((each) => idsOf(managementClusterIdOf(each))),
    ...shown.flatMap(({ spec, metadata }) => [
      ...idsOf(filledText(valueAt(spec, 'displayName'))).map(({ name }) => ({
        name,
        id: metadata.name,
      })),
      { name: metadata.name, id: metadata.name },
    ]),
  ];
}

/** The management cluster IDs of a name; none for a name of nothing that was read. */
export function importsNamed(
  clusters: readonly FoundCluster[],
  name: string,
): readonly (string | undefined)[] {
  const found = importNames(clusters).filter((each) => each.name === name);
  return [...new Set(found.map(({ id }) => id))];
}

function idsOf(id: string | undefined): readonly ImportName[] {
  return id === undefined ? [] : [{ name: id, id }];
}

/** Whether it is the object of a cluster that Rancher works with. */
function isManagementCluster({ apiVersion, kind }: Manifest): boolean {
  return groupOf(apiVersion) === GROUPS.MANAGEMENT && kind === 'Cluster';
}
