import { createInterface } from 'readline/promises';
import { Progress } from '../progress';

/** How a question is asked. */
interface AskOptions {
  readonly signal?: AbortSignal;
  /** Prints events above the question meanwhile. @default - nothing is printed meanwhile */
  readonly progress?: Progress;
}

/** Asks for a text at the terminal, and returns whether it was typed: a `y` is typed too fast. */
export async function isTyped(question: string, expected: string, { signal, progress }: AskOptions = {}): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  progress?.ask(() => {
    // readline moves up by as many rows as the question has
    process.stderr.write('\n'.repeat(reader.getCursorPos().rows));
    reader.prompt(true);
  });
  try {
    return (await reader.question(question, { signal })).trim() === expected;
  } finally {
    progress?.ask(undefined);
    reader.close();
  }
}
