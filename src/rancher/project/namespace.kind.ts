import { KindDescription } from '../../core/kind/kind';
import { phase } from '../../core/kind/kubernetes-readiness';
import { Manifest } from '../../core/manifest/manifest';
import { SYSTEM_NAMESPACES } from '../../core/manifest/names';

/** Namespaces that Kubernetes, Rancher, Harvester and Longhorn live in. */
const SYSTEM_NAMESPACE = /^(kube|cattle|fleet|harvester|longhorn|rancher)-|^(default|local)$/;

/** Namespace, with what Rancher writes into it. @see rancher/rancher issues 33800 and 37874 for cattle-system */
export const NAMESPACE_DESCRIPTION: KindDescription = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  scope: 'Cluster',
  rank: 10,
  ready: { judge: phase('Active') },
  writtenByOthers: ['metadata.annotations', 'metadata.labels', 'metadata.finalizers', 'spec.finalizers'],
  holds: [{ holds: 'data', what: 'everything in it' }],
  kept: [{ never: true, says: 'is a namespace of the system', when: isSystemNamespace }],
};

function isSystemNamespace({ metadata: { name } }: Manifest): boolean {
  return SYSTEM_NAMESPACES.includes(name) || SYSTEM_NAMESPACE.test(name);
}
