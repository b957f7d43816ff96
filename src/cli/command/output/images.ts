import { Command, Option } from 'commander';
import { ImageTool } from '../../../rancher/import/import-images.data';
import { IMAGES_FORMATS, ImagesRequest, imagesReport } from '../../../report/images/images-report';
import { emit, OutputFlags, repeatable, withOutput } from '../../option/output-options';

/** The options of `images` as commander gives them. */
interface ImagesOptions extends ImagesRequest, OutputFlags<typeof IMAGES_FORMATS[number]> {}

export function imagesCommand(): Command {
  const command = new Command('images')
    .description('list the images that an import into Rancher or guest clusters need, for clusters without internet access')
    .argument('[paths...]', 'YAML or JSON files, folders, or output folders of a synthesis, for the guest clusters in them')
    .option('--rancher-version <version>', 'list the images of this version of Rancher, e.g. 2.13.8')
    .option('--harvester-version <version>', 'leave out images that the ISO of this Harvester contains; with K3s, use its chart of the cloud provider')
    .addOption(repeatable('--kubernetes-version <release>', 'list the images of guest clusters with this release instead, e.g. v1.33.6+rke2r1'))
    .option('--cloud-provider-chart <version>', 'use this chart of the cloud provider, for guest clusters that install it with a HelmChart')
    .option('--csi-chart <version>', 'use this chart of the CSI driver, for guest clusters that install it with a HelmChart')
    .option('--registry <prefix>', 'prefix images with this registry (Rancher\'s setting system-default-registry), or copy them there')
    .addOption(repeatable('--tag <image=tag>', 'set the tag of an image whose tag is unknown'))
    .addOption(new Option('--tool <tool>', 'fetch the images with this tool, for commands').choices([ImageTool.DOCKER, ImageTool.SKOPEO]).default(ImageTool.DOCKER))
    .option('--arch <architecture>', 'architecture of the nodes, for commands: amd64 or arm64', 'amd64')
    .addOption(repeatable('--node <address>', 'copy to this Harvester node, for commands'))
    .addOption(repeatable('--archive-url <url>', 'fetch an archive from this URL, for cloud-init'));
  return withOutput(command, IMAGES_FORMATS)
    .action((paths: string[], options: ImagesOptions) => { emit(imagesReport(paths, options, options.output), options); });
}
