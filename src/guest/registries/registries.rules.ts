import { isLate } from '../../core/late/late-token';
import { valueAt } from '../../core/manifest/manifest';
import { rules } from '../../core/rule/kit/fact';
import { Problem, problemsOf } from '../../core/rule/problem';
import { hostOfUrl } from '../../core/text/plain-text';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.kind';

/**
 * Checks the name of a registry in `registries.mirrors` or `registries.configs`: a host with an
 * optional port, by which containerd looks it up.
 * @see k3s-io/k3s:pkg/agent/containerd/config.go getHostConfigs; https://docs.rke2.io/install/private_registry
 */
export function checkRegistryHost(path: string, registry: string): Problem[] {
  const host = isLate(registry) ? undefined : hostOfUrl(registry);
  return host === undefined
    ? []
    : [
        {
          path: `${path}[${registry}]`,
          message: 'must be a host, not a URL',
          fix: `write ${host}`,
        },
      ];
}

/** Rules for the container registries of a cluster. */
export const REGISTRY_RULES = rules({ kinds: CLUSTER_KINDS }, [
  {
    id: 'cluster/registries',
    field: 'spec.rkeConfig.registries',
    what: 'registries are named by host and port, without a scheme: containerd never uses the mirrors and credentials of others',
    source:
      'k3s-io/k3s:pkg/agent/containerd/config.go getHostConfigs; https://docs.rke2.io/install/private_registry',
    check: (path, registries) =>
      problemsOf(['mirrors', 'configs'], (field) =>
        problemsOf(Object.keys(valueAt(registries, field) ?? {}), (registry) =>
          checkRegistryHost(`${path}.${field}`, registry),
        ),
      ),
  },
]);
