import { parseEmbeddedKubeconfig } from './embedded-kubeconfig';
import { setting, WrongClusterError } from './identity';
import { proxyFor } from './proxy-env';
import { AssemblyTarget } from '../../model/assembly';
import { valueAt } from '../../model/manifest';
import { API_VERSIONS } from '../../model/names';
import { RANCHER_SETTINGS } from '../../model/rancher-settings/names';
import { Cluster, RequestOptions } from '../cluster/cluster';
import { ApiError } from '../transport/api';
import { Connection } from '../transport/connection';

/** The key of the kubeconfig in its Secret. @see rancher/rancher:pkg/provisioningv2/kubeconfig/manager.go */
const KUBECONFIG_KEY = 'value';

/** The Secret in which Rancher keeps the kubeconfig of a guest cluster. @see rancher/rancher:pkg/provisioningv2/kubeconfig/manager.go getKubeConfigSecretName */
export const kubeconfigSecretOf = (clusterName: string): string => `${clusterName}-kubeconfig`;

/** A connection without what it is called and signed with. */
type Way = Omit<Connection, 'name' | 'credentials'>;

/** Rancher's proxy to a cluster. */
const PROXY_PATH = /^\/k8s\/clusters\/([^/]+)\/?$/;

/** The Rancher that manages a guest, and how it is reached itself. */
export interface ManagingRancher {
  readonly target: AssemblyTarget;
  readonly cluster: Cluster;
  readonly connection: Connection;
  /** Where HTTPS_PROXY and NO_PROXY are looked up. */
  readonly env: NodeJS.ProcessEnv;
}

/** A provisioning Cluster, `<namespace>/<name>` in the assembly. */
export interface ProvisioningRef {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Connects to a guest cluster by the kubeconfig that Rancher keeps of it; it stays in memory. Throws `blocked` while there is none yet.
 */
export async function connectGuest(ref: ProvisioningRef, rancher: ManagingRancher, options: RequestOptions = {}): Promise<Connection> {
  let latest = await readKubeconfig(ref, rancher, options);
  return {
    ...latest.connection,
    credentials: async (refresh) => {
      if (refresh) { latest = await readKubeconfig(ref, rancher, {}); }
      return latest.credentials;
    },
  };
}

async function readKubeconfig({ namespace, name }: ProvisioningRef, rancher: ManagingRancher, options: RequestOptions) {
  const where = `Cluster ${namespace}/${name} on ${rancher.target.name}`;
  const cluster = await rancher.cluster.read({ apiVersion: API_VERSIONS.PROVISIONING, kind: 'Cluster', namespace, name }, options);
  if (!cluster) { throw new ApiError('blocked', `${where} is not there yet`); }
  const secretName = valueAt(cluster, 'status', 'clientSecretName');
  if (typeof secretName !== 'string' || secretName === '') {
    throw new ApiError('blocked', `${where} has no kubeconfig yet (status.clientSecretName): Rancher writes it when the cluster has become ready`);
  }
  const secret = await rancher.cluster.read({ apiVersion: API_VERSIONS.CORE, kind: 'Secret', namespace, name: secretName }, options);
  const value = valueAt(secret, 'data', KUBECONFIG_KEY);
  const by = `Secret ${namespace}/${secretName} on ${rancher.target.name}`;
  if (typeof value !== 'string' || value === '') { throw new ApiError('blocked', `${by} ${secret ? `has no key ${KUBECONFIG_KEY}` : 'is not there yet'}`); }
  let kubeconfig;
  try {
    kubeconfig = parseEmbeddedKubeconfig(Buffer.from(value, 'base64').toString('utf8'));
  } catch (error) {
    throw new Error(`${by}: its kubeconfig can not be used: ${(error as Error).message}`);
  }
  const { credentials, ...embedded } = kubeconfig;
  const clusterId = PROXY_PATH.exec(embedded.server.pathname)?.[1];
  const expected = valueAt(cluster, 'status', 'clusterName');
  if (clusterId !== undefined && typeof expected === 'string' && expected !== '' && clusterId !== expected) {
    throw new WrongClusterError(`${by} leads to the management cluster ${clusterId}, ${where} is ${expected}; delete the Secret, Rancher makes it anew`);
  }
  const way = clusterId === undefined ? withProxy(embedded, rancher.env) : await throughRancher(embedded.server, rancher, options);
  return { credentials, connection: { ...way, name: by } };
}

/**
 * Rancher writes the address that pods on its own cluster reach it by, which is none from here: the way of the user's context is taken, or the
 * server-url. The path stays.
 *
 * @see rancher/rancher:pkg/provisioningv2/kubeconfig/manager.go getKubeConfigData: settings internal-server-url, internal-cacerts
 */
async function throughRancher(server: URL, rancher: ManagingRancher, options: RequestOptions): Promise<Way> {
  const { target, cluster, connection, env } = rancher;
  if (PROXY_PATH.test(connection.server.pathname)) {
    const { name: _, credentials: __, ...way } = connection;
    return { ...way, server: new URL(server.pathname, connection.server) };
  }
  const { serverUrl } = target.properties;
  if (serverUrl === undefined) { throw new Error(`target ${target.name} has no serverUrl, by which its guest clusters are reached`); }
  const ca = await setting(cluster, API_VERSIONS.MANAGEMENT, RANCHER_SETTINGS.CA_CERTS, options);
  return withProxy({ server: new URL(server.pathname, serverUrl), ...(ca === '' ? {} : { ca }) }, env);
}

function withProxy(way: Way, env: NodeJS.ProcessEnv): Way {
  const proxy = proxyFor(way.server, undefined, env);
  return proxy ? { ...way, proxy } : way;
}
