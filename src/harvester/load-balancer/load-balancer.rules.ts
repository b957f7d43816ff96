import { poolGiving, addressPlan, networkOn } from './address-plan.facts';
import {
  checkBackendSelector,
  checkBalancerFields,
  checkBalancerService,
  checkHealthCheck,
  checkListeners,
  isClusterBalancer,
  selectorMatches,
} from './load-balancer.check';
import {
  API_LOAD_BALANCER,
  IPAM_DHCP,
  LABEL_OWN_SERVICE,
  WORKLOAD_CLUSTER,
} from './load-balancer.kind';
import { isLate } from '../../core/late/late-token';
import { isRecord, labelsOf, valueAt, specOf } from '../../core/manifest/manifest';
import { ruleOf, rules } from '../../core/rule/kit/fact';
import { errorIf } from '../../core/rule/kit/relations';
import { must, text } from '../../core/rule/kit/values';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { some } from '../../core/text/plain-text';
import { byObject, grouped } from '../../core/text/values';
import { GuestHarvesters } from '../../guest/cloud-provider/guest-harvester.facts';
import { usersOf, vmNamespaceOf } from '../../guest/cluster/cluster-reader.facts';
import {
  VM_CREATOR_DRIVER,
  VM_LABEL_CREATOR,
  VM_LABEL_GUEST_CLUSTER,
} from '../../guest/cluster/cluster.kind';
import {
  GROUP_MACHINE_CONFIG,
  HARVESTER_CONFIG_KIND,
  LABEL_MACHINE_SET,
} from '../../guest/machine-config/machine-config.kind';
import { machineSetName } from '../affinity/vm-affinity.check';
import { staticAddresses } from '../cloud-init/cloud-init.check';
import { isPoolKnown } from '../ip-pool/ip-pool.rules';
import { printRequirement } from '../ip-pool/pool-selection.facts';
import { netConfOf, CNI } from '../network/vm-network.kind';
import {
  GROUP_KUBEVIRT,
  KIND_VIRTUAL_MACHINE,
  MACHINE_KINDS,
  nicsIn,
} from '../virtual-machine/machine-manifest.facts';
import { cloudInitOfMachine } from '../virtual-machine/virtual-machine.rules';

/** A fixed address in the network data of a virtual machine. */
interface FixedAddress {
  readonly address: string;
  readonly path: string;
  /** Its network, if the machine has one NIC. */
  readonly network?: string;
}

/** The fixed addresses of a machine. */
function addressesOf(machine: JudgedObject, world: World): readonly FixedAddress[] {
  const nics = nicsIn(machine.manifest);
  const network =
    nics.length === 1 && nics[0].network !== undefined ? { network: nics[0].network } : {};
  return cloudInitOfMachine(machine, world, 'networkData')
    .filter((data) => !isLate(data.text))
    .flatMap((data) =>
      staticAddresses(data.text)
        .filter((address) => address !== '')
        .map((address) => ({ address: address.split('/')[0], path: data.path, ...network })),
    );
}

/** The first machine with each address, by Harvester, network and address. */
const ownersIn = byObject((world: World): ReadonlyMap<string, JudgedObject> => {
  const first = new Map<string, JudgedObject>();
  for (const machine of world.ofKind(GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE)) {
    for (const { address, network } of addressesOf(machine, world)) {
      const key = keyOf(machine, network, address);
      if (network !== undefined && !first.has(key)) {
        first.set(key, machine);
      }
    }
  }
  return first;
});

function keyOf({ target }: JudgedObject, network: string | undefined, address: string): string {
  return `${target.name} ${network} ${address}`;
}

/** Rules for the fixed addresses of virtual machines. */
export const MACHINE_ADDRESS_RULES = rules({ kinds: MACHINE_KINDS }, [
  {
    id: 'virtual-machine/address',
    what: 'a fixed address belongs to one virtual machine of a network, and to no load balancer',
    source:
      'harvester/load-balancer-harvester:pkg/ipam/allocator.go: addresses of machines are not reserved',
    surelyOn: 'harvester',
    *judge(machine, world) {
      for (const { address, path, network } of addressesOf(machine, world)) {
        const owner =
          network === undefined ? undefined : ownersIn(world).get(keyOf(machine, network, address));
        if (owner && owner !== machine) {
          const { namespace = 'default', name } = owner.manifest.metadata;
          const message = `cannot be the address of this machine: ${namespace}/${name} has it in the same network`;
          yield { path, value: address, message, fix: 'use another address' };
        }
        const taken = poolGiving(address, machine.target.name, world);
        if (taken) {
          const message = `is an address of IP pool ${taken.name}, which gives it to a load balancer, too`;
          yield {
            path,
            value: address,
            level: 'warning',
            message,
            fix: 'use an address outside of its ranges',
          };
        }
      }
    },
  },
]);

const BALANCER_KINDS = ['loadbalancer.harvesterhci.io/LoadBalancer'];
const SERVICE_KINDS = ['/Service', 'helm.cattle.io/HelmChartConfig'];
const VALIDATOR = 'harvester/load-balancer-harvester:pkg/webhook/loadbalancer/validator.go';

/** The labels of the VMs by target and namespace: an instance has those of its template. */
const machinesIn = byObject((world: World) =>
  grouped(
    [
      ...world.ofKind('kubevirt.io', 'VirtualMachine').map(({ manifest, target }) => {
        const labels = valueAt(manifest, 'spec', 'template', 'metadata', 'labels');
        return {
          place: `${target.name} ${manifest.metadata.namespace ?? 'default'}`,
          labels: isRecord(labels) ? labels : {},
        };
      }),
      ...guestMachines(world),
    ],
    ({ place }) => place,
  ),
);

/**
 * The labels of the machines that the node driver creates, with target and namespace.
 * @see harvester/docker-machine-driver-harvester:harvester/create.go
 */
function guestMachines(
  world: World,
): { readonly place: string; readonly labels: { readonly [key: string]: unknown } }[] {
  return world.ofKind(GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND).flatMap((config) => {
    const [target, namespace] = [
      GuestHarvesters.in(world).ofMachines(config)?.name,
      vmNamespaceOf(config),
    ];
    if (target === undefined || namespace === undefined) {
      return [];
    }
    return usersOf(config, world).map(({ cluster, pool }) => {
      const { name } = cluster.manifest.metadata;
      return {
        place: `${target} ${namespace}`,
        labels: {
          [VM_LABEL_CREATOR]: VM_CREATOR_DRIVER,
          [VM_LABEL_GUEST_CLUSTER]: name,
          [LABEL_MACHINE_SET]: machineSetName(namespace, name, pool.name),
        },
      };
    });
  });
}

/** Rules on load balancers on a Harvester. */
export const LOAD_BALANCER_RULES: readonly Rule[] = [
  ...rules({ kinds: BALANCER_KINDS }, [
    {
      id: 'load-balancer/fields',
      what: 'every listener has its ports, and no number of a health check is negative',
      says: 'spec.listeners[0].backendPort: Required value',
      source:
        'harvester/charts:charts/harvester-load-balancer/templates/crds: the definition of LoadBalancer; seen on 1.8.2',
      judge: ({ manifest }) => checkBalancerFields(manifest),
    },
    {
      id: 'load-balancer/listeners',
      what: 'a load balancer of virtual machines has listeners with unique names, ports and backend ports',
      says: 'the loadbalancer needs to have at least one listener',
      source: `${VALIDATOR} checkListeners`,
      judge: ({ manifest }) => checkListeners(manifest),
    },
    {
      id: 'load-balancer/health-check',
      what: 'a health check uses the backend port of a TCP listener',
      says: 'is not in listener backend port list',
      source: `${VALIDATOR} checkHealthyCheck`,
      judge: ({ manifest }) => checkHealthCheck(manifest),
    },
    {
      id: 'load-balancer/ipam',
      level: 'warning',
      what: 'a load balancer sets ipam: without it, Harvester allocates an address of a pool and never releases it',
      source:
        'harvester/load-balancer-harvester:pkg/controller/loadbalancer/controller.go OnRemove; seen on 1.8.2',
      when: ({ manifest }) => manifest.apiVersion === API_LOAD_BALANCER,
      field: 'spec.ipam',
      required: {
        message:
          'must be set: without it, the address remains allocated once the load balancer is deleted, and its pool cannot be deleted',
        fix: 'set it to pool, which is also the default, or to dhcp',
        says: "can't delete pool before releasing all the allocated IP",
      },
    },
    {
      id: 'load-balancer/pool',
      level: 'warning',
      what: 'the pool that a load balancer refers to exists, and is not combined with dhcp',
      source:
        'harvester/load-balancer-harvester:pkg/controller/loadbalancer/controller.go requestIP',
      field: 'spec.ipPool',
      check: text((_, pool, object, world) => {
        const says = `fail to get allocator ${pool}`;
        if (specOf(object.manifest).ipam === IPAM_DHCP) {
          return { message: 'has no effect with ipam dhcp', fix: 'remove one of them' };
        }
        if (pool.includes('/')) {
          return {
            message: 'must be a name without a namespace: pools are cluster-scoped',
            fix: 'set only the name',
            says,
          };
        }
        return (
          !isPoolKnown(object, world, pool) &&
          addressPlan(world).poolsOn(object.target.name).length > 0 && {
            message: 'must be an existing pool on this Harvester',
            fix: 'declare the pool, or correct the name',
            says,
          }
        );
      }),
    },
    {
      id: 'load-balancer/backends',
      level: 'warning',
      what:
        'the selector of a load balancer matches virtual machines in its namespace by the labels of their ' +
        'templates; an empty one matches all of them',
      source:
        'harvester/load-balancer-harvester:pkg/lb/servicelb/manager.go getServiceBackendServers; pkg/utils/selector.go',
      *judge(object, world) {
        const { manifest } = object;
        // the older API version lists its backends by address
        if (isClusterBalancer(manifest) || manifest.apiVersion !== API_LOAD_BALANCER) {
          return;
        }
        const selector = valueAt(manifest, 'spec', 'backendServerSelector');
        const problems = checkBackendSelector(manifest);
        yield* problems;
        if (problems.length > 0 || !isRecord(selector)) {
          return;
        }
        const machines =
          machinesIn(world).get(
            `${object.target.name} ${manifest.metadata.namespace ?? 'default'}`,
          ) ?? [];
        if (
          machines.length === 0 ||
          machines.some(({ labels }) => selectorMatches(selector, labels))
        ) {
          return;
        }
        yield {
          path: 'spec.backendServerSelector',
          value: selector,
          message: `matches none of the ${machines.length} known virtual machines of namespace ${manifest.metadata.namespace ?? 'default'}`,
          fix: 'use labels in spec.template.metadata of virtual machines in that namespace, not those of the VirtualMachine itself',
          says: 'no running backend servers',
        };
      },
    },
    {
      id: 'load-balancer/service',
      level: 'warning',
      what: 'the Service that Harvester creates for a load balancer of virtual machines is valid, and no other Service has its name',
      source: 'harvester/load-balancer-harvester:pkg/lb/servicelb/manager.go constructService',
      *judge(object, world) {
        yield* checkBalancerService(object.manifest);
        const { name, namespace = 'default' } = object.manifest.metadata;
        const taken = isClusterBalancer(object.manifest)
          ? undefined
          : world.find(object, '', 'Service', namespace, name)?.manifest;
        if (!taken || labelsOf(taken)[LABEL_OWN_SERVICE] !== undefined) {
          return;
        }
        yield {
          path: 'metadata.name',
          value: name,
          message: `cannot be the name of the Service ${namespace}/${name}: Harvester overwrites its ports with the listeners`,
          fix: 'rename the load balancer or the Service',
        };
      },
    },
    {
      id: 'load-balancer/cluster-type',
      level: 'warning',
      what: 'only the cloud provider of a guest cluster creates load balancers of workloadType cluster',
      source:
        'harvester/cloud-provider-harvester:pkg/cloud-controller-manager/loadbalancer.go constructLB',
      creation: true,
      field: 'spec.workloadType',
      check: must((type) => type !== WORKLOAD_CLUSTER, {
        message:
          'is reserved for the cloud provider: such a load balancer has no listeners and no backends',
        fix: 'declare a Service of type LoadBalancer in the guest cluster, or set "vm"',
      }),
    },
  ]),
  ...rules({ kinds: [...SERVICE_KINDS, ...BALANCER_KINDS] }, [
    {
      id: 'load-balancer/no-pool',
      level: 'warning',
      what: 'a load balancer that requests an address from a pool is in the scope of one',
      says: 'no matched IPPool with requirement',
      source:
        'harvester/load-balancer-harvester:pkg/controller/loadbalancer/controller.go selectIPPool',
      judge: (object, world) => {
        const plan = addressPlan(world);
        const balancer = plan.balancerOf(object);
        // another rule reports a pool by name, and a world without pools contains only Services
        if (balancer?.selection?.kind !== 'none' || balancer.named !== undefined) {
          return undefined;
        }
        const pools = plan.poolsOn(balancer.harvester);
        return (
          pools.length > 0 && {
            message:
              `gets no address: none of the pools of ${balancer.harvester} (${some(pools.map(({ pool }) => pool.name))}) ` +
              `matches ${printRequirement(balancer.requirement)}`,
            fix: 'set that network and a matching scope for a pool, or declare a global pool',
          }
        );
      },
    },
    {
      id: 'load-balancer/pool-exhausted',
      what: 'a pool has an address for every load balancer that uses it',
      says: 'no available IP',
      source:
        'harvester/load-balancer-harvester:pkg/controller/loadbalancer/controller.go allocateIPFromPool',
      judge: (object, world) => {
        const plan = addressPlan(world);
        const balancer = plan.balancerOf(object);
        if (!balancer?.exhausted || balancer.selection?.kind !== 'pool') {
          return undefined;
        }
        const { pool } = balancer.selection;
        const { size, asking, machines } = plan.plannedOf(pool)!;
        const given =
          pool.allocated.size > 0 ? `, of which ${pool.allocated.size} are allocated` : '';
        return {
          // there may be unknown pools of a higher priority, and an address of a machine is
          // allocated again
          level: errorIf(balancer.named !== undefined && machines.length === 0),
          message:
            `gets no address${machines.length > 0 ? ' of its own' : ''}: pool ${pool.name} has ${size}${given}, and ${asking} load balancers` +
            `${machines.length > 0 ? ` and ${machines.length} fixed addresses of machines` : ''} use it`,
          fix: 'add a range to the pool, declare another pool for some of them, or share an address between Services',
        };
      },
    },
  ]),
  ruleOf({
    kinds: SERVICE_KINDS,
    id: 'load-balancer/overlay-network',
    level: 'warning',
    what: 'the network of a load balancer of a guest cluster is not an overlay network of Kube-OVN',
    source: 'harvester/docs v1.8 networking/harvester-network.md',
    judge: (object, world) => {
      const plan = addressPlan(world);
      const { harvester, requirement } = plan.balancerOf(object) ?? {};
      const target = harvester === undefined ? undefined : plan.harvesters.get(harvester);
      const network =
        target && requirement?.network ? networkOn(target, requirement.network, world) : undefined;
      const config = network && netConfOf(valueAt(network, 'spec', 'config'));
      return (
        config?.type === CNI.KUBE_OVN && {
          message: `gets no address: its network ${requirement!.network} is an overlay network, which does not support load balancers`,
          fix: 'use a VLAN or untagged network as the first network of the machines, or expose it another way',
        }
      );
    },
  }),
];
