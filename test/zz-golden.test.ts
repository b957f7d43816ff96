import { readdirSync, writeFileSync, mkdirSync, rmSync } from 'fs';
import { dirname, join } from 'path';
import { filesIn } from './support/programs';
import { tempFolder } from './support/temp';
const EXAMPLES = join(__dirname, '..', 'examples');
test('golden', () => {
  for (const e of readdirSync(EXAMPLES, { withFileTypes: true }).filter((x) => x.isDirectory())) {
    const outdir = tempFolder(); const cwd = process.cwd();
    process.chdir(join(EXAMPLES, e.name)); process.env.CDK8S_OUTDIR = outdir;
    jest.isolateModules(() => { require(join(EXAMPLES, e.name, 'main.ts')); });
    process.chdir(cwd);
    const dist = join(EXAMPLES, e.name, 'dist'); rmSync(dist, { recursive: true });
    for (const [f, t] of Object.entries(filesIn(outdir))) { mkdirSync(dirname(join(dist, f)), { recursive: true }); writeFileSync(join(dist, f), t); }
  }
});
test('rules', async () => {
  let out = ''; const spy = jest.spyOn(process.stdout, 'write').mockImplementation((t: any) => { out += t; return true; });
  const r = require('../src/cli/main').main(['node', 'x', 'rules']); await r; await new Promise((d) => setTimeout(d, 500)); spy.mockRestore();
  if (out.length > 1000) { writeFileSync(join(__dirname, '..', 'docs', 'rules.md'), out); } else { throw new Error('no rules ' + out.length); }
});
