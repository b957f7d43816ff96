import { proxyFor } from './config-file';
import {
  ProcessEnvironment,
  KubeconfigContext,
  hasWrittenCredentials,
  serverOf,
  kubeconfigField,
  writtenCredentials,
} from './kubeconfig-files';
import { isRecord, itemsAt } from '../../core/manifest/manifest';
import { ApiError, Connection, Credentials } from '../transport/api';

/** Options of a connection by a context. */
interface ConnectOptions {
  /** Do not verify the certificate, if the kubeconfig allows that. */
  readonly insecureSkipTlsVerify?: boolean;
  readonly noExec?: boolean;
  readonly env: ProcessEnvironment;
}

/** The used part of @kubernetes/client-node: it reads credentials and sends no requests. */
interface KubeConfig {
  loadFromString(config: string): void;
  applyToHTTPSOptions(options: HttpsOptions): Promise<void>;
}

interface HttpsOptions {
  headers?: { readonly [name: string]: unknown };
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
}

const PACKAGE = '@kubernetes/client-node';
const INSTALL = `npm install --save-dev ${PACKAGE}@1.4`;

/**
 * How long credentials are cached: some plugins report no expiry and would run for every request.
 */
const FRESH_MS = 60_000;

/**
 * Authentication fields that the client library ignores silently, or that are no longer supported.
 */
const REFUSED: { readonly [field: string]: string } = {
  'username': 'passwords are not sent. Fix: use a token, a certificate or an exec plugin',
  'as-groups': 'impersonated groups are not supported. Fix: grant the user the permissions',
  'as-uid': 'impersonated UIDs are not supported. Fix: grant the user the permissions',
  'as-user-extra': 'impersonated extras are not supported. Fix: grant the user the permissions',
};

/**
 * Connects to a context of a kubeconfig. @kubernetes/client-node reads token files, exec plugins,
 * OIDC and impersonation; it is loaded only here and only for them. Each context gets a separate
 * object that knows no other cluster or user.
 */
export async function connectContext(
  context: KubeconfigContext,
  options: ConnectOptions,
): Promise<Connection> {
  const { name, cluster } = context;
  try {
    const server = serverOf(cluster.server);
    const insecure = cluster['insecure-skip-tls-verify'] === true;
    if (insecure && !options.insecureSkipTlsVerify) {
      throw new Error(
        'it sets insecure-skip-tls-verify, so an attacker could read the credentials. Fix: set certificate-authority-data, ' +
          'or set --insecure-skip-tls-verify <target> for this run',
      );
    }
    const proxy = proxyFor(server, kubeconfigField(cluster, 'proxy-url'), options.env);
    const read = hasWrittenCredentials(context)
      ? async () => writtenCredentials(context)
      : await fromLibrary(configOf(context, options));
    const source = new ContextCredentials(context, read);
    const ca = await source.ca();
    const tlsServerName = kubeconfigField(cluster, 'tls-server-name');
    return {
      name: `context ${name}`,
      server,
      ...(ca === undefined ? {} : { ca }),
      ...(tlsServerName === undefined ? {} : { tlsServerName }),
      ...(insecure ? { insecureSkipTlsVerify: true } : {}),
      ...(proxy === undefined ? {} : { proxy }),
      credentials: async (refresh) => source.get(refresh),
    };
  } catch (error) {
    if (error instanceof ApiError) {
      throw error;
    }
    throw new Error(`context ${name}: ${(error as Error).message}`);
  }
}

/** The credentials of a context, read again after some time, or when they were refused. */
class ContextCredentials {
  private asked?: { readonly at: number; readonly options: Promise<HttpsOptions> };

  public constructor(
    private readonly context: KubeconfigContext,
    private readonly read: (refresh: boolean) => Promise<HttpsOptions>,
  ) {}

  public async ca(): Promise<string | undefined> {
    const { ca } = await this.options(false);
    return ca === undefined ? undefined : String(ca);
  }

  public async get(refresh: boolean): Promise<Credentials> {
    const { headers = {}, cert, key } = await this.options(refresh);
    return {
      // a token from a file ends with a line break
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value).trim()]),
      ),
      ...(cert === undefined ? {} : { cert: String(cert) }),
      ...(key === undefined ? {} : { key: String(key) }),
    };
  }

  private async options(refresh: boolean): Promise<HttpsOptions> {
    const now = performance.now();
    if (refresh || !this.asked || now - this.asked.at > FRESH_MS) {
      this.asked = { at: now, options: this.ask(refresh) };
    }
    const { asked } = this;
    try {
      return await asked.options;
    } catch (error) {
      if (this.asked === asked) {
        this.asked = undefined;
      }
      throw error;
    }
  }

  private async ask(refresh: boolean): Promise<HttpsOptions> {
    try {
      return await this.read(refresh);
    } catch (error) {
      const { exec } = this.context.user;
      const by = isRecord(exec)
        ? `the command ${String(exec.command)} returned no credentials`
        : 'its credentials cannot be read';
      // the parser's message would contain a part of the credentials
      const why =
        error instanceof SyntaxError || error instanceof TypeError
          ? 'its output is not an ExecCredential with a status'
          : firstLine((error as Error).message);
      throw new ApiError('auth', `context ${this.context.name}: ${by}: ${why}`);
    }
  }
}

/**
 * Reads credentials by the library, which caches a plugin's output until it expires, even if
 * refused: a refresh uses a new object.
 */
async function fromLibrary(text: string): Promise<(refresh: boolean) => Promise<HttpsOptions>> {
  const Library = await load();
  const read = (): KubeConfig => {
    const config = new Library();
    config.loadFromString(text);
    return config;
  };
  let config = read();
  return async (refresh) => {
    if (refresh) {
      config = read();
    }
    const options: HttpsOptions = {};
    await config.applyToHTTPSOptions(options);
    return options;
  };
}

/** A kubeconfig with only this context, in JSON, so that the library cannot mix up others. */
function configOf({ name, cluster, user }: KubeconfigContext, { noExec }: ConnectOptions): string {
  for (const [field, why] of Object.entries(REFUSED)) {
    if (user[field] !== undefined) {
      throw new Error(`its user has ${field}: ${why}`);
    }
  }
  const { server, 'certificate-authority': caFile, 'certificate-authority-data': caData } = cluster;
  return JSON.stringify({
    'apiVersion': 'v1',
    'kind': 'Config',
    'clusters': [
      {
        name,
        cluster: { server, 'certificate-authority': caFile, 'certificate-authority-data': caData },
      },
    ],
    'users': [{ name, user: userOf(user, cluster, noExec ?? false) }],
    'contexts': [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}

function userOf(
  user: KubeconfigContext['user'],
  cluster: KubeconfigContext['cluster'],
  noExec: boolean,
): { [field: string]: unknown } {
  const { exec, tokenFile, ...rest } = user;
  const provider = rest['auth-provider'];
  if (isRecord(provider) && provider.name !== 'oidc') {
    throw new Error(
      `its user has the auth-provider ${String(provider.name)}, which kubectl no longer supports. Fix: use the exec plugin of your provider`,
    );
  }
  // a token file takes precedence over a token, as in kubectl; the library knows token files only
  // under another name
  if (typeof tokenFile === 'string' && tokenFile !== '') {
    return {
      ...rest,
      'token': undefined,
      'auth-provider': { name: 'tokenFile', config: { tokenFile } },
    };
  }
  if (!isRecord(exec)) {
    return rest;
  }
  if (noExec) {
    throw new Error(
      `its credentials come from the command ${String(exec.command)}, which --no-exec forbids. Fix: use a token or a certificate`,
    );
  }
  if (exec.interactiveMode === 'Always') {
    throw new Error(
      `the command ${String(exec.command)} requires a terminal (interactiveMode Always). Fix: log in before`,
    );
  }
  const env = itemsAt(exec.env);
  return {
    ...rest,
    exec: {
      ...exec,
      env: [
        ...env,
        { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(execInfo(exec, cluster)) },
      ],
    },
  };
}

/**
 * The cluster information for plugins.
 * @see kubernetes/client-go:pkg/apis/clientauthentication/v1/types.go
 */
function execInfo(
  exec: { readonly [field: string]: unknown },
  cluster: KubeconfigContext['cluster'],
): object {
  const told =
    exec.provideClusterInfo === true
      ? {
          cluster: {
            'server': cluster.server,
            'tls-server-name': cluster['tls-server-name'],
            'certificate-authority-data': cluster['certificate-authority-data'],
          },
        }
      : {};
  return {
    apiVersion: exec.apiVersion,
    kind: 'ExecCredential',
    spec: { ...told, interactive: false },
  };
}

async function load(): Promise<new () => KubeConfig> {
  try {
    // optional, and only here: not needed without a kubeconfig
    // eslint-disable-next-line import/no-extraneous-dependencies
    const library: { readonly KubeConfig: unknown } = await import('@kubernetes/client-node');
    return library.KubeConfig as new () => KubeConfig;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (
      (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') &&
      message.includes(PACKAGE)
    ) {
      throw new Error(
        `the package ${PACKAGE}, which reads credentials outside of the kubeconfig, is not installed. Fix: run ${INSTALL}`,
      );
    }
    throw new Error(
      `cannot load the package ${PACKAGE} (${firstLine(message)}); version 2 requires Node 22.19. Fix: install version 1.4: ${INSTALL}`,
    );
  }
}

function firstLine(text: string): string {
  const line =
    text
      .split('\n')
      .map((part) => part.trim())
      .find((part) => part !== '') ?? 'no reason given';
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
