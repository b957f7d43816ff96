import { INSTALLED_ENV, Installed, install, remove } from './installed';

let installed: Installed | undefined;

/**
 * Installs once for all tests. Where the registry cannot be reached, the tests are skipped with a
 * warning; in CI that is a failure.
 */
export default async function globalSetup(): Promise<() => Promise<void>> {
  try {
    installed = install();
    process.env[INSTALLED_ENV] = JSON.stringify(installed);
  } catch (error) {
    if (process.env.CI) {
      throw error;
    }
    console.error(
      `SKIPPED: all tests of the packed package, which cannot be installed on this machine: ${(error as Error).message}`,
    );
  }
  return async () => {
    if (installed) {
      remove(installed);
    }
  };
}
