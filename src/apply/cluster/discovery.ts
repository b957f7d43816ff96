import { RequestOptions } from './cluster';
import { groupOf, isRecord } from '../../model/manifest';
import { ApiError, Transport } from '../transport/api';

/** A kind as an API serves it. */
export interface ServedKind {
  readonly namespaced: boolean;
  readonly plural: string;
}

/** So often at most it is looked for again where a kind is missing: many may wait for the same definition. */
const REFRESH_MS = 500;

/**
 * What kinds an API serves, read by group version when first needed; so groups that fail and are not needed do no harm.
 */
export class Discovery {
  private readonly versions = new Map<string, { readonly at: number; readonly kinds: Promise<ReadonlyMap<string, ServedKind>> }>();

  public constructor(private readonly transport: Transport) {}

  /** Undefined where the API does not serve it. */
  public async kind(apiVersion: string, kind: string, options: RequestOptions = {}): Promise<ServedKind | undefined> {
    const known = await this.kinds(apiVersion, options);
    return known.get(kind) ?? (await this.kinds(apiVersion, options, REFRESH_MS)).get(kind);
  }

  private async kinds(apiVersion: string, options: RequestOptions, olderThanMs = Infinity): Promise<ReadonlyMap<string, ServedKind>> {
    const known = this.versions.get(apiVersion);
    if (known && performance.now() - known.at < olderThanMs) { return known.kinds; }
    const kinds = this.read(apiVersion, options);
    this.versions.set(apiVersion, { at: performance.now(), kinds });
    try {
      return await kinds;
    } catch (error) {
      // a failure is no knowledge; what was known before still is
      const current = this.versions.get(apiVersion);
      if (current?.kinds === kinds) {
        if (known) { this.versions.set(apiVersion, known); } else { this.versions.delete(apiVersion); }
      }
      // somebody else's abort is not ours
      if (error instanceof ApiError && error.failure === 'aborted' && !options.signal?.aborted) { return this.kinds(apiVersion, options, olderThanMs); }
      throw error;
    }
  }

  private async read(apiVersion: string, options: RequestOptions): Promise<ReadonlyMap<string, ServedKind>> {
    try {
      const { body } = await this.transport.request({ method: 'GET', path: versionPath(apiVersion), ...options });
      const resources: unknown[] = isRecord(body) && Array.isArray(body.resources) ? body.resources : [];
      return new Map(resources.filter(isRecord)
        // the others are subresources such as pods/log
        .filter(({ name, kind }) => typeof name === 'string' && typeof kind === 'string' && !name.includes('/'))
        .map(({ name, kind, namespaced }) => [kind as string, { plural: name as string, namespaced: namespaced === true }]));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) { return new Map(); }
      throw error;
    }
  }
}

/** Where the resources of a group version are. */
export function versionPath(apiVersion: string): string {
  return groupOf(apiVersion) === '' ? `/api/${segment(apiVersion)}` : `/apis/${apiVersion.split('/').map(segment).join('/')}`;
}

/** One part of a path, exactly as it is named. */
export function segment(name: string): string {
  if (name === '' || name === '.' || name === '..') {
    throw new ApiError('invalid', `${JSON.stringify(name)} is no name: it would be another path`);
  }
  return encodeURIComponent(name);
}
