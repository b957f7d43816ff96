import {
  ANNOTATION_CONTAINER_LIMIT,
  HARVESTER_SYSTEM_NAMESPACES,
  LABEL_DEFAULT_PROJECT,
  LABEL_SYSTEM_PROJECT,
  backingNamespaceOf,
  projectIdOf,
} from './project.kind';
import {
  FoundNamespace,
  containerProp,
  namespaceProps,
  namespacesOf,
  quotaProp,
} from './tenant-namespace.adopt';
import { TargetKind } from '../../core/construct/target';
import {
  Draft,
  DraftCall,
  DraftProps,
  Expression,
  FoundObject,
  MethodCall,
  ObjectName,
  TargetReference,
  Inverse,
  Reference,
  Surroundings,
  idOfName,
  nameOf,
  textAt,
  unless,
} from '../../core/draft/draft';
import {
  Manifest,
  annotationsOf,
  isFromServer,
  labelsOf,
  sameValue,
  valueAt,
} from '../../core/manifest/manifest';
import {
  ANNOTATION_PROJECT_ID,
  GROUPS,
  RFC1123_LABEL,
  SYSTEM_NAMESPACES,
} from '../../core/manifest/names';
import { filledFields, filledList } from '../../core/text/values';
import { creatorRbacProp, isServed, referToCluster } from '../../guest/provisioning-cluster.adopt';
import {
  PROJECT_BINDING,
  bindingParts,
  hasOwnMetadata,
  memberOf,
  notMember,
  projectBindings,
  sameMetadata,
} from '../members/members.adopt';
import { QuotaLimit, VM_COUNT, quotaLimitOf } from '../quota/quota.check';
import { RancherGate } from '../version/rancher-version';

/** From a Project with its bindings and its namespaces to the construct. */
export const TENANT_PROJECT_INVERSE: Inverse = {
  kinds: [`${GROUPS.MANAGEMENT}/Project`],
  drafts: (object, around) => {
    const { target, manifest } = object;
    const clusterId = textAt(manifest, 'spec', 'clusterName') ?? manifest.metadata.namespace ?? '';
    const projectId = projectIdOf(clusterId, manifest.metadata.name);
    const backing = textAt(manifest, 'status', 'backingNamespace');
    const bindings = projectBindings(target, projectId, around, backing);
    const alike = bindings.filter((each) => sameMetadata(each, object, around));
    const namespaces = tenantNamespaces(clusterId, projectId, around);
    const make = (
      members: readonly FoundObject[],
      own: readonly FoundNamespace[],
      sharesMetadata: boolean,
    ): Draft =>
      projectDraft(object, { clusterId, members, namespaces: own, sharesMetadata }, around);
    const plain = bindings.filter((each) =>
      bindings.every((other) => sameMetadata(each, other, around)),
    );
    // labels of single bindings are added to these
    const all = make(bindings, namespaces, true);
    return [
      ...(alike.length === bindings.length
        ? [make(alike, namespaces, false)]
        : [all, make(plain, namespaces, true), make(alike, namespaces, false)]),
      make([], namespaces, true),
      make(plain, [], true),
      make(alike, [], false),
      make([], [], true),
    ];
  },
  existing: (name, around) => projectReference(name, [], around),
};

/**
 * From members and namespaces of a project that the program does not declare, such as Default, to a
 * reference to it with a call for each: all of the project at once, otherwise one by one.
 */
export const EXISTING_PROJECT_INVERSE: Inverse = {
  kinds: [PROJECT_BINDING, '/Namespace'],
  drafts: (object, around) => {
    const { manifest } = object;
    const isMember = manifest.kind !== 'Namespace';
    const projectId = isMember
      ? (manifest.projectName as unknown)
      : annotationsOf(manifest)[ANNOTATION_PROJECT_ID];
    const rancher = around.clusters.find(({ kind }) => kind === TargetKind.RANCHER)?.name;
    const [clusterId, name] = typeof projectId === 'string' ? projectId.split(':') : [];
    if (rancher === undefined || clusterId === undefined || name === undefined) {
      return [];
    }
    const project = {
      target: rancher,
      group: GROUPS.MANAGEMENT,
      kind: 'Project',
      namespace: clusterId,
      name,
    };
    if (around.isDeclared(project)) {
      return [];
    }
    const members = projectBindings(rancher, projectId as string, around).filter(
      (each) => !hasOwnMetadata(each, around),
    );
    const namespaces = tenantNamespaces(clusterId, projectId as string, around);
    const parts: readonly Members[] = [
      { members, namespaces },
      { members, namespaces: [] },
      { members: [], namespaces },
    ];
    const alone = {
      members: members.filter((each) => each === object),
      namespaces: namespaces.filter((each) => each.object === object),
    };
    // the others of a group that fails come one by one
    return [...parts, alone]
      .filter((each) => (each.members[0] ?? each.namespaces[0]?.object) === object)
      .map((each) => referenceDraft(project, each, around));
  },
  undeclared: (object, around) =>
    object.manifest.kind === 'Namespace' ? undefined : notMember(object, around),
};

/** A reference to a project that grants roles and adds namespaces. */
function referenceDraft(
  project: ObjectName,
  { members, namespaces }: Members,
  around: Surroundings,
): Draft {
  const { target, namespace: clusterId = '', name } = project;
  const projectId = projectIdOf(clusterId, name);
  const found = around.find(project);
  const inside = {
    namespaceQuota: quotaLimitOf(
      valueAt(found?.manifest, 'spec', 'namespaceDefaultResourceQuota', 'limit'),
    ),
    containerDefaults: quotaLimitOf(
      valueAt(found?.manifest, 'spec', 'containerDefaultResourceLimit'),
    ),
  };
  const added = namespaces.map((each): DraftCall => {
    const { name: own, ...props } = namespaceProps(each, inside, around);
    const options = filledFields(props);
    return { method: 'addNamespace', args: [own, ...(options ? [options] : [])] };
  });
  const { id = name, ...reference } = projectReference(project, members, around);
  return {
    ...reference,
    id,
    isNamedById: false,
    scope: new TargetReference(target),
    calls: [
      ...members.map((each): DraftCall => ({
        method: 'grant',
        args: [memberOf('project', each, projectId, around)],
      })),
      ...added,
    ],
    declares: [
      ...members,
      ...namespaces.flatMap(({ object, vmQuota }) => [object, ...(vmQuota ? [vmQuota] : [])]),
    ],
    // a reference has none
    sharesMetadata: true,
    serverOwns: ownedInNamespaces(namespaces),
    provides: new Map([[idOfName(project), (self) => self], ...provided(namespaces)]),
  };
}

/** A project that the program does not declare. */
function projectReference(
  project: ObjectName,
  members: readonly FoundObject[],
  around: Surroundings,
): Reference {
  const { target, namespace = '', name } = project;
  const found = around.find(project);
  const place = found ?? members[0];
  return {
    type: 'TenantProject',
    method: (found && builtIn(found.manifest)) ?? 'fromName',
    id: (found && textAt(found.manifest, 'spec', 'displayName')) ?? name,
    props: {
      cluster: referToCluster(target, namespace),
      name,
      backingNamespace:
        place && backingProp(place, { clusterId: namespace, name }, members, around),
    },
  };
}

/**
 * The static method that refers to a project that Rancher creates; undefined for other projects.
 */
function builtIn(manifest: Manifest): 'defaultOf' | 'systemOf' | undefined {
  const labels = labelsOf(manifest);
  if (labels[LABEL_DEFAULT_PROJECT] === 'true') {
    return 'defaultOf';
  }
  return labels[LABEL_SYSTEM_PROJECT] === 'true' ? 'systemOf' : undefined;
}

/** Members and namespaces of a project. */
interface Members {
  readonly members: readonly FoundObject[];
  readonly namespaces: readonly FoundNamespace[];
}

/** The statement of a project with members and namespaces. */
export function projectDraft(
  object: FoundObject,
  {
    clusterId,
    members,
    namespaces,
    sharesMetadata,
  }: Members & Pick<Draft, 'sharesMetadata'> & { readonly clusterId: string },
  around: Surroundings,
): Draft {
  const { name } = object.manifest.metadata;
  const id = statementId(object.manifest);
  const props = projectProps(object, clusterId, { members, namespaces }, around);
  return {
    type: 'TenantProject',
    id,
    isNamedById: id === name,
    props: id === name ? props : { name, ...props },
    declares: [object, ...members, ...declaredObjects(namespaces)],
    sharesMetadata,
    serverOwns: ownedInNamespaces(namespaces),
    patchable: bindingParts(members),
    provides: new Map(provided(namespaces)),
  };
}

/** The name of a project, or for a name that Rancher generated, one like its display name. */
function statementId(manifest: Manifest): string {
  const { name } = manifest.metadata;
  if (!GENERATED.test(name)) {
    return name;
  }
  const slug = (textAt(manifest, 'spec', 'displayName') ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return RFC1123_LABEL.test(slug) ? slug : name;
}

function projectProps(
  object: FoundObject,
  clusterId: string,
  { members, namespaces }: Members,
  around: Surroundings,
): DraftProps {
  const { manifest, target } = object;
  const { name } = manifest.metadata;
  const { quota, namespaceQuota } = quotasOf(manifest, namespaces);
  const limits = valueAt(manifest, 'spec', 'containerDefaultResourceLimit');
  const projectId = projectIdOf(clusterId, name);
  const inside = {
    namespaceQuota: hasQuota(quota) && hasQuota(namespaceQuota) ? namespaceQuota : undefined,
    containerDefaults: quotaLimitOf(limits),
  };
  return {
    cluster: referToCluster(target, clusterId),
    displayName: unless(textAt(manifest, 'spec', 'displayName'), name),
    description: textAt(manifest, 'spec', 'description'),
    members: filledList(members.map((each) => memberOf('project', each, projectId, around)!)),
    tenantNamespaces: filledList(namespaces.map((each) => namespaceProps(each, inside, around))),
    quota: quotaProp(quota),
    namespaceQuota: sameValue(quota, namespaceQuota) ? undefined : quotaProp(namespaceQuota),
    containerDefaults: containerProp(limits),
    adopted: filledFields({
      backingNamespace: backingProp(object, { clusterId, name }, members, around),
      creatorRbac: creatorRbacProp(object, around),
    }),
  };
}

/** The quotas of a project and of each namespace, with the numbers of virtual machines. */
function quotasOf(
  manifest: Manifest,
  namespaces: readonly FoundNamespace[],
): { readonly quota: QuotaLimit; readonly namespaceQuota: QuotaLimit } {
  const counts = vmCounts(namespaces);
  const quota = valueAt(manifest, 'spec', 'resourceQuota', 'limit');
  const namespaceQuota = valueAt(manifest, 'spec', 'namespaceDefaultResourceQuota', 'limit');
  return {
    quota: { ...quotaLimitOf(quota), ...counts?.quota },
    namespaceQuota: { ...quotaLimitOf(namespaceQuota), ...counts?.each },
  };
}

/** What a project declares for its namespaces: their quotas where each has one. */
function declaredObjects(namespaces: readonly FoundNamespace[]): readonly FoundObject[] {
  const hasCounts = vmCounts(namespaces) !== undefined;
  return namespaces.flatMap(({ object, vmQuota }) =>
    vmQuota && hasCounts ? [object, vmQuota] : [object],
  );
}

/** Rancher writes the container defaults of a project into its live namespaces. */
function ownedInNamespaces(namespaces: readonly FoundNamespace[]): readonly string[] | undefined {
  return namespaces.some(({ object }) => isFromServer(object.manifest))
    ? [`metadata.annotations[${ANNOTATION_CONTAINER_LIMIT}]`]
    : undefined;
}

/** How a program refers to the namespaces of a project. */
export function provided(
  namespaces: readonly FoundNamespace[],
): [string, (self: Expression) => Expression][] {
  return namespaces.map(({ object }) => [
    idOfName(nameOf(object)),
    (self) => new MethodCall(self, 'declaredNamespace', [object.manifest.metadata.name]),
  ]);
}

/** The namespaces of a project without those of Harvester itself, which no program may declare. */
export function tenantNamespaces(
  clusterId: string,
  projectId: string,
  around: Surroundings,
): readonly FoundNamespace[] {
  const system = [...SYSTEM_NAMESPACES, ...HARVESTER_SYSTEM_NAMESPACES];
  return namespacesOf(clusterId, projectId, around).filter(
    ({ object }) => !system.includes(object.manifest.metadata.name),
  );
}

/** Names that Rancher gives to projects of its UI. */
const GENERATED = /^p-[a-z0-9]{5}$/;

function hasQuota(limit: QuotaLimit): boolean {
  return Object.keys(limit).length > 0;
}

/**
 * The numbers of virtual machines that only ResourceQuotas limit, where every namespace has one;
 * undefined otherwise.
 */
function vmCounts(
  namespaces: readonly FoundNamespace[],
): { readonly quota: QuotaLimit; readonly each: QuotaLimit } | undefined {
  const counts = namespaces.map(({ vmCount }) => vmCount);
  if (counts.length === 0 || counts.some((count) => count === undefined)) {
    return undefined;
  }
  const sum = counts.reduce<number>((total, count) => total + Number(count), 0);
  return { quota: { [VM_COUNT]: String(sum) }, each: { [VM_COUNT]: counts[0]! } };
}

/**
 * The namespace of the bindings of a project, where it is not the one that this version of Rancher
 * derives.
 *
 * @param object the project, or an object of it where the project was not read
 */
function backingProp(
  object: FoundObject,
  { clusterId, name }: { clusterId: string; name: string },
  members: readonly FoundObject[],
  around: Surroundings,
): string | undefined {
  const hasClusterId = isServed(RancherGate.PROJECT_BACKING_NAMESPACE, object, around);
  const backing =
    textAt(object.manifest, 'status', 'backingNamespace') ??
    members[0]?.manifest.metadata.namespace;
  return unless(backing, backingNamespaceOf(clusterId, name, hasClusterId));
}
