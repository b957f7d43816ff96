import { createHash } from 'crypto';
import { PlacedStage } from '../../core/kind/description/stage-place';

/** The longest name of the folder of a stage. */
const MAX_FOLDER = 100;

/**
 * A text as part of a name: what a name cannot contain is replaced, and a digest of the text
 * distinguishes it from others.
 */
function slug(text: string): string {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain === text ? text : `${plain}-${digest(text)}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** A name of at most some length; a digest distinguishes a shortened one from others. */
export function shortened(name: string, longest: number): string {
  return name.length <= longest
    ? name
    : `${name.slice(0, longest - 9).replace(/-+$/, '')}-${digest(name)}`;
}

/** An object as its stage is named for it. */
interface NamedObject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** The name of a stage below its target: what it contains, e.g. `projects-c-m-x7k2p`. */
export function stageName({ stage, part }: PlacedStage): string {
  return shortened([stage, ...(part === undefined ? [] : [slug(part)])].join('-'), MAX_FOLDER);
}

/**
 * The name of a stage of one object below its target: `alone-roletemplate-auditor`, or `late-…` for
 * one that contains late values.
 */
export function ownStageName({ kind, namespace, name }: NamedObject, isLate: boolean): string {
  const words = [kind.toLowerCase(), ...(namespace === undefined ? [] : [namespace]), name];
  return shortened([isLate ? 'late' : 'alone', ...words.map(slug)].join('-'), MAX_FOLDER);
}
