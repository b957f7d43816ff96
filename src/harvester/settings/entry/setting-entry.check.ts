import { SettingReader } from './setting-text.facts';
import { ANNOTATION_SETTING_HASH, SettingContext } from './setting.facts';
import type { ITarget } from '../../../core/construct/target';
import { atoi, Decoded, DecodeResult, GoType, unmarshal } from '../../../core/go/go-json';
import { FoundReference } from '../../../core/kind/description/references';
import { isLate } from '../../../core/late/late-token';
import { GROUPS } from '../../../core/manifest/names';
import { Problem } from '../../../core/problem/problem';
import { Findings, Found } from '../../../core/rule/findings';
import { isWebAddress } from '../../../core/text/web-address';

/** An object that a value refers to, and its prop. */
export type PropObject = readonly [
  prop: string,
  object: { readonly name: string; readonly target: ITarget },
];

/**
 * Judges a value that is not empty; an empty one means the default and is always allowed. A problem
 * without a path is about the value, and shows it unless the setting is secret. It has at most the
 * level of the setting.
 */
export interface SettingCheck {
  (value: string, context: SettingContext, entry: SettingEntry<never>): Findings;
  /**
   * What Harvester reads in a value; undefined where it cannot read it.
   * @default - only the text is known
   */
  readonly reads?: (value: string, context: SettingContext) => unknown;
}

/**
 * What a controller of Harvester writes on a Setting when it has carried out its value, and which
 * value it takes for a reset.
 */
export interface SettingController {
  /**
   * The annotation that holds a digest of the value that was carried out last, and the algorithm;
   * undefined for a controller that writes only the condition `configured`.
   */
  readonly digest?: { readonly annotation: string; readonly algorithm: 'sha1' | 'sha224' };
  /**
   * The value that resets the setting where the controller fails on an empty one, and the first
   * version whose controller accepts the empty one; without `until` none does.
   */
  readonly resets?: { readonly value: string; readonly until?: string };
  readonly source: string;
}

/**
 * A setting of Harvester: all that is known of it, in one place.
 *
 * Its rule and its row in the docs, the value that its factory writes, its reset, readiness,
 * secrecy, and place in the order of an apply come from here.
 */
export interface SettingEntry<V> {
  /**
   * The first version that has it; left out for those of 1.1.3, the earliest release that was read.
   */
  readonly since?: string;
  /** The first versions that know a property of the factory's props. */
  readonly propsSince?: { readonly [prop: string]: string };
  /** The first version that accepts it and does nothing with it, why, and what to set instead. */
  readonly inert?: { readonly since: string; readonly because: string; readonly instead: string };
  /** What it sets, as a phrase without a period. */
  readonly what: string;
  /** A value as an example, or the allowed values. */
  readonly format: string;
  /** The built-in default; with versions where it changed. @default - an empty text */
  readonly default?: string;
  /**
   * The value that the factory of HarvesterSetting writes: text, or an object that becomes JSON
   * with its keys in this order.
   */
  readonly print?: (
    value: V,
    context: () => SettingContext,
  ) => string | { readonly [key: string]: unknown };
  /**
   * What the factory takes to write the text of a live Setting. Of a secret entry, only for texts
   * without credentials.
   */
  readonly adopt?: SettingReader;
  /**
   * The objects that the value of the factory refers to, by prop: they must be on the same
   * Harvester.
   */
  readonly refersTo?: (value: V) => readonly PropObject[];
  readonly check?: SettingCheck;
  /**
   * The highest level of its check: `warning` where the server accepts any value.
   * @default error
   */
  readonly level?: 'warning';
  /** Whether a value with a late value inside can be judged around it. */
  readonly judgesLate?: true;
  /**
   * Whether the webhook judges the field `default` of a manifest: always, or only where the value
   * is empty.
   * @default - it does not
   */
  readonly judgesDefault?: 'always' | 'effective';
  /** Whether a value may hold credentials: then it is never shown. */
  readonly secret?: true;
  /** Credentials in plain text in a value: their path, and what they are. */
  readonly secretsIn?: (value: string) => readonly (readonly [path: string, what: string])[];
  /** Whether Harvester rewrites the value: controllers move credentials out of it. */
  readonly rewritten?: true;
  /**
   * The form in which Harvester keeps a value without credentials; undefined for a value that it
   * cannot read.
   * @default - as it was written
   */
  readonly storedAs?: (value: string) => string | undefined;
  /** Whether Harvester itself writes the value at every start. */
  readonly readOnly?: true;
  /** Whether the server refuses to delete the object. */
  readonly undeletable?: true;
  /** Side effect of a reset, as a sentence. */
  readonly resetEffect?: string;
  /** Why the webhook does not stop at a dry run. */
  readonly actsInDryRun?: string;
  /** Whether the lists in its JSON have no order. */
  readonly unordered?: true;
  /** The objects of the same Harvester that the webhook reads with a value: they come before it. */
  readonly needs?: (value: string) => readonly FoundReference[];
  /** Prefix of its file, where it must be applied later than other settings. */
  readonly rank?: number;
  /**
   * Whether Rancher reaches Harvester by it, or machines of guests their network and volumes: it
   * outlives them in a removal.
   */
  readonly carriesGuests?: true;
  /**
   * The controller that carries a value out; undefined where the value is only read, so that the
   * object never gets a status.
   */
  readonly controller?: SettingController;
  readonly source: string;
}

/** An entry whose factory takes a value of this type. */
export function settingEntry<V>(entry: SettingEntry<V>): SettingEntry<V> {
  return entry;
}

/** The webhook's file. `pkg/settings` holds names, defaults and types. */
export const VALIDATOR = 'harvester/harvester:pkg/webhook/resources/setting/validator.go';

/** The list of settings and their defaults. */
export const SETTINGS_GO = 'harvester/harvester:pkg/settings/settings.go';

/** The controllers of single settings. */
export const SETTING_CONTROLLERS = 'harvester/harvester:pkg/controller/master/setting';

const SYNCER: SettingController = {
  digest: { annotation: ANNOTATION_SETTING_HASH, algorithm: 'sha224' },
  source: `${SETTING_CONTROLLERS}/handler.go, register.go syncers (1.1.3 to 1.9)`,
};

/** A controller that is one of the syncers of Harvester's settings handler. */
export function syncer(resets?: SettingController['resets']): SettingController {
  return resets ? { ...SYNCER, resets } : SYNCER;
}

/** Another setting that the webhook reads with a value. */
export function settingNamed(name: string): FoundReference {
  return { group: GROUPS.HARVESTER, kind: 'Setting', name };
}

/** A problem of level warning: the server accepts the value and mishandles it, or ignores it. */
export function warn<P extends Found>(problem: P): P & { readonly level: 'warning' } {
  return { ...problem, level: 'warning' };
}

/** The problem as an error where a version has its check, as a warning where it surely lacks it. */
export function since<P extends Found>(version: string, context: SettingContext, problem: P): P {
  return context.atLeast(version) === false ? warn(problem) : problem;
}

/** Whether a text is in plain text: not empty, and no late value. */
export function isPlainText(text: string | undefined): boolean {
  return text !== undefined && text !== '' && !isLate(text);
}

/** How a value in JSON is read and judged. */
interface JsonValue<T> {
  readonly type: GoType | ((context: SettingContext) => GoType);
  /** @default unmarshal */
  readonly decode?: (value: string, type: GoType) => DecodeResult<T>;
  readonly judge?: (config: T, context: SettingContext) => Problem[];
}

/** The check of a setting whose value is JSON. */
export function json<T>({ type, decode, judge }: JsonValue<T>): SettingCheck {
  const read = (value: string, context: SettingContext) =>
    (decode ?? unmarshal<T>)(value, typeof type === 'function' ? type(context) : type);
  const check = (
    value: string,
    context: SettingContext,
    { format, secret }: SettingEntry<never>,
  ): readonly Problem[] => {
    const fix = `give ${format}`;
    const result = read(value, context);
    if (!('faults' in result)) {
      return [...unknownKeys(result, fix), ...(judge?.(result.config, context) ?? [])];
    }
    // around a late value that is not in quotes there is no JSON yet
    if (isLate(value)) {
      return [];
    }
    return result.faults.map(({ path, message, value: given }) => {
      const shown = path ? given : value;
      return {
        path: path ? `value.${path}` : 'value',
        ...(secret || shown === undefined ? {} : { value: shown }),
        message,
        fix,
      };
    });
  };
  return Object.assign(check, {
    reads: (value: string, context: SettingContext) => decoded(read(value, context)),
  });
}

/** What a value decodes to; undefined where it cannot be read. */
export function decoded<T>(result: DecodeResult<T>): T | undefined {
  return 'faults' in result ? undefined : result.config;
}

function unknownKeys({ unknown }: Decoded<unknown>, fix: string): Problem[] {
  return unknown.map((key) =>
    warn({
      path: `value.${key}`,
      message: 'cannot have an effect: Harvester has no field of this name here',
      fix,
    }),
  );
}

/** How an integer as text is judged. */
interface IntegerValue {
  /** The allowed numbers, after `must be`. */
  readonly allowed: string;
  /** The server's words for a number that it refuses. */
  readonly refuses: (number: number) => string | undefined;
  /** @default atoi */
  readonly parse?: (text: string) => number | undefined;
}

// the release that was seen to refuse leading zeros and plus signs; the ones before were not read
const STRICT_SINCE = '1.6.0';

/** The check of a setting whose value is an integer as text. */
export function integer({ allowed, refuses, parse }: IntegerValue): SettingCheck {
  return (value, context) => {
    const at = {
      message: `must be ${allowed}`,
      fix: 'give decimal digits as text, or "" for the default',
    };
    const number = (parse ?? atoi)(value);
    if (number === undefined) {
      return at;
    }
    // Harvester's own reader refuses these before Go's sees them
    if (!parse && /^(-?0.|\+|-0$)/.test(value)) {
      return since(STRICT_SINCE, context, {
        ...at,
        message: `${at.message}, without plus sign and leading zeros`,
      });
    }
    const says = refuses(number);
    return says !== undefined && { ...at, says };
  };
}

/** The check of a setting that takes some words, and any other as if it were the default. */
export function words(allowed: readonly string[], otherwise: string, fold = false): SettingCheck {
  const list = allowed.join(', ');
  return (value) =>
    !allowed.includes(fold ? value.toLowerCase() : value) && {
      message: `must be one of ${list}: ${otherwise}`,
      fix: `give one of ${list}`,
    };
}

/** The check of a setting that should be a web address; the server accepts any text. */
export const webAddress: SettingCheck = (value) =>
  !isWebAddress(value) && {
    message: 'must be a URL that Harvester can fetch',
    fix: 'give a URL that starts with https:// or http://',
  };
