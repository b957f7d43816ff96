import { checkRegistryHost } from './registries.check';
import { valueAt } from '../../core/manifest/manifest';
import { problemsOf } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.facts';

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
