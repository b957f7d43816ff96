import { mkdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { Command, Option } from 'commander';
import { kindsOn } from '../../../adopt/read/live';
import { TargetKind } from '../../../core/construct/target';
import { apiVersionOf } from '../../../core/kind/kinds';
import { AssemblyTarget, TARGET_KINDS } from '../../../core/output/assembly';
import { plainText } from '../../../core/text/plain-text';
import { toYaml } from '../../../core/yaml/yaml-writer';
import { OWN_NAMESPACE, appOf } from '../../../engine/fields/apply-set';
import { loadReadable } from '../../../engine/read/load-assembly';
import { TargetRbac, adoptRbac, rbacOf } from '../../../report/rbac/rbac';
import { repeatable, withOutputFolder } from '../../option/output-options';
import { withAppOption } from '../../option/run-options';
import { print, printError } from '../../terminal/process';

interface RbacFlags {
  readonly app: string;
  readonly target: readonly string[];
  readonly before?: string;
  readonly namespace: string;
  /** False for `--no-delete`. */
  readonly delete: boolean;
  readonly doctor?: boolean;
  readonly readOnly?: boolean;
  readonly forAdopt?: TargetKind;
  readonly outputDir?: string;
}

export function rbacCommand(): Command {
  const command = withOutputFolder(new Command('rbac')).description(
    'print the service account that applies the program, with exactly the permissions that it needs, for each target',
  );
  return withAppOption(command)
    .addOption(
      repeatable(
        '--target <name>',
        'only this target; default: all but guest clusters, which are reached through the kubeconfig that Rancher keeps',
      ),
    )
    .option(
      '--namespace <name>',
      'namespace of the ServiceAccount; tenants must not have access to it',
      OWN_NAMESPACE,
    )
    .option(
      '--before <path>',
      'compare with the previous output, or the previous manifests, at this path; deleting what it declares is permitted, too',
    )
    .option('--no-delete', 'leave out the permission to delete, for `apply --no-prune`')
    .option(
      '--doctor',
      'also permit reading what `doctor` reads, including cloud credentials and registration tokens',
    )
    .option('--read-only', 'print another service account, to look for drift: it only reads')
    .addOption(
      new Option(
        '--for-adopt <kind>',
        'print the service account with which `adopt` reads a cluster of this kind; no output folder is read',
      ).choices(TARGET_KINDS),
    )
    .option('--output-dir <folder>', 'write to files in this folder; one for each target')
    .action(printRbac);
}

function printRbac(path: string, flags: RbacFlags): void {
  if (flags.forAdopt !== undefined) {
    print(adoptText(flags.forAdopt, flags));
    return;
  }
  const program = loadReadable(path);
  const before = flags.before === undefined ? undefined : loadReadable(flags.before);
  const targets = targetsOf(program.assembly.targets, flags.target);
  if (flags.target.length === 0) {
    const omitted = program.assembly.targets.filter((target) => !targets.includes(target));
    omitted.forEach(noteOmitted);
  }
  const { namespace, delete: canDelete, doctor, readOnly } = flags;
  const options = { app: appOf(flags.app), namespace, canDelete, before, doctor, readOnly };
  const printed = targets.map((target) => ({
    target,
    text: rbacText(rbacOf(program, target, options)),
  }));
  if (flags.outputDir !== undefined) {
    writeFiles(flags.outputDir, printed);
    return;
  }
  const texts = printed.map(({ text }) => text);
  print(texts.join('---\n').trimEnd());
}

function noteOmitted({ name }: AssemblyTarget): void {
  printError(
    plainText(
      `${name}: omitted, since a guest cluster is reached with the kubeconfig that Rancher keeps. Set --target ${name} to print its permissions`,
    ),
  );
}

function writeFiles(
  folder: string,
  printed: readonly { readonly target: AssemblyTarget; readonly text: string }[],
): void {
  mkdirSync(folder, { recursive: true });
  for (const { target, text } of printed) {
    const file = join(folder, `${target.name}.yaml`);
    writeFileSync(file, text);
    print(plainText(`wrote ${file}`));
  }
}

/** What lets `adopt` read a cluster, as YAML. */
function adoptText(target: TargetKind, { app, namespace }: RbacFlags): string {
  const kinds = kindsOn(target).map((description) => ({
    apiVersion: apiVersionOf(description),
    kind: description.kind,
  }));
  const notes = `# adopt reads a ${target} cluster: apply this as an administrator of that cluster\n# note: this identity lists Secrets with their values; adopt keeps their keys only\n`;
  return `${notes}${adoptRbac(kinds, { app: appOf(app), namespace })
    .map((manifest) => toYaml(manifest))
    .join('---\n')}`.trimEnd();
}

function targetsOf(
  targets: readonly AssemblyTarget[],
  named: readonly string[],
): readonly AssemblyTarget[] {
  const unknown = named.filter((name) => !targets.some((target) => target.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `--target: must be a target of the program: ${targets.map(({ name }) => name).join(', ')}, got ${unknown.join(', ')}`,
    );
  }
  return targets.filter(({ name, kind, properties }) =>
    named.length > 0
      ? named.includes(name)
      : kind !== 'guest' || properties.provisioningCluster === undefined,
  );
}

/** The manifests of one target as YAML, with notes on what no role can express as comments. */
function rbacText({ target, manifests, notes }: TargetRbac): string {
  const head = [
    `target ${target.name} (${target.kind} ${target.version}): apply this as an administrator of that cluster`,
    ...notes.map((note) => `note: ${note}`),
  ];
  return `${head.map((line) => `# ${line}\n`).join('')}${manifests.map((manifest) => toYaml(manifest)).join('---\n')}`;
}
