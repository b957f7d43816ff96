import { Command } from 'commander';
import { BoundTargets } from '../../../engine/cluster/cluster';
import { appOf } from '../../../engine/inventory/apply-set';
import { holderOf, leaseOf } from '../../../engine/inventory/lease';
import { homeTarget } from '../../../engine/inventory/removed-targets';
import { loadAssembly } from '../../../engine/read/load-assembly';
import { TargetFlags, bindByFlags, withAppOption, withTargetOptions } from '../../option/target-options';

interface UnlockFlags extends TargetFlags {
  readonly app: string;
  readonly force?: boolean;
}

export function unlockCommand(): Command {
  const command = new Command('unlock')
    .description('tell who holds the lock of an app, and take it away; a lock that nobody renews ends by itself after a minute')
    .argument('[dist]', 'the output folder', 'dist');
  withAppOption(command).option('--force', 'take it away; a run that still goes on ends');
  return withTargetOptions(command)
    .addHelpText('after', '\nExit code: 0 there is no lock any more, 1 there is one, or it could not be read.')
    .action(async (dist: string, flags: UnlockFlags) => {
      const { assembly } = loadAssembly(dist);
      const home = homeTarget(assembly.targets);
      const binding = await bindByFlags(assembly.targets, flags);
      try {
        process.exitCode = await unlock(binding.targets, home.name, flags);
      } finally {
        binding.close();
      }
    });
}

async function unlock(targets: BoundTargets, home: string, { app: id, force }: UnlockFlags): Promise<number> {
  const app = appOf(id);
  const cluster = await targets.get(home)!.cluster();
  const lease = await cluster.read(leaseOf(app));
  if (!lease) {
    process.stdout.write(`app ${id} is not locked\n`);
    return 0;
  }
  process.stdout.write(`app ${id} is locked by ${holderOf(lease)}\n`);
  if (!force) {
    process.stderr.write('make sure that this run is no more, and give --force to take its lock away\n');
    return 1;
  }
  await cluster.delete(leaseOf(app), lease.metadata.uid);
  process.stdout.write('the lock is taken away\n');
  return 0;
}
