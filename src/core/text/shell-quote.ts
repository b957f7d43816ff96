/**
 * Quotes a word for a POSIX shell, so that the shell passes it on unchanged. Plain words are not quoted.
 */
export function quote(word: string): string {
  if (word.includes('\0')) {
    throw new Error('shell word: got a word with a null character, expected none; no shell can pass it on');
  }
  // A leading dash is left alone: commands that take names end their options with -- where they can.
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, '\'\\\'\'')}'`;
}

/** A command line from its words. */
export function commandLine(...words: string[]): string {
  return words.map(quote).join(' ');
}
