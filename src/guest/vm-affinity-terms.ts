import { VmSelector } from './vm-selector';

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
