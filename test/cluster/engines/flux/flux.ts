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
import { ArtifactServer } from '../bed/artifact-server';
import { enginePath } from '../bed/engine-folder';
import { Requests } from '../bed/requests';
import { listed, merge, write } from '../bed/write';

const KUSTOMIZATIONS = 'kustomize.toolkit.fluxcd.io/v1';
const SOURCES = 'source.toolkit.fluxcd.io/v1';
const TIMEOUT_MS = 600_000;

/** Where Flux and its objects are. */
export const FLUX_NAMESPACE = 'flux-system';

/** What Flux reports of a Kustomization. */
export interface Ready {
  readonly name: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/**
 * Flux's kustomize-controller in the Rancher of a platform, which delivers to all of its clusters;
 * the test itself is the source-controller.
 */
export class Flux {
  public static async start(platform: Platform): Promise<Flux> {
    const client = platform.clients.rancher;
    const definitions = readManifests(enginePath('flux', 'bases')).filter(
      ({ metadata: { name } }) =>
        /^(kustomizations|gitrepositories|ocirepositories|buckets|externalartifacts)\./.test(name),
    );
    await installDefinitions(client, definitions);
    await write(client, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: FLUX_NAMESPACE },
    });
    return new Flux(platform, await ArtifactServer.start());
  }

  private readonly client: Client;
  private readonly controller: Daemon;
  private readonly requests: Record<ClusterKind, Requests>;
  private asked = 0;

  private constructor(
    private readonly platform: Platform,
    private readonly artifacts: ArtifactServer,
  ) {
    this.client = platform.clients.rancher;
    const { rancher, harvester, guest } = platform.planes;
    const agent = /^kustomize-controller\//;
    const folder = tempFolder();
    this.requests = {
      rancher: new Requests(rancher, agent),
      harvester: new Requests(harvester, agent),
      guest: new Requests(guest, agent),
    };
    this.controller = new Daemon(
      enginePath('flux', 'kustomize-controller'),
      [
        '--watch-all-namespaces',
        // nothing may listen but on loopback; 0 does not listen at all
        '--metrics-addr=0',
        '--health-addr=0',
        '--log-encoding=json',
        // 30 seconds otherwise, which is for clusters with thousands of objects
        '--requeue-dependency=1s',
      ],
      folder,
      {
        foreign: true,
        env: {
          KUBECONFIG: rancher.writeKubeconfig(),
          RUNTIME_NAMESPACE: FLUX_NAMESPACE,
          // it removes at its start what processes before it left, and so what others use now:
          // fluxcd/kustomize-controller main.go, purgeStaleTempDirs
          TMPDIR: folder,
        },
      },
    );
  }

  public async stop(): Promise<void> {
    await this.controller.kill();
    await this.artifacts.close();
  }

  /** Lets Flux reach another cluster by a Secret for `spec.kubeConfig.secretRef`. */
  public async connect(kind: ClusterKind, secretName: string): Promise<void> {
    const value = kubeconfig({ [kind]: this.platform.planes[kind] });
    await this.apply([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: secretName, namespace: FLUX_NAMESPACE },
        stringData: { value },
      },
    ]);
  }

  /** Applies objects of Flux to its own cluster, as its bootstrap does. */
  public async apply(manifests: readonly Manifest[]): Promise<void> {
    for (const manifest of manifests) {
      await write(this.client, manifest);
    }
  }

  /**
   * Gives all GitRepositories the content of a folder, as a push does. Does nothing where there are
   * none.
   */
  public async push(folder: string): Promise<void> {
    const artifact = this.artifacts.publish(folder);
    for (const source of await listed(this.client, SOURCES, 'GitRepository')) {
      const condition = {
        type: 'Ready',
        status: 'True',
        reason: 'Succeeded',
        message: `stored artifact for revision '${artifact.revision}'`,
        lastTransitionTime: artifact.lastUpdateTime,
      };
      await merge(
        this.client,
        source,
        {
          status: {
            artifact,
            observedGeneration: source.metadata.generation,
            conditions: [condition],
          },
        },
        'status',
      );
    }
  }

  /**
   * Has Flux reconcile everything at once and waits until it has tried.
   *
   * @returns what it then reports of each Kustomization, without those that wait for `resolve`
   */
  public async reconcile(): Promise<Ready[]> {
    const token = `test-${++this.asked}`;
    const annotations = { 'reconcile.fluxcd.io/requestedAt': token };
    for (const kustomization of await this.kustomizations()) {
      await merge(this.client, kustomization, { metadata: { annotations } });
    }
    let held: ReadonlySet<string> = new Set();
    const all = await this.until('reconciles everything', (each) => {
      held = heldBack(each, isUnresolved);
      const others = each.filter(({ metadata: { name } }) => !held.has(name));
      // one that fails keeps those waiting that depend on it
      const failed = others.some((other) => readyOf(other).status === 'False' && !isWaiting(other));
      return others.every(
        (other) =>
          other.status?.lastHandledReconcileAt === token &&
          readyOf(other).status !== 'Unknown' &&
          (failed || !isWaiting(other)),
      );
    });
    return all.filter(({ name }) => !held.has(name));
  }

  /**
   * Waits until every Kustomization is Ready at the revision that was pushed last, except those
   * that wait for `resolve`.
   */
  public async untilReady(): Promise<void> {
    const [
      {
        status: {
          artifact: { revision },
        },
      },
    ] = await listed(this.client, SOURCES, 'GitRepository');
    await this.until('has delivered everything', (all) => {
      const held = heldBack(all, isUnresolved);
      return all.every(
        (each) =>
          held.has(each.metadata.name) ||
          (readyOf(each).status === 'True' &&
            each.status?.lastAppliedRevision === revision &&
            each.status?.observedGeneration === each.metadata.generation),
      );
    });
  }

  /**
   * Waits until Flux cannot deliver a Kustomization, and until all that do not need it are
   * delivered. Returns what it then reports of each.
   */
  public async untilFailed(name: string): Promise<Ready[]> {
    return this.until(`fails to deliver ${name}`, (all) => {
      const held = heldBack(all, (each) => each.metadata.name === name || isUnresolved(each));
      return (
        all
          .map(readyOf)
          .some((ready) => ready.name === name && ready.reason === 'ReconciliationFailed') &&
        all.every((each) =>
          held.has(each.metadata.name)
            ? readyOf(each).status === 'False'
            : readyOf(each).status === 'True',
        )
      );
    });
  }

  /** What Flux reports of each Kustomization now. */
  public async ready(): Promise<Ready[]> {
    return (await this.kustomizations()).map(readyOf);
  }

  /** What Flux wrote to the cluster of a kind since the last time that this was forgotten. */
  public writes(kind: ClusterKind): string[] {
    return this.requests[kind].writes;
  }

  public forgetWrites(): void {
    Object.values(this.requests).forEach((requests) => requests.forget());
  }

  /** Everything that the controller logged. */
  public get log(): string {
    return this.controller.text;
  }

  /** The messages of its events, the oldest first. */
  public async events(): Promise<string[]> {
    const events = await listed(this.client, 'v1', 'Event', FLUX_NAMESPACE);
    return events.map(({ message }) => message as string);
  }

  private async kustomizations(): Promise<Live[]> {
    return listed(this.client, KUSTOMIZATIONS, 'Kustomization');
  }

  private async until(
    what: string,
    condition: (all: readonly Live[]) => boolean,
  ): Promise<Ready[]> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const all = await this.kustomizations();
      if (condition(all)) {
        return all.map(readyOf);
      }
      this.controller.assertRunning();
      if (Date.now() > deadline) {
        throw new Error(
          `waited ${TIMEOUT_MS / 1000} s until Flux ${what}\n${JSON.stringify(all.map(readyOf), undefined, 2)}\n${this.controller.lastLines(20)}`,
        );
      }
      await sleep(100);
    }
  }
}

function readyOf({ metadata: { name }, status: all }: Live): Ready {
  const conditions = (all?.conditions ?? []) as (Ready & { readonly type: string })[];
  const {
    status = 'Unknown',
    reason = '',
    message = '',
  } = conditions.find(({ type }) => type === 'Ready') ?? {};
  return { name, status, reason, message };
}

function isWaiting(kustomization: Live): boolean {
  return readyOf(kustomization).reason === 'DependencyNotReady';
}

/** Whether its folder is not there, since `resolve` has not written it yet. */
function isUnresolved(kustomization: Live): boolean {
  return readyOf(kustomization).message.includes('path not found');
}

/** The names of some Kustomizations, and of all that depend on them. */
function heldBack(
  all: readonly Live[],
  isHeld: (kustomization: Live) => boolean,
): ReadonlySet<string> {
  const held = new Set(all.filter(isHeld).map(({ metadata: { name } }) => name));
  const dependents = inverted(
    all.flatMap(({ metadata: { name }, spec }) =>
      ((spec as { dependsOn?: { name: string }[] }).dependsOn ?? []).map(
        (other) => [name, other.name] as const,
      ),
    ),
  );
  return reach(held, (name) => dependents.get(name) ?? []);
}
