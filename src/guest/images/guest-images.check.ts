import { Manifest, valueAt } from '../../core/manifest/manifest';
import { plainText } from '../../core/text/plain-text';
import { installedChart } from '../chart/helm-chart.rules';
import { nodeConfigsOf, rkeConfigOf, usesHarvester } from '../cluster/cluster-reader.check';
import { CSI_CHART, DISABLE, PROVIDER_CHART } from '../cluster/cluster.kind';
import { textsOf } from '../kubernetes/kubernetes.check';
import { distributionOf } from '../kubernetes/rke2.data';

/** What a guest cluster runs, as far as it determines images. */
interface GuestRelease {
  /** The release of the distribution. */
  readonly kubernetes: string;
  /** A chart that the cluster installs; null if its version is unknown, false if there is none. @default - that of RKE2 */
  readonly cloudProviderChart?: string | null | false;
  readonly csiChart?: string | null | false;
}

/** The release and the charts of a provisioning Cluster; undefined for imports, and for releases that are late or not valid. */
export function guestReleaseOf(manifest: Manifest): GuestRelease | undefined {
  const kubernetes = plainText(valueAt(manifest, 'spec', 'kubernetesVersion'));
  const distribution = distributionOf(kubernetes);
  if (!rkeConfigOf(manifest) || distribution === undefined) { return undefined; }
  const isBundled = distribution === 'rke2' && usesHarvester(manifest);
  const disabled = nodeConfigsOf(manifest).flatMap(({ config }) => textsOf(config[DISABLE]));
  const chart = (name: string): { readonly version?: string | null | false } => {
    const installed = installedChart(manifest, name);
    if (installed) { return { version: installed.version ?? null }; }
    return isBundled && !disabled.includes(name) ? {} : { version: false };
  };
  return { kubernetes, cloudProviderChart: chart(PROVIDER_CHART).version, csiChart: chart(CSI_CHART).version };
}
