import {
  Assembly,
  AssemblyEdge,
  AssemblyGroup,
  AssemblyLateValue,
  AssemblyObject,
} from './assembly';
import { DeletionForm } from './deletion-form';
import { Finding } from '../rule/finding';

/**
 * The form of `assembly.json`: the assembly with what an entry waits for in the entry itself. Each
 * entry is a line that depends on nothing but the entry. Left out is what other parts imply: edges
 * of late values, groups that are all objects below a construct, and texts about deletions that the
 * library or `effects` has.
 */
export interface AssemblyForm extends Omit<
  Assembly,
  'objects' | 'groups' | 'edges' | 'lateValues' | 'findings'
> {
  readonly objects: readonly Waiting<ObjectForm>[];
  /** @default - none that wait, or that no construct implies */
  readonly groups?: readonly Waiting<GroupForm>[];
  /** @default - none */
  readonly lateValues?: readonly Waiting<AssemblyLateValue>[];
  /** @default - none */
  readonly findings?: readonly Finding[];
}

/** An object, of which the reason of a deletion may be left out. */
export interface ObjectForm extends Omit<AssemblyObject, 'deletion'> {
  /** @default - as a construct above it or its kind describes */
  readonly deletion?: DeletionForm;
}

/** An entry with what it waits for. */
export type Waiting<T> = T & Waits;

/**
 * What an entry waits for: IDs of objects, paths of constructs for all objects below them, or
 * `late:<id>`. What late values imply is left out.
 */
export interface Waits {
  readonly after?: readonly string[];
  readonly ready?: readonly string[];
  readonly value?: readonly string[];
  readonly gone?: readonly string[];
}

/** The field that holds the edges of a type. */
export const FIELD_OF = {
  applied: 'after',
  ready: 'ready',
  value: 'value',
  gone: 'gone',
} as const satisfies { [type in AssemblyEdge['type']]: keyof Waits };

export interface GroupForm extends Pick<AssemblyGroup, 'id'> {
  /** @default - the objects below the construct */
  readonly objects?: readonly string[];
}
