import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule } from '../../core/rule/rule';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.kind';
import { rkeConfigOf } from '../cluster/cluster-reader.facts';

/**
 * Checks the name of a registry in `registries.mirrors` or `registries.configs`: a host with an optional port, by which containerd looks it up.
 * @see k3s-io/k3s:pkg/agent/containerd/config.go getHostConfigs; https://docs.rke2.io/install/private_registry
 */
export function checkRegistryHost(path: string, registry: string): Problem[] {
  if (isLate(registry) || !/^[a-z]+:\/\//i.test(registry)) { return []; }
  return [{ path: `${path}[${registry}]`, message: 'must be a host, not a URL', fix: `write ${registry.replace(/^[a-z]+:\/+/i, '').replace(/\/.*/, '')}` }];
}

const REGISTRIES: Rule = {
  id: 'cluster/registries',
  level: 'error',
  kinds: CLUSTER_KINDS,
  fields: ['spec.rkeConfig.registries'],
  what: 'registries are named by host and port, without a scheme: containerd never uses the mirrors and credentials of others',
  source: 'k3s-io/k3s:pkg/agent/containerd/config.go getHostConfigs; https://docs.rke2.io/install/private_registry',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const registries = rkeConfigOf(manifest)?.registries;
    if (!isRecord(registries)) { return; }
    for (const field of ['mirrors', 'configs']) {
      for (const registry of Object.keys(isRecord(registries[field]) ? registries[field] : {})) {
        yield* checkRegistryHost(`spec.rkeConfig.registries.${field}`, registry);
      }
    }
  },
};

/** Rules for the container registries of a cluster. */
export const REGISTRY_RULES: readonly Rule[] = [REGISTRIES];
