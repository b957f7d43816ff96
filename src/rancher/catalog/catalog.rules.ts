import {
  API_CATALOG,
  BUILT_IN_REPOSITORIES,
  CATALOG_KINDS,
  HARVESTER_EXTENSION,
  UI_PLUGIN_NAMESPACE,
  isInRegistry,
} from './catalog.kind';
import { checkClusterRepo } from './cluster-repo.check';
import { extensionOf, newestExtension } from './ui-plugin.check';
import { valueAt } from '../../core/manifest/manifest';
import { rules } from '../../core/rule/kit/fact';
import { needs, refersTo } from '../../core/rule/kit/relations';
import { text } from '../../core/rule/kit/values';
import { JudgedObject, JudgedTarget, rancherOf } from '../../core/rule/rule';
import { anyText } from '../../core/text/plain-text';
import { harvesterVersionOf } from '../../harvester/version/harvester-version';
import { RancherGate, rancherVersionOf } from '../version/rancher-version';

const SECRET = ['', 'Secret'] as const;

const secretNamespace = ({ manifest }: JudgedObject): string | undefined => {
  return anyText(valueAt(manifest, 'spec', 'clientSecret', 'namespace'));
};

const REPOSITORY_RULES = rules({ kinds: [CATALOG_KINDS.REPOSITORY] }, [
  {
    id: 'cluster-repo/source',
    what: 'a ClusterRepo has a Helm repository, a registry, or a Git repository, and fields that Rancher can read',
    source:
      'rancher/rancher:pkg/controllers/dashboard/helm/repo.go, pkg/catalogv2/git/utils.go, http/client.go, oci/client.go; the webhook of ClusterRepos is registered for namespaced objects, and is never called (0.6 to 0.11)',
    judge: ({ manifest }) => checkClusterRepo(manifest, 'warning'),
  },
  {
    id: 'cluster-repo/registry-version',
    what: 'a ClusterRepo with an oci:// URL needs a Rancher that lists charts of registries',
    source: 'rancher/rancher:pkg/controllers/dashboard/helm/repo_oci.go (2.9.0)',
    field: 'spec.url',
    when: ({ manifest }) => isInRegistry(manifest),
    check: needs(RancherGate.CLUSTER_REPO_OCI, {
      fix: 'use the URL of a Helm repository, or upgrade Rancher',
    }),
  },
  {
    id: 'cluster-repo/registry-tags',
    level: 'warning',
    what: 'filters for the tags of a registry need a Rancher that knows OCIOptions',
    source: 'rancher/rancher:pkg/apis/catalog.cattle.io/v1/types.go OCIOptions (2.14.1)',
    field: 'spec.OCIOptions',
    check: needs(RancherGate.CLUSTER_REPO_TAGS),
  },
  {
    id: 'cluster-repo/no-refresh',
    level: 'warning',
    what: 'a repository is refreshed with a negative refreshInterval, too, before Rancher 2.15',
    source: 'rancher/rancher:pkg/controllers/dashboard/helm/repo.go shouldSkip (2.15.0)',
    field: 'spec.refreshInterval',
    when: ({ manifest }) => Number(valueAt(manifest, 'spec', 'refreshInterval')) < 0,
    check: needs(RancherGate.CLUSTER_REPO_NO_REFRESH),
  },
  {
    id: 'cluster-repo/secret',
    level: 'warning',
    what: 'the Secret with the credentials of a ClusterRepo exists on the same cluster',
    source: 'rancher/rancher:pkg/catalogv2/secret.go GetSecret',
    field: 'spec.clientSecret.name',
    check: refersTo(SECRET, {
      namespace: secretNamespace,
      problem: {
        message: 'must name a Secret on the same cluster',
        fix: 'create it in the namespace of clientSecret, and do not commit it in plain text',
        says: 'failed to fetch secret: NotFound',
      },
    }),
  },
  {
    id: 'cluster-repo/secret-type',
    what: 'registries take credentials of type kubernetes.io/basic-auth',
    source: 'rancher/rancher:pkg/catalogv2/oci/client.go NewClient',
    field: 'spec.clientSecret.name',
    when: ({ manifest }) => isInRegistry(manifest),
    check: text((_, name, object, world) => {
      const namespace = secretNamespace(object);
      const secret = world
        .beside(object, ...SECRET)
        .find(
          ({ manifest }) =>
            manifest.metadata.name === name && manifest.metadata.namespace === namespace,
        );
      const type = secret?.manifest.type;
      return (
        secret &&
        type !== 'kubernetes.io/basic-auth' && {
          message: `must name a Secret of type kubernetes.io/basic-auth: its type is ${String(type ?? 'Opaque')}`,
          fix: 'create a Secret of this type with username and password',
          says: 'only basic auth credential is supported',
        }
      );
    }),
  },
  {
    id: 'cluster-repo/built-in',
    level: 'warning',
    what: 'Rancher sets the source of its own repositories again at each start',
    source: 'rancher/rancher:pkg/data/dashboard/repo.go addRepo',
    when: ({ manifest }) =>
      Object.hasOwn(BUILT_IN_REPOSITORIES, manifest.metadata.name) &&
      ['gitRepo', 'gitBranch', 'url', 'defaultImagePullSecrets'].some(
        (field) => valueAt(manifest, 'spec', field) !== undefined,
      ),
    judge: ({ manifest }) => {
      const { name } = manifest.metadata;
      return {
        path: 'spec',
        message: `cannot set the source of ${name}: Rancher sets it again at its next start`,
        fix: `set the settings ${BUILT_IN_REPOSITORIES[name]} of Rancher`,
      };
    },
  },
]);

const UI_PLUGIN_RULES = rules({ kinds: [CATALOG_KINDS.UI_PLUGIN] }, [
  {
    id: 'ui-plugin/namespace',
    what: `a UIPlugin is in ${UI_PLUGIN_NAMESPACE}; Rancher reads no others`,
    source: 'rancher/rancher:pkg/controllers/dashboard/plugin/controller.go OnPluginChange',
    when: ({ manifest }) => manifest.metadata.namespace !== UI_PLUGIN_NAMESPACE,
    judge: ({ manifest }) => ({
      path: 'metadata.namespace',
      value: manifest.metadata.namespace,
      message: `must be ${UI_PLUGIN_NAMESPACE}: the UI loads no extension from other namespaces`,
      fix: 'set it',
    }),
  },
  {
    id: 'ui-plugin/harvester-version',
    what: "the version of Harvester's UI extension is one that the UI of the Rancher loads",
    source:
      'harvester/harvester-ui-extension:index.yaml (branch gh-pages) catalog.cattle.io/rancher-version; rancher/dashboard:shell/config/uiplugins.js isSupportedChartVersion',
    field: 'spec.plugin.version',
    when: ({ manifest }) => manifest.metadata.name === HARVESTER_EXTENSION,
    check: text((_, version, { target }) => {
      const [known, rancher] = [extensionOf(version), rancherVersionOf(target)];
      if (!known || !rancher || rancher.isAtLeast(known.rancher)) {
        return undefined;
      }
      const newest = newestExtension(rancher);
      return {
        message: `needs Rancher ${known.rancher} or later, and this one is ${rancher}: its UI does not load the extension`,
        fix: newest ? `use ${newest.version}, or upgrade Rancher` : 'upgrade Rancher',
      };
    }),
  },
  {
    id: 'ui-plugin/newer-harvester',
    level: 'warning',
    what: "Harvester's UI extension is not older than the Harvester clusters that it shows",
    source:
      'harvester/harvester-ui-extension: from 1.5 on, each minor version of Harvester has a release branch and an extension of its own',
    field: 'spec.plugin.version',
    when: ({ manifest }) => manifest.metadata.name === HARVESTER_EXTENSION,
    check: text((_, version, { target }, world) => {
      // extensions of 1.0 are for several versions
      const [, line, minor] = /^(1\.([1-9]\d*))\./.exec(version) ?? [];
      const isManaged = (managed: JudgedTarget): boolean =>
        managed.kind === 'harvester' && rancherOf(managed) === target.name;
      if (line === undefined) {
        return undefined;
      }
      const harvesters = world.allTargets().filter(isManaged).map(harvesterVersionOf);
      const next = `1.${Number(minor) + 1}.0`;
      const newer = harvesters.find((harvester) => harvester?.isAtLeast(next));
      return (
        newer && {
          message: `is unconfirmed with Harvester ${newer}: this extension was released with Harvester ${line}`,
          fix: `use the extension of Harvester ${newer.minor} where there is one; otherwise try the pages of that Harvester, and suppress this`,
        }
      );
    }),
  },
]);

const APP_RULES = rules({ kinds: [CATALOG_KINDS.APP] }, [
  {
    id: 'app/installs-nothing',
    level: 'warning',
    what: 'an App shows a Helm release that exists; Rancher writes it, and installs no chart for one that is declared',
    source: `rancher/rancher:pkg/controllers/dashboard/helm/apps.go OnSecretChange, pkg/catalogv2/helmop/operation.go (action install of a ClusterRepo, ${API_CATALOG})`,
    creation: true,
    judge: () => ({
      path: '',
      message:
        'installs nothing: Rancher writes an App for each Helm release, and installs charts by the action install of a ClusterRepo alone',
      fix: 'declare the chart with HelmChartAddon, or with Addon on a Harvester',
    }),
  },
]);

/** Rules on repositories of charts, UI extensions, and apps of Rancher. */
export const CATALOG_RULES = [...REPOSITORY_RULES, ...UI_PLUGIN_RULES, ...APP_RULES];
