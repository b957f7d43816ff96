import {
  cloudCredentialsOf,
  readKubeconfig,
  credentialText,
  CREDENTIAL_KEY,
} from './cloud-credential.facts';
import { credentialSecret, GLOBAL_DATA } from './secret.kind';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, isRecord, kindKey, Manifest, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Problem } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { isSecretMissing } from '../../core/rule/world-lookup';
import { byObject, grouped } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import { ANNOTATION_NAME, CLUSTER_TYPE } from '../../guest/cloud-provider/cloud-provider.kind';
import {
  configNameOf,
  configOf,
  poolsOf,
  rkeConfigOf,
} from '../../guest/cluster/cluster-reader.facts';
import {
  CREDENTIAL_DRIVER,
  CREDENTIAL_PREFIX,
  PROVIDER_NAME,
} from '../../guest/cluster/cluster.kind';
import {
  KubeconfigView,
  isLocalServer,
  rancherTokenName,
} from '../../guest/kubeconfig/kubeconfig.check';
import { CLUSTER_KINDS } from '../cluster/cluster.facts';
import { RancherGate } from '../version/rancher-version';

const KINDS = [kindKey('', 'Secret')];
const CONTROLLER = 'rancher/rancher:pkg/controllers/management/cloudcredential/controller.go';
const STORE = 'rancher/rancher:pkg/api/norman/customization/cred/store.go';

const isHarvesterCredential = byObject(({ data, stringData }: Manifest): boolean =>
  [data, stringData].some(
    (map) => isRecord(map) && Object.keys(map).some((key) => key.startsWith(CREDENTIAL_PREFIX)),
  ),
);

function* checkCredential({ manifest, target }: JudgedObject): Iterable<Problem> {
  const path = `data.${CREDENTIAL_KEY.KUBECONFIG}`;
  const config = readKubeconfig(manifest);
  if (credentialText(manifest, CREDENTIAL_KEY.KUBECONFIG) === undefined) {
    yield {
      path,
      message: 'must be set',
      fix: 'set it to a kubeconfig of the Harvester, in base64',
    };
  } else if (config === 'none') {
    yield {
      path,
      message: 'must be a kubeconfig',
      fix: 'use the text of a kubeconfig',
      says: 'failed to unmarshal kubeconfig',
    };
  } else if (config) {
    yield* checkConfig(path, config, hasFeature(target, RancherGate.HARVESTER_TOKENS_NEVER_EXPIRE));
  }
  yield* checkType(manifest);
}

function* checkConfig(
  path: string,
  config: KubeconfigView,
  keepsTokens: boolean | undefined,
): Iterable<Problem> {
  if (config.server !== undefined && isLocalServer(config.server)) {
    yield {
      path,
      value: config.server,
      message: 'cannot be the server: Rancher cannot reach Harvester at this address',
      fix: 'use its management address, or the address of Rancher with /k8s/clusters/<id>',
    };
  }
  const token = rancherTokenName(config);
  if (token !== undefined && keepsTokens === false) {
    yield {
      path,
      value: token,
      level: 'warning',
      message:
        'is a token of Rancher, which expires after kubeconfig-default-token-ttl-minutes: then Rancher can neither create nor delete machines',
      fix: 'use the token of a service account of the Harvester, or upgrade Rancher to 2.12',
      says: `token ${token} is expired`,
    };
  }
}

function* checkType(manifest: Manifest): Iterable<Problem> {
  const type = credentialText(manifest, CREDENTIAL_KEY.CLUSTER_TYPE) ?? CLUSTER_TYPE.IMPORTED;
  const path = `data.${CREDENTIAL_KEY.CLUSTER_TYPE}`;
  if (isLate(type)) {
    return;
  }
  if (type !== CLUSTER_TYPE.IMPORTED && type !== CLUSTER_TYPE.EXTERNAL) {
    yield {
      path,
      value: type,
      level: 'warning',
      message: `must be ${CLUSTER_TYPE.IMPORTED} or ${CLUSTER_TYPE.EXTERNAL}`,
      fix: 'use one of them',
    };
  } else if (
    type === CLUSTER_TYPE.IMPORTED &&
    !credentialText(manifest, CREDENTIAL_KEY.CLUSTER_ID)
  ) {
    yield {
      path: `data.${CREDENTIAL_KEY.CLUSTER_ID}`,
      level: 'warning',
      message:
        'must be set for an imported Harvester: otherwise the UI shows none of its namespaces, images and networks',
      fix: `set the management cluster ID, or set clusterType to ${CLUSTER_TYPE.EXTERNAL}`,
    };
  }
}

const tokensOf = byObject((world: World): ReadonlyMap<string, readonly JudgedObject[]> =>
  grouped(
    world
      .ofKind('', 'Secret')
      .filter((secret) => isHarvesterCredential(secret.manifest) && tokenKey(secret) !== ''),
    tokenKey,
  ),
);

// by name, so that no key contains a token, which may be printed
function tokenKey({ manifest, target }: JudgedObject): string {
  const config = readKubeconfig(manifest);
  const token = config && config !== 'none' ? rancherTokenName(config) : undefined;
  return token === undefined ? '' : `${target.name} ${token}`;
}

function* checkExists(
  object: JudgedObject,
  { path, text }: { readonly path: string; readonly text: string },
  world: World,
): Iterable<Problem> {
  if (isLate(text)) {
    return;
  }
  const { namespace, name } = credentialSecret(object.manifest, text);
  if (name === '' || name.includes(':')) {
    yield {
      path,
      value: text,
      message: 'can name no Secret',
      fix: `write ${GLOBAL_DATA}:<name>, or the name of a Secret in ${namespace}`,
    };
    return;
  }
  // a program may know Secrets in a Fleet workspace without knowing this one
  if (namespace === GLOBAL_DATA && isSecretMissing(world, object, namespace, name)) {
    yield {
      path,
      value: text,
      level: 'warning',
      message: `must be a known credential in ${namespace}`,
      fix: 'declare the Secret, or check its name',
      says: `secrets "${name}" not found`,
    };
  }
}

/** Rules for cloud credentials of Harvester, and for the Clusters that use them. */
export const CREDENTIAL_RULES: readonly Rule[] = [
  ...rules({ kinds: KINDS }, [
    {
      id: 'credential/annotations',
      what: 'a cloud credential has annotations: its name and its driver',
      source: CONTROLLER,
      judge: ({ manifest, target }) => {
        if (!isHarvesterCredential(manifest)) {
          return undefined;
        }
        const annotations = annotationsOf(manifest);
        if (Object.keys(annotations).length === 0) {
          return {
            path: 'metadata.annotations',
            message:
              'must be set: Rancher 2.12 and later adds one to the missing map, and its controller crashes',
            fix: `set ${ANNOTATION_NAME} and ${CREDENTIAL_DRIVER}: ${PROVIDER_NAME}`,
            ...(hasFeature(target, RancherGate.HARVESTER_TOKENS_NEVER_EXPIRE) === false
              ? { level: 'warning' as const }
              : {}),
          };
        }
        if (annotations[CREDENTIAL_DRIVER] === undefined) {
          return {
            path: `metadata.annotations[${CREDENTIAL_DRIVER}]`,
            level: 'warning',
            message: 'must be set: otherwise the UI does not list it, and its token may expire',
            fix: `write ${PROVIDER_NAME}`,
          };
        }
        // without a creatorId nothing fails: Rancher repeats it in its log and grants no user
        // permissions on the credential
        return undefined;
      },
    },
    {
      id: 'credential/kubeconfig',
      what: 'a cloud credential holds a kubeconfig of a Harvester that Rancher can reach, and of an imported one its id',
      source: `${CONTROLLER}; rancher/rancher:pkg/data/management/machinedriver_data.go`,
      judge: (object) =>
        isHarvesterCredential(object.manifest) ? checkCredential(object) : undefined,
    },
    {
      id: 'credential/shared-token',
      level: 'warning',
      what: 'each cloud credential has its own token: Rancher deletes a token with its credential',
      source: STORE,
      judge: (object, world) => {
        if (!isHarvesterCredential(object.manifest)) {
          return undefined;
        }
        const other = tokensOf(world)
          .get(tokenKey(object))
          ?.find((candidate) => candidate !== object);
        return (
          other && {
            path: `data.${CREDENTIAL_KEY.KUBECONFIG}`,
            message: `cannot have the token of Secret ${other.manifest.metadata.name}`,
            fix: 'make a token for each credential',
            says: `token ${tokenKey(object).split(' ')[1]} is already in use by secret ${other.manifest.metadata.name}`,
          }
        );
      },
    },
    {
      id: 'credential/deleted-in-use',
      what: 'a cloud credential outlives the Clusters that use it: without it their virtual machines are never removed',
      source: STORE,
      judgeDeletion: (gone, world) => {
        if (!isHarvesterCredential(gone.manifest)) {
          return undefined;
        }
        const user = world.beside(gone, GROUPS.PROVISIONING, 'Cluster').find((cluster) =>
          cloudCredentialsOf(cluster.manifest).some(({ text }) => {
            const { namespace, name } = credentialSecret(cluster.manifest, text);
            return (
              namespace === gone.manifest.metadata.namespace && name === gone.manifest.metadata.name
            );
          }),
        );
        return (
          user && {
            message: `cannot be deleted: Cluster ${user.manifest.metadata.name} creates and deletes its machines with it`,
            fix: 'keep it, or set another credential of the Cluster first',
            says: `Cloud credential is currently referenced by provisioning cluster ${user.manifest.metadata.name}`,
          }
        );
      },
    },
  ]),
  ...rules({ kinds: CLUSTER_KINDS }, [
    {
      id: 'cluster/cloud-credential',
      what: `a Cluster with Harvester machines names its cloud credential: ${GLOBAL_DATA}:<name>, or a Secret in its own namespace`,
      source:
        'rancher/rancher:pkg/controllers/capr/machineprovision/args.go GetCloudCredentialSecret; ' +
        'pkg/controllers/provisioningv2/harvestercleanup/controller.go',
      *judge(object, world) {
        const { manifest } = object;
        const pools = poolsOf(manifest).filter((pool) => configNameOf(pool) !== undefined);
        if (!rkeConfigOf(manifest) || pools.length === 0) {
          return;
        }
        const path = 'spec.cloudCredentialSecretName';
        const own = valueAt(manifest, 'spec', 'cloudCredentialSecretName');
        const credentials = cloudCredentialsOf(manifest);
        const nameless = pools.filter(({ fields }) => !fields.cloudCredentialSecretName);
        if (!own && nameless.length > 0) {
          // the machine configuration may contain a kubeconfig, which has a warning of its own
          const unknown = nameless.some(
            (pool) => configOf(object, pool, world)?.manifest.kubeconfigContent,
          );
          yield {
            path,
            ...(unknown ? { level: 'warning' as const } : {}),
            message: 'must be set: without it Rancher cannot reach Harvester',
            fix: `write ${GLOBAL_DATA}:<name of the credential>`,
          };
        } else if (
          typeof own !== 'string' ||
          (!isLate(own) && !own.startsWith(`${GLOBAL_DATA}:`))
        ) {
          yield {
            path,
            ...(own ? { value: own } : {}),
            level: 'warning',
            message: `must name a credential in ${GLOBAL_DATA}: otherwise deleting the cluster leaves the volumes of its machines on Harvester`,
            fix: `write ${GLOBAL_DATA}:<name of the credential> at the Cluster`,
          };
        }
        for (const credential of credentials) {
          yield* checkExists(object, credential, world);
        }
      },
    },
  ]),
];
