import { Command, Option } from 'commander';
import { ALL_RULES } from '../rules/all-rules';
import { rulesIndex } from '../rules/index-page';
import { PROGRAM_RULES } from '../rules/program-rules';

export function rulesCommand(): Command {
  return new Command('rules')
    .description('print the index of rules')
    .addOption(new Option('--format <format>', 'how it is printed').choices(['markdown', 'json']).default('markdown'))
    .action(({ format }: { format: string }) => {
      const rules = [...ALL_RULES, ...PROGRAM_RULES];
      const list = rules.map(({ id, level, what, says, source }) => ({ id, level, what, says: says ?? null, source }));
      process.stdout.write(format === 'json' ? `${JSON.stringify(list, undefined, 2)}\n` : rulesIndex(rules));
    });
}
