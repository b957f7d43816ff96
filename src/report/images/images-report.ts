import { stringify } from 'yaml';
import { groupOf, kindKey } from '../../core/manifest/manifest';
import { API_VERSIONS } from '../../core/manifest/names';
import { ENCRYPTED } from '../../core/rule/program-rules';
import { commandLine, quote } from '../../core/text/plain-text';
import { Block, line, list as foldedList, toned } from '../../core/text/screen';
import { refuseUnread } from '../../engine/files/file-findings';
import { ReadOptions } from '../../engine/files/find-files';
import { readInput } from '../../engine/read/read-input';
import { guestReleaseOf, GuestImages } from '../../guest/images/guest-images.data';
import { NodeImageCloudInit } from '../../harvester/node/node-image-cloud-init.data';
import { printHarvesterSetting } from '../../harvester/settings/harvester-settings.data';
import { HarvesterVersion } from '../../harvester/version/harvester-version';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.facts';
import {
  ImageCommands,
  ImageTool,
  ImportImage,
  ImportImages,
} from '../../rancher/import/import-images.data';
import { RancherVersion } from '../../rancher/version/rancher-version';

/**
 * The formats of the report: a list for people or programs, shell commands, a CloudInit for the
 * nodes of Harvester, or the mirror configuration of guest nodes (registries.yaml) and of Harvester
 * nodes (the Setting).
 */
export const IMAGES_FORMATS = [
  'text',
  'json',
  'commands',
  'cloud-init',
  'registries',
  'containerd-registry',
] as const;

/**
 * What determines the images that an import into Rancher needs on the Harvester nodes, and how they
 * get there.
 */
export interface ImagesRequest extends ReadOptions {
  /** The version of Rancher; not needed for manifests whose output folder names it. */
  readonly rancherVersion?: string;
  /**
   * Images that the ISO of this Harvester contains are left out; with K3s, its chart of the cloud
   * provider is the default.
   */
  readonly harvesterVersion?: string;
  /** Releases of guest clusters, whose images are listed instead of those of the import. */
  readonly kubernetesVersion: readonly string[];
  /** Charts that a guest cluster installs in place of the bundled ones. */
  readonly cloudProviderChart?: string;
  readonly csiChart?: string;
  /** Prefix of the images: Rancher's setting `system-default-registry`. */
  readonly registry?: string;
  /** Tags of images whose tag is unknown, as `<image>=<tag>`. */
  readonly tag: readonly string[];
  readonly tool: ImageTool;
  /** Architecture of the nodes. */
  readonly arch: string;
  /** Addresses of the Harvester nodes. */
  readonly node: readonly string[];
  /** URLs of archives that the nodes fetch at boot. */
  readonly archiveUrl: readonly string[];
}

/**
 * Prints the images that an import or guest clusters need.
 *
 * @param paths manifests with guest clusters; without them, the versions of the request count
 */
export function imagesReport(
  paths: readonly string[],
  request: ImagesRequest,
  format: (typeof IMAGES_FORMATS)[number],
): string | Block[] {
  switch (format) {
    case 'registries':
      return registriesYaml(request.registry);
    case 'containerd-registry':
      return containerdSetting(request.registry);
    case 'cloud-init':
      return cloudInit(request);
  }
  const guests =
    paths.length > 0
      ? guestsIn(paths, request)
      : request.kubernetesVersion.map((kubernetes) => ofVersions(kubernetes, request));
  const list = withTags(
    guests.length > 0
      ? distinct(guests.flatMap((guest) => GuestImages.forCluster(guest)))
      : imagesFor(request),
    request.tag,
  );
  const lists = [...new Set(guests.map(({ kubernetes }) => kubernetes))].map((kubernetes) =>
    GuestImages.listOf(kubernetes, request.arch),
  );
  switch (format) {
    case 'text':
      return [
        ...lists.map(({ url, purpose }) => line([`# ${url}`, toned('quiet', `  # ${purpose}`)])),
        foldedList(
          list.map((image) => imageLine(image, request.registry)),
          'images',
        ),
      ];
    case 'json': {
      const images = list.map((image) => ({
        ...image,
        reference: image.tag === undefined ? null : image.reference(request.registry),
      }));
      return JSON.stringify(guests.length > 0 ? { lists, images } : images, undefined, 2);
    }
    case 'commands':
      return (
        guests.length > 0 ? mirrorCommands(list, lists, request) : commands(list, request)
      ).join('\n');
  }
}

type Guest = Parameters<typeof GuestImages.forCluster>[0];

function ofVersions(
  kubernetes: string,
  { harvesterVersion, cloudProviderChart, csiChart, ...request }: ImagesRequest,
): Guest {
  const harvester =
    harvesterVersion === undefined ? undefined : HarvesterVersion.parse(harvesterVersion);
  return { kubernetes, rancher: rancherOf(request), harvester, cloudProviderChart, csiChart };
}

function guestsIn(paths: readonly string[], request: ImagesRequest): Guest[] {
  const { objects, findings } = readInput(paths, {
    maxFileSize: request.maxFileSize,
    followLinks: request.followLinks,
    exclude: request.exclude,
  });
  // releases and charts are not secret
  refuseUnread(findings, ENCRYPTED);
  const guests = objects.flatMap(({ manifest, target }): Guest[] => {
    const release = CLUSTER_KINDS.includes(kindKey(groupOf(manifest.apiVersion), manifest.kind))
      ? guestReleaseOf(manifest)
      : undefined;
    if (release) {
      return [
        {
          ...release,
          rancher: rancherOf({ rancherVersion: request.rancherVersion ?? target.rancherVersion }),
        },
      ];
    }
    return [];
  });
  if (guests.length === 0) {
    throw new Error(
      `${paths.join(', ')}: must contain a guest cluster. Fix: use the output folder of a program with one, or --kubernetes-version`,
    );
  }
  return guests;
}

function rancherOf({ rancherVersion }: Pick<ImagesRequest, 'rancherVersion'>): RancherVersion {
  if (rancherVersion === undefined) {
    throw new Error('--rancher-version: must be set, e.g. 2.13.8');
  }
  return RancherVersion.parse(rancherVersion);
}

function distinct(images: readonly ImportImage[]): ImportImage[] {
  return [...new Map(images.map((image) => [`${image.image}:${image.tag ?? ''}`, image])).values()];
}

function imagesFor({ rancherVersion, harvesterVersion }: ImagesRequest): ImportImage[] {
  const rancher = rancherOf({ rancherVersion });
  if (harvesterVersion === undefined) {
    return ImportImages.forRancher(rancher);
  }
  return ImportImages.missingFrom(HarvesterVersion.parse(harvesterVersion), rancher);
}

function withTags(list: readonly ImportImage[], tags: readonly string[]): ImportImage[] {
  const given = new Map(
    tags.map((pair) => {
      const [image, tag] = pair.split('=');
      if (!image || !tag) {
        throw new Error(
          `--tag: must be <image>=<tag>, e.g. rancher/fleet-agent=v0.14.0, got "${pair}"`,
        );
      }
      return [image, tag] as const;
    }),
  );
  for (const image of given.keys()) {
    if (!list.some((candidate) => candidate.image === image)) {
      throw new Error(
        `--tag: must be one of ${list.map((candidate) => candidate.image).join(', ')}, got "${image}"`,
      );
    }
  }
  return list.map((image) =>
    given.has(image.image) ? image.withTag(given.get(image.image)!) : image,
  );
}

// remarks are comments, so that the list can be piped on
function imageLine(image: ImportImage, registry: string | undefined): Block {
  const remarks = [
    ...(image.required ? [] : ['only when in use']),
    ...(image.confirmed ? [] : ['unconfirmed: not verified on a running system']),
    ...(image.tag === undefined ? ['tag unknown, set it with --tag'] : []),
  ];
  const reference = image.tag === undefined ? `# ${image.image}` : image.reference(registry);
  return line([
    reference,
    toned(
      remarks.length > 0 ? 'warning' : 'quiet',
      `  # ${[image.purpose, ...remarks].join('; ')}`,
    ),
  ]);
}

function commands(
  list: readonly ImportImage[],
  { tool, arch, registry, node }: ImagesRequest,
): string[] {
  const fetch = {
    images: [...list],
    tool,
    architecture: arch,
    ...(registry ? { registryPrefix: registry } : {}),
  };
  const archives = ImageCommands.archives(fetch);
  const nodes = node.length > 0 ? node : ['NODE'];
  return [
    '# on a machine with access to the internet',
    ...ImageCommands.fetch(fetch),
    '# to every Harvester node',
    ...nodes.flatMap((address) =>
      archives.map((archive) => ImageCommands.copyToNode(archive, address)),
    ),
    '# on every Harvester node',
    ...archives.map((archive) => ImageCommands.importArchive(`/tmp/${archive.split('/').pop()}`)),
    ...list.map((image) => ImageCommands.check(image, registry)),
  ];
}

function cloudInit({ archiveUrl }: ImagesRequest): string {
  if (archiveUrl.length === 0) {
    throw new Error(
      '--archive-url: must be set for --output cloud-init. Fix: set it to the URL of an archive that `images --output commands` creates',
    );
  }
  // as NodeImages does: the object has the name of the file that it writes, without the extension
  const spec = NodeImageCloudInit.spec({ archives: archiveUrl.map((url) => ({ url })) });
  return stringify(
    {
      apiVersion: API_VERSIONS.HARVESTER_NODE,
      kind: 'CloudInit',
      metadata: { name: spec.filename.replace(/\.yaml$/, '') },
      spec,
    },
    { lineWidth: 0 },
  ).trimEnd();
}

/** The registry that all images come from without a mirror: Docker Hub. */
const UPSTREAM = 'docker.io';

/** A list of images that a release publishes. */
interface PublishedList {
  readonly url: string;
}

/** A mirror: the host with its port, and the path below which images are. */
interface Mirror {
  readonly host: string;
  readonly path?: string;
}

function mirrorOf(registry: string | undefined): Mirror {
  const match =
    /^([A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]{1,5})?)(?:\/([a-z0-9]+(?:[._/-][a-z0-9]+)*))?$/.exec(
      registry ?? '',
    );
  if (!match) {
    throw new Error(
      `--registry: must be a host, optionally with port and path, got ${JSON.stringify(registry ?? '')}. ` +
        'Fix: set it to your mirror, e.g. registry.example.com:5000/mirror',
    );
  }
  return { host: match[1], ...(match[2] === undefined ? {} : { path: match[2] }) };
}

/** The commands that copy images, and those of the published lists, to a registry of your own. */
function mirrorCommands(
  images: readonly ImportImage[],
  lists: readonly PublishedList[],
  { registry, tool, arch }: { registry?: string; tool: ImageTool; arch: string },
): string[] {
  const { host, path } = mirrorOf(registry);
  const prefix = path === undefined ? host : `${host}/${path}`;
  if (arch !== 'amd64' && arch !== 'arm64') {
    throw new Error(`--arch: must be amd64 or arm64, got "${arch}"`);
  }
  const unknown = images.filter(({ tag }) => tag === undefined);
  const known = images.filter(({ tag }) => tag !== undefined).map((image) => image.reference());
  const copy = COPY[tool];
  return [
    '# on a machine with access to the internet and to the registry',
    ...lists.flatMap(({ url }) => [
      `curl -fsSL ${quote(url)} | sed 's#^${UPSTREAM}/##' | while read -r image; do`,
      // the image is a variable of the shell
      ...copy(
        '"$image"',
        `"${prefix}/$image"`,
        `"docker://${UPSTREAM}/$image"`,
        `"docker://${prefix}/$image"`,
        arch,
      ).map((command) => `  ${command} < /dev/null || exit 1`),
      'done',
    ]),
    ...known.flatMap((image) =>
      copy(
        quote(image),
        quote(`${prefix}/${image}`),
        quote(`docker://${UPSTREAM}/${image}`),
        quote(`docker://${prefix}/${image}`),
        arch,
      ),
    ),
    ...unknown.map(({ image }) => `# ${image}: tag unknown, set it with --tag`),
  ];
}

type Copy = (image: string, mirrored: string, from: string, to: string, arch: string) => string[];

const COPY: Record<ImageTool, Copy> = {
  [ImageTool.DOCKER]: (image, mirrored, _from, _to, arch) => [
    `${commandLine('docker', 'pull', '--platform', `linux/${arch}`)} ${image}`,
    `docker tag ${image} ${mirrored}`,
    `docker push ${mirrored}`,
  ],
  [ImageTool.SKOPEO]: (_image, _mirrored, from, to, arch) => [
    `${commandLine('skopeo', 'copy', '--override-os', 'linux', '--override-arch', arch)} ${from} ${to}`,
  ],
};

/**
 * The file registries.yaml of RKE2 and K3s, also `rkeConfig.registries` of a Cluster.
 * @see https://docs.rke2.io/install/private_registry
 */
function registriesYaml(registry: string | undefined): string {
  const { host, path } = mirrorOf(registry);
  const mirror = {
    endpoint: [`https://${host}`],
    ...(path === undefined ? {} : { rewrite: rewriteTo(path) }),
  };
  return stringify({ mirrors: { [UPSTREAM]: mirror } }, { lineWidth: 0 }).trimEnd();
}

/** The Harvester Setting containerd-registry, which configures the nodes of Harvester. */
function containerdSetting(registry: string | undefined): string {
  const { host, path } = mirrorOf(registry);
  const mirror = {
    endpoints: [`https://${host}`],
    ...(path === undefined ? {} : { rewrites: rewriteTo(path) }),
  };
  // its form is the same in all versions
  const value = printHarvesterSetting(
    'containerd-registry',
    { mirrors: { [UPSTREAM]: mirror } },
    () => '',
  );
  return stringify(
    {
      apiVersion: API_VERSIONS.HARVESTER,
      kind: 'Setting',
      metadata: { name: 'containerd-registry' },
      value,
    },
    { lineWidth: 0 },
  ).trimEnd();
}

function rewriteTo(path: string): { readonly [pattern: string]: string } {
  return { '^(.*)$': `${path}/$1` };
}
