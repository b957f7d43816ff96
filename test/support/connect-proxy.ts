import { IncomingMessage, Server, createServer } from 'node:http';
import { AddressInfo, Socket, connect } from 'node:net';

/** An HTTP proxy for TLS, as companies have. */
export class ConnectProxy {
  /** Listens on a free port of the loopback interface. */
  public static async start(): Promise<ConnectProxy> {
    const proxy = new ConnectProxy();
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The requests for a connection; their URL is the server. */
  public readonly asked: IncomingMessage[] = [];
  /** Its answer instead, e.g. `407 Proxy Authentication Required`. */
  public refuse?: string;
  /** The number of such answers, before it lets requests through. @default - always */
  public refusals = Infinity;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer().on(
      'connect',
      (request: IncomingMessage, socket: Socket, head: Buffer) => {
        this.asked.push(request);
        if (this.refuse && this.refusals-- > 0) {
          socket.end(`HTTP/1.1 ${this.refuse}\r\n\r\n`);
          return;
        }
        const [host, port] = request.url!.split(':');
        const upstream = connect(Number(port), host, () => {
          socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
          upstream.write(head);
          upstream.pipe(socket).pipe(upstream);
        });
        for (const end of [socket, upstream]) {
          this.sockets.add(end);
          end
            .on('error', () => undefined)
            .on('close', () => {
              this.sockets.delete(end);
              [socket, upstream].forEach((other) => other.destroy());
            });
        }
      },
    );
  }

  /** Where it is, as `host:port`. */
  public get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Drops what goes through it. */
  public cutAll(): void {
    this.sockets.forEach((socket) => socket.destroy());
  }

  public async close(): Promise<void> {
    this.cutAll();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
