import { ANNOTATION_PRINCIPAL_DISPLAY_NAME, BINDING_PREFIX } from './binding.kind';
import { hasDerivedName, principalOf, subjectIn } from './principal.adopt';
import { FoundObject, StaticCall, call } from '../../core/draft/draft';
import { Inverse, Surroundings, textAt } from '../../core/draft/inverse';
import { GROUPS } from '../../core/manifest/names';
import { referToCluster } from '../cluster/cluster.adopt';
import { clusterRole, projectRole } from '../role/role.adopt';
import { ClusterRole, ProjectRole } from '../role/roles';

const CLUSTER_BINDING = `${GROUPS.MANAGEMENT}/ClusterRoleTemplateBinding`;
/** The kind of the members of projects. */
export const PROJECT_BINDING = `${GROUPS.MANAGEMENT}/ProjectRoleTemplateBinding`;

/** From the ClusterRoleTemplateBindings of a cluster to its members: all with the same labels and annotations at once. */
export const CLUSTER_MEMBERS_INVERSE: Inverse = {
  kinds: [CLUSTER_BINDING],
  drafts: (object, around) => {
    const cluster = textAt(object.manifest, 'clusterName');
    if (cluster === undefined || !memberOf('cluster', object, cluster, around)) { return []; }
    const same = around.objects(object.target, CLUSTER_BINDING).filter(({ manifest }) => manifest.clusterName === cluster);
    const all = unique(same.filter((each) => sameMetadata(each, object, around)).filter((each) => memberOf('cluster', each, cluster, around)));
    return [...(all.length > 1 && all[0] === object ? [all] : []), [object]].map((bindings) => ({
      type: 'ClusterMembers',
      id: `${nameOfCluster(object.target, cluster, around)}-members`,
      isNamedById: false,
      props: { cluster: referToCluster(object.target, cluster), members: bindings.map((each) => memberOf('cluster', each, cluster, around)!) },
      declares: bindings,
    }));
  },
};

/** The bindings of a project that its construct can write, without those that repeat another one. */
export function projectBindings(target: string, projectId: string, around: Surroundings): readonly FoundObject[] {
  return unique(around.objects(target, PROJECT_BINDING).filter((each) => (
    each.manifest.projectName === projectId && memberOf('project', each, projectId, around) !== undefined)));
}

const KINDS = {
  cluster: {
    type: 'ClusterMember', role: clusterRole, factories: { owner: ClusterRole.OWNER.roleTemplateName, member: ClusterRole.MEMBER.roleTemplateName },
  },
  project: {
    type: 'ProjectMember',
    role: projectRole,
    factories: {
      owner: ProjectRole.OWNER.roleTemplateName, member: ProjectRole.MEMBER.roleTemplateName, readOnly: ProjectRole.READ_ONLY.roleTemplateName,
    },
  },
};

/** The member that a binding makes; undefined for a binding that constructs do not write. */
export function memberOf(kind: 'cluster' | 'project', object: FoundObject, place: string, around: Surroundings): StaticCall | undefined {
  const { type, role: roleOf, factories } = KINDS[kind];
  const { manifest } = object;
  const role = textAt(manifest, 'roleTemplateName');
  const subject = subjectIn(manifest);
  if (role === undefined || !subject) { return undefined; }
  const principal = principalOf(object, subject, around);
  const options = hasDerivedName(manifest, BINDING_PREFIX[kind], subject, role, place) ? [] : [{ bindingName: manifest.metadata.name }];
  const [method] = Object.entries(factories).find(([, name]) => name === role) ?? [];
  return method === undefined ? call(type, 'custom', roleOf(role, object, around), principal, ...options) : call(type, method, principal, ...options);
}

/** Whether users gave two objects the same labels and annotations: a construct gives its own to all of its objects. */
export function sameMetadata(one: FoundObject, other: FoundObject, around: Surroundings): boolean {
  return metadataOf(one, around) === metadataOf(other, around);
}

/** Whether users gave an object labels or annotations. */
export function hasOwnMetadata(object: FoundObject, around: Surroundings): boolean {
  return metadataOf(object, around) !== NO_METADATA;
}

/** What `metadataOf` is without labels and annotations of users. */
const NO_METADATA = JSON.stringify([[], []]);

function metadataOf(object: FoundObject, around: Surroundings): string {
  const { labels = {}, annotations = {} } = around.cleaned(object).metadata;
  const own = (map: object): unknown => Object.entries(map).filter(([key]) => !RANCHER_KEY.test(key)).sort();
  return JSON.stringify([own(labels), own(annotations)]);
}

/** Labels and annotations of Rancher itself, which differ between kinds. */
const RANCHER_KEY = new RegExp(`^(${ANNOTATION_PRINCIPAL_DISPLAY_NAME}|(auth|authz)\\.management\\.cattle\\.io/.*|field\\.cattle\\.io/.*)$`);

function unique(bindings: readonly FoundObject[]): readonly FoundObject[] {
  const keys = bindings.map(({ manifest }) => JSON.stringify([manifest.roleTemplateName, subjectIn(manifest)]));
  return bindings.filter((_, index) => keys.indexOf(keys[index]) === index);
}

function nameOfCluster(target: string, clusterId: string, around: Surroundings): string {
  const cluster = around.find({ target, group: GROUPS.MANAGEMENT, kind: 'Cluster', name: clusterId });
  return around.targetOf(clusterId) ?? (cluster && textAt(cluster.manifest, 'spec', 'displayName')) ?? clusterId;
}
