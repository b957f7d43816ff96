import { askRancher } from './rancher-api';
import { Witness } from './witness';
import { Manifest } from '../../../../src/core/manifest/manifest';
import { ANNOTATION_PASSWORD_HASH, GROUPS } from '../../../../src/core/manifest/names';
import { Cluster } from '../../../../src/engine/cluster/cluster';
import { hashPassword, SALT_BYTES } from '../../../../src/rancher/user/password.check';
import { PASSWORD_HASH_PBKDF2, PASSWORD_NAMESPACE } from '../../../../src/rancher/user/user.kind';

/** The password of all users of a run. */
export const PASSWORD = 'judge-knows-this-password';

/** Where a local user logs in. */
export const LOGIN = '/v3-public/localProviders/local?action=login';

/** @see rancher/rancher:pkg/auth/providers/local/local_auth_provider.go AuthenticateUser (2.15.0) */
const REFUSED = [401, 403, 422];

/** The login of a user, for the Secret with the user's password. */
export class Logins implements Witness {
  private isKnown = false;

  public constructor(
    private readonly cluster: Cluster,
    private readonly serverUrl: string,
  ) {}

  public tells(object: Manifest): boolean {
    return isPassword(object);
  }

  public async see(unchanged: Manifest): Promise<void> {
    this.isKnown = (await this.login(unchanged)) < 300;
  }

  public async failureOf(changed: Manifest): Promise<string | undefined> {
    const status = this.isKnown ? await this.login(changed) : undefined;
    return status !== undefined && REFUSED.includes(status)
      ? `the login is refused: ${status}`
      : undefined;
  }

  private async login({ metadata: { name } }: Manifest): Promise<number> {
    const user = await this.cluster.read({
      apiVersion: `${GROUPS.MANAGEMENT}/v3`,
      kind: 'User',
      name,
    });
    const body = { username: user?.username, password: PASSWORD };
    return (await askRancher(`${this.serverUrl}${LOGIN}`, body)).status;
  }
}

/** A Secret with the password of a user, changed to one that is known. */
export function withKnownPassword(object: Manifest): Manifest {
  if (!isPassword(object)) {
    return object;
  }
  return { ...object, data: { ...(object.data as object), ...knownPassword() } } as Manifest;
}

/** A new Secret with the known password, except for its name. */
export function secretOfKnownPassword(name: string): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: PASSWORD_NAMESPACE,
      annotations: { [ANNOTATION_PASSWORD_HASH]: PASSWORD_HASH_PBKDF2 },
    },
    data: knownPassword(),
  };
}

function knownPassword(): { readonly salt: string; readonly password: string } {
  const { salt, hash } = hashPassword(PASSWORD, Buffer.alloc(SALT_BYTES, PASSWORD));
  return { salt, password: hash };
}

/** Whether an object is the Secret with the password of a user. */
export function isPassword({ kind, metadata }: Manifest): boolean {
  return kind === 'Secret' && metadata.namespace === PASSWORD_NAMESPACE;
}
