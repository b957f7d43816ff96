import { existsSync, lstatSync, mkdirSync, readdirSync } from 'fs';
import { dirname, join, resolve } from 'path';
import { LateResolver } from './late-resolver';
import { lateValuePlace } from './look-up';
import { reach } from '../../core/graph/reach';
import { rankOf } from '../../core/kind/kinds';
import { lateIdsIn } from '../../core/late/late-text';
import {
  groupOf,
  isManifest,
  Manifest,
  objectKey,
  objectLabel,
  printName,
} from '../../core/manifest/manifest';
import { Assembly, AssemblyEncryption, AssemblyObject } from '../../core/output/assembly';
import {
  LATE_LIST,
  LateFile,
  lateFilesIn,
  lateName,
  LateRecord,
  LateTemplates,
  printLateList,
  readRecord,
  withRecord,
} from '../../core/output/late-files';
import { exchange } from '../../core/output/output';
import { readRegularText } from '../../core/output/regular-file';
import {
  sealScopeOf,
  SEALED_SECRET,
  sealedSecretOf,
  SealScope,
} from '../../core/sealed-secret/sealed-secret';
import { Kubeseal, Sealer } from '../../core/sealed-secret/sealer';
import { againNote } from '../../core/secret/keyed-digest';
import { secretPathsOf } from '../../core/secret/redactor';
import { fieldPathText, isSecretObject, secretFields } from '../../core/secret/secret-fields';
import { isEncrypted, Sops } from '../../core/sops/sops';
import { SopsKeeper } from '../../core/sops/sops-keeper';
import { remembered } from '../../core/text/values';
import { isOutside, outsideLabel } from '../../core/value/secret-value';
import { readYaml, tryYaml } from '../../core/yaml/yaml-reader';
import { toYaml } from '../../core/yaml/yaml-writer';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';
import { LoadedAssembly } from '../read/load-assembly';
import { checkPrivateFile, PRIVATE_MODE, writePrivateFile } from '../secret/private-file';

/** What `resolve` wrote. */
interface WrittenManifests {
  readonly files: readonly string[];
  /** Files of earlier runs that are gone, since nothing is written to them now. */
  readonly removed: readonly string[];
  /** What to print about them. */
  readonly notes: readonly string[];
}

/** A file of an object that waited for late values, by its path below the folder. */
interface NewFile extends LateFile {
  readonly object: AssemblyObject;
  readonly manifest: Manifest;
  readonly text: string;
  readonly mode: number;
  /** Whether its secrets are encrypted. */
  readonly isHidden: boolean;
}

/**
 * Writes the completed objects that wait for late values, one file per object and one folder per
 * target or stage, and removes the files of earlier runs that it no longer writes: all or nothing.
 * Files of others are left alone.
 */
export function writeManifests(
  folder: string,
  loaded: LoadedAssembly,
  resolver: LateResolver,
): WrittenManifests {
  const { assembly } = loaded;
  const templates = new LateTemplates(assembly);
  const isOutput = resolve(folder) === resolve(loaded.folder);
  // stages that are gone may have left their folders
  const others = new Set([
    ...assembly.targets.map((target) => target.folder),
    ...(assembly.stages ?? []).map((stage) => stage.folder),
  ]);
  const folders = isOutput ? foldersIn(folder).filter((name) => !others.has(name)) : [];
  const known = lateFilesIn(folder, [
    ...folders,
    ...[...templates.objects.values()].map((object) => templates.folderOf(object)),
  ]);
  const encryption = new LateEncryption(assembly);
  const files = newFiles(folder, loaded, resolver, { templates, known, encryption });
  const names = new Set(files.map(({ file }) => file));
  const own = known.filter(isOwn(assembly, isOutput));
  const twins = files.flatMap(({ file, manifest }) => twinOf(folder, file, manifest));
  const removed = [...new Set([...own.map(({ file }) => file), ...twins])]
    .filter((file) => !names.has(file))
    .sort();
  const gone = new Set(removed);
  const plain = plainBefore(
    folder,
    files,
    known.filter(({ file }) => gone.has(file)),
    twins,
    assembly,
  );

  for (const { file, mode, manifest } of files) {
    checkPlace(join(folder, file), mode, manifest);
  }
  const list = [...known.filter(({ file }) => !gone.has(file) && !names.has(file)), ...files];
  const texts = new Map(files.map(({ file, text, mode }) => [file, { text, mode }]));
  if (list.length > 0) {
    texts.set(LATE_LIST, { text: printLateList(list), mode: PUBLIC_MODE });
  }
  const stale =
    list.length === 0 && existsSync(join(folder, LATE_LIST)) ? [...removed, LATE_LIST] : removed;
  exchangeFiles(folder, texts, stale);
  const paths = (places: readonly string[]): string[] =>
    places.map((place) => join(folder, place)).sort();
  const plainNotes = plain.map(({ file, id }) => plainNote(file, id, loaded, resolver));
  return {
    files: paths([...names]),
    removed: paths(removed),
    notes: [...encryption.notes, ...plainNotes],
  };
}

/** The folders of targets and of their stages. */
function foldersIn(folder: string): string[] {
  const below = (path: string): string[] =>
    readdirSync(join(folder, path), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  return below('.').flatMap((target) => [
    target,
    ...below(target).map((stage) => `${target}/${stage}`),
  ]);
}

function exchangeFiles(
  folder: string,
  all: ReadonlyMap<string, { readonly text: string; readonly mode: number }>,
  stale: readonly string[],
): void {
  const texts = new Map(
    [...all].filter(
      ([file, { text }]) =>
        !existsSync(join(folder, file)) || readRegularText(join(folder, file)) !== text,
    ),
  );
  if (texts.size === 0 && stale.length === 0) {
    return;
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fresh = [...new Set([...texts.keys()].map(dirname))].filter(
    (name) => !existsSync(join(folder, name)),
  );
  const files = [...texts.keys()].filter((file) => !fresh.includes(dirname(file)));
  exchange(folder, { fresh, files, stale }, (staged) => {
    for (const [file, { text, mode }] of texts) {
      writePrivateFile(staged(file), text, mode);
    }
  });
}

/** What the new files are made with. */
interface Making {
  readonly templates: LateTemplates;
  readonly known: readonly LateFile[];
  readonly encryption: LateEncryption;
}

function newFiles(
  folder: string,
  { assembly, manifests }: LoadedAssembly,
  resolver: LateResolver,
  { templates, known, encryption }: Making,
): NewFile[] {
  const sensitive = new Set(
    assembly.lateValues.filter(({ id }) => resolver.isSensitive(id)).map(({ id }) => id),
  );
  const earlier = new Map(known.map(({ file, record }) => [record.object, file]));
  return [...templates.objects].map(([name, object]): NewFile => {
    const template = manifests.get(object.id)!;
    const manifest = resolver.complete(template);
    const isPrivate = isSecretObject(object) || lateIdsIn(template).some((id) => sensitive.has(id));
    const place = `${templates.folderOf(object)}/${nameOf(manifest)}`;
    const secrets = new Set(secretPathsOf(template, sensitive).map(fieldPathText));
    const before = [earlier.get(name), asEncrypted(place), place].find(
      (file) => file !== undefined && existsSync(join(folder, file)),
    );
    const hidden = encryption.encrypted(
      object,
      manifest,
      secrets,
      before === undefined ? undefined : readRegularText(join(folder, before)),
    );
    const { text, digests }: EncryptedText = hidden ?? {
      text: toYaml(manifest),
      digests: {},
      isSops: false,
    };
    const record: LateRecord = { object: name, from: templates.digestOf(object), ...digests };
    return {
      object,
      manifest,
      file: hidden?.isSops ? asEncrypted(place) : place,
      record,
      text: withRecord(record, text),
      mode: !hidden && isPrivate ? PRIVATE_MODE : PUBLIC_MODE,
      isHidden: hidden !== undefined,
    };
  });
}

function asEncrypted(file: string): string {
  return file.replace(/\.yaml$/, '.sops.yaml');
}

// begins with the rank of the kind, as in the output of synthesis: kubectl applies the folder in
// this order
function nameOf(manifest: Manifest): string {
  const { kind, apiVersion } = manifest;
  const { namespace, name } = manifest.metadata;
  const parts = [kind, groupOf(apiVersion), namespace ?? '', name]
    .filter((part) => part !== '')
    .map((part) => part.replace(/[^A-Za-z0-9.-]/g, '_'));
  return `${String(rankOf(manifest)).padStart(2, '0')}-${parts.join('.').toLowerCase()}.yaml`;
}

/**
 * Whether files of earlier runs are of this program: all in its own output folder; elsewhere those
 * of its targets, since several programs may share a folder.
 */
function isOwn({ targets }: Assembly, isOutput: boolean): (file: LateFile) => boolean {
  const names = new Set(targets.map(({ name }) => name));
  return ({ record }) => isOutput || names.has(record.object.slice(0, record.object.indexOf('/')));
}

/**
 * The file of the same object in the other form, which earlier versions left: they did not write
 * into files what these are.
 */
function twinOf(folder: string, file: string, manifest: Manifest): string[] {
  const other = file.endsWith('.sops.yaml')
    ? file.replace(/\.sops\.yaml$/, '.yaml')
    : asEncrypted(file);
  const path = join(folder, other);
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() && isOf(path, manifest)
    ? [other]
    : [];
}

/** Whether a file contains nothing but an object, in any form. */
function isOf(path: string, manifest: Manifest): boolean {
  const [document, ...others] = documentsIn(path);
  if (document === undefined || others.length > 0) {
    return false;
  }
  const { kind } = manifest;
  return (
    objectKey(document) === objectKey(manifest) ||
    (kind === 'Secret' &&
      document.kind === SEALED_SECRET.kind &&
      printName(document.metadata) === printName(manifest.metadata))
  );
}

function documentsIn(path: string): Manifest[] {
  return (tryYaml(readRegularText(path)).documents ?? []).filter(isManifest);
}

/** Throws if a file must not be replaced: before any other is written. */
function checkPlace(path: string, mode: number, manifest: Manifest): void {
  checkPrivateFile(path, mode);
  if (!existsSync(path) || readRecord(readRegularText(path)).record || isOf(path, manifest)) {
    return;
  }
  throw new Error(
    `${path}: was not written by resolve, and ${objectLabel(manifest)} belongs there. Fix: remove it, or choose another folder`,
  );
}

/** The files that contained an object in plain text whose secrets are no longer in plain text. */
function plainBefore(
  folder: string,
  files: readonly NewFile[],
  gone: readonly LateFile[],
  twins: readonly string[],
  { objects }: Assembly,
): { readonly file: string; readonly id: string }[] {
  const byName = new Map(objects.map((object) => [lateName(object.id), object]));
  const hidden = files.filter(({ isHidden }) => isHidden);
  const candidates = [
    ...hidden.map(({ file, object }) => ({ file, object })),
    ...hidden.flatMap(({ file, object }) =>
      twins.filter((twin) => asEncrypted(twin) === file).map((twin) => ({ file: twin, object })),
    ),
    ...gone.flatMap(({ file, record }) => {
      const object = byName.get(record.object);
      // what is deleted is not in use, and what is in plain text again did not change
      return object && !files.some((each) => each.object === object && !each.isHidden)
        ? [{ file, object }]
        : [];
    }),
  ];
  const plain = candidates.filter(({ file, object }) => {
    const { kind } = object;
    const path = join(folder, file);
    return (
      existsSync(path) &&
      documentsIn(path).some((document) => document.kind === kind && !isEncrypted(document))
    );
  });
  return [...new Map(plain.map(({ file, object }) => [file, { file, id: object.id }])).values()];
}

/** What to do about a credential that was in plain text. */
function plainNote(
  file: string,
  id: string,
  { assembly, manifests }: LoadedAssembly,
  resolver: LateResolver,
): string {
  const { lateValues } = assembly;
  const byId = new Map(lateValues.map((late) => [late.id, late]));
  const template = manifests.get(id)!;
  const ids = [...reach(lateIdsIn(template), (late) => lateIdsIn(byId.get(late)?.source))].filter(
    (late) => resolver.isSensitive(late),
  );
  const places = ids.flatMap((late) => {
    const source = byId.get(late)?.source;
    if (!source || source.resolver === 'text') {
      return [];
    }
    if (isOutside(source)) {
      return [outsideLabel(source)];
    }
    return ['target' in source ? lateValuePlace(resolver.completeKnown(source)) : ''];
  });
  const where = places.length > 0 ? `in ${[...new Set(places)].join(', ')}` : 'in the program';
  return (
    `warning: ${file} contained ${objectLabel(template)} in plain text, and a repository keeps what was committed. ` +
    `Fix: if it was committed, replace the credential ${where} (delete that object if the program or a controller creates it again), and run resolve again`
  );
}

/** An object whose secrets are encrypted. */
interface EncryptedText {
  readonly text: string;
  /** Shows a later run what did not change; empty without a key for digests. */
  readonly digests: Pick<LateRecord, 'digest' | 'digests'>;
  /** Whether SOPS encrypted it, so that its file has a name of its own. */
  readonly isSops: boolean;
}

/** File mode of objects without secrets in plain text, like other files of an output. */
const PUBLIC_MODE = 0o644;

/**
 * Encrypts objects that waited for late values as the output requires it, and keeps the bytes of
 * files that did not change.
 */
class LateEncryption {
  private readonly byId: ReadonlyMap<string, AssemblyEncryption>;
  private readonly keepers = new Map<AssemblyEncryption, SopsKeeper>();
  private readonly sealers = new Map<AssemblyEncryption, Sealer>();
  private sealedAgain = 0;

  constructor({ encryption = [] }: Assembly) {
    this.byId = new Map(encryption.flatMap((how) => how.objects.map((id) => [id, how] as const)));
  }

  /** What to print about files that were encrypted again. */
  public get notes(): readonly string[] {
    const sops = [...this.keepers.values()].reduce((sum, { again }) => sum + again, 0);
    return [
      ...(sops > 0
        ? [againNote('SOPS', sops, 'SOPS_AGE_KEY_FILE (a file with the private key), or ')]
        : []),
      ...(this.sealedAgain > 0 ? [againNote('kubeseal', this.sealedAgain, '')] : []),
    ];
  }

  /**
   * The encrypted object; undefined if the object is written as it is.
   *
   * @param secrets where late values are that are credentials
   * @param before the text of its previous file
   */
  public encrypted(
    { id, deletion }: AssemblyObject,
    manifest: Manifest,
    secrets: ReadonlySet<string>,
    before?: string,
  ): EncryptedText | undefined {
    const how = this.byId.get(id);
    if (how?.certificate !== undefined && isSecretObject(manifest)) {
      return this.sealed(how, manifest, deletion?.policy === 'keep', before);
    }
    const fields = how?.recipients ? secretFields(manifest, secrets) : [];
    if (!how?.recipients || fields.length === 0) {
      return undefined;
    }
    const { recipients } = how;
    const keeper = remembered(this.keepers, how, () => new SopsKeeper(new Sops(), recipients));
    const former = before === undefined ? undefined : readRecord(before);
    const previous = former && { text: former.text, digest: former.record?.digest };
    const { text, digest } = keeper.encrypted(
      { id, text: toYaml(manifest), format: 'yaml', fields },
      previous,
    );
    return { text, digests: digest, isSops: true };
  }

  private sealed(
    how: AssemblyEncryption,
    secret: Manifest,
    isKept: boolean,
    before: string | undefined,
  ): EncryptedText {
    const scope = (how.scope ?? 'strict') as SealScope;
    const sealer = remembered(
      this.sealers,
      how,
      () => new Sealer(new Kubeseal(), how.certificate!, scope),
    );
    const previous = before === undefined ? undefined : readRecord(before);
    const earlier = previous && {
      sealed: readYaml(previous.text)[0],
      digests: previous.record?.digests,
    };
    const [values] = sealer.seal([{ secret, ...(earlier ? { previous: earlier } : {}) }]);
    if (values.again) {
      this.sealedAgain++;
    }
    const stays = isKept || secret.metadata.namespace === GLOBAL_DATA;
    const text = toYaml(
      sealedSecretOf(secret, values.encryptedData, { scope: sealScopeOf(secret, scope), stays }),
    );
    return { text, digests: values.digests ? { digests: values.digests } : {}, isSops: false };
  }
}
