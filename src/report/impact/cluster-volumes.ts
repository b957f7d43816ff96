import { ImpactSide } from './impact';
import { annotationsOf, valueAt, itemsAt } from '../../core/manifest/manifest';
import { JudgedObject } from '../../core/rule/rule';
import { some } from '../../core/text/plain-text';
import { hasFeature } from '../../core/version/target-features';
import { GuestGate } from '../../guest/version/guest-gates.data';
import { ANNOTATION_KEEPS_VOLUMES } from '../../rancher/cluster/cluster.facts';

/**
 * What becomes of the volumes of pods when a cluster is deleted, with those that the program
 * declares. Only the live machines show which are attached.
 */
export function volumesOf(cluster: JudgedObject, side: ImpactSide): string {
  const { manifest, target } = cluster;
  const deletes = hasFeature(target, GuestGate.VOLUMES_DELETED_WITH_CLUSTER);
  const volumes = `volumes of its pods${named(claimsOf(cluster, side))}`;
  if (deletes === false || isTrue(annotationsOf(manifest)[ANNOTATION_KEEPS_VOLUMES])) {
    return `the ${volumes} are left behind on Harvester`;
  }
  return (
    `${volumes} that a machine has attached are deleted with it${deletes ? '' : ' (Rancher 2.11.0 and later)'}, ` +
    `unless the annotation ${ANNOTATION_KEEPS_VOLUMES} of the Cluster is "true"; all others are left behind on Harvester`
  );
}

/** Whether Go's strconv.ParseBool reads a text as true. */
const isTrue = (text: unknown): boolean =>
  typeof text === 'string' && /^(1|t|true|T|TRUE|True)$/.test(text);

/**
 * The claims in a guest cluster that the program declares, those of a StatefulSet by its templates.
 */
function claimsOf(cluster: JudgedObject, side: ImpactSide): string[] {
  return side
    .inGuest(cluster)
    .flatMap(({ manifest }) => {
      const { kind, metadata } = manifest;
      const at = metadata.namespace ?? 'default';
      if (kind === 'PersistentVolumeClaim') {
        return [`${at}/${metadata.name}`];
      }
      const templates =
        kind === 'StatefulSet' ? valueAt(manifest, 'spec', 'volumeClaimTemplates') : undefined;
      return itemsAt(templates).map(
        (template) => `${at}/${String(valueAt(template, 'metadata', 'name'))}-${metadata.name}-*`,
      );
    })
    .sort();
}

function named(claims: readonly string[]): string {
  return claims.length === 0 ? '' : ` (${some(claims)})`;
}
