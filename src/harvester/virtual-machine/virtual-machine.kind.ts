import {
  ANNOTATION_AUTO_DELETE,
  ANNOTATION_DEVICES,
  ANNOTATION_INSUFFICIENT,
  ANNOTATION_MAC_ADDRESS,
  ANNOTATION_NETWORK_IPS,
  ANNOTATION_SSH_NAMES,
  ANNOTATION_VOLUME_CLAIMS,
  GROUP_KUBEVIRT,
  KIND_VIRTUAL_MACHINE,
  ManifestNic,
  claimsOf,
  instanceOf,
  nicsIn,
  removedClaimsOf,
} from './machine-manifest.facts';
import { isMacAddress, macAddressPath } from './virtual-machine.check';
import { Unsettled } from '../../core/kind/description/delivery';
import { KeptValues } from '../../core/kind/description/fields';
import { FoundReference } from '../../core/kind/description/references';
import { deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_HARVESTER } from '../../core/kind/kind';
import { whenTrue } from '../../core/kind/ready/health';
import {
  MINUTE,
  READY,
  Readiness,
  byConditions,
  conditionOf,
  failing,
  waiting,
} from '../../core/kind/ready/readiness';
import {
  at,
  kindKey,
  Manifest,
  pathOf,
  records,
  replacedAt,
  valueAt,
} from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { DEVICE_KIND, GROUP_DEVICES } from '../device/device.kind';
import { HARVESTER_KIND } from '../harvester-object.kind';
import { GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT } from '../network/vm-network.kind';

const KUBEVIRT = { group: GROUP_KUBEVIRT, version: 'v1', scope: 'Namespaced' } as const;
const TEMPLATE = { ...HARVESTER_KIND, machinesGoWithout: () => true } as const;

export const KIND_TEMPLATE = 'VirtualMachineTemplate';
export const KIND_TEMPLATE_VERSION = 'VirtualMachineTemplateVersion';

/**
 * Label of a version that Harvester writes: the name of its template.
 * @see harvester/harvester:pkg/controller/master/template/template_version_controller.go
 */
const LABEL_TEMPLATE_ID = 'template.harvesterhci.io/templateID';

export const INSTANCE = 'spec.template.spec';

/** Whether volumes of a machine are deleted with it; all others remain. */
function deletesVolumes(machine: Manifest): boolean {
  const owned = valueAt(machine, 'spec', 'dataVolumeTemplates');
  return removedClaimsOf(machine).length > 0 || (Array.isArray(owned) && owned.length > 0);
}

/** The field `memory` of a machine, and its limit of sockets. */
export const MEMORY = `${INSTANCE}.domain.memory`;
export const MAX_SOCKETS = `${INSTANCE}.domain.cpu.maxSockets`;

/**
 * What Harvester and KubeVirt fill in, also in place of values of the program: Harvester adds the
 * hosts of the networks to its affinity.
 */
export const REWRITTEN: readonly string[] = [
  MAX_SOCKETS,
  MEMORY,
  ...['resources.requests', 'firmware.uuid', 'firmware.serial'].map(
    (field) => `${INSTANCE}.domain.${field}`,
  ),
  `${INSTANCE}.affinity`,
];

/** What others write into a machine. */
const MACHINE_WRITTEN_BY_OTHERS: readonly string[] = [
  ...REWRITTEN,
  'metadata.annotations',
  ...[
    ANNOTATION_MAC_ADDRESS,
    ANNOTATION_NETWORK_IPS,
    ANNOTATION_DEVICES,
    ANNOTATION_INSUFFICIENT,
  ].map((key) => `metadata.annotations[${key}]`),
  ...['latest-observed-api-version', 'storage-observed-api-version'].map(
    (key) => `metadata.annotations[${GROUP_KUBEVIRT}/${key}]`,
  ),
  'spec.template.metadata.creationTimestamp',
  ...[
    'architecture',
    'domain.machine',
    'terminationGracePeriodSeconds',
    'domain.devices.interfaces[*].bridge',
    'domain.devices.interfaces[*].binding',
  ].map((field) => `${INSTANCE}.${field}`),
];

/**
 * The kinds of KubeVirt and CDI, which any cluster may serve, and Harvester's templates of virtual
 * machines.
 */
export const VIRTUAL_MACHINE_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...KUBEVIRT,
    kind: KIND_VIRTUAL_MACHINE,
    part: { noun: 'virtual machine', order: 50 },
    rank: 50,
    stage: ({ metadata }) => ({ stage: 'machines', part: metadata.namespace }),
    writtenByOthers: MACHINE_WRITTEN_BY_OTHERS,
    deletion: deletes(
      'volumes are kept, except those of disks with deleteWithMachine, whose data is lost',
    ),
    machinesGoWithout: () => true,
    references: referencesOf,
    texts: [
      {
        path: `metadata.annotations[${ANNOTATION_VOLUME_CLAIMS}]`,
        sparse: true,
        unread: [ANNOTATION_AUTO_DELETE],
      },
      { path: `spec.template.metadata.annotations[${ANNOTATION_SSH_NAMES}]` },
    ],
    keepLive: keepMacAddresses,
    unsettled: withoutMacAddress,
    ready: {
      judge: machineReadiness,
      timeoutMs: 15 * MINUTE,
      hint: () =>
        'Usual causes: no node has enough CPU, memory, or devices for it, or its disks are not created yet. Fix: read the events of its VirtualMachineInstance ' +
        'and of its claims',
    },
    health: {
      healthy: {
        any: [
          whenTrue('Ready'),
          {
            all: [
              {
                any: [
                  { field: 'spec.runStrategy', is: 'Halted' },
                  { field: 'spec.running', is: false },
                ],
              },
              { field: 'status.printableStatus', is: 'Stopped' },
            ],
          },
        ],
      },
      misread: true,
      slow: true,
    },
    // its MAC addresses must be unique in each cluster network @see
    // harvester/harvester:pkg/webhook/resources/virtualmachine/validator.go getNad
    looksUp: [kindKey(GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT)],
    holds: [
      {
        holds: 'machines',
        what: 'the machine, and the volumes that it deletes',
        asks: true,
        searchedOn: ON_HARVESTER,
        when: deletesVolumes,
      },
      {
        holds: 'machines',
        what: 'the machine (its volumes are kept)',
        asks: true,
        searchedOn: ON_HARVESTER,
      },
    ],
  },
  { ...KUBEVIRT, kind: 'VirtualMachineInstance', rank: 50 },
  { ...KUBEVIRT, kind: 'VirtualMachineInstanceMigration', rank: 70 },
  {
    group: 'cdi.kubevirt.io',
    version: 'v1beta1',
    kind: 'DataVolume',
    scope: 'Namespaced',
    rank: 45,
    stage: 'volumes',
    holds: [{ holds: 'data', what: 'the data on it', asks: true, searchedOn: ON_HARVESTER }],
  },
  {
    ...TEMPLATE,
    kind: KIND_TEMPLATE,
    part: { noun: 'VM template', order: 150 },
    rank: 32,
    stage: 'templates',
    deletion: deletes(
      'its versions are deleted with it; virtual machines that were created from them are kept',
    ),
    // the first version becomes the default @see
    // harvester/harvester:pkg/controller/master/template/template_controller.go
    writtenByOthers: ['spec.defaultVersionId'],
    rewritten: ['spec.defaultVersionId'],
  },
  {
    ...TEMPLATE,
    kind: KIND_TEMPLATE_VERSION,
    rank: 33,
    stage: 'template-versions',
    deletion: deletes('virtual machines that were created from it are kept'),
    looksUp: [kindKey(GROUPS.HARVESTER, KIND_TEMPLATE), kindKey(GROUPS.HARVESTER, 'KeyPair')],
    immutable: [
      {
        id: 'template-version/update',
        what: 'a version of a template is immutable',
        says: 'Update templateVersion is not supported',
        source: 'harvester/harvester:pkg/webhook/resources/templateversion/validator.go',
        fields: [{ path: 'spec', keys: {} }],
        fix: 'create a version with a different name',
      },
    ],
    texts: [
      {
        path: `spec.vm.metadata.annotations[${ANNOTATION_VOLUME_CLAIMS}]`,
        sparse: true,
        unread: [ANNOTATION_AUTO_DELETE],
      },
    ],
    // names of the server are not in the program
    writtenByOthers: [`metadata.labels[${LABEL_TEMPLATE_ID}]`, 'metadata.ownerReferences'],
    unsettled: () => ({
      path: 'spec',
      reason: 'cannot be applied twice: Harvester refuses every update, even one without a change',
      fix: 'deliver it with apply',
    }),
    ready: byConditions('assigned', 'ready'),
    health: { healthy: { all: [whenTrue('assigned'), whenTrue('ready')] } },
    holds: [{ holds: 'data', what: 'this version of the template', searchedOn: ON_HARVESTER }],
  },
];

/**
 * States that KubeVirt reports and that end only when someone acts.
 * @see kubevirt/api:core/v1/types.go VirtualMachinePrintableStatus
 */
const MACHINE_FAILS = [
  'ErrorUnschedulable',
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrorPvcNotFound',
  'ErrorDataVolumeNotFound',
  'DataVolumeError',
  'CrashLoopBackOff',
];

function machineReadiness(live: Manifest): Readiness {
  const status = String(valueAt(live, 'status', 'printableStatus') ?? '');
  if (conditionOf(live, 'Ready')?.status === 'True') {
    return READY;
  }
  const halted =
    valueAt(live, 'spec', 'runStrategy') === 'Halted' || valueAt(live, 'spec', 'running') === false;
  if (halted && status === 'Stopped') {
    return READY;
  }
  return MACHINE_FAILS.includes(status)
    ? failing(status)
    : waiting(status === '' ? 'has not been started yet' : status);
}

/**
 * Harvester gives an interface without an address a new one at every apply.
 * @see harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go
 */
function withoutMacAddress(manifest: Manifest): Unsettled | undefined {
  const nic = nicsIn(manifest).find(({ mac }) => mac === undefined);
  return (
    nic && {
      path: macAddressPath(nic.index),
      reason: `has no MAC address for its interface ${nic.name}, so Harvester gives it a new one at every apply`,
      fix: 'set macAddress, for a running machine to the one that it has',
    }
  );
}

/**
 * A machine that is adopted keeps the MAC addresses of its NICs where the program only derived
 * them: switches, DHCP servers and its own system know it by these. A malformed one never worked,
 * and KubeVirt refuses it.
 */
function keepMacAddresses(
  manifest: Manifest,
  live: Manifest,
  derived: readonly string[],
): KeptValues {
  const nics = nicsIn(manifest);
  const others = matching(nics, nicsIn(live));
  const kept: string[] = [];
  let result = manifest;
  for (const nic of nics) {
    const path = macAddressPath(nic.index);
    const mac = others.get(nic)?.mac;
    if (mac === undefined || !isMacAddress(mac) || mac === nic.mac || !derived.includes(path)) {
      continue;
    }
    result = replacedAt(
      result,
      pathOf(path),
      at(live, pathOf(macAddressPath(others.get(nic)!.index))),
    );
    kept.push(`card ${nic.name} keeps its hardware address ${mac}`);
  }
  return { manifest: result, kept };
}

/**
 * The live NIC of each NIC: the one of its name in the same network, else the next one of the same
 * network that is not taken.
 */
function matching(
  nics: readonly ManifestNic[],
  live: readonly ManifestNic[],
): ReadonlyMap<ManifestNic, ManifestNic> {
  const found = new Map<ManifestNic, ManifestNic>();
  const left = new Set(live);
  const take = (fits: (nic: ManifestNic, other: ManifestNic) => boolean): void => {
    for (const nic of nics.filter((each) => !found.has(each))) {
      const other = [...left].find(
        (each) => each.network === nic.network && each.isPod === nic.isPod && fits(nic, each),
      );
      if (!other) {
        continue;
      }
      found.set(nic, other);
      left.delete(other);
    }
  };
  take((nic, other) => nic.name === other.name);
  take(() => true);
  return found;
}

/**
 * The claims of host devices, which have the names of the devices, the KeyPairs that the UI shows,
 * and the images of its volumes.
 */
function referencesOf(machine: Manifest): FoundReference[] {
  const devices = records(instanceOf(machine), 'domain', 'devices', 'hostDevices').map(
    ([, { name }]) => String(name),
  );
  const keys = String(
    valueAt(machine, 'spec', 'template', 'metadata', 'annotations', ANNOTATION_SSH_NAMES),
  ).matchAll(/"([^"/]+)\/([^"/]+)"/g);
  return [
    ...devices.flatMap((name) =>
      [DEVICE_KIND.PCI_CLAIM, DEVICE_KIND.USB_CLAIM].map((kind) => ({
        group: GROUP_DEVICES,
        kind,
        name,
      })),
    ),
    ...[...keys].map(([, namespace, name]) => ({
      group: GROUPS.HARVESTER,
      kind: 'KeyPair',
      name,
      namespaces: [namespace],
    })),
    ...claimsOf(machine).flatMap(({ imageId = '' }) => {
      const [namespace, name] = imageId.split('/');
      return namespace && name
        ? [{ group: GROUPS.HARVESTER, kind: 'VirtualMachineImage', name, namespaces: [namespace] }]
        : [];
    }),
  ];
}
