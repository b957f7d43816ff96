import { randomInt } from 'crypto';
import { mkdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { ALL_PRODUCTS, KubeconfigFile, LabProduct, PRODUCTS, kubeconfigFiles } from './kubeconfigs';
import { Leftovers } from './leftovers';
import { Manifest } from '../../../src/core/manifest/manifest';
import { API_VERSIONS } from '../../../src/core/manifest/names';
import { toYaml } from '../../../src/core/yaml/yaml-writer';
import { openContexts } from '../../../src/engine/auth/bind-targets';
import { VIP, kubernetesVersion, releaseOf, readSetting } from '../../../src/engine/auth/identity';
import { ApiCluster } from '../../../src/engine/cluster/api-cluster';
import { Cluster } from '../../../src/engine/cluster/cluster';
import { Connection } from '../../../src/engine/transport/api';
import { NodeTransport } from '../../../src/engine/transport/node-transport';

/** The targets of all programs of the scenarios. */
export const TARGETS: { readonly [product in LabProduct]: string } = {
  rancher: 'rancher',
  harvester: 'dc1',
  guest: 'shop',
};

/** The variables of the environment with the release that a server which was built from source is of. */
const VERSION_VARIABLES: { readonly [product in LabProduct]: string } = {
  rancher: 'LIVE_RANCHER_VERSION',
  harvester: 'LIVE_HARVESTER_VERSION',
  guest: 'LIVE_GUEST_VERSION',
};

/** How each product reports its version. */
const VERSIONS: { readonly [product in LabProduct]: (cluster: Cluster) => Promise<string> } = {
  rancher: async (cluster) => readSetting(cluster, API_VERSIONS.MANAGEMENT, 'server-version'),
  harvester: async (cluster) => readSetting(cluster, API_VERSIONS.HARVESTER, 'server-version'),
  guest: async (cluster) => kubernetesVersion(cluster, {}),
};

/** What every user of Rancher is in. @see rancher/rancher:pkg/auth/requests/authenticate.go */
const RANCHER_USERS = 'system:cattle:authenticated';

const PREFIX_LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A running server of a lab. */
export class LabServer {
  private readonly asUsers = new Map<string, Cluster>();

  public constructor(
    public readonly product: LabProduct,
    /** The server as the admin of the kubeconfig sees it. */
    public readonly cluster: Cluster,
    /** E.g. `2.15.0`. */
    public readonly version: string,
    private readonly connection: Connection,
  ) {}

  /** The server as a user of Rancher sees it, by impersonation. */
  public as(user: string): Cluster {
    const known = this.asUsers.get(user) ?? new ApiCluster(this.transportOf(user));
    this.asUsers.set(user, known);
    return known;
  }

  /**
   * Creates an object as a user, as a person does who cannot patch it. Throws what the server
   * refuses.
   */
  public async createAs(user: string, manifest: Manifest, fieldManager: string): Promise<void> {
    await this.transportOf(user).request({
      method: 'POST',
      path: await this.collectionOf(manifest),
      query: { fieldManager },
      body: manifest,
    });
  }

  /** Replaces an object as a user. Throws what the server refuses. */
  public async replaceAs(user: string, manifest: Manifest, fieldManager: string): Promise<void> {
    await this.transportOf(user).request({
      method: 'PUT',
      path: `${await this.collectionOf(manifest)}/${manifest.metadata.name}`,
      query: { fieldManager },
      body: manifest,
    });
  }

  private async collectionOf({ apiVersion, kind, metadata }: Manifest): Promise<string> {
    const { plural } = (await this.cluster.kind(apiVersion, kind))!;
    const group = apiVersion.includes('/') ? 'apis' : 'api';
    const place = metadata.namespace === undefined ? '' : `namespaces/${metadata.namespace}/`;
    return `/${group}/${apiVersion}/${place}${plural}`;
  }

  private transportOf(user: string): NodeTransport {
    const { connection } = this;
    return new NodeTransport({
      ...connection,
      name: `${connection.name} as ${user}`,
      credentials: async (refresh) => {
        const own = await connection.credentials(refresh);
        const as = { 'impersonate-user': user, 'impersonate-group': RANCHER_USERS };
        return { ...own, headers: { ...own.headers, ...as } };
      },
    });
  }

  public close(): void {
    this.cluster.close();
    this.asUsers.forEach((cluster) => cluster.close());
  }
}

/** What programs declare of the servers, which the engine compares with them. */
export interface LabFacts {
  /** Undefined without a Rancher. */
  readonly serverUrl?: string;
  /** Undefined where the Harvester has no VIP. */
  readonly vip?: string;
}

/** A running Rancher and a running Harvester that a run of the scenarios borrows. */
export class Lab {
  /**
   * @param folder for everything that is written: the outputs of programs, and the config file that binds their targets
   * @param products those that a scenario needs
   */
  public static async open(
    folder: string,
    products: readonly LabProduct[] = PRODUCTS,
    env = process.env,
  ): Promise<Lab> {
    const files = kubeconfigFiles(env, [...new Set([...PRODUCTS, ...products])]);
    const config = writeConfig(folder, files);
    const opened = await openContexts({ config });
    const servers = await Promise.all(
      products.map(async (product) => {
        const { cluster, connection } = opened.find(({ name }) => name === TARGETS[product])!;
        const version = await VERSIONS[product](cluster);
        const release = releaseOf(product, version) ?? env[VERSION_VARIABLES[product]];
        if (release === undefined) {
          throw new Error(
            `${product}: its version ${version} is not a release. Fix: set ${VERSION_VARIABLES[product]}`,
          );
        }
        return [product, new LabServer(product, cluster, release, connection)] as const;
      }),
    );
    const found = Object.fromEntries(servers) as { readonly [product in LabProduct]?: LabServer };
    return new Lab(folder, config, found, await factsOf(found));
  }

  /** Part of the name of everything that this run creates, and of nothing else. */
  public readonly prefix = `lv${Array.from({ length: 6 }, () => PREFIX_LETTERS[randomInt(PREFIX_LETTERS.length)]).join('')}`;

  private constructor(
    public readonly folder: string,
    /** Binds the targets of programs to the servers. */
    public readonly config: string,
    private readonly opened: { readonly [product in LabProduct]?: LabServer },
    public readonly facts: LabFacts,
  ) {}

  /** A name of an object of this run. */
  public name(name: string): string {
    return `${this.prefix}-${name}`;
  }

  /** The products that this run needs. */
  public get products(): readonly LabProduct[] {
    return ALL_PRODUCTS.filter((product) => this.opened[product]);
  }

  /** The server of a product. Throws where the scenario did not ask for it. */
  public server(product: LabProduct): LabServer {
    const server = this.opened[product];
    if (!server) {
      throw new Error(`${product}: the scenario did not open it. Fix: add it to Lab.open`);
    }
    return server;
  }

  /** The server of a target of a program. */
  public serverOf(target: string): LabServer {
    const product = ALL_PRODUCTS.find((each) => TARGETS[each] === target);
    if (!product) {
      throw new Error(`must be one of ${Object.values(TARGETS).join(', ')}, got ${target}`);
    }
    return this.server(product);
  }

  /**
   * Deletes what is left of this run and waits until it is gone.
   *
   * @returns what remains all the same, as `<target>: <kind> <namespace>/<name>`
   */
  public async clean(): Promise<string[]> {
    const each = this.products.map(async (product) => {
      const left = await new Leftovers(this.server(product).cluster, this.prefix).remove();
      return left.map((label) => `${TARGETS[product]}: ${label}`);
    });
    return (await Promise.all(each)).flat();
  }

  public close(): void {
    this.products.forEach((product) => this.server(product).close());
  }
}

async function factsOf(servers: {
  readonly [product in LabProduct]?: LabServer;
}): Promise<LabFacts> {
  const { rancher, harvester } = servers;
  const vip = await harvester?.cluster.read(VIP);
  return {
    vip: (vip?.data as { ip?: string } | undefined)?.ip,
    serverUrl:
      rancher && (await readSetting(rancher.cluster, API_VERSIONS.MANAGEMENT, 'server-url')),
  };
}

function writeConfig(folder: string, files: ReadonlyMap<LabProduct, KubeconfigFile>): string {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'cdk8s-harvester.yaml');
  const targets = Object.fromEntries(
    [...files].map(([product, file]) => [TARGETS[product], { ...file }]),
  );
  writeFileSync(config, toYaml({ targets }));
  return config;
}
