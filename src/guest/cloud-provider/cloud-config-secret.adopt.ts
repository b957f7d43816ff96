import { CHART_FEATURES } from './chart-faults.data';
import { CLOUD_CONFIG_PREFIX } from './cloud-provider.kind';
import { TargetKind } from '../../core/construct/target';
import {
  Draft,
  DraftProps,
  FoundObject,
  member,
  Inverse,
  Surroundings,
  nameOf,
  referOn,
  unless,
} from '../../core/draft/draft';
import { annotationsOf } from '../../core/manifest/manifest';
import { FLEET_DEFAULT, GROUPS } from '../../core/manifest/names';
import { anyText, safeConcatName } from '../../core/text/plain-text';
import { accountDrafts } from '../../harvester/account/service-account-kubeconfig.adopt';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';
import { OBJECT_AUTHORIZED, SECRET_AUTHORIZED } from '../cluster/cluster.kind';

/**
 * From the cloud config of a cluster that does not declare it to the construct, and how a program
 * refers to one whose values it cannot derive.
 */
export const CLOUD_CONFIG_SECRET_INVERSE: Inverse = {
  kinds: ['/Secret'],
  on: TargetKind.RANCHER,
  drafts: (object, around) => {
    const found = derivedFrom(object, around);
    return found === undefined ? [] : cloudConfigDrafts(object, found, around);
  },
  leftOut: (object, around) => {
    const { target } = object;
    const { namespace } = object.manifest.metadata;
    return isWorkspace(target, namespace, around) && !derivedFrom(object, around)
      ? reasonOf(object)
      : undefined;
  },
  notPlain: (object, around) =>
    isWorkspace(object.target, object.manifest.metadata.namespace, around)
      ? reasonOf(object)
      : undefined,
  existing: ({ target, namespace, name }, around) =>
    // users choose its name; credentials are in a namespace of their own
    namespace !== GLOBAL_DATA && isWorkspace(target, namespace, around)
      ? {
          type: 'CloudConfigSecret',
          method: 'fromName',
          props: { name, namespace: unless(namespace, FLEET_DEFAULT) },
        }
      : undefined,
};

/** An account of a guest cluster on a Harvester. */
export interface FoundAccount {
  readonly objects: readonly FoundObject[];
  /**
   * The props of its names and permissions; undefined for those that constructs have by default.
   */
  readonly options?: DraftProps;
}

/** The name that constructs give to the cloud config of a cluster. */
export function cloudConfigOf(cluster: string): string {
  return `${CLOUD_CONFIG_PREFIX}-${cluster}`;
}

/**
 * The account of a guest cluster that no statement declares; undefined where it is not there, or
 * not whole.
 */
export function accountIn(
  harvester: string,
  vmNamespace: string,
  cluster: string,
  around: Surroundings,
): FoundAccount | undefined {
  const find = (kind: string, name: string, namespace?: string): FoundObject | undefined =>
    around.objects(harvester, kind).find((each) => {
      const own = nameOf(each);
      return own.name === name && own.namespace === namespace;
    });
  const binding = safeConcatName(vmNamespace, cluster);
  const role = find(`${GROUPS.RBAC}/RoleBinding`, binding, vmNamespace);
  const needed = [
    find('/ServiceAccount', cluster, vmNamespace),
    find('/Secret', safeConcatName(cluster, 'token'), vmNamespace),
    role ?? find(`${GROUPS.RBAC}/ClusterRoleBinding`, cluster),
  ];
  const optional = [
    ...(role ? [find(`${GROUPS.RBAC}/ClusterRoleBinding`, binding)] : []),
    ...csiRoleOf(cluster).map((each) => find(each.kind, each.name, vmNamespace)),
  ];
  if (needed.some((each) => each === undefined)) {
    return undefined;
  }
  return {
    objects: [...needed, ...optional].filter((each) => each !== undefined),
    options: role
      ? undefined
      : { adopted: { compat: member('CloudConfigCompat', 'CLOUD_PROVIDER_SCRIPT') } },
  };
}

/** The objects by which the CSI driver may patch virtual machines. */
function csiRoleOf(account: string): readonly { readonly kind: string; readonly name: string }[] {
  return ['Role', 'RoleBinding'].map((kind) => ({
    kind: `${GROUPS.RBAC}/${kind}`,
    name: safeConcatName(account, 'csi-volumes'),
  }));
}

/** A cloud config that a program can derive from an account that it declares. */
interface DerivedConfig extends FoundAccount {
  readonly cluster: string;
  readonly harvester: string;
  readonly vmNamespace: string;
}

function cloudConfigDrafts(
  object: FoundObject,
  { objects, options, cluster, harvester, vmNamespace }: DerivedConfig,
  around: Surroundings,
): readonly Draft[] {
  const { manifest } = object;
  const hasCsiRole = objects.some(
    (each) => each.manifest.metadata.name === csiRoleOf(cluster)[0].name,
  );
  const draft: Draft = {
    type: 'CloudConfigSecret',
    id: `${cluster}-cloud-config`,
    isNamedById: false,
    props: {
      vmNamespace: referOn(harvester, '/Namespace', vmNamespace),
      clusterName: cluster,
      fleetWorkspace: unless(manifest.metadata.namespace, FLEET_DEFAULT),
      authorizeFiles: annotationsOf(manifest)[OBJECT_AUTHORIZED] === cluster ? true : undefined,
      csiChartVersion: hasCsiRole ? CHART_FEATURES.CSI_PATCHES_MACHINES : undefined,
      ...options,
    },
    declares: [object, ...objects],
  };
  return accountDrafts(draft, objects[0], around);
}

function isWorkspace(target: string, namespace: string | undefined, around: Surroundings): boolean {
  return (
    namespace === FLEET_DEFAULT ||
    around
      .cluster(target)
      .objects.some(
        ({ manifest }) =>
          manifest.kind === 'Cluster' &&
          manifest.metadata.namespace === namespace &&
          manifest.spec !== undefined,
      )
  );
}

function reasonOf(object: FoundObject): string {
  return clusterOf(object) === undefined
    ? 'is a Secret in the namespace of guest clusters, whose values the program does not know'
    : 'is the cloud config of a guest cluster: the program refers to it by its name';
}

function clusterOf({ manifest }: FoundObject): string | undefined {
  return anyText(annotationsOf(manifest)[SECRET_AUTHORIZED]);
}

/**
 * The account whose kubeconfig is in a Secret under the name of constructs: others may have other
 * bytes, which a program would change.
 */
function derivedFrom(object: FoundObject, around: Surroundings): DerivedConfig | undefined {
  const cluster = clusterOf(object);
  if (cluster === undefined || object.manifest.metadata.name !== cloudConfigOf(cluster)) {
    return undefined;
  }
  const accounts = around.clusters
    .filter(({ kind }) => kind === TargetKind.HARVESTER)
    .flatMap(({ name: harvester }) =>
      around
        .objects(harvester, '/ServiceAccount')
        .filter(({ manifest }) => manifest.metadata.name === cluster)
        .flatMap(({ manifest }) => {
          const { metadata } = manifest;
          const vmNamespace = metadata.namespace ?? 'default';
          const account = accountIn(harvester, vmNamespace, cluster, around);
          return account ? [{ ...account, cluster, harvester, vmNamespace }] : [];
        }),
    );
  return accounts.length === 1 ? accounts[0] : undefined;
}
