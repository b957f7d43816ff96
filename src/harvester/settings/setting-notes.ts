import { ApiObject } from 'cdk8s';
import { IConstruct } from 'constructs';
import { SETTING } from './harvester-setting.kind';
import { harvesterTargetOf } from '../../core/app/target';
import { note } from '../../core/manifest/object-notes';
import { failOnErrors } from '../../core/rule/problem';
import { HarvesterVersion } from '../version/harvester-version';

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

// the controllers take credentials out of these and write the rest back in another form
const REWRITTEN: readonly string[] = [SETTING.CONTAINERD_REGISTRY, SETTING.BACKUP_TARGET];

const RESET = 'the object is Harvester\'s: deleting it resets nothing and is refused for some, value: "" takes it back to its default';

/** What a reset does beyond that. */
const RESETS: { readonly [name: string]: string } = {
  [SETTING.CLUSTER_REGISTRATION_URL]: `${RESET}; Harvester then removes Rancher's agent and is disconnected from Rancher: what Rancher does on it, `
    + 'projects, members and the machines of guest clusters, stands still',
};

/**
 * Says of a Setting what a manifest can't: it is reset, never deleted, and most of its fields are Harvester's.
 *
 * @see harvester/harvester:pkg/controller/global/settings/register.go, pkg/controller/master/setting/handler.go
 */
export function noteSetting(setting: ApiObject, name: string): void {
  note(setting, {
    deletion: {
      policy: 'reset',
      reason: RESETS[name] ?? RESET,
    },
    othersWrite: [
      'default', 'source', 'customized', 'status', 'metadata.annotations', 'metadata.finalizers', ...(REWRITTEN.includes(name) ? ['value'] : []),
    ],
  });
}
