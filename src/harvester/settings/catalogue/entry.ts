import { DecodeResult, Decoded, GoType, unmarshal } from '../../../core/go/go-json-decode';
import { GoNumber, strictAtoi } from '../../../core/go/go-numbers';
import { isLate } from '../../../core/late/late-token';
import { Problem } from '../../../core/rule/problem';
import { ANNOTATION_SETTING_HASH } from '../harvester-setting.kind';

/**
 * What a check needs to know beside the value.
 */
export interface SettingContext {
  /** Version of Harvester as text, e.g. `1.7.2`; unknown in `lint` at times. */
  readonly harvesterVersion?: string;
  /** Whether Harvester is of this version or later; undefined where its version is not known. */
  readonly atLeast: (version: string) => boolean | undefined;
  /** The value as the server has it, where that is known. */
  readonly before?: string;
}

/** Judges a value that is not empty; the empty one is always allowed and means the default. */
export type SettingCheck = (value: string, context: SettingContext) => Problem[];

/**
 * What a controller of Harvester leaves on a Setting when it has carried out its value, and what it takes for a reset.
 */
export interface SettingController {
  /**
   * The annotation that holds a digest of the value that was carried out last, and the algorithm; undefined for a controller that writes nothing but
   * condition `configured`.
   */
  readonly digest?: SettingDigest;
  /** The value that resets the setting where the controller fails on an empty one. */
  readonly resets?: SettingReset;
  /** Where it is known from. */
  readonly source: string;
}

/** A digest that a controller writes into an annotation. */
export interface SettingDigest {
  readonly annotation: string;
  readonly algorithm: 'sha1' | 'sha224';
}

/** What resets a setting whose controller parses an empty value, and fails. */
export interface SettingReset {
  readonly value: string;
  /** The first version whose controller takes an empty value for a reset; left out where none does. */
  readonly until?: string;
}

/**
 * One setting of Harvester, as data.
 */
export interface SettingEntry {
  /** The name of the object. */
  readonly name: string;
  /** The first version that has it; left out for those of the earliest release that was read, 1.1.3. */
  readonly since?: string;
  /** The first version that lacks it again. */
  readonly until?: string;
  /** What it does, as one sentence without a period. */
  readonly what: string;
  /** How a value looks, for error texts. */
  readonly format: string;
  /** The built-in default; it differs with the version where the text says so. */
  readonly default: string;
  /** Whether a value may hold credentials: then it is never shown. */
  readonly secret?: boolean;
  /** Whether the server refuses to delete the object, whatever holds for deletion otherwise. */
  readonly undeletable?: boolean;
  /** Whether Harvester itself writes the value and ours would be lost. */
  readonly readOnly?: boolean;
  /** Whether a value with a late value inside can be judged around it. */
  readonly judgesLate?: boolean;
  /**
   * What the webhook does with the field `default` of a manifest: judges it always, only where the value is empty, or not at all.
   */
  readonly judgesDefault: 'always' | 'effective' | 'never';
  /** The hardest that its check says. `warning` where the server takes any value. */
  readonly level: 'error' | 'warning';
  readonly check?: SettingCheck;
  /** The controller that carries a value out; undefined where the value is only read, so that the object never gets a status. */
  readonly controller?: SettingController;
  /** Where the rules are known from. */
  readonly source: string;
}

/** The webhook's file; `pkg/settings` holds names, defaults and types. */
export const VALIDATOR = 'harvester/harvester:pkg/webhook/resources/setting/validator.go';

/** The list of settings and their defaults. */
export const SETTINGS_GO = 'harvester/harvester:pkg/settings/settings.go';

/** The controllers of single settings. */
export const CONTROLLERS = 'harvester/harvester:pkg/controller/master/setting';

const SYNCER: SettingController = {
  digest: { annotation: ANNOTATION_SETTING_HASH, algorithm: 'sha224' }, source: `${CONTROLLERS}/handler.go, register.go syncers (1.1.3 to 1.9)`,
};

/** A setting whose controller is one of the syncers of Harvester's settings handler. */
export function syncer(resets?: SettingReset): SettingController {
  return resets ? { ...SYNCER, resets } : SYNCER;
}

/** A network setting: it has a controller of its own, with a digest in an annotation of its own. */
export function networkController(name: string, source: string): SettingController {
  return { digest: { annotation: `${name}.settings.harvesterhci.io/hash`, algorithm: 'sha1' }, source };
}

/**
 * What constructs must know to print a value in the form of a version. The checks of values know more, and are loaded only when a value is checked.
 */

/** The first version that reads JSON here. @see harvester/harvester:pkg/settings/settings_helper.go GetClusterRegistrationURLSetting (CVE-2025-71261) */
export const REGISTRATION_JSON_SINCE = '1.7.2';

/** The version that knows vmMigrationTimeout. @see harvester/docs:versioned_docs/version-v1.7/advanced/settings.md */
export const MIGRATION_TIMEOUT_SINCE = '1.7.0';

/** The version that knows nodeUpgradeOption and logReadyTimeout. @see harvester/docs:versioned_docs/version-v1.7/advanced/settings.md */
export const NODE_UPGRADE_SINCE = '1.7.0';

/** The value as this version of Harvester reads it: JSON where it can, the plain URL before. */
export function printRegistration(url: string, insecureSkipTlsVerify: boolean, json: boolean): string {
  return json ? JSON.stringify({ url, insecureSkipTLSVerify: insecureSkipTlsVerify }) : url;
}

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
