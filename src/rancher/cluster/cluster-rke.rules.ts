import { CLUSTER_KINDS, CLUSTER_VALIDATOR } from './cluster.facts';
import { AGENT_VAR_DIR } from './provisioning-cluster.check';
import { PROVISIONING_CLUSTER_DESCRIPTION } from './provisioning-cluster.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, sameValue, valueAt, records } from '../../core/manifest/manifest';
import { GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { Problem, problemsOf } from '../../core/problem/problem';
import { immutableRule } from '../../core/rule/general/immutable-fields.rules';
import { FactCheck, ruleOf, rules } from '../../core/rule/kit/fact';
import { refersTo } from '../../core/rule/kit/relations';
import { text } from '../../core/rule/kit/values';
import { JudgedObject, Rule } from '../../core/rule/rule';
import { isSecretMissing } from '../../core/rule/world-lookup';
import { filledText, givenValue, plainText, textOrEmpty } from '../../core/text/plain-text';
import { lacksFeature } from '../../core/version/target-features';
import { ClusterPool, poolsOf, rkeConfigOf } from '../../guest/cluster/cluster-reader.facts';
import { checkDataDirectories } from '../../guest/cluster/cluster.check';
import { distributionOf } from '../../guest/kubernetes/rke2.data';
import { GuestGate } from '../../guest/version/guest-gates.data';
import { GLOBAL_DATA } from '../credential/secret.kind';
import { BUILT_IN_POD_SECURITY_TEMPLATES, KIND_POD_SECURITY_TEMPLATE } from '../rancher.kind';

const DIRECTORIES = 'spec.rkeConfig.dataDirectories';
/**
 * The form of a cluster's version that the webhook accepts: a v and semantic versioning, all three
 * numbers.
 */
const KUBERNETES_VERSION =
  /^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;
const FIRST_WITH_TEMPLATES = 23;
const RESTORE = 'spec.rkeConfig.etcdSnapshotRestore';
const RESTORE_MODES = ['none', 'kubernetesVersion', 'all'];

function isLocal({ manifest }: JudgedObject): boolean {
  return manifest.metadata.name === LOCAL_CLUSTER;
}

/** The field with the template of pod security. */
const POD_SECURITY_TEMPLATE = 'defaultPodSecurityAdmissionConfigurationTemplateName';

function checkVersion(version: unknown, hasTemplate: boolean): Omit<Problem, 'path'> | undefined {
  const fix = 'name a release with its distribution, e.g. v1.33.6+rke2r1';
  if (typeof version === 'string' && KUBERNETES_VERSION.test(version)) {
    if (distributionOf(version) !== undefined) {
      return undefined;
    }
    return {
      value: version,
      level: 'warning',
      message: 'must name a distribution: Rancher has no such release to install',
      fix,
    };
  }
  const says = `failed to parse cluster version: ${plainText(version)} is not valid k8s version`;
  // seen on Rancher 2.13.8: a custom cluster without a version was accepted; on 2.15.0, the webhook
  // compares the version with a template of pod security
  return version === '' && !hasTemplate
    ? {
        level: 'warning',
        message: 'must be set: Rancher may refuse the Cluster, and has no version to install',
        fix,
        says,
      }
    : { value: version, message: 'must be a full version of Kubernetes', fix, says };
}

function checkPoolName(
  { path, name, fields }: ClusterPool,
  seen: Set<string>,
  exists: boolean,
): readonly Problem[] {
  const problems: Problem[] = [];
  if (name === '') {
    problems.push({
      path: `${path}.name`,
      ...givenValue(fields.name),
      message: 'must be a name',
      fix: 'name the pool',
      says: `${path}.name: Required value`,
    });
  } else if (!isLate(name)) {
    const problem = { path: `${path}.name`, value: name };
    if (Buffer.byteLength(name) > 63 && !exists) {
      const message = `must have at most 63 characters: it has ${name.length}`;
      problems.push({
        ...problem,
        message,
        fix: 'use a shorter name',
        says: 'pool name must be 63 characters or fewer',
      });
    }
    if (seen.has(name)) {
      const message = 'must be unique: two pools of one name would be one';
      problems.push({
        ...problem,
        message,
        fix: 'rename one of the pools',
        says: `${path}: Duplicate value`,
      });
    }
    seen.add(name);
  }
  return problems;
}

const IMMUTABLE = immutableRule('cluster/data-directories', PROVISIONING_CLUSTER_DESCRIPTION);

const DATA_DIRECTORIES_RULE = ruleOf({
  ...IMMUTABLE,
  when: ({ manifest }) => rkeConfigOf(manifest),
  *judge(object, world) {
    if (world.exists(object)) {
      return;
    }
    const { dataDirectories } = rkeConfigOf(object.manifest)!;
    const lacks = lacksFeature(object.target, GuestGate.DATA_DIRECTORIES);
    if (lacks && !sameValue(dataDirectories, undefined)) {
      yield {
        path: DIRECTORIES,
        message: `has no effect: ${lacks}`,
        fix: 'remove it, or upgrade Rancher',
      };
    }
    yield* checkDataDirectories(DIRECTORIES, dataDirectories);
    const index = agentVarDirs(object.manifest).at(-1)?.index;
    if (index !== undefined && !lacks) {
      yield {
        path: `spec.agentEnvVars[${index}]`,
        message: `cannot set ${AGENT_VAR_DIR}`,
        fix: `set ${DIRECTORIES}.systemAgent instead`,
        says: `"${AGENT_VAR_DIR}" cannot be set within "cluster.Spec.RKEConfig.AgentEnvVars": use "cluster.Spec.RKEConfig.DataDirectories.SystemAgent"`,
      };
    }
  },
  *judgeUpdate(object, before, world) {
    if (!rkeConfigOf(before)) {
      return;
    }
    yield* judgeAgentDirectory(object.manifest, before);
    yield* IMMUTABLE.judgeUpdate(object, before, world);
  },
});

function agentDirectoryOf(manifest: Manifest): string {
  return textOrEmpty(valueAt(manifest, 'spec', 'rkeConfig', 'dataDirectories', 'systemAgent'));
}

function agentVarDirs(
  manifest: Manifest,
): Array<{ readonly index: number; readonly value: string }> {
  return records(manifest, 'spec', 'agentEnvVars')
    .filter(([, { name }]) => name === AGENT_VAR_DIR)
    .map(([index, { value }]) => ({ index, value: plainText(value ?? '') }));
}

// clusters older than dataDirectories have the variable; they can move its value to the field once
function* judgeAgentDirectory(manifest: Manifest, before: Manifest): Iterable<Problem> {
  const [variable, oldVariable] = [agentVarDirs(manifest).at(-1), agentVarDirs(before).at(-1)];
  const [directory, oldDirectory] = [agentDirectoryOf(manifest), agentDirectoryOf(before)];
  const path = `${DIRECTORIES}.systemAgent`;
  const envPath = `spec.agentEnvVars${variable ? `[${variable.index}]` : ''}`;
  const fix = 'restore both';
  if (oldVariable?.value) {
    if (directory === '') {
      if (variable?.value !== oldVariable.value) {
        yield {
          path: envPath,
          message: `cannot change ${AGENT_VAR_DIR}`,
          fix,
          says: `"${AGENT_VAR_DIR}" env var in "cluster.Spec.AgentEnvVars" cannot be changed after cluster creation`,
        };
      }
    } else if (variable) {
      yield {
        path: envPath,
        message: `cannot set ${AGENT_VAR_DIR} next to systemAgent`,
        fix: 'remove the variable',
        says: `"${AGENT_VAR_DIR}" env var in "cluster.Spec.AgentEnvVars" must be removed when migrating SystemAgent data directory`,
      };
    } else if (directory !== oldVariable.value) {
      yield {
        path,
        value: directory,
        message: 'must be the value of the variable',
        fix: 'copy the value of the variable',
        says: `System Agent data directory must be identical to previous "${AGENT_VAR_DIR}" env var in "cluster.Spec.AgentEnvVars" during migration`,
      };
    }
    return;
  }
  if (directory !== oldDirectory) {
    yield {
      path,
      value: directory,
      message: `must remain ${JSON.stringify(oldDirectory)}`,
      fix,
      says: 'System Agent data directory cannot be changed after cluster creation',
    };
  }
  if (variable?.value) {
    yield {
      path: envPath,
      message: `cannot set ${AGENT_VAR_DIR}`,
      fix,
      says: `"${AGENT_VAR_DIR}" env var in "cluster.Spec.AgentEnvVars" cannot be set after cluster creation`,
    };
  }
}

const checkTemplate = refersTo([GROUPS.MANAGEMENT, KIND_POD_SECURITY_TEMPLATE], {
  builtIn: BUILT_IN_POD_SECURITY_TEMPLATES,
  problem: (name) => ({
    message: 'must be a known template: without it the Cluster is refused',
    fix: `use ${BUILT_IN_POD_SECURITY_TEMPLATES.join(' or ')}, or declare the template`,
    says: `"${name}" not found`,
  }),
});

const checkS3Credential: FactCheck = text((_, credential, object, world) => {
  const before = world.beforeOf(object);
  if (credential === (before && s3CredentialOf(before))) {
    return undefined;
  }
  const own = object.manifest.metadata.namespace ?? '';
  const [namespace, name] =
    credential.startsWith(`${GLOBAL_DATA}:`) && credential.length > GLOBAL_DATA.length + 1
      ? [GLOBAL_DATA, credential.slice(GLOBAL_DATA.length + 1)]
      : [own, credential];
  const says = `etcd s3 cloud credential secret ${namespace}/${name} is not found`;
  if (name.includes(':')) {
    return {
      message: 'must name a Secret',
      fix: `use ${GLOBAL_DATA}:<name>, or the name of a Secret in ${own}`,
      says,
    };
  }
  return (
    isSecretMissing(world, object, namespace, name) && {
      level: 'warning',
      message: `must be a known Secret in ${namespace}`,
      fix: 'declare the Secret, or apply it before the Cluster',
      says,
    }
  );
});

function s3CredentialOf(manifest: Manifest): string | undefined {
  return filledText(valueAt(manifest, 'spec', 'rkeConfig', 'etcd', 's3', 'cloudCredentialName'));
}

/** Rules for Clusters with rkeConfig that Rancher's webhook and definition enforce. */
export const RKE_RULES: readonly Rule[] = [
  DATA_DIRECTORIES_RULE,
  ...rules({ kinds: CLUSTER_KINDS }, [
    {
      id: 'cluster/kubernetes-version',
      what: 'a cluster with rkeConfig names its Kubernetes version in full',
      source:
        'rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/mutator.go handlePSACT; pkg/podsecurityadmission GetClusterVersion',
      when: (object) => rkeConfigOf(object.manifest) && !isLocal(object),
      judge: ({ manifest }) => {
        const version = valueAt(manifest, 'spec', 'kubernetesVersion') ?? '';
        const template = valueAt(manifest, 'spec', POD_SECURITY_TEMPLATE);
        const hasTemplate = filledText(template) !== undefined;
        const problem = isLate(version) ? undefined : checkVersion(version, hasTemplate);
        return problem && { path: 'spec.kubernetesVersion', ...problem };
      },
    },
    {
      id: 'cluster/machine-pools',
      what: 'machine pools have unique names of at most 63 characters',
      source: `${CLUSTER_VALIDATOR} validateMachinePoolNames; rancher/rancher:pkg/crds/yaml/generated/provisioning.cattle.io_clusters.yaml`,
      judge: (object, world) => {
        const seen = new Set<string>();
        return problemsOf(poolsOf(object.manifest), (pool) =>
          checkPoolName(pool, seen, world.exists(object)),
        );
      },
    },
    {
      id: 'cluster/auth-endpoint',
      what: 'an authorized cluster endpoint with caCerts has an fqdn',
      says: 'CACerts defined but FQDN is not defined',
      source: `${CLUSTER_VALIDATOR} validateACEConfig`,
      when: ({ manifest }) => rkeConfigOf(manifest),
      field: 'spec.localClusterAuthEndpoint',
      check: (path, endpoint) =>
        isRecord(endpoint) &&
        endpoint.enabled === true &&
        Boolean(endpoint.caCerts) &&
        !endpoint.fqdn && {
          path: `${path}.fqdn`,
          message: 'must be set with caCerts',
          fix: 'set the host name, or remove caCerts',
        },
    },
    {
      id: 'cluster/pod-security-template',
      what: 'the pod security admission template exists, and the cluster has Kubernetes 1.23 or later',
      source: `${CLUSTER_VALIDATOR} validatePSACT`,
      when: (object) => rkeConfigOf(object.manifest) && !isLocal(object),
      field: `spec.${POD_SECURITY_TEMPLATE}`,
      check: (path, name, object, world) => {
        const [version, major, minor] =
          KUBERNETES_VERSION.exec(
            plainText(valueAt(object.manifest, 'spec', 'kubernetesVersion')),
          ) ?? [];
        return name !== '' && version && Number(major) === 1 && Number(minor) < FIRST_WITH_TEMPLATES
          ? {
              message: `cannot be set with Kubernetes ${version}`,
              fix: 'remove it',
              says: 'PodSecurityAdmissionConfigurationTemplate(PSACT) is only supported in k8s version 1.23 and above',
            }
          : checkTemplate(path, name, object, world);
      },
    },
    {
      id: 'cluster/etcd-s3-credential',
      what: 'the cloud credential of etcd snapshots in S3 exists',
      source: `${CLUSTER_VALIDATOR} validateS3Secret`,
      when: (object) => !isLocal(object),
      field: 'spec.rkeConfig.etcd.s3.cloudCredentialName',
      check: checkS3Credential,
    },
    {
      id: 'cluster/etcd-restore',
      what: 'a restore names a snapshot and one of the modes none, kubernetesVersion and all',
      source: `${CLUSTER_VALIDATOR} validateETCDSnapshotRestore`,
      judgeUpdate: (object, before, world) => {
        const [restore, old] = [object.manifest, before].map((cluster) =>
          valueAt(cluster, 'spec', 'rkeConfig', 'etcdSnapshotRestore'),
        );
        if (
          !isRecord(restore) ||
          !restore.name ||
          !restore.restoreRKEConfig ||
          sameValue(restore, old)
        ) {
          return undefined;
        }
        const { restoreRKEConfig: mode, name } = restore;
        if (!RESTORE_MODES.includes(plainText(mode))) {
          return {
            path: `${RESTORE}.restoreRKEConfig`,
            value: mode,
            message: `must be one of ${RESTORE_MODES.join(', ')}`,
            fix: 'use one of them',
            says: `unsupported restore mode ${plainText(mode)}`,
          };
        }
        const { namespace = 'default' } = object.manifest.metadata;
        // with none, the name may be that of a file
        return (
          mode !== 'none' &&
          world.isListed(object, 'rke.cattle.io', 'ETCDSnapshot', namespace) &&
          !world.knows(object, 'rke.cattle.io', 'ETCDSnapshot', namespace, plainText(name)) && {
            path: `${RESTORE}.name`,
            value: name,
            message: `must be an ETCDSnapshot in the namespace ${namespace}`,
            fix: `use a name that kubectl get etcdsnapshots.rke.cattle.io -n ${namespace} prints`,
            says: `etcd restore references missing snapshot ${plainText(name)} in namespace ${namespace}`,
          }
        );
      },
    },
  ]),
];
