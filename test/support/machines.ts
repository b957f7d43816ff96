import { brief } from './judging';
import { Manifest } from '../../src/core/manifest/manifest';
import { Finding } from '../../src/core/rule/finding';
import { judge } from '../../src/core/rule/judge';
import { JudgedObject, JudgedTarget, World } from '../../src/core/rule/rule';
import { VALUE_RULES } from '../../src/core/shape/shape.rules';
import { SCHEDULE_RULES } from '../../src/harvester/backup/backup.rules';
import { VOLUME_RULES } from '../../src/harvester/storage/storage.rules';
import { derivedMac } from '../../src/harvester/virtual-machine/virtual-machine.check';
import { VIRTUAL_MACHINE_RULES } from '../../src/harvester/virtual-machine/virtual-machine.rules';
import { IMMUTABLE_RULES } from '../../src/registry/all-rules';

/** The rules of this family. */
export const RULES = [
  ...VIRTUAL_MACHINE_RULES,
  ...VOLUME_RULES,
  ...SCHEDULE_RULES,
  ...IMMUTABLE_RULES,
  ...VALUE_RULES,
];

/** The Harvester cluster of the manifests that a test checks. */
export interface Around {
  readonly kind?: JudgedTarget['kind'];
  /** Harvester's version. @default - not known */
  readonly version?: string;
  readonly live?: readonly Manifest[];
  readonly before?: readonly Manifest[];
}

/** Runs the rules over manifests on one Harvester. */
export function findings(
  manifests: readonly Manifest[],
  { kind = 'harvester', version, live = [], before = [] }: Around = {},
): Finding[] {
  const target: JudgedTarget = {
    name: 'dc1',
    kind,
    ...(version ? { harvesterVersion: version } : {}),
  };
  const on = (list: readonly Manifest[]): JudgedObject[] =>
    list.map((manifest) => ({ manifest, target }));
  return judge(RULES, new World(on(manifests), on(live), on(before)));
}

/** The findings as `level rule path`. */
export const told = (manifests: readonly Manifest[], around?: Around): string[] =>
  brief(findings(manifests, around));

/** What the findings say, and what to do. */
export const messages = (manifests: readonly Manifest[], around?: Around): string[] =>
  findings(manifests, around).map(({ message, fix }) => `${message}. Fix: ${fix}`);

/** A claim as Harvester's annotation holds it. */
export const claim = (
  name: string,
  fields: { imageId?: string; storageClassName?: string; size?: string } = {},
): object => ({
  metadata: {
    name,
    ...(fields.imageId === undefined
      ? {}
      : { annotations: { 'harvesterhci.io/imageId': fields.imageId } }),
  },
  spec: {
    accessModes: ['ReadWriteMany'],
    resources: { requests: { storage: fields.size ?? '10Gi' } },
    volumeMode: 'Block',
    ...(fields.storageClassName === undefined ? {} : { storageClassName: fields.storageClassName }),
  },
});

/**
 * What replaces parts of a machine: of its spec, its instance and so on inwards, of its metadata,
 * of its template's metadata.
 */
type Parts = {
  readonly [
    part in 'spec' | 'instance' | 'domain' | 'devices' | 'annotations' | 'labels' | 'template'
  ]?: object;
};

/** The hardware address of the card of a machine of that name. */
const macOf = (name: string): string =>
  derivedMac({ target: 'dc1', namespace: 'default', machine: name, nic: 'nic-0' });

/** A virtual machine with a disk and a card. */
export function machine(name: string, parts: Parts = {}): Manifest {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      name,
      namespace: 'default',
      labels: { ...parts.labels },
      annotations: {
        'harvesterhci.io/volumeClaimTemplates': JSON.stringify([claim(`${name}-a`)]),
        ...parts.annotations,
      },
    },
    spec: {
      runStrategy: 'RerunOnFailure',
      template: {
        metadata: { labels: {}, ...parts.template },
        spec: {
          domain: {
            cpu: { cores: 1 },
            resources: { limits: { memory: '1Gi' } },
            devices: {
              disks: [{ name: 'a', disk: { bus: 'virtio' } }],
              interfaces: [{ name: 'nic-0', bridge: {}, macAddress: macOf(name) }],
              ...parts.devices,
            },
            ...parts.domain,
          },
          networks: [{ name: 'nic-0', multus: { networkName: 'default/prod' } }],
          volumes: [{ name: 'a', persistentVolumeClaim: { claimName: `${name}-a` } }],
          ...parts.instance,
        },
      },
      ...parts.spec,
    },
  } as Manifest;
}

/** A schedule of backups; its type is snapshot, which needs no target. */
export const schedule = (
  name: string,
  spec: object = {},
  vm = name,
  metadata: object = {},
): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'ScheduleVMBackup',
  metadata: { name, namespace: 'default', ...metadata },
  spec: {
    cron: '0 2 * * *',
    retain: 8,
    maxFailure: 4,
    vmbackup: {
      type: 'snapshot',
      source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: vm },
    },
    ...spec,
  },
});

/** A separate volume. */
export const volume = (name: string, spec: object = {}, annotations: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default', annotations: { ...annotations } },
  spec: {
    accessModes: ['ReadWriteMany'],
    volumeMode: 'Block',
    storageClassName: 'fast',
    resources: { requests: { storage: '10Gi' } },
    ...spec,
  },
});
