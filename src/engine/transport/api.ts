import { MissingObject } from '../../core/kind/kind';
/** One request to a Kubernetes API. */
export interface ApiRequest {
  readonly method: 'GET' | 'PATCH' | 'POST' | 'PUT' | 'DELETE';
  /** Below the server's own path, e.g. `/api/v1/namespaces`. */
  readonly path: string;
  readonly query?: { readonly [name: string]: string };
  readonly body?: unknown;
  /** @default 'application/json' */
  readonly contentType?: string;
  /** Ends the request and its retries. */
  readonly signal?: AbortSignal;
  /** Until when transient failures are tried again, on the monotonic clock of the process. @default - the transport's own */
  readonly deadlineMs?: number;
}

/** An answer with a status below 300. */
export interface ApiResponse {
  readonly status: number;
  readonly body: any;
  /** The server's Warning headers, without their code. */
  readonly warnings: readonly string[];
}

/** What kind of failure an error is: what to do about it depends on this alone. */
export type FailureClass =
  /** The network or a server that is busy: was tried again, in vain. */
  | 'transient'
  /** What is asked for is not there yet, or going: trying later may help (webhook down, namespace terminating, kind unknown). */
  | 'blocked'
  /** Not known, or no longer. */
  | 'auth'
  /** 403. */
  | 'forbidden'
  /** 404 of an object. */
  | 'not-found'
  /** 409 of server-side apply: another manager has these fields. */
  | 'conflict'
  /** 409 of a precondition: another object has the name by now. */
  | 'precondition'
  /** 400 and 422, and what a webhook refuses. */
  | 'invalid'
  /** TLS, or no Kubernetes API behind the URL. */
  | 'connection'
  /** Ended by us. */
  | 'aborted';

/** A field that another manager has. */
export interface FieldConflict {
  readonly manager: string;
  readonly field: string;
}

/** What a Kubernetes API, or the way to it, answered instead of what was asked for. Its message holds no secret that we sent. */
export class ApiError extends Error {
  public constructor(
    public readonly failure: FailureClass,
    message: string,
    public readonly status?: number,
    public readonly reason?: string,
    public readonly conflicts: readonly FieldConflict[] = [],
    /** What is missing, where the failure heals as soon as the same program makes that. */
    public readonly missing?: MissingObject,
  ) {
    super(message);
    this.name = 'ApiError';
  }

  /** The same with where it happened: what is done about it depends on its class. */
  public at(place: string): ApiError {
    return this.saying(`${place}: ${this.message}`);
  }

  /** The same in other words. */
  public saying(message: string): ApiError {
    return new ApiError(this.failure, message, this.status, this.reason, this.conflicts, this.missing);
  }
}

/** An error in other words, still of its class where it has one. */
export function reworded(error: unknown, message: string): Error {
  return error instanceof ApiError ? error.saying(message) : new Error(message);
}

/** The way to one Kubernetes API. */
export interface Transport {
  /** Throws an ApiError. Retries transient failures; idempotent requests only are ever sent. */
  request(request: ApiRequest): Promise<ApiResponse>;
  /** Ends idle connections. */
  close(): void;
}

/** What a request is signed with. */
export interface Credentials {
  readonly headers: { readonly [name: string]: string };
  /** PEM of a client certificate and its key. */
  readonly cert?: string;
  readonly key?: string;
}

/**
 * How one Kubernetes API is reached: one for each context, never shared, so that no credential goes to another server.
 */
export interface Connection {
  /** Where it comes from, for people: the name of a context, or of a Secret. */
  readonly name: string;
  /** May have a path, e.g. of Rancher's proxy: `https://rancher.example.com/k8s/clusters/c-m-abc`. */
  readonly server: URL;
  /** PEM; the authorities of the system where it is undefined. */
  readonly ca?: string;
  /** The name that the certificate is checked for, where it is not the server's. */
  readonly tlsServerName?: string;
  /** Certificates are not checked. Only where the user asked for this very target. */
  readonly insecureSkipTlsVerify?: boolean;
  /** An HTTP proxy to reach the server through, by CONNECT. */
  readonly proxy?: URL;
  /** Asked before every request; with `refresh` after a 401: exec plugins and token files give a new one. */
  readonly credentials: (refresh: boolean) => Promise<Credentials>;
}
