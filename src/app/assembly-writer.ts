import { ResolvedEdges } from './edges';
import { fileOf } from './layout';
import { OutputLayout } from './output-layout';
import { objectId, Program, ProgramObject } from './program';
import { targetProperties } from './target-info';
import { toYaml } from './yaml-writer';
import { Assembly, AssemblyLateValue, AssemblyObject, AssemblyTarget, ASSEMBLY_FILE } from '../model/assembly';
import { Finding } from '../model/finding';
import { rankOf } from '../model/kinds';
import { DeletionNote } from '../model/object-notes';
import { ITarget } from '../model/target';

/** What is deleted like any object, where no construct says otherwise. */
const DELETE: DeletionNote = { policy: 'delete', reason: 'the object is declared by the program' };

/** An object of the program and what it became with the late values that are known. */
export interface FinishedObject {
  readonly declared: ProgramObject;
  readonly finished: ProgramObject;
}

/**
 * All files of the output: the manifests by target, and the assembly.
 */
export function outputFiles(
  program: Program, objects: readonly FinishedObject[], edges: ResolvedEdges, findings: readonly Finding[], layout: OutputLayout,
): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const written = new Map<ProgramObject, string>();
  for (const object of inOrder(objects)) {
    if (object.lateIds.length > 0) { continue; }
    const name = `${object.target.targetName}/${fileOf(object.manifest, layout)}`;
    const before = files.get(name);
    files.set(name, before === undefined ? toYaml(object.manifest) : `${before}---\n${toYaml(object.manifest)}`);
    written.set(object, name);
  }
  const assembly: Assembly = {
    schemaVersion: '1',
    targets: program.targets.map(targetOf).sort((a, b) => (a.name < b.name ? -1 : 1)),
    objects: objects.map((object) => assemblyObject(object, written.get(object.finished))).sort((a, b) => (a.id < b.id ? -1 : 1)),
    groups: edges.groups,
    edges: edges.edges,
    lateValues: program.lateValues.map(lateValueOf).sort((a, b) => (a.id < b.id ? -1 : 1)),
    findings,
  };
  files.set(ASSEMBLY_FILE, `${JSON.stringify(assembly, undefined, 2)}\n`);
  return files;
}

// by rank and name within a target, never by the order of the program: moving a line changes no output
function inOrder(objects: readonly FinishedObject[]): ProgramObject[] {
  const keyed = objects.map(({ finished }) => {
    const { target, manifest } = finished;
    return { finished, key: `${target.targetName}/${String(rankOf(manifest)).padStart(2, '0')}/${objectId(target, manifest)}` };
  });
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ finished }) => finished);
}

function targetOf(target: ITarget): AssemblyTarget {
  const { targetName: name, targetKind: kind, version, node } = target;
  return { name, kind, version, folder: name, construct: node.path, properties: targetProperties(target) };
}

function assemblyObject({ declared, finished }: FinishedObject, file: string | undefined): AssemblyObject {
  const { target, construct, notes, manifest, lateIds } = finished;
  const { namespace, name } = manifest.metadata;
  return {
    id: objectId(target, declared.manifest),
    target: target.targetName,
    apiVersion: manifest.apiVersion,
    kind: manifest.kind,
    ...(namespace ? { namespace } : {}),
    name,
    construct,
    ...(file ? { file } : { template: manifest }),
    ...(lateIds.length > 0 ? { lateValues: lateIds } : {}),
    deletion: notes.deletion ?? DELETE,
    ...(notes.othersWrite ? { othersWrite: notes.othersWrite } : {}),
  };
}

function lateValueOf(late: Program['lateValues'][number]): AssemblyLateValue {
  const { resolver, object: { target, apiVersion, kind, namespace, name }, path } = late.source;
  return {
    id: late.lateId,
    description: late.description,
    type: late.type,
    sensitive: late.sensitive,
    construct: late.node.path,
    source: { resolver, target: target.targetName, apiVersion, kind, ...(namespace ? { namespace } : {}), name, path },
  };
}
