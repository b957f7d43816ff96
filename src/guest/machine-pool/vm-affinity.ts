import { checkAffinity, checkVmAffinity } from './vm-affinity.check';
import { sortedKeys } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { labelValueFault } from '../../core/text/label';
import { defined } from '../../core/text/values';
import { VM_LABEL_CREATOR, VM_LABEL_GUEST_CLUSTER } from '../cluster/cluster.kind';
import { LABEL_MACHINE_SET, LABEL_NODE_POOL, TOPOLOGY } from '../machine-config/machine-config.kind';

/**
 * The value of the label `harvesterhci.io/machineSetName` on the machines of a pool.
 *
 * The node driver makes it from the name of the machine, in which Rancher turns dots into hyphens.
 * @see harvester/docker-machine-driver-harvester:harvester/create.go Create
 */
export function machineSetName(vmNamespace: string, cluster: string, pool: string): string {
  const name = `${vmNamespace}-${`${cluster}-${pool}`.replace(/\./g, '-')}`;
  return labelValueFault(name) ? `hash_${fnv32a(name).toString('base64url')}_z` : name;
}

/**
 * What the node driver writes in place of a value that is no label value.
 * @see harvester/docker-machine-driver-harvester:harvester/labels.go formatLabelValue
 */
function fnv32a(text: string): Buffer {
  let hash = 0x811c9dc5;
  // eslint-disable-next-line no-bitwise
  for (const byte of Buffer.from(text)) { hash = Math.imul(hash ^ byte, 0x01000193); }
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(hash);
  return bytes;
}

/** What a selector is resolved for. */
export interface PoolIdentity {
  readonly vmNamespace: string;
  readonly cluster: string;
  readonly pool: string;
}

interface LabelSelector {
  readonly matchLabels?: { readonly [key: string]: string };
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string }[];
}

/**
 * Which virtual machines a rule of affinity speaks of, by the labels that the node driver gives them.
 */
export class VmSelector {
  /** The machines of the same pool of the same cluster. */
  public static samePool(): VmSelector {
    return new VmSelector(({ vmNamespace, cluster, pool }) => ({ matchLabels: { [LABEL_MACHINE_SET]: machineSetName(vmNamespace, cluster, pool) } }), false, 'pool');
  }

  /** The machines of all pools of the same cluster. Rancher 2.11.0 and later, whose node driver labels them so. */
  public static sameCluster(): VmSelector {
    return new VmSelector(({ cluster }) => ({ matchLabels: { [VM_LABEL_GUEST_CLUSTER]: cluster } }), true, 'cluster');
  }

  /**
   * The machines of another cluster, in the same namespace unless the term names others. Rancher 2.11.0 and later.
   *
   * @param name of the provisioning Cluster
   */
  public static guestCluster(name: string): VmSelector {
    return new VmSelector(() => ({ matchLabels: { [VM_LABEL_GUEST_CLUSTER]: name } }), true);
  }

  /**
   * The machines of another pool of the same cluster. Rancher 2.11.0 and later.
   *
   * @param name of the pool
   */
  public static pool(name: string): VmSelector {
    return new VmSelector(({ cluster }) => ({ matchLabels: { [VM_LABEL_GUEST_CLUSTER]: cluster, [LABEL_NODE_POOL]: name } }), true, 'cluster');
  }

  /** Every virtual machine that Harvester's UI, Terraform or the node driver made. */
  public static any(): VmSelector {
    return new VmSelector(() => ({ matchExpressions: [{ key: VM_LABEL_CREATOR, operator: 'Exists' }] }));
  }

  /**
   * Virtual machines with labels of your own.
   *
   * @param labels that all of them have
   */
  public static labels(labels: { readonly [key: string]: string }): VmSelector {
    return new VmSelector(() => ({ matchLabels: sortedKeys(labels) }));
  }

  private constructor(
    /** @internal */ public readonly _resolve: (pool: PoolIdentity) => LabelSelector,
    /** Whether it needs the labels that the node driver writes since 1.0.2. @internal */ public readonly _needsGuestLabels = false,
    /** What it is resolved by, beside the namespace. @internal */ public readonly _relativeTo?: 'pool' | 'cluster',
  ) {}
}

/** How a label of a Harvester node is compared. */
export enum NodeLabelOperator {
  IN = 'In',
  NOT_IN = 'NotIn',
  EXISTS = 'Exists',
  DOES_NOT_EXIST = 'DoesNotExist',
  /** As a whole number. */
  GREATER_THAN = 'Gt',
  /** As a whole number. */
  LESS_THAN = 'Lt',
}

/**
 * What a label of a Harvester node must be like.
 */
export interface NodeLabelRequirement {
  /** The label, e.g. `topology.kubernetes.io/zone` or `network.harvesterhci.io/mgmt`. */
  readonly key: string;
  /** How it is compared. @default - NodeLabelOperator.IN with values, EXISTS without */
  readonly operator?: NodeLabelOperator;
  /** What it is compared with. @default - none */
  readonly values?: string[];
}

/**
 * Harvester nodes, by their labels.
 */
export interface NodeTerm {
  /** What their labels must be like, all of it. */
  readonly labels: NodeLabelRequirement[];
}

/**
 * Harvester nodes that are preferred.
 */
export interface PreferredNodeTerm extends NodeTerm {
  /** How much it counts beside other preferences, 1 to 100. @default 100 */
  readonly weight?: number;
}

/**
 * Virtual machines to be near to, or apart from.
 */
export interface VmTerm {
  /** Which ones. */
  readonly vms: VmSelector;
  /**
   * The label of Harvester nodes whose value says what is near: the same host, zone or region.
   * @default 'kubernetes.io/hostname'
   */
  readonly topologyKey?: string;
  /** The namespaces of the virtual machines. @default - that of the pool's own */
  readonly namespaces?: string[];
}

/**
 * Virtual machines that it is preferred to be near to, or apart from.
 */
export interface PreferredVmTerm extends VmTerm {
  /** How much it counts beside other preferences, 1 to 100. @default 100 */
  readonly weight?: number;
}

/**
 * Where virtual machines of a pool run.
 */
export interface VmAffinityProps {
  /** Harvester nodes that they may run on: those of any of these terms. @default - all */
  readonly requiredNodes?: NodeTerm[];
  /** Harvester nodes that they run on where possible. @default - none in particular */
  readonly preferredNodes?: PreferredNodeTerm[];
  /** Virtual machines that they must be near to. @default - none */
  readonly requiredNear?: VmTerm[];
  /** Virtual machines that they are near to where possible. @default - none */
  readonly preferredNear?: PreferredVmTerm[];
  /** Virtual machines that they must be apart from. @default - none */
  readonly requiredApart?: VmTerm[];
  /** Virtual machines that they are apart from where possible. @default - none but those of `spread` */
  readonly preferredApart?: PreferredVmTerm[];
  /**
   * Whether they run on different hosts than other virtual machines where possible. It is the node driver's default, which an affinity of its own
   * takes away: so it is written along.
   * @default true
   */
  readonly spread?: boolean;
}

/**
 * Options of a spread over zones or hosts.
 */
export interface SpreadOptions {
  /**
   * Whether a machine rather does not start than share its zone or host with another of its pool. Rancher exchanges a machine by making the new one
   * first, so there must be one zone or host more than machines, or `rollingUpdate` with maxSurge 0 and maxUnavailable 1.
   * @default false
   */
  readonly required?: boolean;
}

const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const HEAVIEST = 100;

/**
 * On which Harvester nodes the virtual machines of a pool run: by labels of the nodes, and by what else runs there.
 *
 * Needs Harvester 1.0.3 and Rancher 2.6.7; what speaks of other virtual machines, Harvester 1.2.0 and Rancher 2.7.6. A change replaces all machines
 * of the pool.
 * Nodes of the guest cluster get the zone of their Harvester node from RKE2 v1.22.12, v1.23.9, v1.24.3 on, by the cloud provider.
 */
export class VmAffinity {
  /**
   * Any affinity.
   *
   * @param props in the words of Kubernetes, typed
   */
  public static of(props: VmAffinityProps): VmAffinity {
    return new VmAffinity(props);
  }

  /**
   * Only on Harvester nodes with these labels.
   *
   * @param labels that a node must have, all of them
   */
  public static onNodes(labels: { readonly [key: string]: string }): VmAffinity {
    return new VmAffinity({ requiredNodes: [{ labels: Object.entries(sortedKeys(labels)).map(([key, value]) => ({ key, values: [value] })) }] });
  }

  /**
   * Over the zones of the Harvester, by the label `topology.kubernetes.io/zone` of its nodes; within a zone on different hosts where possible.
   */
  public static spreadOverZones(options: SpreadOptions = {}): VmAffinity {
    return spreadOver(TOPOLOGY.ZONE, options);
  }

  /**
   * Over the hosts of the Harvester: two machines of the pool are on one host only where there is no other, or not at all.
   */
  public static spreadOverHosts(options: SpreadOptions = {}): VmAffinity {
    return spreadOver(TOPOLOGY.HOST, options);
  }

  private constructor(private readonly props: VmAffinityProps) {}

  /** Whether it speaks of virtual machines beside those that the node driver's default does. @internal */
  public get _namesVms(): boolean {
    return this.vmTerms().length > 0;
  }

  /** Whether it needs the labels that the node driver writes since 1.0.2. @internal */
  public get _needsGuestLabels(): boolean {
    return this.vmTerms().some(({ vms }) => vms._needsGuestLabels);
  }

  /** Whether it speaks of what only machines of a pool, or of a cluster, have. @internal */
  public _isRelativeTo(scope: 'pool' | 'cluster'): boolean {
    return this.vmTerms().some(({ vms }) => vms._relativeTo === scope);
  }

  /** The affinity as the node driver reads it: compact JSON whose bytes are a contract. @internal */
  public _render(pool: PoolIdentity): string {
    const { requiredNodes, preferredNodes, requiredNear, preferredNear, requiredApart, preferredApart, spread } = this.props;
    const kept = spread ?? true ? [...preferredApart ?? [], { vms: VmSelector.any() }] : preferredApart;
    return JSON.stringify(part({
      nodeAffinity: part({
        [REQUIRED]: part({ nodeSelectorTerms: some(requiredNodes, nodeTerm) }),
        [PREFERRED]: some(preferredNodes, (term) => ({ weight: term.weight ?? HEAVIEST, preference: nodeTerm(term) })),
      }),
      podAffinity: podPart(pool, requiredNear, preferredNear),
      podAntiAffinity: podPart(pool, requiredApart, kept),
    }) ?? {});
  }

  /** @internal */
  public _check(path: string, pool: PoolIdentity): Problem[] {
    const text = this._render(pool);
    const problems = [...checkVmAffinity(path, text), ...checkAffinity(path, JSON.parse(text)), ...checkOperators(path, this.props)];
    return text === '{}' ? [{ path, message: 'says nothing', fix: 'leave it out, or name nodes or virtual machines' }] : problems;
  }

  private vmTerms(): VmTerm[] {
    const { requiredNear = [], preferredNear = [], requiredApart = [], preferredApart = [] } = this.props;
    return [...requiredNear, ...preferredNear, ...requiredApart, ...preferredApart];
  }
}

// scores add up over virtual machines: at the weight of the node driver's default, ten of others on a host would count more than a zone
function spreadOver(topologyKey: string, { required = false }: SpreadOptions): VmAffinity {
  const terms = [{ vms: VmSelector.samePool(), topologyKey }];
  const others = { vms: VmSelector.any(), weight: 1 };
  const apart = required ? { requiredApart: terms, preferredApart: [others] } : { preferredApart: [...terms, others] };
  return VmAffinity.of({ ...apart, spread: false });
}

function podPart(pool: PoolIdentity, required?: VmTerm[], preferred?: PreferredVmTerm[]): object | undefined {
  const podTerm = ({ vms, topologyKey, namespaces }: VmTerm) => ({
    labelSelector: vms._resolve(pool), topologyKey: topologyKey ?? TOPOLOGY.HOST, ...(namespaces && namespaces.length > 0 ? { namespaces } : {}),
  });
  return part({
    [REQUIRED]: some(required, podTerm),
    [PREFERRED]: some(preferred, (term) => ({ weight: term.weight ?? HEAVIEST, podAffinityTerm: podTerm(term) })),
  });
}

function nodeTerm({ labels }: NodeTerm): object {
  return {
    matchExpressions: labels.map(({ key, operator, values = [] }) => ({
      key, operator: operator ?? (values.length > 0 ? NodeLabelOperator.IN : NodeLabelOperator.EXISTS), ...(values.length > 0 ? { values } : {}),
    })),
  };
}

// what a node selector refuses beside bad names, which is more than a label selector does
function checkOperators(path: string, { requiredNodes = [], preferredNodes = [] }: VmAffinityProps): Problem[] {
  const terms = [
    ...requiredNodes.map((term, index) => ({ term, at: `${path}.requiredNodes[${index}]`, weight: 1 })),
    ...preferredNodes.map((term, index) => ({ term, at: `${path}.preferredNodes[${index}]`, weight: term.weight ?? HEAVIEST })),
  ];
  return terms.flatMap(({ term, at, weight }): Problem[] => [
    ...(term.labels.length > 0 ? [] : [{ path: at, message: 'names no label, and such a term matches no node', fix: 'name one label at least' }]),
    ...(Number.isInteger(weight) && weight >= 1 && weight <= HEAVIEST ? [] : [{
      path: `${at}.weight`, value: weight, message: 'is no weight', fix: 'use 1 to 100',
    }]),
    ...term.labels.flatMap((label, index) => checkOperator(`${at}.labels[${index}]`, label.operator, label.values ?? [])),
  ]);
}

function checkOperator(path: string, operator: NodeLabelOperator | undefined, values: readonly string[]): Problem[] {
  switch (operator) {
    case NodeLabelOperator.IN:
    case NodeLabelOperator.NOT_IN:
      return values.length > 0 ? [] : [{
        path: `${path}.values`, message: `${operator} needs values`, fix: 'name at least one value, or use EXISTS',
      }];
    case NodeLabelOperator.EXISTS:
    case NodeLabelOperator.DOES_NOT_EXIST:
      return values.length === 0 ? [] : [{
        path: `${path}.values`, value: values, message: `${operator} takes no values`, fix: 'leave the values out, or use IN',
      }];
    case NodeLabelOperator.GREATER_THAN:
    case NodeLabelOperator.LESS_THAN:
      return values.length === 1 && /^-?\d+$/.test(values[0]) ? [] : [{
        path: `${path}.values`, value: values, message: `${operator} needs one whole number`, fix: 'give it as the only value',
      }];
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
