import { request as httpRequest } from 'http';
import { Agent, AgentOptions, request as httpsRequest } from 'https';
import { Duplex } from 'stream';
import { connect, ConnectionOptions } from 'tls';
import { NetworkError } from './https-try';

/** What a proxy may take to make a connection. */
const CONNECT_TIMEOUT_MS = 30_000;

/** Reaches servers through an HTTP proxy by CONNECT: TLS is with the server itself, so the proxy sees no request. */
export class ProxyAgent extends Agent {
  public constructor(private readonly proxy: URL, options: AgentOptions) {
    super(options);
  }

  /** Called by Node for each new connection. */
  public createConnection(options: ConnectionOptions, done: (error: Error | null, socket?: Duplex) => void): undefined {
    const target = `${/:/.test(options.host ?? '') ? `[${options.host}]` : options.host}:${options.port}`;
    const { protocol, hostname, port, username, password } = this.proxy;
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const request = (protocol === 'https:' ? httpsRequest : httpRequest)({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
      method: 'CONNECT',
      path: target,
      agent: false,
      timeout: CONNECT_TIMEOUT_MS,
      headers: { host: target, ...(username === '' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(user, 'utf8').toString('base64')}` }) },
    });
    const failed = (code: string, words: string): void => done(new NetworkError(code, `proxy ${this.proxy.host}: ${words}`));
    request.once('timeout', () => request.destroy(new NetworkError('ETIMEDOUT', 'no answer in time')));
    request.once('error', ({ code, message }: NodeJS.ErrnoException) => failed(code ?? 'ECONNRESET', message));
    request.once('connect', ({ statusCode, statusMessage }, socket) => {
      if (statusCode === 200) {
        const { host } = options;
        // an address is no server name
        done(null, connect({ ...options, socket, ...(options.servername || /[:]|^[\d.]+$/.test(host ?? '') ? {} : { servername: host }) }));
        return;
      }
      socket.destroy();
      // gateways that are away may come back; who is refused stays so
      failed(statusCode! >= 500 ? 'ECONNRESET' : 'PROXY_REFUSED', `refuses to connect to ${target}: ${statusCode} ${statusMessage}; check proxy-url of the kubeconfig, HTTPS_PROXY and NO_PROXY`);
    });
    request.end();
    return undefined;
  }
}
