import { Command } from 'commander';
import { DEFAULT_APP } from '../apply/run/app';

/** Adds the option that names the app. */
export function withAppOption(command: Command): Command {
  return command.option('--app <name>', 'what keeps the objects of this program apart from those of others on the same clusters', DEFAULT_APP);
}
