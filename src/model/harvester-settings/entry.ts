import { Problem } from '../problem';

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
  /** Where the rules are known from. */
  readonly source: string;
}

/** The webhook's file; `pkg/settings` holds names, defaults and types. */
export const VALIDATOR = 'harvester/harvester:pkg/webhook/resources/setting/validator.go';

/** The list of settings and their defaults. */
export const SETTINGS_GO = 'harvester/harvester:pkg/settings/settings.go';

/** The controllers of single settings. */
export const CONTROLLERS = 'harvester/harvester:pkg/controller/master/setting';
