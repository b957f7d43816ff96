import {
  eachWord,
  all,
  between,
  CIDR,
  HOST,
  isUnset,
  items,
  missing,
  needed,
  object,
  PORT,
  PORT_NAME,
  SERVICE_NAME,
  structOf,
  SUBDOMAIN,
  word,
} from './value/value.check';
import { exactlyOne } from './workload/container.check';
import { SELECTOR } from './workload/pod.check';
import { isLate } from '../late/late-token';
import { isRecord, itemsAt, valueAt } from '../manifest/manifest';
import { NO_PROBLEMS, Problem } from '../problem/problem';
import { each, fields, must, ValueCheck } from '../rule/kit/values';

const BACKEND_PORT = structOf({ name: PORT_NAME, number: between(0, 65_535) });

/** @see kubernetes/kubernetes:pkg/apis/networking/validation/validation.go validateIngressBackend (v1.34.4) */
const BACKEND = all(
  exactlyOne(['resource', 'service'], 'resource or service backend is required'),
  fields({ service: fields({ name: SERVICE_NAME, port: BACKEND_PORT }) }),
  object((path, { service }) => {
    const port = valueAt(service, 'port');
    const hasPort =
      !isUnset(valueAt(port, 'name')) ||
      ![undefined, null, 0].includes(valueAt(port, 'number') as number);
    return isRecord(service) && !hasPort
      ? [
          {
            ...missing(`${path}.service.port`)[0]!,
            fix: 'set the name or the number of the port',
            says: 'port name or number is required',
          },
        ]
      : NO_PROBLEMS;
  }),
);

const PATH = all(
  structOf({ backend: BACKEND }),
  object((path, { path: prefix, pathType }) => {
    if (isUnset(pathType) || pathType === 'ImplementationSpecific' || isLate(prefix)) {
      return typeof prefix === 'string' && prefix !== ''
        ? absolute(`${path}.path`, prefix)
        : NO_PROBLEMS;
    }
    return absolute(`${path}.path`, prefix);
  }),
);

function absolute(path: string, prefix: unknown): readonly Problem[] {
  return (typeof prefix === 'string' && prefix.startsWith('/')) ||
    isLate(prefix) ||
    (!isUnset(prefix) && typeof prefix !== 'string')
    ? NO_PROBLEMS
    : [
        {
          path,
          ...(isUnset(prefix) ? { isMissing: true } : { value: prefix }),
          message: 'must be an absolute path',
          fix: 'begin it with a slash',
          says: 'must be an absolute path',
        },
      ];
}

const RULE_HOST: ValueCheck = (path, value) =>
  typeof value === 'string' && value.split('.').length === 4 && /^[\d.]+$/.test(value)
    ? [
        {
          path,
          value,
          message: 'must be a domain, not an IP address',
          fix: 'remove it, or use a domain',
          says: 'must be a DNS name, not an IP address',
        },
      ]
    : HOST(path, value);

/** @see kubernetes/kubernetes:pkg/apis/networking/validation/validation.go ValidateIngressSpec (v1.34.4) */
export const INGRESS = structOf({
  spec: all(
    structOf({
      ingressClassName: (path, value) =>
        value === ''
          ? [
              {
                path,
                value,
                message: 'cannot be empty',
                fix: 'remove it, or name an IngressClass',
                says: 'a lowercase RFC 1123 subdomain',
              },
            ]
          : SUBDOMAIN(path, value),
      defaultBackend: BACKEND,
      tls: items(fields({ hosts: each(needed(HOST)), secretName: SUBDOMAIN })),
      rules: items(fields({ host: RULE_HOST, http: fields({ paths: needed(items(PATH)) }) })),
    }),
    (path, value) =>
      isUnset(valueAt(value, 'rules')) &&
      isUnset(valueAt(value, 'defaultBackend')) &&
      (isUnset(value) || isRecord(value))
        ? [
            {
              ...missing(`${path}.rules`)[0]!,
              message: 'must set rules or defaultBackend',
              fix: 'set one of both',
              says: 'either `defaultBackend` or `rules` must be specified',
            },
          ]
        : NO_PROBLEMS,
  ),
});

/** @see kubernetes/kubernetes:pkg/apis/networking/validation/validation.go ValidateIngressClassSpec */
const CONTROLLER = must(
  (value) =>
    typeof value !== 'string' ||
    value === '' ||
    (/^[^/]+\/[-A-Za-z0-9/._~]+$/.test(value) && value.length <= 250),
  {
    message: 'must be a domain and a path, such as example.com/ingress-controller',
    fix: 'write both with a slash between them',
    says: 'must be a domain-prefixed path (such as "acme.io/foo")',
  },
);

export const INGRESS_CLASS = structOf({ spec: structOf({ controller: needed(CONTROLLER) }) });

const BLOCK = all(
  structOf({
    cidr: CIDR,
    except: each(all(CIDR, (path, value) => (value === '' ? missing(path) : NO_PROBLEMS))),
  }),
);

/** @see kubernetes/kubernetes:pkg/apis/networking/validation/validation.go ValidateNetworkPolicyPeer (v1.34.4) */
const PEER = all(
  fields({ podSelector: SELECTOR, namespaceSelector: SELECTOR, ipBlock: BLOCK }),
  object((path, { podSelector, namespaceSelector, ipBlock }) => {
    const [hasSelector, hasBlock] = [
      isRecord(podSelector) || isRecord(namespaceSelector),
      isRecord(ipBlock),
    ];
    if (!hasSelector && !hasBlock) {
      return [
        {
          ...missing(path)[0]!,
          message: 'must set podSelector, namespaceSelector or ipBlock',
          fix: 'set one of them',
          says: 'must specify a peer',
        },
      ];
    }
    return hasSelector && hasBlock
      ? [
          {
            path: `${path}.ipBlock`,
            message: 'cannot be set next to a selector',
            fix: 'write two peers',
            says: 'may not specify both ipBlock and another peer',
          },
        ]
      : NO_PROBLEMS;
  }),
);

const POLICY_PORT = all(
  structOf({ port: PORT, protocol: word('TCP', 'UDP', 'SCTP') }),
  object((path, { port, endPort }) => {
    if (typeof endPort !== 'number') {
      return NO_PROBLEMS;
    }
    const at = { path: `${path}.endPort`, value: endPort };
    if (typeof port !== 'number') {
      return isLate(port)
        ? NO_PROBLEMS
        : [
            {
              ...at,
              message: 'needs a port with a number',
              fix: 'set port to the first number of the range',
              says: 'may not be specified when `port` is not specified',
            },
          ];
    }
    return endPort < port || endPort > 65_535
      ? [
          {
            ...at,
            message: `must be ${port} to 65535`,
            fix: 'set it to the last port of the range',
            says: 'must be greater than or equal to `port`',
          },
        ]
      : NO_PROBLEMS;
  }),
);

export const NETWORK_POLICY = structOf({
  spec: structOf({
    podSelector: SELECTOR,
    ingress: items(fields({ from: items(PEER), ports: items(POLICY_PORT) })),
    egress: items(fields({ to: items(PEER), ports: items(POLICY_PORT) })),
    policyTypes: all(eachWord('Ingress', 'Egress'), (path, value) =>
      itemsAt(value).length > 2
        ? [
            {
              path,
              message: 'can have at most two types',
              fix: 'name each once',
              says: 'may not specify more than two policyTypes',
            },
          ]
        : NO_PROBLEMS,
    ),
  }),
});
