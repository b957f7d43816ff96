import { AdoptNote } from './adopt-note';
import { FoundCluster, FoundObject } from '../../core/draft/draft';
import {
  annotationsOf,
  groupOf,
  kindKey,
  labelsOf,
  Manifest,
  objectLabel,
} from '../../core/manifest/manifest';
import { filledText, some } from '../../core/text/plain-text';
import { deliveriesOf } from '../../engine/files/deliveries';
import { ANNOTATION_TRACKING_ID, isFromFile, isOfFlux } from '../select/marks';

/** How an object of an engine stops to deliver, and leaves what it delivered, by `group/Kind`. */
const WITHOUT_DELETION: { readonly [kind: string]: string } = {
  // @see fluxcd/kustomize-controller:docs/spec/v1/kustomizations.md Prune
  'kustomize.toolkit.fluxcd.io/Kustomization': 'set spec.prune: false, then remove it',
  // @see argoproj/argo-cd:docs/user-guide/app_deletion.md
  'argoproj.io/Application':
    'remove it without its resources: argocd app delete <name> --cascade=false',
  // @see argoproj/argo-cd:docs/operator-manual/applicationset/Application-Deletion.md
  'argoproj.io/ApplicationSet':
    'set spec.syncPolicy.preserveResourcesOnDeletion: true, then remove it',
  // @see rancher/fleet:pkg/apis/fleet.cattle.io/v1alpha1/gitrepo_types.go KeepResources
  'fleet.cattle.io/GitRepo': 'set spec.keepResources: true, then remove it',
};

/** The Kustomization by which Flux delivers itself remains: what it delivers leaves its folder. */
const OF_FLUX =
  'set its spec.prune: false, then replace the files in its folder with the output of the program';

/**
 * The labels by which Flux knows what a Kustomization delivers.
 * @see fluxcd/kustomize-controller:docs/spec/v1/kustomizations.md
 */
const FLUX = {
  NAME: 'kustomize.toolkit.fluxcd.io/name',
  NAMESPACE: 'kustomize.toolkit.fluxcd.io/namespace',
} as const;

/** How many objects and folders are named. */
const MOST = 3;

/**
 * The objects by which GitOps engines go on delivering what the program declares: both would write
 * it. On a live cluster, the delivered objects show it; in files, it can only be that the folder is
 * the one that was read. Fleet marks its objects too, which are left out for that.
 */
export function deliverersOf(
  clusters: readonly FoundCluster[],
  isAdopted: (object: FoundObject) => boolean,
): readonly AdoptNote[] {
  const all = clusters.flatMap(({ objects }) => objects);
  const delivered = new Map<string, string[]>();
  for (const { manifest } of all.filter(isAdopted)) {
    const by = delivererOf(manifest);
    if (by !== undefined) {
      delivered.set(by, [...(delivered.get(by) ?? []), objectLabel(manifest)]);
    }
  }
  return all.flatMap((object): AdoptNote[] => {
    const { target, manifest } = object;
    const stop = WITHOUT_DELETION[kindKey(groupOf(manifest.apiVersion), manifest.kind)];
    const what = stop === undefined ? undefined : whatOf(manifest, delivered);
    if (what === undefined) {
      return [];
    }
    const own = isAdopted(object) ? '. The program declares it as it is: remove it there, too' : '';
    const how = isOfFlux(manifest) ? OF_FLUX : stop.replace('<name>', manifest.metadata.name);
    const message = `${what}: before the program delivers them, ${how}${own}`;
    return [{ target, object: objectLabel(manifest), message }];
  });
}

/** What an object of an engine delivers of what is adopted; undefined if that is nothing. */
function whatOf(
  manifest: Manifest,
  delivered: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  const objects = namesOf(manifest).flatMap((name) => delivered.get(name) ?? []);
  if (objects.length > 0) {
    return `delivers ${objects.length} of the adopted objects (${some(objects, MOST)})`;
  }
  const paths = deliveriesOf(manifest, '').map(({ path }) => path);
  return isFromFile(manifest) && paths.length > 0
    ? `may deliver the adopted files (from ${some(paths, MOST)})`
    : undefined;
}

/** The names by which delivered objects may refer to an object of an engine. */
function namesOf({ kind, metadata }: Manifest): readonly string[] {
  const { namespace, name } = metadata;
  return kind === 'Application'
    ? [`${kind} ${name}`, `${kind} ${namespace}_${name}`]
    : [`${kind} ${namespace}/${name}`];
}

/** What delivers an object, by the marks on it. */
function delivererOf(manifest: Manifest): string | undefined {
  const labels = labelsOf(manifest);
  const [name, namespace] = [filledText(labels[FLUX.NAME]), filledText(labels[FLUX.NAMESPACE])];
  if (name !== undefined && namespace !== undefined) {
    return `Kustomization ${namespace}/${name}`;
  }
  const id = filledText(annotationsOf(manifest)[ANNOTATION_TRACKING_ID]);
  return id === undefined ? undefined : `Application ${id.split(':')[0]}`;
}
