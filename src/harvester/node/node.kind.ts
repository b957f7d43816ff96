import { KeptObjects, deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_HARVESTER } from '../../core/kind/kind';
import { MINUTE, byConditions, byStatus } from '../../core/kind/ready/readiness';
import { Manifest, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { MADE_BY_HARVESTER } from '../device/device.kind';
import { HARVESTER_KIND } from '../harvester-object.kind';
import { HarvesterGate } from '../version/harvester-version';

const ON_NODES = {
  group: GROUPS.HARVESTER_NODE,
  version: 'v1beta1',
  targets: ON_HARVESTER,
  rank: 35,
} as const;
const LONGHORN = {
  group: 'longhorn.io',
  version: 'v1beta2',
  scope: 'Namespaced',
  rank: 45,
} as const;

const DISK_READY = byStatus('provisionPhase', (live) =>
  valueAt(live, 'spec', 'provision') === true ? 'Provisioned' : undefined,
);
const GROUP_READY = byStatus('vgStatus', (live) =>
  valueAt(live, 'spec', 'desiredState') === 'Enabled' ? 'Active' : undefined,
);
const MADE_BY_LONGHORN: readonly KeptObjects[] = [{ says: "is Longhorn's own" }];

/** The kinds of nodes, their disks, and the release that they run. */
export const NODE_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...ON_NODES,
    kind: 'CloudInit',
    deletion: deletes('removes the file from the nodes; its effects last until they reboot'),
    deletions: { images: deletes('removes the file from the nodes; imported images are kept') },
    scope: 'Cluster',
    served: HarvesterGate.CLOUD_INIT_RESOURCE,
    meansTheSame: isSameOnNodes,
    texts: [{ path: 'spec.contents' }],
    secrecyOf: ([first, second]) =>
      first === 'spec' && second === 'contents' ? 'private' : undefined,
  },
  { ...ON_NODES, kind: 'NodeConfig', scope: 'Namespaced', kept: MADE_BY_HARVESTER },
  // one of each for a node, with its name
  { ...ON_NODES, kind: 'Hugepage', scope: 'Cluster', kept: MADE_BY_HARVESTER },
  { ...ON_NODES, kind: 'Ksmtuned', scope: 'Cluster', kept: MADE_BY_HARVESTER },
  // of the add-on harvester-seeder; a Secret has the credentials @see
  // harvester/seeder:pkg/api/v1alpha1/inventory_types.go
  {
    group: 'metal.harvesterhci.io',
    version: 'v1alpha1',
    kind: 'Inventory',
    scope: 'Namespaced',
    targets: ON_HARVESTER,
    rank: 45,
  },
  { ...HARVESTER_KIND, kind: 'BlockDevice', rank: 45, kept: MADE_BY_HARVESTER, ready: DISK_READY },
  {
    ...HARVESTER_KIND,
    kind: 'LVMVolumeGroup',
    rank: 45,
    kept: MADE_BY_HARVESTER,
    ready: GROUP_READY,
  },
  { ...LONGHORN, kind: 'Setting', kept: MADE_BY_LONGHORN },
  { ...LONGHORN, kind: 'Node', kept: MADE_BY_LONGHORN },
  {
    ...HARVESTER_KIND,
    kind: 'Upgrade',
    rank: 70,
    ready: { ...byConditions('Completed'), timeoutMs: 6 * 60 * MINUTE },
  },
  { ...HARVESTER_KIND, kind: 'Version', rank: 65 },
  {
    ...HARVESTER_KIND,
    kind: 'SupportBundle',
    rank: 70,
    machinesGoWithout: () => true,
    ready: { ...byStatus('state', () => 'ready', ['error']), timeoutMs: 30 * MINUTE },
    immutable: [
      {
        id: 'support-bundle/update',
        what: 'the content of a SupportBundle is immutable',
        says: 'modifying the spec of an existing support bundle is not allowed',
        source: 'harvester/harvester:pkg/webhook/resources/supportbundle/validator.go',
        since: HarvesterGate.SUPPORT_BUNDLE_FIXED,
        fields: [{ path: 'spec', keys: {} }],
        fix: 'create a SupportBundle with a different name',
      },
    ],
  },
];

/**
 * Label of the last Upgrade.
 * @see harvester/harvester:pkg/util/constants.go LabelHarvesterLatestUpgrade
 */
export const LABEL_LATEST_UPGRADE = 'harvesterhci.io/latestUpgrade';

/**
 * Annotation of an Upgrade: nodes may join while it is in progress.
 * @see harvester/harvester:pkg/util/constants.go AnnotationAllowNodeJoin (1.9.0)
 */
export const ANNOTATION_ALLOW_NODE_JOIN = 'harvesterhci.io/allow-node-join';

/** Label of nodes that Harvester manages, which is all of them. */
export const LABEL_MANAGED_NODE = 'harvesterhci.io/managed';

/**
 * Files of /oem that belong to Harvester.
 * @see harvester/node-manager:pkg/admitter/cloudinit.go builtinFilenameDenyList
 */
export const PROTECTED_OEM_FILES: readonly string[] = [
  '90_custom.yaml',
  '99_settings.yaml',
  'elemental.config',
  'grubenv',
  'harvester.config',
  'install',
];

const EXTENSION = /\.ya?ml$/;

/**
 * The name of the file that Harvester derives from that of a CloudInit: without folders, and with
 * an extension.
 * @see harvester/node-manager:pkg/mutator/cloudinit.go patchFilenameIfNecessary
 */
export function oemFileOf(filename: string): string {
  const base = filename.replace(/\/+$/, '').split('/').pop()!;
  return EXTENSION.test(base) ? base : `${base}.yaml`;
}

/**
 * Whether nodes get the same file: Harvester appends an extension, and updates a file unless it is
 * paused.
 */
function isSameOnNodes(_: Manifest, path: string, before: unknown, desired: unknown): boolean {
  if (path === 'spec.filename') {
    return typeof before === 'string' && oemFileOf(before) === desired;
  }
  return path === 'spec.paused' && (before ?? false) === desired;
}

/**
 * Labels of a node by which Kubernetes, Harvester and its storage spread over sites.
 * @see https://kubernetes.io/docs/reference/labels-annotations-taints/
 */
export const NODE_LABEL = {
  ZONE: 'topology.kubernetes.io/zone',
  REGION: 'topology.kubernetes.io/region',
} as const;
