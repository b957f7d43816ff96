import { ApiObject } from 'cdk8s';
import { harvesterSetting } from '../../core/kind/all-settings';
import { note } from '../../core/manifest/object-notes';

const RESET = 'Harvester owns the object: deleting it does not reset the setting and is refused for some; value: "" resets it';

/**
 * Notes about a Setting that its manifest cannot hold: it is reset, never deleted, and Harvester writes most of its fields.
 *
 * @see harvester/harvester:pkg/controller/global/settings/register.go, pkg/controller/master/setting/handler.go
 */
export function noteSetting(setting: ApiObject, name: string): void {
  const { resetEffect, rewritten } = harvesterSetting(name) ?? {};
  note(setting, {
    deletion: { policy: 'reset', reason: resetEffect === undefined ? RESET : `${RESET}; ${resetEffect}` },
    othersWrite: ['default', 'source', 'customized', 'status', 'metadata.annotations', 'metadata.finalizers', ...(rewritten ? ['value'] : [])],
  });
}
