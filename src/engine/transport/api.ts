import { MissingObject } from '../../core/kind/description/refusals';

declare global {
  // both come from Node's types or from those of browsers, and a program may have neither
  /* eslint-disable @typescript-eslint/no-empty-object-type */
  interface AbortSignal {}
  interface URL {}
  /* eslint-enable @typescript-eslint/no-empty-object-type */
}

/** A body that is sent piece by piece. */
export interface StreamedBody {
  /** Its bytes. */
  readonly length: number;
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** One request to a Kubernetes API. */
export interface ApiRequest {
  readonly method: 'GET' | 'PATCH' | 'POST' | 'PUT' | 'DELETE';
  /** The path below the server's own one, e.g. `/api/v1/namespaces`. */
  readonly path: string;
  readonly query?: { readonly [name: string]: string };
  readonly body?: unknown;
  /** A body that is not kept in memory, in place of `body`. The request is not retried. */
  readonly stream?: StreamedBody;
  /** @default 'application/json' */
  readonly contentType?: string;
  /** Aborts the request and its retries. */
  readonly signal?: AbortSignal;
  /**
   * When retries of transient failures end, on the monotonic clock of the process.
   * @default - the transport's limit
   */
  readonly deadlineMs?: number;
}

/** An answer with a status below 300. */
export interface ApiResponse {
  readonly status: number;
  readonly body: any;
  /** The server's Warning headers, without their code. */
  readonly warnings: readonly string[];
}

/** The class of an error, which alone decides how it is handled. */
export type FailureClass =
  /** The network failed or the server is busy: retries failed, too. */
  | 'transient'
  /**
   * A dependency does not exist yet, or is being deleted: a later retry may help (webhook down,
   * namespace terminating, kind unknown).
   */
  | 'blocked'
  /** The credentials were rejected. */
  | 'auth'
  /** 403. */
  | 'forbidden'
  /** 404 of an object. */
  | 'not-found'
  /** 409 of server-side apply: other field managers own these fields. */
  | 'conflict'
  /** 409 of a precondition: the object was recreated. */
  | 'precondition'
  /** 400 and 422, and refusals of webhooks. */
  | 'invalid'
  /** TLS failed, or the URL is not a Kubernetes API. */
  | 'connection'
  /** Aborted by the caller. */
  | 'aborted';

/** Failures that mean that a server does not answer access reviews. */
export const NO_ANSWER: readonly FailureClass[] = ['forbidden', 'not-found', 'blocked', 'invalid'];

/** A field that another field manager owns. */
export interface FieldConflict {
  readonly manager: string;
  readonly field: string;
}

/** The failure of a request to a Kubernetes API. Its message contains no sent secret. */
export class ApiError extends Error {
  public constructor(
    public readonly failure: FailureClass,
    message: string,
    public readonly status?: number,
    public readonly reason?: string,
    public readonly conflicts: readonly FieldConflict[] = [],
    /** The missing object, if the failure passes once the same program creates it. */
    public readonly missing?: MissingObject,
  ) {
    super(message);
    this.name = 'ApiError';
  }

  /** The same error with its place. */
  public at(place: string): ApiError {
    return this.saying(`${place}: ${this.message}`);
  }

  /** The same error with another message. */
  public saying(message: string): ApiError {
    return new ApiError(
      this.failure,
      message,
      this.status,
      this.reason,
      this.conflicts,
      this.missing,
    );
  }
}

/** Whether an error is a failure of one of these classes. */
export function isFailure(error: unknown, ...classes: readonly FailureClass[]): error is ApiError {
  return error instanceof ApiError && classes.includes(error.failure);
}

/** For `catch` of a request: answers failures of some classes, and throws all other errors. */
export function onFailure<T>(
  classes: readonly FailureClass[],
  answer: (error: ApiError) => T,
): (error: unknown) => T {
  return (error) => {
    if (isFailure(error, ...classes)) {
      return answer(error);
    }
    throw error;
  };
}

/** An error with another message, of the same class. */
export function reworded(error: unknown, message: string): Error {
  return error instanceof ApiError ? error.saying(message) : new Error(message);
}

/** Sends requests to one Kubernetes API. */
export interface Transport {
  /**
   * Sends a request and retries transient failures; all requests are idempotent. Throws an
   * ApiError.
   */
  request(request: ApiRequest): Promise<ApiResponse>;
  /** Closes idle connections. */
  close(): void;
}

/** The credentials of a request. */
export interface Credentials {
  readonly headers: { readonly [name: string]: string };
  /** PEM of a client certificate and its key. */
  readonly cert?: string;
  readonly key?: string;
}

/**
 * How one Kubernetes API is reached. Each context has its own, so that credentials never reach
 * another server.
 */
export interface Connection {
  /** Its origin, for messages: the name of a context, or of a Secret. */
  readonly name: string;
  /**
   * May have a path, e.g. of Rancher's proxy: `https://rancher.example.com/k8s/clusters/c-m-abc`.
   */
  readonly server: URL;
  /** Certificate authority in PEM. @default - the authorities of the system */
  readonly ca?: string;
  /** Host name of the certificate. @default - the host of the server */
  readonly tlsServerName?: string;
  /** Do not verify certificates: only if the user requests that for this target. */
  readonly insecureSkipTlsVerify?: boolean;
  /** An HTTP proxy to reach the server through, by CONNECT. */
  readonly proxy?: URL;
  /**
   * Returns the credentials of each request; with `refresh` after a 401, so that exec plugins and
   * token files return new ones.
   */
  readonly credentials: (refresh: boolean) => Promise<Credentials>;
}
