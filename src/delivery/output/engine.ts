import { Manifest } from '../../core/manifest/manifest';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { Stage } from '../stage/stages';

/** An object that an engine delivers. */
export interface EngineObject {
  readonly object: AssemblyObject;
  readonly stage: Stage;
  /** Whether the engine must keep the object when it leaves the output. */
  readonly isKept: boolean;
}

/** What an engine delivers. */
export interface EngineProgram {
  readonly assembly: Assembly;
  readonly stages: readonly Stage[];
  /** The objects of a stage. */
  readonly objectsOf: (stage: Stage) => readonly AssemblyObject[];
}

/** A GitOps engine: what it needs on objects, and its own files. */
export interface DeliveryEngine {
  /** An object as the engine needs it. */
  readonly prepare: (manifest: Manifest, about: EngineObject) => Manifest;
  /** The files for the engine itself, by their path below the output folder. */
  readonly files: (program: EngineProgram) => ReadonlyMap<string, string>;
}
