import { INamespacedHarvesterResource } from '../harvester-resource-ref';

/** A volume on a Harvester, i.e. a PersistentVolumeClaim: declared by the program, or existing. */
export interface IHarvesterVolume extends INamespacedHarvesterResource {
  /** The ID of the object in Rancher's API: `<namespace>/<name>`. */
  readonly volumeId: string;
}
