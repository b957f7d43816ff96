import { TargetKind } from '../../core/app/target';
import { FoundObject } from '../../core/draft/draft';
import { kindOf } from '../../core/kind/kinds';
import { groupOf, objectLabel } from '../../core/manifest/manifest';
import { FLEET_LOCAL, GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';

/**
 * The kind of the cluster that objects are of, by the kinds that only one product serves; a guest cluster has none of them. Harvester has a Rancher within,
 * whose objects are of its own cluster only.
 *
 * @throws for objects of both
 */
export function targetKindOf(objects: readonly FoundObject[], folder: string): TargetKind {
  const ofRancher = objects.find(isOfRancher);
  const ofHarvester = objects.find(isOfHarvester);
  if (ofRancher && ofHarvester) {
    throw new Error(`${folder}: must hold the objects of one cluster, got ${labelOf(ofRancher)}, which is of Rancher, and ${labelOf(ofHarvester)}, which is of Harvester. `
      + 'Fix: use a folder for each cluster, or name its kind');
  }
  if (ofHarvester) { return TargetKind.HARVESTER; }
  return ofRancher ? TargetKind.RANCHER : TargetKind.GUEST;
}

function isOfHarvester({ manifest }: FoundObject): boolean {
  const targets = kindOf(manifest)?.targets;
  return groupOf(manifest.apiVersion) === GROUPS.HARVESTER || (targets?.length === 1 && targets[0] === TargetKind.HARVESTER);
}

function isOfRancher({ manifest }: FoundObject): boolean {
  const { kind, metadata: { name, namespace } } = manifest;
  const targets = kindOf(manifest)?.targets;
  const isLocal = namespace === FLEET_LOCAL || namespace === LOCAL_CLUSTER || name === LOCAL_CLUSTER;
  if (isLocal) { return false; }
  if (kind === 'Cluster') { return [GROUPS.PROVISIONING, GROUPS.MANAGEMENT].some((group) => group === groupOf(manifest.apiVersion)); }
  return targets?.length === 1 && targets[0] === TargetKind.RANCHER && !('builtin' in manifest && manifest.builtin === true);
}

function labelOf({ manifest, from }: FoundObject): string {
  return `${objectLabel(manifest)} (${from})`;
}
