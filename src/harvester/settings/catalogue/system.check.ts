import { Duration } from 'cdk8s';
import { BOOL, INT, STRING, struct, unmarshal } from '../../../core/go/go-json';
import { Problem } from '../../../core/rule/problem';
import { CONTROLLERS, SETTINGS_GO, SettingCheck, VALIDATOR, decoded, integer, json, setting, syncer, warn, webAddress, words } from '../setting-entry.check';

/** How much Harvester writes to its log. */
export enum HarvesterLogLevel {
  /** Only before a crash. */
  PANIC = 'panic',
  /** Only before Harvester exits. */
  FATAL = 'fatal',
  /** Errors. */
  ERROR = 'error',
  /** Errors and warnings. */
  WARN = 'warn',
  /** What Harvester does. */
  INFO = 'info',
  /** Details for finding a cause. */
  DEBUG = 'debug',
  /** Every step. */
  TRACE = 'trace',
}

/** Which UI Harvester shows. */
export enum UiSource {
  /** The UI at `ui-index` if it can be reached, else the bundled one. */
  AUTO = 'auto',
  /** The UI at `ui-index`. */
  EXTERNAL = 'external',
  /** The UI that is bundled with Harvester. */
  BUNDLED = 'bundled',
}

/** Renewal of Kubernetes' own certificates. */
export interface AutoRotateRke2CertsProps {
  /** @default true */
  readonly enable?: boolean;
  /** How long before they expire, 1 to 8759 hours. @default - 240 hours */
  readonly expiringIn?: Duration;
}

/**
 * The pod security standard of all namespaces except Harvester's own: `baseline`, unless a list has another. Needs Harvester 1.8.0.
 *
 * While it is enabled, other programs cannot set labels `pod-security.kubernetes.io/…` on namespaces.
 */
export interface PodSecurityStandardProps {
  /** @default true */
  readonly enabled?: boolean;
  /** Namespaces without a standard. @default - only Harvester's own */
  readonly whitelistedNamespaces?: string[];
  /** Namespaces with the standard `privileged`. @default - no namespace */
  readonly privilegedNamespaces?: string[];
  /** Namespaces with the standard `restricted`. @default - no namespace */
  readonly restrictedNamespaces?: string[];
}

const ROTATE_DEFAULT = '{"enable":false,"expiringInHours":240}';
const MAX_HOURS = 24 * 365 - 1;

function checkRotate({ expiringInHours }: { readonly expiringInHours: number }): Problem[] {
  if (expiringInHours > 0 && expiringInHours <= MAX_HOURS) { return []; }
  return [{
    path: 'value.expiringInHours',
    value: expiringInHours,
    message: `must be 1 to ${MAX_HOURS} hours, also where rotation is off`,
    fix: `give 1 to ${MAX_HOURS}`,
    says: expiringInHours <= 0 ? 'expiringInHours can\'t be negative or zero' : `expiringInHours can't be large than ${MAX_HOURS}`,
  }];
}

const MAX_TTL = 52560000;
const TTL = 'kubeconfig-default-token-ttl-minutes';

function checkPodSecurity(config: { readonly [key: string]: unknown }): Problem[] {
  const lists = ['whitelistedNamespacesList', 'privilegedNamespacesList', 'restrictedNamespacesList'];
  return lists.filter((key) => /\s/.test(String(config[key]))).map((key) => warn({
    path: `value.${key}`, value: config[key], message: 'must be separated by commas alone: not every version skips the white space', fix: 'remove the white space',
  }));
}

const RANCHER_CLUSTER = struct({ removeUpstreamClusterWhenNamespaceIsDeleted: BOOL });

/** Whether a value of rancher-cluster needs the Secret with a kubeconfig of Rancher. */
export function removesUpstreamClusters(value: string): boolean {
  const config = decoded(unmarshal<{ readonly removeUpstreamClusterWhenNamespaceIsDeleted: boolean }>(value, RANCHER_CLUSTER));
  return config?.removeUpstreamClusterWhenNamespaceIsDeleted === true;
}

/** The Secret that a value of rancher-cluster needs. @see harvester/harvester:pkg/util/constants.go RancherClusterConfigSecretName; seen on Harvester 1.7.2 */
export const RANCHER_CLUSTER_SECRET = { namespace: 'harvester-system', name: 'rancher-cluster-config', key: 'kubeConfig' };

// logrus.ParseLevel
const LOG_LEVELS = ['panic', 'fatal', 'error', 'warn', 'warning', 'info', 'debug', 'trace'];

function checkPath(value: string): Problem[] {
  return value.startsWith('/') ? [] : [warn({ path: 'value', value, message: 'must be an absolute path', fix: 'give the folder of index.html in the container of Harvester' })];
}

/** A setting that Harvester only reads, and takes any text for. */
function plain<V>(what: string, format: string, builtIn: string, check: SettingCheck) {
  return setting<V>({ what, format, default: builtIn, judgesDefault: 'never', level: 'warning', print: String, source: SETTINGS_GO, check });
}

/** The settings of Harvester itself. */
export const SYSTEM_FAMILY = {
  'auto-rotate-rke2-certs': setting<AutoRotateRke2CertsProps>({
    since: '1.3.0',
    what: 'whether Kubernetes\' certificates are renewed automatically, and how early',
    format: '{"enable":true,"expiringInHours":240}',
    default: ROTATE_DEFAULT,
    judgesDefault: 'always',
    level: 'error',
    print: ({ enable, expiringIn }) => ({ enable: enable ?? true, expiringInHours: expiringIn?.toHours() ?? 240 }),
    controller: syncer({ value: ROTATE_DEFAULT }),
    source: VALIDATOR,
    check: json({ type: struct({ enable: BOOL, expiringInHours: INT }), judge: checkRotate }),
  }),
  [TTL]: setting<Duration>({
    since: '1.3.1',
    what: 'the lifetime of downloaded kubeconfigs\' tokens in minutes, 0 for no limit, in the Rancher that Harvester embeds',
    format: '0',
    default: '0',
    judgesDefault: 'always',
    level: 'error',
    print: (ttl) => String(ttl.toMinutes()),
    controller: syncer(),
    source: `${VALIDATOR}; seen on Harvester 1.7.2`,
    check: integer({
      allowed: `a number of minutes from 0 to ${MAX_TTL}`,
      refuses: (number) => (number < 0 ? `${TTL} can't be negative` : number > MAX_TTL ? `${TTL} exceeds 100 years` : undefined),
    }),
  }),
  'cluster-pod-security-standard': setting<PodSecurityStandardProps>({
    since: '1.8.0',
    what: 'the pod security standard of all namespaces except Harvester\'s own',
    format: '{"enabled":true,"whitelistedNamespacesList":"a,b","privilegedNamespacesList":"","restrictedNamespacesList":""}',
    default: '{"enabled":false}',
    undeletable: true,
    judgesDefault: 'never',
    level: 'warning',
    print: (props) => ({
      enabled: props.enabled ?? true,
      whitelistedNamespacesList: (props.whitelistedNamespaces ?? []).join(','),
      privilegedNamespacesList: (props.privilegedNamespaces ?? []).join(','),
      restrictedNamespacesList: (props.restrictedNamespaces ?? []).join(','),
    }),
    controller: syncer(),
    source: `${CONTROLLERS}/cluster_pod_security_standard.go`,
    check: json({
      unread: true,
      judge: checkPodSecurity,
      type: struct({ enabled: BOOL, whitelistedNamespacesList: STRING, privilegedNamespacesList: STRING, restrictedNamespacesList: STRING }),
    }),
  }),
  'rancher-cluster': setting<boolean>({
    since: '1.6.0',
    what: 'whether deleting a namespace deletes the guest clusters in it from Rancher',
    format: '{"removeUpstreamClusterWhenNamespaceIsDeleted":true}',
    default: '{}',
    // people put the kubeconfig here that belongs into the Secret
    secret: true,
    // after Secrets: Harvester refuses it without the one that leads to Rancher
    rank: 16,
    judgesDefault: 'effective',
    level: 'error',
    print: (removeUpstreamClusterWhenNamespaceIsDeleted) => ({ removeUpstreamClusterWhenNamespaceIsDeleted }),
    source: `${VALIDATOR}; seen on Harvester 1.7.2`,
    check: json({ type: RANCHER_CLUSTER }),
  }),
  'log-level': setting<HarvesterLogLevel>({
    what: 'how much Harvester writes to its log',
    format: LOG_LEVELS.join(', '),
    default: 'info',
    judgesDefault: 'never',
    level: 'warning',
    print: String,
    controller: syncer(),
    source: `${CONTROLLERS}/log_level.go; sirupsen/logrus ParseLevel`,
    check: words(LOG_LEVELS, 'the Setting reports configured=False, and the level does not change', true),
  }),
  'server-version': setting<never>({
    what: 'the version of Harvester; Harvester writes it',
    format: 'a version',
    default: 'the version',
    readOnly: true,
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
  }),
  'api-ui-version': setting<never>({
    what: 'the version of the page that shows the API',
    format: 'a version',
    default: '1.1.9',
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
  }),
  'ui-index': plain<string>('the URL of the UI', 'a URL', 'https://releases.rancher.com/harvester-ui/dashboard/latest/index.html', webAddress),
  'ui-path': plain<string>('the folder of the UI that is bundled with Harvester', 'a path', '/usr/share/harvester/harvester', checkPath),
  'ui-plugin-index': plain<string>('the URL of Rancher\'s plugin for Harvester', 'a URL',
    'https://releases.rancher.com/harvester-ui/plugin/harvester-latest/harvester-latest.umd.min.js', webAddress),
  'ui-source': plain<UiSource>('which of the two UIs is used', 'auto, external or bundled', 'auto', words(Object.values(UiSource), 'any other text means auto')),
};
