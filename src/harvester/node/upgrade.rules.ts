import { conditionOf } from '../../core/kind/ready/readiness';
import { isLate } from '../../core/late/late-token';
import {
  Manifest,
  annotationsOf,
  isRecord,
  kindKey,
  labelsOf,
  printName,
  valueAt,
  itemsAt,
} from '../../core/manifest/manifest';
import { FLEET_LOCAL, GROUPS } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { KindName, refersTo } from '../../core/rule/kit/relations';
import { matches, text } from '../../core/rule/kit/values';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { jsonOf } from '../../core/text/values';

/**
 * Annotation of an Upgrade: no check of its preconditions.
 * @see harvester/harvester:pkg/webhook/resources/upgrade/validator.go skipWebhookAnnotation
 */
const ANNOTATION_SKIP = 'harvesterhci.io/skipWebhook';
/**
 * Annotation of an Upgrade: the nodes that wait, as JSON.
 * @see harvester/harvester:pkg/util/constants.go AnnotationNodeUpgradePauseMap
 */
const PAUSE_PATH = 'metadata.annotations[harvesterhci.io/node-upgrade-pause-map]';
/** Label of an Upgrade: how far it is. */
const LABEL_STATE = 'harvesterhci.io/upgradeState';
const FINISHED: readonly unknown[] = ['Succeeded', 'Failed'];

const isChecked = ({ manifest }: JudgedObject): boolean =>
  String(annotationsOf(manifest)[ANNOTATION_SKIP]).toLowerCase() !== 'true';

/** The name of the first object of a kind that keeps an upgrade from starting. */
function blocker(
  object: JudgedObject,
  world: World,
  [group, kind]: KindName,
  blocks: (manifest: Manifest) => unknown,
): string | undefined {
  const found = world
    .beside(object, group, kind)
    .find(({ manifest }) => blocks(manifest))?.manifest;
  return found && printName(found.metadata);
}

const statusOf = (manifest: Manifest, field: string): unknown => valueAt(manifest, 'status', field);

/** Rules on upgrades of a Harvester: its preconditions. */
export const UPGRADE_RULES: readonly Rule[] = [
  ...rules({ kinds: [kindKey(GROUPS.HARVESTER, 'Version')] }, [
    {
      id: 'upgrade/iso-checksum',
      what: 'the checksum of the ISO image of a Version is SHA-512, in lowercase',
      source: 'harvester/harvester:pkg/webhook/resources/version/validator.go checkISOChecksum',
      field: 'spec.isoChecksum',
      // Longhorn takes no other checksum for a backing image
      check: matches(/^$|^[a-f0-9]{128}$/, {
        message: 'must be a SHA-512 checksum: 128 characters, 0-9 and a-f',
        fix: 'write the output of sha512sum for the ISO image',
        says: 'invalid isoChecksum',
      }),
    },
  ]),
  ...rules(
    {
      kinds: [kindKey(GROUPS.HARVESTER, 'Upgrade')],
      creation: true,
      source: 'harvester/harvester:pkg/webhook/resources/upgrade/validator.go',
    },
    [
      {
        id: 'upgrade/version',
        what: 'an Upgrade has a Version that exists, or an image',
        judge: (object, world) => {
          const [version, image] = ['version', 'image'].map(
            (field) => valueAt(object.manifest, 'spec', field) ?? '',
          );
          if (image !== '') {
            return undefined;
          }
          if (version === '') {
            return {
              path: 'spec.version',
              message: 'must be set, or spec.image',
              fix: 'set the name of a Version',
              says: 'version or image field are not specified.',
            };
          }
          return KNOWN_VERSION('spec.version', version, object, world);
        },
      },
      {
        id: 'upgrade/previous',
        what: 'an upgrade starts after the previous one',
        judge: (object, world) => {
          const other = blocker(
            object,
            world,
            [GROUPS.HARVESTER, 'Upgrade'],
            (manifest) =>
              manifest.metadata.name !== object.manifest.metadata.name &&
              manifest.metadata.namespace === object.manifest.metadata.namespace &&
              manifest.status !== undefined &&
              !FINISHED.includes(labelsOf(manifest)[LABEL_STATE]),
          );
          return (
            other && {
              message: `cannot start while the Upgrade ${other} is in progress`,
              fix: 'wait until it is complete',
              says: 'cannot proceed until previous upgrade',
            }
          );
        },
      },
      {
        id: 'upgrade/schedules',
        what: 'schedules of backups and snapshots are suspended during an upgrade',
        when: isChecked,
        judge: (object, world) => {
          const name = blocker(
            object,
            world,
            [GROUPS.HARVESTER, 'ScheduleVMBackup'],
            (each) => valueAt(each, 'spec', 'suspend') !== true,
          );
          return (
            name && {
              message: `cannot start while the ScheduleVMBackup ${name} is active`,
              fix: 'set its spec.suspend to true',
              says: 'please suspend all backup/snapshot schedule',
            }
          );
        },
      },
      {
        id: 'upgrade/nodes',
        what: 'all nodes are ready and schedulable when an upgrade starts',
        when: isChecked,
        judge: (object, world) => {
          const name = blocker(
            object,
            world,
            ['', 'Node'],
            (each) =>
              valueAt(each, 'spec', 'unschedulable') === true ||
              (conditionOf(each, 'Ready') !== undefined &&
                conditionOf(each, 'Ready')?.status !== 'True'),
          );
          return (
            name && {
              message: `cannot start: the node ${name} is not ready, or not schedulable`,
              fix: 'wait for it, or uncordon it',
              says: `node ${name} is`,
            }
          );
        },
      },
      {
        id: 'upgrade/add-ons',
        what: 'no add-on is being deployed when an upgrade starts',
        when: isChecked,
        judge: (object, world) => {
          const name = blocker(object, world, [GROUPS.HARVESTER, 'Addon'], (each) =>
            /ing$/.test(String(statusOf(each, 'status') ?? '')),
          );
          return (
            name && {
              message: `cannot start while the add-on ${name} is being changed`,
              fix: 'wait until it is ready',
              says: 'please wait for it to be ready or fix it',
            }
          );
        },
      },
      {
        id: 'upgrade/charts',
        what: 'the charts of Harvester are ready when an upgrade starts',
        when: isChecked,
        judge: (object, world) => {
          const name = blocker(
            object,
            world,
            [GROUPS.MANAGEMENT, 'ManagedChart'],
            (each) =>
              each.metadata.namespace === FLEET_LOCAL &&
              conditionOf(each, 'Ready') !== undefined &&
              conditionOf(each, 'Ready')?.status !== 'True',
          );
          return (
            name && {
              message: `cannot start: the ManagedChart ${name} is not ready`,
              fix: 'wait until it is ready, or repair it',
              says: 'is not ready, please wait for it to be ready or fix it',
            }
          );
        },
      },
      {
        id: 'upgrade/backups',
        what: 'no backup or snapshot is being taken when an upgrade starts',
        when: isChecked,
        judge: (object, world) => {
          const name = blocker(
            object,
            world,
            [GROUPS.HARVESTER, 'VirtualMachineBackup'],
            (each) =>
              each.status !== undefined &&
              statusOf(each, 'readyToUse') !== true &&
              statusOf(each, 'error') === undefined,
          );
          return (
            name && {
              message: `cannot start while the VirtualMachineBackup ${name} is being taken`,
              fix: 'wait until it is complete',
              says: 'please wait until all vmbackups are stopped',
            }
          );
        },
      },
      {
        id: 'upgrade/machines',
        level: 'warning',
        what: 'running virtual machines can migrate when an upgrade starts, unless the cluster has one node, or upgrade-config has restoreVM',
        when: isChecked,
        judge: (object, world) => {
          const name =
            world.beside(object, '', 'Node').length > 1 &&
            blocker(
              object,
              world,
              ['kubevirt.io', 'VirtualMachineInstance'],
              (each) =>
                statusOf(each, 'phase') === 'Running' &&
                conditionOf(each, 'LiveMigratable')?.status === 'False',
            );
          return (
            name && {
              message: `cannot start: the virtual machine ${name} cannot migrate`,
              fix: 'stop it before the upgrade',
              says: 'There are non-live migratable VMs that need to be shut off before initiating the upgrade',
            }
          );
        },
      },
      {
        id: 'upgrade/volumes',
        what: 'no volume is degraded when an upgrade starts',
        when: isChecked,
        judge: (object, world) => {
          const name = blocker(
            object,
            world,
            ['longhorn.io', 'Volume'],
            (each) => statusOf(each, 'robustness') === 'degraded',
          );
          return (
            name && {
              message: `cannot start: the volume ${name} is degraded`,
              fix: 'wait until its replicas are healthy',
              says: 'there are degraded volumes, please check all volumes are healthy',
            }
          );
        },
      },
    ],
  ),
  ...rules(
    {
      kinds: [kindKey(GROUPS.HARVESTER, 'Upgrade')],
      source: 'harvester/harvester:pkg/webhook/resources/upgrade/validator.go',
    },
    [
      {
        id: 'upgrade/pause',
        what: 'the annotation for nodes that wait during an upgrade is JSON, with pause or unpause for each node',
        field: PAUSE_PATH,
        check: text((path, value, object, world) => {
          const map = pauseMapOf(value);
          if (!map) {
            return {
              path,
              value,
              message: 'must be JSON such as {"node1":"pause"}',
              fix: 'write pause or unpause for each node',
              says: 'fail to unmarshal',
            };
          }
          const unknown = Object.keys(map).find(
            (name) =>
              world.isListed(object, '', 'Node') &&
              !world.knows(object, '', 'Node', undefined, name),
          );
          return (
            unknown !== undefined && {
              path,
              value: unknown,
              message: 'must be the name of a node',
              fix: 'correct the name',
              says: `node ${unknown} does not exist`,
            }
          );
        }),
      },
      {
        id: 'upgrade/deletion',
        what: 'an Upgrade is not deleted while nodes are upgraded',
        judgeDeletion: ({ manifest }) =>
          conditionOf(manifest, 'NodesUpgraded')?.status === 'Unknown' && {
            message: 'cannot be deleted while nodes are upgraded',
            fix: 'wait until it is complete',
            says: 'node upgrade is in progressing',
          },
      },
    ],
  ),
  ...rules(
    {
      kinds: [kindKey(GROUPS.HARVESTER, 'SupportBundle')],
      source: 'harvester/harvester:pkg/webhook/resources/supportbundle/validator.go',
    },
    [
      {
        id: 'support-bundle/namespaces',
        what: 'the further namespaces of a SupportBundle exist',
        creation: true,
        field: 'spec.extraCollectionNamespaces',
        check: (path, names, object, world) => {
          const list = itemsAt(names);
          const unknown = list.findIndex(
            (name) =>
              typeof name === 'string' &&
              name !== '' &&
              !isLate(name) &&
              world.isListed(object, '', 'Namespace') &&
              !world.knows(object, '', 'Namespace', undefined, name),
          );
          return (
            unknown >= 0 && {
              path: `${path}[${unknown}]`,
              value: list[unknown],
              message: 'must be the name of a namespace',
              fix: 'correct the name',
              says: `namespace ${String(list[unknown])} not found`,
            }
          );
        },
      },
    ],
  ),
  ...rules(
    {
      kinds: [kindKey(GROUPS.HARVESTER, 'BlockDevice')],
      source: 'harvester/node-disk-manager:pkg/webhook/blockdevice/validator.go',
    },
    [
      {
        id: 'block-device/provisioner',
        what: 'a disk has one provisioner: Longhorn or LVM',
        field: 'spec.provisioner',
        check: (_, provisioner) =>
          Boolean(valueAt(provisioner, 'lvm') && valueAt(provisioner, 'longhorn')) && {
            value: undefined,
            message: 'must have either longhorn or lvm',
            fix: 'remove one of them',
            says: 'Blockdevice should not have multiple provisioners',
          },
      },
    ],
  ),
];

const KNOWN_VERSION = refersTo([GROUPS.HARVESTER, 'Version'], {
  namespace: ({ manifest }) => manifest.metadata.namespace,
  problem: (name) => ({
    message: 'must be the name of a Version in the same namespace',
    fix: 'declare the Version',
    says: `version ${name} is not found`,
  }),
});

function pauseMapOf(value: string): object | undefined {
  const map = jsonOf(value);
  return isRecord(map) &&
    Object.values(map).every((action) => ['pause', 'unpause'].includes(String(action)))
    ? map
    : undefined;
}
