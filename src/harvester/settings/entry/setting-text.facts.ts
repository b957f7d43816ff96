import { DraftValue, EnumValue, ObjectExpression } from '../../../core/draft/draft';
import { durationOf } from '../../../core/draft/durations';
import { isRecord } from '../../../core/manifest/manifest';
import { jsonOf } from '../../../core/text/values';

/** A reference to an object of the same Harvester, by its kind as `group/Kind`. */
export type ReferTo = (kind: string, name: string) => ObjectExpression;

/**
 * What the factory of a setting takes to write a text; undefined where it cannot. May throw for
 * texts of another form.
 */
export type SettingReader = (text: string, refer: ReferTo) => DraftValue;

/** Of the factory's values that are texts. */
export const readText: SettingReader = (text) => text;

/** `true` or `false`. */
export const readBoolean: SettingReader = (text) => {
  if (text === 'true') {
    return true;
  }
  if (text === 'false') {
    return false;
  }
  return undefined;
};

/** A number as JavaScript writes it. */
export const readNumber: SettingReader = (text) =>
  Number.isFinite(Number(text)) && String(Number(text)) === text ? Number(text) : undefined;

/** Texts that are separated by commas. */
export const readList: SettingReader = (text) => text.split(',');

/** A whole number of a unit of time, in seconds. */
export function readDuration(unit: number): SettingReader {
  return (text) => (/^\d+$/.test(text) ? durationOf(Number(text) * unit) : undefined);
}

/** A value of an enum. */
export function readEnum(type: string): SettingReader {
  return (text) => new EnumValue(type, text);
}

/** Names of namespaces, separated by commas; undefined for no name. */
export function namespacesIn(text: unknown, refer: ReferTo): DraftValue {
  return typeof text === 'string' && text !== ''
    ? text.split(',').map((name) => refer('/Namespace', name))
    : undefined;
}

/** An object in JSON. */
export function readJson(
  read: (config: { readonly [key: string]: any }, refer: ReferTo) => DraftValue,
): SettingReader {
  return (text, refer) => {
    const config = jsonOf(text);
    return isRecord(config) ? read(config, refer) : undefined;
  };
}
