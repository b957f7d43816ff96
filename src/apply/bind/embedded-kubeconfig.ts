import { parseYamlMap } from './parse-yaml';
import { serverOf, textOf } from './server-of';
import { writtenCredentials } from './written-credentials';
import { isRecord } from '../../model/manifest';
import { Connection, Credentials } from '../transport/connection';

type Fields = { readonly [field: string]: unknown };

/** What a kubeconfig that holds everything itself says. */
export interface EmbeddedKubeconfig extends Pick<Connection, 'server' | 'ca' | 'tlsServerName'> {
  readonly credentials: Credentials;
}

/** What a kubeconfig from a cluster could make this machine do: run commands, read files, talk to others, trust anybody. */
const REFUSED_OF_USER = ['exec', 'auth-provider', 'tokenFile', 'client-certificate', 'client-key', 'username', 'password', 'as', 'as-uid', 'as-groups', 'as-user-extra'];
const REFUSED_OF_CLUSTER = ['certificate-authority', 'proxy-url'];

/**
 * Reads a kubeconfig that came from a Secret: token, certificate and authority in its text, nothing else. It stays in memory.
 */
export function parseEmbeddedKubeconfig(text: string): EmbeddedKubeconfig {
  const config = parseYamlMap(text);
  const contexts = named(config, 'contexts', 'context');
  const name = textOf(config, 'current-context') ?? (contexts.size === 1 ? [...contexts.keys()][0] : undefined);
  const context = name === undefined ? undefined : contexts.get(name);
  if (!context) { throw new Error(`its current-context ${name === undefined ? 'is missing' : `${name} is not in it`}`); }
  const cluster = named(config, 'clusters', 'cluster').get(String(context.cluster));
  const user = named(config, 'users', 'user').get(String(context.user));
  if (!cluster || !user) { throw new Error(`the ${cluster ? 'user' : 'cluster'} of its context is not in it`); }

  const refused = [...REFUSED_OF_USER.filter((field) => textOrMap(user[field])), ...REFUSED_OF_CLUSTER.filter((field) => textOrMap(cluster[field]))];
  if (cluster['insecure-skip-tls-verify'] === true) { refused.push('insecure-skip-tls-verify'); }
  if (refused.length > 0) {
    throw new Error(`it has ${refused.join(', ')}, allowed are token, client-certificate-data, client-key-data and certificate-authority-data; bind the target to a context instead`);
  }
  const { ca, ...credentials } = writtenCredentials({ cluster, user });
  if (!credentials.cert && !credentials.headers.authorization) { throw new Error('its user has neither a token nor a client certificate with its key'); }
  const tlsServerName = textOf(cluster, 'tls-server-name');
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
  return new Map((Array.isArray(entries) ? entries : []).filter(isRecord).flatMap((entry): [string, Fields][] => {
    const fields = entry[field];
    return typeof entry.name === 'string' && isRecord(fields) ? [[entry.name, fields]] : [];
  }));
}
