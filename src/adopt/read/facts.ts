import { TargetKind } from '../../core/app/target';
import { FoundObject } from '../../core/draft/draft';
import { FoundCluster } from '../../core/draft/inverse';
import { Manifest, objectKey, refKey, valueAt } from '../../core/manifest/manifest';
import { API_VERSIONS } from '../../core/manifest/names';
import { defined } from '../../core/text/values';
import { VIP, releaseOf } from '../../engine/auth/identity';
import { RANCHER_SERVER_VERSION } from '../../rancher/settings/rancher-setting.kind';

/** The Setting of both products that holds their version. */
const SERVER_VERSION = RANCHER_SERVER_VERSION;

/** The Setting of Rancher that holds its URL. */
const SERVER_URL = 'server-url';

/** The properties of a cluster that are in its objects. */
export function factsOf(kind: TargetKind, objects: readonly FoundObject[], gitVersion = ''): Pick<FoundCluster, 'version' | 'serverUrl' | 'vip'> {
  const find = (apiVersion: string, wanted: string, name: string, namespace?: string): Manifest | undefined => (
    objects.find(({ manifest }) => objectKey(manifest) === refKey({ apiVersion, kind: wanted, namespace, name }))?.manifest);
  const setting = (apiVersion: string, name: string): string | undefined => {
    const live = find(apiVersion, 'Setting', name);
    return [live?.value, live?.default].find((text): text is string => typeof text === 'string' && text !== '');
  };
  switch (kind) {
    case TargetKind.RANCHER: {
      const version = releaseOf(kind, setting(API_VERSIONS.MANAGEMENT, SERVER_VERSION) ?? '');
      return defined({ version, serverUrl: setting(API_VERSIONS.MANAGEMENT, SERVER_URL) });
    }
    case TargetKind.HARVESTER: {
      const vip = valueAt(find(VIP.apiVersion, VIP.kind, VIP.name, VIP.namespace), 'data', 'ip');
      const version = releaseOf(kind, setting(API_VERSIONS.HARVESTER, SERVER_VERSION) ?? '');
      return defined({ version, vip: typeof vip === 'string' && vip !== '' ? vip : undefined });
    }
    default:
      return defined({ version: releaseOf(kind, gitVersion) });
  }
}
