import { JudgedObject, Rule } from './rule';
import { isLate } from '../model/late-token';
import { Manifest, valueAt } from '../model/manifest';
import { Problem } from '../model/problem';
import { HARVESTER_CONFIG_FIELD, RKE1_CONFIG } from '../model/rke1-names';

/** What holds secrets, with where it stands. */
function secretsOf(manifest: Manifest): ReadonlyArray<readonly [path: string, text: unknown]> {
  if (manifest.kind === 'NodeTemplate') {
    return ['sshPassword', 'kubeconfigContent'].map((field) => [`${HARVESTER_CONFIG_FIELD}.${field}`, valueAt(manifest, HARVESTER_CONFIG_FIELD, field)]);
  }
  const path = `spec.${RKE1_CONFIG}`;
  const registries = valueAt(manifest.spec, RKE1_CONFIG, 'privateRegistries');
  return [
    [`${path}.cloudProvider.harvesterCloudProvider.cloudConfig`, valueAt(manifest.spec, RKE1_CONFIG, 'cloudProvider', 'harvesterCloudProvider', 'cloudConfig')],
    ...(Array.isArray(registries) ? registries : []).map((registry, index) => [`${path}.privateRegistries[${index}].password`, valueAt(registry, 'password')] as const),
  ];
}

const PLAIN: Rule = {
  id: 'guest/rke1-plain-secret',
  level: 'warning',
  kinds: ['management.cattle.io/Cluster', 'management.cattle.io/NodeTemplate'],
  what: 'kubeconfigs and passwords in RKE1 clusters and node templates stand in clear, in Git and on Rancher',
  source: 'rancher/rancher:pkg/apis/management.cattle.io/v3/cluster_types.go; Rancher moves those of registries into Secrets, pkg/controllers/management/secretmigrator',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    for (const [path, text] of secretsOf(manifest)) {
      if (typeof text !== 'string' || text === '' || isLate(text)) { continue; }
      yield { path, message: 'is a credential in clear, for everybody who can read the manifests', fix: 'use an account of the program\'s, or keep the output out of Git' };
    }
  },
};

/** Rules for secrets of RKE1. */
export const RKE1_SECRET_RULES: readonly Rule[] = [PLAIN];
