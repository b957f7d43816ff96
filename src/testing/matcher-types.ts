import { DeclaredOptions, PartialManifest } from './declared';
import { FindingsOptions } from './matchers';

/** The matchers as `expect(app)` has them. */
export interface HarvesterMatchers<R = void> {
  /** Expects that the rules find no errors, and with `{ warnings: true }` no warnings either. What the program suppresses does not fail. */
  toHaveNoFindings(options?: FindingsOptions): R;
  /** Expects an object with these fields. Values can be matchers such as `expect.anything()`. */
  toDeclare(manifest: PartialManifest, options?: DeclaredOptions): R;
  /** Expects that the program replaces and deletes no machines, and nothing else with data or tenants, if it follows the output in this folder. */
  toReplaceNoMachines(before: string): R;
}

declare global {
  // of jest, and of vitest, whose matchers include those of jest
  namespace jest {
    interface Matchers<R, T = {}> extends HarvesterMatchers<R> {}
  }
}
