import { createHash } from 'crypto';
import { DeletionNote } from '../kind/description/removal';
import { rankOf } from '../kind/kinds';
import { groupOf, kindKey, Manifest } from '../manifest/manifest';
import { Finding } from '../rule/finding';
import { remembered } from '../text/values';
import { OutsideSecret } from '../value/secret-value';

/** The layout of the files of a target. */
export enum OutputLayout {
  /** One file per kind, `<rank>-<kind>.<group>.yaml`: few files, whatever the number of objects. */
  FILE_PER_KIND = 'file-per-kind',
  /** One file per object, `<rank>-<kind>.<group>_<namespace>_<name>.yaml`. */
  FILE_PER_OBJECT = 'file-per-object',
}

// what most file systems allow, less room for suffixes that tools add
const MAX_FILE_NAME = 200;

/**
 * The names of the files of one output. A rank is that of the kind, so that `kubectl apply -f
 * folder` meets Namespaces first and bindings last, and adding an object renames no file. Where
 * every object has a file, one that refers to others of its rank comes after them by its level,
 * `28.1-`.
 */
export class FileNames {
  private readonly kinds = new Map<string, string>();
  /** The files of kinds, where a kind has one. */
  private readonly ofKinds = new Map<string, string>();

  constructor(private readonly layout: OutputLayout) {}

  /**
   * `<target>/<file>` of an object.
   *
   * @param level how many others of its rank must be there first
   * @param own what precedes `.yaml` in a file of its own, whatever the layout
   */
  public of(target: string, manifest: Manifest, level: number, own?: string): string {
    if (own !== undefined) {
      return `${target}/${fileOf(identityOf(manifest), { rank: rankOf(manifest), own })}`;
    }
    if (this.layout === OutputLayout.FILE_PER_OBJECT) {
      return this.shared(target, manifest, level);
    }
    const { apiVersion, kind } = manifest;
    const key = `${target} ${apiVersion} ${kind}`;
    return remembered(this.ofKinds, key, () => this.shared(target, manifest, level));
  }

  private shared(target: string, manifest: Manifest, level: number): string {
    const kind = kindKey(groupOf(manifest.apiVersion), manifest.kind);
    const name = `${target}/${this.file(manifest, level, '')}`;
    const owner = this.kinds.get(name);
    if (owner === undefined) {
      this.kinds.set(name, kind);
    }
    // kinds that differ in their case only: some file systems cannot distinguish their files
    return owner === undefined || owner === kind
      ? name
      : `${target}/${this.file(manifest, level, `-${shortHash(kind)}`)}`;
  }

  // no two objects of a target have the same: groups and namespaces contain no `_`, and in names it
  // is encoded; names that a file system may fold or refuse (capitals, colons) are encoded too
  private file(manifest: Manifest, level: number, suffix: string): string {
    return fileOf(identityOf(manifest), {
      rank: rankOf(manifest),
      suffix,
      ...(this.layout === OutputLayout.FILE_PER_OBJECT ? { level, own: '' } : {}),
    });
  }
}

function identityOf({ apiVersion, kind, metadata }: Manifest): Named {
  const { namespace, name } = metadata;
  return { apiVersion, kind, namespace, name };
}

type Named = Pick<AssemblyKnownObject, 'apiVersion' | 'kind' | 'namespace' | 'name'>;

/** What the name of a file follows from, besides the object. */
interface FileForm {
  readonly rank: number;
  /** @default 0 */
  readonly level?: number;
  /** What follows the kind. @default - nothing */
  readonly suffix?: string;
  /** What precedes `.yaml` in the file of one object. @default - the file is that of the kind */
  readonly own?: string;
}

/** The name of the file of an object, or of its kind. */
export function fileOf(
  { apiVersion, kind, namespace, name }: Named,
  { rank, level = 0, suffix = '', own }: FileForm,
): string {
  const group = groupOf(apiVersion);
  const base = `${String(rank).padStart(2, '0')}${level > 0 ? `.${level}` : ''}-${encode(kind.toLowerCase())}${group ? `.${encode(group)}` : ''}${suffix}`;
  return `${short(own === undefined ? base : `${base}_${namespace ? `${encode(namespace)}_` : ''}${encode(name)}`)}${own ?? ''}.yaml`;
}

const PLAIN_NAME = /^[a-z0-9.-]*$/;

function short(base: string): string {
  return base.length <= MAX_FILE_NAME
    ? base
    : `${base.slice(0, MAX_FILE_NAME - 17)}_${shortHash(base)}`;
}

function encode(text: string): string {
  const encoded = (character: string): string =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase()}`).join('');
  return PLAIN_NAME.test(text) ? text : text.replace(/[^a-z0-9.-]/g, encoded);
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/**
 * The format of `assembly.json`: everything that the YAML files do not contain. Its JSON Schema is
 * `schema/assembly.v3.json`.
 */
export interface Assembly {
  readonly schemaVersion: typeof ASSEMBLY_VERSION;
  readonly targets: readonly AssemblyTarget[];
  readonly objects: readonly AssemblyObject[];
  readonly groups: readonly AssemblyGroup[];
  readonly edges: readonly AssemblyEdge[];
  readonly lateValues: readonly AssemblyLateValue[];
  /** What constructs say of the deletion of objects below them. @default - none */
  readonly effects?: readonly AssemblyEffect[];
  /** Objects that the program refers to by name and does not write. @default - none */
  readonly known?: readonly AssemblyKnownObject[];
  /**
   * Objects that hold placeholders in place of secrets; apply, plan and lint refuse them.
   * @default - none
   */
  readonly placeholders?: readonly AssemblyPlaceholder[];
  /** Objects that may leave the output. @default - none */
  readonly removals?: readonly AssemblyRemoval[];
  /** Machines that an edit may replace or delete. @default - none */
  readonly replacements?: readonly AssemblyReplacement[];
  /**
   * The stages in which a GitOps engine delivers the objects.
   * @default - the output is not for an engine
   */
  readonly stages?: readonly AssemblyStage[];
  /**
   * How `resolve` encrypts the objects that wait for late values.
   * @default - it writes them in plain text
   */
  readonly encryption?: readonly AssemblyEncryption[];
  /** The keys that external stores must contain. @default - no Secret comes from a store */
  readonly storeKeys?: readonly AssemblyStoreKey[];
  /** Files for the engine itself. @default - none */
  readonly engineFiles?: readonly AssemblyEngineFile[];
  readonly findings: readonly Finding[];
}

/** What happens when an object below a construct is deleted, unless the object has its own. */
export interface AssemblyEffect {
  /** The path of the construct. */
  readonly construct: string;
  /** A clause without its subject. */
  readonly effect: string;
}

/** An object, or a late value that is a text, with placeholders in place of secrets. */
export interface AssemblyPlaceholder {
  /** The id of the object, or `late:<id>`. */
  readonly in: string;
  /** Where the secrets come from. */
  readonly secrets: readonly string[];
}

/** Changes when a reader of the previous version would misunderstand the file. */
export const ASSEMBLY_VERSION = '3';

/** The name of the file below the output folder. */
export const ASSEMBLY_FILE = 'assembly.json';

/** The environment variable that names a file of resolved late values. */
export const LATE_VALUES_ENV = 'CDK8S_HARVESTER_LATE_VALUES';

/**
 * The kinds of targets in order: Rancher comes before the Harvesters that register with it, guest
 * clusters come last.
 */
export const TARGET_KINDS = ['rancher', 'harvester', 'guest'] as const;

export interface AssemblyTarget {
  /** Unique; also the name of its folder. */
  readonly name: string;
  readonly kind: (typeof TARGET_KINDS)[number];
  /** Version of the product: of Rancher, of Harvester, of Kubernetes for a guest. */
  readonly version: string;
  /** The folder of its manifests, relative to the assembly. */
  readonly folder: string;
  /** Path of the target chart. */
  readonly construct: string;
  /** What else is known of it: `serverUrl`, `vip`. */
  readonly properties: { readonly [name: string]: string };
}

export interface AssemblyObject extends AssemblyKnownObject {
  /** `<target>/<group>/<Kind>/<namespace>/<name>`; late values in names are placeholders. */
  readonly id: string;
  /** The file that holds it, relative to the assembly; none while it waits for a late value. */
  readonly file?: string;
  /**
   * The object with placeholders, while it waits for late values; in an output for an engine, any
   * object that is in no file.
   */
  readonly template?: Manifest;
  /**
   * The folder of the stage to which `resolve` writes the object, where an engine delivers it.
   * @default - it is in a file, or not for an engine
   */
  readonly stage?: string;
  /**
   * Why no engine delivers the object, so that only apply writes it.
   * @default - an engine delivers it
   */
  readonly onlyApply?: string;
  /**
   * Why the engine keeps the object when it leaves the output.
   * @default - the engine deletes it, or there is no engine
   */
  readonly kept?: KeptByEngine;
  /** Ids of the late values it waits for. */
  readonly lateValues?: readonly string[];
  /** How it must be deleted. @default - like any object */
  readonly deletion?: DeletionNote;
  /** Paths of fields that others rewrite although the program sets them. */
  readonly othersWrite?: readonly string[];
  /**
   * Ids of objects that it refers to, directly or not, and that wait for late values: it is in a
   * file, and does not work without them.
   */
  readonly needs?: readonly string[];
  /**
   * A keyed digest (HMAC-SHA256) of the object and of its encrypted text, by which a later
   * synthesis recognizes that nothing changed. @default - not encrypted, or without a key for
   * digests
   */
  readonly digest?: string;
  /**
   * As `digest`, for each value of a SealedSecret by its key.
   * @default - not sealed, or without a key for digests
   */
  readonly digests?: { readonly [key: string]: string };
  /**
   * Paths of fields whose values the program derived: apply keeps the value of an object that is
   * there.
   */
  readonly derived?: readonly string[];
}

/** Why an engine keeps an object that leaves the output. */
export interface KeptByEngine {
  /** A clause without its subject. */
  readonly reason: string;
  /** The ID of the object for which it is kept. @default - it is kept for its own sake */
  readonly neededBy?: string;
}

/**
 * An object that the program takes for existing: rules look for what is referred to among these
 * too.
 */
export interface AssemblyKnownObject {
  readonly target: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly construct: string;
}

/** Objects of a target that an engine delivers together. */
export interface AssemblyStage {
  /** The folder of its objects, relative to the assembly: `<target>/<what it contains>`. */
  readonly folder: string;
  readonly target: string;
  /** The folders of stages that must be healthy before. */
  readonly after: readonly string[];
  /** Whether its objects wait for late values: `resolve` writes them. @default false */
  readonly late?: boolean;
}

/**
 * An engine that prunes each stage by itself: an object that moves to another stage leaves the
 * previous one.
 */
export type StageEngine = 'Flux' | 'Fleet';

/** The engine of an output, if it prunes each stage by itself. */
export function prunesByStage(files: readonly unknown[]): StageEngine | undefined {
  if (hasFolder(files, 'flux')) {
    return 'Flux';
  }
  if (hasFolder(files, 'fleet')) {
    return 'Fleet';
  }
  return undefined;
}

/** Whether an output has files in the folder of an engine. */
export function hasFolder(
  files: readonly unknown[],
  folder: 'flux' | 'argo-cd' | 'fleet',
): boolean {
  return files.some((file) => typeof file === 'string' && file.startsWith(`${folder}/`));
}

/** The folder from which an engine delivers an object; undefined if none does. */
export function folderOf({
  file,
  stage,
}: Pick<AssemblyObject, 'file' | 'stage'>): string | undefined {
  return file === undefined ? stage : file.slice(0, file.lastIndexOf('/'));
}

/**
 * How `resolve` encrypts some objects: with SOPS for its recipients, or as a SealedSecret with a
 * certificate.
 */
export interface AssemblyEncryption {
  /** IDs of objects that wait for late values. */
  readonly objects: readonly string[];
  /** The public keys of age for which SOPS encrypts. */
  readonly recipients?: readonly string[];
  /** The certificate of the controller that decrypts a SealedSecret, in PEM. */
  readonly certificate?: string;
  /** Where the controller accepts the SealedSecret. @default strict */
  readonly scope?: string;
}

/** A key of an external store, from which Secrets get their values. */
export interface AssemblyStoreKey {
  /** `<kind>/<name>` of the store on the cluster, e.g. `ClusterSecretStore/vault`. */
  readonly store: string;
  readonly key: string;
  /**
   * The properties that the value must have, as a map.
   * @default - the value is that of the Secret's key
   */
  readonly properties?: readonly string[];
  /** IDs of the objects that read it. */
  readonly objects: readonly string[];
}

/** A file that holds no object of the program. */
export interface AssemblyEngineFile {
  /** Its path, relative to the assembly. */
  readonly file: string;
}

/** An accepted removal of objects from the output. */
export interface AssemblyRemoval {
  /** IDs of objects, in which `*` matches any text; or the path of a construct. */
  readonly objects: string;
  readonly reason: string;
}

/** An accepted replacement or deletion of machines of guest clusters. */
export interface AssemblyReplacement {
  /** ID of a Cluster, with `/<pool>` for one pool; `*` matches any text. */
  readonly machines: string;
  readonly reason: string;
}

/** Some objects by one name, so that an edge between many and many is one line. */
export interface AssemblyGroup {
  /** Path of the construct above them. */
  readonly id: string;
  readonly objects: readonly string[];
}

export interface AssemblyEdge {
  /** Id of the object, group or late value that waits. */
  readonly from: string;
  /** Id of what is waited for. */
  readonly to: string;
  readonly type: 'applied' | 'value' | 'ready' | 'gone';
}

export interface AssemblyLateValue {
  readonly id: string;
  readonly description: string;
  readonly type: string;
  readonly sensitive: boolean;
  readonly construct: string;
  readonly source: AssemblyLateSource;
}

/**
 * Where a late value comes from: an object of a live cluster, a text around other late values, or a
 * secret outside of the program.
 */
export type AssemblyLateSource = AssemblyLateObject | AssemblyLateText | OutsideSecret;

export interface AssemblyLateObject {
  readonly resolver: string;
  readonly target: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly path: string;
}

export interface AssemblyLateText {
  readonly resolver: 'text';
  /** Holds the placeholders of other late values. */
  readonly text: string;
}
