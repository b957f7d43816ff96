import { Screen } from './screen';

/** When colors are printed. */
export const COLOR_CHOICES = ['auto', 'always', 'never'] as const;

/** The options of how text looks, as commander gives them. */
export interface ScreenFlags {
  readonly color?: (typeof COLOR_CHOICES)[number];
  /** Print long lists whole. */
  readonly all?: boolean;
}

/** Entries of a list that a terminal shows. */
const MOST = 20;

/** What a stream shows. Only a terminal has a width, and folds lists. @see https://no-color.org */
export function screenOf(
  { color = 'auto', all = false }: ScreenFlags = {},
  { isTTY = false, columns }: Partial<NodeJS.WriteStream> = process.stdout,
): Screen {
  const { NO_COLOR, TERM } = process.env;
  const colors = color === 'always' || (color === 'auto' && isTTY && !NO_COLOR && TERM !== 'dumb');
  return { colors, ...(isTTY ? { width: columns, ...(all ? {} : { most: MOST }) } : {}) };
}
