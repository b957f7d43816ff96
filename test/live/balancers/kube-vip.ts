import {
  annotationsOf,
  itemsAt,
  Manifest,
  namespacedName,
  valueAt,
} from '../../../src/core/manifest/manifest';
import {
  ANNOTATION_KUBE_VIP_HOST,
  ANNOTATION_KUBE_VIP_HWADDR,
  ANNOTATION_KUBE_VIP_IPS,
  ANNOTATION_KUBE_VIP_REQUESTED_IP,
  isLoadBalancer,
} from '../../../src/guest/balancer/load-balancer-service.check';
import { Client, WatchEvent } from '../../cluster/client';

/** The address with which the cloud provider asks for DHCP. @see harvester/load-balancer-harvester:pkg/utils/const.go Address4AskDHCP */
const ASK_DHCP = '0.0.0.0';

/** The network of the addresses that the DHCP server of the double leases. */
const LEASES = '203.0.113.';

const NODE = 'node-of-kube-vip';

const MERGE_PATCH = 'application/merge-patch+json';

/**
 * Double of the kube-vip of a guest cluster, which needs a node: it writes the address that the
 * cloud provider requests into the status of a Service, or one of a DHCP server.
 *
 * @see kube-vip/kube-vip:pkg/services (updateStatus)
 */
export class KubeVip {
  private stopWatch?: () => void;
  private readonly leases = new Map<string, string>();
  private readonly writing = new Map<string, Promise<void>>();

  public constructor(private readonly client: Client) {}

  public async start(): Promise<void> {
    this.stopWatch = await this.client.watch('v1', 'Service', (event) => this.onEvent(event));
  }

  /** Announces nothing more. */
  public async stop(): Promise<void> {
    this.stopWatch?.();
    this.stopWatch = undefined;
    await Promise.allSettled(this.writing.values());
  }

  /** The address that the DHCP server leased to a Service. */
  public leaseOf(service: string): string | undefined {
    return this.leases.get(service);
  }

  private onEvent({ type, object }: WatchEvent): void {
    const service = namespacedName(object);
    if (type === 'DELETED') {
      this.leases.delete(service);
      return;
    }
    const before = this.writing.get(service) ?? Promise.resolve();
    const after = before.then(async () => this.announce(object)).catch(() => undefined);
    this.writing.set(service, after);
  }

  private async announce(service: Manifest): Promise<void> {
    const requested = annotationsOf(service)[ANNOTATION_KUBE_VIP_IPS];
    if (!this.stopWatch || !isLoadBalancer(service) || typeof requested !== 'string') {
      return;
    }
    const isLeased = requested === ASK_DHCP;
    const ip = isLeased ? this.lease(service) : requested;
    if (valueAt(itemsAt(service, 'status', 'loadBalancer', 'ingress')[0], 'ip') === ip) {
      return;
    }
    const path = await this.client.pathOf(service);
    const annotations = {
      [ANNOTATION_KUBE_VIP_HOST]: NODE,
      ...(isLeased
        ? {
            [ANNOTATION_KUBE_VIP_REQUESTED_IP]: ip,
            [ANNOTATION_KUBE_VIP_HWADDR]: '00:00:6c:4f:18:68',
          }
        : {}),
    };
    const body = { metadata: { annotations } };
    await this.client.request('PATCH', path, { body, contentType: MERGE_PATCH });
    await this.client.request('PATCH', `${path}/status`, {
      body: { status: { loadBalancer: { ingress: [{ ip, ipMode: 'VIP' }] } } },
      contentType: MERGE_PATCH,
    });
  }

  private lease(service: Manifest): string {
    const key = namespacedName(service);
    const asked = annotationsOf(service)[ANNOTATION_KUBE_VIP_REQUESTED_IP];
    const known = this.leases.get(key);
    const lease =
      known ?? (typeof asked === 'string' ? asked : `${LEASES}${this.leases.size + 10}`);
    this.leases.set(key, lease);
    return lease;
  }
}
