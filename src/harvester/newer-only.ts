import { IConstruct } from 'constructs';
import { failOnErrors } from '../model/errors';
import { harvesterTargetOf } from '../model/target';
import { HarvesterVersion } from '../versions';

/**
 * Refuses properties that are given although the Harvester is too old for them.
 */
export function newerOnly(scope: IConstruct, what: string, since: string, props: { readonly [name: string]: unknown }): void {
  const version = HarvesterVersion.parse(harvesterTargetOf(scope, what).version);
  if (version.isAtLeast(since)) { return; }
  failOnErrors(scope, Object.keys(props).filter((name) => props[name] !== undefined).map((name) => ({
    path: name, message: `Harvester ${version} ignores it`, fix: `it needs Harvester ${since} or later; leave it out, or upgrade`,
  })));
}
