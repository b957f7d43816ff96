import { isRecord, itemsAt, Manifest, textsAt, valueAt } from '../../core/manifest/manifest';
import { filledText } from '../../core/text/plain-text';

/** A folder of a repository that an engine delivers. */
export interface DeliveredFolder {
  /** The file that declares it. */
  readonly file: string;
  /**
   * The folder, as a path in the repository. Each `*` is a text that is known at run time: every
   * folder that fits is delivered.
   */
  readonly path: string;
  /**
   * The clusters that receive it, none for all. `EACH_FOLDER` is one cluster for each folder that fits
   * the path.
   * @default - the cluster that the declaration is delivered to
   */
  readonly clusters?: readonly string[] | typeof EACH_FOLDER;
  /** Whether all files below the folder are delivered, whatever a kustomization there names. */
  readonly isWhole: boolean;
}

/** Each folder of a delivery is for a cluster of its own. */
export const EACH_FOLDER = Symbol('each folder');

/** The API groups of the objects by which engines deliver folders: a quick look into a text. */
const GROUPS_OF_ENGINES = [
  'kustomize.toolkit.fluxcd.io',
  'fluxcd.controlplane.io',
  'argoproj.io',
  'fleet.cattle.io',
] as const;

/** Whether a text may hold an object by which an engine delivers folders. */
export function mayDeliver(text: string): boolean {
  return GROUPS_OF_ENGINES.some((group) => text.includes(group));
}

type Reader = (manifest: Manifest) => readonly Omit<DeliveredFolder, 'file'>[];

/** What the kinds of engines deliver, by `<group>/<kind>`. */
const READERS: { readonly [kind: string]: Reader } = {
  'kustomize.toolkit.fluxcd.io/Kustomization': foldersOfKustomization,
  'fluxcd.controlplane.io/FluxInstance': foldersOfFluxInstance,
  'argoproj.io/Application': ({ spec }) => foldersOfApplication(spec),
  'argoproj.io/ApplicationSet': foldersOfApplicationSet,
  'fleet.cattle.io/GitRepo': foldersOfGitRepo,
};

/** The folders that an object lets its engine deliver. */
export function deliveriesOf(manifest: Manifest, file: string): readonly DeliveredFolder[] {
  const [group] = manifest.apiVersion.split('/');
  const reader = READERS[`${group}/${manifest.kind}`];
  return (reader?.(manifest) ?? []).map((delivery) => ({ ...delivery, file }));
}

function listOf(cluster: string | undefined): readonly string[] | undefined {
  return cluster === undefined ? undefined : [cluster];
}

function textAt(value: unknown, ...keys: string[]): string | undefined {
  return filledText(valueAt(value, ...keys));
}

/** @see fluxcd/kustomize-controller:api/v1/kustomization_types.go KustomizationSpec */
function foldersOfKustomization({ spec }: Manifest): ReturnType<Reader> {
  const path = textAt(spec, 'path') ?? './';
  const remote =
    textAt(spec, 'kubeConfig', 'secretRef', 'name') ??
    textAt(spec, 'kubeConfig', 'configMapRef', 'name');
  return [{ path, clusters: listOf(remote), isWhole: false }];
}

/** @see https://fluxoperator.dev/docs/crd/fluxinstance/ spec.sync */
function foldersOfFluxInstance({ spec }: Manifest): ReturnType<Reader> {
  const path = textAt(spec, 'sync', 'path');
  return path === undefined ? [] : [{ path, isWhole: false }];
}

/** The cluster in which Argo CD runs. @see argoproj/argo-cd:pkg/apis/application/v1alpha1/types.go */
const IN_CLUSTER = new Set(['in-cluster', 'https://kubernetes.default.svc']);

/** An expression that is filled in at run time. */
const EXPRESSION = /\{\{.*?\}\}/g;

/** The spec of an Application, also that in a template. */
function foldersOfApplication(spec: unknown): ReturnType<Reader> {
  const destination =
    textAt(spec, 'destination', 'name') ?? textAt(spec, 'destination', 'server') ?? '';
  const remote = IN_CLUSTER.has(destination) ? undefined : destination || undefined;
  const clusters = remote?.includes('{{') ? EACH_FOLDER : listOf(remote);
  return [valueAt(spec, 'source'), ...itemsAt(spec, 'sources')].flatMap((source) => {
    const path = textAt(source, 'path');
    return path === undefined
      ? []
      : [{ path: path.replace(EXPRESSION, '*'), clusters, isWhole: false }];
  });
}

/** The whole path of the folder that a generator found. */
const FOUND_PATH = /^\{\{\s*\.?path(?:\.path)?\s*\}\}$/;

/** @see argoproj/argo-cd:docs/operator-manual/applicationset/Generators-Git.md directories */
function foldersOfApplicationSet({ spec }: Manifest): ReturnType<Reader> {
  const template = valueAt(spec, 'template', 'spec');
  const folders = generatorsIn(valueAt(spec, 'generators')).flatMap(foldersOfGenerator);
  const source = textAt(template, 'source', 'path');
  const isFound = source !== undefined && FOUND_PATH.test(source);
  return foldersOfApplication(template).flatMap((delivery) =>
    isFound && folders.length > 0 ? folders.map((path) => ({ ...delivery, path })) : [delivery],
  );
}

/** The folders that a git generator finds. */
function foldersOfGenerator(generator: unknown): readonly string[] {
  const directories = itemsAt(generator, 'git', 'directories');
  const included = directories.filter((directory) => valueAt(directory, 'exclude') !== true);
  return included.flatMap((directory) => textAt(directory, 'path') ?? []);
}

/** The generators of an ApplicationSet, those in a matrix or a merge included. */
function generatorsIn(list: unknown): readonly unknown[] {
  return (Array.isArray(list) ? list : []).flatMap((generator: unknown) => [
    generator,
    ...['matrix', 'merge'].flatMap((kind) =>
      itemsAt(generator, kind, 'generators').flatMap((inner) => generatorsIn([inner])),
    ),
  ]);
}

/** The namespace of the Cluster of Rancher itself, which is the only one there. */
const FLEET_LOCAL = 'fleet-local';

/** @see rancher/fleet:pkg/apis/fleet.cattle.io/v1alpha1/gitrepo_types.go GitRepoSpec */
function foldersOfGitRepo({ metadata, spec }: Manifest): ReturnType<Reader> {
  const paths = textsAt(spec, 'paths');
  const targets = itemsAt(spec, 'targets').filter(isRecord);
  const selected = targets.some(isForAll) ? [] : targets.map(targetText);
  const clusters = metadata.namespace === FLEET_LOCAL ? ['local'] : selected;
  return (paths.length === 0 ? ['./'] : paths).map((path) => ({
    path: path.replace(/^\/+/, ''),
    // without targets, Fleet takes the ClusterGroup default
    clusters: targets.length === 0 && clusters.length === 0 ? ['clusterGroup default'] : clusters,
    isWhole: true,
  }));
}

/** The selectors of a target. @see rancher/fleet GitTarget */
const SELECTORS = ['clusterName', 'clusterGroup', 'clusterSelector', 'clusterGroupSelector'];

/** Whether a target is every cluster of its namespace. */
function isForAll(target: { readonly [field: string]: unknown }): boolean {
  const { clusterName, clusterGroup, clusterGroupSelector, clusterSelector } = target;
  const isOpen = isRecord(clusterSelector) && Object.keys(clusterSelector).length === 0;
  const others = [clusterName, clusterGroup, clusterGroupSelector];
  return isOpen && others.every((selector) => selector === undefined);
}

/** What a target selects: two with the same text select the same clusters. */
function targetText(target: { readonly [field: string]: unknown }): string {
  const { clusterName } = target;
  if (typeof clusterName === 'string') {
    return clusterName;
  }
  return SELECTORS.filter((field) => target[field] !== undefined)
    .map((field) => `${field} ${selectorText(target[field])}`)
    .join(', ');
}

function selectorText(selector: unknown): string {
  if (typeof selector === 'string') {
    return selector;
  }
  const labels = valueAt(selector, 'matchLabels');
  const hasExpressions = valueAt(selector, 'matchExpressions') !== undefined;
  if (!isRecord(labels) || hasExpressions) {
    return JSON.stringify(selector);
  }
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`);
  return pairs.join(',');
}
