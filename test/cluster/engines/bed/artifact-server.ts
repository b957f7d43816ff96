import { execFileSync } from 'child_process';
import { createHash } from 'crypto';
import { createServer, Server } from 'http';
import { AddressInfo } from 'net';

/** A version of a repository, as Flux's sources describe it in their status. */
export interface Artifact {
  readonly path: string;
  readonly url: string;
  readonly revision: string;
  readonly digest: string;
  readonly lastUpdateTime: string;
  readonly size: number;
}

/** Serves folders as archives on loopback, in place of Flux's source-controller. */
export class ArtifactServer {
  public static async start(): Promise<ArtifactServer> {
    const artifacts = new ArtifactServer();
    await new Promise<void>((resolve) => artifacts.server.listen(0, '127.0.0.1', resolve));
    // it must not keep a process alive that has nothing else to do
    artifacts.server.unref();
    return artifacts;
  }

  private readonly archives = new Map<string, Buffer>();
  private readonly server: Server = createServer(({ url }, response) => {
    const archive = this.archives.get(url!);
    response.writeHead(archive ? 200 : 404).end(archive);
  });

  private constructor() {}

  /** Packs what a folder holds now. */
  public publish(folder: string): Artifact {
    const archive = execFileSync('tar', ['-cz', '-C', folder, '.'], {
      maxBuffer: 64 * 1024 * 1024,
    });
    const hash = createHash('sha256').update(archive).digest('hex');
    const path = `/${hash}.tar.gz`;
    this.archives.set(path, archive);
    const { port } = this.server.address() as AddressInfo;
    return {
      path: path.slice(1),
      url: `http://127.0.0.1:${port}${path}`,
      revision: `main@sha1:${hash.slice(0, 40)}`,
      digest: `sha256:${hash}`,
      lastUpdateTime: new Date().toISOString(),
      size: archive.length,
    };
  }

  public async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
