import { adopt } from '../../../src/adopt/adopt';
import { foundId } from '../../../src/adopt/evaluate/statements';
import { FoundObject, FoundCluster } from '../../../src/core/draft/draft';
import {
  FieldPath,
  at,
  groupOf,
  isRecord,
  kindKey,
  pathText,
} from '../../../src/core/manifest/manifest';
import { collect } from '../../../src/core/synthesis/collect';
import { someOf } from '../../support/cases';
import { CONSTRUCTIONS, baseOf } from '../_inverses';
import { foundIn } from '../_round-trip';

/** A field that no release has yet. */
const FIELD = 'notInAnyRelease';
const VALUE = { enabled: true, targets: ['a', 'b'], limit: 3 };

/** At most this many places in an object of a kind: each takes its time. */
const MOST = 12;

interface Base {
  readonly clusters: readonly FoundCluster[];
  readonly object: FoundObject;
}

/** The first live object of each kind that constructs write, with what was found next to it. */
const bases = new Map<string, Base>();
for (const entry of CONSTRUCTIONS.values()) {
  const place = baseOf(entry);
  const clusters = place ? foundIn(place) : [];
  for (const object of clusters.flatMap(({ objects }) => objects)) {
    const { apiVersion, kind } = object.manifest;
    const key = kindKey(groupOf(apiVersion), kind);
    if (!bases.has(key) && kind !== 'Secret' && kind !== 'Namespace') {
      bases.set(key, { clusters, object });
    }
  }
}

/** The paths of all maps below the fields of an object, except for those of texts. */
function mapsIn(value: unknown, path: FieldPath): FieldPath[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => mapsIn(item, [...path, index]));
  }
  if (!isRecord(value)) {
    return [];
  }
  const nested = Object.entries(value).flatMap(([key, each]) => mapsIn(each, [...path, key]));
  return Object.values(value).every((each) => typeof each === 'string') && path.length > 1
    ? nested
    : [path, ...nested];
}

test.each(someOf([...bases.keys()], 6))('keeps fields of a newer release in %s', (kind) => {
  const { clusters, object } = bases.get(kind)!;
  const { metadata: _, apiVersion: __, kind: ___, status: ____, ...fields } = object.manifest;
  const paths = Object.entries(fields).flatMap(([key, value]) => mapsIn(value, [key]));
  for (const path of paths.length > 0
    ? paths.slice(0, MOST).map((each) => [...each, FIELD])
    : [[FIELD]]) {
    const manifest = structuredClone(object.manifest);
    Object.assign(path.length === 1 ? manifest : (at(manifest, path.slice(0, -1)) as object), {
      [FIELD]: VALUE,
    });
    const newer = (each: FoundObject): FoundObject =>
      each === object ? { ...each, manifest } : each;
    const adopted = adopt(
      clusters.map((cluster) => ({ ...cluster, objects: cluster.objects.map(newer) })),
    );
    if (adopted.leftOut.has(foundId(object))) {
      continue;
    }
    const rendered = collect(adopted.evaluated.app).objects.find(
      ({ id }) => id === foundId(object),
    );
    expect({
      path: pathText(path),
      differences: [...adopted.differences],
      value: rendered && at(rendered.manifest, path),
    }).toEqual({ path: pathText(path), differences: [], value: VALUE });
  }
});
