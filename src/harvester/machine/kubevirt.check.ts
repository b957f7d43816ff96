import {
  all,
  between,
  DNS_LABEL,
  isUnset,
  needed,
  object,
} from '../../core/kubernetes/value/value.check';
import { AFFINITY } from '../../core/kubernetes/workload/pod.check';
import { isLate } from '../../core/late/late-token';
import { isRecord, itemsAt, valueAt } from '../../core/manifest/manifest';
import { NO_PROBLEMS, Problem, problemsOf } from '../../core/problem/problem';
import { each, fields, matches, must, quantity, ValueCheck } from '../../core/rule/kit/values';
import { isBase64 } from '../../core/shape/limits';
import { plainText } from '../../core/text/plain-text';

type Fields = { readonly [field: string]: unknown };

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** The check that an object has exactly one of some fields. */
function oneField(names: readonly string[], says: string, least = 1): ValueCheck {
  return object((path, value) => {
    const found = names.filter((name) => isSet(value[name]));
    if (found.length > 1 || found.length < least) {
      return [
        {
          path,
          message: `must have ${least === 0 ? 'at most' : 'exactly'} one of ${names.join(', ')}${found.length > 1 ? `, got ${found.join(', ')}` : ''}`,
          fix: found.length > 1 ? `keep one of them` : `set one of them`,
          says: `${path} ${says}`,
        },
      ];
    }
    return NO_PROBLEMS;
  });
}

/** The check of a device that needs a feature gate of KubeVirt, which Harvester does not enable. */
function gated(gate: string): ValueCheck {
  return (path, value) => {
    if (isSet(value) && !isLate(value)) {
      return [
        {
          path,
          message: `cannot be set: Harvester does not enable the feature gate ${gate} of KubeVirt`,
          fix: 'remove it',
          says: `${gate} feature gate is not enabled`,
        },
      ];
    }
    return NO_PROBLEMS;
  };
}

/** A word that is judged also if it is empty. */
function wordOf(allowed: readonly string[], says: string): ValueCheck {
  return must((value) => typeof value !== 'string' || allowed.includes(value), {
    message: `must be one of ${allowed.filter((one) => one !== '').join(', ')}`,
    fix: 'use one of them, or remove it',
    says,
  });
}

const PCI_ADDRESS = matches(/^[\da-fA-F]{4}:[\da-fA-F]{2}:[\da-fA-F]{2}\.[0-7]$/, {
  message: 'must be a PCI address such as 0000:81:01.0',
  fix: 'write domain, bus, slot, and function, or remove it',
  says: 'has malformed PCI address',
});

/** @see kubevirt/kubevirt:pkg/storage/admitters/disks.go ValidateDisks (v1.7.0) */
const DISK = all(
  oneField(['disk', 'lun', 'cdrom'], 'can only have a single target type defined', 0),
  fields({
    cache: wordOf(['', 'none', 'writethrough', 'writeback'], 'has invalid value'),
    io: wordOf(['', 'native', 'threads'], 'Supported modes are: native, threads.'),
    errorPolicy: wordOf(['stop', 'ignore', 'report', 'enospace'], 'has invalid value'),
    disk: fields({ pciAddress: PCI_ADDRESS }),
  }),
);

/** @see kubevirt/kubevirt:pkg/network/admitter/netiface.go validInterfaceModels (v1.7.0) */
const BINDINGS = ['binding', 'bridge', 'masquerade', 'sriov', 'macvtap', 'passt', 'slirp'];

/** The models of a network interface. */
export const INTERFACE_MODELS = [
  'e1000',
  'e1000e',
  'igb',
  'ne2k_pci',
  'pcnet',
  'rtl8139',
  'virtio',
];

const INTERFACE_FIELDS = fields({
  model: wordOf(['', ...INTERFACE_MODELS], 'that is not supported.'),
  state: wordOf(['', 'up', 'down', 'absent'], 'interface state value is unsupported'),
  pciAddress: PCI_ADDRESS,
  macvtap: gated('Macvtap'),
  passt: gated('Passt'),
});

const INTERFACE = all(
  oneField(BINDINGS, 'interface cannot have both binding plugin and interface binding method', 0),
  INTERFACE_FIELDS,
);

/** @see kubevirt/kubevirt:pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go validateInputDevices (v1.7.0) */
const INPUT = fields({
  type: wordOf(['tablet'], 'Input device can have only tablet type.'),
  bus: wordOf(['', 'virtio', 'usb'], 'Input device can have only virtio or usb bus.'),
});

const VSOCK = gated('VSOCK');

const DEVICES = fields({
  disks: each(DISK),
  interfaces: each(INTERFACE),
  inputs: each(INPUT),
  downwardMetrics: gated('DownwardMetrics'),
  video: gated('VideoConfig'),
  autoattachVSOCK: (path, value) => VSOCK(path, value === true ? value : undefined),
});

/** Isolated CPUs in real time need pinned CPUs and the topology of the host. */
const REALTIME: ValueCheck = object((path, cpu) => {
  if (
    isSet(cpu.realtime) &&
    (cpu.dedicatedCpuPlacement !== true || !isSet(valueAt(cpu, 'numa', 'guestMappingPassthrough')))
  ) {
    return [
      {
        path: `${path}.realtime`,
        message: 'requires dedicatedCpuPlacement and numa.guestMappingPassthrough',
        fix: 'set both, or remove it',
        says: `${path}.dedicatedCpuPlacement must be set to true when ${path}.realtime is used`,
      },
    ];
  }
  return NO_PROBLEMS;
});

const DOMAIN = fields({
  memory: fields({ hugepages: fields({ pageSize: needed(quantity) }) }),
  ioThreadsPolicy: wordOf(['shared', 'auto', 'supplementalPool'], 'Invalid IOThreadsPolicy'),
  cpu: REALTIME,
  devices: DEVICES,
  launchSecurity: oneField(
    ['sev', 'snp', 'tdx'],
    'One and only one launchSecurity type can be set',
  ),
});

const PROBE = oneField(
  ['tcpSocket', 'exec', 'httpGet', 'guestAgentPing'],
  'must have exactly one probe type set',
);

const CREDENTIAL = fields({
  sshPublicKey: fields({
    source: oneField(['secret'], 'must have exactly one source set'),
    propagationMethod: oneField(
      ['configDrive', 'noCloud', 'qemuGuestAgent'],
      'must have exactly one propagationMethod set',
    ),
  }),
  userPassword: fields({
    source: oneField(['secret'], 'must have exactly one source set'),
    propagationMethod: oneField(['qemuGuestAgent'], 'must have exactly one propagationMethod set'),
  }),
});

const BASE64 = matches(isBase64, {
  message: 'must be base64',
  fix: 'use the output of base64 -w0',
  says: 'is not a valid base64 value.',
});

/** The ways to give user data or network data, of which one is used. */
const WAYS = {
  userData: ['userData', 'userDataBase64', 'secretRef'],
  networkData: ['networkData', 'networkDataBase64', 'networkDataSecretRef'],
} as const;

/** The fields with data, without references to nothing. */
function given(value: Fields, names: readonly string[]): string[] {
  return names.filter((name) =>
    /Ref$/.test(name) || name === 'secretRef'
      ? !isUnset(valueAt(value[name], 'name'))
      : !isUnset(value[name]),
  );
}

/** @see kubevirt/kubevirt:pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go validateVolumes (v1.7.0) */
const CLOUD_INIT = all(
  // the text may hold passwords
  (path, value) =>
    problemsOf(['userDataBase64', 'networkDataBase64'], (name) =>
      [...BASE64(`${path}.${name}`, valueAt(value, name))].map(({ value: _, ...rest }) => rest),
    ),
  object((path, value) => {
    const found = Object.values(WAYS).map((names) => given(value, names));
    const several = found.find((names) => names.length > 1);
    if (several !== undefined) {
      return [
        {
          path,
          message: `must have at most one of ${several.join(', ')}`,
          fix: 'keep one of them',
          says: `${path} must have only one userdatasource set.`,
        },
      ];
    }
    if (found.every((names) => names.length === 0)) {
      return [
        {
          path,
          message: 'must have user data or network data',
          fix: 'set userData, or a Secret by secretRef',
          says: `${path} must have at least one userdatasource or one networkdatasource set.`,
        },
      ];
    }
    return NO_PROBLEMS;
  }),
);

const NAMED = fields({ name: needed() });

const VOLUME = fields({
  name: DNS_LABEL,
  cloudInitNoCloud: CLOUD_INIT,
  cloudInitConfigDrive: CLOUD_INIT,
  configMap: NAMED,
});

const NETWORK = oneField(['pod', 'multus'], 'should have a network type');

/** A LUN is a volume with a claim of its own. */
function checkLuns(path: string, instance: Fields): readonly Problem[] {
  const volumes = new Map(
    itemsAt(instance, 'volumes').map((volume) => [valueAt(volume, 'name'), volume]),
  );
  return problemsOf(itemsAt(instance, 'domain', 'devices', 'disks'), (disk, index) => {
    const volume = volumes.get(valueAt(disk, 'name'));
    const fits = ['persistentVolumeClaim', 'dataVolume'].some((name) =>
      isSet(valueAt(volume, name)),
    );
    if (isSet(valueAt(disk, 'lun')) && volume !== undefined && !fits) {
      return [
        {
          path: `${path}.domain.devices.disks[${index}].lun`,
          message: 'must be of a volume with a PersistentVolumeClaim or a DataVolume',
          fix: 'use disk or cdrom',
          says: 'can only be mapped to a DataVolume or PersistentVolumeClaim volume.',
        },
      ];
    }
    return NO_PROBLEMS;
  });
}

/** The architectures of nodes of Harvester. */
const ARCHITECTURES = ['', 'amd64', 'arm64'];

/** What KubeVirt's webhook refuses of the template of a machine, apart from what Harvester's webhook refuses. */
export const MACHINE_INSTANCE: ValueCheck = all(
  fields({
    affinity: AFFINITY,
    domain: DOMAIN,
    networks: each(NETWORK),
    accessCredentials: each(CREDENTIAL),
    readinessProbe: PROBE,
    livenessProbe: PROBE,
    volumes: each(VOLUME),
    evictionStrategy: wordOf(
      ['LiveMigrate', 'LiveMigrateIfPossible', 'None', 'External'],
      'is set with an unrecognized option',
    ),
    startStrategy: wordOf(['Paused'], 'is set with an unrecognized option'),
    architecture: wordOf(ARCHITECTURES, 'MultiArchitecture feature gate is not enabled'),
  }),
  object(checkLuns),
);

/** @see kubevirt/kubevirt:pkg/instancetype (v1.7.0) */
const MATCHER = object((path, { name, inferFromVolume }) => {
  if (isUnset(name) && isUnset(inferFromVolume)) {
    return [
      {
        path,
        message: 'must have name or inferFromVolume',
        fix: 'set one of them, or remove it',
        says: 'Either Name or InferFromVolume should be provided within the',
      },
    ];
  }
  return NO_PROBLEMS;
});

/** The maps in the metadata of a template, and their values, which cannot be null. */
const NO_NULLS: ValueCheck = object((path, metadata) =>
  problemsOf(['labels', 'annotations'], (field) => {
    const map = metadata[field];
    const nulls =
      map === null
        ? [`${path}.${field}`]
        : Object.entries(isRecord(map) ? map : {})
            .filter(([, value]) => value === null)
            .map(([key]) => `${path}.${field}[${key}]`);
    return nulls.map((place) => ({
      path: place,
      message: 'cannot be null',
      fix: 'remove it, or give it a value',
      says: `${plainText(place)} in body must be of type ${map === null ? 'object' : 'string'}: "null"`,
    }));
  }),
);

/** The metadata of a template, which cannot be null. */
const METADATA: ValueCheck = (path, value) =>
  value === null
    ? [
        {
          path,
          message: 'cannot be null',
          fix: 'remove it',
          says: `${path} in body must be of type object: "null"`,
        },
      ]
    : NO_NULLS(path, value);

/** What KubeVirt's webhooks refuse of a VirtualMachine. */
export const MACHINE: ValueCheck = fields({
  spec: fields({
    instancetype: MATCHER,
    preference: MATCHER,
    template: fields({ metadata: METADATA, spec: MACHINE_INSTANCE }),
  }),
});

/** The largest number of a uint32 of Go, as which KubeVirt reads numbers of CPUs. */
const MAX_UINT32 = 2 ** 32 - 1;
const CPUS = between(
  0,
  MAX_UINT32,
  'json: cannot unmarshal number into Go struct field of type uint32',
);

/** The numbers of CPUs of a template, whose definition does not limit them. */
export const TEMPLATE_CPUS: ValueCheck = fields({
  spec: fields({
    vm: fields({
      spec: fields({
        template: fields({
          spec: fields({
            domain: fields({
              cpu: fields({ cores: CPUS, sockets: CPUS, threads: CPUS, maxSockets: CPUS }),
            }),
          }),
        }),
      }),
    }),
  }),
});
