import { EncryptedFile, notDecrypted, refuseNameless, withEncrypted } from './encrypted-objects';
import { readAssembly } from './load-assembly';
import { objectId } from '../../core/manifest/manifest';
import { Assembly } from '../../core/output/assembly';
import { UnfitFile } from '../../core/output/regular-file';
import { Finding } from '../../core/rule/finding';
import { DeliveredWith, JudgedObject, JudgedTarget } from '../../core/rule/rule';
import { NoYaml } from '../../core/yaml/yaml-reader';
import { AssemblyFolder } from '../files/assembly-folder';
import { decryptedTemplate, encryptedDocuments, NotDecrypted } from '../files/decrypt';
import { documentsIn, manifestsOfDocuments, ReadManifest } from '../files/documents';
import {
  chartFinding,
  kustomizationFinding,
  notJudgedFindings,
  notYamlFinding,
  placeholderFinding,
  unfitFinding,
  unreadableFinding,
  unreadFinding,
} from '../files/file-findings';
import { FileReader, findFiles, FoundFiles } from '../files/find-files';
import { onlyTargetFor, TargetOptions, targetOfOptions } from '../files/judged-targets';
import {
  IS_KUSTOMIZATION,
  isFleetFile,
  isKustomization,
  partFiles,
  placeholderIn,
} from '../files/repository-files';

/** Objects read from files. */
export interface Input {
  readonly objects: readonly JudgedObject[];
  /** Objects that cannot be decrypted here, as they are in their files. */
  readonly encrypted: readonly JudgedObject[];
  /** Findings about files that cannot be read or judged. */
  readonly findings: readonly Finding[];
  readonly assemblies: readonly Assembly[];
  /** The folders of these assemblies. */
  readonly folders: readonly string[];
}

/**
 * Reads manifests from files and folders. Objects of an output folder get their target, construct
 * and templates from its assembly.
 *
 * @param paths files and folders
 * @param options the target of objects without an assembly
 * @param among the possible targets of objects without an assembly: found by their kind
 */
export function readInput(
  paths: readonly string[],
  options: TargetOptions,
  among: readonly JudgedTarget[] = [],
): Input {
  const listed = paths.map((path) => findFiles(path, options));
  return readFound(listed, options, among);
}

/** Reads manifests from files that are listed already, as `readInput` does. */
export function readFound(
  listed: readonly FoundFiles[],
  options: TargetOptions,
  among: readonly JudgedTarget[] = [],
): Input {
  const reader = new InputReader(options, among);
  for (const found of listed) {
    reader.read(found);
  }
  return reader.input();
}

/** An input with its encrypted objects among the others. Throws if their names are encrypted, too. */
export function readable(input: Input): Input {
  const all = withEncrypted(input);
  refuseNameless(all);
  return all;
}

/** Where the objects of a file come from. */
interface FileOrigin {
  readonly file: string;
  /** The output folder with the file. @default - the file is in none */
  readonly output?: AssemblyFolder;
  /** The target of the file in the output folder. */
  readonly target?: JudgedTarget;
  readonly deliveredWith?: DeliveredWith;
}

/** Reads files, and collects their objects and the findings about those that it cannot read. */
class InputReader {
  private readonly objects: JudgedObject[] = [];
  private readonly encrypted: JudgedObject[] = [];
  private readonly findings: Finding[] = [];
  private readonly undecrypted: EncryptedFile[] = [];
  private readonly assemblies: Assembly[] = [];
  private readonly folders: string[] = [];
  private readonly files: FileReader;
  private readonly targetOfOthers: JudgedTarget;

  constructor(
    private readonly options: TargetOptions,
    private readonly among: readonly JudgedTarget[],
  ) {
    this.files = new FileReader(options);
    this.targetOfOthers = targetOfOptions(options);
  }

  /** Reads the files at a path, and the templates of the assemblies there. */
  public read(found: FoundFiles): void {
    this.findings.push(...found.skipped.map(unreadFinding));
    this.findings.push(...found.charts.map(({ folder }) => chartFinding(folder)));
    const outputs = found.assemblies.map((folder) => this.readOutput(folder));
    this.readFiles(found, outputs);
    this.addTemplates(outputs);
  }

  /** All that was read. */
  public input(): Input {
    const { objects, encrypted, assemblies, folders } = this;
    const findings = [...this.findings, ...notDecrypted(this.undecrypted)];
    return { objects, encrypted, findings, assemblies, folders };
  }

  private readOutput(folder: string): AssemblyFolder {
    const assembly = readAssembly(folder);
    this.assemblies.push(assembly);
    this.folders.push(folder);
    return new AssemblyFolder(folder, assembly, this.options);
  }

  private readFiles(found: FoundFiles, outputs: readonly AssemblyFolder[]): void {
    const files = found.files.filter(
      (file) => !outputs.some((output) => output.isEngineFile(file)),
    );
    const notManifests = notManifestsIn(files, this.files);
    for (const file of files) {
      const what = notManifests.get(file);
      if (what === undefined) {
        this.readFile(file, found, outputs);
      } else {
        this.findings.push(kustomizationFinding(file, what));
      }
    }
  }

  private readFile(file: string, found: FoundFiles, outputs: readonly AssemblyFolder[]): void {
    const output = outputs.find((each) => each.targetOf(file));
    const target = output?.targetOf(file);
    const origin = { file, output, target, deliveredWith: found.deliveredWith?.(file) };
    let text = '';
    try {
      const bytes = this.files.read(file);
      text = new TextDecoder().decode(bytes);
      this.addDocuments(origin, text, documentsIn(bytes));
    } catch (error) {
      if (error instanceof NotDecrypted) {
        this.addEncrypted(origin, error);
      } else if (error instanceof UnfitFile) {
        this.findings.push(unfitFinding(file, error.message));
      } else if (error instanceof NoYaml) {
        this.findings.push(notYamlFinding(file, text, error));
      } else if (found.path === file) {
        throw error;
      } else {
        // a broken link in a folder must not stop the others
        this.findings.push(unreadableFinding(file));
      }
    }
  }

  private addDocuments(origin: FileOrigin, text: string, documents: readonly unknown[]): void {
    const inFile = manifestsOfDocuments(encryptedDocuments(text));
    const own = manifestsOfDocuments(documents).map((read, index) => ({
      ...this.judgedObject(read, origin),
      inFile: inFile[index]?.manifest,
    }));
    // synthesis fills in the names of its own objects
    const isFilledIn = (object: JudgedObject): boolean =>
      origin.target !== undefined || placeholderIn(object.manifest) === undefined;
    this.objects.push(...own.filter(isFilledIn));
    const others = own.filter((object) => !isFilledIn(object));
    this.findings.push(...others.map(placeholderFinding));
    const isOnlyForFleet = isFleetFile(origin.file) && own.length === 0;
    if (!isOnlyForFleet) {
      this.findings.push(...notJudgedFindings(origin.file, documents));
    }
  }

  private addEncrypted(origin: FileOrigin, { documents, message }: NotDecrypted): void {
    const own = manifestsOfDocuments(documents).map((read) => this.judgedObject(read, origin));
    this.encrypted.push(...own);
    this.undecrypted.push({ file: origin.file, objects: own.length, reason: message });
  }

  private judgedObject(read: ReadManifest, origin: FileOrigin): JudgedObject {
    const { manifest, document, malformed } = read;
    const { file, output, target, deliveredWith } = origin;
    return {
      manifest,
      document,
      malformed,
      file,
      target: target ?? onlyTargetFor(manifest, this.among) ?? this.targetOfOthers,
      construct: target && output?.constructOf(manifest, target),
      isReset: target && output?.isReset(manifest, target),
      deliveredWith,
    };
  }

  /** Adds the objects of assemblies that wait for late values, except for those in files of `resolve`. */
  private addTemplates(outputs: readonly AssemblyFolder[]): void {
    const inFiles = new Set([...this.objects, ...this.encrypted].map(keyOf));
    for (const output of outputs) {
      const templates = output.templates().filter((object) => !inFiles.has(keyOf(object)));
      for (const object of templates) {
        this.addTemplate(object, output.assemblyFile);
      }
    }
  }

  private addTemplate(object: JudgedObject, file: string): void {
    const inFile = object.manifest;
    try {
      this.objects.push({ ...object, manifest: decryptedTemplate(inFile), inFile });
    } catch (error) {
      if (!(error instanceof NotDecrypted)) {
        throw error;
      }
      this.encrypted.push(object);
      this.undecrypted.push({ file, objects: 1, reason: error.message });
    }
  }
}

function keyOf({ target, manifest }: JudgedObject): string {
  return objectId(target.name, manifest);
}

/** The kustomizations among files, and the files that they name as patches, with what they are. */
function notManifestsIn(files: readonly string[], reader: FileReader): ReadonlyMap<string, string> {
  const kustomizations = files.filter(isKustomization).flatMap((file) => {
    try {
      return [{ file, documents: documentsIn(reader.read(file)) }];
    } catch {
      // reported when the file is read
      return [];
    }
  });
  return new Map([
    ...kustomizations.map(({ file }) => [file, IS_KUSTOMIZATION] as const),
    ...partFiles(kustomizations),
  ]);
}
