// The head that a block of a guide needs to run when it is copied: imports, and the charts that it
// uses without creating them. Pages show it folded above the block.
//
// The head is not in the Markdown: the heads have almost as many lines as the blocks themselves, and
// only GitHub would fold them, while editors, diffs, and searches would show each import and chart
// a hundred times. A change of a version would rewrite every guide.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { headOf, importsOf } = require('../reference/program');

const SRC = path.join(__dirname, '..', '..', 'src');
/** The entries whose names a block may use without importing them; the index has none of its own. */
const SUBMODULES = ['auth', 'devices', 'migration', 'rke1', 'settings'];

/** What blocks of guides use in addition to the charts, in the order of creation. */
const GIVEN = {
  vmNamespace: "const vmNamespace = new HarvesterNamespace(dc1, 'shop-vms');",
  image: "const image = VmImage.fromName(dc1, 'noble', { name: 'noble' });",
  network: "const network = VmNetwork.fromName(dc1, 'prod', { name: 'prod' });",
  common: `const common: MachinePool = {
  name: 'all',
  roles: MachineRoles.ALL,
  cpus: 4,
  memory: Size.gibibytes(8),
  disks: [Disk.image(image, Size.gibibytes(40))],
  networks: [network],
};`,
  pools: 'const pools: MachinePool[] = [{ ...common, quantity: 3 }];',
  props: `const props: GuestClusterProps = {
  harvesterImport: harvester,
  vmNamespace,
  kubernetes: Kubernetes.rke2('v1.33.6+rke2r1'),
  pools,
};`,
  shop: "const shop = new GuestCluster(rancher, 'shop', props);",
};
/** Versions that a block needs, by what it contains. */
const NEEDS = [
  ['new HostNetworkConfig(', ['1.7.2', '1.8.0']],
  ["kind: 'ProxyEndpoint'", ['2.13.8', '2.14.0']],
  ["kind: 'ETCDSnapshotSave'", ['2.13.8', '2.15.0']],
];

/** Whether code uses a name, rather than a property, a key, or a text of that name. */
function uses(code, name) {
  return new RegExp(`(?<![\\w'/-])(?<!(?<!\\.\\.)\\.)${name}\\b(?!\\s*:)`).test(
    code.replace(/(^|\s)\/\/.*$/gm, ''),
  );
}

/** The statements that create what a block uses. */
function statementsFor(code) {
  let head = '';
  for (const [name, statement] of Object.entries(GIVEN).reverse()) {
    if (uses(`${head}\n${code}`, name) && !new RegExp(`\\b(?:const|let) ${name}\\b`).test(code)) {
      head = `${statement}\n${head}`;
    }
  }
  const all = [headOf(`${head}\n${code}`), head.trim()].filter(Boolean).join('\n');
  return NEEDS.filter(([part]) => code.includes(part)).reduce(
    (text, [, [from, to]]) => text.replace(`'${from}'`, `'${to}'`),
    all,
  );
}

/** The exported names, each with the submodule that exports it, as the references have them. */
function exportedTypes() {
  const namesIn = (module) =>
    [
      ...fs
        .readFileSync(path.join(SRC, `${module}.ts`), 'utf8')
        .matchAll(/^export (?:type )?\{([^}]*)\}/gm),
    ].flatMap(([, names]) => names.match(/\w+(?=\s*(?:,|$))/g) ?? []);
  const types = new Map();
  for (const module of ['index', ...SUBMODULES]) {
    for (const name of namesIn(module).filter((each) => !types.has(each))) {
      types.set(name, { namespace: module === 'index' ? undefined : module });
    }
  }
  return types;
}

let known;

/** The head of a block; empty for one with imports, which is a whole program. */
function blockHead(code) {
  if (/^import /m.test(code)) {
    return '';
  }
  known ??= exportedTypes();
  const head = statementsFor(code);
  return [importsOf(`${head}\n${code}`, known), head].filter(Boolean).join('\n\n');
}

/** A page whose blocks of TypeScript have their heads folded above them. */
function withHeads(text) {
  return text.replace(/^( *)```ts\n([^]*?)^\1```$/gm, (block, indent, code) => {
    const head = blockHead(code.replace(new RegExp(`^${indent}`, 'gm'), ''));
    if (head === '') {
      return block;
    }
    const lines = [
      '::: details Imports and charts; the program ends with app.synth()',
      '```ts',
      ...head.split('\n'),
      '```',
      ':::',
    ];
    return [...lines.map((line) => (line === '' ? '' : `${indent}${line}`)), '', block].join('\n');
  });
}

module.exports = { blockHead, withHeads };
