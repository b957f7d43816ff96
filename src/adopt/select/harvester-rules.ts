import { Around, OwnRule, ownersOf, manifestText } from './own-rule';
import { TargetKind } from '../../core/construct/target';
import {
  Manifest,
  annotationsOf,
  isFromServer,
  isRecord,
  labelsOf,
  valueAt,
} from '../../core/manifest/manifest';
import { GROUPS, HARVESTER_PUBLIC } from '../../core/manifest/names';
import { CLUSTER_ROLE_CLOUD_PROVIDER } from '../../guest/cloud-provider/cloud-provider.kind';
import { LABEL_MACHINE_SET } from '../../guest/machine-config/machine-config.kind';
import { bundledAddon } from '../../harvester/addon/addon.kind';
import { isClusterBalancer } from '../../harvester/load-balancer/load-balancer.check';
import {
  BUILT_IN_STORAGE_CLASSES,
  GROUP_SNAPSHOT,
  LONGHORN,
} from '../../harvester/storage/storage.kind';

const harvester = (...kinds: readonly string[]): string[] =>
  kinds.map((kind) => `${GROUPS.HARVESTER}/${kind}`);
const device = (kind: string): string[] => [`devices.harvesterhci.io/${kind}`];
const ON_HARVESTER = [TargetKind.HARVESTER];

const BUILT_IN = 'is built into Harvester';
const NOT_CONFIGURED = 'is a device that is not configured';

/**
 * The templates of virtual machines that Harvester creates, their versions, and their user data.
 * @see harvester/harvester:pkg/data/template.go
 */
const BUILT_IN_TEMPLATE =
  /^(windows-)?(iso|raw)-image-(base-(template|version)|template-userdata)$|^windows-(iso-(small|medium|large)|w11-iso)-(template|version)$/;

/**
 * Annotation of a backup of a schedule.
 * @see harvester/harvester:pkg/util/constants.go AnnotationSVMBackupID, LabelSVMBackupUID
 */
const SCHEDULE_MARKS = ['harvesterhci.io/svmbackupId', 'harvesterhci.io/svmbackupUID'];

/**
 * The names that the CSI driver gives to volumes of guest clusters.
 * @see harvester/harvester-csi-driver:pkg/csi/controller_server.go CreateVolume
 */
const GUEST_CLAIM = /^pvc-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What Harvester, its add-ons, the node driver and the cloud provider write. */
export const HARVESTER_RULES: readonly OwnRule[] = [
  {
    kinds: harvester('Addon'),
    when: isAddonAsShipped,
    says: 'is an add-on of Harvester that is not enabled',
  },
  {
    kinds: [
      ...harvester('VirtualMachineTemplate', 'VirtualMachineTemplateVersion'),
      '/ConfigMap',
      '/Secret',
    ],
    when: ({ metadata }) =>
      metadata.namespace === HARVESTER_PUBLIC && BUILT_IN_TEMPLATE.test(metadata.name),
    says: BUILT_IN,
  },
  {
    // @see harvester/harvester:pkg/webhook/resources/templateversion/validator.go Update
    kinds: harvester('VirtualMachineTemplateVersion'),
    when: isFromServer,
    says: 'is a version that Harvester never updates: it remains as it is until its template is deleted',
  },
  {
    on: ON_HARVESTER,
    kinds: ['storage.k8s.io/StorageClass'],
    when: ({ metadata }) => BUILT_IN_STORAGE_CLASSES.includes(metadata.name),
    says: BUILT_IN,
  },
  {
    on: ON_HARVESTER,
    kinds: ['storage.k8s.io/StorageClass'],
    when: (each) => manifestText(each, 'parameters', LONGHORN.BACKING_IMAGE) !== '',
    says: 'Harvester creates it from an image',
  },
  {
    on: ON_HARVESTER,
    kinds: [`${GROUP_SNAPSHOT}/VolumeSnapshotClass`],
    when: ({ metadata }) => /^longhorn(-snapshot)?$/.test(metadata.name),
    says: BUILT_IN,
  },
  {
    on: ON_HARVESTER,
    kinds: ['snapshot.storage.k8s.io/VolumeSnapshot'],
    when: (each) => ownersOf(each).length > 0,
    says: 'belongs to a backup',
  },
  {
    kinds: ['kubevirt.io/VirtualMachine'],
    when: isMachine,
    says: 'is a machine of a guest cluster',
  },
  {
    kinds: ['/PersistentVolumeClaim'],
    when: (claim, around) => around.isOfMachine(claim),
    says: 'its virtual machine creates it',
  },
  {
    on: ON_HARVESTER,
    kinds: ['/PersistentVolumeClaim'],
    when: ({ metadata }) => GUEST_CLAIM.test(metadata.name),
    says: 'is a volume of a guest cluster',
  },
  {
    kinds: ['/ServiceAccount'],
    when: isOfCloudProvider,
    says: "Harvester creates it for the cloud provider of a guest cluster of Rancher's UI",
  },
  { kinds: ['/Secret'], when: isOfMachine, says: 'belongs to a machine of a guest cluster' },
  {
    kinds: ['loadbalancer.harvesterhci.io/LoadBalancer'],
    when: isClusterBalancer,
    says: 'the cloud provider of a guest cluster creates it from a Service',
  },
  {
    kinds: harvester('VirtualMachineBackup'),
    when: (backup) =>
      SCHEDULE_MARKS.some((key) => key in annotationsOf(backup) || key in labelsOf(backup)),
    says: 'a ScheduleVMBackup creates it',
  },
  {
    kinds: harvester('VirtualMachineRestore', 'Upgrade', 'SupportBundle'),
    says: 'is an action that was carried out once',
  },
  { kinds: harvester('Version'), says: 'is a release that Harvester found' },
  {
    kinds: harvester('ResourceQuota'),
    when: (quota) => !isFilled(valueAt(quota, 'spec')),
    says: 'limits nothing',
  },
  { kinds: device('PCIDevice'), says: 'is a device that Harvester found' },
  {
    kinds: [...device('VGPUDevice'), ...device('SRIOVGPUDevice')],
    when: (each) => valueAt(each, 'spec', 'enabled') !== true,
    says: NOT_CONFIGURED,
  },
  {
    kinds: device('SRIOVNetworkDevice'),
    when: (each) => !(Number(valueAt(each, 'spec', 'numVFs')) > 0),
    says: NOT_CONFIGURED,
  },
  { kinds: harvester('BlockDevice'), when: isUnusedDisk, says: 'is a disk that is not configured' },
  {
    kinds: [`${GROUPS.HARVESTER_NODE}/NodeConfig`],
    says: 'Harvester creates it from its settings',
  },
  { kinds: ['longhorn.io/Setting'], says: 'is a setting of Longhorn, whose default is unknown' },
  { kinds: ['longhorn.io/Node'], when: hasNoTags, says: 'is a node of Longhorn without tags' },
];

/**
 * Users only enable an add-on of Harvester; its values are those of the release as long as it is
 * disabled.
 */
function isAddonAsShipped(addon: Manifest): boolean {
  const { name, namespace } = addon.metadata;
  return bundledAddon(name, namespace) !== undefined && valueAt(addon, 'spec', 'enabled') !== true;
}

/** Only the node driver sets the label: virtual machines of custom clusters have the others. */
function isMachine(machine: Manifest): boolean {
  const ofTemplate = valueAt(machine, 'spec', 'template', 'metadata', 'labels');
  return (
    LABEL_MACHINE_SET in labelsOf(machine) ||
    (isRecord(ofTemplate) && LABEL_MACHINE_SET in ofTemplate)
  );
}

/** Whether a Secret is that of a machine: the cloud-init data that the node driver writes. */
function isOfMachine(secret: Manifest, around: Around): boolean {
  return ownersOf(secret).some(({ kind, name }) => {
    const machine =
      kind === 'VirtualMachine'
        ? around.find('kubevirt.io', kind, name, secret.metadata.namespace)
        : undefined;
    return machine !== undefined && isMachine(machine);
  });
}

/**
 * Whether Harvester's API made an account: only its bindings belong to the ServiceAccount.
 *
 * @see harvester/harvester:pkg/api/kubeconfig/generate_handler.go createRoleBindingIfNotExists
 */
function isOfCloudProvider({ metadata }: Manifest, around: Around): boolean {
  const { name, namespace } = metadata;
  const isOwner = (binding: Manifest): boolean =>
    ownersOf(binding).some((owner) => owner.kind === 'ServiceAccount' && owner.name === name);
  return around
    .ofKind('rbac.authorization.k8s.io/RoleBinding')
    .some(
      (binding) =>
        binding.metadata.namespace === namespace &&
        isOwner(binding) &&
        manifestText(binding, 'roleRef', 'name') === CLUSTER_ROLE_CLOUD_PROVIDER,
    );
}

function isUnusedDisk(disk: Manifest): boolean {
  const isProvisioned =
    valueAt(disk, 'spec', 'provision') === true ||
    valueAt(disk, 'spec', 'fileSystem', 'provisioned') === true;
  return !isProvisioned && !isFilled(valueAt(disk, 'spec', 'tags'));
}

function hasNoTags(node: Manifest): boolean {
  const disks = valueAt(node, 'spec', 'disks');
  return ![
    valueAt(node, 'spec', 'tags'),
    ...Object.values(isRecord(disks) ? disks : {}).map((disk) => valueAt(disk, 'tags')),
  ].some(isFilled);
}

function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) {
    return value.length > 0;
  }
  return (
    isRecord(value) &&
    Object.values(value).some((each) => each !== null && (!isRecord(each) || isFilled(each)))
  );
}
