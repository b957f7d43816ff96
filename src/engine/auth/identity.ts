import { isRecord, valueAt } from '../../core/manifest/manifest';
import { API_VERSIONS } from '../../core/manifest/names';
import { AssemblyTarget } from '../../core/output/assembly';
import { ProductVersion } from '../../core/version/product-version';
import { KubernetesVersion } from '../../guest/kubernetes/kubernetes-version';
import { SETTING } from '../../harvester/settings/harvester-setting.kind';
import { HarvesterVersion } from '../../harvester/version/harvester-version';
import { RANCHER_SERVER_VERSION, RANCHER_SETTINGS } from '../../rancher/settings/rancher-setting.kind';
import { RancherVersion } from '../../rancher/version/rancher-version';
import { Cluster, RequestOptions } from '../cluster/cluster';
import { isRemoved } from '../inventory/removed-targets';
import { ApiError } from '../transport/api';

/** A cluster is not what its target says: nothing was written. */
export class WrongClusterError extends Error {
  public constructor(message: string) {
    super(message);
    this.name = 'WrongClusterError';
  }
}

export interface IdentityOptions extends RequestOptions {
  readonly allowVersionSkew?: boolean;
  readonly warn: (message: string) => void;
}

type Kind = AssemblyTarget['kind'];

const PRODUCTS: Record<Kind, string> = { rancher: 'Rancher', harvester: 'Harvester', guest: 'Kubernetes' };

const PARSERS: Record<Kind, (text: string) => ProductVersion> = {
  rancher: (text) => RancherVersion.parse(text),
  harvester: (text) => HarvesterVersion.parse(text),
  guest: (text) => KubernetesVersion.parse(text),
};

/** The address that Harvester is managed by. @see harvester/harvester:pkg/controller/master/vip; ConfigMap harvester-system/vip, key ip */
const VIP = { apiVersion: API_VERSIONS.CORE, kind: 'ConfigMap', namespace: 'harvester-system', name: 'vip' };

/**
 * Checks that a cluster is what its target says: product, version and address. Throws a WrongClusterError where it is not.
 */
export async function checkIdentity(target: AssemblyTarget, cluster: Cluster, options: IdentityOptions): Promise<void> {
  const gitVersion = await kubernetesVersion(cluster, options);
  const found = await productOf(cluster, options);
  if (found !== target.kind) {
    throw new WrongClusterError(`is ${WHAT[found]}, the target is ${WHAT[target.kind]}; bind the target to another context`);
  }
  await CHECKS[target.kind](target, cluster, options, gitVersion);
}

const WHAT: Record<Kind, string> = {
  rancher: 'a Rancher management cluster', harvester: 'a Harvester cluster', guest: 'a plain Kubernetes cluster, neither Rancher nor Harvester',
};

/** Harvester has a Rancher within, and guests have a part of it: but projects are only on a Rancher of its own. @see rancher/rancher:pkg/crds/names.go MCMCRDs */
async function productOf(cluster: Cluster, options: RequestOptions): Promise<Kind> {
  if (await cluster.kind(API_VERSIONS.HARVESTER, 'Setting', options)) { return 'harvester'; }
  return await cluster.kind(API_VERSIONS.MANAGEMENT, 'Project', options) && await cluster.kind(API_VERSIONS.MANAGEMENT, 'Setting', options) ? 'rancher' : 'guest';
}

type Check = (target: AssemblyTarget, cluster: Cluster, options: IdentityOptions, gitVersion: string) => Promise<void>;

const CHECKS: Record<Kind, Check> = {
  rancher: async (target, cluster, options) => {
    checkVersion(target, await setting(cluster, API_VERSIONS.MANAGEMENT, RANCHER_SERVER_VERSION, options), options);
    const { serverUrl } = target.properties;
    if (serverUrl === undefined) { return; }
    checkServerUrl(serverUrl, await setting(cluster, API_VERSIONS.MANAGEMENT, RANCHER_SETTINGS.SERVER_URL, options), options);
  },
  harvester: async (target, cluster, options) => {
    checkVersion(target, await setting(cluster, API_VERSIONS.HARVESTER, SETTING.SERVER_VERSION, options), options);
    if (target.properties.vip !== undefined) { await checkVip(target.properties.vip, cluster, options); }
  },
  guest: async (target, _, options, gitVersion) => checkVersion(target, gitVersion, options),
};

// asked first: below a URL that is wrong, nothing is there, which is no reason to call it a plain cluster
async function kubernetesVersion(cluster: Cluster, options: RequestOptions): Promise<string> {
  try {
    const version: unknown = await cluster.get('/version', options);
    return isRecord(version) && typeof version.gitVersion === 'string' ? version.gitVersion : '';
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404 && error.failure !== 'connection')) { throw error; }
    throw new WrongClusterError('has no Kubernetes API at its URL (/version: 404); check the server of the context');
  }
}

/** The value of a Setting, of Rancher's or of Harvester's kind; empty where it has none. */
export async function setting(cluster: Cluster, apiVersion: string, name: string, options: RequestOptions = {}): Promise<string> {
  const live = await cluster.read({ apiVersion, kind: 'Setting', name }, options);
  return [live?.value, live?.default].find((text): text is string => typeof text === 'string' && text !== '') ?? '';
}

function checkVersion(target: AssemblyTarget, live: string, { allowVersionSkew, warn }: IdentityOptions): void {
  // nothing is written for a version: what is there is removed
  if (isRemoved(target)) { return; }
  const { kind, version } = target;
  const parse = PARSERS[kind];
  const [wanted, found] = [parse(version), tryParse(parse, live)];
  if (!found) {
    warn(`its version of ${PRODUCTS[kind]} is ${live === '' ? 'not known' : live}, which is no release; the target names ${wanted}`);
    return;
  }
  if (wanted.compareTo(found) === 0) { return; }
  const text = `runs ${PRODUCTS[kind]} ${found}, the target names ${wanted}`;
  const minors = wanted.majorNumber === found.majorNumber ? Math.abs(wanted.minorNumber - found.minorNumber) : Infinity;
  // a guest is upgraded by the very apply that names the new version, one minor version at a time
  if (minors <= (kind === 'guest' ? 1 : 0) || allowVersionSkew) {
    warn(text);
    return;
  }
  throw new WrongClusterError(`${text}: what was made for one minor version may be refused or misread by another; name the version that runs in the program and synthesize again, `
    + 'bind the target to another context, or give --allow-version-skew');
}

function tryParse(parse: (text: string) => ProductVersion, text: string): ProductVersion | undefined {
  try {
    const version = parse(text);
    // what a build without a tag calls itself
    return version.majorNumber === 0 ? undefined : version;
  } catch {
    return undefined;
  }
}

function checkServerUrl(wanted: string, live: string, { warn }: IdentityOptions): void {
  if (live === '') {
    warn(`its server-url is not set yet, the target names ${wanted}: clusters can be imported once it is`);
  } else if (originOf(live) !== originOf(wanted)) {
    throw new WrongClusterError(`has the server-url ${live}, the target names ${wanted}: it is another Rancher; bind the target to another context, or change server-url on it first`);
  }
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

async function checkVip(wanted: string, cluster: Cluster, options: IdentityOptions): Promise<void> {
  try {
    const ip = valueAt(await cluster.read(VIP, options), 'data', 'ip');
    if (typeof ip === 'string' && ip !== '' && ip !== wanted) {
      throw new WrongClusterError(`has the VIP ${ip}, the target names ${wanted}: it is another Harvester; bind the target to another context`);
    }
  } catch (error) {
    // the address is a second look: who may not read it has seen the version
    if (!(error instanceof ApiError && error.failure === 'forbidden')) { throw error; }
  }
}
