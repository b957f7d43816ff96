import { Command, Option } from 'commander';
import { stringify } from 'yaml';
import { API_VERSIONS } from '../../../core/manifest/names';
import { NodeImageCloudInit } from '../../../harvester/node/node-image-cloud-init';
import { HarvesterVersion } from '../../../harvester/version/harvester-version';
import { ImageCommands, ImageTool } from '../../../rancher/import/image-commands';
import { ImportImage, ImportImages } from '../../../rancher/import/import-images';
import { RancherVersion } from '../../../rancher/version/rancher-version';

/** The options of `images` as commander gives them. */
interface ImagesOptions {
  readonly rancherVersion: string;
  readonly harvesterVersion?: string;
  readonly registry?: string;
  readonly tag: readonly string[];
  readonly tool: ImageTool;
  readonly arch: string;
  readonly node: readonly string[];
  readonly archiveUrl: readonly string[];
  readonly format: 'list' | 'json' | 'commands' | 'cloud-init';
}

export function imagesCommand(): Command {
  const several = (value: string, all: readonly string[]): string[] => [...all, value];
  return new Command('images')
    .description('the images that an import into Rancher needs on the Harvester nodes, for clusters without internet')
    .requiredOption('--rancher-version <version>', 'version of Rancher, e.g. 2.13.8')
    .option('--harvester-version <version>', 'leave out what the ISO of this Harvester brings along')
    .option('--registry <prefix>', 'the registry that Rancher prefixes (its setting system-default-registry)')
    .option('--tag <image=tag>', 'the tag of an image that is not known; may be given several times', several, [])
    .addOption(new Option('--format <format>', 'what is printed').choices(['list', 'json', 'commands', 'cloud-init']).default('list'))
    .addOption(new Option('--tool <tool>', 'what fetches the images, for commands').choices([ImageTool.DOCKER, ImageTool.SKOPEO]).default(ImageTool.DOCKER))
    .option('--arch <architecture>', 'of the nodes, for commands: amd64 or arm64', 'amd64')
    .option('--node <address>', 'a Harvester node, for commands; may be given several times', several, [])
    .option('--archive-url <url>', 'where the nodes find an archive, for cloud-init; may be given several times', several, [])
    .action((options: ImagesOptions) => { process.stdout.write(`${images(options)}\n`); });
}

function images(options: ImagesOptions): string {
  const list = withTags(imagesFor(options), options.tag);
  switch (options.format) {
    case 'list': return list.map((image) => line(image, options.registry)).join('\n');
    case 'json': return JSON.stringify(list.map((image) => ({ ...image, reference: image.tag === undefined ? null : image.reference(options.registry) })), undefined, 2);
    case 'commands': return commands(list, options).join('\n');
    case 'cloud-init': return cloudInit(options);
  }
}

function imagesFor({ rancherVersion, harvesterVersion }: ImagesOptions): ImportImage[] {
  const rancher = RancherVersion.parse(rancherVersion);
  if (harvesterVersion === undefined) { return ImportImages.forRancher(rancher); }
  return ImportImages.missingFrom(HarvesterVersion.parse(harvesterVersion), rancher);
}

function withTags(list: readonly ImportImage[], tags: readonly string[]): ImportImage[] {
  const given = new Map(tags.map((pair) => {
    const [image, tag] = pair.split('=');
    if (!image || !tag) { throw new Error(`--tag: got "${pair}", expected <image>=<tag>, e.g. rancher/fleet-agent=v0.14.0`); }
    return [image, tag] as const;
  }));
  for (const image of given.keys()) {
    if (!list.some((candidate) => candidate.image === image)) {
      throw new Error(`--tag: got "${image}", expected one of ${list.map((candidate) => candidate.image).join(', ')}`);
    }
  }
  return list.map((image) => (given.has(image.image) ? image.withTag(given.get(image.image)!) : image));
}

// what is not known is said in a comment, so that the list can still be piped on
function line(image: ImportImage, registry: string | undefined): string {
  const remarks = [
    ...(image.required ? [] : ['only when in use']),
    ...(image.confirmed ? [] : ['UNCONFIRMED']),
    ...(image.tag === undefined ? ['tag not known, give it by --tag'] : []),
  ];
  const reference = image.tag === undefined ? `# ${image.image}` : image.reference(registry);
  return `${reference}  # ${[image.purpose, ...remarks].join('; ')}`;
}

function commands(list: readonly ImportImage[], { tool, arch, registry, node }: ImagesOptions): string[] {
  const fetch = { images: [...list], tool, architecture: arch, ...(registry ? { registryPrefix: registry } : {}) };
  const archives = ImageCommands.archives(fetch);
  const nodes = node.length > 0 ? node : ['NODE'];
  return [
    '# on a machine with access to the internet',
    ...ImageCommands.fetch(fetch),
    '# to every Harvester node',
    ...nodes.flatMap((address) => archives.map((archive) => ImageCommands.copyToNode(archive, address))),
    '# on every Harvester node',
    ...archives.map((archive) => ImageCommands.importArchive(`/tmp/${archive.split('/').pop()}`)),
    ...list.map((image) => ImageCommands.check(image, registry)),
  ];
}

function cloudInit({ archiveUrl }: ImagesOptions): string {
  if (archiveUrl.length === 0) { throw new Error('--archive-url: got none, expected where the nodes find the archives that `images --format commands` fetches'); }
  // as NodeImages does: the object has the name of the file that it writes, without the extension
  const spec = NodeImageCloudInit.spec({ archives: archiveUrl.map((url) => ({ url })) });
  return stringify({
    apiVersion: API_VERSIONS.HARVESTER_NODE,
    kind: 'CloudInit',
    metadata: { name: spec.filename.replace(/\.yaml$/, '') },
    spec,
  }, { lineWidth: 0 }).trimEnd();
}
