import { KindDescription } from '../../core/kind/kind';
import { serviceAccountToken } from '../../core/kind/kubernetes-readiness';
import { isProjectSecret } from '../project-secret/project-secret.kind';
import { PASSWORD_NAMESPACE } from '../user/user.kind';

/** Secret, with what Rancher reads from it. */
export const SECRET_DESCRIPTION: KindDescription = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  scope: 'Namespaced',
  rank: 15,
  appliedFirst: true,
  // after Users: Rancher refuses the password of a user that does not exist
  rankOf: (secret) => {
    if (secret.metadata.namespace === PASSWORD_NAMESPACE) { return 31; }
    // after Projects: Rancher creates the namespace together with the Project
    return isProjectSecret(secret) ? 61 : undefined;
  },
  refers: 'nothing',
  namedBy: {
    fields: { secretName: 'name', tokenSecretName: 'name', authConfigSecretName: 'name', cloudCredentialSecretName: 'namespace:name' },
    objects: ['secretRef', 'secretKeyRef'],
    lists: ['imagePullSecrets'],
  },
  ready: { judge: serviceAccountToken },
  writtenByOthers: ['metadata.annotations', 'metadata.ownerReferences', 'metadata.finalizers'],
};
