import { TargetKind } from '../../construct/target';
import { isLate } from '../../late/late-token';
import { Manifest } from '../../manifest/manifest';
import { ReadyContext } from '../ready/readiness';

/**
 * What becomes of an object that a program no longer declares: deleted, reset, or kept, and what is
 * lost with it.
 */
export interface KindRemoval {
  /** What deleting an object means. @default - it is deleted, with no effect on others */
  readonly deletion?: DeletionNote;
  /**
   * What it means for some objects of the kind, by the name that their construct notes.
   * @default - `deletion` applies to all
   */
  readonly deletions?: { readonly [name: string]: DeletionNote };
  /**
   * What is lost when an object is deleted: the first row that applies.
   * @default - the object can be recreated without a loss
   */
  readonly holds?: readonly Holding[];
  /**
   * Objects that belong to the server and are kept by default.
   * @default - no object is kept by default
   */
  readonly kept?: readonly KeptObjects[];
  /** The kind of the owner that an object gets from its server. @default - it gets none */
  readonly serverOwner?: string;
  /**
   * The owner that an object gets from its server, which refuses to delete the object before it.
   * @default - an object is deleted whether or not its owner exists
   */
  readonly refusedWhileOwned?: { readonly owner: string; readonly says: string };
  /** How an object that is never deleted gets its default again. @default - by an empty value */
  readonly reset?: Reset;
  /**
   * A value that the server accepts only once, whatever the name of the object.
   * @default - only the name is unique
   */
  readonly unique?: UniqueValue;
  /**
   * Whether it runs something: objects without a controller are lost with their namespace.
   * @default false
   */
  readonly isWorkload?: boolean;
  /**
   * Whether Rancher can remove the machines of a guest cluster without the object of a name.
   * @default - it may need the object
   */
  readonly machinesGoWithout?: (name: string) => boolean;
}

/** What deleting an object means, for apply and for people who prune by other engines. */
export interface DeletionNote {
  /**
   * `delete`: the object belongs to the program, and deleting it does what one expects.
   * `reset`: the object is the server's, only our fields are taken back (a Setting: `value: ""`).
   * `keep`: left alone; another program owns it, or it is deleted with another object.
   */
  readonly policy: 'delete' | 'reset' | 'keep';
  /** Why, and what else must not be touched. */
  readonly reason: string;
  /** Whether the program chose `delete`, against the default of the kind. @default false */
  readonly chosen?: true;
}

/** How an object gets its default again. */
interface Reset {
  /** The field to write, alone, with the others left as they are. @default - `value`, by an apply */
  readonly field?: string;
  /** The value to write. */
  readonly value: (name: string, about: ReadyContext) => string | boolean | null;
  /** Whether the object has its default. */
  readonly isDone: (live: Manifest, about: ReadyContext) => boolean;
  /** Why the server refuses to reset an object. @default - it refuses none */
  readonly refused?: (live: Manifest) => string | undefined;
  /** What the server still does after the reset. @default - nothing */
  readonly remains?: (live: Manifest) => string | undefined;
  /** Why an engine leaves it as it is, as a clause. @default - engines cannot reset it */
  readonly byEngines?: string;
}

/**
 * A value that the server accepts only once: it refuses the new object as long as the previous one
 * exists.
 */
interface UniqueValue {
  /** What the value is, e.g. `nodePort`. */
  readonly what: string;
  /** The values that both objects have, as text. */
  readonly shared: (a: Manifest, b: Manifest) => readonly string[];
  /**
   * Why the previous object cannot be deleted first without a loss.
   * @default - it can be deleted first
   */
  readonly stays?: (previous: Manifest) => string | undefined;
  /** What to do where the previous object is kept. */
  readonly fix: string;
}

/** What is lost when an object is deleted, and does not come back when the object is recreated. */
export interface Holding {
  /**
   * `machines` run; `data` is stored; `tenants` are projects, members and objects of other users.
   */
  readonly holds: 'machines' | 'data' | 'tenants';
  /** The lost data, as a noun phrase: `its machines and their disks`. */
  readonly what: string;
  /** The objects that the row applies to. @default - all objects of the kind */
  readonly when?: (manifest: Manifest) => boolean;
  /** Whether an apply deletes the object only with an explicit consent. @default false */
  readonly asks?: boolean;
  /**
   * The targets whose namespaces are searched for the kind before they are deleted.
   * @default - none
   */
  readonly searchedOn?: readonly TargetKind[];
}

/** Objects that belong to the server. */
export interface KeptObjects {
  /** The objects that the row applies to. @default - all objects of the kind */
  readonly when?: (manifest: Manifest) => boolean;
  /** Why they are kept, as a clause without its subject. */
  readonly says: string;
  /** Whether another run may find it otherwise. @default false */
  readonly passes?: boolean;
  /**
   * Whether it applies to the live object only, not to what the program declares.
   * @default false
   */
  readonly onlyLive?: boolean;
  /** Whether nothing lifts it: neither `Retention.delete()` nor an option. @default false */
  readonly never?: boolean;
  /**
   * Whether it applies to engines alone: an apply decides by what is live.
   * @default false
   */
  readonly onlyEngines?: boolean;
}

/** An object of the program, which is deleted, with an effect on others. */
export function deletes(reason: string): DeletionNote {
  return { policy: 'delete', reason };
}

/** What Rancher writes to the nodes of a cluster. */
export const NEEDED_BY_NODES = deletes(
  'Rancher cannot write the plans of the nodes without it, so the cluster cannot be changed',
);

/** Applies to the objects of these names. */
export function called(...names: readonly string[]): (manifest: Manifest) => boolean {
  return ({ metadata }) => names.includes(metadata.name);
}

/** The values that two objects share. */
export function sharedValues(
  valuesOf: (manifest: Manifest) => readonly string[],
): UniqueValue['shared'] {
  return (a, b) => {
    const others = new Set(valuesOf(b));
    return valuesOf(a).filter((value) => others.has(value));
  };
}

/** A text that a server compares; nothing where it is empty, missing or a late value. */
export function uniqueText(value: unknown): readonly string[] {
  return typeof value === 'string' && value !== '' && !isLate(value) ? [value] : [];
}
