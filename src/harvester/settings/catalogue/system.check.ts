import {
  CONTROLLERS, SETTINGS_GO, SettingEntry, VALIDATOR, integerCheck, jsonCheck, syncer, unmarshalFailedHidden, warn, webAddressCheck,
  wordCheck,
} from './entry';
import { ANY, BOOL, INT, STRING, named, struct, unmarshal } from '../../../core/go/go-json-decode';
import { Problem } from '../../../core/rule/problem';
import { SETTING } from '../harvester-setting.kind';

/** An image. @see harvester/harvester:pkg/settings/image.go Image */
interface ImageConfig {
  readonly repository: string;
  readonly tag?: unknown;
  readonly imagePullPolicy: string;
}

const IMAGE_FORMAT = '{"repository":"rancher/support-bundle-kit","tag":"v0.0.36","imagePullPolicy":"IfNotPresent"}';
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];

function checkImage({ repository, tag, imagePullPolicy }: ImageConfig): Problem[] {
  const blank = (key: string): Problem => ({ path: `value.${key}`, message: 'must not be empty', fix: `give ${IMAGE_FORMAT}`, says: 'image field can\'t be blank' });
  const problems: Problem[] = [];
  if (repository === '') { problems.push(blank('repository')); }
  // the server lets a tag that is not there at all pass
  if (tag === '') { problems.push(blank('tag')); } else if (tag === undefined) { problems.push(warn({ ...blank('tag'), message: 'is missing', says: undefined })); }
  if (imagePullPolicy === '') {
    problems.push(blank('imagePullPolicy'));
  } else if (!PULL_POLICIES.includes(imagePullPolicy)) {
    problems.push(warn({ path: 'value.imagePullPolicy', value: imagePullPolicy, message: 'is no pull policy', fix: `give one of ${PULL_POLICIES.join(', ')}` }));
  }
  return problems;
}

const LABEL_SAYS = 'invalid file name: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an '
  + 'alphanumeric character (e.g. \'my-name\',  or \'123-abc\', regex used for validation is \'[a-z0-9]([-a-z0-9]*[a-z0-9])?\')';

function checkFileName(value: string): Problem[] {
  const fix = 'give up to 63 of a-z, 0-9 and hyphens, which begins and ends with a letter or digit';
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(value)) { return [{ path: 'value', value, message: 'must be an RFC 1123 label', fix, says: LABEL_SAYS }]; }
  return value.length <= 63 ? [] : [{ path: 'value', value, message: 'is too long', fix, says: 'invalid file name: must be no more than 63 bytes' }];
}

function checkNamespaces(value: string): Problem[] {
  return value.split(',').filter((name) => !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)).map((name) => warn({
    path: 'value', value: name, message: 'is no name of a namespace', fix: 'give names of namespaces, separated by commas alone',
  }));
}

function minutes(what: string, says: string) {
  return integerCheck({ what, allowed: '0 or more minutes', refuses: (number) => (number < 0 ? says : undefined) });
}

export const SUPPORT_BUNDLE_FAMILY: readonly SettingEntry[] = [
  {
    name: SETTING.SUPPORT_BUNDLE_IMAGE,
    what: 'the image that makes support bundles; it is not updated with Harvester once it is set',
    format: IMAGE_FORMAT,
    default: 'the image of the release',
    judgesDefault: 'always',
    level: 'error',
    source: VALIDATOR,
    check: jsonCheck<ImageConfig>({
      format: IMAGE_FORMAT, type: struct('settings.Image', { repository: STRING, tag: ANY, imagePullPolicy: named('v1.PullPolicy') }), judge: checkImage,
    }),
  },
  {
    name: SETTING.SUPPORT_BUNDLE_TIMEOUT,
    since: '1.2.0',
    what: 'the minutes after which making a support bundle is given up; 0 is never',
    format: '50',
    default: '50, before 1.6.0 10',
    judgesDefault: 'always',
    level: 'error',
    source: VALIDATOR,
    check: minutes('a number of minutes, 0 or more', 'timeout can\'t be negative'),
  },
  {
    name: SETTING.SUPPORT_BUNDLE_EXPIRATION,
    since: '1.3.0',
    what: 'the minutes that a support bundle is kept',
    format: '30',
    default: '30',
    judgesDefault: 'always',
    level: 'error',
    source: VALIDATOR,
    check: minutes('a number of minutes, 0 or more', 'expiration can\'t be negative'),
  },
  {
    name: SETTING.SUPPORT_BUNDLE_NODE_COLLECTION_TIMEOUT,
    since: '1.3.1',
    what: 'the minutes that collecting from the nodes may take',
    format: '30',
    default: '30',
    judgesDefault: 'always',
    level: 'error',
    source: VALIDATOR,
    check: minutes('a number of minutes, 0 or more', 'node collection timeout can\'t be negative'),
  },
  {
    name: SETTING.SUPPORT_BUNDLE_FILE_NAME,
    since: '1.8.0',
    what: 'the name of the file that a support bundle is packed into',
    format: 'an RFC 1123 label',
    default: '',
    judgesDefault: 'always',
    level: 'error',
    source: VALIDATOR,
    check: checkFileName,
  },
  {
    name: SETTING.SUPPORT_BUNDLE_NAMESPACES,
    since: '1.2.0',
    what: 'further namespaces that a support bundle looks into',
    format: 'names, separated by commas',
    default: '',
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
    check: checkNamespaces,
  },
];

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
