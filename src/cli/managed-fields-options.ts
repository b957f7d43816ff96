import { Command } from 'commander';
import { repeatable } from './repeatable';
import { ManagedFieldsOptions } from '../apply/managed-fields/options';

/** The options about managers of objects, as commander gives them. */
export interface ManagedFieldsFlags {
  readonly adoptFrom: readonly string[];
  readonly migrateManagedFields?: boolean;
}

/** Adds the options about managers of objects. */
export function withManagedFieldsOptions(command: Command): Command {
  return command
    .addOption(repeatable('--adopt-from <manager>', 'make what this manager has of the objects ours, e.g. kubectl-client-side-apply'))
    .option('--migrate-managed-fields', 'give managers with an apiVersion that stops an apply that of the program');
}

export function managedFieldsOf({ adoptFrom, migrateManagedFields }: ManagedFieldsFlags): ManagedFieldsOptions {
  return { adoptFrom, migrateManagedFields };
}
