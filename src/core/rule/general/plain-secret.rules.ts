import { PLAIN_SECRET_CAUSE, PLAIN_SECRET_FIX } from './plain-secret-fix';
import { annotationsOf, isFromServer, Manifest } from '../../manifest/manifest';
import { ANNOTATION_PASSWORD_HASH } from '../../manifest/names';
import { NO_PROBLEMS, Problem } from '../../problem/problem';
import { fieldPathText, plainSecretFields } from '../../secret/secret-fields';
import { ruleOf } from '../kit/fact';

/** Whether a Secret holds a hash that is made to be published, and no password. */
function isHash(manifest: Manifest): boolean {
  return annotationsOf(manifest)[ANNOTATION_PASSWORD_HASH] !== undefined;
}

/**
 * Every secret of every kind of object, by the definition that messages are masked by: rules about
 * single kinds precede it where they know more.
 */
export const PLAIN_SECRET_RULE = ruleOf({
  id: 'object/plain-secret',
  level: 'warning',
  kinds: ['*'],
  plainFiles: true,
  general: true,
  what: 'no file holds a secret in plain text: a password, a token, a private key, a URL with credentials, or user data with one',
  source: 'https://kubernetes.io/docs/concepts/configuration/secret/: base64 does not encrypt',
  judge: ({ manifest }): readonly Problem[] => {
    if (isFromServer(manifest) || isHash(manifest)) {
      return NO_PROBLEMS;
    }
    const fields = plainSecretFields(manifest);
    return fields.length === 0
      ? NO_PROBLEMS
      : fields.map((path) => ({
          path: fieldPathText(path),
          message: 'is a secret in plain text: all who can read the file can read it',
          fix: PLAIN_SECRET_FIX,
          cause: PLAIN_SECRET_CAUSE,
        }));
  },
});
