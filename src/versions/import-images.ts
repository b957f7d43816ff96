import { FLEET_LINES, FLEET_OF_RANCHER } from './fleet-data';
import { HarvesterVersion } from './harvester-version';
import { ImportImage } from './import-image';
import { RancherVersion } from './rancher-version';
import { EMBEDDED_RANCHER } from './support-data';

const FLEET = new Map(FLEET_OF_RANCHER.trim().split(/\s+/).map((pair) => {
  const [, rancher, sign, fleet] = /^([0-9.]+)([=~])([0-9.]+)$/.exec(pair)!;
  return [rancher, { tag: `v${fleet}`, confirmed: sign === '=' }];
}));

/**
 * The container images that the import of a Harvester into a Rancher uses on the Harvester nodes, for clusters without
 * access to the internet.
 *
 * Beyond these, an imported Harvester needs none: its cluster agent does not start the Rancher in it while the Service
 * cattle-system/rancher exists, which it always does on Harvester, so webhook, system-upgrade-controller and shell stay those
 * of the Rancher inside Harvester.
 *
 * @see https://docs.harvesterhci.io/v1.8/rancher/virtualization-management
 * @see https://github.com/rancher/rancher/blob/main/pkg/agent/rancher/rancher.go
 */
export class ImportImages {
  /**
   * The images for a version of Rancher, the required ones first.
   *
   * A tag that is not known is undefined, and `reference` of that image says so: give it by `withTag`.
   */
  public static forRancher(rancher: RancherVersion): ImportImage[] {
    return [agent(rancher), ...assets(rancher), fleetAgent(rancher)];
  }

  /**
   * The images for a version of Rancher that a release of Harvester does not have in its ISO.
   *
   * An ISO holds the agents of the Rancher inside it, which serve an import into a Rancher of that very version. This holds only
   * while Rancher prefixes no registry, and the node's garbage collection may have removed an image that nothing used.
   */
  public static missingFrom(harvester: HarvesterVersion, rancher: RancherVersion): ImportImage[] {
    const embedded = EMBEDDED_RANCHER[harvester.toString()];
    const fleet = embedded && FLEET.get(embedded.rancher)?.tag;
    return ImportImages.forRancher(rancher).filter((image) => {
      const agentThere = image.image === 'rancher/rancher-agent' && embedded?.agentImage && embedded.rancher === rancher.toString();
      const fleetThere = image.image === 'rancher/fleet-agent' && fleet !== undefined && image.tag === fleet;
      return !agentThere && !fleetThere;
    });
  }

  private constructor() {}
}

function agent(rancher: RancherVersion): ImportImage {
  return new ImportImage({
    image: 'rancher/rancher-agent',
    tag: rancher.tag,
    purpose: 'the cluster agent (Deployment cattle-system/cattle-cluster-agent)',
    required: true,
    confirmed: true,
    source: 'harvester/docs rancher/virtualization-management.md; Rancher setting agent-image; seen on Rancher 2.13.8',
    note: 'the setting agent-image of Rancher, or agentImageOverride of the cluster, can name another',
  });
}

// From 2.16 on an init container of the cluster agent copies the charts of Rancher.
function assets(rancher: RancherVersion): ImportImage[] {
  return rancher.isBefore('2.16.0-0') ? [] : [new ImportImage({
    image: 'rancher/rancher-assets',
    purpose: 'the charts of Rancher, copied by an init container of the cluster agent',
    required: true,
    confirmed: false,
    source: 'rancher/rancher#56270; pkg/systemtemplate/template.go of 2.16-dev',
    note: 'the setting charts-image of Rancher holds image and tag',
  })];
}

function fleetAgent(rancher: RancherVersion): ImportImage {
  const known = FLEET.get(rancher.toString());
  const line = FLEET_LINES[rancher.minor];
  const unknown = line ? `a version of Fleet ${line}` : `the Fleet of Rancher ${rancher.minor}`;
  return new ImportImage({
    image: 'rancher/fleet-agent',
    tag: known?.tag,
    purpose: 'the Fleet agent (cattle-fleet-system/fleet-agent), which Rancher deploys once the import is ready',
    required: false,
    confirmed: known?.confirmed ?? false,
    source: 'rancher/rancher build.yaml (fleetVersion) and pkg/controllers/provisioningv2/fleetcluster; see fleet-data.ts',
    note: known?.confirmed ? undefined : `${known ? 'inferred from the dates of releases' : unknown}; compare rancher-images.txt`,
  });
}
