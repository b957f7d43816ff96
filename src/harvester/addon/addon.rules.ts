import { checkAddon, valuesOf } from './addon.check';
import { BUNDLED_ADDONS, KUBE_OVN_ADDON, LABEL_EXPERIMENTAL, bundledAddon } from './addon.kind';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, labelsOf, Manifest, records, specOf } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { errorIf, twinOf } from '../../core/rule/kit/relations';
import { text } from '../../core/rule/kit/values';
import { JudgedObject, World } from '../../core/rule/rule';
import { some, textOrEmpty } from '../../core/text/plain-text';
import { hasFeature } from '../../core/version/target-features';
import { DEVICE_KIND, GROUP_DEVICES, LABEL_PARENT_GPU } from '../device/device.kind';
import { GROUP_STORAGE, LVM_PROVISIONER } from '../storage/storage.kind';
import { HarvesterGate } from '../version/harvester-version';
import {
  GROUP_KUBEVIRT,
  instanceOf,
  KIND_VIRTUAL_MACHINE,
} from '../virtual-machine/machine-manifest.facts';

const VALIDATOR = 'harvester/harvester:pkg/webhook/resources/addon/validator.go';

function chartOf(manifest: Manifest): string | undefined {
  const { chart } = specOf(manifest);
  if (typeof chart === 'string' && chart !== '' && !isLate(chart)) {
    return chart;
  }
  return bundledAddon(manifest.metadata.name, manifest.metadata.namespace)?.chart;
}

const withChart = twinOf([GROUPS.HARVESTER, 'Addon'], ({ manifest }) => [chartOf(manifest)]);

/**
 * The add-on with the CSI driver of LVM.
 * @see harvester/harvester:pkg/util/constants.go HarvesterCSIDriverLVMName
 */
const LVM_ADDON = 'harvester-csi-driver-lvm';

/** What uses LVM, by kind: how its manifest shows it. */
const LVM_USERS: readonly (readonly [
  group: string,
  kind: string,
  uses: (manifest: Manifest, classes: ReadonlySet<unknown>) => boolean,
])[] = [
  [
    GROUP_STORAGE,
    'StorageClass',
    (manifest) => manifest.provisioner === LVM_PROVISIONER && !isOfAddon(manifest),
  ],
  [
    '',
    'PersistentVolumeClaim',
    (manifest, classes) => classes.has(specOf(manifest).storageClassName),
  ],
  [
    'snapshot.storage.k8s.io',
    'VolumeSnapshotClass',
    (manifest) => manifest.driver === LVM_PROVISIONER && !isOfAddon(manifest),
  ],
];

/** Whether the chart of the add-on wrote an object, so that it is deleted with it. */
const isOfAddon = (manifest: Manifest): boolean =>
  annotationsOf(manifest)[ANNOTATION_RELEASE] === LVM_ADDON;

/**
 * The annotation by which Helm marks the objects of a release.
 * @see https://helm.sh/docs/chart_best_practices/labels
 */
const ANNOTATION_RELEASE = 'meta.helm.sh/release-name';

/** An add-on whose devices virtual machines have. @see harvester/harvester:pkg/util/constants.go */
interface DeviceAddon {
  /** The annotation that lets it be disabled all the same. */
  readonly skip: string;
  readonly devices: string;
  /** Whether a host device is one of it. */
  readonly has: (device: unknown, object: JudgedObject, world: World) => boolean;
}

const DEVICE_ADDONS = new Map<string, DeviceAddon>([
  [
    'pcidevices-controller',
    {
      skip: 'harvesterhci.io/skipPCIDevicesControllerAddonWebhookCheck',
      devices: 'passthrough devices',
      has: () => true,
    },
  ],
  [
    'nvidia-driver-toolkit',
    {
      skip: 'harvesterhci.io/skipNvidiaDriverToolkitAddonWebhookCheck',
      devices: 'vGPU devices',
      has: (device, object, world) => {
        const vgpu = world.find(
          object,
          GROUP_DEVICES,
          DEVICE_KIND.VGPU,
          undefined,
          textOrEmpty(device),
        );
        return vgpu !== undefined && LABEL_PARENT_GPU in labelsOf(vgpu.manifest);
      },
    },
  ],
]);

const isBundled = ({ manifest }: JudgedObject): boolean =>
  bundledAddon(manifest.metadata.name, manifest.metadata.namespace) !== undefined;

const isEnabled = (manifest: Manifest): boolean => specOf(manifest).enabled === true;

/** The add-ons that cannot be deleted regardless of labels. */
const PROTECTED = ['rancher-logging', 'rancher-monitoring', KUBE_OVN_ADDON.name];

/** Rules on add-ons. */
export const ADDON_RULES = rules({ kinds: ['harvesterhci.io/Addon'] }, [
  {
    id: 'addon/spec',
    what: 'an add-on sets its chart, unless Harvester includes the add-on and sets the chart',
    source: `${VALIDATOR}; harvester/harvester:deploy/charts/harvester-crd`,
    judge: (object, world) =>
      checkAddon(
        object.manifest,
        world.exists(object),
        hasFeature(object.target, HarvesterGate.VCLUSTER_GLOBAL_HOSTNAME),
      ),
  },
  {
    id: 'addon/chart-twice',
    what: 'a chart belongs to only one add-on',
    source: `${VALIDATOR} validateNewAddon`,
    creation: true,
    when: (object) => !isBundled(object),
    field: 'spec.chart',
    check: text((_, chart, object, world) => {
      const own = withChart(object, chart, world)?.manifest.metadata.name;
      const holder = own ?? BUNDLED_ADDONS.find((addon) => addon.chart === chart)?.name;
      return (
        holder !== undefined && {
          // the add-ons of a Harvester depend on its version
          level: errorIf(own !== undefined),
          message: `must be unique: the add-on ${holder}${own === undefined ? ', which Harvester includes,' : ''} has this chart`,
          fix: own === undefined ? `enable ${holder} instead` : 'keep one of them',
          says: `addon with Chart ${JSON.stringify(chart)} has been created, cannot create a new one`,
        }
      );
    }),
  },
  {
    id: 'addon/values-replaced',
    level: 'warning',
    what:
      'values of an add-on that Harvester includes contain those that Harvester set, such as images, resources ' +
      'and storage: one text replaces them all',
    source: 'harvester/addons:pkg/templates/rancherd-22-addons.yaml valuesContent',
    when: isBundled,
    field: 'spec.valuesContent',
    check: text((path, content, object, world) => {
      const { name, namespace } = object.manifest.metadata;
      const live = world.beforeOf(object);
      const command = `kubectl get addons.harvesterhci.io ${name} -n ${namespace ?? ''} -o yaml`;
      if (!live) {
        return {
          path,
          message: 'replaces all values that Harvester set for this add-on',
          fix: `copy those that you keep from ${command}, and pass the live object to lint with --world, or suppress this`,
        };
      }
      const [[now], [were]] = [content, specOf(live).valuesContent].map((values) =>
        valuesOf(textOrEmpty(values)),
      );
      const lost = Object.keys(were!).filter((key) => !(key in now!));
      return (
        lost.length > 0 && {
          path,
          message: `lacks values that the add-on has: ${some(lost)}`,
          fix: `copy those that you keep from ${command}`,
        }
      );
    }),
  },
  {
    id: 'addon/deletion',
    what: 'an add-on that Harvester includes, or that is not experimental, can be disabled, but not deleted',
    says: 'addon cannot be deleted',
    source: `${VALIDATOR} Delete (Harvester 1.7.0 and later)`,
    judgeDeletion: ({ manifest, target }) => {
      const { name, namespace } = manifest.metadata;
      const bundled = bundledAddon(name, namespace);
      const refuses = hasFeature(target, HarvesterGate.ADDON_DELETION_REFUSED) !== false;
      const experimental =
        labelsOf(manifest)[LABEL_EXPERIMENTAL] === 'true' || bundled?.experimental === true;
      if (refuses && (PROTECTED.includes(name) || !experimental)) {
        return {
          message: 'cannot be deleted',
          fix: 'keep it with enabled: false',
          says: `${namespace ?? ''}/${name} addon cannot be deleted`,
        };
      }
      return (
        bundled && {
          level: 'warning',
          message: 'must be kept: upgrades of Harvester expect it',
          fix: 'keep it with enabled: false',
          says: '',
        }
      );
    },
  },
  {
    id: 'addon/lvm-in-use',
    what:
      'the add-on harvester-csi-driver-lvm cannot be disabled while StorageClasses, volumes, or snapshots use ' +
      'it are deleted (Harvester 1.9 and later)',
    says: 'addon cannot be disabled as LVM resources still exist',
    source: `${VALIDATOR} validateDisableLVMAddon (1.9.0)`,
    gate: HarvesterGate.LVM_ADDON_KEPT_IN_USE,
    unknownVersion: 'warning',
    when: ({ manifest }) => manifest.metadata.name === LVM_ADDON && !isEnabled(manifest),
    judgeUpdate: (object, before, world) => {
      if (!isEnabled(before)) {
        return undefined;
      }
      const lvm = world
        .beside(object, GROUP_STORAGE, 'StorageClass')
        .filter((each) => each.manifest.provisioner === LVM_PROVISIONER);
      const classes = new Set(lvm.map((each) => each.manifest.metadata.name));
      const users = LVM_USERS.flatMap(([group, kind, uses]) => {
        const names = world
          .beside(object, group, kind)
          .filter((each) => uses(each.manifest, classes))
          .map((each) => each.manifest.metadata.name);
        return names.length > 0 ? [`${kind} ${some(names)}`] : [];
      });
      return (
        users.length > 0 && {
          path: 'spec.enabled',
          value: specOf(object.manifest).enabled,
          message: `cannot be disabled while these use LVM: ${users.join('; ')}`,
          fix: 'delete them first, with an apply of its own',
          says: `${LVM_ADDON} addon cannot be disabled as LVM resources still exist`,
        }
      );
    },
  },
  {
    id: 'addon/devices-in-use',
    what: 'the add-ons pcidevices-controller and nvidia-driver-toolkit cannot be disabled while a virtual machine has their devices (Harvester 1.8 and later)',
    source: `${VALIDATOR} validatePCIDevicesControllerAddon, validateNvidiaDriverToolkitAddon (1.8.0)`,
    gate: HarvesterGate.DEVICE_ADDON_KEPT_IN_USE,
    unknownVersion: 'warning',
    when: ({ manifest }) => DEVICE_ADDONS.has(manifest.metadata.name) && !isEnabled(manifest),
    judgeUpdate: (object, before, world) => {
      const { name } = object.manifest.metadata;
      const { skip, devices, has } = DEVICE_ADDONS.get(name)!;
      if (!isEnabled(before) || annotationsOf(object.manifest)[skip] === 'true') {
        return undefined;
      }
      const users = world
        .beside(object, GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE)
        .filter(({ manifest }) =>
          records(instanceOf(manifest), 'domain', 'devices', 'hostDevices').some(
            ([, { name: device }]) => has(device, object, world),
          ),
        )
        .map(
          ({ manifest }) => `${manifest.metadata.namespace ?? 'default'}/${manifest.metadata.name}`,
        );
      return (
        users.length > 0 && {
          path: 'spec.enabled',
          value: specOf(object.manifest).enabled,
          message: `cannot be disabled while virtual machines have its devices: ${some(users)}`,
          fix: 'remove the devices from them in an earlier step',
          says: `${name} addon cannot be disabled as the following VMs are using ${devices}: [${users.join(' ')}]`,
        }
      );
    },
  },
]);
