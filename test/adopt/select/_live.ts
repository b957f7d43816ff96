import { leaveOut } from '../../../src/adopt/select/leave-out';
import { TargetKind } from '../../../src/core/construct/target';
import { FoundObject, FoundCluster } from '../../../src/core/draft/draft';
import { Manifest } from '../../../src/core/manifest/manifest';

/** Fields of an object; labels, annotations and other metadata among them. */
export interface Fields {
  readonly [field: string]: unknown;
}

/** An object as a server returns it: `path` is `namespace/name`, or the name alone. */
export function live(apiVersion: string, kind: string, path: string, more: Fields = {}): Manifest {
  const { labels, annotations, ownerReferences, managedFields, ...body } = more;
  const slash = path.indexOf('/');
  const metadata = {
    name: path.slice(slash + 1),
    namespace: slash < 0 ? undefined : path.slice(0, slash),
    uid: 'u',
    labels,
    annotations,
    ownerReferences,
    managedFields,
  };
  return {
    apiVersion,
    kind,
    metadata: JSON.parse(JSON.stringify(metadata)) as Manifest['metadata'],
    ...body,
  };
}

export function clusterOf(
  kind: TargetKind,
  manifests: readonly Manifest[],
  name: string = kind,
): FoundCluster {
  return {
    name,
    kind,
    unread: [],
    objects: manifests.map((manifest): FoundObject => ({
      target: name,
      manifest,
      from: `context ${name}`,
    })),
  };
}

/** The objects with the reasons why they are left out: `Kind namespace/name: reason`. */
export function judged(kind: TargetKind, manifests: readonly Manifest[]): string[] {
  const cluster = clusterOf(kind, manifests);
  return cluster.objects.map((object) => line(object.manifest, leaveOut(object, cluster)));
}

/** An object with the reason why it is left out; without one, it is adopted. */
export type Row = readonly [manifest: Manifest, reason?: string];

export function expectReasons(kind: TargetKind, rows: readonly Row[]): void {
  expect(
    judged(
      kind,
      rows.map(([manifest]) => manifest),
    ),
  ).toEqual(rows.map(([manifest, reason]) => line(manifest, reason)));
}

function line(
  { kind, metadata: { namespace, name } }: Manifest,
  reason: string | undefined,
): string {
  return `${kind} ${namespace ? `${namespace}/` : ''}${name}${reason === undefined ? '' : `: ${reason}`}`;
}

export const ownedBy = (kind: string, name: string): Fields => ({
  ownerReferences: [{ apiVersion: 'x/v1', kind, name, uid: 'o' }],
});
