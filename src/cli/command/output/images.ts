import { Command, Option } from 'commander';
import { stringify } from 'yaml';
import { API_VERSIONS } from '../../../core/manifest/names';
import { NodeImageCloudInit } from '../../../harvester/node/node-image-cloud-init.data';
import { HarvesterVersion } from '../../../harvester/version/harvester-version';
import { ImageCommands, ImageTool, ImportImage, ImportImages } from '../../../rancher/import/import-images.data';
import { RancherVersion } from '../../../rancher/version/rancher-version';
import { emit, OutputFlags, repeatable, withOutput } from '../../option/output-options';

/** The options of `images` as commander gives them. */
interface ImagesOptions extends OutputFlags<'text' | 'json' | 'commands' | 'cloud-init'> {
  readonly rancherVersion: string;
  readonly harvesterVersion?: string;
  readonly registry?: string;
  readonly tag: readonly string[];
  readonly tool: ImageTool;
  readonly arch: string;
  readonly node: readonly string[];
  readonly archiveUrl: readonly string[];
}

export function imagesCommand(): Command {
  const command = new Command('images')
    .description('list the images that an import into Rancher needs on the Harvester nodes, for clusters without internet access')
    .requiredOption('--rancher-version <version>', 'list the images of this version of Rancher, e.g. 2.13.8')
    .option('--harvester-version <version>', 'leave out images that the ISO of this Harvester contains')
    .option('--registry <prefix>', 'prefix images with this registry (Rancher\'s setting system-default-registry)')
    .addOption(repeatable('--tag <image=tag>', 'set the tag of an image whose tag is unknown'))
    .addOption(new Option('--tool <tool>', 'fetch the images with this tool, for commands').choices([ImageTool.DOCKER, ImageTool.SKOPEO]).default(ImageTool.DOCKER))
    .option('--arch <architecture>', 'architecture of the nodes, for commands: amd64 or arm64', 'amd64')
    .addOption(repeatable('--node <address>', 'copy to this Harvester node, for commands'))
    .addOption(repeatable('--archive-url <url>', 'fetch an archive from this URL, for cloud-init'));
  return withOutput(command, ['text', 'json', 'commands', 'cloud-init'])
    .action((options: ImagesOptions) => { emit(images(options), options); });
}

function images(options: ImagesOptions): string {
  const list = withTags(imagesFor(options), options.tag);
  switch (options.output) {
    case 'text': return list.map((image) => line(image, options.registry)).join('\n');
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
    if (!image || !tag) { throw new Error(`--tag: must be <image>=<tag>, e.g. rancher/fleet-agent=v0.14.0, got "${pair}"`); }
    return [image, tag] as const;
  }));
  for (const image of given.keys()) {
    if (!list.some((candidate) => candidate.image === image)) {
      throw new Error(`--tag: must be one of ${list.map((candidate) => candidate.image).join(', ')}, got "${image}"`);
    }
  }
  return list.map((image) => (given.has(image.image) ? image.withTag(given.get(image.image)!) : image));
}

// remarks are comments, so that the list can be piped on
function line(image: ImportImage, registry: string | undefined): string {
  const remarks = [
    ...(image.required ? [] : ['only when in use']),
    ...(image.confirmed ? [] : ['unconfirmed: not verified on a running system']),
    ...(image.tag === undefined ? ['tag unknown, set it with --tag'] : []),
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
  if (archiveUrl.length === 0) { throw new Error('--archive-url: must be set for --output cloud-init. Fix: set it to the URL of an archive that `images --output commands` creates'); }
  // as NodeImages does: the object has the name of the file that it writes, without the extension
  const spec = NodeImageCloudInit.spec({ archives: archiveUrl.map((url) => ({ url })) });
  return stringify({
    apiVersion: API_VERSIONS.HARVESTER_NODE,
    kind: 'CloudInit',
    metadata: { name: spec.filename.replace(/\.yaml$/, '') },
    spec,
  }, { lineWidth: 0 }).trimEnd();
}
