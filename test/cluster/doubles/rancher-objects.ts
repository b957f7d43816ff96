/** Built-in role templates that programs of tests refer to: test/recordings: seen, roles. */
export const ROLE_TEMPLATES = [
  { name: 'cluster-owner', context: 'cluster' },
  { name: 'cluster-member', context: 'cluster' },
  { name: 'projects-view', context: 'cluster' },
  { name: 'project-owner', context: 'project' },
  { name: 'project-member', context: 'project' },
  { name: 'read-only', context: 'project' },
];

/** Built-in global roles that the recordings refer to. */
export const GLOBAL_ROLES = ['admin', 'user', 'user-base'];

interface Setting {
  readonly name: string;
  readonly value: string;
  readonly default: string;
}

/**
 * The management Settings that the recordings and the tests refer to, as Rancher creates them at its
 * start.
 */
export function managementSettings({
  version,
  serverUrl,
  caCerts,
}: {
  version: string;
  serverUrl: string;
  caCerts: string;
}): Setting[] {
  return [
    { name: 'server-version', value: `v${version}`, default: `v${version}` },
    { name: 'server-url', value: serverUrl, default: '' },
    { name: 'cacerts', value: caCerts, default: '' },
    ...Object.entries({
      'agent-tls-mode': 'strict',
      'auth-token-max-ttl-minutes': '129600',
      'auth-user-session-idle-ttl-minutes': '960',
      'kubeconfig-default-token-ttl-minutes': '43200',
      'password-min-length': '12',
      'system-default-registry': '',
      'ui-pl': 'rancher',
    }).map(([name, value]) => ({ name, value: '', default: value })),
  ];
}
