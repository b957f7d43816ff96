import { valueAt } from '../../core/manifest/manifest';
import { API_VERSIONS } from '../../core/manifest/names';
import { AssemblyTarget } from '../../core/output/assembly';
import { textOrEmpty } from '../../core/text/plain-text';
import { attempt } from '../../core/text/values';
import { Semver, compareSemver, printSemver } from '../../core/version/semver';
import { RANCHER_SERVER_VERSION } from '../../rancher/settings/rancher-setting.kind';
import { Cluster, RequestOptions } from '../cluster/cluster';
import { EngineError } from '../engine-error';
import { isRemoved } from '../inventory/removed-targets';
import { PRODUCT_OF, parseVersion } from '../read/load-assembly';
import { ApiError, onFailure } from '../transport/api';

/** A cluster does not match its target. Nothing was written. */
export class WrongClusterError extends EngineError {
  public override readonly name = 'WrongClusterError';

  public constructor(message: string) {
    super('wrong-cluster', message);
  }
}

interface IdentityOptions extends RequestOptions {
  readonly acceptVersionSkew?: boolean;
  readonly warn: (message: string) => void;
}

type Kind = AssemblyTarget['kind'];

/**
 * The management address (VIP) of Harvester.
 * @see harvester/harvester:pkg/controller/master/vip; ConfigMap harvester-system/vip, key ip
 */
export const VIP = {
  apiVersion: API_VERSIONS.CORE,
  kind: 'ConfigMap',
  namespace: 'harvester-system',
  name: 'vip',
};

/**
 * Checks that a cluster matches its target: product, version and address. Throws a
 * WrongClusterError if it does not.
 */
export async function checkIdentity(
  target: AssemblyTarget,
  cluster: Cluster,
  options: IdentityOptions,
): Promise<void> {
  const gitVersion = await kubernetesVersion(cluster, options);
  const found = await productOf(cluster, options);
  if (found !== target.kind) {
    throw new WrongClusterError(
      `must be ${WHAT[target.kind]}, got ${WHAT[found]}. Fix: bind the target to another context`,
    );
  }
  await CHECKS[target.kind](target, cluster, options, gitVersion);
}

const WHAT: Record<Kind, string> = {
  rancher: 'a Rancher management cluster',
  harvester: 'a Harvester cluster',
  guest: 'a plain Kubernetes cluster, neither Rancher nor Harvester',
};

/**
 * Harvester contains a Rancher, and guest clusters a part of one, but only a separate Rancher has
 * projects.
 * @see rancher/rancher:pkg/crds/names.go MCMCRDs
 */
export async function productOf(cluster: Cluster, options: RequestOptions): Promise<Kind> {
  if (await cluster.kind(API_VERSIONS.HARVESTER, 'Setting', options)) {
    return 'harvester';
  }
  return (await cluster.kind(API_VERSIONS.MANAGEMENT, 'Project', options)) &&
    (await cluster.kind(API_VERSIONS.MANAGEMENT, 'Setting', options))
    ? 'rancher'
    : 'guest';
}

type Check = (
  target: AssemblyTarget,
  cluster: Cluster,
  options: IdentityOptions,
  gitVersion: string,
) => Promise<void>;

const CHECKS: Record<Kind, Check> = {
  rancher: async (target, cluster, options) => {
    checkVersion(
      target,
      await readSetting(cluster, API_VERSIONS.MANAGEMENT, RANCHER_SERVER_VERSION, options),
      options,
    );
    const { serverUrl } = target.properties;
    if (serverUrl === undefined) {
      return;
    }
    checkServerUrl(
      serverUrl,
      await readSetting(cluster, API_VERSIONS.MANAGEMENT, 'server-url', options),
      options,
    );
  },
  harvester: async (target, cluster, options) => {
    checkVersion(
      target,
      await readSetting(cluster, API_VERSIONS.HARVESTER, 'server-version', options),
      options,
    );
    if (target.properties.vip !== undefined) {
      await checkVip(target.properties.vip, cluster, options);
    }
  },
  guest: async (target, _, options, gitVersion) => checkVersion(target, gitVersion, options),
};

/**
 * The version of Kubernetes. Read first: with a wrong URL every kind is missing, which does not
 * make it a plain cluster.
 */
export async function kubernetesVersion(
  cluster: Cluster,
  options: RequestOptions,
): Promise<string> {
  try {
    const version: unknown = await cluster.get('/version', options);
    return textOrEmpty(valueAt(version, 'gitVersion'));
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404 && error.failure !== 'connection')) {
      throw error;
    }
    throw new WrongClusterError(
      'has no Kubernetes API at its URL (/version: 404). Fix: correct the server of the context',
    );
  }
}

/** The value or default of a Setting of Rancher or Harvester; empty if it has none. */
export async function readSetting(
  cluster: Cluster,
  apiVersion: string,
  name: string,
  options: RequestOptions = {},
): Promise<string> {
  const live = await cluster.read({ apiVersion, kind: 'Setting', name }, options);
  return (
    [live?.value, live?.default].find(
      (text): text is string => typeof text === 'string' && text !== '',
    ) ?? ''
  );
}

function checkVersion(
  target: AssemblyTarget,
  live: string,
  { acceptVersionSkew, warn }: IdentityOptions,
): void {
  // objects are only removed: the version does not matter
  if (isRemoved(target)) {
    return;
  }
  const { kind, version } = target;
  const product = PRODUCT_OF[kind].name;
  const [wanted, found] = [parseVersion(kind, version), tryParse(kind, live)];
  const textOf = (semver: Semver): string => versionText(kind, semver);
  if (!found) {
    warn(
      `its ${product} version is ${live === '' ? 'unknown' : `${live}, which is not a release`}; the target declares ${textOf(wanted)}`,
    );
    return;
  }
  if (compareSemver(wanted, found) === 0) {
    return;
  }
  const text = `runs ${product} ${textOf(found)}, but the target declares ${textOf(wanted)}`;
  const minors = wanted.major === found.major ? Math.abs(wanted.minor - found.minor) : Infinity;
  // a guest is upgraded by the same apply that declares the new version, one minor version at a
  // time
  if (minors <= (kind === 'guest' ? 1 : 0) || acceptVersionSkew) {
    warn(text);
    return;
  }
  throw new WrongClusterError(
    `${text}: another minor version may refuse or misread these manifests. Fix: declare the running version and synthesize again, ` +
      'bind the target to another context, or set --accept-version-skew',
  );
}

/**
 * The version that a live cluster reports, as targets declare it; undefined for what is not a
 * release.
 */
export function releaseOf(kind: Kind, live: string): string | undefined {
  const version = tryParse(kind, live);
  return version && versionText(kind, version);
}

function versionText(kind: Kind, version: Semver): string {
  return `${kind === 'guest' ? 'v' : ''}${printSemver(version)}`;
}

function tryParse(kind: Kind, text: string): Semver | undefined {
  const version = attempt(() => parseVersion(kind, text));
  // builds without a tag report 0.0.0
  return version?.major === 0 ? undefined : version;
}

function checkServerUrl(wanted: string, live: string, { warn }: IdentityOptions): void {
  if (live === '') {
    warn(
      `its server-url is not set yet, the target declares ${wanted}: clusters can be imported once it is set`,
    );
  } else if (originOf(live) !== originOf(wanted)) {
    throw new WrongClusterError(
      `server-url must be ${wanted}, got ${live}: it is another Rancher. Fix: bind the target to another context, or change server-url first`,
    );
  }
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

async function checkVip(wanted: string, cluster: Cluster, options: IdentityOptions): Promise<void> {
  // the address is an additional check: without permission to read it, the version has been checked
  const ip = valueAt(
    await cluster.read(VIP, options).catch(onFailure(['forbidden'], () => undefined)),
    'data',
    'ip',
  );
  if (typeof ip === 'string' && ip !== '' && ip !== wanted) {
    throw new WrongClusterError(
      `VIP must be ${wanted}, got ${ip}: it is another Harvester. Fix: bind the target to another context`,
    );
  }
}
