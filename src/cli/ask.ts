import { createInterface } from 'readline/promises';

/** Asks for a text at the terminal; whether it was typed. A `y` is typed too fast. */
export async function isTyped(question: string, expected: string, signal?: AbortSignal): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await reader.question(question, { signal })).trim() === expected;
  } finally {
    reader.close();
  }
}
