import { AccountRole } from './service-account-kubeconfig';
import { TargetKind } from '../../core/construct/target';
import {
  Draft,
  DraftCall,
  FoundObject,
  call,
  Inverse,
  Surroundings,
  listAt,
  referOn,
  textAt,
  unless,
} from '../../core/draft/draft';
import { ANNOTATION_SERVICE_ACCOUNT } from '../../core/kind/references';
import { annotationsOf, sameValue, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { safeConcatName } from '../../core/text/plain-text';
import { TYPE_SERVICE_ACCOUNT_TOKEN } from '../../guest/cloud-provider/cloud-provider.kind';
import { POLICY_RULES } from '../../rancher/role/role-template';

/**
 * From a ServiceAccount on a Harvester with a token in a Secret to the construct, with the roles
 * that have the names of constructs.
 */
export const SERVICE_ACCOUNT_KUBECONFIG_INVERSE: Inverse = {
  kinds: ['/ServiceAccount'],
  on: TargetKind.HARVESTER,
  drafts: (object, around) => {
    const { target } = object;
    const { name, namespace = 'default' } = object.manifest.metadata;
    const byDefault = safeConcatName(name, 'token');
    const tokens = around
      .objects(target, '/Secret')
      .filter(
        ({ manifest }) =>
          manifest.type === TYPE_SERVICE_ACCOUNT_TOKEN &&
          manifest.metadata.namespace === namespace &&
          annotationsOf(manifest)[ANNOTATION_SERVICE_ACCOUNT] === name,
      );
    const token = tokens.find(({ manifest }) => manifest.metadata.name === byDefault) ?? tokens[0];
    if (token === undefined) {
      return [];
    }
    const granted = around
      .objects(target, `${GROUPS.RBAC}/RoleBinding`)
      .flatMap((binding) => grantIn(binding, { name, namespace }, around));
    const roles = granted.filter(({ place }) => place === namespace).map(({ role }) => role);
    const draft: Draft = {
      type: 'ServiceAccountKubeconfig',
      id: name,
      props: {
        namespace: referOn(target, '/Namespace', namespace),
        roles: roles.length > 0 ? roles : undefined,
        tokenSecretName: unless(token.manifest.metadata.name, byDefault),
      },
      calls: granted
        .filter(({ place }) => place !== namespace)
        .map(({ role, place }): DraftCall => ({
          method: 'grant',
          args: [role, referOn(target, '/Namespace', place)],
        })),
      declares: [...new Set([object, token, ...granted.flatMap(({ objects }) => objects)])],
    };
    return accountDrafts(draft, object, around);
  },
};

/**
 * A draft of an account whose objects have the labels and annotations of its ServiceAccount, and
 * one of an account whose other objects have none.
 */
export function accountDrafts(
  draft: Draft,
  account: FoundObject,
  around: Surroundings,
): readonly Draft[] {
  const { labels, annotations } = around.cleaned(account).metadata;
  return [
    { ...draft, props: { ...draft.props, labels, annotations } },
    { ...draft, sharesMetadata: true },
  ];
}

/** The roles of AccountRole without arguments, by their methods. */
const PRESETS = {
  vmViewer: AccountRole.vmViewer(),
  vmOperator: AccountRole.vmOperator(),
  vmCreator: AccountRole.vmCreator(),
  imageUser: AccountRole.imageUser(),
  nodeDriver: AccountRole.nodeDriver(),
};

/**
 * What a binding grants to an account under the name that constructs give to it; nothing for other
 * bindings.
 */
function grantIn(
  binding: FoundObject,
  account: { readonly name: string; readonly namespace: string },
  around: Surroundings,
) {
  const { target, manifest } = binding;
  const { name, namespace: place = 'default' } = manifest.metadata;
  const isAlone = sameValue(listAt(manifest, 'subjects'), [{ kind: 'ServiceAccount', ...account }]);
  const roleName = textAt(manifest, 'roleRef', 'name');
  if (!isAlone || roleName === undefined) {
    return [];
  }
  const nameOf = (role: string): string => {
    const own = safeConcatName(account.name, role);
    return place === account.namespace ? own : safeConcatName(account.namespace, own);
  };
  if (textAt(manifest, 'roleRef', 'kind') === 'ClusterRole') {
    return name === nameOf(roleName)
      ? [{ role: call('AccountRole', 'clusterRole', roleName), place, objects: [binding] }]
      : [];
  }
  const find = (kind: string, each: string, namespace?: string): FoundObject | undefined =>
    around.objects(target, `${GROUPS.RBAC}/${kind}`).find((object) => {
      const { metadata } = object.manifest;
      return metadata.name === each && metadata.namespace === namespace;
    });
  const role = find('Role', roleName, place);
  if (role === undefined || roleName !== name) {
    return [];
  }
  const objects = [binding, role];
  const rules = valueAt(role.manifest, 'rules');
  for (const [method, accountRole] of Object.entries(PRESETS)) {
    const { name: preset, rules: own, everywhere = [] } = accountRole._parts;
    if (name !== nameOf(preset) || !sameValue(rules, own)) {
      continue;
    }
    const wide = safeConcatName(account.namespace, safeConcatName(account.name, preset));
    const others =
      everywhere.length === 0 ? [] : [find('ClusterRole', wide), find('ClusterRoleBinding', wide)];
    if (others.every((each) => each !== undefined)) {
      return [{ role: call('AccountRole', method), place, objects: [...objects, ...others] }];
    }
  }
  const prefix = `${place === account.namespace ? '' : `${account.namespace}-`}${account.name}-`;
  const props = POLICY_RULES.read(rules, { object: role, asWritten: false });
  return name.startsWith(prefix) && props
    ? [{ role: call('AccountRole', 'ofRules', name.slice(prefix.length), props), place, objects }]
    : [];
}
