import { BoundTargets } from '../cluster/cluster';
import { TargetsLeftOut } from '../graph/only-targets';
import { LoadedAssembly } from '../read/load-assembly';

/** A loaded assembly and the clusters of its targets. */
export interface RunProgram extends LoadedAssembly {
  readonly targets: BoundTargets;
  /** What the program declares and a run leaves out. @default - nothing */
  readonly leftOut?: TargetsLeftOut;
}
