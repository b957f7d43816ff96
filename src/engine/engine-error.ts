/**
 * Why a function of `cdk8s-harvester/engine` did not begin:
 * - `invalid-argument`: paths are not a list, or an option is unknown.
 * - `not-bound`: a target has no context, or two targets have one.
 * - `wrong-cluster`: a context is another cluster than the one that is meant.
 * - `forbidden`: permissions are missing.
 * - `locked`: another run of the app is in progress.
 * - `refused`: a precondition does not hold, so that nothing was written.
 * - `outdated-plan`: a saved plan is not what an apply would do now.
 * - `machine-loss`: machines would be replaced or deleted, with `failOnMachineLoss`.
 */
export type EngineErrorCode =
  | 'invalid-argument'
  | 'not-bound'
  | 'wrong-cluster'
  | 'forbidden'
  | 'locked'
  | 'refused'
  | 'outdated-plan'
  | 'machine-loss';

/** An error of `cdk8s-harvester/engine`. Its message contains no secret. */
export class EngineError extends Error {
  public override readonly name: string = 'EngineError';

  /** @param code what a program decides by: messages are for people, and change */
  public constructor(
    public readonly code: EngineErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
