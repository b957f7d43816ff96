import * as fs from 'node:fs';
import * as path from 'node:path';
import { Manifest } from '../../../src/core/manifest/manifest';
import { Client } from '../client';
import { ClusterKind, clusters, sharedFolder } from '../clusters';
import { ControlPlane, ControlPlaneOptions } from '../control-plane';
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

/**
 * Starts a control plane with the kinds that a cluster of a product has, for the double of that
 * product. Each after the first of a run begins with what the first one stored before it was used,
 * which takes half of the work of installing the kinds.
 */
export async function startProduct(
  kind: ClusterKind,
  options: Pick<ControlPlaneOptions, 'audit'> = {},
): Promise<ControlPlane> {
  const { assets } = clusters();
  const saved = path.join(sharedFolder(), kind);
  const isSaved = fs.existsSync(saved);
  const plane = await ControlPlane.start({ assets, ...options, ...(isSaved && { saved }) });
  const client = new Client(plane);
  if (isSaved) {
    await Promise.all(kindsOf(kind).map(async (definition) => untilServed(client, definition)));
  } else {
    await installDefinitions(client, kindsOf(kind));
    plane.save(saved);
  }
  return plane;
}

function kindsOf(kind: ClusterKind): readonly Manifest[] {
  const definitions = definitionsFor(kind);
  return kind === 'harvester' ? [...definitions, VIRTUAL_MACHINES] : definitions;
}
