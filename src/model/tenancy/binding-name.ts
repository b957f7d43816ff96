import { createHash } from 'crypto';
import { base32 } from '../base32';

/** Who a binding is for, as its fields say. */
export interface BindingSubject {
  readonly userPrincipalName?: string;
  readonly userName?: string;
  readonly groupPrincipalName?: string;
  readonly groupName?: string;
}

/**
 * The text of a subject that names are made from: the first of the fields that is there, in the order of Rancher's webhook.
 */
export function subjectOf({ userPrincipalName, userName, groupPrincipalName, groupName }: BindingSubject): string | undefined {
  return userPrincipalName || userName || groupPrincipalName || groupName || undefined;
}

/**
 * The name of a binding as Rancher's webhook gives it in place of a generateName: the same for the same subject, role and place, so that a
 * binding of the program and one of the UI are one object.
 *
 * @param prefix e.g. `prtb-`
 * @param subject see subjectOf
 * @param role name of the RoleTemplate or GlobalRole
 * @param place the project's id `<cluster id>:<project>`, or the cluster's id; undefined for a global role, whose formula is ours
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/projectroletemplatebinding/mutator.go and clusterroletemplatebinding/mutator.go GenerateDeterministicName (0.11)
 */
export function bindingName(prefix: string, subject: string, role: string, place?: string): string {
  const input = place === undefined ? `${subject}/${role}` : `${subject}/${role}/${place}`;
  return `${prefix}${base32(createHash('sha256').update(input).digest()).slice(0, 10)}`;
}
