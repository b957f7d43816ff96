import { GateRow, rowsOf } from '../../core/version/feature-gate';
import { ProductVersion, versionParser, knownVersion } from '../../core/version/product-version';
import { Product } from '../../core/version/semver';

/** Rancher, the management server. */
export const RANCHER_PRODUCT = {
  id: 'rancher',
  name: 'Rancher',
  what: 'rancher version',
  example: '2.13.8',
  distributions: false,
  known: {
    first: '2.8',
    last: '2.15',
    source: 'rancher/rancher and rancher/webhook at the release tags to v2.15.0',
    patches: {
      '2.9': 12,
      '2.10': 12,
      '2.11': 16,
      '2.12': 12,
      '2.13': 8,
      '2.14': 4,
      '2.15': 0,
    },
  },
} satisfies Product;

/**
 * Features that depend on the version of Rancher: imports, registration, tenancy, users and tokens.
 */
export enum RancherGate {
  // import and registration
  MANAGEMENT_CLUSTER_NAME = 'management-cluster-name',
  REGISTRATION_TOKEN_SECRET = 'registration-token-secret',
  REGISTRATION_TOKEN_TTL = 'registration-token-ttl',
  REGISTRATION_TOKEN_LIFETIME_CHECKED = 'registration-token-lifetime-checked',
  REGISTRATION_TOKEN_ROTATION = 'registration-token-rotation',
  NO_CREATOR_RBAC = 'no-creator-rbac',
  IMPORTED_SPEC_CREATE_ONLY = 'imported-spec-create-only',
  AGENT_DEPLOYMENT_CUSTOMIZATION = 'agent-deployment-customization',
  SCHEDULING_CUSTOMIZATION = 'scheduling-customization',
  WEBHOOK_DEPLOYMENT_CUSTOMIZATION = 'webhook-deployment-customization',
  MACHINE_PLAN_CHECKED = 'machine-plan-checked',
  IMPORT_PULL_SECRETS = 'import-pull-secrets',
  IMPORTED_VERSION_MANAGEMENT = 'imported-version-management',
  DRY_RUN_CLUSTER_CREATION = 'dry-run-cluster-creation',
  // tenancy, users, tokens
  PROJECT_BACKING_NAMESPACE = 'project-backing-namespace',
  PROJECT_SECRET_LABEL = 'project-secret-label',
  PROJECT_QUOTA_EXTENDED = 'project-quota-extended',
  DUPLICATE_CLUSTER_BINDING_REFUSED = 'duplicate-cluster-binding-refused',
  DUPLICATE_PROJECT_BINDING_REFUSED = 'duplicate-project-binding-refused',
  UNKNOWN_PROJECT_ROLE_REFUSED = 'unknown-project-role-refused',
  GLOBAL_BINDING_USER_PRINCIPAL = 'global-binding-user-principal',
  GLOBAL_ROLE_NAMESPACED_RULES = 'global-role-namespaced-rules',
  GLOBAL_ROLE_INHERITED_NAMESPACED_RULES = 'global-role-inherited-namespaced-rules',
  ROLE_TEMPLATE_EXTERNAL_RULES = 'role-template-external-rules',
  CONTAINER_LIMIT_VALIDATED = 'container-limit-validated',
  PASSWORD_SECRET = 'password-secret',
  USERNAME_UNIQUE = 'username-unique',
  CREATOR_FIXED = 'creator-fixed',
  OIDC_SCOPES_CHECKED = 'oidc-scopes-checked',
  SETTINGS_PROTECTED = 'settings-protected',
  TOKEN_TTL_DEFAULTS = 'token-ttl-defaults',
  KUBECONFIG_MAX_TTL_SETTING = 'kubeconfig-max-ttl-setting',
  HARVESTER_TOKENS_NEVER_EXPIRE = 'harvester-tokens-never-expire',
  // kinds and providers
  OIDC_CLIENT = 'oidc-client',
  PROXY_ENDPOINT = 'proxy-endpoint',
  OPERATIONS = 'operations',
  AUTH_COGNITO = 'auth-cognito',
  AUTH_GITHUB_APP = 'auth-github-app',
  AUTH_OIDC_LOGOUT = 'auth-oidc-logout',
  AUTH_OIDC_PKCE = 'auth-oidc-pkce',
  AUTH_OIDC_CLIENT_SEARCH = 'auth-oidc-client-search',
  AUTH_ENTRA_LOGOUT = 'auth-entra-logout',
  // repositories of charts, and UI extensions
  CLUSTER_REPO_OCI = 'cluster-repo-oci',
  CLUSTER_REPO_TAGS = 'cluster-repo-tags',
  CLUSTER_REPO_NO_REFRESH = 'cluster-repo-no-refresh',
  HARVESTER_UI_EXTENSION = 'harvester-ui-extension',
  UI_PLUGIN_ARCHIVE = 'ui-plugin-archive',
}

/** A version of Rancher, such as `2.13.8`. @see https://github.com/rancher/rancher/releases */
export class RancherVersion extends ProductVersion {
  /**
   * Reads a version.
   *
   * @param version three numbers and perhaps a pre-release, with or without a leading v: `2.13.8`, `v2.13.8`, `2.14.0-rc1`
   */
  public static readonly parse = versionParser((version) => new RancherVersion(version));

  private constructor(version: string) {
    super(RANCHER_PRODUCT, version);
  }

  /** The tag of the release and of its images, e.g. `v2.13.8`. */
  public get tag(): string {
    return `v${this.toString()}`;
  }
}

/** The version of Rancher on a target, if known. */
export function rancherVersionOf({
  rancherVersion,
}: {
  readonly rancherVersion?: string;
}): RancherVersion | undefined {
  return knownVersion(RancherVersion.parse, rancherVersion);
}

const rancher = rowsOf(RANCHER_PRODUCT);
const SECRET_TOKENS = ['2.13.8', '2.14.4', '2.15.0'];
const PROVISIONING = 'rancher/rancher pkg/controllers/provisioningv2/cluster/controller.go';
const TYPES = 'rancher/rancher pkg/apis/management.cattle.io/v3 at the release tags';
const AUTH_TYPES = 'rancher/rancher pkg/apis/management.cattle.io/v3/authn_types.go';
const SCAN = 'scan of pkg/apis/provisioning.cattle.io/v1 at every release tag';
const SEEN = 'seen on Rancher 2.13.8';

/**
 * What Rancher's version decides for imports, registration, tenancy, users and tokens. Not exported
 * by the folder.
 */
export const RANCHER_GATES: readonly GateRow[] = [
  rancher(
    RancherGate.MANAGEMENT_CLUSTER_NAME,
    ['2.8.0'],
    'a chosen management cluster id (annotation provisioning.cattle.io/management-cluster-name)',
    `${PROVISIONING}, commit e5ce94a4c8; ${SEEN}`,
  ),
  rancher(
    RancherGate.REGISTRATION_TOKEN_SECRET,
    SECRET_TOKENS,
    'a registration token in a Secret crt-token-<name>',
    `rancher/rancher commit c210ad2d82; ${SEEN}, absent from the source of 2.13.7, 2.14.3 and 2.12`,
  ),
  rancher(
    RancherGate.REGISTRATION_TOKEN_TTL,
    SECRET_TOKENS,
    'spec.ttl and spec.gracePeriod of a ClusterRegistrationToken',
    'rancher/rancher pkg/apis/management.cattle.io/v3/cluster_types.go, commit c210ad2d82',
  ),
  rancher(
    RancherGate.REGISTRATION_TOKEN_ROTATION,
    ['2.15.0'],
    'the rotation of registration tokens by default (feature crt-token-ttl-rotation)',
    'rancher/rancher feature crt-token-ttl-rotation: false by default in 2.13.8 and 2.14.4, true in 2.15.0',
  ),
  // of these Ranchers only pre-releases were read
  rancher(
    RancherGate.REGISTRATION_TOKEN_LIFETIME_CHECKED,
    ['2.13.9', '2.14.5', '2.15.1', '2.16.0'],
    'the rule that registration tokens live 30 minutes or longer, and 10 or longer after their rotation',
    'rancher/webhook commits dc123b1a and 1448dfc3: not in 0.9.7, 0.10.9, 0.11.0; in the release candidates of 0.9.8, 0.10.10, 0.11.1, 0.12.1; ' +
      'rancher/rancher build.yaml of 2.13.9-alpha1, 2.14.5-alpha1, 2.15.1-alpha1',
    { confirmed: false },
  ),
  rancher(
    RancherGate.NO_CREATOR_RBAC,
    ['2.10.0'],
    'a cluster without a creator (annotation field.cattle.io/no-creator-rbac)',
    `rancher/webhook 0.6.1; ${SEEN}`,
  ),
  rancher(
    RancherGate.IMPORTED_SPEC_CREATE_ONLY,
    ['2.11.0'],
    'an imported cluster whose provisioning spec counts at creation only',
    `${PROVISIONING} updateImportedCluster, commit 1ed53a34b7`,
  ),
  rancher(
    RancherGate.AGENT_DEPLOYMENT_CUSTOMIZATION,
    ['2.7.5'],
    'customization of the cluster and Fleet agents',
    SCAN,
  ),
  rancher(
    RancherGate.SCHEDULING_CUSTOMIZATION,
    ['2.11.0'],
    'schedulingCustomization of an agent (priority class, disruption budget)',
    SCAN,
  ),
  rancher(
    RancherGate.WEBHOOK_DEPLOYMENT_CUSTOMIZATION,
    ['2.15.0'],
    'webhookDeploymentCustomization',
    SCAN,
  ),
  rancher(
    RancherGate.MACHINE_PLAN_CHECKED,
    ['2.15.0'],
    'the refusal of machine plans that are not JSON',
    'rancher/webhook commit cc93f54e: in 0.11.0, not in 0.10.9',
  ),
  rancher(
    RancherGate.IMPORT_PULL_SECRETS,
    ['2.15.0'],
    'pull secrets for the agents of imports (importedConfig.privateRegistryPullSecrets)',
    'rancher/rancher pkg/cluster/private_registry.go at v2.15.0, absent from v2.14.4',
  ),
  rancher(
    RancherGate.IMPORTED_VERSION_MANAGEMENT,
    ['2.11.0'],
    'a choice whether Rancher upgrades an imported cluster (annotation rancher.io/imported-cluster-version-management)',
    'rancher/rancher pkg/settings/setting.go ImportedClusterVersionManagement at v2.11.0, absent from v2.10.3',
  ),
  // of these Ranchers only pre-releases were read
  rancher(
    RancherGate.DRY_RUN_CLUSTER_CREATION,
    ['2.14.5', '2.15.1', '2.16.0'],
    'a server-side dry run that creates a cluster with a creator',
    'rancher/webhook 0.12.0, commit 49d2a64c; release candidates of 0.10.10 and 0.11.1, commits 233dd911 and 3d24afde (rancher#56287, #56288); ' +
      'denied on Rancher 2.13.8 (seen)',
    { confirmed: false },
  ),
  rancher(
    RancherGate.PROJECT_BACKING_NAMESPACE,
    ['2.9.9', '2.10.5', '2.11.1'],
    'a project namespace named <cluster id>-<project>',
    `rancher/rancher commit 7f16b59612, rancher/webhook 0.5.9, 0.6.6, 0.7.1; ${SEEN}`,
  ),
  rancher(
    RancherGate.PROJECT_SECRET_LABEL,
    ['2.12.0'],
    'a project-scoped Secret by the label management.cattle.io/project-scoped-secret',
    'rancher/rancher pkg/controllers/managementuser/secret at the release tags: absent from 2.11.5, in 2.12.0 (rancher#49995)',
  ),
  rancher(
    RancherGate.PROJECT_QUOTA_EXTENDED,
    ['2.14.0'],
    'a project quota with extended resources',
    TYPES,
  ),
  rancher(
    RancherGate.USERNAME_UNIQUE,
    ['2.9.12', '2.10.10', '2.11.6', '2.12.2', '2.13.0'],
    'the refusal of a second User with the same username',
    'rancher/webhook pkg/resources/management.cattle.io/v3/users/validator.go, in 0.5.12, 0.6.11, 0.7.6, 0.8.2, and 0.9.0, not in the releases before',
  ),
  rancher(
    RancherGate.CREATOR_FIXED,
    ['2.10.0'],
    "the refusal of a change of a creator's annotations",
    'rancher/webhook pkg/resources/common/validation.go CheckCreatorAnnotationsOnUpdate, in 0.6.1, not in 0.5.12',
  ),
  rancher(
    RancherGate.OIDC_SCOPES_CHECKED,
    ['2.9.0'],
    'the check of the scopes of a provider with OIDC',
    'rancher/rancher pkg/auth/providers/oidc/oidc_actions.go validateScopes, in v2.9.0, not in v2.8.15',
  ),
  rancher(
    RancherGate.DUPLICATE_CLUSTER_BINDING_REFUSED,
    ['2.14.0'],
    'the refusal of a second cluster binding of one subject to one role',
    'rancher/webhook 0.10',
  ),
  rancher(
    RancherGate.DUPLICATE_PROJECT_BINDING_REFUSED,
    ['2.15.0'],
    'the refusal of a second project binding of one subject to one role',
    'rancher/webhook 0.11; accepted on Rancher 2.13.8 (seen)',
  ),
  rancher(
    RancherGate.UNKNOWN_PROJECT_ROLE_REFUSED,
    ['2.15.0'],
    'the refusal of a project binding whose role does not exist; earlier versions answer with status 500',
    'rancher/webhook pkg/resources/management.cattle.io/v3/projectroletemplatebinding/validator.go validateCreateFields of 0.10.9 and 0.11.0',
  ),
  rancher(
    RancherGate.GLOBAL_BINDING_USER_PRINCIPAL,
    ['2.11.0'],
    'userPrincipalName of a GlobalRoleBinding',
    TYPES,
  ),
  rancher(
    RancherGate.GLOBAL_ROLE_NAMESPACED_RULES,
    ['2.9.0'],
    'namespacedRules of a GlobalRole',
    TYPES,
  ),
  rancher(
    RancherGate.GLOBAL_ROLE_INHERITED_NAMESPACED_RULES,
    ['2.15.0'],
    'inheritedNamespacedRules of a GlobalRole',
    TYPES,
  ),
  rancher(
    RancherGate.ROLE_TEMPLATE_EXTERNAL_RULES,
    ['2.9.0'],
    'externalRules of a RoleTemplate without the feature external-rules',
    'rancher/rancher#45863, rancher/webhook#414',
  ),
  rancher(
    RancherGate.CONTAINER_LIMIT_VALIDATED,
    ['2.11.0'],
    "the check of a namespace's default container limit",
    'rancher/webhook 0.7',
  ),
  rancher(
    RancherGate.PASSWORD_SECRET,
    ['2.13.0'],
    'a local password in a Secret of cattle-local-user-passwords',
    `rancher/webhook 0.9; ${SEEN}`,
  ),
  rancher(
    RancherGate.SETTINGS_PROTECTED,
    ['2.15.0'],
    'the refusal of a change of the setting cacerts, and of settings from environment variables',
    'rancher/webhook pkg/resources/management.cattle.io/v3/setting/validator.go admitUpdate: in 0.11.0, not in 0.10.9',
  ),
  rancher(
    RancherGate.TOKEN_TTL_DEFAULTS,
    ['2.8.0'],
    'expiry of tokens by default (kubeconfigs after 30 days, others after 90 days at most)',
    'rancher/rancher pkg/settings/setting.go; harvester/harvester#5827',
  ),
  rancher(
    RancherGate.KUBECONFIG_MAX_TTL_SETTING,
    ['2.16.0'],
    'the setting kubeconfig-max-token-ttl-minutes',
    'rancher/rancher pkg/settings/setting.go of 2.16-dev',
    { confirmed: false },
  ),
  rancher(
    RancherGate.HARVESTER_TOKENS_NEVER_EXPIRE,
    ['2.12.0'],
    'Harvester credentials whose tokens Rancher keeps from expiring',
    'rancher/rancher commit 0a7f381b8e (rancher#49685)',
  ),
  rancher(
    RancherGate.OIDC_CLIENT,
    ['2.12.0'],
    'OIDCClient',
    'rancher/rancher pkg/crds/names.go OIDCClientCRD: absent from v2.11.16, in v2.12.0',
  ),
  rancher(
    RancherGate.PROXY_ENDPOINT,
    ['2.14.0'],
    'ProxyEndpoint',
    'rancher/rancher pkg/crds/names.go BasicCRDs: absent from v2.13.8, in v2.14.1',
    { hint: 'use the setting whitelist-domain, or upgrade Rancher' },
  ),
  rancher(
    RancherGate.OPERATIONS,
    ['2.15.0'],
    'operations on clusters as objects of operation.cattle.io',
    'rancher/rancher pkg/crds/names.go OperationCRDs: absent from v2.14.4, in v2.15.0',
    { hint: "use EtcdBackup for the snapshots of a cluster, and Rancher's UI to restore one" },
  ),
  rancher(
    RancherGate.AUTH_COGNITO,
    ['2.12.0'],
    'the authentication provider Amazon Cognito',
    'rancher/rancher pkg/auth/data/authconfig_data.go: absent from v2.11.16, in v2.12.0',
  ),
  rancher(
    RancherGate.AUTH_GITHUB_APP,
    ['2.13.0'],
    'the authentication provider GitHub App',
    'rancher/rancher pkg/auth/data/authconfig_data.go: absent from v2.12.12, in v2.13.0',
  ),
  rancher(
    RancherGate.AUTH_OIDC_LOGOUT,
    ['2.13.0'],
    'a log out of a provider with OIDC',
    `${AUTH_TYPES} OIDCConfig.EndSessionEndpoint: absent from v2.12.12, in v2.13.0`,
  ),
  rancher(
    RancherGate.AUTH_OIDC_PKCE,
    ['2.14.0'],
    'PKCE with OIDC (pkceMethod, rancherApiHost)',
    `${AUTH_TYPES} OIDCConfig.PKCEMethod and RancherAPIHost: absent from v2.13.8, in v2.14.0`,
  ),
  rancher(
    RancherGate.AUTH_OIDC_CLIENT_SEARCH,
    ['2.15.0'],
    'a search of users and groups of OIDC with the client of Rancher',
    `${AUTH_TYPES} OIDCConfig.ClientAuthenticatedSearch: absent from v2.14.4, in v2.15.0`,
  ),
  rancher(
    RancherGate.AUTH_ENTRA_LOGOUT,
    ['2.15.0'],
    'a log out of Microsoft Entra ID',
    `${AUTH_TYPES} AzureADConfig.EndSessionEndpoint: absent from v2.14.4, in v2.15.0`,
  ),
  rancher(
    RancherGate.CLUSTER_REPO_OCI,
    ['2.9.0'],
    'repositories in OCI registries (oci:// in a ClusterRepo)',
    'rancher/rancher pkg/apis/catalog.cattle.io/v1: insecurePlainHttp and exponentialBackOffValues in 2.9.0, not in 2.8.0',
  ),
  rancher(
    RancherGate.CLUSTER_REPO_TAGS,
    ['2.14.1'],
    'OCIOptions of a ClusterRepo',
    'rancher/rancher pkg/apis/catalog.cattle.io/v1/types.go: in 2.14.1, not in 2.14.0 and 2.13.8',
  ),
  rancher(
    RancherGate.CLUSTER_REPO_NO_REFRESH,
    ['2.15.0'],
    'a ClusterRepo that is not refreshed (a negative spec.refreshInterval)',
    'rancher/rancher pkg/controllers/dashboard/helm/repo.go shouldSkip: absent from v2.14.4, in v2.15.0',
  ),
  rancher(
    RancherGate.HARVESTER_UI_EXTENSION,
    ['2.10.0'],
    "Harvester's UI as an extension",
    'harvester/docs docs/rancher/harvester-ui-extension.md',
  ),
  rancher(
    RancherGate.UI_PLUGIN_ARCHIVE,
    ['2.12.0'],
    'compressedEndpoint of a UIPlugin',
    'rancher/rancher pkg/apis/catalog.cattle.io/v1/plugin.go: in 2.12.0, not in 2.11.0',
  ),
];
