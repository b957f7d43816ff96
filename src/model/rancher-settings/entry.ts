import { Problem } from '../problem';

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
