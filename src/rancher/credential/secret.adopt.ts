import { isDefaultCredential } from './default-credential.adopt';
import { GLOBAL_DATA } from './secret.kind';
import { TargetKind } from '../../core/app/target';
import { Inverse, textAt, unless } from '../../core/draft/inverse';
import { CREDENTIAL_DRIVER, S3_DRIVER } from '../../guest/cluster/cluster.kind';
import { isAuthSecret } from '../auth/auth-provider.data';
import { TOKEN_SECRET_PREFIX } from '../import/registration-token.kind';
import { isProjectSecret } from '../project-secret/project-secret.kind';
import { PASSWORD_NAMESPACE } from '../user/user.kind';

const CREDENTIAL = 'is a cloud credential: the program refers to it by its name';

/** How a program refers to Secrets of Rancher, whose values it does not know: it declares none of them. */
export const RANCHER_SECRET_INVERSE: Inverse = {
  kinds: ['/Secret'],
  on: TargetKind.RANCHER,
  leftOut: (object, around) => {
    const { manifest } = object;
    if (isDefaultCredential(object, around)) { return undefined; }
    const { namespace, name } = manifest.metadata;
    if (namespace === GLOBAL_DATA) { return isAuthSecret(name) ? 'is the Secret of an authentication provider, which the program refers to' : CREDENTIAL; }
    if (namespace === PASSWORD_NAMESPACE) { return 'is the password of a user'; }
    if (name.startsWith(TOKEN_SECRET_PREFIX)) { return 'is a registration token'; }
    return isProjectSecret(manifest) ? 'is a Secret of a project, whose values the program does not know' : undefined;
  },
  notPlain: (object, around) => (isDefaultCredential(object, around) ? CREDENTIAL : undefined),
  existing: ({ target, namespace, name }, around) => {
    const secret = around.find({ target, group: '', kind: 'Secret', namespace, name });
    const isS3 = secret && textAt(secret.manifest, 'metadata', 'annotations', CREDENTIAL_DRIVER) === S3_DRIVER;
    if (isS3) { return { type: 'S3Credential', method: 'fromName', props: { name } }; }
    return { type: 'CloudCredential', method: 'fromName', props: { name, namespace: unless(namespace, GLOBAL_DATA) } };
  },
};
