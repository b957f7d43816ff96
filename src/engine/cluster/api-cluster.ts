import { ApplyAnswer, ApplyOptions, Cluster, JsonPatchOperation, LiveObject, ObjectRef, RequestOptions } from './cluster';
import { Manifest, groupOf, isRecord } from '../../core/manifest/manifest';
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

/** How many objects a page of a list holds. */
const PAGE = 500;

/** A list that changes faster than it can be read is given up after so many beginnings. */
const MAX_RESTARTS = 5;

/** A Kubernetes API reached by a transport: `new ApiCluster(new NodeTransport(connection))`. */
export class ApiCluster implements Cluster {
  private readonly discovery: Discovery;

  public constructor(private readonly transport: Transport) {
    this.discovery = new Discovery(transport);
  }

  public async read(ref: ObjectRef, options: RequestOptions = {}): Promise<LiveObject | undefined> {
    const kind = await this.discovery.kind(ref.apiVersion, ref.kind, options);
    if (!kind) { return undefined; }
    try {
      return await this.get(pathOf(ref, kind), options);
    } catch (error) {
      // the kind may have gone since it was discovered, which is a 404 as well
      if (isStatus(error, 404) && (error.failure === 'not-found' || error.failure === 'blocked')) { return undefined; }
      throw error;
    }
  }

  public async list(
    apiVersion: string, kind: string, options: RequestOptions & { readonly namespace?: string; readonly labelSelector?: string } = {},
  ): Promise<LiveObject[]> {
    const { namespace, labelSelector, ...request } = options;
    const served = await this.discovery.kind(apiVersion, kind, request);
    if (!served) { return []; }
    const path = listPath(apiVersion, served, namespace);
    for (let restarts = 0; ; restarts++) {
      try {
        return await this.pages(path, { limit: String(PAGE), ...(labelSelector ? { labelSelector } : {}) }, apiVersion, kind, request);
      } catch (error) {
        // what was read so far is too old for the server to go on from
        if (!isStatus(error, 410) || restarts >= MAX_RESTARTS) { throw error; }
      }
    }
  }

  /** `created` is what the server says: an answer that got lost on its way and is asked for again no longer says so. */
  public async apply(manifest: Manifest, options: ApplyOptions): Promise<ApplyAnswer> {
    const { fieldManager, dryRun, force, ...request } = options;
    const { apiVersion, kind, metadata: { namespace, name } } = manifest;
    const served = await this.discovery.kind(apiVersion, kind, request);
    if (!served) {
      throw new ApiError('blocked', `the server knows no kind ${kind} in ${apiVersion}: its definition (CRD) is not there yet, or what brings it is not installed`, 404, 'NotFound');
    }
    const { status, body, warnings } = await this.transport.request({
      method: 'PATCH',
      path: pathOf({ apiVersion, kind, namespace, name }, served),
      query: { fieldManager, fieldValidation: 'Strict', force: String(force ?? false), ...(dryRun ? { dryRun: 'All' } : {}) },
      // JSON is YAML
      contentType: 'application/apply-patch+yaml',
      body: manifest,
      ...request,
    });
    return { object: body, created: status === 201, warnings };
  }

  public async patch(
    ref: ObjectRef, operations: readonly JsonPatchOperation[], options: RequestOptions & { readonly fieldManager: string },
  ): Promise<LiveObject> {
    const { fieldManager, ...request } = options;
    const kind = await this.discovery.kind(ref.apiVersion, ref.kind, request);
    if (!kind) { throw new ApiError('not-found', `the server knows no kind ${ref.kind} in ${ref.apiVersion}`, 404, 'NotFound'); }
    try {
      const { body } = await this.transport.request({
        method: 'PATCH',
        path: pathOf(ref, kind),
        query: { fieldManager, fieldValidation: 'Strict' },
        contentType: 'application/json-patch+json',
        body: operations,
        ...request,
      });
      return body;
    } catch (error) {
      // all that a server says of a test that fails
      if (!isStatus(error, 422) || !error.message.includes('the server rejected our request due to an error in our request')) { throw error; }
      throw new ApiError('blocked', `${ref.kind} ${ref.name} was written by somebody else at the same time: it is looked at again`, error.status, error.reason);
    }
  }

  public async delete(ref: ObjectRef, uid: string, options: RequestOptions = {}): Promise<void> {
    const kind = await this.discovery.kind(ref.apiVersion, ref.kind, options);
    if (!kind) { return; }
    try {
      await this.transport.request({
        method: 'DELETE',
        path: pathOf(ref, kind),
        body: { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', preconditions: { uid } },
        ...options,
      });
    } catch (error) {
      // a Namespace that is going answers a second deletion with a conflict
      if (isStatus(error, 404) || (isStatus(error, 409) && error.failure === 'blocked')) { return; }
      throw error;
    }
  }

  public async kind(apiVersion: string, kind: string, options: RequestOptions = {}): Promise<ServedKind | undefined> {
    return this.discovery.kind(apiVersion, kind, options);
  }

  public async get(path: string, options: RequestOptions = {}): Promise<any> {
    return (await this.transport.request({ method: 'GET', path, ...options })).body;
  }

  public async review(apiVersion: string, kind: string, spec: object, options: RequestOptions = {}): Promise<any> {
    const { body } = await this.transport.request({
      method: 'POST', path: `${versionPath(apiVersion)}/${segment(`${kind.toLowerCase()}s`)}`, body: { apiVersion, kind, spec }, ...options,
    });
    return body.status;
  }

  public close(): void {
    this.transport.close();
  }

  private async pages(
    path: string, query: { readonly [name: string]: string }, apiVersion: string, kind: string, request: RequestOptions,
  ): Promise<LiveObject[]> {
    const objects: LiveObject[] = [];
    for (let next: string | undefined = ''; next !== undefined;) {
      const { body } = await this.transport.request({ method: 'GET', path, query: { ...query, ...(next === '' ? {} : { continue: next }) }, ...request });
      // the items of a list do not say what they are
      for (const item of body.items ?? []) { objects.push({ ...item, apiVersion, kind }); }
      next = body.metadata?.continue || undefined;
    }
    return objects;
  }
}

function pathOf({ apiVersion, namespace, name }: ObjectRef, kind: ServedKind): string {
  return `${listPath(apiVersion, kind, kind.namespaced ? namespace ?? 'default' : undefined)}/${segment(name)}`;
}

function listPath(apiVersion: string, { plural, namespaced }: ServedKind, namespace?: string): string {
  return `${versionPath(apiVersion)}/${namespaced && namespace !== undefined ? `namespaces/${segment(namespace)}/` : ''}${segment(plural)}`;
}

function isStatus(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.status === status;
}
