import { judgeAgentScheduling, judgeWebhookCustomization } from './agent.rules';
import { annotationPath as at, creatorAndNone } from './creator.rules';
import { ANNOTATION_VERSION_MANAGEMENT } from './management-cluster.kind';
import { Manifest, valueAt } from '../../core/manifest/manifest';
import { annotationsOf } from '../../core/manifest/metadata';
import { GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { ANNOTATION_CREATOR_ID, ANNOTATION_CREATOR_PRINCIPAL, ANNOTATION_NO_CREATOR_RBAC } from '../members/creator.kind';

const KINDS = ['management.cattle.io/Cluster'];
const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/cluster/validator.go';
const COMMON = 'rancher/webhook:pkg/resources/common/validation.go';
const VERSION_MANAGEMENT = ['true', 'false', 'system-default'];
/** The drivers of imported clusters whose version Rancher can manage. A Harvester's driver is `imported`. */
const MANAGED_DRIVERS = ['rke2', 'k3s'];

const LOCAL_DELETION: Rule = {
  id: 'management-cluster/local-deleted',
  level: 'error',
  kinds: KINDS,
  what: 'the management Cluster "local", which Rancher runs in, is never deleted',
  says: 'local cluster may not be deleted',
  source: `${VALIDATOR} Admit`,
  *judgeDeletion({ manifest }: JudgedObject): Iterable<Problem> {
    if (manifest.metadata.name === LOCAL_CLUSTER) {
      yield { path: '', message: 'cannot be deleted: Rancher runs in this cluster', fix: 'keep its manifest, or remove it without pruning' };
    }
  },
};

const WORKSPACE: Rule = {
  id: 'management-cluster/workspace-emptied',
  level: 'error',
  kinds: KINDS,
  what: 'the Fleet workspace of a cluster can change but cannot become empty, which would delete the cluster',
  says: 'once set, field FleetWorkspaceName cannot be made empty',
  source: `${VALIDATOR} validateFleetPermissions`,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const [now, old] = [manifest, before].map((cluster) => valueAt(cluster, 'spec', 'fleetWorkspaceName'));
    if (old && !now) {
      yield { path: 'spec.fleetWorkspaceName', message: `cannot be removed, was ${plainText(old)}`, fix: 'restore it, or name another workspace' };
    }
  },
};

const CREATOR: Rule = {
  id: 'management-cluster/creator',
  level: 'error',
  kinds: KINDS,
  what: `a new cluster does not have both ${ANNOTATION_CREATOR_ID} and ${ANNOTATION_NO_CREATOR_RBAC}, and the creator has the principal`,
  source: `${COMMON} CheckCreatorIDAndNoCreatorRBAC, CheckCreatorPrincipalName`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (world.exists(object)) { return; }
    const annotations = annotationsOf(object.manifest);
    const says = `cannot have both ${ANNOTATION_NO_CREATOR_RBAC} and ${ANNOTATION_CREATOR_ID} annotation set`;
    for (const problem of creatorAndNone(object)) { yield { ...problem, says }; }
    const principal = annotations[ANNOTATION_CREATOR_PRINCIPAL];
    if (!principal) { return; }
    const problem = { path: at(ANNOTATION_CREATOR_PRINCIPAL) };
    const creator = annotations[ANNOTATION_CREATOR_ID];
    if (!creator) {
      yield { ...problem, message: 'cannot be set without a creator', fix: `set ${ANNOTATION_CREATOR_ID} as well, or remove it`, says: `annotation ${ANNOTATION_CREATOR_ID} is required` };
      return;
    }
    const principals = valueAt(world.find(object, GROUPS.MANAGEMENT, 'User', undefined, plainText(creator))?.manifest, 'principalIds');
    if (Array.isArray(principals) && principals.length > 0 && !principals.includes(principal)) {
      yield {
        ...problem,
        message: 'must be a principal of the creator',
        fix: `use one of the principalIds of that User, or remove both it and ${ANNOTATION_CREATOR_ID}`,
        says: 'creator user doesn\'t have principal',
      };
    }
  },
};

const VERSION_MANAGEMENT_RULE: Rule = {
  id: 'management-cluster/version-management',
  level: 'error',
  kinds: KINDS,
  what: `${ANNOTATION_VERSION_MANAGEMENT} is true, false or system-default`,
  says: `the value of the ${ANNOTATION_VERSION_MANAGEMENT} annotation must be one of the following: true, false, system-default`,
  source: `${VALIDATOR} validateVersionManagementFeature (Rancher 2.11 and later)`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const value = annotationsOf(object.manifest)[ANNOTATION_VERSION_MANAGEMENT] ?? '';
    // an empty one is filled in by the webhook itself
    if (value === '' || VERSION_MANAGEMENT.includes(plainText(value))) { return; }
    const driver = valueAt(object.manifest, 'status', 'driver') ?? valueAt(world.beforeOf(object), 'status', 'driver');
    const refused = MANAGED_DRIVERS.includes(plainText(driver).toLowerCase());
    yield {
      path: at(ANNOTATION_VERSION_MANAGEMENT),
      message: `must be one of ${VERSION_MANAGEMENT.join(', ')}`,
      fix: 'use one of them',
      ...(refused ? {} : { level: 'warning' as const }),
    };
  },
};

const SCHEDULING: Rule = {
  id: 'management-cluster/agent-scheduling',
  level: 'error',
  kinds: KINDS,
  what: 'priority class and disruption budget of the agents have values that Rancher accepts, on Rancher 2.11 or later with a feature that is off by default',
  source: `${VALIDATOR} validatePodDisruptionBudget, validatePriorityClass`,
  judge: (object: JudgedObject, world: World): Iterable<Problem> => judgeAgentScheduling(object, world, false),
};

const WEBHOOK: Rule = {
  id: 'management-cluster/webhook-customization',
  level: 'error',
  kinds: KINDS,
  what: 'webhookDeploymentCustomization has at least one replica and a disruption budget of one value; it needs Rancher 2.15',
  source: 'rancher/webhook:pkg/resources/common/deployment_customization.go ValidateWebhookDeploymentCustomization',
  judge: (object: JudgedObject): Iterable<Problem> => judgeWebhookCustomization(object, false),
};

/** Rules for management Clusters (management.cattle.io). */
export const MANAGEMENT_CLUSTER_RULES: readonly Rule[] = [
  LOCAL_DELETION, WORKSPACE, CREATOR, VERSION_MANAGEMENT_RULE, SCHEDULING, WEBHOOK,
];
