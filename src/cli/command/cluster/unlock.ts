import { Command } from 'commander';
import { BoundTargets } from '../../../engine/cluster/cluster';
import { appOf } from '../../../engine/inventory/apply-set';
import { holderOf, leaseOf } from '../../../engine/inventory/lease';
import { homeTarget } from '../../../engine/inventory/removed-targets';
import { loadAssembly } from '../../../engine/read/load-assembly';
import { withOutputFolder } from '../../option/output-options';
import { TargetFlags, bindByFlags, withAppOption, withTargetOptions } from '../../option/target-options';
import { EXIT } from '../../process';

interface UnlockFlags extends TargetFlags {
  readonly app: string;
  readonly force?: boolean;
}

export function unlockCommand(): Command {
  const command = withOutputFolder(new Command('unlock'))
    .description('show who holds the lock of an app, and delete it with --force; a lock that is not renewed expires after a minute');
  withAppOption(command).option('--force', 'delete the lock; a run that still holds it stops');
  return withTargetOptions(command)
    .action(async (path: string, flags: UnlockFlags) => {
      const { assembly } = loadAssembly(path);
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
    return EXIT.DONE;
  }
  process.stdout.write(`app ${id} is locked by ${holderOf(lease)}\n`);
  if (!force) {
    process.stderr.write('nothing was deleted. Fix: make sure that this run has ended, then set --force\n');
    return EXIT.FAILED;
  }
  await cluster.delete(leaseOf(app), lease.metadata.uid);
  process.stdout.write('the lock is deleted\n');
  return EXIT.DONE;
}
