import { ClusterRole, GlobalPermission, ProjectRole } from './roles';
import { DraftProps, FoundObject, StaticCall, StaticMember, call, member, Draft, enumValue } from '../../core/draft/draft';
import { Surroundings, listAt, referOn, Inverse, booleanAt, refer, textAt, unless, byName } from '../../core/draft/inverse';
import { Manifest, isRecord, sameValue } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { VM_PRESETS, VM_UI_ACTIONS, VmPreset, vmPresetRules } from '../../harvester/account/vm-role.data';

/** The kind of a role of clusters and projects. */
export const ROLE_TEMPLATE = `${GROUPS.MANAGEMENT}/RoleTemplate`;

/** The kind of a global role. */
export const GLOBAL_ROLE = `${GROUPS.MANAGEMENT}/GlobalRole`;

type RoleExpression = StaticMember | StaticCall;

/** A role of a cluster, by the name of its RoleTemplate. */
export function clusterRole(name: string, object: FoundObject, around: Surroundings): RoleExpression {
  return staticRole('ClusterRole', Object.entries(ClusterRole), ({ roleTemplateName }) => roleTemplateName === name)
    ?? ownRole('ClusterRole', 'fromTemplate', ROLE_TEMPLATE, name, object, around);
}

/** A role of a project, by the name of its RoleTemplate. */
export function projectRole(name: string, object: FoundObject, around: Surroundings): RoleExpression {
  return staticRole('ProjectRole', Object.entries(ProjectRole), ({ roleTemplateName }) => roleTemplateName === name)
    ?? ownRole('ProjectRole', 'fromTemplate', ROLE_TEMPLATE, name, object, around);
}

/** A global permission, by the name of its GlobalRole. */
export function globalPermission(name: string, object: FoundObject, around: Surroundings): RoleExpression {
  return staticRole('GlobalPermission', Object.entries(GlobalPermission), ({ globalRoleName }) => globalRoleName === name)
    ?? ownRole('GlobalPermission', 'fromRole', GLOBAL_ROLE, name, object, around);
}

function staticRole<T>(type: string, members: readonly (readonly [string, T])[], isIt: (role: T) => boolean): StaticMember | undefined {
  const found = members.find(([, role]) => isIt(role));
  return found && member(type, found[0]);
}

/** A role that was found is referred to, so that it is applied before its bindings. */
function ownRole(type: string, method: string, kind: string, name: string, { target }: FoundObject, around: Surroundings): StaticCall {
  const [group, roleKind] = kind.split('/');
  const found = around.find({ target, group, kind: roleKind, name });
  return found && !isBuiltIn(found.manifest) ? call(type, method, referOn(target, kind, name)) : call(type, 'of', name);
}

/** Whether Rancher creates a role at its start. */
function isBuiltIn({ builtin }: Manifest): boolean {
  return builtin === true;
}

/** The display name of a role as a prop: an empty text for none. */
function displayNameProp(manifest: Manifest): string | undefined {
  return unless(textAt(manifest, 'displayName') ?? '', manifest.metadata.name);
}

/** The rules of a role as props; undefined without rules. */
export function rulesProp(rules: unknown): readonly DraftProps[] | undefined {
  const list = Array.isArray(rules) ? rules.filter(isRecord) : [];
  if (list.length === 0) { return undefined; }
  return list.map(({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }) => ({
    verbs: filled(verbs) ?? [],
    apiGroups: filled(apiGroups),
    resources: filled(resources),
    resourceNames: filled(resourceNames),
    nonResourceUrls: filled(nonResourceURLs),
  }));
}

function filled(list: unknown): readonly string[] | undefined {
  return Array.isArray(list) && list.length > 0 ? list : undefined;
}

/** The names in a list of a role. */
export function namesAt(manifest: Manifest, field: string): readonly string[] {
  return listAt(manifest, field).filter((name): name is string => typeof name === 'string');
}

/** The static methods of RoleTemplate by their presets: the larger ones first, since they begin with the rules of the others. */
const FACTORIES: readonly (readonly [preset: VmPreset, method: string])[] = [
  ['creator', 'vmCreator'], ['operator', 'vmOperator'], ['viewer', 'vmViewer'], ['imageUser', 'imageUser'],
];

/** From a RoleTemplate to the construct, by its preset if it has the rules of one. */
export const ROLE_TEMPLATE_INVERSE: Inverse = {
  kinds: [ROLE_TEMPLATE],
  drafts: (object) => {
    const inherits = namesAt(object.manifest, 'roleTemplateNames');
    const { manifest } = object;
    const flag = (field: string): boolean | undefined => unless(booleanAt(manifest, field), false);
    const plain: Draft = {
      type: 'RoleTemplate',
      id: manifest.metadata.name,
      props: {
        context: enumValue('RoleTemplateContext', textAt(manifest, 'context')),
        displayName: displayNameProp(manifest),
        description: textAt(manifest, 'description'),
        rules: rulesProp(manifest.rules),
        external: flag('external'),
        externalRules: rulesProp(manifest.externalRules),
        inherits: inherits.length > 0 ? inherits.map((name) => refer(object, ROLE_TEMPLATE, name)) : undefined,
        locked: flag('locked'),
        hidden: flag('hidden'),
        clusterCreatorDefault: flag('clusterCreatorDefault'),
        projectCreatorDefault: flag('projectCreatorDefault'),
      },
      declares: [object],
    };
    return presetOf(object, plain) ?? plain;
  },
  existing: byName('RoleTemplate'),
};

function presetOf({ manifest }: FoundObject, plain: Draft): Draft | undefined {
  const { context: _, displayName, description, rules, ...others } = plain.props;
  const given = rules as readonly DraftProps[] | undefined ?? [];
  if (manifest.context !== 'project' || Object.values(others).some((value) => value !== undefined)) { return undefined; }
  for (const [preset, method] of FACTORIES) {
    const own = rulesProp(vmPresetRules(preset))!;
    const { what } = VM_PRESETS[preset];
    if (description !== `${what[0].toUpperCase()}${what.slice(1)}` || !sameValue(given.slice(0, own.length), own)) { continue; }
    const more = given.slice(own.length);
    const uiActions = preset === 'operator' && sameValue(more[0], rulesProp([VM_UI_ACTIONS])![0]);
    const rest = uiActions ? more.slice(1) : more;
    return { ...plain, method, props: { displayName, uiActions: uiActions || undefined, rules: rest.length > 0 ? rest : undefined } };
  }
  return undefined;
}

/** From a GlobalRole to the construct. */
export const GLOBAL_ROLE_INVERSE: Inverse = {
  kinds: [GLOBAL_ROLE],
  drafts: (object, around) => {
    const { manifest } = object;
    const { name } = manifest.metadata;
    const inherited = namesAt(manifest, 'inheritedClusterRoles');
    const props = {
      displayName: displayNameProp(manifest),
      description: textAt(manifest, 'description'),
      rules: rulesProp(manifest.rules),
      namespacedRules: byNamespace(manifest.namespacedRules),
      inheritedNamespacedRules: byNamespace(manifest.inheritedNamespacedRules),
      inheritedClusterRoles: inherited.length > 0 ? inherited.map((role) => clusterRole(role, object, around)) : undefined,
      fleetWorkspacePermissions: fleetPermissions(manifest),
      newUserDefault: unless(booleanAt(manifest, 'newUserDefault'), false),
    };
    return { type: 'GlobalRole', id: name, props, declares: [object] };
  },
  existing: byName('GlobalRole'),
};

function byNamespace(rules: unknown): DraftProps | undefined {
  const entries = Object.entries(isRecord(rules) ? rules : {});
  return entries.length > 0 ? Object.fromEntries(entries.map(([namespace, list]) => [namespace, rulesProp(list) ?? []])) : undefined;
}

function fleetPermissions({ inheritedFleetWorkspacePermissions: fleet }: Manifest): DraftProps | undefined {
  return isRecord(fleet) ? { rules: rulesProp(fleet.resourceRules), workspaceVerbs: fleet.workspaceVerbs as string[] } : undefined;
}
