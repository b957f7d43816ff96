import { FORMER_MEMBERS, FORMER_TYPES } from './former-names.data';

/** The name of the type that had this one, in any case of letters. */
export function newTypeName(former: string): string | undefined {
  const [, name] = [...FORMER_TYPES].find(([each]) => isSame(each, former)) ?? [];
  return name;
}

/** The name of the member of a type that had this one, in any case of letters. */
export function newMemberName(type: string, former: string): string | undefined {
  const [, name] =
    Object.entries(FORMER_MEMBERS[type] ?? {}).find(([each]) => isSame(each, former)) ?? [];
  return name;
}

/** The names that a type had. */
export function formerTypeNames(type: string): readonly string[] {
  return [...FORMER_TYPES].filter(([, name]) => name === type).map(([former]) => former);
}

/** The names that a member had. */
export function formerMemberNames(type: string, member: string): readonly string[] {
  return Object.entries(FORMER_MEMBERS[type] ?? {})
    .filter(([, name]) => name === member)
    .map(([former]) => former);
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
