import { Construct } from 'constructs';
import { AuthorizedEndpoint } from './authorized-endpoint';
import { own } from '../../core/construct/ownership';
import { chartOf } from '../../core/construct/target';
import { parseIp } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { checkCertificates } from '../../core/problem/certificates';
import { DNS_SUBDOMAIN } from '../../core/problem/label';
import { Problem } from '../../core/problem/problem';
import { IIpPool, IpPool } from '../../harvester/ip-pool/ip-pool';
import { VmLoadBalancer } from '../../harvester/load-balancer/vm-load-balancer';
import { Ipam } from '../balancer/service-address';
import { LABEL_MACHINE_SET } from '../machine-config/machine-config.kind';
import { ClusterContext, ClusterParts, ClusterFields } from '../parts/cluster-parts';

/**
 * The port of the API server on control plane nodes.
 * @see https://docs.rke2.io/install/requirements#networking
 */
const API_PORT = 6443;

/** The port that clients use unless a URL names another. */
const HTTPS_PORT = 443;

/** The key of the names and addresses in the certificate of the API server. */
const TLS_SAN = 'tls-san';

/** What the endpoints of control planes have in common. */
export interface EndpointOptions {
  /** The port for clients. @default 6443 */
  readonly port?: number;
  /**
   * The certificates that clients verify the endpoint with, in PEM form. The certificate of the API
   * server is signed by the CA of the cluster, which exists only after the cluster does: once it
   * runs, set its ConfigMap `kube-root-ca.crt`, and the kubeconfigs of users name the endpoint.
   * @default - the kubeconfigs of users name each control plane node
   */
  readonly caCertificates?: string;
}

/** Options of the endpoint of a control plane. */
export interface ControlPlaneEndpointOptions extends EndpointOptions {
  /** A DNS name of the address, e.g. `shop.example.com`. @default - clients use the address */
  readonly fqdn?: string;
}

/** Options of an endpoint whose address is known only on the live cluster. */
export interface PooledEndpointOptions extends EndpointOptions {
  /**
   * The DNS name of the address, e.g. `shop.example.com`, which you point to the address of the
   * load balancer.
   */
  readonly fqdn: string;
}

/**
 * The endpoint of the control plane of a guest cluster: one address for all its nodes.
 *
 * Creates on Harvester: a LoadBalancer of the machines with the control plane, with a health check
 * on port 6443, and an IP pool with the address unless the pool is given. In the Cluster: the name
 * and the address in the certificate of the API server, and the authorized endpoint. Nodes do not
 * need it: Rancher lets them join at the address of a node.
 *
 * @see https://ranchermanager.docs.rancher.com/reference-guides/rancher-manager-architecture/communicating-with-downstream-user-clusters
 * @see rancher/rancher:pkg/kubeconfig/kubeconfig.go
 */
export class ControlPlaneEndpoint {
  /**
   * An endpoint with a fixed address.
   *
   * @param address an IPv4 address in the network of the machines, in no other IP pool of the Harvester
   */
  public static address(
    address: string,
    options: ControlPlaneEndpointOptions = {},
  ): ControlPlaneEndpoint {
    return new ControlPlaneEndpoint(options, address);
  }

  /**
   * An endpoint with an address of an IP pool. Harvester chooses the address, so clients use the
   * DNS name.
   *
   * @param pool on the Harvester of the machines
   */
  public static pool(pool: IIpPool, options: PooledEndpointOptions): ControlPlaneEndpoint {
    return new ControlPlaneEndpoint(options, undefined, pool);
  }

  private constructor(
    private readonly options: ControlPlaneEndpointOptions,
    private readonly fixed: string | undefined,
    private readonly pool?: IIpPool,
  ) {}

  /** @internal */
  public *_check(
    context: ClusterContext | undefined,
    { [TLS_SAN]: tlsSans }: ClusterFields,
    authorizedEndpoint: AuthorizedEndpoint | undefined,
  ): Iterable<Problem> {
    const harvester = context?.harvester;
    const { fqdn, port, caCertificates } = this.options;
    const path = 'endpoint';
    if (this.fixed !== undefined && !isLate(this.fixed) && parseIp(this.fixed)?.family !== 4) {
      yield {
        path: `${path}.address`,
        value: this.fixed,
        message: 'must be an IPv4 address',
        fix: 'set an address such as 10.0.0.5',
      };
    }
    if (fqdn !== undefined && !isLate(fqdn) && (fqdn.length > 253 || !DNS_SUBDOMAIN.test(fqdn))) {
      yield {
        path: `${path}.fqdn`,
        value: fqdn,
        message: 'must be a DNS name, without a scheme and a port',
        fix: 'set a name such as shop.example.com, and port',
      };
    }
    if (port !== undefined && (!Number.isInteger(port) || port < 1 || port > 65535)) {
      yield { path: `${path}.port`, value: port, message: 'must be a port', fix: 'use 1 to 65535' };
    }
    if (this.pool && harvester && this.pool.harvester !== harvester) {
      yield {
        path: `${path}.pool`,
        value: this.pool.name,
        message: `must be on ${harvester.targetName}, where the machines run: it is on ${this.pool.harvester.targetName}`,
        fix: `use a pool of ${harvester.targetName}`,
      };
    }
    yield* checkCertificates(`${path}.caCertificates`, caCertificates);
    if (authorizedEndpoint) {
      yield {
        path: 'authorizedEndpoint',
        message: 'cannot be set together with endpoint, which sets it',
        fix: 'remove one of them',
      };
    }
    if (tlsSans !== undefined && !Array.isArray(tlsSans)) {
      yield {
        path: 'kubernetes.config[tls-san]',
        value: tlsSans,
        message: 'must be a list, to which endpoint adds its names',
        fix: 'use the option tlsSans',
      };
    }
  }

  /** The authorized endpoint of the Cluster. @internal */
  public _authEndpoint(): AuthorizedEndpoint {
    const { fqdn = this.fixed, port = API_PORT, caCertificates } = this.options;
    // Rancher writes https:// in front of it, and no CA of its own: without one, clients would
    // trust only public CAs
    return caCertificates === undefined
      ? { enabled: true }
      : { enabled: true, fqdn: port === HTTPS_PORT ? fqdn : `${fqdn}:${port}`, caCertificates };
  }

  /** Adds the names to the certificate of the API server. @internal */
  public _write(parts: ClusterParts): void {
    parts.addToList(
      parts.globalConfig,
      TLS_SAN,
      ...[this.options.fqdn, this.fixed].filter((text): text is string => text !== undefined),
    );
  }

  /**
   * Writes the load balancer on Harvester, which needs a machine: without any, the program may add
   * the pool of the control plane later.
   *
   * @param machineSets those of the control plane, to which added pools are appended
   * @internal
   */
  public _balance(context: ClusterContext, machineSets: string[]): void {
    const { harvester, name, fleetWorkspace, namespace } = context;
    if (machineSets.length === 0) {
      return;
    }
    const holder = own(
      context.scope,
      new Construct(chartOf(harvester!), `ControlPlane-${fleetWorkspace}-${name}`),
    );
    const objectName = `${name}-control-plane`;
    const pool =
      this.pool ??
      IpPool.singleAddress(holder, 'Address', {
        name: objectName,
        address: this.fixed!,
        description: `control plane of ${name}`,
      });
    new VmLoadBalancer(holder, 'Balancer', {
      name: objectName,
      namespace,
      ipam: Ipam.pool(pool),
      listeners: [{ name: 'api', port: this.options.port ?? API_PORT, backendPort: API_PORT }],
      backendSelector: { [LABEL_MACHINE_SET]: machineSets },
      healthCheck: { port: API_PORT },
      description: `control plane of ${name}`,
    });
  }
}
