import { AGAIN_MS, Controllers, Reconciler, ageMs, mark, setCondition } from './controllers';
import { Live } from './live';
import { encoded } from './rancher-double';
import { Client } from '../client';

/**
 * Stand-ins for what the recorded servers lacked: Cluster API, the downloads of images, a guest's
 * cloud provider. No recording shows them, so they are not part of the doubles; what they do
 * follows from the source that each names. A test that needs an existing guest cluster or image
 * needs them.
 */
const REMOVE_FINALIZER = 'wrangler.cattle.io/provisioning-cluster-remove';

interface Deleted {
  readonly name: string;
  readonly namespace: string;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: string[];
}

/** How long machines take to be made and to go. */
const MACHINES_MS = 800;
/** How long the download of an image takes. */
const DOWNLOAD_MS = 600;

interface Pool {
  readonly quantity: number;
  readonly machineConfigRef: { readonly kind: string; readonly name: string };
}

/** The machine pools of a cluster; none of one whose nodes join by themselves. */
function poolsOf({ spec }: Live): readonly Pool[] {
  return (spec.rkeConfig.machinePools ?? []) as Pool[];
}

/**
 * What Rancher reports of a cluster whose nodes join by themselves.
 * @see rancher/rancher:pkg/capr/planner/planner.go
 */
const NO_NODES = 'waiting for at least one control plane, etcd, and worker node to be registered';

/**
 * Machines of guest clusters, made and removed with the credential and the machine configs.
 * @see rancher/rancher:pkg/provisioningv2/rke2/provisioningcluster
 */
export class ClusterApi extends Controllers {
  /** How many machines were ever made, by cluster: one that is made twice was lost in between. */
  public readonly machinesMade = new Map<string, number>();

  protected readonly reconcilers: readonly Reconciler[] = [
    {
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      reconcile: async (cluster) => (cluster.spec?.rkeConfig ? this.machines(cluster) : undefined),
    },
  ];

  /** @param guestKubeconfig that Rancher writes for a guest cluster, by its management id */
  public constructor(
    client: Client,
    private readonly guestKubeconfig: (id: string) => string,
  ) {
    super(client, 'rancher');
  }

  protected async bring(): Promise<void> {
    /* a new installation has no machines */
  }

  private async machines(cluster: Live): Promise<number | void> {
    const { name, namespace, uid, creationTimestamp, deletionTimestamp } =
      cluster.metadata as unknown as { [key: string]: string };
    if (deletionTimestamp) {
      return this.removeMachines(cluster);
    }
    const connected = (
      cluster.status?.conditions as { type: string; status: string }[] | undefined
    )?.find(({ type }) => type === 'Connected');
    // Rancher's own controllers first
    if (!connected || (await this.update(cluster, (draft) => mark(draft, REMOVE_FINALIZER)))) {
      return;
    }
    const missing =
      (await this.missing(cluster)) ?? (poolsOf(cluster).length === 0 ? NO_NODES : undefined);
    if (missing !== undefined || ageMs(creationTimestamp) < MACHINES_MS) {
      await this.updateStatus(cluster, (status) =>
        setCondition(status.conditions, {
          type: 'Provisioned',
          status: 'False',
          message: missing ?? 'configuring bootstrap node(s)',
        }),
      );
      return AGAIN_MS;
    }
    if (!cluster.status.ready) {
      this.machinesMade.set(uid, poolsOf(cluster)[0].quantity);
    }
    // rancher/rancher:pkg/provisioningv2/kubeconfig/manager.go: a Secret next to the Cluster, with
    // Rancher's own address
    await this.ensure({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${name}-kubeconfig`, namespace },
      data: { value: encoded(this.guestKubeconfig(cluster.status.clusterName as string)) },
    });
    const management = await this.read(
      'management.cattle.io/v3',
      'Cluster',
      cluster.status.clusterName as string,
    );
    if (management) {
      await this.update(management, (draft) => {
        const status = (draft.status ??= {});
        ['Connected', 'Provisioned', 'Ready'].forEach((type) =>
          setCondition((status.conditions ??= []), { type, status: 'True' }),
        );
      });
    }
    await this.updateStatus(cluster, (status) => {
      status.ready = true;
      status.clientSecretName = `${name}-kubeconfig`;
      status.observedGeneration = cluster.metadata.generation;
      ['Provisioned', 'Updated', 'Connected', 'Ready'].forEach((type) =>
        setCondition(status.conditions, { type, status: 'True' }),
      );
      setCondition(status.conditions, { type: 'Reconciling', status: 'False' });
    });
  }

  private async missing(cluster: Live): Promise<string | undefined> {
    const { metadata, spec } = cluster;
    const [namespace, name] = String(spec.cloudCredentialSecretName ?? '').split(':');
    if (name && !(await this.read('v1', 'Secret', name, namespace))) {
      return `cloud credential ${namespace}:${name} not found`;
    }
    for (const { machineConfigRef } of poolsOf(cluster)) {
      const config = await this.read(
        'rke-machine-config.cattle.io/v1',
        machineConfigRef.kind,
        machineConfigRef.name,
        metadata.namespace,
      );
      if (!config) {
        return `machine config ${machineConfigRef.name} not found`;
      }
    }
    return undefined;
  }

  /** The removal of machines needs the credential and the machine configs. */
  private async removeMachines(cluster: Live): Promise<number | void> {
    const {
      name,
      namespace,
      deletionTimestamp,
      finalizers = [],
    } = cluster.metadata as unknown as Deleted;
    if (!finalizers.includes(REMOVE_FINALIZER)) {
      return;
    }
    const missing = await this.missing(cluster);
    if (missing) {
      this.problem(`Cluster ${name} cannot remove its machines: ${missing}`);
      await this.updateStatus(cluster, (status) =>
        setCondition(status.conditions, { type: 'Removed', status: 'False', message: missing }),
      );
      return AGAIN_MS;
    }
    if (ageMs(deletionTimestamp) < MACHINES_MS) {
      return AGAIN_MS;
    }
    await this.remove({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${name}-kubeconfig`, namespace },
    });
    await this.release(cluster, REMOVE_FINALIZER);
  }
}

/**
 * Downloads of images: a server that has them, and the backend that stores them.
 * @see harvester/harvester:pkg/controller/master/image/backingimage
 */
export class Downloads extends Controllers {
  /** Names of images that no server has. */
  public readonly broken = new Set<string>();

  protected readonly reconcilers: readonly Reconciler[] = [
    {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'VirtualMachineImage',
      reconcile: async (image) => this.image(image),
    },
  ];

  public constructor(client: Client) {
    super(client, 'harvester');
  }

  protected async bring(): Promise<void> {
    /* a new installation has no images */
  }

  private async image(image: Live): Promise<number | void> {
    const {
      name,
      creationTimestamp,
      deletionTimestamp,
      finalizers = [],
    } = image.metadata as unknown as Deleted;
    // the double first
    if (deletionTimestamp || this.broken.has(name) || finalizers.length === 0) {
      return;
    }
    const done = ageMs(creationTimestamp) > DOWNLOAD_MS;
    await this.update(image, (draft) => {
      draft.status ??= { conditions: [] };
      draft.status.progress = done ? 100 : 40;
      setCondition(draft.status.conditions, { type: 'Initialized', status: 'True' });
      if (done) {
        setCondition(draft.status.conditions, { type: 'Imported', status: 'True' });
      }
    });
    return done ? undefined : AGAIN_MS;
  }
}

/**
 * Addresses of load balancers, for which kube-vip and a network are needed.
 * @see harvester/load-balancer-harvester:pkg/controller/loadbalancer
 */
export class Balancers extends Controllers {
  protected readonly reconcilers: readonly Reconciler[] = [
    {
      apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
      kind: 'LoadBalancer',
      reconcile: async (balancer) => {
        if (balancer.metadata.deletionTimestamp) {
          return;
        }
        await this.update(balancer, (draft) => {
          draft.status ??= {};
          draft.status.address ??= '10.10.100.201';
          draft.status.conditions ??= [];
          setCondition(draft.status.conditions, { type: 'Ready', status: 'True' });
        });
      },
    },
  ];

  public constructor(client: Client) {
    super(client, 'harvester-load-balancer');
  }

  protected async bring(): Promise<void> {
    /* a new installation has no load balancers */
  }
}

/** A guest cluster whose cloud provider gives addresses to Services. */
export class Guest extends Controllers {
  protected readonly reconcilers: readonly Reconciler[] = [
    {
      apiVersion: 'v1',
      kind: 'Service',
      reconcile: async (service) => {
        if (service.spec.type !== 'LoadBalancer') {
          return;
        }
        await this.updateStatus(service, (status) => {
          status.loadBalancer = { ingress: [{ ip: '10.10.100.200', ipMode: 'VIP' }] };
        });
      },
    },
  ];

  public constructor(client: Client) {
    super(client, 'harvester-cloud-provider');
  }

  protected async bring(): Promise<void> {
    /* a new cluster has nothing */
  }
}
