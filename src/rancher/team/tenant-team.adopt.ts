import { allowedCidrsOf, ISOLATION_POLICY } from './isolation.facts';
import { TargetKind } from '../../core/construct/target';
import {
  Draft,
  DraftCall,
  DraftProps,
  Expression,
  FoundObject,
  idOfName,
  Inverse,
  nameOf,
  Property,
  refer,
  Surroundings,
  textAt,
} from '../../core/draft/draft';
import { sameValue } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { filledFields, filledList } from '../../core/text/values';
import {
  memberOf,
  principalOf,
  projectBindings,
  sameMetadata,
  subjectIn,
} from '../members/members.adopt';
import { projectIdOf } from '../project/project.kind';
import { FoundNamespace } from '../project/tenant-namespace.adopt';
import { projectDraft, tenantNamespaces } from '../project/tenant-project.adopt';
import { ROLE_TEMPLATE } from '../role/role.kind';
import { ProjectMemberRole } from '../role/roles';

/** The prop of a team with those who have the built-in role of owners. */
const OWNERS = 'owners';

/** The roles that a team gives, by the prop with their members. */
const ROLES: { readonly [prop: string]: string } = {
  [OWNERS]: ProjectMemberRole.OWNER.roleTemplateName,
  creators: 'vm-creator',
  operators: 'vm-operator',
  viewers: 'vm-viewer',
};

/** The property of a team with its project. */
const PROJECT = 'project';

/** The props of a project that a team has, too. */
const SHARED = ['name', 'cluster', 'displayName', 'tenantNamespaces', 'quota', 'namespaceQuota'];

/**
 * From a Project with its bindings and its namespaces, each of which has the NetworkPolicy of a
 * team, to the construct. Its roles, networks, and account are statements of their own.
 */
export const TENANT_TEAM_INVERSE: Inverse = {
  kinds: [`${GROUPS.MANAGEMENT}/Project`],
  drafts: (object, around) => {
    const { target, manifest } = object;
    const clusterId = textAt(manifest, 'spec', 'clusterName') ?? manifest.metadata.namespace ?? '';
    const projectId = projectIdOf(clusterId, manifest.metadata.name);
    const harvester = around.targetOf(clusterId);
    const namespaces = tenantNamespaces(clusterId, projectId, around);
    const isolation =
      harvester !== undefined && around.cluster(harvester).kind === TargetKind.HARVESTER
        ? isolationOf(harvester, manifest.metadata.name, namespaces, around)
        : undefined;
    const backing = textAt(manifest, 'status', 'backingNamespace');
    const members = projectBindings(target, projectId, around, backing);
    if (!isolation || !members.every((each) => sameMetadata(each, object, around))) {
      return [];
    }
    const parts = { clusterId, members, namespaces, sharesMetadata: false };
    const project = projectDraft(object, parts, around);
    const { members: _, ...props } = project.props;
    return Object.entries(props).every(
      ([prop, value]) => value === undefined || SHARED.includes(prop),
    )
      ? teamDraft(object, { ...project, props }, members, isolation, around)
      : [];
  },
};

/** The NetworkPolicies of a team, and the networks that they all allow. */
interface Isolation {
  readonly policies: readonly FoundObject[];
  readonly cidrs: readonly string[];
}

/** Undefined where a namespace has none, or where they differ. */
function isolationOf(
  harvester: string,
  project: string,
  namespaces: readonly FoundNamespace[],
  around: Surroundings,
): Isolation | undefined {
  const names = namespaces.map(({ object }) => object.manifest.metadata.name);
  const policies = around
    .objects(harvester, 'networking.k8s.io/NetworkPolicy')
    .filter(
      ({ manifest }) =>
        manifest.metadata.name === ISOLATION_POLICY &&
        names.includes(manifest.metadata.namespace ?? ''),
    );
  const [cidrs, ...others] = policies.map(({ manifest }) => allowedCidrsOf(manifest, project));
  const isSame = others.every((each) => sameValue(each, cidrs));
  return names.length > 0 && policies.length === names.length && cidrs && isSame
    ? { policies, cidrs }
    : undefined;
}

function teamDraft(
  object: FoundObject,
  project: Draft,
  members: readonly FoundObject[],
  { policies, cidrs }: Isolation,
  around: Surroundings,
): Draft {
  const groups = new Map(
    Object.entries(ROLES).map(([prop, role]) => [
      prop,
      members.filter((each) => roleOf(each) === role && hasTeamName(each, project, around)),
    ]),
  );
  const grouped = new Set([...groups.values()].flat());
  const others = members.filter((each) => !grouped.has(each));
  const principals = [...groups].map(([prop, bindings]) => [
    prop,
    filledList(bindings.map((each) => principalOf(each, subjectIn(each.manifest)!, around))),
  ]);
  const { [OWNERS]: _, ...own } = ROLES;
  const roles = Object.entries(own).map(([prop, role]) => [
    prop,
    groups.get(prop)!.length > 0 ? refer(object, ROLE_TEMPLATE, role) : undefined,
  ]);
  return {
    ...project,
    type: 'TenantTeam',
    props: {
      ...project.props,
      ...(Object.fromEntries(principals) as DraftProps),
      roles: filledFields(Object.fromEntries(roles) as DraftProps),
      allowedCidrs: filledList(cidrs),
    },
    calls: others.map((each): DraftCall => ({
      property: PROJECT,
      method: 'grant',
      args: [memberIn(each, project, around)],
    })),
    declares: [...project.declares, ...policies],
    patchable: undefined,
    provides: new Map([
      [idOfName(nameOf(object)), (self: Expression) => new Property(self, PROJECT)],
      ...[...(project.provides ?? [])].map(
        ([id, reach]): [string, (self: Expression) => Expression] => [
          id,
          (self) => reach(new Property(self, PROJECT)),
        ],
      ),
    ]),
  };
}

function roleOf({ manifest }: FoundObject): string | undefined {
  return textAt(manifest, 'roleTemplateName');
}

/** A binding of a project as a member. */
function memberIn(binding: FoundObject, { declares: [project] }: Draft, around: Surroundings) {
  const { namespace = '', name } = project.manifest.metadata;
  const clusterId = textAt(project.manifest, 'spec', 'clusterName') ?? namespace;
  return memberOf('project', binding, projectIdOf(clusterId, name), around)!;
}

/** Whether a binding has the name that a team gives it, which no prop changes. */
function hasTeamName(binding: FoundObject, project: Draft, around: Surroundings): boolean {
  const { args } = memberIn(binding, project, around);
  return !args.some((arg) => typeof arg === 'object' && 'bindingName' in arg);
}
