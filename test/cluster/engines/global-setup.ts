import { Clusters } from '../clusters';
import { build, share, skip } from '../setup';
import { ENGINE_FOLDERS_ENV } from './bed/engine-folder';

/**
 * Builds what is not in the cache yet and passes the folders to the tests, which start control
 * planes and engines of their own.
 */
export default function globalSetup(
  _: unknown,
  { globals: { builds } }: { readonly globals: { readonly builds: readonly string[] } },
): void {
  const controlPlane = build('build.js');
  const engines = builds.map((name) => [name, build('engines/build.js', name)] as const);
  for (const { unavailable } of [controlPlane, ...engines.map(([, built]) => built)]) {
    if (unavailable) {
      return skip('the tests with GitOps engines', unavailable);
    }
  }
  process.env[ENGINE_FOLDERS_ENV] = JSON.stringify(
    Object.fromEntries(engines.map(([name, { folder }]) => [name, folder])),
  );
  share({ assets: controlPlane.folder, connections: {} as Clusters['connections'] });
}
