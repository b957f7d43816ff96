import { TOKEN_SECRET_KEY, TOKEN_SECRET_PREFIX } from './registration-token.kind';
import { LATE_TOKEN, isLate } from '../../core/late/late-token';
import { GROUPS, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, JudgedTarget, Rule, World } from '../../core/rule/rule';
import { secretEntry } from '../../core/secret/definition';
import { harvesterVersionOf } from '../../harvester/context.rules';
import { IMPORT_PATH, registrationOf } from '../../harvester/settings/catalogue/registration.check';
import { managementClusterIdOf } from '../cluster/cluster-id.rules';
import { rancherVersionOf } from '../version/rancher-gates';
import { SupportLevel, SupportMatrix } from '../version/support-matrix';

const KINDS = ['harvesterhci.io/Setting'];
const SOURCE = 'rancher/rancher:pkg/api/norman/customization/clusterregistrationtokens; seen on Rancher 2.13.8 and Harvester 1.7.2';

/** The registration that a Setting `cluster-registration-url` requests, as far as it is known. */
interface Registration {
  /** Host of the Rancher: IDs are unique within one. */
  readonly host: string;
  readonly clusterId: string;
  /** The token; undefined if it is a late value. */
  readonly token?: string;
}

/** All registrations of a world, parsed once. The key of `byCluster` is host and management cluster ID. */
interface Registrations {
  readonly bySetting: ReadonlyMap<JudgedObject, Registration>;
  readonly byCluster: ReadonlyMap<string, readonly JudgedObject[]>;
  readonly byTarget: ReadonlyMap<string, Registration>;
  /** Management cluster IDs that exist or will exist; undefined if one of them is unknown. */
  readonly clusterIds: readonly string[] | undefined;
}

const REGISTRATIONS = new WeakMap<World, Registrations>();

function registrationsOf(world: World): Registrations {
  const known = REGISTRATIONS.get(world);
  if (known) { return known; }
  const bySetting = new Map<JudgedObject, Registration>();
  const byCluster = new Map<string, JudgedObject[]>();
  const byTarget = new Map<string, Registration>();
  const ranchers = new Map([...world.judged, ...world.live].map(({ target }) => [target.name, target]));
  for (const setting of world.ofKind(GROUPS.HARVESTER, 'Setting')) {
    const registration = registrationIn(setting, ranchers);
    if (!registration) { continue; }
    bySetting.set(setting, registration);
    byTarget.set(setting.target.name, registration);
    const key = `${registration.host} ${registration.clusterId}`;
    byCluster.set(key, [...byCluster.get(key) ?? [], setting]);
  }
  const registrations = { bySetting, byCluster, byTarget, clusterIds: clusterIds(world) };
  REGISTRATIONS.set(world, registrations);
  return registrations;
}

// a late token may be any token; a late ID cannot be compared
function registrationIn({ manifest, target }: JudgedObject, ranchers: ReadonlyMap<string, JudgedTarget>): Registration | undefined {
  if (manifest.metadata.name !== SETTING_REGISTRATION_URL || typeof manifest.value !== 'string') { return undefined; }
  const given = registrationOf(manifest.value).url;
  const text = given.replace(LATE_TOKEN, 'late');
  // a late URL is that of the Rancher and the management cluster that the program imports the Harvester as
  if (text === 'late') { return importOf(target, ranchers); }
  if (!URL.canParse(text)) { return undefined; }
  const url = new URL(text);
  const match = IMPORT_PATH.exec(url.pathname);
  return match ? { host: url.host, clusterId: match[2], ...(isLate(manifest.value) ? {} : { token: match[1] }) } : undefined;
}

function importOf({ managedAs }: JudgedTarget, ranchers: ReadonlyMap<string, JudgedTarget>): Registration | undefined {
  const [rancher, clusterId] = managedAs?.split('/') ?? [];
  const serverUrl = ranchers.get(rancher)?.serverUrl;
  return serverUrl === undefined || !URL.canParse(serverUrl) ? undefined : { host: new URL(serverUrl).host, clusterId };
}

/** The Rancher and management cluster that a Harvester registers with; undefined if that is unknown. */
export function registeredAs(harvester: JudgedTarget, world: World): Registration | undefined {
  return registrationsOf(world).byTarget.get(harvester.name);
}

const UNKNOWN_CLUSTER: Rule = {
  id: 'registration/unknown-cluster',
  level: 'warning',
  kinds: KINDS,
  what: 'a Harvester registers as a cluster of the program or of the live Rancher',
  says: 'cluster not found or invalid token',
  source: SOURCE,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { bySetting, clusterIds: ids } = registrationsOf(world);
    const registration = bySetting.get(object);
    if (registration && ids && ids.length > 0 && !ids.includes(registration.clusterId)) {
      // no value: the user may have written the token in place of the ID
      yield { path: 'value', message: 'must register with a known cluster', fix: `use the management cluster ID of one of: ${ids.join(', ')}` };
    }
  },
};

const WRONG_TOKEN: Rule = {
  id: 'registration/wrong-token',
  level: 'warning',
  kinds: KINDS,
  what: 'the token in a registration URL is that of a Secret in the namespace of its cluster, if those Secrets are in plain text',
  says: 'cluster not found or invalid token',
  source: SOURCE,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const asked = registrationsOf(world).bySetting.get(object);
    if (asked?.token === undefined) { return; }
    const tokens = tokensOf(asked.clusterId, world);
    if (tokens.length > 0 && !tokens.includes(asked.token)) {
      yield {
        path: 'value',
        message: `must contain the token of a Secret ${TOKEN_SECRET_PREFIX}… in namespace ${asked.clusterId}`,
        fix: 'use the token of one of them',
      };
    }
  },
};

const SHARED_CLUSTER: Rule = {
  id: 'registration/cluster-shared',
  level: 'error',
  kinds: KINDS,
  what: 'each Harvester registers with a cluster of its own: Rancher talks to the agent that connected last',
  source: SOURCE,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { bySetting, byCluster } = registrationsOf(world);
    const registration = bySetting.get(object);
    if (!registration) { return; }
    const same = byCluster.get(`${registration.host} ${registration.clusterId}`)!;
    const other = same.find(({ target }) => target.name !== object.target.name);
    if (other) {
      yield {
        path: 'value',
        message: `cannot register with the cluster of Harvester ${other.target.name}`,
        fix: 'import each Harvester as a cluster of its own',
      };
    }
  },
};

const UNSUPPORTED: Rule = {
  id: 'registration/unsupported-versions',
  level: 'warning',
  kinds: KINDS,
  what: 'a Harvester registers with a Rancher of at least the version that its documentation names (inferred, unconfirmed: not verified on a running system)',
  source: 'harvester/docs rancher/; the rows of SupportMatrix name their sources',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const asked = registrationsOf(world).bySetting.get(object);
    const harvester = harvesterVersionOf(object.target);
    if (!asked || !harvester) { return; }
    const cluster = world.ofKind(GROUPS.PROVISIONING, 'Cluster')
      .find(({ manifest, target }) => managementClusterIdOf(manifest) === asked.clusterId && isAt(target, asked.host));
    const rancher = cluster && rancherVersionOf(cluster.target);
    if (!rancher) { return; }
    const { level, reason } = SupportMatrix.rancherHarvester(rancher, harvester);
    if (level === SupportLevel.UNSUPPORTED) {
      yield { path: 'value', message: `cannot register Harvester ${harvester} with Rancher ${rancher}: ${reason}`, fix: 'upgrade first' };
    }
  },
};

// two Ranchers may have clusters of one ID, which is derived from their names
function isAt({ serverUrl }: JudgedTarget, host: string): boolean {
  return serverUrl === undefined || !URL.canParse(serverUrl) || new URL(serverUrl).host === host;
}

function clusterIds(world: World): string[] | undefined {
  const declared = world.ofKind(GROUPS.PROVISIONING, 'Cluster').map(({ manifest }) => managementClusterIdOf(manifest));
  const live = world.ofKind(GROUPS.MANAGEMENT, 'Cluster').map(({ manifest }) => manifest.metadata.name);
  // the URL may be that of the cluster whose ID is unknown
  if (declared.some((id) => id === undefined || isLate(id))) { return undefined; }
  return [...new Set([...declared as string[], ...live])].sort();
}

function tokensOf(clusterId: string, world: World): string[] {
  const secrets = world.ofKind('', 'Secret').filter(({ manifest: { metadata } }) => metadata.namespace === clusterId && metadata.name.startsWith(TOKEN_SECRET_PREFIX));
  const tokens = secrets.map(({ manifest }) => secretEntry(manifest, TOKEN_SECRET_KEY, isLate)?.text);
  // a sealed or encrypted Secret may hold the token
  return tokens.some((token) => token === undefined || isLate(token)) ? [] : tokens as string[];
}

/** Rules over the registration of a Harvester and the Rancher that it registers with. */
export const REGISTRATION_RULES: readonly Rule[] = [UNKNOWN_CLUSTER, WRONG_TOKEN, SHARED_CLUSTER, UNSUPPORTED];
