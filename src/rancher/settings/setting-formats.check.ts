import { GoType, INT, STRING, named, pointer, struct, unmarshal } from '../../core/go/go-json-decode';
import { atoi } from '../../core/go/go-numbers';
import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/rule/problem';
import { cronFault } from '../../core/text/cron';
import { goDuration, goDurationSays, isRfc3339 } from '../../core/text/time';
import { checkDisruptionBudget, checkPriorityClass } from '../cluster/provisioning-cluster.check';

const FIX = 'give scheme and host, e.g. https://rancher.example.com';
const PROTOCOLS = ['https:', 'http:'];

/**
 * What makes a text no URL that clusters can reach Rancher by. Of server-url Rancher takes scheme and host and drops the rest.
 *
 * @param dropped how bad it is to give what Rancher drops: constructs refuse it, rules tell it, since the server accepts it
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/status.go getURL
 */
export function* checkServerUrl(path: string, text: string, dropped: 'error' | 'warning' = 'error'): Iterable<Problem> {
  if (isLate(text)) { return; }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // `rancher.example.com:8443` is one by the book, of the scheme rancher.example.com
  if (!url || !PROTOCOLS.includes(url.protocol)) {
    yield { path, value: withoutSecrets(text), message: 'is no URL: no cluster can register', fix: FIX };
    return;
  }
  const value = withoutSecrets(text);
  if (url.protocol !== 'https:') {
    yield { path, value, level: 'warning', message: 'is no https URL: tokens of clusters and users would travel in clear', fix: FIX };
  }
  if (url.username || url.password) {
    yield { path, level: dropped, message: 'holds credentials, which every registration URL would show', fix: FIX };
  }
  if (url.pathname !== '/' || url.search || url.hash) {
    yield { path, value, level: dropped, message: 'has more than scheme and host, which Rancher drops from registration URLs', fix: FIX };
  }
}

/**
 * A URL, or what somebody took for one, as it may be shown: without user, password and query, which may be credentials.
 */
export function withoutSecrets(url: string): string {
  // to the last @, since a password that is not encoded may hold any character
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[\s\S]*@/i, '$1***@').replace(/[?#][\s\S]*$/, '');
}

/** Judges a value of a Setting; the path of every problem begins with `value`. */
export type RancherSettingCheck = (value: string) => Iterable<Problem>;

/**
 * One setting of Rancher, as data.
 */
export interface RancherSettingEntry {
  readonly name: string;
  /** What it does, as a phrase. */
  readonly what: string;
  /** How a value looks, for error texts. */
  readonly format: string;
  /** The built-in default of current versions; undefined where it is set at build time or by the installation. */
  readonly default?: string;
  /** First versions that have it, one for each minor line; left out where every version we support has it. */
  readonly since?: readonly string[];
  /** Whether the server refuses every change. */
  readonly readOnly?: boolean;
  readonly check?: RancherSettingCheck;
  /** Whether the check also judges the empty value, which else means the default. */
  readonly judgesEmpty?: boolean;
  /** Where the rules are known from. */
  readonly source: string;
}

/** The webhook's file. It asks only for some settings; its failure policy is Ignore, so without the webhook nothing is checked. */
export const SETTING_VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/setting/validator.go';

/** The list of settings and their defaults. */
export const SETTING_GO = 'rancher/rancher:pkg/settings/setting.go';

const PATH = 'value';

function invalid(value: string, says: string): string {
  return `value: Invalid value: ${JSON.stringify(value)}: ${says}`;
}

/**
 * Whole minutes, days or the like that only Rancher itself reads. Of a text that is no number it takes the default and tells its log.
 *
 * @param min below this the value is a mistake, which nobody refuses
 * @param lost how bad a text is that is no number
 */
export function wholeNumber(fix: string, min = 0, lost: 'error' | 'warning' = 'error'): RancherSettingCheck {
  return function* (value: string): Iterable<Problem> {
    const parsed = atoi(value);
    if ('error' in parsed) {
      yield { path: PATH, value, level: lost, message: 'is no whole number: Rancher takes the default in its place, and only its log says so', fix };
    } else if (parsed.number < min) {
      yield { path: PATH, value, level: 'warning', message: `is less than ${min}`, fix };
    }
  };
}

/** Minutes that the webhook reads as Go's ParseInt does. */
export function sessionMinutes(min: number, saysLess: string): RancherSettingCheck {
  return function* (value: string): Iterable<Problem> {
    const fix = `use whole minutes from ${min}`;
    const parsed = atoi(value);
    if ('error' in parsed) {
      yield { path: PATH, value, message: 'is no whole number', fix, says: invalid(value, parsed.error.replace('Atoi', 'ParseInt')) };
    } else if (parsed.number < min) {
      yield { path: PATH, value, message: `is less than ${min}`, fix, says: invalid(value, saysLess) };
    }
  };
}

/** A duration of Go's that is not negative; zero switches off. */
export function* retentionPeriod(value: string): Iterable<Problem> {
  const seconds = goDuration(value);
  const fix = 'use hours, minutes and seconds such as 720h or 1h30m; Go has no unit for days';
  if (seconds === undefined) {
    yield { path: PATH, value, message: 'is no duration', fix, says: invalid(value, goDurationSays(value)) };
  } else if (seconds < 0) {
    yield { path: PATH, value, message: 'is negative', fix, says: invalid(value, 'negative value') };
  }
}

/** A user is deleted after two weeks at the earliest. @see rancher/webhook:pkg/resources/management.cattle.io/v3/setting/validator.go MinDeleteInactiveUserAfter */
export const MIN_DELETE_INACTIVE_HOURS = 336;

/** The same, of two weeks or more: users are not deleted by a slip. */
export function* deletionPeriod(value: string): Iterable<Problem> {
  const seconds = goDuration(value);
  if (seconds !== undefined && seconds > 0 && seconds < MIN_DELETE_INACTIVE_HOURS * 3600) {
    yield {
      path: PATH,
      value,
      message: 'is less than two weeks',
      fix: `use ${MIN_DELETE_INACTIVE_HOURS}h or more, or 0 for never`,
      says: `value: Forbidden: must be at least ${MIN_DELETE_INACTIVE_HOURS}h0m0s`,
    };
  } else {
    yield* retentionPeriod(value);
  }
}

/** Seconds as text, negative ones too: the webhook appends the unit and reads a duration. */
export function* secondsText(value: string): Iterable<Problem> {
  if (goDuration(`${value}s`) !== undefined) { return; }
  const says = invalid(value, goDurationSays(`${value}s`));
  const fix = 'use whole seconds such as 3600';
  // the releases of the webhook differ: that it refuses the empty value was read in 0.12.0 only
  yield value === ''
    ? { path: PATH, value, message: 'is empty, which newer webhooks refuse', fix, says, level: 'warning' }
    : { path: PATH, value, message: 'is no number of seconds', fix, says };
}

/** A cron expression of five fields or a descriptor. */
export function* cronExpression(value: string): Iterable<Problem> {
  const fault = cronFault(value);
  if (fault) {
    yield { path: PATH, value, message: 'is no cron expression', fix: 'use five fields such as "0 0 * * *", or @daily, or @every 12h', says: invalid(value, fault) };
  }
}

/** A date and time of RFC 3339. */
export function* dateTime(value: string): Iterable<Problem> {
  if (!isRfc3339(value)) {
    yield {
      path: PATH,
      value,
      message: 'is no date and time',
      fix: 'use the form 2023-11-29T00:00:00Z',
      says: invalid(value, `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00"`),
    };
  }
}

/** `true` or `false`, which nobody asks for: Rancher compares with `true` and takes all else for no. */
export function* trueOrFalse(value: string): Iterable<Problem> {
  if (value !== 'true' && value !== 'false') {
    yield { path: PATH, value, level: 'warning', message: 'is neither true nor false and counts as false', fix: 'use true or false' };
  }
}

/** One of some words, of which Rancher takes others without a word and without an effect. */
export function oneOf(words: readonly string[], effect: string): RancherSettingCheck {
  return function* (value: string): Iterable<Problem> {
    if (!words.includes(value)) { yield { path: PATH, value, message: `is none of its values: ${effect}`, fix: `use ${words.join(' or ')}` }; }
  };
}

/** A registry without scheme, as it stands in front of the names of images. */
export function* registry(value: string): Iterable<Problem> {
  if (!/^[A-Za-z0-9.-]+(:\d+)?(\/[a-z0-9._/-]+)?$/.test(value) || value.endsWith('/')) {
    yield {
      path: PATH, value: withoutSecrets(value), level: 'warning', message: 'is no registry that can stand in front of the name of an image', fix: 'use host and port without a scheme, e.g. registry.example.com:5000',
    };
  }
}

const PRIORITY_CLASS = struct('v1.PriorityClassSpec', { value: INT, preemptionPolicy: pointer(named('v1.PreemptionPolicy')) });
const DISRUPTION_BUDGET = struct('v1.PodDisruptionBudgetSpec', { minAvailable: STRING, maxUnavailable: STRING });

/** The default priority class of an agent, as JSON. */
export const priorityClassJson = json(PRIORITY_CLASS, '{"value":1000000000,"preemptionPolicy":"PreemptLowerPriority"}', (config) => checkPriorityClass(PATH, config));

/** The default disruption budget of an agent, as JSON. */
export const disruptionBudgetJson = json(DISRUPTION_BUDGET, '{"minAvailable":"1","maxUnavailable":"0"}', (config) => checkDisruptionBudget(PATH, config, 'setting'));

function json(type: GoType, example: string, judge: (config: unknown) => Iterable<Problem>): RancherSettingCheck {
  return function* (value: string): Iterable<Problem> {
    const result = unmarshal<unknown>(value, type);
    const fix = `give JSON such as ${example}`;
    if ('error' in result) {
      yield { path: PATH, value, message: 'is not the JSON that Rancher reads here', fix, says: result.error };
      return;
    }
    for (const key of result.unknown) { yield { path: `${PATH}.${key}`, level: 'warning', message: 'is no field that Rancher reads here, it is ignored', fix }; }
    yield* judge(result.config);
  };
}
