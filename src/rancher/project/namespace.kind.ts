import { ANNOTATION_PROJECT_ID } from './project.kind';
import { KindDescription, NeededPermission } from '../../core/kind/kind';
import { phase } from '../../core/kind/kubernetes-readiness';
import { isLate } from '../../core/late/late-token';
import { Manifest } from '../../core/manifest/manifest';
import { API_VERSIONS, SYSTEM_NAMESPACES } from '../../core/manifest/names';

/** Namespaces that Kubernetes, Rancher, Harvester and Longhorn live in. */
const SYSTEM_NAMESPACE = /^(kube|cattle|fleet|harvester|longhorn|rancher)-|^(default|local)$/;

/** Namespace, with what Rancher writes into it. @see rancher/rancher issues 33800 and 37874 for cattle-system */
export const NAMESPACE_DESCRIPTION: KindDescription = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  scope: 'Cluster',
  rank: 10,
  appliedFirst: true,
  permissions: webhookPermissions,
  ready: { judge: phase('Active') },
  writtenByOthers: ['metadata.annotations', 'metadata.labels', 'metadata.finalizers', 'spec.finalizers'],
  holds: [{ holds: 'data', what: 'everything in it' }],
  kept: [{ never: true, says: 'is a namespace of the system', when: isSystemNamespace }],
};

function isSystemNamespace({ metadata: { name } }: Manifest): boolean {
  return SYSTEM_NAMESPACES.includes(name) || SYSTEM_NAMESPACE.test(name);
}

/** Labels that Rancher's webhook asks for a permission of its own for. @see rancher/webhook:pkg/resources/core/v1/namespace/Namespace.md */
const POD_SECURITY_LABEL = /^pod-security\.kubernetes\.io\/(enforce|audit|warn)(-version)?$/;

/** What Rancher's webhook asks for, on the clusters that it runs on and for changes of what it looks at. */
function webhookPermissions({ metadata: { annotations = {}, labels = {} } }: Manifest): NeededPermission[] {
  const project = { apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Project', perhaps: 'Rancher\'s webhook may check it' } as const;
  const id = annotations[ANNOTATION_PROJECT_ID];
  const name = id === undefined || isLate(id) ? undefined : id.slice(id.indexOf(':') + 1);
  return [
    ...(id === undefined ? [] : [{ ...project, ...(name === undefined ? {} : { name }), verbs: ['manage-namespaces'] as const }]),
    ...(Object.keys(labels).some((label) => POD_SECURITY_LABEL.test(label)) ? [{ ...project, verbs: ['updatepsa'] as const }] : []),
  ];
}
