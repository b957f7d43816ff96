import { IncomingMessage, ServerResponse } from 'node:http';
import * as https from 'node:https';
import { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SecureContextOptions } from 'node:tls';
import { Authority, CertificateOptions } from './authority';

/** A request as it came to the proxy. */
export interface ProxiedRequest {
  /** Which one it is, from 1 on. */
  readonly n: number;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What a server behind the proxy answers. */
export interface ProxiedAnswer {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string | string[] };
  /** JSON, unless it is a string. */
  readonly body?: unknown;
}

/** The fault of a request. */
export type Fault =
  /** The connection is cut; the server never sees the request. */
  | { readonly kind: 'cut-before' }
  /**
   * The server does what it is asked to, and the connection is cut before the client hears of it.
   */
  | { readonly kind: 'cut-after' }
  /** The answer ends in the middle. */
  | { readonly kind: 'truncate' }
  /** The request comes to the server late. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** No answer at all, and the connection is kept. */
  | { readonly kind: 'hang' }
  /** The body comes in pieces with pauses between. */
  | { readonly kind: 'slow'; readonly ms: number; readonly pieces: number }
  /** Another answer; the server never sees the request. */
  | { readonly kind: 'answer'; readonly answer: ProxiedAnswer }
  /** The answer of a proxy with a login page. */
  | { readonly kind: 'login-page' };

/** The server behind the proxy: a real one, or a function in its place. */
export type Upstream =
  | { readonly url: string; readonly ca: string }
  | ((request: ProxiedRequest) => ProxiedAnswer | Promise<ProxiedAnswer>);

/** A Status object, as Kubernetes gives it. */
export function status(
  code: number,
  reason: string,
  message: string,
  details?: object,
): ProxiedAnswer {
  return {
    status: code,
    body: {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code,
      reason,
      message,
      ...(details ? { details } : {}),
    },
  };
}

/**
 * A TLS server between a client and a Kubernetes API, in which faults occur as a test defines. It
 * counts and records all requests.
 */
export class FaultProxy {
  /** Listens on a free port of the loopback interface. */
  public static async start(upstream: Upstream): Promise<FaultProxy> {
    const proxy = new FaultProxy(upstream);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** All requests, in the order in which they came. */
  public readonly requests: ProxiedRequest[] = [];
  /** TLS connections that were made. */
  public connections = 0;
  /** Requests that are being answered, and the most there ever were at a time. */
  public running = 0;
  public mostAtATime = 0;
  /** Asked for every request. */
  public fault?: (request: ProxiedRequest) => Fault | undefined;
  /** Awaited before a request is forwarded: to pause it, or to end its client at the n-th. */
  public before?: (request: ProxiedRequest) => Promise<void> | void;

  /** How the pauses of faults pass. */
  public pause: (ms: number) => Promise<unknown> = sleep;

  private readonly server: https.Server;
  private readonly agent?: https.Agent;
  private authority = new Authority();
  private readonly sockets = new Set<Socket>();
  private readonly frozen = new WeakMap<Socket, { requests: number }>();

  private constructor(private readonly upstream: Upstream) {
    if (typeof upstream !== 'function') {
      this.agent = new https.Agent({ ca: upstream.ca, keepAlive: true });
    }
    this.server = https.createServer(this.authority.issue(), (request, response) => {
      this.running++;
      this.mostAtATime = Math.max(this.mostAtATime, this.running);
      void this.handle(request, response)
        .catch(() => request.socket.destroy())
        .finally(() => {
          this.running--;
        });
    });
    // a client that is killed in the middle is what tests do
    this.server.on('clientError', (_, socket) => socket.destroy());
    this.server.on('secureConnection', (socket) => {
      this.connections++;
      this.sockets.add(socket);
      socket.once('close', () => {
        this.sockets.delete(socket);
      });
    });
  }

  public get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The authority that the certificate of the proxy is signed by. */
  public get ca(): string {
    return this.authority.cert;
  }

  /**
   * Takes another certificate: of the same authority, of another one, for other hosts, or of
   * another time; or another version of TLS.
   */
  public rotate(
    options: CertificateOptions & {
      readonly newAuthority?: boolean;
      readonly tls?: SecureContextOptions;
    } = {},
  ): void {
    const { newAuthority, tls, ...certificate } = options;
    // the client still trusts the previous one
    const authority = newAuthority ? new Authority() : this.authority;
    this.server.setSecureContext({ ...tls, ...authority.issue(certificate) });
    this.server.closeAllConnections();
  }

  /** Requests of a method whose path matches. */
  public count(method: string, path: RegExp = /./): number {
    return this.requests.filter((request) => request.method === method && path.test(request.path))
      .length;
  }

  /**
   * Drops everything on the existing connections without closing them. Counts what is sent on them.
   */
  public freeze(): { readonly requests: number } {
    const frozen = { requests: 0 };
    for (const socket of this.sockets) {
      this.frozen.set(socket, frozen);
    }
    return frozen;
  }

  /** Cuts all connections. */
  public cutAll(): void {
    this.server.closeAllConnections();
  }

  public async close(): Promise<void> {
    this.server.closeAllConnections();
    this.agent?.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const frozen = this.frozen.get(incoming.socket);
    if (frozen) {
      frozen.requests++;
      return closed(incoming);
    }
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) {
      chunks.push(chunk as Buffer);
    }
    const request: ProxiedRequest = {
      n: this.requests.length + 1,
      method: incoming.method!,
      path: incoming.url!,
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    this.requests.push(request);
    await this.before?.(request);
    const fault = this.fault?.(request);
    switch (fault?.kind) {
      case 'cut-before':
        incoming.socket.destroy();
        return;
      case 'hang':
        return closed(incoming);
      case 'answer':
        return reply(outgoing, fault.answer);
      case 'login-page':
        return reply(outgoing, {
          status: 200,
          headers: { 'content-type': 'text/html; charset=utf-8' },
          body: '<html><title>Sign in</title></html>',
        });
      case 'delay':
        await this.pause(fault.ms);
        break;
      default:
    }
    const answer = await this.ask(request);
    switch (fault?.kind) {
      case 'cut-after':
        incoming.socket.destroy();
        return;
      case 'truncate': {
        const { text, headers } = rendered(answer);
        outgoing.writeHead(answer.status, {
          ...headers,
          'content-length': String(Buffer.byteLength(text)),
        });
        outgoing.write(text.slice(0, Math.floor(text.length / 2)), () => incoming.socket.destroy());
        return;
      }
      case 'slow': {
        const { text, headers } = rendered(answer);
        outgoing.writeHead(answer.status, headers);
        const size = Math.ceil(text.length / fault.pieces);
        for (let start = 0; start < text.length && !outgoing.destroyed; start += size) {
          outgoing.write(text.slice(start, start + size));
          await this.pause(fault.ms);
        }
        outgoing.end();
        return;
      }
      default:
        return reply(outgoing, answer);
    }
  }

  private async ask(request: ProxiedRequest): Promise<ProxiedAnswer> {
    const { upstream } = this;
    if (typeof upstream === 'function') {
      return upstream(request);
    }
    const { host: _, connection: __, ...headers } = request.headers;
    return new Promise((resolve, reject) => {
      const forwarded = https.request(
        new URL(request.path, upstream.url),
        { method: request.method, headers, agent: this.agent },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', reject);
          response.once('end', () => {
            const {
              'transfer-encoding': ___,
              'content-length': ____,
              'connection': _____,
              ...rest
            } = response.headers;
            resolve({
              status: response.statusCode!,
              headers: rest as { [name: string]: string },
              body: Buffer.concat(chunks).toString('utf8'),
            });
          });
        },
      );
      forwarded.once('error', reject);
      forwarded.end(request.body);
    });
  }
}

async function closed({ socket }: IncomingMessage): Promise<void> {
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}

function rendered({ headers = {}, body = '' }: ProxiedAnswer): {
  text: string;
  headers: { [name: string]: string | string[] };
} {
  if (typeof body === 'string') {
    return { text: body, headers: { ...headers } };
  }
  return {
    text: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  };
}

function reply(outgoing: ServerResponse, answer: ProxiedAnswer): void {
  const { text, headers } = rendered(answer);
  outgoing.writeHead(answer.status, {
    ...headers,
    'content-length': String(Buffer.byteLength(text)),
  });
  outgoing.end(text);
}
