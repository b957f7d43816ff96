interface Facts {
  readonly program?: string;
  readonly yaml?: string;
  readonly links?: string;
  readonly editOf?: (type: string, prop: string) => string | undefined;
  readonly more?: string;
}

interface Reference {
  readonly referenceOf: (
    assembly: object,
    facts?: (type: string) => Facts,
  ) => ReadonlyMap<string, string>;
}

interface Links {
  readonly guideOf: (file: string, text: string) => object;
  readonly linksText: (
    construct: string,
    sources: {
      readonly [source in 'kinds' | 'guides' | 'terraform' | 'forms']: readonly unknown[];
    },
  ) => string;
}

const { referenceOf } = jest.requireActual<Reference>('../projenrc/reference.js');
const { formsOf } = jest.requireActual<{
  formsOf: (page: string) => ReadonlyMap<string, readonly string[]>;
}>('../projenrc/reference/facts.js');
const { firstStatement, rulesSection } = jest.requireActual<{
  firstStatement: (what: string) => string;
  rulesSection: (rules: readonly { readonly id: string; readonly what: string }[]) => string;
}>('../projenrc/reference/rule-lines.js');
const { guideOf, linksText } = jest.requireActual<Links>('../projenrc/reference/links.js');

const text = { primitive: 'string' };

function of(name: string): { fqn: string } {
  return { fqn: `cdk8s-harvester.${name}` };
}

function type(kind: string, name: string, file: string, rest: object = {}): [string, object] {
  const { fqn } = of(name);
  return [
    fqn,
    {
      kind,
      fqn,
      name,
      docs: { summary: `The ${name}.` },
      locationInModule: { filename: `src/harvester/${file}.ts`, line: 1 },
      ...rest,
    },
  ];
}

function construct(name: string, file: string, rest: object = {}): [string, object] {
  const parameters = [
    { name: 'scope', type: { fqn: 'constructs.Construct' } },
    { name: 'id', type: text },
    { name: 'props', type: of(`${name}Props`) },
  ];
  return type('class', name, file, {
    base: 'constructs.Construct',
    initializer: { parameters },
    ...rest,
  });
}

function struct(
  name: string,
  file: string,
  properties: readonly object[],
  rest: object = {},
): [string, object] {
  return type('interface', name, file, { datatype: true, properties, ...rest });
}

function assembly(types: readonly [string, object][]): object {
  return { name: 'cdk8s-harvester', types: Object.fromEntries(types) };
}

const IMAGE = construct('VmImage', 'image/image', {
  methods: [
    {
      name: 'download',
      static: true,
      parameters: [{ name: 'url', type: text, docs: { summary: 'where it is.' } }],
      returns: { type: of('VmImage') },
    },
    { name: 'hidden', protected: true },
  ],
});
const IMAGE_PROPS = struct('VmImageProps', 'image/image', [
  {
    name: 'backend',
    type: of('Backend'),
    optional: true,
    docs: { summary: 'Storage of the image.', default: '- Longhorn' },
  },
  {
    name: 'size',
    type: of('Amount'),
    docs: { summary: 'Size | unit.', see: 'harvester /harvester:pkg/a.go' },
  },
  { name: 'aliases', type: { collection: { kind: 'array', elementtype: text } } },
]);
const BACKEND = type('enum', 'Backend', 'image/image', {
  members: [{ name: 'LONGHORN', docs: { summary: 'Longhorn v1.', deprecated: 'use CDI.' } }],
});
const AMOUNT = struct('Amount', 'text/amount.data', [
  { name: 'bytes', type: { primitive: 'number' } },
]);
const VOLUME = construct('Volume', 'storage/volume');
const VOLUME_PROPS = struct(
  'VolumeProps',
  'storage/volume',
  [{ name: 'size', type: of('Amount') }],
  { interfaces: ['cdk8s-harvester.Amount'] },
);

const TYPES = [IMAGE, IMAGE_PROPS, BACKEND, AMOUNT, VOLUME, VOLUME_PROPS];

test('writes a page for each construct, with the types that only it uses', () => {
  const files = referenceOf(assembly(TYPES));
  expect([...files.keys()]).toEqual([
    'docs/reference/amount.md',
    'docs/reference/vm-image.md',
    'docs/reference/volume.md',
    'API.md',
  ]);
  expect(files.get('docs/reference/vm-image.md')!.match(/^#+ .*$/gm)).toEqual([
    '# VmImage',
    '## VmImageProps',
    '### aliases (VmImage)',
    '### size (VmImage)',
    '### backend (VmImage)',
    '## Backend',
  ]);
});

test('writes the interface of a construct on its page, also if another one in the same file implements it', () => {
  const [, reference] = struct('IVmNetwork', 'network/network', [], { datatype: false });
  const [, overlay] = construct('OverlayNetwork', 'network/network', {
    interfaces: ['cdk8s-harvester.IVmNetwork'],
  });
  const [, vm] = construct('VmNetwork', 'network/network', {
    interfaces: ['cdk8s-harvester.IVmNetwork'],
  });
  const files = referenceOf(
    assembly([
      ['p.IVmNetwork', reference],
      ['p.OverlayNetwork', overlay],
      ['p.VmNetwork', vm],
    ]),
  );
  expect(files.get('docs/reference/vm-network.md')).toContain('## IVmNetwork');
});

test('shows how to create a construct, its props with types, defaults and sources, and its static methods', () => {
  const page = referenceOf(assembly(TYPES)).get('docs/reference/vm-image.md')!;
  expect(page).toContain('new VmImage(scope: Construct, id: string, props: VmImageProps)');
  expect(page).toContain(
    '### backend (VmImage)\n\n[`Backend`](#backend), optional. *Default:* Longhorn.\n\nStorage of the image. *Values:* `LONGHORN`.\n',
  );
  expect(page).toContain(
    '### size (VmImage)\n\n[`Amount`](amount.md#amount), **required**.\n\nSize | unit.\n\nSee harvester/harvester:pkg/a.go.\n',
  );
  expect(page).toContain('### aliases (VmImage)\n\n`string`[], **required**.\n');
  expect(page).toContain(
    '- `VmImage.download(url)`: [`VmImage`](#vmimage)\n  - `url`: `string`: where it is.',
  );
  expect(page).toContain('- `LONGHORN`: **Deprecated:** use CDI. Longhorn v1.');
  expect(page).not.toContain('hidden');
});

test('lists what a type has from the types that it extends', () => {
  const page = referenceOf(assembly(TYPES)).get('docs/reference/volume.md')!;
  expect(page).toContain('*struct*, extends [`Amount`](amount.md#amount)');
  expect(page).toContain('### bytes (Volume)\n\n`number`, **required**.\n');
});

test('lists required props first, then those of the type itself, and folds inherited ones', () => {
  const named = struct('Named', 'text/named', [
    { name: 'id', type: text },
    { name: 'annotations', type: text, optional: true, docs: { summary: 'More.' } },
  ]);
  const props = struct(
    'DiskProps',
    'disk/disk',
    [
      { name: 'size', type: text },
      { name: 'zone', type: text, optional: true },
      { name: 'bus', type: text, optional: true },
    ],
    { interfaces: ['cdk8s-harvester.Named'] },
  );
  const page = referenceOf(assembly([named, construct('Disk', 'disk/disk'), props])).get(
    'docs/reference/disk.md',
  )!;
  expect(page.match(/^### .*\(Disk\)$/gm)).toEqual([
    '### size (Disk)',
    '### id (Disk)',
    '### bus (Disk)',
    '### zone (Disk)',
  ]);
  expect(page).toContain(
    '<details>\n<summary>Inherited: annotations</summary>\n\n- [`annotations`](#annotations-named): More.\n\n</details>',
  );
});

test('lists the values that a class offers next to the prop', () => {
  const image = {
    name: 'image',
    static: true,
    parameters: [{ name: 'size', type: text }],
    returns: { type: of('Disk') },
  };
  const constant = { name: 'EMPTY', static: true, type: of('Disk') };
  const disk = type('class', 'Disk', 'disk/disk', {
    methods: [image, { name: 'resize', returns: { type: of('Disk') } }],
    properties: [constant],
  });
  const page = referenceOf(
    assembly([disk, struct('Pool', 'disk/pool', [{ name: 'disk', type: of('Disk') }])]),
  ).get('docs/reference/pool.md')!;
  expect(page).toContain(
    '### disk (Pool)\n\n[`Disk`](disk.md#disk), **required**.\n\n*Values:* `EMPTY`, `image()`.\n',
  );
});

test('lists base classes apart from constructs', () => {
  const [, base] = construct('Resource', 'app/resource');
  const index = referenceOf(
    assembly([['cdk8s-harvester.Resource', { ...base, abstract: true }], ...TYPES]),
  ).get('API.md')!;
  expect(index.match(/^## .*$/gm)).toEqual([
    '## Harvester',
    '## Base classes',
    '## All other types',
  ]);
  expect(index.slice(index.indexOf('## Base classes'))).toContain(
    '[`Resource`](docs/reference/resource.md)',
  );
});

test('writes the end of a comment as readers know it', () => {
  const schedule = struct('Backup', 'backup/backup', [
    { name: 'schedule', type: text, docs: { default: '0 *\\/5 * * *' } },
  ]);
  expect(referenceOf(assembly([schedule])).get('docs/reference/backup.md')).toContain(
    '*Default:* 0 */5 * * *.',
  );
});

test('refers to the guides that show a construct, the kinds that it writes, and its other names', () => {
  const guides = [
    guideOf('images.md', "# Images\n\n```ts\nVmImage.download(dc1, 'noble');\n```\n"),
    guideOf('volumes.md', '# Volumes\n\nnew VmImage(\n\n```ts\nnew MyVmImage();\n```\n'),
  ];
  const links = linksText('VmImage', {
    kinds: ['h.io/Image', '/Secret'],
    guides,
    terraform: ['harvester_image'],
    forms: ['Harvester > Images'],
  });
  expect(links).toBe(
    [
      '- Guides: [Images](../images.md)',
      '- Writes: `h.io/Image`, `Secret`',
      '- Terraform: [`harvester_image`](../terraform/harvester_image.md)',
      '- UI: Harvester > Images',
    ].join('\n'),
  );
  expect(linksText('Volume', { kinds: [], guides, terraform: [], forms: [] })).toBe('');
});

test('refers first to the guides that show a construct most often, and to four of them', () => {
  const guides = [1, 2, 3, 4, 5].map((count) =>
    guideOf(`${count}.md`, `# G${count}\n\n\`\`\`ts\n${'new Disk();\n'.repeat(count)}\`\`\`\n`),
  );
  const links = linksText('Disk', { kinds: [], guides, terraform: [], forms: [] });
  expect(links.match(/G\d/g)).toEqual(['G5', 'G4', 'G3', 'G2']);
});

test('reads the forms of the UI from their guide, except for those without a construct', () => {
  const forms = formsOf(
    '# UI\n\n## Harvester\n\n| form | here |\n|---|---|\n| Images | [`VmImage`](a.md), `Image` (*object*) |\n',
  );
  expect([...forms]).toEqual([['VmImage', ['Harvester > Images']]]);
});

test('shows the program of a construct, what it writes, what an edit does, and what else is known', () => {
  const page = referenceOf(assembly(TYPES), (name) => ({
    program: 'new VmImage();\n',
    yaml: 'kind: Image',
    links: '- UI: Images',
    editOf: (owner, prop) => (prop === 'size' ? `replaces ${name} of ${owner}` : undefined),
    more: '## Rules',
  })).get('docs/reference/vm-image.md')!;
  expect(page).toContain('```ts\nnew VmImage();\n```');
  expect(page).toContain('\n\n- UI: Images\n\nIt writes:\n\n```yaml\nkind: Image\n```\n');
  expect(page).toContain('*An edit:* replaces VmImageProps of VmImageProps.');
  expect(page.endsWith('\n\n## Rules\n')).toBe(true);
});

test('folds what is longer than a screen', () => {
  const yaml = Array.from({ length: 61 }, (_, index) => `a${index}: 1`).join('\n');
  const page = referenceOf(assembly(TYPES), () => ({ yaml })).get('docs/reference/volume.md')!;
  expect(page).toContain('<summary>It writes 61 lines</summary>\n\n```yaml\na0: 1');
});

test('lists every type in the index', () => {
  const index = referenceOf(assembly(TYPES)).get('API.md')!;
  expect(index).toContain('| [`VmImage`](docs/reference/vm-image.md) | The VmImage. |');
  for (const place of [
    'vm-image.md#backend',
    'vm-image.md#vmimageprops',
    'volume.md#volumeprops',
    'amount.md#amount',
  ]) {
    expect(index).toContain(`(docs/reference/${place})`);
  }
});

test('writes the same bytes whatever the order of the types', () => {
  expect([...referenceOf(assembly([...TYPES].reverse()))]).toEqual([
    ...referenceOf(assembly(TYPES)),
  ]);
});

test.each([
  ['a role is bound once; with two, one remains', 'a role is bound once'],
  ['a built-in role is kept: Rancher owns it', 'a built-in role is kept'],
  ['a ConfigMap with immutable: true keeps its values', undefined],
  ['ntp-servers: the time servers of all nodes', undefined],
  ['both agree (inferred: not seen; on a server)', undefined],
])('prints of a rule what it requires: %s', (what, statement) => {
  expect(firstStatement(what)).toBe(statement ?? what);
});

test('links the rules of a construct, but those of all kinds only once', () => {
  const what = 'a pool has ranges';
  const section = rulesSection([
    { id: 'ip-pool/ranges', what },
    { id: 'object/field-type', what: 'fields have types' },
  ]);
  expect(section).toContain('- [`ip-pool/ranges`](../rules/ip-pool.md#ip-poolranges): a pool has');
  expect(section).not.toContain('object/field-type');
  expect(rulesSection([{ id: 'object/field-type', what }])).toBe('');
});
