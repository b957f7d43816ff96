import { join, relative, sep } from 'path';
import { EncryptedFile, notDecrypted, refuseNameless, withEncrypted } from './encrypted-objects';
import { ComparedPaths, environmentsIn } from './environments';
import { readAssembly } from './load-assembly';
import { kindOf } from '../../core/kind/kinds';
import { Manifest, refId, objectId } from '../../core/manifest/manifest';
import {
  ASSEMBLY_FILE,
  Assembly,
  AssemblyObject,
  AssemblyTarget,
} from '../../core/output/assembly';
import { UnfitFile } from '../../core/output/regular-file';
import { Finding, FindingLevel } from '../../core/rule/finding';
import { judgedTarget } from '../../core/rule/judge';
import {
  ENCRYPTED,
  NOT_JUDGED,
  NO_OBJECT,
  NO_YAML,
  UNREAD_LINK,
} from '../../core/rule/program-rules';
import { JudgedObject, JudgedTarget, Rule } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { NoYaml } from '../../core/yaml/yaml-reader';
import { decryptedTemplate, encryptedDocuments, NotDecrypted } from '../files/decrypt';
import { documentsIn, manifestsOfDocuments, notJudgedIn } from '../files/documents';
import { FileReader, findFiles, FoundFiles, ReadOptions, SkippedFile } from '../files/find-files';
import { IGNORE_FILE } from '../files/ignored-paths';
import {
  IS_KUSTOMIZATION,
  IS_TEMPLATE,
  isFleetFile,
  isKustomization,
  isTemplate,
  partFiles,
  placeholderIn,
  RENDERED_BY,
} from '../files/repository-files';

/** How files are read, and the cluster of objects without an assembly. */
export interface TargetOptions extends ReadOptions {
  readonly targetKind?: 'rancher' | 'harvester' | 'guest';
  readonly rancherVersion?: string;
  readonly harvesterVersion?: string;
  readonly kubernetesVersion?: string;
}

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
  return readFound(
    paths.map((path) => findFiles(path, options)),
    options,
    among,
  );
}

/** Reads manifests from files that are listed already, as `readInput` does. */
export function readFound(
  listed: readonly FoundFiles[],
  options: TargetOptions,
  among: readonly JudgedTarget[] = [],
): Input {
  const objects: JudgedObject[] = [];
  const encrypted: JudgedObject[] = [];
  const findings: Finding[] = [];
  const undecrypted: EncryptedFile[] = [];
  const assemblies: Assembly[] = [];
  const outputs: string[] = [];
  const plain = plainTarget(options);
  const reader = new FileReader(options);

  for (const found of listed) {
    findings.push(
      ...found.skipped.map(notRead),
      ...found.charts.map(({ folder }) => ofChart(folder)),
    );
    const folders = found.assemblies.map((folder) => new AssemblyFolder(folder, options));
    assemblies.push(...folders.map(({ assembly }) => assembly));
    outputs.push(...found.assemblies);
    const files = found.files.filter(
      (each) => !folders.some((candidate) => candidate.isEngineFile(each)),
    );
    const notManifests = notManifestsIn(files, reader);
    for (const file of files) {
      const folder = folders.find((candidate) => candidate.targetOf(file));
      const target = folder?.targetOf(file);
      const deliveredWith = found.deliveredWith?.(file);
      const judged = ({
        manifest,
        document,
        malformed,
      }: ReturnType<typeof manifestsOfDocuments>[number]): JudgedObject => ({
        manifest,
        document,
        malformed,
        file,
        target: target ?? choose(manifest, among) ?? plain,
        construct: target && folder?.constructOf(manifest, target),
        isReset: target && folder?.isReset(manifest, target),
        deliveredWith,
      });
      const what = notManifests.get(file);
      if (what !== undefined) {
        findings.push(ofKustomization(file, what));
        continue;
      }
      let text = '';
      try {
        const bytes = reader.read(file);
        text = new TextDecoder().decode(bytes);
        const documents = documentsIn(bytes);
        const inFile = manifestsOfDocuments(encryptedDocuments(text));
        const own = manifestsOfDocuments(documents).map((read, index) => ({
          ...judged(read),
          inFile: inFile[index]?.manifest,
        }));
        // synthesis fills in the names of its own objects
        const isFilledIn = (object: JudgedObject): boolean =>
          target !== undefined || placeholderIn(object.manifest) === undefined;
        objects.push(...own.filter(isFilledIn));
        findings.push(
          ...own.filter((object) => !isFilledIn(object)).map(withPlaceholder),
          ...(isFleetFile(file) && own.length === 0 ? [] : notJudged(file, documents)),
        );
      } catch (error) {
        if (error instanceof NotDecrypted) {
          const own = manifestsOfDocuments(error.documents).map(judged);
          encrypted.push(...own);
          undecrypted.push({ file, objects: own.length, reason: error.message });
          continue;
        }
        if (error instanceof UnfitFile) {
          findings.push(notRead({ file, message: error.message, fix: UNFIT_FIX }));
          continue;
        }
        // a broken link in a folder must not stop the others
        if (!(error instanceof NoYaml) && found.path === file) {
          throw error;
        }
        findings.push(
          error instanceof NoYaml
            ? notYaml(file, text, error)
            : notRead({
                file,
                message: 'cannot be read',
                fix: 'correct the file or the link, or leave it out',
              }),
        );
      }
    }
    const inFiles = new Set([...objects, ...encrypted].map(keyOf));
    for (const folder of folders) {
      // `resolve` writes files of objects that the assembly has as templates
      for (const object of folder.templates().filter((each) => !inFiles.has(keyOf(each)))) {
        try {
          const { manifest: inFile } = object;
          objects.push({ ...object, manifest: decryptedTemplate(inFile), inFile });
        } catch (error) {
          if (!(error instanceof NotDecrypted)) {
            throw error;
          }
          encrypted.push(object);
          undecrypted.push({ file: folder.assemblyFile, objects: 1, reason: error.message });
        }
      }
    }
  }
  findings.push(...notDecrypted(undecrypted));
  return { objects, encrypted, findings, assemblies, folders: outputs };
}

/** An input with its encrypted objects among the others. Throws if their names are encrypted, too. */
export function readable(input: Input): Input {
  const all = withEncrypted(input);
  refuseNameless(all);
  return all;
}

/** An environment, and its previous state. */
export interface EditedInput {
  /** The output folder below the path; undefined where all paths are one environment. */
  readonly environment?: string;
  readonly after: Input;
  readonly before: Input;
}

/** The manifests of both sides of edits: what reports about them must not show the secrets of. */
export function manifestsOfEdits(edits: readonly EditedInput[]): Manifest[] {
  return edits
    .flatMap(({ before, after }) => [...before.objects, ...after.objects])
    .map(({ manifest }) => manifest);
}

/** An environment, its previous state, and what is live next to it. */
export interface ComparedInput extends EditedInput {
  readonly live: Input;
}

/**
 * Reads each environment at the paths, and what it is compared with.
 *
 * @throws for a file that cannot be read: its objects would be missing silently, or look like a deletion.
 * Of encrypted files, no more than the kinds and names is needed
 */
export function readCompared(
  paths: readonly string[],
  compared: ComparedPaths,
  options: TargetOptions = {},
): readonly ComparedInput[] {
  return environmentsIn(paths, compared, options).map(({ name, listed, before, world }) => {
    const after = readFound(listed, options);
    const targets = targetsOf(after.assemblies, options);
    const was = readFound(before, options, targets);
    const live = readFound(world, options, targets);
    refuseUnread([...after.findings, ...was.findings, ...live.findings], ENCRYPTED);
    return {
      environment: name,
      after: readable(after),
      before: readable(was),
      live: readable(live),
    };
  });
}

/** Reads each environment at the paths, and its previous state. */
export function readEdits(
  paths: readonly string[],
  previous: readonly string[],
  options: TargetOptions = {},
): readonly EditedInput[] {
  return readCompared(paths, { before: previous }, options);
}

/** An environment, and what is live next to it. */
export interface ReadEnvironment {
  /** The output folder below the path; undefined where all paths are one environment. */
  readonly environment?: string;
  readonly input: Input;
  readonly live: Input;
}

/** Reads each environment at the paths, and the live objects next to it. */
export function readEnvironments(
  paths: readonly string[],
  live: readonly string[],
  options: TargetOptions = {},
): readonly ReadEnvironment[] {
  return readCompared(paths, { world: live }, options).map((each) => ({
    environment: each.environment,
    input: each.after,
    live: each.live,
  }));
}

function keyOf({ target, manifest }: JudgedObject): string {
  return objectId(target.name, manifest);
}

/** The targets of assemblies as rules see them. */
export function targetsOf(assemblies: readonly Assembly[], options: TargetOptions): JudgedTarget[] {
  return assemblies.flatMap(({ targets }) =>
    targets.map((target) => assemblyTarget(target, options)),
  );
}

class AssemblyFolder {
  public readonly assembly: Assembly;
  private readonly targets: ReadonlyMap<string, JudgedTarget>;
  private readonly objects: ReadonlyMap<string, AssemblyObject>;
  private readonly engineFiles: ReadonlySet<string>;

  constructor(
    private readonly folder: string,
    options: TargetOptions,
  ) {
    this.assembly = readAssembly(folder);
    const targets = new Map(
      this.assembly.targets.map((target) => [target.name, assemblyTarget(target, options)]),
    );
    const { stages = [], engineFiles = [] } = this.assembly;
    this.targets = new Map([
      ...[...targets],
      ...stages.map(({ folder: stage, target }) => [stage, targets.get(target)!] as const),
    ]);
    this.engineFiles = new Set(engineFiles.map(({ file }) => file));
    // by the current name, not by ID: names in IDs may contain placeholders that are completed now
    this.objects = new Map(
      this.assembly.objects.map((object) => [refId(object.target, object), object]),
    );
  }

  /** The target of the objects in a file; undefined if the file is elsewhere. */
  public targetOf(file: string): JudgedTarget | undefined {
    // the folder of a stage or of a target, next to the assembly; '..' if the file is elsewhere
    const [first, second] = relative(this.folder, file).split(sep);
    return this.targets.get(`${first}/${second}`) ?? this.targets.get(first);
  }

  /** Whether a file is for an engine, and holds no object of the program. */
  public isEngineFile(file: string): boolean {
    return this.engineFiles.has(relative(this.folder, file).split(sep).join('/'));
  }

  public get assemblyFile(): string {
    return join(this.folder, ASSEMBLY_FILE);
  }

  public constructOf(manifest: Manifest, { name }: JudgedTarget): string | undefined {
    return this.objects.get(objectId(name, manifest))?.construct;
  }

  /** Whether an apply resets an object that leaves. Engines, which have stages, do not. */
  public isReset(manifest: Manifest, { name }: JudgedTarget): boolean {
    const { deletion } = this.objects.get(objectId(name, manifest)) ?? {};
    return deletion?.policy === 'reset' && this.assembly.stages === undefined;
  }

  /** Objects that wait for late values, with placeholders. */
  public templates(): JudgedObject[] {
    return this.assembly.objects.flatMap(({ template, target, construct }) => {
      const judged = this.targets.get(target);
      return template && judged ? [{ manifest: template, target: judged, construct }] : [];
    });
  }
}

// a version of the command line overrides the assembly's, to try an upgrade
function assemblyTarget(
  { name, kind, version, properties, construct }: AssemblyTarget,
  options: TargetOptions,
): JudgedTarget {
  const asked = {
    rancher: options.rancherVersion,
    harvester: options.harvesterVersion,
    guest: options.kubernetesVersion,
  }[kind];
  return judgedTarget(name, kind, asked ?? version, properties, construct);
}

function plainTarget({
  targetKind: kind,
  rancherVersion,
  harvesterVersion,
  kubernetesVersion,
}: TargetOptions): JudgedTarget {
  return {
    name: kind ?? 'input',
    ...(kind ? { kind } : {}),
    ...(rancherVersion ? { rancherVersion } : {}),
    ...(harvesterVersion ? { harvesterVersion } : {}),
    ...(kubernetesVersion ? { kubernetesVersion } : {}),
  };
}

// the only target that has the kind; undefined if it is ambiguous
function choose(manifest: Manifest, among: readonly JudgedTarget[]): JudgedTarget | undefined {
  const kinds: readonly string[] | undefined = kindOf(manifest)?.targets;
  const fitting = among.filter(({ kind }) => kind === undefined || !kinds || kinds.includes(kind));
  return fitting.length === 1 ? fitting[0] : undefined;
}

/**
 * Throws for files whose objects are missing.
 *
 * @param accepted a rule whose findings are expected
 */
export function refuseUnread(findings: readonly Finding[], accepted?: Rule): void {
  const broken = findings.filter(({ rule }) => rule !== NOT_JUDGED.id && rule !== accepted?.id);
  if (broken.length > 0) {
    throw new Error(
      broken
        .map(({ message, fix, rule }) =>
          rule === UNREAD_LINK.id ? `${message}. Fix: ${fix}` : message,
        )
        .join('\n'),
    );
  }
}

const UNFIT_FIX = 'leave it out, split it, or set --max-file-size to read more MiB';

function ofFile(
  { id: rule, level, source }: Rule,
  file: string,
  message: string,
  fix: string,
  cause?: string,
): Finding {
  return {
    rule,
    level: level as FindingLevel,
    message: `${plainText(file)} ${message}`,
    path: '',
    fix,
    source,
    file,
    ...(cause === undefined ? {} : { cause }),
  };
}

/** What to do with files that become manifests when something renders them. */
function renderFix(command: string): string {
  return `read the output of ${command} instead, or name the file in ${IGNORE_FILE}`;
}

/** Files for one tool are one block of a report. */
const CAUSES = {
  CHART: 'Helm charts are not rendered here',
  KUSTOMIZATION: 'kustomizations are not built here',
  OTHER: 'files that hold no Kubernetes objects are not judged',
} as const;

function ofKustomization(file: string, what: string): Finding {
  return ofFile(NOT_JUDGED, file, what, renderFix(RENDERED_BY.KUSTOMIZATION), CAUSES.KUSTOMIZATION);
}

function ofChart(folder: string): Finding {
  return ofFile(
    NOT_JUDGED,
    folder,
    'is a Helm chart, whose files are not manifests',
    renderFix(RENDERED_BY.CHART),
    CAUSES.CHART,
  );
}

/** A file that is not YAML, unless it becomes YAML or is for an engine. */
function notYaml(file: string, text: string, { message }: NoYaml): Finding {
  const reason = `is not valid YAML: ${message}`;
  if (isFleetFile(file)) {
    return ofFile(NOT_JUDGED, file, `is a file of Fleet, and ${reason}`, 'correct the file');
  }
  return isTemplate(text)
    ? ofFile(
        NOT_JUDGED,
        file,
        `${IS_TEMPLATE}, and ${reason}`,
        `fill it in, and read the output, or name the file in ${IGNORE_FILE}`,
      )
    : ofFile(NO_YAML, file, reason, `correct the file, or name it in ${IGNORE_FILE}`);
}

function withPlaceholder({ manifest, file = '' }: JudgedObject): Finding {
  return ofFile(
    NOT_JUDGED,
    file,
    `has a ${manifest.kind} with the placeholder ${plainText(placeholderIn(manifest))} in place of a name`,
    `fill it in, and read the output, or name the file in ${IGNORE_FILE}`,
  );
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

function notRead({ file, message, fix, isLink }: SkippedFile): Finding {
  return ofFile(isLink ? UNREAD_LINK : NO_YAML, file, message, fix);
}

/** How many documents one finding names. */
const MAX_NAMED = 5;

/**
 * What a file holds that no rule judges: at most a finding for values that cannot be objects, and
 * one for those that are not of Kubernetes.
 */
function notJudged(file: string, documents: readonly unknown[]): Finding[] {
  const others = notJudgedIn(documents);
  return ([true, false] as const).flatMap((isBroken) => {
    const places = others
      .filter((other) => other.isBroken === isBroken)
      .map(({ place, message }) => `${place} ${message}`);
    if (places.length === 0) {
      return [];
    }
    const more = places.length > MAX_NAMED ? `; and ${places.length - MAX_NAMED} more` : '';
    const message = `${isBroken ? 'holds what cannot be a Kubernetes object' : 'holds what is not judged'}: ${places.slice(0, MAX_NAMED).join('; ')}${more}`;
    return [
      isBroken
        ? ofFile(NO_OBJECT, file, message, `correct the file, or name it in ${IGNORE_FILE}`)
        : ofFile(
            NOT_JUDGED,
            file,
            message,
            `set apiVersion and kind, or name the file in ${IGNORE_FILE}`,
            CAUSES.OTHER,
          ),
    ];
  });
}
