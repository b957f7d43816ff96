import { BINDING_PREFIX } from './binding.kind';
import { hasDerivedName, principalOf, subjectIn } from './principal.adopt';
import { Inverse, textAt } from '../../core/draft/inverse';
import { Manifest } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { globalPermission } from '../role/role.adopt';

/** The kind of a binding of a global role. */
export const GLOBAL_ROLE_BINDING = `${GROUPS.MANAGEMENT}/GlobalRoleBinding`;

/** From a GlobalRoleBinding that is not one of a User of the program to the construct. */
export const GLOBAL_ROLE_BINDING_INVERSE: Inverse = {
  kinds: [GLOBAL_ROLE_BINDING],
  drafts: (object, around) => {
    const { manifest } = object;
    const role = textAt(manifest, 'globalRoleName');
    const subject = subjectIn(manifest);
    if (role === undefined || !subject) { return []; }
    const props = {
      permission: globalPermission(role, object, around),
      principal: principalOf(object, subject, around),
      name: derivedRole(manifest) === undefined ? manifest.metadata.name : undefined,
    };
    return { type: 'GlobalRoleBinding', id: `${subject.principalId.replace(/^.*[:/=]/, '')}-${role}`, isNamedById: false, props, declares: [object] };
  },
};

/** The global role of a binding under the name that constructs derive for it; undefined for other bindings. */
export function derivedRole(manifest: Manifest): string | undefined {
  const role = textAt(manifest, 'globalRoleName');
  const subject = subjectIn(manifest);
  return role !== undefined && subject && hasDerivedName(manifest, BINDING_PREFIX.global, subject, role) ? role : undefined;
}
