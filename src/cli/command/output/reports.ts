import { Command, Option } from 'commander';
import { World } from '../../../core/rule/rule';
import { Redactor } from '../../../core/secret/redactor';
import { plainText, shortPath } from '../../../core/text/plain-text';
import { BLANK, Block, line, toned, withTexts } from '../../../core/text/screen';
import { ScreenFlags } from '../../../core/text/terminal';
import { ReadOptions } from '../../../engine/files/find-files';
import { manifestsOfEdits, readEdits, readEnvironments } from '../../../engine/read/compared-input';
import { encryptedNote } from '../../../engine/read/encrypted-objects';
import { Input } from '../../../engine/read/read-input';
import { ImageTool } from '../../../rancher/import/import-images.data';
import { accessMatrix, AccessMatrix, joinAccess } from '../../../report/access/access-matrix';
import { accessHtml, accessMarkdown, accessText } from '../../../report/access/access-text';
import {
  ADDRESS_FORMATS,
  AddressFormat,
  addressTable,
  joinAddresses,
  printAddresses,
} from '../../../report/addresses/address-table';
import { explain } from '../../../report/explain/explain';
import { EXPLAIN_FORMATS, printExplanations } from '../../../report/explain/explanation';
import { FITS_FORMATS, FitsFormat, fitsOf, printFits } from '../../../report/fits/fit-table';
import { IMAGES_FORMATS, ImagesRequest, imagesReport } from '../../../report/images/images-report';
import { impactsOfEdits, unusedAcceptances } from '../../../report/impact/edit-impacts';
import { mayLoseMachines } from '../../../report/impact/impact';
import { IMPACT_FORMATS, ImpactFormat, impactReport } from '../../../report/impact/print-impact';
import { showText } from '../../../report/show/show';
import {
  emit,
  OutputFlags,
  readingOf,
  repeatable,
  withHarvesterVersion,
  withManifests,
  withOutput,
  withOutputFolder,
  withReading,
  withScreen,
  withTargetKind,
  WorldFlags,
} from '../../option/output-options';
import { EXIT, printError } from '../../terminal/process';

export function explainCommand(): Command {
  const command = new Command('explain')
    .description(
      'explain a construct, a prop, a kind, a field, a rule, a setting, an exit code, or the message of a server, or search for words',
    )
    .argument(
      '<topic...>',
      'GuestCluster, GuestCluster.pools, sshUser, Cluster.spec.kubernetesVersion, ip-pool/overlap, ntp-servers, "cluster not found", "active directory"',
    );
  return withOutput(command, EXPLAIN_FORMATS).action(
    (words: readonly string[], flags: OutputFlags<(typeof EXPLAIN_FORMATS)[number]>) => {
      emit(printExplanations(explain(words.join(' ')), flags.output), flags);
    },
  );
}

export function showCommand(): Command {
  const command = withOutputFolder(new Command('show')).description(
    'summarize the output of a synthesis: files of each target, findings, next steps',
  );
  return withScreen(command).action((folder: string, flags: ScreenFlags) => {
    emit(showText(folder), flags);
  });
}

type Format = 'text' | 'json' | 'markdown' | 'html';

const FORMATS: Readonly<Record<Format, (matrix: AccessMatrix) => string | readonly Block[]>> = {
  text: accessText,
  json: (matrix) => JSON.stringify(matrix, undefined, 2),
  markdown: accessMarkdown,
  html: accessHtml,
};

export function accessCommand(): Command {
  const command = withManifests(new Command('access'))
    .description('report who may do what where, from the roles and bindings of a program')
    .addOption(
      repeatable(
        '--world <path>',
        'read live objects from this path; e.g. roles and bindings of Rancher',
      ),
    );
  return withOutput(command, Object.keys(FORMATS)).action(
    (paths: string[], flags: Pick<WorldFlags, 'world'> & ReadOptions & OutputFlags<Format>) => {
      const environments = readEnvironments(paths, flags.world, readingOf(flags));
      const matrices = environments.map(({ environment, input, live }) => ({
        environment,
        matrix: accessMatrix(input.objects, live.objects),
      }));
      emit(FORMATS[flags.output](joinAccess(matrices)), flags);
      printEncrypted(environments.flatMap(({ input, live }) => [input, live]));
    },
  );
}

export function addressesCommand(): Command {
  const command = withManifests(new Command('addresses')).description(
    "report which IP pool each load balancer's address comes from, and how many addresses are free",
  );
  withHarvesterVersion(withTargetKind(command)).addOption(
    repeatable('--world <path>', 'read live objects from this path; e.g. pools with their status'),
  );
  return withOutput(command, ADDRESS_FORMATS)
    .addHelpText(
      'after',
      '\nlint reports what does not fit: overlapping pools, load balancers without a pool, pools without a free address.',
    )
    .action((paths: string[], flags: WorldFlags & OutputFlags<AddressFormat>) => {
      const environments = readEnvironments(paths, flags.world, {
        ...readingOf(flags),
        targetKind: flags.targetKind,
        harvesterVersion: flags.harvesterVersion,
      });
      const tables = environments.map(({ environment, input, live }) => ({
        environment,
        table: addressTable(new World(input.objects, live.objects)),
      }));
      emit(printAddresses(joinAddresses(tables), flags.output), flags);
      printEncrypted(environments.flatMap(({ input, live }) => [input, live]));
    });
}

export function fitsCommand(): Command {
  const command = withManifests(new Command('fits')).description(
    'compare machines, volumes and load balancers with quotas, pools of addresses, and devices; exits with 3 if something does not fit',
  );
  withHarvesterVersion(withTargetKind(command)).addOption(
    repeatable(
      '--world <path>',
      'read live objects from this path; e.g. quotas and machines of others',
    ),
  );
  return withOutput(command, FITS_FORMATS).action(
    (paths: string[], flags: WorldFlags & OutputFlags<FitsFormat>) => {
      const environments = readEnvironments(paths, flags.world, {
        ...readingOf(flags),
        targetKind: flags.targetKind,
        harvesterVersion: flags.harvesterVersion,
      });
      const rows = fitsOf(environments);
      emit(printFits(rows, flags.output), flags);
      printEncrypted(environments.flatMap(({ input, live }) => [input, live]));
      process.exitCode = rows.some((row) => row.fits === 'no') ? EXIT.FOUND : EXIT.DONE;
    },
  );
}

export function impactCommand(): Command {
  const command = withManifests(new Command('impact'))
    .description(
      'report what an edit does to machines, data and tenants: what is replaced or deleted, and by which change; exits with 3 if machines are or may be lost',
    )
    .addOption(
      repeatable(
        '--before <path>',
        'compare with the previous output, or the previous manifests, at this path',
      ),
    );
  return withOutput(command, IMPACT_FORMATS).action(
    (
      paths: string[],
      flags: ReadOptions & OutputFlags<ImpactFormat> & { readonly before: readonly string[] },
    ) => {
      if (flags.before.length === 0) {
        throw new Error('--before: must be set. Fix: set it to the previous output');
      }
      const reading = readingOf(flags);
      const edits = readEdits(paths, flags.before, reading).map((edit) => ({
        ...edit,
        impacts: impactsOfEdits([edit]),
      }));
      const impacts = edits.flatMap((edit) => edit.impacts);
      const redactor = Redactor.of(manifestsOfEdits(edits));
      const report = impactReport(impacts, flags.output);
      emit(
        typeof report === 'string'
          ? redactor.scrub(report)
          : withTexts([titleOf(paths, flags.before), BLANK, ...report], (text) =>
              redactor.scrub(text),
            ),
        flags,
      );
      printEncrypted(
        edits.flatMap(({ before, after }) => [before, after]),
        'compared',
      );
      for (const edit of edits) {
        for (const text of unusedAcceptances(edit.before, edit.after, edit.impacts)) {
          printError(plainText(edit.environment ? `${edit.environment}: ${text}` : text));
        }
      }
      process.exitCode = impacts.some(mayLoseMachines) ? EXIT.FOUND : EXIT.DONE;
    },
  );
}

/** One line about what a report does not know. */
function printEncrypted(inputs: readonly Input[], done: 'compared' | 'judged' = 'judged'): void {
  const note = encryptedNote(inputs, done);
  if (note !== undefined) {
    printError(note);
  }
}

/** What is compared, as paths from the folder of the user. */
function titleOf(paths: readonly string[], before: readonly string[]): Block {
  const named = (of: readonly string[]): string => of.map(shortPath).join(', ');
  return line([toned('title', `Impact of ${named(paths)}`), `, compared with ${named(before)}`]);
}

export function imagesCommand(): Command {
  const command = withReading(new Command('images'))
    .description(
      'list the images that an import into Rancher or guest clusters need, for clusters without internet access',
    )
    .argument(
      '[paths...]',
      'YAML or JSON files, folders, or output folders of a synthesis; for the guest clusters in them',
    )
    .option(
      '--rancher-version <version>',
      'take this as the version of Rancher; its images are listed, e.g. 2.13.8',
    )
    .option(
      '--harvester-version <version>',
      'take this as the version of Harvester; images that its ISO contains are left out, and K3s uses its chart of the cloud provider',
    )
    .addOption(
      repeatable(
        '--kubernetes-version <version>',
        'take this as the version of Kubernetes; its images are listed instead of those of the guest clusters, e.g. v1.33.6+rke2r1',
      ),
    )
    .option(
      '--cloud-provider-chart <version>',
      'use this chart of the cloud provider, for guest clusters that install it with a HelmChart',
    )
    .option(
      '--csi-chart <version>',
      'use this chart of the CSI driver, for guest clusters that install it with a HelmChart',
    )
    .option(
      '--registry <prefix>',
      "prefix images with this registry (Rancher's setting system-default-registry), or copy them there",
    )
    .addOption(repeatable('--tag <image=tag>', 'set the tag of an image whose tag is unknown'))
    .addOption(
      new Option('--tool <tool>', 'fetch the images with this tool, for commands')
        .choices([ImageTool.DOCKER, ImageTool.SKOPEO])
        .default(ImageTool.DOCKER),
    )
    .option(
      '--arch <architecture>',
      'architecture of the nodes, for commands: amd64 or arm64',
      'amd64',
    )
    .addOption(repeatable('--node <address>', 'copy to this Harvester node, for commands'))
    .addOption(repeatable('--archive-url <url>', 'fetch an archive from this URL, for cloud-init'));
  return withOutput(command, IMAGES_FORMATS).action(
    (paths: string[], flags: ImagesRequest & OutputFlags<(typeof IMAGES_FORMATS)[number]>) => {
      emit(imagesReport(paths, flags, flags.output), flags);
    },
  );
}
