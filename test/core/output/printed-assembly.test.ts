import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { ApiObject, App, JsonPatch, Size } from 'cdk8s';
import { IConstruct } from 'constructs';
import {
  CloudProvider,
  ClusterNetwork,
  Disk,
  GuestCluster,
  HarvesterApp,
  HarvesterImport,
  HarvesterNamespace,
  Kubernetes,
  MachineRoles,
  Principal,
  ProjectMember,
  RancherChart,
  TenantProject,
  VmImage,
  VmNetwork,
} from '../../../src';
import { Assembly, AssemblyObject, OutputLayout } from '../../../src/core/output/assembly';
import { parseAssembly } from '../../../src/core/output/check-assembly';
import { printAssembly } from '../../../src/core/output/print-assembly';
import { readAssembly } from '../../../src/engine/read/load-assembly';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { Cpu } from '../../../src/rancher/quota/cpu';
import { someOf } from '../../support/cases';
import { configMap, filesIn, newApp, newHarvester } from '../../support/programs';
import { outputOf } from '../../support/run-program';

const EXAMPLES = join(__dirname, '..', '..', '..', 'examples');
const NAMES = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The first or the last line of a list: it appears and disappears with its only entry. */
const IS_OF_LIST = /^"\w+": \[$|^\]$/;

/**
 * The lines that only one of two texts has, without indentation and without the comma that
 * separates entries.
 */
function changes(
  before: string,
  after: string,
): { readonly removed: string[]; readonly added: string[] } {
  const missingIn = (from: string, other: string): string[] => {
    const left = new Map<string, number>();
    for (const line of other.split('\n')) {
      left.set(line, (left.get(line) ?? 0) + 1);
    }
    return from
      .split('\n')
      .filter((line) => {
        const count = left.get(line) ?? 0;
        left.set(line, count - 1);
        return count <= 0;
      })
      .map((line) => line.trim());
  };
  [before, after] = [before, after].map((text) => text.replace(/^[ ,]|,$/gm, ''));
  return { removed: missingIn(before, after), added: missingIn(after, before) };
}

/** An assembly without an object and what it waits for. */
function without(assembly: Assembly, { id, target, name }: AssemblyObject): Assembly {
  const edges = assembly.edges.filter(({ from }) => from !== id);
  return {
    ...assembly,
    objects: assembly.objects.filter((object) => object.id !== id),
    groups: assembly.groups.filter((group) =>
      edges.some(({ from, to }) => from === group.id || to === group.id),
    ),
    edges,
    findings: assembly.findings.filter(
      (finding) => finding.target !== target || finding.object?.name !== name,
    ),
  };
}

function isFindingOf(line: string, target: string, name: string): boolean {
  return (
    line.startsWith('{"rule":') &&
    line.includes(`"target":"${target}"`) &&
    line.includes(`"name":"${name}"`)
  );
}

function sizesOf(outdir: string): { readonly yaml: number; readonly assembly: number } {
  const files = Object.entries(filesIn(outdir));
  const sizeOf = (suffix: string): number =>
    files.filter(([file]) => file.endsWith(suffix)).reduce((sum, [, text]) => sum + text.length, 0);
  return { yaml: sizeOf('.yaml'), assembly: sizeOf('assembly.json') };
}

test.each(someOf(NAMES, 4))('the assembly of %s is printed as it was read', (name) => {
  const text = readFileSync(join(EXAMPLES, name, 'dist', 'assembly.json'), 'utf8');
  const assembly = parseAssembly(text, name);
  expect(printAssembly(assembly)).toBe(text);
  expect(parseAssembly(printAssembly(assembly), name)).toEqual(assembly);
});

describe('a reviewer sees that', () => {
  type Edit = (dc1: HarvesterChart, maps: readonly ReturnType<typeof configMap>[]) => void;
  const textOf = (names: readonly string[], edit: Edit = () => undefined): string => {
    const app = newApp();
    const dc1 = newHarvester(app);
    edit(
      dc1,
      names.map((name) => configMap(dc1, name)),
    );
    app.synth();
    return filesIn(app.outdir)['assembly.json'];
  };
  const lineOf = (name: string, waits: object = {}): string =>
    JSON.stringify({
      id: `dc1//ConfigMap/default/${name}`,
      target: 'dc1',
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'default',
      name,
      construct: `dc1/${name}`,
      file: 'dc1/15-configmap.yaml',
      ...waits,
    });
  const before = textOf(['b', 'd', 'f']);

  test.each(['a', 'c', 'g'])('an object was added: %s', (name) => {
    const line = lineOf(name);
    const after = textOf(['b', 'd', 'f', name]);
    expect(changes(before, after)).toEqual({ removed: [], added: [line] });
    expect(changes(after, before)).toEqual({ removed: [line], added: [] });
  });

  test('an object changed', () => {
    const after = textOf(['b', 'd', 'f'], (_, [b, d]) => {
      d.addDependency(b);
    });
    expect(changes(before, after)).toEqual({
      removed: [lineOf('d')],
      added: [lineOf('d', { after: ['dc1//ConfigMap/default/b'] })],
    });
  });

  test('a kind was added', () => {
    const { removed, added } = changes(
      before,
      textOf(['b', 'd', 'f'], (dc1) => {
        VmImage.download(dc1, 'noble', { url: 'https://example.com/noble.img' });
      }),
    );
    expect(removed).toEqual([]);
    expect(added.map((line) => JSON.parse(line).id)).toEqual([
      'dc1/harvesterhci.io/VirtualMachineImage/default/noble',
    ]);
  });

  test.each(['reference-stack', 'three-tenants', 'gitops-flux'])(
    'any object to which no other refers left the output of %s',
    (name) => {
      const assembly = readAssembly(join(EXAMPLES, name, 'dist'));
      const whole = printAssembly(assembly);
      const left = assembly.objects
        .map((object) => [object, without(assembly, object)] as const)
        .filter(([{ id }, rest]) => !JSON.stringify(rest).includes(id));
      expect(left.length).toBeGreaterThan(2);
      for (const [{ id, target, name: own }, rest] of left) {
        const { removed, added } = changes(whole, printAssembly(rest));
        const others = removed.filter(
          (line) => !line.includes(`"${id}"`) && !isFindingOf(line, target, own),
        );
        // nothing but its list, if it is empty now
        expect(others.filter((line) => !IS_OF_LIST.test(line))).toEqual([]);
        expect(added.filter((line) => !IS_OF_LIST.test(line))).toEqual([]);
      }
    },
  );
});

describe.each(Object.values(OutputLayout))('with the layout %s', (layout) => {
  test('the assembly of a platform is at most twice as large as its YAML', () => {
    const app = new HarvesterApp({ outdir: newApp().outdir, layout, printWarnings: false });
    const rancher = new RancherChart(app, 'rancher', {
      version: '2.13.8',
      serverUrl: 'https://rancher.example.com',
    });
    const dc1 = newHarvester(app);
    const cluster = new HarvesterImport(rancher, 'import-dc1', { harvester: dc1 });
    const image = VmImage.download(dc1, 'noble', { url: 'https://example.com/noble.img' });
    const network = new VmNetwork(dc1, 'vlan', {
      clusterNetwork: ClusterNetwork.mgmt(dc1),
      vlan: 100,
    });
    for (let index = 0; index < 20; index++) {
      const tenant = new TenantProject(rancher, `team-${index}`, {
        cluster,
        tenantNamespaces: [{ name: `vms-${index}` }],
        quota: { limitsCpu: Cpu.units(40), limitsMemory: Size.gibibytes(128) },
        members: [
          ProjectMember.owner(Principal.user(`local://u-team-${index}`)),
          ProjectMember.readOnly(Principal.group('okta_group://audit')),
        ],
      });
      const pool = {
        cpus: 4,
        memory: Size.gibibytes(8),
        disks: [Disk.image(image, Size.gibibytes(40))],
        networks: [network],
      };
      new GuestCluster(rancher, `shop-${index}`, {
        harvesterImport: cluster,
        vmNamespace: tenant.declaredNamespace(`vms-${index}`),
        kubernetes: Kubernetes.rke2('v1.34.6+rke2r1'),
        pools: [
          { name: 'control', quantity: 3, roles: MachineRoles.CONTROL_PLANE_ETCD, ...pool },
          { name: 'worker', quantity: 5, roles: MachineRoles.WORKER, ...pool },
        ],
      });
    }
    app.synth();
    const { yaml, assembly } = sizesOf(app.outdir);
    expect(assembly / yaml).toBeLessThanOrEqual(2);
    expect(printAssembly(readAssembly(app.outdir))).toBe(filesIn(app.outdir)['assembly.json']);
  });
});

test('the reason of a deletion names its guest cluster', () => {
  const app = newApp();
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  const dc1 = newHarvester(app);
  const harvesterImport = new HarvesterImport(rancher, 'import-dc1', { harvester: dc1 });
  const vmNamespace = new HarvesterNamespace(dc1, 'vms');
  const image = VmImage.download(dc1, 'noble', { url: 'https://example.com/noble.img' });
  const networks = [
    new VmNetwork(dc1, 'vlan', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 100 }),
  ];
  for (const name of ['shop', 'web']) {
    new GuestCluster(rancher, name, {
      harvesterImport,
      vmNamespace,
      kubernetes: Kubernetes.rke2('v1.34.6+rke2r1'),
      cloudProvider: CloudProvider.harvester(),
      pools: [
        {
          name: 'all',
          quantity: 1,
          roles: MachineRoles.ALL,
          cpus: 4,
          memory: Size.gibibytes(8),
          disks: [Disk.image(image, Size.gibibytes(40))],
          networks,
        },
      ],
    });
  }
  app.synth();
  const reasonOf = (name: string): string =>
    `the cloud provider and the CSI driver of guest cluster ${name} stop working: delete it after the cluster`;
  const { objects } = readAssembly(app.outdir);
  for (const name of ['shop', 'web']) {
    const own = objects.filter(({ construct }) =>
      construct.startsWith(`dc1/CloudConfig-vms-${name}/`),
    );
    expect(own.map(({ kind, deletion }) => [kind, deletion?.reason])).toEqual(
      expect.arrayContaining([
        ['ServiceAccount', reasonOf(name)],
        ['RoleBinding', reasonOf(name)],
        ['ClusterRoleBinding', reasonOf(name)],
        ['Secret', reasonOf(name)],
      ]),
    );
  }
});

// less than 3 kB of YAML: what waits for a late value is in no YAML file, and a large part of these
const SMALL = ['quickstart', 'tenants-walk'];

test.each(
  someOf(
    NAMES.filter((name) => !SMALL.includes(name)),
    4,
  ),
)('the assembly of %s is at most twice as large as its YAML', (name) => {
  const { yaml, assembly } = sizesOf(join(EXAMPLES, name, 'dist'));
  expect(assembly / yaml).toBeLessThanOrEqual(2);
});

type TreeEdit = (app: App) => void;

/**
 * The assembly that an example writes with an edit of its tree; undefined where a rule refuses the
 * edit.
 */
function edited(name: string, edit: TreeEdit): string | undefined {
  const { synth } = HarvesterApp.prototype;
  const edits = jest.spyOn(HarvesterApp.prototype, 'synth').mockImplementation(function (
    this: HarvesterApp,
  ) {
    edit(this);
    synth.call(this);
  });
  try {
    return outputOf(join(EXAMPLES, name))['assembly.json'];
  } catch (error) {
    expect((error as Error).message).toContain('synthesis failed');
    return undefined;
  } finally {
    edits.mockRestore();
  }
}

describe.each(someOf(['three-tenants', 'k3s-single-node', 'reference-stack'], 1))(
  'an edit of one object in %s changes lines that name it',
  (example) => {
    const before = edited(example, () => undefined)!;
    const objects = parseAssembly(before, example).objects.filter(({ template }) => !template);
    // some of every part of the file
    const some = objects.filter((_, index) => index % 4 === 0);
    const objectAt = (app: App, { construct }: AssemblyObject): ApiObject =>
      construct
        .split('/')
        .reduce<IConstruct>((node, id) => node.node.findChild(id), app) as ApiObject;

    /** The changed lines of entries that do not name the object, neither before nor after. */
    const linesOfOthers = (after: string, ...names: readonly string[]): string[] => {
      const { removed, added } = changes(before, after);
      const entryOf = (line: string): string => /^\{"\w+":"[^"]*"/.exec(line)?.[0] ?? line;
      // a rule may find something in an object that referred to it by another value
      const lines = [...removed, ...added].filter(
        (line) => !IS_OF_LIST.test(line) && !line.startsWith('{"rule":'),
      );
      const ofObject = new Set(
        lines.filter((line) => names.some((name) => line.includes(name))).map(entryOf),
      );
      return lines.filter((line) => !ofObject.has(entryOf(line)));
    };

    test('where a field changes', () => {
      for (const object of some) {
        const after = edited(example, (app) => {
          objectAt(app, object).metadata.addAnnotation('example.com/edited', 'true');
        });
        if (after !== undefined) {
          expect(linesOfOthers(after, object.name)).toEqual([]);
        }
      }
    });

    test('where one is added', () => {
      for (const { name } of parseAssembly(before, example).targets) {
        const add: TreeEdit = (app) => {
          const chart = app.charts.find(
            (each) => (each as { targetName?: string }).targetName === name,
          )!;
          new ApiObject(chart, 'added', {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: 'added', namespace: 'default' },
          });
        };
        const { removed, added } = changes(before, edited(example, add)!);
        expect(removed).toEqual([]);
        expect(added.map((line) => JSON.parse(line).id)).toEqual([
          `${name}//ConfigMap/default/added`,
        ]);
      }
    });

    test('where one is removed', () => {
      const removals = some.flatMap((object) => {
        const after = edited(example, (app) => {
          const found = objectAt(app, object);
          found.node.scope!.node.tryRemoveChild(found.node.id);
        });
        return after === undefined ? [] : [linesOfOthers(after, object.name)];
      });
      expect(removals.length).toBeGreaterThan(1);
      expect(removals.flat()).toEqual([]);
    });

    test('where one is renamed', () => {
      const renames = some.flatMap((object) => {
        const after = edited(example, (app) => {
          objectAt(app, object).addJsonPatch(JsonPatch.replace('/metadata/name', 'renamed'));
        });
        return after === undefined ? [] : [linesOfOthers(after, object.name, 'renamed')];
      });
      expect(renames.length).toBeGreaterThan(1);
      expect(renames.flat()).toEqual([]);
    });
  },
);

describe('another version of the library, whose kinds are described otherwise', () => {
  const text = readFileSync(join(EXAMPLES, 'quickstart', 'dist', 'assembly.json'), 'utf8');
  const read = (from: string, to: string): Assembly => {
    expect(text).toContain(from);
    return parseAssembly(text.replaceAll(from, to), 'assembly.json');
  };

  const deletionOf = ({ objects }: Assembly) =>
    objects.find(({ name }) => name === 'ntp-servers')?.deletion;

  test('keeps the policy that the assembly names, without a reason', () => {
    expect(deletionOf(read('"policy":"reset"', '"policy":"keep"'))).toEqual({
      policy: 'keep',
      reason: 'as the program chose',
    });
  });

  test('reads the reason that the assembly contains', () => {
    const changed = read('"policy":"reset"', '"policy":"keep","reason":"is shared"');
    expect(deletionOf(changed)).toEqual({ policy: 'keep', reason: 'is shared' });
  });

  test('deletes what the assembly neither keeps nor resets', () => {
    expect(deletionOf(read(',"deletion":{"policy":"reset"}', ''))).toBeUndefined();
  });

  test('finds the files, whatever the rank of their kind is now', () => {
    expect(read('/40-cluster', '/41-cluster').objects.map(({ file }) => file)).toContain(
      'rancher/41-cluster.provisioning.cattle.io.yaml',
    );
  });

  test('reads a kind and a rule that it does not know', () => {
    const finding = {
      rule: 'example/new',
      level: 'warning',
      message: 'is new',
      path: '',
      fix: 'do it',
      source: '',
    };
    const withFinding = text.replace(
      /\n\}\n$/,
      `,\n"findings": [\n ${JSON.stringify(finding)}\n]\n}\n`,
    );
    expect(printAssembly(parseAssembly(withFinding, 'assembly.json'))).toBe(withFinding);
    expect(parseAssembly(withFinding, 'assembly.json').findings).toEqual([finding]);
  });

  test('refuses an ID that the other fields contradict', () => {
    expect(() => read('"id":"dc1/', '"id":"rancher/')).toThrow(
      'objects[rancher/harvesterhci.io/Setting//cluster-registration-url].id: must begin with dc1/harvesterhci.io/Setting/, as the other fields say',
    );
  });

  test.each(['1', '2'])('reports version %s of the format, with the fix', (version) => {
    expect(() =>
      parseAssembly(
        text.replace('"schemaVersion": "3"', `"schemaVersion": "${version}"`),
        'dist/assembly.json',
      ),
    ).toThrow(
      `dist/assembly.json: schemaVersion must be "3", got "${version}": another version of cdk8s-harvester wrote it. Fix: run the program again: synthesis writes the file again`,
    );
  });
});
