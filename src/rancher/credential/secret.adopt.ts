import { GLOBAL_DATA, S3_CREDENTIAL } from './secret.kind';
import { TargetKind } from '../../core/construct/target';
import { FoundObject, Inverse, textAt, unless, Surroundings } from '../../core/draft/draft';
import { GROUPS } from '../../core/manifest/names';
import { safeConcatName } from '../../core/text/plain-text';
import { HARVESTER_SYSTEM } from '../../guest/cloud-provider/cloud-provider.kind';
import { CREDENTIAL_DRIVER, S3_DRIVER } from '../../guest/cluster/cluster.kind';
import { isAuthSecret } from '../auth/auth-provider.data';
import { TOKEN_SECRET_PREFIX } from '../import/registration-token.kind';
import { isProjectSecret } from '../project-secret/project-secret.kind';
import { PASSWORD_NAMESPACE } from '../user/user.kind';

const CREDENTIAL = 'is a cloud credential: the program refers to it by its name';

/**
 * How a program refers to Secrets of Rancher, whose values it does not know: it declares none of
 * them.
 */
export const RANCHER_SECRET_INVERSE: Inverse = {
  kinds: ['/Secret'],
  on: TargetKind.RANCHER,
  leftOut: (object, around) => {
    const { manifest } = object;
    if (isDefaultCredential(object, around)) {
      return undefined;
    }
    const { namespace, name } = manifest.metadata;
    if (namespace === GLOBAL_DATA) {
      return isAuthSecret(name)
        ? 'is the Secret of an authentication provider, which the program refers to'
        : CREDENTIAL;
    }
    if (namespace === PASSWORD_NAMESPACE) {
      return 'is the password of a user';
    }
    if (name.startsWith(TOKEN_SECRET_PREFIX)) {
      return 'is a registration token';
    }
    return isProjectSecret(manifest)
      ? 'is a Secret of a project, whose values the program does not know'
      : undefined;
  },
  notPlain: (object, around) => (isDefaultCredential(object, around) ? CREDENTIAL : undefined),
  existing: ({ target, namespace, name, usedAs }, around) => {
    const secret = around.find({ target, group: '', kind: 'Secret', namespace, name });
    const driver = secret && textAt(secret.manifest, 'metadata', 'annotations', CREDENTIAL_DRIVER);
    if (driver === S3_DRIVER || usedAs === S3_CREDENTIAL) {
      return { type: S3_CREDENTIAL, method: 'fromName', props: { name } };
    }
    return {
      type: 'CloudCredential',
      method: 'fromName',
      props: { name, namespace: unless(namespace, GLOBAL_DATA) },
    };
  },
};

/**
 * The objects of the credential that guest clusters of a Harvester share unless they set one, with
 * those of its account; undefined where they are not there.
 *
 * @param vmNamespace the namespace of the machines of a cluster
 */
export function defaultCredential(
  rancher: string,
  harvester: string,
  vmNamespace: string,
  around: Surroundings,
): FoundObject[] | undefined {
  const account = `${rancher}-node-driver`;
  const at = (
    target: string,
    kind: string,
    name: string,
    namespace?: string,
    group = '',
  ): FoundObject | undefined => around.find({ target, group, kind, namespace, name });
  const objects = [
    at(rancher, 'Secret', `cc-${harvester}`, GLOBAL_DATA),
    at(harvester, 'ServiceAccount', account, HARVESTER_SYSTEM),
    at(harvester, 'Secret', safeConcatName(account, 'token'), HARVESTER_SYSTEM),
    at(harvester, 'ClusterRole', account, undefined, GROUPS.RBAC),
    at(harvester, 'ClusterRole', `${account}-lookup`, undefined, GROUPS.RBAC),
    at(harvester, 'ClusterRoleBinding', `${account}-lookup`, undefined, GROUPS.RBAC),
    at(harvester, 'RoleBinding', account, vmNamespace, GROUPS.RBAC),
  ];
  return objects.every((each) => each !== undefined) ? objects : undefined;
}

/** Whether a Secret of Rancher may be that credential: guest clusters declare it. */
export function isDefaultCredential(
  { target, manifest }: FoundObject,
  around: Surroundings,
): boolean {
  const { namespace, name } = manifest.metadata;
  return (
    namespace === GLOBAL_DATA &&
    around.clusters.some(
      ({ name: harvester, kind }) =>
        kind === TargetKind.HARVESTER &&
        name === `cc-${harvester}` &&
        around.find({
          target: harvester,
          group: '',
          kind: 'ServiceAccount',
          namespace: HARVESTER_SYSTEM,
          name: `${target}-node-driver`,
        }),
    )
  );
}
