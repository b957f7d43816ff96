import { KindDescription, called } from '../../core/kind/kind';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { RKE1_CONFIG } from '../../guest/rke1/rke1.kind';
import { IMMUTABLE_CREATOR } from '../members/creator.kind';

/** Rancher's agent on a cluster that it manages. @see rancher/rancher:pkg/systemtemplate/template.go */
export const CLUSTER_AGENT = { namespace: 'cattle-system', deployment: 'cattle-cluster-agent', selector: 'app=cattle-cluster-agent' } as const;

/** Fleet's agent on such a cluster. @see rancher/fleet:charts/fleet-agent/templates/deployment.yaml */
export const FLEET_AGENT = { namespace: 'cattle-fleet-system', deployment: 'fleet-agent', selector: 'app=fleet-agent' } as const;

/** The conditions of a Harvester Setting, a management Cluster and a LoadBalancer that report whether it works. */
export const CONDITION = { CONFIGURED: 'configured', CONNECTED: 'Connected', READY: 'Ready' } as const;

/** Finalizer on namespaces of clusters that Rancher manages. @see rancher/rancher:pkg/controllers/managementuser/rbac/namespace_handler.go */
export const FINALIZER_NAMESPACE_AUTH = 'controller.cattle.io/namespace-auth';

/**
 * Annotation on a management Cluster of an imported RKE2 or K3s cluster: whether Rancher manages its version.
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/cluster/validator.go VersionManagementAnno
 */
export const ANNOTATION_VERSION_MANAGEMENT = 'rancher.io/imported-cluster-version-management';

/** The Cluster of management.cattle.io, which Rancher's agents serve on guests, too. */
export const MANAGEMENT_CLUSTER_DESCRIPTION: KindDescription = {
  group: GROUPS.MANAGEMENT,
  version: 'v3',
  kind: 'Cluster',
  scope: 'Cluster',
  rank: 40,
  alwaysThere: LOCAL_CLUSTER,
  usesCredentials: true,
  immutable: [
    { ...IMMUTABLE_CREATOR, id: 'management-cluster/creator-changed', what: 'the annotations of a cluster\'s creator can be removed, but not changed or added' },
  ],
  holds: [
    { holds: 'machines', what: 'its machines and their disks', asks: true, when: isRke1 },
    { holds: 'tenants', what: 'its projects, members and registration' },
  ],
  kept: [
    { never: true, says: 'is the cluster that Rancher runs on', when: called(LOCAL_CLUSTER) },
    { says: 'its projects, members and registration would be lost with it' },
  ],
};

function isRke1(manifest: Manifest): boolean {
  return isRecord(valueAt(manifest, 'spec', RKE1_CONFIG));
}
