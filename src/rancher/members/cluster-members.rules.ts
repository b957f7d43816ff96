import { LABEL_GLOBAL_BINDING_OWNER, SUBJECT_FIELDS } from './binding.kind';
import { immutableBinding, memberRules, textOf, twinOf } from './members.rules';
import { isLate } from '../../core/late/late-token';
import { Manifest, objectLabel } from '../../core/manifest/manifest';
import { labelsOf } from '../../core/manifest/metadata';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { GateId } from '../../core/version/gate-id';
import { unknownCluster } from '../project/known-projects.rules';
import { rancherHas } from '../version/rancher-gates';

const KINDS = ['management.cattle.io/ClusterRoleTemplateBinding'];
const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/clusterroletemplatebinding/validator.go';
/** Bindings that Rancher makes itself begin with it. */
const CREATOR_PREFIX = 'creator-';

const MEMBERS = memberRules({
  family: 'cluster-binding',
  kind: 'ClusterRoleTemplateBinding',
  fields: SUBJECT_FIELDS,
  members: 'one user or one group',
  says: 'binding must target either a user [userName]/[userPrincipalName] OR a group [groupName]/[groupPrincipalName]',
  validator: VALIDATOR,
  checkedBy: 'validateCreateFields',
  controller: 'rancher/rancher:pkg/controllers/management/auth/crtb_handler.go reconcileSubject',
  role: {
    field: 'roleTemplateName',
    context: 'cluster',
    what: 'the role of a binding exists, is for clusters and is not locked',
    example: 'cluster-member',
    notOf: (manifest) => LABEL_GLOBAL_BINDING_OWNER in labelsOf(manifest),
  },
});

const CLUSTER: Rule = {
  id: 'cluster-binding/cluster',
  level: 'error',
  kinds: KINDS,
  what: 'the namespace and clusterName of a binding are the management cluster ID',
  says: 'clusterName and namespace must be the same value',
  source: `${VALIDATOR} validateCreateFields`,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const { namespace } = manifest.metadata;
    const cluster = textOf(manifest, 'clusterName');
    if (cluster === undefined) {
      yield {
        path: 'clusterName',
        message: 'must be set',
        fix: 'set it to the management cluster ID, which is the namespace, too',
        says: 'clusterroletemplatebinding.clusterName: Required value',
      };
    } else if (namespace !== undefined && namespace !== cluster && !isLate(cluster) && !isLate(namespace)) {
      yield { path: 'clusterName', value: cluster, message: `must be the namespace, ${namespace}`, fix: 'use the same ID for both' };
    }
  },
};

const UNKNOWN_CLUSTER: Rule = {
  id: 'cluster-binding/unknown-cluster',
  level: 'error',
  kinds: KINDS,
  what: 'the cluster of a binding exists',
  says: 'specified cluster not found',
  source: `${VALIDATOR} validateCreateFields`,
  judge: (object: JudgedObject, world: World): Iterable<Problem> => unknownCluster(object, world, 'clusterName', textOf(object.manifest, 'clusterName')),
};

const DUPLICATE: Rule = {
  id: 'cluster-binding/duplicate',
  level: 'error',
  kinds: KINDS,
  what: 'a member has a role in a cluster by one binding; with two, the permission remains if one is deleted',
  source: 'rancher/webhook 0.10 validateDuplicates',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const twin = twinOf(object, world, placeAndRole);
    if (!twin) { return; }
    yield {
      path: '',
      message: `cannot repeat ${objectLabel(twin)}: both have the same member and role in the same cluster`,
      fix: 'remove one of them',
      ...(rancherHas(object.target, GateId.DUPLICATE_CLUSTER_BINDING_REFUSED) === false ? {} : { says: 'duplicate crtb not allowed' }),
    };
  },
};

function placeAndRole(manifest: Manifest): string | undefined {
  // Rancher creates such a binding from a GlobalRoleBinding, in addition to any of the program
  if (LABEL_GLOBAL_BINDING_OWNER in labelsOf(manifest)) { return undefined; }
  const [cluster, role] = [textOf(manifest, 'clusterName'), textOf(manifest, 'roleTemplateName')];
  return cluster === undefined || role === undefined || isLate(cluster) || isLate(role) ? undefined : `${cluster} ${role}`;
}

const RESERVED: Rule = {
  id: 'cluster-binding/reserved-name',
  level: 'warning',
  kinds: KINDS,
  what: `names that begin with ${CREATOR_PREFIX} are those of the bindings that Rancher makes for creators`,
  source: 'rancher/rancher:pkg/controllers/management/auth/project_cluster',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { name } = object.manifest.metadata;
    if (name.startsWith(CREATOR_PREFIX) && !world.exists(object)) {
      yield { path: 'metadata.name', value: name, message: 'cannot be a name that Rancher uses itself', fix: 'choose another name' };
    }
  },
};

/** Rules for the members of clusters. */
export const CLUSTER_BINDING_RULES: readonly Rule[] = [
  MEMBERS.subject, MEMBERS.principal, MEMBERS.localUser, CLUSTER, UNKNOWN_CLUSTER, MEMBERS.role, DUPLICATE, RESERVED, immutableBinding('cluster-binding', SUBJECT_FIELDS),
];
