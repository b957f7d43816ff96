import { secrecyOf, looksRandom } from './definition';
import { holdsSecret } from './secret-texts';
import { isLate, LATE_TOKEN } from '../late/late-token';
import { FieldPath, groupOf, Leaf, leavesOf, Manifest } from '../manifest/manifest';
import { GROUPS } from '../manifest/names';

/**
 * The fields of an object that hold secrets, and must not be in a repository in plain text.
 *
 * @param known where secrets of the program are, as `fieldText` of their paths
 */
export function secretFields(manifest: Manifest, known: ReadonlySet<string>): FieldPath[] {
  const isAllPrivate =
    isSecretObject(manifest) || groupOf(manifest.apiVersion) === GROUPS.HARVESTER_NODE;
  const isSecret = ({ leaf, path }: Leaf): boolean => {
    if ((typeof leaf !== 'string' && typeof leaf !== 'number') || leaf === '') {
      return false;
    }
    const text = String(leaf);
    // a placeholder of a late value hides it
    const secrecy = isLate(text) ? undefined : secrecyOf(path, manifest);
    const isHidden =
      secrecy === 'secret' || (secrecy === 'private' && (isAllPrivate || looksRandom(text)));
    return isHidden || known.has(fieldText(path)) || holdsOwnSecret(text);
  };
  return leavesOf(manifest)
    .filter(isSecret)
    .map(({ path }) => path);
}

/** Whether a text holds a secret besides the late values in it. */
export function holdsOwnSecret(text: string): boolean {
  return holdsSecret(isLate(text) ? text.replace(LATE_TOKEN, '') : text);
}

/** Whether an object is a Secret of Kubernetes. */
export function isSecretObject({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): boolean {
  return kind === 'Secret' && groupOf(apiVersion) === '';
}

/** A path as synthesis names the places of secrets, e.g. `spec.values[0].token`. */
export function fieldText(path: FieldPath): string {
  return path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`,
    '',
  );
}
