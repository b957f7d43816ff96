import { CLAIMED, DEVICE_KIND, GROUP_DEVICES, LABEL_PARENT_GPU } from './device.kind';
import { devicesOf } from './fit/machine-devices.facts';
import {
  kindKey,
  labelsOf,
  Manifest,
  objectLabel,
  records,
  valueAt,
  itemsAt,
} from '../../core/manifest/manifest';
import { Found } from '../../core/rule/findings';
import { rules } from '../../core/rule/kit/fact';
import { KindName, refersTo, usedBy } from '../../core/rule/kit/relations';
import { text } from '../../core/rule/kit/values';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { some } from '../../core/text/plain-text';
import { hasFeature } from '../../core/version/target-features';
import { HarvesterGate } from '../version/harvester-version';
import {
  GROUP_KUBEVIRT,
  KIND_VIRTUAL_MACHINE,
  MACHINE_KINDS,
  instanceOf,
  isHarvesters,
} from '../virtual-machine/machine-manifest.facts';

const device = (kind: string): KindName => [GROUP_DEVICES, kind];
const MACHINES: KindName = [GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE];
const WEBHOOK = 'harvester/pcidevices:pkg/webhook/';
const TAKE_OUT = 'remove the device from them in an earlier step';

const usesDevice = ({ manifest }: JudgedObject, name: string): boolean =>
  devicesOf(manifest).some((each) => each.name === name);
const isOn = (manifest: Manifest): boolean => valueAt(manifest, 'spec', 'enabled') === true;
const machinesWith = (object: JudgedObject, world: World, name: string): readonly JudgedObject[] =>
  world.beside(object, ...MACHINES).filter((machine) => usesDevice(machine, name));
const labels = (users: readonly JudgedObject[]): string =>
  some(users.map(({ manifest }) => objectLabel(manifest)));

/** The first text of a list in the status of an object that a test finds. */
function firstOf(
  manifest: Manifest,
  field: string,
  test: (name: string) => unknown,
): string | undefined {
  return itemsAt(manifest, 'status', field).find(
    (name) => typeof name === 'string' && test(name),
  ) as string | undefined;
}

/** The devices of a VM that are not claimed, or that no device has. */
function* judgeDevices(
  object: JudgedObject,
  world: World,
): Iterable<Found & { readonly path: string }> {
  const known = [DEVICE_KIND.PCI, DEVICE_KIND.USB].flatMap((kind) =>
    world.beside(object, ...device(kind)),
  );
  const resources = known.map(({ manifest }) => valueAt(manifest, 'status', 'resourceName'));
  let node: unknown;
  for (const { name, deviceName, path } of devicesOf(object.manifest).filter((each) =>
    each.path.includes('.hostDevices['),
  )) {
    // from Harvester 1.8 on virtual GPUs are host devices
    if (world.knows(object, ...device(DEVICE_KIND.VGPU), undefined, String(name))) {
      continue;
    }
    if (known.length > 0 && typeof deviceName === 'string' && !resources.includes(deviceName)) {
      yield {
        path: `${path}.deviceName`,
        value: deviceName,
        level: world.isListed(object, ...device(DEVICE_KIND.PCI)) ? 'error' : 'warning',
        message: 'must be the status.resourceName of a PCIDevice or USBDevice',
        fix: 'use a resource name that kubectl get pcidevices,usbdevices -o yaml prints',
        says: `resource name ${deviceName} not found in pcidevice and usbdevice cache`,
      };
    }
    const own = known.find(({ manifest }) => manifest.metadata.name === name);
    const on = own && valueAt(own.manifest, 'status', 'nodeName');
    if (on && node && on !== node) {
      yield {
        path: `${path}.name`,
        value: name,
        message: `must be a device of the node ${String(node)}, as the one before it`,
        fix: 'use devices of one node',
        says: 'is not on the same node',
      };
    }
    node ??= on;
  }
}

/** Rules on devices of nodes. */
export const DEVICE_RULES: readonly Rule[] = [
  ...rules(
    { kinds: [kindKey(...device(DEVICE_KIND.PCI_CLAIM))], source: `${WEBHOOK}pcideviceclaim.go` },
    [
      {
        id: 'pci-device-claim/device',
        what: 'the PCIDevice of a PCIDeviceClaim has the same name, and is in an IOMMU group',
        creation: true,
        field: 'metadata.name',
        check: text((path, name, object, world) => {
          const found = world.find(object, ...device(DEVICE_KIND.PCI), undefined, name);
          if (!found) {
            return MISSING_DEVICE(path, name, object, world);
          }
          return (
            valueAt(found.manifest, 'status') !== undefined &&
            !valueAt(found.manifest, 'status', 'iommuGroup') && {
              message: 'cannot be claimed: the device is in no IOMMU group',
              fix: 'enable the IOMMU in the firmware and the kernel of the node',
              says: `pcidevice ${name} has no iommuGroup available`,
            }
          );
        }),
      },
      {
        id: 'pci-device-claim/gpu',
        what: 'a GPU whose virtual GPUs are in use is not claimed as a whole',
        creation: true,
        judge: ({ manifest, target }, world) => {
          const { name } = manifest.metadata;
          const parts = world
            .beside({ target }, ...device(DEVICE_KIND.PCI))
            .filter((each) => labelsOf(each.manifest)[LABEL_PARENT_GPU] === name);
          return (
            parts.length > 0 && {
              message: `cannot be claimed: ${labels(parts)} are its virtual GPUs`,
              fix: 'disable its SRIOVGPUDevice first',
              says: 'are using the PCI GPU Device',
            }
          );
        },
      },
      {
        id: 'pci-device-claim/usb-controller',
        what: 'a USB controller is not claimed while one of its USB devices is claimed',
        creation: true,
        judge: ({ manifest, target }, world) => {
          const { address, nodeName } =
            (valueAt(manifest, 'spec') as { readonly [field: string]: unknown } | undefined) ?? {};
          const used =
            address !== undefined &&
            world
              .beside({ target }, ...device(DEVICE_KIND.USB_CLAIM))
              .filter(
                (each) =>
                  valueAt(each.manifest, 'status', 'pciAddress') === address &&
                  valueAt(each.manifest, 'status', 'nodeName') === nodeName,
              );
          return (
            used &&
            used.length > 0 && {
              path: 'spec.address',
              value: address,
              message: `cannot be claimed: ${labels(used)} use this USB controller`,
              fix: 'delete the claims of its USB devices first',
              says: 'are using the PCI USB Controller',
            }
          );
        },
      },
      {
        id: 'pci-device-claim/in-use',
        what: 'a PCIDeviceClaim is not deleted while a virtual machine has the device',
        judgeDeletion: usedBy({
          by: [MACHINES],
          uses: (user, { manifest }) => usesDevice(user, manifest.metadata.name),
          problem: (users) => ({
            message: `cannot be deleted while ${labels(users)} use the device`,
            fix: TAKE_OUT,
            says: 'is already in use with vm',
          }),
        }),
      },
      {
        id: 'pci-device-claim/of-vgpu',
        what: 'the PCIDeviceClaim of a virtual GPU is deleted with it',
        judgeDeletion: ({ manifest }) => {
          const { metadata } = manifest;
          const owner = itemsAt(metadata, 'ownerReferences').find(
            (each) => valueAt(each, 'kind') === DEVICE_KIND.VGPU,
          );
          return (
            owner !== undefined && {
              message: `cannot be deleted: it belongs to the VGPUDevice ${String(valueAt(owner, 'name'))}`,
              fix: 'disable the VGPUDevice',
              says: `pcideviceclaim ${metadata.name} cannot be deleted as it is owned by VGPUDevice`,
            }
          );
        },
      },
    ],
  ),
  ...rules({}, [
    {
      id: 'device-claim/owner',
      kinds: CLAIMED.map(([, kind]) => kindKey(...device(kind))),
      what: 'the claim of a device names the device as its owner, since Harvester finds the device by it',
      source:
        'harvester/pcidevices:pkg/controller/pcideviceclaim/pcideviceclaim_controller.go getPCIDeviceForClaim; pkg/controller/usbdevice/usbdevice_claim_controller.go',
      judge: ({ manifest }) => {
        const { kind } = manifest;
        const { name, ownerReferences } = manifest.metadata;
        const [own] = CLAIMED.find(([, each]) => each === kind)!;
        return (
          !(Array.isArray(ownerReferences) && ownerReferences.length > 0) && {
            path: 'metadata.ownerReferences',
            message: `must name the ${own} ${name} with its UID: otherwise Harvester ignores the claim`,
            fix: `use the construct ${kind === DEVICE_KIND.PCI_CLAIM ? 'PciDeviceClaim' : 'UsbDeviceClaim'}, which reads the UID`,
            says: `Cannot find PCIDevice that owns ${name}`,
          }
        );
      },
    },
    {
      id: 'usb-device-claim/in-use',
      kinds: [kindKey(...device(DEVICE_KIND.USB_CLAIM))],
      what: 'a USBDeviceClaim is not deleted while a virtual machine has the device',
      source: `${WEBHOOK}usbdeviceclaim.go`,
      judgeDeletion: usedBy({
        by: [MACHINES],
        uses: (user, { manifest }) => usesDevice(user, manifest.metadata.name),
        problem: (users) => ({
          message: `cannot be deleted while ${labels(users)} use the device`,
          fix: TAKE_OUT,
          says: 'is still in use by vm',
        }),
      }),
    },
    {
      id: 'sriov-network-device/in-use',
      kinds: [`${GROUP_DEVICES}/SRIOVNetworkDevice`],
      what: 'the virtual functions of a network device are not removed while one of them is claimed',
      source: `${WEBHOOK}sriov.go`,
      judgeUpdate: ({ manifest, target }, before, world) => {
        if (valueAt(manifest, 'spec', 'numVFs') !== 0 || valueAt(before, 'spec', 'numVFs') === 0) {
          return undefined;
        }
        const claimed = firstOf(before, 'vfPCIDevices', (name) =>
          world.find({ target }, ...device(DEVICE_KIND.PCI_CLAIM), undefined, name),
        );
        return (
          claimed && {
            path: 'spec.numVFs',
            value: 0,
            message: `cannot be 0 while ${claimed} is claimed`,
            fix: 'delete the PCIDeviceClaim first',
            says: 'found pcideviceclaims',
          }
        );
      },
    },
    {
      id: 'sriov-gpu-device/in-use',
      kinds: [`${GROUP_DEVICES}/SRIOVGPUDevice`],
      what: 'a GPU can be deleted only while it is disabled, and disabled only after its virtual GPUs are removed from virtual machines',
      source: `${WEBHOOK}sriovgpudevices.go`,
      judgeUpdate: (object, before, world) => {
        const used =
          isOn(before) &&
          !isOn(object.manifest) &&
          firstOf(before, 'vGPUDevices', (name) => machinesWith(object, world, name).length > 0);
        return (
          used && {
            path: 'spec.enabled',
            value: false,
            message: `cannot be disabled while a virtual machine has ${used}`,
            fix: TAKE_OUT,
            says: `device ${used} is in use with VM`,
          }
        );
      },
      judgeDeletion: ({ manifest }) =>
        isOn(manifest) && {
          message: 'cannot be deleted while it is enabled',
          fix: 'set enabled to false in an earlier step',
          says: `please disable gpuDevice ${manifest.metadata.name} before deletion`,
        },
    },
    {
      id: 'vgpu-device/type',
      kinds: [kindKey(...device(DEVICE_KIND.VGPU))],
      what: 'a virtual GPU that is enabled has one of the types that its GPU offers',
      source: `${WEBHOOK}vgpu.go validateVGPUProfiles`,
      judgeUpdate: ({ manifest }, before) => {
        const [type, types] = [
          valueAt(manifest, 'spec', 'vGPUTypeName') ?? '',
          valueAt(before, 'status', 'availableTypes'),
        ];
        if (
          isOn(before) ||
          !isOn(manifest) ||
          typeof type !== 'string' ||
          (type !== '' && (!types || valueAt(types, type) !== undefined))
        ) {
          return undefined;
        }
        return {
          path: 'spec.vGPUTypeName',
          value: type,
          message: types ? `must be one of ${Object.keys(types).join(', ')}` : 'must be set',
          fix: 'use a type of status.availableTypes',
          says:
            type === ''
              ? 'VGPUTypeName cannot be empty'
              : `VGPUTypeName ${type} is not a valid profile`,
        };
      },
    },
    {
      id: 'vgpu-device/in-use',
      kinds: [kindKey(...device(DEVICE_KIND.VGPU))],
      what: 'a virtual GPU is not disabled while a virtual machine has it',
      source: `${WEBHOOK}vgpu.go checkVGPUUsage`,
      judgeUpdate: (object, before, world) => {
        const { name } = object.manifest.metadata;
        const users =
          isOn(before) && !isOn(object.manifest) ? machinesWith(object, world, name) : [];
        return (
          users.length > 0 && {
            path: 'spec.enabled',
            value: false,
            message: `cannot be disabled while ${labels(users)} use it`,
            fix: TAKE_OUT,
            says: `device ${name} is in use with VM`,
          }
        );
      },
    },
    {
      id: 'mig-configuration/profiles',
      kinds: [kindKey(...device(DEVICE_KIND.MIG))],
      what: 'a MigConfiguration asks for at most 7 instances',
      source: `${WEBHOOK}migconfiguration.go`,
      field: 'spec.profileSpec',
      check: (_, profiles) => {
        const count = records(profiles).reduce(
          (sum, [, { requested }]) => sum + (Number(requested) || 0),
          0,
        );
        return (
          count > MAX_INSTANCES && {
            value: count,
            message: `must ask for at most ${MAX_INSTANCES} instances`,
            fix: 'lower requested',
            says: `Cannot have more than ${MAX_INSTANCES} instances defined, found ${count}`,
          }
        );
      },
    },
    {
      id: 'mig-configuration/available',
      kinds: [kindKey(...device(DEVICE_KIND.MIG))],
      what: 'a MigConfiguration that is enabled asks for at most the instances that its GPU offers',
      source: `${WEBHOOK}migconfiguration.go validRequestedCount`,
      *judgeUpdate({ manifest }, before) {
        if (isOn(before) || !isOn(manifest)) {
          return;
        }
        const offered = new Map(
          records(before, 'status', 'profileStatus').map(([, { id, available }]) => [
            id,
            available,
          ]),
        );
        for (const [index, { id, requested = 0 }] of records(manifest, 'spec', 'profileSpec')) {
          const most = offered.get(id) ?? 0;
          if (offered.size > 0 && Number(requested) > Number(most)) {
            yield {
              path: `spec.profileSpec[${index}].requested`,
              value: requested,
              message: `must be at most ${Number(most)}, which the GPU offers`,
              fix: 'lower requested',
              says: `which exceeds available count ${Number(most)}`,
            };
          }
        }
      },
    },
    {
      id: 'mig-configuration/update',
      kinds: [kindKey(...device(DEVICE_KIND.MIG))],
      what: 'the profiles of a MigConfiguration can be changed only while it is disabled, and it can be disabled only after its virtual GPUs',
      source: `${WEBHOOK}migconfiguration.go`,
      *judgeUpdate({ manifest, target }, before, world) {
        const profiles = (each: Manifest): string =>
          JSON.stringify(
            records(each, 'spec', 'profileSpec').map(([, { id, requested }]) => [
              id,
              requested ?? 0,
            ]),
          );
        if (
          ['synced', 'out-of-sync'].includes(String(valueAt(before, 'status', 'status'))) &&
          profiles(manifest) !== profiles(before)
        ) {
          yield {
            path: 'spec.profileSpec',
            message: 'cannot be changed while the configuration is enabled',
            fix: 'set enabled to false first',
            says: 'cannot be modified unless configuration is disabled',
          };
        }
        const used =
          isOn(before) &&
          !isOn(manifest) &&
          world
            .beside({ target }, ...device(DEVICE_KIND.VGPU))
            .find(
              (each) =>
                labelsOf(each.manifest)[LABEL_PARENT_GPU] === manifest.metadata.name &&
                isOn(each.manifest),
            );
        if (used) {
          const { name } = used.manifest.metadata;
          yield {
            path: 'spec.enabled',
            value: false,
            message: `cannot be disabled while the VGPUDevice ${name} is enabled`,
            fix: 'disable that first',
            says: `as vGPU ${name} is enabled`,
          };
        }
      },
    },
    {
      id: 'virtual-machine/host-device',
      kinds: MACHINE_KINDS,
      what: 'the host devices of a virtual machine are those of one node, by their resource names',
      source: `${WEBHOOK}vm_validatation.go`,
      when: isHarvesters,
      judge: judgeDevices,
    },
    {
      id: 'virtual-machine/vgpu-form',
      level: 'warning',
      kinds: MACHINE_KINDS,
      what: 'a virtual GPU is a host device from Harvester 1.8.0 on: the webhook moves those in gpus, one of them at each apply again',
      source: `${WEBHOOK}vm.go convertGPUsToHostDevices, in v1.8.0; harvester/harvester v1.8.0 pkg/builder/device.go GPU; harvester/harvester#10103; read, not seen on a server`,
      gate: HarvesterGate.VGPU_IS_HOST_DEVICE,
      when: ({ manifest, target }) =>
        hasFeature(target, HarvesterGate.VGPU_IS_HOST_DEVICE) === true &&
        itemsAt(instanceOf(manifest), 'domain', 'devices', 'gpus').length > 0,
      judge: ({ manifest }) => ({
        path: 'spec.template.spec.domain.devices.gpus',
        value: records(instanceOf(manifest), 'domain', 'devices', 'gpus').map(
          ([, { name }]) => name,
        ),
        message:
          'must be in hostDevices: Harvester 1.8 and later moves one at each apply again, and refuses several',
        fix: 'move them to hostDevices, with the same name and deviceName',
      }),
    },
    {
      id: 'virtual-machine/unclaimed-device',
      level: 'warning',
      kinds: MACHINE_KINDS,
      what: 'the host devices of a virtual machine are claimed: no node offers others',
      source:
        'harvester/pcidevices:pkg/controller/pcideviceclaim/pcideviceclaim_controller.go permitHostDeviceInKubeVirt, addDevicePlugin',
      when: isHarvesters,
      *judge(object, world) {
        for (const { name, path } of devicesOf(object.manifest)) {
          const [, kind] =
            CLAIMED.find(([claimed]) =>
              world.find(object, ...device(claimed), undefined, String(name)),
            ) ?? [];
          if (
            kind !== undefined &&
            world.isListed(object, ...device(kind)) &&
            !world.knows(object, ...device(kind), undefined, String(name))
          ) {
            yield {
              path: `${path}.name`,
              value: name,
              message: 'is a device without a claim: the machine cannot start',
              fix: `declare its ${kind}`,
            };
          }
        }
      },
    },
  ]),
];

/** The limit of NVIDIA. */
const MAX_INSTANCES = 7;

const MISSING_DEVICE = refersTo(device(DEVICE_KIND.PCI), {
  ifAny: true,
  problem: (name) => ({
    message: 'must be the name of a PCIDevice',
    fix: 'use a name that kubectl get pcidevices prints',
    says: `pcidevices.devices.harvesterhci.io "${name}" not found`,
  }),
});
