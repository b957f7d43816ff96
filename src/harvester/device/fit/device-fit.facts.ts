import { CLAIMED, DEVICE_KIND, GROUP_DEVICES, USB_RESOURCE_PREFIX } from '../device.kind';
import { devicesOf } from './machine-devices.facts';
import { unmarshal } from '../../../core/go/go-json';
import { isLate } from '../../../core/late/late-token';
import { objectLabel, valueAt } from '../../../core/manifest/manifest';
import { GROUPS } from '../../../core/manifest/names';
import { JudgedObject, JudgedTarget, World } from '../../../core/rule/rule';
import { filledText } from '../../../core/text/plain-text';
import { byObject, grouped } from '../../../core/text/values';
import { GuestHarvesters } from '../../../guest/cloud-provider/guest-harvester.facts';
import { ClusterPool, configOf, poolsOf } from '../../../guest/cluster/cluster-reader.facts';
import { machineField } from '../../../guest/machine-config/machine-config.check';
import { Item, VGPU_INFO } from '../../../guest/machine-config/machine-json.facts';
import {
  isScaled,
  leastOf,
  mostOf,
  poolSizeOf,
  surgeOf,
} from '../../../guest/machine-pool/pool-size.facts';
import { isStopped } from '../../resource-quota/machine-demand.check';
import { Fits } from '../../resource-quota/quota-fit.facts';
import {
  GROUP_KUBEVIRT,
  KIND_VIRTUAL_MACHINE,
  isHarvesters,
} from '../../virtual-machine/machine-manifest.facts';

/** A machine that has a device while it runs, or a pool of such machines. */
export interface DeviceUser {
  readonly object: JudgedObject;
  /** The pool; undefined for a VM. */
  readonly pool?: ClusterPool;
  /** The path of the device in the object. */
  readonly path: string;
  /** The name of the device; undefined in a pool, whose machines get any device of the resource. */
  readonly device?: string;
  /** How many devices it needs, how many with all machines of an autoscaler, and in an update. */
  readonly count: number;
  readonly most: number;
  readonly surge: number;
}

/** The devices of a resource on a Harvester, and the machines that run with one of them. */
export interface DeviceFit {
  readonly target: JudgedTarget;
  /** The resource name of the devices, or the name of the device where it is a late value. */
  readonly resource: string;
  /** The number of devices. */
  readonly has: number;
  readonly needs: number;
  readonly peak: number;
  /** Whether the autoscaler needs more than there are; otherwise a rolling update does. */
  readonly isScaled: boolean;
  readonly fits: Fits;
  readonly users: readonly DeviceUser[];
}

/** A user of a device, with the place and the resource. */
interface PlacedUser extends DeviceUser {
  readonly target: JudgedTarget;
  readonly resource: string;
}

/** The devices that machines of a world use, computed once. */
export const deviceFits = byObject((world: World): readonly DeviceFit[] => {
  const users = [...machineUsers(world), ...poolUsers(world)];
  const byResource = grouped(users, ({ target, resource }) => `${target.name} ${resource}`);
  return [...byResource.values()].flatMap((own) => fitOf(own, users, world) ?? []);
});

/** The fits of a world by the objects that use devices. */
export const deviceFitsBy = byObject((world: World) =>
  grouped(
    deviceFits(world).flatMap((fit) => fit.users.map((user) => ({ fit, user }))),
    ({ user }) => user.object,
  ),
);

function* machineUsers(world: World): Iterable<PlacedUser> {
  for (const object of world.ofKind(GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE)) {
    const { manifest, target } = object;
    if (!isHarvesters(object) || isStopped(manifest)) {
      continue;
    }
    for (const { name, deviceName, path } of devicesOf(manifest)) {
      const device = filledText(name);
      const resource = isLate(deviceName) ? device : filledText(deviceName);
      if (device !== undefined && resource !== undefined) {
        yield { object, target, path, device, resource, count: 1, most: 1, surge: 0 };
      }
    }
  }
}

function* poolUsers(world: World): Iterable<PlacedUser> {
  const harvesters = GuestHarvesters.in(world);
  for (const object of world.ofKind(GROUPS.PROVISIONING, 'Cluster')) {
    for (const pool of poolsOf(object.manifest)) {
      const config = configOf(object, pool, world);
      const requests = config ? requestsOf(machineField(config.manifest, 'vgpuInfo')) : [];
      const target = requests.length > 0 ? harvesters.of(object) : undefined;
      if (!target) {
        continue;
      }
      const size = poolSizeOf(pool);
      const count = leastOf(size);
      const most = isScaled(size) && Number.isFinite(mostOf(size)) ? mostOf(size) : count;
      const surge = surgeOf(pool.fields.rollingUpdate, most);
      for (const resource of requests) {
        yield { object, pool, target, resource, path: pool.path, count, most, surge };
      }
    }
  }
}

/** The resource names of the virtual GPUs of a machine configuration. */
function requestsOf(vgpuInfo: string | undefined): readonly string[] {
  const decoded = unmarshal<{ vGPURequests?: readonly Item[] }>(vgpuInfo ?? '', VGPU_INFO);
  if (vgpuInfo === undefined || 'error' in decoded) {
    return [];
  }
  return (decoded.config.vGPURequests ?? []).flatMap(
    ({ deviceName }) => filledText(deviceName) ?? [],
  );
}

function fitOf(
  users: readonly PlacedUser[],
  all: readonly PlacedUser[],
  world: World,
): DeviceFit | undefined {
  const [{ target, resource }] = users;
  const supply = supplyOf(users, all, world);
  if (supply === undefined) {
    return undefined;
  }
  const needs = users.reduce((sum, { count }) => sum + count, 0);
  const most = users.reduce((sum, each) => sum + each.most, 0);
  const peak = most + Math.max(...users.map(({ surge }) => surge));
  return {
    target,
    resource,
    has: supply.count,
    needs,
    peak,
    isScaled: most > supply.count,
    fits: verdictOf(needs, peak, supply),
    users,
  };
}

/** How many devices of a resource there are, and whether there may be others. */
interface Supply {
  readonly count: number;
  readonly isCertain: boolean;
}

function verdictOf(needs: number, peak: number, { count, isCertain }: Supply): Fits {
  if (needs > count) {
    return isCertain ? 'no' : 'probably not';
  }
  return peak > count ? 'without surge' : 'yes';
}

/**
 * The devices of a resource: those that are known to have it, or else those that machines name.
 *
 * Devices of one model in one node have the same resource, and a machine gets any of them: one that
 * no machine names may serve instead of one that two machines name.
 */
function supplyOf(
  users: readonly PlacedUser[],
  all: readonly PlacedUser[],
  world: World,
): Supply | undefined {
  const [{ target, resource }] = users;
  const known = knownDevices(target, resource, world);
  if (known.length > 0) {
    return {
      // a virtual GPU is a VGPUDevice and, from Harvester 1.8 on, a PCIDevice of the same name
      count: new Set(known.map(({ manifest }) => manifest.metadata.name)).size,
      isCertain: known.every((device) =>
        world.isListed(device, GROUP_DEVICES, device.manifest.kind),
      ),
    };
  }
  const names = new Set(users.flatMap(({ device }) => device ?? []));
  if (users.some(({ device }) => device === undefined)) {
    return undefined;
  }
  return {
    count: names.size,
    isCertain: resource.startsWith(USB_RESOURCE_PREFIX) || !hasOtherClaims(target, all, world),
  };
}

/** The devices that have a resource and that virtual machines can have. */
function knownDevices(
  target: JudgedTarget,
  resource: string,
  world: World,
): readonly JudgedObject[] {
  const claimed = CLAIMED.flatMap(([kind, claim]) =>
    world.beside({ target }, GROUP_DEVICES, kind).filter((device) => {
      const { metadata, status } = device.manifest;
      return (
        valueAt(status, 'resourceName') === resource &&
        (!world.isListed(device, GROUP_DEVICES, claim) ||
          world.knows(device, GROUP_DEVICES, claim, undefined, metadata.name))
      );
    }),
  );
  const virtual = world
    .beside({ target }, GROUP_DEVICES, DEVICE_KIND.VGPU)
    .filter(({ manifest }) => {
      const { spec } = manifest;
      const type = filledText(valueAt(spec, 'vGPUTypeName'));
      return valueAt(spec, 'enabled') === true && type && vgpuResource(type) === resource;
    });
  return [...claimed, ...virtual];
}

/**
 * The resource name of the virtual GPUs of a type.
 * @see harvester/pcidevices:pkg/util/common/common.go GeneratevGPUDeviceName
 */
function vgpuResource(type: string): string {
  return `nvidia.com/${type.trim().replace(/[/.]/g, '_').replace(/\s+/g, '_')}`;
}

/** Whether there is a claim of a PCI device that no machine names while it runs. */
function hasOtherClaims(target: JudgedTarget, users: readonly PlacedUser[], world: World): boolean {
  const named = new Set(
    users.flatMap((user) => (user.target.name === target.name ? (user.device ?? []) : [])),
  );
  return world
    .beside({ target }, GROUP_DEVICES, DEVICE_KIND.PCI_CLAIM)
    .some(
      ({ manifest }) =>
        !named.has(manifest.metadata.name) &&
        valueAt(manifest.spec, 'disableResourcePooling') !== true,
    );
}

/** A machine or a pool that uses a device, for a list. */
export function deviceUserText({ object, pool, count }: DeviceUser): string {
  const { manifest } = object;
  if (pool === undefined) {
    return objectLabel(manifest);
  }
  const name = `pool ${pool.name} of ${manifest.metadata.name}`;
  return count === 1 ? name : `${count} machines of ${name}`;
}
