import { AGENT_RULES } from './agent.rules';
import { CLUSTER_ID_RULES } from './cluster-id.rules';
import { RKE_RULES } from './cluster-rke.rules';
import { annotationPath as at, creatorAndNone, ignoredNoCreator } from './creator.rules';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME, LEGACY_CLUSTER_ID } from './provisioning-cluster.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, sameValue, valueAt } from '../../core/manifest/manifest';
import { annotationsOf, isNameGenerated, labelsOf } from '../../core/manifest/metadata';
import { FLEET_DEFAULT, FLEET_LOCAL, GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { given } from '../../core/text/plain-text';
import { GateId } from '../../core/version/gate-id';
import { ANNOTATION_CREATOR_ID, ANNOTATION_CREATOR_PRINCIPAL, ANNOTATION_NO_CREATOR_RBAC } from '../members/creator.kind';
import { rancherHas } from '../version/rancher-gates';

const KINDS = ['provisioning.cattle.io/Cluster'];
const MAX_PATHS = 5;
// these have rules of their own
const JUDGED_ELSEWHERE = [ANNOTATION_MANAGEMENT_CLUSTER_NAME, ANNOTATION_CREATOR_ID, ANNOTATION_CREATOR_PRINCIPAL, ANNOTATION_NO_CREATOR_RBAC];

function hasRkeConfig(manifest: Manifest): boolean {
  // `rkeConfig: {}` is one: that is how custom clusters are made
  return isRecord(valueAt(manifest, 'spec', 'rkeConfig'));
}

const RKE_CONFIG: Rule = {
  id: 'cluster/rke-config-changed',
  level: 'error',
  kinds: KINDS,
  what: 'an imported cluster stays imported, a cluster with rkeConfig keeps it',
  source: 'rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go validateRKEConfigChanged',
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const [was, is] = [hasRkeConfig(before), hasRkeConfig(manifest)];
    const fix = 'create another Cluster for it';
    if (was && !is) {
      yield { path: 'spec.rkeConfig', message: 'is taken away', fix, says: 'RKEConfig cannot be made null after cluster creation' };
    } else if (!was && is && manifest.metadata.name !== LOCAL_CLUSTER) {
      yield { path: 'spec.rkeConfig', message: 'is added to an imported cluster', fix, says: 'RKEConfig cannot be changed from null after cluster creation' };
    }
  },
};

const CREATE_ONLY: Rule = {
  id: 'cluster/import-create-only',
  level: 'warning',
  kinds: KINDS,
  what: 'from Rancher 2.11 on, spec, labels and annotations of an imported Cluster count at its creation only; later edits do nothing',
  source: 'rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go updateImportedCluster (2.11.0 and later)',
  *judgeUpdate({ manifest, target }: JudgedObject, before: Manifest): Iterable<Problem> {
    if (hasRkeConfig(manifest) || hasRkeConfig(before) || manifest.metadata.name === LOCAL_CLUSTER) { return; }
    if (rancherHas(target, GateId.IMPORTED_SPEC_CREATE_ONLY) === false) { return; }
    const paths = [...changedSpec(manifest, before), ...changedMetadata(manifest, before)];
    if (paths.length === 0) { return; }
    yield {
      path: paths[0],
      message: `an edit of an imported cluster (${paths.slice(0, MAX_PATHS).join(', ')}${paths.length > MAX_PATHS ? ', …' : ''}) does nothing`,
      fix: 'edit the management.cattle.io Cluster of its id as well: spec.agentEnvVars, the customizations, spec.description and labels count there',
    };
  },
};

function* changedSpec(manifest: Manifest, before: Manifest): Iterable<string> {
  const [now, old] = [manifest.spec, before.spec].map((spec) => isRecord(spec) ? spec : {});
  for (const field of new Set([...Object.keys(now), ...Object.keys(old)])) {
    if (field !== 'rkeConfig' && !sameValue(now[field], old[field])) { yield `spec.${field}`; }
  }
}

// only what the manifest says: the rest is written by Rancher, if the earlier form was read from the server
function* changedMetadata(manifest: Manifest, before: Manifest): Iterable<string> {
  for (const [field, mapOf] of [['labels', labelsOf], ['annotations', annotationsOf]] as const) {
    const old = mapOf(before);
    for (const [key, value] of Object.entries(mapOf(manifest))) {
      if (!JUDGED_ELSEWHERE.includes(key) && old[key] !== value) { yield `metadata.${field}[${key}]`; }
    }
  }
}

/** Rules for edits of a Cluster. */
export const UPDATE_RULES: readonly Rule[] = [RKE_CONFIG, CREATE_ONLY];

const PROVISIONING_CLUSTER_CREATOR_KINDS = ['provisioning.cattle.io/Cluster'];
const SOURCE = 'rancher/webhook:pkg/resources/common/validation.go CheckCreatorID, mutation.go SetCreatorIDAnnotation';

const EXCLUSIVE: Rule = {
  id: 'cluster/creator-and-none',
  level: 'error',
  kinds: PROVISIONING_CLUSTER_CREATOR_KINDS,
  what: `${ANNOTATION_CREATOR_ID} and ${ANNOTATION_NO_CREATOR_RBAC} exclude each other`,
  says: 'cannot have creatorID annotation when no-creator-rbac is set',
  source: SOURCE,
  judge: creatorAndNone,
};

const NO_RBAC_VERSION: Rule = {
  id: 'cluster/no-creator-rbac-ignored',
  level: 'warning',
  kinds: PROVISIONING_CLUSTER_CREATOR_KINDS,
  what: `${ANNOTATION_NO_CREATOR_RBAC} needs Rancher 2.10`,
  source: SOURCE,
  judge: (object: JudgedObject): Iterable<Problem> => (
    ignoredNoCreator(object, 'is ignored, whoever applies the Cluster becomes its owner', 'leave it out, or upgrade Rancher')),
};

const CREATOR_GIVEN: Rule = {
  id: 'cluster/creator-replaced',
  level: 'warning',
  kinds: PROVISIONING_CLUSTER_CREATOR_KINDS,
  what: 'the creator of a Cluster is who applies it; another one in the manifest is replaced at creation and refused afterwards',
  says: 'creatorID annotation cannot be changed',
  source: SOURCE,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const annotations = annotationsOf(object.manifest);
    if (!(ANNOTATION_CREATOR_ID in annotations) || ANNOTATION_NO_CREATOR_RBAC in annotations || world.exists(object)) { return; }
    yield {
      path: at(ANNOTATION_CREATOR_ID),
      message: 'is replaced by the user who applies the Cluster; if that is another one, the next apply is refused',
      fix: `leave it out and set ${ANNOTATION_NO_CREATOR_RBAC}, and give access by ClusterRoleTemplateBindings`,
    };
  },
};

const CREATOR_CHANGED: Rule = {
  id: 'cluster/creator-changed',
  level: 'error',
  kinds: PROVISIONING_CLUSTER_CREATOR_KINDS,
  what: 'the creator of a Cluster may be removed, never changed or added',
  says: 'creatorID annotation cannot be changed',
  source: SOURCE,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const now = annotationsOf(manifest);
    const old = annotationsOf(before);
    const fix = 'leave it as it was, or out';
    if (ANNOTATION_NO_CREATOR_RBAC in now) {
      if (ANNOTATION_NO_CREATOR_RBAC in old || ANNOTATION_CREATOR_ID in now) { return; }
      yield {
        path: at(ANNOTATION_NO_CREATOR_RBAC),
        level: 'warning',
        says: 'cannot have creatorID annotation when no-creator-rbac is set',
        message: `is added to a Cluster that has got a ${ANNOTATION_CREATOR_ID} at creation; an apply, which leaves that in place, is refused`,
        fix: `remove ${ANNOTATION_CREATOR_ID} from the live object first`,
      };
    } else if (ANNOTATION_CREATOR_ID in now && now[ANNOTATION_CREATOR_ID] !== (old[ANNOTATION_CREATOR_ID] ?? '')) {
      yield { path: at(ANNOTATION_CREATOR_ID), message: 'is not the creator that the Cluster has', fix };
    }
  },
};

const PRINCIPAL: Rule = {
  id: 'cluster/creator-principal',
  level: 'error',
  kinds: PROVISIONING_CLUSTER_CREATOR_KINDS,
  what: `${ANNOTATION_CREATOR_PRINCIPAL} is a principal of the creator and needs one: Rancher copies it to the management Cluster, where it is refused`,
  says: `annotation ${ANNOTATION_CREATOR_ID} is required`,
  source: 'rancher/webhook:pkg/resources/common/validation.go CheckCreatorPrincipalName',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const annotations = annotationsOf(object.manifest);
    const principal = annotations[ANNOTATION_CREATOR_PRINCIPAL];
    if (!principal || world.exists(object)) { return; }
    const path = at(ANNOTATION_CREATOR_PRINCIPAL);
    if (ANNOTATION_NO_CREATOR_RBAC in annotations && rancherHas(object.target, GateId.NO_CREATOR_RBAC) !== false) {
      yield {
        path, message: `stands without a creator, which ${ANNOTATION_NO_CREATOR_RBAC} forbids: the management cluster is never made`, fix: 'leave it out',
      };
    } else {
      yield {
        path,
        level: 'warning',
        message: 'must be a principal of the user who applies the Cluster, else the management cluster is never made',
        fix: `leave it out, or use ${ANNOTATION_NO_CREATOR_RBAC} in its place`,
        says: 'creator user doesn\'t have principal',
      };
    }
  },
};

/** Rules for the annotations that say who made a Cluster. */
export const CREATOR_RULES: readonly Rule[] = [EXCLUSIVE, NO_RBAC_VERSION, CREATOR_GIVEN, CREATOR_CHANGED, PRINCIPAL];

const PROVISIONING_CLUSTER_KINDS = ['provisioning.cattle.io/Cluster'];
const VALIDATOR = 'rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go';
// the webhook alone would take a trailing hyphen, and a capital as the first character; the API server does not
const NAME = /^[a-z0-9][-a-z0-9]*[a-z0-9]$/;
const MAX_NAME = 63;

const NAME_RULE: Rule = {
  id: 'cluster/name',
  level: 'error',
  kinds: PROVISIONING_CLUSTER_KINDS,
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
  kinds: PROVISIONING_CLUSTER_KINDS,
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
  kinds: PROVISIONING_CLUSTER_KINDS,
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
  kinds: PROVISIONING_CLUSTER_KINDS,
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
