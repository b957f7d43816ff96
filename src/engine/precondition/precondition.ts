import { EngineError } from '../engine-error';

/** The problems that must not occur where a step is executed, with what each is judged by. */
interface Problems {
  /**
   * The object was recreated after this app wrote it: with its new ID, a Harvester would be
   * registered again, and all of its tenants created again.
   */
  readonly 'recreated': { readonly uid: string };
  /** Another Cluster has the management cluster of a new one. */
  readonly 'shared-id': { readonly managementCluster: string };
  /**
   * The construct wrote other objects before, which hold machines, data, or tenants. `follows`:
   * they only have another namespace.
   */
  readonly 'renamed': { readonly formers: readonly string[]; readonly follows: boolean };
  /** A Harvester is registered as another Cluster than the new one, as these objects on it show. */
  readonly 'former-import': { readonly by: readonly string[] };
  /** An object that is no longer declared keeps a unique value. */
  readonly 'in-the-way': { readonly by: string };
  /**
   * Someone else made the object, which gives permissions. `uid`: the one that this app wrote;
   * `expected`: an earlier run was about to write it.
   */
  readonly 'taken-over': { readonly uid?: string; readonly expected: boolean };
  /**
   * Someone else wrote Secrets that the object uses, by their IDs: they decide what it does. Later
   * values may name more of them.
   */
  readonly 'named-secrets': { readonly secrets: readonly string[] };
  /**
   * Only a controller creates such an object, and deletes it with what it was made from: created
   * again, it would give back permissions that were removed.
   */
  readonly 'made-by-controller': object;
  /** The object to delete or reset is not the one that this app wrote. */
  readonly 'not-ours': { readonly uid?: string };
  /** Machines or data would be lost with the object to delete. */
  readonly 'loss': object;
  /** Something needs the object to delete. */
  readonly 'in-use': object;
}

export type PreconditionId = keyof Problems;

/**
 * A precondition of a step: a problem that must not occur. The plan judges it, and the run judges
 * it again where it executes the step.
 */
export type Precondition = PreconditionOf<PreconditionId>;

/** `problem`: why it does not hold, when the plan was made. */
export type PreconditionOf<Id extends PreconditionId> = {
  readonly [id in Id]: { readonly id: id; readonly problem?: string } & Problems[id];
}[Id];

/**
 * Where one of these does not hold, an apply does not begin: the rest of the program would go to
 * the wrong objects.
 */
const ENDS_ALL: readonly PreconditionId[] = ['recreated', 'shared-id', 'renamed', 'former-import'];

/** What is known of a plan before objects are compared. */
interface PlanProblems {
  /** Why a run must not begin. */
  readonly problems?: readonly string[];
  readonly steps: readonly {
    readonly id: string;
    readonly preconditions?: readonly Precondition[];
  }[];
}

/** Throws if an apply must not begin, by the problems of its plan and of its steps. */
export function checkBeginning({ problems = [], steps }: PlanProblems): void {
  if (problems.length > 0) {
    throw new EngineError('refused', [...new Set(problems)].join('\n'));
  }
  const broken = steps.flatMap(({ id, preconditions = [] }) =>
    preconditions.flatMap((each) =>
      each.problem !== undefined && ENDS_ALL.includes(each.id)
        ? [{ id, of: each.id, problem: each.problem }]
        : [],
    ),
  );
  // their messages contain the IDs
  const recreated = broken.filter(({ of }) => of === 'recreated').map(({ problem }) => problem);
  if (recreated.length > 0) {
    throw new EngineError('refused', recreated.join('\n'));
  }
  if (broken.length > 0) {
    throw new EngineError(
      'refused',
      ['nothing was written', ...broken.map(({ id, problem }) => `${id}: ${problem}`)].join('\n'),
    );
  }
}

/**
 * Whether the plan of an apply judges a precondition: it decides whether the apply begins, or what
 * is deleted first.
 */
export function decidesFirst({ id }: Precondition): boolean {
  return ENDS_ALL.includes(id) || id === 'in-the-way';
}
