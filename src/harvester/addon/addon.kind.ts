import { deletes } from '../../core/kind/description/removal';
import { KindDescription } from '../../core/kind/kind';
import { whenTrue } from '../../core/kind/ready/health';
import {
  MINUTE,
  READY,
  Readiness,
  conditionOf,
  conditionText,
  waiting,
} from '../../core/kind/ready/readiness';
import { Manifest, valueAt } from '../../core/manifest/manifest';
import { HARVESTER_KIND } from '../harvester-object.kind';

/**
 * Label of an add-on that the UI marks as experimental.
 * @see harvester/docs:docs/developer/addon-development.md
 */
export const LABEL_EXPERIMENTAL = 'addon.harvesterhci.io/experimental';

/** An add-on that Harvester includes. Users set only whether it is enabled, and its values. */
export interface BundledAddonEntry {
  readonly name: string;
  readonly namespace: string;
  readonly chart: string;
  /** Whether Harvester labels it as experimental, so that it can be deleted. */
  readonly experimental?: boolean;
  /** The first Harvester that includes it. */
  readonly since: string;
}

/** The add-on that installs Kube-OVN, which overlay networks need. */
export const KUBE_OVN_ADDON = { name: 'kubeovn-operator', namespace: 'kube-system' } as const;

/**
 * The add-ons that Harvester includes. Every release of Harvester writes the versions of their
 * charts.
 * @see harvester/addons:pkg/templates/rancherd-22-addons.yaml;
 * harvester/harvester:package/upgrade/upgrade_manifests.sh (kubeovn-operator)
 */
export const BUNDLED_ADDONS: readonly BundledAddonEntry[] = [
  {
    name: 'vm-import-controller',
    namespace: 'harvester-system',
    chart: 'harvester-vm-import-controller',
    since: '1.1.0',
  },
  {
    name: 'pcidevices-controller',
    namespace: 'harvester-system',
    chart: 'harvester-pcidevices-controller',
    since: '1.1.0',
  },
  {
    name: 'rancher-monitoring',
    namespace: 'cattle-monitoring-system',
    chart: 'rancher-monitoring',
    since: '1.2.0',
  },
  {
    name: 'rancher-logging',
    namespace: 'cattle-logging-system',
    chart: 'rancher-logging',
    since: '1.2.0',
  },
  {
    name: 'harvester-seeder',
    namespace: 'harvester-system',
    chart: 'harvester-seeder',
    since: '1.2.0',
    experimental: true,
  },
  {
    name: 'nvidia-driver-toolkit',
    namespace: 'harvester-system',
    chart: 'nvidia-driver-runtime',
    since: '1.3.0',
  },
  { ...KUBE_OVN_ADDON, chart: 'kubeovn-operator', since: '1.6.0' },
  { name: 'descheduler', namespace: 'kube-system', chart: 'descheduler', since: '1.7.0' },
];

/** The bundled add-on of a name and namespace. */
export function bundledAddon(
  name: string,
  namespace: string | undefined,
): BundledAddonEntry | undefined {
  return BUNDLED_ADDONS.find((addon) => addon.name === name && addon.namespace === namespace);
}

/** Harvester's Addon. @see harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/addon.go */
export const ADDON_DESCRIPTION: KindDescription = {
  ...HARVESTER_KIND,
  kind: 'Addon',
  part: { noun: 'add-on', order: 280 },
  texts: [{ path: 'spec.valuesContent' }],
  rank: 40,
  stage: 'add-ons',
  writtenByOthers: [
    'metadata.annotations',
    'metadata.labels',
    'spec.repo',
    'spec.chart',
    'spec.version',
  ],
  deletion: deletes('uninstalls the chart'),
  deletions: {
    bundled: {
      policy: 'keep',
      reason: 'Harvester includes it, and upgrades expect it: set enabled to false instead',
    },
  },
  machinesGoWithout: () => true,
  immutable: [
    {
      id: 'addon/update',
      what: 'the chart of an add-on is immutable',
      says: 'chart field cannot be changed.',
      source: 'harvester/harvester:pkg/webhook/resources/addon/validator.go validateUpdatedAddon',
      fields: [{ path: 'spec.chart', addable: true }],
      fix: 'create an add-on with a different name',
    },
  ],
  ready: {
    judge: addonReadiness,
    timeoutMs: 15 * MINUTE,
    hint: ({ metadata }) =>
      `Usual cause: a pod of its chart does not start, e.g. since its image cannot be pulled. Fix: read the Job helm-install-${metadata.name} and the pods in its namespace`,
  },
  health: {
    healthy: {
      any: [
        { field: 'status.status', is: 'AddonDeploySuccessful' },
        {
          all: [
            { field: 'spec.enabled', is: false },
            { field: 'status.status', is: 'AddonDisabled' },
          ],
        },
      ],
    },
    failed: whenTrue('OperationFailed'),
    slow: true,
  },
  kept: [
    {
      never: true,
      says: 'is built into Harvester: set spec.enabled to false instead',
      when: ({ metadata }) => bundledAddon(metadata.name, metadata.namespace) !== undefined,
    },
  ],
};

function addonReadiness(live: Manifest): Readiness {
  const failed = conditionOf(live, 'OperationFailed');
  if (failed?.status === 'True') {
    return { state: 'failed', why: conditionText(failed) };
  }
  const status = valueAt(live, 'status', 'status') ?? '';
  const done =
    valueAt(live, 'spec', 'enabled') === true ? ['AddonDeploySuccessful'] : ['AddonDisabled', ''];
  return done.includes(String(status))
    ? READY
    : waiting(status === '' ? 'is being deployed' : String(status));
}
