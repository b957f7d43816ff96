import { Manifest } from '../../manifest/manifest';
import { NamedObject } from '../ready/readiness';

/** Which permissions an object gives, needs, or leaves to others. */
export interface KindAccess {
  /**
   * Whether it gives permissions: a server refuses a permission from a user who lacks it.
   * @default - it gives none
   */
  readonly access?: 'role' | 'binding';
  /**
   * Whether people log in with it, so that it is deleted with their access, whatever is kept.
   * @default false
   */
  readonly isLogin?: boolean;
  /** Permissions that an apply needs beyond those to write the object. @default - none */
  readonly permissions?: (manifest: Manifest) => readonly NeededPermission[];
  /**
   * What others keep of an object that they made before the program.
   * @default - nothing that gives them permissions
   */
  readonly power?: Power;
  /**
   * The Secrets that it names and that give power: the user who wrote one decides something about the
   * platform. @default - it names none
   */
  readonly namesSecrets?: (manifest: Manifest) => readonly NamedSecret[];
}

/** A Secret that an object names. */
export interface NamedSecret {
  /** The path of the field that names it. */
  readonly path: string;
  readonly namespace: string;
  readonly name: string;
  /** What the user who wrote the Secret decides: an indirect question without a period. */
  readonly decides: string;
}

/** Users below administrators, as `docs/security.md` describes them. */
export type LesserRole = 'Standard User' | 'project owner' | 'vm-creator';

/**
 * What others keep of an object that they made before the program: an apply adopts it only if the
 * user names it.
 */
export interface Power {
  /**
   * Who can create an object of the kind without being an administrator; empty for administrators
   * alone.
   */
  readonly preparedBy: readonly LesserRole[];
  /** What its creator keeps, as a clause without a period. */
  readonly keeps: string;
  /** The objects that it applies to. @default - all objects of the kind */
  readonly when?: (manifest: Manifest) => boolean;
  /** Whether an object to which no one has access is adopted without being named. @default false */
  readonly onlyIfHeld?: boolean;
  /**
   * Where the bindings are that give access to the live object.
   * @default - it has none of its own
   */
  readonly bindings?: (live: Manifest) => readonly BindingPlace[];
  /**
   * Another object that the server uses as part of the one to create, if it exists.
   * @default - there is none
   */
  readonly uses?: (manifest: Manifest) => NamedObject | undefined;
  /**
   * A value by which others can prepare the object, where engines adopt whatever exists; undefined
   * if they cannot know it.
   * @default - none
   */
  readonly predictable?: (manifest: Manifest) => Predictable | undefined;
}

/** A value that others can know before the object exists. */
export interface Predictable {
  readonly path: string;
  readonly value: string;
  /** A clause without its subject. */
  readonly reason: string;
  readonly fix: string;
}

/** A namespace with bindings of one kind. */
export interface BindingPlace {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
}

/** A permission that an apply needs for another object. */
export interface NeededPermission {
  readonly apiVersion: string;
  readonly kind: string;
  /** @default - any object of the kind */
  readonly name?: string;
  /** @default - the whole cluster */
  readonly namespace?: string;
  readonly verbs: readonly ('get' | 'manage-namespaces' | 'updatepsa' | 'fleetaddcluster')[];
  /** What it is for: a run may do without it. */
  readonly perhaps: string;
}
