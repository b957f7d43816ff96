import { ClientRequest, IncomingMessage } from 'node:http';
import * as https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { Manifest, groupOf } from '../../src/core/manifest/manifest';

/** The manager under which the tests own fields, the same that `cdk8s-harvester apply` uses. */
export const FIELD_MANAGER = 'cdk8s-harvester';

/** How to reach an API server as a cluster admin. */
export interface Connection {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

/** What an API server answered. */
export interface Answer {
  readonly status: number;
  // the server's objects are looked into at will
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
  /** The texts of the Warning headers. */
  readonly warnings: string[];
}

export interface RequestOptions {
  readonly query?: { readonly [name: string]: string };
  readonly body?: unknown;
  readonly contentType?: string;
  /** Who asks, by impersonation. @default - the user of the token */
  readonly as?: Impersonated;
}

/** A user that a cluster admin impersonates. */
export interface Impersonated {
  readonly user: string;
  readonly group: string;
}

/** One change of an object, as a watch reports it. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly object: Manifest & { readonly [field: string]: any };
}

/** What names an object on a server. */
export type ObjectRef = Pick<Manifest, 'apiVersion' | 'kind'> & {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly [field: string]: unknown;
  };
};

/** No definition of the kind is installed. */
export class UnknownKindError extends Error {}

interface ResourceType {
  readonly plural: string;
  readonly namespaced: boolean;
}

/**
 * A small Kubernetes client: what it sends is what the tests say, and what comes back is shown
 * whole, errors and warnings alike.
 */
export class Client {
  private readonly agent: https.Agent;
  private readonly discovered = new Map<string, Promise<Map<string, ResourceType>>>();

  public constructor(private readonly connection: Connection) {
    this.agent = new https.Agent({ ca: connection.ca, keepAlive: true, maxSockets: 8 });
  }

  public async get(path: string): Promise<Answer> {
    return this.request('GET', path);
  }

  public async read(object: ObjectRef): Promise<Answer> {
    return this.get(await this.pathOf(object));
  }

  /** Lists the objects of a kind, in one namespace or in all. */
  public async list(apiVersion: string, kind: string, namespace?: string): Promise<Answer> {
    const { plural } = await this.resourceType(apiVersion, kind);
    return this.get(resourcePath(apiVersion, plural, namespace));
  }

  /** Server-side apply with strict validation; never takes a field from another manager. */
  public async apply(object: ObjectRef): Promise<Answer> {
    return this.request('PATCH', await this.pathOf(object), {
      query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', force: 'false' },
      // JSON is YAML
      contentType: 'application/apply-patch+yaml',
      body: object,
    });
  }

  public async delete(object: ObjectRef): Promise<Answer> {
    return this.request('DELETE', await this.pathOf(object), {
      query: { propagationPolicy: 'Background' },
    });
  }

  /** The path of an object; throws where the server knows no such kind. */
  public async pathOf(object: ObjectRef): Promise<string> {
    const { plural, namespaced } = await this.resourceType(object.apiVersion, object.kind);
    const namespace = object.metadata.namespace ?? (namespaced ? 'default' : undefined);
    return `${resourcePath(object.apiVersion, plural, namespaced ? namespace : undefined)}/${encodeURIComponent(object.metadata.name)}`;
  }

  /**
   * Calls back for every object of a kind as it is now, then for each change, in the order of the
   * server. A watch that the server ends is begun again.
   *
   * @returns ends it
   */
  public async watch(
    apiVersion: string,
    kind: string,
    onEvent: (event: WatchEvent) => void,
  ): Promise<() => void> {
    const { plural } = await this.resourceType(apiVersion, kind);
    const path = resourcePath(apiVersion, plural);
    const { body } = await this.listed(path);
    for (const item of body.items) {
      onEvent({ type: 'ADDED', object: { ...item, apiVersion, kind } });
    }
    let [version, stopped, request] = [
      body.metadata.resourceVersion as string,
      false,
      undefined as ClientRequest | undefined,
    ];
    const open = (): void => {
      if (stopped) {
        return;
      }
      const url = new URL(
        `${path}?watch=1&allowWatchBookmarks=true&resourceVersion=${version}`,
        this.connection.url,
      );
      // a separate connection, since it remains open
      request = https.request(
        url,
        {
          headers: { authorization: `Bearer ${this.connection.token}` },
          ca: this.connection.ca,
          agent: false,
        },
        (response) => {
          let rest = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            const lines = (rest + chunk).split('\n');
            rest = lines.pop()!;
            for (const event of lines.map((line) => JSON.parse(line) as WatchEvent)) {
              version = (event.object.metadata?.resourceVersion as string | undefined) ?? version;
              if (!stopped && ['ADDED', 'MODIFIED', 'DELETED'].includes(event.type)) {
                onEvent(event);
              }
            }
          });
          response.on('error', () => undefined);
          response.once('close', open);
        },
      );
      request.once('error', () => {
        if (!stopped) {
          setTimeout(open, 50).unref();
        }
      });
      request.end();
    };
    open();
    return () => {
      stopped = true;
      request?.destroy();
    };
  }

  public async isNamespaced(object: ObjectRef): Promise<boolean> {
    return (await this.resourceType(object.apiVersion, object.kind)).namespaced;
  }

  public async serves(apiVersion: string, kind: string): Promise<boolean> {
    return (
      (await this.types(apiVersion)).has(kind) || (await this.types(apiVersion, true)).has(kind)
    );
  }

  public async request(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer> {
    const url = new URL(path, this.connection.url);
    Object.entries(options.query ?? {}).forEach(([name, value]) =>
      url.searchParams.set(name, value),
    );
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    const headers = {
      authorization: `Bearer ${this.connection.token}`,
      accept: 'application/json',
      ...(options.as && {
        'impersonate-user': options.as.user,
        'impersonate-group': options.as.group,
      }),
      ...(body !== undefined && {
        'content-type': options.contentType ?? 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    };
    return new Promise((resolve, reject) => {
      // the server closes a connection that was idle; what only reads can be asked once more
      const onError = (error: NodeJS.ErrnoException): void =>
        method === 'GET' && request.reusedSocket && error.code === 'ECONNRESET'
          ? resolve(this.request(method, path, options))
          : reject(error);
      const request = https.request(url, { method, headers, agent: this.agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode!,
            body: bodyOf(response, Buffer.concat(chunks).toString('utf8')),
            warnings: (response.headersDistinct.warning ?? []).map(warningText),
          }),
        );
      });
      request.on('error', onError);
      request.end(body);
    });
  }

  /** A kind that was defined a moment ago may not be served yet. */
  private async listed(path: string): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const answer = await this.get(path);
      if (answer.status === 200) {
        return answer;
      }
      if (tries === 50) {
        throw new Error(`${path}: ${answer.status} ${answer.body?.message}`);
      }
      await sleep(100);
    }
  }

  private async resourceType(apiVersion: string, kind: string): Promise<ResourceType> {
    // a definition may have been installed since we last asked
    const type =
      (await this.types(apiVersion)).get(kind) ?? (await this.types(apiVersion, true)).get(kind);
    if (!type) {
      throw new UnknownKindError(`the server knows no kind "${kind}" in version "${apiVersion}"`);
    }
    return type;
  }

  private async types(apiVersion: string, refresh = false): Promise<Map<string, ResourceType>> {
    if (refresh || !this.discovered.has(apiVersion)) {
      this.discovered.set(apiVersion, this.discover(apiVersion));
    }
    return this.discovered.get(apiVersion)!;
  }

  private async discover(apiVersion: string): Promise<Map<string, ResourceType>> {
    const { status, body } = await this.get(versionPath(apiVersion));
    const resources: { name: string; kind: string; namespaced: boolean }[] =
      status === 200 ? body.resources : [];
    return new Map(
      resources
        // the others are subresources such as pods/log
        .filter((resource) => !resource.name.includes('/'))
        .map((resource) => [
          resource.kind,
          { plural: resource.name, namespaced: resource.namespaced },
        ]),
    );
  }
}

function versionPath(apiVersion: string): string {
  return groupOf(apiVersion) ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

function resourcePath(apiVersion: string, plural: string, namespace?: string): string {
  return `${versionPath(apiVersion)}/${namespace ? `namespaces/${namespace}/` : ''}${plural}`;
}

/** Health checks answer in plain text. */
function bodyOf({ headers }: IncomingMessage, text: string): unknown {
  return headers['content-type']?.startsWith('application/json') ? JSON.parse(text) : text;
}

/** `299 - "text"`, with quotes and backslashes of the text escaped. */
function warningText(header: string): string {
  const quoted = /^\d{3} \S+ "((?:[^"\\]|\\.)*)"/.exec(header);
  return quoted ? quoted[1].replace(/\\(.)/g, '$1') : header;
}
