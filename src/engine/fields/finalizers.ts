import { isRecord, valueAt, itemsAt } from '../../core/manifest/manifest';
import { LiveObject } from '../cluster/cluster';

/**
 * Finalizers of Kubernetes and the products, which their controllers remove. Names without a domain
 * are those of earlier controllers, such as `harvester-lb-vm-controller`.
 *
 * @see harvester/harvester, rancher/rancher, kubevirt/kubevirt, longhorn/longhorn-manager; seen on Rancher 2.15.0 and Harvester 1.8.2
 */
const OF_PRODUCTS =
  /^[^/]*$|^([a-z0-9-]+\.)*(kubernetes|k8s|cattle|harvesterhci|kubevirt|longhorn)\.io\//;

/**
 * The condition of a Namespace about finalizers of its contents.
 * @see kubernetes/kubernetes:pkg/controller/namespace/deletion/status_condition_utils.go
 */
const REMAINING = 'NamespaceFinalizersRemaining';

/** One finalizer in the message of that condition: `example.com/hold in 2 resource instances`. */
const REMAINING_ONE = /(\S+) in \d+ resource instances/g;

/**
 * Whether a finalizer belongs to neither Kubernetes nor the products: anyone with permission to
 * edit the object can have set it.
 */
export function isForeign(finalizer: unknown): boolean {
  return !OF_PRODUCTS.test(String(finalizer));
}

/**
 * The finalizers of an object, each foreign one with the field managers that set it:
 * `example.com/hold (set by kubectl)`.
 */
export function finalizersText(live: LiveObject): string {
  return (live.metadata.finalizers ?? [])
    .map((finalizer) => {
      const managers = isForeign(finalizer) ? settersOf(live, finalizer) : [];
      return managers.length > 0 ? `${finalizer} (set by ${managers.join(', ')})` : finalizer;
    })
    .join(', ');
}

function settersOf(live: LiveObject, finalizer: string): string[] {
  const entries = (live.metadata.managedFields ?? []).filter(({ fieldsV1 }) => {
    const set: unknown = valueAt(fieldsV1, 'f:metadata', 'f:finalizers');
    // a list is a set of values, or one unit
    return (
      isRecord(set) &&
      (Object.keys(set).length === 0 || Object.hasOwn(set, `v:${JSON.stringify(finalizer)}`))
    );
  });
  return [...new Set(entries.map(({ manager }) => manager))].sort();
}

/**
 * Whether only foreign finalizers keep an object that is being deleted, or the contents of a
 * Namespace: no controller of the products waits for anything, so what would be deleted after it
 * need not wait.
 */
export function isHeldByOthers(live: LiveObject): boolean {
  const { finalizers = [], deletionTimestamp } = live.metadata;
  if (deletionTimestamp === undefined) {
    return false;
  }
  const remaining = live.kind === 'Namespace' && live.apiVersion === 'v1' ? remainingIn(live) : [];
  const all = [...finalizers, ...remaining];
  return all.length > 0 && all.every(isForeign);
}

function remainingIn(live: LiveObject): string[] {
  return itemsAt(live, 'status', 'conditions')
    .filter(isRecord)
    .filter((condition) => condition.type === REMAINING && condition.status === 'True')
    .flatMap(({ message }) =>
      [...String(message).matchAll(REMAINING_ONE)].map(([, finalizer]) => finalizer),
    );
}

/**
 * Finalizers to remove, by object ID (`--remove-finalizer`). Throws if one is not
 * `<id>=<finalizer>`.
 */
export function finalizersToRemove(
  options: readonly string[] = [],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const option of options) {
    const at = option.lastIndexOf('=');
    const [id, finalizer] = [option.slice(0, Math.max(0, at)), option.slice(at + 1)];
    if (!id || !finalizer) {
      throw new Error(
        `--remove-finalizer: must be <id>=<finalizer>, e.g. dc1//Secret/shop/token=example.com/hold, got ${JSON.stringify(option)}`,
      );
    }
    found.set(id, [...(found.get(id) ?? []), finalizer]);
  }
  return found;
}
