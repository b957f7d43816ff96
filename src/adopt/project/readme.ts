import {
  ADOPT_TITLES,
  differenceText,
  INCLUDE_HINT,
  leftOutText,
  noteText,
  objectsText,
  unreadText,
  variableText,
} from './adopt-texts';
import { LeftOutField } from './left-out-fields';
import { AdoptedCluster, AdoptResult, LeftOut } from './run-adopt';
import { TAKE_OVER_FILE } from '../../engine/auth/take-over';
import { HandOver } from '../read/terraform';

/** The page of the project: what was adopted, and what was not. */
export function adoptReadme(result: AdoptResult): string {
  const { variables, leftOutFields, unclear, unread } = result;
  const lines = [
    ...introduction(result),
    ...clusterTable(result.clusters),
    ...section(
      'Secrets',
      'The program reads these environment variables. Set them before you synthesize, each to the value of the live object:',
      variables.map((each) => variableText({ ...each, name: code(each.name) })),
    ),
    ...section('Left out', 'These objects are not declared:', result.leftOut.map(leftOutText)),
    ...section(
      'Fields that are left out',
      'The program does not declare these fields, which are the same on the server after an apply:',
      leftOutFields.map(leftOutFieldText),
    ),
    ...section(
      'Unclear',
      `These objects are not declared, since a product creates such objects too. ${INCLUDE_HINT}:`,
      unclear.map(unclearText),
    ),
    ...section(
      'Not read',
      'These kinds could not be listed, so that their objects are unknown:',
      unread.map((each) => unreadText({ ...each, kind: code(each.kind) })),
    ),
    ...section(
      ADOPT_TITLES.DELIVERERS,
      'These objects let an engine go on delivering the previous files:',
      result.deliverers.map(noteText),
    ),
    ...section(
      ADOPT_TITLES.NOTES,
      'These objects are declared by other means:',
      result.notes.map(noteText),
    ),
    ...section(
      'Differences',
      'An apply would change these fields:',
      result.differences.map(differenceText),
    ),
    ...handOverSection(result.handOver),
    ...section(
      ADOPT_TITLES.TERRAFORM,
      'These resources are in the state, and the program does not declare their objects:',
      result.unmatched.map(unmatchedText),
    ),
  ];
  return lines.join('\n');
}

function introduction({ differences, takeOver }: AdoptResult): string[] {
  const firstPlan =
    differences.length > 0
      ? 'contains the differences below'
      : 'adopts the objects as they are, and changes no value';
  const agreement =
    takeOver.length > 0
      ? `Objects that give permissions are in \`${TAKE_OVER_FILE}\`, with who has access to them: review it, then adopt them with \`npx cdk8s-harvester adopt --take-over ${TAKE_OVER_FILE}\`.`
      : 'Objects that give permissions are named in the plan, and are adopted only with `--accept-existing <id>`.';
  return [
    '# Platform',
    '',
    `This program declares what was found on the clusters. \`npm run plan\` compares both; the first plan ${firstPlan}.`,
    '',
    ...fenced('sh', 'npm install', 'npm run synth', 'npm run plan'),
    `The first \`apply\` writes no value: the program becomes an owner of the fields that it declares. ${agreement}`,
    '',
  ];
}

function clusterTable(clusters: readonly AdoptedCluster[]): string[] {
  return [
    '| cluster | objects | as constructs | of these with a JSON patch | as ApiObjects | left out |',
    '|---|---|---|---|---|---|',
    ...clusters.map(clusterRow),
    '',
  ];
}

function clusterRow(cluster: AdoptedCluster): string {
  const { name, found, constructs, patched, apiObjects, leftOut } = cluster;
  return `| ${name} | ${found} | ${constructs} | ${patched} | ${apiObjects} | ${leftOut} |`;
}

function section(title: string, intro: string, entries: readonly string[]): string[] {
  if (entries.length === 0) {
    return [];
  }
  return [`## ${title}`, '', intro, '', ...entries.map((entry) => `- ${entry}`), ''];
}

function fenced(language: string, ...lines: readonly string[]): string[] {
  return [`\`\`\`${language}`, ...lines, '```', ''];
}

function code(text: string): string {
  return `\`${text}\``;
}

function leftOutFieldText({ target, field, reason, objects }: LeftOutField): string {
  return `${target}: ${code(field)} of ${objectsText(objects)}: ${reason}`;
}

function unclearText({ target, reason, objects }: LeftOut): string {
  return `${target}: ${reason}: ${objects.map(code).join(', ')}`;
}

function unmatchedText({ address, reason }: AdoptResult['unmatched'][number]): string {
  return `${code(address)} ${reason}`;
}

/** How objects are removed from the state of Terraform. */
function handOverSection({ removed, commands, partly }: HandOver): string[] {
  if (commands === '') {
    return [];
  }
  const lines = [
    '## Terraform',
    '',
    'Terraform owns objects of this program. Remove them from its state before the first apply, so that it does not delete or change them.',
    '',
  ];
  if (removed !== '') {
    lines.push(
      'With Terraform 1.7 and later, replace the resources by these blocks, and apply them:',
      '',
      ...fenced('hcl', removed.trimEnd()),
    );
  }
  if (partly.length > 0) {
    const instances = partly.map(code).join(', ');
    lines.push(`A block cannot name single instances of ${instances}: use the commands.`, '');
  }
  lines.push(
    'Otherwise remove the resources from the configuration, and run:',
    '',
    ...fenced('sh', commands.trimEnd()),
  );
  return lines;
}
