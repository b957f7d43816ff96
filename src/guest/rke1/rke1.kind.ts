import { deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_RANCHER } from '../../core/kind/kind';
import { GROUPS } from '../../core/manifest/names';
import { secretsOfNodeTemplate } from '../../rancher/credential/named-secrets.facts';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';

/** Names and keys of RKE1 clusters, each with its source. */

/**
 * The namespace of node templates; Rancher moves those in other namespaces.
 * @see rancher/rancher:pkg/controllers/management/nodetemplate/nodetemplate.go
 */
export const NODE_TEMPLATE_NAMESPACE = 'cattle-global-nt';

/**
 * The prefixes that Rancher's API uses for node templates and node pools, e.g.
 * `cattle-global-nt:nt-x7k2p`. Other names work, too.
 */
export const NODE_TEMPLATE_PREFIX = 'nt-';
export const NODE_POOL_PREFIX = 'np-';

/**
 * The key of a NodeTemplate with the fields of its driver: `<driver>Config`.
 * @see rancher/rancher:pkg/controllers/management/node/controller.go refreshNodeConfig
 */
export const HARVESTER_CONFIG_FIELD = 'harvesterConfig';

/**
 * The key of a management Cluster that makes it one of RKE1.
 * @see rancher/rancher:pkg/apis/management.cattle.io/v3/cluster_types.go
 */
export const RKE1_CONFIG = 'rancherKubernetesEngineConfig';

/**
 * The maximum of `deleteNotReadyAfterSecs`.
 * @see rancher/rancher:pkg/apis/management.cattle.io/v3/machine_types.go NodePoolSpec
 */
export const MAX_DELETE_NOT_READY = 31540000;

/**
 * A release of RKE1's Kubernetes, e.g. `v1.27.16-rancher1-1`.
 * @see rancher/kontainer-driver-metadata:rke/k8s_rke_system_images.go
 */
export const RKE1_VERSION = /^(v1\.\d+\.\d+)-rancher\d+-\d+$/;

/**
 * The default root directory of Docker.
 * @see rancher/rancher:pkg/apis/management.cattle.io/v3/cluster_types.go DockerRootDir
 */
export const DOCKER_ROOT = '/var/lib/docker';

/**
 * The day on which SUSE's support for RKE1 ended.
 * @see https://www.suse.com/c/rke-end-of-life-by-july-2025-replatform-to-rke2-or-k3s/
 */
export const RKE1_END_OF_LIFE = '2025-07-31';

/**
 * The message with which Rancher 2.12 exits.
 * @see rancher/rancher:pkg/rancher/rancher.go validateRKE1Resources,
 * chart/scripts/pre-upgrade-hook.sh
 */
export const RKE1_REFUSED = 'Rancher v2.12+ does not support RKE1';

/**
 * A credential as a NodeTemplate names it: Rancher takes what follows the one colon for a Secret in
 * this namespace.
 * @see rancher/rancher:pkg/controllers/management/node/controller.go setCredFields
 */
export const CREDENTIAL_NAME = new RegExp(`^${GLOBAL_DATA}:[^:]+$`);

const RKE1 = {
  group: GROUPS.MANAGEMENT,
  version: 'v3',
  scope: 'Namespaced',
  targets: ON_RANCHER,
} as const;

/**
 * The machines of RKE1 clusters.
 * @see rancher/rancher:pkg/apis/management.cattle.io/v3/machine_types.go
 */
export const RKE1_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...RKE1,
    kind: 'NodeTemplate',
    rank: 36,
    stage: 'machine-configs',
    writtenByOthers: ['metadata.annotations', 'metadata.labels'],
    deletion: deletes(
      'Rancher cannot delete or replace its machines without it: delete it after the namespace of the cluster on Rancher is gone',
    ),
    usesCredentials: true,
    namedBy: { peers: ['nodeTemplateName'] },
    namesSecrets: secretsOfNodeTemplate,
    power: {
      preparedBy: ['Standard User'],
      keeps: 'its creator may edit it, and so what runs in the machines of its pools',
    },
  },
  {
    ...RKE1,
    kind: 'NodePool',
    rank: 44,
    stage: ({ metadata }) => ({ stage: 'node-pools', part: metadata.namespace }),
    // Rancher lowers the quantity when one machine is picked for removal
    writtenByOthers: ['metadata.annotations', 'metadata.labels', 'spec.quantity'],
    rewritten: ['spec.quantity'],
    deletion: deletes(
      'Rancher deletes its machines, with their disks; the cluster must have other nodes with its roles',
    ),
    holds: [{ holds: 'machines', what: 'its machines and their disks', asks: true }],
  },
];
