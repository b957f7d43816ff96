import {
  Draft,
  FoundObject,
  Inverse,
  Surroundings,
  booleanAt,
  textAt,
  unless,
  byName,
} from '../../core/draft/draft';
import { sameValue } from '../../core/manifest/manifest';
import { localPrincipal } from '../binding/binding.kind';
import { GLOBAL_ROLE_BINDING, derivedRole, USER } from '../members/members.adopt';
import { globalPermission } from '../role/role.adopt';
import { GlobalPermission } from '../role/roles';

/** From a local User and the bindings of its global roles to the construct. */
export const USER_INVERSE: Inverse = {
  kinds: [USER],
  // @see rancher/dashboard:shell/edit/management.cattle.io.user.vue, which writes it
  defaults: { enabled: true },
  drafts: (object, around) => {
    const bindings = around
      .objects(object.target, GLOBAL_ROLE_BINDING)
      .filter(
        ({ manifest }) =>
          manifest.userName === object.manifest.metadata.name &&
          derivedRole(manifest) !== undefined,
      );
    return [userDraft(object, bindings, around), userDraft(object, [], around)];
  },
  existing: byName('LocalUser'),
};

function userDraft(
  object: FoundObject,
  bindings: readonly FoundObject[],
  around: Surroundings,
): Draft {
  const { manifest } = object;
  const { name } = manifest.metadata;
  const username = textAt(manifest, 'username') ?? name;
  const roles = bindings.map((binding) => derivedRole(binding.manifest)!);
  const isDefault = roles.length === 1 && roles[0] === GlobalPermission.USER_BASE.globalRoleName;
  const props = {
    username: unless(username, name),
    displayName: unless(textAt(manifest, 'displayName') ?? '', username),
    description: textAt(manifest, 'description'),
    enabled: unless(booleanAt(manifest, 'enabled'), true),
    mustChangePassword: unless(booleanAt(manifest, 'mustChangePassword'), false),
    permissions: isDefault
      ? undefined
      : roles.map((role, index) => globalPermission(role, bindings[index], around)),
  };
  const isOwn = sameValue(manifest.principalIds, [localPrincipal(name)]);
  return {
    type: 'LocalUser',
    id: name,
    props,
    declares: [object, ...bindings],
    // Rancher adds that of the user itself
    // @see rancher/rancher:pkg/controllers/management/auth/user.go Updated
    serverOwns: isOwn ? ['principalIds'] : undefined,
  };
}
