import { writeFileSync } from 'fs';
import { Command, Option } from 'commander';
import { readInput, targetsOf } from '../../../engine/read/read-input';
import { accessHtml } from '../../../report/access/access-html';
import { accessMatrix } from '../../../report/access/access-matrix';
import { accessMarkdown, accessText } from '../../../report/access/access-text';
import { AccessMatrix } from '../../../report/access/matrix';

type Format = 'text' | 'json' | 'markdown' | 'html';

/** The options of `access` as commander gives them. */
interface AccessOptions {
  readonly world: readonly string[];
  readonly format: Format;
  readonly out?: string;
}

const FORMATS: Readonly<Record<Format, (matrix: AccessMatrix) => string>> = {
  text: (matrix) => `${accessText(matrix)}\n`,
  json: (matrix) => `${JSON.stringify(matrix, undefined, 2)}\n`,
  markdown: accessMarkdown,
  html: accessHtml,
};

export function accessCommand(): Command {
  const several = (value: string, all: readonly string[]): string[] => [...all, value];
  return new Command('access')
    .description('tell who may do what where, from the roles and bindings of a program')
    .argument('[paths...]', 'output folders, YAML or JSON files', ['dist'])
    .option('--world <path>', 'objects that are live beside them, e.g. roles and bindings read from Rancher; may be given several times', several, [])
    .addOption(new Option('--format <format>', 'how it is printed').choices(Object.keys(FORMATS)).default('text'))
    .option('--out <file>', 'write it to a file')
    .action((paths: string[], { world, format, out }: AccessOptions) => {
      const text = FORMATS[format](read(paths, world));
      if (out === undefined) { process.stdout.write(text); } else { writeFileSync(out, text); }
    });
}

function read(paths: readonly string[], world: readonly string[]): AccessMatrix {
  const input = readInput(paths, {});
  const live = readInput(world, {}, targetsOf(input.assemblies, {}));
  const broken = [...input.findings, ...live.findings];
  // rights of a file that can not be read would be missing without a word
  if (broken.length > 0) { throw new Error(broken.map(({ message }) => message).join('\n')); }
  return accessMatrix(input.objects, live.objects);
}
