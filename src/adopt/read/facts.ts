import { TargetKind } from '../../core/construct/target';
import { FoundObject, FoundCluster } from '../../core/draft/draft';
import { kindOf } from '../../core/kind/kinds';
import {
  groupOf,
  Manifest,
  objectKey,
  objectLabel,
  refKey,
  valueAt,
} from '../../core/manifest/manifest';
import {
  API_VERSIONS,
  FLEET_DEFAULT,
  FLEET_LOCAL,
  GROUPS,
  LOCAL_CLUSTER,
} from '../../core/manifest/names';
import { filledText } from '../../core/text/plain-text';
import { defined } from '../../core/text/values';
import { releaseOf, VIP } from '../../engine/auth/identity';
import { RANCHER_SERVER_VERSION } from '../../rancher/settings/rancher-setting.kind';

/** The Setting of both products that holds their version. */
const SERVER_VERSION = RANCHER_SERVER_VERSION;

/** The Setting of Rancher that holds its URL. */
const SERVER_URL = 'server-url';

/** The properties of a cluster that are in its objects. */
export function factsOf(
  kind: TargetKind,
  objects: readonly FoundObject[],
  gitVersion = '',
): Pick<FoundCluster, 'version' | 'serverUrl' | 'vip'> {
  const find = (
    apiVersion: string,
    wanted: string,
    name: string,
    namespace?: string,
  ): Manifest | undefined =>
    objects.find(
      ({ manifest }) =>
        objectKey(manifest) === refKey({ apiVersion, kind: wanted, namespace, name }),
    )?.manifest;
  const setting = (apiVersion: string, name: string): string | undefined => {
    const live = find(apiVersion, 'Setting', name);
    return filledText(live?.value) ?? filledText(live?.default);
  };
  switch (kind) {
    case TargetKind.RANCHER: {
      const version = releaseOf(kind, setting(API_VERSIONS.MANAGEMENT, SERVER_VERSION) ?? '');
      return defined({ version, serverUrl: setting(API_VERSIONS.MANAGEMENT, SERVER_URL) });
    }
    case TargetKind.HARVESTER: {
      const vip = valueAt(find(VIP.apiVersion, VIP.kind, VIP.name, VIP.namespace), 'data', 'ip');
      const version = releaseOf(kind, setting(API_VERSIONS.HARVESTER, SERVER_VERSION) ?? '');
      return defined({ version, vip: filledText(vip) });
    }
    default:
      return defined({ version: releaseOf(kind, gitVersion) });
  }
}

/**
 * The kind of the cluster that objects are of, by the kinds that only one product serves; a guest
 * cluster has none of them. Harvester has a Rancher within, whose objects are of its own cluster
 * only.
 *
 * @throws for objects of both
 */
export function targetKindOf(objects: readonly FoundObject[], folder: string): TargetKind {
  const ofRancher = objects.find(isOfRancher);
  const ofHarvester = objects.find(isOfHarvester);
  if (ofRancher && ofHarvester) {
    throw new Error(
      `${folder}: must hold the objects of one cluster, got ${labelOf(ofRancher)}, which is of Rancher, and ${labelOf(ofHarvester)}, which is of Harvester. ` +
        'Fix: use a folder for each cluster, or name its kind',
    );
  }
  if (ofHarvester) {
    return TargetKind.HARVESTER;
  }
  return ofRancher ? TargetKind.RANCHER : TargetKind.GUEST;
}

function isOfHarvester({ manifest }: FoundObject): boolean {
  const targets = kindOf(manifest)?.targets;
  return (
    groupOf(manifest.apiVersion) === GROUPS.HARVESTER ||
    (targets?.length === 1 && targets[0] === TargetKind.HARVESTER)
  );
}

/** The API group of Fleet. */
const FLEET = 'fleet.cattle.io';

function isOfRancher({ manifest }: FoundObject): boolean {
  const { kind } = manifest;
  const { name, namespace } = manifest.metadata;
  const targets = kindOf(manifest)?.targets;
  // what Rancher delivers to its clusters; a Harvester has fleet-local only
  if (groupOf(manifest.apiVersion) === FLEET && namespace === FLEET_DEFAULT) {
    return true;
  }
  const isLocal =
    namespace === FLEET_LOCAL || namespace === LOCAL_CLUSTER || name === LOCAL_CLUSTER;
  if (isLocal) {
    return false;
  }
  if (kind === 'Cluster') {
    return [GROUPS.PROVISIONING, GROUPS.MANAGEMENT].some(
      (group) => group === groupOf(manifest.apiVersion),
    );
  }
  return (
    targets?.length === 1 &&
    targets[0] === TargetKind.RANCHER &&
    !('builtin' in manifest && manifest.builtin === true)
  );
}

function labelOf({ manifest, from }: FoundObject): string {
  return `${objectLabel(manifest)} (${from})`;
}
