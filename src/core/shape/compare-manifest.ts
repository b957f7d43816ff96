import { kindComparer, IsAtLeast, KindComparison } from './compare-shape';
import { EVERY_VERSION, KnownKind, knownKinds } from './shape-node';
import { Manifest, byKind } from '../manifest/manifest';
import { byObject, attempt } from '../text/values';
import { Semver, compareSemver, parseSemver } from '../version/semver';

/** The products that run on a target. */
export interface Products {
  /** The product that serves the API. */
  readonly kind?: 'rancher' | 'harvester' | 'guest';
  readonly rancherVersion?: string;
  readonly harvesterVersion?: string;
  readonly kubernetesVersion?: string;
}

/** The structure of the kind of an object; undefined if it is not known. */
export function knownKindOf({
  apiVersion,
  kind,
}: Pick<Manifest, 'apiVersion' | 'kind'>): KnownKind | undefined {
  return knownKinds().get(`${apiVersion}/${kind}`);
}

const comparerOn = byObject((target: Products) =>
  byKind((_, object) => {
    const kind = knownKindOf(object);
    return kind === undefined || isEmbedded(kind, target)
      ? () => undefined
      : kindComparer(kind, isAtLeast(kind, target));
  }),
);

/**
 * Compares an object with the shape of its kind on a target. Undefined where nothing differs, or
 * nothing is known.
 */
export function compareManifest(
  manifest: Pick<Manifest, 'apiVersion' | 'kind'>,
  target: Products,
): KindComparison | undefined {
  return comparerOn(target)(manifest)(manifest);
}

/** The field of a target with the version that decides for the kinds of a product. */
const VERSION_FIELDS = {
  rancher: 'rancherVersion',
  harvester: 'harvesterVersion',
  // no version changes the shape of a kind of guest clusters
  guest: 'rancherVersion',
  kubernetes: 'kubernetesVersion',
} as const satisfies { readonly [product in KnownKind['product']]: keyof Products };

/** Which Rancher a Harvester contains is not known. */
function isEmbedded({ product, versions }: KnownKind, target: Products): boolean {
  return product === 'rancher' && target.kind === 'harvester' && versions[0].from !== EVERY_VERSION;
}

function isAtLeast({ product, versions }: KnownKind, target: Products): IsAtLeast {
  if (versions.length === 1 && versions[0].from === EVERY_VERSION) {
    return () => true;
  }
  const version = parsed(target[VERSION_FIELDS[product]]);
  return (from) => (version === undefined ? undefined : compareSemver(version, parsed(from)!) >= 0);
}

const VERSION = { what: 'version', example: '2.13.8', distributions: true };
const versions = new Map<string, Semver | undefined>();

/** Undefined for what is not given, or is not the version of a release: other rules report that. */
function parsed(text: string | undefined): Semver | undefined {
  if (text === undefined) {
    return undefined;
  }
  if (!versions.has(text)) {
    versions.set(
      text,
      attempt(() => parseSemver(text, VERSION)),
    );
  }
  return versions.get(text);
}
