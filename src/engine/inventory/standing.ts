import { scryptSync } from 'crypto';
import { isRewrittenField, rewrittenFields } from '../../core/construct/object-notes';
import { at, isRecord, Manifest, patternOf, replacedAt } from '../../core/manifest/manifest';
import { AssemblyObject } from '../../core/output/assembly';
import { LiveObject } from '../cluster/cluster';
import { isFormerLabel } from '../fields/apply-set';
import {
  Difference,
  differences,
  meansTheSame,
  withLiveQuantities,
} from '../fields/compare-desired';
import { OwnedFields, ownedBy } from '../fields/managed-fields';
import { Written, canonical, isOf } from '../secret/digest';

/** The known facts about an object besides its manifest. */
interface StandingOptions {
  readonly fieldManager: string;
  /** Paths that controllers rewrite, as in the assembly. */
  readonly othersWrite?: readonly string[];
  /** The digest of the last write, from the inventory. */
  readonly written?: Written;
}

/** How a live object differs from the program. */
export interface Standing {
  /** Whether it is as declared and owned by the app: neither a write nor a dry run is needed. */
  readonly same: boolean;
  /** Whether an earlier apply of the app wrote it. */
  readonly ours: boolean;
  readonly differences: readonly Difference[];
  /**
   * The manifest to send: fields that controllers rewrote have their live values, so that the app
   * does not fight them.
   */
  readonly manifest: Manifest;
}

/**
 * Compares a live object with its manifest by the field managers of the object: no request is
 * needed if nothing changed. A difference may still mean the same to the server, which a dry run
 * shows.
 */
export function standingOf(
  desired: Manifest,
  live: LiveObject,
  options: StandingOptions,
): Standing {
  const manifest = withData(desired);
  const owned =
    ownedBy(live, options.fieldManager) ??
    (saysNothing(manifest, live) ? NOTHING_OWNED : undefined);
  const found = differences(manifest, live, owned);
  const others = rewritten(manifest, options, found);
  const ignored = found.filter(
    (difference) =>
      difference.after !== undefined &&
      (meansTheSame(live, difference.path, difference.before, difference.after) ||
        (owned !== undefined && others.includes(difference))),
  );
  const left = found.filter((difference) => !ignored.includes(difference));
  const counts = left.some(
    ({ path, before }) => !isFormerLabel(path, before, options.fieldManager),
  );
  return {
    same: owned !== undefined && !counts,
    ours: owned !== undefined,
    differences: counts || owned === undefined ? left : [],
    manifest: ignored.reduce(
      (sent, { path, before }) => replacedAt(sent, path, before),
      withLiveQuantities(manifest, live),
    ),
  };
}

/**
 * A digest of the declared values of fields that controllers rewrite: the live object no longer
 * contains them. Undefined if there are none. Slow to compute, since such fields hold credentials
 * that must not be guessed.
 */
export function writtenDigest(
  manifest: Manifest,
  othersWrite: readonly string[] = [],
): string | undefined {
  const values = rewrittenFields(manifest, othersWrite).map((path) => [path, at(manifest, path)]);
  if (values.length === 0) {
    return undefined;
  }
  const { apiVersion, kind } = manifest;
  const { namespace, name } = manifest.metadata;
  return scryptSync(
    canonical(values),
    `cdk8s-harvester ${apiVersion} ${kind} ${namespace ?? ''}/${name}`,
    16,
    { N: 1024 },
  ).toString('hex');
}

/**
 * Whether the inventory keeps digests of any of these objects: the program sets fields that
 * controllers rewrite.
 */
export function keepsDigests(
  objects: readonly Pick<AssemblyObject, 'id' | 'othersWrite'>[],
  manifests: ReadonlyMap<string, Manifest>,
): boolean {
  return objects.some(
    ({ id, othersWrite = [] }) => rewrittenFields(manifests.get(id)!, othersWrite).length > 0,
  );
}

const NOTHING_OWNED: OwnedFields = { fields: new Map(), items: [], values: [] };

/**
 * An object with only a name, or with values that its product stores as absent: servers record no
 * field manager for it.
 */
function saysNothing(manifest: Manifest, live: LiveObject): boolean {
  const {
    apiVersion: _,
    kind: __,
    metadata: { name: ___, namespace: ____, ...metadata },
    ...fields
  } = manifest;
  return (
    Object.keys(metadata).length === 0 &&
    Object.entries(fields).every(([field, value]) => meansTheSame(live, [field], undefined, value))
  );
}

/** Differences that controllers made by rewriting fields whose declared values did not change. */
function rewritten(
  manifest: Manifest,
  { othersWrite = [], written }: StandingOptions,
  found: readonly Difference[],
): readonly Difference[] {
  const patterns = othersWrite.map(patternOf);
  const lost = found.filter(
    ({ owned, path }) => !owned && patterns.some((pattern) => isRewrittenField(pattern, path)),
  );
  return lost.length > 0 &&
    written !== undefined &&
    isOf(written, writtenDigest(manifest, othersWrite))
    ? lost
    : [];
}

/**
 * A Secret as servers store it: text in `data`.
 * @see k8s.io/kubernetes:pkg/apis/core/v1/conversion.go Convert_v1_Secret_To_core_Secret
 */
function withData(manifest: Manifest): Manifest {
  if (
    manifest.apiVersion !== 'v1' ||
    manifest.kind !== 'Secret' ||
    !isRecord(manifest.stringData)
  ) {
    return manifest;
  }
  const { stringData, data, ...rest } = manifest;
  const encoded = Object.entries(stringData as object).map(([key, text]) => [
    key,
    Buffer.from(String(text ?? ''), 'utf8').toString('base64'),
  ]);
  return {
    ...rest,
    data: { ...(isRecord(data) ? data : {}), ...Object.fromEntries(encoded) },
  } as Manifest;
}
