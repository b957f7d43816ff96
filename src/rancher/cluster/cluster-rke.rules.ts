import { PROVISIONING_CLUSTER_DESCRIPTION, CLUSTER_KINDS, CLUSTER_VALIDATOR } from './cluster.kind';
import { AGENT_VAR_DIR } from './provisioning-cluster.check';
import { immutableRule } from '../../core/immutable/immutable-fields.rules';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, sameValue, valueAt } from '../../core/manifest/manifest';
import { GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { isSecretMissing } from '../../core/rule/world-lookup';
import { given, plainText } from '../../core/text/plain-text';
import { hasFeature, lacksFeature } from '../../core/version/target-features';
import { Pool, poolsOf, rkeConfigOf } from '../../guest/cluster/cluster-reader.check';
import { checkDataDirectories } from '../../guest/cluster/cluster.check';
import { distributionOf } from '../../guest/kubernetes/rke2.data';
import { GuestGate } from '../../guest/version/guest-gates.data';
import { GLOBAL_DATA } from '../credential/secret.kind';
import { BUILT_IN_POD_SECURITY_TEMPLATES, KIND_POD_SECURITY_TEMPLATE } from '../rancher.kind';

const DIRECTORIES = 'spec.rkeConfig.dataDirectories';
/** The form of a cluster's version that the webhook accepts: a v and semantic versioning, all three numbers. */
const KUBERNETES_VERSION = /^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;
const FIRST_WITH_TEMPLATES = 23;
const RESTORE_MODES = ['none', 'kubernetesVersion', 'all'];

const VERSION: Rule = {
  id: 'cluster/kubernetes-version',
  level: 'error',
  kinds: CLUSTER_KINDS,
  what: 'a cluster with rkeConfig names its Kubernetes version in full',
  source: 'rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/mutator.go handlePSACT; pkg/podsecurityadmission GetClusterVersion',
  judge({ manifest }: JudgedObject): Iterable<Problem> {
    if (!rkeConfigOf(manifest) || manifest.metadata.name === LOCAL_CLUSTER) { return NO_PROBLEMS; }
    const version = valueAt(manifest, 'spec', 'kubernetesVersion') ?? '';
    if (isLate(version)) { return NO_PROBLEMS; }
    const fix = 'name a release with its distribution, e.g. v1.33.6+rke2r1';
    if (typeof version === 'string' && KUBERNETES_VERSION.test(version)) {
      return distributionOf(version) !== undefined ? NO_PROBLEMS : [{
        path: 'spec.kubernetesVersion', value: version, level: 'warning', message: 'must name a distribution: Rancher has no such release to install', fix,
      }];
    }
    const says = `failed to parse cluster version: ${plainText(version)} is not valid k8s version`;
    // seen on Rancher 2.13.8: a custom cluster without a version was accepted
    return [version === ''
      ? { path: 'spec.kubernetesVersion', level: 'warning', message: 'must be set: Rancher may refuse the Cluster, and has no version to install', fix, says }
      : { path: 'spec.kubernetesVersion', value: version, message: 'must be a full version of Kubernetes', fix, says }];
  },
};

const POOLS: Rule = {
  id: 'cluster/machine-pools',
  level: 'error',
  kinds: CLUSTER_KINDS,
  what: 'machine pools have unique names of at most 63 characters; host names are truncated at 10 to 63 characters; quantities are not negative',
  source: `${CLUSTER_VALIDATOR} validateMachinePoolNames; rancher/rancher:pkg/crds/yaml/generated/provisioning.cattle.io_clusters.yaml`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = object;
    const problems = [...checkDefaultHostnameLimit(object, valueAt(manifest, 'spec', 'rkeConfig', 'machinePoolDefaults', 'hostnameLengthLimit'))];
    const seen = new Set<string>();
    for (const pool of poolsOf(manifest)) { problems.push(...checkPool(pool, seen, world.exists(object))); }
    return problems;
  },
};

function checkPool({ path, name, fields }: Pool, seen: Set<string>, exists: boolean): readonly Problem[] {
  const { quantity } = fields;
  const problems = [...checkHostnameLimit(`${path}.hostnameLengthLimit`, fields.hostnameLengthLimit)];
  if (name === '') {
    problems.push({ path: `${path}.name`, ...given(fields.name), message: 'must be a name', fix: 'name the pool', says: `${path}.name: Required value` });
  } else if (!isLate(name)) {
    const problem = { path: `${path}.name`, value: name };
    if (Buffer.byteLength(name) > 63 && !exists) {
      problems.push({ ...problem, message: `must have at most 63 characters: it has ${name.length}`, fix: 'use a shorter name', says: 'pool name must be 63 characters or fewer' });
    }
    if (seen.has(name)) {
      problems.push({ ...problem, message: 'must be unique: two pools of one name would be one', fix: 'rename one of the pools', says: `${path}: Duplicate value` });
    }
    seen.add(name);
  }
  if (quantity !== undefined && quantity !== null && !isLate(quantity) && (!Number.isInteger(quantity) || Number(quantity) < 0)) {
    problems.push({
      path: `${path}.quantity`, value: quantity, message: 'must be a whole number of 0 or more', fix: 'set quantity to 0 or more', says: 'should be greater than or equal to 0',
    });
  }
  return problems;
}

// Rancher ignores defaults that are out of range; 0 means no limit, which only the structural definition refuses
function checkDefaultHostnameLimit({ target }: JudgedObject, limit: unknown): readonly Problem[] {
  const problems = checkHostnameLimit('spec.rkeConfig.machinePoolDefaults.hostnameLengthLimit', limit);
  if (limit !== 0) { return problems; }
  const structural = hasFeature(target, GuestGate.STRUCTURAL_CLUSTER_DEFINITION);
  if (structural === false) { return NO_PROBLEMS; }
  return structural === undefined ? problems.map((problem) => ({ ...problem, level: 'warning' })) : problems;
}

function checkHostnameLimit(path: string, limit: unknown): readonly Problem[] {
  if (limit === undefined || limit === null || isLate(limit)) { return NO_PROBLEMS; }
  if (Number.isInteger(limit) && Number(limit) >= 10 && Number(limit) <= 63) { return NO_PROBLEMS; }
  return [{
    path,
    value: limit,
    message: 'must be a whole number from 10 to 63',
    fix: 'set 10 to 63, or 15 for Windows with NetBIOS',
    says: typeof limit === 'number' && limit > 63 ? 'should be less than or equal to 63' : 'should be greater than or equal to 10',
  }];
}

const IMMUTABLE = immutableRule('cluster/data-directories', PROVISIONING_CLUSTER_DESCRIPTION);

const DATA_DIRECTORIES_RULE: Rule = {
  ...IMMUTABLE,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const config = rkeConfigOf(object.manifest);
    if (!config || world.exists(object)) { return; }
    const lacks = sameValue(config.dataDirectories, undefined) ? undefined : lacksFeature(object.target, GuestGate.DATA_DIRECTORIES);
    if (lacks) { yield { path: DIRECTORIES, message: `has no effect: ${lacks}`, fix: 'remove it, or upgrade Rancher' }; }
    yield* checkDataDirectories(DIRECTORIES, config.dataDirectories);
    const index = agentVarDirs(object.manifest).at(-1)?.index;
    if (index !== undefined && !lacksFeature(object.target, GuestGate.DATA_DIRECTORIES)) {
      yield {
        path: `spec.agentEnvVars[${index}]`,
        message: `cannot set ${AGENT_VAR_DIR}`,
        fix: `set ${DIRECTORIES}.systemAgent instead`,
        says: `"${AGENT_VAR_DIR}" cannot be set within "cluster.Spec.RKEConfig.AgentEnvVars": use "cluster.Spec.RKEConfig.DataDirectories.SystemAgent"`,
      };
    }
  },
  *judgeUpdate(object: JudgedObject, before: Manifest, world: World): Iterable<Problem> {
    if (!rkeConfigOf(object.manifest) || !rkeConfigOf(before)) { return; }
    yield* judgeAgentDirectory(object.manifest, before);
    yield* IMMUTABLE.judgeUpdate(object, before, world);
  },
};

function directoryOf(manifest: Manifest, field: string): string {
  const directory = valueAt(manifest, 'spec', 'rkeConfig', 'dataDirectories', field);
  return typeof directory === 'string' ? directory : '';
}

function agentVarDirs(manifest: Manifest): Array<{ readonly index: number; readonly value: string }> {
  const list = valueAt(manifest, 'spec', 'agentEnvVars');
  if (!Array.isArray(list)) { return []; }
  return list.flatMap((variable, index) => (isRecord(variable) && variable.name === AGENT_VAR_DIR ? [{ index, value: variable.value === undefined || variable.value === null ? '' : plainText(variable.value) }] : []));
}

// clusters older than dataDirectories have the variable; they can move its value to the field once
function* judgeAgentDirectory(manifest: Manifest, before: Manifest): Iterable<Problem> {
  const [variable, oldVariable] = [agentVarDirs(manifest).at(-1), agentVarDirs(before).at(-1)];
  const [directory, oldDirectory] = [directoryOf(manifest, 'systemAgent'), directoryOf(before, 'systemAgent')];
  const path = `${DIRECTORIES}.systemAgent`;
  const envPath = `spec.agentEnvVars${variable ? `[${variable.index}]` : ''}`;
  const fix = 'restore both';
  if (oldVariable?.value) {
    if (directory === '') {
      if (variable?.value !== oldVariable.value) {
        yield { path: envPath, message: `cannot change ${AGENT_VAR_DIR}`, fix, says: `"${AGENT_VAR_DIR}" env var in "cluster.Spec.AgentEnvVars" cannot be changed after cluster creation` };
      }
    } else if (variable) {
      yield { path: envPath, message: `cannot set ${AGENT_VAR_DIR} next to systemAgent`, fix: 'remove the variable', says: `"${AGENT_VAR_DIR}" env var in "cluster.Spec.AgentEnvVars" must be removed when migrating SystemAgent data directory` };
    } else if (directory !== oldVariable.value) {
      yield { path, value: directory, message: 'must be the value of the variable', fix: 'copy the value of the variable', says: `System Agent data directory must be identical to previous "${AGENT_VAR_DIR}" env var in "cluster.Spec.AgentEnvVars" during migration` };
    }
    return;
  }
  if (directory !== oldDirectory) {
    yield { path, value: directory, message: `must remain ${JSON.stringify(oldDirectory)}`, fix, says: 'System Agent data directory cannot be changed after cluster creation' };
  }
  if (variable?.value) {
    yield { path: envPath, message: `cannot set ${AGENT_VAR_DIR}`, fix, says: `"${AGENT_VAR_DIR}" env var in "cluster.Spec.AgentEnvVars" cannot be set after cluster creation` };
  }
}

const ENDPOINT: Rule = {
  id: 'cluster/auth-endpoint',
  level: 'error',
  kinds: CLUSTER_KINDS,
  fields: ['spec.localClusterAuthEndpoint'],
  what: 'an authorized cluster endpoint with caCerts has an fqdn',
  says: 'CACerts defined but FQDN is not defined',
  source: `${CLUSTER_VALIDATOR} validateACEConfig`,
  judge({ manifest }: JudgedObject): Iterable<Problem> {
    const endpoint = valueAt(manifest, 'spec', 'localClusterAuthEndpoint');
    if (rkeConfigOf(manifest) && isRecord(endpoint) && endpoint.enabled === true && endpoint.caCerts && !endpoint.fqdn) {
      return [{ path: 'spec.localClusterAuthEndpoint.fqdn', message: 'must be set with caCerts', fix: 'set the host name, or remove caCerts' }];
    }
    return NO_PROBLEMS;
  },
};

const TEMPLATE: Rule = {
  id: 'cluster/pod-security-template',
  level: 'error',
  kinds: CLUSTER_KINDS,
  fields: ['spec.defaultPodSecurityAdmissionConfigurationTemplateName'],
  what: 'the pod security admission template exists, and the cluster has Kubernetes 1.23 or later',
  source: `${CLUSTER_VALIDATOR} validatePSACT`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = object;
    const path = 'spec.defaultPodSecurityAdmissionConfigurationTemplateName';
    const name = valueAt(manifest, 'spec', 'defaultPodSecurityAdmissionConfigurationTemplateName');
    if (!rkeConfigOf(manifest) || typeof name !== 'string' || name === '' || isLate(name) || manifest.metadata.name === LOCAL_CLUSTER) { return NO_PROBLEMS; }
    const version = KUBERNETES_VERSION.exec(plainText(valueAt(manifest, 'spec', 'kubernetesVersion')));
    if (version && Number(version[1]) === 1 && Number(version[2]) < FIRST_WITH_TEMPLATES) {
      return [{ path, value: name, message: `cannot be set with Kubernetes ${version[0]}`, fix: 'remove it', says: 'PodSecurityAdmissionConfigurationTemplate(PSACT) is only supported in k8s version 1.23 and above' }];
    }
    const isBuiltIn = BUILT_IN_POD_SECURITY_TEMPLATES.includes(name);
    if (!isBuiltIn && !world.knows(object, GROUPS.MANAGEMENT, KIND_POD_SECURITY_TEMPLATE, undefined, name)) {
      return [{
        path,
        value: name,
        ...(world.isListed(object, GROUPS.MANAGEMENT, KIND_POD_SECURITY_TEMPLATE) ? {} : { level: 'warning' as const }),
        message: 'must be a known template: without it the Cluster is refused',
        fix: `use ${BUILT_IN_POD_SECURITY_TEMPLATES.join(' or ')}, or declare the template`,
        says: `"${name}" not found`,
      }];
    }
    return NO_PROBLEMS;
  },
};

const S3: Rule = {
  id: 'cluster/etcd-s3-credential',
  level: 'error',
  kinds: CLUSTER_KINDS,
  fields: ['spec.rkeConfig.etcd.s3'],
  what: 'the cloud credential of etcd snapshots in S3 exists',
  source: `${CLUSTER_VALIDATOR} validateS3Secret`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const credential = credentialOf(object.manifest);
    const before = world.beforeOf(object);
    if (!credential || isLate(credential) || credential === (before && credentialOf(before))) { return NO_PROBLEMS; }
    const { name: cluster, namespace: own = '' } = object.manifest.metadata;
    if (cluster === LOCAL_CLUSTER) { return NO_PROBLEMS; }
    const [namespace, name] = credential.startsWith(`${GLOBAL_DATA}:`) && credential.length > GLOBAL_DATA.length + 1
      ? [GLOBAL_DATA, credential.slice(GLOBAL_DATA.length + 1)] : [own, credential];
    const problem = { path: 'spec.rkeConfig.etcd.s3.cloudCredentialName', value: credential, says: `etcd s3 cloud credential secret ${namespace}/${name} is not found` };
    if (name.includes(':')) {
      return [{ ...problem, message: 'must name a Secret', fix: `use ${GLOBAL_DATA}:<name>, or the name of a Secret in ${own}` }];
    } else if (isSecretMissing(world, object, namespace, name)) {
      return [{ ...problem, level: 'warning', message: `must be a known Secret in ${namespace}`, fix: 'declare the Secret, or apply it before the Cluster' }];
    }
    return NO_PROBLEMS;
  },
};

function credentialOf(manifest: Manifest): string | undefined {
  const credential = valueAt(manifest, 'spec', 'rkeConfig', 'etcd', 's3', 'cloudCredentialName');
  return typeof credential === 'string' ? credential : undefined;
}

const RESTORE: Rule = {
  id: 'cluster/etcd-restore',
  level: 'error',
  kinds: CLUSTER_KINDS,
  what: 'a restore names a snapshot and one of the modes none, kubernetesVersion and all',
  source: `${CLUSTER_VALIDATOR} validateETCDSnapshotRestore`,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const [restore, old] = [manifest, before].map((cluster) => valueAt(cluster, 'spec', 'rkeConfig', 'etcdSnapshotRestore'));
    if (!isRecord(restore) || !restore.name || !restore.restoreRKEConfig || sameValue(restore, old)) { return; }
    if (!RESTORE_MODES.includes(plainText(restore.restoreRKEConfig))) {
      yield {
        path: 'spec.rkeConfig.etcdSnapshotRestore.restoreRKEConfig',
        value: restore.restoreRKEConfig,
        message: `must be one of ${RESTORE_MODES.join(', ')}`,
        fix: 'use one of them',
        says: `unsupported restore mode ${plainText(restore.restoreRKEConfig)}`,
      };
    }
  },
};

/** Rules for Clusters with rkeConfig that Rancher's webhook and definition enforce. */
export const RKE_RULES: readonly Rule[] = [VERSION, POOLS, DATA_DIRECTORIES_RULE, ENDPOINT, TEMPLATE, S3, RESTORE];
