import { groupOf, isRecord, kindKey, Manifest, valueAt } from '../../model/manifest';
import { isProvisioned } from '../impact/side';

/** What goes with an object when it is deleted, for kinds of which that is said. */
const LOSSES: { readonly [kind: string]: { readonly what: string; readonly holds?: (live: Manifest) => boolean } } = {
  // an import has none of its own
  'provisioning.cattle.io/Cluster': { what: 'its machines and their disks', holds: isProvisioned },
  'management.cattle.io/Cluster': { what: 'its machines and their disks', holds: (live) => isRecord(valueAt(live, 'spec', 'rancherKubernetesEngineConfig')) },
  'management.cattle.io/NodePool': { what: 'its machines and their disks' },
  'kubevirt.io/VirtualMachine': { what: 'the machine, and the disks that are its own' },
  'cdi.kubevirt.io/DataVolume': { what: 'the data on it' },
  '/PersistentVolumeClaim': { what: 'the data on it' },
};

/** By which ways such an object is taken away: nobody loses machines for having deleted some lines of a program. */
export const WAYS_TO_PRUNE = 'save a plan that says so and apply that, or give --prune-machines';

/** What is lost with a live object that holds machines or data; undefined for all others. Making it anew brings none of it back. */
export function lostWith(live: Manifest): string | undefined {
  const loss = LOSSES[kindKey(groupOf(live.apiVersion), live.kind)];
  return loss && (loss.holds?.(live) ?? true) ? loss.what : undefined;
}

/** Whether every object of a kind holds machines or data, whatever it says. */
export function alwaysHolds({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
  const loss = LOSSES[kindKey(groupOf(apiVersion), kind)];
  return loss !== undefined && loss.holds === undefined;
}
