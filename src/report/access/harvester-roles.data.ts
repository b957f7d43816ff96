import { GROUPS, GROUP_LOAD_BALANCER } from '../../core/manifest/names';
import { ALL, GrantedRule, RbacRule, READ, rbacRule } from '../../core/rbac/policy-rule';
import { lazily } from '../../core/text/values';
import { FeatureGates } from '../../core/version/feature-gates';
import { Since } from '../../core/version/product-version';
import { CLUSTER_ROLE_CLOUD_PROVIDER, CLUSTER_ROLE_CSI_DRIVER } from '../../guest/cloud-provider/cloud-provider.kind';
import { CSI_PATCH_RULES } from '../../guest/machine-config/machine-config.kind';
import { GROUP_ATTACHMENT } from '../../harvester/network/vm-network.kind';
import { GROUP_SNAPSHOT, GROUP_STORAGE } from '../../harvester/storage/storage.kind';
import { HarvesterGate, HarvesterVersion } from '../../harvester/version/harvester-version';
import { GROUP_KUBEVIRT } from '../../harvester/virtual-machine/machine-manifest.facts';

/** The ClusterRoles that Kubernetes adds to its `edit` and `admin`, and to its `view`. */
export const HARVESTER_EDIT = 'harvesterhci.io:edit';
export const HARVESTER_VIEW = 'harvesterhci.io:view';

type Row = readonly [rule: RbacRule, since?: Since];

const OBJECTS = [
  'keypairs', 'virtualmachineimages', 'virtualmachinetemplates', 'virtualmachinetemplateversions', 'virtualmachinebackups', 'virtualmachinerestores',
];
const NETWORKS = ['network-attachment-definitions'];
const SNAPSHOTS = ['volumesnapshots', 'volumesnapshotcontents'];
const SNAPSHOTS_SINCE = Since.of('1.1.3');
const HOT_PLUG = ['virtualmachines/addvolume', 'virtualmachines/removevolume', 'virtualmachineinstances/addvolume', 'virtualmachineinstances/removevolume'];
const settings = (name: string): RbacRule => ({ ...rbacRule(GROUPS.HARVESTER, ['settings'], ['get', 'list']), resourceNames: [name] });

/**
 * The ClusterRoles of Harvester's chart, with the releases that added a rule.
 *
 * @see harvester/harvester:deploy/charts/harvester/templates/rbac.yaml, read at the release tags from v1.0.3 to v1.9.0-rc6
 */
const CLUSTER_ROLES = lazily((): ReadonlyMap<string, readonly Row[]> => {
  const csi = FeatureGates.of(HarvesterGate.CSI_CLUSTER_ROLE).since;
  return new Map<string, readonly Row[]>([
    [HARVESTER_EDIT, [
      [rbacRule(GROUPS.HARVESTER, OBJECTS, ALL)],
      [rbacRule(GROUP_ATTACHMENT, NETWORKS, READ)],
      [rbacRule(GROUP_ATTACHMENT, NETWORKS, ALL), Since.of('1.1.2')],
      [rbacRule(GROUP_SNAPSHOT, SNAPSHOTS, ALL), SNAPSHOTS_SINCE],
    ]],
    [HARVESTER_VIEW, [
      [rbacRule(GROUPS.HARVESTER, OBJECTS, READ)],
      [rbacRule(GROUP_ATTACHMENT, NETWORKS, READ)],
      // Kubernetes' own view has no secrets
      [rbacRule('', ['secrets'], READ)],
      [rbacRule(GROUP_SNAPSHOT, SNAPSHOTS, READ), SNAPSHOTS_SINCE],
    ]],
    [CLUSTER_ROLE_CLOUD_PROVIDER, [
      [rbacRule(GROUP_LOAD_BALANCER, ['loadbalancers'], [...READ, 'create', 'delete', 'update'])],
      [rbacRule(`subresources.${GROUP_KUBEVIRT}`, HOT_PLUG, ['get', 'update'])],
      [rbacRule(`subresources.${GROUP_KUBEVIRT}`, ['virtualmachineinstances/guestosinfo'], ['get', 'update']), Since.of('1.3.0')],
      [rbacRule(GROUP_KUBEVIRT, ['virtualmachines', 'virtualmachineinstances'], READ)],
      [rbacRule('', ['pods'], READ)],
      [rbacRule('', ['persistentvolumeclaims', 'persistentvolumeclaims/status'], ALL)],
    ]],
    [CLUSTER_ROLE_CSI_DRIVER, [
      [rbacRule(GROUP_STORAGE, ['storageclasses'], READ), csi],
      [rbacRule(GROUP_STORAGE, ['volumeattachments'], READ), Since.of('1.5.2')],
      [rbacRule(GROUPS.HARVESTER, ['networkfilesystems', 'networkfilesystems/status'], ALL), Since.of('1.4.0')],
      [rbacRule(GROUPS.HARVESTER, ['volumeremotebackups', 'volumeremoterestores'], ALL), Since.of('1.8.0')],
      [settings('csi-online-expand-validation'), Since.of('1.6.0')],
      [settings('csi-driver-config'), Since.of('1.7.0')],
      [rbacRule('longhorn.io', ['volumes', 'volumes/status'], ['get', 'list']), Since.of('1.4.0')],
      [rbacRule(GROUP_SNAPSHOT, [...SNAPSHOTS, 'volumesnapshotclasses', 'volumesnapshots/status', 'volumesnapshotcontents/status'], ALL), Since.of('1.7.0')],
      ...CSI_PATCH_RULES.map((patch): Row => [patch, FeatureGates.of(HarvesterGate.CSI_MACHINE_PATCH).since]),
    ]],
  ]);
});

/**
 * The rules of a ClusterRole of Harvester.
 *
 * @param version unknown: all rules, and those that not every release has are not sure
 * @returns undefined for any other role
 */
export function harvesterRole(id: string, version: HarvesterVersion | undefined): readonly GrantedRule[] | undefined {
  const isThere = ([, since]: Row): boolean => version === undefined || since === undefined || since.includes(version);
  return CLUSTER_ROLES().get(id)?.filter(isThere).map(([entry, since]) => ({
    ...entry,
    through: id,
    ...(version === undefined && since ? { unconfirmed: `it needs Harvester ${since}, and the version of the Harvester is not known` } : {}),
  }));
}
