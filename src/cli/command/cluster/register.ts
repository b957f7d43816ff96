import { Command, Option } from 'commander';
import { register, RegistrationMove } from '../../../engine';
import { withOutputFolder } from '../../option/output-options';
import { isTyped, RunFlags, runOnClusters, withAppOption, withTargetOptions } from '../../option/run-options';
import { EXIT } from '../../process';

interface RegisterFlags extends RunFlags {
  readonly yes?: boolean;
  readonly again?: boolean;
}

/** The options of other writing commands that it does not have. */
const NONE = { concurrency: '1', forceConflicts: [], deleteAnyway: [], preflight: true } as const;

export function registerCommand(): Command {
  const command = new Command('register')
    .description('register a Harvester with its Rancher once more, after a changed token, certificate authority or address, or with another Rancher; waits until it is connected, or reports why it is not')
    .argument('<harvester>', 'name of the target, e.g. dc1');
  withAppOption(withOutputFolder(command))
    .option('--again', 'register even if the agent is connected')
    .option('--yes', 'move to another Rancher, or to another management cluster ID, without asking')
    .option('--timeout <seconds>', 'wait at most this long for Harvester, and for its agent; default: 5 and 45 minutes')
    .addOption(new Option('--output <format>', 'print events in this format; json is one event per line').choices(['text', 'json']).default('text'));
  return withTargetOptions(command)
    .action(async (harvester: string, path: string, flags: RegisterFlags) => {
      process.exitCode = await run(harvester, path, { ...NONE, ...flags });
    });
}

async function run(harvester: string, path: string, flags: RegisterFlags): Promise<number> {
  let refused = false;
  const exitCode = await runOnClusters(flags, async (options, progress) => register(path, harvester, {
    ...options,
    again: flags.again,
    confirm: async (move) => {
      process.stderr.write(textOf(move));
      if (flags.yes) { return true; }
      if (!process.stdin.isTTY) { throw new Error('register asks before it moves a Harvester, and stdin is not a terminal. Fix: set --yes'); }
      refused = !await isTyped(`Type the name of the target (${harvester}) to continue: `, harvester, { signal: options.signal, progress });
      return !refused;
    },
  }));
  if (refused) { process.stderr.write('nothing was written\n'); }
  return refused ? EXIT.FAILED : exitCode;
}

function textOf({ harvester, from, to, fromId, toId, homeless }: RegistrationMove): string {
  const ids = fromId === toId ? `as ${toId}, the same management cluster ID`
    : `as ${toId} instead of ${fromId}: projects, members and IP pools of ${fromId} no longer apply`;
  const lost = homeless.length === 0 ? '' : `These namespaces belong to projects that ${to} does not have, and their members lose access:\n${homeless.map((line) => `  ${line}\n`).join('')}`;
  return `${harvester} is registered with ${from}, and will be with ${to}, ${ids}.\n${lost}`;
}
