import { join, relative, sep } from 'path';
import { TargetOptions, targetOfAssembly } from './judged-targets';
import { Manifest, objectId, refId } from '../../core/manifest/manifest';
import { ASSEMBLY_FILE, Assembly, AssemblyObject } from '../../core/output/assembly';
import { JudgedObject, JudgedTarget } from '../../core/rule/rule';

/** An output folder, with what its assembly lists of the files and objects in it. */
export class AssemblyFolder {
  /** By the names of their folders. */
  private readonly targets: ReadonlyMap<string, JudgedTarget>;
  /** By their current names: names in IDs may contain placeholders that are completed now. */
  private readonly objects: ReadonlyMap<string, AssemblyObject>;
  private readonly engineFiles: ReadonlySet<string>;

  constructor(
    private readonly folder: string,
    public readonly assembly: Assembly,
    options: TargetOptions,
  ) {
    const { stages = [], engineFiles = [], objects } = assembly;
    const targets = new Map(
      assembly.targets.map((target) => [target.name, targetOfAssembly(target, options)]),
    );
    for (const { folder: stage, target } of stages) {
      targets.set(stage, targets.get(target)!);
    }
    this.targets = targets;
    this.objects = new Map(objects.map((object) => [refId(object.target, object), object]));
    this.engineFiles = new Set(engineFiles.map(({ file }) => file));
  }

  public get assemblyFile(): string {
    return join(this.folder, ASSEMBLY_FILE);
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

  /** The path of the construct that wrote an object. */
  public constructOf(manifest: Manifest, target: JudgedTarget): string | undefined {
    return this.objects.get(objectId(target.name, manifest))?.construct;
  }

  /** Whether an apply resets an object that leaves. Engines, which have stages, do not. */
  public isReset(manifest: Manifest, target: JudgedTarget): boolean {
    const object = this.objects.get(objectId(target.name, manifest));
    return object?.deletion?.policy === 'reset' && this.assembly.stages === undefined;
  }

  /** Objects that wait for late values, with placeholders. */
  public templates(): JudgedObject[] {
    return this.assembly.objects.flatMap(({ template, target, construct }) => {
      const judged = this.targets.get(target);
      return template && judged ? [{ manifest: template, target: judged, construct }] : [];
    });
  }
}
