/** Machines of a guest cluster that go, or may go, by what a run is about to write. */
export interface MachineLoss {
  readonly target: string;
  /** Namespace and name of the provisioning Cluster. */
  readonly cluster: string;
  /** None where it is all of the cluster. */
  readonly pool?: string;
  /** `unknown` is what can not be told, and may be either. */
  readonly effect: 'replace' | 'delete' | 'unknown';
  /** How many, where that is known. */
  readonly machines?: number;
  /** What happens, one sentence without a subject. */
  readonly what: string;
  readonly causes: readonly string[];
}

/** A loss on one line. */
export function lossText({ target, cluster, pool, effect, machines, what, causes }: MachineLoss): string {
  const number = machines === undefined ? 'machines' : `${machines} ${machines === 1 ? 'machine' : 'machines'}`;
  const fate = { replace: 'replaced', delete: 'deleted', unknown: 'perhaps replaced or deleted' }[effect];
  return `${pool === undefined ? '' : `pool ${pool} of `}${cluster} on ${target}: ${number} ${fate}: ${what}${causes.length > 0 ? `; for ${causes.join('; ')}` : ''}`;
}
