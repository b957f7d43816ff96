import * as fs from 'node:fs';
import * as path from 'node:path';
import { packageOf, programsIn } from './programs';
import { run } from '../installed';

/** The compiler of C# that Debian has. It knows C# 6, the packages are in C# 8. */
export const COMPILER = 'mcs';

/** What the packages use of the runtime of jsii and of its library, besides attributes. */
const RUNTIME = `namespace Amazon.JSII.Runtime.Deputy
{
    public class ByRefValue { }

    public class DeputyProps
    {
        public DeputyProps(object[] arguments = null) { }
    }

    public abstract class DeputyBase
    {
        protected DeputyBase(ByRefValue reference) { }

        protected DeputyBase(DeputyProps props) { }
    }
}

namespace Newtonsoft.Json.Linq
{
    public class JObject { }
}
`;

/** Attributes, which are a line each, and hold for the runtime alone. */
const ATTRIBUTE = /^ *\[.*\]\n/gm;
/** A member with a block, and perhaps a value, as the generator of jsii indents it. */
const MEMBER = /^ {8}(?<head>[^\s/#}][^\n]*)\n {8}\{\n(?<body>[^]*?)^ {8}\}(?:\n {8}= [^\n]*;)?$/gm;
/** `string?`, which C# has since version 8: only of values was there such a type before. */
const NULLABLE = /(?<type>[\w.]+|[>\]])\?(?=[ ,>)[])/g;
const VALUES = ['bool', 'double', 'System.DateTime'];

function sourcesIn(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.cs'))
    .map((file) => fs.readFileSync(path.join(folder, file), 'utf8'));
}

/** The full names of the enums, which are values. */
function enumsOf(sources: readonly string[]): string[] {
  return sources.flatMap((source) => {
    const [, name] = /^ {4}public enum (\w+)/m.exec(source) ?? [];
    return name === undefined ? [] : [`${/^namespace (\S+)/m.exec(source)![1]}.${name}`];
  });
}

/** The declarations of a source in C# 6, without code. */
function declarationsOf(source: string, values: ReadonlySet<string>): string {
  const isInterface = /^ {4}public interface /m.test(source);
  return source
    .replace(ATTRIBUTE, '')
    .replace(MEMBER, (_, head: string, body: string) => memberOf(head, body, isInterface))
    .replace(NULLABLE, (all, type: string) => (values.has(type) ? all : type));
}

function memberOf(head: string, body: string, isInterface: boolean): string {
  // what calls JavaScript on behalf of an interface or an abstract class
  if (/\bclass\b/.test(head)) {
    return '';
  }
  if (head.includes('(')) {
    return `        ${head} { throw null; }`;
  }
  const accessors = [...body.matchAll(/^ {12}(get|set)\b/gm)].map(([, accessor]) => accessor!);
  const codeOf = (accessor: string): string => (accessor === 'get' ? '{ throw null; }' : '{ }');
  const isDeclared = isInterface || /\babstract\b/.test(head);
  const parts = accessors.map((each) => (isDeclared ? `${each};` : `${each} ${codeOf(each)}`));
  return `        ${head} { ${parts.join(' ')} }`;
}

/** A program as a class: C# has statements at the top level since version 9. */
function programClass(name: string, code: string): string {
  const [, usings, statements] = /^((?:using [^\n]*;\n)*)([^]*)$/.exec(code)!;
  return `namespace ${packageOf(name)}
{
${usings}
static class Program
{
static void Main()
{
${statements}
}
}
}
`;
}

/**
 * Compiles all programs with the declarations of the generated packages, without running them: the
 * runtime of jsii is in no registry but that of .NET. Throws what the compiler reports.
 */
export function compileCSharp(generated: readonly string[], work: string): void {
  const sources = generated.flatMap(sourcesIn);
  const values = new Set([...VALUES, ...enumsOf(sources)]);
  const library = path.join(work, 'library');
  const programs = path.join(work, 'programs');
  for (const folder of [library, programs]) {
    fs.mkdirSync(folder, { recursive: true });
  }
  fs.writeFileSync(path.join(library, 'runtime.cs'), RUNTIME);
  sources.forEach((source, index) => {
    fs.writeFileSync(path.join(library, `${index}.cs`), declarationsOf(source, values));
  });
  for (const [name, code] of programsIn('csharp')) {
    fs.writeFileSync(path.join(programs, `${name}.cs`), programClass(name, code));
  }
  const compile = (folder: string, ...options: string[]): void => {
    const out = `-out:${folder}.dll`;
    run(COMPILER, ['-target:library', '-warn:0', out, ...options, `${folder}/*.cs`], work);
  };
  compile(library);
  compile(programs, `-reference:${library}.dll`);
}
