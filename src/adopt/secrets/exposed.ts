import { OwnSecret, secretPartsOf, secretsOf } from './secrets-of';
import { SecretRead } from '../../core/draft/draft';
import { isRecord } from '../../core/manifest/manifest';
import { Statements, foundId } from '../evaluate/statements';

/** Why an object with a secret is not declared. */
const REASON = 'contains a secret in plain text at a place where no program can write SecretValue.fromEnv, such as a key or a label. Fix: declare it by hand';

/** The objects whose statements would contain a secret of theirs, with the reason why they are left out, by ID. */
export function exposedIn(statements: Statements): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { draft, args, calls, props, patches, parts } of statements.all()) {
    const secrets = draft.declares.flatMap(({ manifest }) => secretsOf(manifest));
    if (secrets.length > 0 && holds([args, calls, props, patches, parts], '', secrets, new Set())) {
      for (const object of draft.declares) { found.set(foundId(object), REASON); }
    }
  }
  return found;
}

/** Whether a text of a value contains a secret, also one of its expressions; what other statements hold is theirs. */
function holds(value: unknown, key: string, secrets: readonly OwnSecret[], seen: Set<unknown>): boolean {
  if (typeof value === 'string') { return secretPartsOf(value, key, secrets).length > 0; }
  if (typeof value !== 'object' || value === null || value instanceof SecretRead || seen.has(value) || (isRecord(value) && 'declares' in value)) { return false; }
  seen.add(value);
  return Object.entries(value).some(([name, each]) => holds(name, '', secrets, seen) || holds(each, Array.isArray(value) ? key : name, secrets, seen));
}
