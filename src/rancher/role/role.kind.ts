import { KindDescription, ON_RANCHER } from '../../core/kind/kind';
import { Manifest } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';

const ROLE = {
  group: GROUPS.MANAGEMENT,
  version: 'v3',
  scope: 'Cluster',
  targets: ON_RANCHER,
  // seen on Rancher 2.13.8: the webhook lets built-in role templates go
  kept: [{ never: true, says: 'is built into Rancher', when: ({ builtin }: Manifest) => builtin === true }],
} as const;

/** Rancher's roles. @see rancher/rancher:pkg/data/management/role_data.go for the ones that Rancher creates */
export const ROLE_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...ROLE,
    kind: 'RoleTemplate',
    rank: 28,
    refers: 'also to its own kind',
    namedBy: { peers: ['roleTemplateName', 'roleTemplateNames', 'inheritedClusterRoles', 'inheritedFleetWorkspacePermissions'] },
  },
  { ...ROLE, kind: 'GlobalRole', rank: 29, namedBy: { peers: ['globalRoleName'] } },
];
