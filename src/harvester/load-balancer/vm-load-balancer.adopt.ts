import { DEFAULT_PROTOCOL } from './load-balancer.check';
import {
  DraftProps,
  FoundObject,
  call,
  enumValue,
  inverseOf,
  listAt,
  mapAt,
  refer,
  textAt,
  unless,
} from '../../core/draft/draft';
import { isRecord } from '../../core/manifest/manifest';
import { GROUP_LOAD_BALANCER } from '../../core/manifest/names';
import { isListedOnly, listedDescriptionProp, namespacedProps } from '../harvester-object.adopt';
import { KIND_IP_POOL } from '../ip-pool/ip-pool.kind';

/**
 * From a LoadBalancer for virtual machines to the construct. Those of guest clusters are written by
 * their cloud provider.
 */
export const VM_LOAD_BALANCER_INVERSE = inverseOf(
  'VmLoadBalancer',
  `${GROUP_LOAD_BALANCER}/LoadBalancer`,
  (manifest, object) => {
    const listeners = listAt(manifest, 'spec', 'listeners').filter(isRecord);
    const asWritten =
      isListedOnly(manifest) || listeners.some(({ protocol }) => protocol === undefined);
    return {
      ...namespacedProps(object),
      ...listedDescriptionProp(object),
      ipam: ipamOf(object),
      listeners: listeners.map((listener) => listenerOf(listener, asWritten)),
      backendSelector: (mapAt(manifest, 'spec', 'backendServerSelector') ?? {}) as DraftProps,
      healthCheck: healthCheckOf(mapAt(manifest, 'spec', 'healthCheck')),
      adopted: asWritten ? { asWritten } : undefined,
    };
  },
  // none means `vm`
  // @see harvester/load-balancer-harvester:pkg/controller/loadbalancer/controller.go OnChange
  { filled: ['spec.workloadType'] },
);

function ipamOf(object: FoundObject): DraftProps[string] {
  const pool = textAt(object.manifest, 'spec', 'ipPool');
  if (textAt(object.manifest, 'spec', 'ipam') === undefined && pool === undefined) {
    return call('Ipam', 'unset');
  }
  if (textAt(object.manifest, 'spec', 'ipam') === 'dhcp') {
    return call('Ipam', 'dhcp');
  }
  return pool === undefined
    ? call('Ipam', 'pool')
    : call('Ipam', 'pool', refer(object, `${GROUP_LOAD_BALANCER}/${KIND_IP_POOL}`, pool));
}

function listenerOf(
  { name, port, protocol: given, backendPort }: { readonly [field: string]: any },
  asWritten: boolean,
): DraftProps {
  const protocol = given ?? DEFAULT_PROTOCOL;
  return {
    port,
    backendPort: unless(backendPort, port),
    protocol: enumValue(
      'LoadBalancerProtocol',
      asWritten ? given : unless(protocol, DEFAULT_PROTOCOL),
    ),
    name: unless(name, `${String(protocol).toLowerCase()}-${port}`),
  };
}

function healthCheckOf(
  check: { readonly [field: string]: any } | undefined,
): DraftProps | undefined {
  // the server keeps a check of port 0 for none
  if (!check?.port) {
    return undefined;
  }
  const seconds = (value: unknown): DraftProps[string] =>
    typeof value === 'number' && value !== 1 ? call('Duration', 'seconds', value) : undefined;
  return {
    port: check.port,
    successThreshold: unless(check.successThreshold, 2),
    failureThreshold: unless(check.failureThreshold, 2),
    period: seconds(check.periodSeconds),
    timeout: seconds(check.timeoutSeconds),
  };
}
