import { managementClusterIdOf } from './cluster/cluster.facts';
import { TargetKind } from '../core/construct/target';
import { FoundObject, Inverse, Surroundings, byName, declare } from '../core/draft/draft';
import { GROUPS } from '../core/manifest/names';

/** From a Namespace of the Rancher management cluster to the construct. */
export const RANCHER_NAMESPACE_INVERSE: Inverse = {
  kinds: ['/Namespace'],
  on: TargetKind.RANCHER,
  drafts: (object, around) =>
    ofCluster(object, around) === undefined ? declare(object, 'RancherNamespace', {}) : [],
  notPlain: ofCluster,
  existing: byName('RancherNamespace'),
};

/** The management cluster IDs that Rancher gives, and programs of this library. @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go createNewCluster */
const CLUSTER_ID = /^c-m-[a-z0-9]+$/;

/** What a namespace of a management cluster is; undefined for all others. */
function ofCluster(object: FoundObject, around: Surroundings): string | undefined {
  if (isOfCluster(object, around)) {
    return 'Rancher creates it with a cluster';
  }
  // Rancher keeps those of removed clusters that have Projects
  return CLUSTER_ID.test(object.manifest.metadata.name)
    ? 'has the name of a management cluster, and no Cluster of that name was found'
    : undefined;
}

function isOfCluster(namespace: FoundObject, around: Surroundings): boolean {
  const { target } = namespace;
  const { name } = namespace.manifest.metadata;
  return (
    around.find({ target, group: GROUPS.MANAGEMENT, kind: 'Cluster', name }) !== undefined ||
    around
      .cluster(target)
      .objects.some(
        ({ manifest }) => manifest.kind === 'Cluster' && managementClusterIdOf(manifest) === name,
      )
  );
}
