import { isLate } from '../../core/late/late-token';
import { annotationsOf, isRecord, itemsAt, Manifest, valueAt } from '../../core/manifest/manifest';
import { SomeProblems, problemsOf, problemsOfKeys } from '../../core/problem/problem';
import { PLAIN_SECRET_CAUSE, PLAIN_SECRET_FIX } from '../../core/rule/general/plain-secret-fix';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, World } from '../../core/rule/rule';
import { isSecretMissing, knowsAny } from '../../core/rule/world-lookup';
import { secretEntry } from '../../core/secret/definition';
import { filledText, plainText } from '../../core/text/plain-text';
import { tableByName } from '../../core/text/values';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.facts';
import { CREDENTIAL_KEY } from '../../rancher/credential/cloud-credential.facts';
import { isSecretPlaceholder } from '../../rancher/import/registration-token.check';
import {
  BASIC_AUTH_TYPE,
  OBJECT_AUTHORIZED,
  REGISTRY_AUTH_CONFIG_TYPE,
  S3_CREDENTIAL_PREFIX,
  TLS_TYPE,
} from '../cluster/cluster.kind';

const SOURCES = [
  ['secret', 'Secret'],
  ['configMap', 'ConfigMap'],
] as const;

/** An object that a file of the nodes comes from. */
interface FileSource {
  readonly path: string;
  readonly kind: string;
  readonly name: string;
}

function fileSourcesOf(path: string, files: unknown): readonly FileSource[] {
  return itemsAt(files).flatMap((file, index) =>
    itemsAt(file, 'fileSources').flatMap((source, number) =>
      SOURCES.flatMap(([field, kind]) => {
        const name = filledText(valueAt(source, field, 'name'));
        return name === undefined
          ? []
          : [{ path: `${path}[${index}].fileSources[${number}].${field}.name`, kind, name }];
      }),
    ),
  );
}

function checkSource(
  cluster: JudgedObject,
  { path, kind, name }: FileSource,
  world: World,
): SomeProblems {
  const { namespace, name: clusterName } = cluster.manifest.metadata;
  if (isLate(name) || isLate(clusterName)) {
    return undefined;
  }
  const source = world.find(cluster, '', kind, namespace, name);
  if (source) {
    const authorized = annotationsOf(source.manifest)[OBJECT_AUTHORIZED];
    return (
      !isLate(authorized) &&
      !(typeof authorized === 'string' && authorized.split(',').includes(clusterName)) && {
        path,
        value: name,
        message: `must name a ${kind} that is authorized for the Cluster: otherwise no node gets a plan`,
        fix: `set its annotation ${OBJECT_AUTHORIZED} to "${clusterName}"`,
      }
    );
  }
  if (world.knows(cluster, '', kind, namespace, name)) {
    return undefined;
  }
  return (
    (kind === 'Secret'
      ? isSecretMissing(world, cluster, namespace, name)
      : knowsAny(world, cluster, kind, namespace)) && {
      path,
      value: name,
      level: 'warning',
      message: `does not match any known ${kind} in ${namespace ?? 'the namespace of the Cluster'}`,
      fix: 'declare it in the namespace of the Cluster',
    }
  );
}

const REGISTRY_TYPES: { readonly [field: string]: readonly string[] } = {
  authConfigSecretName: [
    REGISTRY_AUTH_CONFIG_TYPE,
    BASIC_AUTH_TYPE,
    'kubernetes.io/dockerconfigjson',
  ],
  tlsSecretName: [TLS_TYPE],
};

/** Rules for Secrets and files that a Cluster names. */
export const CLUSTER_FILE_RULES = rules({ kinds: CLUSTER_KINDS }, [
  {
    id: 'cluster/node-files',
    what: 'Secrets and ConfigMaps of machineSelectorFiles are in the namespace of the Cluster and authorized for it',
    source:
      'rancher/rancher:pkg/capr/planner/config.go renderFiles; pkg/capr/common.go AuthorizedObjectAnnotation',
    field: 'spec.rkeConfig.machineSelectorFiles',
    check: (path, files, cluster, world) =>
      problemsOf(fileSourcesOf(path, files), (source) => checkSource(cluster, source, world)),
  },
  {
    id: 'cluster/registry-secrets',
    what: 'Secrets of registries are in the namespace of the Cluster and have a type that Rancher reads',
    source: 'rancher/rancher:pkg/capr/planner/registry.go',
    field: 'spec.rkeConfig.registries',
    check: (path, registries, cluster, world) =>
      problemsOfKeys(valueAt(registries, 'configs') ?? {}, (host) =>
        problemsOf(Object.entries(REGISTRY_TYPES), ([field, types]) => {
          const name = filledText(valueAt(registries, 'configs', host, field));
          const secret =
            name === undefined
              ? undefined
              : world.find(cluster, '', 'Secret', cluster.manifest.metadata.namespace, name)
                  ?.manifest;
          // Secrets of another namespace do not matter
          return (
            secret &&
            !types.includes(plainText(secret.type)) && {
              path: `${path}.configs.${host}.${field}`,
              value: name,
              message: `must name a Secret of type ${types.join(' or ')}: its type is ${JSON.stringify(secret.type ?? 'Opaque')}`,
              fix: 'use a Secret of such a type',
            }
          );
        }),
      ),
  },
]);

/** The keys that hold credentials, by the type of the Secret. */
const KEYS_OF_TYPE: { readonly [type: string]: readonly string[] } = tableByName({
  [REGISTRY_AUTH_CONFIG_TYPE]: ['password', 'auth', 'identityToken'],
  [BASIC_AUTH_TYPE]: ['password'],
  [TLS_TYPE]: ['tls.key'],
});

/** Those of cloud credentials, whatever the type. */
const KEYS_OF_CREDENTIALS = [`${S3_CREDENTIAL_PREFIX}secretKey`, CREDENTIAL_KEY.KUBECONFIG];

const NO_KEYS: readonly string[] = [];

function credentialKeys(secret: Manifest): readonly string[] {
  const byType =
    typeof secret.type === 'string' && Object.hasOwn(KEYS_OF_TYPE, secret.type)
      ? KEYS_OF_TYPE[secret.type]
      : NO_KEYS;
  const isFiles = annotationsOf(secret)[OBJECT_AUTHORIZED] !== undefined;
  if (byType.length === 0 && !isFiles) {
    return KEYS_OF_CREDENTIALS;
  }
  const files = isFiles
    ? [secret.data, secret.stringData].flatMap((map) => (isRecord(map) ? Object.keys(map) : []))
    : [];
  return [...new Set([...byType, ...KEYS_OF_CREDENTIALS, ...files])];
}

/** Rules for the Secrets of guest clusters on Rancher. */
export const GUEST_SECRET_RULES = rules({ kinds: ['/Secret'] }, [
  {
    id: 'guest-secret/plain',
    plainFiles: true,
    level: 'warning',
    surelyOn: 'rancher',
    what: 'Secrets of guest clusters in plain text are in Git: credentials of registries and S3, kubeconfigs, files of nodes',
    source: 'https://kubernetes.io/docs/concepts/configuration/secret/: base64 does not encrypt',
    judge: ({ manifest }) =>
      problemsOf(credentialKeys(manifest), (key) => {
        const { path = '', text } = secretEntry(manifest, key, isSecretPlaceholder) ?? {};
        return (
          text &&
          !isSecretPlaceholder(text) && {
            path,
            message:
              'must not be a secret in plain text, which everyone who can read the manifests sees',
            fix: `${PLAIN_SECRET_FIX}, or let another tool write the Secret, and pass its name`,
            cause: PLAIN_SECRET_CAUSE,
          }
        );
      }),
  },
]);
