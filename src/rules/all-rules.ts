import { HARVESTER_SETTING_RULES } from './harvester-setting';
import { MANAGEMENT_CLUSTER_RULES } from './management-cluster';
import { OBJECT_RULES } from './objects';
import { PROVISIONING_CLUSTER_RULES } from './provisioning-cluster';
import { RANCHER_SETTING_RULES } from './rancher-setting';
import { REGISTRATION_RULES } from './registration';
import { REGISTRATION_TOKEN_RULES } from './registration-token';
import { Rule } from './rule';
import { SHAPE_RULES } from './shapes';

/** Every rule over manifests, by family. */
export const ALL_RULES: readonly Rule[] = [
  ...OBJECT_RULES,
  ...SHAPE_RULES,
  ...PROVISIONING_CLUSTER_RULES,
  ...MANAGEMENT_CLUSTER_RULES,
  ...REGISTRATION_TOKEN_RULES,
  ...REGISTRATION_RULES,
  ...RANCHER_SETTING_RULES,
  ...HARVESTER_SETTING_RULES,
];
