import { HARVESTER_RULES } from './harvester-rules';
import { KUBERNETES_RULES } from './kubernetes-rules';
import { CONFIGURED, isDeclared, markedReason } from './marks';
import { Around, OwnRule, ruledOut } from './own-rule';
import { RANCHER_RULES } from './rancher-rules';
import { SETTING_RULES } from './setting-rules';
import { FoundObject } from '../../core/draft/draft';
import { FoundCluster } from '../../core/draft/inverse';
import { KindRemoval } from '../../core/kind/description/removal';
import { kindOf } from '../../core/kind/kinds';
import { Manifest, groupOf, kindKey } from '../../core/manifest/manifest';
import { NOT_LISTED } from '../read/kinds-read.data';

const RULES: readonly OwnRule[] = [...RANCHER_RULES, ...HARVESTER_RULES, ...KUBERNETES_RULES];

/** Kinds, as `group/Kind`, whose objects only controllers write. Live clusters are not asked for them; files may hold them. */
const OF_CONTROLLERS: ReadonlySet<string> = new Set([
  ...NOT_LISTED, '/Event', 'events.k8s.io/Event', 'coordination.k8s.io/Lease', 'discovery.k8s.io/EndpointSlice', 'apps/ControllerRevision', 'cilium.io/CiliumEndpoint',
]);

/** Groups whose objects only controllers write: those of Cluster API are made from provisioning Clusters. */
const GROUPS_OF_CONTROLLERS = /(^|\.)(cluster\.x-k8s\.io|rke-machine\.cattle\.io|metrics\.k8s\.io)$/;

/**
 * Why an object is not adopted by default, as a clause without its subject: it belongs to Kubernetes, Rancher, Harvester, Fleet, Helm or a controller, or has
 * its default. Undefined for what a user created.
 */
export function leaveOut({ manifest }: FoundObject, cluster: FoundCluster): string | undefined {
  const around = Around.of(cluster);
  const key = kindKey(groupOf(manifest.apiVersion), manifest.kind);
  if (OF_CONTROLLERS.has(key) || GROUPS_OF_CONTROLLERS.test(groupOf(manifest.apiVersion))) { return 'is written by controllers only'; }
  const isDefault = ruledOut(SETTING_RULES, manifest, around);
  if (isDefault !== undefined || isDeclared(manifest)) { return isDefault; }
  return builtIn(manifest, key) ?? ruledOut(RULES, manifest, around) ?? markedReason(manifest, around);
}

/** Whether the description of the kind names the object as the server's own. */
function builtIn(manifest: Manifest, key: string): string | undefined {
  if (CONFIGURED.has(key)) { return undefined; }
  return kindOf<KindRemoval>(manifest)?.kept?.find(({ when, onlyLive }) => when !== undefined && !onlyLive && when(manifest))?.says;
}
