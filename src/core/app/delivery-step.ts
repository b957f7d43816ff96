import { Manifest } from '../manifest/manifest';
import { Assembly, OutputLayout } from '../output/assembly';

/** A whole output in memory, as it is written without an engine. */
export interface PlainOutput {
  readonly assembly: Assembly;
  /** All objects by ID; those that wait for late values with placeholders. */
  readonly manifests: ReadonlyMap<string, Manifest>;
  readonly layout: OutputLayout;
}

/** The output as an engine gets it. */
export interface DeliveredOutput {
  /** With the files of the objects, the stages, and the findings of the delivery. */
  readonly assembly: Assembly;
  /** All files but the assembly, by their path below the output folder. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * How the output reaches the clusters: one of the factories of `Delivery`.
 */
export interface IDelivery {
  /**
   * The output for the engine; undefined without an engine.
   * @internal
   */
  _deliver(output: PlainOutput): DeliveredOutput | undefined;
}
