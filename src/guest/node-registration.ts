import { MachineTaint } from './machine-pool';
import { CloudInit, GuestAgent } from '../harvester/cloud-init';

/**
 * Options of a node that registers with a custom cluster.
 */
export interface NodeRegistrationOptions {
  /** The name of the node, for one machine only. @default - the host name of the machine */
  readonly nodeName?: string;
  /** Labels of the node. @default - none */
  readonly labels?: { readonly [key: string]: string };
  /** Taints of the node. @default - none */
  readonly taints?: MachineTaint[];
  /** The address that others reach the node by, or the name of a network card. @default - found by the node itself */
  readonly address?: string;
  /** The address that the nodes reach each other by, or the name of a network card. @default - found by the node itself */
  readonly internalAddress?: string;
  /**
   * SHA-256 of what Rancher answers at `/cacerts`, in hexadecimal.
   * @default - of the chart's caCertificates; none where it has none
   */
  readonly caChecksum?: string;
  /**
   * Whether the script, which the machine runs as root, is fetched from whoever answers.
   * @default false
   */
  readonly insecureSkipTlsVerify?: boolean;
  /** How the machine gets qemu-guest-agent. @default GuestAgent.install() */
  readonly guestAgent?: GuestAgent;
}

/**
 * What makes a machine a node of a custom cluster. It holds the registration token: whoever has it can join nodes to the cluster.
 */
export class NodeRegistration {
  /** @internal */
  public static _of(command: string, cloudInit: CloudInit): NodeRegistration {
    return new NodeRegistration(command, cloudInit);
  }

  private constructor(
    /** The command as Rancher's UI shows it, for a shell of a user who may use sudo. */
    public readonly command: string,
    /**
     * User data that installs qemu-guest-agent, trusts the authorities of the Rancher and runs the command as root. Put it together with your own by
     * `CloudInit.combine`.
     */
    public readonly cloudInit: CloudInit,
  ) {}
}
