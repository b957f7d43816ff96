import { Impact } from './impact';
import { OutputObject } from '../../core/leaving/left-output.rules';
import { objectId, objectLabel } from '../../core/manifest/manifest';
import { Becomes } from '../../engine/removal/removal';
import { AUTH_CONFIG_KIND } from '../../rancher/auth/auth-config.kind';

/** Whether an object is a login provider that is enabled. */
export function isEnabledLogin({ manifest }: OutputObject): boolean {
  return manifest.kind === AUTH_CONFIG_KIND && manifest.enabled === true;
}

/** A login provider that an apply disables: its users lose their access with all that they have. */
export function disabledLogin(
  { manifest, target, construct }: OutputObject,
  { reason }: Becomes,
  accepted: string | undefined,
): Impact {
  const object = objectLabel(manifest);
  return {
    effect: 'delete',
    cluster: '',
    object,
    target,
    machines: 0,
    what: `is no longer declared: ${reason}; the last way in remains enabled`,
    causes: [{ object, path: '', remark: 'is gone' }],
    risks: [],
    id: objectId(target, manifest),
    ...(accepted === undefined ? {} : { accepted }),
    ...(construct === undefined ? {} : { construct }),
  };
}
