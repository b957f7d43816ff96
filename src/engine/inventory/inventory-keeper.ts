import {
  AcceptedSecrets,
  InventoryContent,
  InventoryEntry,
  KnownTarget,
  removeFormerInventory,
  removeInventory,
  StoredInventory,
  underFormerName,
  writeInventory,
} from './inventory';
import { refKey } from '../../core/manifest/manifest';
import { Cluster } from '../cluster/cluster';
import { App } from '../fields/apply-set';
import { LateDigests, ensureDigestKey, lateDigest, sealed } from '../secret/digest';

/**
 * The inventory of one cluster during a run. It always contains at least the live objects: objects
 * enter before they are written, and leave after they are deleted.
 */
export class InventoryKeeper {
  private readonly entries = new Map<string, InventoryEntry>();
  private readonly before: ReadonlySet<string>;
  private clusterUids: { [target: string]: string };
  private targets: { [target: string]: KnownTarget };
  private late: LateDigests | undefined;
  private secrets: AcceptedSecrets | undefined;
  private stored: string;
  private writing: Promise<void> = Promise.resolve();
  private digestKey: string | undefined;
  private replaces: string | undefined;

  public constructor(
    private readonly cluster: Cluster,
    private readonly app: App,
    private readonly version: string,
    stored: StoredInventory | undefined,
  ) {
    for (const entry of stored?.entries ?? []) {
      this.entries.set(entry.id, entry);
    }
    this.before = new Set(this.entries.keys());
    this.clusterUids = { ...stored?.clusterUids };
    this.targets = { ...stored?.targets };
    this.digestKey = stored?.digestKey;
    this.late = stored?.late;
    this.secrets = stored?.secrets;
    this.replaces = stored?.replaces;
    // an inventory of an earlier version must be written to its new place
    this.stored = stored?.uid === undefined ? '' : textOf(this.content());
  }

  public get all(): readonly InventoryEntry[] {
    return [...this.entries.values()];
  }

  /** Whether no earlier run recorded an object, not even one that ended before writing it. */
  public isNew(id: string): boolean {
    return !this.before.has(id);
  }

  public entry(id: string): InventoryEntry | undefined {
    return this.entries.get(id);
  }

  /** Records the targets and their clusters. */
  public remember(
    clusterUids: { readonly [target: string]: string },
    targets: { readonly [target: string]: KnownTarget } = {},
  ): void {
    this.clusterUids = { ...this.clusterUids, ...clusterUids };
    this.targets = { ...this.targets, ...targets };
  }

  /** Forgets a target. */
  public forgetTarget(name: string): void {
    delete this.clusterUids[name];
    delete this.targets[name];
  }

  /**
   * Creates the key of digests, before the first digest is kept; digests of an earlier version get
   * it, too.
   */
  public async withDigestKey(signal?: AbortSignal): Promise<void> {
    const key = this.digestKey ?? (await ensureDigestKey(this.cluster, this.app, signal));
    this.digestKey = key;
    for (const [id, entry] of this.entries) {
      if (entry.written && entry.written.key === undefined) {
        this.entries.set(id, { ...entry, written: sealed(entry.written.digest, key) });
      }
    }
  }

  /** Deletes the inventory of an earlier version once all its entries are in the new place. */
  public async dropFormer(signal?: AbortSignal): Promise<void> {
    if (this.replaces === undefined) {
      return;
    }
    await this.save(signal);
    await removeFormerInventory(this.cluster, this.app, this.replaces, signal);
    this.replaces = undefined;
  }

  /** Records objects that are about to be written; saves before it returns. */
  public async expect(entries: readonly InventoryEntry[], signal?: AbortSignal): Promise<void> {
    for (const entry of entries) {
      const known = this.entries.get(entry.id);
      if (known && refKey(known) !== refKey(entry)) {
        // the object has another name now: the one with the previous name must still be deleted
        const former = underFormerName(known);
        this.entries.set(former.id, former);
        this.entries.set(entry.id, entry);
      } else {
        // the current deletion policy applies, even if this run ends early
        this.entries.set(
          entry.id,
          known ? { ...entry, uid: known.uid, written: known.written } : entry,
        );
      }
    }
    // the same object under its previous ID
    const ids = new Map(entries.map((entry) => [refKey(entry), entry.id]));
    for (const entry of this.all) {
      if ((ids.get(refKey(entry)) ?? entry.id) !== entry.id) {
        this.entries.delete(entry.id);
      }
    }
    await this.save(signal);
  }

  /**
   * Records a written object with a digest of the fields that controllers may rewrite; saved at the
   * end of the run.
   */
  public note(entry: InventoryEntry, written?: string): void {
    const digest =
      written === undefined || this.digestKey === undefined
        ? {}
        : { written: sealed(written, this.digestKey) };
    this.entries.set(entry.id, { ...entry, ...digest });
  }

  /**
   * Records a late value that was read from this cluster. Returns whether it is another one than
   * before; never without the key of digests.
   */
  public noteLate(id: string, value: string): boolean {
    if (this.digestKey === undefined) {
      return false;
    }
    const [before, now] = [this.late?.[id], lateDigest(id, value, this.digestKey)];
    this.late = { ...this.late, [id]: now };
    return before !== undefined && before !== now;
  }

  /** Records the Secret of someone else that the program may use. */
  public acceptSecret(id: string, uid: string): void {
    this.secrets = { ...this.secrets, [id]: uid };
  }

  /** Forgets an object that is deleted or no longer managed. */
  public forget(id: string): void {
    this.entries.delete(id);
  }

  /**
   * Saves the inventory if it changed. Saves run one after another, so that the latest is written
   * last.
   */
  public async save(signal?: AbortSignal): Promise<void> {
    const writing = this.writing
      .catch(() => undefined)
      .then(async () => {
        const text = textOf(this.content());
        if (text === this.stored) {
          return;
        }
        await writeInventory(this.cluster, this.app, this.content(), this.version, signal);
        this.stored = text;
      });
    this.writing = writing;
    return writing;
  }

  /** Saves the inventory, or deletes it if it is empty. */
  public async close(signal?: AbortSignal): Promise<void> {
    if (this.entries.size > 0) {
      return this.save(signal);
    }
    await this.writing.catch(() => undefined);
    await removeInventory(this.cluster, this.app, signal);
  }

  private content(): InventoryContent {
    const { clusterUids, targets, late, secrets, replaces } = this;
    return {
      entries: this.all,
      clusterUids,
      targets,
      ...(late === undefined ? {} : { late }),
      ...(secrets === undefined ? {} : { secrets }),
      ...(replaces === undefined ? {} : { replaces }),
    };
  }
}

function textOf({
  entries,
  clusterUids,
  targets = {},
  late = {},
  secrets = {},
  replaces,
}: InventoryContent): string {
  const byName = (named: { readonly [name: string]: unknown }): unknown[] =>
    Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1));
  const sorted = [byName(clusterUids), byName(targets), byName(late), byName(secrets)];
  const fields = ({
    id,
    apiVersion,
    kind,
    namespace,
    name,
    uid,
    policy,
    reason,
    construct,
    written,
  }: InventoryEntry): unknown[] => [
    id,
    apiVersion,
    kind,
    namespace,
    name,
    uid,
    policy,
    reason,
    construct,
    written?.key && written.digest,
  ];
  return JSON.stringify([
    [...entries].sort((a, b) => (a.id < b.id ? -1 : 1)).map(fields),
    sorted,
    replaces,
  ]);
}
