import { proxyFor } from './config-file';
import { WrongClusterError, readSetting } from './identity';
import {
  ProcessEnvironment,
  parseYamlMap,
  serverOf,
  kubeconfigField,
  writtenCredentials,
} from './kubeconfig-files';
import { isRecord, valueAt, itemsAt } from '../../core/manifest/manifest';
import { API_VERSIONS } from '../../core/manifest/names';
import { AssemblyTarget } from '../../core/output/assembly';
import { KUBECONFIG_KEY } from '../../guest/cluster/cluster.kind';
import { Cluster, RequestOptions } from '../cluster/cluster';
import { ApiError, Connection, Credentials } from '../transport/api';

type Fields = { readonly [field: string]: unknown };

/** The content of a self-contained kubeconfig. */
interface EmbeddedKubeconfig extends Pick<Connection, 'server' | 'ca' | 'tlsServerName'> {
  readonly credentials: Credentials;
}

/**
 * Fields of a kubeconfig from a cluster that could make this machine run commands, read files,
 * contact others, or trust anyone.
 */
const REFUSED_OF_USER = [
  'exec',
  'auth-provider',
  'tokenFile',
  'client-certificate',
  'client-key',
  'username',
  'password',
  'as',
  'as-uid',
  'as-groups',
  'as-user-extra',
];
const REFUSED_OF_CLUSTER = ['certificate-authority', 'proxy-url'];

/**
 * Reads a kubeconfig from a Secret: only a token, a certificate and an authority as text. It is
 * kept in memory.
 */
function parseEmbeddedKubeconfig(text: string): EmbeddedKubeconfig {
  const config = parseYamlMap(text);
  const contexts = named(config, 'contexts', 'context');
  const name =
    kubeconfigField(config, 'current-context') ??
    (contexts.size === 1 ? [...contexts.keys()][0] : undefined);
  const context = name === undefined ? undefined : contexts.get(name);
  if (!context) {
    throw new Error(
      `current-context ${name === undefined ? 'is missing' : `${name} is not one of its contexts`}`,
    );
  }
  const cluster = named(config, 'clusters', 'cluster').get(String(context.cluster));
  const user = named(config, 'users', 'user').get(String(context.user));
  if (!cluster || !user) {
    throw new Error(`the ${cluster ? 'user' : 'cluster'} of its context is missing`);
  }

  const refused = [
    ...REFUSED_OF_USER.filter((field) => textOrMap(user[field])),
    ...REFUSED_OF_CLUSTER.filter((field) => textOrMap(cluster[field])),
  ];
  if (cluster['insecure-skip-tls-verify'] === true) {
    refused.push('insecure-skip-tls-verify');
  }
  if (refused.length > 0) {
    throw new Error(
      `must contain only token, client-certificate-data, client-key-data and certificate-authority-data, got ${refused.join(', ')}. Fix: bind the target to a context`,
    );
  }
  const { ca, ...credentials } = writtenCredentials({ cluster, user });
  if (!credentials.cert && !credentials.headers.authorization) {
    throw new Error('its user must have a token, or a client certificate with its key');
  }
  const tlsServerName = kubeconfigField(cluster, 'tls-server-name');
  return {
    server: serverOf(cluster.server),
    ...(ca === undefined ? {} : { ca }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    credentials,
  };
}

function textOrMap(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function named(config: Fields, list: string, field: string): Map<string, Fields> {
  const entries: unknown = config[list];
  return new Map(
    itemsAt(entries)
      .filter(isRecord)
      .flatMap((entry): [string, Fields][] => {
        const fields = entry[field];
        return typeof entry.name === 'string' && isRecord(fields) ? [[entry.name, fields]] : [];
      }),
  );
}

/** A connection without its name and credentials. */
type Way = Omit<Connection, 'name' | 'credentials'>;

/** Rancher's proxy to a cluster. */
const PROXY_PATH = /^\/k8s\/clusters\/([^/]+)\/?$/;

/** The Rancher that manages a guest cluster, and its connection. */
export interface ManagingRancher {
  readonly target: Pick<AssemblyTarget, 'name' | 'properties'>;
  readonly cluster: Cluster;
  readonly connection: Connection;
  /** Environment with HTTPS_PROXY and NO_PROXY. */
  readonly env: ProcessEnvironment;
}

/** A provisioning Cluster, `<namespace>/<name>` in the assembly. */
export interface ProvisioningRef {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Connects to a guest cluster by its kubeconfig on Rancher, which is kept in memory. Throws
 * `blocked` while there is none yet.
 */
export async function connectGuest(
  ref: ProvisioningRef,
  rancher: ManagingRancher,
  options: RequestOptions = {},
): Promise<Connection> {
  let latest = await readKubeconfig(ref, rancher, options);
  return {
    ...latest.connection,
    credentials: async (refresh) => {
      if (refresh) {
        latest = await readKubeconfig(ref, rancher, {});
      }
      return latest.credentials;
    },
  };
}

async function readKubeconfig(
  ref: ProvisioningRef,
  rancher: ManagingRancher,
  options: RequestOptions,
) {
  const where = `Cluster ${ref.namespace}/${ref.name} on ${rancher.target.name}`;
  const cluster = await rancher.cluster.read(
    { apiVersion: API_VERSIONS.PROVISIONING, kind: 'Cluster', ...ref },
    options,
  );
  if (!cluster) {
    throw new ApiError('blocked', `${where} does not exist yet`);
  }
  const secretName = valueAt(cluster, 'status', 'clientSecretName');
  if (typeof secretName !== 'string' || secretName === '') {
    throw new ApiError(
      'blocked',
      `${where} has no kubeconfig yet (status.clientSecretName): Rancher writes it when the cluster is ready`,
    );
  }
  const by = `Secret ${ref.namespace}/${secretName} on ${rancher.target.name}`;
  const text = await readSecretText({ ...ref, name: secretName }, by, rancher, options);
  const { credentials, ...embedded } = kubeconfigOf(text, by);
  const clusterId = PROXY_PATH.exec(embedded.server.pathname)?.[1];
  const expected = valueAt(cluster, 'status', 'clusterName');
  if (
    clusterId !== undefined &&
    typeof expected === 'string' &&
    expected !== '' &&
    clusterId !== expected
  ) {
    throw new WrongClusterError(
      `${by}: must be for the management cluster ${expected} of ${where}, got ${clusterId}. Fix: delete the Secret; Rancher recreates it`,
    );
  }
  const way =
    clusterId === undefined
      ? withProxy(embedded, rancher.env)
      : await throughRancher(embedded.server, rancher, options);
  return { credentials, connection: { ...way, name: by } };
}

/** The encoded kubeconfig in a Secret. @param by the Secret in words */
async function readSecretText(
  ref: ProvisioningRef,
  by: string,
  rancher: ManagingRancher,
  options: RequestOptions,
): Promise<string> {
  const secret = await rancher.cluster.read(
    { apiVersion: API_VERSIONS.CORE, kind: 'Secret', ...ref },
    options,
  );
  if (!secret) {
    throw new ApiError('blocked', `${by} does not exist yet`);
  }
  const value = valueAt(secret, 'data', KUBECONFIG_KEY);
  if (typeof value !== 'string' || value === '') {
    throw new ApiError('blocked', `${by} has no key ${KUBECONFIG_KEY}`);
  }
  return value;
}

function kubeconfigOf(encoded: string, by: string): EmbeddedKubeconfig {
  try {
    return parseEmbeddedKubeconfig(Buffer.from(encoded, 'base64').toString('utf8'));
  } catch (error) {
    throw new Error(`${by}: its kubeconfig cannot be used: ${(error as Error).message}`);
  }
}

/**
 * Rancher writes the address for pods on its own cluster, which is not reachable from here: the
 * address of the user's context is used, or server-url. The path is kept.
 *
 * @see rancher/rancher:pkg/provisioningv2/kubeconfig/manager.go getKubeConfigData: settings internal-server-url, internal-cacerts
 */
async function throughRancher(
  server: URL,
  rancher: ManagingRancher,
  options: RequestOptions,
): Promise<Way> {
  const { target, cluster, connection, env } = rancher;
  if (PROXY_PATH.test(connection.server.pathname)) {
    const { name: _, credentials: __, ...way } = connection;
    return { ...way, server: new URL(server.pathname, connection.server) };
  }
  const { serverUrl } = target.properties;
  if (serverUrl === undefined) {
    throw new Error(`target ${target.name}: serverUrl must be set to reach its guest clusters`);
  }
  const ca = await readSetting(cluster, API_VERSIONS.MANAGEMENT, 'cacerts', options);
  return withProxy(
    { server: new URL(server.pathname, serverUrl), ...(ca === '' ? {} : { ca }) },
    env,
  );
}

function withProxy(way: Way, env: ProcessEnvironment): Way {
  const proxy = proxyFor(way.server, undefined, env);
  return proxy ? { ...way, proxy } : way;
}
