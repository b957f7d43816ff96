import { HARVESTER_SYSTEM_NAMESPACES, LABEL_DEFAULT_PROJECT, LABEL_SYSTEM_PROJECT, backingNamespaceOf, projectIdOf } from './project.kind';
import { QuotaLimit, VM_COUNT, quotaLimitOf } from './quota.check';
import { FoundNamespace, containerProp, namespaceProps, namespacesOf, quotaProp } from './tenant-namespace.adopt';
import { Draft, DraftProps, FoundObject, MethodCall } from '../../core/draft/draft';
import { Inverse, Surroundings, idOfName, nameOf, textAt, unless } from '../../core/draft/inverse';
import { Manifest, labelsOf, sameValue, valueAt } from '../../core/manifest/manifest';
import { GROUPS, RFC1123_LABEL, SYSTEM_NAMESPACES } from '../../core/manifest/names';
import { creatorRbacProp, isServed, referToCluster } from '../cluster/cluster.adopt';
import { memberOf, projectBindings, sameMetadata } from '../members/members.adopt';
import { RancherGate } from '../version/rancher-version';

/** From a Project with its bindings and its namespaces to the construct. */
export const TENANT_PROJECT_INVERSE: Inverse = {
  kinds: [`${GROUPS.MANAGEMENT}/Project`],
  drafts: (object, around) => {
    const { target, manifest } = object;
    const clusterId = textAt(manifest, 'spec', 'clusterName') ?? manifest.metadata.namespace ?? '';
    const projectId = projectIdOf(clusterId, manifest.metadata.name);
    const bindings = projectBindings(target, projectId, around);
    const alike = bindings.filter((each) => sameMetadata(each, object, around));
    const namespaces = namespacesOf(clusterId, projectId, around).filter(({ object: { manifest: { metadata } } }) => (
      ![...SYSTEM_NAMESPACES, ...HARVESTER_SYSTEM_NAMESPACES].includes(metadata.name)));
    const make = (members: readonly FoundObject[], own: readonly FoundNamespace[], sharesMetadata: boolean): Draft => (
      projectDraft(object, { clusterId, members, namespaces: own, sharesMetadata }, around));
    const plain = bindings.filter((each) => bindings.every((other) => sameMetadata(each, other, around)));
    return [
      ...(alike.length === bindings.length ? [make(alike, namespaces, false)] : [make(plain, namespaces, true), make(alike, namespaces, false)]),
      make([], namespaces, true), make(alike, [], false), make([], [], true),
    ];
  },
  existing: ({ target, name, namespace = '' }, around) => {
    const found = around.find({ target, group: GROUPS.MANAGEMENT, kind: 'Project', name, namespace });
    const backingNamespace = found && backingProp(found, namespace, [], around);
    return {
      type: 'TenantProject',
      method: (found && builtIn(found.manifest)) ?? 'fromName',
      id: (found && textAt(found.manifest, 'spec', 'displayName')) ?? name,
      props: { cluster: referToCluster(target, namespace), name, backingNamespace },
    };
  },
};

/** The static method that refers to a project that Rancher creates; undefined for other projects. */
function builtIn(manifest: Manifest): 'defaultOf' | 'systemOf' | undefined {
  const labels = labelsOf(manifest);
  if (labels[LABEL_DEFAULT_PROJECT] === 'true') { return 'defaultOf'; }
  return labels[LABEL_SYSTEM_PROJECT] === 'true' ? 'systemOf' : undefined;
}

/** What a statement of a project declares besides the Project. */
interface Parts {
  readonly clusterId: string;
  readonly members: readonly FoundObject[];
  readonly namespaces: readonly FoundNamespace[];
  readonly sharesMetadata: boolean;
}

function projectDraft(object: FoundObject, { clusterId, members, namespaces, sharesMetadata }: Parts, around: Surroundings): Draft {
  const { manifest, target } = object;
  const { name } = manifest.metadata;
  const counts = vmCounts(namespaces);
  const quota = { ...quotaLimitOf(valueAt(manifest, 'spec', 'resourceQuota', 'limit')), ...counts?.quota };
  const namespaceQuota = { ...quotaLimitOf(valueAt(manifest, 'spec', 'namespaceDefaultResourceQuota', 'limit')), ...counts?.each };
  const limits = valueAt(manifest, 'spec', 'containerDefaultResourceLimit');
  const displayName = textAt(manifest, 'spec', 'displayName');
  const slug = (displayName ?? '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  const id = GENERATED.test(name) && RFC1123_LABEL.test(slug) ? slug : name;
  const projectId = projectIdOf(clusterId, name);
  const inside = { namespaceQuota: hasQuota(quota) ? namespaceQuota : {}, containerDefaults: quotaLimitOf(limits) };
  const props = {
    ...(id === name ? {} : { name }),
    cluster: referToCluster(target, clusterId),
    displayName: unless(displayName, name),
    description: textAt(manifest, 'spec', 'description'),
    members: members.length > 0 ? members.map((each) => memberOf('project', each, projectId, around)!) : undefined,
    namespaces: namespaces.length > 0 ? namespaces.map((each) => namespaceProps(each, inside, around)) : undefined,
    quota: quotaProp(quota),
    namespaceQuota: sameValue(quota, namespaceQuota) ? undefined : quotaProp(namespaceQuota),
    containerDefaults: containerProp(limits),
    backingNamespace: backingProp(object, clusterId, members, around),
    creatorRbac: creatorRbacProp(object, around),
  } satisfies DraftProps;
  const declared = namespaces.flatMap(({ object: namespace, vmQuota }) => [namespace, ...(vmQuota && counts ? [vmQuota] : [])]);
  return {
    type: 'TenantProject',
    id,
    isNamedById: id === name,
    props,
    declares: [object, ...members, ...declared],
    sharesMetadata,
    provides: new Map(namespaces.map(({ object: namespace }) => (
      [idOfName(nameOf(namespace)), (self) => new MethodCall(self, 'namespace', [namespace.manifest.metadata.name])]))),
  };
}

/** Names that Rancher gives to projects of its UI. */
const GENERATED = /^p-[a-z0-9]{5}$/;

function hasQuota(limit: QuotaLimit): boolean {
  return Object.keys(limit).length > 0;
}

/** The numbers of virtual machines that only ResourceQuotas limit, where every namespace has one; undefined otherwise. */
function vmCounts(namespaces: readonly FoundNamespace[]): { readonly quota: QuotaLimit; readonly each: QuotaLimit } | undefined {
  const counts = namespaces.map(({ vmCount }) => vmCount);
  if (counts.length === 0 || counts.some((count) => count === undefined)) { return undefined; }
  const sum = counts.reduce<number>((total, count) => total + Number(count), 0);
  return { quota: { [VM_COUNT]: String(sum) }, each: { [VM_COUNT]: counts[0]! } };
}

/** The namespace of the bindings, where it is not the one that this version of Rancher derives. */
function backingProp(object: FoundObject, clusterId: string, members: readonly FoundObject[], around: Surroundings): string | undefined {
  const { manifest } = object;
  const hasClusterId = isServed(RancherGate.PROJECT_BACKING_NAMESPACE, object, around);
  const backing = textAt(manifest, 'status', 'backingNamespace') ?? members[0]?.manifest.metadata.namespace;
  return unless(backing, backingNamespaceOf(clusterId, manifest.metadata.name, hasClusterId));
}
