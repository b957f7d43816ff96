import { commandLine } from '../../core/text/plain-text';
import { HarvesterVersion } from '../../harvester/version/harvester-version';
import { EMBEDDED_RANCHER, FLEET_LINES, FLEET_OF_RANCHER } from '../support-matrix/support-matrix.facts';
import { RancherVersion } from '../version/rancher-version';

/** The program that downloads images on the machine with internet access. */
export enum ImageTool {
  /** Docker, or podman installed as `docker`. Writes one archive for all images. */
  DOCKER = 'docker',
  /** Skopeo, which needs no daemon. Writes one archive per image. */
  SKOPEO = 'skopeo',
}

/** Options for downloading images to archives. */
interface FetchImagesOptions {
  /** The images, each with a tag. */
  readonly images: ImportImage[];
  /** The program that downloads them. @default ImageTool.DOCKER */
  readonly tool?: ImageTool;
  /** The processor architecture of the Harvester nodes: `amd64` or `arm64`. @default amd64 */
  readonly architecture?: string;
  /** The directory that the archives are written to. It must exist. @default - the working directory */
  readonly directory?: string;
  /** The registry that Rancher prefixes, so that the images have the names that the nodes look for. @default - no registry is prefixed */
  readonly registryPrefix?: string;
}

/**
 * Shell commands that copy images to Harvester nodes without internet access. The library only returns the commands; you run them.
 *
 * Download on a connected machine, copy to every node, then import and check on every node: a pod of the import may run on any of them.
 *
 * @see https://docs.harvesterhci.io/v1.8/rancher/virtualization-management
 */
export class ImageCommands {
  /** The directory of ctr and crictl on a Harvester node, a link into the running release of RKE2. */
  public static readonly BIN = '/var/lib/rancher/rke2/bin';
  /** The containerd socket on a Harvester node. */
  public static readonly SOCKET = '/run/k3s/containerd/containerd.sock';
  /** The directory on a Harvester node from which RKE2 imports image archives. */
  public static readonly ARCHIVES = '/var/lib/rancher/rke2/agent/images';

  /** The paths of the archives that `fetch` writes. */
  public static archives(options: FetchImagesOptions): string[] {
    const directory = options.directory === undefined ? '' : `${options.directory.replace(/\/+$/, '')}/`;
    if (options.tool !== ImageTool.SKOPEO) {
      return options.images.length > 0 ? [`${directory}rancher-import-images.tar`] : [];
    }
    return options.images.map((image) => `${directory}${`${image.image}-${image.reference().split(':')[1]}`.replace(/\//g, '-')}.tar`);
  }

  /** The commands that download the images and save them as archives, on a machine with internet access. */
  public static fetch(options: FetchImagesOptions): string[] {
    const architecture = options.architecture ?? 'amd64';
    if (architecture !== 'amd64' && architecture !== 'arm64') {
      throw new Error(`architecture: must be "amd64" or "arm64", got ${JSON.stringify(architecture)}. Fix: set one of the two`);
    }
    const archives = ImageCommands.archives(options);
    const pairs = options.images.map((image) => ({ upstream: image.reference(), local: image.reference(options.registryPrefix) }));
    if (options.tool === ImageTool.SKOPEO) {
      return pairs.map(({ upstream, local }, i) => commandLine('skopeo', 'copy', '--override-os', 'linux', '--override-arch', architecture,
        `docker://docker.io/${upstream}`, `docker-archive:${archives[i]}:${qualified(local, options.registryPrefix)}`));
    }
    if (pairs.length === 0) {
      return [];
    }
    return [
      ...pairs.map(({ upstream }) => commandLine('docker', 'pull', '--platform', `linux/${architecture}`, upstream)),
      ...pairs.filter(({ upstream, local }) => upstream !== local).map(({ upstream, local }) => commandLine('docker', 'tag', upstream, local)),
      commandLine('docker', 'save', '--output', archives[0], ...pairs.map(({ local }) => local)),
    ];
  }

  /**
   * The command that copies an archive to a node.
   *
   * @param archive path on this machine
   * @param node address or name of the node
   * @param target path on the node; default: the archive's name in /tmp
   * @param user the account on the node; default: `rancher`, which every Harvester node has
   */
  public static copyToNode(archive: string, node: string, target?: string, user?: string): string {
    if (!/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(node) && !/^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]+$/.test(node)) {
      throw new Error(`node: must be a host name or an IP address, got ${JSON.stringify(node)}. Fix: use e.g. 10.10.0.11`);
    }
    const account = user ?? 'rancher';
    if (!/^[a-z_][a-z0-9_-]*$/.test(account)) {
      throw new Error(`user: must be an account of the node, got ${JSON.stringify(account)}. Fix: use e.g. rancher`);
    }
    const host = node.includes(':') ? `[${node}]` : node;
    return commandLine('scp', '--', localPath(archive), `${account}@${host}:${target ?? `/tmp/${archive.split('/').pop()}`}`);
  }

  /**
   * The command that imports an archive into containerd, on a Harvester node.
   *
   * @param archive absolute path on the node
   */
  public static importArchive(archive: string): string {
    return commandLine('sudo', `${ImageCommands.BIN}/ctr`, '--address', ImageCommands.SOCKET, '--namespace', 'k8s.io',
      'images', 'import', absolute(archive));
  }

  /**
   * The command, for a Harvester node, whose exit code is 0 only if the node has an image.
   *
   * @param image the image, with a tag
   * @param registryPrefix the registry that Rancher prefixes; default: no registry
   */
  public static check(image: ImportImage, registryPrefix?: string): string {
    const reference = qualified(image.reference(registryPrefix), registryPrefix);
    return `${commandLine('sudo', `${ImageCommands.BIN}/crictl`, '--runtime-endpoint', `unix://${ImageCommands.SOCKET}`,
      'images', '--quiet', reference)} | grep --quiet .`;
  }

  private constructor() {}
}

// containerd lists images of the default registry by their full name.
function qualified(reference: string, registryPrefix?: string): string {
  return registryPrefix ? reference : `docker.io/${reference}`;
}

// scp reads a relative path with a colon as a host.
function localPath(path: string): string {
  return path.includes(':') && !path.startsWith('/') && !path.startsWith('.') ? `./${path}` : path;
}

function absolute(path: string): string {
  if (!path.startsWith('/')) {
    throw new Error(`archive: must be an absolute path on the node, got ${JSON.stringify(path)}. Fix: use e.g. /tmp/rancher-import-images.tar`);
  }
  return path;
}

/** Properties of an image for the import of a Harvester. */
interface ImportImageProps {
  /** The repository without registry and tag, e.g. `rancher/rancher-agent`. */
  readonly image: string;
  /** The tag, e.g. `v2.13.8`. @default - the tag is unknown for this version of Rancher */
  readonly tag?: string;
  /** The workload that runs the image. */
  readonly purpose: string;
  /** Whether the import needs the image to become ready. */
  readonly required: boolean;
  /** Whether repository and tag are confirmed by the sources of the release or a running system; otherwise they are inferred. */
  readonly confirmed: boolean;
  /** The source of these facts. */
  readonly source: string;
  /** A remark for users. @default - no remark */
  readonly note?: string;
}

/** A container image that Harvester nodes run when Harvester is imported into Rancher. */
export class ImportImage implements ImportImageProps {
  public readonly image: string;
  public readonly tag?: string;
  public readonly purpose: string;
  public readonly required: boolean;
  public readonly confirmed: boolean;
  public readonly source: string;
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
    return new ImportImage({ ...this, tag, confirmed: true, source: 'the program', note: undefined });
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
