import { join } from 'path';

/** The environment variable that holds the folders of the builds, by module. */
export const ENGINE_FOLDERS_ENV = 'CDK8S_HARVESTER_TEST_ENGINES';

/** A program or a folder that a module's build left. */
export function enginePath(module: string, ...names: string[]): string {
  const folder = (
    JSON.parse(process.env[ENGINE_FOLDERS_ENV] ?? '{}') as { [module: string]: string | undefined }
  )[module];
  if (!folder) {
    throw new Error(`${module} was not built: name its tests in ENGINES: jest.config.js`);
  }
  return join(folder, ...names);
}
