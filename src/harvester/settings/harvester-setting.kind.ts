import { createHash } from 'crypto';
import { isDeepStrictEqual } from 'util';
import { RANCHER_CLUSTER_SECRET } from './catalogue/system.check';
import { VALIDATOR } from './entry/setting-entry.check';
import { SettingContext, ANNOTATION_SETTING_HASH } from './entry/setting.facts';
import { controllerOf, resetValueOf } from './harvester-settings.check';
import { HARVESTER_SETTINGS, NETWORK_SETTINGS } from './harvester-settings.data';
import { Unsettled } from '../../core/kind/description/delivery';
import { REFUSED } from '../../core/kind/description/refusals';
import { KindDescription } from '../../core/kind/kind';
import { HealthRule, whenTrue } from '../../core/kind/ready/health';
import { READY, Readiness, conditionOf, failing, waiting } from '../../core/kind/ready/readiness';
import { LATE_TOKEN } from '../../core/late/late-token';
import { Manifest, isRecord, kindKey, sameValue } from '../../core/manifest/manifest';
import { ADDITIONAL_CA, GROUPS, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { pemBlocks } from '../../core/problem/certificates';
import { textOrEmpty } from '../../core/text/plain-text';
import { attempt } from '../../core/text/values';
import { knownVersion } from '../../core/version/product-version';
import { CONDITION } from '../../rancher/cluster/cluster.facts';
import { TOKEN_PLACEHOLDER } from '../../rancher/import/registration-token.kind';
import { CLUSTER_NETWORK_NOT_YET } from '../cluster-network/cluster-network.kind';
import { HARVESTER_KIND } from '../harvester-object.kind';
import { GROUP_SNAPSHOT } from '../storage/storage.kind';
import { HarvesterVersion } from '../version/harvester-version';

/**
 * Annotation of Harvester's controller on a Setting.
 * @see harvester/harvester:pkg/util/constants.go AnnotationUpgradePatched
 */
const ANNOTATION_UPGRADE_PATCHED = 'harvesterhci.io/upgrade-patched';

/**
 * What controllers write on settings of networks.
 * @see harvester/harvester:pkg/util/constants.go StorageNetworkAnnotation, RWXNetworkAnnotation
 */
const OF_NETWORKS = [
  'hash',
  'net-attach-def',
  'old-net-attach-def',
  'initialized',
  'paused',
  'replica',
];

/** Annotations that controllers write. */
const ANNOTATIONS = [
  ANNOTATION_SETTING_HASH,
  ANNOTATION_UPGRADE_PATCHED,
  ...NETWORK_SETTINGS.flatMap((name) =>
    OF_NETWORKS.map((key) => `${name}.settings.harvesterhci.io/${key}`),
  ),
];

const RESET =
  'Harvester owns the object: deleting it does not reset the setting and is refused for some; value: "" resets it';

/**
 * Harvester's Setting.
 * @see harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/setting.go; seen on Harvester 1.7.2
 */
export const HARVESTER_SETTING_DESCRIPTION: KindDescription = {
  ...HARVESTER_KIND,
  kind: 'Setting',
  part: { noun: 'setting', order: 310 },
  scope: 'Cluster',
  rank: 12,
  // the registration waits for the Cluster on Rancher, and for settings that it needs
  stage: ({ metadata }) => ({
    stage: metadata.name === SETTING_REGISTRATION_URL ? 'registration' : 'settings',
  }),
  alwaysThere: 'server-version',
  rankOf: ({ metadata }) => HARVESTER_SETTINGS.get(metadata.name)?.rank,
  refers: 'also to its own kind',
  references: ({ metadata, value }) =>
    typeof value === 'string' ? (HARVESTER_SETTINGS.get(metadata.name)?.needs?.(value) ?? []) : [],
  deletion: { policy: 'reset', reason: RESET },
  deletions: Object.fromEntries(
    [...HARVESTER_SETTINGS].flatMap(([name, { resetEffect }]) =>
      resetEffect === undefined
        ? []
        : [[name, { policy: 'reset', reason: `${RESET}; ${resetEffect}` }]],
    ),
  ),
  passing: [
    ...CLUSTER_NETWORK_NOT_YET,
    {
      status: REFUSED,
      words: new RegExp(
        `${RANCHER_CLUSTER_SECRET.namespace}/${RANCHER_CLUSTER_SECRET.name} secret (not found|is empty)`,
      ),
      missing: () => ({ kind: kindKey('', 'Secret'), name: RANCHER_CLUSTER_SECRET.name }),
      source: `seen on Harvester 1.7.2; ${VALIDATOR}`,
    },
    {
      status: REFUSED,
      words: /volumesnapshotclasses\.snapshot\.storage\.k8s\.io "([^"]+)" not found/,
      missing: ([, name]) => ({ kind: kindKey(GROUP_SNAPSHOT, 'VolumeSnapshotClass'), name }),
      source: `${VALIDATOR} validateVolumeSnapshotClass`,
    },
    {
      status: REFUSED,
      words: /storage-network is not set/,
      missing: () => ({ kind: kindKey(GROUPS.HARVESTER, 'Setting'), name: 'storage-network' }),
      source: `${VALIDATOR} validateShareFlagTransition`,
    },
  ],
  machinesGoWithout: (name) => !HARVESTER_SETTINGS.get(name)?.carriesGuests,
  untriable: ({ metadata }) => HARVESTER_SETTINGS.get(metadata.name)?.actsInDryRun,
  meansTheSame,
  texts: [{ path: 'value' }],
  secrecyOf: ([first], { metadata }) =>
    (first === 'value' || first === 'default') &&
    HARVESTER_SETTINGS.get(metadata?.name ?? '')?.secret
      ? 'private'
      : undefined,
  ready: { judge: (live, { harvesterVersion }) => settingReadiness(live, harvesterVersion) },
  health: settingHealth(),
  unsettled: unsettledSetting,
  asStored: storedSetting,
  reset: {
    value: (name, { harvesterVersion }) => resetFormOf(name, harvesterVersion),
    isDone: (live, { harvesterVersion }) =>
      valueOf(live) === resetFormOf(live.metadata.name, harvesterVersion) ||
      (valueOf(live) === '' && settingReadiness(live, harvesterVersion).state === 'ready'),
  },
  neverCreated: {
    says: 'only Harvester creates settings',
    fix: 'use a version of Harvester that has it',
  },
  writtenByOthers: [
    'default',
    'customized',
    'source',
    'metadata.annotations',
    ...ANNOTATIONS.map((key) => `metadata.annotations[${key}]`),
  ],
  kept: [{ never: true, says: "a Setting is Harvester's: it is reset, never deleted" }],
};

/**
 * Reason of condition `configured` while pods stop and start.
 * @see harvester/harvester:pkg/controller/master/storagenetwork/storage_network.go
 */
const IN_PROGRESS = 'In Progress';

/**
 * A Setting is ready when the digest that its controller left is of its value; the condition alone
 * may be of an earlier value. A reset is carried out even if `configured` is False. A Setting
 * without a controller never gets a status.
 *
 * @see harvester/harvester:pkg/controller/master/setting/handler.go; seen on Harvester 1.7.2
 */
export function settingReadiness(live: Manifest, harvesterVersion?: string): Readiness {
  const controller = controllerOf(live.metadata.name, contextOf(harvesterVersion));
  const value = valueOf(live);
  if (!controller?.digest) {
    if (value === '') {
      return said(live) ?? READY;
    }
    return controller && !conditionOf(live, CONDITION.CONFIGURED)
      ? waiting('Harvester has not carried its value out yet')
      : byCondition(live);
  }
  const { annotation, algorithm } = controller.digest;
  const { annotations = {} } = live.metadata;
  const carriedOut = annotations[annotation];
  // an empty value is skipped where no value was carried out before, whatever the condition of an
  // earlier value is
  if (value === '' && carriedOut === undefined) {
    return READY;
  }
  const patched =
    annotation === ANNOTATION_SETTING_HASH ? (annotations[ANNOTATION_UPGRADE_PATCHED] ?? '') : '';
  if (
    carriedOut !==
    createHash(algorithm)
      .update(value + patched)
      .digest('hex')
  ) {
    // a value that fails is tried repeatedly, and the message is of an earlier try
    return said(live) ?? waiting('Harvester has not carried its value out yet');
  }
  return value === '' ? READY : byCondition(live);
}

/** Harvester removes an empty value, and credentials from a value. */
function unsettledSetting({ metadata, value }: Manifest): Unsettled | undefined {
  const { name } = metadata;
  if (value === '') {
    return {
      path: 'value',
      reason: 'has an empty value, which Harvester removes at once',
      fix: 'run apply, which resets it, then remove the construct',
    };
  }
  const entry = HARVESTER_SETTINGS.get(name);
  if (!entry?.rewritten || typeof value !== 'string') {
    return undefined;
  }
  // credentials that `resolve` fills in, too
  const [credential] = entry.secretsIn?.(value.replace(LATE_TOKEN, 'late')) ?? [];
  return (
    credential && {
      path: credential[0],
      reason: `holds ${credential[1]}, which Harvester moves out of the value at once`,
      fix: 'declare it in a program of its own without delivery, and run apply for that program',
    }
  );
}

function storedSetting(setting: Manifest): Manifest {
  const { value } = setting;
  const { name } = setting.metadata;
  const stored =
    typeof value === 'string' && value !== ''
      ? HARVESTER_SETTINGS.get(name)?.storedAs?.(value)
      : undefined;
  return stored === undefined ? setting : { ...setting, value: stored };
}

/**
 * Engines cannot compare digests: a value that was not carried out yet has the condition of the
 * previous value.
 */
function settingHealth(): HealthRule {
  const settings = [...HARVESTER_SETTINGS];
  const carriedOut = settings
    .filter(([, { controller }]) => controller !== undefined)
    .map(([name]) => name)
    .sort();
  return {
    healthy: {
      any: [
        { not: { named: carriedOut } },
        whenTrue(CONDITION.CONFIGURED),
        { condition: CONDITION.CONFIGURED, is: 'without message' },
      ],
    },
  };
}

/** The value that resets a Setting to its default. */
function resetFormOf(name: string, harvesterVersion?: string): string {
  return resetValueOf(name, contextOf(harvesterVersion));
}

function valueOf({ value }: Manifest): string {
  return textOrEmpty(value);
}

function contextOf(harvesterVersion: string | undefined): SettingContext {
  const version = knownVersion(HarvesterVersion.parse, harvesterVersion);
  return { harvesterVersion, atLeast: (text) => version?.isAtLeast(text) };
}

function byCondition(live: Manifest): Readiness {
  const configured = conditionOf(live, CONDITION.CONFIGURED);
  return !configured || configured.status === 'True'
    ? READY
    : (said(live) ?? waiting('configured is False'));
}

/** The message of a condition that is not True; undefined where it has none. */
function said(live: Manifest): Readiness | undefined {
  const configured = conditionOf(live, CONDITION.CONFIGURED);
  if (configured?.status !== 'False' || !configured.message) {
    return undefined;
  }
  return configured.reason === IN_PROGRESS
    ? waiting(configured.message)
    : failing(configured.message);
}

/** Whether a live value means the same to Harvester as the value of the program. */
function meansTheSame(live: Manifest, path: string, before: unknown, desired: unknown): boolean {
  const { name } = live.metadata;
  // Harvester omits an empty value, and some controllers remove it at every reset. Seen on
  // Harvester 1.8.2
  if (path === 'value' && desired === '' && (before ?? '') === '') {
    return true;
  }
  if (path !== 'value' || typeof before !== 'string' || typeof desired !== 'string') {
    return false;
  }
  if (name === ADDITIONAL_CA) {
    return sameValue(authoritiesIn(before), authoritiesIn(desired));
  }
  const reads = HARVESTER_SETTINGS.get(name)?.check?.reads;
  const [one, other] =
    reads && before !== '' && desired !== ''
      ? [before, desired].map((text) => reads(text, contextOf(undefined)))
      : [];
  // for Go an empty list is none
  if (one !== undefined && isDeepStrictEqual(withoutEmpty(one), withoutEmpty(other))) {
    return true;
  }
  if (HARVESTER_SETTINGS.get(name)?.unordered) {
    return unordered(before) !== undefined && unordered(before) === unordered(desired);
  }
  // Harvester could do nothing with the URL: then its token is to be replaced
  const isRefused =
    conditionOf(live, CONDITION.CONFIGURED)?.status === 'False' ||
    String(live.value).includes(TOKEN_PLACEHOLDER);
  return (
    name === SETTING_REGISTRATION_URL &&
    !isRefused &&
    withoutToken(before) === withoutToken(desired)
  );
}

/** The certificates of a bundle, in any order; the text where it has other contents. */
function authoritiesIn(bundle: string): readonly string[] {
  const blocks = pemBlocks(bundle).map((block) => block.replace(/\s+/g, ' '));
  const isAll =
    pemBlocks(bundle)
      .reduce((rest, block) => rest.replace(block, ''), bundle)
      .trim() === '';
  return isAll ? [...new Set(blocks)].sort() : [bundle];
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.length === 0 ? undefined : value.map(withoutEmpty);
  }
  if (value instanceof Map) {
    return new Map([...value].map(([key, each]) => [key, withoutEmpty(each)]));
  }
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutEmpty(each)]))
    : value;
}

/**
 * A registration URL without its token: Rancher gives another one after a while, which a Harvester
 * that is registered has no use for.
 * @see rancher/rancher:pkg/features/feature.go crt-token-ttl-rotation (2.15.0)
 */
function withoutToken(value: string): string {
  return value.replace(/\/v3\/import\/[^/"\s]*?_([^/_"\s]+\.yaml)/, '/v3/import/<token>_$1');
}

// JSON with its maps and lists sorted
function unordered(text: string): string | undefined {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map((item) => JSON.stringify(sorted(item))).sort();
    }
    return isRecord(value)
      ? Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, item]) => [key, sorted(item)])
      : value;
  };
  return attempt(() => JSON.stringify(sorted(JSON.parse(text))));
}
