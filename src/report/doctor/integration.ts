import { DoctorCheck, LiveWorld, SeenTarget, Symptom, listOf, settingOf } from './live-world';
import { valueAt } from '../../core/manifest/manifest';
import { FeatureGates } from '../../core/version/feature-gates';
import { knownVersion } from '../../core/version/product-version';
import { wordsOf } from '../../engine/agents/agent-pods';
import { readinessOf, readyContext } from '../../engine/ready/wait-ready';
import { HARVESTER_EXTENSION } from '../../rancher/catalog/catalog.kind';
import { HARVESTER_DRIVER } from '../../rancher/rancher.kind';
import { RANCHER_SERVER_VERSION } from '../../rancher/settings/rancher-setting.kind';
import { RancherGate, RancherVersion } from '../../rancher/version/rancher-version';

const DECLARE_EXTENSION =
  'declare HarvesterUiExtension in the chart of Rancher, or install the extension from the page Extensions; without access to the internet, ' +
  'set its endpoint to a mirror';

const UI_EXTENSION: DoctorCheck = {
  id: 'ui-extension/missing',
  level: 'warning',
  what: "Rancher 2.10 and later has Harvester's UI extension, without which its UI does not open Harvester clusters",
  source:
    'harvester/docs:docs/rancher/harvester-ui-extension.md; rancher/dashboard:pkg/harvester-manager/list/harvesterhci.io.management.cluster.vue',
  on: ['rancher'],
  needs: ['settings', 'ui-plugins'],
  *look(seen: SeenTarget, world: LiveWorld): Iterable<Symptom> {
    const version = knownVersion(RancherVersion.parse, settingOf(seen, RANCHER_SERVER_VERSION));
    if (
      !version ||
      !FeatureGates.of(RancherGate.HARVESTER_UI_EXTENSION).supports(version) ||
      world.ofKind('harvester').length === 0
    ) {
      return;
    }
    const extension = listOf(seen, 'ui-plugins').find(
      ({ metadata }) => metadata.name === HARVESTER_EXTENSION,
    );
    if (!extension) {
      yield {
        message:
          "Harvester's UI extension is not installed: Virtualization Management shows no pages of Harvester clusters",
        fix: DECLARE_EXTENSION,
      };
      return;
    }
    const { state, why } = readinessOf(extension, readyContext(seen.target));
    if (state !== 'ready') {
      yield {
        object: extension,
        message: `its files are not downloaded: ${wordsOf(why, extension)}`,
        fix: 'give Rancher access to spec.plugin.endpoint, or set endpoint to a mirror',
      };
    }
  },
};

const NODE_DRIVER_INACTIVE: DoctorCheck = {
  id: 'node-driver/inactive',
  level: 'error',
  what: 'the node driver of Harvester is active, by which Rancher creates and deletes machines',
  source:
    'rancher/rancher:pkg/controllers/management/drivers/nodedriver/machine_driver.go; pkg/data/management/machinedriver_data.go',
  on: ['rancher'],
  needs: ['node-drivers'],
  *look(seen: SeenTarget, world: LiveWorld): Iterable<Symptom> {
    if (world.ofKind('harvester').length === 0) {
      return;
    }
    const object = listOf(seen, 'node-drivers').find(
      ({ metadata }) => metadata.name === HARVESTER_DRIVER,
    );
    // Rancher creates it at each start
    if (!object || valueAt(object, 'spec', 'active') === true) {
      return;
    }
    yield {
      object,
      message: `the node driver ${HARVESTER_DRIVER} is inactive: Rancher can create and delete no machines on Harvester`,
      fix: `turn on the feature ${HARVESTER_DRIVER} of Rancher, which sets the driver at each start of Rancher; until then, activate the driver under Drivers`,
    };
  },
};

/**
 * Checks of what Rancher needs to manage Harvester clusters, apart from the clusters themselves.
 */
export const INTEGRATION_CHECKS: readonly DoctorCheck[] = [UI_EXTENSION, NODE_DRIVER_INACTIVE];
