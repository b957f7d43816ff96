import { setTimeout as sleep } from 'node:timers/promises';
import { LOGIN, PASSWORD, secretOfKnownPassword } from './logins';
import { askRancher } from './rancher-api';
import { Tried } from './witness';
import { Manifest } from '../../../../src/core/manifest/manifest';
import { GROUPS } from '../../../../src/core/manifest/names';
import { Cluster, refOf } from '../../../../src/engine/cluster/cluster';
import { ApiError } from '../../../../src/engine/transport/api';
import { Change } from '../changes';
import { FIELD_MANAGER } from '../verdict';

/** Settings that Rancher reads whenever it creates a token. @see rancher/rancher:pkg/auth/tokens/manager.go (2.15.0) */
const READ_FOR_TOKENS = ['auth-token-max-ttl-minutes', 'kubeconfig-default-token-ttl-minutes'];

/** How long Rancher's cache of settings and users may lag behind. */
const CACHE_MS = 1_500;

/** Creates the token of a kubeconfig, whose lifetime both settings decide. */
const RESPONSE = 'kubeconfig';

/**
 * Tries settings about the lifetime of tokens: sets one for a moment, and asks for a token as a
 * user of its own. No one else gets a token then, so only a Rancher that no one else uses is asked.
 */
export class TokenSettings {
  private isReady = false;

  /** @param name of the user that asks for tokens */
  public constructor(
    private readonly cluster: Cluster,
    private readonly serverUrl: string,
    private readonly name: string,
  ) {}

  public tells({ kind, metadata }: Manifest): boolean {
    return kind === 'Setting' && READ_FOR_TOKENS.includes(metadata.name);
  }

  public async of(object: Manifest, changes: readonly Change[]): Promise<Tried> {
    const tried = new Map<string, string | undefined>();
    const live = await this.cluster.read(refOf(object));
    await this.begin();
    // only a value is tried, and only where the user gets a token without the change
    const valued = changes.filter(({ manifest }) => typeof manifest.value === 'string');
    if (live === undefined || (await this.answer()) >= 300) {
      return tried;
    }
    try {
      for (const { what, manifest } of valued) {
        tried.set(what, await this.failureOf(manifest));
      }
    } finally {
      await this.set({ ...nameOf(object), value: live.value ?? '' });
    }
    return tried;
  }

  public async end(): Promise<void> {
    for (const object of [secretOfKnownPassword(this.name), this.user()]) {
      const live = await this.cluster.read(refOf(object));
      await (live && this.cluster.delete(refOf(object), live.metadata.uid));
    }
  }

  private async begin(): Promise<void> {
    if (this.isReady) {
      return;
    }
    await this.set(this.user());
    await this.set(secretOfKnownPassword(this.name));
    this.isReady = true;
  }

  private async failureOf(changed: Manifest): Promise<string | undefined> {
    try {
      await this.set({ ...nameOf(changed), value: changed.value });
    } catch (error) {
      if (!(error instanceof ApiError)) {
        throw error;
      }
      return error.message;
    }
    const status = await this.answer();
    return status >= 300 ? `no token is created: ${status}` : undefined;
  }

  private async set(object: Manifest): Promise<void> {
    await this.cluster.apply(object, { fieldManager: FIELD_MANAGER, force: true });
    await sleep(CACHE_MS);
  }

  private async answer(): Promise<number> {
    const body = { username: this.name, password: PASSWORD, responseType: RESPONSE };
    return (await askRancher(`${this.serverUrl}${LOGIN}`, body)).status;
  }

  private user(): Manifest {
    return {
      apiVersion: `${GROUPS.MANAGEMENT}/v3`,
      kind: 'User',
      metadata: { name: this.name },
      username: this.name,
    } as Manifest;
  }
}

function nameOf({ apiVersion, kind, metadata: { name } }: Manifest): Manifest {
  return { apiVersion, kind, metadata: { name } };
}
