import { managementClusterIdOf } from './cluster/cluster.kind';
import { TargetKind } from '../core/app/target';
import { FoundObject, Inverse, Surroundings, byName, declare } from '../core/draft/draft';
import { GROUPS } from '../core/manifest/names';

/** From a Namespace of the Rancher management cluster to the construct. */
export const RANCHER_NAMESPACE_INVERSE: Inverse = {
  kinds: ['/Namespace'],
  on: TargetKind.RANCHER,
  drafts: (object, around) =>
    isOfCluster(object, around) ? [] : declare(object, 'RancherNamespace', {}),
  notPlain: (object, around) =>
    isOfCluster(object, around) ? 'Rancher creates it with a cluster' : undefined,
  existing: byName('RancherNamespace'),
};

function isOfCluster(
  {
    target,
    manifest: {
      metadata: { name },
    },
  }: FoundObject,
  around: Surroundings,
): boolean {
  return (
    around.find({ target, group: GROUPS.MANAGEMENT, kind: 'Cluster', name }) !== undefined ||
    around
      .cluster(target)
      .objects.some(
        ({ manifest }) => manifest.kind === 'Cluster' && managementClusterIdOf(manifest) === name,
      )
  );
}
