import { Help, Option } from 'commander';

/** An option that may be given several times; its values are a list, empty where it is not given. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, `${description}; may be given several times`)
    .argParser((value: string, before: readonly string[]): string[] => [...before, value])
    .default([]);
}

/** The help of an option, without the default of an empty list. */
export function optionDescription(option: Option): string {
  const isEmpty = Array.isArray(option.defaultValue) && option.defaultValue.length === 0;
  const told: Option = isEmpty ? Object.assign(Object.create(Object.getPrototypeOf(option) as object), option, { defaultValue: undefined }) : option;
  return new Help().optionDescription(told);
}
