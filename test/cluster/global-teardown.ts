import { cleanUp } from './daemon';

/** Runs in the process of the setup, so what it started is known here. */
export default function globalTeardown(): void {
  cleanUp();
}
