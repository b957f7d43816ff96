import { mkdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { Command } from 'commander';
import { AssemblyTarget } from '../../../core/output/assembly';
import { toYaml } from '../../../core/yaml/yaml-writer';
import { OWN_NAMESPACE, appOf } from '../../../engine/inventory/apply-set';
import { loadAssembly } from '../../../engine/read/load-assembly';
import { TargetRbac, rbacOf } from '../../../report/rbac/rbac';
import { repeatable } from '../../option/repeatable';
import { withAppOption } from '../../option/target-options';

interface RbacFlags {
  readonly app: string;
  readonly target: readonly string[];
  readonly before?: string;
  readonly namespace: string;
  /** False for `--no-delete`. */
  readonly delete: boolean;
  readonly doctor?: boolean;
  readonly out?: string;
}

export function rbacCommand(): Command {
  const command = new Command('rbac')
    .description('print the identity that applies, with exactly the rights that it needs, for each target')
    .argument('[dist]', 'the output folder with its assembly.json', 'dist');
  return withAppOption(command)
    .addOption(repeatable('--target <name>', 'only this target; default: all but guests, which are reached by the kubeconfig that Rancher keeps'))
    .option('--namespace <name>', 'the namespace of the ServiceAccount; tenants must have no access to it', OWN_NAMESPACE)
    .option('--before <dist>', 'the output as it was: what is no longer declared may be taken away, too')
    .option('--no-delete', 'without the right to delete: for `apply --no-prune`')
    .option('--doctor', 'with the right to read what `doctor` looks at, among it cloud credentials and registration tokens')
    .option('--out <folder>', 'write one file a target there instead of printing them')
    .addHelpText('after', '\nExit code: 0 done, 2 could not run.')
    .action((dist: string, flags: RbacFlags) => {
      const program = loadAssembly(dist);
      const before = flags.before === undefined ? undefined : loadAssembly(flags.before);
      const targets = targetsOf(program.assembly.targets, flags.target);
      const options = { app: appOf(flags.app), namespace: flags.namespace, canDelete: flags.delete, before, doctor: flags.doctor };
      const printed = targets.map((target) => ({ target, text: rbacText(rbacOf(program, target, options)) }));
      if (flags.out === undefined) {
        process.stdout.write(printed.map(({ text }) => text).join('---\n'));
        return;
      }
      mkdirSync(flags.out, { recursive: true });
      for (const { target, text } of printed) {
        const file = join(flags.out, `${target.name}.yaml`);
        writeFileSync(file, text);
        process.stdout.write(`${file}\n`);
      }
    });
}

function targetsOf(targets: readonly AssemblyTarget[], named: readonly string[]): readonly AssemblyTarget[] {
  const unknown = named.filter((name) => !targets.some((target) => target.name === name));
  if (unknown.length > 0) { throw new Error(`--target: there is no ${unknown.join(', ')}, there are ${targets.map(({ name }) => name).join(', ')}`); }
  return targets.filter(({ name, kind, properties }) => (named.length > 0 ? named.includes(name) : kind !== 'guest' || properties.provisioningCluster === undefined));
}

/** One target's manifests as YAML, with what no role can say as comments. */
function rbacText({ target, manifests, notes }: TargetRbac): string {
  const head = [`target ${target.name} (${target.kind} ${target.version}): apply this as an administrator of that cluster`, ...notes.map((note) => `note: ${note}`)];
  return `${head.map((line) => `# ${line}\n`).join('')}${manifests.map((manifest) => toYaml(manifest)).join('---\n')}`;
}
