import { isLate } from '../../core/late/late-token';
import { annotationsOf, isRecord, Manifest } from '../../core/manifest/manifest';
import { NO_PROBLEMS, Problem, joined, problemsOf } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { isSecretMissing, knowsAny } from '../../core/rule/world-lookup';
import { secretEntry } from '../../core/secret/definition';
import { plainText } from '../../core/text/plain-text';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.kind';
import { isSecretPlaceholder } from '../../rancher/import/registration-token.check';
import { CREDENTIAL_KEY } from '../cloud-provider/cloud-provider.kind';
import { Fields, rkeConfigOf } from '../cluster/cluster-reader.facts';
import { BASIC_AUTH_TYPE, OBJECT_AUTHORIZED, REGISTRY_AUTH_CONFIG_TYPE, S3_CREDENTIAL_PREFIX, TLS_TYPE } from '../cluster/cluster.kind';

const SOURCES = [['secret', 'Secret'], ['configMap', 'ConfigMap']] as const;

const FILES: Rule = {
  id: 'cluster/node-files',
  level: 'error',
  kinds: CLUSTER_KINDS,
  fields: ['spec.rkeConfig.machineSelectorFiles'],
  what: 'Secrets and ConfigMaps of machineSelectorFiles are in the namespace of the Cluster and authorized for it',
  source: 'rancher/rancher:pkg/capr/planner/config.go renderFiles; pkg/capr/common.go AuthorizedObjectAnnotation',
  *judge(cluster: JudgedObject, world: World): Iterable<Problem> {
    for (const { path, kind, name } of fileSourcesOf(cluster)) { yield* checkSource(cluster, path, kind, name, world); }
  },
};

function* fileSourcesOf({ manifest }: JudgedObject): Iterable<{ readonly path: string; readonly kind: string; readonly name: string }> {
  const files = rkeConfigOf(manifest)?.machineSelectorFiles;
  for (const [index, entry] of (Array.isArray(files) ? files : []).entries()) {
    const sources: unknown = isRecord(entry) ? entry.fileSources : undefined;
    for (const [number, source] of (Array.isArray(sources) ? sources : []).entries()) {
      for (const [field, kind] of SOURCES) {
        const object: unknown = isRecord(source) ? source[field] : undefined;
        if (isRecord(object) && typeof object.name === 'string' && object.name !== '') {
          yield { path: `spec.rkeConfig.machineSelectorFiles[${index}].fileSources[${number}].${field}.name`, kind, name: object.name };
        }
      }
    }
  }
}

function* checkSource(cluster: JudgedObject, path: string, kind: string, name: string, world: World): Iterable<Problem> {
  const { namespace, name: clusterName } = cluster.manifest.metadata;
  if (isLate(name) || isLate(clusterName)) { return; }
  const source = world.find(cluster, '', kind, namespace, name);
  if (!source) {
    if (world.knows(cluster, '', kind, namespace, name)) { return; }
    if (kind === 'Secret' ? isSecretMissing(world, cluster, namespace, name) : knowsAny(world, cluster, '', kind, namespace)) {
      yield {
        path,
        value: name,
        level: 'warning',
        message: `does not match any known ${kind} in ${namespace ?? 'the namespace of the Cluster'}`,
        fix: 'declare it in the namespace of the Cluster',
      };
    }
    return;
  }
  const authorized = annotationsOf(source.manifest)[OBJECT_AUTHORIZED];
  if (isLate(authorized) || (typeof authorized === 'string' && authorized.split(',').includes(clusterName))) { return; }
  yield {
    path,
    value: name,
    message: `must name a ${kind} that is authorized for the Cluster: otherwise no node gets a plan`,
    fix: `set its annotation ${OBJECT_AUTHORIZED} to "${clusterName}"`,
  };
}

const REGISTRY_TYPES: { readonly [field: string]: readonly string[] } = {
  authConfigSecretName: [REGISTRY_AUTH_CONFIG_TYPE, BASIC_AUTH_TYPE, 'kubernetes.io/dockerconfigjson'],
  tlsSecretName: [TLS_TYPE],
};

const REGISTRIES: Rule = {
  id: 'cluster/registry-secrets',
  level: 'error',
  kinds: CLUSTER_KINDS,
  fields: ['spec.rkeConfig.registries'],
  what: 'Secrets of registries are in the namespace of the Cluster and have a type that Rancher reads',
  source: 'rancher/rancher:pkg/capr/planner/registry.go',
  *judge(cluster: JudgedObject, world: World): Iterable<Problem> {
    const { namespace } = cluster.manifest.metadata;
    const registries = rkeConfigOf(cluster.manifest)?.registries;
    const configs: Fields = isRecord(registries) && isRecord(registries.configs) ? registries.configs : {};
    for (const [host, config] of Object.entries(configs)) {
      for (const [field, types] of Object.entries(REGISTRY_TYPES)) {
        const name: unknown = isRecord(config) ? config[field] : undefined;
        if (typeof name !== 'string' || name === '' || isLate(name)) { continue; }
        const path = `spec.rkeConfig.registries.configs.${host}.${field}`;
        const secret = world.find(cluster, '', 'Secret', namespace, name);
        // Secrets of another namespace do not matter
        if (secret && !types.includes(plainText(secret.manifest.type))) {
          yield {
            path,
            value: name,
            message: `must name a Secret of type ${types.join(' or ')}: its type is ${JSON.stringify(secret.manifest.type ?? 'Opaque')}`,
            fix: 'use a Secret of such a type',
          };
        }
      }
    }
  },
};

const SIZES: Rule = {
  id: 'cluster/field-sizes',
  level: 'error',
  kinds: CLUSTER_KINDS,
  what: 'at most 1000 machine pools; names of buckets and credentials have at most 63 and 317 characters; retention is 0 or more',
  source: 'rancher/rancher:pkg/crds/yaml/generated/provisioning.cattle.io_clusters.yaml (Rancher 2.12 and later)',
  judge({ manifest }: JudgedObject): Iterable<Problem> {
    const rke = rkeConfigOf(manifest);
    if (!rke) { return NO_PROBLEMS; }
    const ofPools = !Array.isArray(rke.machinePools) || rke.machinePools.length <= 1000 ? NO_PROBLEMS : [{
      path: 'spec.rkeConfig.machinePools',
      value: rke.machinePools.length,
      message: 'must be at most 1000 pools',
      fix: 'use fewer pools',
      says: 'must have at most 1000 items',
    }];
    const ofCredential = checkLength('spec.cloudCredentialSecretName', (manifest.spec as Fields).cloudCredentialSecretName, 317);
    const s3 = isRecord(rke.etcd) ? rke.etcd.s3 : undefined;
    return joined(ofPools, joined(isRecord(s3) ? checkS3Sizes(s3) : NO_PROBLEMS, ofCredential));
  },
};

function checkS3Sizes({ bucket, retention }: Fields): readonly Problem[] {
  return joined(checkLength('spec.rkeConfig.etcd.s3.bucket', bucket, 63), typeof retention !== 'number' || retention >= 0 ? NO_PROBLEMS : [{
    path: 'spec.rkeConfig.etcd.s3.retention',
    value: retention,
    message: 'must be a whole number of 0 or more',
    fix: 'set it to 0 or more',
    says: 'should be greater than or equal to 0',
  }]);
}

function checkLength(path: string, text: unknown, max: number): readonly Problem[] {
  return typeof text !== 'string' || isLate(text) || text.length <= max ? NO_PROBLEMS : [{
    path,
    value: text,
    message: `must have at most ${max} characters: it has ${text.length}`,
    fix: 'shorten it',
    says: `Too long: may not be more than ${max} bytes`,
  }];
}

/** Rules for Secrets and files that a Cluster names, and for the sizes of its fields. */
export const CLUSTER_FILE_RULES: readonly Rule[] = [FILES, REGISTRIES, SIZES];

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
  plainFiles: true,
  level: 'warning',
  kinds: ['/Secret'],
  what: 'Secrets of guest clusters in plain text are in Git: credentials of registries and S3, kubeconfigs, files of nodes',
  source: 'https://kubernetes.io/docs/concepts/configuration/secret/: base64 does not encrypt',
  judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    if (target.kind !== 'rancher') { return NO_PROBLEMS; }
    return problemsOf(credentialKeys(manifest), (key) => {
      const entry = secretEntry(manifest, key, isSecretPlaceholder);
      return !entry?.text || isSecretPlaceholder(entry.text) ? NO_PROBLEMS : [{
        path: entry.path,
        message: 'must not be a secret in plain text, which everyone who can read the manifests sees',
        fix: 'let another tool write the Secret (a SealedSecret, an ExternalSecret, SOPS) and pass its name, or keep the output out of Git',
      }];
    });
  },
};

const NO_KEYS: readonly string[] = [];

function credentialKeys(secret: Manifest): readonly string[] {
  const byType = typeof secret.type === 'string' && Object.hasOwn(KEYS_OF_TYPE, secret.type) ? KEYS_OF_TYPE[secret.type] : NO_KEYS;
  const isFiles = annotationsOf(secret)[OBJECT_AUTHORIZED] !== undefined;
  if (byType.length === 0 && !isFiles) { return KEYS_OF_CREDENTIALS; }
  const files = isFiles ? [secret.data, secret.stringData].flatMap((map) => (isRecord(map) ? Object.keys(map) : [])) : [];
  return [...new Set([...byType, ...KEYS_OF_CREDENTIALS, ...files])];
}

/** Rules for the Secrets of guest clusters on Rancher. */
export const GUEST_SECRET_RULES: readonly Rule[] = [PLAIN];
