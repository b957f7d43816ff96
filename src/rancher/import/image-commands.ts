import { ImportImage } from './import-images';
import { commandLine, quote } from '../../core/text/shell-quote';

/**
 * Which program fetches images on the machine with access to the internet.
 */
export enum ImageTool {
  /** Docker, or podman under that name. Writes one archive for all images. */
  DOCKER = 'docker',

  /** Skopeo, which needs no daemon. Writes one archive for each image. */
  SKOPEO = 'skopeo',
}

/**
 * How images are fetched into archives.
 */
export interface FetchImagesOptions {
  /** The images, each with a tag. */
  readonly images: ImportImage[];

  /**
   * The program that fetches them.
   *
   * @default ImageTool.DOCKER
   */
  readonly tool?: ImageTool;

  /**
   * The processor of the Harvester nodes: `amd64` or `arm64`.
   *
   * @default amd64
   */
  readonly architecture?: string;

  /**
   * The directory in which the archives are written. It must exist.
   *
   * @default - the working directory
   */
  readonly directory?: string;

  /**
   * The registry that Rancher prefixes, so that the images carry the names by which the nodes look for them.
   *
   * @default - no registry is prefixed
   */
  readonly registryPrefix?: string;
}

/**
 * Shell commands that bring images to Harvester nodes without access to the internet. Nothing is run here.
 *
 * Fetch on a connected machine, copy to every node, import and check there: a pod of the import may land on any node.
 *
 * @see https://docs.harvesterhci.io/v1.8/rancher/virtualization-management
 */
export class ImageCommands {
  /** The directory of ctr and crictl on a Harvester node, a link into the running release of RKE2. */
  public static readonly BIN = '/var/lib/rancher/rke2/bin';

  /** The socket of containerd on a Harvester node. */
  public static readonly SOCKET = '/run/k3s/containerd/containerd.sock';

  /** The directory on a Harvester node from which RKE2 imports image archives. */
  public static readonly ARCHIVES = '/var/lib/rancher/rke2/agent/images';

  /**
   * The paths of the archives that `fetch` writes.
   */
  public static archives(options: FetchImagesOptions): string[] {
    const directory = options.directory === undefined ? '' : `${options.directory.replace(/\/+$/, '')}/`;
    if (options.tool !== ImageTool.SKOPEO) {
      return options.images.length > 0 ? [`${directory}rancher-import-images.tar`] : [];
    }
    return options.images.map((image) => `${directory}${`${image.image}-${image.reference().split(':')[1]}`.replace(/\//g, '-')}.tar`);
  }

  /**
   * The commands that pull the images and save them as archives, on a machine with access to the internet.
   */
  public static fetch(options: FetchImagesOptions): string[] {
    const architecture = options.architecture ?? 'amd64';
    if (architecture !== 'amd64' && architecture !== 'arm64') {
      throw new Error(`architecture: got ${JSON.stringify(architecture)}, expected one of "amd64", "arm64"`);
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
   * @param target path on the node; the default is the archive's name in /tmp
   * @param user the account on the node; the default is rancher, which every Harvester node has
   */
  public static copyToNode(archive: string, node: string, target?: string, user?: string): string {
    if (!/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(node) && !/^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]+$/.test(node)) {
      throw new Error(`node: got ${JSON.stringify(node)}, expected a host name or an IP address such as "10.10.0.11"`);
    }
    const account = user ?? 'rancher';
    if (!/^[a-z_][a-z0-9_-]*$/.test(account)) {
      throw new Error(`user: got ${JSON.stringify(account)}, expected an account of the node such as "rancher"`);
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
   * The command that exits with 0 only if the node has an image, on a Harvester node.
   *
   * @param image the image, with a tag
   * @param registryPrefix the registry that Rancher prefixes, if it does
   */
  public static check(image: ImportImage, registryPrefix?: string): string {
    const reference = qualified(image.reference(registryPrefix), registryPrefix);
    return `${commandLine('sudo', `${ImageCommands.BIN}/crictl`, '--runtime-endpoint', `unix://${ImageCommands.SOCKET}`,
      'images', '--quiet', reference)} | grep --quiet .`;
  }

  /**
   * Quotes a word for a POSIX shell.
   */
  public static quote(word: string): string {
    return quote(word);
  }

  private constructor() {}
}

// containerd keeps images of the default registry under their full name.
function qualified(reference: string, registryPrefix?: string): string {
  return registryPrefix ? reference : `docker.io/${reference}`;
}

// A relative path with a colon would be read as a host.
function localPath(path: string): string {
  return path.includes(':') && !path.startsWith('/') && !path.startsWith('.') ? `./${path}` : path;
}

function absolute(path: string): string {
  if (!path.startsWith('/')) {
    throw new Error(`archive: got ${JSON.stringify(path)}, expected an absolute path on the node such as "/tmp/rancher-import-images.tar"`);
  }
  return path;
}
