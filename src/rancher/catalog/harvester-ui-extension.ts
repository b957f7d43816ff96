import { Construct } from 'constructs';
import { API_CATALOG, HARVESTER_EXTENSION, UI_PLUGIN_NAMESPACE } from './catalog.kind';
import { ClusterRepo } from './cluster-repo';
import {
  EXTENSION_FILES,
  EXTENSION_SOURCE,
  EXTENSION_TITLE,
  EXTENSION_VERSIONS,
} from './harvester-extension.data';
import { extensionOf, newestExtension } from './ui-plugin.check';
import { ResourceOptions } from '../../core/app/resource';
import { Problem, failOnErrors } from '../../core/problem/problem';
import { isWebAddress } from '../../core/text/web-address';
import { FeatureGates } from '../../core/version/feature-gates';
import { RancherResource } from '../rancher-resource';
import { RancherGate, RancherVersion } from '../version/rancher-version';

/** Properties of Harvester's UI extension. */
export interface HarvesterUiExtensionProps extends ResourceOptions {
  /**
   * The version of the extension, e.g. `1.8.2`: not older than the newest Harvester that it shows.
   * @default - the newest known one that the version of Rancher loads
   */
  readonly version?: string;
  /**
   * The URL of the folder with the files of this version, which contains `plugin` and `files.txt`,
   * e.g. on a mirror: `https://mirror.example.com/harvester-ui/1.8.2`. Rancher itself downloads
   * them.
   * @default - the folder of the version in the public repository of the extension
   */
  readonly endpoint?: string;
  /**
   * The URL of the same files as one archive (`.tgz`), which Rancher 2.12.0 and later prefers.
   * @default - the public archive if `endpoint` is not set, otherwise no archive
   */
  readonly compressedEndpoint?: string;
  /** The name that the page Extensions shows. @default 'Harvester' */
  readonly displayName?: string;
  /**
   * Whether to declare the public repository of the extension as well, from which the UI offers
   * updates.
   * @default - true, unless `endpoint` is set
   */
  readonly addRepository?: boolean;
}

/**
 * Harvester's UI extension on Rancher: the UIPlugin (`catalog.cattle.io/v1`) `harvester` in
 * `cattle-ui-plugin-system`, and the ClusterRepo of that name.
 *
 * Rancher 2.10 and later has no pages for Harvester clusters below Virtualization Management
 * without it. The program sets its version: an update with the button of the UI fails, since Helm
 * does not own the UIPlugin. Remove an extension that the UI installed from the page Extensions
 * first.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/harvester-ui-extension; of the button: rancher/dashboard:shell/dialog/InstallExtensionDialog.vue,
 * rancher/rancher:pkg/catalogv2/helmop/operation.go (helm upgrade --install, without
 * --take-ownership)
 * @example
 * new HarvesterUiExtension(rancher, 'ui');
 * @example
 * new HarvesterUiExtension(rancher, 'ui', { version: '1.7.2', endpoint: 'https://mirror.example.com/harvester-ui/1.7.2' });
 */
export class HarvesterUiExtension extends RancherResource {
  /** The version of the extension. */
  public readonly version: string;

  constructor(scope: Construct, id: string, props: HarvesterUiExtensionProps = {}) {
    super(scope, id, { ...props, name: HARVESTER_EXTENSION });
    const rancher = RancherVersion.parse(this.rancher.version);
    failOnErrors(this, [
      ...FeatureGates.of(RancherGate.HARVESTER_UI_EXTENSION)._check(
        '',
        rancher,
        'remove it: the UI of this version shows Harvester clusters by itself',
      ),
      ...checkAddress('endpoint', props.endpoint),
      ...checkAddress('compressedEndpoint', props.compressedEndpoint),
    ]);
    this.version =
      props.version ?? newestExtension(rancher)?.version ?? EXTENSION_VERSIONS[0].version;
    this._write(
      {
        apiVersion: API_CATALOG,
        kind: 'UIPlugin',
        metadata: { namespace: UI_PLUGIN_NAMESPACE },
        spec: { plugin: pluginSpec(this.version, props, rancher) },
      },
      { props: { 'spec.plugin': '' } },
    );
    if (props.addRepository ?? props.endpoint === undefined) {
      new ClusterRepo(this, 'Repository', {
        name: HARVESTER_EXTENSION,
        ...EXTENSION_SOURCE,
        labels: props.labels,
        annotations: props.annotations,
      });
    }
  }
}

function checkAddress(path: string, value: string | undefined): Problem[] {
  if (value === undefined || isWebAddress(value)) {
    return [];
  }
  return [{ path, value, message: 'must begin with https:// or http://', fix: 'correct the URL' }];
}

function pluginSpec(
  version: string,
  { endpoint, compressedEndpoint, displayName }: HarvesterUiExtensionProps,
  rancher: RancherVersion,
): object {
  const known = extensionOf(version);
  const archive = endpoint === undefined ? archiveOf(version, rancher) : undefined;
  return {
    name: HARVESTER_EXTENSION,
    version,
    endpoint: endpoint ?? `${EXTENSION_FILES}/${version}`,
    compressedEndpoint: compressedEndpoint ?? archive,
    noCache: false,
    noAuth: false,
    metadata: {
      [EXTENSION_TITLE.key]: displayName ?? EXTENSION_TITLE.text,
      'catalog.cattle.io/kube-version': '>= 1.16.0-0',
      ...(known ? { 'catalog.cattle.io/rancher-version': `>= ${known.rancher}-0` } : {}),
      'catalog.cattle.io/ui-extensions-version': '>= 3.0.0 < 4.0.0',
    },
  };
}

/** The public archive of a version, where there is one and Rancher reads it. */
function archiveOf(version: string, rancher: RancherVersion): string | undefined {
  const readsArchives = FeatureGates.of(RancherGate.UI_PLUGIN_ARCHIVE).supports(rancher);
  return readsArchives && extensionOf(version)?.archive
    ? `${EXTENSION_FILES}/${version}.tgz`
    : undefined;
}
