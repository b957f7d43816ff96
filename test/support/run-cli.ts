import { main } from '../../src/cli/main';

/** What a run of the command line printed and how it ended. */
export interface CliRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Runs the command line in this process. */
export async function runCli(...args: string[]): Promise<CliRun> {
  const printed = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    jest.spyOn(process[stream], 'write').mockImplementation((chunk: unknown) => {
      printed[stream] += String(chunk);
      return true;
    }),
  );
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await main(['node', 'cdk8s-harvester', ...args]);
    return { ...printed, exitCode: Number(process.exitCode) };
  } finally {
    process.exitCode = before;
    for (const spy of spies) {
      spy.mockRestore();
    }
  }
}
