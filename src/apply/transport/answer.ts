import { ApiError, ApiRequest, ApiResponse, FieldConflict } from './api';
import { failureOf } from './failures';
import { healingOf } from './healing';
import { RawAnswer } from './https-try';
import { groupOf, isRecord, kindKey, valueAt } from '../../model/manifest';

/** More of a server's words helps nobody. */
const MAX_WORDS = 2000;

/** What is longer holds the object that was sent, and where it ends is said by the sentence within. */
const LONG_WORDS = 500;

/** Takes the secrets out of a server's words. */
export type Scrub = (words: string) => string;

/** What a server answered, as a response, or as an error without the secrets that were sent. */
export function answerOf(answer: RawAnswer, request: ApiRequest, where: string, scrub: Scrub): ApiResponse {
  const { status } = answer;
  if (status >= 300) { throw refusalOf(answer, request, where, scrub); }
  return { status, body: bodyOf(answer, where), warnings: answer.warnings.map((warning) => scrub(warning)) };
}

function bodyOf(answer: RawAnswer, where: string): unknown {
  const type = contentType(answer);
  if (type === 'text/plain' || answer.text === '') { return answer.text; }
  if (type !== 'application/json') {
    throw new ApiError('connection', `${where} answers ${type === '' ? 'without a content type' : `with ${type}`}, so it is not a Kubernetes API; `
      + 'check the server of the kubeconfig (a login page before it?)', answer.status);
  }
  const body = parsed(answer.text);
  if (body === undefined) { throw new ApiError('transient', `${where} gave an answer that is no JSON: it was cut short`, answer.status); }
  return body;
}

function refusalOf(answer: RawAnswer, request: ApiRequest, where: string, scrub: Scrub): ApiError {
  const { status } = answer;
  if (status < 400) {
    // never followed, so that no credential goes to another host
    const to = host(answer.headers.location);
    return new ApiError('connection', `${where} redirects${to ? ` to ${to}` : ''} (${status}), so it is not a Kubernetes API; put the API's own URL into the kubeconfig`, status);
  }
  const body = contentType(answer) === 'application/json' ? parsed(answer.text) : undefined;
  const isStatus = isRecord(body) && body.kind === 'Status';
  const details = isStatus && isRecord(body.details) ? body.details : {};
  const causes = (Array.isArray(details.causes) ? details.causes : []).filter(isRecord);
  const reason = isRecord(body) ? text(body.reason) ?? text(body.code) : undefined;
  const words = wordsOf(answer, body);
  const healing = isStatus ? healingOf(kindOfBody(request.body), status, words) : undefined;
  const failure = healing ? 'blocked' : failureOf({
    status, method: request.method, words, isStatus, kind: text(details.kind), ofVersion: valueAt(request.body, 'metadata', 'resourceVersion') !== undefined, causes: causes.map((cause) => text(cause.reason) ?? ''),
  });
  if (failure === 'not-found' && !isRecord(body)) {
    return new ApiError('connection', `${where} answers 404 ${shorten(scrub(words))}, as no Kubernetes API does; check the server of the kubeconfig`, status);
  }
  // the words of an API need no place: they name the object; those of what stands before it do
  const told = healing && words.length > LONG_WORDS ? healing.says : words;
  const message = `${isStatus ? '' : `${where}: `}${shorten(scrub(told))}${hint(failure, where)}`;
  return new ApiError(failure, message, status, reason, failure === 'conflict' ? causes.map(conflictOf) : [], healing?.missing);
}

function wordsOf({ status, text: answered }: RawAnswer, body: unknown): string {
  const said = isRecord(body) ? text(body.message) : undefined;
  if (said) { return said; }
  // pages of proxies: their title says what there is to say
  const page = /<title>([^<]*)<\/title>/i.exec(answered)?.[1] ?? (answered.includes('<') ? '' : answered);
  return `${status}${page.trim() ? ` ${page.trim()}` : ''}`;
}

function hint(failure: string, where: string): string {
  return failure === 'auth' ? `: ${where} does not know the credentials, or no longer; get new ones` : '';
}

function shorten(words: string): string {
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
}

/** `conflict with "kubectl-edit" using v1` */
function conflictOf(cause: { readonly [field: string]: unknown }): FieldConflict {
  const quoted = /conflict with ("(?:[^"\\]|\\.)*")/.exec(text(cause.message) ?? '')?.[1];
  const manager = quoted === undefined ? undefined : parsed(quoted);
  return { manager: text(manager) ?? text(cause.message) ?? 'another manager', field: text(cause.field) ?? '' };
}

/** The kind that is written, as `group/Kind`; undefined where the body is no object of its own, as that of a deletion. */
function kindOfBody(body: unknown): string | undefined {
  if (!isRecord(body) || typeof body.kind !== 'string' || typeof body.apiVersion !== 'string' || body.kind === 'DeleteOptions') { return undefined; }
  return kindKey(groupOf(body.apiVersion), body.kind);
}

function contentType({ headers }: RawAnswer): string {
  return (headers['content-type'] ?? '').split(';')[0].trim().toLowerCase();
}

function host(location: string | undefined): string | undefined {
  return location !== undefined && URL.canParse(location) ? new URL(location).host : undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
