import { isLate } from '../late-token';
import { Problem } from '../problem';
import { integerCheck, jsonCheck, SUBDOMAIN, warn, wordCheck } from './checks';
import { CONTROLLERS, SettingEntry, SETTINGS_GO, syncer, VALIDATOR } from './entry';
import { parseGoJson } from './go-json';
import { BOOL, map, pointer, STRING, struct, unmarshal } from './go-json-decode';
import { parseFloat64 } from './go-numbers';
import { SETTING } from './names';

const IM_FORMAT = '{"cpu":{"v1":"12","v2":"12"}} or {"cpu":{}}';
const IM_MAX = 40;

// read by hand as the server does: maps, so that keys are not matched without regard to case
function checkInstanceManager(value: string): Problem[] {
  const at = { value, fix: `give ${IM_FORMAT}, percents of a node's CPUs from 0 to ${IM_MAX} as text` };
  const refuse = (path: string, message: string, says: string): Problem[] => [{ ...at, path, message, says: `failed to parse value: ${says}` }];
  const parsed = parseGoJson(value);
  const raw = unmarshal<ReadonlyMap<string, unknown> | undefined>(value, map({ go: 'any' }));
  if ('error' in raw || 'error' in parsed) {
    return refuse('value', 'is not the JSON that Harvester reads here', `unmarshal failed, error: ${'error' in raw ? raw.error : ''}, value: ${value}`);
  }
  if (parsed.node.kind !== 'object' || !raw.config?.has('cpu')) { return refuse('value.cpu', 'is missing', 'cpu is required'); }
  const cpu = parsed.node.entries.filter(([key]) => key === 'cpu').at(-1)![1];
  if (cpu.kind !== 'object' && cpu.kind !== 'null') {
    return refuse('value.cpu', 'must be an object', `cpu must be an object with v1/v2, error: json: cannot unmarshal ${cpu.kind} into Go value of type map[string]json.RawMessage`);
  }
  const engines = new Map(cpu.kind === 'object' ? cpu.entries : []);
  if (engines.size === 0) { return []; }
  return ['v1', 'v2'].flatMap((engine): Problem[] => {
    const given = engines.get(engine);
    const path = `value.cpu.${engine}`;
    if (!given) { return refuse(path, 'is missing', `cpu.${engine} is required`); }
    if (given.kind !== 'string') {
      const why = given.kind === 'null' ? 'strconv.ParseFloat: parsing "": invalid syntax' : `json: cannot unmarshal ${given.kind} into Go value of type string`;
      return refuse(path, 'must be a number as text', `invalid cpu.${engine}: ${why}`);
    }
    if (isLate(given.value)) { return []; }
    const number = parseFloat64(given.value);
    if ('error' in number) { return refuse(path, 'must be a number as text', `invalid cpu.${engine}: ${number.error}`); }
    const limit = number.number < 0 ? 'larger than or equal to 0' : number.number > IM_MAX ? `less than or equal to ${IM_MAX}` : undefined;
    return limit ? [{
      ...at,
      path,
      message: `must be a percentage from 0 to ${IM_MAX}`,
      says: `failed to validate value cpu.${engine}: value ${given.value} for data engine v1 should be ${limit}`,
    }] : [];
  });
}

const CSI_FORMAT = '{"driver.longhorn.io":{"volumeSnapshotClassName":"longhorn-snapshot","backupVolumeSnapshotClassName":"longhorn"}}';
const CSI = map(pointer(struct('settings.CSIDriverInfo', { volumeSnapshotClassName: STRING, backupVolumeSnapshotClassName: STRING })));
const EXPAND_FORMAT = '{"driver.longhorn.io":true}';
const VERSIONS_FORMAT = '{"harvester-cloud-provider":">=0.0.1 <0.3.0","harvester-csi-provider":">=0.0.1 <0.3.0"}';

function checkSnapshotClass(value: string): Problem[] {
  return SUBDOMAIN.test(value) && value.length <= 253 ? [] : [{
    path: 'value',
    value,
    message: 'is no name that a VolumeSnapshotClass could have, and the server asks for one that exists',
    fix: 'give the name of a VolumeSnapshotClass',
    says: `volumesnapshotclasses.snapshot.storage.k8s.io "${value}" not found`,
  }];
}

function checkStorageClass(value: string): Problem[] {
  return SUBDOMAIN.test(value) ? [] : [warn({ path: 'value', value, message: 'is no name that a StorageClass could have', fix: 'give the name of a StorageClass' })];
}

function checkDisks(value: string): Problem[] {
  return [warn({
    path: 'value',
    value,
    message: 'makes Harvester take over every disk that matches, on all nodes, now and later: what is on them is destroyed',
    fix: 'add disks node by node, or suppress this with the reason why they hold nothing',
  })];
}

const BOOLEAN = ['true', 'false'];

export const STORAGE_FAMILY: readonly SettingEntry[] = [
  {
    name: SETTING.INSTANCE_MANAGER_RESOURCES,
    since: '1.8.0',
    what: 'the CPUs that Longhorn\'s instance managers are given; all volumes must be detached',
    format: IM_FORMAT,
    default: '{"cpu":{}}',
    undeletable: true,
    judgesDefault: 'never',
    level: 'error',
    controller: syncer(),
    source: 'harvester/harvester:pkg/settings/settings_helper.go DecodeLHIMResources; longhorn/longhorn-manager:types/setting.go',
    check: checkInstanceManager,
  },
  {
    name: SETTING.CSI_DRIVER_CONFIG,
    since: '1.2.0',
    what: 'the snapshot classes of each storage driver',
    format: CSI_FORMAT,
    default: CSI_FORMAT,
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
    check: jsonCheck({ format: CSI_FORMAT, type: CSI, unread: true }),
  },
  {
    name: SETTING.CSI_ONLINE_EXPAND_VALIDATION,
    since: '1.6.0',
    what: 'the storage drivers whose volumes may grow while in use',
    format: EXPAND_FORMAT,
    default: EXPAND_FORMAT,
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
    check: jsonCheck({ format: EXPAND_FORMAT, type: map(BOOL), unread: true }),
  },
  {
    name: SETTING.HARVESTER_CSI_CCM_VERSIONS,
    what: 'the charts of cloud provider and storage driver that guest clusters may have',
    format: VERSIONS_FORMAT,
    default: VERSIONS_FORMAT,
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
    check: jsonCheck({ format: VERSIONS_FORMAT, type: map(STRING), unread: true }),
  },
  {
    name: SETTING.DEFAULT_STORAGE_CLASS,
    what: 'the storage class that Harvester\'s own volumes get',
    format: 'the name of a StorageClass',
    default: 'longhorn',
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
    check: checkStorageClass,
  },
  {
    name: SETTING.VOLUME_SNAPSHOT_CLASS,
    what: 'the snapshot class for restores into another namespace',
    format: 'the name of a VolumeSnapshotClass',
    default: 'longhorn',
    judgesDefault: 'always',
    level: 'error',
    source: VALIDATOR,
    check: checkSnapshotClass,
  },
  {
    name: SETTING.AUTO_DISK_PROVISION_PATHS,
    what: 'the disks that Harvester takes over by itself, on all nodes',
    format: '/dev/sd*,/dev/hd*',
    default: '',
    judgesDefault: 'never',
    level: 'warning',
    controller: syncer(),
    source: `${CONTROLLERS}/auto_disk_provision.go; harvester/docs:docs/advanced/settings.md`,
    check: checkDisks,
  },
  {
    name: SETTING.LONGHORN_V2_DATA_ENGINE_ENABLED,
    since: '1.4.0',
    what: 'whether volumes may use Longhorn\'s second data engine',
    format: 'true or false',
    default: 'false',
    judgesDefault: 'never',
    level: 'warning',
    controller: syncer(),
    source: `${CONTROLLERS}/nodeconfig.go`,
    check: wordCheck(BOOLEAN, 'anything but "true" counts as false'),
  },
  {
    name: SETTING.LONGHORN_V2_DATA_ENGINE_HUGEPAGE_ENABLED,
    since: '1.9.0',
    what: 'whether Longhorn\'s second data engine uses huge pages',
    format: 'true or false',
    default: 'true',
    judgesDefault: 'never',
    level: 'warning',
    controller: syncer(),
    source: `${CONTROLLERS}/nodeconfig.go`,
    check: wordCheck(BOOLEAN, 'anything but "false" counts as true'),
  },
  {
    name: SETTING.LONGHORN_V2_DATA_ENGINE_MEMORY_SIZE,
    since: '1.9.0',
    what: 'the memory of Longhorn\'s second data engine on each node, in MiB',
    format: 'an even number of MiB',
    default: '2048',
    judgesDefault: 'never',
    level: 'error',
    controller: syncer(),
    source: VALIDATOR,
    check: integerCheck({
      what: 'an even number of MiB above 0',
      allowed: 'an even number above 0',
      refuses: (number) => (number <= 0 ? `${SETTING.LONGHORN_V2_DATA_ENGINE_MEMORY_SIZE} must be greater than zero`
        : number % 2 !== 0 ? `${SETTING.LONGHORN_V2_DATA_ENGINE_MEMORY_SIZE} must be evenly divisible by two` : undefined),
    }),
  },
];
