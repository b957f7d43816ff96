import { rancherLacks } from './rancher-gates';
import { NODE_KINDS, RKE1_NODE_RULES } from './rke1-nodes';
import { RKE1_SECRET_RULES } from './rke1-secrets';
import { JudgedObject, Rule } from './rule';
import { isLate } from '../model/late-token';
import { isRecord, Manifest, valueAt } from '../model/manifest';
import { Problem } from '../model/problem';
import { MIRRORED_CLUSTER_ID, RKE1_CONFIG, RKE1_END_OF_LIFE, RKE1_REFUSED } from '../model/rke1-names';
import { GateId } from '../versions/gate-id';

const CLUSTER = 'management.cattle.io/Cluster';
const CLUSTER_TEMPLATE = 'management.cattle.io/ClusterTemplate';
const INSTEAD = 'use GuestCluster, a provisioning Cluster with RKE2 or K3s';

function isRke1({ spec }: Manifest): boolean {
  return isRecord(valueAt(spec, RKE1_CONFIG));
}

const DEPRECATED: Rule = {
  id: 'guest/rke1-deprecated',
  level: 'warning',
  kinds: [CLUSTER],
  what: `RKE1 is at its end of life since ${RKE1_END_OF_LIFE}: Rancher 2.12 and Harvester 1.6 do without it`,
  source: 'https://www.suse.com/c/rke-end-of-life-by-july-2025-replatform-to-rke2-or-k3s/; harvester/docs v1.6',
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    if (!isRke1(manifest) || rancherLacks(target, GateId.RKE1)) { return; }
    yield {
      path: `spec.${RKE1_CONFIG}`,
      message: `makes a cluster of RKE1, which is at its end of life since ${RKE1_END_OF_LIFE}; neither Rancher 2.12 nor Harvester 1.6 have it`,
      fix: `${INSTEAD}, and move the workloads: there is no upgrade from RKE1`,
    };
  },
};

const REMOVED: Rule = {
  id: 'guest/rke1-removed',
  level: 'error',
  kinds: [CLUSTER, CLUSTER_TEMPLATE, ...NODE_KINDS],
  what: 'Rancher 2.12 and later does not start where there are RKE1 clusters, node templates or cluster templates',
  says: RKE1_REFUSED,
  source: 'rancher/rancher:pkg/rancher/rancher.go validateRKE1Resources; chart/scripts/pre-upgrade-hook.sh',
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    const lacks = manifest.kind === 'Cluster' && !isRke1(manifest) ? undefined : rancherLacks(target, GateId.RKE1);
    if (!lacks) { return; }
    if (manifest.kind === 'NodePool') {
      // its definition is there still, and nothing stops at it
      yield { path: '', level: 'warning', message: `does nothing: ${lacks}`, fix: 'leave it out' };
      return;
    }
    yield {
      path: manifest.kind === 'Cluster' ? `spec.${RKE1_CONFIG}` : '',
      message: `${lacks}, which does not start again as long as this ${manifest.kind} is there`,
      fix: `leave it out and delete what is there; ${INSTEAD}`,
    };
  },
};

const CLUSTER_ID: Rule = {
  id: 'guest/rke1-cluster-id',
  level: 'warning',
  kinds: [CLUSTER],
  what: 'an RKE1 cluster has an id of c- and five characters: of others Rancher makes no provisioning Cluster',
  source: 'rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go generateProvisioningClusterFromLegacyCluster',
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    const { name } = manifest.metadata;
    if (!isRke1(manifest) || isLate(name) || MIRRORED_CLUSTER_ID.test(name) || rancherLacks(target, GateId.RKE1)) { return; }
    yield {
      path: 'metadata.name',
      value: name,
      message: 'has not the form by which Rancher makes a provisioning Cluster, so neither its UI nor Fleet know the cluster',
      fix: 'use c- and five of a-z and 0-9; the name of an existing cluster can not be changed',
    };
  },
};

/** Rules for clusters of RKE1. */
export const RKE1_RULES: readonly Rule[] = [DEPRECATED, REMOVED, CLUSTER_ID, ...RKE1_NODE_RULES, ...RKE1_SECRET_RULES];
