import { Size } from 'cdk8s';
import type { ITarget } from '../../../core/construct/target';
import { sizeCall, unless } from '../../../core/draft/draft';
import {
  BOOL,
  isJson,
  map,
  parseFloat64,
  pointer,
  STRING,
  goStruct,
} from '../../../core/go/go-json';
import { isLate } from '../../../core/late/late-token';
import { isRecord } from '../../../core/manifest/manifest';
import { DNS_SUBDOMAIN } from '../../../core/problem/label';
import { Problem } from '../../../core/problem/problem';
import { Findings } from '../../../core/rule/findings';
import { GROUP_SNAPSHOT, GROUP_STORAGE } from '../../storage/storage.kind';
import {
  SETTING_CONTROLLERS,
  SETTINGS_GO,
  VALIDATOR,
  integer,
  json,
  settingEntry,
  syncer,
  words,
} from '../entry/setting-entry.check';
import { readBoolean, readJson, readList, readText } from '../entry/setting-text.facts';

/** The snapshot classes of a storage driver. */
export interface CsiSnapshotClasses {
  /** The VolumeSnapshotClass of snapshots. */
  readonly volumeSnapshotClassName: string;
  /** The VolumeSnapshotClass of backups. @default - the driver makes no backups */
  readonly backupVolumeSnapshotClassName?: string;
}

/**
 * CPUs of Longhorn's instance managers by data engine: percent of a node's CPUs, 0 to 40. Needs
 * Harvester 1.8.0.
 */
export interface InstanceManagerCpuProps {
  /** The first data engine. */
  readonly v1Percent: number;
  /** The second data engine. */
  readonly v2Percent: number;
}

const CPU_FORMAT = '{"cpu":{"v1":"12","v2":"12"}} or {"cpu":{}}';
const MAX_CPU = 40;

/** The limit that a percentage breaks, in the server's words; undefined if it breaks none. */
function brokenCpuLimit(percent: number): string | undefined {
  if (percent < 0) {
    return 'larger than or equal to 0';
  }
  return percent > MAX_CPU ? `less than or equal to ${MAX_CPU}` : undefined;
}

// read as the server does: maps, whose keys match exactly
function checkInstanceManager(value: string): Problem[] {
  const refuse = (path: string, message: string, says?: string): Problem[] => [
    {
      path,
      value,
      message,
      fix: `give ${CPU_FORMAT}, percent of a node's CPUs from 0 to ${MAX_CPU} as text`,
      ...(says === undefined ? {} : { says: `failed to parse value: ${says}` }),
    },
  ];
  const config: unknown = isJson(value) ? JSON.parse(value) : undefined;
  if (config === undefined || (config !== null && !isRecord(config))) {
    return refuse('value', 'must be a JSON object');
  }
  if (!config || !Object.prototype.hasOwnProperty.call(config, 'cpu')) {
    return refuse('value.cpu', 'is missing', 'cpu is required');
  }
  const { cpu } = config;
  if (cpu !== null && !isRecord(cpu)) {
    return refuse('value.cpu', 'must be an object');
  }
  const engines = new Map(Object.entries(cpu ?? {}));
  return engines.size === 0
    ? []
    : ['v1', 'v2'].flatMap((engine): Problem[] => {
        const path = `value.cpu.${engine}`;
        const percent = engines.get(engine);
        if (percent === undefined) {
          return refuse(path, 'is missing', `cpu.${engine} is required`);
        }
        if (typeof percent === 'string' && isLate(percent)) {
          return [];
        }
        const number = typeof percent === 'string' ? parseFloat64(percent) : undefined;
        if (number === undefined) {
          return refuse(path, 'must be a number as text');
        }
        const limit = brokenCpuLimit(number);
        return limit
          ? refuse(path, `must be 0 to ${MAX_CPU} percent`).map((problem) => ({
              ...problem,
              says: `failed to validate value cpu.${engine}: value ${percent as string} for data engine v1 should be ${limit}`,
            }))
          : [];
      });
}

const CSI_FORMAT =
  '{"driver.longhorn.io":{"volumeSnapshotClassName":"longhorn-snapshot","backupVolumeSnapshotClassName":"longhorn"}}';
const EXPAND_FORMAT = '{"driver.longhorn.io":true}';
const VERSIONS_FORMAT =
  '{"harvester-cloud-provider":">=0.0.1 <0.3.0","harvester-csi-provider":">=0.0.1 <0.3.0"}';

function checkSnapshotClass(value: string): Findings {
  return (
    (!DNS_SUBDOMAIN.test(value) || value.length > 253) && {
      message: 'must be the name of an existing VolumeSnapshotClass',
      fix: 'give the name of a VolumeSnapshotClass',
      says: `volumesnapshotclasses.snapshot.storage.k8s.io "${value}" not found`,
    }
  );
}

const BOOLEAN = ['true', 'false'];

/** The settings of storage. */
export const STORAGE_FAMILY = {
  'instance-manager-resources': settingEntry<InstanceManagerCpuProps>({
    since: '1.8.0',
    what: "the CPUs of Longhorn's instance managers; all volumes must be detached",
    format: CPU_FORMAT,
    default: '{"cpu":{}}',
    undeletable: true,
    print: ({ v1Percent, v2Percent }) => ({
      cpu: { v1: String(v1Percent), v2: String(v2Percent) },
    }),
    adopt: readJson(({ cpu }) => ({ v1Percent: Number(cpu.v1), v2Percent: Number(cpu.v2) })),
    controller: syncer(),
    source:
      'harvester/harvester:pkg/settings/settings_helper.go DecodeLHIMResources; longhorn/longhorn-manager:types/setting.go',
    check: checkInstanceManager,
  }),
  'csi-driver-config': settingEntry<{ readonly [driver: string]: CsiSnapshotClasses }>({
    since: '1.2.0',
    what: 'the snapshot classes of each storage driver',
    format: CSI_FORMAT,
    default: CSI_FORMAT,
    level: 'warning',
    print: (drivers) =>
      Object.fromEntries(
        Object.entries(drivers).map(
          ([driver, { volumeSnapshotClassName, backupVolumeSnapshotClassName }]) => [
            driver,
            {
              volumeSnapshotClassName,
              backupVolumeSnapshotClassName: backupVolumeSnapshotClassName ?? '',
            },
          ],
        ),
      ),
    adopt: readJson((drivers) =>
      Object.fromEntries(
        Object.entries(drivers).map(([driver, classes]) => [
          driver,
          {
            ...classes,
            backupVolumeSnapshotClassName: unless(classes.backupVolumeSnapshotClassName, ''),
          },
        ]),
      ),
    ),
    source: SETTINGS_GO,
    check: json({
      type: map(
        pointer(
          goStruct({ volumeSnapshotClassName: STRING, backupVolumeSnapshotClassName: STRING }),
        ),
      ),
    }),
  }),
  'csi-online-expand-validation': settingEntry<{ readonly [driver: string]: boolean }>({
    since: '1.6.0',
    what: 'the storage drivers whose volumes may grow while in use',
    format: EXPAND_FORMAT,
    default: EXPAND_FORMAT,
    level: 'warning',
    print: (drivers) => drivers,
    adopt: readJson((drivers) => drivers),
    source: SETTINGS_GO,
    check: json({ type: map(BOOL) }),
  }),
  'harvester-csi-ccm-versions': settingEntry<{ readonly [chart: string]: string }>({
    what: 'the chart versions of cloud provider and storage driver that guest clusters may have',
    format: VERSIONS_FORMAT,
    default: VERSIONS_FORMAT,
    level: 'warning',
    print: (versions) => versions,
    adopt: readJson((versions) => versions),
    source: SETTINGS_GO,
    check: json({ type: map(STRING) }),
  }),
  'default-storage-class': settingEntry<{ readonly name: string; readonly target: ITarget }>({
    what: "the storage class of Harvester's own volumes",
    format: 'the name of a StorageClass',
    default: 'longhorn',
    level: 'warning',
    print: ({ name }) => name,
    adopt: (name, refer) => refer(`${GROUP_STORAGE}/StorageClass`, name),
    refersTo: (storageClass) => [['storageClass', storageClass]],
    source: SETTINGS_GO,
    check: (name) =>
      !DNS_SUBDOMAIN.test(name) && {
        message: 'must be the name of a StorageClass',
        fix: 'give the name of a StorageClass',
      },
  }),
  'volume-snapshot-class': settingEntry<string>({
    what: 'the snapshot class of restores into another namespace',
    format: 'the name of a VolumeSnapshotClass',
    default: 'longhorn',
    judgesDefault: 'always',
    needs: (name) => [{ group: GROUP_SNAPSHOT, kind: 'VolumeSnapshotClass', name }],
    // after VolumeSnapshotClasses
    rank: 21,
    print: (name) => name,
    adopt: readText,
    source: VALIDATOR,
    check: checkSnapshotClass,
  }),
  'auto-disk-provision-paths': settingEntry<readonly string[]>({
    what: 'the disks that Harvester formats and uses by itself, on all nodes',
    format: '/dev/sd*,/dev/hd*',
    level: 'warning',
    print: (patterns) => patterns.join(','),
    adopt: readList,
    controller: syncer(),
    source: `${SETTING_CONTROLLERS}/auto_disk_provision.go; harvester/docs:docs/advanced/settings.md`,
    check: () => ({
      message:
        'makes Harvester format every disk that matches, on all nodes, now and later: their data is lost',
      fix: 'add disks node by node, or suppress this with the reason why they hold no data',
    }),
  }),
  'longhorn-v2-data-engine-enabled': settingEntry<boolean>({
    since: '1.4.0',
    what: "whether volumes may use Longhorn's second data engine",
    format: 'true or false',
    default: 'false',
    level: 'warning',
    print: String,
    adopt: readBoolean,
    controller: syncer(),
    source: `${SETTING_CONTROLLERS}/nodeconfig.go`,
    check: words(BOOLEAN, 'any other text means false'),
  }),
  'longhorn-v2-data-engine-hugepage-enabled': settingEntry<boolean>({
    since: '1.9.0',
    what: "whether Longhorn's second data engine uses huge pages",
    format: 'true or false',
    default: 'true',
    level: 'warning',
    print: String,
    adopt: readBoolean,
    controller: syncer(),
    source: `${SETTING_CONTROLLERS}/nodeconfig.go`,
    check: words(BOOLEAN, 'any other text means true'),
  }),
  'longhorn-v2-data-engine-memory-size': settingEntry<Size>({
    since: '1.9.0',
    what: "the memory of Longhorn's second data engine on each node, in MiB",
    format: 'an even number of MiB',
    default: '2048',
    print: (size) => String(size.toMebibytes()),
    adopt: (mebibytes) => sizeCall(`${mebibytes}Mi`),
    controller: syncer(),
    source: VALIDATOR,
    check: integer({
      allowed: 'an even number of MiB above 0',
      refuses: (number) => {
        if (number <= 0) {
          return 'longhorn-v2-data-engine-memory-size must be greater than zero';
        }
        if (number % 2 !== 0) {
          return 'longhorn-v2-data-engine-memory-size must be evenly divisible by two';
        }
        return undefined;
      },
    }),
  }),
};
