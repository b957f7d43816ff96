import { Manifest } from '../../../src/core/manifest/manifest';
import { CA } from '../../support/certificates';
import { adoptedFrom } from '../_adopted-harvester';
import { live } from '../_harvester-bodies';

/** Of the cluster, not of a namespace. */
const GLOBAL = { namespace: undefined };

function setting(name: string, value: unknown, byDefault = ''): Manifest {
  return live(
    'harvesterhci.io/v1beta1',
    'Setting',
    { name, ...GLOBAL },
    {
      value: typeof value === 'string' ? value : JSON.stringify(value),
      default: byDefault,
      source: '',
      status: { conditions: [] },
    },
  );
}

/**
 * Settings as their forms write them.
 * @see harvester/harvester-ui-extension:pkg/harvester/components/settings (v1.8.2)
 * @see harvester/harvester-ui-extension:pkg/harvester/config/settings.ts (v1.8.2)
 */
const SETTINGS: readonly Manifest[] = [
  setting('additional-ca', CA),
  setting('additional-guest-memory-overhead-ratio', '1.7', '1.5'),
  setting('auto-disk-provision-paths', '/dev/sd*'),
  setting(
    'auto-rotate-rke2-certs',
    { enable: true, expiringInHours: 480 },
    '{"enable":false,"expiringInHours":240}',
  ),
  setting('backup-target', {
    type: 'nfs',
    endpoint: 'nfs://backup.example.com:/harvester',
    refreshIntervalInSeconds: 60,
  }),
  // Harvester moves the credentials into a Secret, and writes all fields @see
  // harvester/harvester:pkg/controller/master/setting/containerd_registry.go (v1.8.2)
  setting('containerd-registry', {
    Mirrors: { 'docker.io': { Endpoints: ['https://registry.example.com'], Rewrites: {} } },
    Configs: {
      'registry.example.com': {
        Auth: null,
        TLS: { CAFile: '', CertFile: '', KeyFile: '', InsecureSkipVerify: false },
      },
    },
    Auths: null,
  }),
  setting(
    'csi-driver-config',
    {
      'driver.longhorn.io': {
        volumeSnapshotClassName: 'longhorn-snapshot',
        backupVolumeSnapshotClassName: 'longhorn',
      },
      'lvm.driver.harvesterhci.io': { volumeSnapshotClassName: 'lvm-snapshot' },
    },
    '{"driver.longhorn.io":{"volumeSnapshotClassName":"longhorn-snapshot","backupVolumeSnapshotClassName":"longhorn"}}',
  ),
  setting(
    'csi-online-expand-validation',
    { 'driver.longhorn.io': true, 'lvm.driver.harvesterhci.io': false },
    '{"driver.longhorn.io":true}',
  ),
  setting('default-vm-termination-grace-period-seconds', '60', '120'),
  setting(
    'http-proxy',
    {
      httpProxy: 'http://proxy.example.com:3128',
      httpsProxy: 'http://proxy.example.com:3128',
      noProxy: '10.0.0.0/8,.svc',
    },
    '{}',
  ),
  setting('instance-manager-resources', { cpu: { v1: '15', v2: '10' } }, '{}'),
  setting('kubeconfig-default-token-ttl-minutes', '1440', '0'),
  setting(
    'kubevirt-migration',
    {
      parallelOutboundMigrationsPerNode: 3,
      parallelMigrationsPerCluster: 6,
      allowAutoConverge: true,
      bandwidthPerMigration: '64Mi',
      completionTimeoutPerGiB: 150,
      progressTimeout: 150,
      allowPostCopy: false,
    },
    '{}',
  ),
  setting('log-level', 'debug', 'info'),
  setting('longhorn-v2-data-engine-enabled', 'true', 'false'),
  setting('max-hotplug-ratio', '3', '4'),
  setting('ntp-servers', { ntpServers: ['0.pool.ntp.org', '1.pool.ntp.org'] }),
  setting(
    'overcommit-config',
    { cpu: 800, memory: 120, storage: 150 },
    '{"cpu":1600,"memory":150,"storage":200}',
  ),
  setting(
    'rancher-cluster',
    { removeUpstreamClusterWhenNamespaceIsDeleted: true },
    '{"removeUpstreamClusterWhenNamespaceIsDeleted":false}',
  ),
  setting(
    'release-download-url',
    'https://mirror.example.com',
    'https://releases.rancher.com/harvester',
  ),
  setting('rwx-network', { 'share-storage-network': true }),
  setting('rwx-network', {
    'share-storage-network': false,
    'network': {
      vlan: 40,
      clusterNetwork: 'storage',
      range: '192.168.40.0/24',
      exclude: ['192.168.40.0/30'],
    },
  }),
  setting('ssl-parameters', {
    protocols: 'TLSv1.3 TLSv1.2',
    ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256',
  }),
  setting('storage-network', {
    vlan: 30,
    clusterNetwork: 'storage',
    range: '192.168.30.0/24',
    exclude: ['192.168.30.0/30'],
  }),
  // an untagged network
  setting('storage-network', { clusterNetwork: 'storage', range: '192.168.30.0/24' }),
  setting('support-bundle-expiration', '20', '30'),
  setting('support-bundle-image', {
    repository: 'rancher/support-bundle-kit',
    tag: 'v0.0.69',
    imagePullPolicy: 'Always',
  }),
  setting('support-bundle-namespaces', 'shop-vms,shop-db'),
  setting('support-bundle-node-collection-timeout', '25', '30'),
  setting('support-bundle-timeout', '40', '10'),
  setting('ui-index', 'https://ui.example.com/index.html'),
  setting('ui-source', 'bundled', 'auto'),
  setting('upgrade-checker-enabled', 'false', 'true'),
  setting('upgrade-checker-url', 'https://check.example.com/v1', 'https://example.com'),
  setting(
    'upgrade-config',
    // the form indents it
    JSON.stringify(
      {
        imagePreloadOption: { strategy: { type: 'parallel', concurrency: 0 } },
        nodeUpgradeOption: { strategy: { mode: 'manual', pauseNodes: ['node-1', 'node-2'] } },
        restoreVM: true,
        logReadyTimeout: '5',
      },
      null,
      2,
    ),
    '{"imagePreloadOption":{"strategy":{"type":"sequential"}}}',
  ),
  setting(
    'vm-force-reset-policy',
    { enable: true, period: 10, vmMigrationTimeout: 300 },
    '{"enable":true,"period":15,"vmMigrationTimeout":180}',
  ),
  setting('vm-migration-network', {
    clusterNetwork: 'storage',
    vlan: 50,
    range: '192.168.50.0/24',
    exclude: [],
  }),
];

const OVN = 'kubeovn.io/v1';

function vpc(name: string, spec: object): Manifest {
  return live(
    OVN,
    'Vpc',
    { name, ...GLOBAL, annotations: { 'field.cattle.io/description': 'Of the shop' } },
    { spec, status: { standby: true, subnets: [] } },
  );
}

function subnet(name: string, spec: object): Manifest {
  return live(
    OVN,
    'Subnet',
    { name, ...GLOBAL, finalizers: ['kubeovn.io/kube-ovn-controller'] },
    { spec: { protocol: 'IPv4', private: false, acls: [], ...spec }, status: { conditions: [] } },
  );
}

const NETWORK = live(
  'k8s.cni.cncf.io/v1',
  'NetworkAttachmentDefinition',
  {
    name: 'apps',
    labels: {
      'network.harvesterhci.io/clusternetwork': 'mgmt',
      'network.harvesterhci.io/type': 'OverlayNetwork',
      'network.harvesterhci.io/ready': 'true',
    },
  },
  {
    spec: {
      config: JSON.stringify({
        cniVersion: '0.3.1',
        name: 'apps',
        type: 'kube-ovn',
        server_socket: '/run/openvswitch/kube-ovn-daemon.sock',
        provider: 'apps.shop-vms.ovn',
      }),
    },
  },
);

/** What the controller of Kube-OVN writes into each Subnet. */
const COMPLETED = {
  default: false,
  gatewayNode: '',
  natOutgoing: false,
  enableLb: true,
  gatewayType: 'distributed',
};

/**
 * VPCs and Subnets of the forms.
 * @see harvester/harvester-ui-extension:pkg/harvester/edit/kubeovn.io.vpc (v1.8.2)
 * @see harvester/harvester-ui-extension:pkg/harvester/edit/kubeovn.io.subnet (v1.8.2)
 */
const OVERLAYS: readonly (readonly [name: string, objects: readonly Manifest[]])[] = [
  ['a VPC of an empty form', [vpc('shop', { staticRoutes: [], vpcPeerings: [] })]],
  [
    'a VPC with a route',
    [
      vpc('shop', {
        // the policy is from the controller @see kubeovn/kube-ovn:pkg/controller/vpc.go formatVpc
        staticRoutes: [{ cidr: '0.0.0.0/0', nextHopIP: '10.60.0.254', policy: 'policyDst' }],
        vpcPeerings: [],
      }),
    ],
  ],
  [
    'VPCs that are peers',
    [
      vpc('shop', {
        staticRoutes: [],
        vpcPeerings: [{ localConnectIP: '169.254.0.1/30', remoteVpc: 'blog' }],
      }),
      vpc('blog', {
        staticRoutes: [],
        vpcPeerings: [{ localConnectIP: '169.254.0.2/30', remoteVpc: 'shop' }],
      }),
    ],
  ],
  [
    'a Subnet without DHCP',
    [
      NETWORK,
      vpc('shop', { staticRoutes: [], vpcPeerings: [] }),
      subnet('apps', {
        ...COMPLETED,
        cidrBlock: '10.60.0.0/24',
        provider: 'apps.shop-vms.ovn',
        vpc: 'shop',
        gateway: '10.60.0.1',
        excludeIps: ['10.60.0.1'],
        enableDHCP: false,
        dhcpV4Options: '',
        dhcpV6Options: '',
      }),
    ],
  ],
  [
    'a private Subnet with DHCP and an allowed neighbor',
    [
      NETWORK,
      subnet('apps', {
        ...COMPLETED,
        cidrBlock: '10.60.0.0/24',
        provider: 'apps.shop-vms.ovn',
        vpc: 'ovn-cluster',
        gateway: '10.60.0.1',
        excludeIps: ['10.60.0.1', '10.60.0.10..10.60.0.20'],
        enableDHCP: true,
        dhcpV4Options: 'dns_server={1.1.1.1;9.9.9.9}',
        private: true,
        allowSubnets: ['10.70.0.0/24'],
      }),
    ],
  ],
];

function hostNetwork(spec: object): Manifest {
  return live(
    'network.harvesterhci.io/v1beta1',
    'HostNetworkConfig',
    { name: 'backup', ...GLOBAL },
    { spec: { clusterNetwork: 'uplink', vlanID: 30, ...spec }, status: {} },
  );
}

const NODES = ['node-1', 'node-2'].map((name) => live('v1', 'Node', { name, ...GLOBAL }, {}));

/**
 * Networks of nodes, which the UI of Harvester 1.8 has no form for.
 * @see harvester/harvester-ui-extension:pkg/harvester/edit/network.harvesterhci.io.hostnetworkconfig.vue (v1.9.0-rc4)
 */
const HOST_NETWORKS: readonly (readonly [name: string, objects: readonly Manifest[]])[] = [
  ['a host network with DHCP', [hostNetwork({ mode: 'dhcp' })]],
  [
    'a host network with fixed addresses on selected nodes',
    [
      ...NODES,
      hostNetwork({
        mode: 'static',
        ips: { 'node-1': '10.30.0.11/24', 'node-2': '10.30.0.12/24' },
        nodeSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/hostname', operator: 'In', values: ['node-1', 'node-2'] },
          ],
        },
      }),
    ],
  ],
  ['a host network that overlay networks use', [hostNetwork({ mode: 'dhcp', underlay: true })]],
  [
    'a host network that overlay networks use no longer',
    [hostNetwork({ mode: 'dhcp', underlay: false })],
  ],
];

test.each([
  ...SETTINGS.map((object) => [`the setting ${object.metadata.name}`, [object]] as const),
  ...OVERLAYS,
  ...HOST_NETWORKS,
])('adopts %s without a patch', (_, objects) => {
  const { adopted, patches, plain } = adoptedFrom(objects);
  expect({ patches, plain }).toEqual({ patches: {}, plain: [] });
  const declared = adopted.statements.all().flatMap(({ draft }) => draft.declares);
  expect(declared.map(({ manifest }) => manifest)).toEqual(
    expect.arrayContaining(objects.filter(({ kind }) => kind !== 'Node')),
  );
});

test('adopts each setting by its factory', () => {
  const plain = SETTINGS.filter((object) =>
    adoptedFrom([object])
      .adopted.statements.all()
      .some(({ draft: { method } }) => method === undefined),
  );
  expect(plain.map(({ metadata: { name } }) => name)).toEqual([]);
});
