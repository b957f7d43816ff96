import { GUEST_AGENT_PACKAGE, GUEST_AGENT_SERVICE } from '../../model/machine-config/names';

/**
 * Options of a guest agent that is installed.
 */
export interface GuestAgentOptions {
  /**
   * Whether the lists of packages are fetched before. It needs a mirror that the machine reaches: without internet the first start waits until
   * the tries run out.
   * @default true
   */
  readonly packageUpdate?: boolean;
}

/**
 * How qemu-guest-agent, which tells Harvester the addresses of a machine, gets onto it. Rancher gives a machine up that tells none for ten minutes.
 */
export class GuestAgent {
  /**
   * Installed from the distribution's packages and started, as Rancher's and Harvester's UI do.
   *
   * Not for immutable systems (SLE Micro, Elemental, Talos), whose packages can't be installed so: use an image that brings it along.
   */
  public static install(options: GuestAgentOptions = {}): GuestAgent {
    return new GuestAgent({
      ...(options.packageUpdate ?? true ? { package_update: true } : {}),
      packages: [GUEST_AGENT_PACKAGE],
      runcmd: [['systemctl', 'enable', '--now', GUEST_AGENT_SERVICE]],
    });
  }

  /**
   * In the image, and running: nothing is installed. For air-gapped and immutable systems. A comment in the user data says so, to people and to the
   * rule that misses the agent.
   */
  public static preinstalled(): GuestAgent {
    return new GuestAgent({}, `# ${GUEST_AGENT_PACKAGE} is in the image\n`);
  }

  /** Nothing is said of it. @internal */
  public static _unsaid(): GuestAgent {
    return new GuestAgent({});
  }

  private constructor(
    /** @internal */ public readonly _fields: { readonly [key: string]: unknown },
    /** A line of its own, or nothing. @internal */ public readonly _comment: string = '',
  ) {}
}
