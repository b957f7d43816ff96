import { mkdirSync, writeFileSync } from 'fs';
import { dirname, join } from 'path';
import { newModule } from '../../../src/adopt/update/insertion';
import { ProgramSources, projectFolder } from '../../../src/adopt/update/project';
import { tempFolder } from '../../support/temp';

const DC1 = { name: 'dc1', construct: 'dc1' };
const SHOP = { name: 'shop', construct: 'rancher/shop/Chart' };

function projectOf(files: { readonly [file: string]: string }): ProgramSources {
  const folder = tempFolder();
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return new ProgramSources(folder, join(folder, 'dist'));
}

/** The module, and the files that change. */
function added(files: { readonly [file: string]: string }, charts = [DC1]) {
  const { path, name, call, calling } = newModule(projectOf(files), charts);
  return {
    path,
    name,
    call,
    changed: Object.fromEntries(
      [...(calling?.sources ?? [])].filter(([file, text]) => files[file] !== text),
    ),
  };
}

const CHART = "new HarvesterChart(app, 'dc1', { version: '1.7.2' });";
const CLUSTERS = `export const dc1 = ${CHART}\n`;
const PLATFORM = "import './dc1';\n\nexport { app } from './clusters';\n";

test('adds the call to the module that exports the app, which may be in a folder', () => {
  expect(added({ 'src/clusters.ts': CLUSTERS, 'src/platform.ts': PLATFORM })).toEqual({
    path: 'src/adopted',
    name: 'adopted',
    call: 'adopted(dc1)',
    changed: {
      'src/platform.ts':
        "import './dc1';\nimport { adopted } from './adopted';\nimport { dc1 } from './clusters';\n\nexport { app } from './clusters';\n\nadopted(dc1);\n",
    },
  });
});

test('uses the imports of an earlier update, and another name', () => {
  const before =
    "import { adopted } from './adopted';\nimport { dc1 } from './clusters';\n\nexport { app } from './clusters';\n\nadopted(dc1);\n";
  const clusters = `${CLUSTERS}export const rancher = new RancherChart(app, 'rancher', {});\n`;
  const { path, changed } = added(
    { 'clusters.ts': clusters, 'platform.ts': before, 'adopted.ts': '' },
    [DC1, { name: 'rancher', construct: 'rancher' }],
  );
  expect({ path, changed }).toEqual({
    path: 'adopted-2',
    changed: {
      'platform.ts':
        "import { adopted } from './adopted';\nimport { dc1, rancher } from './clusters';\nimport { adopted2 } from './adopted-2';\n\nexport { app } from './clusters';\n\nadopted(dc1);\nadopted2(dc1, rancher);\n",
    },
  });
});

test('does not repeat the name of a function whose file was renamed', () => {
  const { path, name } = added({
    'clusters.ts': CLUSTERS,
    'platform.ts': `import { adopted } from './lab';\n${PLATFORM}`,
    'lab.ts': '',
  });
  expect({ path, name }).toEqual({ path: 'adopted-2', name: 'adopted2' });
});

test('uses the name of an import, and the suffix of the others', () => {
  const { changed } = added({
    'src/clusters.ts': CLUSTERS,
    'src/platform.ts':
      "import { dc1 as lab } from './clusters.js';\n\nexport { app } from './clusters.js';\n",
  });
  expect(changed['src/platform.ts']).toBe(
    "import { dc1 as lab } from './clusters.js';\nimport { adopted } from './adopted.js';\n\nexport { app } from './clusters.js';\n\nadopted(lab);\n",
  );
});

test('adds the call before the synthesis of a program in one file', () => {
  expect(
    added({
      'main.ts': `import { App } from 'x';\n\nconst dc1 = ${CHART}\nnew A(dc1, 'a');\napp.synth();\n`,
    }).changed,
  ).toEqual({
    'main.ts': `import { App } from 'x';\nimport { adopted } from './adopted';\n\nconst dc1 = ${CHART}\nnew A(dc1, 'a');\nadopted(dc1);\napp.synth();\n`,
  });
});

test.each([
  ['at its end', '', '  adopted(dc1);\n'],
  ['before its result', '  return dc1;\n', '  adopted(dc1);\n  return dc1;\n'],
])('adds the call to the function that creates the charts, %s', (_, end, expected) => {
  const head = `export function platform(app: HarvesterApp): void {\n  const dc1 = ${CHART}\n  if (app) {\n    new A(dc1, 'a');\n  }\n`;
  expect(added({ 'platform.ts': `${head}${end}}\n` }).changed).toEqual({
    'platform.ts': `import { adopted } from './adopted';\n${head}${expected}}\n`,
  });
});

test('names and exports the chart of a guest cluster', () => {
  const { call, changed } = added(
    {
      'guests/shop.ts': "new GuestCluster(rancher, 'shop', {});\n",
      'platform.ts': "import './guests/shop';\n\nexport { app } from './clusters';\n",
    },
    [SHOP],
  );
  expect({ call, changed }).toEqual({
    call: 'adopted(shop.chart)',
    changed: {
      'guests/shop.ts': "export const shop = new GuestCluster(rancher, 'shop', {});\n",
      'platform.ts':
        "import './guests/shop';\nimport { adopted } from './adopted';\nimport { shop } from './guests/shop';\n\nexport { app } from './clusters';\n\nadopted(shop.chart);\n",
    },
  });
});

test('keeps the line feeds of the program', () => {
  const { changed } = added({
    'clusters.ts': CLUSTERS,
    'platform.ts': PLATFORM.replace(/\n/g, '\r\n'),
  });
  expect(changed['platform.ts'].replace(/\r\n/g, '')).not.toContain('\n');
  expect(changed['platform.ts']).toContain('\r\nadopted(dc1);\r\n');
});

test.each([
  [
    'the chart is in a deeper block',
    { 'main.ts': `function platform() {\n  if (x) {\n    const dc1 = ${CHART}\n  }\n}\n` },
  ],
  [
    'the chart is in a class',
    { 'main.ts': `class Platform {\n  constructor() {\n    const dc1 = ${CHART}\n  }\n}\n` },
  ],
  ['two statements create the chart', { 'a.ts': CHART, 'b.ts': CHART, 'platform.ts': PLATFORM }],
  ['nothing synthesizes the program', { 'a.ts': CLUSTERS }],
  ['its name is taken', { 'clusters.ts': CLUSTERS, 'platform.ts': `${PLATFORM}const dc1 = 1;\n` }],
  ['there are no sources', {}],
])('leaves the call to the user where %s', (_, files) => {
  expect(added(files as { readonly [file: string]: string })).toMatchObject({
    call: 'adopted(dc1)',
    changed: {},
  });
});

describe('the folder of a program', () => {
  const root = tempFolder();
  for (const folder of ['platform/src', 'plain/dist', 'elsewhere/dist']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  writeFileSync(join(root, 'platform', 'package.json'), '{}');
  writeFileSync(join(root, 'plain', 'main.ts'), '');

  test.each([
    ['contains its output', 'platform/dist', '.', 'platform'],
    ['is above its output', 'platform/build/out', '.', 'platform'],
    ['is the current one, for an output without a program around it', 'build/dist', '.', '.'],
    ['is the current one, for an output elsewhere', 'elsewhere/dist', 'platform', 'platform'],
    ['contains an output elsewhere', 'plain/dist', 'platform', 'plain'],
  ])('%s', (_, outdir, cwd, folder) => {
    expect(projectFolder(join(root, outdir), join(root, cwd))).toBe(join(root, folder));
  });
});
