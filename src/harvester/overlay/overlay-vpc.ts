import { Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { PeerAddress, peerAddresses } from './overlay.check';
import { API_KUBE_OVN, DEFAULT_VPC, OVN_KIND } from './overlay.kind';
import { ExistingResourceOptions } from '../../core/app/resource';
import { parseCidr, parseIp } from '../../core/go/go-ip';
import { requireOpen } from '../../core/growing/synthesized';
import { Problem, failOnErrors } from '../../core/problem/problem';
import { filledList } from '../../core/text/values';
import {
  ExistingHarvesterResource,
  HarvesterResource,
  HarvesterResourceProps,
} from '../harvester-resource';
import { IHarvesterResource } from '../harvester-resource-ref';

const KIND = { apiVersion: API_KUBE_OVN, kind: OVN_KIND.VPC };

/** A VPC of overlay networks on a Harvester: declared by the program, or existing. */
export interface IOverlayVpc extends IHarvesterResource {
  /** The ID of the object in Rancher's API, which is its name. */
  readonly overlayVpcId: string;
}

/** A route of a VPC. */
export interface OverlayRoute {
  /** The destination, a network in CIDR form. */
  readonly cidr: string;
  /** The address of the next hop. */
  readonly nextHop: string;
}

/** Properties of a VPC. */
export interface OverlayVpcProps extends HarvesterResourceProps {
  /** Routes besides those to peers. @default - no routes */
  readonly routes?: OverlayRoute[];
}

/**
 * The Vpc of Kube-OVN: a router of its own for Subnets of overlay networks, whose addresses other
 * VPCs may use as well. Needs the add-on kubeovn-operator.
 *
 * Machines of a VPC reach those of another one only if the two are peers.
 *
 * @see https://docs.harvesterhci.io/latest/networking/kubeovn-vpc
 * @example
 * const blue = new OverlayVpc(dc1, 'blue');
 * const green = new OverlayVpc(dc1, 'green');
 * new OverlaySubnet(dc1, 'blue-apps', { network: new OverlayNetwork(dc1, 'apps'), vpc: blue, cidr: '10.20.0.0/24' });
 * new OverlaySubnet(dc1, 'green-db', { network: new OverlayNetwork(dc1, 'db'), vpc: green, cidr: '10.21.0.0/24' });
 * blue.peerWith(green, '169.254.0.0/30');
 */
export class OverlayVpc extends HarvesterResource implements IOverlayVpc {
  /**
   * A reference to an existing VPC, e.g. `ovn-cluster`, the one of Subnets without a VPC of their
   * own.
   */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): IOverlayVpc {
    return new ExistingOverlayVpc(scope, id, 'OverlayVpc.fromName', KIND, options);
  }

  private readonly cidrs: string[] = [];
  private readonly routes: OverlayRoute[];
  private readonly peerings: (PeerAddress & { readonly peer: OverlayVpc })[] = [];

  constructor(scope: Construct, id: string, props: OverlayVpcProps = {}) {
    super(scope, id, props);
    this.routes = [...(props.routes ?? [])];
    failOnErrors(this, [
      ...(this.name === DEFAULT_VPC
        ? [
            {
              path: 'name',
              value: this.name,
              message: 'cannot be that of the VPC that Kube-OVN creates',
              fix: 'use a different name, or OverlayVpc.fromName',
            },
          ]
        : []),
      ...checkRoutes(this.routes),
    ]);
    this._write({
      ...KIND,
      spec: {
        staticRoutes: Lazy.any({
          produce: () =>
            filledList(
              [...this.routes, ...this.routesToPeers()].map(({ cidr, nextHop }) => ({
                policy: 'policyDst',
                cidr,
                nextHopIP: nextHop,
              })),
            ),
        }),
        vpcPeerings: Lazy.any({
          produce: () =>
            filledList(
              this.peerings.map(({ peer, own }) => ({ remoteVpc: peer.name, localConnectIP: own })),
            ),
        }),
      },
    });
  }

  public get overlayVpcId(): string {
    return this.name;
  }

  /** Adds a route. Added routes follow those of the constructor. */
  public addRoute(route: OverlayRoute): void {
    requireOpen(this, 'addRoute');
    failOnErrors(this, checkRoutes([...this.routes, route]));
    this.routes.push(route);
  }

  /**
   * Connects the VPC with another one: each gets an address of the network between the two, and
   * routes to the Subnets of the program in the other one.
   *
   * @param other the other VPC, on the same Harvester
   * @param cidr the network between the two, with at least two addresses, which no Subnet uses, e.g. `169.254.0.0/30`
   */
  public peerWith(other: OverlayVpc, cidr: string): void {
    const addresses = peerAddresses(cidr);
    failOnErrors(this, [
      ...(addresses
        ? []
        : [
            {
              path: 'cidr',
              value: cidr,
              message: 'must be a network in CIDR form with at least four addresses',
              fix: 'use e.g. 169.254.0.0/30',
            },
          ]),
      ...(other.harvester !== this.harvester ||
      other === this ||
      this.peerings.some(({ peer }) => peer === other)
        ? [
            {
              path: 'other',
              value: other.name,
              message: `must be another VPC of ${this.harvester.targetName} that is not a peer yet`,
              fix: 'connect each pair of VPCs once',
            },
          ]
        : []),
    ]);
    this.peerings.push({ peer: other, ...addresses![0] });
    other.peerings.push({ peer: this, ...addresses![1] });
  }

  /** @internal */
  public _addSubnet(cidr: string): void {
    this.cidrs.push(...cidr.split(','));
  }

  private routesToPeers(): OverlayRoute[] {
    const isV6 = (text: string): boolean => text.includes(':');
    return this.peerings.flatMap(({ peer, nextHop }) =>
      peer.cidrs.filter((cidr) => isV6(cidr) === isV6(nextHop)).map((cidr) => ({ cidr, nextHop })),
    );
  }
}

class ExistingOverlayVpc extends ExistingHarvesterResource implements IOverlayVpc {
  public get overlayVpcId(): string {
    return this.name;
  }
}

function checkRoutes(routes: readonly OverlayRoute[]): Problem[] {
  return routes.flatMap(({ cidr, nextHop }, index) => [
    ...(parseCidr(cidr)
      ? []
      : [
          {
            path: `routes[${index}].cidr`,
            value: cidr,
            message: 'must be a network in CIDR form',
            fix: 'use e.g. 10.30.0.0/16',
          },
        ]),
    ...(parseIp(nextHop)
      ? []
      : [
          {
            path: `routes[${index}].nextHop`,
            value: nextHop,
            message: 'must be an IP address',
            fix: 'use e.g. 10.20.0.254',
          },
        ]),
  ]);
}
