export {
  AgentDeployment, AgentDisruptionBudget, AgentScheduling, AgentToleration, DeploymentCustomization, WebhookDeployment,
} from './agent-deployment';
export * from './cloud-credential';
export * from './cloud-credential-ref';
export { ClusterMember } from './cluster-member';
export { ClusterMembers, ClusterMembersProps } from './cluster-members';
export { ClusterRole } from './cluster-role';
export { GlobalPermission } from './global-permission';
export { FleetWorkspacePermissions, GlobalRole, GlobalRoleProps, IGlobalRole } from './global-role';
export { GlobalRoleBinding, GlobalRoleBindingProps } from './global-role-binding';
export { HarvesterImport, HarvesterImportProps, IHarvesterImport } from './harvester-import';
export { HashedPassword } from './hashed-password';
export { IManagedCluster } from './managed-cluster';
export { ManagementClusterId } from './management-cluster-id';
export { PolicyRule } from './policy-rule';
export { AuthProvider, IUser, Principal, PrincipalOptions } from './principal';
export { ProjectMember } from './project-member';
export { ProjectRole } from './project-role';
export { ContainerDefaults, Quota } from './quota';
export { RancherSetting } from './rancher-setting';
export {
  AgentDisruptionBudgetOptions, AgentPriorityClassOptions, AgentTlsMode, AgentTlsModeOptions, RancherSettingProps,
} from './rancher-setting-props';
export { RegistrationToken, RegistrationTokenProps } from './registration-token';
export { IRoleTemplate, RoleTemplate, RoleTemplateContext, RoleTemplateProps } from './role-template';
export { IS3Credential, S3Credential, S3CredentialProps } from './s3-credential';
export { ExistingTenantProjectProps, TenantProject, TenantProjectProps } from './tenant-project';
export { ITenantProject, TenantNamespaceOptions } from './tenant-project-ref';
export { TokenLifetime, TokenLifetimeProps } from './token-lifetime';
export { DeclaredTokenOptions, TokenSecretOptions, TokenSource } from './token-source';
export { User, UserProps } from './user';
export { VmQuota, VmQuotaItem, VmQuotaOptions } from './vm-quota';
