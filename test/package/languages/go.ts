import * as fs from 'node:fs';
import * as path from 'node:path';
import { ENV, OUTPUTS, packageOf, programsToRun, runFolder } from './programs';
import { run } from '../installed';

const OWN = 'github.com/cdk8s-harvester/cdk8s-harvester-go/cdk8sharvester';
const CDK8S = 'github.com/cdk8s-team/cdk8s-core-go/cdk8s/v2';

/** Calls each program, and moves what it wrote to a folder of its own. */
function driver(names: readonly string[]): string {
  return `package main

import (
	"fmt"
	"os"
	"path/filepath"

${names.map((name) => `\t"programs/${packageOf(name)}"`).join('\n')}
)

func run(name string, program func()) {
	defer func() {
		if failure := recover(); failure != nil {
			fmt.Printf("FAILED %s: %v\\n", name, failure)
		}
		for _, folder := range []string{${OUTPUTS.map((folder) => `"${folder}"`).join(', ')}} {
			// a program that writes nothing has none
			_ = os.Rename(folder, filepath.Join("out", name))
		}
	}()
	program()
}

func main() {
${names.map((name) => `\trun("${name}", ${packageOf(name)}.Main)`).join('\n')}
}
`;
}

/** The files of Go that gofmt would change. */
function unformatted(folder: string): string[] {
  return run('gofmt', ['-l', '-s', folder], folder).stdout.split('\n').filter(Boolean);
}

/**
 * Compiles the generated modules with all programs into one program, and runs it. Gives what it
 * printed, the programs that are not formatted, and the folder that holds the output
 * of each.
 */
export function runGo(
  generated: { readonly own: string; readonly cdk8s: string },
  work: string,
): { printed: string; unformatted: string[]; out: string } {
  const sources = path.join(work, 'sources');
  const programs = programsToRun('go');
  for (const [name, code] of programs) {
    const folder = path.join(sources, packageOf(name));
    fs.mkdirSync(folder, { recursive: true });
    const part = code
      .replace('package main\n', `package ${packageOf(name)}\n`)
      .replace('\nfunc main() {\n', '\nfunc Main() {\n');
    fs.writeFileSync(path.join(folder, 'main.go'), part);
  }
  const badlyFormatted = unformatted(sources);
  fs.writeFileSync(path.join(sources, 'main.go'), driver(programs.map(([name]) => name)));
  const required = fs.readFileSync(path.join(generated.own, 'go.mod'), 'utf8');
  const [requirements] = /^require \([^]*?^\)$/m.exec(required)!;
  fs.writeFileSync(
    path.join(sources, 'go.mod'),
    `module programs

go ${/^go (\S+)$/m.exec(required)![1]}

${requirements}

require ${OWN} v0.0.0

replace ${OWN} => ${generated.own}

// generated from the npm package: not every proxy has it
replace ${CDK8S} => ${generated.cdk8s}
`,
  );
  const binary = path.join(work, 'programs');
  run('go', ['mod', 'tidy'], sources);
  run('go', ['build', '-o', binary, '.'], sources);
  const folder = runFolder(path.join(work, 'go'));
  const { stdout } = run(binary, [], folder, { ...process.env, ...ENV });
  return {
    printed: stdout,
    unformatted: badlyFormatted,
    out: path.join(folder, 'out'),
  };
}
