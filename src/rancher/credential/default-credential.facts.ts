import { GLOBAL_DATA } from './secret.kind';
import { groupOf } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';

/**
 * The credential that the guest clusters on a Harvester share, unless they name one: its Secret on
 * Rancher. Every program with such clusters writes the same one.
 *
 * @param harvester the name of the target
 */
export function defaultCredentialName(harvester: string): string {
  return `cc-${harvester}`;
}

/**
 * The ServiceAccount of that credential on the Harvester; its Secret and ClusterRoles begin with
 * the name.
 *
 * @param rancher the name of the target
 */
export function defaultAccountName(rancher: string): string {
  return `${rancher}-node-driver`;
}

/** An object of a program, or of an inventory. */
interface PlacedObject {
  readonly target: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** The kinds of the account of a credential, apart from bindings in namespaces of tenants. */
const ACCOUNT_KINDS: readonly string[] = [
  'ServiceAccount',
  'Secret',
  'ClusterRole',
  'ClusterRoleBinding',
];

/**
 * Whether an object belongs to a credential that all programs with guest clusters on a Harvester
 * write alike.
 */
export function isOfDefaultCredential(
  { target, apiVersion, kind, namespace, name }: PlacedObject,
  targets: readonly { readonly name: string; readonly kind?: string }[],
): boolean {
  const group = groupOf(apiVersion);
  if (kind === 'Secret' && group === '' && namespace === GLOBAL_DATA) {
    return targets.some(
      (each) => each.kind === 'harvester' && defaultCredentialName(each.name) === name,
    );
  }
  const isOfAccount =
    ACCOUNT_KINDS.includes(kind) && (group === '' || group === GROUPS.RBAC) && target !== '';
  return (
    isOfAccount &&
    targets.some(({ name: own, kind: what }) => what === 'harvester' && own === target) &&
    targets
      .filter((each) => each.kind === 'rancher')
      .map((each) => defaultAccountName(each.name))
      .some((account) => name === account || name.startsWith(`${account}-`))
  );
}
