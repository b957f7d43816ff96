import { Manifest, valueAt } from './manifest';

/** Annotation by which Flux keeps an object that is removed. @see fluxcd/kustomize-controller:api/v1/reference_types.go DisabledValue, docs/spec/v1/kustomizations.md */
const FLUX = ['kustomize.toolkit.fluxcd.io/prune', 'disabled'] as const;

/** Annotation by which Helm, and so Fleet, keeps an object. @see helm/helm:pkg/kube/resource_policy.go */
const HELM = ['helm.sh/resource-policy', 'keep'] as const;

/** Annotation of Argo CD: options with commas. @see argoproj/argo-cd:docs/user-guide/sync-options.md */
const ARGO = 'argocd.argoproj.io/sync-options';
const ARGO_OPTIONS: readonly (readonly [name: string, value: string])[] = [['Prune', 'false'], ['Delete', 'false']];

/** A manifest with the annotations by which GitOps engines keep the object; options that it has for Argo CD stay. */
export function asRetained(manifest: Manifest): Manifest {
  const annotations = manifest.metadata.annotations ?? {};
  const others = optionsOf(annotations[ARGO]).filter((option) => !ARGO_OPTIONS.some(([name]) => option.startsWith(`${name}=`)));
  const options = [...others, ...ARGO_OPTIONS.map(([name, value]) => `${name}=${value}`)].join(',');
  const marks = { [ARGO]: options, [FLUX[0]]: FLUX[1], [HELM[0]]: HELM[1] };
  return { ...manifest, metadata: { ...manifest.metadata, annotations: { ...annotations, ...marks } } };
}

/** Whether an object carries all of these: no engine deletes it. */
export function isRetained(manifest: Manifest): boolean {
  // rules judge manifests of any form
  const annotation = (key: string): unknown => valueAt(manifest, 'metadata', 'annotations', key);
  return [FLUX, HELM].every(([key, value]) => annotation(key) === value) && optionsOf(annotation(ARGO)).includes('Prune=false');
}

function optionsOf(text: unknown): string[] {
  return typeof text === 'string' ? text.split(',').map((option) => option.trim()).filter((option) => option !== '') : [];
}
