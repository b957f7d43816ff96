import { ApiError, ApiRequest, ApiResponse, FailureClass, FieldConflict } from './api';
import { RawAnswer } from './https-try';
import { KindRefusals, MissingObject } from '../../core/kind/description/refusals';
import { allKinds, kindOf } from '../../core/kind/kinds';
import { isRecord, valueAt, itemsAt } from '../../core/manifest/manifest';
import { filledText } from '../../core/text/plain-text';
import { jsonOf } from '../../core/text/values';

/** The content of a failed answer. */
interface Refusal {
  readonly status: number;
  readonly method: string;
  /** The server's message. */
  readonly words: string;
  /** The reasons of the causes of a Status object. */
  readonly causes: readonly string[];
  /** The kind of the Status' details, e.g. `namespaces`. */
  readonly kind?: string;
  /** Whether the answer is a Status object of Kubernetes. */
  readonly isStatus: boolean;
  /** Whether the request was for one version of the object. */
  readonly ofVersion: boolean;
}

/** A row of the table: all its conditions must hold. */
interface FailureRow {
  readonly failure: FailureClass;
  readonly status?: readonly number[];
  readonly method?: string;
  readonly cause?: string;
  readonly kind?: string;
  readonly words?: RegExp;
  readonly isStatus?: boolean;
  readonly ofVersion?: boolean;
}

/**
 * The class of a failed answer: the first matching row.
 *
 * @see kubernetes/apimachinery:pkg/api/errors/errors.go for statuses and reasons; messages as seen on servers
 */
const ANSWERS: readonly FailureRow[] = [
  // Rancher's webhook answers 401 to a Cluster whose credential the user cannot read; the server
  // accepted the credentials of the request. Seen on Rancher 2.15.0
  { status: [401], words: /admission webhook "[^"]*" denied the request/i, failure: 'invalid' },
  { status: [401], failure: 'auth' },
  { status: [429], failure: 'transient' },
  // a webhook without backend, which may be starting or be part of this apply
  {
    words:
      /failed calling webhook|failed to call webhook|conversion webhook for .* failed|no endpoints available for service/i,
    failure: 'blocked',
  },
  {
    words:
      /because it is being terminated|object is being deleted|ensuring all content is removed/i,
    failure: 'blocked',
  },
  { cause: 'NamespaceTerminating', failure: 'blocked' },
  { words: /admission webhook "[^"]*" denied the request/i, failure: 'invalid' },
  // server-side apply answers 500 to an undeclared field or a value of another type
  {
    status: [500],
    words:
      /failed to create typed (patch )?object|field not declared in schema|failed to convert (new|patched) object|^failed to create manager for existing/i,
    failure: 'invalid',
  },
  // a field manager uses a version that the definition no longer has
  {
    status: [500],
    words: /request to convert CR to an invalid group\/version/i,
    failure: 'invalid',
  },

  { cause: 'FieldManagerConflict', failure: 'conflict' },
  // a write with a resourceVersion: the object must be read again
  { status: [409], words: /the object has been modified/i, ofVersion: true, failure: 'blocked' },
  // server-side apply retries this itself and sometimes gives up; another object counts the quota
  // of a namespace
  { status: [409], method: 'PATCH', words: /the object has been modified/i, failure: 'transient' },
  { status: [409], words: /resourcequotas .*the object has been modified/i, failure: 'transient' },
  { status: [409], failure: 'precondition' },

  {
    status: [403],
    words: /exceeded quota|violates PodSecurity|ValidatingAdmissionPolicy/i,
    failure: 'invalid',
  },
  { status: [403], failure: 'forbidden' },

  // the namespace of a written object does not exist yet
  { status: [404], method: 'PATCH', kind: 'namespaces', failure: 'blocked' },
  {
    status: [404],
    words: /could not find the requested resource|404 page not found|no matches for kind/i,
    failure: 'blocked',
  },
  { status: [404], failure: 'not-found' },
  // an expired continue token of a list
  { status: [410], failure: 'blocked' },

  { status: [408, 502, 503, 504], failure: 'transient' },
  {
    status: [500],
    words:
      /etcdserver|leader changed|timed? ?out|deadline exceeded|connection re(set|fused)|\bEOF\b|GOAWAY|try again|TLS handshake/i,
    failure: 'transient',
  },
  // a proxy in front of the API
  { status: [500], isStatus: false, failure: 'transient' },
  // unknown: retried later, not at once
  { status: [500], failure: 'blocked' },
  { status: [520, 521, 522, 523, 524, 525, 526, 527, 530], failure: 'transient' },
];

function fits(row: FailureRow, refusal: Refusal): boolean {
  return (
    (row.status === undefined || row.status.includes(refusal.status)) &&
    (row.method === undefined || row.method === refusal.method) &&
    (row.kind === undefined || row.kind === refusal.kind) &&
    (row.ofVersion === undefined || row.ofVersion === refusal.ofVersion) &&
    (row.isStatus === undefined || row.isStatus === refusal.isStatus) &&
    (row.cause === undefined || refusal.causes.includes(row.cause)) &&
    (row.words === undefined || row.words.test(refusal.words))
  );
}

/** A refusal that passes by itself. */
interface Healing {
  /** The relevant sentence: the answer may be a whole AdmissionReview. */
  readonly says: string;
  readonly missing?: MissingObject;
}

/**
 * Whether a refusal passes by itself.
 *
 * @param object the written or deleted object; undefined if the request does not contain it
 */
function healingOf(
  object: { readonly apiVersion: string; readonly kind: string } | undefined,
  status: number,
  words: string,
): Healing | undefined {
  for (const { passing = [] } of object ? [kindOf<KindRefusals>(object) ?? {}] : allKinds()) {
    for (const row of passing) {
      const match = row.status.includes(status) ? row.words.exec(words) : null;
      if (match) {
        return { says: match[0], ...(row.missing ? { missing: row.missing(match) } : {}) };
      }
    }
  }
  return undefined;
}

/** The message of a network error besides its code. */
interface NetworkFailure {
  readonly failure: FailureClass;
  readonly says: string;
  readonly fix?: string;
}

const CHECK_CA = 'set certificate-authority-data in the kubeconfig to the authority that signed it';
const NO_TLS = 'it speaks no TLS 1.2 or later';
const UNKNOWN_CA = 'its certificate is signed by an unknown authority';

/**
 * Network failures by the codes of Node's errors.
 * @see nodejs/node:doc/api/errors.md, and doc/api/tls.md "X509 certificate error codes"
 */
const NETWORK: readonly (readonly [
  codes: string,
  failure: FailureClass,
  says: string,
  fix?: string,
])[] = [
  [
    'ECONNRESET EPIPE ECONNABORTED ERR_STREAM_PREMATURE_CLOSE',
    'transient',
    'the connection was cut',
  ],
  ['ECONNREFUSED', 'transient', 'the connection was refused'],
  ['ETIMEDOUT', 'transient', 'no answer in time'],
  ['EHOSTUNREACH', 'transient', 'the host cannot be reached'],
  ['ENETUNREACH', 'transient', 'the network cannot be reached'],
  ['EHOSTDOWN', 'transient', 'the host is down'],
  ['EAI_AGAIN', 'transient', 'the name server does not answer'],
  [
    'ENOTFOUND',
    'connection',
    'the host name is not known',
    'check the server of the kubeconfig, and the network (VPN)',
  ],

  ['CERT_HAS_EXPIRED', 'connection', 'its certificate has expired', 'renew it on the server'],
  [
    'CERT_NOT_YET_VALID',
    'connection',
    'its certificate is not valid yet',
    'check the clock of this machine',
  ],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'connection',
    'its certificate is for another host name',
    'use a host name of the certificate, or set tls-server-name in the kubeconfig',
  ],
  [
    'SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'connection',
    UNKNOWN_CA,
    CHECK_CA,
  ],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'connection', 'its certificate is self-signed', CHECK_CA],
  [
    'CERT_SIGNATURE_FAILURE',
    'connection',
    'its certificate is not signed by the authority in the kubeconfig',
    CHECK_CA,
  ],
  ['ERR_TLS_PROTOCOL_VERSION_CONFLICT', 'connection', NO_TLS],
  [
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION ERR_SSL_UNSUPPORTED_PROTOCOL',
    'connection',
    NO_TLS,
    'upgrade what answers there',
  ],
  [
    'ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_PACKET_LENGTH_TOO_LONG',
    'connection',
    'it speaks no TLS',
    'check the port',
  ],
  [
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    'auth',
    'it requires a client certificate',
    'use another user in the kubeconfig',
  ],
];

/** TLS alerts have no code: Node reports EPROTO with the message of OpenSSL. */
const ALERTS: readonly (readonly [words: RegExp, code: string])[] = [
  [/alert protocol version/, 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'],
  [/alert certificate required/, 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
  [/unsupported protocol/, 'ERR_SSL_UNSUPPORTED_PROTOCOL'],
  [/wrong version number/, 'ERR_SSL_WRONG_VERSION_NUMBER'],
  [/packet length too long/, 'ERR_SSL_PACKET_LENGTH_TOO_LONG'],
];

/** Classifies a network error; unknown ones are errors of TLS or of the protocol, and final. */
export function networkFailureOf({
  code: given,
  message,
}: {
  readonly code?: string;
  readonly message: string;
}): NetworkFailure {
  const code = given === 'EPROTO' ? ALERTS.find(([words]) => words.test(message))?.[1] : given;
  const [, failure, says, fix] =
    NETWORK.find(([codes]) => codes.split(' ').includes(code ?? '')) ??
    (['', 'connection', message] as const);
  return { failure, says, ...(fix === undefined ? {} : { fix }) };
}

/** Length limit of a server's message. */
const MAX_WORDS = 2000;

/** Longer messages contain the sent object; the sentence within has the reason. */
const LONG_WORDS = 500;

/** Removes secrets from a server's message. */
type Scrub = (words: string) => string;

/** Converts a server's answer to a response, or to an error without the sent secrets. */
export function answerOf(
  answer: RawAnswer,
  request: ApiRequest,
  where: string,
  scrub: Scrub,
): ApiResponse {
  const { status } = answer;
  if (status >= 300) {
    throw refusalOf(answer, request, where, scrub);
  }
  return {
    status,
    body: bodyOf(answer, where),
    warnings: answer.warnings.map((warning) => scrub(warning)),
  };
}

function bodyOf(answer: RawAnswer, where: string): unknown {
  const type = contentType(answer);
  if (type === 'text/plain' || answer.text === '') {
    return answer.text;
  }
  if (type !== 'application/json') {
    throw new ApiError(
      'connection',
      `${where} answers ${type === '' ? 'without a content type' : `with ${type}`}, so it is not a Kubernetes API. ` +
        'Fix: correct the server of the kubeconfig (it may be a login page)',
      answer.status,
    );
  }
  const body = jsonOf(answer.text);
  if (body === undefined) {
    throw new ApiError('transient', `${where} returned incomplete JSON`, answer.status);
  }
  return body;
}

function refusalOf(answer: RawAnswer, request: ApiRequest, where: string, scrub: Scrub): ApiError {
  const { status } = answer;
  if (status < 400) {
    // never followed, so that credentials reach no other host
    const to = host(answer.headers.location);
    return new ApiError(
      'connection',
      `${where} redirects${to ? ` to ${to}` : ''} (${status}), so it is not a Kubernetes API. Fix: set the URL of the API in the kubeconfig`,
      status,
    );
  }
  const body = contentType(answer) === 'application/json' ? jsonOf(answer.text) : undefined;
  const isStatus = isRecord(body) && body.kind === 'Status';
  const details = isStatus && isRecord(body.details) ? body.details : {};
  const causes = itemsAt(details.causes).filter(isRecord);
  const reason = isRecord(body) ? (filledText(body.reason) ?? filledText(body.code)) : undefined;
  const words = wordsOf(answer, body);
  const healing = isStatus ? healingOf(writtenObject(request.body), status, words) : undefined;
  const ofVersion = valueAt(request.body, 'metadata', 'resourceVersion') !== undefined;
  const reasons = causes.map((cause) => filledText(cause.reason) ?? '');
  const refusal = {
    status,
    method: request.method,
    words,
    isStatus,
    kind: filledText(details.kind),
    ofVersion,
    causes: reasons,
  };
  const failure = healing
    ? 'blocked'
    : (ANSWERS.find((row) => fits(row, refusal))?.failure ?? 'invalid');
  if (failure === 'not-found' && !isRecord(body)) {
    return new ApiError(
      'connection',
      `${where} answers 404 ${shorten(scrub(words))}, unlike a Kubernetes API. Fix: correct the server of the kubeconfig`,
      status,
    );
  }
  // messages of an API name the object; those of a proxy need the place
  const told = healing && words.length > LONG_WORDS ? healing.says : words;
  const hint = failure === 'auth' ? `: ${where} rejected the credentials. Fix: get new ones` : '';
  const message = `${isStatus ? '' : `${where}: `}${shorten(scrub(told))}${hint}`;
  return new ApiError(
    failure,
    message,
    status,
    reason,
    failure === 'conflict' ? causes.map(conflictOf) : [],
    healing?.missing,
  );
}

function wordsOf({ status, text: answered }: RawAnswer, body: unknown): string {
  const said = isRecord(body) ? filledText(body.message) : undefined;
  if (said) {
    return said;
  }
  // pages of proxies: the title contains the message
  const page =
    /<title>([^<]*)<\/title>/i.exec(answered)?.[1] ?? (answered.includes('<') ? '' : answered);
  return `${status}${page.trim() ? ` ${page.trim()}` : ''}`;
}

function shorten(words: string): string {
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
}

/** `conflict with "kubectl-edit" using v1` */
function conflictOf(cause: { readonly [field: string]: unknown }): FieldConflict {
  const quoted = /conflict with ("(?:[^"\\]|\\.)*")/.exec(filledText(cause.message) ?? '')?.[1];
  const manager = jsonOf(quoted);
  return {
    manager: filledText(manager) ?? filledText(cause.message) ?? 'another field manager',
    field: filledText(cause.field) ?? '',
  };
}

/** The written object; undefined if the body is not an object, as in a deletion. */
function writtenObject(
  body: unknown,
): { readonly apiVersion: string; readonly kind: string } | undefined {
  if (
    !isRecord(body) ||
    typeof body.kind !== 'string' ||
    typeof body.apiVersion !== 'string' ||
    body.kind === 'DeleteOptions'
  ) {
    return undefined;
  }
  return { apiVersion: body.apiVersion, kind: body.kind };
}

function contentType({ headers }: RawAnswer): string {
  return (headers['content-type'] ?? '').split(';')[0].trim().toLowerCase();
}

function host(location: string | undefined): string | undefined {
  return location !== undefined && URL.canParse(location) ? new URL(location).host : undefined;
}
