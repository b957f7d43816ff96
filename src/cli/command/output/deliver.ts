import { existsSync, readFileSync } from 'fs';
import { join, relative, sep } from 'path';
import { Command, Option } from 'commander';
import { PlainOutput } from '../../../core/app/delivery-step';
import { ASSEMBLY_FILE, AssemblyTarget, OutputLayout } from '../../../core/output/assembly';
import { deliveredFiles } from '../../../core/output/assembly-writer';
import { writeOutput } from '../../../core/output/output';
import { assemblyOfManifests } from '../../../core/output/plain-assembly';
import { isCounted, textReport } from '../../../core/rule/report';
import { Delivery } from '../../../delivery/delivery';
import { SecretDelivery } from '../../../delivery/secret/secret-delivery';
import { loadAssembly, refusePlaceholders } from '../../../engine/read/load-assembly';
import { readInput } from '../../../engine/read/read-input';
import { repeatable } from '../../option/output-options';

/** The options of `deliver` as commander gives them. */
interface DeliverOptions {
  readonly engine: 'flux' | 'argocd' | 'fleet';
  readonly out: string;
  readonly repository: string;
  readonly path?: string;
  readonly revision?: string;
  readonly namePrefix?: string;
  readonly target: readonly string[];
  readonly sopsRecipient: readonly string[];
  readonly plainSecrets?: true;
}

/** `deliver`: writes an output, or manifests of any origin, for a GitOps engine. */
export function deliverCommand(): Command {
  return new Command('deliver')
    .description('write an output folder, or manifests of any origin, in stages for a GitOps engine')
    .argument('[path]', 'output folder of a synthesis, or a folder with a folder of manifests for each cluster', 'dist')
    .addOption(new Option('--engine <engine>', 'write for this engine').choices(['flux', 'argocd', 'fleet']).makeOptionMandatory())
    .requiredOption('--out <folder>', 'write to this folder; files of others in it are left alone')
    .requiredOption('--repository <repository>', 'use this source: the name of a GitRepository for Flux, the URL of a repository for Argo CD and Fleet')
    .option('--path <path>', 'the output folder as a path in the repository', 'dist')
    .option('--revision <revision>', 'deliver this branch, tag or commit (Argo CD, Fleet)')
    .option('--name-prefix <prefix>', 'begin the names of Kustomizations, Applications, bundles and GitRepos with this text')
    .addOption(repeatable('--target <name>=<kind>@<version>', 'treat the manifests in the folder of this name as objects of this cluster, e.g. dc1=harvester@1.7.2'))
    .addOption(repeatable('--sops-recipient <key>', 'encrypt secrets with SOPS for this public key of age'))
    .option('--plain-secrets', 'accept that Fleet keeps secrets in plain text')
    .action((path: string, options: DeliverOptions) => {
      const plain = plainOutputOf(path, options);
      const secrets = options.sopsRecipient.length > 0 ? SecretDelivery.sops({ recipients: [...options.sopsRecipient] }) : SecretDelivery.plainText();
      const hidden = secrets._hide(plain);
      const prepared = deliveryOf(options)._deliver(hidden?.output ?? { ...plain, isPlainAccepted: options.plainSecrets })!;
      const findings = prepared.assembly.findings.filter(isCounted);
      if (findings.some(({ level }) => level === 'error')) { throw new Error(`nothing was written\n${textReport(findings)}`); }
      const { delivered, notes } = hidden?.finish(prepared, options.out) ?? { delivered: prepared, notes: [] };
      writeOutput(options.out, deliveredFiles(delivered));
      for (const note of notes) { process.stderr.write(`${note}\n`); }
      if (findings.length > 0) { process.stderr.write(`${textReport(findings)}\n`); }
      const stages = delivered.assembly.stages ?? [];
      process.stdout.write(`${stages.map(({ folder, after }) => `${folder}${after.length > 0 ? ` after ${after.join(', ')}` : ''}\n`).join('')}`);
    });
}

function deliveryOf({ engine, repository, path, revision, namePrefix }: DeliverOptions): Delivery {
  if (engine === 'flux') { return Delivery.flux({ repository, path, namePrefix }); }
  return engine === 'argocd'
    ? Delivery.argoCd({ repoUrl: repository, path, targetRevision: revision, namePrefix })
    : Delivery.fleet({ repo: repository, path, branch: revision, namePrefix });
}

function plainOutputOf(path: string, { target, sopsRecipient }: DeliverOptions): PlainOutput {
  if (!existsSync(join(path, ASSEMBLY_FILE))) {
    return { ...manifestsOf(path, target.map(targetOf), sopsRecipient), layout: OutputLayout.FILE_PER_KIND };
  }
  const loaded = loadAssembly(path);
  const { assembly, manifests } = loaded;
  refusePlaceholders(loaded);
  if (target.length > 0) { throw new Error(`--target: the targets of ${path} are in its ${ASSEMBLY_FILE}. Fix: leave the option out`); }
  if (assembly.stages) { throw new Error(`${path}: is for an engine already. Fix: synthesize it without delivery, or with the delivery for the other engine`); }
  const files = assembly.objects.flatMap(({ file }) => file ?? []);
  // what is decrypted here must not be written in plain text
  keepEncrypted(path, [...files.map((file) => join(path, file)), join(path, ASSEMBLY_FILE)], sopsRecipient);
  const isPerObject = files.some((file) => file.includes('_') && !file.endsWith('.sops.yaml'));
  return { assembly, manifests, layout: isPerObject ? OutputLayout.FILE_PER_OBJECT : OutputLayout.FILE_PER_KIND };
}

/** Manifests that no synthesis wrote: a folder for each target. */
function manifestsOf(
  path: string, targets: readonly Pick<AssemblyTarget, 'name' | 'kind' | 'version'>[], recipients: readonly string[],
): Pick<PlainOutput, 'assembly' | 'manifests'> {
  if (targets.length === 0) {
    throw new Error(`${path}: has no ${ASSEMBLY_FILE}. Fix: name the clusters of its folders, e.g. --target rancher=rancher@2.13.8 --target dc1=harvester@1.7.2`);
  }
  const { objects, findings } = readInput([path], {});
  if (findings.length > 0) { throw new Error(findings.map(({ message }) => message).join('\n')); }
  keepEncrypted(path, objects.map(({ file }) => file!), recipients);
  const folderOf = (file: string): string => relative(path, file).split(sep)[0];
  const elsewhere = [...new Set(objects.map(({ file }) => folderOf(file!)))].filter((folder) => !targets.some(({ name }) => name === folder));
  if (elsewhere.length > 0) {
    throw new Error(`${path}: each folder must be a target, got ${elsewhere.join(', ')}. Fix: add --target <name>=<kind>@<version> for each, or move it elsewhere`);
  }
  return assemblyOfManifests(targets, objects.map(({ manifest, file }) => ({ manifest, file: file!, target: folderOf(file!) })));
}

/** Throws if a file is encrypted and its secrets would be written in plain text. */
function keepEncrypted(path: string, files: readonly string[], recipients: readonly string[]): void {
  if (recipients.length > 0) { return; }
  const encrypted = [...new Set(files)].find((file) => /\bENC\[AES256_GCM,/.test(readFileSync(file, 'utf8')));
  if (encrypted !== undefined) {
    throw new Error(`${path}: ${relative(path, encrypted)} is encrypted by SOPS, and its secrets would be written in plain text. Fix: add --sops-recipient <public key>`);
  }
}

function targetOf(text: string): Pick<AssemblyTarget, 'name' | 'kind' | 'version'> {
  const [, name, kind, version] = /^([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)=(rancher|harvester|guest)@(\S+)$/.exec(text) ?? [];
  if (name === undefined) {
    throw new Error(`--target: must be <name>=<kind>@<version> with the kind rancher, harvester or guest, got ${text}. Fix: give e.g. dc1=harvester@1.7.2`);
  }
  return { name, kind: kind as AssemblyTarget['kind'], version };
}
