import { createHash } from 'crypto';
import { IConstruct } from 'constructs';
import { Adopted, adopt } from '../../src/adopt/adopt';
import { ALL_INVERSES } from '../../src/adopt/inverses/all-inverses';
import { TargetKind } from '../../src/core/construct/target';
import { FoundObject, FoundCluster, idOfName, nameOf } from '../../src/core/draft/draft';
import { complete, completeText } from '../../src/core/late/late-text';
import { isLate, mayBecome } from '../../src/core/late/late-token';
import {
  Manifest,
  at,
  groupOf,
  isRecord,
  kindKey,
  pathOf,
  replacedAt,
  sameValue,
} from '../../src/core/manifest/manifest';
import { API_VERSIONS } from '../../src/core/manifest/names';
import { collect } from '../../src/core/synthesis/collect';
import { LateValue } from '../../src/core/value/late-value';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from '../../src/rancher/cluster/cluster.facts';
import { Place } from '../props/_place';

/** What a program declares, as if it were found on its clusters. */
export function foundIn({ app, versions }: Place): FoundCluster[] {
  const { targets, objects } = collect(app);
  const values = valuesIn(app);
  const found = (target: string): FoundObject[] =>
    objects
      .filter((object) => object.target.targetName === target)
      .map(({ manifest }) => ({
        target,
        manifest: live(complete(JSON.parse(JSON.stringify(manifest)) as Manifest, values), values),
        from: 'the program',
      }));
  const known = {
    [TargetKind.RANCHER]: { version: versions.rancher, serverUrl: 'https://rancher.example.com' },
    [TargetKind.HARVESTER]: { version: versions.harvester },
    [TargetKind.GUEST]: { version: 'v1.33.6+rke2r1' },
  };
  return targets.map((target) => ({
    name: target.targetName,
    kind: target.targetKind,
    ...known[target.targetKind],
    objects: found(target.targetName),
    unread: [],
    ...(target.targetKind === TargetKind.HARVESTER
      ? { vip: (target as unknown as { vip?: string }).vip }
      : {}),
  }));
}

/** What live clusters would know, by the IDs of late values. */
function valuesIn(app: IConstruct): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const late of app.node.findAll().filter(LateValue._isLateValue)) {
    values.set(late.lateId, valueOf(late, values));
  }
  return values;
}

function valueOf(
  { lateId, source: { object, path, content } }: LateValue,
  values: ReadonlyMap<string, string>,
): string {
  if (content !== undefined) {
    return completeText(content, values);
  }
  const { namespace = '', name = '' } = object ?? {};
  const id = (text: string, length: number): string =>
    createHash('sha256').update(text).digest('hex').slice(0, length);
  if (path === 'status.clusterName') {
    return `c-m-${id(`${namespace}/${name}`, 8)}`;
  }
  if (path === 'status.manifestUrl') {
    return `https://rancher.example.com/v3/import/${id(lateId, 54)}_${completeText(namespace, values)}.yaml`;
  }
  return path?.includes('metadata.name') ? `p-${id(lateId, 5)}` : id(lateId, 20);
}

/** A Cluster as Rancher shows it, with its ID. */
function live(manifest: Manifest, values: ReadonlyMap<string, string>): Manifest {
  const {
    apiVersion,
    kind,
    metadata: { name, namespace, annotations = {} },
  } = manifest;
  if (apiVersion !== API_VERSIONS.PROVISIONING || kind !== 'Cluster') {
    return manifest;
  }
  const late = valueOf(
    {
      lateId: name,
      source: { object: { namespace, name }, path: 'status.clusterName' },
    } as LateValue,
    values,
  );
  return {
    ...manifest,
    status: { clusterName: annotations[ANNOTATION_MANAGEMENT_CLUSTER_NAME] ?? late },
  };
}

/** What adopting a program made of it. */
export interface RoundTrip {
  readonly adopted: Adopted;
  /**
   * The statements that are not the construct that a user would write: classes that are ApiObject,
   * and constructs with patches.
   */
  readonly poor: readonly string[];
  /** Objects that the adopted program renders otherwise, or not at all. */
  readonly wrong: readonly string[];
}

/** Adopts what a program declares, and compares what both programs render. */
export function roundTrip(place: Place): RoundTrip {
  const clusters = foundIn(place);
  const adopted = adopt(clusters);
  const rendered = new Map(
    collect(adopted.evaluated.app).objects.map(({ id, manifest }) => [id, manifest]),
  );
  const before = new Map(
    clusters.flatMap(({ objects }) =>
      objects.map((object) => {
        const { status: _, ...manifest } = object.manifest;
        return [idOfName(nameOf(object)), manifest as Manifest] as const;
      }),
    ),
  );
  const wrong = [
    ...[...before]
      .filter(([id]) => !adopted.leftOut.has(id))
      .flatMap(([id, manifest]) => {
        const after = rendered.get(id);
        return after &&
          sameValue(
            filledIn(plain(withoutDefaults(after)), plain(withoutDefaults(manifest))),
            plain(withoutDefaults(manifest)),
          )
          ? []
          : [
              `${id}: ${after ? `${JSON.stringify(manifest)} became ${JSON.stringify(after)}` : 'is missing'}`,
            ];
      }),
    ...[...rendered.keys()].filter((id) => !before.has(id)).map((id) => `${id}: is new`),
  ];
  const poor = adopted.statements.all().flatMap(({ draft, patches: own, parts }) => {
    const patches = [...own, ...parts.flatMap((part) => part.patches)];
    const of = draft.declares
      .map(({ manifest }) => `${manifest.kind} ${manifest.metadata.name}`)
      .join(', ');
    const why = [...adopted.dropped]
      .filter(([id]) =>
        draft.declares.some(({ manifest }) => id.endsWith(`/${manifest.metadata.name}`)),
      )
      .flatMap(([, reasons]) => reasons);
    if (draft.type === 'ApiObject') {
      return [`ApiObject for ${of}${why.length > 0 ? ` (${why.join('; ')})` : ''}`];
    }
    return patches.length > 0
      ? [
          `${draft.type} for ${of} has patches: ${patches.map(({ op, path }) => `${op} ${path}`).join(', ')}`,
        ]
      : [];
  });
  return { adopted, poor, wrong };
}

/** With the texts of the other value in place of late ones that may become them. */
function filledIn(value: unknown, other: unknown): unknown {
  if (typeof value === 'string') {
    return typeof other === 'string' && isLate(value) && mayBecome(value, other) ? other : value;
  }
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      filledIn(item, Array.isArray(other) ? other[index] : undefined),
    );
  }
  if (!isRecord(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      filledIn(each, isRecord(other) ? other[key] : undefined),
    ]),
  );
}

/** Without values that servers fill in, too. */
function withoutDefaults(manifest: Manifest): Manifest {
  const kind = kindKey(groupOf(manifest.apiVersion), manifest.kind);
  const fields = ALL_INVERSES.filter(({ kinds }) => kinds.includes(kind)).flatMap(({ defaults }) =>
    Object.entries(defaults ?? {}),
  );
  const found = fields.filter(([pattern, value]) =>
    sameValue(at(manifest, pathOf(pattern)), value),
  );
  return found.reduce((rest, [pattern]) => replacedAt(rest, pathOf(pattern), undefined), manifest);
}

/** Without values that mean the same as none. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(plain);
  }
  if (!isRecord(value)) {
    return value === 0 || value === false || value === '' ? undefined : value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, each]) => [key, plain(each)])
      .filter(([, each]) => each !== undefined),
  );
}
