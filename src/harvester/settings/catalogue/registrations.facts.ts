import { registrationOf, registeredBy } from './registration.facts';
import { LATE_TOKEN, isLate } from '../../../core/late/late-token';
import { GROUPS, SETTING_REGISTRATION_URL } from '../../../core/manifest/names';
import { JudgedObject, JudgedTarget, World } from '../../../core/rule/rule';
import { byObject } from '../../../core/text/values';
import { managementClusterIdOf } from '../../../rancher/cluster/cluster.facts';

/** The registration that a Setting `cluster-registration-url` requests, as far as it is known. */
interface RequestedRegistration {
  /** Host of the Rancher: IDs are unique within one. */
  readonly host: string;
  readonly clusterId: string;
  /** The token; undefined if it is a late value. */
  readonly token?: string;
}

/**
 * All registrations of a world, parsed once. The key of `byCluster` is host and management cluster
 * ID.
 */
interface Registrations {
  readonly bySetting: ReadonlyMap<JudgedObject, RequestedRegistration>;
  readonly byCluster: ReadonlyMap<string, readonly JudgedObject[]>;
  readonly byTarget: ReadonlyMap<string, RequestedRegistration>;
  readonly ranchers: ReadonlyMap<string, JudgedTarget>;
  /** Management cluster IDs that exist or will exist; undefined if one of them is unknown. */
  readonly clusterIds: readonly string[] | undefined;
}

/** The registrations of a world, computed once. */
export const registrationsIn = byObject((world: World): Registrations => {
  const bySetting = new Map<JudgedObject, RequestedRegistration>();
  const byCluster = new Map<string, JudgedObject[]>();
  const byTarget = new Map<string, RequestedRegistration>();
  const ranchers = new Map<string, JudgedTarget>();
  for (const { target } of [...world.judged, ...world.live]) {
    ranchers.set(target.name, target);
  }
  for (const setting of world.ofKind(GROUPS.HARVESTER, 'Setting')) {
    const registration = registrationIn(setting, ranchers);
    if (!registration) {
      continue;
    }
    bySetting.set(setting, registration);
    byTarget.set(setting.target.name, registration);
    const key = `${registration.host} ${registration.clusterId}`;
    byCluster.set(key, [...(byCluster.get(key) ?? []), setting]);
  }
  return { bySetting, byCluster, byTarget, ranchers, clusterIds: clusterIds(world) };
});

// a late token may be any token; a late ID cannot be compared
function registrationIn(
  { manifest, target }: JudgedObject,
  ranchers: ReadonlyMap<string, JudgedTarget>,
): RequestedRegistration | undefined {
  if (manifest.metadata.name !== SETTING_REGISTRATION_URL || typeof manifest.value !== 'string') {
    return undefined;
  }
  const url = registrationOf(manifest.value).url.replace(LATE_TOKEN, 'late');
  // a late URL is that of the Rancher and the management cluster that the program imports the
  // Harvester as
  if (url === 'late') {
    return importOf(target, ranchers);
  }
  const registered = registeredBy(url);
  return (
    registered && {
      host: registered.host,
      clusterId: registered.clusterId,
      ...(isLate(manifest.value) ? {} : { token: registered.token }),
    }
  );
}

function importOf(
  { managedAs }: JudgedTarget,
  ranchers: ReadonlyMap<string, JudgedTarget>,
): RequestedRegistration | undefined {
  const [rancher, clusterId] = managedAs?.split('/') ?? [];
  const serverUrl = ranchers.get(rancher)?.serverUrl;
  return serverUrl === undefined || !URL.canParse(serverUrl)
    ? undefined
    : { host: new URL(serverUrl).host, clusterId };
}

function clusterIds(world: World): string[] | undefined {
  const declared = world
    .ofKind(GROUPS.PROVISIONING, 'Cluster')
    .map(({ manifest }) => managementClusterIdOf(manifest));
  const live = world
    .ofKind(GROUPS.MANAGEMENT, 'Cluster')
    .map(({ manifest }) => manifest.metadata.name);
  // the URL may be that of the cluster whose ID is unknown
  if (declared.some((id) => id === undefined || isLate(id))) {
    return undefined;
  }
  return [...new Set([...(declared as string[]), ...live])].sort();
}

/**
 * The Rancher and management cluster that a Harvester registers with; undefined if that is unknown.
 */
export function registeredAs(
  harvester: JudgedTarget,
  world: World,
): RequestedRegistration | undefined {
  return registrationsIn(world).byTarget.get(harvester.name);
}
