import { AdoptNote } from './adopt-note';
import { AdoptResult, LeftOut } from './run-adopt';
import { SecretPlace, SecretVariable } from '../evaluate/variables';

/** What to do about an object whose owner is unclear. */
export const INCLUDE_HINT = 'To adopt those that are yours, set --include <id>';

/** The titles of what both the report and the page of a project contain. */
export const ADOPT_TITLES = {
  DELIVERERS: 'Still delivered by an engine',
  NOTES: 'Without a construct or a prop',
  TERRAFORM: 'Owned by Terraform, and not adopted',
  VARIABLES: 'Set these variables before synthesis',
} as const;

/** The most objects of one reason that a text lists. */
const MAX_OBJECTS = 5;

/** The first objects of several. */
export function objectsText(objects: readonly string[]): string {
  const shown = objects.slice(0, MAX_OBJECTS).join(', ');
  const more = objects.length - MAX_OBJECTS;
  return more > 0 ? `${shown}, and ${more} more` : shown;
}

/** Objects that are not declared, with the reason. */
export function leftOutText({ target, reason, objects }: LeftOut): string {
  return `${target}: ${objectsText(objects)}: ${reason}`;
}

/** An object of which a reader must know something. */
export function noteText({ target, object, message }: AdoptNote): string {
  return `${target}: ${object} ${message}`;
}

/** A field that an apply would change. */
export function differenceText({ target, object, message }: AdoptNote): string {
  return `${target}: ${object}: ${message}`;
}

/** A kind that could not be read. */
export function unreadText({ target, kind, reason }: AdoptResult['unread'][number]): string {
  return `${target}: ${kind}: ${reason}`;
}

/** An environment variable, with the objects that have its value. */
export function variableText({ name, places }: SecretVariable): string {
  return `${name}: ${objectsText(places.map(placeText))}`;
}

function placeText({ target, object, path, within }: SecretPlace): string {
  const part = within === undefined ? '' : `, ${within}`;
  return `${path} of ${object} on ${target}${part}`;
}
