import { Fields } from './_parts';
import { Problem } from '../model/problem';
import { KubernetesDistribution, KubernetesVersion, RancherVersion } from '../versions';

/** The versions that a distribution is judged by. */
export interface DistributionVersions {
  readonly kubernetes: KubernetesVersion;
  readonly rancher: RancherVersion;
}

/** What the distributions of Kubernetes differ in, with the user's options in it. */
export interface Distribution {
  readonly name: KubernetesDistribution;
  /** Where it keeps its data on a node unless told otherwise. */
  readonly dataDirectory: string;
  /** machineGlobalConfig as the user asks for it. */
  readonly globalConfig: Fields;
  /** What the UI writes there beside, where neither the user nor a part of the cluster says anything else. */
  readonly globalDefaults: Fields;
  /** The entry of machineSelectorConfig that is for all machines, as the user asks for it. */
  readonly selectorConfig: Fields;
  /** What the UI writes there beside. */
  readonly selectorDefaults: Fields;
  /** Values of bundled charts, by chart. */
  readonly chartValues: { readonly [chart: string]: Fields };
  /** The pod security admission template that goes with the options; undefined where none does. */
  readonly podSecurityTemplate?: string;
  /** What is wrong with the options, each with a path below `kubernetes`. */
  check(versions: DistributionVersions): Iterable<Problem>;
}
