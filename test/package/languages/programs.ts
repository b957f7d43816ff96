import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as tls from 'node:tls';
import { ROOT, run } from '../installed';

/** The languages of the pages but TypeScript, as their blocks name them. */
export type Language = 'python' | 'java' | 'go' | 'csharp';

/** A program in TypeScript, and in other languages. */
export interface Program {
  /** Where it is; also the name of a folder. */
  readonly name: string;
  readonly typescript: string;
  readonly translations: { readonly [language in Language]?: string };
}

const PROGRAM =
  /^```ts\n(?<typescript>import [^]*?)^```\n(?<translations>(?:\n<details>\n<summary>(?:Python|Java|Go|C#)<\/summary>\n\n```\w+\n[^]*?^```\n\n<\/details>\n)*)/gm;
const TRANSLATION = /^```(?<language>python|java|go|csharp)\n(?<code>[^]*?)^```$/gm;
const REFERENCE = 'docs/reference';
const EXAMPLE = 'examples/languages';

function textOf(file: string): string {
  return fs.readFileSync(path.join(ROOT, file), 'utf8');
}

/** The programs of a page of the reference, the first of which has its name. */
function programsOf(page: string): Program[] {
  const name = path.basename(page, '.md');
  return [...textOf(page).matchAll(PROGRAM)].map(({ groups }, index) => ({
    name: index === 0 ? name : `${name}-${index + 1}`,
    typescript: groups!.typescript,
    translations: Object.fromEntries(
      [...groups!.translations.matchAll(TRANSLATION)].map((match) => [
        match.groups!.language,
        match.groups!.code,
      ]),
    ),
  }));
}

/** The first block of a language on a page. */
function firstBlock(page: string, language: string): string {
  return new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(textOf(page))![1];
}

/** The programs of the reference. */
export const REFERENCE_PROGRAMS: readonly Program[] = fs
  .readdirSync(path.join(ROOT, REFERENCE))
  .sort()
  .flatMap((file) => programsOf(`${REFERENCE}/${file}`));

/** The programs that people wrote in each language: that of the README, and an example. */
export const WRITTEN_PROGRAMS: readonly Program[] = [
  {
    name: 'readme',
    typescript: firstBlock('README.md', 'ts'),
    translations: {
      python: firstBlock('docs/python.md', 'python'),
      java: firstBlock('docs/java.md', 'java'),
      go: firstBlock('docs/go.md', 'go'),
    },
  },
  {
    name: 'example',
    typescript: textOf(`${EXAMPLE}/main.ts`),
    translations: {
      python: textOf(`${EXAMPLE}/main.py`),
      java: textOf(`${EXAMPLE}/Main.java`),
      go: textOf(`${EXAMPLE}/main.go`),
    },
  },
];

/** A program with a mistake that no compiler finds: a server URL without https. */
const WRONG = {
  java: `import dev.cdk8s_harvester.HarvesterApp;
import dev.cdk8s_harvester.RancherChart;

public class Main {
  public static void main(String[] args) {
    RancherChart.Builder.create(new HarvesterApp(), "rancher")
        .version("2.13.8")
        .serverUrl("http://rancher")
        .build();
  }
}
`,
  go: `package main

import (
	"github.com/aws/jsii-runtime-go"
	harvester "github.com/cdk8s-harvester/cdk8s-harvester-go/cdk8sharvester"
)

func main() {
	app := harvester.NewHarvesterApp(nil)
	harvester.NewRancherChart(app, jsii.String("rancher"), &harvester.RancherChartProps{
		Version:   jsii.String("2.13.8"),
		ServerUrl: jsii.String("http://rancher"),
	})
}
`,
};

/** The programs that run in one process, with the wrong one at the end. */
export function programsToRun(language: 'java' | 'go'): [name: string, code: string][] {
  return [...programsIn(language), ['wrong', WRONG[language]]];
}

/** The programs that a language has, with their text in it. */
export function programsIn(language: Language): [name: string, code: string][] {
  return [...REFERENCE_PROGRAMS, ...WRITTEN_PROGRAMS].flatMap(({ name, translations }) => {
    const code = translations[language];
    return code === undefined ? [] : [[name, code] as [string, string]];
  });
}

/** The folders that programs write to: one names another than the default. */
export const OUTPUTS = ['dist', 'manifests'];

/** What programs need: placeholders for secrets, no warning of jsii, and no line per program. */
export const ENV = {
  CDK8S_HARVESTER_SECRETS: 'placeholder',
  JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION: '20',
};

/** A folder to run programs in, with the files that they read. */
export function runFolder(folder: string): string {
  fs.mkdirSync(path.join(folder, 'out'), { recursive: true });
  for (const file of ['registry-ca.pem', 'saml.pem', 'wildcard.pem']) {
    fs.writeFileSync(path.join(folder, file), tls.rootCertificates[0]);
  }
  return folder;
}

/** Writes what the programs write in TypeScript, into a folder of `folder` for each. */
export function writeExpected(folder: string): void {
  const programs = [...REFERENCE_PROGRAMS, ...WRITTEN_PROGRAMS];
  const script = `
    const fs = require('node:fs');
    const { synthesize } = require(${JSON.stringify(path.join(ROOT, 'projenrc/reference/synthesis'))});
    for (const { name, typescript } of JSON.parse(fs.readFileSync(0, 'utf8'))) {
      const { folder, outdir } = synthesize(${JSON.stringify(ROOT)}, typescript);
      if (outdir) { fs.cpSync(outdir, name, { recursive: true }); }
      fs.rmSync(folder, { recursive: true });
    }`;
  fs.mkdirSync(folder, { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, ['-e', script], {
    cwd: folder,
    input: JSON.stringify(programs),
    encoding: 'utf8',
  });
  if (status !== 0) {
    throw new Error(stderr);
  }
}

/** The files below a folder by their paths; nothing where it does not exist. */
export function outputIn(folder: string): { [file: string]: string } {
  if (!fs.existsSync(folder)) {
    return {};
  }
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => fs.statSync(path.join(folder, file)).isFile())
    .sort();
  return Object.fromEntries(
    files.map((file) => [file, fs.readFileSync(path.join(folder, file), 'utf8')]),
  );
}

/** Generates the code of packages for languages of jsii, as a release does. */
export function generate(folder: string, root: string, ...languages: readonly string[]): void {
  const pacmak = path.join(ROOT, 'node_modules', 'jsii-pacmak', 'bin', 'jsii-pacmak');
  const targets = languages.flatMap((language) => ['--target', language]);
  run(
    process.execPath,
    [pacmak, ...targets, '--code-only', '--no-npmignore', '--outdir', folder, root],
    ROOT,
    { ...process.env, ...ENV },
  );
}

/** A name for a package or a module of a program, in any language. */
export function packageOf(name: string): string {
  return `program_${name.replaceAll('-', '_')}`;
}
