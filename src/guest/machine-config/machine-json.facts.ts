import { MachineFields, machineField } from './machine-config.check';
import { BOOL, INT, STRING, UINT, slice, goStruct, unmarshal } from '../../core/go/go-json';
import { isLate } from '../../core/late/late-token';
import { BASE64 } from '../../core/text/plain-text';
import { byText } from '../../core/text/values';

// what encoding/base64 of Go accepts: padded, line breaks allowed

/**
 * The text that the node driver reads from a field that may be plain or base64: it decodes whatever
 * could be base64.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/flags.go stringSupportBase64
 */
export const driverText = byText((text): string => {
  const joined = text.replace(/[\r\n]/g, '');
  return joined !== '' && BASE64.test(joined)
    ? Buffer.from(joined, 'base64').toString('utf8')
    : text;
});

/** A disk, a network interface or a GPU as the node driver reads it; missing fields are empty. */
export type Item = { readonly [field: string]: string | number | boolean | undefined };

export const DISK = {
  imageName: STRING,
  storageClassName: STRING,
  size: INT,
  bootOrder: UINT,
  bus: STRING,
  type: STRING,
  hotPlugAble: BOOL,
};

export const INTERFACE = { networkName: STRING, macAddress: STRING, model: STRING, type: STRING };

export const REQUEST = { name: STRING, deviceName: STRING };

export const DISK_INFO = goStruct({ disks: slice(goStruct(DISK)) });

export const NETWORK_INFO = goStruct({ interfaces: slice(goStruct(INTERFACE)) });

export const VGPU_INFO = goStruct({ vGPURequests: slice(goStruct(REQUEST)) });

/** A disk of a machine. */
export interface MachineDisk {
  readonly path: string;
  readonly imageName?: string;
  readonly storageClassName?: string;
  /** In GiB. */
  readonly size?: number;
  readonly type?: string;
}

/** What a machine refers to; empty if the text is not valid. */
interface MachineReferences {
  readonly images: readonly string[];
  readonly networks: readonly string[];
  /** The disks, that with the first place in the boot order first. */
  readonly disks: readonly MachineDisk[];
}

/** The images, networks and disks of a machine, for rules that look them up. */
export function machineReferences(config: MachineFields): MachineReferences {
  const { images, disks } = disksIn(machineField(config, 'diskInfo') ?? '{}');
  return { images, disks, networks: networksIn(machineField(config, 'networkInfo') ?? '{}') };
}

const isName = (name: unknown): name is string => typeof name === 'string' && name !== '';

const disksIn = byText((text): Omit<MachineReferences, 'networks'> => {
  const disks = unmarshal<{ disks?: readonly Item[] }>(text, DISK_INFO);
  const items =
    'error' in disks
      ? []
      : (disks.config.disks ?? []).map((item, index) => ({
          ...item,
          path: `diskInfo.disks[${index}]`,
        }));
  // no place in the boot order means the last
  const place = ({ bootOrder }: Item): number => Number(bootOrder) || Infinity;
  return {
    images: items.map(({ imageName }: Item) => imageName).filter(isName),
    disks: items.sort((one, other) =>
      place(one) === place(other) ? 0 : place(one) - place(other),
    ) as MachineDisk[],
  };
});

const networksIn = byText((text): readonly string[] => {
  const networks = unmarshal<{ interfaces?: readonly Item[] }>(text, NETWORK_INFO);
  return ('error' in networks ? [] : (networks.config.interfaces ?? []))
    .map(({ networkName }) => networkName)
    .filter(isName);
});

/** The volumes of a machine. */
interface MachineVolumes {
  readonly volumes: number;
  readonly gibibytes: number;
  /** Whether one can be removed while the machine runs. */
  readonly hotplug: boolean;
}

/**
 * The volumes of a machine: one for each disk. The size of one that is left out is that of its
 * image, and unknown here.
 * @see harvester/docker-machine-driver-harvester:harvester/create.go
 */
export function machineVolumes(config: MachineFields): MachineVolumes {
  const text = machineField(config, 'diskInfo');
  if (text === undefined) {
    const volumes = isLate(config.diskInfo) ? 0 : 1;
    return {
      volumes,
      gibibytes: volumes * (Number(machineField(config, 'diskSize')) || 0),
      hotplug: false,
    };
  }
  const decoded = unmarshal<{ disks?: readonly Item[] }>(text, DISK_INFO);
  const disks = 'error' in decoded ? [] : (decoded.config.disks ?? []);
  const gibibytes = disks.reduce((sum, { size }) => sum + (Number(size) || 0), 0);
  return {
    volumes: disks.length,
    gibibytes,
    hotplug: disks.some(({ hotPlugAble }) => hotPlugAble === true),
  };
}

const WHOLLY_LATE = /^\$\{late:[^}|]+\|base64\}$/;

/** The decoded text of user data or network data; undefined if it is not set or late. */
export function cloudInitText(
  config: MachineFields,
  field: 'userData' | 'networkData',
): string | undefined {
  const value = config[field];
  if (typeof value !== 'string' || value === '') {
    return undefined;
  }
  if (!isLate(value)) {
    return driverText(value);
  }
  // text that is late as a whole is unknown; other late values are parts of plain text
  return WHOLLY_LATE.test(value) ? undefined : value;
}
