import * as fc from 'fast-check';
import { DRAW } from './cases';

// A run tries the values that the one before tried: a change does not fail for what it did not
// touch. `TEST_DRAW` chooses others.
fc.configureGlobal({ seed: DRAW });

export { fc };
