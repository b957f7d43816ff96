import { ClientRequest, IncomingHttpHeaders, IncomingMessage, request as httpRequest } from 'http';
import { Agent, AgentOptions, RequestOptions, request as httpsRequest } from 'https';
import { Duplex } from 'stream';
import { pipeline } from 'stream/promises';
import { ConnectionOptions, connect } from 'tls';
import { Connection, Credentials } from './api';
import { Clock } from './pace';

/**
 * One attempt of a request, by Node's own client: undici would be a second one, since
 * the one that Node contains has no agents for certificates and proxies of a context.
 */
interface Try {
  readonly method: string;
  /** With the server's own path and the query. */
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: Buffer;
  /** The pieces of a body that is not in memory. */
  readonly stream?: () => AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
  readonly clock: Clock;
  /** Limit for silence of the server, in milliseconds. */
  readonly silentMs: number;
  /** Limit for the whole attempt, in milliseconds. */
  readonly totalMs: number;
}

/** A complete answer. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly warnings: readonly string[];
}

/** An error with a code like Node's. */
class NetworkError extends Error {
  public constructor(
    public readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Sends one request once. Rejects with an error of Node, whose code is the reason. */
export async function tryOnce(
  agent: Agent,
  connection: Connection,
  credentials: Credentials,
  one: Try,
): Promise<RawAnswer> {
  const { signal, clock } = one;
  if (signal?.aborted) {
    throw new NetworkError('ABORT_ERR', 'ended');
  }
  const request = httpsRequest({ agent, ...optionsOf(connection, credentials, one) });
  const stop = (error: Error): void => {
    request.destroy(error);
  };
  const abort = (): void => stop(new NetworkError('ABORT_ERR', 'ended'));
  let heardAt = clock.now();
  const heard = (): void => {
    heardAt = clock.now();
  };
  const settled = new AbortController();
  signal?.addEventListener('abort', abort, { once: true });
  // the end of the attempt ends the pause
  watch(one, () => heardAt, stop, settled.signal).catch(() => undefined);
  try {
    return await new Promise<RawAnswer>((resolve, reject) => {
      request.once('error', reject);
      request.once('response', (response: IncomingMessage) => {
        received(response, heard).then(resolve, reject);
      });
      send(request, one, heard, stop);
    });
  } finally {
    settled.abort();
    signal?.removeEventListener('abort', abort);
  }
}

function optionsOf(
  { server, ca, tlsServerName, insecureSkipTlsVerify }: Connection,
  { headers, cert, key }: Credentials,
  one: Try,
): RequestOptions {
  return {
    host: server.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: server.port === '' ? 443 : Number(server.port),
    method: one.method,
    path: one.path,
    headers: { ...one.headers, ...headers },
    minVersion: 'TLSv1.2',
    // explicit, so that no environment variable disables it
    rejectUnauthorized: insecureSkipTlsVerify !== true,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
  };
}

/**
 * Stops an attempt when the server is silent, or takes too long: one timer for all pieces of an
 * answer.
 */
async function watch(
  { clock, silentMs, totalMs }: Try,
  heardAt: () => number,
  stop: (error: Error) => void,
  settled: AbortSignal,
): Promise<void> {
  const end = clock.now() + totalMs;
  for (;;) {
    const [silence, left] = [heardAt() + silentMs - clock.now(), end - clock.now()];
    if (left <= 0) {
      return stop(new NetworkError('ETIMEDOUT', `no whole answer within ${totalMs} ms`));
    }
    if (silence <= 0) {
      return stop(new NetworkError('ETIMEDOUT', `no answer within ${silentMs} ms`));
    }
    await clock.sleep(Math.min(silence, left), settled);
  }
}

async function received(response: IncomingMessage, heard: () => void): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  heard();
  response.on('data', (chunk: Buffer) => {
    heard();
    chunks.push(chunk);
  });
  await new Promise((resolve, reject) => {
    response.once('error', reject);
    response.once('close', resolve);
  });
  if (!response.complete) {
    throw new NetworkError('ECONNRESET', 'the answer was cut short');
  }
  return {
    status: response.statusCode!,
    headers: response.headers,
    text: Buffer.concat(chunks).toString('utf8'),
    warnings: (response.headersDistinct.warning ?? []).map(warningText),
  };
}

/** Sends the body, in pieces where it is a stream. */
function send(
  request: ClientRequest,
  { body, stream }: Try,
  heard: () => void,
  stop: (error: Error) => void,
): void {
  if (!stream) {
    request.end(body);
    return;
  }
  const pieces = async function* (): AsyncIterable<Uint8Array> {
    try {
      for await (const piece of stream()) {
        heard();
        yield piece;
      }
    } catch (error) {
      stop(error as Error);
      throw error;
    }
  };
  // the request reports a failure
  pipeline(pieces, request).catch(() => undefined);
}

/** `299 - "text"`, with quotes and backslashes of the text escaped. */
function warningText(header: string): string {
  const quoted = /^\d{3} \S+ "((?:[^"\\]|\\.)*)"/.exec(header);
  return quoted ? quoted[1].replace(/\\(.)/g, '$1') : header;
}

/** Time limit for a proxy to connect. */
const CONNECT_TIMEOUT_MS = 30_000;

/**
 * Reaches servers through an HTTP proxy by CONNECT: TLS is with the server itself, so the proxy
 * sees no request.
 */
export class ProxyAgent extends Agent {
  public constructor(
    private readonly proxy: URL,
    options: AgentOptions,
  ) {
    super(options);
  }

  /** Called by Node for each new connection. */
  public createConnection(
    options: ConnectionOptions,
    done: (error: Error | null, socket?: Duplex) => void,
  ): undefined {
    const target = `${/:/.test(options.host ?? '') ? `[${options.host}]` : options.host}:${options.port}`;
    const { protocol, hostname, port, username, password } = this.proxy;
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const isHttps = protocol === 'https:';
    const defaultPort = isHttps ? 443 : 80;
    const request = (isHttps ? httpsRequest : httpRequest)({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? defaultPort : Number(port),
      method: 'CONNECT',
      path: target,
      agent: false,
      timeout: CONNECT_TIMEOUT_MS,
      headers: {
        host: target,
        ...(username === ''
          ? {}
          : { 'proxy-authorization': `Basic ${Buffer.from(user, 'utf8').toString('base64')}` }),
      },
    });
    const failed = (code: string, words: string): void =>
      done(new NetworkError(code, `proxy ${this.proxy.host}: ${words}`));
    request.once('timeout', () =>
      request.destroy(new NetworkError('ETIMEDOUT', 'no answer in time')),
    );
    request.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      failed(code ?? 'ECONNRESET', message),
    );
    request.once('connect', ({ statusCode, statusMessage }, socket) => {
      if (statusCode === 200) {
        const { host } = options;
        // an address is not a server name
        done(
          null,
          connect({
            ...options,
            socket,
            ...(options.servername || /[:]|^[\d.]+$/.test(host ?? '') ? {} : { servername: host }),
          }),
        );
        return;
      }
      socket.destroy();
      // gateways may recover; a refusal is final
      failed(
        statusCode! >= 500 ? 'ECONNRESET' : 'PROXY_REFUSED',
        `refuses to connect to ${target}: ${statusCode} ${statusMessage}. Fix: correct proxy-url of the kubeconfig, HTTPS_PROXY or NO_PROXY`,
      );
    });
    request.end();
    return undefined;
  }
}

/** The pause that a server requests (Retry-After); undefined if none. */
export function retryAfterMs({ headers }: RawAnswer): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined) {
    return undefined;
  }
  if (/^\d{1,7}$/.test(value)) {
    return Number(value) * 1000;
  }
  // a date: relative to the server's clock, which may differ from this machine's
  const [until, now] = [Date.parse(value), Date.parse(headers.date ?? '')];
  return Number.isNaN(until)
    ? undefined
    : Math.max(0, until - (Number.isNaN(now) ? Date.now() : now));
}
