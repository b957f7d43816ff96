import { TargetKind } from '../../construct/target';
import { Manifest } from '../../manifest/manifest';
import { GateId } from '../../version/feature-gate';

/**
 * What a kind is called, which clusters serve it, who creates its objects, and where these are in
 * the output.
 */
export interface KindIdentity {
  /** The API group; the core group is `''`. */
  readonly group: string;
  /** The API version that is written and read. */
  readonly version: string;
  readonly kind: string;
  /** The resource, as roles and URLs name it. @default - the plural of the kind */
  readonly resource?: string;
  readonly scope: 'Cluster' | 'Namespaced';
  /** The targets that serve the kind. @default - every Kubernetes cluster may serve it */
  readonly targets?: readonly TargetKind[];
  /**
   * The product that also serves the kind on other clusters, where someone installs it.
   * @default - only the targets serve it
   */
  readonly servedBy?: string;
  /**
   * The gate of the product versions that serve the kind.
   * @default - all supported versions serve it
   */
  readonly served?: GateId;
  /**
   * What people call an object that they know by itself; what else a construct writes belongs to
   * one of these.
   * @default - its objects belong to others
   */
  readonly part?: PartOfPlatform;
  /**
   * Prefix of the files of the kind and its place in `kubectl apply -f folder`: 0 to 99, the
   * objects that others need first.
   */
  readonly rank: number;
  /**
   * The rank of a single object; undefined for the rank of the kind.
   * @default - all objects of the kind have its rank
   */
  readonly rankOf?: (manifest: Manifest) => number | undefined;
  /**
   * The name of an object that every server of the kind has: a list without it is incomplete.
   * @default - no such object is known
   */
  readonly alwaysThere?: string;
  /** Whether Rancher creates each object of the kind by itself. @default false */
  readonly createdByRancher?: boolean;
  /**
   * Why an apply never creates an object of the kind, and what to do: it exists, or something else
   * creates it.
   * @default - an apply creates it
   */
  readonly neverCreated?: { readonly says: string; readonly fix: string };
  /**
   * Whether Rancher generates an ID for an object, which other objects, tokens and namespaces
   * contain in their names.
   * @default false
   */
  readonly hasGeneratedId?: boolean;
  /**
   * The kind of the object that the writer of an object names as its owner, without being made by
   * that one.
   * @default - only controllers name owners
   */
  readonly owner?: string;
}

/** The objects of a kind as parts of a platform. */
interface PartOfPlatform {
  /** The word for an object, e.g. `IP pool`; undefined where it belongs to another part. */
  readonly noun: string | ((manifest: Manifest) => string | undefined);
  /** The place of the kind among others: reports list the lowest first. */
  readonly order: number;
}
