import { cronFault } from '../../core/go/cron';
import { atoi, GoType, INT, pointer, STRING, goStruct, unmarshal } from '../../core/go/go-json';
import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { Findings } from '../../core/rule/findings';
import { goDuration, isRfc3339 } from '../../core/text/time';
import { jsonOf } from '../../core/text/values';
import { checkDisruptionBudget, checkPriorityClass } from '../cluster/provisioning-cluster.check';

const FIX = 'give scheme and host, e.g. https://rancher.example.com';
const PROTOCOLS = ['https:', 'http:'];

/**
 * What is wrong with the URL at which clusters reach Rancher. Rancher uses scheme and host of
 * server-url and drops the rest.
 *
 * @param dropped the level of parts that Rancher drops: constructs refuse them, rules warn, since the server accepts them
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/status.go getURL
 */
export function* checkServerUrl(
  path: string,
  text: string,
  dropped: 'error' | 'warning' = 'error',
): Iterable<Problem> {
  if (isLate(text)) {
    return;
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // `rancher.example.com:8443` is a URL, with the scheme rancher.example.com
  if (!url || !PROTOCOLS.includes(url.protocol)) {
    yield {
      path,
      value: withoutSecrets(text),
      message: 'must be an https URL: no cluster can register',
      fix: FIX,
    };
    return;
  }
  const value = withoutSecrets(text);
  if (url.protocol !== 'https:') {
    yield {
      path,
      value,
      level: 'warning',
      message: 'must be an https URL: http sends tokens of clusters and users in plain text',
      fix: FIX,
    };
  }
  if (url.username || url.password) {
    yield {
      path,
      level: dropped,
      message: 'cannot hold credentials: every registration URL would show them',
      fix: FIX,
    };
  }
  if (url.pathname !== '/' || url.search || url.hash) {
    yield {
      path,
      value,
      level: dropped,
      message: 'must be scheme and host: Rancher drops the rest from registration URLs',
      fix: FIX,
    };
  }
}

/** A URL without user, password and query, which may be credentials. */
export function withoutSecrets(url: string): string {
  // to the last @, since a password that is not encoded may hold any character
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[\s\S]*@/i, '$1***@').replace(/[?#][\s\S]*$/, '');
}

/** Judges a value of a Setting. A problem without a path is about the value, and shows it. */
export type RancherSettingCheck = (value: string) => Findings;

function invalid(value: string, says: string): string {
  return `value: Invalid value: ${JSON.stringify(value)}: ${says}`;
}

/**
 * The check of a whole number that only Rancher itself reads. For any other text it uses the
 * default, and only its log shows it.
 *
 * @param min the least number that makes sense; the server accepts lower ones
 * @param lost the level of a text that is not a number
 */
export function wholeNumber(
  fix: string,
  min = 0,
  lost: 'error' | 'warning' = 'error',
): RancherSettingCheck {
  return (value) => {
    const number = atoi(value);
    if (number === undefined) {
      return {
        level: lost,
        message: 'must be a whole number: Rancher silently uses the default otherwise',
        fix,
      };
    }
    return number < min && { level: 'warning', message: `must be ${min} or more`, fix };
  };
}

/**
 * The check of the lifetime of tokens in minutes, which Rancher reads as a duration with this unit
 * whenever it creates a token. Its webhook accepts any text.
 *
 * @see rancher/rancher:pkg/auth/tokens/manager.go ParseTokenTTL (2.15.0)
 */
export const tokenMinutes: RancherSettingCheck = (value) => {
  const seconds = goDuration(`${value}m`);
  const fix = 'use whole minutes, 0 for never';
  if (seconds === undefined) {
    return {
      message: 'must be a whole number: with any other text, Rancher creates no token',
      fix,
    };
  }
  return seconds < 0 && { level: 'warning', message: 'must be 0 or more', fix };
};

/** The check of minutes that the webhook reads. */
export function sessionMinutes(min: number, saysLess: string): RancherSettingCheck {
  return (value) => {
    const fix = `use whole minutes from ${min}`;
    const number = atoi(value);
    if (number === undefined) {
      return { message: 'must be a whole number', fix };
    }
    return (
      number < min && { message: `must be ${min} or more`, fix, says: invalid(value, saysLess) }
    );
  };
}

/** The check of a duration that is not negative; zero disables. */
export const retentionPeriod: RancherSettingCheck = (value) => {
  const seconds = goDuration(value);
  const fix = 'use hours, minutes and seconds such as 720h or 1h30m; Go has no unit for days';
  if (seconds === undefined) {
    return { message: 'must be a duration', fix };
  }
  return (
    seconds < 0 && { message: 'must be 0 or more', fix, says: invalid(value, 'negative value') }
  );
};

/**
 * The least duration before a user is deleted: two weeks.
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/setting/validator.go MinDeleteInactiveUserAfter
 */
export const MIN_DELETE_INACTIVE_HOURS = 336;

/** The check of a duration before users are deleted: 0, or two weeks or more. */
export const deletionPeriod: RancherSettingCheck = (value) => {
  const seconds = goDuration(value);
  return seconds === undefined || seconds <= 0 || seconds >= MIN_DELETE_INACTIVE_HOURS * 3600
    ? retentionPeriod(value)
    : {
        message: 'must be two weeks or more',
        fix: `use ${MIN_DELETE_INACTIVE_HOURS}h or more, or 0 for never`,
        says: `value: Forbidden: must be at least ${MIN_DELETE_INACTIVE_HOURS}h0m0s`,
      };
};

/**
 * The check of seconds as text, negative ones too: the webhook appends the unit and reads a
 * duration.
 */
export const secondsText: RancherSettingCheck = (value) => {
  const fix = 'use whole seconds such as 3600';
  // the releases of the webhook differ: that it refuses the empty value was read in 0.12.0 only
  if (value === '') {
    return { message: 'cannot be empty for newer webhooks', fix, level: 'warning' };
  }
  return goDuration(`${value}s`) === undefined && { message: 'must be a number of seconds', fix };
};

/** The check of a cron expression of five fields or a descriptor. */
export const cronExpression: RancherSettingCheck = (value) => {
  const fault = cronFault(value);
  return (
    fault && {
      message: 'must be a cron expression',
      fix: 'use five fields such as "0 0 * * *", or @daily, or @every 12h',
      says: invalid(value, fault),
    }
  );
};

/** The check of a date and time of RFC 3339. */
export const dateTime: RancherSettingCheck = (value) =>
  !isRfc3339(value) && {
    message: 'must be a date and time of RFC 3339',
    fix: 'use the form 2023-11-29T00:00:00Z',
  };

/** The check of `true` or `false`: Rancher accepts any text, and all but `true` mean false. */
export const trueOrFalse: RancherSettingCheck = (value) =>
  value !== 'true' &&
  value !== 'false' && {
    level: 'warning',
    message: 'must be true or false: any other text means false',
    fix: 'use true or false',
  };

/** The check of a JSON object whose fields the reader knows. */
export function jsonObjectFormat(
  effect: string,
  level: 'error' | 'warning' = 'error',
): RancherSettingCheck {
  return (value) =>
    !isRecord(jsonOf(value)) && {
      level,
      value: undefined,
      message: `must be a JSON object: ${effect}`,
      fix: 'write an object such as {}',
    };
}

/** The check of one of some words: Rancher silently accepts others. */
export function oneOfWords(words: readonly string[], effect: string): RancherSettingCheck {
  return (value) =>
    !words.includes(value) && {
      message: `must be ${words.join(' or ')}: ${effect}`,
      fix: `use ${words.join(' or ')}`,
    };
}

/** The check of a registry without scheme, the prefix of image names. */
export const registry: RancherSettingCheck = (value) =>
  (!/^[A-Za-z0-9.-]+(:\d+)?(\/[a-z0-9._/-]+)?$/.test(value) || value.endsWith('/')) && {
    value: withoutSecrets(value),
    level: 'warning',
    message: 'must be a registry without a scheme',
    fix: 'use host and port without a scheme, e.g. registry.example.com:5000',
  };

const PATH = 'value';
const PRIORITY_CLASS = goStruct({ value: INT, preemptionPolicy: pointer(STRING) });
const DISRUPTION_BUDGET = goStruct({ minAvailable: STRING, maxUnavailable: STRING });

/** The default priority class of an agent, as JSON. */
export const priorityClassJson = json(
  PRIORITY_CLASS,
  '{"value":1000000000,"preemptionPolicy":"PreemptLowerPriority"}',
  (config) => checkPriorityClass(PATH, config),
);

/** The default disruption budget of an agent, as JSON. */
export const disruptionBudgetJson = json(
  DISRUPTION_BUDGET,
  '{"minAvailable":"1","maxUnavailable":"0"}',
  (config) => checkDisruptionBudget(PATH, config, true),
);

function json(
  type: GoType,
  example: string,
  judge: (config: unknown) => Iterable<Problem>,
): RancherSettingCheck {
  return function* (value: string): Iterable<Problem> {
    const result = unmarshal<unknown>(value, type);
    const fix = `give JSON such as ${example}`;
    if ('faults' in result) {
      for (const fault of result.faults) {
        yield {
          path: fault.path ? `${PATH}.${fault.path}` : PATH,
          value: fault.path ? fault.value : value,
          message: fault.message,
          fix,
        };
      }
      return;
    }
    for (const key of result.unknown) {
      yield {
        path: `${PATH}.${key}`,
        level: 'warning',
        message: 'cannot have an effect: Rancher has no field of this name here',
        fix,
      };
    }
    yield* judge(result.config);
  };
}

/**
 * The check of a duration that only Rancher itself reads: for any other text it uses 0, and only
 * its log shows it.
 *
 * @param zero what 0 does, where that is harmful
 */
export function goDurationFormat(zero?: string): RancherSettingCheck {
  return (value) => {
    const seconds = goDuration(value);
    const fix = 'give a duration such as 30m or 1h30m';
    if (zero === undefined) {
      return (
        seconds === undefined && {
          level: 'warning',
          message: 'must be a duration: Rancher uses 0 for any other text',
          fix,
        }
      );
    }
    return (
      (seconds === undefined || seconds <= 0) && {
        message: `must be a duration of more than 0: ${zero}`,
        fix,
      }
    );
  };
}
