import { Size, SizeRoundingBehavior } from 'cdk8s';
import { Cpu } from './cpu';
import { EXTENDED_PREFIX, QuotaLimit, VM_COUNT, bytesText, cpuText } from './quota.check';
import { Problem } from '../../core/problem/problem';
import { quantityOf } from '../../core/text/values';
import { FeatureGates } from '../../core/version/feature-gates';
import { RancherGate, RancherVersion } from '../version/rancher-version';

/**
 * Quota of a project, or of a namespace in it.
 *
 * On Harvester, virtual machines count toward the CPU and memory limits and the storage. A virtual
 * machine uses more than its own memory: see `VmQuota.forVirtualMachines`.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/resource-quota
 */
export interface Quota {
  /** The CPU that all containers and virtual machines may use together. @default - not limited */
  readonly limitsCpu?: Cpu;
  /**
   * The memory that all containers and virtual machines may use together, with the overhead of the
   * machines.
   * @default - not limited
   */
  readonly limitsMemory?: Size;
  /** The CPU that they may request together. @default - not limited */
  readonly requestsCpu?: Cpu;
  /** The memory that they may request together. @default - not limited */
  readonly requestsMemory?: Size;
  /** The storage that all volumes may request together. @default - not limited */
  readonly requestsStorage?: Size;
  /** Maximum number of PersistentVolumeClaims. @default - not limited */
  readonly persistentVolumeClaims?: number;
  /** Maximum number of Pods; a running virtual machine is one. @default - not limited */
  readonly pods?: number;
  /** Maximum number of Services. @default - not limited */
  readonly services?: number;
  /** Maximum number of Services of type LoadBalancer. @default - not limited */
  readonly servicesLoadBalancers?: number;
  /** Maximum number of node ports. @default - not limited */
  readonly servicesNodePorts?: number;
  /** Maximum number of ReplicationControllers. @default - not limited */
  readonly replicationControllers?: number;
  /** Maximum number of Secrets. @default - not limited */
  readonly secrets?: number;
  /** Maximum number of ConfigMaps. @default - not limited */
  readonly configMaps?: number;
  /**
   * Maximum number of virtual machines, running or not. Rancher 2.14.0 and later limits it for all
   * namespaces of a project together (`extended`). For earlier versions each namespace that the
   * program declares has a Kubernetes ResourceQuota with the limit of the namespace.
   * @default - not limited
   */
  readonly virtualMachines?: number;
  /**
   * Other resources by their names in a Kubernetes ResourceQuota, as quantities, e.g. `{
   * 'requests.nvidia.com/gpu': '2' }`. Rancher 2.14.0 and later.
   * @default - not limited
   */
  readonly extended?: { readonly [resource: string]: string };
}

/** Default requests and limits of containers that set none. Requests are at most the limits. */
export interface ContainerDefaults {
  /** The CPU request. @default - no request */
  readonly requestsCpu?: Cpu;
  /** The memory request. @default - no request */
  readonly requestsMemory?: Size;
  /** The CPU limit. @default - no limit */
  readonly limitsCpu?: Cpu;
  /** The memory limit. @default - no limit */
  readonly limitsMemory?: Size;
}

/**
 * A quota in Kubernetes quantities, in the units of the program; fractions, and what is computed in
 * KiB, in their canonical text.
 */
export function quotaLimit(quota: Quota): QuotaLimit {
  const { extended = {}, virtualMachines, ...plain } = quota;
  return {
    ...texts({
      ...(plain as { [key: string]: Cpu | Size | number | undefined }),
      [VM_COUNT]: virtualMachines,
    }),
    ...Object.fromEntries(
      Object.entries(extended).map(([resource, amount]) => [
        `${EXTENDED_PREFIX}${resource}`,
        amount,
      ]),
    ),
  };
}

/** Container defaults in Kubernetes quantities. */
export function containerLimit(defaults: ContainerDefaults): QuotaLimit {
  return texts(defaults as { [key: string]: Cpu | Size | undefined });
}

/** Problems of a QuotaLimit in the terms of props. */
export function inProps(problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({
    ...problem,
    path: problem.path.replace(VM_COUNT, 'virtualMachines'),
  }));
}

/**
 * Checks that a quota, which has this limit, is not empty and that this version of Rancher has its
 * fields.
 */
export function checkQuota(
  path: string,
  quota: Quota | undefined,
  limit: QuotaLimit | undefined,
  version: RancherVersion,
): Problem[] {
  if (!quota || !limit) {
    return [];
  }
  return [
    ...(Object.keys(limit).length > 0
      ? []
      : [{ path, message: 'cannot be empty', fix: 'limit a resource, or remove it' }]),
    ...(quota.extended
      ? FeatureGates.of(RancherGate.PROJECT_QUOTA_EXTENDED)._check(
          `${path}.extended`,
          version,
          'remove it',
        )
      : []),
    ...(quota.virtualMachines !== undefined &&
    VM_COUNT.slice(EXTENDED_PREFIX.length) in (quota.extended ?? {})
      ? [
          {
            path: `${path}.extended`,
            message: `cannot limit ${VM_COUNT.slice(EXTENDED_PREFIX.length)} next to virtualMachines`,
            fix: 'remove it',
          },
        ]
      : []),
    ...Object.entries(quota)
      .filter(([, value]) => typeof value === 'number' && !Number.isInteger(value))
      .map(([key, value]) => ({
        path: `${path}.${key}`,
        value,
        message: 'must be a whole number',
        fix: 'set a whole number of 0 or more',
      })),
  ];
}

function texts(amounts: { [key: string]: Cpu | Size | number | undefined }): QuotaLimit {
  const limit: { [key: string]: string } = {};
  for (const key of Object.keys(amounts)) {
    const amount = amounts[key];
    if (amount !== undefined) {
      limit[key] = textOf(amount);
    }
  }
  return limit;
}

/**
 * A whole number in the unit that the program chose, as Rancher's UI writes `8000m` and `32768Mi`:
 * it remains.
 */
const IN_UNIT = /^\d+(m|[MGTP]i)?$/;

function textOf(amount: Cpu | Size | number): string {
  if (typeof amount === 'number') {
    return String(amount);
  }
  // by their methods, not by class: two copies of a library in one program have two classes
  const text = 'toKibibytes' in amount ? amount.asString() : amount.amount;
  if (IN_UNIT.test(text)) {
    return text;
  }
  if ('toKibibytes' in amount) {
    return bytesText(amount.toKibibytes({ rounding: SizeRoundingBehavior.NONE }) * 1024);
  }
  const cores = quantityOf(amount.amount);
  return cores === undefined ? amount.amount : cpuText(cores);
}
