import { RancherGate } from './version/rancher-version';
import { called, sharedValues, uniqueText } from '../core/kind/description/removal';
import { KindDescription, ON_RANCHER, ON_RANCHER_AND_HARVESTER } from '../core/kind/kind';
import { byConditions } from '../core/kind/ready/readiness';
import { FLEET_DEFAULT, FLEET_LOCAL, GROUPS } from '../core/manifest/names';

const MANAGEMENT = {
  group: GROUPS.MANAGEMENT,
  version: 'v3',
  scope: 'Cluster',
  targets: ON_RANCHER_AND_HARVESTER,
} as const;
/**
 * The kinds of Fleet. The agent in the clusters that it delivers to reads from the cluster of Rancher.
 * @see rancher/rancher:pkg/crds/names.go FleetCRDs; harvester/harvester:deploy/charts/harvester/README.md
 */
const FLEET = {
  group: 'fleet.cattle.io',
  version: 'v1alpha1',
  scope: 'Namespaced',
  targets: ON_RANCHER_AND_HARVESTER,
  servedBy: 'Fleet',
  rank: 50,
} as const;
const BUILT_IN = 'is built into Rancher';

/** The kind of the drivers that create machines. */
export const NODE_DRIVER = 'NodeDriver';

/** The node driver of Harvester. */
export const HARVESTER_DRIVER = 'harvester';

/**
 * The node drivers that Rancher creates.
 * @see rancher/rancher:pkg/data/management/machinedriver_data.go
 */
export const BUILT_IN_NODE_DRIVERS: readonly string[] = [
  HARVESTER_DRIVER,
  'amazonec2',
  'azure',
  'cloudca',
  'cloudscale',
  'digitalocean',
  'exoscale',
  'google',
  'linode',
  'nutanix',
  'oci',
  'openstack',
  'otc',
  'outscale',
  'packet',
  'pnap',
  'rackspace',
  'softlayer',
  'vmwarevsphere',
];

/** The kind of the defaults of pod security admission in a cluster. */
export const KIND_POD_SECURITY_TEMPLATE = 'PodSecurityAdmissionConfigurationTemplate';

/** The templates that Rancher creates, and keeps from deletion. */
export const BUILT_IN_POD_SECURITY_TEMPLATES = ['rancher-privileged', 'rancher-restricted'];

/**
 * Kinds of Rancher that no construct of this library writes.
 * @see rancher/rancher:pkg/crds/names.go BasicCRDs, AuthCRDs, MCMCRDs; pkg/data/management/add_data.go for what Rancher creates at its start
 */
export const RANCHER_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...MANAGEMENT,
    kind: 'FleetWorkspace',
    rank: 12,
    kept: [{ never: true, says: BUILT_IN, when: called(FLEET_DEFAULT, FLEET_LOCAL) }],
  },
  {
    ...MANAGEMENT,
    kind: KIND_POD_SECURITY_TEMPLATE,
    rank: 20,
    alwaysThere: BUILT_IN_POD_SECURITY_TEMPLATES[0],
    kept: [{ says: BUILT_IN, when: called(...BUILT_IN_POD_SECURITY_TEMPLATES) }],
  },
  {
    ...MANAGEMENT,
    kind: NODE_DRIVER,
    targets: ON_RANCHER,
    rank: 20,
    kept: [{ says: 'it creates and deletes machines' }],
  },
  { ...MANAGEMENT, kind: 'ManagedChart', scope: 'Namespaced', rank: 50 },
  {
    ...MANAGEMENT,
    kind: 'ClusterProxyConfig',
    targets: ON_RANCHER,
    scope: 'Namespaced',
    rank: 55,
    // @see rancher/webhook:pkg/resources/management.cattle.io/v3/clusterproxyconfig/validator.go
    unique: {
      what: 'cluster',
      shared: sharedValues(({ metadata }) => uniqueText(metadata.namespace)),
      fix: 'delete the other one of the cluster first',
    },
  },
  {
    ...MANAGEMENT,
    kind: 'ProxyEndpoint',
    targets: ON_RANCHER,
    served: RancherGate.PROXY_ENDPOINT,
    rank: 20,
  },
  {
    group: 'ui.cattle.io',
    version: 'v1',
    kind: 'NavLink',
    scope: 'Cluster',
    targets: ON_RANCHER,
    rank: 20,
  },
  // @see rancher/turtles:config/crd/bases/turtles-capi.cattle.io_capiproviders.yaml
  {
    group: 'turtles-capi.cattle.io',
    version: 'v1alpha1',
    kind: 'CAPIProvider',
    scope: 'Namespaced',
    targets: ON_RANCHER,
    rank: 45,
    ready: byConditions('Ready'),
  },
  { ...FLEET, kind: 'GitRepo', part: { noun: 'GitRepo', order: 270 } },
  { ...FLEET, kind: 'Bundle' },
  { ...FLEET, kind: 'ClusterGroup', rank: 40 },
  { ...FLEET, kind: 'HelmOp' },
];
