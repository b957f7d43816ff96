import { KindDescription, ON_RANCHER } from '../../core/kind/kind';
import { Manifest, kindKey } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';

const ROLE = {
  group: GROUPS.MANAGEMENT,
  version: 'v3',
  scope: 'Cluster',
  targets: ON_RANCHER,
  access: 'role',
  // seen on Rancher 2.13.8: the webhook lets built-in role templates go
  kept: [{ never: true, says: 'is built into Rancher', when: ({ builtin }: Manifest) => builtin === true }],
} as const;

/** Rancher's roles. @see rancher/rancher:pkg/data/management/role_data.go for the ones that Rancher creates */
export const ROLE_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...ROLE,
    kind: 'RoleTemplate',
    alwaysThere: 'cluster-owner',
    rank: 28,
    passing: [
      {
        status: [500],
        words: /unable to get roletemplate (\S+)/,
        missing: ([, name]) => ({ kind: kindKey(GROUPS.MANAGEMENT, 'RoleTemplate'), name }),
        source: 'seen on Rancher 2.13.8; rancher/webhook:pkg/resources/management.cattle.io/v3/roletemplate/validator.go',
      },
    ],
    refers: 'also to its own kind',
    namedBy: { peers: ['roleTemplateName', 'roleTemplateNames', 'inheritedClusterRoles', 'inheritedFleetWorkspacePermissions'] },
  },
  { ...ROLE, kind: 'GlobalRole', rank: 29, alwaysThere: 'admin', namedBy: { peers: ['globalRoleName'] } },
];
