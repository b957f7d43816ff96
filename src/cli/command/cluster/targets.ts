import { Command } from 'commander';
import { forget, register, RegistrationMove } from '../../../commands';
import { plainText } from '../../../core/text/plain-text';
import { BoundTargets } from '../../../engine/cluster/cluster';
import { appOf } from '../../../engine/fields/apply-set';
import { holderOf, leaseOf } from '../../../engine/inventory/lease';
import { homeTarget } from '../../../engine/inventory/removed-targets';
import { readAssembly } from '../../../engine/read/load-assembly';
import { withOutputFolder } from '../../option/output-options';
import {
  isTyped,
  RunFlags,
  runOnClusters,
  withAppOption,
  withProgress,
  withTargetOptions,
  bindByFlags,
  bindOptionsOf,
  TargetFlags,
} from '../../option/run-options';
import { EXIT, print, printError } from '../../terminal/process';

interface RegisterFlags extends RunFlags {
  readonly yes?: boolean;
  readonly acceptConnected?: boolean;
}

/** The options of other writing commands that it does not have. */
const NONE = { concurrency: '1', forceConflicts: [], acceptInUse: [], preflight: true } as const;

export function registerCommand(): Command {
  const command = new Command('register')
    .description(
      'register a Harvester with its Rancher again, after a changed token, certificate authority or address, or with another Rancher; waits until it is connected, or reports why it is not',
    )
    .argument('<target>', 'name of the target; a Harvester, e.g. dc1');
  withAppOption(withOutputFolder(command))
    .option('--accept-connected', 'accept that the agent is connected, and register again')
    .option(
      '--yes',
      'do not ask for confirmation; without it, the command asks before a move to another Rancher or management cluster ID',
    )
    .option(
      '--timeout <seconds>',
      'wait at most this long; for Harvester, and for its agent, by default 5 and 45 minutes',
    );
  return withTargetOptions(withProgress(command)).action(
    async (harvester: string, path: string, flags: RegisterFlags) => {
      process.exitCode = await runRegister(harvester, path, { ...NONE, ...flags });
    },
  );
}

async function runRegister(harvester: string, path: string, flags: RegisterFlags): Promise<number> {
  let refused = false;
  const exitCode = await runOnClusters(flags, async (options, progress) =>
    register(path, harvester, {
      ...options,
      acceptConnected: flags.acceptConnected,
      confirm: async (move) => {
        printError(textOf(move).trimEnd());
        if (flags.yes) {
          return true;
        }
        if (!process.stdin.isTTY) {
          throw new Error(
            'register asks before it moves a Harvester, and stdin is not a terminal. Fix: set --yes',
          );
        }
        refused = !(await isTyped(
          `Type the name of the target (${harvester}) to continue: `,
          harvester,
          { signal: options.signal, progress },
        ));
        return !refused;
      },
    }),
  );
  if (refused) {
    printError('nothing was written');
  }
  return refused ? EXIT.FAILED : exitCode;
}

function textOf({ harvester, from, to, fromId, toId, homeless }: RegistrationMove): string {
  const ids =
    fromId === toId
      ? `as ${toId}, the same management cluster ID`
      : `as ${toId} instead of ${fromId}: projects, members and IP pools of ${fromId} no longer apply`;
  const lost =
    homeless.length === 0
      ? ''
      : `These namespaces belong to projects that ${to} does not have, and their members lose access:\n${homeless.map((line) => `  ${plainText(line)}\n`).join('')}`;
  return `${harvester} is registered with ${from}, and will be with ${to}, ${ids}.\n${lost}`;
}

interface ForgetFlags extends TargetFlags {
  readonly app: string;
  readonly yes?: boolean;
}

export function forgetCommand(): Command {
  const command = new Command('forget')
    .description(
      'remove a target that is no longer in the program from the inventories; nothing is written to its cluster',
    )
    .argument('<target>', 'name of the target; e.g. a Harvester that no longer exists');
  withAppOption(withOutputFolder(command)).option(
    '--yes',
    'do not ask for confirmation; without it, the command asks before it writes the inventories',
  );
  return withTargetOptions(command).action(
    async (target: string, path: string, flags: ForgetFlags) => {
      process.exitCode = await runForget(target, path, flags);
    },
  );
}

async function runForget(target: string, path: string, flags: ForgetFlags): Promise<number> {
  if (!flags.yes && !process.stdin.isTTY) {
    throw new Error('forget asks before it writes, and stdin is not a terminal. Fix: set --yes');
  }
  const { inventories: known } = await forget(path, target, {
    ...bindOptionsOf(flags),
    app: flags.app,
    ...(flags.yes
      ? {}
      : {
          confirm: async (inventories: readonly string[]) =>
            isTyped(questionOf(target, inventories), target),
        }),
  });
  print(
    known.length > 0
      ? `target ${target} is forgotten (inventories on ${known.join(', ')})`
      : 'nothing was written',
  );
  return known.length > 0 ? EXIT.DONE : EXIT.FAILED;
}

function questionOf(target: string, inventories: readonly string[]): string {
  return (
    `Target ${target} is removed from the inventories on ${inventories.join(', ')}. Its objects are kept on its cluster, and its import on Rancher is deleted by the next apply. ` +
    `Type the name of the target (${target}) to continue: `
  );
}

interface UnlockFlags extends TargetFlags {
  readonly app: string;
  readonly yes?: boolean;
}

export function unlockCommand(): Command {
  const command = withOutputFolder(new Command('unlock')).description(
    'show who holds the lock of an app, and delete it if you confirm it; a lock that is not renewed expires after a minute',
  );
  withAppOption(command).option(
    '--yes',
    'do not ask for confirmation; without it, the command asks before it deletes the lock. A run that still holds it stops',
  );
  return withTargetOptions(command).action(async (path: string, flags: UnlockFlags) => {
    const assembly = readAssembly(path);
    const home = homeTarget(assembly.targets);
    const binding = await bindByFlags(assembly.targets, flags);
    try {
      process.exitCode = await unlock(binding.targets, home.name, flags);
    } finally {
      binding.close();
    }
  });
}

async function unlock(
  targets: BoundTargets,
  home: string,
  { app: id, yes }: UnlockFlags,
): Promise<number> {
  const app = appOf(id);
  const cluster = await targets.get(home)!.cluster();
  const lease = await cluster.read(leaseOf(app));
  if (!lease) {
    print(`app ${id} is not locked`);
    return EXIT.DONE;
  }
  print(plainText(`app ${id} is locked by ${holderOf(lease)}`));
  if (!yes && !(await isAgreed(id))) {
    printError('nothing was deleted. Fix: make sure that this run has ended, then set --yes');
    return EXIT.FOUND;
  }
  await cluster.delete(leaseOf(app), lease.metadata.uid);
  print('the lock is deleted');
  return EXIT.DONE;
}

/** Whether the user deletes the lock of an app; without a terminal, no one is asked. */
async function isAgreed(id: string): Promise<boolean> {
  return (
    process.stdin.isTTY &&
    isTyped(
      `A run that still holds the lock stops. Type the name of the app (${id}) to delete it: `,
      id,
    )
  );
}
