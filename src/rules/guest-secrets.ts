import { JudgedObject, Rule } from './rule';
import { annotationsOf } from '../model/checks/metadata-maps';
import { isSecretPlaceholder } from '../model/checks/registration-token';
import { CREDENTIAL_KEY } from '../model/cloud-provider-names';
import { OBJECT_AUTHORIZED } from '../model/guest/rancher-names';
import { BASIC_AUTH_TYPE, REGISTRY_AUTH_CONFIG_TYPE, S3_CREDENTIAL_PREFIX, TLS_TYPE } from '../model/guest-names';
import { isRecord, Manifest } from '../model/manifest';
import { Problem } from '../model/problem';
import { secretEntry } from '../model/secret-data';

/** The keys that hold credentials, by the type of the Secret. */
const KEYS_OF_TYPE: { readonly [type: string]: readonly string[] } = {
  [REGISTRY_AUTH_CONFIG_TYPE]: ['password', 'auth', 'identityToken'],
  [BASIC_AUTH_TYPE]: ['password'],
  [TLS_TYPE]: ['tls.key'],
};

/** Those of cloud credentials, whatever the type. */
const KEYS_OF_CREDENTIALS = [`${S3_CREDENTIAL_PREFIX}secretKey`, CREDENTIAL_KEY.KUBECONFIG];

const PLAIN: Rule = {
  id: 'guest-secret/plain',
  level: 'warning',
  kinds: ['/Secret'],
  what: 'credentials of guest clusters in a plain Secret stand in Git: those of registries and S3, kubeconfigs, files of nodes',
  source: 'https://kubernetes.io/docs/concepts/configuration/secret/: base64 is no encryption',
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    if (target.kind !== 'rancher') { return; }
    for (const key of credentialKeys(manifest)) {
      const entry = secretEntry(manifest, key, isSecretPlaceholder);
      if (!entry?.text || isSecretPlaceholder(entry.text)) { continue; }
      yield {
        path: entry.path,
        message: 'is a credential in clear, for everybody who can read the manifests',
        fix: 'let another tool write the Secret (a SealedSecret, an ExternalSecret, SOPS) and give its name, or keep the output out of Git',
      };
    }
  },
};

function credentialKeys(secret: Manifest): readonly string[] {
  const byType = typeof secret.type === 'string' && Object.hasOwn(KEYS_OF_TYPE, secret.type) ? KEYS_OF_TYPE[secret.type] : [];
  const isFiles = annotationsOf(secret)[OBJECT_AUTHORIZED] !== undefined;
  const files = isFiles ? [secret.data, secret.stringData].flatMap((map) => (isRecord(map) ? Object.keys(map) : [])) : [];
  return [...new Set([...byType, ...KEYS_OF_CREDENTIALS, ...files])];
}

/** Rules for the Secrets of guest clusters on Rancher. */
export const GUEST_SECRET_RULES: readonly Rule[] = [PLAIN];
