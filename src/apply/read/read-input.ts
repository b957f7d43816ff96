import { relative, sep } from 'path';
import { findFiles } from './find-files';
import { readAssembly } from './read-assembly';
import { readManifests } from './yaml-file';
import { Assembly, AssemblyObject, AssemblyTarget } from '../../model/assembly';
import { Finding } from '../../model/finding';
import { kindOf } from '../../model/kinds';
import { Manifest, objectKey, refKey } from '../../model/manifest';
import { NoYaml } from '../../model/yaml-reader';
import { judgedTarget } from '../../rules/judged-target';
import { NO_YAML } from '../../rules/program-rules';
import { JudgedObject, JudgedTarget } from '../../rules/rule';

/** What is known of the cluster that objects without an assembly are for. */
export interface TargetOptions {
  readonly kind?: 'rancher' | 'harvester' | 'guest';
  readonly rancherVersion?: string;
  readonly harvesterVersion?: string;
  readonly kubernetesVersion?: string;
}

/** Objects read from files. */
export interface Input {
  readonly objects: readonly JudgedObject[];
  /** Files that are no YAML. */
  readonly findings: readonly Finding[];
  readonly assemblies: readonly Assembly[];
}

/**
 * Reads manifests from files and folders. Objects of an output folder get their target, construct and templates from its assembly.
 *
 * @param paths files and folders
 * @param options what is known of the target where no assembly says it
 * @param among the targets that objects of an assembly-less path may belong to: theirs is found by their kind
 */
export function readInput(paths: readonly string[], options: TargetOptions, among: readonly JudgedTarget[] = []): Input {
  const objects: JudgedObject[] = [];
  const findings: Finding[] = [];
  const assemblies: Assembly[] = [];
  const plain = plainTarget(options);

  for (const path of paths) {
    const found = findFiles(path);
    const folders = found.assemblies.map((folder) => new AssemblyFolder(folder, options));
    assemblies.push(...folders.map(({ assembly }) => assembly));
    for (const file of found.files) {
      const folder = folders.find((candidate) => candidate.holds(file));
      try {
        objects.push(...readManifests(file).map((read): JudgedObject => ({
          ...read, file, ...folder?.origin(read.manifest, file) ?? { target: choose(read.manifest, among) ?? plain },
        })));
      } catch (error) {
        // a link to nowhere in a folder is no reason not to judge the others
        if (!(error instanceof NoYaml) && path === file) { throw error; }
        findings.push(noYaml(file, error instanceof NoYaml ? error.message : 'can not be read'));
      }
    }
    for (const folder of folders) { objects.push(...folder.templates()); }
  }
  return { objects, findings, assemblies };
}

/** The targets of assemblies as rules see them. */
export function targetsOf(assemblies: readonly Assembly[], options: TargetOptions): JudgedTarget[] {
  return assemblies.flatMap(({ targets }) => targets.map((target) => assemblyTarget(target, options)));
}

class AssemblyFolder {
  public readonly assembly: Assembly;
  private readonly targets: ReadonlyMap<string, JudgedTarget>;
  private readonly objects: ReadonlyMap<string, AssemblyObject>;

  constructor(private readonly folder: string, options: TargetOptions) {
    this.assembly = readAssembly(folder);
    this.targets = new Map(this.assembly.targets.map((target) => [target.folder, assemblyTarget(target, options)]));
    // by what the object is now, not by its id: names in ids may hold placeholders that were completed since
    this.objects = new Map(this.assembly.objects.map((object) => [`${object.target} ${refKey(object)}`, object]));
  }

  public holds(file: string): boolean {
    return this.targets.has(this.first(file));
  }

  /** What the assembly says of an object in one of its files. */
  public origin(manifest: Manifest, file: string): Pick<JudgedObject, 'target' | 'construct'> {
    const target = this.targets.get(this.first(file))!;
    const construct = this.objects.get(`${target.name} ${objectKey(manifest)}`)?.construct;
    return { target, ...(construct === undefined ? {} : { construct }) };
  }

  /** Objects that wait for late values: judged as far as they are known. */
  public templates(): JudgedObject[] {
    return this.assembly.objects.flatMap(({ template, target, construct }) => {
      const judged = [...this.targets.values()].find(({ name }) => name === target);
      return template && judged ? [{ manifest: template, target: judged, construct }] : [];
    });
  }

  // the folder right below the assembly; '..' where the file lies elsewhere
  private first(file: string): string {
    return relative(this.folder, file).split(sep)[0];
  }
}

// a version of the command line wins over that of the assembly: what if we upgraded
function assemblyTarget({ name, kind, version, properties }: AssemblyTarget, options: TargetOptions): JudgedTarget {
  const asked = { rancher: options.rancherVersion, harvester: options.harvesterVersion, guest: options.kubernetesVersion }[kind];
  return judgedTarget(name, kind, asked ?? version, properties);
}

function plainTarget({ kind, rancherVersion, harvesterVersion, kubernetesVersion }: TargetOptions): JudgedTarget {
  return {
    name: kind ?? 'input',
    ...(kind ? { kind } : {}),
    ...(rancherVersion ? { rancherVersion } : {}),
    ...(harvesterVersion ? { harvesterVersion } : {}),
    ...(kubernetesVersion ? { kubernetesVersion } : {}),
  };
}

// an object of a kind that only one of the targets has lies there; else nobody can say
function choose(manifest: Manifest, among: readonly JudgedTarget[]): JudgedTarget | undefined {
  const kinds: readonly string[] | undefined = kindOf(manifest)?.targets;
  const fitting = among.filter(({ kind }) => kind === undefined || !kinds || kinds.includes(kind));
  return fitting.length === 1 ? fitting[0] : undefined;
}

function noYaml(file: string, message: string): Finding {
  return { rule: NO_YAML.id, level: NO_YAML.level, message: `${file} is no YAML: ${message}`, path: '', fix: 'mend the file, or leave it out', source: NO_YAML.source, file };
}
