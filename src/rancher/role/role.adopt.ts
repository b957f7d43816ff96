import { GLOBAL_ROLE_FIELDS } from './global-role';
import { POLICY_RULES, ROLE_TEMPLATE_FIELDS } from './role-template';
import { GLOBAL_ROLE, ROLE_TEMPLATE } from './role.kind';
import { ClusterMemberRole, GlobalPermission, ProjectMemberRole } from './roles';
import {
  DraftValue,
  FoundObject,
  StaticCall,
  StaticMember,
  call,
  member,
  Draft,
  byName,
  declare,
  Inverse,
  inverseOf,
  referOn,
  Surroundings,
} from '../../core/draft/draft';
import { sameValue, textsAt } from '../../core/manifest/manifest';
import { filledList } from '../../core/text/values';
import {
  VM_PRESETS,
  VM_UI_ACTIONS,
  VmPreset,
  vmPresetRules,
} from '../../harvester/account/vm-role.data';

type RoleExpression = StaticMember | StaticCall;

/** A role of a cluster, by the name of its RoleTemplate. */
export function clusterRole(
  name: string,
  object: FoundObject,
  around: Surroundings,
): RoleExpression {
  return (
    staticRole(
      'ClusterMemberRole',
      Object.entries(ClusterMemberRole),
      ({ roleTemplateName }) => roleTemplateName === name,
    ) ?? ownRole('ClusterMemberRole', 'template', ROLE_TEMPLATE, name, object, around)
  );
}

/** A role of a project, by the name of its RoleTemplate. */
export function projectRole(
  name: string,
  object: FoundObject,
  around: Surroundings,
): RoleExpression {
  return (
    staticRole(
      'ProjectMemberRole',
      Object.entries(ProjectMemberRole),
      ({ roleTemplateName }) => roleTemplateName === name,
    ) ?? ownRole('ProjectMemberRole', 'template', ROLE_TEMPLATE, name, object, around)
  );
}

/** A global permission, by the name of its GlobalRole. */
export function globalPermission(
  name: string,
  object: FoundObject,
  around: Surroundings,
): RoleExpression {
  return (
    staticRole(
      'GlobalPermission',
      Object.entries(GlobalPermission),
      ({ globalRoleName }) => globalRoleName === name,
    ) ?? ownRole('GlobalPermission', 'role', GLOBAL_ROLE, name, object, around)
  );
}

function staticRole<T>(
  type: string,
  members: readonly (readonly [string, T])[],
  isIt: (role: T) => boolean,
): StaticMember | undefined {
  const found = members.find(([, role]) => isIt(role));
  return found && member(type, found[0]);
}

/** A role that was found is referred to, so that it is applied before its bindings. */
function ownRole(
  type: string,
  method: string,
  kind: string,
  name: string,
  { target }: FoundObject,
  around: Surroundings,
): StaticCall {
  const [group, roleKind] = kind.split('/');
  const found = around.find({ target, group, kind: roleKind, name });
  return found && found.manifest.builtin !== true
    ? call(type, method, referOn(target, kind, name))
    : call(type, 'of', name);
}

/**
 * The static methods of RoleTemplate by their presets: the larger ones first, since they begin with
 * the rules of the others.
 */
const FACTORIES: readonly (readonly [preset: VmPreset, method: string])[] = [
  ['creator', 'vmCreator'],
  ['operator', 'vmOperator'],
  ['viewer', 'vmViewer'],
  ['imageUser', 'imageUser'],
];

/** From a RoleTemplate to the construct, by its preset if it has the rules of one. */
export const ROLE_TEMPLATE_INVERSE: Inverse = {
  kinds: [ROLE_TEMPLATE],
  drafts: (object) => {
    const plain = declare(object, 'RoleTemplate', ROLE_TEMPLATE_FIELDS.read(object));
    return presetOf(object, plain) ?? plain;
  },
  existing: byName('RoleTemplate'),
};

function presetOf(object: FoundObject, plain: Draft): Draft | undefined {
  const { context: _, displayName, description, rules, ...others } = plain.props;
  const given = (rules ?? []) as readonly DraftValue[];
  if (
    object.manifest.context !== 'project' ||
    Object.values(others).some((value) => value !== undefined)
  ) {
    return undefined;
  }
  for (const [preset, method] of FACTORIES) {
    const own = rulesProp(vmPresetRules(preset), object);
    const { what } = VM_PRESETS[preset];
    if (
      description !== `${what[0].toUpperCase()}${what.slice(1)}` ||
      !sameValue(given.slice(0, own.length), own)
    ) {
      continue;
    }
    const more = given.slice(own.length);
    const uiActions =
      preset === 'operator' && sameValue(more[0], rulesProp([VM_UI_ACTIONS], object)[0]);
    const rest = uiActions ? more.slice(1) : more;
    return {
      ...plain,
      method,
      props: {
        displayName,
        uiActions: uiActions || undefined,
        rules: rest.length > 0 ? rest : undefined,
      },
    };
  }
  return undefined;
}

/** Rules as a program writes them. */
function rulesProp(rules: readonly unknown[], object: FoundObject): readonly DraftValue[] {
  return POLICY_RULES.read(rules, { object, asWritten: false }) as readonly DraftValue[];
}

/** From a GlobalRole to the construct. */
export const GLOBAL_ROLE_INVERSE = inverseOf(
  'GlobalRole',
  GLOBAL_ROLE,
  ({ inheritedClusterRoles }, object, around) => ({
    ...GLOBAL_ROLE_FIELDS.read(object),
    inheritedClusterRoles: filledList(
      textsAt(inheritedClusterRoles).map((role) => clusterRole(role, object, around)),
    ),
  }),
);
