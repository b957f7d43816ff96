import { kindOf } from '../../core/kind/all-kinds';
import { searchedKinds } from '../../core/kind/retention';
import { isLate } from '../../core/late/late-token';
import { Manifest, groupOf, valueAt } from '../../core/manifest/manifest';
import { API_VERSIONS, GROUPS, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { AssemblyLateValue, AssemblyObject, AssemblyTarget } from '../../core/output/assembly';
import { compare } from '../../core/text/values';
import { CLUSTER_AGENT } from '../../rancher/cluster/management-cluster.kind';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from '../../rancher/cluster/provisioning-cluster.kind';
import { CREDENTIAL_REFERENCE, GLOBAL_DATA } from '../../rancher/credential/cloud-credential.kind';
import { TOKEN_SECRET_PREFIX } from '../../rancher/import/registration-token.kind';
import { ANNOTATION_PROJECT_ID } from '../../rancher/project/project.kind';
import { RANCHER_SERVER_VERSION, RANCHER_SETTINGS } from '../../rancher/settings/rancher-setting.kind';
import { kubeconfigSecretOf } from '../auth/guest';
import { ObjectRef } from '../cluster/cluster';
import { App } from '../inventory/apply-set';
import { formerParentOf, parentOf } from '../inventory/inventory';
import { leaseOf } from '../inventory/lease';
import { WORKLOADS } from '../plan/guards';
import { asksForId } from '../plan/shared-ids';
import { digestKeyOf } from '../secret/digest';

/** The resource of a kind, as roles and paths name it: without a cluster it is told by the rules by which generators name them. */
export function resourceOf(apiVersion: string, kind: string): string {
  const known = kindOf({ apiVersion, kind })?.resource;
  if (known !== undefined) { return known; }
  const name = kind.toLowerCase();
  if (/(s|x|z|ch|sh)$/.test(name)) { return `${name}es`; }
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}

/** A verb of Kubernetes' authorization, or one that Rancher's webhook asks for. */
export type Verb = 'get' | 'list' | 'patch' | 'create' | 'delete' | 'manage-namespaces' | 'updatepsa';

const ORDER: readonly Verb[] = ['get', 'list', 'create', 'patch', 'delete', 'manage-namespaces', 'updatepsa'];

/** One rule of a Role. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly Verb[];
}

/** What is asked for: one kind, some verbs, and one object where it can be named. */
export interface Grant {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
  readonly verbs: readonly Verb[];
}

/** The rules of one Role or ClusterRole, each as narrow as it can be. */
export class RuleSet {
  /** Verbs by resource, and by name in it; the empty name is any. */
  private readonly resources = new Map<string, Map<string, Set<Verb>>>();

  public add({ apiVersion, kind, name = '', verbs }: Grant): void {
    const key = `${groupOf(apiVersion)}/${resourceOf(apiVersion, kind)}`;
    const names = this.resources.get(key) ?? new Map<string, Set<Verb>>();
    this.resources.set(key, names);
    names.set(name, new Set([...names.get(name) ?? [], ...verbs]));
  }

  public get rules(): PolicyRule[] {
    return [...this.resources].sort(([a], [b]) => compare(a, b)).flatMap(([key, names]) => {
      const [group, resource] = [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)];
      const any = names.get('') ?? new Set<Verb>();
      const byVerbs = new Map<string, string[]>();
      for (const [name, verbs] of [...names].sort(([a], [b]) => compare(a, b))) {
        // what holds for any needs no name
        const own = name === '' ? [...any] : [...verbs].filter((verb) => !any.has(verb));
        const text = ORDER.filter((verb) => own.includes(verb)).join(',');
        if (text !== '') { byVerbs.set(`${name === ''}:${text}`, [...byVerbs.get(`${name === ''}:${text}`) ?? [], name]); }
      }
      return [...byVerbs].map(([text, which]): PolicyRule => ({
        apiGroups: [group],
        resources: [resource],
        ...(which[0] === '' ? {} : { resourceNames: which }),
        verbs: text.slice(text.indexOf(':') + 1).split(',') as Verb[],
      }));
    });
  }
}

/** A grant and the namespace that it is for; none is the cluster. */
export interface PlacedGrant extends Grant {
  readonly namespace?: string;
  /** What it is for, where a run may do without it: nobody can tell beforehand whether it is asked for. */
  readonly perhaps?: string;
}

/** What an apply does with an object. */
const READ_AND_WRITE: readonly Verb[] = ['get', 'patch', 'create'];

/** Labels that Rancher's webhook asks for a right of its own for. @see rancher/webhook:pkg/resources/core/v1/namespace/Namespace.md */
const POD_SECURITY_LABEL = /^pod-security\.kubernetes\.io\/(enforce|audit|warn)(-version)?$/;

function placed({ apiVersion, kind, namespace, name }: ObjectRef, verbs: readonly Verb[]): PlacedGrant {
  const scope = namespace === undefined || isLate(namespace) ? {} : { namespace };
  // a name that is late can't be told beforehand
  return { apiVersion, kind, verbs, ...scope, ...(isLate(name) ? {} : { name }) };
}

/**
 * What writing an object needs. Settings are there already, so they are never created, and never deleted.
 *
 * Server-side apply asks for `create` by the name of the object, so every rule can name it.
 * @see kubernetes/apiserver:pkg/endpoints/handlers/patch.go createAuthorizerAttributes
 */
export function objectGrants(object: AssemblyObject, manifest: Manifest, canDelete: boolean): PlacedGrant[] {
  const policy = object.deletion?.policy ?? 'delete';
  const verbs: Verb[] = [...(policy === 'reset' && object.kind === 'Setting' ? ['get', 'patch'] as const : READ_AND_WRITE), ...(canDelete && policy === 'delete' ? ['delete'] as const : [])];
  const looks = [...(canDelete ? agentGrants(object) : []), ...(asksForId(manifest) ? [LIST_CLUSTERS] : [])];
  return [placed(object, verbs), ...looks, ...webhookGrants(object, manifest)];
}

/** Two Clusters with one management cluster ID share it: who has it is looked at before one is created or deleted. */
const LIST_CLUSTERS: PlacedGrant = {
  apiVersion: API_VERSIONS.PROVISIONING, kind: 'Cluster', verbs: ['list'], perhaps: 'another Cluster may have the same management cluster ID',
};

/** What taking away an object needs that the program no longer has. */
export function leftoverGrants(object: AssemblyObject): PlacedGrant[] {
  const policy = object.deletion?.policy ?? 'delete';
  return [placed(object, policy === 'delete' ? ['get', 'delete'] : policy === 'reset' ? ['get', 'patch'] : ['get']), ...agentGrants(object)];
}

/** After a reset of the registration URL it is looked at whether Harvester removed Rancher's agent. */
function agentGrants({ apiVersion, kind, name }: AssemblyObject): PlacedGrant[] {
  if (groupOf(apiVersion) !== GROUPS.HARVESTER || kind !== 'Setting' || name !== SETTING_REGISTRATION_URL) { return []; }
  const { namespace, deployment } = CLUSTER_AGENT;
  return [{ ...get('apps/v1', 'Deployment', deployment, namespace), perhaps: 'whether Harvester removed Rancher\'s agent after a reset' }];
}

/** It asks on the clusters that it runs on, and for changes of what it looks at. */
const WEBHOOK = 'Rancher\'s webhook asks for it';

/** What Rancher's webhook asks for beside the right to write the object. */
function webhookGrants({ apiVersion, kind }: AssemblyObject, manifest: Manifest): PlacedGrant[] {
  const project = { apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Project' };
  if (groupOf(apiVersion) === '' && kind === 'Namespace') {
    const id = manifest.metadata.annotations?.[ANNOTATION_PROJECT_ID];
    const security = Object.keys(manifest.metadata.labels ?? {}).some((label) => POD_SECURITY_LABEL.test(label));
    const name = id === undefined || isLate(id) ? undefined : id.slice(id.indexOf(':') + 1);
    return [
      ...(id === undefined ? [] : [{ ...project, ...(name === undefined ? {} : { name }), verbs: ['manage-namespaces'] as const, perhaps: WEBHOOK }]),
      ...(security ? [{ ...project, verbs: ['updatepsa'] as const, perhaps: WEBHOOK }] : []),
    ];
  }
  if (groupOf(apiVersion) !== GROUPS.PROVISIONING || kind !== 'Cluster') { return []; }
  // who names a credential must be able to read it. @see rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go
  const secret = valueAt(manifest, 'spec', 'cloudCredentialSecretName');
  const name = typeof secret === 'string' ? CREDENTIAL_REFERENCE.exec(secret)?.[1] : undefined;
  return name === undefined ? [] : [{ apiVersion: 'v1', kind: 'Secret', namespace: GLOBAL_DATA, ...(isLate(name) ? {} : { name }), verbs: ['get'], perhaps: WEBHOOK }];
}

/** What the tool does for itself: its inventory, its lock, and the look at whether a cluster is what the target says. */
export function ownGrants(
  target: AssemblyTarget, targets: readonly AssemblyTarget[], app: App, book: { readonly holdsLock: boolean; readonly digests: boolean },
): PlacedGrant[] {
  return [
    ...bookGrants(app, { ...book, ends: true }),
    placed(formerParentOf(app), ['get', 'delete']),
    { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system', verbs: ['get'] },
    ...IDENTITY[target.kind](target),
    ...(target.kind === 'rancher' ? targets.flatMap((guest) => guestGrants(guest, target)) : []),
  ];
}

/** Its inventory, which is deleted when all is gone, the key of its digests where there are any, and its lock. */
export function bookGrants(
  app: App, { holdsLock, ends, digests }: { readonly holdsLock: boolean; readonly ends: boolean; readonly digests: boolean },
): PlacedGrant[] {
  const keep: readonly Verb[] = [...READ_AND_WRITE, 'delete'];
  const verbs = ends ? keep : READ_AND_WRITE;
  return [
    placed(parentOf(app), verbs), ...(digests ? [placed(digestKeyOf(app), verbs)] : []), ...(holdsLock ? [placed(leaseOf(app), keep)] : []),
  ];
}

const get = (apiVersion: string, kind: string, name: string, namespace?: string): PlacedGrant => ({
  apiVersion, kind, name, verbs: ['get'], ...(namespace === undefined ? {} : { namespace }),
});

const IDENTITY: Record<AssemblyTarget['kind'], (target: AssemblyTarget) => PlacedGrant[]> = {
  rancher: () => [RANCHER_SERVER_VERSION, RANCHER_SETTINGS.SERVER_URL].map((name) => get(API_VERSIONS.MANAGEMENT, 'Setting', name)),
  harvester: ({ properties }) => [
    get(API_VERSIONS.HARVESTER, 'Setting', 'server-version'), ...(properties.vip === undefined ? [] : [get('v1', 'ConfigMap', 'vip', 'harvester-system')]),
  ],
  guest: () => [],
};

/** A guest cluster is reached by the kubeconfig that its Rancher keeps. */
export function guestGrants({ kind, properties: { rancher, provisioningCluster } }: AssemblyTarget, { name: target }: AssemblyTarget): PlacedGrant[] {
  const [namespace, name] = provisioningCluster?.split('/') ?? [];
  if (kind !== 'guest' || rancher !== target || !namespace || !name) { return []; }
  return [
    get(API_VERSIONS.PROVISIONING, 'Cluster', name, namespace), get('v1', 'Secret', kubeconfigSecretOf(name), namespace),
    get(API_VERSIONS.MANAGEMENT, 'Setting', RANCHER_SETTINGS.CA_CERTS),
  ];
}

/** What finding the late values of a target needs. */
export function lateGrants(lateValues: readonly AssemblyLateValue[], target: string): PlacedGrant[] {
  return lateValues.flatMap(({ source }): PlacedGrant[] => {
    if (!('target' in source) || source.target !== target) { return []; }
    const secret = { ...source, apiVersion: 'v1', kind: 'Secret', name: `${TOKEN_SECRET_PREFIX}${source.name}` };
    const token = source.resolver === 'registration-url' ? [{ ...placed(secret, ['get']), perhaps: 'newer Ranchers keep the token of a registration URL there' }] : [];
    return [placed(source, ['get']), ...token];
  });
}

/** Before Secrets and Namespaces are deleted it is looked at whether machines still need them. @see the guards of apply */
export function guardGrants({ kind }: AssemblyTarget, deleted: readonly AssemblyObject[]): PlacedGrant[] {
  const goes = (what: string, group = ''): boolean => (
    deleted.some((object) => groupOf(object.apiVersion) === group && object.kind === what && (object.deletion?.policy ?? 'delete') === 'delete'));
  const list = (apiVersion: string, of: string): PlacedGrant => ({ apiVersion, kind: of, verbs: ['list'], perhaps: 'what is deleted may still be needed' });
  return [
    ...(kind === 'rancher' && goes('Secret') ? [list(API_VERSIONS.PROVISIONING, 'Cluster'), list(API_VERSIONS.MANAGEMENT, 'NodeTemplate'), list(API_VERSIONS.MANAGEMENT, 'Cluster')] : []),
    ...(goes('Cluster', GROUPS.PROVISIONING) ? [LIST_CLUSTERS] : []),
    ...(goes('Namespace') ? [...searchedKinds(kind), ...WORKLOADS].map(([apiVersion, of]) => list(apiVersion, of)) : []),
  ];
}

/** The IDs of the management clusters of a program, as far as synthesis knows them. */
export function clusterIds(objects: readonly AssemblyObject[], manifests: ReadonlyMap<string, Manifest>): string[] {
  const ids = objects.filter(({ apiVersion, kind }) => groupOf(apiVersion) === GROUPS.PROVISIONING && kind === 'Cluster')
    .flatMap(({ id }) => manifests.get(id)?.metadata.annotations?.[ANNOTATION_MANAGEMENT_CLUSTER_NAME] ?? []);
  return [...new Set(ids)].filter((id) => !isLate(id)).sort(compare);
}

/** The namespaces that the program creates, or Rancher for its clusters and projects. */
export function madeNamespaces(objects: readonly AssemblyObject[], manifests: ReadonlyMap<string, Manifest>): ReadonlySet<string> {
  const of = (group: string, wanted: string): readonly AssemblyObject[] => (
    objects.filter(({ apiVersion, kind }) => groupOf(apiVersion) === group && kind === wanted));
  return new Set([
    ...of('', 'Namespace').map(({ name }) => name),
    ...clusterIds(objects, manifests),
    ...of(GROUPS.MANAGEMENT, 'Project').flatMap(({ namespace, name }) => [`${namespace}-${name}`, name]),
  ]);
}
