import { ApiObject } from 'cdk8s';
import { SETTING } from '../model/harvester-settings/names';
import { note } from '../model/object-notes';

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
