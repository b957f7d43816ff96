import { RancherVersion } from './rancher-version';
import { Since } from './since';

/** When a role is there: of a row of the model's table. */
export interface RoleVersions {
  readonly id: string;
  readonly since?: readonly string[];
  readonly until?: readonly string[];
}

/**
 * What is wrong with a version of Rancher that a built-in role is used with; nothing where it has the role. Not exported by the folder.
 */
export function roleVersionProblem({ id, since = [], until }: RoleVersions, version: RancherVersion): string | undefined {
  const gone = until ? Since.of(...until) : undefined;
  if (gone?.includes(version)) { return `the role ${id} is gone from Rancher ${gone.versions.join(', ')} on; the chart names ${version}`; }
  if (since.length === 0 || Since.of(...since).includes(version)) { return undefined; }
  return `the role ${id} needs Rancher ${Since.of(...since)._words('or')}; the chart names ${version}`;
}
