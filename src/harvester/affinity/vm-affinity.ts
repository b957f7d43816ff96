import {
  checkAffinity,
  checkVmAffinity,
  machineSetName,
  PREFERRED,
  REQUIRED,
} from './vm-affinity.check';
import { IHarvesterTarget, INamespace } from '../../core/construct/target';
import { sortedKeys } from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { defined } from '../../core/text/values';
import { VM_LABEL_CREATOR, VM_LABEL_GUEST_CLUSTER } from '../../guest/cluster/cluster.kind';
import { LABEL_MACHINE_SET, TOPOLOGY } from '../../guest/machine-config/machine-config.kind';
import type { IGuestCluster } from '../../guest/parts/guest-cluster-ref';

/** The machines that a selector is resolved for. */
export interface PoolIdentity {
  readonly vmNamespace: string;
  readonly cluster: string;
  readonly pool: string;
}

/** Selects virtual machines for an affinity, by the labels that the node driver sets. */
export class VmSelector {
  /** The machines of the same pool of the same cluster. */
  public static samePool(): VmSelector {
    return new VmSelector(
      ({ vmNamespace, cluster, pool }) => ({
        matchLabels: { [LABEL_MACHINE_SET]: machineSetName(vmNamespace, cluster, pool) },
      }),
      false,
      'pool',
    );
  }

  /** The machines of all pools of the same cluster. Rancher 2.11.0 and later. */
  public static sameCluster(): VmSelector {
    return new VmSelector(
      ({ cluster }) => ({ matchLabels: { [VM_LABEL_GUEST_CLUSTER]: cluster } }),
      true,
      'cluster',
    );
  }

  /**
   * The machines of another guest cluster, in the same namespace unless the term names others.
   * Rancher 2.11.0 and later.
   */
  public static guestCluster(cluster: IGuestCluster): VmSelector {
    return new VmSelector(
      () => ({ matchLabels: { [VM_LABEL_GUEST_CLUSTER]: cluster.name } }),
      true,
    );
  }

  /** The machines of another pool of the same cluster. */
  public static pool(name: string): VmSelector {
    return new VmSelector(
      ({ vmNamespace, cluster }) => ({
        matchLabels: { [LABEL_MACHINE_SET]: machineSetName(vmNamespace, cluster, name) },
      }),
      false,
      'cluster',
    );
  }

  /** All virtual machines that were created by Harvester's UI, Terraform or the node driver. */
  public static any(): VmSelector {
    return new VmSelector(() => ({
      matchExpressions: [{ key: VM_LABEL_CREATOR, operator: 'Exists' }],
    }));
  }

  /** Virtual machines with your own labels. */
  public static labels(labels: { readonly [key: string]: string }): VmSelector {
    return new VmSelector(() => ({ matchLabels: sortedKeys(labels) }));
  }

  /**
   * Virtual machines whose labels meet all requirements, as the UI writes them. GREATER_THAN and
   * LESS_THAN are for nodes only.
   */
  public static matching(...requirements: LabelRequirement[]): VmSelector {
    return new VmSelector(() => ({ matchExpressions: requirements.map(expression) }));
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */ public readonly _resolve: (pool: PoolIdentity) => object,
    /** Whether it needs labels that the node driver sets since 1.0.2. @internal */ public readonly _needsGuestLabels = false,
    /** What the selected machines depend on, besides the namespace. @internal */ public readonly _relativeTo?:
      'pool' | 'cluster',
  ) {}
}

/** How a label of a Harvester node, or of a virtual machine, is compared with values. */
export enum LabelOperator {
  /** The label has one of the values. */
  IN = 'In',
  /** The label has none of the values, or is missing. */
  NOT_IN = 'NotIn',
  /** The node has the label. */
  EXISTS = 'Exists',
  /** The node does not have the label. */
  DOES_NOT_EXIST = 'DoesNotExist',
  /** The label is greater than the value, as a whole number. */
  GREATER_THAN = 'Gt',
  /** The label is less than the value, as a whole number. */
  LESS_THAN = 'Lt',
}

/** A requirement on a label of a Harvester node, or of a virtual machine. */
export interface LabelRequirement {
  /** The label, e.g. `topology.kubernetes.io/zone` or `network.harvesterhci.io/mgmt`. */
  readonly key: string;
  /**
   * How it is compared with the values.
   * @default - LabelOperator.IN with values, EXISTS without
   */
  readonly operator?: LabelOperator;
  /** The values that it is compared with. @default - no values */
  readonly values?: string[];
}

/** Harvester nodes, by their labels. */
export interface NodeTerm {
  /** The requirements on their labels, which must all be met. */
  readonly labels: LabelRequirement[];
}

/** Harvester nodes that are preferred. */
export interface PreferredNodeTerm extends NodeTerm {
  /** The weight relative to other preferences, 1 to 100. @default 100 */
  readonly weight?: number;
}

/** Virtual machines to run near to, or apart from. */
export interface VmTerm {
  /** Selects the virtual machines. */
  readonly vms: VmSelector;
  /**
   * The label of Harvester nodes with the same value for nodes that are near: same host, zone or
   * region.
   * @default 'kubernetes.io/hostname'
   */
  readonly topologyKey?: string;
  /**
   * The namespaces of the virtual machines, on the same Harvester.
   * @default - the namespace of the VM itself
   */
  readonly namespaces?: INamespace[];
  /**
   * The labels of namespaces whose virtual machines are meant too, e.g.
   * `kubernetes.io/metadata.name`; an empty map for all namespaces, as in the UI.
   * @default - only `namespaces`
   */
  readonly namespaceLabels?: { readonly [key: string]: string };
}

/** Virtual machines to run near to, or apart from, if possible. */
export interface PreferredVmTerm extends VmTerm {
  /** The weight relative to other preferences, 1 to 100. @default 100 */
  readonly weight?: number;
}

/** The placement of a virtual machine, or of the machines of a pool. */
export interface VmAffinityProps {
  /** The Harvester nodes that they may run on: those of any of these terms. @default - all nodes */
  readonly requiredNodes?: NodeTerm[];
  /** The Harvester nodes that the VM runs on, if possible. @default - no preference */
  readonly preferredNodes?: PreferredNodeTerm[];
  /** Virtual machines that the VM must run near. @default - no requirement */
  readonly requiredNear?: VmTerm[];
  /** Virtual machines that the VM runs near, if possible. @default - no preference */
  readonly preferredNear?: PreferredVmTerm[];
  /** Virtual machines that the VM must run apart from. @default - no requirement */
  readonly requiredApart?: VmTerm[];
  /**
   * Virtual machines that the VM runs apart from, if possible.
   * @default - no preference besides `spread`
   */
  readonly preferredApart?: PreferredVmTerm[];
  /**
   * Whether they run on different hosts than other virtual machines if possible. This is the
   * default of the node driver, which an affinity would otherwise replace.
   * @default true
   */
  readonly spread?: boolean;
}

/** Options of a spread over zones or hosts. */
export interface SpreadOptions {
  /**
   * Whether a machine waits instead of sharing its zone or host with another machine of its pool.
   * Rancher creates the new machine before it deletes the old one, so there must be one more zone
   * or host than machines, or a `rollingUpdate` with maxSurge 0 and maxUnavailable 1.
   * @default false
   */
  readonly required?: boolean;
}

const HEAVIEST = 100;

/**
 * The affinity of a VirtualMachine, or of the machines of a MachinePool: which Harvester nodes they
 * run on, by node labels and by other virtual machines there.
 *
 * A MachinePool needs Harvester 1.0.3 and Rancher 2.6.7, with terms about other virtual machines
 * Harvester 1.2.0 and Rancher 2.7.6. A change replaces all machines of the pool. With RKE2
 * v1.22.12, v1.23.9, v1.24.3 and later, the cloud provider labels nodes of the guest cluster with
 * the zone of their Harvester node.
 */
export class VmAffinity {
  /** Any affinity. */
  public static of(props: VmAffinityProps): VmAffinity {
    return new VmAffinity(props);
  }

  /** Places machines only on Harvester nodes with these labels. */
  public static onNodes(labels: { readonly [key: string]: string }): VmAffinity {
    return new VmAffinity({
      requiredNodes: [
        {
          labels: Object.entries(sortedKeys(labels)).map(([key, value]) => ({
            key,
            values: [value],
          })),
        },
      ],
    });
  }

  /**
   * Spreads machines over zones, by the label `topology.kubernetes.io/zone` of Harvester nodes;
   * within a zone over hosts if possible.
   */
  public static spreadOverZones(options: SpreadOptions = {}): VmAffinity {
    return spreadOver(TOPOLOGY.ZONE, options);
  }

  /**
   * Spreads machines over hosts: two machines of the pool share a host only if there is no other,
   * or never.
   */
  public static spreadOverHosts(options: SpreadOptions = {}): VmAffinity {
    return spreadOver(TOPOLOGY.HOST, options);
  }

  private constructor(private readonly props: VmAffinityProps) {}

  /** Whether it names other virtual machines than the default of the node driver does. @internal */
  public get _namesVms(): boolean {
    return this.vmTerms().length > 0;
  }

  /** Whether it needs labels that the node driver sets since 1.0.2. @internal */
  public get _needsGuestLabels(): boolean {
    return this.vmTerms().some(({ vms }) => vms._needsGuestLabels);
  }

  /** Whether it names what only machines of a pool, or of a cluster, have. @internal */
  public _isRelativeTo(scope: 'pool' | 'cluster'): boolean {
    return this.vmTerms().some(({ vms }) => vms._relativeTo === scope);
  }

  /** The affinity for the node driver: compact JSON whose bytes must not change. @internal */
  public _render(pool: PoolIdentity): string {
    const {
      requiredNodes,
      preferredNodes,
      requiredNear,
      preferredNear,
      requiredApart,
      preferredApart,
      spread,
    } = this.props;
    const kept =
      (spread ?? true) ? [...(preferredApart ?? []), { vms: VmSelector.any() }] : preferredApart;
    return JSON.stringify(
      part({
        nodeAffinity: part({
          [REQUIRED]: part({ nodeSelectorTerms: some(requiredNodes, nodeTerm) }),
          [PREFERRED]: some(preferredNodes, (term) => ({
            weight: term.weight ?? HEAVIEST,
            preference: nodeTerm(term),
          })),
        }),
        podAffinity: podPart(pool, requiredNear, preferredNear),
        podAntiAffinity: podPart(pool, requiredApart, kept),
      }) ?? {},
    );
  }

  /** @internal */
  public _check(
    path: string,
    pool: PoolIdentity,
    harvester: IHarvesterTarget | undefined,
  ): Problem[] {
    const text = this._render(pool);
    const problems = [
      ...checkVmAffinity(path, text),
      ...checkAffinity(path, JSON.parse(text)),
      ...checkOperators(path, this.props),
      ...this.checkNamespaces(path, harvester),
    ];
    return text === '{}'
      ? [
          {
            path,
            message: 'must name nodes or virtual machines',
            fix: 'add a term, or remove affinity',
          },
        ]
      : problems;
  }

  private *checkNamespaces(
    path: string,
    harvester: IHarvesterTarget | undefined,
  ): Iterable<Problem> {
    for (const { name, target } of this.vmTerms().flatMap(({ namespaces = [] }) => namespaces)) {
      if (!harvester || target === harvester) {
        continue;
      }
      yield {
        path: `${path}.namespaces`,
        value: name,
        message: `must be on the Harvester of the machines, ${harvester.targetName}: it is on ${target.targetName}`,
        fix: `use a namespace on ${harvester.targetName}`,
      };
    }
  }

  private vmTerms(): VmTerm[] {
    const {
      requiredNear = [],
      preferredNear = [],
      requiredApart = [],
      preferredApart = [],
    } = this.props;
    return [...requiredNear, ...preferredNear, ...requiredApart, ...preferredApart];
  }
}

// scores add up over virtual machines: with the weight of the node driver's default, ten others on
// a host would outweigh a zone
function spreadOver(topologyKey: string, { required = false }: SpreadOptions): VmAffinity {
  const terms = [{ vms: VmSelector.samePool(), topologyKey }];
  const others = { vms: VmSelector.any(), weight: 1 };
  const apart = required
    ? { requiredApart: terms, preferredApart: [others] }
    : { preferredApart: [...terms, others] };
  return VmAffinity.of({ ...apart, spread: false });
}

function podPart(
  pool: PoolIdentity,
  required?: VmTerm[],
  preferred?: PreferredVmTerm[],
): object | undefined {
  const podTerm = ({ vms, topologyKey, namespaces, namespaceLabels: labels }: VmTerm) => ({
    labelSelector: vms._resolve(pool),
    topologyKey: topologyKey ?? TOPOLOGY.HOST,
    ...(namespaces && namespaces.length > 0
      ? { namespaces: namespaces.map(({ name }) => name) }
      : {}),
    ...(labels
      ? {
          namespaceSelector:
            Object.keys(labels).length > 0 ? { matchLabels: sortedKeys(labels) } : {},
        }
      : {}),
  });
  return part({
    [REQUIRED]: some(required, podTerm),
    [PREFERRED]: some(preferred, (term) => ({
      weight: term.weight ?? HEAVIEST,
      podAffinityTerm: podTerm(term),
    })),
  });
}

function nodeTerm({ labels }: NodeTerm): object {
  return { matchExpressions: labels.map(expression) };
}

/** A requirement as label selectors write it. */
export function expression({ key, operator, values = [] }: LabelRequirement): {
  readonly key: string;
  readonly operator: string;
} {
  return {
    key,
    operator: operator ?? (values.length > 0 ? LabelOperator.IN : LabelOperator.EXISTS),
    ...(values.length > 0 ? { values } : {}),
  };
}

// what a node selector refuses besides invalid names, which is more than a label selector does
function checkOperators(
  path: string,
  { requiredNodes = [], preferredNodes = [] }: VmAffinityProps,
): Problem[] {
  const terms = [
    ...requiredNodes.map((term, index) => ({
      term,
      at: `${path}.requiredNodes[${index}]`,
      weight: 1,
    })),
    ...preferredNodes.map((term, index) => ({
      term,
      at: `${path}.preferredNodes[${index}]`,
      weight: term.weight ?? HEAVIEST,
    })),
  ];
  return terms.flatMap(({ term, at, weight }): Problem[] => [
    ...(term.labels.length > 0
      ? []
      : [
          {
            path: at,
            message: 'must have at least one label: a term without labels matches no node',
            fix: 'add a label',
          },
        ]),
    ...(Number.isInteger(weight) && weight >= 1 && weight <= HEAVIEST
      ? []
      : [
          {
            path: `${at}.weight`,
            value: weight,
            message: 'must be a whole number from 1 to 100',
            fix: 'use 1 to 100',
          },
        ]),
    ...term.labels.flatMap((label, index) =>
      checkOperator(`${at}.labels[${index}]`, label.operator, label.values ?? []),
    ),
  ]);
}

function checkOperator(
  path: string,
  operator: LabelOperator | undefined,
  values: readonly string[],
): Problem[] {
  switch (operator) {
    case LabelOperator.IN:
    case LabelOperator.NOT_IN:
      if (values.length > 0) {
        return [];
      }
      return [
        {
          path: `${path}.values`,
          message: `must have at least one value for ${operator}`,
          fix: 'add a value, or use EXISTS',
        },
      ];
    case LabelOperator.EXISTS:
    case LabelOperator.DOES_NOT_EXIST:
      if (values.length === 0) {
        return [];
      }
      return [
        {
          path: `${path}.values`,
          value: values,
          message: `must be empty for ${operator}`,
          fix: 'remove the values, or use IN',
        },
      ];
    case LabelOperator.GREATER_THAN:
    case LabelOperator.LESS_THAN:
      if (values.length === 1 && /^-?\d+$/.test(values[0])) {
        return [];
      }
      return [
        {
          path: `${path}.values`,
          value: values,
          message: `must be one whole number for ${operator}`,
          fix: 'set it to one number',
        },
      ];
    default:
      return [];
  }
}

function some<T, R>(items: readonly T[] | undefined, map: (item: T) => R): R[] | undefined {
  return items && items.length > 0 ? items.map(map) : undefined;
}

function part(fields: { readonly [key: string]: unknown }): object | undefined {
  const kept = defined(fields);
  return Object.keys(kept).length > 0 ? kept : undefined;
}
