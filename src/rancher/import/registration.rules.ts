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

/** What a Setting cluster-registration-url asks for, as far as it can be known. */
export interface Asked {
  /** Host of the Rancher: ids are unique in one. */
  readonly host: string;
  readonly clusterId: string;
  /** The token; undefined while it is a late value. */
  readonly token?: string;
}

/** All registrations of a world, by host and id: looked up by each of them, so parsed once. */
interface Registrations {
  readonly asked: ReadonlyMap<JudgedObject, Asked>;
  readonly byCluster: ReadonlyMap<string, readonly JudgedObject[]>;
  readonly byTarget: ReadonlyMap<string, Asked>;
  /** Ids of the clusters that Rancher has or will have; undefined where one of them is not known. */
  readonly clusterIds: readonly string[] | undefined;
}

const REGISTRATIONS = new WeakMap<World, Registrations>();

function registrationsOf(world: World): Registrations {
  const known = REGISTRATIONS.get(world);
  if (known) { return known; }
  const asked = new Map<JudgedObject, Asked>();
  const byCluster = new Map<string, JudgedObject[]>();
  const byTarget = new Map<string, Asked>();
  const ranchers = new Map([...world.judged, ...world.live].map(({ target }) => [target.name, target]));
  for (const setting of world.ofKind(GROUPS.HARVESTER, 'Setting')) {
    const registration = askedBy(setting, ranchers);
    if (!registration) { continue; }
    asked.set(setting, registration);
    byTarget.set(setting.target.name, registration);
    const key = `${registration.host} ${registration.clusterId}`;
    byCluster.set(key, [...byCluster.get(key) ?? [], setting]);
  }
  const registrations = { asked, byCluster, byTarget, clusterIds: clusterIds(world) };
  REGISTRATIONS.set(world, registrations);
  return registrations;
}

// a token that is late stands for any; an id that is late can't be compared
function askedBy({ manifest, target }: JudgedObject, ranchers: ReadonlyMap<string, JudgedTarget>): Asked | undefined {
  if (manifest.metadata.name !== SETTING_REGISTRATION_URL || typeof manifest.value !== 'string') { return undefined; }
  const given = registrationOf(manifest.value).url;
  const text = given.replace(LATE_TOKEN, 'late');
  // a URL that is late as a whole is the one of the Rancher and the management cluster that the program imports it as
  if (text === 'late') { return askedByProgram(target, ranchers); }
  if (!URL.canParse(text)) { return undefined; }
  const url = new URL(text);
  const match = IMPORT_PATH.exec(url.pathname);
  return match ? { host: url.host, clusterId: match[2], ...(isLate(manifest.value) ? {} : { token: match[1] }) } : undefined;
}

function askedByProgram({ managedAs }: JudgedTarget, ranchers: ReadonlyMap<string, JudgedTarget>): Asked | undefined {
  const [rancher, clusterId] = managedAs?.split('/') ?? [];
  const serverUrl = ranchers.get(rancher)?.serverUrl;
  return serverUrl === undefined || !URL.canParse(serverUrl) ? undefined : { host: new URL(serverUrl).host, clusterId };
}

/** The Rancher and management cluster that a Harvester registers as; undefined where that is not known. */
export function registeredAs(harvester: JudgedTarget, world: World): Asked | undefined {
  return registrationsOf(world).byTarget.get(harvester.name);
}

const UNKNOWN_CLUSTER: Rule = {
  id: 'registration/unknown-cluster',
  level: 'warning',
  kinds: KINDS,
  what: 'a Harvester registers as a cluster that the program or the world has, where these have clusters with ids at all',
  says: 'cluster not found or invalid token',
  source: SOURCE,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { asked, clusterIds: ids } = registrationsOf(world);
    const registration = asked.get(object);
    if (registration && ids && ids.length > 0 && !ids.includes(registration.clusterId)) {
      // not shown: somebody may have written the token where the id belongs
      yield { path: 'value', message: 'registers as a cluster that is not here', fix: `register as one of: ${ids.join(', ')}` };
    }
  },
};

const WRONG_TOKEN: Rule = {
  id: 'registration/wrong-token',
  level: 'warning',
  kinds: KINDS,
  what: 'the token in a registration URL is one of the Secrets in the namespace of its cluster, where tokens stand there in clear',
  says: 'cluster not found or invalid token',
  source: SOURCE,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const asked = registrationsOf(world).asked.get(object);
    if (asked?.token === undefined) { return; }
    const tokens = tokensOf(asked.clusterId, world);
    if (tokens.length > 0 && !tokens.includes(asked.token)) {
      yield {
        path: 'value',
        message: `holds a token that none of the Secrets ${TOKEN_SECRET_PREFIX}… in namespace ${asked.clusterId} has`,
        fix: 'use the token of one of them',
      };
    }
  },
};

const SHARED_CLUSTER: Rule = {
  id: 'registration/cluster-shared',
  level: 'error',
  kinds: KINDS,
  what: 'two Harvesters do not register as one cluster of a Rancher, which would talk to whichever agent connected last',
  source: SOURCE,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { asked, byCluster } = registrationsOf(world);
    const registration = asked.get(object);
    if (!registration) { return; }
    const same = byCluster.get(`${registration.host} ${registration.clusterId}`)!;
    const other = same.find(({ target }) => target.name !== object.target.name);
    if (other) {
      yield {
        path: 'value',
        message: `registers as the same cluster as the Harvester ${other.target.name}`,
        fix: 'import each Harvester as a cluster of its own',
      };
    }
  },
};

const UNSUPPORTED: Rule = {
  id: 'registration/unsupported-versions',
  level: 'warning',
  kinds: KINDS,
  what: 'the Rancher that a Harvester registers with is not older than that Harvester asks for (inferred from its documentation, UNCONFIRMED)',
  source: 'harvester/docs rancher/; the rows of SupportMatrix name theirs',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const asked = registrationsOf(world).asked.get(object);
    const harvester = harvesterVersionOf(object.target);
    if (!asked || !harvester) { return; }
    const cluster = world.ofKind(GROUPS.PROVISIONING, 'Cluster')
      .find(({ manifest, target }) => managementClusterIdOf(manifest) === asked.clusterId && isAt(target, asked.host));
    const rancher = cluster && rancherVersionOf(cluster.target);
    if (!rancher) { return; }
    const { level, reason } = SupportMatrix.rancherHarvester(rancher, harvester);
    if (level === SupportLevel.UNSUPPORTED) {
      yield { path: 'value', message: `registers Harvester ${harvester} with Rancher ${rancher}: ${reason}`, fix: 'upgrade first' };
    }
  },
};

// two Ranchers may have clusters of one ID, which is made from their names
function isAt({ serverUrl }: JudgedTarget, host: string): boolean {
  return serverUrl === undefined || !URL.canParse(serverUrl) || new URL(serverUrl).host === host;
}

function clusterIds(world: World): string[] | undefined {
  const declared = world.ofKind(GROUPS.PROVISIONING, 'Cluster').map(({ manifest }) => managementClusterIdOf(manifest));
  const live = world.ofKind(GROUPS.MANAGEMENT, 'Cluster').map(({ manifest }) => manifest.metadata.name);
  // with one id unknown the URL may be for that cluster
  if (declared.some((id) => id === undefined || isLate(id))) { return undefined; }
  return [...new Set([...declared as string[], ...live])].sort();
}

function tokensOf(clusterId: string, world: World): string[] {
  const secrets = world.ofKind('', 'Secret').filter(({ manifest: { metadata } }) => metadata.namespace === clusterId && metadata.name.startsWith(TOKEN_SECRET_PREFIX));
  const tokens = secrets.map(({ manifest }) => secretEntry(manifest, TOKEN_SECRET_KEY, isLate)?.text);
  // a Secret that can't be read here (sealed, encrypted) may hold the token
  return tokens.some((token) => token === undefined || isLate(token)) ? [] : tokens as string[];
}

/** Rules over a Harvester's registration and the Rancher that it registers with. */
export const REGISTRATION_RULES: readonly Rule[] = [UNKNOWN_CLUSTER, WRONG_TOKEN, SHARED_CLUSTER, UNSUPPORTED];
