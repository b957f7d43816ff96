import { mkdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { Size } from 'cdk8s';
import { toYaml } from '../../../../src/core/yaml/yaml-writer';
import { GuestCluster } from '../../../../src/guest/cluster/guest-cluster';
import { Kubernetes } from '../../../../src/guest/kubernetes/kubernetes';
import { MachineRoles } from '../../../../src/guest/machine-pool/machine-pool';
import { ClusterNetwork } from '../../../../src/harvester/cluster-network/cluster-network';
import { HarvesterChart } from '../../../../src/harvester/harvester-chart';
import { HarvesterNamespace } from '../../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../../src/harvester/image/vm-image';
import { Disk } from '../../../../src/harvester/machine/disk';
import { VmNetwork } from '../../../../src/harvester/network/vm-network';
import { VirtualMachine } from '../../../../src/harvester/virtual-machine/virtual-machine';
import { HarvesterImport } from '../../../../src/rancher/import/harvester-import';
import { cloudConfig, credential, guest, machineConfig } from '../../../support/guest';
import { newApp, newHarvester, newRancher } from '../../../support/programs';
import { runCli } from '../../../support/run-cli';
import { tempFolder } from '../../../support/temp';

function folder(machine: object, file = 'all.yaml'): string {
  const root = tempFolder();
  mkdirSync(join(root, 'clusters'), { recursive: true });
  writeFileSync(
    join(root, 'clusters', file),
    [machineConfig(machine), cloudConfig(), credential(), guest()]
      .map((object) => `---\n${toYaml(object)}`)
      .join(''),
  );
  return root;
}

test('reports the machines that an edit replaces, with exit code 3', async () => {
  const [before, after] = [folder({}), folder({ memorySize: '16' }, 'elsewhere.yaml')];
  const { stdout, stderr, exitCode } = await runCli('impact', after, '--before', before);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 3 });
  expect(stdout).toBe(
    [
      `Impact of ${after}, compared with ${before}`,
      '',
      'Cluster fleet-default/shop on input',
      '  replace  pool all, 3 machines: its machines are replaced, a new one is created before an old one is deleted (maxSurge 1, maxUnavailable 0); what is on their disks is lost',
      '    HarvesterConfig fleet-default/nc-shop memorySize: "8" -> "16"',
      '',
      '3 machines replaced\n',
    ].join('\n'),
  );
});

test.each(['1.7.2', '1.8.2'])(
  'reports a machine whose image the program declares, on Harvester %s',
  async (version) => {
    const output = (machine?: string): string => {
      const app = newApp();
      const dc1 = new HarvesterChart(app, 'dc1', { version });
      const image = VmImage.download(dc1, 'noble', { url: 'https://images.example.com/noble.img' });
      if (machine !== undefined) {
        new VirtualMachine(dc1, machine, {
          cpus: 1,
          memory: Size.gibibytes(2),
          disks: [Disk.image(image, Size.gibibytes(10))],
        });
      }
      app.synth();
      return app.outdir;
    };
    for (const now of [undefined, 'shop']) {
      const { stdout, exitCode } = await runCli('impact', output(now), '--before', output('web'));
      expect(stdout).toContain('VirtualMachine default/web on dc1\n  kept  ');
      expect(stdout).toContain('an apply with --prune-machines deletes it');
      expect({ now, exitCode }).toEqual({ now, exitCode: 0 });
    }
  },
);

test('exits with 0 where no machine is deleted or replaced', async () => {
  const root = folder({});
  expect(await runCli('impact', root, '--before', root, '--output', 'markdown')).toEqual({
    stdout:
      '### Impact: no machine is deleted or replaced\n\nno guest cluster or machine changes.\n',
    stderr: '',
    exitCode: 0,
  });
  expect(
    (
      await runCli(
        'impact',
        join(root, 'clusters', 'all.yaml'),
        '--before',
        root,
        '--output',
        'json',
      )
    ).exitCode,
  ).toBe(0);
});

test('exits with 3 where the impact is unknown, in every format', async () => {
  const [before, after] = [folder({}), folder({ userData: '${late:a|base64}' })];
  const run = (format: string) => runCli('impact', after, '--before', before, '--output', format);
  const text = await run('text');
  expect(text).toMatchObject({ exitCode: 3, stderr: '' });
  expect(text.stdout).toContain(
    '  unknown  pool all, 3 machines: cannot be compared: one side holds a late value, and the other what it became\n',
  );
  expect(text.stdout).toMatch(
    /\n\n3 machines may be replaced or deleted \(cannot be determined\)\n$/,
  );
  const { stdout, exitCode } = await run('json');
  expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({
    exitCode: 3,
    machines: { unknown: 3, replace: 0 },
    impacts: [{ effect: 'unknown', pool: 'all', machines: 3 }],
  });
  expect(await run('markdown')).toMatchObject({
    exitCode: 3,
    stdout: expect.stringContaining(
      '\n| unknown | input | fleet-default/shop | all | 3 | cannot be compared',
    ),
  });
});

test('exits with 1 where it cannot run, and never treats a broken file as a deletion', async () => {
  const root = folder({});
  expect(await runCli('impact', root)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('--before: must be set'),
  });
  expect((await runCli('impact', '/no/such/place', '--before', root)).exitCode).toBe(1);
  expect((await runCli('impact', root, '--before', root, '--output', 'html')).exitCode).toBe(1);
  writeFileSync(join(root, 'clusters', 'broken.yaml'), 'a: [');
  expect(await runCli('impact', root, '--before', root)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('is not valid YAML'),
  });
});

describe('what two syntheses wrote', () => {
  /** The output folder of a program with one guest cluster. */
  function synthesized(
    kubernetes: Kubernetes,
    gibibytes: number,
    pool: object = {},
    vip = '10.10.0.10',
    accepts: readonly string[] = [],
  ): string {
    const app = newApp();
    for (const machines of accepts) {
      app.acceptReplacement(machines, 'new size');
    }
    const rancher = newRancher(app);
    const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip });
    const image = VmImage.download(dc1, 'noble', { url: 'https://images.example.com/noble.img' });
    new GuestCluster(rancher, 'shop', {
      harvesterImport: new HarvesterImport(rancher, 'import-dc1', { harvester: dc1 }),
      vmNamespace: new HarvesterNamespace(dc1, 'vms'),
      kubernetes,
      pools: [
        {
          name: 'all',
          quantity: 3,
          roles: MachineRoles.ALL,
          cpus: 4,
          memory: Size.gibibytes(gibibytes),
          disks: [Disk.image(image, Size.gibibytes(40))],
          networks: [
            new VmNetwork(dc1, 'prod', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 100 }),
          ],
          ...pool,
        },
      ],
    });
    app.synth();
    return app.outdir;
  }

  test('reports with its construct that more memory replaces machines, and that labels do not', async () => {
    const rke2 = Kubernetes.rke2('v1.33.6+rke2r1');
    const before = synthesized(rke2, 8);
    const { stdout, exitCode } = await runCli(
      'impact',
      synthesized(rke2, 16),
      '--before',
      before,
      '--output',
      'json',
    );
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      summary: '3 machines replaced',
      impacts: [
        {
          effect: 'replace',
          cluster: 'fleet-default/shop',
          target: 'rancher',
          pool: 'all',
          machines: 3,
          causes: [
            {
              object: 'HarvesterConfig fleet-default/nc-shop-all',
              path: 'memorySize',
              before: '"8"',
              after: '"16"',
            },
          ],
          construct: expect.stringContaining('rancher/shop'),
        },
      ],
    });
    const labelled = await runCli(
      'impact',
      synthesized(rke2, 8, { nodeLabels: { tier: 'web' } }),
      '--before',
      before,
    );
    expect(labelled).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('none  pool all: labels are written to existing machines'),
    });
  });

  const SHOP = 'rancher/provisioning.cattle.io/Cluster/fleet-default/shop';

  test.each([[SHOP], [`${SHOP}/all`], ['*/shop/a*']])(
    'exits with 0 for machines whose replacement the program accepts by %s',
    async (machines) => {
      const rke2 = Kubernetes.rke2('v1.33.6+rke2r1');
      const [before, after] = [
        synthesized(rke2, 8),
        synthesized(rke2, 16, {}, undefined, [machines]),
      ];
      expect(await runCli('impact', after, '--before', before)).toMatchObject({
        exitCode: 0,
        stderr: '',
        stdout: expect.stringMatching(
          /\n {4}accepted: new size\n\nno other machine is deleted or replaced; accepted: 3 machines replaced\n$/,
        ),
      });
      const { impacts } = JSON.parse(
        (await runCli('impact', after, '--before', before, '--output', 'json')).stdout,
      );
      expect(impacts).toMatchObject([
        { effect: 'replace', id: `${SHOP}/all`, accepted: 'new size' },
      ]);
    },
  );

  test('reports the ID of a loss, and an acceptance of other machines', async () => {
    const rke2 = Kubernetes.rke2('v1.33.6+rke2r1');
    const after = synthesized(rke2, 16, {}, undefined, [`${SHOP}/other`]);
    expect(await runCli('impact', after, '--before', synthesized(rke2, 8))).toMatchObject({
      exitCode: 3,
      stdout: expect.stringContaining(
        `    to accept it, add app.acceptReplacement('${SHOP}/all', '<why>')\n`,
      ),
      stderr: expect.stringContaining(`app.acceptReplacement('${SHOP}/other'): this edit replaces`),
    });
  });

  test('accepts the removal of a whole cluster by acceptRemoval alone', async () => {
    const before = synthesized(Kubernetes.rke2('v1.33.6+rke2r1'), 8);
    const without = (accept: (app: ReturnType<typeof newApp>) => void): string => {
      const app = newApp();
      newRancher(app);
      accept(app);
      app.synth();
      return app.outdir;
    };
    const lost = async (after: string): Promise<number> =>
      (await runCli('impact', after, '--before', join(before, 'rancher'))).exitCode;
    expect(
      await lost(
        without((app) => {
          app.acceptReplacement('*', 'x');
        }),
      ),
    ).toBe(3);
    expect(
      await lost(
        without((app) => {
          app.acceptRemoval('*', 'the shop is closed');
        }),
      ),
    ).toBe(0);
  });

  test('shows why the program accepts the removal of a VM that an apply keeps', async () => {
    const machine = (accept?: (app: ReturnType<typeof newApp>) => void): string => {
      const app = newApp();
      const dc1 = newHarvester(app);
      if (accept) {
        accept(app);
      } else {
        new VirtualMachine(dc1, 'bastion', {
          cpus: 1,
          memory: Size.gibibytes(1),
          disks: [Disk.empty(Size.gibibytes(1))],
        });
      }
      app.synth();
      return app.outdir;
    };
    const { stdout, exitCode } = await runCli(
      'impact',
      machine((app) => {
        app.acceptRemoval('*bastion*', 'not used');
      }),
      '--before',
      machine(),
    );
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining('    accepted: not used\n'),
    });
    expect(stdout).toContain(
      'VirtualMachine default/bastion on dc1\n  kept  is no longer delivered: an apply without --prune-machines keeps it',
    );
  });

  test('reports a removal that the program accepts and the edit does not do', async () => {
    const before = synthesized(Kubernetes.rke2('v1.33.6+rke2r1'), 8);
    const without = (...removals: readonly string[]): string => {
      const app = newApp();
      newRancher(app);
      for (const each of removals) {
        app.acceptRemoval(each, 'the shop is closed');
      }
      app.synth();
      return app.outdir;
    };
    const stderr = async (...removals: readonly string[]): Promise<string> =>
      (await runCli('impact', without(...removals), '--before', before)).stderr;
    expect(await stderr(SHOP, 'dc1//Namespace//vms', '*nc-shop*')).toBe('');
    expect(await stderr(`${SHOP}s`, SHOP)).toBe(
      `app.acceptRemoval('${SHOP}s') fits no object that leaves the output. Fix: correct the ID or the path of the construct, or remove the statement\n`,
    );
  });

  test('a folder of YAML without its assembly is compared all the same', async () => {
    const rke2 = Kubernetes.rke2('v1.33.6+rke2r1');
    const { exitCode, stdout } = await runCli(
      'impact',
      synthesized(rke2, 8, { quantity: 1 }),
      '--before',
      join(synthesized(rke2, 8), 'rancher'),
    );
    expect(exitCode).toBe(3);
    expect(stdout).toContain(
      'Cluster fleet-default/shop on rancher\n  delete  pool all, 2 machines: the pool shrinks',
    );
    expect(stdout).not.toContain('replace ');
  });

  test('on K3s another address of the Harvester is another user data, which waits in the assembly', async () => {
    const k3s = Kubernetes.k3s('v1.33.6+k3s1');
    const before = synthesized(k3s, 8);
    expect(await runCli('impact', synthesized(k3s, 8), '--before', before)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        /\n\nno guest cluster or machine changes: no machine is deleted or replaced\n$/,
      ),
    });
    const moved = await runCli('impact', synthesized(k3s, 8, {}, '10.10.0.99'), '--before', before);
    expect(moved.exitCode).toBe(3);
    expect(moved.stdout).toContain(
      'HarvesterConfig fleet-default/nc-shop-all userData differs from line',
    );
  });
});
