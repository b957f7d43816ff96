import { Keeper } from '../../core/kind/retention';
import { Manifest } from '../../core/manifest/manifest';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { Hiding } from '../../core/program/delivery-step';
import { Stage } from '../stage/stages';

/** What an engine delivers. */
export interface EngineProgram {
  readonly assembly: Assembly;
  readonly stages: readonly Stage[];
  /** All objects by ID. */
  readonly manifests: ReadonlyMap<string, Manifest>;
  /** What hides secrets. @default - they are in plain text */
  readonly hiding?: Hiding;
  /** The objects of a stage. */
  readonly objectsOf: (stage: Stage) => readonly AssemblyObject[];
  /** The file of an object, by its ID; undefined for one that waits for late values. */
  readonly fileOf: (id: string) => string | undefined;
}

/**
 * The target that an engine runs in: the given one, or the only Rancher of the program. Throws if
 * the program lacks the given one.
 */
export function homeOf({ targets }: Assembly, given: string | undefined): string | undefined {
  if (given !== undefined && !targets.some(({ name }) => name === given)) {
    throw new Error(
      `delivery.runsIn: must be the name of a target of the program, got '${given}'. ` +
        `Fix: set it to one of ${targets.map(({ name }) => name).join(', ')}`,
    );
  }
  const ranchers = targets.filter(({ kind }) => kind === 'rancher');
  return given ?? (ranchers.length === 1 ? ranchers[0].name : undefined);
}

/** A path below the output folder, as the engine finds it in the repository. */
export function repositoryPath(output: string | undefined, ...parts: readonly string[]): string {
  return [
    ...(output ?? 'dist').split('/').filter((part) => part !== '' && part !== '.'),
    ...parts,
  ].join('/');
}

/** Why only apply writes an object. */
export interface LeftReason {
  /** A clause without its subject. */
  readonly reason: string;
  readonly fix: string;
}

/** Why an engine must not get secrets. */
interface SecretRefusal {
  /** Follows the name of the object. */
  readonly message: string;
  readonly fix: string;
  /** What to do if the object is not a Secret. @default - the same */
  readonly fixOfOthers?: string;
}

/**
 * Why an engine that cannot decrypt must not get what SOPS encrypted.
 *
 * @param ways what else the program can do with this engine, as imperatives
 */
export function refusalOfEncrypted(engine: string, ways: readonly string[] = []): SecretRefusal {
  return {
    message: `is encrypted by SOPS, which ${engine} does not decrypt: it would apply the encrypted values`,
    fix: [...ways, 'deliver with Flux or apply', 'let another tool create the Secret'].join(
      ', or ',
    ),
  };
}

/** A GitOps engine: what it needs on objects, and its own files. */
export interface DeliveryEngine {
  /** The folder below the output folder that only the engine itself needs. */
  readonly folder: string;
  /**
   * Secrets that it must not get: in plain text, unless the program accepts it, and encrypted by
   * SOPS.
   * @default - it takes both
   */
  readonly refuses?: { readonly plain?: SecretRefusal; readonly encrypted?: SecretRefusal };
  /**
   * Whether stages wait for objects that `resolve` has not written yet.
   * @default - objects that need them are applied before
   */
  readonly waitsForLate?: boolean;
  /**
   * Why it writes fields again that belong to another program from the creation on, as a clause
   * without its subject: such objects are left to apply.
   * @default - it leaves these fields alone
   */
  readonly rewrites?: string;
  /**
   * Why it does not deliver what `resolve` writes: such objects are left to apply.
   * @default - it delivers all files of its folders
   */
  readonly leavesLate?: LeftReason;
  /** What keeps an object that leaves the output and must not be deleted. */
  readonly keeper: Keeper;
  /** The annotations of the objects of a stage. @default - none */
  readonly annotations?: (stage: Stage) => { readonly [name: string]: string };
  /** The files for the engine itself, by their path below the output folder. */
  readonly files: (program: EngineProgram) => ReadonlyMap<string, string>;
}
