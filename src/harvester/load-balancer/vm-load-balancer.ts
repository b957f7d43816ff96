import { ApiObject, Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { checkHealthCheck, checkListeners } from './load-balancer.check';
import { API_LOAD_BALANCER, KIND_LOAD_BALANCER, WORKLOAD_VM } from './load-balancer.kind';
import { IHarvesterTarget, INamespace, harvesterTargetOf } from '../../core/app/target';
import { EdgeType, Edges } from '../../core/late/edge';
import { LateSource, LateValue } from '../../core/late/late-value';
import { Manifest } from '../../core/manifest/manifest';
import { descriptionAnnotations } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, failOnErrors } from '../../core/rule/problem';
import type { LoadBalancerProtocol } from '../../guest/balancer/harvester-load-balancer';
import type { Ipam } from '../../guest/balancer/service-address';
import { asProps, failUnlessSameHarvester, objectName, objectNamespace } from '../object-name';

// those of Harvester's webhook, written out: it fills them in, and a GitOps tool would see a difference
const THRESHOLD = 2;
const SECOND = 1;

/**
 * A port of a load balancer of virtual machines.
 */
export interface VmListener {
  /** The port that clients reach: 1 to 65535, once for each protocol. */
  readonly port: number;
  /** The port of the virtual machines: 1 to 65535, once for each protocol. @default - the same as port */
  readonly backendPort?: number;
  /** The protocol. @default LoadBalancerProtocol.TCP */
  readonly protocol?: LoadBalancerProtocol;
  /** A name of its own: up to 63 of a-z, 0-9 and hyphens. @default - protocol and port, e.g. `tcp-443` */
  readonly name?: string;
}

/**
 * How a load balancer finds out which virtual machines answer: it connects to a port by TCP.
 */
export interface VmHealthCheck {
  /** The backendPort of a TCP listener. */
  readonly port: number;
  /** How often in a row a machine must answer to count as healthy: 1 or more. @default 2 */
  readonly successThreshold?: number;
  /** How often in a row a machine must fail to count as down: 1 or more. @default 2 */
  readonly failureThreshold?: number;
  /** How often it is asked: whole seconds, 1 or more. @default Duration.seconds(1) */
  readonly period?: Duration;
  /** How long an answer may take: whole seconds, 1 or more. @default Duration.seconds(1) */
  readonly timeout?: Duration;
}

/**
 * Properties of a load balancer of virtual machines.
 */
export interface VmLoadBalancerProps {
  /** Where its address comes from: DHCP, the pool that is given, or one that its namespace is in the scope of. Can not change. */
  readonly ipam: Ipam;
  /** Its ports, at least one. */
  readonly listeners: VmListener[];
  /**
   * The virtual machines behind it, in its own namespace: labels, each with the values that are taken; all labels must fit. They are those of the
   * machine's template, i.e. of its instance. Without any label it is every virtual machine of the namespace.
   */
  readonly backendSelector: { readonly [label: string]: string[] };
  /** How machines that do not answer are left out. @default - they are not */
  readonly healthCheck?: VmHealthCheck;
  /** The name of the LoadBalancer, and of the Service that Harvester makes of it: an RFC 1035 label. @default - the id of the construct */
  readonly name?: string;
  /** Its namespace, that of the virtual machines. @default - `default` */
  readonly namespace?: INamespace;
  /** Text that the UI shows. @default - none */
  readonly description?: string;
  /** Labels of the LoadBalancer. @default - none */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * Defines a load balancer on a Harvester for virtual machines of one namespace. Load balancers of guest clusters are Services there, see
 * HarvesterLoadBalancer.
 *
 * @see https://docs.harvesterhci.io/latest/networking/loadbalancer
 */
export class VmLoadBalancer extends Construct {
  /** The name of the LoadBalancer. */
  public readonly loadBalancerName: string;
  /** Its namespace. */
  public readonly namespace: string;
  /** The Harvester that it is on. */
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: VmLoadBalancerProps) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'VmLoadBalancer');
    this.loadBalancerName = objectName(this, props.name);
    this.namespace = objectNamespace(this, this.harvester, props.namespace);
    const { pool } = props.ipam._details;
    if (pool) { failUnlessSameHarvester(this, 'ipam', pool.poolName, pool.harvester, this.harvester); }
    const manifest = this.manifest(props);
    failOnErrors(this, [
      ...checkIpam(props.ipam),
      ...checkTimes(props.healthCheck),
      ...asProps([...checkListeners(manifest), ...checkHealthCheck(manifest)]),
    ]);
    const balancer = new ApiObject(this, 'Resource', {
      ...manifest,
      metadata: {
        name: this.loadBalancerName,
        namespace: this.namespace,
        labels: props.labels,
        // forms of the UI read the annotation, lists the field too
        annotations: descriptionAnnotations(props.description),
      },
    });
    note(balancer, {
      deletion: { policy: 'delete', reason: 'gives its address back; an IP pool can be deleted only after it' },
      // the webhook replaces the whole map
      othersWrite: ['metadata.annotations', 'metadata.finalizers', 'status'],
    });
    if (pool) { Edges.of(balancer)._add(pool, EdgeType.APPLIED); }
  }

  /** The address that it has got, as a late value: `status.address`. */
  public get address(): string {
    const id = 'Address';
    const known = this.node.tryFindChild(id) as LateValue | undefined;
    return (known ?? new LateValue(this, id, {
      description: `address of load balancer ${this.namespace}/${this.loadBalancerName}`,
      source: LateSource.field({
        target: this.harvester, apiVersion: API_LOAD_BALANCER, kind: KIND_LOAD_BALANCER, namespace: this.namespace, name: this.loadBalancerName,
      }, 'status.address'),
    })).token;
  }

  private manifest({ ipam, listeners, backendSelector, healthCheck, description }: VmLoadBalancerProps): Manifest {
    return {
      apiVersion: API_LOAD_BALANCER,
      kind: KIND_LOAD_BALANCER,
      metadata: { name: this.loadBalancerName, namespace: this.namespace },
      spec: {
        description,
        workloadType: WORKLOAD_VM,
        ipam: ipam._mode,
        ipPool: ipam._details.pool?.poolName,
        listeners: listeners.map(({ port, backendPort = port, protocol = 'TCP', name }) => ({
          name: name ?? `${protocol.toLowerCase()}-${port}`, port, protocol, backendPort,
        })),
        backendServerSelector: backendSelector,
        healthCheck: healthCheck && {
          port: healthCheck.port,
          successThreshold: healthCheck.successThreshold ?? THRESHOLD,
          failureThreshold: healthCheck.failureThreshold ?? THRESHOLD,
          periodSeconds: healthCheck.period?.toSeconds({ integral: false }) ?? SECOND,
          timeoutSeconds: healthCheck.timeout?.toSeconds({ integral: false }) ?? SECOND,
        },
      },
    };
  }
}

function checkIpam({ _mode: mode, _details: { dhcp = {} } }: Ipam): Problem[] {
  if (mode === 'shared') {
    return [{
      path: 'ipam',
      message: 'shares the address of a Service, which only Services of a guest cluster can',
      fix: 'give Ipam.pool() or Ipam.dhcp()',
    }];
  }
  if (Object.values(dhcp).every((value) => value === undefined)) { return []; }
  return [{
    path: 'ipam',
    value: dhcp,
    message: 'asks DHCP for an address, which only Services of a guest cluster can',
    fix: 'give Ipam.dhcp() without options',
  }];
}

function checkTimes(check: VmHealthCheck | undefined): Problem[] {
  if (!check) { return []; }
  const numbers = {
    successThreshold: check.successThreshold,
    failureThreshold: check.failureThreshold,
    period: check.period?.toSeconds({ integral: false }),
    timeout: check.timeout?.toSeconds({ integral: false }),
  };
  const wrong = Object.entries(numbers).filter(([, value]) => value !== undefined && !(Number.isInteger(value) && value >= 1));
  return wrong.map(([field, value]): Problem => ({
    path: `healthCheck.${field}`,
    value,
    message: field === 'period' || field === 'timeout' ? 'is no number of whole seconds of at least 1' : 'is no whole number of at least 1',
    fix: 'give 1 or more',
    says: 'should > 0',
  }));
}
