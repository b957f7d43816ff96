import { AuthProvider, bindingName } from './principal';
import { parsePrincipal } from './principal.check';
import {
  Expression,
  FoundObject,
  MethodCall,
  Property,
  StaticCall,
  call,
  member,
  Inverse,
  Surroundings,
  idOfName,
  nameOf,
  optional,
  textAt,
  referOn,
} from '../../core/draft/draft';
import { Manifest, annotationsOf, isFromServer } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { referToCluster } from '../../guest/provisioning-cluster.adopt';
import {
  ANNOTATION_PRINCIPAL_DISPLAY_NAME,
  BINDING_PREFIX,
  LOCAL_SCHEME,
  localPrincipal,
} from '../binding/binding.kind';
import { clusterRole, projectRole, globalPermission } from '../role/role.adopt';
import { ClusterMemberRole, ProjectMemberRole } from '../role/roles';

const CLUSTER_BINDING = `${GROUPS.MANAGEMENT}/ClusterRoleTemplateBinding`;
/** The kind of the members of projects. */
export const PROJECT_BINDING = `${GROUPS.MANAGEMENT}/ProjectRoleTemplateBinding`;

/**
 * From the ClusterRoleTemplateBindings of a cluster to its members: all with the same labels and
 * annotations at once.
 */
export const CLUSTER_MEMBERS_INVERSE: Inverse = {
  kinds: [CLUSTER_BINDING],
  drafts: (object, around) => {
    const cluster = textAt(object.manifest, 'clusterName');
    if (cluster === undefined || !memberOf('cluster', object, cluster, around)) {
      return [];
    }
    const same = around
      .objects(object.target, CLUSTER_BINDING)
      .filter(({ manifest }) => manifest.clusterName === cluster);
    const all = unique(
      same
        .filter((each) => sameMetadata(each, object, around))
        .filter((each) => memberOf('cluster', each, cluster, around)),
    );
    return [...(all.length > 1 && all[0] === object ? [all] : []), [object]].map((bindings) => ({
      type: 'ClusterMembers',
      id: `${nameOfCluster(object.target, cluster, around)}-members`,
      isNamedById: false,
      props: {
        cluster: referToCluster(object.target, cluster),
        members: bindings.map((each) => memberOf('cluster', each, cluster, around)!),
      },
      declares: bindings,
      patchable: bindingParts(bindings),
    }));
  },
};

/**
 * The bindings of a project that its construct can write: those in one namespace, without those that
 * repeat another one.
 *
 * @param backing the namespace of the bindings. @default - that of most of them
 */
export function projectBindings(
  target: string,
  projectId: string,
  around: Surroundings,
  backing?: string,
): readonly FoundObject[] {
  const all = around
    .objects(target, PROJECT_BINDING)
    .filter(
      (each) =>
        each.manifest.projectName === projectId &&
        memberOf('project', each, projectId, around) !== undefined,
    );
  const namespace = backing ?? mostFrequent(all.map(namespaceIn));
  return unique(all.filter((each) => namespaceIn(each) === namespace));
}

function namespaceIn({ manifest }: FoundObject): string {
  return manifest.metadata.namespace ?? '';
}

/** The text that a list has most often, the first one of several; undefined for an empty list. */
function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) {
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const [[most] = []] = [...counts].sort(([, a], [, b]) => b - a);
  return most;
}

/**
 * Why a binding of a project is none of its members in the program: another one is, or the others
 * are in another namespace; undefined where another reason is known.
 */
export function notMember(object: FoundObject, around: Surroundings): string | undefined {
  const { target, manifest } = object;
  const others = around
    .cluster(target)
    .objects.filter(
      (each) =>
        each !== object &&
        each.manifest.kind === manifest.kind &&
        each.manifest.projectName === manifest.projectName,
    );
  const twin = others.find((each) => memberKey(each) === memberKey(object));
  if (twin !== undefined) {
    return `gives the same role to the same member as ${twin.manifest.metadata.name}`;
  }
  const elsewhere = others.find((each) => namespaceIn(each) !== namespaceIn(object));
  return elsewhere === undefined
    ? undefined
    : `is in namespace ${namespaceIn(object)}, and other members of its project are in ${namespaceIn(elsewhere)}, where the program writes them`;
}

function memberKey({ manifest }: FoundObject): string {
  return JSON.stringify([manifest.roleTemplateName, subjectIn(manifest)]);
}

/** How a program reaches the bindings of a construct, whose IDs below it are their names. */
export function bindingParts(
  bindings: readonly FoundObject[],
): ReadonlyMap<string, (self: Expression) => Expression> {
  return new Map(
    bindings.map((binding) => [
      idOfName(nameOf(binding)),
      (self) =>
        call(
          'ApiObject',
          'of',
          new MethodCall(new Property(self, 'node'), 'findChild', [binding.manifest.metadata.name]),
        ),
    ]),
  );
}

const KINDS = {
  cluster: {
    type: 'ClusterMember',
    role: clusterRole,
    factories: {
      owner: ClusterMemberRole.OWNER.roleTemplateName,
      member: ClusterMemberRole.MEMBER.roleTemplateName,
    },
  },
  project: {
    type: 'ProjectMember',
    role: projectRole,
    factories: {
      owner: ProjectMemberRole.OWNER.roleTemplateName,
      member: ProjectMemberRole.MEMBER.roleTemplateName,
      readOnly: ProjectMemberRole.READ_ONLY.roleTemplateName,
    },
  },
};

/** The member that a binding makes; undefined for a binding that constructs do not write. */
export function memberOf(
  kind: 'cluster' | 'project',
  object: FoundObject,
  place: string,
  around: Surroundings,
): StaticCall | undefined {
  const { type, role: roleOf, factories } = KINDS[kind];
  const { manifest } = object;
  const role = textAt(manifest, 'roleTemplateName');
  const subject = subjectIn(manifest);
  if (role === undefined || !subject) {
    return undefined;
  }
  const principal = principalOf(object, subject, around);
  const options = hasDerivedName(manifest, BINDING_PREFIX[kind], subject, role, place)
    ? []
    : [{ bindingName: manifest.metadata.name }];
  const [method] = Object.entries(factories).find(([, name]) => name === role) ?? [];
  return method === undefined
    ? call(type, 'of', principal, roleOf(role, object, around), ...options)
    : call(type, method, principal, ...options);
}

/**
 * Whether users gave two objects the same labels and annotations: a construct gives its own to all
 * of its objects.
 */
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
  const own = (map: object): unknown =>
    Object.entries(map)
      .filter(([key]) => !RANCHER_KEY.test(key))
      .sort();
  return JSON.stringify([own(labels), own(annotations)]);
}

/** Labels and annotations of Rancher itself, which differ between kinds. */
const RANCHER_KEY = new RegExp(
  `^(${ANNOTATION_PRINCIPAL_DISPLAY_NAME}|(auth|authz)\\.management\\.cattle\\.io/.*|field\\.cattle\\.io/.*)$`,
);

function unique(bindings: readonly FoundObject[]): readonly FoundObject[] {
  const keys = bindings.map(memberKey);
  return bindings.filter((_, index) => keys.indexOf(keys[index]) === index);
}

function nameOfCluster(target: string, clusterId: string, around: Surroundings): string {
  const cluster = around.find({
    target,
    group: GROUPS.MANAGEMENT,
    kind: 'Cluster',
    name: clusterId,
  });
  return (
    around.targetOf(clusterId) ??
    (cluster && textAt(cluster.manifest, 'spec', 'displayName')) ??
    clusterId
  );
}

/** The kind of a binding of a global role. */
export const GLOBAL_ROLE_BINDING = `${GROUPS.MANAGEMENT}/GlobalRoleBinding`;

/** From a GlobalRoleBinding that is not one of a User of the program to the construct. */
export const GLOBAL_ROLE_BINDING_INVERSE: Inverse = {
  kinds: [GLOBAL_ROLE_BINDING],
  drafts: (object, around) => {
    const { manifest } = object;
    const role = textAt(manifest, 'globalRoleName');
    const subject = subjectIn(manifest);
    if (role === undefined || !subject) {
      return [];
    }
    const props = {
      permission: globalPermission(role, object, around),
      principal: principalOf(object, subject, around),
      name: derivedRole(manifest) === undefined ? manifest.metadata.name : undefined,
    };
    return {
      type: 'GlobalRoleBinding',
      id: `${subjectName(subject.principalId)}-${role}`,
      isNamedById: false,
      props,
      declares: [object],
    };
  },
};

/**
 * The global role of a binding under the name that constructs derive for it; undefined for other
 * bindings.
 */
export function derivedRole(manifest: Manifest): string | undefined {
  const role = textAt(manifest, 'globalRoleName');
  const subject = subjectIn(manifest);
  return role !== undefined &&
    subject &&
    hasDerivedName(manifest, BINDING_PREFIX.global, subject, role)
    ? role
    : undefined;
}

const { MANAGEMENT: group } = GROUPS;

/** The kind of a user of Rancher. */
export const USER = `${group}/User`;

/** The subject of a binding: a principal ID, and what it is. */
export interface FoundSubject {
  readonly kind: 'user' | 'group';
  readonly principalId: string;
  /** Whether it is the name of a group. */
  readonly isName?: true;
}

/** The subject of a binding; undefined for one that constructs do not write. */
export function subjectIn(manifest: Manifest): FoundSubject | undefined {
  const userName = textAt(manifest, 'userName');
  const user =
    textAt(manifest, 'userPrincipalName') ??
    (userName === undefined ? undefined : localPrincipal(userName));
  if (user !== undefined) {
    return { kind: 'user', principalId: user };
  }
  const principalId = textAt(manifest, 'groupPrincipalName');
  if (principalId !== undefined) {
    return { kind: 'group', principalId };
  }
  const groupName = textAt(manifest, 'groupName');
  return groupName === undefined
    ? undefined
    : { kind: 'group', principalId: groupName, isName: true };
}

/** The principal of a binding as a program writes it. */
export function principalOf(
  object: FoundObject,
  { kind, principalId, isName }: FoundSubject,
  around: Surroundings,
): StaticCall {
  if (isName) {
    return call('Principal', 'groupName', principalId);
  }
  const displayName = annotationsOf(object.manifest)[ANNOTATION_PRINCIPAL_DISPLAY_NAME];
  const options = optional({
    displayName: typeof displayName === 'string' ? displayName : undefined,
    userName: userNameIn(object.manifest),
  });
  const { scheme = '', id = '', provider } = parsePrincipal(principalId) ?? {};
  if (
    scheme === LOCAL_SCHEME &&
    kind === 'user' &&
    options.length === 0 &&
    around.find({ target: object.target, group, kind: 'User', name: id })
  ) {
    return call('Principal', 'localUser', referOn(object.target, USER, id));
  }
  const [name] = Object.entries(AuthProvider).find(([, value]) => value === provider?.id) ?? [];
  if (name !== undefined && scheme === `${provider!.id}_${kind}`) {
    return call('Principal', `${kind}Of`, member('AuthProvider', name), id, ...options);
  }
  const [, of] = GITHUB.find(([prefix]) => scheme === `${AuthProvider.GITHUB}_${prefix}`) ?? [];
  return of !== undefined && /^[1-9]\d{0,14}$/.test(id)
    ? call('Principal', of, Number(id), ...options)
    : call('Principal', kind, principalId, ...options);
}

/** The name of a User next to its principal in a file: Rancher adds it to that User. */
function userNameIn(manifest: Manifest): string | undefined {
  return isFromServer(manifest) || textAt(manifest, 'userPrincipalName') === undefined
    ? undefined
    : textAt(manifest, 'userName');
}

const GITHUB: readonly (readonly [scope: string, method: string])[] = [
  ['org', 'githubOrganization'],
  ['team', 'githubTeam'],
];

/** Whether a binding has the name that constructs derive for its subject and role. */
export function hasDerivedName(
  { metadata }: Manifest,
  prefix: string,
  { principalId }: FoundSubject,
  role: string,
  place?: string,
): boolean {
  return metadata.name === bindingName(prefix, principalId, role, place);
}

/**
 * The name in the ID of a principal: that of a distinguished name is its first part, `cn=All
 * Users,ou=…`.
 */
function subjectName(principalId: string): string {
  const [, first] = /:\/\/[a-z]+=([^,]+),/i.exec(principalId) ?? [];
  return first === undefined
    ? principalId.replace(/^.*[:/=]/, '')
    : first.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}
