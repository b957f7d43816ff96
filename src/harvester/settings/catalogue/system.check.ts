import { Duration } from 'cdk8s';
import type { INamespace } from '../../../core/construct/target';
import { enumValue, unless } from '../../../core/draft/draft';
import { durationOf } from '../../../core/draft/durations';
import { ANY, STRING, goStruct, BOOL, INT, unmarshal } from '../../../core/go/go-json';
import { Problem } from '../../../core/problem/problem';
import { Findings } from '../../../core/rule/findings';
import {
  PropObject,
  SETTINGS_GO,
  VALIDATOR,
  integer,
  json,
  settingEntry,
  warn,
  SETTING_CONTROLLERS,
  SettingCheck,
  decoded,
  syncer,
  webAddress,
  words,
} from '../entry/setting-entry.check';
import {
  namespacesIn,
  readDuration,
  readEnum,
  readJson,
  readText,
} from '../entry/setting-text.facts';

/** When nodes pull an image. */
export enum ImagePullPolicy {
  /** Before each start. */
  ALWAYS = 'Always',
  /** If the node does not have it. */
  IF_NOT_PRESENT = 'IfNotPresent',
  /** Never: the node must have it. */
  NEVER = 'Never',
}

/** The image of support bundles. Once set, it is not updated with Harvester. */
export interface SupportBundleImageProps {
  /** Repository of the image, e.g. `rancher/support-bundle-kit`. */
  readonly repository: string;
  /** Tag of the image, e.g. `v0.0.36`. */
  readonly tag: string;
  /** When nodes pull the image. @default ImagePullPolicy.IF_NOT_PRESENT */
  readonly imagePullPolicy?: ImagePullPolicy;
}

/** An image. @see harvester/harvester:pkg/settings/image.go Image */
interface ImageConfig {
  readonly repository: string;
  readonly tag?: unknown;
  readonly imagePullPolicy: string;
}

const IMAGE_FORMAT =
  '{"repository":"rancher/support-bundle-kit","tag":"v0.0.36","imagePullPolicy":"IfNotPresent"}';
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];

function checkImage({ repository, tag, imagePullPolicy }: ImageConfig): Problem[] {
  const says = "image field can't be blank";
  const blank = (key: string): Problem => ({
    path: `value.${key}`,
    message: 'is missing',
    fix: `give ${IMAGE_FORMAT}`,
  });
  const problems: Problem[] = [];
  if (repository === '') {
    problems.push({ ...blank('repository'), says });
  }
  // the server accepts a value without the key
  if (tag === '') {
    problems.push({ ...blank('tag'), says });
  } else if (tag === undefined) {
    problems.push(warn(blank('tag')));
  }
  if (imagePullPolicy === '') {
    problems.push({ ...blank('imagePullPolicy'), says });
  } else if (!PULL_POLICIES.includes(imagePullPolicy)) {
    const allowed = PULL_POLICIES.join(', ');
    problems.push(
      warn({
        path: 'value.imagePullPolicy',
        value: imagePullPolicy,
        message: `must be one of ${allowed}`,
        fix: `give one of ${allowed}`,
      }),
    );
  }
  return problems;
}

const LABEL_SAYS =
  "invalid file name: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
  "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

function checkFileName(value: string): Findings {
  const fix = 'give at most 63 of a-z, 0-9 and hyphens, with a letter or digit at both ends';
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(value)) {
    return { message: 'must be an RFC 1123 label', fix, says: LABEL_SAYS };
  }
  return (
    value.length > 63 && {
      message: 'must have at most 63 characters',
      fix,
      says: 'invalid file name: must be no more than 63 bytes',
    }
  );
}

function checkNamespaces(value: string): Problem[] {
  return value
    .split(',')
    .filter((name) => !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
    .map((name) => ({
      path: 'value',
      value: name,
      message: 'must be the name of a namespace',
      fix: 'give names of namespaces, separated by commas alone',
    }));
}

const MINUTE = 60;

/** A setting in whole minutes. */
function minutes(since: string, what: string, builtIn: string, says: string) {
  return settingEntry<Duration>({
    since,
    what,
    format: 'whole minutes, 0 or more',
    default: builtIn,
    judgesDefault: 'always',
    print: (duration) => String(duration.toMinutes()),
    adopt: readDuration(MINUTE),
    source: VALIDATOR,
    check: integer({
      allowed: 'a number of minutes of 0 or more',
      refuses: (number) => (number < 0 ? says : undefined),
    }),
  });
}

function namesOf(namespaces: readonly INamespace[]): string {
  return namespaces.map(({ name }) => name).join(',');
}

function listed(prop: string, namespaces: readonly INamespace[]): readonly PropObject[] {
  return namespaces.map((namespace, index) => [`${prop}[${index}]`, namespace]);
}

/** The settings of support bundles. */
export const SUPPORT_BUNDLE_FAMILY = {
  'support-bundle-image': settingEntry<SupportBundleImageProps>({
    what: 'the image of support bundles; once set, it is not updated with Harvester',
    format: IMAGE_FORMAT,
    default: 'the image of the release',
    judgesDefault: 'always',
    print: ({ repository, tag, imagePullPolicy }) => ({
      repository,
      tag,
      imagePullPolicy: imagePullPolicy ?? 'IfNotPresent',
    }),
    adopt: readJson(({ repository, tag, imagePullPolicy }) => ({
      repository,
      tag,
      imagePullPolicy: enumValue('ImagePullPolicy', unless(imagePullPolicy, 'IfNotPresent')),
    })),
    source: VALIDATOR,
    check: json<ImageConfig>({
      type: goStruct({ repository: STRING, tag: ANY, imagePullPolicy: STRING }),
      judge: checkImage,
    }),
  }),
  'support-bundle-timeout': minutes(
    '1.2.0',
    'the minutes after which a support bundle fails; 0 means never',
    '50, before 1.6.0 10',
    "timeout can't be negative",
  ),
  'support-bundle-expiration': minutes(
    '1.3.0',
    'the minutes that a support bundle is kept',
    '30',
    "expiration can't be negative",
  ),
  'support-bundle-node-collection-timeout': minutes(
    '1.3.1',
    'the minutes for collecting a support bundle from the nodes',
    '30',
    "node collection timeout can't be negative",
  ),
  'support-bundle-file-name': settingEntry<string>({
    since: '1.8.0',
    what: 'the file name of a support bundle',
    format: 'an RFC 1123 label',
    judgesDefault: 'always',
    print: (name) => name,
    adopt: readText,
    source: VALIDATOR,
    check: checkFileName,
  }),
  'support-bundle-namespaces': settingEntry<readonly INamespace[]>({
    since: '1.2.0',
    what: 'additional namespaces of a support bundle',
    format: 'names, separated by commas',
    level: 'warning',
    print: namesOf,
    adopt: namespacesIn,
    refersTo: (namespaces) => listed('namespaces', namespaces),
    source: SETTINGS_GO,
    check: checkNamespaces,
  }),
};

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
  /** Whether Harvester renews the certificates before they expire. @default true */
  readonly enabled?: boolean;
  /** How long before they expire, 1 to 8759 hours. @default - 240 hours */
  readonly expiringIn?: Duration;
}

/**
 * The pod security standard of all namespaces except Harvester's own: `baseline`, unless a list has
 * another. Needs Harvester 1.8.0.
 *
 * While it is enabled, other programs cannot set labels `pod-security.kubernetes.io/…` on
 * namespaces.
 */
export interface PodSecurityStandardProps {
  /** Whether Harvester enforces pod security standards in namespaces. @default true */
  readonly enabled?: boolean;
  /** Namespaces without a standard. @default - only Harvester's own */
  readonly whitelistedNamespaces?: INamespace[];
  /** Namespaces with the standard `privileged`. @default - no namespace */
  readonly privilegedNamespaces?: INamespace[];
  /** Namespaces with the standard `restricted`. @default - no namespace */
  readonly restrictedNamespaces?: INamespace[];
}

const ROTATE_DEFAULT = '{"enable":false,"expiringInHours":240}';
const MAX_HOURS = 24 * 365 - 1;

function checkRotate({ expiringInHours }: { readonly expiringInHours: number }): Problem[] {
  if (expiringInHours > 0 && expiringInHours <= MAX_HOURS) {
    return [];
  }
  return [
    {
      path: 'value.expiringInHours',
      value: expiringInHours,
      message: `must be 1 to ${MAX_HOURS} hours, also where rotation is off`,
      fix: `give 1 to ${MAX_HOURS}`,
      says:
        expiringInHours <= 0
          ? "expiringInHours can't be negative or zero"
          : `expiringInHours can't be large than ${MAX_HOURS}`,
    },
  ];
}

const MAX_TTL = 52560000;
const TTL = 'kubeconfig-default-token-ttl-minutes';

function checkPodSecurity(config: { readonly [key: string]: unknown }): Problem[] {
  const lists = [
    'whitelistedNamespacesList',
    'privilegedNamespacesList',
    'restrictedNamespacesList',
  ];
  return lists
    .filter((key) => /\s/.test(String(config[key])))
    .map((key) => ({
      path: `value.${key}`,
      value: config[key],
      message: 'must be separated by commas alone: not every version skips the white space',
      fix: 'remove the white space',
    }));
}

const RANCHER_CLUSTER = goStruct({ removeUpstreamClusterWhenNamespaceIsDeleted: BOOL });

/** Whether a value of rancher-cluster needs the Secret with a kubeconfig of Rancher. */
export function removesUpstreamClusters(value: string): boolean {
  const config = decoded(
    unmarshal<{ readonly removeUpstreamClusterWhenNamespaceIsDeleted: boolean }>(
      value,
      RANCHER_CLUSTER,
    ),
  );
  return config?.removeUpstreamClusterWhenNamespaceIsDeleted === true;
}

/**
 * The Secret that a value of rancher-cluster needs.
 * @see harvester/harvester:pkg/util/constants.go RancherClusterConfigSecretName; seen on Harvester 1.7.2
 */
export const RANCHER_CLUSTER_SECRET = {
  namespace: 'harvester-system',
  name: 'rancher-cluster-config',
  key: 'kubeConfig',
};

// logrus.ParseLevel
const LOG_LEVELS = ['panic', 'fatal', 'error', 'warn', 'warning', 'info', 'debug', 'trace'];

function checkPath(value: string): Findings {
  return (
    !value.startsWith('/') && {
      message: 'must be an absolute path',
      fix: 'give the folder of index.html in the container of Harvester',
    }
  );
}

/** A setting that Harvester only reads, and takes any text for. */
function plain<V>(
  what: string,
  format: string,
  builtIn: string,
  check: SettingCheck,
  adopt = readText,
) {
  return settingEntry<V>({
    what,
    format,
    default: builtIn,
    level: 'warning',
    print: String,
    adopt,
    source: SETTINGS_GO,
    check,
  });
}

/** The settings of Harvester itself. */
export const SYSTEM_FAMILY = {
  'auto-rotate-rke2-certs': settingEntry<AutoRotateRke2CertsProps>({
    since: '1.3.0',
    what: "whether Kubernetes' certificates are renewed automatically, and how early",
    format: '{"enable":true,"expiringInHours":240}',
    default: ROTATE_DEFAULT,
    judgesDefault: 'always',
    print: ({ enabled: enable, expiringIn }) => ({
      enable: enable ?? true,
      expiringInHours: expiringIn?.toHours() ?? 240,
    }),
    adopt: readJson(({ enable, expiringInHours }) => ({
      enabled: unless(enable, true),
      expiringIn: expiringInHours === 240 ? undefined : durationOf(expiringInHours * 3600),
    })),
    controller: syncer({ value: ROTATE_DEFAULT }),
    source: VALIDATOR,
    check: json({ type: goStruct({ enable: BOOL, expiringInHours: INT }), judge: checkRotate }),
  }),
  [TTL]: settingEntry<Duration>({
    since: '1.3.1',
    what: "the lifetime of downloaded kubeconfigs' tokens in minutes, 0 for no limit, in the Rancher that Harvester embeds",
    format: 'whole minutes, 0 for no limit',
    default: '0',
    judgesDefault: 'always',
    print: (ttl) => String(ttl.toMinutes()),
    adopt: readDuration(MINUTE),
    controller: syncer(),
    source: `${VALIDATOR}; seen on Harvester 1.7.2`,
    check: integer({
      allowed: `a number of minutes from 0 to ${MAX_TTL}`,
      refuses: (number) => {
        if (number < 0) {
          return `${TTL} can't be negative`;
        }
        if (number > MAX_TTL) {
          return `${TTL} exceeds 100 years`;
        }
        return undefined;
      },
    }),
  }),
  'cluster-pod-security-standard': settingEntry<PodSecurityStandardProps>({
    since: '1.8.0',
    what: "the pod security standard of all namespaces except Harvester's own",
    format:
      '{"enabled":true,"whitelistedNamespacesList":"a,b","privilegedNamespacesList":"","restrictedNamespacesList":""}',
    default: '{"enabled":false}',
    undeletable: true,
    level: 'warning',
    print: (props) => ({
      enabled: props.enabled ?? true,
      whitelistedNamespacesList: namesOf(props.whitelistedNamespaces ?? []),
      privilegedNamespacesList: namesOf(props.privilegedNamespaces ?? []),
      restrictedNamespacesList: namesOf(props.restrictedNamespaces ?? []),
    }),
    adopt: readJson(
      (
        { enabled, whitelistedNamespacesList, privilegedNamespacesList, restrictedNamespacesList },
        refer,
      ) => ({
        enabled: unless(enabled, true),
        whitelistedNamespaces: namespacesIn(whitelistedNamespacesList, refer),
        privilegedNamespaces: namespacesIn(privilegedNamespacesList, refer),
        restrictedNamespaces: namespacesIn(restrictedNamespacesList, refer),
      }),
    ),
    refersTo: ({
      whitelistedNamespaces = [],
      privilegedNamespaces = [],
      restrictedNamespaces = [],
    }) => [
      ...listed('whitelistedNamespaces', whitelistedNamespaces),
      ...listed('privilegedNamespaces', privilegedNamespaces),
      ...listed('restrictedNamespaces', restrictedNamespaces),
    ],
    controller: syncer(),
    source: `${SETTING_CONTROLLERS}/cluster_pod_security_standard.go`,
    check: json({
      judge: checkPodSecurity,
      type: goStruct({
        enabled: BOOL,
        whitelistedNamespacesList: STRING,
        privilegedNamespacesList: STRING,
        restrictedNamespacesList: STRING,
      }),
    }),
  }),
  'rancher-cluster': settingEntry<boolean>({
    since: '1.6.0',
    what: 'whether deleting a namespace deletes the guest clusters in it from Rancher',
    format: '{"removeUpstreamClusterWhenNamespaceIsDeleted":true}',
    default: '{}',
    // people put the kubeconfig here that belongs into the Secret
    secret: true,
    // after Secrets: Harvester refuses it without the one that leads to Rancher
    rank: 16,
    judgesDefault: 'effective',
    print: (removeUpstreamClusterWhenNamespaceIsDeleted) => ({
      removeUpstreamClusterWhenNamespaceIsDeleted,
    }),
    // whatever else it holds may be credentials
    adopt: readJson(({ removeUpstreamClusterWhenNamespaceIsDeleted: value, ...others }) =>
      typeof value === 'boolean' && Object.keys(others).length === 0 ? value : undefined,
    ),
    source: `${VALIDATOR}; seen on Harvester 1.7.2`,
    check: json({ type: RANCHER_CLUSTER }),
  }),
  'log-level': settingEntry<HarvesterLogLevel>({
    what: 'how much Harvester writes to its log',
    format: LOG_LEVELS.join(', '),
    default: 'info',
    level: 'warning',
    print: String,
    adopt: readEnum('HarvesterLogLevel'),
    controller: syncer(),
    source: `${SETTING_CONTROLLERS}/log_level.go; sirupsen/logrus ParseLevel`,
    check: words(
      LOG_LEVELS,
      'the Setting reports configured=False, and the level does not change',
      true,
    ),
  }),
  'server-version': settingEntry<never>({
    what: 'the version of Harvester; Harvester writes it',
    format: 'a version',
    default: 'the version',
    readOnly: true,
    source: SETTINGS_GO,
  }),
  'api-ui-version': settingEntry<never>({
    what: 'the version of the page that shows the API',
    format: 'a version',
    default: '1.1.9',
    source: SETTINGS_GO,
  }),
  'ui-index': plain<string>(
    'the URL of the UI',
    'a URL',
    'the dashboard of the release, e.g. https://releases.rancher.com/harvester-ui/dashboard/release-harvester-v1.9/index.html',
    webAddress,
  ),
  'ui-path': plain<string>(
    'the folder of the UI that is bundled with Harvester',
    'a path',
    '/usr/share/harvester/harvester',
    checkPath,
  ),
  'ui-plugin-index': plain<string>(
    "the URL of Rancher's plugin for Harvester",
    'a URL',
    'the plugin of the release',
    webAddress,
  ),
  'ui-source': plain<UiSource>(
    'which of the two UIs is used',
    'auto, external or bundled',
    'auto',
    words(Object.values(UiSource), 'any other text means auto'),
    readEnum('UiSource'),
  ),
};
