// Builds the package of each language into dist/, whatever becomes of the others, and reports at
// the end what was not built: `node projenrc/package-all.js`. A language whose tools or
// dependencies this machine cannot get is a failure in CI only.
'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');

/**
 * The languages of jsii: a command that succeeds where their tools are installed, and what these
 * print about a dependency that they cannot get.
 */
const LANGUAGES = [
  { name: 'js', tool: 'npm --version' },
  {
    name: 'python',
    tool: 'python3 -c "import ensurepip, venv"',
    unavailable: /No matching distribution found for .*/,
  },
  {
    name: 'java',
    tool: 'mvn --version',
    unavailable:
      /(Failed to collect dependencies|Could not find artifact|Could not transfer artifact) .*(?= -> )/,
  },
  { name: 'dotnet', tool: 'dotnet --version', unavailable: /error NU1(101|102|301): .*/ },
  { name: 'go', tool: 'go version', unavailable: /\S+: reading https:.*|dial tcp .*/ },
];

const { CI } = process.env;
const isCi = Boolean(CI) && CI !== 'false' && CI !== '0';

/**
 * Builds the package of a language; if it is not built, the reason, and whether it is that this
 * machine lacks something.
 */
function build({ name, tool, unavailable }) {
  if (spawnSync(tool, { shell: true, stdio: 'ignore' }).status !== 0) {
    return { name, isLacking: true, reason: `\`${tool}\` fails. Fix: install it` };
  }
  console.log(`builds the package for ${name}`);
  const { status, error, stdout, stderr } = spawnSync('projen', [`package:${name}`], {
    encoding: 'utf8',
    maxBuffer: Infinity,
  });
  if (status === 0) {
    return { name };
  }
  // half a package is not one
  fs.rmSync(`dist/${name}`, { recursive: true, force: true });
  const output = error ? `${error.message}\n` : `${stdout}${stderr}`;
  process.stderr.write(output);
  const [cause] = unavailable?.exec(output) ?? [];
  return {
    name,
    isLacking: cause !== undefined,
    reason: cause
      ? `a dependency is not available: ${cause}`
      : `\`npx projen package:${name}\` fails; its output is above`,
  };
}

const results = LANGUAGES.map(build);
for (const { name, isLacking, reason } of results) {
  if (!reason) {
    console.log(`built: dist/${name}`);
    continue;
  }
  console.error(
    `NOT BUILT: ${name}: ${reason}${isLacking && !isCi ? '. This is a failure in CI only' : ''}`,
  );
  if (isCi || !isLacking) {
    process.exitCode = 1;
  }
}
