import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/problem/problem';
import { hostOfUrl } from '../../core/text/plain-text';

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
