import { valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { BUILT_IN_NODE_DRIVERS, HARVESTER_DRIVER, NODE_DRIVER } from '../rancher.kind';

/**
 * The fields that Rancher writes at its start.
 * @see rancher/rancher:pkg/data/management/machinedriver_data.go addMachineDriver
 */
const RESET = [
  'url',
  'uiUrl',
  'checksum',
  'displayName',
  'whitelistDomains',
  'builtin',
  'addCloudCredential',
];

const DATA = 'rancher/rancher:pkg/data/management/machinedriver_data.go';

/** Rules on the drivers that create machines. */
export const NODE_DRIVER_RULES = rules(
  { kinds: [`${GROUPS.MANAGEMENT}/${NODE_DRIVER}`], level: 'warning' },
  [
    {
      id: 'node-driver/built-in',
      what: 'Rancher resets its own node drivers at each start, and the driver of Harvester to the value of the feature harvester',
      source: `${DATA} addMachineDriver`,
      when: ({ manifest }) =>
        BUILT_IN_NODE_DRIVERS.includes(manifest.metadata.name) ||
        valueAt(manifest, 'spec', 'builtin') === true,
      *judge({ manifest }) {
        const { spec } = manifest;
        const { name } = manifest.metadata;
        for (const field of RESET.filter((each) => valueAt(spec, each) !== undefined)) {
          yield {
            path: `spec.${field}`,
            message: `cannot be kept: Rancher resets it at its next start, since the driver ${name} is built in`,
            fix: 'remove it, or create a node driver with a different name',
          };
        }
        if (name === HARVESTER_DRIVER && valueAt(spec, 'active') !== undefined) {
          yield {
            path: 'spec.active',
            value: valueAt(spec, 'active'),
            message:
              'cannot be kept: Rancher sets it to the value of its feature harvester at its next start',
            fix: `set the feature instead: new RancherFeature(rancher, 'harvester', { enabled: ${String(valueAt(spec, 'active'))} })`,
          };
        }
      },
    },
    {
      id: 'node-driver/in-use',
      what: 'a node driver is kept active while it has machines',
      says: 'This driver is in use by existing nodes and cannot be disabled',
      source: 'rancher/webhook:pkg/resources/management.cattle.io/v3/nodedriver/validator.go',
      judgeUpdate: ({ manifest }, before) =>
        valueAt(before, 'spec', 'active') === true &&
        valueAt(manifest, 'spec', 'active') === false && {
          path: 'spec.active',
          value: false,
          message: 'is refused while a machine of the driver exists',
          fix: 'delete the clusters with machines of this driver first',
        },
    },
  ],
);
