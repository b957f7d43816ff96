import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { Size } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import {
  CloudProvider, ClusterNetwork, Disk, GuestCluster, HarvesterApp, HarvesterImport, HarvesterNamespace, Kubernetes, MachineRoles, Principal,
  ProjectMember, RancherChart, TenantProject, VmImage, VmNetwork,
} from '../../../src';
import { Assembly, AssemblyObject, OutputLayout } from '../../../src/core/output/assembly';
import { parseAssembly } from '../../../src/core/output/check-assembly';
import { printAssembly } from '../../../src/core/output/compact/print-assembly';
import { readAssembly } from '../../../src/engine/read/load-assembly';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { configMap, filesIn, newApp, newHarvester } from '../../support/programs';

const EXAMPLES = join(__dirname, '..', '..', '..', 'examples');
const NAMES = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);

/** The lines that only one of two texts has, without indentation. */
function changes(before: string, after: string): { readonly removed: string[]; readonly added: string[] } {
  const missingIn = (from: string, other: string): string[] => {
    const left = new Map<string, number>();
    for (const line of other.split('\n')) { left.set(line, (left.get(line) ?? 0) + 1); }
    return from.split('\n').filter((line) => {
      const count = left.get(line) ?? 0;
      left.set(line, count - 1);
      return count <= 0;
    }).map((line) => line.trim());
  };
  return { removed: missingIn(before, after), added: missingIn(after, before) };
}

/** An assembly without an object and what it waits for. */
function without(assembly: Assembly, { id, target, name }: AssemblyObject): Assembly {
  const edges = assembly.edges.filter(({ from }) => from !== id);
  return {
    ...assembly,
    objects: assembly.objects.filter((object) => object.id !== id),
    groups: assembly.groups.filter((group) => edges.some(({ from, to }) => from === group.id || to === group.id)),
    edges,
    findings: assembly.findings.filter((finding) => finding.target !== target || finding.object?.name !== name),
  };
}

function sizesOf(outdir: string): { readonly yaml: number; readonly assembly: number } {
  const files = Object.entries(filesIn(outdir));
  const sizeOf = (suffix: string): number => files.filter(([file]) => file.endsWith(suffix)).reduce((sum, [, text]) => sum + text.length, 0);
  return { yaml: sizeOf('.yaml'), assembly: sizeOf('assembly.json') };
}

test.each(NAMES)('the assembly of %s is printed as it was read', (name) => {
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
    edit(dc1, names.map((name) => configMap(dc1, name)));
    app.synth();
    return filesIn(app.outdir)['assembly.json'];
  };
  const before = textOf(['b', 'd', 'f']);

  test.each(['a', 'c', 'g'])('an object was added: %s', (name) => {
    const line = `,{"object":"dc1/default/${name}","construct":"dc1/${name}"}`;
    const after = textOf(['b', 'd', 'f', name]);
    expect(changes(before, after)).toEqual({ removed: [], added: [line] });
    expect(changes(after, before)).toEqual({ removed: [line], added: [] });
  });

  test('an object changed', () => {
    const after = textOf(['b', 'd', 'f'], (_, [b, d]) => { d.addDependency(b); });
    expect(changes(before, after)).toEqual({
      removed: [',{"object":"dc1/default/d","construct":"dc1/d"}'], added: [',{"object":"dc1/default/d","construct":"dc1/d","after":["dc1//ConfigMap/default/b"]}'],
    });
  });

  test('a kind was added', () => {
    const { removed, added } = changes(before, textOf(['b', 'd', 'f'], (dc1) => { VmImage.download(dc1, 'noble', { url: 'https://example.com/noble.img' }); }));
    expect(removed).toEqual([]);
    expect(added).toEqual([expect.stringContaining('[{"apiVersion":"harvesterhci.io/v1beta1","kind":"VirtualMachineImage"'), expect.stringContaining(',{"object":"dc1/default/noble"'), '],']);
  });

  test.each(['reference-stack', 'three-tenants', 'gitops-flux'])('any object to which no other refers left the output of %s', (name) => {
    const assembly = readAssembly(join(EXAMPLES, name, 'dist'));
    const whole = printAssembly(assembly);
    const left = assembly.objects.map((object) => [object, without(assembly, object)] as const)
      .filter(([{ id }, rest]) => !JSON.stringify(rest).includes(id));
    expect(left.length).toBeGreaterThan(2);
    for (const [{ id, target, namespace, name: own }, rest] of left) {
      const { removed, added } = changes(whole, printAssembly(rest));
      const others = removed.filter((line) => !line.startsWith(`,{"object":"${target}/${namespace ?? ''}/${own}"`) && !line.startsWith(`,{"of":"${id}"`));
      // nothing but its section, if it is empty now
      expect(others.filter((line) => !/^\[\{"(apiVersion|rule)"|^\],?$/.test(line))).toEqual([]);
      expect(added.filter((line) => !/^\],?$/.test(line))).toEqual([]);
    }
  });
});

describe.each(Object.values(OutputLayout))('with the layout %s', (layout) => {
  test('the assembly of a platform is no larger than its YAML', () => {
    const app = new HarvesterApp({ outdir: newApp().outdir, layout, printWarnings: false });
    const rancher = new RancherChart(app, 'rancher', { version: '2.13.8', serverUrl: 'https://rancher.example.com' });
    const dc1 = newHarvester(app);
    const cluster = new HarvesterImport(rancher, 'import-dc1', { harvester: dc1 });
    const image = VmImage.download(dc1, 'noble', { url: 'https://example.com/noble.img' });
    const network = new VmNetwork(dc1, 'vlan', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 100 });
    for (let index = 0; index < 20; index++) {
      const tenant = new TenantProject(rancher, `team-${index}`, {
        cluster,
        namespaces: [{ name: `vms-${index}` }],
        quota: { limitsCpu: Cpu.units(40), limitsMemory: Size.gibibytes(128) },
        members: [ProjectMember.owner(Principal.user(`local://u-team-${index}`)), ProjectMember.readOnly(Principal.group('okta_group://audit'))],
      });
      const pool = { cpus: 4, memory: Size.gibibytes(8), disks: [Disk.image(image, Size.gibibytes(40))], networks: [network] };
      new GuestCluster(rancher, `shop-${index}`, {
        harvesterImport: cluster,
        vmNamespace: tenant.namespace(`vms-${index}`),
        kubernetes: Kubernetes.rke2('v1.34.6+rke2r1'),
        pools: [
          { name: 'control', quantity: 3, roles: MachineRoles.CONTROL_PLANE_ETCD, ...pool },
          { name: 'worker', quantity: 5, roles: MachineRoles.WORKER, ...pool },
        ],
      });
    }
    app.synth();
    const { yaml, assembly } = sizesOf(app.outdir);
    expect(assembly / yaml).toBeLessThanOrEqual(1);
    expect(printAssembly(readAssembly(app.outdir))).toBe(filesIn(app.outdir)['assembly.json']);
  });
});

test('the reason of a deletion names its guest cluster where it is read, and is written once for all clusters', () => {
  const app = newApp();
  const rancher = new RancherChart(app, 'rancher', { version: '2.13.8', serverUrl: 'https://rancher.example.com' });
  const dc1 = newHarvester(app);
  const harvesterImport = new HarvesterImport(rancher, 'import-dc1', { harvester: dc1 });
  const vmNamespace = new HarvesterNamespace(dc1, 'vms');
  const image = VmImage.download(dc1, 'noble', { url: 'https://example.com/noble.img' });
  const networks = [new VmNetwork(dc1, 'vlan', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 100 })];
  for (const name of ['shop', 'web']) {
    new GuestCluster(rancher, name, {
      harvesterImport,
      vmNamespace,
      kubernetes: Kubernetes.rke2('v1.34.6+rke2r1'),
      cloudProvider: CloudProvider.harvester(),
      pools: [{ name: 'all', quantity: 1, roles: MachineRoles.ALL, cpus: 4, memory: Size.gibibytes(8), disks: [Disk.image(image, Size.gibibytes(40))], networks }],
    });
  }
  app.synth();
  const reasonOf = (name: string): string => `the cloud provider and the CSI driver of guest cluster ${name} stop working: delete it after the cluster`;
  const { objects } = readAssembly(app.outdir);
  for (const name of ['shop', 'web']) {
    const own = objects.filter(({ construct }) => construct.startsWith(`dc1/CloudConfig-vms-${name}/`));
    expect(own.map(({ kind, deletion }) => [kind, deletion?.reason])).toEqual(expect.arrayContaining([
      ['ServiceAccount', reasonOf(name)], ['RoleBinding', reasonOf(name)], ['ClusterRoleBinding', reasonOf(name)],
      ['Secret', `${reasonOf(name)}; a recreated Secret gets a different token`],
    ]));
  }
  const text = filesIn(app.outdir)['assembly.json'];
  expect(text).toContain(reasonOf('<name>'));
  expect(text).not.toContain(reasonOf('shop'));
});
