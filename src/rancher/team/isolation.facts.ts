import { itemsAt, Manifest, sameValue, valueAt } from '../../core/manifest/manifest';
import { HARVESTER_PUBLIC, ANNOTATION_PROJECT_ID } from '../../core/manifest/names';
import { HARVESTER_SYSTEM_NAMESPACES } from '../project/project.kind';

/** The name of the NetworkPolicy in each namespace of a team. */
export const ISOLATION_POLICY = 'team-isolation';

// every user can read the public one, but only administrators create anything there
const SYSTEM = [
  'kube-system',
  'cattle-system',
  ...HARVESTER_SYSTEM_NAMESPACES.filter((name) => name !== HARVESTER_PUBLIC),
];

/**
 * As Rancher's project network isolation, which needs a setting of the whole cluster: connections
 * from the project and from system namespaces.
 *
 * @param project the name of the project
 * @param cidrs networks that may connect nevertheless
 * @see rancher/rancher:pkg/controllers/managementuser/networkpolicy/netpol.go generateDefaultNamespaceNetworkPolicy
 */
export function isolationSpec(project: string, cidrs: readonly string[]): object {
  return {
    podSelector: {},
    policyTypes: ['Ingress'],
    ingress: [
      {
        from: [
          { podSelector: {} },
          { namespaceSelector: { matchLabels: { [ANNOTATION_PROJECT_ID]: project } } },
          {
            namespaceSelector: {
              matchExpressions: [
                { key: 'kubernetes.io/metadata.name', operator: 'In', values: SYSTEM },
              ],
            },
          },
          ...cidrs.map((cidr) => ({ ipBlock: { cidr } })),
        ],
      },
    ],
  };
}

/** The networks that a NetworkPolicy of a team allows; undefined for another NetworkPolicy. */
export function allowedCidrsOf(policy: Manifest, project: string): readonly string[] | undefined {
  const [rule] = itemsAt(policy.spec, 'ingress');
  const cidrs = itemsAt(rule, 'from').flatMap((peer) => {
    const cidr = valueAt(peer, 'ipBlock', 'cidr');
    return typeof cidr === 'string' ? [cidr] : [];
  });
  return sameValue(policy.spec, isolationSpec(project, cidrs)) ? cidrs : undefined;
}
