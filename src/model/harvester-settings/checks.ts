import { isLate } from '../late-token';
import { Problem } from '../problem';
import { SettingCheck, SettingContext } from './entry';
import { unmarshal, Decoded, DecodeResult, GoType } from './go-json-decode';
import { GoNumber, strictAtoi } from './go-numbers';

/** A problem of level warning: the server takes the value and goes wrong with it, or ignores it. */
export function warn(problem: Problem): Problem {
  return { ...problem, level: 'warning' };
}

/** The problem as an error where a version has its check, as a warning where it surely lacks it. */
export function since(version: string, context: SettingContext, problem: Problem): Problem {
  return context.atLeast(version) === false ? warn(problem) : problem;
}

/** How a JSON setting is read and judged. */
export interface JsonSetting<T> {
  readonly format: string;
  readonly type: GoType | ((context: SettingContext) => GoType);
  /** How it is decoded. @default unmarshal */
  readonly decode?: (value: string, type: GoType) => DecodeResult<T>;
  /** What the server says where it can not read the JSON; Go's words by default. */
  readonly says?: (error: string, value: string) => string;
  /** Whether the webhook reads the JSON at all; where only a controller does, its error is ours to warn of. */
  readonly unread?: boolean;
  /** Whether the value must not be shown. */
  readonly secret?: boolean;
  readonly judge?: (config: T, context: SettingContext) => Problem[];
}

/** The check of a setting whose value is JSON. */
export function jsonCheck<T>(setting: JsonSetting<T>): SettingCheck {
  const { format, judge, says, secret, unread } = setting;
  const decode = setting.decode ?? ((value: string, type: GoType) => unmarshal<T>(value, type));
  return (value, context) => {
    const type = typeof setting.type === 'function' ? setting.type(context) : setting.type;
    const result = decode(value, type);
    if ('error' in result) {
      // around a late value that is no string there is no JSON yet
      if (isLate(value)) { return []; }
      const problem: Problem = {
        path: 'value',
        ...(secret ? {} : { value }),
        message: 'is not the JSON that Harvester reads here',
        fix: `give ${format}`,
        says: says ? says(result.error, value) : result.error,
      };
      return [unread ? warn(problem) : problem];
    }
    return [...unknownKeys(result, format), ...(judge ? judge(result.config, context) : [])];
  };
}

function unknownKeys({ unknown }: Decoded<unknown>, format: string): Problem[] {
  return unknown.map((key) => warn({ path: `value.${key}`, message: 'is no field that Harvester knows here, it is ignored', fix: `give ${format}` }));
}

/** Go's `unmarshal failed` of pkg/settings, which repeats the value. */
export function unmarshalFailed(error: string, value: string): string {
  return `unmarshal failed, error: ${error}, value: ${value}`;
}

/** The same, without the value that may be a secret. */
export function unmarshalFailedHidden(error: string): string {
  return `unmarshal failed, error: ${error}, value: ...`;
}

/** How an integer in a text is judged. */
export interface IntegerSetting {
  readonly what: string;
  /** The server's words for a number that is too small or too large; undefined for one that is fine. */
  readonly refuses: (number: number) => string | undefined;
  readonly allowed: string;
  /** How the text is read. @default strictAtoi */
  readonly parse?: (text: string) => GoNumber;
  readonly says?: (error: string) => string;
}

// the release that was seen to refuse leading zeros and plus signs; the ones before were not read
const STRICT_SINCE = '1.6.0';

/** The check of a setting whose value is an integer as text. */
export function integerCheck({ what, refuses, allowed, parse, says }: IntegerSetting): SettingCheck {
  return (value, context) => {
    const result = (parse ?? strictAtoi)(value);
    const fix = `give ${allowed}, as text and in decimal digits, or "" for the default`;
    if ('error' in result) {
      const problem: Problem = { path: 'value', value, message: `must be ${what}`, fix, says: says ? says(result.error) : result.error };
      return [/^(leading zero|no allowed symbol)/.test(result.error) ? since(STRICT_SINCE, context, problem) : problem];
    }
    const refusal = refuses(result.number);
    return refusal === undefined ? [] : [{ path: 'value', value, message: `must be ${what}`, fix, says: refusal }];
  };
}

/** The check of a setting that takes one of some words, and any other as if it were the default: a warning. */
export function wordCheck(words: readonly string[], otherwise: string, fold = false): SettingCheck {
  return (value) => (words.includes(fold ? value.toLowerCase() : value) ? [] : [warn({
    path: 'value', value, message: `is none of the words that Harvester knows here: ${otherwise}`, fix: `give one of ${words.join(', ')}`,
  })]);
}

/** The check of a setting that should be a web address but is taken as it is: a warning. */
export function webAddressCheck(value: string): Problem[] {
  return isWebAddress(value) ? [] : [warn({
    path: 'value', value, message: 'is no address that Harvester can fetch from', fix: 'give a URL that starts with https:// or http://',
  })];
}

/** Whether Go's http client could fetch from it: http or https, a host, a port that is a number, no white space. */
export function isWebAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s/?#\\]+([/?#]\S*)?$/i.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) { return false; }
  try {
    return new URL(text).hostname !== '';
  } catch {
    return false;
  }
}

/** RFC 1123 subdomain: what names of classes are. */
export const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
