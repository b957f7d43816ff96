import { ANNOTATION_SETTING_HASH } from '../live-names';
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
