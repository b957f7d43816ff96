/** The namespace of the passwords of local users. @see rancher/webhook:pkg/resources/core/v1/secret; seen on Rancher 2.13.8 */
export const PASSWORD_NAMESPACE = 'cattle-local-user-passwords';

/** The key of the password, or of its hash, in a password Secret. */
export const PASSWORD_KEY = 'password';

/** The key of the salt in a password Secret. */
export const PASSWORD_SALT_KEY = 'salt';

/** Annotation on a password Secret: it holds a hash and no plain text. @see rancher/rancher:pkg/auth/providers/local/pbkdf2; seen on Rancher 2.13.8 */
export const ANNOTATION_PASSWORD_HASH = 'cattle.io/password-hash';

/** The value of that annotation: the one kind of hash there is. */
export const PASSWORD_HASH_PBKDF2 = 'pbkdf2sha3512';

/** How many characters Rancher asks for in a password. @see rancher/rancher:pkg/settings/setting.go password-min-length */
export const PASSWORD_MIN_LENGTH = 12;
