import { Block, PLAIN, render } from '../../../src/core/text/screen';
import { docsUrl } from '../../../src/core/version/package-version';
import { explain } from '../../../src/report/explain/explain';
import { ConstructBook, TypeDocs } from '../../../src/report/explain/explain-construct';
import {
  Explanation,
  editOfProp,
  printExplanations,
} from '../../../src/report/explain/explanation';
import { shown } from '../../support/shown';

/** The documentation of three types, in the form that the compiler writes. */
const DOCS: TypeDocs = {
  types: {
    'p.GuestCluster': {
      name: 'GuestCluster',
      fqn: 'p.GuestCluster',
      kind: 'class',
      base: 'p.Base',
      docs: {
        summary: 'A guest cluster.',
        remarks: 'Creates a Cluster.',
        example: 'new GuestCluster({\n  pools: [],\n});',
      },
      initializer: { parameters: [{ name: 'props', type: { fqn: 'p.GuestClusterProps' } }] },
    },
    'p.Base': {
      name: 'Base',
      fqn: 'p.Base',
      kind: 'class',
      base: 'constructs.Construct',
      properties: [
        { name: 'clusterId', type: { primitive: 'string' } },
        { name: 'description', type: { primitive: 'string' } },
        { name: 'inner', protected: true },
      ],
    },
    'p.ICluster': {
      name: 'ICluster',
      fqn: 'p.ICluster',
      kind: 'interface',
      properties: [{ name: 'clusterId', type: { primitive: 'string' } }],
    },
    'p.GuestClusterProps': {
      name: 'GuestClusterProps',
      fqn: 'p.GuestClusterProps',
      kind: 'interface',
      datatype: true,
      properties: [
        {
          name: 'pools',
          type: { collection: { kind: 'array', elementtype: { fqn: 'p.MachinePool' } } },
          docs: { summary: 'The pools.' },
        },
        {
          name: 'etcd',
          type: { fqn: 'p.Level' },
          optional: true,
          docs: { default: '- a snapshot every five hours' },
        },
        {
          name: 'description',
          type: { primitive: 'string' },
          optional: true,
          docs: { default: '- no description' },
        },
        { name: 'parent', type: { fqn: 'p.ICluster' }, optional: true },
      ],
    },
    'p.MachinePool': {
      name: 'MachinePool',
      fqn: 'p.MachinePool',
      kind: 'interface',
      datatype: true,
      properties: [
        { name: 'cpus', type: { primitive: 'number' } },
        {
          name: 'memory',
          type: { fqn: 'p.Size' },
          docs: {
            summary: 'The memory, in whole MiB;',
            remarks: 'in whole GiB, e.g.\n`8`. The guest gets less.',
          },
        },
        { name: 'quantity', type: { primitive: 'number' } },
        { name: 'taints', type: { primitive: 'any' } },
      ],
    },
    'p.CustomCluster': {
      name: 'CustomCluster',
      fqn: 'p.CustomCluster',
      kind: 'class',
      base: 'p.Base',
    },
    'p.HarvesterImport': {
      name: 'HarvesterImport',
      fqn: 'p.HarvesterImport',
      kind: 'class',
      base: 'p.Base',
    },
    'p.DrainOptions': {
      name: 'DrainOptions',
      fqn: 'p.DrainOptions',
      kind: 'interface',
      datatype: true,
      docs: { summary: 'A drain;', remarks: 'it takes a while.\nIt ends.' },
    },
    'p.Level': {
      name: 'Level',
      fqn: 'p.Level',
      kind: 'enum',
      members: [{ name: 'HIGH', docs: { summary: 'Much.' } }],
    },
  },
  pages: {
    GuestCluster: 'docs/reference/guest-cluster.md',
    GuestClusterProps: 'docs/reference/guest-cluster.md',
    MachinePool: 'docs/reference/machine-pool.md',
    Level: 'docs/reference/level.md',
  },
};

function explained(topic: string): Explanation[] {
  return explain(topic, new ConstructBook(DOCS));
}

function part(topic: string, title: string): readonly string[] {
  return explained(topic)[0].parts.find((each) => each.title === title)?.lines ?? [];
}

test('finds a type and a prop by the names that they had, and prints these', () => {
  const book = new ConstructBook({
    ...DOCS,
    types: {
      ...DOCS.types,
      'p.ImportedCluster': {
        name: 'ImportedCluster',
        fqn: 'p.ImportedCluster',
        kind: 'class',
        base: 'p.Base',
        initializer: { parameters: [{ name: 'props', type: { fqn: 'p.ImportedClusterProps' } }] },
      },
      'p.ImportedClusterProps': {
        name: 'ImportedClusterProps',
        fqn: 'p.ImportedClusterProps',
        kind: 'interface',
        datatype: true,
        properties: [{ name: 'dayTwoOperations', type: { fqn: 'p.FeatureMode' } }],
      },
      'p.FeatureMode': { name: 'FeatureMode', fqn: 'p.FeatureMode', kind: 'enum', members: [] },
    },
  });
  const former = (topic: string): unknown =>
    explain(topic, book).map(({ name, parts }) => [
      name,
      parts.find(({ title }) => title === 'previous name')?.lines,
    ]);
  expect(former('ImportedClusterTask')).toEqual([['FeatureMode', ['ImportedClusterTask']]]);
  expect(former('importedcluster.OPERATIONS')).toEqual([
    ['ImportedCluster.dayTwoOperations', ['operations']],
  ]);
  expect(() => explain('ImportedCluster.operation', book)).toThrow('must be a prop or field');
});

test('explains a rule by what it holds, the words of the server and its source', () => {
  expect(explained('ip-pool/in-use')).toMatchObject([
    {
      subject: 'rule',
      name: 'ip-pool/in-use',
      summary: 'a pool can be deleted only after all load balancers with an address of it',
      docs: 'docs/rules/ip-pool.md#ip-poolin-use',
    },
  ]);
  expect(part('ip-pool/in-use', 'checks')).toEqual(['deletions, with lint --before and in a plan']);
  expect(part('ip-pool/in-use', 'words of the server')).toEqual([
    "can't delete pool before releasing all the allocated IP",
  ]);
  expect(part('ip-pool/in-use', 'kinds')).toEqual(['loadbalancer.harvesterhci.io/IPPool']);
});

test('explains which objects a rule judges', () => {
  expect(part('user-password/unknown-user', 'checks')).toEqual(['objects that do not exist yet']);
  expect(part('user-password/unknown-user', 'kinds')).toEqual(['Secret']);
  expect(part('user-password/unknown-user', 'clusters')).toEqual(['Rancher management clusters']);
  expect(part('user/password-field', 'fields')).toEqual(['password']);
});

test.each(['ip-pool', 'ip-pool/*'])('lists the rules of the family %s', (topic) => {
  expect(explained(topic)).toMatchObject([
    { subject: 'rule', name: 'ip-pool/*', docs: 'docs/rules/ip-pool.md' },
  ]);
  expect(part(topic, 'rules')).toContain(
    'ip-pool/in-use (error): a pool can be deleted only after all load balancers with an address of it',
  );
});

test('explains what has the name of a family, and the family by a star', () => {
  expect(explained('addon').map(({ subject }) => subject)).toEqual(['kind']);
  expect(explained('addon/*').map(({ name }) => name)).toEqual(['addon/*']);
});

test('shows on which clusters a kind is, what a deletion loses, and why it keeps the object', () => {
  expect(part('clusters.provisioning.cattle.io', 'a deletion')[0]).toMatch(
    /^some objects lose their machines and their disks/,
  );
  expect(explained('NetworkPolicy')[0].summary).toBe('Namespaced, on every cluster.');
  expect(explained('Feature')[0].summary).toBe('Cluster-scoped, on rancher clusters.');
  expect(part('Feature', 'a deletion')).toEqual([
    "is kept by default: a Feature is Rancher's: it is reset, not deleted",
  ]);
  expect(part('Addon', 'a deletion')).toEqual([
    'some objects are never deleted: it is built into Harvester: set spec.enabled to false instead',
  ]);
});

test('prints an example as it was written, whatever the screen, and sentences between words', () => {
  const blocks = printExplanations(
    [
      {
        subject: 'construct',
        name: 'A',
        summary:
          'An A of\nthe platform.\n\nUse it for all that is longer than one row:\n- one case\n- another',
        docs: 'a.md',
        parts: [
          {
            title: 'example',
            lines: ['new A({\n  b: thisIsLongerThanTheScreenOf(40, "columns"),\n});'],
          },
          { title: 'versions', lines: ['1.7 and\nlater'] },
        ],
      },
    ],
    'text',
  ) as Block[];
  expect(render(blocks, { colors: true, width: 40 }).split('\n')).toEqual([
    '\u001b[1mA\u001b[22m: construct',
    '  An A of the platform.',
    '',
    '  Use it for all that is longer than one',
    '  row:',
    '  - one case',
    '  - another',
    '',
    '\u001b[1mexample\u001b[22m',
    '  new A({',
    '    b: thisIsLongerThanTheScreenOf(40, "columns"),',
    '  });',
    '',
    '\u001b[1mversions\u001b[22m',
    '  1.7 and',
    '    later',
    '',
    `\u001b[1mdocs\u001b[22m: ${docsUrl('a.md')}`,
  ]);
});

test('prints props as a table, whose empty columns are left out, and edits in the color of their effect', () => {
  const text = render(printExplanations(explained('GuestCluster'), 'text') as Block[], PLAIN);
  expect(text).toContain(
    [
      'props',
      '  NAME         TYPE                           WHAT',
      '  pools        list of MachinePool, required  The pools.',
      '  etcd         Level                          Default: a snapshot every five hours.',
    ].join('\n'),
  );
  expect(text).toContain('members\n  NAME         TYPE\n  clusterId    string\n');
  const colored = render(
    printExplanations(explained('Cluster.spec.kubernetesVersion').slice(0, 1), 'text') as Block[],
    { colors: true, width: 80 },
  );
  expect(colored).toMatch(
    /\u001b\[1man edit\u001b\[22m\n.*FIELD.*EFFECT.*WHAT.*\n {2}spec\.kubernetesVersion {2}\u001b\[33mrestart\u001b\[39m {2}Kubernetes is changed in place on the\n/,
  );
  expect(
    Math.max(
      ...colored
        .replace(/\u001b\[\d+m/g, '')
        .split('\n')
        .filter((row) => !row.startsWith('docs'))
        .map(({ length }) => length),
    ),
  ).toBeLessThanOrEqual(80);
});

test('prints no column of its tables as JSON', () => {
  const [json] = JSON.parse(shown(printExplanations(explained('GuestCluster'), 'json')));
  expect(Object.keys(json.parts[0])).toEqual(['title', 'lines']);
});

test('explains a setting of each product that has it', () => {
  expect(explained('auth-user-session-ttl-minutes')).toMatchObject([
    { subject: 'setting', name: 'auth-user-session-ttl-minutes (Rancher)' },
  ]);
  expect(part('ntp-servers', 'rules')).toEqual(['harvester-setting/ntp-servers (error)']);
  expect(part('containerd-registry', 'secrecy')).toEqual([
    'may contain credentials: the value is never shown',
  ]);
});

test('explains a construct by its props, those of its parents, what it writes, and the edits that concern machines', () => {
  const [first, ...others] = explained('guestcluster');
  expect(others).toEqual([]);
  expect(first).toMatchObject({
    subject: 'construct',
    name: 'GuestCluster',
    summary: 'A guest cluster.\nCreates a Cluster.',
    docs: 'docs/reference/guest-cluster.md',
  });
  expect(part('GuestCluster', 'writes')).toEqual(
    expect.arrayContaining([
      'Secret on Rancher and Harvester',
      'provisioning.cattle.io/Cluster on Rancher',
    ]),
  );
  expect(part('GuestCluster', 'props')).toEqual([
    'pools: list of MachinePool, required; The pools.',
    'etcd: Level Default: a snapshot every five hours.',
    'description: string Default: no description.',
    'parent: ICluster',
  ]);
  expect(part('GuestCluster', 'members')).toEqual(['clusterId: string', 'description: string']);
  expect(part('GuestCluster', 'an edit').join('\n')).toMatch(
    /HarvesterConfig: all machines of the pool are replaced/,
  );
  expect(part('GuestCluster', 'an edit').join('\n')).not.toMatch(/spec\.enableNetworkPolicy/);
});

test.each([
  ['MachinePool.cpus', /^all machines of the pool are replaced/],
  ['MachinePool.quantity', /^a lower number deletes machines/],
  ['MachinePool.taints', /^they apply to nodes .*no machine is replaced$/],
  ['GuestCluster.etcd', /^nodes get a new plan/],
  ['GuestClusterProps.pools', /^a pool that is removed or renamed/],
])('reports what an edit of %s does to machines', (topic, effect) => {
  expect(part(topic, 'an edit')).toEqual([expect.stringMatching(effect)]);
});

test.each([
  ['nodeLabels', /^they are written to existing machines; .*no machine is replaced$/],
  ['machineConfigLabels', /^no machine is replaced$/],
  ['machineConfigAnnotations', /^no machine is replaced$/],
  ['rollingUpdate', /^it applies when machines are replaced; no machine is replaced$/],
])('reports that an edit of %s of a pool replaces no machine', (prop, what) => {
  expect(editOfProp('MachinePool', prop)).toMatchObject({
    effect: 'none',
    what: expect.stringMatching(what),
  });
});

test('reports only edits of fields that a construct writes', () => {
  const [pools, provisioned] = [/machinePools/, /spec\.rkeConfig\.registries/];
  expect(part('GuestCluster', 'an edit').join('\n')).toMatch(pools);
  expect(part('CustomCluster', 'an edit').join('\n')).toMatch(provisioned);
  expect(part('CustomCluster', 'an edit').join('\n')).not.toMatch(pools);
  expect(part('HarvesterImport', 'an edit')).toEqual([]);
});

test('joins a sentence that the compiler parted at its semicolon', () => {
  expect(part('MachinePool', 'members')).toContain(
    'memory: Size, required; The memory, in whole MiB; in whole GiB, e.g. `8`.',
  );
  expect(explained('DrainOptions')[0].summary).toBe('A drain; it takes a while.\nIt ends.');
});

test('reports nothing for edits that do nothing to machines', () => {
  expect(part('GuestCluster.description', 'an edit')).toEqual([]);
});

test('explains the prop where an attribute has the same name, and calls only what a user sets required', () => {
  expect(part('GuestCluster.description', 'default')).toEqual(['no description']);
  expect(part('GuestCluster.parent', 'members')).toEqual(['clusterId: string']);
  expect(part('GuestCluster.parent', 'props')).toEqual([]);
});

test('lists the props of the items of a list', () => {
  expect(part('GuestCluster.pools', 'props').filter((line) => !line.startsWith('memory'))).toEqual([
    'cpus: number, required',
    'quantity: number, required',
    'taints: any, required',
  ]);
});

test('lists the allowed values of a prop', () => {
  expect(part('GuestCluster.etcd', 'allowed')).toEqual(['Level.HIGH; Much.']);
});

test.each([
  'VirtualMachineImage',
  'virtualmachineimages.harvesterhci.io',
  'harvesterhci.io/VirtualMachineImage',
  'harvesterhci.io/v1beta1/virtualmachineimage',
])('knows the kind VirtualMachineImage as %s', (topic) => {
  expect(explained(topic)).toMatchObject([
    {
      subject: 'kind',
      name: 'VirtualMachineImage (harvesterhci.io/v1beta1)',
      summary: 'Namespaced, on harvester clusters.',
    },
  ]);
});

test('explains every kind of a name', () => {
  expect(explained('Cluster').map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'Cluster (provisioning.cattle.io/v1)',
      'Cluster (management.cattle.io/v3)',
    ]),
  );
  expect(explained('clusters.provisioning.cattle.io')).toHaveLength(1);
});

test('names the constructs that write a kind, with their page', () => {
  expect(part('clusters.provisioning.cattle.io', 'written by')).toEqual([
    'GuestCluster',
    'CustomCluster',
    'HarvesterImport',
  ]);
  expect(explained('clusters.provisioning.cattle.io')[0].docs).toBe(
    'docs/reference/guest-cluster.md',
  );
});

test.each([
  'Cluster.spec.rkeConfig.machinePools[0].quantity',
  'cluster.rkeconfig.machinepools.quantity',
  'provisioning.cattle.io/v1/Cluster.spec.rkeConfig.machinePools[].quantity',
])('explains the field %s', (topic) => {
  expect(explained(topic)).toMatchObject([
    {
      subject: 'field',
      name: 'Cluster.spec.rkeConfig.machinePools.quantity (provisioning.cattle.io/v1)',
      summary: 'int32',
    },
  ]);
  expect(part(topic, 'an edit')).toEqual([
    'spec.rkeConfig.machinePools.quantity: a lower number deletes machines with their disks, a higher one creates machines',
  ]);
});

test('gives the effect of an edit above a field where the field has none of its own', () => {
  expect(part('HarvesterConfig.diskInfo', 'an edit')).toEqual([
    expect.stringMatching(/^any field: all machines of the pool are replaced/),
  ]);
  expect(part('Cluster.spec.rkeConfig.registries.mirrors', 'an edit')).toEqual([
    expect.stringMatching(/^spec\.rkeConfig\.registries: nodes get a new plan/),
  ]);
});

test('names which fields keep their value, which are required, and what a deletion loses', () => {
  expect(part('VirtualMachineImage', 'fields')).toEqual(
    expect.arrayContaining(['displayName: string, required']),
  );
  expect(part('VirtualMachineImage', 'fields that keep their value').length).toBeGreaterThan(0);
  expect(part('Project', 'a deletion').length).toBeGreaterThan(0);
});

test.each([
  [
    'GustCluster',
    'GustCluster: must be a construct, another public type, a kind, a field of a kind, a rule or a setting. Fix: use GuestCluster if that is what you mean',
  ],
  [
    'GuestCluster.pool',
    'GuestCluster.pool: must be a prop or field of GuestCluster, got pool. Fix: use one that `explain GuestCluster` lists',
  ],
  [
    'Cluster.spec.nothing',
    'Cluster.spec.nothing: must be a prop or field of Cluster, got spec.nothing',
  ],
  ['zzzzzzzzzzzz', 'Fix: use a name such as GuestCluster, GuestCluster.pools'],
])('refuses %s', (topic, message) => {
  expect(() => explained(topic)).toThrow(message);
});

test('keeps the layout of an example in Markdown', () => {
  expect(printExplanations(explained('DrainOptions'), 'markdown')).not.toContain('```');
  expect(printExplanations(explained('GuestCluster'), 'markdown')).toContain(
    '**example**\n\n```ts\nnew GuestCluster({\n  pools: [],\n});\n```\n\n',
  );
});

test('prints text, Markdown and JSON', () => {
  const explanations = explained('log-level');
  expect(shown(printExplanations(explanations, 'text'))).toMatch(
    /^log-level \(Harvester\): setting\n {2}.*\n\nallowed values\n {2}/,
  );
  expect(printExplanations(explanations, 'markdown')).toMatch(
    /^## `log-level \(Harvester\)`: setting\n\n/,
  );
  expect(JSON.parse(shown(printExplanations(explanations, 'json')))).toEqual(
    explanations.map((each) => ({ ...each, docs: docsUrl(each.docs) })),
  );
});

test.each([
  ['GuestCluster.pools', 'docs/reference/guest-cluster.md#pools-guestcluster'],
  ['MachinePool.cpus', 'docs/reference/machine-pool.md#cpus-machinepool'],
  ['GuestCluster.clusterId', 'docs/reference/guest-cluster.md'],
])('links %s to its heading, where it has one', (topic, docs) => {
  expect(explained(topic)[0].docs).toBe(docs);
});

test('explains a prop without its type', () => {
  expect(explained('quantity')).toMatchObject([
    { subject: 'member', name: 'MachinePool.quantity' },
  ]);
});

test('explains a prop as Python writes it', () => {
  const types = {
    'p.MachinePool': {
      name: 'MachinePool',
      fqn: 'p.MachinePool',
      kind: 'interface' as const,
      datatype: true,
      properties: [{ name: 'sshUser', type: { primitive: 'string' } }],
    },
  };
  expect(explain('ssh_user', new ConstructBook({ types, pages: {} }))).toMatchObject([
    { name: 'MachinePool.sshUser' },
  ]);
});

test.each(['3', 'exit code 3', 'exit status 3', 'code 3'])(
  'explains the exit code in %s',
  (topic) => {
    expect(explained(topic)).toMatchObject([
      { subject: 'exit code', name: '3', docs: 'docs/commands.md#exit-codes' },
    ]);
  },
);

function found(topic: string): string[] {
  return part(topic, 'found').map((line) => line.split(': ')[0]);
}

test.each([
  ['ranges overlap with other pools', 'ip-pool/overlap'],
  [
    "admission webhook denied the request: can't delete pool before releasing all the allocated IP",
    'ip-pool/in-use',
  ],
  ['allocated IP 10.0.0.5 is excluded', 'ip-pool/allocated-excluded'],
])('finds the rule for the message "%s"', (message, rule) => {
  expect(found(message)).toContain(rule);
});

test('finds everything with the words of a topic, names before texts', () => {
  expect(found('guest cluster')[0]).toBe('GuestCluster');
  expect(found('ntp')).toContain('ntp-servers');
  expect(found('memory whole')).toContain('MachinePool.memory');
});

test.each(['zzzz wwww', 'zzzz.wwww.io/vvvv-uuuu'])(
  'reports that a search found nothing for %s',
  (topic) => {
    expect(() => explained(topic)).toThrow(
      `${topic}: a search for these words found nothing. Fix: search for fewer or other words`,
    );
  },
);

test('reports what it finds by words as the result of a search', () => {
  expect(explained('ranges overlap with other pools')[0]).toMatchObject({
    summary: 'Found by a search for these words. Explain one of:',
  });
});

test('finds what guides contain, and what is known besides first sentences', () => {
  const types = {
    'cdk8s-harvester.NicOptions': {
      name: 'NicOptions',
      fqn: 'cdk8s-harvester.NicOptions',
      kind: 'interface' as const,
      datatype: true,
      properties: [{ name: 'bridged', docs: { summary: 'A bridge.', default: '- masquerade' } }],
    },
  };
  const [{ parts }] = explain('masquerade', new ConstructBook({ types, pages: {} }));
  expect(parts.find(({ title }) => title === 'found')?.lines).toContain(
    'NicOptions.bridged: A bridge.',
  );
  const [nodes] = part('dns nodes', 'pages');
  expect(nodes).toMatch(
    /^docs\/settings\.md#\S+: No setting contains the DNS servers of Harvester's nodes/,
  );
  expect(part('air gap packages', 'pages')[0]).toMatch(/^docs\/air-gap\.md/);
  expect(part('autoscaler flux position', 'pages')[0]).toMatch(/^docs\/machines\/autoscaling\.md/);
  // several commands have this option
  expect(
    part('kubeconfig context', 'pages').filter((page) => page.includes('--kubeconfig <file>')),
  ).toHaveLength(1);
});

test('shows how to import a type of a submodule', () => {
  const types = {
    'cdk8s-harvester.auth.OidcAuthConfig': {
      name: 'OidcAuthConfig',
      fqn: 'cdk8s-harvester.auth.OidcAuthConfig',
      kind: 'class' as const,
    },
  };
  const [{ parts }] = explain('OidcAuthConfig', new ConstructBook({ types, pages: {} }));
  expect(parts.find(({ title }) => title === 'import')?.lines).toEqual([
    "import { OidcAuthConfig } from 'cdk8s-harvester/auth', in Python from cdk8s_harvester.auth import OidcAuthConfig",
  ]);
});
