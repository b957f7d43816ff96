import { readFileSync } from 'fs';
import { parseYamlMap } from './kubeconfig-files';
import { isRecord } from '../../core/manifest/manifest';
import { toYaml } from '../../core/yaml/yaml-writer';

/** The file that `adopt` writes for the first plan and apply of its program. */
export const TAKE_OVER_FILE = 'take-over.yaml';

/** An object that exists already and gives permissions, which an apply adopts. */
export interface TakeOver {
  /** Its ID, as `--accept-existing` takes it. */
  readonly id: string;
  /** Its UID: an object that someone creates again under its name is not adopted. */
  readonly uid: string;
  /** Why someone must agree: who wrote it, and who has access to it. */
  readonly because: string;
}

const EXAMPLE =
  'Example: {adopt: [{id: rancher/management.cattle.io/Project/c-1/p-1, uid: 2d63b875}]}';

/** The text of a take-over file. */
export function takeOverText(entries: readonly TakeOver[]): string {
  const comment = [
    '# Objects that exist already and give permissions: plan and apply adopt those that are listed here,',
    '# as long as they have these UIDs. Remove an object that you do not know. After adopt --take-over,',
    '# or the first apply, delete this file, and takeOver in cdk8s-harvester.yaml.',
  ];
  const adopt = entries.map(({ id, uid, because }) => ({ id, uid, because }));
  return `${comment.join('\n')}\n${toYaml({ adopt })}`;
}

/**
 * The entries of a take-over file; `because` is empty where an entry has none.
 *
 * @param where the field or option that names the file
 * @throws if it does not exist, or is not such a file
 */
export function readTakeOver(file: string, where = 'takeOver'): readonly TakeOver[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new Error(`${where}: ${file} cannot be read. Fix: correct the path, or remove ${where}`);
  }
  const { adopt } = parseYamlMap(text);
  if (!Array.isArray(adopt)) {
    throw new Error(`${where}: adopt in ${file} must be a list. ${EXAMPLE}`);
  }
  const entries = adopt.map((entry: unknown) => {
    const { id, uid, because = '' } = isRecord(entry) ? entry : {};
    return isText(id) && isText(uid) ? { id, uid, because: String(because) } : undefined;
  });
  const wrong = entries.flatMap((entry, index) => (entry ? [] : [`adopt[${index}]`]));
  if (wrong.length > 0) {
    throw new Error(
      `${where}: ${wrong.join(', ')} in ${file} must have an id and a uid. ${EXAMPLE}`,
    );
  }
  return entries.flatMap((entry) => entry ?? []);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
