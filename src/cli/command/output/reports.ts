import { Command, Option } from 'commander';
import { isOutside, outsideLabel } from '../../../core/late/secret-value';
import { Manifest, printName } from '../../../core/manifest/manifest';
import { Assembly, AssemblyObject, AssemblyTarget, TARGET_KINDS } from '../../../core/output/assembly';
import { LateTemplates, lateFilesIn, lateName } from '../../../core/output/late-files';
import { judgeLateFiles } from '../../../core/output/late-files.rules';
import { lostLateFiles } from '../../../core/output/left-output';
import { briefs, summary } from '../../../core/rule/report';
import { World } from '../../../core/rule/rule';
import { Redactor } from '../../../core/secret/redactor';
import { plainText } from '../../../core/text/plain-text';
import { PLAIN, render } from '../../../core/text/screen';
import { originOf } from '../../../engine/late/origin';
import { ReadOptions } from '../../../engine/read/find-files';
import { loadAssembly, readAssembly } from '../../../engine/read/load-assembly';
import { readBoth } from '../../../engine/read/read-input';
import { wayOf } from '../../../engine/read/what-leaves';
import { Becomes, whatBecomes } from '../../../engine/removal/removal';
import { ImageTool } from '../../../rancher/import/import-images.data';
import { accessMatrix, AccessMatrix } from '../../../report/access/access-matrix';
import { accessHtml, accessMarkdown, accessText } from '../../../report/access/access-text';
import { ADDRESS_FORMATS, AddressFormat, addressTable, printAddresses } from '../../../report/addresses/address-table';
import { explain } from '../../../report/explain/explain';
import { EXPLAIN_FORMATS, printExplanations } from '../../../report/explain/explanation';
import { FITS_FORMATS, FitsFormat, fits, printFits } from '../../../report/fits/fit-table';
import { IMAGES_FORMATS, ImagesRequest, imagesReport } from '../../../report/images/images-report';
import { editImpacts } from '../../../report/impact/edit-impacts';
import { mayLoseMachines, IMPACT_FORMATS, ImpactFormat, impactReport } from '../../../report/impact/impact';
import {
  emit, OutputFlags, readingOf, repeatable, withHarvesterVersion, withManifests, withOutput, withOutputFolder, withReading, withScreen, withTarget,
  WorldFlags,
} from '../../option/output-options';
import { EXIT, print } from '../../process';

export function explainCommand(): Command {
  const command = new Command('explain')
    .description('explain a construct, a prop, a kind, a field, a rule or a setting: what it is, allowed values, versions, and what an edit does to machines')
    .argument('<topic>', 'GuestCluster, GuestCluster.pools, VirtualMachineImage, Cluster.spec.kubernetesVersion, ip-pool/overlap, ntp-servers');
  return withOutput(command, EXPLAIN_FORMATS)
    .action((topic: string, flags: OutputFlags<typeof EXPLAIN_FORMATS[number]>) => { emit(printExplanations(explain(topic), flags.output), flags); });
}

const PRODUCTS = { rancher: 'Rancher', harvester: 'Harvester', guest: 'Kubernetes' } as const;

export function showCommand(): Command {
  const command = withOutputFolder(new Command('show')).description('summarize the output of a synthesis: files of each target, findings, next steps');
  return withScreen(command)
    .action((folder: string) => { print(show(folder, readAssembly(folder))); });
}

function show(folder: string, assembly: Assembly): string {
  const { objects } = assembly;
  const templates = new LateTemplates(assembly);
  const late = lateFilesIn(folder, [...templates.objects.values()].map((object) => templates.folderOf(object)));
  const findings = [...assembly.findings, ...judgeLateFiles(assembly, templates, late), ...lostLateFiles(folder, assembly)];
  const lateFiles = new Map(late.map(({ file, record }) => [record.object, file]));
  const targets = [...assembly.targets].sort((a, b) => TARGET_KINDS.indexOf(a.kind) - TARGET_KINDS.indexOf(b.kind));
  return [
    ...targets.flatMap((target) => targetLines(folder, target, objects.filter((object) => object.target === target.name), lateFiles)),
    ...keptLines(folder, assembly),
    `findings: ${summary(findings)}`,
    ...briefs(findings).map((block) => render([block], PLAIN)),
    '',
    ...waitingLines(assembly),
    ...storeLines(assembly),
    'next steps:',
    ...nextSteps(folder, targets, assembly),
  ].map(plainText).join('\n');
}

function targetLines(folder: string, target: AssemblyTarget, objects: readonly AssemblyObject[], lateFiles: ReadonlyMap<string, string>): string[] {
  const files = [...new Set(objects.flatMap(({ file }) => (file ? [file] : [])))];
  return [
    `${folder}/${target.folder}/  ${PRODUCTS[target.kind]} ${target.version}  ${files.length} ${files.length === 1 ? 'file' : 'files'}`,
    ...objects.filter(({ file }) => file).map((object) => `  ${object.kind} ${printName(object)}${object.needs ? ` (needs ${object.needs.join(', ')}, which waits for late values)` : ''}`),
    ...objects.filter(({ file }) => !file).map((object) => `  ${object.kind} ${printName(object)} (${whereWaiting(object, lateFiles)})`),
    '',
  ];
}

function whereWaiting({ id, onlyApply }: AssemblyObject, lateFiles: ReadonlyMap<string, string>): string {
  if (onlyApply !== undefined) { return `only apply writes it: it ${onlyApply}`; }
  const file = lateFiles.get(lateName(id));
  return file === undefined ? 'waits for late values, kept in the assembly' : `waits for late values, resolved in ${file}`;
}

/** What remains of the objects when they leave the output, with the reasons. */
function keptLines(folder: string, assembly: Assembly): string[] {
  const way = wayOf(assembly);
  const lines = [...leaving(folder, assembly)].flatMap(([id, { fate, reason }]) => (fate === 'deleted' || fate === 'moved' ? [] : [`  ${fate}  ${id}: ${reason}`]));
  return lines.length === 0 ? [] : [`objects that are not deleted when they leave the output, by ${way}:`, ...lines, ''];
}

/** What becomes of each object. Encrypted files that cannot be decrypted, and damaged ones, do not hide what the assembly records. */
function leaving(folder: string, assembly: Assembly): ReadonlyMap<string, Becomes> {
  const removed = new Set(assembly.objects.map(({ id }) => id));
  const manifests = manifestsOf(folder);
  const kept = assembly.stages && new Map(assembly.objects.flatMap(({ id, kept: found }) => (found ? [[id, { fate: 'kept' as const, ...found }] as const] : [])));
  return whatBecomes({ assembly, manifests, way: wayOf(assembly), removed, judges: false, kept });
}

function manifestsOf(folder: string): ReadonlyMap<string, Manifest> {
  try {
    return loadAssembly(folder).manifests;
  } catch {
    return new Map();
  }
}

function waitingLines({ lateValues, targets }: Assembly): string[] {
  const late = lateValues.filter(({ source }) => !isOutside(source));
  const outside = lateValues.map(({ source }) => source).filter(isOutside);
  const secrets = outside.length === 0 ? [] : ['secrets that apply reads again, since no file contains them:', ...outside.map((source) => `  ${outsideLabel(source)}`), ''];
  if (late.length === 0) { return secrets; }
  return [...secrets, 'late values, known only to the live clusters:', ...late.map((each) => {
    const origin = originOf(each, targets);
    return `  ${each.id}  ${each.description}${origin === undefined ? '' : ` (${origin})`}`;
  }), ''];
}

function storeLines({ storeKeys = [] }: Assembly): string[] {
  if (storeKeys.length === 0) { return []; }
  const lines = storeKeys.map(({ store, key, properties }) => `  ${store}  ${key}${properties ? `  with the properties ${properties.join(', ')}` : ''}`);
  return ['keys that external stores must contain:', ...new Set(lines), ''];
}

function nextSteps(folder: string, targets: readonly AssemblyTarget[], { lateValues, objects, stages, encryption }: Assembly): string[] {
  if (stages) { return engineSteps(folder, lateValues.length > 0, encryption !== undefined); }
  const apply = targets.flatMap(({ name, folder: sub }) => {
    const files = objects.flatMap(({ target, file }) => (target === name && file ? [file] : []));
    return files.length === 0 ? [] : [applyLine(name, `${folder}/${sub}`, files.some((file) => file.endsWith('.sops.yaml')))];
  });
  const isEncrypted = objects.some(({ file }) => file?.endsWith('.sops.yaml'));
  return [
    isEncrypted ? `  commit ${folder}/ for Flux, which decrypts it, or apply it with the private key (SOPS_AGE_KEY_FILE), in this order:`
      : `  commit ${folder}/ for a GitOps engine, or apply it, in this order:`,
    ...apply,
    ...(lateValues.length > 0 ? [`  then what waits for late values: cdk8s-harvester resolve ${folder} --out <file>, CDK8S_HARVESTER_LATE_VALUES=<file>, and synthesize again`] : []),
    `  or all of it at once, in order: cdk8s-harvester plan ${folder}, cdk8s-harvester apply ${folder}`,
    `  cdk8s-harvester lint ${folder}`,
  ];
}

/** How to apply the folder of a target with kubectl, which refuses files that are encrypted. */
function applyLine(context: string, folder: string, isEncrypted: boolean): string {
  if (!isEncrypted) { return `  kubectl --context <${context}> apply --server-side -f ${folder}/`; }
  return `  for file in ${folder}/*.yaml; do case "$file" in *.sops.yaml) sops decrypt "$file";; *) cat "$file";; esac; echo ---; done | `
    + `kubectl --context <${context}> apply --server-side -f -`;
}

/** An engine delivers the folder. */
function engineSteps(folder: string, hasLateValues: boolean, isEncrypted: boolean): string[] {
  return [
    `  commit ${folder}/: the engine delivers its stages in order`,
    ...(hasLateValues ? [`  then what waits for late values: cdk8s-harvester resolve ${folder} --write-manifests ${folder}${isEncrypted ? '' : ', and encrypt what contains credentials'}`] : []),
    `  cdk8s-harvester lint ${folder}`,
  ];
}

type Format = 'text' | 'json' | 'markdown' | 'html';

const FORMATS: Readonly<Record<Format, (matrix: AccessMatrix) => string>> = {
  text: accessText,
  json: (matrix) => JSON.stringify(matrix, undefined, 2),
  markdown: accessMarkdown,
  html: accessHtml,
};

export function accessCommand(): Command {
  const command = withManifests(new Command('access'))
    .description('report who may do what where, from the roles and bindings of a program')
    .addOption(repeatable('--world <path>', 'read live objects from this path, e.g. roles and bindings of Rancher'));
  return withOutput(command, Object.keys(FORMATS))
    .action((paths: string[], flags: Pick<WorldFlags, 'world'> & ReadOptions & OutputFlags<Format>) => {
      const [input, live] = readBoth(paths, flags.world, readingOf(flags));
      emit(FORMATS[flags.output](accessMatrix(input.objects, live.objects)), flags);
    });
}

export function addressesCommand(): Command {
  const command = withManifests(new Command('addresses'))
    .description('report which IP pool each load balancer\'s address comes from, and how many addresses are free');
  withHarvesterVersion(withTarget(command))
    .addOption(repeatable('--world <path>', 'read live objects from this path, e.g. pools with their status'));
  return withOutput(command, ADDRESS_FORMATS)
    .addHelpText('after', '\nlint reports what does not fit: overlapping pools, load balancers without a pool, pools without a free address.')
    .action((paths: string[], flags: WorldFlags & OutputFlags<AddressFormat>) => {
      const [input, live] = readBoth(paths, flags.world, { ...readingOf(flags), kind: flags.target, harvesterVersion: flags.harvesterVersion });
      emit(printAddresses(addressTable(new World(input.objects, live.objects)), flags.output), flags);
    });
}

export function fitsCommand(): Command {
  const command = withManifests(new Command('fits'))
    .description('compare machines, volumes and load balancers with quotas and pools of addresses; exits with 3 if something does not fit');
  withHarvesterVersion(withTarget(command))
    .addOption(repeatable('--world <path>', 'read live objects from this path, e.g. quotas and machines of others'));
  return withOutput(command, FITS_FORMATS)
    .action((paths: string[], flags: WorldFlags & OutputFlags<FitsFormat>) => {
      const rows = fits(paths, { ...readingOf(flags), world: flags.world, kind: flags.target, harvesterVersion: flags.harvesterVersion });
      emit(printFits(rows, flags.output), flags);
      process.exitCode = rows.some((row) => row.fits === 'no') ? EXIT.FOUND : EXIT.DONE;
    });
}

export function impactCommand(): Command {
  const command = withManifests(new Command('impact'))
    .description('report what an edit does to machines, data and tenants: what is replaced or deleted, and by which change; exits with 3 if machines are or may be lost')
    .addOption(repeatable('--before <path>', 'compare with the previous output, or the previous manifests, at this path'));
  return withOutput(command, IMPACT_FORMATS)
    .action((paths: string[], flags: ReadOptions & OutputFlags<ImpactFormat> & { readonly before: readonly string[] }) => {
      if (flags.before.length === 0) { throw new Error('--before: must be set. Fix: set it to the previous output'); }
      const [after, before] = readBoth(paths, flags.before, readingOf(flags));
      const impacts = editImpacts(before, after);
      const redactor = Redactor.of([...before.objects, ...after.objects].map(({ manifest }) => manifest));
      emit(redactor.scrub(impactReport(impacts, flags.output)), flags);
      process.exitCode = impacts.some(mayLoseMachines) ? EXIT.FOUND : EXIT.DONE;
    });
}

export function imagesCommand(): Command {
  const command = withReading(new Command('images'))
    .description('list the images that an import into Rancher or guest clusters need, for clusters without internet access')
    .argument('[paths...]', 'YAML or JSON files, folders, or output folders of a synthesis, for the guest clusters in them')
    .option('--rancher-version <version>', 'list the images of this version of Rancher, e.g. 2.13.8')
    .option('--harvester-version <version>', 'leave out images that the ISO of this Harvester contains; with K3s, use its chart of the cloud provider')
    .addOption(repeatable('--kubernetes-version <release>', 'list the images of guest clusters with this release instead, e.g. v1.33.6+rke2r1'))
    .option('--cloud-provider-chart <version>', 'use this chart of the cloud provider, for guest clusters that install it with a HelmChart')
    .option('--csi-chart <version>', 'use this chart of the CSI driver, for guest clusters that install it with a HelmChart')
    .option('--registry <prefix>', 'prefix images with this registry (Rancher\'s setting system-default-registry), or copy them there')
    .addOption(repeatable('--tag <image=tag>', 'set the tag of an image whose tag is unknown'))
    .addOption(new Option('--tool <tool>', 'fetch the images with this tool, for commands').choices([ImageTool.DOCKER, ImageTool.SKOPEO]).default(ImageTool.DOCKER))
    .option('--arch <architecture>', 'architecture of the nodes, for commands: amd64 or arm64', 'amd64')
    .addOption(repeatable('--node <address>', 'copy to this Harvester node, for commands'))
    .addOption(repeatable('--archive-url <url>', 'fetch an archive from this URL, for cloud-init'));
  return withOutput(command, IMAGES_FORMATS)
    .action((paths: string[], flags: ImagesRequest & OutputFlags<typeof IMAGES_FORMATS[number]>) => {
      emit(imagesReport(paths, flags, flags.output), flags);
    });
}
