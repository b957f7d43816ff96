import { AdoptResult } from './run-adopt';
import { BLANK, Block, line, list, table, toned } from '../../core/text/screen';
import { TAKE_OVER_FILE } from '../../engine/auth/take-over';
import { SecretPlace } from '../evaluate/variables';

/** The most objects of one reason that a report lists. */
const MAX_OBJECTS = 5;

/** What to do about an object whose owner is unclear. */
const INCLUDE = 'To adopt those that are yours, set --include <id>';

/** What engines deliver besides the program. */
const STILL_DELIVERED = 'Still delivered by an engine';

/** What was adopted, for a terminal. */
export function adoptBlocks({
  clusters,
  leftOut,
  unclear,
  unread,
  deliverers,
  notes,
  differences,
  errors,
  variables,
  handOver,
  unmatched,
  takeOver,
}: AdoptResult): Block[] {
  const lines = (title: string, entries: readonly Block[], noun: string): Block[] =>
    entries.length === 0 ? [] : [BLANK, line(toned('title', title)), list(entries, noun, 2)];
  const error = (text: string): Block => line([toned('error', 'error'), ` ${text}`]);
  return [
    table(
      ['cluster', 'objects', 'as constructs', 'with a patch', 'as ApiObjects', 'left out'],
      clusters.map((each) => [
        `${each.name} (${each.kind})`,
        each.found,
        each.constructs,
        each.patched,
        each.apiObjects,
        each.leftOut,
      ]),
    ),
    ...lines(
      'Left out',
      leftOut.map(({ target, reason, objects }) =>
        line(`${target}: ${objectsText(objects)}: ${reason}`),
      ),
      'reasons',
    ),
    ...lines(
      'Unclear, and not adopted',
      unclear.map(({ target, reason, objects }) =>
        line(`${target}: ${reason}: ${objectsText(objects)}. ${INCLUDE}`),
      ),
      'reasons',
    ),
    ...lines(
      'Not read',
      unread.map(({ target, kind, reason }) => line(`${target}: ${kind}: ${reason}`)),
      'kinds',
    ),
    ...lines(
      STILL_DELIVERED,
      deliverers.map(({ target, object, message }) => line(`${target}: ${object} ${message}`)),
      'objects',
    ),
    ...lines(
      'Without a construct or a prop',
      notes.map(({ target, object, message }) => line(`${target}: ${object} ${message}`)),
      'objects',
    ),
    ...lines(
      'Set these variables before synthesis',
      variables.map(({ name, places }) => line(`${name}: ${placesText(places)}`)),
      'variables',
    ),
    ...(takeOver.length === 0
      ? []
      : [
          BLANK,
          line([
            toned('title', 'Review'),
            ` ${TAKE_OVER_FILE}: it lets the first apply adopt ${takeOver.length} objects that give permissions, and shows who has access to each`,
          ]),
        ]),
    ...lines(
      'Differs from the cluster',
      differences.map(({ target, object, message }) => error(`${target}: ${object}: ${message}`)),
      'fields',
    ),
    ...lines(
      'Errors of the program',
      errors.map(({ construct, message, fix }) =>
        error(`${construct ?? ''}: ${message}. Fix: ${fix}`),
      ),
      'errors',
    ),
    ...lines(
      'Owned by Terraform, and not adopted',
      unmatched.map(({ address, reason }) => line(`${address} ${reason}`)),
      'resources',
    ),
    ...(handOver.commands === ''
      ? []
      : [
          BLANK,
          line([
            toned('title', 'Terraform'),
            ' owns objects of the program: hand them over before the first apply, as the README of the project shows',
          ]),
        ]),
  ];
}

/** The page of the project: what was adopted, and what was not. */
export function adoptReadme({
  clusters,
  leftOut,
  leftOutFields,
  unclear,
  unread,
  deliverers,
  notes,
  differences,
  variables,
  handOver,
  unmatched,
  takeOver,
}: AdoptResult): string {
  const section = (title: string, intro: string, entries: readonly string[]): string[] =>
    entries.length === 0
      ? []
      : [`## ${title}`, '', intro, '', ...entries.map((entry) => `- ${entry}`), ''];
  const code = (text: string): string => `\`${text}\``;
  const first =
    differences.length > 0
      ? 'contains the differences below'
      : 'adopts the objects as they are, and changes no value';
  return [
    '# Platform',
    '',
    `This program declares what was found on the clusters. \`npm run plan\` compares both; the first plan ${first}.`,
    '',
    '```sh',
    'npm install',
    'npm run synth',
    'npm run plan',
    '```',
    '',
    'The first `apply` writes no value: the program becomes an owner of the fields that it declares. ' +
      (takeOver.length > 0
        ? `Objects that give permissions are in \`${TAKE_OVER_FILE}\`, with who has access to them: review it, then adopt them with \`npx cdk8s-harvester adopt --take-over ${TAKE_OVER_FILE}\`.`
        : 'Objects that give permissions are named in the plan, and are adopted only with `--accept-existing <id>`.'),
    '',
    '| cluster | objects | as constructs | of these with a JSON patch | as ApiObjects | left out |',
    '|---|---|---|---|---|---|',
    ...clusters.map(
      (each) =>
        `| ${each.name} | ${each.found} | ${each.constructs} | ${each.patched} | ${each.apiObjects} | ${each.leftOut} |`,
    ),
    '',
    ...section(
      'Secrets',
      'The program reads these environment variables. Set them before you synthesize, each to the value of the live object:',
      variables.map(({ name, places }) => `${code(name)}: ${placesText(places)}`),
    ),
    ...section(
      'Left out',
      'These objects are not declared:',
      leftOut.map(({ target, reason, objects }) => `${target}: ${objectsText(objects)}: ${reason}`),
    ),
    ...section(
      'Fields that are left out',
      'The program does not declare these fields, which are the same on the server after an apply:',
      leftOutFields.map(
        ({ target, field, reason, objects }) =>
          `${target}: ${code(field)} of ${objectsText(objects)}: ${reason}`,
      ),
    ),
    ...section(
      'Unclear',
      `These objects are not declared, since a product creates such objects too. ${INCLUDE}:`,
      unclear.map(
        ({ target, reason, objects }) => `${target}: ${reason}: ${objects.map(code).join(', ')}`,
      ),
    ),
    ...section(
      'Not read',
      'These kinds could not be listed, so that their objects are unknown:',
      unread.map(({ target, kind, reason }) => `${target}: ${code(kind)}: ${reason}`),
    ),
    ...section(
      STILL_DELIVERED,
      'These objects let an engine go on delivering the previous files:',
      deliverers.map(({ target, object, message }) => `${target}: ${object} ${message}`),
    ),
    ...section(
      'Without a construct or a prop',
      'These objects are declared by other means:',
      notes.map(({ target, object, message }) => `${target}: ${object} ${message}`),
    ),
    ...section(
      'Differences',
      'An apply would change these fields:',
      differences.map(({ target, object, message }) => `${target}: ${object}: ${message}`),
    ),
    ...terraform(handOver),
    ...section(
      'Owned by Terraform, and not adopted',
      'These resources are in the state, and the program does not declare their objects:',
      unmatched.map(({ address, reason }) => `${code(address)} ${reason}`),
    ),
  ].join('\n');
}

function terraform({ removed, commands, partly }: AdoptResult['handOver']): string[] {
  if (commands === '') {
    return [];
  }
  return [
    '## Terraform',
    '',
    'Terraform owns objects of this program. Remove them from its state before the first apply, so that it does not delete or change them.',
    '',
    ...(removed === ''
      ? []
      : [
          'With Terraform 1.7 and later, replace the resources by these blocks, and apply them:',
          '',
          '```hcl',
          removed.trimEnd(),
          '```',
          '',
        ]),
    ...(partly.length === 0
      ? []
      : [
          `A block cannot name single instances of ${partly.map((each) => `\`${each}\``).join(', ')}: use the commands.`,
          '',
        ]),
    'Otherwise remove the resources from the configuration, and run:',
    '',
    '```sh',
    commands.trimEnd(),
    '```',
    '',
  ];
}

/** The places of a variable, for people. */
export function placesText(places: readonly SecretPlace[]): string {
  return objectsText(
    places.map(
      ({ target, object, path, within }) =>
        `${path} of ${object} on ${target}${within === undefined ? '' : `, ${within}`}`,
    ),
  );
}

function objectsText(objects: readonly string[]): string {
  const shown = objects.slice(0, MAX_OBJECTS).join(', ');
  return objects.length > MAX_OBJECTS
    ? `${shown}, and ${objects.length - MAX_OBJECTS} more`
    : shown;
}
