/** The id of a setting's gate. */
export function settingGateId(name: string): string {
  return `setting-${name}`;
}
