import { complaints } from '../apply-all';
import { Client } from '../client';
import { ClusterKind } from '../clusters';
import { definitionsFor, installDefinitions } from '../definitions';
import { untilServed } from '../served';

/** The Harvester of the recordings had no KubeVirt: this kind took any field. */
const VIRTUAL_MACHINES = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'virtualmachines.kubevirt.io' },
  spec: {
    group: 'kubevirt.io',
    scope: 'Namespaced',
    names: { plural: 'virtualmachines', singular: 'virtualmachine', kind: 'VirtualMachine' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { 'type': 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

/** Installs the kinds that a cluster of a product has, for the double of that product. */
export async function installProduct(client: Client, kind: ClusterKind): Promise<void> {
  await installDefinitions(client, definitionsFor(kind));
  if (kind !== 'harvester') {
    return;
  }
  const problems = complaints({
    object: VIRTUAL_MACHINES,
    answer: await client.apply(VIRTUAL_MACHINES),
  });
  if (problems.length > 0) {
    throw new Error(problems.join('\n'));
  }
  await untilServed(client, VIRTUAL_MACHINES);
}
