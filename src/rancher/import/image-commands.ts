import { ImportImage } from './import-images';
import { commandLine, quote } from '../../core/text/shell-quote';

/**
 * The program that downloads images on the machine with internet access.
 */
export enum ImageTool {
  /** Docker, or podman installed as `docker`. Writes one archive for all images. */
  DOCKER = 'docker',

  /** Skopeo, which needs no daemon. Writes one archive per image. */
  SKOPEO = 'skopeo',
}

/**
 * Options for downloading images to archives.
 */
interface FetchImagesOptions {
  /** The images, each with a tag. */
  readonly images: ImportImage[];

  /**
   * The program that downloads them.
   *
   * @default ImageTool.DOCKER
   */
  readonly tool?: ImageTool;

  /**
   * The processor architecture of the Harvester nodes: `amd64` or `arm64`.
   *
   * @default amd64
   */
  readonly architecture?: string;

  /**
   * The directory that the archives are written to. It must exist.
   *
   * @default - the working directory
   */
  readonly directory?: string;

  /**
   * The registry that Rancher prefixes, so that the images have the names that the nodes look for.
   *
   * @default - no registry is prefixed
   */
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
   * The commands that download the images and save them as archives, on a machine with internet access.
   */
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

  /**
   * Quotes a word for a POSIX shell.
   */
  public static quote(word: string): string {
    return quote(word);
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
