import {
  DoctorCheck,
  LiveWorld,
  SeenTarget,
  Symptom,
  liveCondition,
  knows,
  listOf,
  liveTextAt,
} from './live-world';
import {
  annotationsOf,
  isRecord,
  itemsAt,
  labelsOf,
  namespacedName,
  valueAt,
} from '../../core/manifest/manifest';
import { GROUP_LOAD_BALANCER } from '../../core/manifest/names';
import { textOrEmpty } from '../../core/text/plain-text';
import { byObject } from '../../core/text/values';
import { LiveObject } from '../../engine/cluster/cluster';
import {
  VM_CREATOR_DRIVER,
  VM_LABEL_CREATOR,
  VM_LABEL_GUEST_CLUSTER,
} from '../../guest/cluster/cluster.kind';
import { ANNOTATION_RELEASE_IP } from '../../harvester/ip-pool/ip-pool.kind';
import { readPool } from '../../harvester/ip-pool/pool-selection.facts';
import {
  LABEL_GUEST_CLUSTER,
  LABEL_SERVICE_NAME,
  LABEL_SERVICE_NAMESPACE,
} from '../../harvester/load-balancer/load-balancer.kind';
import { CONDITION } from '../../rancher/cluster/cluster.facts';

/** The address with which the cloud provider asks for DHCP. @see harvester/load-balancer-harvester:pkg/utils/const.go Address4AskDHCP */
const ASK_DHCP = '0.0.0.0';

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
            liveTextAt(volume, 'persistentVolumeClaim', 'claimName'),
            liveTextAt(volume, 'dataVolume', 'name'),
          ].filter((name) => name !== ''),
        ),
    };
  }),
);

const isGuestMachine = ({ labels }: Machine): boolean =>
  labels[VM_LABEL_GUEST_CLUSTER] !== undefined || labels[VM_LABEL_CREATOR] === VM_CREATOR_DRIVER;

const LOAD_BALANCER: DoctorCheck = {
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
      yield {
        object,
        message: `belongs to the guest cluster ${cluster}, which has no virtual machine${heldBy(object)}`,
        fix: 'delete it, unless that cluster still exists elsewhere',
      };
    }
  },
};

/** The address that a load balancer holds, as the end of a sentence. */
function heldBy(object: LiveObject): string {
  const address =
    liveTextAt(object, 'status', 'allocatedAddress', 'ip') ||
    liveTextAt(object, 'status', 'address');
  const pool = liveTextAt(object, 'status', 'allocatedAddress', 'ipPool');
  return address === '' || address === ASK_DHCP
    ? ''
    : `, and holds the address ${address}${pool === '' ? '' : ` of the IP pool ${pool}`}`;
}

/** The command that deletes a load balancer. */
function deletionOf({ metadata }: LiveObject): string {
  const { namespace, name } = metadata;
  return `kubectl delete loadbalancers.${GROUP_LOAD_BALANCER} ${name} -n ${namespace}`;
}

/** The command that releases an address of a pool whose load balancer is gone. */
function releaseOf(pool: string, address: string, owner: string): string {
  return `kubectl annotate ippools.${GROUP_LOAD_BALANCER} ${pool} '${ANNOTATION_RELEASE_IP}=${address}: ${owner}'`;
}

/** What a load balancer of a guest cluster is for. */
interface Served {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  /** Whether the Services of the guest cluster were read. */
  readonly isKnown: boolean;
  /** Undefined where it is gone, no longer a load balancer, or not known. */
  readonly service?: LiveObject;
}

function servedBy(object: LiveObject, seen: SeenTarget, world: LiveWorld): Served {
  const [cluster, namespace, name] = textsOf(labelsOf(object), [
    LABEL_GUEST_CLUSTER,
    LABEL_SERVICE_NAMESPACE,
    LABEL_SERVICE_NAME,
  ]);
  const guest = guestOf(cluster, seen, world);
  const service =
    guest &&
    listOf(guest, 'services').find(
      ({ metadata, spec }) =>
        metadata.namespace === namespace &&
        metadata.name === name &&
        liveTextAt(spec, 'type') === 'LoadBalancer',
    );
  const isKnown = guest !== undefined;
  return { cluster, namespace, name, isKnown, ...(service ? { service } : {}) };
}

const WITHOUT_SERVICE: DoctorCheck = {
  id: 'load-balancer/no-service',
  level: 'warning',
  what: 'load balancers of guest clusters are deleted with their Service',
  source:
    'harvester/cloud-provider-harvester:pkg/cloud-controller-manager/loadbalancer.go; seen with the cloud provider 0.2.7 and Harvester 1.8.2',
  on: ['harvester'],
  needs: ['load-balancers'],
  *look(seen: SeenTarget, world: LiveWorld): Iterable<Symptom> {
    for (const object of listOf(seen, 'load-balancers')) {
      const { cluster, namespace, name, isKnown, service } = servedBy(object, seen, world);
      if (isKnown && !service && name !== '' && object.metadata.deletionTimestamp === undefined) {
        yield {
          object,
          message: `is of the Service ${namespace}/${name} of the guest cluster ${cluster}, which is gone or no longer a load balancer${heldBy(object)}`,
          fix: `delete it: ${deletionOf(object)}`,
        };
      }
    }
  },
};

/**
 * Whether the cloud provider has not recorded the address of a load balancer that Harvester made
 * ready: then it keeps the load balancer when the Service is deleted.
 */
export function isUnrecorded(object: LiveObject): boolean {
  return (
    textOrEmpty(labelsOf(object)[LABEL_SERVICE_NAME]) !== '' &&
    object.metadata.deletionTimestamp === undefined &&
    liveCondition(object, CONDITION.READY)?.status === 'True' &&
    liveTextAt(object, 'status', 'allocatedAddress', 'ip') !== '' &&
    liveTextAt(object, 'status', 'address') === ''
  );
}

// kube-vip changes an annotation of the Service, and then the status. The cloud provider reads a
// Service again when an annotation changes, often before the status has the address, and never
// when only the status changes.
const UNRECORDED: DoctorCheck = {
  id: 'load-balancer/unrecorded-address',
  level: 'warning',
  what: 'load balancers of guest clusters have the address of their Service in their status',
  source:
    'harvester/cloud-provider-harvester:pkg/cloud-controller-manager/loadbalancer.go GetLoadBalancer, constructLB; ' +
    'kubernetes/cloud-provider:controllers/service/controller.go needsUpdate; kube-vip/kube-vip:pkg/services updateStatus; ' +
    'seen with the cloud provider 0.2.7 and Harvester 1.8.2',
  on: ['harvester'],
  needs: ['load-balancers'],
  *look(seen: SeenTarget, world: LiveWorld): Iterable<Symptom> {
    for (const object of listOf(seen, 'load-balancers').filter(isUnrecorded)) {
      const { cluster, namespace, name, service, isKnown } = servedBy(object, seen, world);
      // reported as a load balancer without a Service
      if (isKnown && !service) {
        continue;
      }
      const [ingress] = itemsAt(service, 'status', 'loadBalancer', 'ingress');
      const announced = liveTextAt(ingress, 'ip');
      const lacks =
        announced === ''
          ? 'has an address that kube-vip did not announce, or the cloud provider did not record'
          : `has no address in its status, although its Service has ${announced}`;
      const change = `change an annotation of the Service, after which the cloud provider records it: kubectl annotate services ${name} -n ${namespace} --overwrite recorded-address=true`;
      yield {
        object,
        message: `${lacks}: when the Service ${namespace}/${name} of the guest cluster ${cluster} is deleted, the cloud provider keeps it, and its address`,
        fix:
          announced === ''
            ? `if the Service has no address, correct kube-vip in the guest cluster; otherwise ${change}`
            : change,
      };
    }
  },
};

/** The only guest cluster of a name on a Harvester whose Services were read. */
function guestOf(cluster: string, on: SeenTarget, world: LiveWorld): SeenTarget | undefined {
  const guests = world.ofKind('guest').filter(({ target }) => {
    const { properties } = target;
    const { provisioningCluster = '', harvester = on.target.name } = properties;
    return (
      cluster !== '' &&
      harvester === on.target.name &&
      provisioningCluster.split('/').at(-1) === cluster
    );
  });
  return guests.length === 1 && knows(guests[0], 'services') ? guests[0] : undefined;
}

function textsOf(values: { readonly [key: string]: unknown }, keys: readonly string[]): string[] {
  return keys.map((key) => textOrEmpty(values[key]));
}

const WITHOUT_IPAM: DoctorCheck = {
  id: 'load-balancer/no-ipam',
  level: 'warning',
  what: 'Harvester releases the address of a load balancer that is deleted',
  source: 'harvester/load-balancer-harvester:pkg/controller/loadbalancer; seen on Harvester 1.8.2',
  on: ['harvester'],
  needs: ['load-balancers'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    for (const object of listOf(seen, 'load-balancers')) {
      const pool = liveTextAt(object, 'status', 'allocatedAddress', 'ipPool');
      const address = liveTextAt(object, 'status', 'allocatedAddress', 'ip');
      if (liveTextAt(object, 'spec', 'ipam') !== '' || pool === '' || address === '') {
        continue;
      }
      yield {
        object,
        message: `has no ipam: Harvester never releases its address ${address} of the IP pool ${pool}`,
        fix: `after you deleted it, run ${releaseOf(pool, address, namespacedName(object))}`,
      };
    }
  },
};

const POOL: DoctorCheck = {
  id: 'ip-pool/leftover',
  level: 'warning',
  what: 'addresses of IP pools are released with their load balancers',
  source:
    'harvester/load-balancer-harvester:pkg/controller/ippool/controller.go OnChangeToReleaseAnIP (Harvester 1.8.2)',
  on: ['harvester'],
  needs: ['load-balancers', 'pools'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const balancers = new Set(listOf(seen, 'load-balancers').map(namespacedName));
    for (const object of listOf(seen, 'pools')) {
      for (const [address, owner] of readPool(object).allocated) {
        if (!balancers.has(owner)) {
          yield {
            object,
            message: `has the address ${address} allocated to the load balancer ${owner}, which does not exist: the address is lost, and the pool cannot be deleted`,
            fix: `release it: ${releaseOf(object.metadata.name, address, owner)}`,
          };
        }
      }
    }
  },
};

const WITHOUT_NETWORK: DoctorCheck = {
  id: 'ip-pool/no-network',
  level: 'warning',
  what: 'the network of an IP pool exists',
  source:
    'harvester/load-balancer-harvester:pkg/webhook/ippool/mutator.go getLabelPatch (1.8.2); seen on Harvester 1.8.2',
  on: ['harvester'],
  needs: ['pools', 'networks'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const networks = new Set(listOf(seen, 'networks').map(namespacedName));
    for (const object of listOf(seen, 'pools')) {
      const { network, allocated } = readPool(object);
      if (network === '' || networks.has(network)) {
        continue;
      }
      yield {
        object,
        message: `has the network ${network}, which does not exist, so Harvester refuses every update of the pool: its addresses are never released (${allocated.size} allocated), and their load balancers remain`,
        fix: 'create a network of that name again, delete the load balancers and the pool, and then the network',
      };
    }
  },
};

/**
 * The name that provisioners of Kubernetes give a volume: Harvester's CSI driver names the claim on
 * Harvester by it.
 */
const CLAIM_OF_GUEST = /^pvc-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const VOLUME: DoctorCheck = {
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
      const size = liveTextAt(object, 'status', 'capacity', 'storage');
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
export const LEFTOVER_CHECKS: readonly DoctorCheck[] = [
  LOAD_BALANCER,
  WITHOUT_SERVICE,
  UNRECORDED,
  WITHOUT_IPAM,
  POOL,
  WITHOUT_NETWORK,
  VOLUME,
];
