export { AgentDeployment, AgentScheduling, AgentToleration, WebhookDeployment } from './agent-deployment';
export { HarvesterImport, HarvesterImportProps, IHarvesterImport } from './harvester-import';
export { IManagedCluster } from './managed-cluster';
export { ManagementClusterId } from './management-cluster-id';
export { RancherSetting } from './rancher-setting';
export {
  AgentDisruptionBudgetOptions, AgentPriorityClassOptions, AgentTlsMode, AgentTlsModeOptions, RancherSettingProps,
} from './rancher-setting-props';
export { RegistrationToken, RegistrationTokenProps } from './registration-token';
export { TokenLifetime, TokenLifetimeProps } from './token-lifetime';
export { DeclaredTokenOptions, TokenSecretOptions, TokenSource } from './token-source';
