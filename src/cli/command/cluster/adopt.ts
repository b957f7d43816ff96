import { mkdirSync, readFileSync, writeFileSync } from 'fs';
import { dirname, isAbsolute, relative, resolve } from 'path';
import { Command, Option } from 'commander';
import { runTakeOver } from './take-over';
import { adoptClusters } from '../../../adopt/project/adopt-clusters';
import { AdoptSources } from '../../../adopt/project/adopt-sources';
import { adoptReadme } from '../../../adopt/project/readme';
import { adoptBlocks } from '../../../adopt/project/report';
import { AdoptResult } from '../../../adopt/project/run-adopt';
import { updateBlocks } from '../../../adopt/update/report';
import { AdoptUpdateResult, adoptUpdate } from '../../../commands';
import { Fields, isRecord } from '../../../core/manifest/manifest';
import { problemText } from '../../../core/problem/problem';
import { BLANK, Block, line, list, toned, withTexts } from '../../../core/text/screen';
import { ScreenFlags } from '../../../core/text/terminal';
import { packageVersion } from '../../../core/version/package-version';
import { toYaml } from '../../../core/yaml/yaml-writer';
import { CONFIG_FILE } from '../../../engine/auth/config-file';
import { parseYamlMap } from '../../../engine/auth/kubeconfig-files';
import { TAKE_OVER_FILE, takeOverText } from '../../../engine/auth/take-over';
import { ReadOptions } from '../../../engine/files/find-files';
import { optionsOf } from '../../../engine/known-options';
import { CI_SYSTEMS, Choices, DELIVERIES, checkChoices } from '../../init/choices';
import {
  packageName,
  prefixIn,
  projectFiles,
  template,
  writeProject,
} from '../../init/project-files';
import { FROM, manifestFoldersOf } from '../../option/manifest-folders';
import {
  emit,
  OUTPUT_FOLDER,
  repeatable,
  withFormat,
  withReading,
} from '../../option/output-options';
import {
  TargetFlags,
  bindOptionsOf,
  withAppOption,
  withClusterOptions,
} from '../../option/run-options';
import { EXIT, interruptible, printPainted } from '../../terminal/process';

/** The options of `adopt` as commander gives them. */
interface AdoptFlags
  extends
    UpdateFlags,
    ReadOptions,
    Pick<AdoptSources, 'guests' | 'serverUrl'>,
    Pick<Choices, 'delivery' | 'repository' | 'ci'> {
  readonly from: readonly string[];
  readonly terraform: readonly string[];
  readonly include: readonly string[];
  readonly targetVersion: readonly string[];
  readonly import: readonly string[];
  readonly update?: boolean;
  readonly outputDir?: string;
  readonly takeOver?: string;
}

const OUT = 'platform';

const TAKE_OVER = '--take-over';

/** `adopt`: writes the program that declares what was found. */
export function adoptCommand(): Command {
  const command = withReading(new Command('adopt'))
    .description(
      'write a program that declares what is on live clusters, or in folders of manifests; nothing is written to the clusters, except with --take-over',
    )
    .argument('[path]', `${OUTPUT_FOLDER}; with --update and --take-over (default: "dist")`)
    .option(
      '--output-dir <folder>',
      `write to files in this folder; a project, whose files are never overwritten (default: "${OUT}")`,
    )
    .option('--write-diff <file>', 'with --update, write the diff to this file instead of stdout')
    .option(
      '--update',
      'show what is on the clusters of a program and not in the program, as a diff for git apply, and what was changed or deleted on the clusters',
    )
    .option(
      '--take-over <file>',
      'adopt the objects of a program as they are, and those that give permissions as this reviewed file lists them, e.g. take-over.yaml; refuses what changed since',
    )
    .addOption(repeatable('--from <target:kind@version=folder>', FROM))
    .option(
      '--guests',
      'read the guest clusters of Rancher too, by the Secrets with their kubeconfigs on Rancher; those that --context or --from names are read by these',
    )
    .addOption(
      repeatable(
        '--target-version <target=version>',
        'the version of a live cluster that does not report it',
      ),
    )
    .addOption(
      repeatable(
        '--import <target=cluster>',
        'the Cluster of Rancher that imports this Harvester, by its name, its display name, or its management cluster ID, where its objects do not name it',
      ),
    )
    .option('--server-url <url>', 'the URL of Rancher, where manifests do not contain it')
    .addOption(
      repeatable(
        '--terraform <file>',
        'mark what the resources of this Terraform state own: the output of terraform show -json or terraform state pull',
      ),
    )
    .addOption(
      repeatable(
        '--select <key=value>',
        'adopt only objects of this namespace, project, label, cluster or kind, e.g. namespace=shop',
      ),
    )
    .addOption(
      repeatable(
        '--include <id>',
        'also adopt this object, which a user or a product made; the report lists such objects',
      ),
    )
    .addOption(
      new Option('--delivery <engine>', 'let this deliver the output')
        .choices(DELIVERIES)
        .default('apply'),
    )
    .option('--repository <url>', 'let the engine clone this Git repository')
    .addOption(
      new Option('--ci <system>', 'write the pipeline for this system')
        .choices(CI_SYSTEMS)
        .default('none'),
    );
  withFormat(withAppOption(command), ['text', 'json']);
  return withClusterOptions(command).action(async (path: string | undefined, flags: AdoptFlags) => {
    checkMode(path, flags, command);
    if (flags.takeOver !== undefined) {
      process.exitCode = await runTakeOver(path ?? 'dist', flags.takeOver, flags);
      return;
    }
    await interruptible(async (signal) =>
      flags.update ? runUpdate(path ?? 'dist', flags, signal) : runAdopt(flags, signal),
    );
  });
}

/** Writes a project that declares what the clusters have. Returns the exit code. */
async function runAdopt(flags: AdoptFlags, signal: AbortSignal): Promise<number> {
  const out = flags.outputDir ?? OUT;
  const choices = choicesOf(flags);
  const bind = bindOptionsOf({ ...flags, acceptNewCluster: [] });
  const result = await adoptClusters({
    ...optionsOf('adopt', flags),
    ...bind,
    from: manifestFoldersOf(flags.from),
    versions: valuesByTarget('--target-version', flags.targetVersion, 'rancher=2.15.0'),
    imports: valuesByTarget('--import', flags.import, 'dc1=harvester-prod'),
    signal,
  });
  const files = write(flags, out, choices, result);
  emit(
    flags.output === 'json'
      ? JSON.stringify({ schemaVersion: '1', ...result, files }, undefined, 2)
      : [...adoptBlocks(result), ...fileBlocks(out, files)],
    { color: flags.color, all: flags.all },
  );
  return result.differences.length + result.errors.length > 0 ? EXIT.FOUND : EXIT.DONE;
}

/** Lists the files of the project, and what to run in it. */
function fileBlocks(out: string, files: readonly string[]): readonly Block[] {
  const commands = [`cd ${out}`, 'npm install', 'npm run synth', 'npm run plan'];
  return [
    BLANK,
    line([toned('title', 'Files'), ` in ${out}`]),
    list(
      files.map((file) => line(file, 2)),
      'files',
    ),
    BLANK,
    line(toned('title', 'Next')),
    ...commands.map((each) => line(each, 2)),
  ];
}

/** Options of a new project have no effect on one that exists. */
const NEW_ONLY = [
  'outputDir',
  'from',
  'guests',
  'serverUrl',
  'terraform',
  'include',
  'targetVersion',
  'import',
  'delivery',
  'repository',
  'ci',
  'maxFileSize',
  'followLinks',
  'exclude',
];

/** Throws if options have no effect together. */
function checkMode(
  path: string | undefined,
  { update, takeOver, writeDiff }: AdoptFlags,
  command: Command,
): void {
  const modes = [...(update ? ['--update'] : []), ...(takeOver === undefined ? [] : [TAKE_OVER])];
  const [mode] = modes;
  if (modes.length > 1) {
    throw new Error(`${modes.join(', ')}: exclude each other. Fix: leave one of them out`);
  }
  if (mode !== '--update' && writeDiff !== undefined) {
    throw new Error('--write-diff: needs --update. Fix: set --update, or leave it out');
  }
  if (mode === undefined && path !== undefined) {
    throw new Error(
      `${path}: an output folder is used with --update and ${TAKE_OVER} only. Fix: set --update or ${TAKE_OVER}, or leave it out`,
    );
  }
  const without = mode === TAKE_OVER ? [...NEW_ONLY, 'select', 'writeDiff', 'all'] : NEW_ONLY;
  const lost = command.options
    .filter((option) => {
      const name = option.attributeName();
      return without.includes(name) && command.getOptionValueSource(name) === 'cli';
    })
    .map(({ long }) => String(long));
  if (mode !== undefined && lost.length > 0) {
    throw new Error(
      `${lost.join(', ')}: cannot be used with ${mode}, which reads the clusters of the program. Fix: leave one of them out`,
    );
  }
}

/** What options give for targets: each is `<target>=<value>`. */
function valuesByTarget(
  option: string,
  texts: readonly string[],
  example: string,
): { readonly [target: string]: string } {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
      if (value === undefined) {
        throw new Error(
          `${option}: must be <target>=<value>, e.g. ${example}, got ${JSON.stringify(text)}`,
        );
      }
      return [name, value] as const;
    }),
  );
}

/** What the project is made of; checked before a cluster is read. */
function choicesOf({ delivery, repository, ci }: AdoptFlags): Choices {
  const choices: Choices = {
    language: 'typescript',
    delivery,
    repository,
    ci,
    secrets: 'none',
    recipients: [],
  };
  const problems = checkChoices(choices);
  if (problems.length > 0) {
    throw new Error(problems.map(problemText).join('\n'));
  }
  return choices;
}

/** Writes the project. Returns the names of its files. */
function write(
  flags: AdoptFlags,
  out: string,
  choices: Choices,
  result: AdoptResult,
): readonly string[] {
  const files = new Map([
    ...projectFiles(choices, {
      prefix: prefixIn(out),
      name: packageName(resolve(out)),
      version: packageVersion(),
    }),
    ...template('adopt'),
    ['README.md', adoptReadme(result)],
    ...contextsText(flags, out, result),
    ...result.files,
  ]);
  writeProject(out, new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1))));
  return [...files.keys()].sort();
}

/**
 * The config file by which the project finds the clusters later, with all that the one of the command
 * has, and what its first apply adopts.
 */
function contextsText(
  { context, config }: AdoptFlags,
  out: string,
  { takeOver }: AdoptResult,
): readonly (readonly [string, string])[] {
  const given = config === undefined ? { targets: {} } : movedConfig(config, out);
  const targets = {
    ...given.targets,
    ...Object.fromEntries(
      context.map((text) => [
        text.slice(0, text.indexOf('=')),
        { context: text.slice(text.indexOf('=') + 1) },
      ]),
    ),
  };
  if (Object.keys(targets).length === 0) {
    return [];
  }
  if (takeOver.length === 0) {
    return [[CONFIG_FILE, toYaml({ ...given, targets })]];
  }
  return [
    [CONFIG_FILE, toYaml({ ...given, targets, takeOver: TAKE_OVER_FILE })],
    [TAKE_OVER_FILE, takeOverText(takeOver)],
  ];
}

/** A config file for another folder: the paths of kubeconfigs are relative to the file. */
function movedConfig(config: string, out: string): Fields & { readonly targets: Fields } {
  const { takeOver: _, targets, ...others } = parseYamlMap(readFileSync(config, 'utf8'));
  const moved = (path: unknown): unknown =>
    typeof path === 'string' && !isAbsolute(path) && !path.startsWith('~')
      ? relative(resolve(out), resolve(dirname(config), path))
      : path;
  return {
    ...others,
    targets: Object.fromEntries(
      Object.entries(isRecord(targets) ? targets : {}).map(([name, target]) => [
        name,
        isRecord(target) && target.kubeconfig !== undefined
          ? { ...target, kubeconfig: moved(target.kubeconfig) }
          : target,
      ]),
    ),
  };
}

/** The options of `adopt --update`. */
interface UpdateFlags extends Omit<TargetFlags, 'acceptNewCluster'>, ScreenFlags {
  readonly app: string;
  readonly select: readonly string[];
  readonly writeDiff?: string;
  readonly output: 'text' | 'json';
}

/** Shows what the clusters have that a program lacks. Returns the exit code. */
async function runUpdate(path: string, flags: UpdateFlags, signal: AbortSignal): Promise<number> {
  const { app, select, writeDiff } = flags;
  const found = await adoptUpdate(path, {
    ...bindOptionsOf({ ...flags, acceptNewCluster: [] }),
    app,
    select,
    signal,
  });
  const { added, pending, drifted, missing, diff, unreached, differences, errors } = found;
  if (writeDiff !== undefined) {
    mkdirSync(dirname(writeDiff), { recursive: true });
    writeFileSync(writeDiff, diff);
  }
  print(found, flags);
  if (unreached.length > 0) {
    return EXIT.FAILED;
  }
  if (differences.length + errors.length > 0) {
    return EXIT.FOUND;
  }
  return [added, pending, drifted, missing].some(({ length }) => length > 0)
    ? EXIT.CHANGES
    : EXIT.DONE;
}

function print(
  { scrub, ...result }: AdoptUpdateResult,
  { output, writeDiff, ...screen }: UpdateFlags,
): void {
  if (output === 'json') {
    emit(scrub(JSON.stringify({ schemaVersion: '1', ...result }, undefined, 2)), screen);
    return;
  }
  emit(withTexts(updateBlocks(result, { out: writeDiff, cwd: process.cwd() }), scrub), screen);
  // git apply skips the report above it
  if (writeDiff === undefined && result.diff !== '') {
    printPainted(`\n${result.diff}`);
  }
}
