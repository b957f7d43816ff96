import { HARVESTER_SETTINGS } from './harvester-settings.data';
import { ObjectNotes } from '../../core/construct/object-notes';
import { API_VERSIONS } from '../../core/manifest/names';

/** The API version and kind of a setting. */
export const SETTING = { apiVersion: API_VERSIONS.HARVESTER, kind: 'Setting' };

/**
 * What a reset of a setting means, and whether Harvester writes its value again.
 * @see harvester/harvester:pkg/controller/global/settings/register.go, pkg/controller/master/setting/handler.go
 */
export function notesOfSetting(name: string): ObjectNotes {
  const { resetEffect, rewritten } = HARVESTER_SETTINGS.get(name) ?? {};
  return {
    ...(resetEffect === undefined ? {} : { deletion: name }),
    ...(rewritten ? { othersWrite: ['value'] } : {}),
  };
}
