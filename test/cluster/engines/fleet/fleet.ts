import { spawnSync } from 'child_process';
import { writeFileSync } from 'fs';
import { join } from 'path';
import { setTimeout as sleep } from 'timers/promises';
import { inverted, reach } from '../../../../src/core/graph/reach';
import { Manifest } from '../../../../src/core/manifest/manifest';
import { tempFolder } from '../../../support/temp';
import { Client } from '../../client';
import { ClusterKind } from '../../clusters';
import { Daemon } from '../../daemon';
import { installDefinitions } from '../../definitions';
import { Live } from '../../doubles/live';
import { Platform, kubeconfig } from '../../doubles/platform';
import { readManifests } from '../../manifests';
import { enginePath } from '../bed/engine-folder';
import { Requests } from '../bed/requests';
import { listed, merge, write } from '../bed/write';

const FLEET = 'fleet.cattle.io/v1alpha1';
const SYSTEM = 'cattle-fleet-system';
/** The agent of the cluster that Fleet runs in has a namespace of its own, as in Rancher. */
const LOCAL_SYSTEM = 'cattle-fleet-local-system';
const TIMEOUT_MS = 600_000;

const ELECTION = {
  CATTLE_ELECTION_LEASE_DURATION: '30s',
  CATTLE_ELECTION_RETRY_PERIOD: '10s',
  CATTLE_ELECTION_RENEW_DEADLINE: '25s',
};

/** What Fleet reports of a bundle on one cluster. */
export interface Deployment {
  readonly bundle: string;
  /** Ready, NotReady, Modified, WaitApplied, ErrApplied, OutOfSync, or Pending. */
  readonly state: string;
  readonly message: string;
}

/**
 * Fleet's controller in the Rancher of a platform and an agent for each cluster; the test itself is
 * its Git controller, which runs `fleet apply` in jobs.
 */
export class Fleet {
  public static async start(platform: Platform): Promise<Fleet> {
    const client = platform.clients.rancher;
    await installDefinitions(client, readManifests(enginePath('fleet', 'templates')));
    await write(client, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM } });
    await write(client, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'fleet-controller', namespace: SYSTEM },
      data: { config: '{}' },
    });
    return new Fleet(platform);
  }

  private readonly client: Client;
  private readonly daemons: Daemon[];
  private readonly requests: Record<ClusterKind, Requests>;
  private readonly repositories: Manifest[] = [];

  private constructor(private readonly platform: Platform) {
    this.client = platform.clients.rancher;
    const { rancher, harvester, guest } = platform.planes;
    const agent = /^(fleetagent|helm)\b/i;
    this.requests = {
      rancher: new Requests(rancher, agent),
      harvester: new Requests(harvester, agent),
      guest: new Requests(guest, agent),
    };
    this.daemons = [
      new Daemon(
        enginePath('fleet', 'fleetcontroller'),
        ['--disable-metrics', '--leader-elect=false'],
        tempFolder(),
        {
          foreign: true,
          env: {
            ...ELECTION,
            KUBECONFIG: rancher.writeKubeconfig(),
            NAMESPACE: SYSTEM,
            FLEET_HEALTHPROBE_BIND_ADDRESS: '0',
          },
        },
      ),
    ];
  }

  public async stop(): Promise<void> {
    await Promise.all(this.daemons.map(async (daemon) => daemon.kill()));
  }

  /**
   * Registers a cluster of the platform in a workspace and starts its agent: what the registration
   * would write is written here.
   */
  public async connect(kind: ClusterKind, name: string, workspace: string): Promise<void> {
    const [system, home] = [
      kind === 'rancher' ? LOCAL_SYSTEM : SYSTEM,
      `cluster-${workspace}-${name}`,
    ];
    for (const namespace of [workspace, home]) {
      await write(this.client, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
    }
    const cluster = {
      apiVersion: FLEET,
      kind: 'Cluster',
      metadata: { name, namespace: workspace, labels: { name } },
      spec: {},
    };
    await write(this.client, cluster);
    await merge(this.client, cluster, { status: { namespace: home } }, 'status');
    const own = this.platform.clients[kind];
    const upstream = JSON.parse(kubeconfig({ upstream: this.platform.planes.rancher })) as {
      contexts: { context: { namespace?: string } }[];
    };
    upstream.contexts[0].context.namespace = home;
    await write(own, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: system } });
    await write(own, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'fleet-agent', namespace: system },
      data: { config: '{}' },
    });
    await write(own, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'fleet-agent', namespace: system },
      stringData: {
        kubeconfig: JSON.stringify(upstream),
        clusterNamespace: workspace,
        clusterName: name,
        deploymentNamespace: home,
      },
    });
    this.daemons.push(
      new Daemon(
        enginePath('fleet', 'fleetagent'),
        ['--leader-elect=false', `--namespace=${system}`, `--agent-scope=${system}`],
        tempFolder(),
        {
          foreign: true,
          env: {
            ...ELECTION,
            KUBECONFIG: this.platform.planes[kind].writeKubeconfig(),
            FLEET_AGENT_METRICS_BIND_ADDRESS: '0',
            FLEET_AGENT_PROBE_BIND_ADDRESS: '0',
          },
        },
      ),
    );
  }

  /** Applies objects of Fleet to its own cluster. GitRepos are remembered for `push`. */
  public async apply(manifests: readonly Manifest[]): Promise<void> {
    for (const manifest of manifests) {
      await write(this.client, manifest);
    }
    this.repositories.push(...manifests.filter(({ kind }) => kind === 'GitRepo'));
  }

  /**
   * Gives all GitRepos the content of a folder, as a push does: runs the command that Fleet's jobs
   * run.
   *
   * @returns the names of the GitRepos in whose paths Fleet found nothing to deploy
   * @see rancher/fleet:internal/cmd/controller/gitops/reconciler/gitjob.go
   */
  public push(folder: string): string[] {
    return this.repositories.flatMap(({ metadata: { name, namespace }, spec }) => {
      const { targets = [], paths = [] } = spec as { targets?: object[]; paths?: string[] };
      const file = join(tempFolder(), 'targets.yaml');
      writeFileSync(file, JSON.stringify({ targets }));
      const args = [
        'apply',
        `--targets-file=${file}`,
        `--label=fleet.cattle.io/repo-name=${name}`,
        `--namespace=${namespace}`,
        name,
        ...paths,
      ];
      const env = {
        ...process.env,
        HOME: tempFolder(),
        KUBECONFIG: this.platform.planes.rancher.writeKubeconfig(),
      };
      const { status, stderr } = spawnSync(enginePath('fleet', 'fleetcli'), args, {
        cwd: folder,
        encoding: 'utf8',
        env,
      });
      if (status === 0) {
        return [];
      }
      if (stderr.includes('no resource found at the following paths to deploy')) {
        return [name];
      }
      throw new Error(`fleet ${args.join(' ')}\n${stderr}`);
    });
  }

  /**
   * Waits until every bundle is on its clusters as it was pushed last, except those that wait for
   * `resolve`.
   */
  public async untilDeployed(): Promise<Deployment[]> {
    return this.until('has delivered everything', (all) => {
      const held = heldBack(all);
      return (
        all.length > 0 &&
        all.every(
          ({ metadata, spec: { deploymentID, stagedDeploymentID }, status }) =>
            held.has(metadata.name) ||
            (deploymentID === stagedDeploymentID &&
              status?.appliedDeploymentID === deploymentID &&
              status?.release &&
              status.nonModified === true),
        )
      );
    });
  }

  /** Waits until Fleet reports that an object is not as it was pushed. */
  public async untilModified(): Promise<Deployment[]> {
    return this.until('finds a difference', (all) =>
      all.some((each) => deploymentOf(each).state === 'Modified'),
    );
  }

  /** What Fleet reports of each bundle on each cluster. */
  public async deployments(): Promise<Deployment[]> {
    return (await this.bundleDeployments()).map(deploymentOf);
  }

  /**
   * What Fleet's agents wrote to the cluster of a kind since the last time that this was forgotten;
   * without the releases that Helm keeps.
   */
  public writes(kind: ClusterKind): string[] {
    return this.requests[kind].writes.filter(
      (line) => !/ (cattle-fleet-|cluster-fleet-)|\/sh\.helm\.release\./.test(line),
    );
  }

  public forgetWrites(): void {
    Object.values(this.requests).forEach((requests) => requests.forget());
  }

  /** Everything that the controller and the agents logged. */
  public get log(): string {
    return this.daemons.map(({ text }) => text).join('');
  }

  private async bundleDeployments(): Promise<Live[]> {
    return listed(this.client, FLEET, 'BundleDeployment');
  }

  private async until(
    what: string,
    condition: (all: readonly Live[]) => boolean,
  ): Promise<Deployment[]> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const all = await this.bundleDeployments();
      const bundles = await listed(this.client, FLEET, 'Bundle');
      const isSeen = bundles.every(
        ({ metadata, status }) => status?.observedGeneration === metadata.generation,
      );
      // a bundle without a deployment waits for its clusters
      if (isSeen && all.length >= bundles.length && condition(all)) {
        return all.map(deploymentOf);
      }
      this.daemons.forEach((daemon) => daemon.assertRunning());
      if (Date.now() > deadline) {
        const logs = this.daemons.map((daemon) => daemon.lastLines(20)).join('\n');
        throw new Error(
          `waited ${TIMEOUT_MS / 1000} s until Fleet ${what}\n${JSON.stringify(all.map(deploymentOf), undefined, 2)}\n${logs}`,
        );
      }
      await sleep(200);
    }
  }
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

function deploymentOf({ metadata: { name }, status }: Live): Deployment {
  const messages = ((status?.conditions ?? []) as Condition[])
    .filter((condition) => condition.status === 'False')
    .map(({ message = '' }) => message);
  return {
    bundle: name,
    state: (status?.display as { state?: string } | undefined)?.state ?? 'Pending',
    message: messages.join('\n'),
  };
}

/**
 * The names of the bundles that depend on one which does not exist, since `resolve` has not written
 * it yet, directly or not.
 */
function heldBack(all: readonly Live[]): ReadonlySet<string> {
  const named = new Map(
    all.map((each) => [
      `${each.metadata.namespace} ${each.metadata.labels?.['fleet.cattle.io/bundle-name'] ?? each.metadata.name}`,
      each.metadata.name,
    ]),
  );
  const edges = all.flatMap(({ metadata: { name, namespace }, spec }) =>
    ((spec as { dependsOn?: { name: string }[] }).dependsOn ?? []).map(
      (other) => [name, named.get(`${namespace} ${other.name}`)] as const,
    ),
  );
  const dependents = inverted(edges);
  return reach(
    edges.filter(([, other]) => other === undefined).map(([name]) => name),
    (name) => dependents.get(name) ?? [],
  );
}
