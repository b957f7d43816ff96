import { Manifest } from '../manifest/manifest';
import { Assembly, AssemblyLateValue, OutputLayout } from '../output/assembly';

/** A whole output in memory, as it is written without an engine. */
export interface PlainOutput {
  readonly assembly: Assembly;
  /** All objects by ID; those that wait for late values with placeholders. */
  readonly manifests: ReadonlyMap<string, Manifest>;
  readonly layout: OutputLayout;
  /**
   * The IDs of the objects that are in files, in the order of their documents.
   * @default - as in the assembly
   */
  readonly order?: readonly string[];
  /**
   * Where secrets of the program and sensitive late values are, by the ID of the object, e.g.
   * `spec.password`.
   * @default - secrets are known by their form
   */
  readonly secretPlaces?: ReadonlyMap<string, ReadonlySet<string>>;
  /**
   * How the secrets of single objects are kept, by the ID of the object.
   * @default - as those of all other objects
   */
  readonly choices?: ReadonlyMap<string, ISecretDelivery>;
  /**
   * An object with late values in place of secrets that are outside of the program.
   * @default - there is no program
   */
  readonly lateForm?: (id: string) => {
    readonly written: Manifest;
    readonly lateValues: readonly AssemblyLateValue[];
  };
  /**
   * Whether the program accepts the secrets of an object in plain text.
   * @default - only where no engine keeps them
   */
  readonly acceptsPlain?: (id: string) => boolean;
  /** What hides the secrets. @default - they are in plain text */
  readonly hiding?: Hiding;
}

/** An output that is for no engine, with the files that it was read from. */
export interface ReadOutput {
  readonly output: PlainOutput;
  readonly files: readonly string[];
}

/** What an engine must know of objects whose secrets are hidden. */
export interface Hiding {
  /**
   * The objects that are in files of their own, with what precedes `.yaml` in the name of the file,
   * by ID.
   */
  readonly ownFiles: ReadonlyMap<string, string>;
  /** How Flux decrypts the objects that are encrypted, by ID. */
  readonly decryption: ReadonlyMap<string, Decryption>;
}

/**
 * How Flux decrypts files.
 * @see fluxcd/kustomize-controller:api/v1/kustomization_types.go Decryption
 */
export interface Decryption {
  readonly provider: string;
  readonly secretRef: { readonly name: string };
}

/** The output as an engine gets it. */
export interface DeliveredOutput {
  /** With the files of the objects, the stages, and the findings of the delivery. */
  readonly assembly: Assembly;
  /** All files but the assembly, by their path below the output folder. */
  readonly files: ReadonlyMap<string, string>;
}

/** How the output reaches the clusters: what core needs of a `Delivery`. @internal */
export interface IDelivery {
  /** The output for the engine; undefined without an engine. @internal */
  _deliver(output: PlainOutput): DeliveredOutput | undefined;
  /** Whether an engine delivers the output. @internal */
  _hasEngine(): boolean;
}

/** An output whose secrets are about to be hidden. */
export interface HiddenOutput {
  /** With the objects as they are delivered, still in plain text. */
  readonly output: PlainOutput;
  /**
   * The new IDs of objects that are of another kind in the output, by the IDs that the program
   * gives them.
   */
  readonly renamed: ReadonlyMap<string, string>;
  /**
   * The output without secrets in plain text, and what to print about it. Throws before anything is
   * written where a tool is missing.
   */
  readonly finish: (
    delivered: DeliveredOutput,
    outdir: string,
  ) => { readonly delivered: DeliveredOutput; readonly notes: readonly string[] };
}

/** How secrets are kept in the output: what core needs of a `SecretDelivery`. @internal */
export interface ISecretDelivery {
  /** Whether the program accepts secrets in plain text. @internal */
  readonly _isPlain: boolean;

  /**
   * Prepares an output whose secrets are hidden; undefined if all are written in plain text.
   *
   * @param others how secrets are kept where the program has not chosen it for an object
   * @internal
   */
  _hide(output: PlainOutput, others?: ISecretDelivery): HiddenOutput | undefined;

  /** The files of an output without an engine. @internal */
  _undelivered(output: PlainOutput): DeliveredOutput;
}
