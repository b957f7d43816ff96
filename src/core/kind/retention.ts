import { KindIdentity } from './description/identity';
import { DeletionNote, Holding, KeptObjects, KindRemoval } from './description/removal';
import { KindDescription } from './kind';
import { allKinds, apiVersionOf, kindOf } from './kinds';
import { TargetKind } from '../construct/target';
import { Manifest, annotationsOf, itemsAt, valueAt } from '../manifest/manifest';
import { anyText } from '../text/plain-text';

/**
 * Annotation by which Flux keeps an object that is removed.
 * @see fluxcd/kustomize-controller:api/v1/reference_types.go DisabledValue, docs/spec/v1/kustomizations.md
 */
const FLUX = ['kustomize.toolkit.fluxcd.io/prune', 'disabled'] as const;

/**
 * Annotation by which Helm, and so Fleet, keeps an object.
 * @see helm/helm:pkg/kube/resource_policy.go
 */
const HELM = ['helm.sh/resource-policy', 'keep'] as const;

/**
 * Annotation of Argo CD: options with commas.
 * @see argoproj/argo-cd:docs/user-guide/sync-options.md
 */
const ARGO = 'argocd.argoproj.io/sync-options';
const ARGO_OPTIONS: readonly (readonly [name: string, value: string])[] = [
  ['Prune', 'false'],
  ['Delete', 'false'],
];

/** Why an object remains that no engine delivers. */
export const LEFT_TO_APPLY = 'no engine delivers it: apply deletes or resets it';

const ENGINES = ['argo', 'flux', 'helm'] as const;

/** What keeps an object: the annotation of one of these. */
export type Keeper = (typeof ENGINES)[number];

/**
 * A manifest with the annotations by which GitOps engines keep the object, Fleet by Helm; options
 * that it has for Argo CD are kept.
 */
export function asRetained(manifest: Manifest, ...engines: readonly Keeper[]): Manifest {
  const marks = { argo: [ARGO, argoOptions(manifest)], flux: FLUX, helm: HELM } as const;
  return annotated(
    manifest,
    Object.fromEntries((engines.length > 0 ? engines : ENGINES).map((engine) => marks[engine])),
  );
}

/** The annotations that `asRetained` adds to an object without any. */
export const RETENTION_MARKS: ReadonlyMap<string, string> = new Map([
  [ARGO, ARGO_OPTIONS.map(([name, value]) => `${name}=${value}`).join(',')],
  FLUX,
  HELM,
]);

/**
 * A manifest without the annotations of `asRetained` that the live object lacks: they are for
 * GitOps engines. `apply` keeps objects by its inventory, and changes none for the annotations
 * alone.
 */
export function withoutNewMarks(manifest: Manifest, live: Manifest): Manifest {
  const { annotations = {} } = manifest.metadata;
  const there = annotationsOf(live);
  const left = Object.entries(annotations).filter(
    ([key, value]) => RETENTION_MARKS.get(key) !== value || Object.hasOwn(there, key),
  );
  if (left.length === Object.keys(annotations).length) {
    return manifest;
  }
  const { annotations: _, ...metadata } = manifest.metadata;
  return {
    ...manifest,
    metadata: {
      ...metadata,
      ...(left.length > 0 ? { annotations: Object.fromEntries(left) } : {}),
    },
  };
}

function argoOptions({ metadata }: Manifest): string {
  const { annotations = {} } = metadata;
  const others = optionsOf(annotations[ARGO]).filter(
    (option) => !ARGO_OPTIONS.some(([name]) => option.startsWith(`${name}=`)),
  );
  return [...others, ...ARGO_OPTIONS.map(([name, value]) => `${name}=${value}`)].join(',');
}

/** A manifest with more annotations. */
export function annotated(manifest: Manifest, more: { readonly [name: string]: string }): Manifest {
  return {
    ...manifest,
    metadata: { ...manifest.metadata, annotations: { ...manifest.metadata.annotations, ...more } },
  };
}

/**
 * Whether an object carries what keeps it where an engine prunes each stage by itself: Flux, Fleet.
 */
export function isKeptInStages(manifest: Manifest): boolean {
  return [FLUX, HELM].some(
    ([key, value]) => valueAt(manifest, 'metadata', 'annotations', key) === value,
  );
}

/** Whether an object carries any of these: the engine that it was written for keeps it. */
export function isKeptByEngine(manifest: Manifest): boolean {
  return (
    isKeptInStages(manifest) ||
    optionsOf(valueAt(manifest, 'metadata', 'annotations', ARGO)).includes('Prune=false')
  );
}

function optionsOf(text: unknown): string[] {
  return typeof text === 'string'
    ? text
        .split(',')
        .map((option) => option.trim())
        .filter((option) => option !== '')
    : [];
}

/** Whether an object that an apply would reset has its default: nothing is left to reset. */
export function hasDefault(manifest: Manifest): boolean {
  return kindOf<KindRemoval>(manifest)?.reset?.isDone(manifest, {}) === true;
}

const holdingRow = (manifest: Manifest): Holding | undefined =>
  kindOf<KindRemoval>(manifest)?.holds?.find(({ when }) => when?.(manifest) ?? true);

/** What an object holds; undefined for an object that can be recreated without a loss. */
export function holdingOf(manifest: Manifest): Pick<Holding, 'holds' | 'what'> | undefined {
  const row = holdingRow(manifest);
  return row && { holds: row.holds, what: row.what };
}

/**
 * The loss with an object that an apply deletes only with explicit consent. Undefined for all
 * others.
 */
export function lostWith(manifest: Manifest): string | undefined {
  const row = holdingRow(manifest);
  return row?.asks ? row.what : undefined;
}

/** Whether `lostWith` names a loss for every object of a kind. */
export function alwaysAsks(kind: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
  const rows = kindOf<KindRemoval>(kind)?.holds ?? [];
  return rows.length > 0 && rows.every(({ asks }) => asks);
}

/** The kinds that a namespace of a target is searched for before it is deleted. */
export function searchedKinds(
  target: `${TargetKind}`,
): readonly (readonly [apiVersion: string, kind: string])[] {
  return allKinds()
    .filter(({ holds }) =>
      holds?.some(({ searchedOn }) => searchedOn?.includes(target as TargetKind)),
    )
    .map(nameOf);
}

/**
 * The kinds that name cloud credentials and the Secrets of machine configs.
 * @see rancher/rancher:pkg/apis/provisioning.cattle.io/v1 cloudCredentialSecretName, pkg/apis/management.cattle.io/v3 NodeTemplateSpec
 */
export function credentialUsers(): readonly (readonly [apiVersion: string, kind: string])[] {
  return allKinds()
    .filter(({ usesCredentials }) => usesCredentials)
    .map(nameOf);
}

function nameOf(description: KindDescription): readonly [apiVersion: string, kind: string] {
  return [apiVersionOf(description), description.kind];
}

/**
 * The kinds whose objects run something, and that no one recreates unless a controller owns them.
 */
export function workloadKinds(): readonly (readonly [apiVersion: string, kind: string])[] {
  return allKinds()
    .filter(({ isWorkload }) => isWorkload)
    .map(nameOf);
}

/** Why a server refuses to reset a live object. */
export function refusedReset(live: Manifest): string | undefined {
  return kindOf<KindRemoval>(live)?.reset?.refused?.(live);
}

/** The kind of the owner that an object names, or gets from its server. */
export function ownerKindOf(manifest: Manifest): string | undefined {
  const [declared] = itemsAt(manifest.metadata, 'ownerReferences');
  return anyText(valueAt(declared, 'kind')) ?? kindOf<KindRemoval>(manifest)?.serverOwner;
}

/**
 * Why Argo CD does not delete an object that leaves the output; undefined for an object without an
 * owner. Only objects without one count as its own.
 * @see argoproj/argo-cd:gitops-engine/pkg/cache/cluster.go GetManagedLiveObjs
 */
export function remainsInArgoCd(manifest: Manifest): string | undefined {
  const owner = ownerKindOf(manifest);
  return owner !== undefined
    ? `Argo CD deletes no object that has an owner, and this one gets a ${owner}: it remains until that is deleted, or until you delete it by hand`
    : undefined;
}

/** What deleting an object means, by the name that its construct notes. */
export function namedDeletion(
  kind: Pick<Manifest, 'apiVersion' | 'kind'>,
  name: string,
): DeletionNote {
  const note = kindOf<KindRemoval>(kind)?.deletions?.[name];
  if (!note) {
    throw new Error(`the description of ${kind.kind} has no deletion ${name}`);
  }
  return note;
}

/**
 * Why an object is kept unless the program deletes it explicitly; undefined for an object that is
 * deleted.
 */
export function retainedByDefault(manifest: Manifest): string | undefined {
  return kindOf<KindRemoval>(manifest)?.kept?.find(
    ({ onlyLive, onlyEngines, when }) => !onlyLive && !onlyEngines && (when?.(manifest) ?? true),
  )?.says;
}

/**
 * Why a live object is never deleted, whatever the program declares; undefined for an object that
 * may be deleted.
 */
export function neverDeleted(live: Manifest): Pick<KeptObjects, 'says' | 'passes'> | undefined {
  return kindOf<KindRemoval>(live)?.kept?.find(
    ({ never, onlyEngines, when }) => never && !onlyEngines && (when?.(live) ?? true),
  );
}

/** Why engines must never delete an object although an apply may, by what is live. */
export function neverDeletedByEngines(manifest: Manifest): string | undefined {
  return kindOf<KindRemoval>(manifest)?.kept?.find(
    ({ onlyEngines, when }) => onlyEngines && (when?.(manifest) ?? true),
  )?.says;
}

/** What identifies the kind of an object. */
interface KindOfObject {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Whether an object must exist before it is written: an apply changes it, but never creates it. */
export function mustExist(object: KindOfObject & { readonly deletion?: DeletionNote }): boolean {
  return (
    object.deletion?.policy === 'reset' || kindOf<KindIdentity>(object)?.neverCreated !== undefined
  );
}

/** The message on an object that must exist, and does not. */
export function missingText(object: KindOfObject & { readonly name: string }): string {
  const { says, fix } = kindOf<KindIdentity>(object)?.neverCreated ?? {
    says: 'only its product creates it',
    fix: 'use a version that has it',
  };
  return `${object.kind} ${object.name} does not exist on this cluster, and ${says}. Fix: ${fix}`;
}
