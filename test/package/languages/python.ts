import * as fs from 'node:fs';
import * as path from 'node:path';
import { ENV, OUTPUTS, packageOf, programsIn, runFolder } from './programs';
import { run } from '../installed';

/** Runs each program, and moves what it wrote to a folder of its own. */
const DRIVER = `
import json, os, runpy, sys

for name, file in json.load(open(sys.argv[1])):
    try:
        runpy.run_path(file, run_name="__main__")
    except BaseException as error:
        print("FAILED", name, error)
    for folder in ${JSON.stringify(OUTPUTS)}:
        if os.path.exists(folder):
            os.rename(folder, os.path.join("out", name))
`;

/**
 * Runs all programs in one process of Python. Gives what it printed about failures, and the folder
 * that holds the output of each.
 */
export function runPython(
  python: string,
  work: string,
  env: NodeJS.ProcessEnv,
): { failed: string[]; out: string } {
  const folder = runFolder(path.join(work, 'python'));
  const files = programsIn('python').map(([name, code]) => {
    const file = path.join(folder, `${packageOf(name)}.py`);
    fs.writeFileSync(file, code);
    return [name, file];
  });
  fs.writeFileSync(path.join(folder, 'programs.json'), JSON.stringify(files));
  fs.writeFileSync(path.join(folder, 'driver.py'), DRIVER);
  const { stdout } = run(python, ['driver.py', 'programs.json'], folder, { ...env, ...ENV });
  return { failed: stdout.match(/^FAILED .*/gm) ?? [], out: path.join(folder, 'out') };
}
