import { isLoadBalancer } from './load-balancer-service.check';
import { TargetKind } from '../../core/construct/target';
import {
  DraftProps,
  DraftValue,
  enumValue,
  Inverse,
  booleanAt,
  listAt,
  textAt,
  unless,
  byName,
  declare,
} from '../../core/draft/draft';
import { Manifest, annotationsOf, isRecord, valueAt } from '../../core/manifest/manifest';
import { anyText, filledText } from '../../core/text/plain-text';
import { addressProps } from '../chart/helm-chart.adopt';
import { guestProps, textMapOf } from '../guest-target.adopt';

const SERVICE = '/Service';

/** From a Service of type LoadBalancer in a guest cluster to the construct. */
export const HARVESTER_LOAD_BALANCER_INVERSE: Inverse = {
  kinds: [SERVICE],
  on: TargetKind.GUEST,
  // @see kubernetes/kubernetes:pkg/apis/core/v1/defaults.go SetDefaults_Service;
  // pkg/registry/core/service/storage/alloc.go
  defaults: {
    'spec.sessionAffinity': 'None',
    'spec.internalTrafficPolicy': 'Cluster',
    'spec.externalTrafficPolicy': 'Cluster',
    'spec.allocateLoadBalancerNodePorts': true,
    'spec.ipFamilyPolicy': 'SingleStack',
    'spec.ipFamilies': ['IPv4'],
    'spec.clusterIPs': [],
  },
  filled: ['spec.ports[].protocol', 'spec.ports[].targetPort'],
  drafts: (object, around) => {
    const { target, manifest } = object;
    if (!isLoadBalancer(manifest)) {
      return [];
    }
    // the API server filled in what was not set
    const isLive = textAt(manifest, 'spec', 'clusterIP') !== undefined;
    const set = (field: string, byDefault: string): string | undefined => {
      const value = textAt(manifest, 'spec', field);
      return isLive ? unless(value, byDefault) : value;
    };
    const ranges = listAt(manifest, 'spec', 'loadBalancerSourceRanges');
    const families = listAt(manifest, 'spec', 'ipFamilies');
    return declare(object, 'HarvesterLoadBalancer', {
      ...guestProps(object),
      ...addressProps(target, annotationsOf(manifest), around),
      ports: listAt(manifest, 'spec', 'ports')
        .filter(isRecord)
        .map((port, _, ports) => portProps(manifest, port, ports.length > 1, isLive)),
      selector: textMapOf(valueAt(manifest, 'spec', 'selector')) ?? {},
      externalTrafficPolicy: enumValue(
        'ExternalTrafficPolicy',
        set('externalTrafficPolicy', 'Cluster'),
      ),
      sourceRanges: ranges.length === 0 ? undefined : ranges,
      allocateLoadBalancerNodePorts: unless(
        booleanAt(manifest, 'spec', 'allocateLoadBalancerNodePorts'),
        true,
      ),
      ipFamilyPolicy: enumValue('IpFamilyPolicy', set('ipFamilyPolicy', 'SingleStack')),
      ipFamilies:
        families.length === 0 || (isLive && families.join() === 'IPv4')
          ? undefined
          : families.map((family) => enumValue('IpFamily', family)),
    });
  },
  existing: byName('HarvesterLoadBalancer'),
};

function portProps(
  service: Manifest,
  port: { readonly [field: string]: unknown },
  several: boolean,
  isLive: boolean,
): DraftProps {
  const { port: number, targetPort, protocol = 'TCP', name, nodePort, appProtocol } = port;
  // the API server fills it in without a field manager
  const isChosen = JSON.stringify(service.metadata.managedFields ?? []).includes('"f:nodePort"');
  const derived = several ? `${String(protocol).toLowerCase()}-${String(number)}` : undefined;
  return {
    port: number as DraftValue,
    targetPort: typeof targetPort === 'number' ? unless(targetPort, number as number) : undefined,
    targetPortName: anyText(targetPort),
    protocol: enumValue('LoadBalancerProtocol', unless(protocol, 'TCP')),
    name: typeof name === 'string' && name !== '' ? unless(name, derived ?? '') : undefined,
    nodePort: typeof nodePort === 'number' && (!isLive || isChosen) ? nodePort : undefined,
    appProtocol: filledText(appProtocol),
  };
}
