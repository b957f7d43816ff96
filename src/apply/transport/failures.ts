import { FailureClass } from './api';

/** What an answer that is no success says. */
export interface Refusal {
  readonly status: number;
  readonly method: string;
  /** The server's words. */
  readonly words: string;
  /** The reasons of the causes of a Status object. */
  readonly causes: readonly string[];
  /** What the Status is about, e.g. `namespaces`. */
  readonly kind?: string;
  /** Whether the answer is a Status object, as Kubernetes gives. */
  readonly isStatus: boolean;
  /** Whether the request was for one version of the object. */
  readonly ofVersion: boolean;
}

/** A row of the table; all that it names must hold. */
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
 * What kind of failure an answer is: the first row that fits.
 *
 * @see kubernetes/apimachinery:pkg/api/errors/errors.go for statuses and reasons; the words as seen on servers
 */
const ANSWERS: readonly FailureRow[] = [
  { status: [401], failure: 'auth' },
  { status: [429], failure: 'transient' },
  // a webhook whose backend is away; it may be starting, or be what this very apply brings
  { words: /failed calling webhook|failed to call webhook|conversion webhook for .* failed|no endpoints available for service/i, failure: 'blocked' },
  { words: /because it is being terminated|object is being deleted|ensuring all content is removed/i, failure: 'blocked' },
  { cause: 'NamespaceTerminating', failure: 'blocked' },
  { words: /admission webhook "[^"]*" denied the request/i, failure: 'invalid' },
  // server-side apply says 500 to what it can't read: a field that is not declared, a value of another type
  { status: [500], words: /failed to create typed (patch )?object|field not declared in schema|failed to convert (new|patched) object|^failed to create manager for existing/i, failure: 'invalid' },
  // a manager of the object has a version that its definition has no more
  { status: [500], words: /request to convert CR to an invalid group\/version/i, failure: 'invalid' },

  { cause: 'FieldManagerConflict', failure: 'conflict' },
  // what was to be written only where nobody wrote it since is looked at again
  { status: [409], words: /the object has been modified/i, ofVersion: true, failure: 'blocked' },
  // server-side apply tries this itself and gives up now and then; the quota of a namespace is counted by another object
  { status: [409], method: 'PATCH', words: /the object has been modified/i, failure: 'transient' },
  { status: [409], words: /resourcequotas .*the object has been modified/i, failure: 'transient' },
  { status: [409], failure: 'precondition' },

  { status: [403], words: /exceeded quota|violates PodSecurity|ValidatingAdmissionPolicy/i, failure: 'invalid' },
  { status: [403], failure: 'forbidden' },

  // a namespace that is not there yet, where something is to be written into it
  { status: [404], method: 'PATCH', kind: 'namespaces', failure: 'blocked' },
  { status: [404], words: /could not find the requested resource|404 page not found|no matches for kind/i, failure: 'blocked' },
  { status: [404], failure: 'not-found' },
  // where a list goes on
  { status: [410], failure: 'blocked' },

  { status: [408, 502, 503, 504], failure: 'transient' },
  { status: [500], words: /etcdserver|leader changed|timed? ?out|deadline exceeded|connection re(set|fused)|\bEOF\b|GOAWAY|try again|TLS handshake/i, failure: 'transient' },
  // what stands before the API, not the API itself
  { status: [500], isStatus: false, failure: 'transient' },
  // nobody knows: not tried at once, but later
  { status: [500], failure: 'blocked' },
  { status: [520, 521, 522, 523, 524, 525, 526, 527, 530], failure: 'transient' },
];

/** What kind of failure an answer is. */
export function failureOf(refusal: Refusal): FailureClass {
  return ANSWERS.find((row) => fits(row, refusal))?.failure ?? 'invalid';
}

function fits(row: FailureRow, refusal: Refusal): boolean {
  return (row.status === undefined || row.status.includes(refusal.status))
    && (row.method === undefined || row.method === refusal.method)
    && (row.kind === undefined || row.kind === refusal.kind)
    && (row.ofVersion === undefined || row.ofVersion === refusal.ofVersion)
    && (row.isStatus === undefined || row.isStatus === refusal.isStatus)
    && (row.cause === undefined || refusal.causes.includes(row.cause))
    && (row.words === undefined || row.words.test(refusal.words));
}

/** What to say of a network's error beside its code. */
export interface NetworkFailure {
  readonly failure: FailureClass;
  readonly says: string;
  readonly fix?: string;
}

const CHECK_CA = 'name the authority that signed it in the kubeconfig (certificate-authority-data)';

/**
 * Failures of the way to a server, by the code of Node's error.
 *
 * @see nodejs/node:doc/api/errors.md, and doc/api/tls.md "X509 certificate error codes"
 */
const NETWORK: { readonly [code: string]: NetworkFailure } = {
  ECONNRESET: { failure: 'transient', says: 'the connection was cut' },
  EPIPE: { failure: 'transient', says: 'the connection was cut' },
  ECONNABORTED: { failure: 'transient', says: 'the connection was cut' },
  ERR_STREAM_PREMATURE_CLOSE: { failure: 'transient', says: 'the connection was cut' },
  ECONNREFUSED: { failure: 'transient', says: 'nobody listens there' },
  ETIMEDOUT: { failure: 'transient', says: 'no answer in time' },
  EHOSTUNREACH: { failure: 'transient', says: 'the host can not be reached' },
  ENETUNREACH: { failure: 'transient', says: 'the network can not be reached' },
  EHOSTDOWN: { failure: 'transient', says: 'the host is down' },
  EAI_AGAIN: { failure: 'transient', says: 'the name server does not answer' },
  ENOTFOUND: { failure: 'connection', says: 'the host name is not known', fix: 'check the server of the kubeconfig, and the network (VPN)' },

  CERT_HAS_EXPIRED: { failure: 'connection', says: 'its certificate has expired', fix: 'renew it on the server' },
  CERT_NOT_YET_VALID: { failure: 'connection', says: 'its certificate is not valid yet', fix: 'check the clock of this machine' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    failure: 'connection', says: 'its certificate is for another host name', fix: 'use a name that it is for, or set tls-server-name in the kubeconfig',
  },
  SELF_SIGNED_CERT_IN_CHAIN: { failure: 'connection', says: 'its certificate is signed by an unknown authority', fix: CHECK_CA },
  DEPTH_ZERO_SELF_SIGNED_CERT: { failure: 'connection', says: 'its certificate is signed by itself', fix: CHECK_CA },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { failure: 'connection', says: 'its certificate is signed by an unknown authority', fix: CHECK_CA },
  UNABLE_TO_GET_ISSUER_CERT: { failure: 'connection', says: 'its certificate is signed by an unknown authority', fix: CHECK_CA },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { failure: 'connection', says: 'its certificate is signed by an unknown authority', fix: CHECK_CA },
  CERT_SIGNATURE_FAILURE: { failure: 'connection', says: 'its certificate is not signed by the authority that the kubeconfig names', fix: CHECK_CA },
  ERR_TLS_PROTOCOL_VERSION_CONFLICT: { failure: 'connection', says: 'it speaks no TLS 1.2 or later' },
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: { failure: 'connection', says: 'it speaks no TLS 1.2 or later', fix: 'upgrade what answers there' },
  ERR_SSL_UNSUPPORTED_PROTOCOL: { failure: 'connection', says: 'it speaks no TLS 1.2 or later', fix: 'upgrade what answers there' },
  ERR_SSL_WRONG_VERSION_NUMBER: { failure: 'connection', says: 'it speaks no TLS', fix: 'check the port' },
  ERR_SSL_PACKET_LENGTH_TOO_LONG: { failure: 'connection', says: 'it speaks no TLS', fix: 'check the port' },
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: { failure: 'auth', says: 'it asks for a client certificate', fix: 'take another user in the kubeconfig' },
};

/** What the other side says by a TLS alert has no code of its own: Node calls it EPROTO, with the words of OpenSSL. */
const ALERTS: readonly (readonly [words: RegExp, code: string])[] = [
  [/alert protocol version/, 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'],
  [/alert certificate required/, 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
  [/unsupported protocol/, 'ERR_SSL_UNSUPPORTED_PROTOCOL'],
  [/wrong version number/, 'ERR_SSL_WRONG_VERSION_NUMBER'],
  [/packet length too long/, 'ERR_SSL_PACKET_LENGTH_TOO_LONG'],
];

/** What an error of the network is; those that nobody knows are of TLS or of the protocol, and final. */
export function networkFailureOf({ code: given, message }: { readonly code?: string; readonly message: string }): NetworkFailure {
  const code = given === 'EPROTO' ? ALERTS.find(([words]) => words.test(message))?.[1] : given;
  const known = code === undefined || !Object.hasOwn(NETWORK, code) ? undefined : NETWORK[code];
  return known ?? { failure: 'connection', says: message };
}
