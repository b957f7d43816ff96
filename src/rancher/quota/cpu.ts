/**
 * An amount of CPU, of containers and virtual machines.
 *
 * @example
 * new TenantProject(rancher, 'team-shop', {
 *   cluster: harvester,
 *   quota: { limitsCpu: Cpu.units(32), requestsCpu: Cpu.millis(16500) },
 *   tenantNamespaces: [{ name: 'team-shop' }],
 * });
 */
export class Cpu {
  /** An amount in CPUs, e.g. `4` or `0.5`. */
  public static units(amount: number): Cpu {
    return new Cpu(String(amount));
  }

  /** An amount in thousandths of a CPU, e.g. `500`. */
  public static millis(amount: number): Cpu {
    return new Cpu(`${amount}m`);
  }

  declare private readonly nominal: true;

  private constructor(
    /** The amount as Kubernetes writes it, e.g. `4` or `500m`. */
    public readonly amount: string,
  ) {}
}
