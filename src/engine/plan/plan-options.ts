import { FieldOptions } from '../fields/managed-fields';

/** The options that a plan records. */
export interface PlannedOptions extends Omit<FieldOptions, 'fieldManager'> {
  /** Whether objects that hold machines or data are deleted (`--prune-machines`). @default false */
  readonly pruneMachines?: boolean;
}

/** The error for what a saved plan does not list. */
const LISTS = {
  adopt: (more: readonly string[]) => `the plan does not adopt ${more.join(', ')}. Fix: make a new plan with ${more.map((id) => `--adopt '${id}'`).join(' ')}`,
  adoptFrom: (more: readonly string[]) => `the plan adopts nothing from ${more.join(', ')}. Fix: make a new plan with --adopt-from ${more.join(' --adopt-from ')}`,
  forceConflicts: (more: readonly string[]) => `the plan takes no fields of ${more.join(', ')} from other field managers. `
    + `Fix: make a new plan with ${more.map(forceOption).join(' ')}, and apply it without the option`,
};

/** The error for what a saved plan does not do. */
const FLAGS = {
  migrateManagedFields: 'the plan migrates no managed fields. Fix: make a new plan with --migrate-managed-fields',
  pruneMachines: 'the plan keeps machines and data. Fix: make a new plan with --prune-machines',
};

const [LIST_NAMES, FLAG_NAMES] = [Object.keys(LISTS) as (keyof typeof LISTS)[], Object.keys(FLAGS) as (keyof typeof FLAGS)[]];

/** The options that are set. */
export function savedOptions(options: PlannedOptions): PlannedOptions {
  const isSet = (name: keyof PlannedOptions): boolean => (Array.isArray(options[name]) ? options[name].length > 0 : options[name] === true);
  return Object.fromEntries([...LIST_NAMES, ...FLAG_NAMES].filter(isSet).map((name) => [name, options[name]]));
}

/** The options of a saved plan, which its apply uses. Throws if other ones are given. */
export function optionsOfPlan(plan: PlannedOptions, given: PlannedOptions): PlannedOptions {
  for (const name of LIST_NAMES) {
    const more = [...new Set(given[name])].filter((each) => !plan[name]?.includes(each));
    if (more.length > 0) { throw new Error(LISTS[name](more)); }
  }
  for (const name of FLAG_NAMES) { if (given[name] && !plan[name]) { throw new Error(FLAGS[name]); } }
  return savedOptions(plan);
}

/** The option, quoted for a shell. */
export function forceOption(id: string): string {
  return `--force-conflicts '${id}'`;
}
