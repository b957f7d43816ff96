import { IncomingHttpHeaders, IncomingMessage } from 'http';
import { Agent, request as httpsRequest } from 'https';
import { Connection, Credentials } from './connection';

/** One try of a request. */
export interface Try {
  readonly method: string;
  /** With the server's own path and the query. */
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: Buffer;
  readonly signal?: AbortSignal;
  /** How long the server may be silent. */
  readonly silentMs: number;
  /** How long all of it may take. */
  readonly totalMs: number;
}

/** What came back, read to its end. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly warnings: readonly string[];
}

/** An error with a code, as those of Node have. */
export class NetworkError extends Error {
  public constructor(public readonly code: string, message: string) {
    super(message);
  }
}

/** Sends one request, once. Rejects with an error of Node's, whose code says what it was. */
export async function tryOnce(agent: Agent, connection: Connection, credentials: Credentials, one: Try): Promise<RawAnswer> {
  const { server, ca, tlsServerName, insecureSkipTlsVerify } = connection;
  if (one.signal?.aborted) { throw new NetworkError('ABORT_ERR', 'ended'); }
  return new Promise((resolve, reject) => {
    const { cert, key } = credentials;
    const request = httpsRequest({
      agent,
      host: server.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: server.port === '' ? 443 : Number(server.port),
      method: one.method,
      path: one.path,
      headers: { ...one.headers, ...credentials.headers },
      minVersion: 'TLSv1.2',
      // said aloud, so that no environment variable turns it off
      rejectUnauthorized: insecureSkipTlsVerify !== true,
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
    });
    let silent: NodeJS.Timeout | undefined;
    const stop = (error: Error): void => { request.destroy(error); };
    const total = setTimeout(() => stop(new NetworkError('ETIMEDOUT', `no whole answer within ${one.totalMs} ms`)), one.totalMs);
    const heard = (): void => {
      clearTimeout(silent);
      silent = setTimeout(() => stop(new NetworkError('ETIMEDOUT', `no answer within ${one.silentMs} ms`)), one.silentMs);
    };
    const abort = (): void => stop(new NetworkError('ABORT_ERR', 'ended'));
    const done = (settle: () => void): void => {
      clearTimeout(silent);
      clearTimeout(total);
      one.signal?.removeEventListener('abort', abort);
      settle();
    };

    one.signal?.addEventListener('abort', abort, { once: true });
    heard();
    request.once('error', (error) => done(() => reject(error)));
    request.once('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      heard();
      response.on('data', (chunk: Buffer) => {
        heard();
        chunks.push(chunk);
      });
      response.once('error', (error) => done(() => reject(error)));
      response.once('close', () => done(() => {
        if (!response.complete) { return reject(new NetworkError('ECONNRESET', 'the answer was cut short')); }
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
          warnings: (response.headersDistinct.warning ?? []).map(warningText),
        });
      }));
    });
    request.end(one.body);
  });
}

/** `299 - "text"`, with quotes and backslashes of the text escaped. */
function warningText(header: string): string {
  const quoted = /^\d{3} \S+ "((?:[^"\\]|\\.)*)"/.exec(header);
  return quoted ? quoted[1].replace(/\\(.)/g, '$1') : header;
}
