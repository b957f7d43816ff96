import { ProductVersion, versionParser, knownVersion } from '../../core/version/product-version';
import { Product } from '../../core/version/semver';

/** Rancher, the management server. */
export const RANCHER_PRODUCT: Product = { id: 'rancher', name: 'Rancher', what: 'rancher version', example: '2.13.8', distributions: false };

/** Features that depend on the version of Rancher: imports, registration, tenancy, users and tokens. */
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
  DRY_RUN_CLUSTER_CREATION = 'dry-run-cluster-creation',

  // tenancy, users, tokens
  PROJECT_BACKING_NAMESPACE = 'project-backing-namespace',
  PROJECT_SECRET_LABEL = 'project-secret-label',
  PROJECT_QUOTA_EXTENDED = 'project-quota-extended',
  DUPLICATE_CLUSTER_BINDING_REFUSED = 'duplicate-cluster-binding-refused',
  DUPLICATE_PROJECT_BINDING_REFUSED = 'duplicate-project-binding-refused',
  GLOBAL_BINDING_USER_PRINCIPAL = 'global-binding-user-principal',
  GLOBAL_ROLE_NAMESPACED_RULES = 'global-role-namespaced-rules',
  GLOBAL_ROLE_INHERITED_NAMESPACED_RULES = 'global-role-inherited-namespaced-rules',
  ROLE_TEMPLATE_EXTERNAL_RULES = 'role-template-external-rules',
  CONTAINER_LIMIT_VALIDATED = 'container-limit-validated',
  PASSWORD_SECRET = 'password-secret',
  TOKEN_TTL_DEFAULTS = 'token-ttl-defaults',
  KUBECONFIG_MAX_TTL_SETTING = 'kubeconfig-max-ttl-setting',
  HARVESTER_TOKENS_NEVER_EXPIRE = 'harvester-tokens-never-expire',
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
export function rancherVersionOf({ rancherVersion }: { readonly rancherVersion?: string }): RancherVersion | undefined {
  return knownVersion(RancherVersion.parse, rancherVersion);
}
