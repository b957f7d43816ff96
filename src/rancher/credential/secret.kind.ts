import { MadeObject } from '../../core/kind/description/references';
import { NEEDED_BY_NODES, deletes } from '../../core/kind/description/removal';
import { StagePlace } from '../../core/kind/description/stage-place';
import { KindDescription } from '../../core/kind/kind';
import { whenTrue } from '../../core/kind/ready/health';
import { allTrue, waiting } from '../../core/kind/ready/readiness';
import { SECRET_IMMUTABLE } from '../../core/kubernetes/kubernetes-immutable.data';
import { serviceAccountToken } from '../../core/kubernetes/kubernetes-readiness';
import { LATE_OPEN } from '../../core/late/late-token';
import { Manifest, annotationsOf, isRecord, valueAt, itemsAt } from '../../core/manifest/manifest';
import { GROUPS, ANNOTATION_PROJECT_ID } from '../../core/manifest/names';
import { SEALED_SECRET, SEALED_STAYS } from '../../core/sealed-secret/sealed-secret';
import { anyText } from '../../core/text/plain-text';
import {
  CREDENTIAL_DRIVER,
  OBJECT_AUTHORIZED,
  SECRET_AUTHORIZED,
} from '../../guest/cluster/cluster.kind';
import { CLOUD_INIT_KEYS } from '../../harvester/cloud-init/cloud-init.check';
import { isAuthSecret } from '../auth/auth-provider.data';
import { isProjectSecret } from '../project-secret/project-secret.kind';
import { PASSWORD_NAMESPACE } from '../user/user.kind';

/**
 * The namespace of cloud credentials.
 * @see rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go globalNamespace
 */
export const GLOBAL_DATA = 'cattle-global-data';

/** The construct of a credential of S3. */
export const S3_CREDENTIAL = 'S3Credential';

/**
 * Annotation on a cloud credential: when its kubeconfig expires, in milliseconds since 1970.
 * @see rancher/rancher:pkg/api/norman/store/cred (2.9.3 to 2.11)
 */
export const ANNOTATION_CREDENTIAL_EXPIRY = 'rancher.io/expiration-timestamp';

/**
 * Names of the Rancher tokens that Rancher makes for kubeconfigs.
 * @see rancher/rancher:pkg/controllers/management/cloudcredential/controller.go
 */
export const KUBECONFIG_TOKEN = /^kubeconfig-(?:u|user)-[a-z0-9-]+$/;

/**
 * Reference of a Cluster to a cloud credential; the group is its name.
 * @see rancher/rancher:pkg/capr/machineprovision/args.go GetCloudCredentialSecret
 */
export const CREDENTIAL_REFERENCE = /^cattle-global-data:(.+)$/;

/** Secret, with what Rancher reads from it. */
export const SECRET_DESCRIPTION: KindDescription = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  part: {
    noun: (manifest) =>
      annotationsOf(manifest)[CREDENTIAL_DRIVER] === undefined ? undefined : 'cloud credential',
    order: 200,
  },
  immutable: SECRET_IMMUTABLE,
  scope: 'Namespaced',
  rank: 15,
  appliedFirst: true,
  // after Users: Rancher refuses the password of a user that does not exist
  rankOf: (secret) => {
    if (secret.metadata.namespace === PASSWORD_NAMESPACE) {
      return 31;
    }
    // after Projects: Rancher creates the namespace together with the Project
    return isProjectSecret(secret) ? 61 : undefined;
  },
  stage: stageOf,
  refers: 'nothing',
  namedBy: {
    fields: {
      secretName: 'name',
      tokenSecretName: 'name',
      authConfigSecretName: 'name',
      cloudCredentialSecretName: 'namespace:name',
    },
    objects: ['secretRef', 'secretKeyRef', 'clientSecret'],
    lists: ['imagePullSecrets'],
  },
  ready: {
    judge: serviceAccountToken,
    hint: () =>
      'Usual cause: the ServiceAccount of its annotation does not exist. Fix: check its name; otherwise the controller manager of this cluster does not run',
  },
  texts: [
    { path: `data.${CLOUD_INIT_KEYS.USER}`, base64: true, header: true },
    { path: `data.${CLOUD_INIT_KEYS.NETWORK}`, base64: true },
    { path: 'data[.dockerconfigjson]', base64: true },
  ],
  writtenByOthers: ['metadata.annotations', 'metadata.labels', 'metadata.ownerReferences'],
  deletions: {
    'cloud-init': deletes('virtual machines that refer to it do not start without it'),
    'volume-encryption': { policy: 'keep', reason: 'the data on its volumes is lost without it' },
    'kubeconfig': deletes('those who log in with its kubeconfig can no longer do so'),
    'password': deletes(
      'the user can no longer log in by password; deleting the User deletes it, too',
    ),
    'auth': deletes(
      'only once its provider is disabled: users cannot log in without it, and Rancher deletes it then',
    ),
    'cloud-credential': deletes(
      'Rancher can then neither create nor delete machines of clusters that use it: delete it after the last of these clusters',
    ),
    's3-credential': deletes(
      'clusters that store etcd snapshots with it can then neither be changed nor restored from there',
    ),
    'registration-token': deletes('revokes the token; agents that registered with it keep working'),
    'project': deletes('Rancher deletes its copies in the namespaces of the project'),
    'cloud-config': deletes(
      'Rancher cannot write the plans of the nodes without it, and deletes it with the Cluster',
    ),
    'node-plan': NEEDED_BY_NODES,
    'agent-registry': deletes('Rancher cannot give its agents the credentials of their registry'),
  },
  kept: [
    {
      never: true,
      onlyEngines: true,
      says: 'users log in with it while its provider is enabled; Rancher deletes it afterwards',
      when: ({ metadata }) => metadata.namespace === GLOBAL_DATA && isAuthSecret(metadata.name),
    },
  ],
  // the role of a Standard User can create Secrets in cattle-global-data and fleet-default alone:
  // rancher/rancher:pkg/data/management/role_data.go (2.10.9, 2.11.5, 2.12.1, and later)
  power: {
    preparedBy: ['Standard User', 'project owner', 'vm-creator'],
    keeps: 'its creator knows or chooses the keys that the program does not set, and may read it',
  },
};

/**
 * The API version and kind of the External Secrets Operator 0.16 and later.
 * @see external-secrets/external-secrets:apis/externalsecrets/v1/externalsecret_types.go
 */
export const EXTERNAL_SECRET = {
  apiVersion: `${GROUPS.EXTERNAL_SECRETS}/v1`,
  kind: 'ExternalSecret',
} as const;

/** A value that only the controller knows: rules take it for one that is not known yet. */
const HIDDEN = `${LATE_OPEN}hidden|base64}`;

const COMMON = {
  scope: 'Namespaced',
  rank: SECRET_DESCRIPTION.rank,
  rankOf: SECRET_DESCRIPTION.rankOf,
  refers: 'nothing',
  power: { preparedBy: [], keeps: 'its creator chooses the keys that the program does not set' },
} as const;

/**
 * The Secrets that a controller makes, from encrypted values or from a store: what needs the Secret
 * needs them.
 */
export const SECRET_SOURCE_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...COMMON,
    group: GROUPS.SEALED_SECRETS,
    version: 'v1alpha1',
    kind: SEALED_SECRET.kind,
    // of the current values: the condition remains from the earlier ones
    ready: {
      judge: (live) =>
        isObserved(live)
          ? allTrue(live, ['Synced'])
          : waiting('its current values are not decrypted yet'),
    },
    health: { healthy: whenTrue('Synced') },
    stage: (sealed) => stageOf(sealedSecret(sealed)?.manifest ?? sealed),
    makes: sealedSecret,
  },
  {
    ...COMMON,
    group: GROUPS.EXTERNAL_SECRETS,
    version: 'v1',
    kind: EXTERNAL_SECRET.kind,
    ready: {
      judge: (live) =>
        isSynced(live) ? allTrue(live, ['Ready']) : waiting('its current keys are not read yet'),
    },
    health: { healthy: whenTrue('Ready') },
    stage: (external) => stageOf(externalSecret(external)?.manifest ?? external),
    makes: externalSecret,
  },
];

function isObserved({ metadata, status }: Manifest): boolean {
  const [generation, observed] = [
    valueAt(metadata, 'generation'),
    valueAt(status, 'observedGeneration'),
  ];
  return typeof generation !== 'number' || typeof observed !== 'number' || observed >= generation;
}

/**
 * @see external-secrets/external-secrets:pkg/controllers/util/util.go GetResourceVersion:
 * `<generation>-<hash>`
 */
function isSynced({ metadata, status }: Manifest): boolean {
  const [generation, synced] = [
    valueAt(metadata, 'generation'),
    valueAt(status, 'syncedResourceVersion'),
  ];
  return (
    typeof generation !== 'number' ||
    typeof synced !== 'string' ||
    synced === '' ||
    synced.startsWith(`${generation}-`)
  );
}

/**
 * After what Rancher looks up for it: a User, a Project, an account on Harvester. The secret of a
 * login provider is with the provider. The others are with their Namespace.
 */
function stageOf(secret: Manifest): StagePlace | undefined {
  const { namespace, name } = secret.metadata;
  const annotation = (key: string): string | undefined => anyText(annotationsOf(secret)[key]);
  if (namespace === PASSWORD_NAMESPACE) {
    return { stage: 'access' };
  }
  if (namespace === GLOBAL_DATA) {
    return { stage: isAuthSecret(name) ? 'access' : 'credentials' };
  }
  if (isProjectSecret(secret)) {
    return {
      stage: 'members',
      part: annotation(ANNOTATION_PROJECT_ID)?.split(':')[0] ?? namespace,
    };
  }
  const cluster = annotation(SECRET_AUTHORIZED) ?? annotation(OBJECT_AUTHORIZED);
  return cluster === undefined ? undefined : { stage: 'guest-secrets', part: cluster };
}

function sealedSecret(manifest: Manifest): MadeObject | undefined {
  const template = valueAt(manifest, 'spec', 'template');
  const values = valueAt(manifest, 'spec', 'encryptedData');
  const stays = Object.entries(SEALED_STAYS).every(
    ([key, value]) => valueAt(template, 'metadata', 'annotations', key) === value,
  );
  return made(
    manifest,
    manifest.metadata.name,
    template,
    isRecord(values) ? Object.keys(values) : [],
    stays,
  );
}

function externalSecret(manifest: Manifest): MadeObject | undefined {
  const target = valueAt(manifest, 'spec', 'target');
  const name = valueAt(target, 'name') ?? manifest.metadata.name;
  const policy = valueAt(target, 'creationPolicy') ?? 'Owner';
  // a Secret of others: values are added to it
  if (typeof name !== 'string' || !['Owner', 'Orphan'].includes(String(policy))) {
    return undefined;
  }
  const keys = itemsAt(manifest, 'spec', 'data')
    .map((entry) => valueAt(entry, 'secretKey'))
    .filter((key) => typeof key === 'string');
  return made(manifest, name, valueAt(target, 'template'), keys, policy === 'Orphan');
}

function made(
  { metadata }: Manifest,
  name: string,
  template: unknown,
  keys: readonly string[],
  stays: boolean,
): MadeObject {
  const { namespace } = metadata;
  const map = (field: string): { readonly [key: string]: string } | undefined => {
    const value = valueAt(template, 'metadata', field);
    return isRecord(value) && Object.values(value).every((text) => typeof text === 'string')
      ? (value as { [key: string]: string })
      : undefined;
  };
  const [labels, annotations, type] = [
    map('labels'),
    map('annotations'),
    valueAt(template, 'type'),
  ];
  return {
    stays,
    manifest: {
      apiVersion: 'v1',
      kind: SECRET_DESCRIPTION.kind,
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(labels ? { labels } : {}),
        ...(annotations ? { annotations } : {}),
      },
      ...(typeof type === 'string' ? { type } : {}),
      data: Object.fromEntries(keys.map((key) => [key, HIDDEN])),
    },
  };
}

/** The Secret that a Cluster means by the name of a credential. */
export function credentialSecret(
  manifest: Manifest,
  text: string,
): { readonly namespace: string; readonly name: string } {
  return text.startsWith(`${GLOBAL_DATA}:`)
    ? { namespace: GLOBAL_DATA, name: text.slice(GLOBAL_DATA.length + 1) }
    : { namespace: manifest.metadata.namespace ?? '', name: text };
}
