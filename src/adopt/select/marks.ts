import { Around, isOwnedAnyway, ownersOf } from './own-rule';
import { TargetKind } from '../../core/construct/target';
import { kindOf } from '../../core/kind/kinds';
import {
  Manifest,
  annotationsOf,
  groupOf,
  isFromServer,
  isRecord,
  kindKey,
  labelsOf,
  printName,
  itemsAt,
} from '../../core/manifest/manifest';
import {
  ANNOTATION_OWNER_NAME,
  ANNOTATION_OWNER_NAMESPACE,
  FLEET_DEFAULT,
  FLEET_LOCAL,
  GROUPS,
  HARVESTER_PUBLIC,
} from '../../core/manifest/names';
import { filledText } from '../../core/text/plain-text';
import { appOfManager } from '../../engine/fields/apply-set';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';
import { isSystemNamespace } from '../../rancher/project/project.kind';

/** Marks of Helm on the objects of a release. @see helm/helm:pkg/action/validate.go */
export const HELM = {
  LABEL: 'app.kubernetes.io/managed-by',
  VALUE: 'Helm',
  NAME: 'meta.helm.sh/release-name',
  NAMESPACE: 'meta.helm.sh/release-namespace',
} as const;

/**
 * Marks of wrangler's apply, by which Rancher, Fleet and the distributions own objects.
 * @see rancher/wrangler:pkg/apply/desiredset_process.go
 */
export const WRANGLER = {
  ID: 'objectset.rio.cattle.io/id',
  HASH: 'objectset.rio.cattle.io/hash',
  OWNER_KIND: 'objectset.rio.cattle.io/owner-gvk',
} as const;

/**
 * The annotation by which Argo CD knows what an Application delivers: its name, after its namespace
 * if that is another one than that of Argo CD, then the object.
 * @see argoproj/argo-cd:util/argo/resource_tracking.go
 */
export const ANNOTATION_TRACKING_ID = 'argocd.argoproj.io/tracking-id';

/**
 * The label on all objects of an installation of Flux, also in the file that its bootstrap commits.
 * @see fluxcd/flux2:pkg/manifestgen/install/templates.go kustomizationTmpl
 */
const FLUX = { LABEL: 'app.kubernetes.io/part-of', VALUE: 'flux' } as const;

/** The groups of the objects of Flux. */
const FLUX_GROUP = /\.toolkit\.fluxcd\.io$/;

/**
 * Whether an object is of the installation of Flux: its bootstrap writes them, and a program that
 * removed one would stop the engine that delivers it. The source and the Kustomization by which Flux
 * delivers itself have the name of their namespace.
 * @see fluxcd/flux2:cmd/flux/bootstrap_git.go syncOpts
 */
export function isOfFlux(manifest: Manifest): boolean {
  const { name, namespace } = manifest.metadata;
  const isSync = FLUX_GROUP.test(groupOf(manifest.apiVersion)) && name === namespace;
  return isSync || labelsOf(manifest)[FLUX.LABEL] === FLUX.VALUE;
}

/** Kinds that the products ship and users configure: only rules of their kind leave them out. */
export const CONFIGURED: ReadonlySet<string> = new Set([
  `${GROUPS.MANAGEMENT}/Setting`,
  `${GROUPS.MANAGEMENT}/Feature`,
  `${GROUPS.MANAGEMENT}/AuthConfig`,
  `${GROUPS.MANAGEMENT}/NodeDriver`,
  `${GROUPS.HARVESTER}/Setting`,
  `${GROUPS.HARVESTER}/Addon`,
  `${GROUPS.HARVESTER}/BlockDevice`,
  'longhorn.io/Node',
  'devices.harvesterhci.io/VGPUDevice',
  'devices.harvesterhci.io/SRIOVGPUDevice',
  'devices.harvesterhci.io/SRIOVNetworkDevice',
]);

/** Kinds with owners although users create them. */
const OWNED: ReadonlySet<string> = new Set([
  // Rancher makes the User the owner; seen on Rancher 2.13.8
  `${GROUPS.MANAGEMENT}/GlobalRoleBinding`,
]);

/** Kinds that users create in namespaces of the system. */
const IN_SYSTEM: ReadonlySet<string> = new Set([
  'catalog.cattle.io/UIPlugin',
  `${GROUPS.PROVISIONING}/Cluster`,
  `${GROUPS.MANAGEMENT}/ClusterRegistrationToken`,
  `${GROUPS.MANAGEMENT}/Project`,
  `${GROUPS.MANAGEMENT}/ClusterRoleTemplateBinding`,
  `${GROUPS.MANAGEMENT}/ProjectRoleTemplateBinding`,
  'longhorn.io/RecurringJob',
]);

/** The manifests of charts, which users also create in kube-system of their own clusters. */
const CHARTS: ReadonlySet<string> = new Set([
  'helm.cattle.io/HelmChart',
  'helm.cattle.io/HelmChartConfig',
]);

/** Namespaces of the system whose objects are mostly those of users. */
const SHARED: ReadonlySet<string> = new Set([
  'default',
  FLEET_DEFAULT,
  GLOBAL_DATA,
  HARVESTER_PUBLIC,
]);

/**
 * Engines that apply what users commit.
 * @see argoproj/argo-cd:common/common.go ArgoCDSSAManager; fluxcd/kustomize-controller:main.go controllerName
 */
const GITOPS_ENGINES: readonly string[] = ['argocd-controller', 'kustomize-controller'];

/**
 * Whether a user declares the object: it is in a file that no server wrote, or it was applied by a
 * GitOps engine or a program of this library. Labels do not show the latter, since Rancher copies
 * them; neither does kubectl, by which Harvester installs itself.
 */
export function isDeclared(manifest: Manifest): boolean {
  return isFromFile(manifest) || appliersOf(manifest).length > 0;
}

/** Whether an object is in a file that no server wrote: all of it is what a user wants. */
export function isFromFile(manifest: Manifest): boolean {
  const { managedFields, creationTimestamp } = manifest.metadata;
  // `null` is how generators of manifests leave it open
  return !isFromServer(manifest) && !managedFields && !creationTimestamp;
}

/** The field managers of programs of this library and of GitOps engines that applied an object. */
export function appliersOf({ metadata }: Manifest): readonly string[] {
  const { managedFields } = metadata;
  return itemsAt(managedFields).flatMap((entry) =>
    isRecord(entry) &&
    entry.operation === 'Apply' &&
    typeof entry.manager === 'string' &&
    (appOfManager(entry.manager) !== undefined || GITOPS_ENGINES.includes(entry.manager))
      ? [entry.manager]
      : [],
  );
}

/**
 * Why an object belongs to a controller, a release of Helm or the system, by the marks on it;
 * undefined for one without such marks.
 */
export function markedReason(manifest: Manifest, { cluster }: Around): string | undefined {
  const key = kindKey(groupOf(manifest.apiVersion), manifest.kind);
  const [labels, annotations] = [labelsOf(manifest), annotationsOf(manifest)];
  if (CONFIGURED.has(key)) {
    return undefined;
  }
  const [owner] = ownersOf(manifest);
  if (owner && !OWNED.has(key) && !(isOwnedAnyway(manifest) && isKeptOwner(manifest, owner.kind))) {
    return `belongs to ${owner.kind} ${owner.name}`;
  }
  // the label of Helm alone may come from helm template, whose output users commit
  const release = annotations[HELM.NAME];
  if (typeof release === 'string') {
    return `belongs to the Helm release ${printName({ namespace: filledText(annotations[HELM.NAMESPACE]), name: release })}`;
  }
  if (
    key !== `${GROUPS.PROVISIONING}/Cluster` &&
    (WRANGLER.ID in annotations || WRANGLER.HASH in labels)
  ) {
    return madeFrom(annotations);
  }
  return systemReason(manifest, key, cluster.kind);
}

/**
 * Secrets of Users, and others of controllers, are not those of users; cloud-init data of a virtual
 * machine is.
 */
function isKeptOwner(manifest: Manifest, owner: string): boolean {
  const own = manifest.kind === 'Secret' ? 'VirtualMachine' : kindOf(manifest)?.owner;
  return own === undefined || own === owner;
}

function madeFrom(annotations: { readonly [key: string]: unknown }): string {
  const owner = filledText(annotations[WRANGLER.OWNER_KIND]);
  if (owner === undefined) {
    return `Fleet or Rancher deploys it (${filledText(annotations[WRANGLER.ID]) ?? 'without an ID'})`;
  }
  // e.g. management.cattle.io/v3, Kind=Cluster
  const kind = owner.split('Kind=').pop()!;
  const name = filledText(annotations[ANNOTATION_OWNER_NAME]);
  return `a controller creates it from ${kind}${name === undefined ? '' : ` ${printName({ namespace: filledText(annotations[ANNOTATION_OWNER_NAMESPACE]), name })}`}`;
}

function systemReason(
  { metadata, kind }: Manifest,
  key: string,
  target: TargetKind,
): string | undefined {
  const { name, namespace } = metadata;
  if (kind === 'Namespace' && key === '/Namespace') {
    return isSystemNamespace({ metadata: { name } }) ? 'is a namespace of the system' : undefined;
  }
  if (
    namespace === undefined ||
    SHARED.has(namespace) ||
    !isSystemNamespace({ metadata: { name: namespace } })
  ) {
    return undefined;
  }
  const isOfUser =
    IN_SYSTEM.has(key) ||
    (CHARTS.has(key) && target === TargetKind.GUEST) ||
    (namespace === FLEET_LOCAL && key.startsWith('fleet.cattle.io/')) ||
    // Projects and members of the cluster that Rancher runs on
    (namespace === 'local' && key.startsWith(`${GROUPS.MANAGEMENT}/`));
  return isOfUser ? undefined : `is in ${namespace}, a namespace of the system`;
}
