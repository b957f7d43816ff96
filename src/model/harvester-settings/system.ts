import { Problem } from '../problem';
import { integerCheck, jsonCheck, unmarshalFailedHidden, warn, webAddressCheck, wordCheck } from './checks';
import { CONTROLLERS, SettingEntry, SETTINGS_GO, syncer, VALIDATOR } from './entry';
import { BOOL, INT, STRING, struct, unmarshal } from './go-json-decode';
import { SETTING } from './names';

const ROTATE_DEFAULT = '{"enable":false,"expiringInHours":240}';
const ROTATE_FORMAT = '{"enable":true,"expiringInHours":240}';
const MAX_HOURS = 24 * 365 - 1;

function checkRotate({ expiringInHours }: { readonly expiringInHours: number }): Problem[] {
  const at = { path: 'value.expiringInHours', value: expiringInHours, message: `must be 1 to ${MAX_HOURS} hours, also where it is off`, fix: `give ${ROTATE_FORMAT}` };
  if (expiringInHours <= 0) { return [{ ...at, says: 'expiringInHours can\'t be negative or zero' }]; }
  return expiringInHours > MAX_HOURS ? [{ ...at, says: `expiringInHours can't be large than ${MAX_HOURS}` }] : [];
}

const MAX_TTL = 52560000;
const TTL = SETTING.KUBECONFIG_DEFAULT_TOKEN_TTL_MINUTES;

const POD_SECURITY_FORMAT = '{"enabled":true,"whitelistedNamespacesList":"a,b","privilegedNamespacesList":"","restrictedNamespacesList":""}';

function checkPodSecurity(config: { readonly [key: string]: unknown }): Problem[] {
  const lists = ['whitelistedNamespacesList', 'privilegedNamespacesList', 'restrictedNamespacesList'];
  return lists.filter((key) => /\s/.test(String(config[key]))).map((key) => warn({
    path: `value.${key}`, value: config[key], message: 'holds white space, so names after it match no namespace in every version', fix: 'separate the names by commas alone',
  }));
}

const RANCHER_CLUSTER_FORMAT = '{"removeUpstreamClusterWhenNamespaceIsDeleted":true}';
const RANCHER_CLUSTER = struct('settings.RancherClusterConfig', { removeUpstreamClusterWhenNamespaceIsDeleted: BOOL });

/** Whether a value of rancher-cluster asks for the Secret that leads to Rancher. */
export function removesUpstreamClusters(value: string): boolean {
  const result = unmarshal<{ removeUpstreamClusterWhenNamespaceIsDeleted: boolean }>(value, RANCHER_CLUSTER);
  return !('error' in result) && result.config.removeUpstreamClusterWhenNamespaceIsDeleted;
}

/** The Secret that a value of rancher-cluster needs. @see harvester/harvester:pkg/util/constants.go RancherClusterConfigSecretName; seen on Harvester 1.7.2 */
export const RANCHER_CLUSTER_SECRET = { namespace: 'harvester-system', name: 'rancher-cluster-config', key: 'kubeConfig' };

// logrus.ParseLevel
const LOG_LEVELS = ['panic', 'fatal', 'error', 'warn', 'warning', 'info', 'debug', 'trace'];

function checkPath(value: string): Problem[] {
  return value.startsWith('/') ? [] : [warn({ path: 'value', value, message: 'is no absolute path', fix: 'give the folder of index.html in the container of Harvester' })];
}

export const SYSTEM_FAMILY: readonly SettingEntry[] = [
  {
    name: SETTING.AUTO_ROTATE_RKE2_CERTS,
    since: '1.3.0',
    what: 'whether Kubernetes\' certificates are renewed by themselves, and how early',
    format: ROTATE_FORMAT,
    default: ROTATE_DEFAULT,
    judgesDefault: 'always',
    level: 'error',
    controller: syncer({ value: ROTATE_DEFAULT }),
    source: VALIDATOR,
    check: jsonCheck({ format: ROTATE_FORMAT, type: struct('settings.AutoRotateRKE2Certs', { enable: BOOL, expiringInHours: INT }), judge: checkRotate }),
  },
  {
    name: TTL,
    since: '1.3.1',
    what: 'the minutes that tokens of downloaded kubeconfigs live; 0 is for ever. It is about the Rancher within Harvester',
    format: '0',
    default: '0',
    judgesDefault: 'always',
    level: 'error',
    controller: syncer(),
    source: `${VALIDATOR}; seen on Harvester 1.7.2`,
    check: integerCheck({
      what: `a number of minutes from 0 to ${MAX_TTL}`,
      allowed: `0 to ${MAX_TTL}`,
      refuses: (number) => (number < 0 ? `${TTL} can't be negative` : number > MAX_TTL ? `${TTL} exceeds 100 years` : undefined),
    }),
  },
  {
    name: SETTING.CLUSTER_POD_SECURITY_STANDARD,
    since: '1.8.0',
    what: 'the pod security standard of all namespaces that are not Harvester\'s own',
    format: POD_SECURITY_FORMAT,
    default: '{"enabled":false}',
    undeletable: true,
    judgesDefault: 'never',
    level: 'warning',
    controller: syncer(),
    source: `${CONTROLLERS}/cluster_pod_security_standard.go`,
    check: jsonCheck({
      format: POD_SECURITY_FORMAT,
      unread: true,
      says: (error, value) => `invalid JSON \`${value}\`: ${error}`,
      judge: checkPodSecurity,
      type: struct('settings.PodSecuritySetting', {
        enabled: BOOL, whitelistedNamespacesList: STRING, privilegedNamespacesList: STRING, restrictedNamespacesList: STRING,
      }),
    }),
  },
  {
    name: SETTING.RANCHER_CLUSTER,
    since: '1.6.0',
    what: 'whether deleting a namespace deletes the guest clusters in it from Rancher',
    format: RANCHER_CLUSTER_FORMAT,
    default: '{}',
    judgesDefault: 'effective',
    level: 'error',
    source: `${VALIDATOR}; seen on Harvester 1.7.2`,
    // people put the kubeconfig here that belongs into the Secret
    check: jsonCheck({ format: RANCHER_CLUSTER_FORMAT, type: RANCHER_CLUSTER, says: unmarshalFailedHidden, secret: true }),
  },
  {
    name: SETTING.LOG_LEVEL,
    what: 'how much Harvester writes to its log',
    format: LOG_LEVELS.join(', '),
    default: 'info',
    judgesDefault: 'never',
    level: 'warning',
    controller: syncer(),
    source: `${CONTROLLERS}/log_level.go; sirupsen/logrus ParseLevel`,
    check: wordCheck(LOG_LEVELS, 'the Setting says configured=False, and the level stays', true),
  },
  {
    name: SETTING.SERVER_VERSION,
    what: 'the version of Harvester; Harvester writes it',
    format: 'a version',
    default: 'the version',
    readOnly: true,
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
  },
  {
    name: SETTING.API_UI_VERSION,
    what: 'the version of the page that shows the API',
    format: 'a version',
    default: '1.1.9',
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
  },
  {
    name: SETTING.UI_INDEX,
    what: 'where the UI is loaded from',
    format: 'a URL',
    default: 'https://releases.rancher.com/harvester-ui/dashboard/latest/index.html',
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
    check: webAddressCheck,
  },
  {
    name: SETTING.UI_PATH,
    what: 'the folder of the UI that comes with Harvester',
    format: 'a path',
    default: '/usr/share/harvester/harvester',
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
    check: checkPath,
  },
  {
    name: SETTING.UI_PLUGIN_INDEX,
    what: 'where Rancher loads the plugin for Harvester from',
    format: 'a URL',
    default: 'https://releases.rancher.com/harvester-ui/plugin/harvester-latest/harvester-latest.umd.min.js',
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
    check: webAddressCheck,
  },
  {
    name: SETTING.UI_SOURCE,
    what: 'which of the two UIs is used',
    format: 'auto, external or bundled',
    default: 'auto',
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
    check: wordCheck(['auto', 'external', 'bundled'], 'any other counts as auto'),
  },
];
