/** What the objects of one program are kept apart by from those of others on the same clusters. */
export interface App {
  readonly id: string;
  /** Who has the fields that it writes. */
  readonly fieldManager: string;
  /** The ConfigMap of its inventory on every target, and its lock on one of them. */
  readonly parent: { readonly namespace: string; readonly name: string };
  /** Where earlier versions kept the inventory: tenants of a Harvester may write there, so it is no more than a hint. */
  readonly formerParent: { readonly namespace: string; readonly name: string };
}

/** The app of programs that name none. */
export const DEFAULT_APP = 'default';

/** On every cluster, and no tenant gets it: whoever writes the inventory chooses what the next apply looks at. */
export const OWN_NAMESPACE = 'kube-system';

const FORMER_NAMESPACE = 'default';

/** The name of the parent stays a label of RFC 1123, the name of the manager below its limit of 128. */
const APP_ID = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/;

/**
 * The app of a name. Two programs that write to the same cluster must have two names, or each would take for its own what the other wrote.
 */
export function appOf(id: string = DEFAULT_APP): App {
  if (!APP_ID.test(id)) {
    throw new Error(`--app: got ${JSON.stringify(id)}, expected at most 40 lower-case letters, digits and dashes, e.g. platform`);
  }
  const name = `cdk8s-harvester-${id}`;
  return {
    id,
    fieldManager: id === DEFAULT_APP ? 'cdk8s-harvester' : `cdk8s-harvester.${id}`,
    parent: { namespace: OWN_NAMESPACE, name },
    formerParent: { namespace: FORMER_NAMESPACE, name },
  };
}

/** The app that a field manager is of; undefined for managers that are none of ours. */
export function appOfManager(manager: string): App | undefined {
  const [, id = DEFAULT_APP] = /^cdk8s-harvester(?:\.(.+))?$/.exec(manager) ?? [undefined, ''];
  return APP_ID.test(id) ? appOf(id) : undefined;
}
