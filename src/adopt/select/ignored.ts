import { kindNames, namespaceOfObject } from './selection';
import { FoundObject, FoundCluster } from '../../core/draft/draft';
import { labelsOf } from '../../core/manifest/manifest';
import { escapeRegExp } from '../../core/text/values';
import { IgnoreEntry } from '../../engine/auth/config-file';

/** An entry of `ignore` that matches no object. */
export interface UnusedEntry {
  /** Its place in the list, e.g. `ignore[0]`. */
  readonly entry: string;
  /** What it selects by. */
  readonly selects: string;
  readonly reason: string;
}

/** Objects that a program deliberately does not manage. */
export class Ignored {
  private readonly used = new Set<IgnoreEntry>();

  /** @param entries as the config file has them */
  public constructor(private readonly entries: readonly IgnoreEntry[]) {}

  /** The reason of the first entry that matches; all that do are in use. */
  public reason(object: FoundObject): string | undefined {
    const matching = this.entries.filter((entry) => matches(object, entry));
    for (const entry of matching) {
      this.used.add(entry);
    }
    return matching[0]?.reason;
  }

  /**
   * The entries that matched nothing so far, unless what they match could not be read. @param
   * clusters those that were read @param unreached targets that were not
   */
  public unused(
    clusters: readonly FoundCluster[],
    unreached: readonly string[],
  ): readonly UnusedEntry[] {
    const isKnown = ({ target, kind }: IgnoreEntry): boolean =>
      (target === undefined ? unreached.length === 0 : !unreached.includes(target)) &&
      !clusters.some(
        ({ name, unread }) =>
          (target ?? name) === name &&
          unread.some((each) => kind === undefined || isKind(each.kind, kind)),
      );
    return this.entries.flatMap((entry, index): UnusedEntry[] => {
      const { reason, ...keys } = entry;
      const selects = Object.entries(keys)
        .map(([key, value]) => `${key} ${value}`)
        .join(', ');
      return this.used.has(entry) || !isKnown(entry)
        ? []
        : [{ entry: `ignore[${index}]`, selects, reason }];
    });
  }
}

function matches({ target, manifest }: FoundObject, entry: IgnoreEntry): boolean {
  const { kind, namespace, name, label } = entry;
  return (
    (entry.target === undefined || entry.target === target) &&
    (kind === undefined || kindNames(manifest).includes(kind.toLowerCase())) &&
    (namespace === undefined || isLike(namespaceOfObject(manifest) ?? '', namespace)) &&
    (name === undefined || isLike(manifest.metadata.name, name)) &&
    (label === undefined || hasLabelLike(labelsOf(manifest), label))
  );
}

/** `team=a*`, or `team` with any value. */
function hasLabelLike(labels: { readonly [key: string]: unknown }, label: string): boolean {
  const [key, ...value] = label.split('=');
  const live = Object.hasOwn(labels, key) ? labels[key] : undefined;
  return typeof live === 'string' && (value.length === 0 || isLike(live, value.join('=')));
}

/** Whether a text matches a pattern, in which `*` is any text. */
function isLike(text: string, pattern: string): boolean {
  return new RegExp(`^${pattern.split('*').map(escapeRegExp).join('[^]*')}$`).test(text);
}

/** @param key as `group/Kind` */
function isKind(key: string, kind: string): boolean {
  return [key, key.split('/').pop()!].some((each) => each.toLowerCase() === kind.toLowerCase());
}
