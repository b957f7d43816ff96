import { groupOf, isRecord, labelsOf, Manifest, objectLabel, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Finding } from '../../core/rule/finding';
import { MACHINES_WAIT } from '../../core/rule/program-rules';
import { ResolvedEdges, waitingForReady } from '../../core/synthesis/edges';
import { Program, ProgramObject, programFinding } from '../../core/synthesis/program';
import { GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE } from '../../harvester/virtual-machine/virtual-machine.kind';
import { VM_LABEL_GUEST_CLUSTER } from '../cluster/cluster.kind';

/**
 * Virtual machines that wait until a custom cluster is ready, which becomes ready only through them: apply would wait indefinitely.
 *
 * If one machine does not wait, the others may: they are nodes that join later.
 */
export function waitingMachines({ objects }: Program, edges: ResolvedEdges): Finding[] {
  const byCluster = new Map<unknown, ProgramObject[]>();
  for (const object of objects.filter(({ manifest }) => groupOf(manifest.apiVersion) === GROUP_KUBEVIRT && manifest.kind === KIND_VIRTUAL_MACHINE)) {
    const name = labelsOf(object.manifest)[VM_LABEL_GUEST_CLUSTER];
    byCluster.set(name, [...byCluster.get(name) ?? [], object]);
  }
  return objects.filter(({ manifest }) => isCustomCluster(manifest)).flatMap((cluster) => {
    const machines = byCluster.get(cluster.manifest.metadata.name);
    if (!machines) { return []; }
    const waiting = waitingForReady(edges, cluster.id);
    if (!machines.every(({ id }) => waiting.has(id))) { return []; }
    return machines.map((machine) => programFinding(MACHINES_WAIT, machine.construct, {
      path: '',
      message: `waits until ${objectLabel(cluster.manifest)} is ready, as do all its virtual machines here, and it becomes ready only through them: `
        + 'apply would wait indefinitely',
      fix: 'set guestCluster of the machine, which makes it wait for the Cluster itself, and remove the edge to the cluster or to objects in it',
    }, machine));
  });
}

/** Whether an object is a custom cluster, which machines join by themselves. */
function isCustomCluster(manifest: Manifest): boolean {
  if (groupOf(manifest.apiVersion) !== GROUPS.PROVISIONING || manifest.kind !== 'Cluster') { return false; }
  const config = valueAt(manifest, 'spec', 'rkeConfig');
  const pools = valueAt(config, 'machinePools') ?? [];
  return isRecord(config) && Array.isArray(pools) && pools.length === 0;
}
