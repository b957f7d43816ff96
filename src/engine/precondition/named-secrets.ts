import { KindAccess, NamedSecret } from '../../core/kind/description/access';
import { KindReferences } from '../../core/kind/description/references';
import { kindOf } from '../../core/kind/kinds';
import { Manifest, refId } from '../../core/manifest/manifest';
import { API_VERSIONS } from '../../core/manifest/names';
import { Assembly } from '../../core/output/assembly';
import { grouped } from '../../core/text/values';
import { secretWriters } from '../../rancher/credential/secret-writers.facts';
import { Cluster, LiveObject, ObjectRef } from '../cluster/cluster';
import { appOfManager } from '../fields/apply-set';
import { TakeFieldsOptions, isAdopted, isNamed } from '../fields/managed-fields';
import { AcceptedSecrets, readInventory } from '../inventory/inventory';
import { onFailure } from '../transport/api';

/**
 * A Secret that gives power, that an object of the program names, and that the program does not
 * write.
 */
export interface ForeignSecret extends NamedSecret {
  /** The ID of the Secret, as `--accept-existing` takes it: `<target>//Secret/<namespace>/<name>`. */
  readonly id: string;
  /** The path of the construct that refers to it. @default - only a field of an object names it */
  readonly construct?: string;
}

/** A Secret that an object may use. */
export interface AcceptedSecret {
  readonly id: string;
  readonly uid: string;
}

/** What an apply must know before it uses the Secrets of others. */
interface Foreign {
  /** Why the object that names them is not written. @default - it is written */
  readonly refused?: string;
  readonly accepted: readonly AcceptedSecret[];
  /**
   * What to report: who wrote a Secret that is used for the first time, and Secrets that do not
   * exist yet.
   */
  readonly notes: readonly string[];
}

interface ForeignOptions extends TakeFieldsOptions {
  readonly cluster: Cluster;
  readonly target: string;
  readonly read: (target: string, ref: ObjectRef) => Promise<LiveObject | undefined>;
  readonly fieldManager: string;
  /** The Secrets that were accepted before. */
  readonly before: AcceptedSecrets;
  /** Whether this app wrote the object of a UID. */
  readonly isOurs: (uid: string) => boolean;
  readonly signal?: AbortSignal;
}

/** The Secrets that the objects of a program name and that it does not write. */
export class ForeignSecrets {
  private readonly declared: ReadonlySet<string>;
  private readonly constructs: ReadonlyMap<string, string>;

  /** @param manifests the manifests of the objects, by ID */
  public constructor(
    private readonly assembly: Pick<Assembly, 'objects' | 'known'>,
    private readonly manifests: ReadonlyMap<string, Manifest>,
  ) {
    const { objects, known = [] } = assembly;
    const made = objects.flatMap(({ id, target }) => madeBy(target, manifests.get(id)));
    this.declared = new Set([...objects.map((object) => refId(object.target, object)), ...made]);
    this.constructs = new Map(
      known.map((object) => [refId(object.target, object), object.construct]),
    );
  }

  /** The IDs of all Secrets, as far as late values are known. */
  public get ids(): readonly string[] {
    return this.assembly.objects.flatMap(({ id, target }) => {
      const manifest = this.manifests.get(id);
      return manifest ? this.of(target, manifest).map((secret) => secret.id) : [];
    });
  }

  /** Those that an object names, each once, with the first field that names it. */
  public of(target: string, manifest: Manifest): readonly ForeignSecret[] {
    const named = kindOf<KindAccess>(manifest)?.namesSecrets?.(manifest) ?? [];
    const byId = grouped(named, (secret) => refId(target, refOfSecret(secret)));
    return [...byId].flatMap(([id, [secret]]) => {
      if (this.declared.has(id)) {
        return [];
      }
      const construct = this.constructs.get(id);
      return [{ ...secret, id, ...(construct === undefined ? {} : { construct }) }];
    });
  }
}

/** The Secret that a controller makes from an object of the program. */
function madeBy(target: string, manifest: Manifest | undefined): string[] {
  const made = manifest && kindOf<KindReferences>(manifest)?.makes?.(manifest)?.manifest;
  return made ? [refId(target, { ...made, ...made.metadata })] : [];
}

/** The reference to a Secret that an object names. */
function refOfSecret({ namespace, name }: Pick<NamedSecret, 'namespace' | 'name'>): ObjectRef {
  return { apiVersion: API_VERSIONS.CORE, kind: 'Secret', namespace, name };
}

/**
 * Judges the Secrets of others that an object uses. Users below administrators can create Secrets
 * where Rancher looks for credentials, and set all labels and
 * field managers. So a Secret is used if this app, or another one, has its UID in its inventory, or
 * if the user names it.
 */
export async function judgeForeign(
  secrets: readonly ForeignSecret[],
  options: ForeignOptions,
): Promise<Foreign> {
  const judged = await Promise.all(secrets.map(async (secret) => judgeOne(secret, options)));
  const refusals = judged.flatMap(({ refused }) => refused ?? []);
  return {
    accepted: judged.flatMap(({ accepted }) => accepted ?? []),
    notes: judged.flatMap(({ note }) => note ?? []),
    ...(refusals.length === 0 ? {} : { refused: refusals.join('; ') }),
  };
}

interface JudgedSecret {
  readonly refused?: string;
  readonly accepted?: AcceptedSecret;
  readonly note?: string;
}

async function judgeOne(secret: ForeignSecret, options: ForeignOptions): Promise<JudgedSecret> {
  const { id } = secret;
  const { before, isOurs, read, target } = options;
  const live = await read(target, refOfSecret(secret)).catch(
    onFailure(['forbidden'], ({ message }) => message),
  );
  if (typeof live === 'string') {
    return isNamed(options, id)
      ? { note: `uses ${labelOf(secret)} without reading it, as you accepted: ${live}` }
      : {
          refused: `cannot check who wrote ${labelOf(secret)}: ${live}. Fix: allow this identity to read it, or set --accept-existing '${id}'`,
        };
  }
  if (!live) {
    return {
      note: `${labelOf(secret)} does not exist yet: the user who creates it decides ${secret.decides}`,
    };
  }
  const { uid } = live.metadata;
  const isKnown = before[id] === uid || isOurs(uid) || (await isOfOtherApp(live, options));
  if (isKnown) {
    return { accepted: { id, uid } };
  }
  const writers = textOfWriters(live, options.fieldManager);
  if (isAdopted(options, id, uid)) {
    const note = `uses ${labelOf(secret)} of someone else (${writers}), who decides ${secret.decides}`;
    return { accepted: { id, uid }, note };
  }
  return { refused: refusalOf(secret, writers, before[id]) };
}

function refusalOf(secret: ForeignSecret, writers: string, before: string | undefined): string {
  const { id, decides } = secret;
  const what =
    before === undefined
      ? 'is of someone else'
      : `was recreated by someone else since it was accepted (its UID changed from ${before})`;
  return (
    `${labelOf(secret)} ${what}: ${writers}. The user who wrote it decides ${decides}. Fix: find out who wrote it; delete it if you do not know it; ` +
    `declare it in the program, or, to use it as it is, set --accept-existing '${id}'`
  );
}

function labelOf({ namespace, name, path, construct }: ForeignSecret): string {
  const by = construct === undefined ? path : `${path} (${construct})`;
  return `Secret ${namespace}/${name}, which ${by} names,`;
}

function textOfWriters(live: LiveObject, fieldManager: string): string {
  return secretWriters(live, fieldManager).join('; ') || 'it does not show who wrote it';
}

/**
 * Whether the inventory of another app contains a Secret: only administrators write inventories,
 * whatever the marks of the Secret are.
 */
async function isOfOtherApp(
  live: LiveObject,
  { cluster, fieldManager, signal }: ForeignOptions,
): Promise<boolean> {
  const managers = new Set((live.metadata.managedFields ?? []).map(({ manager }) => manager));
  const apps = [...managers]
    .filter((manager) => manager !== fieldManager)
    .flatMap((manager) => appOfManager(manager) ?? []);
  for (const app of apps) {
    // what cannot be read proves nothing
    const stored = await readInventory(cluster, app, { signal }).catch(() => undefined);
    const isRecorded = stored?.entries.some(({ uid }) => uid === live.metadata.uid) === true;
    if (stored?.uid !== undefined && isRecorded) {
      return true;
    }
  }
  return false;
}
