import { Around, OwnRule, hasLabelOf, manifestText } from './own-rule';
import { TargetKind } from '../../core/construct/target';
import {
  Manifest,
  annotationsOf,
  isRecord,
  labelsOf,
  valueAt,
  itemsAt,
} from '../../core/manifest/manifest';
import { textOrEmpty } from '../../core/text/plain-text';
import { TOPOLOGY } from '../../guest/machine-config/machine-config.kind';
import { isSystemNamespace } from '../../rancher/project/project.kind';
import { RBAC_KINDS } from '../../rancher/role/made-rbac.facts';

const CLUSTER_RBAC = ['ClusterRole', 'ClusterRoleBinding'].map(
  (kind) => `rbac.authorization.k8s.io/${kind}`,
);
const WEBHOOKS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map(
  (kind) => `admissionregistration.k8s.io/${kind}`,
);

/**
 * Labels and annotations of what Rancher makes from its roles and bindings.
 * @see rancher/rancher:pkg/rbac/common.go, pkg/controllers/managementuser/rbac
 */
const RANCHER_RBAC = [
  'authz.cluster.cattle.io/',
  'authz.management.cattle.io/',
  'auth.management.cattle.io/',
  'auth.cattle.io/',
  'authz.cluster.auth.io/',
  'management.cattle.io/',
  'cluster.cattle.io/',
  'impersonation.cattle.io/',
];

/**
 * Label of the roles of Kubernetes itself.
 * @see kubernetes/kubernetes:plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go
 */
const LABEL_BOOTSTRAPPING = 'kubernetes.io/bootstrapping';

/**
 * Cluster roles that come with the products, where no label shows it: their operators write them.
 */
const PRODUCT_ROLE =
  /^(system|cattle|fleet|harvesterhci\.io|longhorn|kubevirt(\.io)?|cdi(\.kubevirt\.io)?|rke2|k3s|calico|canal|cilium|flannel|tigera|capi|helm)[-:.]/;

/**
 * The roles by which members of a project reach its namespaces.
 * @see rancher/rancher:pkg/controllers/managementuser/rbac/namespace_handler.go
 */
const PROJECT_ROLE =
  /^(.+-namespaces-(edit|readonly)|create-ns|project-member-promoted|.+-promoted|.+-aggregator)$/;

/** API groups of the products and of Kubernetes, whose definitions come with them. */
const PRODUCT_GROUP =
  /(^|\.)(cattle\.io|harvesterhci\.io|kubevirt\.io|longhorn\.io|k8s\.io|x-k8s\.io|k8s\.cni\.cncf\.io|cni\.cncf\.io|monitoring\.coreos\.com|banzaicloud\.io|projectcalico\.org|tigera\.io|cilium\.io|traefik\.io|traefik\.containo\.us|kubeovn\.io)$/;

/** Types of Secrets in which controllers keep their state. */
const STATE_TYPES =
  /^(helm\.sh\/|cluster\.x-k8s\.io\/|fleet\.cattle\.io\/|bootstrap\.kubernetes\.io\/|rke\.cattle\.io\/(?!auth-config$))/;

/**
 * Secrets of service accounts that Kubernetes made before 1.24.
 * @see https://kubernetes.io/docs/concepts/security/service-accounts/
 */
const GENERATED_TOKEN = /-token-[a-z0-9]{5}$/;

/** Why a role or a binding of Kubernetes is left out. */
export const MADE_FROM_ROLES = 'Rancher creates it from its roles and bindings';

/** What Kubernetes, its distributions and operators write. */
export const OWN_KUBERNETES_RULES: readonly OwnRule[] = [
  {
    kinds: ['/Node'],
    when: (node, { cluster }) => cluster.kind !== TargetKind.HARVESTER || !hasLocation(node),
    says: 'is a machine of the cluster',
  },
  {
    kinds: ['/ConfigMap'],
    when: ({ metadata }) => metadata.name === 'kube-root-ca.crt',
    says: 'Kubernetes creates it in every namespace',
  },
  {
    kinds: ['/ServiceAccount'],
    when: ({ metadata }) => metadata.name === 'default',
    says: 'Kubernetes creates it in every namespace',
  },
  {
    kinds: ['/Service'],
    when: ({ metadata }) => metadata.name === 'kubernetes' && metadata.namespace === 'default',
    says: 'is the API server itself',
  },
  {
    kinds: ['/Secret'],
    when: (secret) => STATE_TYPES.test(manifestText(secret, 'type')),
    says: 'holds the state of a controller',
  },
  {
    kinds: ['/Secret'],
    when: ({ type, metadata }) =>
      type === 'kubernetes.io/service-account-token' && GENERATED_TOKEN.test(metadata.name),
    says: 'is a token that Kubernetes creates for a ServiceAccount',
  },
  {
    kinds: RBAC_KINDS,
    when: (role) =>
      LABEL_BOOTSTRAPPING in labelsOf(role) || role.metadata.name.startsWith('system:'),
    says: 'is built into Kubernetes',
  },
  { kinds: RBAC_KINDS, when: isOfRancherRoles, says: MADE_FROM_ROLES },
  {
    kinds: CLUSTER_RBAC,
    when: ({ metadata }) => PRODUCT_ROLE.test(metadata.name),
    says: 'comes with a part of the platform',
  },
  { kinds: CLUSTER_RBAC, when: isForSystem, says: 'gives its role to accounts of the system' },
  {
    kinds: ['apiextensions.k8s.io/CustomResourceDefinition'],
    when: (each) => PRODUCT_GROUP.test(manifestText(each, 'spec', 'group')),
    says: 'comes with a part of the platform',
  },
  {
    kinds: ['apiregistration.k8s.io/APIService'],
    when: (each) =>
      hasLabelOf(each, ['kube-aggregator.kubernetes.io/']) ||
      valueAt(each, 'spec', 'service') === undefined ||
      isOfSystem(manifestText(each, 'spec', 'service', 'namespace')),
    says: 'comes with a part of the platform',
  },
  {
    kinds: WEBHOOKS,
    when: (each) => isOfSystem(webhookNamespace(each)),
    says: 'comes with a part of the platform',
  },
  { kinds: ['storage.k8s.io/CSIDriver'], says: 'comes with the driver' },
  {
    kinds: ['scheduling.k8s.io/PriorityClass'],
    when: ({ metadata }) => /^(system|longhorn)-/.test(metadata.name),
    says: 'is built into Kubernetes',
  },
  { kinds: ['/PersistentVolumeClaim'], when: isOfStatefulSet, says: 'its StatefulSet creates it' },
];

/** The labels of a Harvester node that users set. */
function hasLocation(node: Manifest): boolean {
  return TOPOLOGY.ZONE in labelsOf(node) || TOPOLOGY.REGION in labelsOf(node);
}

function isOfRancherRoles(role: Manifest, around: Around): boolean {
  const isMarked = Object.keys({ ...labelsOf(role), ...annotationsOf(role) }).some((key) =>
    RANCHER_RBAC.some((prefix) => key.startsWith(prefix)),
  );
  return (
    isMarked ||
    (role.kind === 'ClusterRole' &&
      (PROJECT_ROLE.test(role.metadata.name) ||
        around.find('management.cattle.io', 'RoleTemplate', role.metadata.name) !== undefined))
  );
}

function isForSystem({ kind, subjects }: Manifest): boolean {
  const all = itemsAt(subjects);
  return (
    kind === 'ClusterRoleBinding' &&
    all.length > 0 &&
    all.every(
      (subject) =>
        valueAt(subject, 'kind') === 'ServiceAccount' &&
        isOfSystem(String(valueAt(subject, 'namespace'))),
    )
  );
}

function webhookNamespace({ webhooks }: Manifest): string {
  const [first] = itemsAt(webhooks).filter(isRecord);
  return textOrEmpty(valueAt(first, 'clientConfig', 'service', 'namespace'));
}

function isOfSystem(namespace: string): boolean {
  return namespace !== 'default' && isSystemNamespace({ metadata: { name: namespace } });
}

/** A claim has the name `<template>-<StatefulSet>-<number>`. */
function isOfStatefulSet(claim: Manifest, around: Around): boolean {
  const { name, namespace } = claim.metadata;
  return around.ofKind('apps/StatefulSet').some(({ metadata, spec }) => {
    return (
      metadata.namespace === namespace &&
      itemsAt(spec, 'volumeClaimTemplates').some((template) => {
        const prefix = `${String(valueAt(template, 'metadata', 'name'))}-${metadata.name}-`;
        return name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length));
      })
    );
  });
}
