// The areas that families of rules belong to, by which the indexes of rules and messages list them.
'use strict';

const GROUPS = [
  {
    title: 'Programs and delivery',
    page: 'programs',
    families: [
      ...['app', 'delivery', 'late-value', 'lint', 'object', 'output', 'program', 'rbac'],
      ...['version'],
    ],
  },
  { title: 'Kinds of Kubernetes', page: 'kubernetes', families: ['kubernetes'] },
  {
    title: 'Clusters and imports',
    page: 'clusters',
    families: [
      ...['audit-policy', 'cluster', 'credential', 'guest', 'guest-secret', 'helm-chart'],
      ...['helm-chart-config', 'machine-config', 'management-cluster', 'node-driver', 'operation'],
      ...['pod-security-template', 'proxy-endpoint', 'registration', 'registration-token'],
    ],
  },
  {
    title: 'Projects, users, and permissions',
    page: 'tenants',
    families: [
      ...['auth-config', 'cluster-binding', 'global-role', 'global-role-binding', 'namespace'],
      ...['project', 'project-binding', 'project-secret', 'quota', 'role-template'],
      ...['service-account-token', 'snapshot-quota', 'tenant-namespace', 'user', 'user-password'],
    ],
  },
  {
    title: 'Virtual machines',
    page: 'virtual-machines',
    families: [
      ...['key-pair', 'machine-import', 'machine-plan', 'template', 'template-version'],
      ...['virtual-machine'],
    ],
  },
  {
    title: 'Images, volumes, and backups',
    page: 'volumes',
    families: [
      ...['data-volume', 'encryption-secret', 'image', 'machine-backup', 'schedule-backup'],
      ...['storage-class', 'vm-backup', 'vm-restore', 'volume', 'volume-backup', 'volume-restore'],
      ...['volume-snapshot'],
    ],
  },
  {
    title: 'Networks and addresses',
    page: 'networks',
    families: [
      ...['cluster-network', 'host-network', 'ip-pool', 'load-balancer', 'nat-address'],
      ...['nat-gateway', 'nat-rule', 'network-attachment', 'service', 'subnet', 'vlan-config'],
      ...['vpc'],
    ],
  },
  {
    title: 'Hosts and devices',
    page: 'hosts',
    families: [
      ...['block-device', 'device-claim', 'mig-configuration', 'node', 'node-cloud-init'],
      ...['pci-device-claim', 'sriov-gpu-device', 'sriov-network-device', 'usb-device-claim'],
      ...['vgpu-device'],
    ],
  },
  {
    title: 'Settings, add-ons, and upgrades',
    page: 'settings',
    families: [
      ...['addon', 'cluster-repo', 'git-repo', 'harvester-setting', 'rancher', 'rancher-feature'],
      ...['rancher-setting', 'support-bundle', 'ui-plugin', 'upgrade'],
    ],
  },
];

/** The groups in their order, each with its members by family; every family is in one. */
function grouped(byFamily) {
  const known = new Set(GROUPS.flatMap(({ families }) => families));
  const unknown = [...byFamily.keys()].filter((family) => !known.has(family));
  if (unknown.length > 0) {
    throw new Error(`projenrc/rules/groups.js: must list the families ${unknown.join(', ')}`);
  }
  return GROUPS.map(({ title, page, families }) => ({
    title,
    page,
    families: families
      .filter((family) => byFamily.has(family))
      .map((family) => ({ family, members: byFamily.get(family) })),
  })).filter(({ families }) => families.length > 0);
}

/** Rules by family, in the order of their IDs. */
function byFamily(rules) {
  const families = new Map();
  for (const rule of [...rules].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const [family] = rule.id.split('/');
    families.set(family, [...(families.get(family) ?? []), rule]);
  }
  return families;
}

module.exports = { GROUPS, byFamily, grouped };
