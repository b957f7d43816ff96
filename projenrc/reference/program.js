// Makes a whole program of an example: with imports, and the charts and constructs that it uses
// without creating them.
'use strict';

const path = require('node:path');

const OWN = 'cdk8s-harvester';
const COLUMNS = 88;
/** Versions of the products; RKE1 exists on earlier ones only. */
const VERSIONS = { rancher: '2.13.8', harvester: '1.7.2' };
const EARLIER = { rancher: '2.11.3', harvester: '1.5.1' };

/** What an example may use without creating it, in the order of creation. */
const GIVEN = [
  { name: 'app', code: () => 'const app = new HarvesterApp();' },
  {
    name: 'rancher',
    code: ({ rancher }) =>
      `const rancher = new RancherChart(app, 'rancher', { version: '${rancher}', serverUrl: 'https://rancher.example.com' });`,
  },
  {
    name: 'dc1',
    code: ({ harvester }) =>
      `const dc1 = new HarvesterChart(app, 'dc1', { version: '${harvester}', vip: '10.10.0.10' });`,
  },
  {
    name: 'harvester',
    code: () => "const harvester = new HarvesterImport(rancher, 'import-dc1', { harvester: dc1 });",
  },
  {
    name: 'shop',
    code: () => `const shop = new GuestCluster(rancher, 'shop', {
  harvesterImport: harvester,
  vmNamespace: new HarvesterNamespace(dc1, 'shop-vms'),
  kubernetes: Kubernetes.rke2('v1.33.6+rke2r1'),
  pools: [{
    name: 'all',
    roles: MachineRoles.ALL,
    cpus: 4,
    memory: Size.gibibytes(8),
    disks: [Disk.image(VmImage.fromName(dc1, 'noble', { name: 'noble' }), Size.gibibytes(40))],
    networks: [VmNetwork.fromName(dc1, 'prod', { name: 'prod' })],
  }],
});`,
  },
];

/** Whether code uses a name, rather than a property, a key, or a text of that name. */
function uses(code, name) {
  return new RegExp(`(?<![.\\w'/-])${name}\\b(?!\\s*:)`).test(code);
}

function declares(code, name) {
  return new RegExp(`\\bconst (?:\\w+, )*${name}\\b|\\bconst ${name}\\b`).test(code);
}

/** The statements that create what the code uses, and what these use. */
function headOf(code) {
  const versions = code.includes('new Rke1Cluster(') ? EARLIER : VERSIONS;
  const head = [];
  let text = code;
  for (const { name, code: create } of [...GIVEN].reverse()) {
    if (uses(text, name) && !declares(code, name)) {
      head.unshift(create(versions));
      text = `${create(versions)}\n${text}`;
    }
  }
  return head.join('\n');
}

/** What can be imported: names by package, those of the library with its submodules. */
function exportsOf(types) {
  const own = new Map();
  for (const [name, { namespace }] of types) {
    const specifier = namespace === undefined ? OWN : `${OWN}/${namespace}`;
    own.set(specifier, [...(own.get(specifier) ?? []), name]);
  }
  return [
    ['cdk8s', Object.keys(require('cdk8s'))],
    ...[...own].sort(([a], [b]) => (a < b ? -1 : 1)),
    ['fs', ['readFileSync']],
  ];
}

function importsOf(code, types) {
  return exportsOf(types)
    .map(([specifier, all]) => [
      specifier,
      all
        .filter((name) => specifier.startsWith(OWN) || !types.has(name))
        .filter((name) => uses(code, name))
        .sort(),
    ])
    .filter(([, used]) => used.length > 0)
    .map(([specifier, used]) => `import { ${used.join(', ')} } from '${specifier}';`)
    .join('\n');
}

/**
 * A program that runs when it is copied: `{ head, text }`, with what it needs before the example.
 *
 * @param example code with imports, or the middle of a program
 * @param types all types that the library exports, by name
 */
async function wholeProgram(example, types) {
  // of modules that jest cannot load, whose tests do without
  const prettier = require('prettier');
  const isWhole = /^import /m.test(example);
  const head = isWhole ? '' : headOf(example);
  const isSynthesized = /\.synth\(\)/.test(example) || !uses(`${head}\n${example}`, 'app');
  const body = [head, example.trim(), isSynthesized ? '' : 'app.synth();'].filter(Boolean);
  const format = (parts) => {
    const code = parts.join('\n\n');
    return prettier.format(isWhole ? code : `${importsOf(code, types)}\n\n${code}`, {
      parser: 'typescript',
      singleQuote: true,
      printWidth: COLUMNS,
      filepath: path.join('docs', 'example.ts'),
    });
  };
  return {
    text: await format(body),
    head: head === '' ? '' : await format([head, 'app.synth();']),
  };
}

module.exports = { headOf, importsOf, wholeProgram };
