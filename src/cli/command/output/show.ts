import { Command } from 'commander';
import { isOutside, outsideLabel } from '../../../core/late/outside-secret';
import { printName } from '../../../core/manifest/manifest';
import { Assembly, AssemblyObject, AssemblyTarget, TARGET_KINDS } from '../../../core/output/assembly';
import { brief, isCounted, summary } from '../../../core/rule/report';
import { readAssembly } from '../../../engine/read/load-assembly';
import { withOutputFolder } from '../../option/output-options';

const PRODUCTS = { rancher: 'Rancher', harvester: 'Harvester', guest: 'Kubernetes' } as const;

export function showCommand(): Command {
  return withOutputFolder(new Command('show'))
    .description('summarize the output of a synthesis: files of each target, findings, next steps')
    .action((folder: string) => { process.stdout.write(`${show(folder, readAssembly(folder))}\n`); });
}

function show(folder: string, assembly: Assembly): string {
  const { findings, objects } = assembly;
  const targets = [...assembly.targets].sort((a, b) => TARGET_KINDS.indexOf(a.kind) - TARGET_KINDS.indexOf(b.kind));
  return [
    ...targets.flatMap((target) => targetLines(folder, target, objects.filter((object) => object.target === target.name))),
    `findings: ${summary(findings)}`,
    ...findings.filter(isCounted).map((finding) => `  ${brief(finding)}`),
    '',
    ...waitingLines(assembly),
    ...storeLines(assembly),
    'next steps:',
    ...nextSteps(folder, targets, assembly),
  ].join('\n');
}

function targetLines(folder: string, target: AssemblyTarget, objects: readonly AssemblyObject[]): string[] {
  const files = [...new Set(objects.flatMap(({ file }) => (file ? [file] : [])))];
  return [
    `${folder}/${target.folder}/  ${PRODUCTS[target.kind]} ${target.version}  ${files.length} ${files.length === 1 ? 'file' : 'files'}`,
    ...objects.filter(({ file }) => file).map((object) => `  ${object.kind} ${printName(object)}${object.needs ? ` (needs ${object.needs.join(', ')}, which waits for late values)` : ''}`),
    ...objects.filter(({ file }) => !file).map((object) => `  ${object.kind} ${printName(object)} (${object.onlyApply === undefined ? 'waits for late values, kept in the assembly' : `only apply writes it: it ${object.onlyApply}`})`),
    '',
  ];
}

function waitingLines({ lateValues }: Assembly): string[] {
  const late = lateValues.filter(({ source }) => !isOutside(source));
  const outside = lateValues.map(({ source }) => source).filter(isOutside);
  const secrets = outside.length === 0 ? [] : ['secrets that apply reads again, since no file contains them:', ...outside.map((source) => `  ${outsideLabel(source)}`), ''];
  if (late.length === 0) { return secrets; }
  return [...secrets, 'late values, known only to the live clusters:', ...late.map(({ id, description }) => `  ${id}  ${description}`), ''];
}

function storeLines({ storeKeys = [] }: Assembly): string[] {
  if (storeKeys.length === 0) { return []; }
  const lines = storeKeys.map(({ store, key, properties }) => `  ${store}  ${key}${properties ? `  with the properties ${properties.join(', ')}` : ''}`);
  return ['keys that external stores must contain:', ...new Set(lines), ''];
}

function nextSteps(folder: string, targets: readonly AssemblyTarget[], { lateValues, objects, stages }: Assembly): string[] {
  if (stages) { return engineSteps(folder, lateValues.length > 0); }
  const apply = targets.filter(({ name }) => objects.some(({ target, file }) => target === name && file)).map(({ name, folder: sub }) => `  kubectl --context <${name}> apply --server-side -f ${folder}/${sub}/`);
  return [
    `  commit ${folder}/ for a GitOps engine, or apply it, in this order:`,
    ...apply,
    ...(lateValues.length > 0 ? [`  then what waits for late values: cdk8s-harvester resolve ${folder} --out <file>, CDK8S_HARVESTER_LATE_VALUES=<file>, and synthesize again`] : []),
    `  or all of it at once, in order: cdk8s-harvester plan ${folder}, cdk8s-harvester apply ${folder}`,
    `  cdk8s-harvester lint ${folder}`,
  ];
}

/** An engine delivers the folder. */
function engineSteps(folder: string, hasLateValues: boolean): string[] {
  return [
    `  commit ${folder}/: the engine delivers its stages in order`,
    ...(hasLateValues ? [`  then what waits for late values: cdk8s-harvester resolve ${folder} --write-manifests ${folder}, and encrypt what contains credentials`] : []),
    `  cdk8s-harvester lint ${folder}`,
  ];
}
