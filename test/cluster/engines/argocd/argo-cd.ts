import { execFileSync } from 'child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'fs';
import { delimiter, join } from 'path';
import { setTimeout as sleep } from 'timers/promises';
import { Manifest } from '../../../../src/core/manifest/manifest';
import { tempFolder } from '../../../support/temp';
import { Client } from '../../client';
import { ClusterKind } from '../../clusters';
import { freePorts } from '../../control-plane';
import { Daemon } from '../../daemon';
import { installDefinitions } from '../../definitions';
import { Live } from '../../doubles/live';
import { Platform } from '../../doubles/platform';
import { readManifests } from '../../manifests';
import { enginePath } from '../bed/engine-folder';
import { Requests } from '../bed/requests';
import { listed, merge, write } from '../bed/write';

const ARGO_CD = 'argoproj.io/v1alpha1';
const CONTROLLER = 'argocd-application-controller';
const TIMEOUT_MS = 600_000;

/** Where Argo CD and its objects are. */
export const ARGO_CD_NAMESPACE = 'argocd';

/** What Argo CD reports of an Application. */
export interface AppState {
  readonly name: string;
  readonly sync: string;
  readonly health: string;
  /** Of the last synchronization; empty before the first. */
  readonly phase: string;
  readonly message: string;
  /** `Kind namespace/name` of what differs. */
  readonly outOfSync: readonly string[];
}

/** What is installed with Argo CD. */
export interface Installation {
  /** What the ConfigMap argocd-cm holds. @default - nothing */
  readonly config?: { readonly [key: string]: string };
  /** Folders with programs that make manifests. @default - none */
  readonly tools?: readonly string[];
  /** Environment of these programs. @default - none of its own */
  readonly env?: { readonly [name: string]: string };
  /** A ConfigManagementPlugin, as YAML: it runs in a server of its own. @default - no plugin */
  readonly plugin?: string;
}

/**
 * Argo CD's application controller and repository server in the Rancher of a platform, which
 * deliver to all of its clusters from a Git repository on disk.
 */
export class ArgoCd {
  public static async start(platform: Platform, installation: Installation = {}): Promise<ArgoCd> {
    const client = platform.clients.rancher;
    await installDefinitions(
      client,
      readManifests(enginePath('argocd', 'crds')).filter(
        ({ kind }) => kind === 'CustomResourceDefinition',
      ),
    );
    const metadata = (name: string): Manifest['metadata'] => ({
      name,
      namespace: ARGO_CD_NAMESPACE,
      labels: { 'app.kubernetes.io/part-of': 'argocd' },
    });
    const anything = {
      sourceRepos: ['*'],
      destinations: [{ namespace: '*', server: '*', name: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    };
    for (const manifest of [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ARGO_CD_NAMESPACE } },
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: metadata('argocd-cm'),
        data: installation.config ?? {},
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: metadata('argocd-secret'),
        stringData: { 'server.secretkey': 'only-for-tests' },
      },
      { apiVersion: ARGO_CD, kind: 'AppProject', metadata: metadata('default'), spec: anything },
    ]) {
      await write(client, manifest);
    }
    return new ArgoCd(platform, await freePorts(4), installation);
  }

  /** The URL of the repository, for the source of an Application. */
  public readonly repository: string;
  private readonly client: Client;
  private readonly daemons: readonly Daemon[];
  private readonly requests: Record<ClusterKind, Requests>;
  private readonly work = tempFolder();

  private constructor(
    private readonly platform: Platform,
    [redisPort, repoPort, repoMetrics, metrics]: readonly number[],
    { tools = [], env: toolEnv = {}, plugin }: Installation,
  ) {
    this.client = platform.clients.rancher;
    const { rancher, harvester, guest } = platform.planes;
    const agent = /^argocd-application-controller\b/;
    this.requests = {
      rancher: new Requests(rancher, agent),
      harvester: new Requests(harvester, agent),
      guest: new Requests(guest, agent),
    };
    const bare = join(this.work, 'repository.git');
    this.repository = `file://${bare}`;
    git(this.work, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
    git(this.work, 'init', '--quiet', '--initial-branch=main', 'clone');
    git(join(this.work, 'clone'), 'remote', 'add', 'origin', bare);
    mkdirSync(join(this.work, 'tmp'));
    // as if it ran in the cluster
    mkdirSync(join(this.work, '.kube'));
    cpSync(rancher.writeKubeconfig(), join(this.work, '.kube', 'config'));
    const redis = `127.0.0.1:${redisPort}`;
    const env = {
      KUBECONFIG: rancher.writeKubeconfig(),
      HOME: this.work,
      ARGOCD_FAKE_IN_CLUSTER: 'true',
      PATH: [enginePath('argocd'), ...tools, process.env.PATH].join(delimiter),
      // where the repository server finds the sockets of plugins
      ARGOCD_PLUGINSOCKFILEPATH: join(this.work, 'plugins'),
      ARGOCD_CMP_WORKDIR: join(this.work, 'cmp'),
      ...toolEnv,
      TMPDIR: join(this.work, 'tmp'),
      ARGOCD_GPG_ENABLED: 'false',
      // files of the installation that are not there
      ARGOCD_APP_CONF_PATH: this.work,
      ARGOCD_TLS_DATA_PATH: this.work,
      ARGOCD_SSH_DATA_PATH: this.work,
      ARGOCD_RECONCILIATION_JITTER: '0',
    };
    const start = (name: string, ...args: string[]): Daemon =>
      new Daemon(enginePath('argocd', name), args, this.work, { env });
    this.daemons = [
      ...(plugin === undefined ? [] : [start('argocd-cmp-server', ...this.pluginArgs(plugin))]),
      start('redis', redis),
      start(
        'argocd-repo-server',
        '--address=127.0.0.1',
        `--port=${repoPort}`,
        '--metrics-address=127.0.0.1',
        `--metrics-port=${repoMetrics}`,
        '--disable-tls',
        '--client-ca-path=',
        `--redis=${redis}`,
      ),
      start(
        CONTROLLER,
        `--namespace=${ARGO_CD_NAMESPACE}`,
        `--redis=${redis}`,
        `--repo-server=127.0.0.1:${repoPort}`,
        '--repo-server-plaintext',
        `--metrics-port=${metrics}`,
        '--operation-processors=4',
        '--status-processors=4',
        '--app-resync=0',
      ),
    ];
  }

  /** Writes a plugin as its sidecar has it. Returns the arguments of its server. */
  private pluginArgs(plugin: string): string[] {
    const folder = join(this.work, 'plugin');
    for (const each of [folder, join(this.work, 'plugins'), join(this.work, 'cmp')]) {
      mkdirSync(each);
    }
    writeFileSync(join(folder, 'plugin.yaml'), plugin);
    return [`--config-dir-path=${folder}`];
  }

  public async stop(): Promise<void> {
    await Promise.all(this.daemons.map(async (daemon) => daemon.kill()));
  }

  /** Lets Argo CD reach a cluster of the platform under a name, for `destination.name`. */
  public async connect(kind: ClusterKind, name: string): Promise<void> {
    const { url, ca, token } = this.platform.planes[kind];
    const config = JSON.stringify({
      bearerToken: token,
      tlsClientConfig: { caData: Buffer.from(ca).toString('base64') },
    });
    await this.apply([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: `cluster-${name}`,
          namespace: ARGO_CD_NAMESPACE,
          labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
        },
        stringData: { name, server: url, config },
      },
    ]);
  }

  /** Applies objects of Argo CD to its own cluster, as its bootstrap does. */
  public async apply(manifests: readonly Manifest[]): Promise<void> {
    for (const manifest of manifests) {
      await write(this.client, manifest);
    }
  }

  /** Commits what a folder holds now, and nothing else. */
  public push(folder: string): void {
    const clone = join(this.work, 'clone');
    readdirSync(clone)
      .filter((name) => name !== '.git')
      .forEach((name) => rmSync(join(clone, name), { recursive: true }));
    cpSync(folder, clone, { recursive: true });
    git(clone, 'add', '--all');
    git(
      clone,
      '-c',
      'user.name=test',
      '-c',
      'user.email=test@example.com',
      'commit',
      '--quiet',
      '--allow-empty',
      '--message=test',
    );
    git(clone, 'push', '--quiet', 'origin', 'HEAD:main');
  }

  /** Has Argo CD compare everything with Git and the clusters, and waits until it has. */
  public async refresh(): Promise<AppState[]> {
    const annotations = { 'argocd.argoproj.io/refresh': 'hard' };
    for (const app of await this.applications()) {
      await merge(this.client, app, { metadata: { annotations } });
    }
    return this.until(
      'compares everything',
      (app) => app.metadata.annotations?.['argocd.argoproj.io/refresh'] === undefined,
    );
  }

  /** Waits until every Application has delivered the last commit, is in sync and healthy. */
  public async untilSynced(): Promise<AppState[]> {
    const revision = this.revision();
    return this.until(
      'has delivered everything',
      ({ status }) =>
        status?.sync?.status === 'Synced' &&
        status.sync.revision === revision &&
        status.health?.status === 'Healthy' &&
        (status.operationState?.phase === 'Succeeded' || isEmpty(status)),
    );
  }

  /** Waits until Argo CD has written something to the cluster of a kind, and is done with it. */
  public async untilWritten(kind: ClusterKind): Promise<AppState[]> {
    return this.until(
      `writes to the ${kind}`,
      ({ status }) =>
        this.writes(kind).length > 0 &&
        status?.sync?.status === 'Synced' &&
        status.operationState?.phase === 'Succeeded',
    );
  }

  /**
   * Waits until an Application has synchronized the last commit and still shows something that
   * differs.
   */
  public async untilOutOfSync(name: string): Promise<AppState[]> {
    const revision = this.revision();
    return this.until(
      'finds a difference',
      ({ metadata, status }) =>
        metadata.name !== name ||
        (status?.sync?.status === 'OutOfSync' &&
          status.operationState?.syncResult?.revision === revision &&
          status.operationState.phase === 'Succeeded'),
    );
  }

  public async states(): Promise<AppState[]> {
    return (await this.applications()).map(stateOf);
  }

  /** What Argo CD wrote to the cluster of a kind since the last time that this was forgotten. */
  public writes(kind: ClusterKind): string[] {
    return this.requests[kind].writes;
  }

  public forgetWrites(): void {
    Object.values(this.requests).forEach((requests) => requests.forget());
  }

  /** Everything that its programs logged. */
  public get log(): string {
    return this.daemons.map(({ text }) => text).join('');
  }

  /** The last commit. */
  private revision(): string {
    return git(join(this.work, 'clone'), 'rev-parse', 'HEAD').trim();
  }

  private async applications(): Promise<Live[]> {
    return listed(this.client, ARGO_CD, 'Application');
  }

  private async until(what: string, condition: (app: Live) => boolean): Promise<AppState[]> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const all = await this.applications();
      if (all.length > 0 && all.every(condition)) {
        return all.map(stateOf);
      }
      this.daemons.forEach((daemon) => daemon.assertRunning());
      if (Date.now() > deadline) {
        const logs = this.daemons.map((daemon) => daemon.lastLines(20)).join('\n');
        throw new Error(
          `waited ${TIMEOUT_MS / 1000} s until Argo CD ${what}\n${JSON.stringify(all.map(stateOf), undefined, 2)}\n${logs}`,
        );
      }
      await sleep(200);
    }
  }
}

/** Whether there is nothing to deliver, where all objects wait for late values. */
function isEmpty({ resources = [] }: { readonly resources?: readonly object[] }): boolean {
  return resources.length === 0;
}

interface ResourceStatus {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly status?: string;
}

function stateOf({ metadata: { name }, status = {} }: Live): AppState {
  const { sync, health, operationState, resources = [] } = status as { [field: string]: any };
  return {
    name,
    sync: sync?.status ?? 'Unknown',
    health: health?.status ?? 'Unknown',
    phase: operationState?.phase ?? '',
    message: operationState?.message ?? '',
    outOfSync: (resources as ResourceStatus[])
      .filter((each) => each.status === 'OutOfSync')
      .map((each) => `${each.kind} ${each.namespace ? `${each.namespace}/` : ''}${each.name}`),
  };
}

function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
}
