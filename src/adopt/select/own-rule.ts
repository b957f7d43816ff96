import { TargetKind } from '../../core/construct/target';
import { FoundCluster } from '../../core/draft/draft';
import { KindFields } from '../../core/kind/description/fields';
import { KindIdentity } from '../../core/kind/description/identity';
import { kindOf } from '../../core/kind/kinds';
import {
  Manifest,
  groupOf,
  idOf,
  isRecord,
  kindKey,
  labelsOf,
  valueAt,
  itemsAt,
} from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { textOrEmpty } from '../../core/text/plain-text';
import { byObject, lazily, jsonOf } from '../../core/text/values';
import { ANNOTATION_VOLUME_CLAIMS } from '../../harvester/virtual-machine/machine-manifest.facts';

/** Objects that someone else than the user writes. */
export interface OwnRule {
  /** The kinds of clusters. @default - all */
  readonly on?: readonly TargetKind[];
  /** The kinds of objects, as `group/Kind`. */
  readonly kinds: readonly string[];
  /** @default - all objects of the kinds */
  readonly when?: (manifest: Manifest, around: Around) => boolean;
  /** Why they are left out, as a clause without its subject. */
  readonly says: string;
}

/** What a cluster has, for rules that look at other objects. */
export class Around {
  /** The look-ups of a cluster, made once. */
  public static of = byObject((cluster: FoundCluster) => new Around(cluster));
  private readonly byKind = lazily(() => {
    const kinds = new Map<string, Manifest[]>();
    for (const { manifest } of this.cluster.objects) {
      const key = kindKey(groupOf(manifest.apiVersion), manifest.kind);
      const list = kinds.get(key) ?? [];
      kinds.set(key, list);
      list.push(manifest);
    }
    return kinds;
  });
  private readonly byName = lazily(
    () =>
      new Map(
        this.cluster.objects.map(({ manifest }) => {
          const { namespace, name } = manifest.metadata;
          return [idOf('', groupOf(manifest.apiVersion), manifest.kind, namespace, name), manifest];
        }),
      ),
  );
  private readonly claims = lazily(
    () =>
      new Set(
        this.ofKind('kubevirt.io/VirtualMachine').flatMap((machine) =>
          claimsOf(machine).map((claim) => `${machine.metadata.namespace}/${claim}`),
        ),
      ),
  );
  private readonly clusters = lazily(
    () =>
      new Set([
        ...this.ofKind(`${GROUPS.MANAGEMENT}/Cluster`).map(({ metadata }) => metadata.name),
        ...this.ofKind(`${GROUPS.PROVISIONING}/Cluster`).map((cluster) =>
          String(valueAt(cluster, 'status', 'clusterName') ?? ''),
        ),
      ]),
  );

  private constructor(public readonly cluster: FoundCluster) {}

  public ofKind(key: string): readonly Manifest[] {
    return this.byKind().get(key) ?? [];
  }

  public find(group: string, kind: string, name: string, namespace?: string): Manifest | undefined {
    return this.byName().get(idOf('', group, kind, namespace, name));
  }

  /** Whether a virtual machine creates a claim by its templates. */
  public isOfMachine({ metadata }: Manifest): boolean {
    const { namespace, name } = metadata;
    return this.claims().has(`${namespace}/${name}`);
  }

  /** Whether Rancher knows a cluster by an ID. */
  public hasCluster(id: string): boolean {
    return this.clusters().has(id);
  }
}

/** The names of the claims that a virtual machine creates. */
function claimsOf({ metadata }: Manifest): string[] {
  const { annotations } = metadata;
  return itemsAt(jsonOf(annotations?.[ANNOTATION_VOLUME_CLAIMS])).flatMap((template) => {
    const name = valueAt(template, 'metadata', 'name');
    return typeof name === 'string' ? [name] : [];
  });
}

/** The reason of the first rule that applies. */
export function ruledOut(
  rules: readonly OwnRule[],
  manifest: Manifest,
  around: Around,
): string | undefined {
  const key = kindKey(groupOf(manifest.apiVersion), manifest.kind);
  return rules.find(
    ({ on, kinds, when }) =>
      kinds.includes(key) &&
      (on?.includes(around.cluster.kind) ?? true) &&
      (when?.(manifest, around) ?? true),
  )?.says;
}

/** A text below some keys; empty where there is none. */
export function manifestText(manifest: Manifest, ...keys: string[]): string {
  return textOrEmpty(valueAt(manifest, ...keys));
}

/** Whether a label of an object has a key of a family: `prefix/…`. */
export function hasLabelOf(manifest: Manifest, prefixes: readonly string[]): boolean {
  return Object.keys(labelsOf(manifest)).some((key) =>
    prefixes.some((prefix) => key.startsWith(prefix)),
  );
}

/** The owners of an object. */
export function ownersOf({
  metadata,
}: Manifest): readonly { readonly kind: string; readonly name: string }[] {
  const { ownerReferences } = metadata;
  return itemsAt(ownerReferences)
    .filter(isRecord)
    .map(({ kind, name }) => ({ kind: String(kind), name: String(name) }));
}

/** Whether objects of a kind have owners although users write the objects. */
export function isOwnedAnyway(manifest: Manifest): boolean {
  const { owner, writtenByOthers = [] } = kindOf<KindIdentity & KindFields>(manifest) ?? {};
  return owner !== undefined || writtenByOthers.includes('metadata.ownerReferences');
}
