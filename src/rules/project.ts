import { PROJECT_BACKING_RULES } from './project-backing';
import { PROJECT_CREATOR_RULES } from './project-creator';
import { unknownCluster } from './project-known';
import { PROJECT_UPDATE_RULES } from './project-update';
import { QUOTA_RULES } from './quota';
import { rancherHas } from './rancher-gates';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { isNameGenerated } from '../model/checks/metadata-maps';
import { given } from '../model/checks/plain-text';
import { isLate } from '../model/late-token';
import { valueAt } from '../model/manifest';
import { RFC1123_LABEL } from '../model/names';
import { Problem } from '../model/problem';
import { GateId } from '../versions/gate-id';

const KINDS = ['management.cattle.io/Project'];
const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/project/validator.go';
const SEEN = 'seen on Rancher 2.13.8';
const MAX_NAME = 63;

const CLUSTER: Rule = {
  id: 'project/cluster',
  level: 'error',
  kinds: KINDS,
  what: 'a Project lies in the namespace of its cluster, and spec.clusterName is that id',
  source: `${VALIDATOR} checkClusterExists`,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const { namespace } = manifest.metadata;
    const cluster = valueAt(manifest, 'spec', 'clusterName');
    const path = 'spec.clusterName';
    if (cluster === undefined || cluster === null || cluster === '') {
      yield {
        path,
        message: 'is missing',
        fix: 'write the id of the management cluster, which is the namespace too',
        says: 'clusterName is required',
      };
    } else if (typeof cluster === 'string' && namespace !== undefined && cluster !== namespace && !isLate(cluster) && !isLate(namespace)) {
      yield {
        path,
        value: cluster,
        message: `is not the namespace, ${namespace}`,
        fix: 'write the same id in both',
        says: 'clusterName and project namespace must match',
      };
    }
  },
};

const UNKNOWN_CLUSTER: Rule = {
  id: 'project/unknown-cluster',
  level: 'error',
  kinds: KINDS,
  what: 'the cluster of a Project exists',
  says: 'cluster not found',
  source: `${VALIDATOR} checkClusterExists`,
  judge: (object: JudgedObject, world: World): Iterable<Problem> => (
    unknownCluster(object, world, 'spec.clusterName', valueAt(object.manifest, 'spec', 'clusterName'))),
};

const NAME: Rule = {
  id: 'project/name',
  level: 'error',
  kinds: KINDS,
  what: 'the name of a Project is an RFC 1123 label of up to 63 characters, since Rancher makes a Namespace and labels of it',
  source: `rancher/rancher:pkg/controllers/management/auth/project_cluster; ${SEEN}`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { name, namespace } = object.manifest.metadata;
    if (world.exists(object) || isLate(name) || isNameGenerated(object.manifest)) { return; }
    if (!RFC1123_LABEL.test(name)) {
      yield {
        path: 'metadata.name',
        ...given(name),
        message: 'is no name that Rancher can make a Namespace of',
        fix: 'use up to 63 of a-z, 0-9 and hyphens',
      };
    } else if (typeof namespace === 'string' && !isLate(namespace) && rancherHas(object.target, GateId.PROJECT_BACKING_NAMESPACE) !== false
      && namespace.length + 1 + name.length > MAX_NAME) {
      yield {
        path: 'metadata.name',
        value: name,
        level: 'warning',
        message: `makes with the cluster's id a namespace of more than ${MAX_NAME} characters, which Rancher cuts and ends with a hash`,
        fix: `use up to ${Math.max(MAX_NAME - 1 - namespace.length, 1)} characters, or a shorter id of the cluster`,
      };
    }
  },
};

const DISPLAY_NAME: Rule = {
  id: 'project/display-name',
  level: 'error',
  kinds: KINDS,
  what: 'a Project has a display name',
  says: 'spec.displayName: Required value',
  source: 'rancher/rancher:pkg/crds/yaml/generated/management.cattle.io_projects.yaml',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const name = valueAt(manifest, 'spec', 'displayName');
    const fix = 'give the name that the UI shows';
    if (name === undefined || name === null) {
      yield { path: 'spec.displayName', message: 'is missing', fix };
    } else if (name === '') {
      yield { path: 'spec.displayName', level: 'warning', message: 'is empty: the UI shows the project by its id', fix };
    }
  },
};

const SERVER_FIELDS: Rule = {
  id: 'project/server-fields',
  level: 'warning',
  kinds: KINDS,
  what: 'status and usedLimit are Rancher\'s to write',
  source: SEEN,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = object;
    // what was read from a server has them
    if (world.exists(object)) { return; }
    const used = valueAt(manifest, 'spec', 'resourceQuota', 'usedLimit');
    const fix = 'leave it out';
    if (used !== undefined && used !== null) {
      yield { path: 'spec.resourceQuota.usedLimit', message: 'is counted by Rancher: a manifest that sets it resets the count by every apply', fix };
    }
    if (manifest.status !== undefined && manifest.status !== null) {
      yield { path: 'status', message: 'is written by Rancher, the backing namespace among it, which can not be changed any more', fix };
    }
  },
};

/** Rules for Projects. */
export const PROJECT_RULES: readonly Rule[] = [
  CLUSTER, UNKNOWN_CLUSTER, NAME, DISPLAY_NAME, SERVER_FIELDS,
  ...PROJECT_BACKING_RULES, ...PROJECT_CREATOR_RULES, ...PROJECT_UPDATE_RULES, ...QUOTA_RULES,
];
