import { extname } from 'path';
import { Command } from 'commander';
import { encryptedNote } from '../../../engine/read/encrypted-objects';
import {
  GRAPH_FORMATS,
  GraphFormat,
  findPlatform,
  graphReport,
} from '../../../report/graph/page/graph-report';
import {
  emit,
  OutputFlags,
  repeatable,
  withOutput,
  withOutputFolder,
} from '../../option/output-options';
import { printError } from '../../terminal/process';

/** The formats by the ends of the names of files. */
const FORMAT_OF: { readonly [end: string]: GraphFormat | undefined } = {
  '.html': 'html',
  '.json': 'json',
  '.mermaid': 'mermaid',
  '.mmd': 'mermaid',
  '.svg': 'svg',
};

interface GraphFlags extends OutputFlags<GraphFormat> {
  readonly of?: string;
  readonly before: readonly string[];
  readonly world: readonly string[];
}

export function graphCommand(): Command {
  const command = withOutputFolder(new Command('graph'))
    .description(
      'draw the platform: clusters, projects, machines, networks and addresses, what depends on what, and what waits for late values',
    )
    .option(
      '--of <name>',
      'show this part and what is around it; the path of a construct, or the name of a cluster, a part or an object',
    )
    .addOption(
      repeatable(
        '--before <path>',
        'compare with the previous output, or the previous manifests, at this path; marks what a change deletes or replaces',
      ),
    )
    .addOption(
      repeatable(
        '--world <path>',
        'read live objects from this path; e.g. quotas, pools with their status, roles',
      ),
    );
  return withOutput(command, GRAPH_FORMATS)
    .addHelpText(
      'after',
      '\nWithout --output, the name of the output file decides: platform.html, platform.svg, platform.mmd, platform.json.',
    )
    .action((folder: string, flags: GraphFlags) => {
      const { of, before, world, output, outputFile } = flags;
      const isChosen = command.getOptionValueSource('output') !== 'default';
      const named = FORMAT_OF[extname(outputFile ?? '').toLowerCase()];
      const found = findPlatform(folder, { of, before, world });
      emit(graphReport(found, isChosen ? output : (named ?? output)), flags);
      const note = encryptedNote(found.inputs, 'judged');
      if (note !== undefined) {
        printError(note);
      }
    });
}
