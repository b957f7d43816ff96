import { SecretValue } from '../../late/secret-value';
import { defined, filledList } from '../../model/defined';

/**
 * A user that cloud-init makes.
 */
export interface CloudInitUser {
  /** The login name. */
  readonly name: string;
  /** Public keys in OpenSSH's format that let the user in. @default - none */
  readonly sshAuthorizedKeys?: string[];
  /** Rules for sudo, e.g. `ALL=(ALL) NOPASSWD:ALL`. @default - none */
  readonly sudo?: string[];
  /** Groups beside the user's own. @default - none */
  readonly groups?: string[];
  /** The login shell. @default - the system's */
  readonly shell?: string;
  /** The password as crypt(3) writes it, e.g. `$6$…` from `mkpasswd -m sha-512`; never in clear. @default - no login by password */
  readonly passwordHash?: SecretValue;
  /** The user's full name. @default - none */
  readonly gecos?: string;
  /** The home directory. @default - `/home/<name>` */
  readonly homeDirectory?: string;
  /** The number of the user. @default - the next one that is free */
  readonly uid?: number;
  /** Whether it is a user for services, without a home directory. @default false */
  readonly system?: boolean;
}

/** A user as cloud-init reads it. */
export function userFields(user: CloudInitUser): { readonly [key: string]: unknown } {
  const fields = {
    name: user.name,
    gecos: user.gecos,
    uid: user.uid,
    system: user.system || undefined,
    homedir: user.homeDirectory,
    shell: user.shell,
    groups: filledList(user.groups),
    sudo: filledList(user.sudo),
    // without it cloud-init locks the password that it sets
    lock_passwd: user.passwordHash ? false : undefined,
    passwd: user.passwordHash?._unwrap(),
    ssh_authorized_keys: filledList(user.sshAuthorizedKeys),
  };
  return defined(fields);
}
