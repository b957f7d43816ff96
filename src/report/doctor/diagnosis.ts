import { LiveWorld, ReadName, SeenTarget } from './live-world';
import { AssemblyTarget } from '../../core/output/assembly';
import { LiveObject } from '../../engine/cluster/cluster';

/** `error`: something does not work, or will be lost; `warning`: it soon will, or looks wrong; `info`: good to know. */
export type DiagnosisLevel = 'error' | 'warning' | 'info';

/** A problem of a live cluster. Holds no secret. */
export interface Diagnosis {
  /** Id of the check, e.g. `agent/image-pull`. */
  readonly check: string;
  readonly level: DiagnosisLevel;
  readonly target: string;
  /** `Kind namespace/name`; none where it is about the cluster as a whole. */
  readonly object?: string;
  readonly message: string;
  /** What to do. */
  readonly fix: string;
  /** Where the check is known from. */
  readonly source: string;
}

/** What a check found. */
export interface Symptom {
  readonly object?: LiveObject;
  readonly message: string;
  readonly fix: string;
  /** @default - the level of the check */
  readonly level?: DiagnosisLevel;
}

/** A check of live objects: a pure function over what was read. */
export interface Check {
  readonly id: string;
  readonly level: DiagnosisLevel;
  /** What is looked for. */
  readonly what: string;
  readonly source: string;
  /** The kinds of targets that it looks at. */
  readonly on: readonly AssemblyTarget['kind'][];
  /** The lists that must have been read from the target; the check is skipped without them. */
  readonly needs: readonly ReadName[];
  look(target: SeenTarget, world: LiveWorld): Iterable<Symptom>;
}
