import { resolve } from 'path';
import { Argument, Command, Option } from 'commander';
import { problemText } from '../../../core/rule/problem';
import { BLANK, Block, line, list, toned } from '../../../core/text/screen';
import { packageVersion } from '../../../core/version/package-version';
import { CI_SYSTEMS, Choices, DELIVERIES, LANGUAGES, SECRETS, checkChoices } from '../../init/choices';
import { nextSteps } from '../../init/next-steps';
import { packageName, projectFiles } from '../../init/project-files';
import { prefixIn, writeProject } from '../../init/write-project';
import { emit, repeatable, withScreen } from '../../option/output-options';
import { ScreenFlags } from '../../process';

/** The options of `init` as commander gives them. */
interface InitFlags extends Omit<Choices, 'language' | 'recipients'>, ScreenFlags {
  readonly sopsRecipient: readonly string[];
}

/** `init`: writes a new project. */
export function initCommand(): Command {
  return withScreen(new Command('init'))
    .description('write a new project: a program, a test, a pipeline, and what delivers the output')
    .addArgument(new Argument('[language]', 'language of the program').choices(LANGUAGES).default('typescript'))
    .argument('[folder]', 'folder of the project; files that exist are never overwritten', '.')
    .addOption(new Option('--delivery <engine>', 'let this deliver the output').choices(DELIVERIES).default('apply'))
    .option('--repository <url>', 'let the engine clone this Git repository')
    .addOption(new Option('--secrets <way>', 'keep secrets in the output in this way').choices(SECRETS).default('none'))
    .addOption(repeatable('--sops-recipient <key>', 'encrypt secrets for this public key of age'))
    .addOption(new Option('--ci <system>', 'write the pipeline for this system').choices(CI_SYSTEMS).default('github'))
    .action((language: Choices['language'], folder: string, { sopsRecipient, ...flags }: InitFlags) => {
      const choices: Choices = { ...flags, language, recipients: sopsRecipient };
      const prefix = prefixIn(folder);
      const problems = [...checkChoices(choices), ...(prefix === '' || choices.ci === 'none' ? [] : [{
        path: '--ci', value: choices.ci, message: `must be none in a folder below the top of its Git repository, ${prefix}`, fix: 'set --ci none, or run init in the top folder',
      }])];
      if (problems.length > 0) { throw new Error(problems.map(problemText).join('\n')); }
      const files = projectFiles(choices, { prefix, name: packageName(resolve(folder)), version: packageVersion() });
      writeProject(folder, files);
      emit(report(folder, [...files.keys()], choices), flags);
    });
}

function report(folder: string, files: readonly string[], choices: Choices): Block[] {
  return [
    line([toned('title', 'Files'), ...(folder === '.' ? [] : [` in ${folder}`])]),
    list(files.map((file) => line(file, 2)), 'files'),
    BLANK,
    line(toned('title', 'Next')),
    ...nextSteps(folder, choices),
  ];
}
