/** Whether findings of a rule may be accepted: not those about the output itself, which would be wrong whatever the reason. */
export function isSuppressible(ruleId: string): boolean {
  return !ruleId.startsWith('program/') && ruleId !== 'object/duplicate';
}
