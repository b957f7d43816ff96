import { Command } from 'commander';
import { accessMatrix, AccessMatrix } from '../../../report/access/access-matrix';
import { accessHtml, accessMarkdown, accessText } from '../../../report/access/access-text';
import { emit, OutputFlags, readWith, repeatable, withManifests, withOutput } from '../../option/output-options';

type Format = 'text' | 'json' | 'markdown' | 'html';

/** The options of `access` as commander gives them. */
interface AccessOptions extends OutputFlags<Format> {
  readonly world: readonly string[];
}

const FORMATS: Readonly<Record<Format, (matrix: AccessMatrix) => string>> = {
  text: accessText,
  json: (matrix) => JSON.stringify(matrix, undefined, 2),
  markdown: accessMarkdown,
  html: accessHtml,
};

export function accessCommand(): Command {
  const command = withManifests(new Command('access'))
    .description('report who may do what where, from the roles and bindings of a program')
    .addOption(repeatable('--world <path>', 'read live objects from this path, e.g. roles and bindings of Rancher'));
  return withOutput(command, Object.keys(FORMATS))
    .action((paths: string[], flags: AccessOptions) => { emit(FORMATS[flags.output](read(paths, flags.world)), flags); });
}

function read(paths: readonly string[], world: readonly string[]): AccessMatrix {
  const [input, live] = readWith(paths, world);
  return accessMatrix(input.objects, live.objects);
}
