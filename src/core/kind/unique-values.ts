import { KIND_IP_POOL } from '../../harvester/ip-pool/ip-pool.kind';
import { printRange, rangesOverlap } from '../../harvester/ip-pool/ip-range';
import { readPool } from '../../harvester/ip-pool/pool-selection';
import { GROUP_LOAD_BALANCER } from '../../harvester/load-balancer/load-balancer.kind';
import { ANNOTATION_DEFAULT_CLASS } from '../../harvester/storage/host-storage-class.kind';
import { isLate } from '../late/late-token';
import { Manifest, groupOf, isRecord, kindKey, valueAt } from '../manifest/manifest';
import { GROUPS } from '../manifest/names';

/**
 * Values of which a server has each only once, whatever the object is called: the new object that has one is refused while the former one is there.
 */
export interface UniqueValue {
  readonly group: string;
  readonly kind: string;
  /** What the value is, e.g. `nodePort`. */
  readonly what: string;
  /** The values that both objects have, as text. */
  readonly shared: (a: Manifest, b: Manifest) => readonly string[];
  /** Why the former object cannot be deleted first without a loss. @default - it can */
  readonly stays?: (former: Manifest) => string | undefined;
  /** What to do where the former object stays. */
  readonly fix: string;
}

/** The values of each kind, with what the servers say. */
export const UNIQUE_VALUES: readonly UniqueValue[] = [
  {
    // @see kubernetes/kubernetes:pkg/registry/core/service/portallocator: provided port is already allocated
    group: '', kind: 'Service', what: 'nodePort', shared: common(nodePorts), fix: 'give the new Service another nodePort',
  },
  {
    // @see rancher/webhook:pkg/resources/management.cattle.io/v3/users/validator.go: username already exists
    group: GROUPS.MANAGEMENT, kind: 'User', what: 'username', shared: common((user) => texts(user.username)), fix: 'give the new User another username',
  },
  {
    // @see harvester/load-balancer-harvester:pkg/webhook/ippool/validator.go
    group: GROUP_LOAD_BALANCER,
    kind: KIND_IP_POOL,
    what: 'addresses',
    shared: sharedAddresses,
    stays: (pool) => {
      const count = readPool(pool).allocated.size;
      return count === 0 ? undefined : `${count} of its addresses ${count === 1 ? 'is' : 'are'} in use by load balancers`;
    },
    fix: 'keep the former IPPool in the program with the addresses that are in use, and give the new one others',
  },
  {
    // @see harvester/harvester:pkg/webhook/resources/storageclass/validator.go: default storage class already exists
    group: 'storage.k8s.io',
    kind: 'StorageClass',
    what: 'default of the cluster',
    shared: common((storageClass) => texts(isDefaultClass(storageClass) ? 'default' : undefined)),
    stays: () => 'the default storage class is never deleted',
    fix: 'declare the former StorageClass again, without being the default, and apply; then remove it from the program',
  },
  {
    // @see harvester/harvester:pkg/webhook/resources/virtualmachineimage/validator.go: A resource with the same name exists
    group: GROUPS.HARVESTER,
    kind: 'VirtualMachineImage',
    what: 'displayName',
    shared: (a, b) => (a.metadata.namespace === b.metadata.namespace ? common((image) => texts(valueAt(image, 'spec', 'displayName')))(a, b) : []),
    stays: () => 'disks are made of it',
    fix: 'give the new image another displayName, or keep the former one in the program',
  },
];

const BY_KIND: ReadonlyMap<string, UniqueValue> = new Map(UNIQUE_VALUES.map((value) => [kindKey(value.group, value.kind), value]));

/** What a server has only once of a kind; undefined for kinds whose name alone is unique. */
export function uniqueValueOf({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): UniqueValue | undefined {
  return BY_KIND.get(kindKey(groupOf(apiVersion), kind));
}

function common(valuesOf: (manifest: Manifest) => readonly string[]): UniqueValue['shared'] {
  return (a, b) => {
    const others = new Set(valuesOf(b));
    return valuesOf(a).filter((value) => others.has(value));
  };
}

function texts(value: unknown): string[] {
  return typeof value === 'string' && value !== '' && !isLate(value) ? [value] : [];
}

function nodePorts(service: Manifest): string[] {
  const ports = valueAt(service, 'spec', 'ports');
  return (Array.isArray(ports) ? ports : []).flatMap((port: unknown) => (
    isRecord(port) && typeof port.nodePort === 'number' ? [`${String(port.protocol ?? 'TCP')} ${port.nodePort}`] : []));
}

function isDefaultClass({ metadata: { annotations = {} } }: Manifest): boolean {
  return annotations[ANNOTATION_DEFAULT_CLASS] === 'true';
}

function sharedAddresses(a: Manifest, b: Manifest): string[] {
  const others = readPool(b).ranges;
  return readPool(a).ranges.flatMap((range) => (others.some((other) => rangesOverlap(range, other)) ? [printRange(range)] : []));
}
