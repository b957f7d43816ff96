/**
 * Which roles the nodes of a pool have.
 */
export interface MachineRolesProps {
  /** Whether they run the control plane. @default false */
  readonly controlPlane?: boolean;
  /** Whether they run etcd. An odd number of them over all pools keeps a quorum. @default false */
  readonly etcd?: boolean;
  /** Whether they run workloads. @default false */
  readonly worker?: boolean;
}

/**
 * The roles of the nodes of a pool. All pools of a cluster together need each role.
 */
export class MachineRoles {
  /** Control plane, etcd and workloads: for small clusters. */
  public static readonly ALL = new MachineRoles(true, true, true);
  /** Control plane and etcd. */
  public static readonly CONTROL_PLANE_ETCD = new MachineRoles(true, true, false);
  /** The control plane alone. */
  public static readonly CONTROL_PLANE = new MachineRoles(true, false, false);
  /** Etcd alone. */
  public static readonly ETCD = new MachineRoles(false, true, false);
  /** Workloads alone. */
  public static readonly WORKER = new MachineRoles(false, false, true);

  /**
   * Any set of roles.
   *
   * @param roles one at least
   */
  public static of(roles: MachineRolesProps): MachineRoles {
    return new MachineRoles(roles.controlPlane ?? false, roles.etcd ?? false, roles.worker ?? false);
  }

  private constructor(
    /** Whether the nodes run the control plane. */
    public readonly controlPlane: boolean,
    /** Whether the nodes run etcd. */
    public readonly etcd: boolean,
    /** Whether the nodes run workloads. */
    public readonly worker: boolean,
  ) {}
}
