import { clusterIdOf } from './cluster/cluster.adopt';
import { TargetKind } from '../core/app/target';
import { FoundObject } from '../core/draft/draft';
import { Inverse, Surroundings } from '../core/draft/inverse';
import { GROUPS } from '../core/manifest/names';

/** From a Namespace of the Rancher management cluster to the construct. */
export const RANCHER_NAMESPACE_INVERSE: Inverse = {
  kinds: ['/Namespace'],
  drafts: (object, around) => {
    const isOwn = isOnRancher(object, around) && !isOfCluster(object, around);
    return isOwn ? { type: 'RancherNamespace', id: object.manifest.metadata.name, props: {}, declares: [object] } : [];
  },
  notPlain: (object, around) => (isOnRancher(object, around) && isOfCluster(object, around) ? 'Rancher creates it with a cluster' : undefined),
  existing: ({ target, name }, around) => (around.cluster(target).kind === TargetKind.RANCHER
    ? { type: 'RancherNamespace', method: 'fromName', props: { name } } : undefined),
};

function isOnRancher({ target }: FoundObject, around: Surroundings): boolean {
  return around.cluster(target).kind === TargetKind.RANCHER;
}

function isOfCluster({ target, manifest: { metadata: { name } } }: FoundObject, around: Surroundings): boolean {
  return around.find({ target, group: GROUPS.MANAGEMENT, kind: 'Cluster', name }) !== undefined
    || around.cluster(target).objects.some(({ manifest }) => manifest.kind === 'Cluster' && clusterIdOf(manifest) === name);
}
