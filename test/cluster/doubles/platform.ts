import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import * as https from 'node:https';
import * as path from 'node:path';
import { CliEnd, CliProcess } from './cli-process';
import { Controllers } from './controllers';
import { HarvesterDouble } from './harvester-double';
import { startProduct } from './product';
import { RancherDouble } from './rancher-double';
import { Balancers, ClusterApi, Downloads, Guest } from './stand-ins';
import { FaultProxy, ProxiedAnswer, ProxiedRequest, status } from '../../support/fault-proxy';
import { tempFolder } from '../../support/temp';
import { Client, Connection } from '../client';
import { ClusterKind } from '../clusters';
import { ControlPlane } from '../control-plane';

export const SERVER_URL = 'https://rancher.example.com';
export const VIP = '10.10.0.10';
const KINDS: readonly ClusterKind[] = ['rancher', 'harvester', 'guest'];

/** What a process of the command line has of its own. */
export interface SpawnOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly kubeconfigFile?: string;
}

/**
 * A whole platform: three real API servers with the doubles of the products' controllers, behind
 * proxies with a counter of requests, in which faults occur as a test defines. Not shared, since
 * the doubles write to everything, and other tests use the shared clusters at the same time.
 */
export class Platform {
  /** @param options.audit whether the API servers keep a log of requests */
  public static async start({ audit = false } = {}): Promise<Platform> {
    const planes = Object.fromEntries(
      await Promise.all(
        KINDS.map(async (kind) => [kind, await startProduct(kind, { audit })] as const),
      ),
    ) as Record<ClusterKind, ControlPlane>;
    const platform = new Platform(planes);
    await platform.open();
    return platform;
  }

  public readonly clients: Record<ClusterKind, Client>;
  public readonly rancher: RancherDouble;
  public readonly harvester: HarvesterDouble;
  /** Not verified against recordings: stand-ins.ts. */
  public readonly clusterApi: ClusterApi;
  public readonly downloads: Downloads;
  public readonly guest: Guest;
  private readonly balancers: Balancers;
  /** The way of the command line to Rancher, and through it to the guest. */
  public rancherProxy!: FaultProxy;
  public harvesterProxy!: FaultProxy;
  /** The token that opens Rancher, and by which Rancher lets through to guests. */
  public readonly rancherToken = `token-${randomBytes(8).toString('hex')}`;
  private readonly folder = tempFolder();
  private readonly agents: https.Agent[] = [];
  private readonly processes = new Set<CliProcess>();

  private constructor(public readonly planes: Record<ClusterKind, ControlPlane>) {
    this.clients = {
      rancher: new Client(planes.rancher),
      harvester: new Client(planes.harvester),
      guest: new Client(planes.guest),
    };
    this.rancher = new RancherDouble(this.clients.rancher, {
      version: '2.13.8',
      serverUrl: SERVER_URL,
    });
    this.clusterApi = new ClusterApi(this.clients.rancher, (id) =>
      kubeconfig({
        guest: {
          url: `https://rancher.cattle-system/k8s/clusters/${id}`,
          ca: this.rancherProxy.ca,
          token: this.rancherToken,
        },
      }),
    );
    this.downloads = new Downloads(this.clients.harvester);
    this.harvester = new HarvesterDouble(this.clients.harvester, {
      version: '1.7.2',
      vip: VIP,
      register: async (url) => this.rancher.register(url),
      connected: () => this.rancher.connected.size > 0,
      servesImages: ({ metadata: { name } }) => !this.downloads.broken.has(name),
    });
    this.guest = new Guest(this.clients.guest);
    this.balancers = new Balancers(this.clients.harvester);
  }

  public get doubles(): readonly Controllers[] {
    return [
      this.rancher,
      this.harvester,
      this.clusterApi,
      this.downloads,
      this.balancers,
      this.guest,
    ];
  }

  public get proxies(): readonly FaultProxy[] {
    return [this.rancherProxy, this.harvesterProxy];
  }

  /** What the doubles complained of. */
  public get problems(): string[] {
    return this.doubles.flatMap(({ problems }) => problems);
  }

  /** Runs the command line to its end. */
  public async cli(...args: string[]): Promise<CliEnd> {
    return this.spawn(...args).ended;
  }

  public spawn(...args: string[]): CliProcess {
    return this.spawnWith({}, ...args);
  }

  /** The same with variables of the environment, or another kubeconfig. */
  public spawnWith(
    { env, kubeconfigFile = this.kubeconfigFile }: SpawnOptions,
    ...args: string[]
  ): CliProcess {
    const cli = new CliProcess([...args, '--kubeconfig', kubeconfigFile], {
      cwd: this.folder,
      env,
    });
    this.processes.add(cli);
    void cli.ended.finally(() => this.processes.delete(cli));
    return cli;
  }

  /** Where the command line runs, which holds the kubeconfig. */
  public get workFolder(): string {
    return this.folder;
  }

  public get kubeconfigFile(): string {
    return path.join(this.folder, 'kubeconfig');
  }

  public async stop(): Promise<void> {
    // those of tests that ran out of time
    this.processes.forEach((cli) => cli.kill('SIGKILL'));
    await Promise.all(this.doubles.map(async (double) => double.close()));
    await Promise.all(this.proxies.map(async (proxy) => proxy.close()));
    this.agents.forEach((agent) => agent.destroy());
    await Promise.all(KINDS.map(async (kind) => this.planes[kind].stop()));
  }

  /** Forgets what the proxies saw and what was to go wrong. */
  public calm(): void {
    for (const proxy of this.proxies) {
      proxy.requests.length = 0;
      proxy.fault = undefined;
      proxy.before = undefined;
    }
  }

  private async open(): Promise<void> {
    this.harvesterProxy = await FaultProxy.start(this.planes.harvester);
    this.rancherProxy = await FaultProxy.start(this.asRancher());
    fs.writeFileSync(
      this.kubeconfigFile,
      kubeconfig({
        rancher: {
          url: `${this.rancherProxy.url}/k8s/clusters/local`,
          ca: this.rancherProxy.ca,
          token: this.rancherToken,
        },
        dc1: {
          url: this.harvesterProxy.url,
          ca: this.harvesterProxy.ca,
          token: this.planes.harvester.token,
        },
      }),
      { mode: 0o600 },
    );
    for (const double of this.doubles) {
      await double.seed();
      double.start();
    }
  }

  /**
   * Rancher's way to clusters: its own API server and those of guests lie below one URL and one
   * token.
   */
  private asRancher(): (request: ProxiedRequest) => Promise<ProxiedAnswer> {
    const ways = { local: this.way('rancher'), guest: this.way('guest') };
    return async (request) => {
      const [, id, rest] = /^\/k8s\/clusters\/([^/]+)(\/.*)$/.exec(request.path) ?? [];
      if (rest === undefined) {
        return status(404, 'NotFound', `no such path ${request.path}`);
      }
      if (request.headers.authorization !== `Bearer ${this.rancherToken}`) {
        return status(401, 'Unauthorized', 'Unauthorized');
      }
      return (id === 'local' ? ways.local : ways.guest)(request, rest);
    };
  }

  private way(
    kind: ClusterKind,
  ): (request: ProxiedRequest, rest: string) => Promise<ProxiedAnswer> {
    const { url, ca, token } = this.planes[kind];
    const agent = new https.Agent({ ca, keepAlive: true });
    this.agents.push(agent);
    return async ({ method, headers: { host: _, connection: __, ...headers }, body }, rest) =>
      new Promise((resolve, reject) => {
        const request = https.request(
          new URL(rest, url),
          { method, headers: { ...headers, authorization: `Bearer ${token}` }, agent },
          (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.once('error', reject);
            response.once('end', () => {
              const {
                'transfer-encoding': ___,
                'content-length': ____,
                'connection': _____,
                ...kept
              } = response.headers;
              resolve({
                status: response.statusCode!,
                headers: kept as { [name: string]: string },
                body: Buffer.concat(chunks).toString('utf8'),
              });
            });
          },
        );
        request.once('error', reject);
        request.end(body);
      });
  }
}

/** A kubeconfig with a context for each connection. */
export function kubeconfig(connections: { readonly [context: string]: Connection }): string {
  const names = Object.keys(connections);
  // JSON is YAML
  return JSON.stringify({
    'apiVersion': 'v1',
    'kind': 'Config',
    'clusters': names.map((name) => ({
      name,
      cluster: {
        'server': connections[name].url,
        'certificate-authority-data': Buffer.from(connections[name].ca).toString('base64'),
      },
    })),
    'users': names.map((name) => ({ name, user: { token: connections[name].token } })),
    'contexts': names.map((name) => ({ name, context: { cluster: name, user: name } })),
    'current-context': names[0],
  });
}
