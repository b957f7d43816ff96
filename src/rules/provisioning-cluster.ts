import { AGENT_RULES } from './provisioning-cluster-agent';
import { CREATOR_RULES } from './provisioning-cluster-creator';
import { CLUSTER_ID_RULES } from './provisioning-cluster-id';
import { RKE_RULES } from './provisioning-cluster-rke';
import { UPDATE_RULES } from './provisioning-cluster-update';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { isNameGenerated } from '../model/checks/metadata-maps';
import { given } from '../model/checks/plain-text';
import { isLate } from '../model/late-token';
import { valueAt } from '../model/manifest';
import { FLEET_DEFAULT, FLEET_LOCAL, GROUPS, LEGACY_CLUSTER_ID, LOCAL_CLUSTER } from '../model/names';
import { Problem } from '../model/problem';

const KINDS = ['provisioning.cattle.io/Cluster'];
const VALIDATOR = 'rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go';
// the webhook alone would take a trailing hyphen, and a capital as the first character; the API server does not
const NAME = /^[a-z0-9][-a-z0-9]*[a-z0-9]$/;
const MAX_NAME = 63;

const NAME_RULE: Rule = {
  id: 'cluster/name',
  level: 'error',
  kinds: KINDS,
  what: 'the name of a new Cluster has 2 to 63 of a-z, 0-9 and hyphens, and neither is "local" nor looks like a legacy id (c-xxxxx)',
  says: 'cluster name must be between 2 and 63 characters, must not begin with a hyphen, cannot be "local" nor of the form "c-xxxxx", '
    + 'and can only contain lowercase alphanumeric characters or \' - \'',
  source: `${VALIDATOR} isValidName`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { name, namespace } = object.manifest.metadata;
    // the server asks at creation only
    if (world.exists(object) || isLate(name) || isNameGenerated(object.manifest)) { return; }
    const fix = 'choose another name';
    if (name === LOCAL_CLUSTER) {
      if (namespace !== FLEET_LOCAL) { yield { path: 'metadata.name', value: name, message: `is the management cluster itself, which lies in ${FLEET_LOCAL}`, fix }; }
    } else if (LEGACY_CLUSTER_ID.test(name)) {
      if (!world.find(object, GROUPS.MANAGEMENT, 'Cluster', undefined, name)) {
        yield { path: 'metadata.name', value: name, message: 'has the form of a legacy cluster, and there is no management Cluster of that name', fix };
      }
    } else if (name.length > MAX_NAME || !NAME.test(name)) {
      yield { path: 'metadata.name', ...given(name), message: name === '' ? 'is missing' : 'is no name of a Cluster', fix: 'use 2 to 63 of a-z, 0-9 and hyphens, with a letter or digit at both ends' };
    }
  },
};

const NAMESPACE_RULE: Rule = {
  id: 'cluster/namespace',
  level: 'warning',
  kinds: KINDS,
  what: `a Cluster lies in a Fleet workspace, which is ${FLEET_DEFAULT} unless you made others`,
  source: 'rancher/rancher:pkg/controllers/provisioningv2/cluster/remove.go: what is made from it is removed by comparing the workspace with the namespace',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { name, namespace } = object.manifest.metadata;
    if (namespace === undefined || namespace === FLEET_DEFAULT || isLate(namespace)) { return; }
    if (namespace === FLEET_LOCAL && name === LOCAL_CLUSTER) { return; }
    if (namespace !== FLEET_LOCAL && world.find(object, GROUPS.MANAGEMENT, 'FleetWorkspace', undefined, namespace)) { return; }
    yield {
      path: 'metadata.namespace', value: namespace, message: 'is no Fleet workspace that is known here', fix: `use ${FLEET_DEFAULT}, or declare the FleetWorkspace`,
    };
  },
};

const LOCAL_DELETION_RULE: Rule = {
  id: 'cluster/local-deleted',
  level: 'error',
  kinds: KINDS,
  what: 'the Cluster "local" is the one that Rancher runs in and is never deleted',
  says: 'local cluster may not be deleted',
  source: `${VALIDATOR} Admit`,
  *judgeDeletion({ manifest }: JudgedObject): Iterable<Problem> {
    if (manifest.metadata.name === LOCAL_CLUSTER) {
      yield { path: '', message: 'would delete the cluster that Rancher runs in', fix: 'keep its manifest, or take it out without pruning it' };
    }
  },
};

const ENDPOINT_RULE: Rule = {
  id: 'cluster/auth-endpoint-import',
  level: 'warning',
  kinds: KINDS,
  what: 'localClusterAuthEndpoint counts for clusters with rkeConfig only',
  source: 'rancher/rancher:pkg/controllers/provisioningv2/cluster: NormalizeCluster removes it from imports',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const imported = (valueAt(manifest, 'spec', 'rkeConfig') ?? null) === null;
    if (imported && manifest.metadata.name !== LOCAL_CLUSTER && valueAt(manifest, 'spec', 'localClusterAuthEndpoint', 'enabled') === true) {
      yield { path: 'spec.localClusterAuthEndpoint', message: 'is ignored for an imported cluster', fix: 'set it on the management Cluster, or leave it out' };
    }
  },
};

/** Rules for provisioning Clusters: imports and guest clusters. */
export const PROVISIONING_CLUSTER_RULES: readonly Rule[] = [
  NAME_RULE, NAMESPACE_RULE, LOCAL_DELETION_RULE, ENDPOINT_RULE, ...CLUSTER_ID_RULES, ...CREATOR_RULES, ...AGENT_RULES, ...UPDATE_RULES, ...RKE_RULES,
];
