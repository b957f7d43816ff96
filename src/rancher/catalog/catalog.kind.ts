import { called, deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_RANCHER } from '../../core/kind/kind';
import { whenTrue } from '../../core/kind/ready/health';
import { READY, Readiness, allTrue, failing, waiting } from '../../core/kind/ready/readiness';
import { Manifest, kindKey, valueAt } from '../../core/manifest/manifest';
import { tableByName } from '../../core/text/values';

const GROUP = 'catalog.cattle.io';

/** The API version of repositories, apps and UI extensions. */
export const API_CATALOG = `${GROUP}/v1`;

/** The kinds of Rancher's catalog, as `group/Kind`. */
export const CATALOG_KINDS = {
  REPOSITORY: kindKey(GROUP, 'ClusterRepo'),
  UI_PLUGIN: kindKey(GROUP, 'UIPlugin'),
  APP: kindKey(GROUP, 'App'),
} as const;

/**
 * The only namespace that Rancher reads UI extensions from.
 * @see rancher/rancher:pkg/namespace/namespace_utils.go UIPluginNamespace
 */
export const UI_PLUGIN_NAMESPACE = 'cattle-ui-plugin-system';

/**
 * The UIPlugin of Harvester's UI extension, and the repository of its charts, as Rancher's UI names
 * them.
 * @see rancher/dashboard:pkg/harvester-manager/types.js
 */
export const HARVESTER_EXTENSION = 'harvester';

/** The repository of Rancher's own charts. */
export const RANCHER_CHARTS = 'rancher-charts';

/**
 * The repositories that Rancher creates at its start, with the settings of their source.
 * @see rancher/rancher:pkg/data/dashboard/repo.go addRepos
 */
export const BUILT_IN_REPOSITORIES: { readonly [name: string]: string } = tableByName({
  [RANCHER_CHARTS]: 'chart-default-url and chart-default-branch',
  'rancher-partner-charts': 'partner-chart-default-url and partner-chart-default-branch',
  'rancher-rke2-charts': 'rke2-chart-default-url and rke2-chart-default-branch',
});

/**
 * The beginning of the URL of a repository in an OCI registry.
 * @see helm/helm:pkg/registry/util.go IsOCI
 */
export const OCI_SCHEME = 'oci://';

const CATALOG = { group: GROUP, version: 'v1', scope: 'Namespaced', rank: 45 } as const;

/**
 * Rancher's catalog: repositories of charts, which Rancher's agents serve on other clusters as
 * well, UI extensions, and Helm releases.
 */
export const CATALOG_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...CATALOG,
    kind: 'ClusterRepo',
    part: { noun: 'chart repository', order: 250 },
    deletion: deletes('its charts are no longer listed; installed releases remain'),
    machinesGoWithout: () => true,
    scope: 'Cluster',
    rank: 20,
    // Rancher's UI sets the time to download it again
    writtenByOthers: ['spec.forceUpdate'],
    ready: { judge: repositoryReadiness },
    health: {
      healthy: {
        any: [
          { field: 'spec.enabled', is: false },
          whenTrue('Downloaded'),
          whenTrue('OCIDownloaded'),
        ],
      },
    },
    kept: [{ says: 'is built into Rancher', when: called(...Object.keys(BUILT_IN_REPOSITORIES)) }],
  },
  {
    ...CATALOG,
    kind: 'UIPlugin',
    targets: ON_RANCHER,
    writtenByOthers: ['spec.plugin.noCache'],
    rewritten: ['spec.plugin.noCache'],
    ready: { judge: extensionReadiness },
    deletion: deletes(
      'the UI of Rancher shows Harvester clusters no longer; the clusters themselves remain',
    ),
  },
  {
    ...CATALOG,
    kind: 'App',
    neverCreated: {
      says: 'Rancher writes an App for each Helm release that exists: declaring one installs nothing',
      fix: 'declare the chart with HelmChartAddon, or with Addon on a Harvester',
    },
  },
];

/** Whether a repository is in an OCI registry. */
export function isInRegistry({ spec }: Manifest): boolean {
  const url = valueAt(spec, 'url');
  return typeof url === 'string' && url.startsWith(OCI_SCHEME);
}

function repositoryReadiness(live: Manifest): Readiness {
  if (valueAt(live, 'spec', 'enabled') === false) {
    return READY;
  }
  return allTrue(live, [isInRegistry(live) ? 'OCIDownloaded' : 'Downloaded']);
}

// Rancher 2.10 has only cacheState. @see
// rancher/rancher:pkg/controllers/dashboard/plugin/controller.go
function extensionReadiness(live: Manifest): Readiness {
  const error = valueAt(live, 'status', 'error');
  if (typeof error === 'string' && error !== '') {
    return failing(error);
  }
  const state = valueAt(live, 'status', 'cacheState');
  return valueAt(live, 'status', 'ready') === true || state === 'cached' || state === 'disabled'
    ? READY
    : waiting('Rancher downloads its files');
}

/**
 * The refreshInterval of a repository that is not refreshed.
 * @see rancher/dashboard:shell/edit/catalog.cattle.io.clusterrepo.vue (2.15.0)
 */
export const NO_REFRESH = -1;
