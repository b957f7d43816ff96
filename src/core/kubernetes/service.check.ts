import {
  all,
  between,
  CIDR,
  distinct,
  distinctTexts,
  DNS_LABEL,
  duplicate,
  forbidden,
  HOST,
  IP_ADDRESS,
  isAddress,
  isUnset,
  items,
  LABELS,
  missing,
  notEmpty,
  needed,
  number,
  object,
  PORT,
  PORT_NUMBER,
  QUALIFIED_NAME,
  structOf,
  SUBDOMAIN,
  word,
} from './value/value.check';
import { parseIp } from '../go/go-ip';
import { isLate } from '../late/late-token';
import { isRecord, itemsAt } from '../manifest/manifest';
import { NO_PROBLEMS, Problem, problemsOf } from '../problem/problem';
import { each, fields, must, ValueCheck } from '../rule/kit/values';
import { plainText } from '../text/plain-text';
import { tableByName } from '../text/values';

/** The address of a Service without one: DNS answers with the addresses of its Pods. */
const HEADLESS = 'None';

type Spec = { readonly [field: string]: unknown };

const isExternalName = ({ type }: Spec): boolean => type === 'ExternalName';
const isBalanced = ({ type }: Spec): boolean => type === 'LoadBalancer';
const hasNodePorts = ({ type }: Spec): boolean => type === 'LoadBalancer' || type === 'NodePort';

const NODE_PORT = number(
  (value) => value <= 65_535,
  'at most 65535',
  'provided port is not in the valid range',
);

const SERVICE_PORT = structOf({
  name: DNS_LABEL,
  port: PORT_NUMBER,
  // without a value, or with an empty text, it is the port
  targetPort: (path, value) => (isUnset(value) || value === 0 ? NO_PROBLEMS : PORT(path, value)),
  nodePort: NODE_PORT,
  appProtocol: QUALIFIED_NAME,
});

/** The ports of a Service. @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go ValidateService, validateServicePort (v1.34.4) */
const PORTS: ValueCheck = (path, value) => {
  const ports = itemsAt(value).filter(isRecord);
  const seen = new Set<string>();
  return [
    ...items(SERVICE_PORT)(path, value),
    ...distinct('name')(path, value),
    ...problemsOf(itemsAt(value), (port, index) => {
      const { name, port: portNumber, protocol } = isRecord(port) ? port : {};
      const problems: Problem[] = [];
      if (ports.length > 1 && isUnset(name)) {
        problems.push(
          ...missing(
            `${path}[${index}].name`,
            'give each port a name',
            'a Service with several ports names each',
          ),
        );
      }
      const key = `${plainText(protocol ?? 'TCP')} ${plainText(portNumber)}`;
      if (seen.has(key) && !isLate(key)) {
        problems.push(duplicate(`${path}[${index}]`, key));
      }
      seen.add(key);
      return problems;
    }),
  ];
};

const MAX_HOUR = 86_400;

const SPEC_FIELDS = structOf({
  selector: LABELS,
  externalIPs: each(IP_ADDRESS),
  loadBalancerClass: notEmpty(QUALIFIED_NAME),
  internalTrafficPolicy: word('Cluster', 'Local'),
  ipFamilies: all(each(word('IPv4', 'IPv6')), distinctTexts),
  ipFamilyPolicy: word('SingleStack', 'PreferDualStack', 'RequireDualStack'),
  loadBalancerSourceRanges: each((path, value) =>
    CIDR(path, typeof value === 'string' ? value.trim() : value),
  ),
  ports: PORTS,
  trafficDistribution: word('PreferClose', 'PreferSameZone', 'PreferSameNode'),
  sessionAffinityConfig: fields({ clientIP: fields({ timeoutSeconds: between(1, MAX_HOUR) }) }),
});

/** Fields about addresses, which a Service of type ExternalName does not have. */
const ADDRESS_FIELDS = ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const;

const EXTERNAL_NAME: ValueCheck = (path, value) =>
  typeof value === 'string' ? HOST(path, value.replace(/\.$/, '')) : NO_PROBLEMS;

function checkAddresses(path: string, spec: Spec): readonly Problem[] {
  const { clusterIP } = spec;
  if (typeof clusterIP !== 'string' || clusterIP === '' || isLate(clusterIP)) {
    return NO_PROBLEMS;
  }
  const isAllowed = clusterIP === HEADLESS || isAddress(clusterIP);
  if (!isAllowed) {
    return [
      {
        path: `${path}.clusterIP`,
        value: clusterIP,
        message: 'must be an IP address, or None for a headless Service',
        fix: 'remove it, or set it to None',
        says: 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      },
    ];
  }
  return clusterIP === HEADLESS && hasNodePorts(spec)
    ? [
        {
          path: `${path}.clusterIP`,
          value: clusterIP,
          message: `cannot be None for a Service of type ${plainText(spec.type)}`,
          fix: 'remove it, or use the type ClusterIP',
          says: "may not be set to 'None' for LoadBalancer services",
        },
      ]
    : NO_PROBLEMS;
}

/** Two families of addresses need a policy that allows two. @see kubernetes/kubernetes:pkg/registry/core/service/storage/alloc.go initIPFamilyFields (v1.34.4) */
function checkFamilies(path: string, spec: Spec): readonly Problem[] {
  const plural = (['clusterIPs', 'ipFamilies'] as const).find(
    (field) => itemsAt(spec[field]).length > 1,
  );
  return spec.ipFamilyPolicy === 'SingleStack' && plural !== undefined
    ? [
        {
          path: `${path}.ipFamilyPolicy`,
          value: spec.ipFamilyPolicy,
          message: `must be RequireDualStack or PreferDualStack, as ${plural} has several items`,
          fix: `set it to PreferDualStack, or keep one item of ${plural}`,
          says: "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
        },
      ]
    : NO_PROBLEMS;
}

/** A port of health checks needs a balancer that leads to Pods on the same node. */
function checkHealthPort(path: string, spec: Spec): readonly Problem[] {
  const { type, externalTrafficPolicy: policy, healthCheckNodePort: port } = spec;
  if (port === undefined || port === null || port === 0 || isLate(type) || isLate(policy)) {
    return NO_PROBLEMS;
  }
  const field = `${path}.healthCheckNodePort`;
  return isBalanced(spec) && policy === 'Local'
    ? [...PORT_NUMBER(field, port)]
    : [
        forbidden(
          field,
          'the type is not LoadBalancer, or externalTrafficPolicy is not Local',
          'remove it, or use the type LoadBalancer with externalTrafficPolicy: Local',
          "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
        ),
      ];
}

/** Fields that only some types of a Service have. */
function checkType(path: string, spec: Spec): readonly Problem[] {
  if (isLate(spec.type)) {
    return NO_PROBLEMS;
  }
  const problems: Problem[] = [];
  if (!isBalanced(spec)) {
    problems.push(...checkWithoutBalancer(path, spec));
  }
  if (isExternalName(spec)) {
    problems.push(...checkWithoutAddresses(path, spec));
  }
  if (!hasNodePorts(spec)) {
    problems.push(...checkWithoutNodePorts(path, spec));
  }
  return problems;
}

/** Fields of the type LoadBalancer. */
function checkWithoutBalancer(path: string, spec: Spec): readonly Problem[] {
  const { loadBalancerSourceRanges, loadBalancerClass, allocateLoadBalancerNodePorts } = spec;
  const given = {
    loadBalancerSourceRanges: !isUnset(loadBalancerSourceRanges),
    loadBalancerClass: !isUnset(loadBalancerClass),
    allocateLoadBalancerNodePorts:
      allocateLoadBalancerNodePorts !== undefined && allocateLoadBalancerNodePorts !== null,
  };
  return Object.entries(given)
    .filter(([, isGiven]) => isGiven)
    .map(([field]) =>
      ofOtherType(
        `${path}.${field}`,
        spec,
        'LoadBalancer',
        "may only be used when `type` is 'LoadBalancer'",
      ),
    );
}

function checkWithoutAddresses(path: string, spec: Spec): readonly Problem[] {
  return ADDRESS_FIELDS.filter((field) => !isUnset(spec[field])).map((field) =>
    ofOtherType(`${path}.${field}`, spec, 'ClusterIP', 'may not be set for ExternalName services'),
  );
}

function checkWithoutNodePorts(path: string, spec: Spec): readonly Problem[] {
  const allowed = 'NodePort or LoadBalancer';
  const problems: Problem[] = [];
  itemsAt(spec.ports).forEach((port, index) => {
    if (hasNodePort(port)) {
      problems.push(
        ofOtherType(
          `${path}.ports[${index}].nodePort`,
          spec,
          allowed,
          `may not be used when \`type\` is '${typeText(spec)}'`,
        ),
      );
    }
  });
  if (!isUnset(spec.externalTrafficPolicy) && isUnset(spec.externalIPs)) {
    problems.push(
      ofOtherType(
        `${path}.externalTrafficPolicy`,
        spec,
        allowed,
        'may only be set for externally-accessible services',
      ),
    );
  }
  return problems;
}

function hasNodePort(port: unknown): boolean {
  if (!isRecord(port)) {
    return false;
  }
  const { nodePort } = port;
  return nodePort !== undefined && nodePort !== null && nodePort !== 0;
}

function typeText({ type }: Spec): string {
  return plainText(type ?? 'ClusterIP');
}

/** The problem of a field that a Service of its type does not have. */
function ofOtherType(path: string, spec: Spec, allowed: string, says: string): Problem {
  const why = `the type is ${typeText(spec)}`;
  return forbidden(path, why, `remove it, or use the type ${allowed}`, says);
}

/** @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go ValidateService (v1.34.4) */
export const SERVICE = structOf({
  spec: (path, value) => {
    const spec = (value ?? {}) as Spec;
    if (!isRecord(spec)) {
      return NO_PROBLEMS;
    }
    const isHeadless = spec.clusterIP === HEADLESS;
    const isPortless =
      isUnset(spec.ports) && !isHeadless && !isExternalName(spec) && !isLate(spec.type);
    return [
      ...(isPortless
        ? missing(`${path}.ports`, 'list the ports of the Service, or set clusterIP to None')
        : []),
      ...(isExternalName(spec)
        ? needed(EXTERNAL_NAME)(`${path}.externalName`, spec.externalName)
        : []),
      ...SPEC_FIELDS(path, spec),
      ...checkAddresses(path, spec),
      ...checkType(path, spec),
      ...checkFamilies(path, spec),
      ...checkHealthPort(path, spec),
      ...(isUnset(spec.sessionAffinityConfig) || spec.sessionAffinity !== 'None'
        ? []
        : [
            forbidden(
              `${path}.sessionAffinityConfig`,
              'sessionAffinity is None',
              'remove it, or set sessionAffinity to ClientIP',
              'must not be set when session affinity is None',
            ),
          ]),
    ];
  },
});

const ENDPOINT_PORT = structOf({ name: DNS_LABEL, port: PORT_NUMBER, appProtocol: QUALIFIED_NAME });

const ENDPOINT_ADDRESS = structOf({ ip: IP_ADDRESS, hostname: DNS_LABEL, nodeName: SUBDOMAIN });

/** @see kubernetes/kubernetes:pkg/apis/core/validation/validation.go ValidateEndpoints (v1.34.4) */
export const ENDPOINTS = structOf({
  subsets: items(
    fields({
      addresses: items(ENDPOINT_ADDRESS),
      notReadyAddresses: items(ENDPOINT_ADDRESS),
      ports: items(ENDPOINT_PORT),
    }),
    object((path, { addresses, notReadyAddresses }) =>
      isUnset(addresses) && isUnset(notReadyAddresses) ? missing(`${path}.addresses`) : NO_PROBLEMS,
    ),
  ),
});

function addressOf(family: 4 | 6): ValueCheck {
  return all(
    IP_ADDRESS,
    must(
      (value) =>
        typeof value !== 'string' ||
        !isAddress(value) ||
        parseIp(value) === undefined ||
        parseIp(value)!.family === family,
      {
        message: `must be an IPv${family} address`,
        fix: 'use an address of addressType',
        says: `must be an IPv${family} address`,
      },
    ),
  );
}

const ADDRESS_TYPES: { readonly [type: string]: ValueCheck | undefined } = tableByName({
  IPv4: addressOf(4),
  IPv6: addressOf(6),
  FQDN: HOST,
});

/** @see kubernetes/kubernetes:pkg/apis/discovery/validation/validation.go ValidateEndpointSlice (v1.34.4) */
export const ENDPOINT_SLICE: ValueCheck = all(
  structOf({
    endpoints: items(structOf({ hostname: notEmpty(DNS_LABEL), addresses: needed() })),
    ports: all(
      items(structOf({ name: DNS_LABEL, protocol: word('TCP', 'UDP', 'SCTP') })),
      distinct('name'),
    ),
  }),
  object((path, { addressType, endpoints }) => {
    const check = ADDRESS_TYPES[plainText(addressType)];
    return check === undefined
      ? NO_PROBLEMS
      : items(structOf({ addresses: each(check) }))(
          `${path === '' ? '' : `${path}.`}endpoints`,
          endpoints,
        );
  }),
);
