import { KindAccess } from '../../core/kind/description/access';
import { KindReferences } from '../../core/kind/description/references';
import { kindOf } from '../../core/kind/kinds';
import {
  credentialUsers,
  mustExist,
  searchedKinds,
  workloadKinds,
} from '../../core/kind/retention';
import { isLate, listsObjects } from '../../core/late/late-token';
import { Manifest, groupOf } from '../../core/manifest/manifest';
import { API_VERSIONS, GROUPS } from '../../core/manifest/names';
import { AssemblyLateValue, AssemblyObject, AssemblyTarget } from '../../core/output/assembly';
import { compare, remembered } from '../../core/text/values';
import { kubeconfigSecretOf } from '../../guest/cluster/cluster.kind';
import { AUTH_CONFIG_KIND, LISTED_FOR_LOGINS } from '../../rancher/auth/auth-config.kind';
import {
  CLUSTER_AGENT,
  ANNOTATION_MANAGEMENT_CLUSTER_NAME,
} from '../../rancher/cluster/cluster.facts';
import { TENANT_KINDS } from '../../rancher/cluster/management-cluster.kind';
import { TOKEN_SECRET_PREFIX } from '../../rancher/import/registration-token.kind';
import { RANCHER_SERVER_VERSION } from '../../rancher/settings/rancher-setting.kind';
import { PASSWORD_NAMESPACE } from '../../rancher/user/user.kind';
import { ObjectRef } from '../cluster/cluster';
import { App } from '../fields/apply-set';
import { isProvisioningCluster, isRegistration } from '../graph/object-index';
import { formerParentOf, parentOf } from '../inventory/inventory';
import { leaseOf } from '../inventory/lease';
import { asksForId } from '../precondition/management-cluster';
import { digestKeyOf } from '../secret/digest';

/** The resource of a kind for roles and paths, derived by the rules of code generators. */
export function resourceOf(apiVersion: string, kind: string): string {
  const known = kindOf({ apiVersion, kind })?.resource;
  if (known !== undefined) {
    return known;
  }
  const name = kind.toLowerCase();
  if (/(s|x|z|ch|sh)$/.test(name)) {
    return `${name}es`;
  }
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}

/** A verb of Kubernetes' authorization, or one that Rancher's webhook checks. */
export type Verb =
  | 'get'
  | 'list'
  | 'patch'
  | 'create'
  | 'delete'
  | 'manage-namespaces'
  | 'updatepsa'
  | 'fleetaddcluster';

const ORDER: readonly Verb[] = [
  'get',
  'list',
  'create',
  'patch',
  'delete',
  'manage-namespaces',
  'updatepsa',
  'fleetaddcluster',
];

/** One rule of a Role. */
export interface GrantRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly Verb[];
}

/** Permissions: one kind, some verbs, and the name of an object if it is known. */
interface Grant {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
  readonly verbs: readonly Verb[];
}

/** The rules of one Role or ClusterRole, each as narrow as possible. */
export class RuleSet {
  /** Verbs by resource and name; the empty name means any. */
  private readonly resources = new Map<string, Map<string, Set<Verb>>>();

  public add({ apiVersion, kind, name = '', verbs }: Grant): void {
    const key = `${groupOf(apiVersion)}/${resourceOf(apiVersion, kind)}`;
    const known = remembered(
      remembered(this.resources, key, () => new Map<string, Set<Verb>>()),
      name,
      () => new Set<Verb>(),
    );
    for (const verb of verbs) {
      known.add(verb);
    }
  }

  public get rules(): GrantRule[] {
    return [...this.resources]
      .sort(([a], [b]) => compare(a, b))
      .flatMap(([key, names]) => {
        const [group, resource] = [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)];
        const any = names.get('') ?? new Set<Verb>();
        const byVerbs = new Map<string, string[]>();
        for (const [name, verbs] of [...names].sort(([a], [b]) => compare(a, b))) {
          // verbs for any name are not repeated
          const own = name === '' ? [...any] : [...verbs].filter((verb) => !any.has(verb));
          const text = ORDER.filter((verb) => own.includes(verb)).join(',');
          if (text !== '') {
            byVerbs.set(`${name === ''}:${text}`, [
              ...(byVerbs.get(`${name === ''}:${text}`) ?? []),
              name,
            ]);
          }
        }
        return [...byVerbs].map(([text, which]): GrantRule => ({
          apiGroups: [group],
          resources: [resource],
          ...(which[0] === '' ? {} : { resourceNames: which }),
          verbs: text.slice(text.indexOf(':') + 1).split(',') as Verb[],
        }));
      });
  }
}

/** A grant and its namespace; without one, for the cluster. */
export interface PlacedGrant extends Grant {
  readonly namespace?: string;
  /** Why a run may need it, if that cannot be known in advance. @default - a run always needs it */
  readonly perhaps?: string;
}

/** The verbs of an apply. */
const READ_AND_WRITE: readonly Verb[] = ['get', 'patch', 'create'];

function placed(
  { apiVersion, kind, namespace, name }: ObjectRef,
  verbs: readonly Verb[],
): PlacedGrant {
  const scope = namespace === undefined || isLate(namespace) ? {} : { namespace };
  // a late name is not known in advance
  return { apiVersion, kind, verbs, ...scope, ...(isLate(name) ? {} : { name }) };
}

/**
 * The permissions to write an object. Settings and Nodes exist already, so they are never created
 * or deleted.
 *
 * Server-side apply checks `create` with the name of the object, so every rule can name it.
 * @see kubernetes/apiserver:pkg/endpoints/handlers/patch.go createAuthorizerAttributes
 */
export function objectGrants(
  object: AssemblyObject,
  manifest: Manifest,
  canDelete: boolean,
): PlacedGrant[] {
  const policy = object.deletion?.policy ?? 'delete';
  const verbs: Verb[] = [
    ...(mustExist(object) ? (['get', 'patch'] as const) : READ_AND_WRITE),
    ...(canDelete && policy === 'delete' ? (['delete'] as const) : []),
  ];
  const looks = [
    ...(canDelete ? agentGrants(object) : []),
    ...(asksForId(manifest) ? [LIST_CLUSTERS] : []),
  ];
  return [
    placed(object, verbs),
    ...looks,
    ...(kindOf<KindAccess>(object)?.permissions?.(manifest) ?? []),
    ...namedSecretGrants(manifest),
  ];
}

/**
 * The field of a Cluster whose Secret the user who writes it must be able to read. Seen on Rancher
 * 2.15.0.
 *
 * @see rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go validateCloudCredentialAccess
 */
const CLUSTER_CREDENTIAL = 'spec.cloudCredentialSecretName';

/** The permissions to check who wrote the Secrets that an object names. */
function namedSecretGrants(manifest: Manifest): PlacedGrant[] {
  const secrets = kindOf<KindAccess>(manifest)?.namesSecrets?.(manifest) ?? [];
  return secrets.map(({ namespace, name, path }) => ({
    ...get(API_VERSIONS.CORE, 'Secret', name, namespace),
    perhaps:
      path === CLUSTER_CREDENTIAL
        ? 'Rancher answers Unauthorized to a Cluster whose cloud credential this identity cannot read'
        : 'to check who wrote a Secret that the program names',
  }));
}

/**
 * Clusters are listed before one is created or deleted: two with the same management cluster ID
 * share their management cluster.
 */
const LIST_CLUSTERS: PlacedGrant = {
  apiVersion: API_VERSIONS.PROVISIONING,
  kind: 'Cluster',
  verbs: ['list'],
  perhaps: 'another Cluster may have the same management cluster ID',
};

/** The permissions to remove an object that is no longer declared. */
export function leftoverGrants(object: AssemblyObject): PlacedGrant[] {
  return [placed(object, removalVerbs(object)), ...agentGrants(object)];
}

function removalVerbs({ deletion }: AssemblyObject): readonly Verb[] {
  switch (deletion?.policy ?? 'delete') {
    case 'delete':
      return ['get', 'delete'];
    case 'reset':
      return ['get', 'patch'];
    default:
      return ['get'];
  }
}

/**
 * After a reset of the registration URL, destroy checks whether Harvester removed Rancher's agent.
 */
function agentGrants(object: AssemblyObject): PlacedGrant[] {
  if (!isRegistration(object)) {
    return [];
  }
  const { namespace, deployment } = CLUSTER_AGENT;
  return [
    {
      ...get('apps/v1', 'Deployment', deployment, namespace),
      perhaps: "to check that Harvester removed Rancher's agent after a reset",
    },
  ];
}

/**
 * The permissions of the tool for itself: inventory, lock, and the check that the cluster matches
 * its target.
 */
export function ownGrants(
  target: AssemblyTarget,
  targets: readonly AssemblyTarget[],
  app: App,
  book: { readonly holdsLock: boolean; readonly digests: boolean },
): PlacedGrant[] {
  return [
    ...bookGrants(app, { ...book, ends: true }),
    placed(formerParentOf(app), ['get', 'delete']),
    { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system', verbs: ['get'] },
    ...IDENTITY[target.kind](target),
    ...(target.kind === 'rancher' ? targets.flatMap((guest) => guestGrants(guest, target)) : []),
  ];
}

/**
 * The permissions for the inventory, which is deleted at the end of a destroy, the key of its
 * digests, and the lock.
 */
export function bookGrants(
  app: App,
  {
    holdsLock,
    ends,
    digests,
  }: { readonly holdsLock: boolean; readonly ends: boolean; readonly digests: boolean },
): PlacedGrant[] {
  const keep: readonly Verb[] = [...READ_AND_WRITE, 'delete'];
  const verbs = ends ? keep : READ_AND_WRITE;
  return [
    placed(parentOf(app), verbs),
    ...(digests ? [placed(digestKeyOf(app), verbs)] : []),
    ...(holdsLock ? [placed(leaseOf(app), keep)] : []),
  ];
}

const get = (apiVersion: string, kind: string, name: string, namespace?: string): PlacedGrant => ({
  apiVersion,
  kind,
  name,
  verbs: ['get'],
  ...(namespace === undefined ? {} : { namespace }),
});

const IDENTITY: Record<AssemblyTarget['kind'], (target: AssemblyTarget) => PlacedGrant[]> = {
  rancher: () =>
    [RANCHER_SERVER_VERSION, 'server-url'].map((name) =>
      get(API_VERSIONS.MANAGEMENT, 'Setting', name),
    ),
  harvester: ({ properties }) => [
    get(API_VERSIONS.HARVESTER, 'Setting', 'server-version'),
    ...(properties.vip === undefined ? [] : [get('v1', 'ConfigMap', 'vip', 'harvester-system')]),
  ],
  guest: () => [],
};

/** The permissions to read the kubeconfig of a guest cluster from its Rancher. */
export function guestGrants(
  { kind, properties }: AssemblyTarget,
  { name: target }: AssemblyTarget,
): PlacedGrant[] {
  const { rancher, provisioningCluster } = properties;
  const [namespace, name] = provisioningCluster?.split('/') ?? [];
  if (kind !== 'guest' || rancher !== target || !namespace || !name) {
    return [];
  }
  return [
    get(API_VERSIONS.PROVISIONING, 'Cluster', name, namespace),
    get('v1', 'Secret', kubeconfigSecretOf(name), namespace),
    get(API_VERSIONS.MANAGEMENT, 'Setting', 'cacerts'),
  ];
}

/** The permissions to read the late values of a target. */
export function lateGrants(
  lateValues: readonly AssemblyLateValue[],
  target: string,
): PlacedGrant[] {
  return lateValues.flatMap(({ source }): PlacedGrant[] => {
    if (!('target' in source) || source.target !== target) {
      return [];
    }
    const secret = {
      ...source,
      apiVersion: 'v1',
      kind: 'Secret',
      name: `${TOKEN_SECRET_PREFIX}${source.name}`,
    };
    const token =
      source.resolver === 'registration-url'
        ? [
            {
              ...placed(secret, ['get']),
              perhaps: 'newer versions of Rancher keep the token of a registration URL there',
            },
          ]
        : [];
    return [
      listsObjects(source.resolver)
        ? { ...placed(source, ['list']), name: undefined }
        : placed(source, ['get']),
      ...token,
    ];
  });
}

/** Before a provider is disabled, an apply looks for an administrator who can log in without it. */
const LOGIN_GRANTS: readonly PlacedGrant[] = [
  ...LISTED_FOR_LOGINS.map((kind) => ({
    apiVersion: API_VERSIONS.MANAGEMENT,
    kind,
    verbs: ['list'] as const,
  })),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: PASSWORD_NAMESPACE,
    verbs: ['get'] as const,
  },
].map((grant) => ({ ...grant, perhaps: 'to check that an administrator can still log in' }));

/**
 * The permissions to check whether Secrets, Clusters and Namespaces are still needed before they
 * are deleted.
 */
export function guardGrants(
  { kind }: AssemblyTarget,
  deleted: readonly AssemblyObject[],
): PlacedGrant[] {
  const goes = (what: string, group = ''): boolean =>
    deleted.some(
      (object) =>
        groupOf(object.apiVersion) === group &&
        object.kind === what &&
        (object.deletion?.policy ?? 'delete') === 'delete',
    );
  const mayBeUsed =
    goes('Secret') || deleted.some((object) => kindOf<KindReferences>(object)?.makes);
  const list = (apiVersion: string, of: string): PlacedGrant => ({
    apiVersion,
    kind: of,
    verbs: ['list'],
    perhaps: 'to check whether deleted objects are still needed',
  });
  const disables = deleted.some(
    (object) => object.kind === AUTH_CONFIG_KIND && object.deletion?.policy === 'reset',
  );
  return [
    ...(kind === 'rancher' && disables ? LOGIN_GRANTS : []),
    ...(kind === 'rancher' && mayBeUsed
      ? credentialUsers().map(([apiVersion, of]) => list(apiVersion, of))
      : []),
    ...(goes('Cluster', GROUPS.PROVISIONING) ? [LIST_CLUSTERS] : []),
    ...(goes('Cluster', GROUPS.PROVISIONING) || goes('Cluster', GROUPS.MANAGEMENT)
      ? TENANT_KINDS.map((each) => list(API_VERSIONS.MANAGEMENT, each))
      : []),
    ...(goes('Namespace')
      ? [...searchedKinds(kind), ...workloadKinds()].map(([apiVersion, of]) => list(apiVersion, of))
      : []),
  ];
}

/** The management cluster IDs that synthesis knows. */
export function clusterIds(
  objects: readonly AssemblyObject[],
  manifests: ReadonlyMap<string, Manifest>,
): string[] {
  const ids = objects
    .filter(isProvisioningCluster)
    .flatMap(
      ({ id }) =>
        manifests.get(id)?.metadata.annotations?.[ANNOTATION_MANAGEMENT_CLUSTER_NAME] ?? [],
    );
  return [...new Set(ids)].filter((id) => !isLate(id)).sort(compare);
}

/** The namespaces that the program creates, or Rancher for its clusters and projects. */
export function madeNamespaces(
  objects: readonly AssemblyObject[],
  manifests: ReadonlyMap<string, Manifest>,
): ReadonlySet<string> {
  const of = (group: string, wanted: string): readonly AssemblyObject[] =>
    objects.filter(({ apiVersion, kind }) => groupOf(apiVersion) === group && kind === wanted);
  return new Set([
    ...of('', 'Namespace').map(({ name }) => name),
    ...clusterIds(objects, manifests),
    ...of(GROUPS.MANAGEMENT, 'Project').flatMap(({ namespace, name }) => [
      `${namespace}-${name}`,
      name,
    ]),
  ]);
}
