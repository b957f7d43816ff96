import { Agent } from 'https';
import { answerOf, networkFailureOf } from './answer';
import { ApiError, ApiRequest, ApiResponse, Connection, Credentials, Transport } from './api';
import { DEFAULT_PACE, Gate, Pace, pauseText } from './gate';
import { ProxyAgent, RawAnswer, retryAfterMs, tryOnce } from './https-try';
import { Clock, PROCESS_CLOCK } from './pace';
import { Redactor } from '../../core/secret/redactor';

export interface NodeTransportOptions {
  /** Maximum of concurrent requests. @default 8 */
  readonly workers?: number;
  /** How long an attempt waits for the server, in milliseconds. @default 30_000 */
  readonly tryTimeoutMs?: number;
  /**
   * How long transient failures are retried without a deadline, in milliseconds.
   * @default 120_000
   */
  readonly retryMs?: number;
  /** Maximum of attempts without a deadline; except attempts after requested pauses. @default 8 */
  readonly tries?: number;
  /** @default DEFAULT_PACE */
  readonly pace?: Partial<Pace>;
  /** Receives notices: the server is unavailable or back, or its clock differs. */
  readonly onNotice?: (message: string) => void;
  /**
   * Knows the secrets of the run, so that errors do not contain them. Secrets of a request are
   * masked anyway.
   */
  readonly redactor?: Redactor;
  /** Measures deadlines, pauses and time limits. @default PROCESS_CLOCK */
  readonly clock?: Clock;
  /** Random numbers, for tests. @default Math.random */
  readonly random?: () => number;
}

/** How long transient failures of a request are retried. */
export const RETRY_MS = 120_000;

/** The number of attempts without an answer after which it is reported what a command waits for. */
const NOTICE_AFTER = 3;

/** How long an attempt waits for an answer. */
export const TRY_TIMEOUT_MS = 30_000;

/** How long a server may take for a piece of a streamed body or its answer, and for all of it. */
const STREAM_MS = { SILENT: 10 * 60_000, WHOLE: 24 * 60 * 60_000 } as const;

/** Tolerated difference between the clocks of this machine and a server. */
const MAX_SKEW_MS = 30_000;

/** No request is tried for longer than an object is waited for. */
export function boundsOf(
  timeoutMs: number | undefined,
): Pick<NodeTransportOptions, 'retryMs' | 'tryTimeoutMs'> {
  return timeoutMs === undefined
    ? {}
    : { retryMs: Math.min(timeoutMs, RETRY_MS), tryTimeoutMs: Math.min(timeoutMs, TRY_TIMEOUT_MS) };
}

/**
 * Sends requests to one Kubernetes API over node:https: keeps connections, retries transient
 * failures, and sends credentials nowhere else.
 */
export class NodeTransport implements Transport {
  private readonly agent: Agent;
  private readonly clock: Clock;
  private readonly gate: Gate;
  private readonly pace: Pace;
  private readonly redactor: Redactor;
  private readonly where: string;
  private refreshing?: Promise<Credentials>;
  private clockChecked = false;
  /** Whether a request was given up without an answer, and none has come since. */
  private silent = false;
  /** Whether it was reported that the server does not answer, and no answer has come since. */
  private noticed = false;

  public constructor(
    private readonly connection: Connection,
    private readonly options: NodeTransportOptions = {},
  ) {
    const { server, name, proxy } = connection;
    this.where = `${server.host} (${name})`;
    if (server.protocol !== 'https:') {
      throw new ApiError(
        'connection',
        `${this.where}: must be an https:// URL, got ${server.protocol}//: credentials are never sent in plain text`,
      );
    }
    const workers = options.workers ?? 8;
    const agentOptions = { keepAlive: true, maxSockets: workers, maxFreeSockets: workers };
    this.agent = proxy ? new ProxyAgent(proxy, agentOptions) : new Agent(agentOptions);
    this.pace = { ...DEFAULT_PACE, ...options.pace };
    this.redactor = options.redactor ?? new Redactor();
    this.clock = options.clock ?? PROCESS_CLOCK;
    this.gate = new Gate(
      workers,
      this.pace,
      (message) => options.onNotice?.(`${this.where} ${message}`),
      this.clock,
    );
  }

  public async request(request: ApiRequest): Promise<ApiResponse> {
    const started = this.clock.now();
    const deadline = request.deadlineMs ?? started + (this.options.retryMs ?? RETRY_MS);
    const body =
      request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body), 'utf8');
    let [tries, counted] = [0, 0];
    let refused: Credentials | undefined;
    for (;;) {
      const outcome = await this.attempt(request, body, deadline, refused);
      if (!(outcome instanceof Failed)) {
        return outcome;
      }
      const { error, waitMs, used } = outcome;
      tries++;
      if (error.status === 401 && error.failure === 'auth' && !refused) {
        refused = used;
        continue;
      }
      if (error.failure !== 'transient' || request.stream) {
        throw error;
      }
      if (waitMs === undefined) {
        counted++;
      }
      const jitter =
        (this.options.random ?? Math.random)() *
        Math.min(this.pace.capMs, this.pace.baseMs * 2 ** Math.min(tries, 20));
      const pause = (waitMs ?? 0) + jitter;
      // one request was retried long enough: others try once
      const enough =
        request.deadlineMs === undefined && (counted >= (this.options.tries ?? 8) || this.silent);
      if (enough || this.clock.now() + pause > deadline) {
        this.silent ||= error.status === undefined;
        throw exhausted(error, tries, this.clock.now() - started);
      }
      if (tries === NOTICE_AFTER && error.status === undefined && !this.noticed) {
        this.noticed = true;
        this.options.onNotice?.(`does not answer, trying again: ${error.message}`);
      }
      await this.ended(this.clock.sleep(pause, request.signal));
    }
  }

  public close(): void {
    // a socket in use returns to the agent first, which does not keep the process alive
    for (const sockets of Object.values(this.agent.freeSockets)) {
      sockets?.forEach((socket) => socket.destroy());
    }
  }

  private async attempt(
    request: ApiRequest,
    body: Buffer | undefined,
    deadline: number,
    refused?: Credentials,
  ): Promise<ApiResponse | Failed> {
    if (!(await this.ended(this.gate.enter(request.signal, deadline)))) {
      const { lastFailure } = this.gate;
      const last = lastFailure === '' ? '' : `, the last one: ${lastFailure}`;
      return new Failed(
        new ApiError(
          'transient',
          `${this.where}: no answer in time; requests pause after many failures${last}`,
        ),
      );
    }
    let used: Credentials | undefined;
    try {
      used = await this.credentials(refused);
      const answer = await tryOnce(this.agent, this.connection, used, {
        method: request.method,
        path: this.pathOf(request),
        headers: this.headersOf(request, body),
        body,
        stream: request.stream?.open,
        signal: request.signal,
        clock: this.clock,
        silentMs: request.stream ? STREAM_MS.SILENT : (this.options.tryTimeoutMs ?? TRY_TIMEOUT_MS),
        // one complete attempt, even after the deadline
        totalMs: request.stream
          ? STREAM_MS.WHOLE
          : Math.max(deadline - this.clock.now(), this.options.tryTimeoutMs ?? TRY_TIMEOUT_MS),
      });
      this.silent = false;
      this.noticed = false;
      this.checkClock(answer);
      return this.judged(answer, request, used);
    } catch (error) {
      return this.failed(this.errorOf(error, used), used);
    } finally {
      this.gate.leave();
    }
  }

  private judged(answer: RawAnswer, request: ApiRequest, used: Credentials): ApiResponse | Failed {
    try {
      // created on demand: most answers contain nothing to mask
      const scrub = (words: string): string =>
        this.redactor.with(secretsOf(used)).about(request.body).scrub(words);
      const response = answerOf(answer, request, this.where, scrub);
      this.gate.good();
      return response;
    } catch (error) {
      return this.failed(error as ApiError, used, retryAfterMs(answer));
    }
  }

  private failed(error: ApiError, used?: Credentials, waitMs?: number): Failed {
    if (error.failure === 'transient') {
      // a busy server is available; only a silent one gets a break
      if (waitMs !== undefined || error.status === 429) {
        this.gate.busy(waitMs ?? 0);
      } else {
        this.gate.bad(error.message);
      }
    } else if (error.status !== undefined) {
      this.gate.good();
    }
    return new Failed(error, used, waitMs);
  }

  /** Refreshes credentials once for all concurrent requests that were refused. */
  private async credentials(refused?: Credentials): Promise<Credentials> {
    const current = await (this.refreshing ?? this.connection.credentials(false));
    if (!refused || !sameCredentials(refused, current)) {
      return current;
    }
    this.refreshing ??= this.connection.credentials(true).finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  private errorOf(error: unknown, used?: Credentials): ApiError {
    if (error instanceof ApiError) {
      return error;
    }
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ABORT_ERR') {
      return new ApiError('aborted', 'ended');
    }
    // if a network device dropped one idle connection, e.g. while this machine was asleep, it
    // dropped the others, too
    if (code === 'ETIMEDOUT') {
      this.close();
    }
    const { failure, says, fix } = networkFailureOf({
      code,
      message: this.redactor.with(secretsOf(used)).scrub(message),
    });
    return new ApiError(
      failure,
      `${this.where}: ${says}${code ? ` (${code})` : ''}${fix ? `. Fix: ${fix}` : ''}`,
    );
  }

  private async ended<T>(waiting: Promise<T>): Promise<T> {
    try {
      return await waiting;
    } catch {
      // only the signal ends these
      throw new ApiError('aborted', 'ended');
    }
  }

  private pathOf({ path, query }: ApiRequest): string {
    const base = this.connection.server.pathname.replace(/\/+$/, '');
    const search = new URLSearchParams(query).toString();
    return `${base}${path}${search === '' ? '' : `${path.includes('?') ? '&' : '?'}${search}`}`;
  }

  private headersOf(
    { contentType, stream }: ApiRequest,
    body: Buffer | undefined,
  ): { [name: string]: string } {
    const length = stream?.length ?? body?.length;
    return {
      'accept': 'application/json',
      'user-agent': 'cdk8s-harvester',
      ...(length === undefined
        ? {}
        : { 'content-type': contentType ?? 'application/json', 'content-length': String(length) }),
    };
  }

  private checkClock({ headers }: RawAnswer): void {
    const { date } = headers;
    if (this.clockChecked || date === undefined) {
      return;
    }
    this.clockChecked = true;
    const skew = Date.now() - Date.parse(date);
    if (Math.abs(skew) > MAX_SKEW_MS) {
      this.options.onNotice?.(
        `${this.where}: the clock of this machine is ${pauseText(Math.abs(skew))} ${skew > 0 ? 'ahead of' : 'behind'} the server's; this has no effect here`,
      );
    }
  }
}

/** A failed attempt, its credentials, and the pause that the server requests. */
class Failed {
  public constructor(
    public readonly error: ApiError,
    public readonly used?: Credentials,
    public readonly waitMs?: number,
  ) {}
}

function exhausted(error: ApiError, tries: number, ms: number): ApiError {
  const how = tries > 1 ? `; tried ${tries} times in ${pauseText(ms)}` : '';
  return new ApiError('transient', `${error.message}${how}`, error.status, error.reason);
}

function secretsOf(credentials: Credentials | undefined): string[] {
  return Object.values(credentials?.headers ?? {}).map((value) =>
    value.replace(/^(Bearer|Basic) /, ''),
  );
}

function sameCredentials(a: Credentials, b: Credentials): boolean {
  return (
    a.cert === b.cert && a.key === b.key && JSON.stringify(a.headers) === JSON.stringify(b.headers)
  );
}
