/** What may be done to the managers that objects of the program have, only where it is asked for. */
export interface ManagedFieldsOptions {
  /** Managers whose fields on objects of the program become ours. @default - nobody's */
  readonly adoptFrom?: readonly string[];
  /** Managers with an apiVersion that an object can't be applied with any more get that of the program. @default false */
  readonly migrateManagedFields?: boolean;
}

/** Throws where a manager can't be taken over from. */
export function checkAdoptFrom({ adoptFrom = [] }: ManagedFieldsOptions, fieldManager: string): void {
  for (const manager of adoptFrom) {
    if (manager === '') { throw new Error('--adopt-from: got an empty name, expected that of a manager as conflicts name it, e.g. kubectl'); }
    if (manager === fieldManager) { throw new Error(`--adopt-from: ${manager} is the name that this app writes by; name the manager of before`); }
  }
}

/** What of it a plan says, and keeps where it is saved. */
export function savedOptions({ adoptFrom = [], migrateManagedFields }: ManagedFieldsOptions): ManagedFieldsOptions {
  return { ...adoptFrom.length > 0 ? { adoptFrom } : {}, ...migrateManagedFields ? { migrateManagedFields } : {} };
}

/** What a saved plan was made with; an apply of it does the same. */
export function optionsOfPlan(plan: ManagedFieldsOptions, given: ManagedFieldsOptions): ManagedFieldsOptions {
  const [planned, asked] = [plan, given].map(({ adoptFrom = [] }) => new Set(adoptFrom));
  const more = [...asked].filter((manager) => !planned.has(manager));
  if (more.length > 0) {
    throw new Error(`the plan takes nothing over from ${more.join(', ')}: make a new plan with --adopt-from ${more.join(' --adopt-from ')}`);
  }
  if (given.migrateManagedFields && !plan.migrateManagedFields) {
    throw new Error('the plan migrates no managed fields: make a new plan with --migrate-managed-fields');
  }
  return savedOptions(plan);
}
