import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { ENV, OUTPUTS, packageOf, programsToRun, runFolder } from './programs';
import { ROOT, run } from '../installed';

/** Packages of Maven Central that the generated code needs, by the versions of their npm packages. */
function dependencies(): [group: string, artifact: string, version: string][] {
  const versionOf = (name: string): string =>
    (
      JSON.parse(
        fs.readFileSync(path.join(ROOT, 'node_modules', name, 'package.json'), 'utf8'),
      ) as { version: string }
    ).version;
  return [
    ['org.cdk8s', 'cdk8s', versionOf('cdk8s')],
    ['software.constructs', 'constructs', versionOf('constructs')],
    ['software.amazon.jsii', 'jsii-runtime', versionOf('jsii-pacmak')],
    ['org.jetbrains', 'annotations', '19.0.0'],
    ['javax.annotation', 'javax.annotation-api', '1.3.2'],
  ];
}

/** The class path of what the package depends on; kept between runs, since versions never change. */
function classPath(): string {
  const all = dependencies();
  const cache = path.join(
    process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'),
    'cdk8s-harvester',
    `jars-${all.map(([, , version]) => version).join('-')}`,
  );
  if (!fs.existsSync(cache)) {
    const work = fs.mkdtempSync(path.join(os.tmpdir(), 'cdk8s-harvester-jars-'));
    const items = all.map(
      ([groupId, artifactId, version]) =>
        `<dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${version}</version></dependency>`,
    );
    fs.writeFileSync(
      path.join(work, 'pom.xml'),
      `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>none</groupId><artifactId>none</artifactId><version>1</version><dependencies>${items.join('')}</dependencies></project>`,
    );
    const jars = path.join(work, 'jars');
    run('mvn', ['-q', 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`], work);
    fs.mkdirSync(path.dirname(cache), { recursive: true });
    fs.cpSync(jars, cache, { recursive: true });
    fs.rmSync(work, { recursive: true });
  }
  return path.join(cache, '*');
}

/** Calls each program, and moves what it wrote to a folder of its own. */
function driver(names: readonly string[]): string {
  const calls = names.map(
    (name) => `    run("${name}", () -> ${packageOf(name)}.Main.main(new String[0]));`,
  );
  return `import java.nio.file.Files;
import java.nio.file.Path;

public class Driver {
  interface Program { void run() throws Exception; }

  static void run(String name, Program program) throws Exception {
    try {
      program.run();
    } catch (Throwable error) {
      System.out.println("FAILED " + name + ": " + error.getMessage());
    }
    for (String folder : new String[] { ${OUTPUTS.map((folder) => `"${folder}"`).join(', ')} }) {
      if (Files.exists(Path.of(folder))) {
        Files.move(Path.of(folder), Path.of("out", name));
      }
    }
  }

  public static void main(String[] args) throws Exception {
${calls.join('\n')}
  }
}
`;
}

/**
 * Compiles the generated package with all programs, and runs them in one process. Gives what they
 * printed, and the folder that holds the output of each.
 */
export function runJava(generated: string, work: string): { printed: string; out: string } {
  const sources = path.join(work, 'sources');
  const programs = programsToRun('java');
  for (const [name, code] of programs) {
    const folder = path.join(sources, packageOf(name));
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'Main.java'), `package ${packageOf(name)};\n${code}`);
  }
  fs.writeFileSync(path.join(sources, 'Driver.java'), driver(programs.map(([name]) => name)));
  const java = path.join(generated, 'src', 'main', 'java');
  const files = [java, sources].flatMap((folder) =>
    fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.java'))
      .map((file) => path.join(folder, file)),
  );
  const list = path.join(work, 'files.txt');
  fs.writeFileSync(list, files.join('\n'));
  const classes = path.join(work, 'classes');
  const jars = classPath();
  run('javac', ['-nowarn', '-proc:none', '-d', classes, '-cp', jars, `@${list}`], work);
  const folder = runFolder(path.join(work, 'java'));
  // the assembly, which the runtime loads into Node
  const resources = path.join(generated, 'src', 'main', 'resources');
  const { stdout } = run(
    'java',
    ['-cp', [classes, resources, jars].join(path.delimiter), 'Driver'],
    folder,
    { ...process.env, ...ENV },
  );
  return { printed: stdout, out: path.join(folder, 'out') };
}
