import { Server, Socket, connect, createServer } from 'net';

/** A slow connection to a server: bytes arrive later, in their order, whatever their number. */
export class Delay {
  public static async start(to: URL, ms: number): Promise<Delay> {
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      const far = connect(Number(to.port), to.hostname);
      for (const [from, other] of [
        [near, far],
        [far, near],
      ]) {
        sockets.add(from);
        from.setNoDelay(true);
        from.on('data', (chunk) => {
          setTimeout(() => {
            if (!other.destroyed) {
              other.write(chunk);
            }
          }, ms);
        });
        from.on('close', () => {
          sockets.delete(from);
          setTimeout(() => other.destroy(), ms);
        });
        from.on('error', () => other.destroy());
      }
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return new Delay(server, sockets);
  }

  private constructor(
    private readonly server: Server,
    private readonly sockets: ReadonlySet<Socket>,
  ) {}

  public get url(): string {
    return `https://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  public async close(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => {
      this.server.close(resolve);
    });
  }
}
