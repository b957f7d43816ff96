import { ClusterMemberRole, GlobalPermission, ProjectMemberRole } from './roles';
import {
  DraftProps,
  FoundObject,
  StaticCall,
  StaticMember,
  call,
  member,
  Draft,
  enumValue,
  booleanAt,
  byName,
  declare,
  Inverse,
  inverseOf,
  refer,
  referOn,
  Surroundings,
  textAt,
  unless,
} from '../../core/draft/draft';
import { isRecord, itemsAt, Manifest, sameValue, textsAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { filledList } from '../../core/text/values';
import { itemsOf } from '../../guest/guest-target.adopt';
import {
  VM_PRESETS,
  VM_UI_ACTIONS,
  VmPreset,
  vmPresetRules,
} from '../../harvester/account/vm-role.data';

/** The kind of a role of clusters and projects. */
export const ROLE_TEMPLATE = `${GROUPS.MANAGEMENT}/RoleTemplate`;

/** The kind of a global role. */
export const GLOBAL_ROLE = `${GROUPS.MANAGEMENT}/GlobalRole`;

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

/** The display name of a role as a prop: an empty text for none. */
function displayNameProp(manifest: Manifest): string | undefined {
  return unless(textAt(manifest, 'displayName') ?? '', manifest.metadata.name);
}

/** The rules of a role as props; undefined without rules. */
export function rulesProp(rules: unknown): readonly DraftProps[] | undefined {
  const list = itemsAt(rules).filter(isRecord);
  if (list.length === 0) {
    return undefined;
  }
  return list.map(({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }) => ({
    verbs: itemsOf(verbs) ?? [],
    apiGroups: itemsOf(apiGroups),
    resources: itemsOf(resources),
    resourceNames: itemsOf(resourceNames),
    nonResourceUrls: itemsOf(nonResourceURLs),
  }));
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
    const { manifest } = object;
    const flag = (field: string): boolean | undefined => unless(booleanAt(manifest, field), false);
    const plain = declare(object, 'RoleTemplate', {
      context: enumValue('RoleTemplateContext', textAt(manifest, 'context')),
      displayName: displayNameProp(manifest),
      description: textAt(manifest, 'description'),
      rules: rulesProp(manifest.rules),
      external: flag('external'),
      externalRules: rulesProp(manifest.externalRules),
      inherits: filledList(
        textsAt(manifest.roleTemplateNames).map((name) => refer(object, ROLE_TEMPLATE, name)),
      ),
      locked: flag('locked'),
      hidden: flag('hidden'),
      clusterCreatorDefault: flag('clusterCreatorDefault'),
      projectCreatorDefault: flag('projectCreatorDefault'),
    });
    return presetOf(object, plain) ?? plain;
  },
  existing: byName('RoleTemplate'),
};

function presetOf({ manifest }: FoundObject, plain: Draft): Draft | undefined {
  const { context: _, displayName, description, rules, ...others } = plain.props;
  const given = (rules as readonly DraftProps[] | undefined) ?? [];
  if (
    manifest.context !== 'project' ||
    Object.values(others).some((value) => value !== undefined)
  ) {
    return undefined;
  }
  for (const [preset, method] of FACTORIES) {
    const own = rulesProp(vmPresetRules(preset))!;
    const { what } = VM_PRESETS[preset];
    if (
      description !== `${what[0].toUpperCase()}${what.slice(1)}` ||
      !sameValue(given.slice(0, own.length), own)
    ) {
      continue;
    }
    const more = given.slice(own.length);
    const uiActions = preset === 'operator' && sameValue(more[0], rulesProp([VM_UI_ACTIONS])![0]);
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

/** From a GlobalRole to the construct. */
export const GLOBAL_ROLE_INVERSE = inverseOf(
  'GlobalRole',
  GLOBAL_ROLE,
  (manifest, object, around) => {
    const { inheritedFleetWorkspacePermissions: fleet } = manifest;
    return {
      displayName: displayNameProp(manifest),
      description: textAt(manifest, 'description'),
      rules: rulesProp(manifest.rules),
      namespacedRules: byNamespace(manifest.namespacedRules),
      inheritedNamespacedRules: byNamespace(manifest.inheritedNamespacedRules),
      inheritedClusterRoles: filledList(
        textsAt(manifest.inheritedClusterRoles).map((role) => clusterRole(role, object, around)),
      ),
      fleetWorkspacePermissions: isRecord(fleet)
        ? {
            rules: rulesProp(fleet.resourceRules),
            workspaceVerbs: fleet.workspaceVerbs as string[],
          }
        : undefined,
      newUserDefault: unless(booleanAt(manifest, 'newUserDefault'), false),
    };
  },
);

function byNamespace(rules: unknown): DraftProps | undefined {
  const entries = Object.entries(isRecord(rules) ? rules : {});
  return entries.length > 0
    ? Object.fromEntries(entries.map(([namespace, list]) => [namespace, rulesProp(list) ?? []]))
    : undefined;
}
