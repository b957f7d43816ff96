import { FoundReference } from '../../core/kind/description/references';
import { KindDescription, ON_HARVESTER } from '../../core/kind/kind';
import { MINUTE, byStatus } from '../../core/kind/ready/readiness';
import { Manifest, valueAt } from '../../core/manifest/manifest';

/**
 * The API group of the add-on vm-import-controller.
 * @see harvester/vm-import-controller:pkg/apis/migration.harvesterhci.io/v1beta1
 */
export const GROUP_MIGRATION = 'migration.harvesterhci.io';

/** The kinds of sources of virtual machines. */
export const SOURCE_KINDS: readonly string[] = ['VmwareSource', 'OpenstackSource', 'OvaSource'];

/** The kind of the import of one virtual machine. */
export const KIND_MACHINE_IMPORT = 'VirtualMachineImport';

const MIGRATION = {
  group: GROUP_MIGRATION,
  version: 'v1beta1',
  scope: 'Namespaced',
  targets: ON_HARVESTER,
} as const;

/** The import of virtual machines from vSphere, OpenStack, and OVA files. */
export const MIGRATION_DESCRIPTIONS: readonly KindDescription[] = [
  ...SOURCE_KINDS.map((kind): KindDescription => ({
    ...MIGRATION,
    kind,
    rank: 46,
    ready: byStatus('status', () => 'clusterReady', ['clusterNotReady']),
  })),
  {
    ...MIGRATION,
    kind: KIND_MACHINE_IMPORT,
    rank: 60,
    references: sourceOf,
    ready: {
      ...byStatus('importStatus', () => 'virtualMachineRunning', [
        'virtualMachineImportInvalid',
        'VMMigrationFailed',
        'diskImageFailed',
      ]),
      timeoutMs: 4 * 60 * MINUTE,
    },
  },
];

/**
 * The API of Forklift, which migrates many virtual machines by a plan.
 * @see kubev2v/forklift:pkg/apis/forklift/v1beta1
 */
const FORKLIFT = {
  group: 'forklift.konveyor.io',
  version: 'v1beta1',
  scope: 'Namespaced',
  targets: ON_HARVESTER,
} as const;

/** The objects that an object of Forklift names, by the path of their name and namespace. */
const NAMED: readonly (readonly [kind: string, ...path: readonly string[]])[] = [
  ['Provider', 'provider', 'source'],
  ['Provider', 'provider', 'destination'],
  ['NetworkMap', 'map', 'network'],
  ['StorageMap', 'map', 'storage'],
  ['Plan', 'plan'],
];

/**
 * The kinds of Forklift in the order in which they name each other. A Migration runs its Plan once.
 */
export const FORKLIFT_DESCRIPTIONS: readonly KindDescription[] = (
  [
    ['Provider', 46],
    ['NetworkMap', 47],
    ['StorageMap', 47],
    ['Plan', 48],
    ['Migration', 60],
  ] as const
).map(([kind, rank]) => ({ ...FORKLIFT, kind, rank, references: namedIn }));

function namedIn(manifest: Manifest): readonly FoundReference[] {
  return NAMED.flatMap(([kind, ...path]): FoundReference[] => {
    const [name, namespace] = ['name', 'namespace'].map((field) =>
      valueAt(manifest, 'spec', ...path, field),
    );
    return typeof name === 'string' && typeof namespace === 'string'
      ? [{ group: FORKLIFT.group, kind, name, namespaces: [namespace] }]
      : [];
  });
}

function sourceOf(manifest: Manifest): readonly FoundReference[] {
  const [kind, name, namespace] = ['kind', 'name', 'namespace'].map((field) =>
    valueAt(manifest, 'spec', 'sourceCluster', field),
  );
  const found = SOURCE_KINDS.find((each) => each.toLowerCase() === String(kind).toLowerCase());
  if (!found || typeof name !== 'string') {
    return [];
  }
  return [
    {
      group: GROUP_MIGRATION,
      kind: found,
      name,
      ...(typeof namespace === 'string' ? { namespaces: [namespace] } : {}),
    },
  ];
}
