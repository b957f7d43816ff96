import {
  ApplyAnswer,
  ApplyRequest,
  Cluster,
  JsonPatchOperation,
  LiveObject,
  ObjectRef,
  RequestOptions,
  Upload,
} from './cluster';
import { Manifest, groupOf, isRecord, itemsAt } from '../../core/manifest/manifest';
import { ApiError, Transport } from '../transport/api';
import { Clock, PROCESS_CLOCK } from '../transport/pace';

/** A kind as an API serves it. */
interface ServedKind {
  readonly namespaced: boolean;
  readonly plural: string;
}

/** The kinds of a group version by name, and when they were asked for. */
interface ServedVersion {
  readonly at: number;
  readonly kinds: Promise<ReadonlyMap<string, ServedKind>>;
}

/**
 * Minimum interval between reads for a missing kind: many objects may wait for the same definition.
 */
const REFRESH_MS = 500;

/**
 * The kinds that an API serves, read by group version on first use, so that failing groups that are
 * not needed do no harm.
 */
class Discovery {
  private readonly versions = new Map<string, ServedVersion>();

  public constructor(
    private readonly transport: Transport,
    private readonly clock: Clock,
  ) {}

  /** The kind; undefined if the API does not serve it. */
  public async kind(
    apiVersion: string,
    kind: string,
    options: RequestOptions = {},
  ): Promise<ServedKind | undefined> {
    const known = await this.kinds(apiVersion, options);
    return known.get(kind) ?? (await this.kinds(apiVersion, options, REFRESH_MS)).get(kind);
  }

  private async kinds(
    apiVersion: string,
    options: RequestOptions,
    olderThanMs = Infinity,
  ): Promise<ReadonlyMap<string, ServedKind>> {
    const known = this.versions.get(apiVersion);
    if (known && this.clock.now() - known.at < olderThanMs) {
      return known.kinds;
    }
    const reading: ServedVersion = {
      at: this.clock.now(),
      kinds: this.read(apiVersion, options),
    };
    this.versions.set(apiVersion, reading);
    try {
      return await reading.kinds;
    } catch (error) {
      this.restore(apiVersion, reading, known);
      const isAborted = error instanceof ApiError && error.failure === 'aborted';
      if (isAborted && !options.signal?.aborted) {
        // another caller aborted it
        return this.kinds(apiVersion, options, olderThanMs);
      }
      throw error;
    }
  }

  /** Puts back what was known before a reading failed, unless another one has replaced it. */
  private restore(apiVersion: string, failed: ServedVersion, known?: ServedVersion): void {
    if (this.versions.get(apiVersion) !== failed) {
      return;
    }
    if (known) {
      this.versions.set(apiVersion, known);
    } else {
      this.versions.delete(apiVersion);
    }
  }

  private async read(
    apiVersion: string,
    options: RequestOptions,
  ): Promise<ReadonlyMap<string, ServedKind>> {
    try {
      const { body } = await this.transport.request({
        method: 'GET',
        path: versionPath(apiVersion),
        ...options,
      });
      return servedKinds(body);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) {
        return new Map();
      }
      throw error;
    }
  }
}

/** The kinds that an APIResourceList contains. */
function servedKinds(list: unknown): ReadonlyMap<string, ServedKind> {
  const kinds = new Map<string, ServedKind>();
  for (const { name, kind, namespaced } of itemsAt(list, 'resources').filter(isRecord)) {
    // names with a slash are subresources such as pods/log
    if (typeof name === 'string' && typeof kind === 'string' && !name.includes('/')) {
      kinds.set(kind, { plural: name, namespaced: namespaced === true });
    }
  }
  return kinds;
}

/** The path of a group version. */
function versionPath(apiVersion: string): string {
  return groupOf(apiVersion) === ''
    ? `/api/${segment(apiVersion)}`
    : `/apis/${apiVersion.split('/').map(segment).join('/')}`;
}

/** One segment of a path, escaped. */
function segment(name: string): string {
  if (name === '' || name === '.' || name === '..') {
    throw new ApiError(
      'invalid',
      `${JSON.stringify(name)} is not a valid name: it would change the path`,
    );
  }
  return encodeURIComponent(name);
}

/** Objects per page of a list. */
const PAGE = 500;

/** The message of a server for a JSON patch whose test failed; it has no other one. */
const FAILED_TEST = 'the server rejected our request due to an error in our request';

/** How often a list is restarted that changes faster than it can be read. */
const MAX_RESTARTS = 5;

/** A Kubernetes API behind a transport: `new ApiCluster(new NodeTransport(connection))`. */
export class ApiCluster implements Cluster {
  private readonly discovery: Discovery;

  /** @param clock measures how old discovered kinds are */
  public constructor(
    private readonly transport: Transport,
    clock: Clock = PROCESS_CLOCK,
  ) {
    this.discovery = new Discovery(transport, clock);
  }

  public async read(ref: ObjectRef, options: RequestOptions = {}): Promise<LiveObject | undefined> {
    const kind = await this.discovery.kind(ref.apiVersion, ref.kind, options);
    if (!kind) {
      return undefined;
    }
    try {
      return await this.get(pathOf(ref, kind), options);
    } catch (error) {
      // the kind may have been deleted after its discovery, which is a 404, too
      const isAbsent =
        isStatus(error, 404) && (error.failure === 'not-found' || error.failure === 'blocked');
      if (isAbsent) {
        return undefined;
      }
      throw error;
    }
  }

  public async list(
    apiVersion: string,
    kind: string,
    options: RequestOptions & { readonly namespace?: string; readonly labelSelector?: string } = {},
  ): Promise<LiveObject[]> {
    const { namespace, labelSelector, ...request } = options;
    const served = await this.discovery.kind(apiVersion, kind, request);
    if (!served) {
      return [];
    }
    const path = listPath(apiVersion, served, namespace);
    const query = { limit: String(PAGE), ...(labelSelector ? { labelSelector } : {}) };
    for (let restarts = 0; ; restarts++) {
      try {
        const items = await this.pages(path, query, request);
        // items of a list have no apiVersion and kind
        return items.map((item) => ({ ...item, apiVersion, kind }));
      } catch (error) {
        // the continue token has expired
        if (!isStatus(error, 410) || restarts >= MAX_RESTARTS) {
          throw error;
        }
      }
    }
  }

  /** `created` is the server's answer; after a lost answer, the retry reports false. */
  public async apply(manifest: Manifest, options: ApplyRequest): Promise<ApplyAnswer> {
    const { fieldManager, dryRun, force, ...request } = options;
    const { apiVersion, kind } = manifest;
    const { namespace, name } = manifest.metadata;
    const served = await this.discovery.kind(apiVersion, kind, request);
    if (!served) {
      throw new ApiError(
        'blocked',
        `${unknownKind(apiVersion, kind)}: its definition (CRD) does not exist yet, or the product that installs it is missing`,
        404,
        'NotFound',
      );
    }
    const { status, body, warnings } = await this.transport.request({
      method: 'PATCH',
      path: pathOf({ apiVersion, kind, namespace, name }, served),
      query: {
        fieldManager,
        fieldValidation: 'Strict',
        force: String(force ?? false),
        ...(dryRun ? { dryRun: 'All' } : {}),
      },
      // JSON is YAML
      contentType: 'application/apply-patch+yaml',
      body: manifest,
      ...request,
    });
    return { object: body, created: status === 201, warnings };
  }

  public async patch(
    ref: ObjectRef,
    operations: readonly JsonPatchOperation[],
    options: RequestOptions & { readonly fieldManager: string },
  ): Promise<LiveObject> {
    const { fieldManager, ...request } = options;
    const kind = await this.discovery.kind(ref.apiVersion, ref.kind, request);
    if (!kind) {
      throw new ApiError('not-found', unknownKind(ref.apiVersion, ref.kind), 404, 'NotFound');
    }
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
      if (!isStatus(error, 422) || !error.message.includes(FAILED_TEST)) {
        throw error;
      }
      throw new ApiError(
        'blocked',
        `${ref.kind} ${ref.name} was written by another client at the same time: it is read again`,
        error.status,
        error.reason,
      );
    }
  }

  public async delete(ref: ObjectRef, uid: string, options: RequestOptions = {}): Promise<void> {
    const kind = await this.discovery.kind(ref.apiVersion, ref.kind, options);
    if (!kind) {
      return;
    }
    try {
      await this.transport.request({
        method: 'DELETE',
        path: pathOf(ref, kind),
        body: {
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          propagationPolicy: 'Background',
          preconditions: { uid },
        },
        ...options,
      });
    } catch (error) {
      // a terminating Namespace answers a second deletion with a conflict
      if (isStatus(error, 404) || (isStatus(error, 409) && error.failure === 'blocked')) {
        return;
      }
      throw error;
    }
  }

  public async kind(
    apiVersion: string,
    kind: string,
    options: RequestOptions = {},
  ): Promise<ServedKind | undefined> {
    return this.discovery.kind(apiVersion, kind, options);
  }

  public async get(path: string, options: RequestOptions = {}): Promise<any> {
    const { body } = await this.transport.request({ method: 'GET', path, ...options });
    return body;
  }

  public async upload(
    path: string,
    { query, contentType, ...stream }: Upload,
    options: RequestOptions = {},
  ): Promise<void> {
    await this.transport.request({ method: 'POST', path, query, contentType, stream, ...options });
  }

  public async review(
    apiVersion: string,
    kind: string,
    spec: object,
    options: RequestOptions = {},
  ): Promise<any> {
    const { body } = await this.transport.request({
      method: 'POST',
      path: `${versionPath(apiVersion)}/${segment(`${kind.toLowerCase()}s`)}`,
      body: { apiVersion, kind, spec },
      ...options,
    });
    return body.status;
  }

  public close(): void {
    this.transport.close();
  }

  private async pages(
    path: string,
    query: { readonly [name: string]: string },
    request: RequestOptions,
  ): Promise<any[]> {
    const all: any[] = [];
    let next: string | undefined = '';
    while (next !== undefined) {
      const { body } = await this.transport.request({
        method: 'GET',
        path,
        query: { ...query, ...(next === '' ? {} : { continue: next }) },
        ...request,
      });
      for (const item of body.items ?? []) {
        all.push(item);
      }
      next = body.metadata?.continue || undefined;
    }
    return all;
  }
}

function unknownKind(apiVersion: string, kind: string): string {
  return `the server does not know kind ${kind} in ${apiVersion}`;
}

function pathOf({ apiVersion, namespace, name }: ObjectRef, kind: ServedKind): string {
  const list = listPath(apiVersion, kind, namespace ?? 'default');
  return `${list}/${segment(name)}`;
}

function listPath(
  apiVersion: string,
  { plural, namespaced }: ServedKind,
  namespace?: string,
): string {
  const version = versionPath(apiVersion);
  if (namespaced && namespace !== undefined) {
    return `${version}/namespaces/${segment(namespace)}/${segment(plural)}`;
  }
  return `${version}/${segment(plural)}`;
}

function isStatus(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.status === status;
}
