import { GLOBAL_ROLE, clusterRole, namesAt, rulesProp } from './role.adopt';
import { DraftProps } from '../../core/draft/draft';
import { Inverse, booleanAt, textAt, unless, byName } from '../../core/draft/inverse';
import { Manifest, isRecord } from '../../core/manifest/manifest';

/** From a GlobalRole to the construct. */
export const GLOBAL_ROLE_INVERSE: Inverse = {
  kinds: [GLOBAL_ROLE],
  drafts: (object, around) => {
    const { manifest } = object;
    const { name } = manifest.metadata;
    const inherited = namesAt(manifest, 'inheritedClusterRoles');
    const props = {
      displayName: unless(textAt(manifest, 'displayName'), name),
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
