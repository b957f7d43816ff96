import { Check, LiveWorld, SeenTarget, Symptom, listOf, textAt } from './live-world';
import { annotationsOf, isRecord, labelsOf, valueAt, itemsAt } from '../../core/manifest/manifest';
import { byObject } from '../../core/text/values';
import { LiveObject } from '../../engine/cluster/cluster';
import {
  VM_CREATOR_DRIVER,
  VM_LABEL_CREATOR,
  VM_LABEL_GUEST_CLUSTER,
} from '../../guest/cluster/cluster.kind';
import { LABEL_GUEST_CLUSTER } from '../../harvester/load-balancer/load-balancer.kind';

/** A virtual machine with the labels of its instances. */
interface Machine {
  readonly name: string;
  readonly namespace: string;
  readonly labels: { readonly [key: string]: unknown };
  readonly claims: readonly string[];
}

const machinesOf = byObject((seen: SeenTarget): readonly Machine[] =>
  listOf(seen, 'machines').map((object) => {
    return {
      name: object.metadata.name,
      namespace: object.metadata.namespace ?? '',
      labels: {
        ...labelsOf(object),
        ...(valueAt(object, 'spec', 'template', 'metadata', 'labels') as object | undefined),
      },
      claims: itemsAt(object, 'spec', 'template', 'spec', 'volumes')
        .filter(isRecord)
        .flatMap((volume) =>
          [
            textAt(volume, 'persistentVolumeClaim', 'claimName'),
            textAt(volume, 'dataVolume', 'name'),
          ].filter((name) => name !== ''),
        ),
    };
  }),
);

const isGuestMachine = ({ labels }: Machine): boolean =>
  labels[VM_LABEL_GUEST_CLUSTER] !== undefined || labels[VM_LABEL_CREATOR] === VM_CREATOR_DRIVER;

const LOAD_BALANCER: Check = {
  id: 'load-balancer/leftover',
  level: 'warning',
  what: 'load balancers are deleted with their guest cluster, and give back its addresses',
  source:
    'harvester/load-balancer-harvester:pkg/controller/vm/controller.go (Harvester 1.8.0); ' +
    'harvester/cloud-provider-harvester:pkg/cloud-controller-manager/loadbalancer.go',
  on: ['harvester'],
  needs: ['load-balancers', 'machines'],
  *look(seen: SeenTarget, world: LiveWorld): Iterable<Symptom> {
    const known = new Set(
      world
        .ofKind('rancher')
        .flatMap((rancher) => listOf(rancher, 'clusters').map(({ metadata }) => metadata.name)),
    );
    for (const object of listOf(seen, 'load-balancers')) {
      const cluster = labelsOf(object)[LABEL_GUEST_CLUSTER];
      // node drivers before 2025 set no label, and the names of their machines begin with that of
      // the cluster
      if (
        typeof cluster !== 'string' ||
        cluster === '' ||
        known.has(cluster) ||
        machinesOf(seen).some(
          ({ name, labels }) =>
            labels[VM_LABEL_GUEST_CLUSTER] === cluster || name.startsWith(`${cluster}-`),
        )
      ) {
        continue;
      }
      const address =
        textAt(object, 'status', 'allocatedAddress', 'ip') || textAt(object, 'status', 'address');
      const pool = textAt(object, 'status', 'allocatedAddress', 'ipPool');
      const holds =
        address === '' || address === '0.0.0.0'
          ? ''
          : `, and holds the address ${address}${pool === '' ? '' : ` of the IP pool ${pool}`}`;
      yield {
        object,
        message: `belongs to the guest cluster ${cluster}, which has no virtual machine${holds}`,
        fix: 'delete it, unless that cluster still exists elsewhere',
      };
    }
  },
};

/**
 * The name that provisioners of Kubernetes give a volume: Harvester's CSI driver names the claim on
 * Harvester by it.
 */
const CLAIM_OF_GUEST = /^pvc-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const VOLUME: Check = {
  id: 'volume/leftover',
  level: 'warning',
  what: 'volumes of pods are deleted with their guest cluster',
  source:
    'harvester/harvester-csi-driver:pkg/csi/controller_server.go; rancher/rancher:pkg/controllers/provisioningv2/harvestercleanup/controller.go',
  on: ['harvester'],
  needs: ['claims', 'machines'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const attached = new Set(
      machinesOf(seen).flatMap(({ namespace, claims }) =>
        claims.map((claim) => `${namespace}/${claim}`),
      ),
    );
    const inUse = new Set(
      machinesOf(seen)
        .filter(isGuestMachine)
        .map(({ namespace }) => namespace),
    );
    for (const object of listOf(seen, 'claims').filter(isLeft)) {
      const { namespace = '', name } = object.metadata;
      if (attached.has(`${namespace}/${name}`)) {
        continue;
      }
      const size = textAt(object, 'status', 'capacity', 'storage');
      const what = `is a volume of a guest cluster${size === '' ? '' : ` (${size})`} that no virtual machine has attached`;
      if (inUse.has(namespace)) {
        yield {
          object,
          level: 'info',
          message: what,
          fix: 'keep it if a PersistentVolume of a guest cluster has this name as its volumeHandle; otherwise delete it',
        };
      } else {
        yield {
          object,
          message: `${what}, and its namespace has no machine of a guest cluster`,
          fix: 'delete it if its data is not needed: Rancher deletes only attached volumes',
        };
      }
    }
  },
};

/** Whether a claim is that of a guest cluster. */
function isLeft(object: LiveObject): boolean {
  return (
    CLAIM_OF_GUEST.test(object.metadata.name) &&
    annotationsOf(object)['harvesterhci.io/imageId'] === undefined &&
    object.metadata.deletionTimestamp === undefined
  );
}

/** Checks of what deleted guest clusters leave on a Harvester. */
export const LEFTOVER_CHECKS: readonly Check[] = [LOAD_BALANCER, VOLUME];
