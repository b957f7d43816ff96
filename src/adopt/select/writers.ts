import { CONTROLLER_MANAGERS, MADE_BY_PRODUCTS, PRODUCTS } from './writers.data';
import {
  Manifest,
  annotationsOf,
  groupOf,
  isRecord,
  itemsAt,
  kindKey,
} from '../../core/manifest/manifest';
import { some } from '../../core/text/plain-text';
import { ANNOTATION_CREATOR_ID } from '../../rancher/binding/binding.kind';

/** Who wrote an object, by its field managers. */
interface Writers {
  /** Tools and users. */
  readonly users: readonly string[];
  /** Products, which write for themselves and for those who use their UIs. */
  readonly products: readonly string[];
  /** Programs that carry out no request of a user. */
  readonly controllers: readonly string[];
}

/**
 * Who wrote an object apart from its status; no one where field managers are not shown, as `kubectl
 * get` does.
 */
function writersOf({ metadata }: Manifest): Writers {
  const { managedFields } = metadata;
  const managers = new Set(
    itemsAt(managedFields).flatMap((entry) =>
      isRecord(entry) && typeof entry.manager === 'string' && !entry.subresource
        ? [entry.manager]
        : [],
    ),
  );
  const all = [...managers];
  const products = all.filter((manager) => PRODUCTS.has(manager));
  const controllers = all.filter((manager) =>
    CONTROLLER_MANAGERS.some((known) => known.test(manager)),
  );
  return {
    users: all.filter((manager) => !products.includes(manager) && !controllers.includes(manager)),
    products,
    controllers,
  };
}

/** Accounts of the system, as Rancher names the creator of an object. */
const SYSTEM_CREATOR = /^system:/;

/**
 * Whether a user asked for the object: another program than those of the platform wrote it, or
 * Rancher recorded its creator.
 */
export function isOfUser(manifest: Manifest): boolean {
  const creator = annotationsOf(manifest)[ANNOTATION_CREATOR_ID];
  const hasCreator = typeof creator === 'string' && !SYSTEM_CREATOR.test(creator);
  return hasCreator || writersOf(manifest).users.length > 0;
}

/** The number of field managers that a reason names. */
const MAX_NAMED = 2;

/**
 * Why an object belongs to controllers, as only they wrote it; undefined where others did, or
 * nothing is known.
 */
export function writtenByControllers(manifest: Manifest): string | undefined {
  const { products, controllers } = writersOf(manifest);
  return controllers.length > 0 && products.length === 0 && !isOfUser(manifest)
    ? `is written only by ${some(controllers, MAX_NAMED)}`
    : undefined;
}

/**
 * Why it is unclear whose an object is: only a product wrote it, for itself or for a user of its
 * UI, and it writes such objects itself. Undefined where it is
 * clear, or nothing is known.
 */
export function unclearWriter(manifest: Manifest): string | undefined {
  const group = groupOf(manifest.apiVersion);
  const [manager] = writersOf(manifest).products;
  const isOfBoth =
    KUBERNETES_GROUP.test(group) || MADE_BY_PRODUCTS.has(kindKey(group, manifest.kind));
  if (manager === undefined || !isOfBoth || isOfUser(manifest)) {
    return undefined;
  }
  return `${PRODUCTS.get(manager)!} wrote it, for itself or for someone in its UI`;
}

/** The API groups of Kubernetes itself: products and users write their objects. */
const KUBERNETES_GROUP = /^([a-z]*|[a-z.]+\.k8s\.io)$/;
