import { HarvesterVersion } from '../../harvester/version/harvester-version';
import { RancherVersion } from '../version/rancher-version';
import { EMBEDDED_RANCHER, FLEET_LINES, FLEET_OF_RANCHER } from '../version/support-matrix.data';

/**
 * Properties of an image for the import of a Harvester.
 */
interface ImportImageProps {
  /** The repository without registry and tag, e.g. `rancher/rancher-agent`. */
  readonly image: string;

  /**
   * The tag, e.g. `v2.13.8`.
   *
   * @default - the tag is unknown for this version of Rancher
   */
  readonly tag?: string;

  /** The workload that runs the image. */
  readonly purpose: string;

  /** Whether the import needs the image to become ready. */
  readonly required: boolean;

  /** Whether repository and tag are confirmed by the sources of the release or a running system; otherwise they are inferred. */
  readonly confirmed: boolean;

  /** The source of these facts. */
  readonly source: string;

  /**
   * A remark for users.
   *
   * @default - no remark
   */
  readonly note?: string;
}

/**
 * A container image that Harvester nodes run when Harvester is imported into Rancher.
 */
export class ImportImage {
  /** The repository without registry and tag, e.g. `rancher/rancher-agent`. */
  public readonly image: string;

  /**
   * The tag, e.g. `v2.13.8`.
   *
   * @default - the tag is unknown for this version of Rancher
   */
  public readonly tag?: string;

  /** The workload that runs the image. */
  public readonly purpose: string;

  /** Whether the import needs the image to become ready. */
  public readonly required: boolean;

  /** Whether repository and tag are confirmed by the sources of the release or a running system; otherwise they are inferred. */
  public readonly confirmed: boolean;

  /** The source of these facts. */
  public readonly source: string;

  /**
   * A remark for users.
   *
   * @default - no remark
   */
  public readonly note?: string;

  public constructor(props: ImportImageProps) {
    if (!/^[a-z0-9]+([._/-][a-z0-9]+)*$/.test(props.image)) {
      throw new Error(`image: must be a repository without registry and tag, got ${JSON.stringify(props.image)}. Fix: use e.g. rancher/rancher-agent`);
    }
    if (props.tag !== undefined && !/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(props.tag)) {
      throw new Error(`tag: must be an image tag, got ${JSON.stringify(props.tag)}. Fix: use e.g. v2.13.8`);
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
   * Returns the image with a tag of your own, if the tag is unknown or only inferred.
   *
   * @param tag e.g. `v0.14.9`, from the file rancher-images.txt of the Rancher release
   */
  public withTag(tag: string): ImportImage {
    return new ImportImage({ ...this.props(), tag, confirmed: true, source: 'the program', note: undefined });
  }

  /**
   * The image reference that Rancher writes to the pod.
   *
   * @param registryPrefix the registry that Rancher prefixes, i.e. its setting `system-default-registry` or the private registry
   * of the cluster: a host, optionally with port and path, e.g. `registry.example.com:5000/mirror`; default: no registry
   * @see https://github.com/rancher/rancher/blob/main/pkg/image/resolve.go
   */
  public reference(registryPrefix?: string): string {
    if (this.tag === undefined) {
      throw new Error(`${this.image}: the tag is unknown${this.note ? ` (${this.note})` : ''}. `
        + 'Fix: set it with withTag; the file rancher-images.txt of the Rancher release lists it');
    }
    const reference = `${this.image}:${this.tag}`;
    if (registryPrefix === undefined || registryPrefix === '') {
      return reference;
    }
    if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*\/?$/.test(registryPrefix)) {
      throw new Error(`registryPrefix: must be a host, optionally with port and path, got ${JSON.stringify(registryPrefix)}. `
        + 'Fix: use e.g. registry.example.com:5000, without scheme');
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
 * The container images that Harvester nodes run when Harvester is imported into Rancher, for clusters without internet access.
 *
 * An imported Harvester needs no others: its cluster agent does not start its own Rancher while the Service cattle-system/rancher
 * exists, which it always does on Harvester. Webhook, system-upgrade-controller and shell remain those of the Rancher inside Harvester.
 *
 * @see https://docs.harvesterhci.io/v1.8/rancher/virtualization-management
 * @see https://github.com/rancher/rancher/blob/main/pkg/agent/rancher/rancher.go
 */
export class ImportImages {
  /**
   * The images for a version of Rancher, the required ones first.
   *
   * An unknown tag is undefined, and `reference` of that image throws: set the tag with `withTag`.
   */
  public static forRancher(rancher: RancherVersion): ImportImage[] {
    return [agent(rancher), ...assets(rancher), fleetAgent(rancher)];
  }

  /**
   * The images for a version of Rancher that the ISO of a Harvester release does not contain.
   *
   * The ISO contains the agents of the Rancher inside Harvester, which work for an import into a Rancher of the same version. This is true only
   * while Rancher prefixes no registry. The garbage collection of a node may have removed an unused image.
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
    note: 'the Rancher setting agent-image, or agentImageOverride of the cluster, may name another image',
  });
}

// from 2.16, an init container of the cluster agent copies the charts of Rancher
function assets(rancher: RancherVersion): ImportImage[] {
  return rancher.isBefore('2.16.0-0') ? [] : [new ImportImage({
    image: 'rancher/rancher-assets',
    purpose: 'the charts of Rancher, copied by an init container of the cluster agent',
    required: true,
    confirmed: false,
    source: 'rancher/rancher#56270; pkg/systemtemplate/template.go of 2.16-dev',
    note: 'the Rancher setting charts-image contains image and tag',
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
