import { HiddenOutput, PlainOutput } from '../../core/app/delivery-step';

/** How the secrets of one output are hidden. */
export interface SecretHiding {
  readonly hide: (output: PlainOutput) => HiddenOutput;
}
