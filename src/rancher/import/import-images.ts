import { HarvesterVersion } from '../../harvester/version/harvester-version';
import { RancherVersion } from '../version/rancher-version';
import { EMBEDDED_RANCHER, FLEET_LINES, FLEET_OF_RANCHER } from '../version/support-matrix.data';

/**
 * A container image that the import of a Harvester into a Rancher uses on the Harvester nodes.
 */
export interface ImportImageProps {
  /** The repository without registry and tag, e.g. `rancher/rancher-agent`. */
  readonly image: string;

  /**
   * The tag, e.g. `v2.13.8`.
   *
   * @default - not known for this version of Rancher
   */
  readonly tag?: string;

  /** What it is for. */
  readonly purpose: string;

  /** Whether the import cannot become ready without it. */
  readonly required: boolean;

  /** Whether repository and tag were read in the sources of that release or seen on a running system, rather than inferred. */
  readonly confirmed: boolean;

  /** Where this was read. */
  readonly source: string;

  /**
   * What to know about it.
   *
   * @default - nothing to add
   */
  readonly note?: string;
}

/**
 * A container image that the import of a Harvester into a Rancher uses on the Harvester nodes.
 */
export class ImportImage {
  /** The repository without registry and tag, e.g. `rancher/rancher-agent`. */
  public readonly image: string;

  /**
   * The tag, e.g. `v2.13.8`.
   *
   * @default - undefined where it is not known for that version of Rancher
   */
  public readonly tag?: string;

  /** What it is for. */
  public readonly purpose: string;

  /** Whether the import cannot become ready without it. */
  public readonly required: boolean;

  /** Whether repository and tag were read in the sources of that release or seen on a running system, rather than inferred. */
  public readonly confirmed: boolean;

  /** Where this was read. */
  public readonly source: string;

  /**
   * What to know about it.
   *
   * @default - nothing to add
   */
  public readonly note?: string;

  public constructor(props: ImportImageProps) {
    if (!/^[a-z0-9]+([._/-][a-z0-9]+)*$/.test(props.image)) {
      throw new Error(`image: got ${JSON.stringify(props.image)}, expected a repository such as "rancher/rancher-agent"`);
    }
    if (props.tag !== undefined && !/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(props.tag)) {
      throw new Error(`tag: got ${JSON.stringify(props.tag)}, expected a tag such as "v2.13.8"`);
    }
    this.image = props.image;
    this.tag = props.tag;
    this.purpose = props.purpose;
    this.required = props.required;
    this.confirmed = props.confirmed;
    this.source = props.source;
    this.note = props.note;
  }

  /**
   * The same image with a tag of your own, for one that is not known or was only inferred.
   *
   * @param tag e.g. `v0.14.9`, as the file rancher-images.txt of the Rancher release has it
   */
  public withTag(tag: string): ImportImage {
    return new ImportImage({ ...this.props(), tag, confirmed: true, source: 'the program', note: undefined });
  }

  /**
   * The reference of the image as Rancher writes it into the pod.
   *
   * @param registryPrefix the registry that Rancher prefixes, i.e. its setting `system-default-registry` or the private registry
   * of the cluster: a host, perhaps a port and a path, e.g. `registry.example.com:5000/mirror`; none by default
   * @see https://github.com/rancher/rancher/blob/main/pkg/image/resolve.go
   */
  public reference(registryPrefix?: string): string {
    if (this.tag === undefined) {
      throw new Error(`${this.image}: its tag is not known${this.note ? ` (${this.note})` : ''}, expected one given by withTag; `
        + 'it stands in the file rancher-images.txt of the Rancher release');
    }
    const reference = `${this.image}:${this.tag}`;
    if (registryPrefix === undefined || registryPrefix === '') {
      return reference;
    }
    if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*\/?$/.test(registryPrefix)) {
      throw new Error(`registryPrefix: got ${JSON.stringify(registryPrefix)}, expected a host with a port and a path where needed, `
        + 'such as "registry.example.com:5000"; leave out the scheme');
    }
    return `${registryPrefix.replace(/\/$/, '')}/${reference}`;
  }

  private props(): ImportImageProps {
    const { image, tag, purpose, required, confirmed, source, note } = this;
    return { image, tag, purpose, required, confirmed, source, note };
  }
}

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
