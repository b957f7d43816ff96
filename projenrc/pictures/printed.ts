import { main } from '../../src/cli/main';

/** Columns of the terminal of the pictures. */
const COLUMNS = 100;

/** What a command prints on a terminal with colors. */
export async function printed(args: readonly string[], folder: string): Promise<string> {
  const { stdout } = process;
  const before = {
    cwd: process.cwd(),
    exitCode: process.exitCode,
    isTTY: stdout.isTTY,
    columns: stdout.columns,
    write: stdout.write,
  };
  let text = '';
  process.chdir(folder);
  Object.assign(stdout, {
    isTTY: true,
    columns: COLUMNS,
    write: (chunk: unknown) => {
      text += String(chunk);
      return true;
    },
  });
  try {
    await main(['node', 'cdk8s-harvester', ...args, '--color', 'always']);
  } finally {
    const { cwd, exitCode, ...own } = before;
    Object.assign(stdout, own);
    process.exitCode = exitCode;
    process.chdir(cwd);
  }
  return text.trimEnd();
}
